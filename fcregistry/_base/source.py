"""A function's place in its source, its annotations and signature, and whether it redefines an earlier function."""

from __future__ import annotations

import sys

from fcregistry.errors import DefinitionError

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable
    from inspect import Signature
    from typing import Any


_FUNCTION = type(lambda: None)


def underlying(function: Callable[..., Any]) -> Any:
    """Return the object with a `__code__` behind partials, bound methods and callable objects.

    It is the last object found, if none has a `__code__`.
    """
    seen: Any = function
    for _ in range(32):  # partials may be nested, but the loop must end
        if hasattr(seen, "__code__"):
            return seen
        if hasattr(seen, "func"):  # functools.partial
            seen = seen.func
        elif hasattr(seen, "__func__"):  # bound method, staticmethod, classmethod
            seen = seen.__func__
        elif not isinstance(seen, type) and hasattr(type(seen).__call__, "__code__"):
            return type(seen).__call__
        else:
            break
    return seen


def is_method_of(source: object, instance: object) -> bool:
    """Return whether a function is the `__call__` of an instance's class."""
    return source is getattr(type(instance), "__call__", None)  # noqa: B004  # the function itself is compared


def place_text(function: Callable[..., Any], module: str) -> str:
    """Return `module.qualname (file:line)` of a function, without the parts that are not known."""
    source = underlying(function)
    qualname = getattr(source, "__qualname__", None) or type(source).__qualname__
    code = getattr(source, "__code__", None)
    return f"{module}.{qualname}" + (f" ({code.co_filename}:{code.co_firstlineno})" if code else "")


def is_redefinition(old: Callable[..., Any], new: Callable[..., Any]) -> bool:
    """Return whether a function redefines an earlier one: by a reload, an edit, or a cell run again.

    It does if module and qualname are the same, and either the code differs (an edit, unless one import of the module has made both) or
    everything that the functions close over is the same.
    """
    if old is new:
        return True
    first, second = underlying(old), underlying(new)
    names = [(getattr(each, "__module__", None), getattr(each, "__qualname__", None)) for each in (first, second)]
    if names[0] != names[1] or names[0][1] is None:
        return False
    if getattr(first, "__code__", first) != getattr(second, "__code__", second):
        return not _in_one_import(first, second)
    return _same_state(old, new) and _same_cells(first, second) and _same_defaults(first, second)


def _in_one_import(first: Any, second: Any) -> bool:
    """Return whether one import that is still running has made both functions.

    Then a second `def` of one name is not an edit.
    """
    scope: dict[str, Any] = getattr(second, "__globals__", {})
    if getattr(first, "__globals__", None) is not scope:
        return False
    return bool(getattr(scope.get("__spec__"), "_initializing", False))


def _same_defaults(old: Any, new: Any) -> bool:
    """Compare plain defaults, in which the functions of `for n in …: def f(x, n=n)` differ.

    A reload makes other defaults again, so these are not compared.
    """
    plain = (str, int, float, bool, bytes, type(None))
    pairs = zip(getattr(old, "__defaults__", None) or (), getattr(new, "__defaults__", None) or (), strict=False)
    return all(first == second for first, second in pairs if isinstance(first, plain) and isinstance(second, plain))


def _same_cells(old: Any, new: Any) -> bool:
    wrapped: tuple[Any, Any] = getattr(old, "__wrapped__", None), getattr(new, "__wrapped__", None)
    for first, second in zip(
        getattr(old, "__closure__", None) or (), getattr(new, "__closure__", None) or (), strict=False
    ):
        try:
            contents = first.cell_contents, second.cell_contents
        except ValueError:  # not filled yet: a function that calls itself
            continue
        if contents[0] is old or is_same_or_equal(*contents):
            continue
        # A reload also makes the wrapped function of a decorator (functools.wraps) again.
        if contents[0] is not wrapped[0] or contents[1] is not wrapped[1] or not is_redefinition(*wrapped):
            return False
    return True


def _same_state(old: Any, new: Any) -> bool:
    """Compare what partials, bound methods and callable objects have besides the code."""
    if hasattr(old, "func") and hasattr(new, "func"):
        return is_same_or_equal((old.args, old.keywords), (new.args, new.keywords)) and _same_state(old.func, new.func)
    if hasattr(old, "__code__") or hasattr(new, "__code__"):
        bound = getattr(old, "__self__", None), getattr(new, "__self__", None)
        return _same_instance(*bound)
    return _same_instance(old, new)


def _same_instance(old: object, new: object) -> bool:
    """Return whether an instance is the same, or was made again together with its class, as by a reload."""
    if is_same_or_equal(old, new):
        return True
    first, second = (each if isinstance(each, type) else type(each) for each in (old, new))
    names = [(each.__module__, each.__qualname__) for each in (first, second)]
    return first is not second and names[0] == names[1] and "<locals>" not in first.__qualname__


def is_same_or_equal(old: object, new: object) -> bool:
    """Return whether two objects are identical or equal; if `==` raises, they are not."""
    if old is new:
        return True
    try:
        return bool(old == new)
    except Exception:  # the objects' own `==` may raise anything, and has not returned True then  # noqa: BLE001
        return False


def check_callable(function: object) -> None:
    """Refuse an object that cannot be called, a class, and a tool of another library.

    Calling a class only makes an instance.

    Raises:
        DefinitionError: It is one of these.
    """
    if hint := external_tool_hint(function):
        raise DefinitionError(f"{function!r:.80} cannot be a tool{hint}")
    if isinstance(function, type) or not callable(function):
        raise DefinitionError(f"{function!r} cannot be a tool: it is {_describe_kind(function)}, not a function")


def default_name(function: Callable[..., Any]) -> str:
    """Return the name of a callable: of its function, or of its class.

    Raises:
        DefinitionError: It cannot be called, or is a class.
    """
    if type(function) is _FUNCTION:
        return str(function.__name__)
    source = underlying(function)
    check_callable(function)
    if is_method_of(source, function):  # a callable object: its class names it, as a def names a function
        return type(function).__name__
    return str(getattr(source, "__name__", type(function).__name__))


def _describe_kind(value: object) -> str:
    if isinstance(value, type):
        return "a class (register its instances' methods with register_object)"
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


# --- Tools of other libraries ---


_EXTERNAL_TOOLS = {
    ("langchain_core", "BaseTool"): ("LangChain", ("func", "coroutine"), "a function that returns tool.invoke({…})"),
    ("agents", "FunctionTool"): ("the OpenAI Agents SDK", (), "the function that @function_tool decorates"),
    ("pydantic_ai", "Tool"): ("pydantic-ai", ("function",), ""),
    ("llm", "Tool"): ("llm", ("implementation",), "the function that it was made of"),
    ("fastmcp", "Tool"): ("FastMCP", ("fn",), "a function that calls its server's tool"),
    ("mcp", "Tool"): ("the MCP SDK", ("fn",), "a function that calls its server's tool"),
}
"""Top-level module and name of a class -> its library; the attributes that hold the function; what to give if none does."""


def external_tool_hint(value: object) -> str:
    """Return what to write instead of a tool of another library; empty for any other object.

    The library is recognised by the names of the class, and not imported.
    """
    for cls in type(value).__mro__:
        found = _EXTERNAL_TOOLS.get((cls.__module__.partition(".")[0], cls.__name__))
        if found is not None:
            library, attributes, otherwise = found
            function = next((f"tool.{each}" for each in attributes if callable(getattr(value, each, None))), "")
            given = f"its function, {function}," if function else otherwise
            return f": it is a tool of {library}; give {given} instead"
    return ""


# --- Annotations and signatures, even if some annotations cannot be evaluated ---

# From Python 3.14 on, annotations are evaluated when they are asked for (PEP 649, PEP 749), all of one function or class at once, and an
# exception that one of them raises is raised then. Here such an annotation of a function becomes an `Unresolved`, and the others keep their
# values.


class Unresolved:
    """An annotation that cannot be evaluated; its `repr` is that of its text.

    Attributes:
        text: The annotation as its author wrote it.
        error: The exception that evaluating it raises.
    """

    def __init__(self, text: str, error: Exception) -> None:
        self.text = text
        self.error = error

    def __repr__(self) -> str:
        return repr(self.text)


def annotations_of(owner: Any) -> dict[str, Any]:
    """Return the annotations of a function or class.

    Each annotation of a function that cannot be evaluated becomes an `Unresolved`.

    Raises:
        Exception: Evaluating the annotations of a class raises it, or those of a function that cannot be evaluated one by one.
    """
    try:
        return getattr(owner, "__annotations__", None) or {}
    except Exception:  # an author's annotation may raise anything, and Python 3.14 evaluates all of an owner at once
        if sys.version_info >= (3, 14) and not isinstance(owner, type) and hasattr(owner, "__annotate__"):
            return _evaluate_each(owner, owner.__annotate__)
        raise


def _evaluate_each(function: Any, annotate: Any) -> dict[str, Any]:
    from annotationlib import Format, get_annotations  # type: ignore[import-not-found]  # new in Python 3.14

    texts = get_annotations(function, format=Format.STRING)
    values = get_annotations(function, format=Format.FORWARDREF)  # a missing name may be deep inside a value
    names = _names_visible_to(annotate)
    return {
        name: value if isinstance(value, str) else _unresolved(texts[name], names) or value  # a text stays a text
        for name, value in values.items()
    }


def _names_visible_to(annotate: Any) -> dict[str, Any]:
    """Return the names of the module, and of the functions and the class around annotations."""
    names: dict[str, Any] = {}
    for name, cell in zip(annotate.__code__.co_freevars, annotate.__closure__ or (), strict=True):
        try:
            names[name] = cell.cell_contents
        except ValueError:  # it is not defined yet
            continue
    return {**annotate.__globals__, **names, **names.get("__classdict__", {})}


def _unresolved(text: str, names: dict[str, Any]) -> Unresolved | None:
    """Return the error of an annotation, or None if it can be evaluated."""
    try:
        eval(text, names)  # noqa: S307  # the author's own annotation, as Python evaluates it
    except SyntaxError:  # a part of it has no source text, such as a lambda: its value is used
        return None
    except Exception as error:  # noqa: BLE001  # an author's annotation may raise anything
        return Unresolved(text, error)
    return None


def signature_of(function: Callable[..., Any]) -> Signature:
    """Return the signature that `inspect.signature` returns, even if annotations cannot be evaluated.

    Raises:
        TypeError: The object cannot be called.
        ValueError: Python does not know the signature.
    """
    import inspect  # takes 11 ms, and reading annotations does not need it

    if sys.version_info >= (3, 14):
        return inspect.signature(function, annotation_format=inspect.Format.FORWARDREF)
    return inspect.signature(function)
