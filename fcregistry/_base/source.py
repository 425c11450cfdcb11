"""A function's place in its source, its annotations and signature; which objects can be tools, and which are tools of other libraries."""

from __future__ import annotations

import sys

from fcregistry.errors import DefinitionError

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from inspect import Signature
    from typing import Any


_FUNCTION = type(lambda: None)


def underlying(function: Callable[..., Any]) -> Any:
    """Return the object with a `__code__` behind partials, bound methods and callable objects.

    If none has a `__code__`, it is the last object found. Attributes that an object computes do not count: a proxy has every attribute.
    """
    seen: Any = function
    for _ in range(32):  # partials may be nested, but the loop must end
        if type(seen) is _FUNCTION or _holds(seen, "__code__"):
            return seen
        if _holds(seen, "func", "keywords"):  # functools.partial, and what is like it
            seen = seen.func
        elif _holds(seen, "__func__"):  # bound method, staticmethod, classmethod
            seen = seen.__func__
        elif not isinstance(seen, type) and hasattr(type(seen).__call__, "__code__"):
            return type(seen).__call__
        else:
            break
    return seen


def is_method_of(source: object, instance: object) -> bool:
    """Return whether `source` is the `__call__` of the class of `instance`."""
    return source is getattr(type(instance), "__call__", None)  # noqa: B004  # the function itself is compared


def place_text(function: Callable[..., Any], module: str) -> str:
    """Return `module.qualname (file:line)` of a function, without the parts that are not known."""
    source = underlying(function)
    qualname = getattr(source, "__qualname__", None) or type(source).__qualname__
    code = getattr(source, "__code__", None)
    return f"{module}.{qualname}" + (f" ({code.co_filename}:{code.co_firstlineno})" if code else "")


def is_redefinition(old: Callable[..., Any], new: Callable[..., Any]) -> bool:
    """Return whether `new` redefines `old`: by a reload, an edit, or a cell run again.

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
    """Return whether one import, which is still running, has made the functions `first` and `second`.

    Then a second `def` of the same name is not an edit. False for objects without `__globals__`.
    """
    scope: dict[str, Any] = getattr(second, "__globals__", {})
    if getattr(first, "__globals__", None) is not scope:
        return False
    return bool(getattr(scope.get("__spec__"), "_initializing", False))


def _same_defaults(old: Any, new: Any) -> bool:
    """Return whether the positional defaults of the functions `old` and `new` are equal, pair by pair.

    They differ in `for n in …: def f(x, n=n)`. Pairs of other types than texts, numbers, bytes, truth values and None are not compared, since a
    reload makes them again; nor are defaults that only one of the functions has.
    """
    plain = (str, int, float, bool, bytes, type(None))
    pairs = zip(getattr(old, "__defaults__", None) or (), getattr(new, "__defaults__", None) or (), strict=False)
    return all(first == second for first, second in pairs if isinstance(first, plain) and isinstance(second, plain))


def _same_cells(old: Any, new: Any) -> bool:
    """Return whether the functions `old` and `new` close over the same or equal values.

    A function counts as the same as itself in its own closure, and so does a wrapped function (functools.wraps) that was redefined, as by a
    reload. Cells without a value are not compared.
    """
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
    """Return whether the callables `old` and `new` have the same state besides their code.

    It is the arguments of a partial and the state of its function, the object of a bound method, or else the callable object itself.
    """
    if _holds(old, "func", "keywords") and _holds(new, "func", "keywords"):
        return is_same_or_equal((old.args, old.keywords), (new.args, new.keywords)) and _same_state(old.func, new.func)
    if hasattr(old, "__code__") or hasattr(new, "__code__"):
        bound = getattr(old, "__self__", None), getattr(new, "__self__", None)
        return _same_instance(*bound)
    return _same_instance(old, new)


def _same_instance(old: object, new: object) -> bool:
    """Return whether `new` is or equals `old`, or is of a class that was made again, as by a reload.

    `old` and `new` may be classes themselves. A class was made again if another class has its module and its qualified name, and is not local
    to a function.
    """
    if is_same_or_equal(old, new):
        return True
    first, second = (each if isinstance(each, type) else type(each) for each in (old, new))
    names = [(each.__module__, each.__qualname__) for each in (first, second)]
    return first is not second and names[0] == names[1] and "<locals>" not in first.__qualname__


def is_same_or_equal(old: object, new: object) -> bool:
    """Return whether `new` is or equals `old`; False if `==` raises."""
    if old is new:
        return True
    try:
        return bool(old == new)
    except Exception:  # the objects' own `==` may raise anything, and has not returned True then  # noqa: BLE001
        return False


def default_name(function: Callable[..., Any]) -> str:
    """Return the name of a callable: of its function, or of a callable object's class."""
    if type(function) is _FUNCTION:
        return str(function.__name__)
    source = underlying(function)
    if is_method_of(source, function):  # a callable object: its class names it, as a def names a function
        return type(function).__name__
    return str(getattr(source, "__name__", type(function).__name__))


def docstring_of(function: Callable[..., Any]) -> str | None:
    """Return the docstring of a callable: of a partial's function, or of a callable object's class."""
    if type(function) is _FUNCTION:
        return function.__doc__
    source = underlying(function)
    if is_method_of(source, function):
        return source.__doc__ or type(function).__doc__
    return getattr(source, "__doc__", None)


# --- Which objects can be tools ---

_NO_ATTRIBUTES: dict[str, Any] = {}


def check_callable(function: object, name: object = None, options: Mapping[str, object] = _NO_ATTRIBUTES) -> None:
    """Check that an object is a function, or says what a call of it takes.

    Accepted are functions, methods, builtins, partials and what wraps one of these; an object whose class has a `__call__` with annotated
    or documented parameters; and any callable object that comes with a name, a description and parameters. A class is refused: calling
    it only makes an instance.

    Args:
        function: The object.
        name: The name that the author gives to the tool, or None.
        options: The options that the author gives to the tool.

    Raises:
        DefinitionError: It cannot be a tool.
    """
    if type(function) is _FUNCTION:
        return
    if problem := external_tool_problem(function):
        raise DefinitionError(problem)
    if isinstance(function, type) or not callable(function):
        raise DefinitionError(
            f"{function!r:.200} cannot be a tool: it is {_describe_kind(function)}, not a function{list_hint(function)}"
        )
    described = (name, options.get("description"), options.get("parameters"))
    if any(each is None for each in described) and not _is_routine(function) and not _has_described_call(function):
        raise DefinitionError(
            f"{function!r:.200} cannot be a tool: it is {_describe_kind(function)}, whose __call__ does not say by annotations what it "
            "takes; give a function that calls it, or Tool.from_function(…, name=…, description=…, parameters=…)"
        )


def _is_routine(function: object) -> bool:
    """Return whether `function` is a function, method, builtin or partial, or wraps one of these.

    False for other objects that have a `__call__`.
    """
    routine = ("__code__", "__func__", "__wrapped__")
    is_builtin = type(function).__module__ == "builtins" and _holds(function, "__text_signature__")
    return is_builtin or _is_partial(function) or any(_holds(function, name) for name in routine)


def _is_partial(function: object) -> bool:
    """Return whether `function` is a functools.partial or of a subclass, without importing functools."""
    return any(cls.__module__ == "functools" and cls.__name__ == "partial" for cls in type(function).__mro__)


def _has_described_call(function: Callable[..., Any]) -> bool:
    """Return whether each parameter of the `__call__` of `function` has an annotation or a text.

    False if its only parameters are `*args` and `**kwargs`, if it is written in C, or if there is no such method; True if it has no parameters.
    The text is that of the docstring.
    """
    call: Any = next((vars(cls)["__call__"] for cls in type(function).__mro__ if "__call__" in vars(cls)), None)
    if not hasattr(call, "__get__"):
        return False
    try:  # of the class: a signature of the object itself may run code of its own
        parameters = list(signature_of(call.__get__(function, type(function))).parameters.values())
    except (TypeError, ValueError):  # it is written in C
        return False
    named = [each for each in parameters if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)]
    unknown = {each.name for each in named if each.annotation is each.empty}
    if unknown:
        from fcregistry._base.docstrings import read_docstring  # which few declarations need

        unknown -= read_docstring(docstring_of(function)).parameters.keys()
    return not unknown and (bool(named) or not parameters)


def _describe_kind(value: object) -> str:
    """Return what `value` is, for an error: `a class (…)`, or the name of its type with an article."""
    if isinstance(value, type):
        return "a class (register its instances' methods with register_object)"
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"


def list_hint(value: object) -> str:
    """Return what to give in place of a mapping or a model, for an error; empty for any other object.

    Neither is a list of tools.
    """
    from collections.abc import Mapping  # only on the way to an error

    if isinstance(value, Mapping):
        return "; give a list of its values: Tool.from_function(…, name=…) names a tool"
    return "; a model is not a list of what its fields hold" if is_model(value) else ""


def is_model(value: object) -> bool:
    """Return whether an object is a pydantic model or a named tuple.

    Iterating it gives its fields, which are not a list of tools.
    """
    if isinstance(value, tuple):
        return hasattr(type(value), "_fields")
    return any(cls.__name__ == "BaseModel" and cls.__module__.startswith("pydantic.") for cls in type(value).__mro__)


# --- Tools of other libraries ---

_MADE_OF = "the function that it was made of"
_SAME = "a function of your own that does the same"
_FROM_SERVER = "server.tools() of a McpServer, from the package fcregistry-mcp"
_TOOLS_OF_SERVER = "the functions that it serves, or server.tools() of a McpServer, from the package fcregistry-mcp"
_INVOKES = "a function that returns tool.invoke({…})"
_RETURNS_CALL = "a function that returns tool(…)"

_OPENAI = "a tool of the OpenAI Agents SDK"
_OPENAI_OWN = ("ApplyPatchTool", "ComputerTool", "CustomTool", "LocalShellTool", "ShellTool")
_OPENAI_HOSTED = (
    "CodeInterpreterTool",
    "FileSearchTool",
    "HostedMCPTool",
    "ImageGenerationTool",
    "ProgrammaticToolCallingTool",
    "ToolSearchTool",
    "WebSearchTool",
)
_GOOGLE_HOSTED = (
    "EnterpriseWebSearchTool",
    "GoogleMapsGroundingTool",
    "GoogleSearchTool",
    "UrlContextTool",
    "VertexAiSearchTool",
)

_EXTERNAL_TOOLS: dict[str, tuple[str, tuple[str, ...], str]] = {
    "langchain_core.BaseTool": ("a tool of LangChain", ("func", "coroutine"), _INVOKES),
    "langchain_core.BaseToolkit": (
        "a toolkit of LangChain",
        (),
        "for each tool of toolkit.get_tools() a function that returns tool.invoke({…})",
    ),
    "agents.FunctionTool": (_OPENAI, (), f"the function that @function_tool decorates, or {_SAME}"),
    **{f"agents.{name}": (_OPENAI, (), _SAME) for name in _OPENAI_OWN},
    **{f"agents.{name}": ("a hosted tool of the OpenAI Agents SDK", (), _SAME) for name in _OPENAI_HOSTED},
    "agents.MCPServer": ("a server of the OpenAI Agents SDK", (), _FROM_SERVER),
    "pydantic_ai.Tool": ("a tool of pydantic-ai", ("function",), _MADE_OF),
    "pydantic_ai.FunctionToolset": (
        "a toolset of pydantic-ai",
        (),
        "the functions of its tools, [tool.function for tool in toolset.tools.values()]",
    ),
    "pydantic_ai.MCPToolset": ("a server of pydantic-ai", (), _FROM_SERVER),
    "pydantic_ai.MCPServer": ("a server of pydantic-ai", (), _FROM_SERVER),
    "pydantic_ai.AbstractToolset": ("a toolset of pydantic-ai", (), "the functions of its tools"),
    "pydantic_ai.AbstractNativeTool": ("a hosted tool of pydantic-ai", (), _SAME),
    "pydantic_ai.AbstractBuiltinTool": ("a hosted tool of pydantic-ai", (), _SAME),
    "autogen_core.FunctionTool": ("a tool of AutoGen", (), _MADE_OF),
    "autogen_core.Tool": (
        "a tool of AutoGen",
        (),
        "an async function that returns await tool.run_json({…}, CancellationToken())",
    ),
    "autogen_core.Workbench": (
        "a workbench of AutoGen",
        (),
        "for each of its tools an async function that awaits workbench.call_tool(name, {…})",
    ),
    "agent_framework.FunctionTool": ("a tool of Agent Framework", ("func",), _MADE_OF),
    "agent_framework.AIFunction": ("a tool of Agent Framework", ("func",), _MADE_OF),
    "agent_framework.MCPTool": ("a server of Agent Framework", (), _FROM_SERVER),
    "llama_index.core.BaseTool": ("a tool of LlamaIndex", ("real_fn", "fn"), "a function that returns tool(…).content"),
    "llama_index.core.BaseToolSpec": (
        "a list of tools of LlamaIndex",
        (),
        "its methods, such as [spec.search, spec.read]",
    ),
    "smolagents.BaseTool": ("a tool of smolagents", (), _RETURNS_CALL),
    "smolagents.ToolCollection": (
        "a list of tools of smolagents",
        (),
        "for each tool of collection.tools a function that returns tool(…)",
    ),
    "smolagents.MCPClient": ("a server of smolagents", (), _FROM_SERVER),
    "llm.Tool": ("a tool of llm", ("implementation",), _MADE_OF),
    "llm.ServerSideTool": ("a hosted tool of llm", (), _SAME),
    "llm.Toolbox": ("a toolbox of llm", (), "its methods, such as [toolbox.search, toolbox.read]"),
    "google.adk.BaseTool": (
        "a tool of ADK",
        ("func",),
        "an async function that returns await tool.run_async(args={…}, tool_context=None)",
    ),
    **{f"google.adk.{name}": ("a hosted tool of ADK", (), _SAME) for name in _GOOGLE_HOSTED},
    "google.adk.BaseToolset": (
        "a toolset of ADK",
        (),
        "the functions of its tools, [tool.func for tool in await toolset.get_tools()]",
    ),
    "google.adk.McpToolset": ("a server of ADK", (), _FROM_SERVER),
    "strands.DecoratedFunctionTool": ("a tool of Strands", ("__wrapped__",), _MADE_OF),
    "strands.MCPAgentTool": ("a tool of Strands", (), _FROM_SERVER),
    "strands.AgentTool": ("a tool of Strands", (), _SAME),
    "strands.MCPClient": ("a server of Strands", (), _FROM_SERVER),
    "strands.ToolProvider": ("a list of tools of Strands", (), "functions of your own that do the same"),
    "dspy.Tool": ("a tool of DSPy", ("func",), _MADE_OF),
    "dspy.Module": ("a module of DSPy", (), "a function that returns module(…)"),
    "haystack.ComponentTool": ("a tool of Haystack", (), "a function that returns tool.invoke(…)"),
    "haystack.Tool": ("a tool of Haystack", ("function",), _MADE_OF),
    "haystack.Toolset": (
        "a toolset of Haystack",
        (),
        "the functions of its tools, [tool.function for tool in toolset]",
    ),
    "crewai.BaseTool": ("a tool of CrewAI", ("func",), "a function that returns tool.run(…)"),
    "crewai.CrewStructuredTool": ("a tool of CrewAI", ("func",), _INVOKES),
    "fastmcp.Tool": ("a tool of FastMCP", ("fn",), _FROM_SERVER),
    "fastmcp.FastMCP": ("a server of FastMCP", (), _TOOLS_OF_SERVER),
    "fastmcp.Client": ("a client of FastMCP", (), _FROM_SERVER),
    "mcp.Tool": ("a tool of the MCP SDK", ("fn",), _FROM_SERVER),
    "mcp_types.Tool": ("a tool of the MCP SDK", (), _FROM_SERVER),
    "mcp.FastMCP": ("a server of the MCP SDK", (), _TOOLS_OF_SERVER),
    "mcp.MCPServer": ("a server of the MCP SDK", (), _TOOLS_OF_SERVER),
    "mcp.Client": ("a client of the MCP SDK", (), _FROM_SERVER),
    "mcp.ClientSession": ("a client of the MCP SDK", (), _FROM_SERVER),
}
"""Package and name of a class -> what its objects are; the attributes that may hold their function; what to give if none does."""


def external_tool_problem(value: object) -> str:
    """Return the reason a tool, toolset or server of another library is refused; empty for other objects.

    The reason says what to give in its place. The library is recognised by the names of the object's class and of its bases, which users
    derive from; or of the class itself. The library is not imported, and none of its code runs.
    """
    while _is_partial(value):
        value = value.func  # type: ignore[attr-defined]  # it is a partial
    cls = value if isinstance(value, type) else type(value)
    for base in cls.__mro__:
        package, _, rest = base.__module__.partition(".")
        found = _EXTERNAL_TOOLS.get(f"{package}.{base.__name__}")
        if found is None and rest:  # several distributions share `google` and `llama_index`
            found = _EXTERNAL_TOOLS.get(f"{package}.{rest.partition('.')[0]}.{base.__name__}")
        if found is None:
            continue
        what, attributes, otherwise = found
        if cls is value:
            return f"{cls.__name__} is the class of {what}, not a function: give {otherwise}"
        name = _external_name(value)
        shown = f"{cls.__name__} {name!r:.80}" if name else cls.__name__
        return f"{shown} is {what}, not a function: give {_function_within(value, attributes) or otherwise}"
    return ""


def _external_name(tool: object) -> str:
    """Return the name of `tool`, which is of another library, as an attribute holds it.

    The text is empty if the tool has none, or would have to compute it.
    """
    places = [_held(tool, attribute) for attribute in ("name", "_name", "_tool_name")]
    places.append(_own_attributes(_held(tool, "_metadata")).get("name"))  # LlamaIndex
    return next((each for each in places if isinstance(each, str)), "")


def _function_within(tool: object, attributes: tuple[str, ...]) -> str:
    """Return words for the function that another library's `tool` holds in the first of `attributes`.

    They say how to register it: `its function, tool.NAME`, or a call of `Tool.from_function` if it takes `**kwargs`. A property counts as
    a function. Attributes that hold none are skipped; the text is empty if no attribute holds one.
    """
    for attribute in attributes:
        function = _held(tool, attribute)
        if isinstance(function, property):
            return f"its function, tool.{attribute}"
        if callable(function):
            if _takes_anything(function):
                return f"Tool.from_function(tool.{attribute}, name=…, description=…, parameters=…), since its function takes **kwargs"
            return f"its function, tool.{attribute}"
    return ""


def _takes_anything(function: Callable[..., Any]) -> bool:
    """Return whether `function` takes `**kwargs`; False if its signature is not known."""
    try:
        return any(each.kind is each.VAR_KEYWORD for each in signature_of(function).parameters.values())
    except (TypeError, ValueError):
        return False


def _held(value: object, attribute: str) -> Any:
    """Return `attribute` as the `__dict__` of `value`, or of one of its classes, holds it; else None.

    None of the object's code runs: a property is returned itself.
    """
    own = _own_attributes(value)
    if attribute in own:
        return own[attribute]
    return next((vars(cls)[attribute] for cls in type(value).__mro__ if attribute in vars(cls)), None)


def _holds(value: object, *attributes: str) -> bool:
    """Return whether `value` or its classes hold all `attributes`, and none of them is None."""
    return all(_held(value, each) is not None for each in attributes)


def _own_attributes(value: object) -> Mapping[str, Any]:
    """Return the `__dict__` of `value` itself, or an empty mapping if it has none that is a dict."""
    try:
        own = object.__getattribute__(value, "__dict__")
    except Exception:  # noqa: BLE001  # there are none, or foreign code: a class may have a property of this name
        return _NO_ATTRIBUTES
    return own if isinstance(own, dict) else _NO_ATTRIBUTES


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
    """Return the annotations of `function` by name, each evaluated by itself (from Python 3.14 on).

    An annotation that cannot be evaluated becomes an `Unresolved`, and one that is a text stays a text. `annotate` is the function's
    `__annotate__`.
    """
    from annotationlib import Format, get_annotations  # type: ignore[import-not-found]  # new in Python 3.14

    texts = get_annotations(function, format=Format.STRING)
    values = get_annotations(function, format=Format.FORWARDREF)  # a missing name may be deep inside a value
    names = _names_visible_to(annotate)
    return {
        name: value if isinstance(value, str) else _unresolved(texts[name], names) or value  # a text stays a text
        for name, value in values.items()
    }


def _names_visible_to(annotate: Any) -> dict[str, Any]:
    """Return the names that annotations can use, with their values.

    They are those of the module, and of the functions and the class around; names without a value yet are left out. `annotate` is the
    `__annotate__` of the function that has the annotations.
    """
    names: dict[str, Any] = {}
    for name, cell in zip(annotate.__code__.co_freevars, annotate.__closure__ or (), strict=True):
        try:
            names[name] = cell.cell_contents
        except ValueError:  # it is not defined yet
            continue
    return {**annotate.__globals__, **names, **names.get("__classdict__", {})}


def _unresolved(text: str, names: dict[str, Any]) -> Unresolved | None:
    """Return an `Unresolved` with the error that evaluating the annotation `text` raises, or None.

    None means that it can be evaluated with `names`, or that it is not valid syntax.
    """
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


def callback_problem(callback: object, *arguments: str, named: Iterable[str] = ()) -> str:
    """Return the reason a callback cannot take the arguments that it is called with; empty if it can.

    Empty, too, if Python does not know its signature.

    Args:
        callback: A function or another callable object.
        *arguments: The names of the positional arguments, for the message.
        named: The names of the arguments that are passed by name.
    """
    if not callable(callback):
        return "cannot be called"
    try:
        signature = signature_of(callback)
    except Exception:  # noqa: BLE001  # it is written in C, or foreign code: a signature of its own may raise anything
        return ""
    try:
        signature.bind(*arguments, **dict.fromkeys(named))
    except TypeError:
        called = ", ".join((*arguments, *(f"{name}=…" for name in named)))
        stars = {"VAR_POSITIONAL": "*", "VAR_KEYWORD": "**"}
        taken = ", ".join(f"{stars.get(each.kind.name, '')}{each.name}" for each in signature.parameters.values())
        return f"is called with ({called}), but takes ({taken}); give it the parameters that it is called with"
    return ""
