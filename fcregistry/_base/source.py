"""Where does a function stand in its source, and does a new one take an old one's place?"""

from __future__ import annotations

from fcregistry.errors import DefinitionError

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_FUNCTION = type(lambda: None)


def underlying(function: Callable[..., Any]) -> Any:
    """Return the object with a `__code__` behind partials, bound methods and callable objects, if there is one."""
    seen: Any = function
    for _ in range(32):  # a partial of a partial of …, but never for ever
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
    """Tell whether a function is what calling an instance calls."""
    return source is getattr(type(instance), "__call__", None)  # noqa: B004  # which function it is, not whether


def place_text(function: Callable[..., Any], module: str) -> str:
    """Return `module.qualname (file:line)` of a function, as far as it is known."""
    source = underlying(function)
    qualname = getattr(source, "__qualname__", None) or type(source).__qualname__
    code = getattr(source, "__code__", None)
    return f"{module}.{qualname}" + (f" ({code.co_filename}:{code.co_firstlineno})" if code else "")


def same_place(old: Callable[..., Any], new: Callable[..., Any]) -> bool:
    """Tell whether a declaration repeats an earlier one: a reload, an edit, or a cell that is run again.

    It does if module and qualname are the same, and either the code differs (an edit, unless one import of the module has made both) or
    nothing closed over does.
    """
    if old is new:
        return True
    first, second = underlying(old), underlying(new)
    names = [(getattr(each, "__module__", None), getattr(each, "__qualname__", None)) for each in (first, second)]
    if names[0] != names[1] or names[0][1] is None:
        return False
    if getattr(first, "__code__", first) != getattr(second, "__code__", second):
        return not _in_one_run(first, second)
    return _same_state(old, new) and _same_cells(first, second) and _same_defaults(first, second)


def _in_one_run(first: Any, second: Any) -> bool:
    """Tell whether a module that is being imported has made both: a second `def` of one name, which hides the first, and no edit."""
    scope: dict[str, Any] = getattr(second, "__globals__", {})
    if getattr(first, "__globals__", None) is not scope:
        return False
    return bool(getattr(scope.get("__spec__"), "_initializing", False))


def _same_defaults(old: Any, new: Any) -> bool:
    """Compare plain defaults, by which `for n in …: def f(x, n=n)` tells its functions apart; others are made anew by a reload."""
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
        if contents[0] is old or same(*contents):
            continue
        # What a decorator wrapped (functools.wraps) was made again too, if this is a reload.
        if contents[0] is not wrapped[0] or contents[1] is not wrapped[1] or not same_place(*wrapped):
            return False
    return True


def _same_state(old: Any, new: Any) -> bool:
    """Compare what partials, bound methods and callable objects carry besides the code."""
    if hasattr(old, "func") and hasattr(new, "func"):
        return same((old.args, old.keywords), (new.args, new.keywords)) and _same_state(old.func, new.func)
    if hasattr(old, "__code__") or hasattr(new, "__code__"):
        bound = getattr(old, "__self__", None), getattr(new, "__self__", None)
        return _same_instance(*bound)
    return _same_instance(old, new)


def _same_instance(old: object, new: object) -> bool:
    """Tell whether an instance is the same as before, or was made again together with its class, as by a reload."""
    if same(old, new):
        return True
    first, second = (each if isinstance(each, type) else type(each) for each in (old, new))
    names = [(each.__module__, each.__qualname__) for each in (first, second)]
    return first is not second and names[0] == names[1] and "<locals>" not in first.__qualname__


def same(old: object, new: object) -> bool:
    """Tell whether two objects are one or equal; whatever their `==` raises, it did not say so."""
    if old is new:
        return True
    try:
        return bool(old == new)
    except Exception:  # foreign code: whatever it raises on ==, it did not say "equal"  # noqa: BLE001
        return False


def check_callable(function: object) -> None:
    """Raise for what cannot be called, and for a class, which makes something rather than do it."""
    if isinstance(function, type) or not callable(function):
        raise DefinitionError(f"{function!r} cannot be a tool: it is {_kind(function)}, not a function")


def default_name(function: Callable[..., Any]) -> str:
    """Return the name that a callable brings along."""
    if type(function) is _FUNCTION:
        return str(function.__name__)
    source = underlying(function)
    check_callable(function)
    if is_method_of(source, function):  # a callable object: its class names it, as a def names a function
        return type(function).__name__
    return str(getattr(source, "__name__", type(function).__name__))


def _kind(value: object) -> str:
    if isinstance(value, type):
        return "a class (register its instances' methods with register_object)"
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"
