"""The decorator `fc_register`, which records a function and returns it unchanged, and the methods that it marks in classes.

Import cost and decoration cost are what plugin authors pay, so this module imports nothing beyond what it records with.
"""

from __future__ import annotations

import sys

from fcregistry._base.source import (
    annotations_of,
    callback_problem,
    check_callable,
    default_name,
    is_model,
    place_text,
    underlying,
)
from fcregistry._tools.declaration import DEFAULT_GROUP, MARK, Declaration, DeclarationLog, log
from fcregistry._tools.options import AllChecks, check_options, group_problem, name_problem
from fcregistry.errors import DefinitionError

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import FrameType
    from typing import Any, Protocol, TypeAlias, TypeVar, overload

    from typing_extensions import Unpack

    from fcregistry._tools.options import ToolOptions

    Declarable: TypeAlias = Callable[..., Any] | Mapping[str, Any] | list[Any] | tuple[Any, ...]
    F = TypeVar("F", bound=Declarable)

    class Decorator(Protocol):
        """The decorator that `fc_register` returns if it is called with a group or options."""

        def __call__(self, function: F, name: str | None = None, /) -> F: ...
else:

    def overload(function):  # typing.overload would be most of the import time
        return function


_OPTIMIZED = 0x01  # inspect.CO_OPTIMIZED: a function's frame, not a module's or a class body's
_NESTED = 0x10  # inspect.CO_NESTED: a function inside another
_FUNCTION = type(lambda: None)
_NO_OPTIONS: dict[str, Any] = {}


@overload
def fc_register(group: F, /, **options: Unpack[ToolOptions]) -> F: ...


@overload
def fc_register(group: str = ..., /, **options: Unpack[ToolOptions]) -> Decorator: ...  # noqa: F811


def fc_register(group: Any = DEFAULT_GROUP, /, **options: Any) -> Any:  # noqa: F811
    """Declare a function as a tool; it is returned unchanged.

        @fc_register                                   # the default group, "tool"
        @fc_register("search.web", tags=("web",))      # a nested group, with options
        fc_register("tool")(function, "second_name")   # a function that exists, under another name

    A `Tool` in place of the function keeps its name, description, options and group, as far as none are given, and becomes a tool of the
    module that registers it. In a class body, the decorator only marks methods: `registry.register_object` registers those of an instance.

    Args:
        group: The group, dotted where nested. Without parentheses: the function, a `Tool`, a toolset, or a list of these.
        **options: The options of the tool, each by its name:

            - `name`: The tool's name, if not the function's: 1 to 64 ASCII letters, digits, `_` and `-`.
            - `title`: A name for people.
            - `description`: The description for the model, in place of the docstring's text.
            - `parameters`: A JSON Schema of the arguments, as a dict, in place of the annotations.
            - `returns`: A JSON Schema of the result, in place of the return annotation; or a function that returns it, called at first use.
            - `examples`: A list of argument dicts that make sense; people see them, models do not.
            - `tags`: Strings that selectors can ask for, as in `tag=read`.
            - `aliases`: Other names that find the tool if no tool has that name itself; models see only its name.
            - `deprecated`: True, or a string that says what to use instead; models read it at the end of the description.
            - `meta`: Your own facts: a dict with dotted keys, such as `{"acme.team": "maps"}`.
            - `read_only`: A hint, True or False: the tool changes nothing.
            - `destructive`: A hint: what it changes may be lost.
            - `idempotent`: A hint: calling it twice has the effect of calling it once.
            - `open_world`: A hint: it deals with the world outside, such as the web.
            - `assume_hints`: `"mcp"` has policies use the protocol's defaults for hints that are not given; `"mcp-read-only"`, if it only reads.
            - `requires_approval`: Whether a call needs approval; or a function that takes the arguments and returns that.
            - `always_ask`: A function that takes the arguments and returns why this call needs approval whatever a policy allows, or None.
            - `requires_env`: The environment variables that must be set: a name, or a list in which a tuple has alternatives. Errors hide them.
            - `available`: A function without arguments that returns whether the tool can be used here; it is asked before each call.
            - `timeout`: How many seconds a call may take; it takes precedence over the executor's.
            - `isolation`: `"process"` runs each call in its own process, killed when its time is up.
            - `blocking`: Where a plain function runs in batches and on event loops: a thread (True), the loop (False), the caller (`"caller"`).
            - `reads`: What a call reads: a key, several, or a function that takes the arguments and returns them.
            - `writes`: What a call changes, given like `reads`. Calls of a batch that touch the same thing run in order.
            - `input_files`: The parameters that are paths of files which the tool reads: a call on another machine gets these files.
            - `output_files`: The parameters that are paths of files which the tool writes: they come back from another machine.
            - `exclusive`: Whether a call of a batch runs alone.
            - `on_nan`: What becomes of NaN and infinity in a result: `"refuse"` fails the call, `"null"` writes null. The executor's by default.
            - `cache`: True, if the result depends on the arguments alone: the executor's cache stores it. Or a cache of its own.
            - `replace`: Whether to replace another function of the same module, group and name, which is otherwise an error.

    Returns:
        The function, or a decorator that takes it (and, as a second argument, a name).

    Raises:
        DefinitionError: The name, the group or options are invalid; all wrong options are named together.
        DuplicateToolError: Another function of the module has that name in that group.
    """
    if options:
        check_options(options, f"a tool of the group {group!r}" if isinstance(group, str) else group)
    if not isinstance(group, str):
        return declare(group, None, None, options or _NO_OPTIONS, sys._getframe(1), log)

    def decorate(function: Any, name: str | None = None, /) -> Any:
        return declare(function, name, group, options, sys._getframe(1), log)

    return decorate


def declare(
    function: F,
    name: str | None,
    group: str | None,
    options: dict[str, Any],
    frame: FrameType,
    to: DeclarationLog,
    default_group: str = DEFAULT_GROUP,
) -> F:
    """Check a declaration made in `frame` and record it in `to`; return `function` unchanged.

    In a class body, the method is only marked. `function` may also be a `Tool`, a toolset, or a list of these and functions: all of them
    are recorded, or none.
    """
    if name is None and options:
        name = options.get("name")
    declared: Any = function
    if type(function) is not _FUNCTION:
        elements = _flatten(function)
        if len(elements) != 1:
            if name is not None:
                raise DefinitionError(f"the name {name!r} is for one tool, and there are {len(elements)}; leave it out")
            to.add_all([_declaration_of(each, None, group, options, frame, default_group) for each in elements])
            return function
        declared = elements[0]
    declaration = _declaration_of(declared, name, group, options, frame, default_group)
    if not frame.f_code.co_flags & _OPTIMIZED and _is_class_body(frame):
        _mark(declaration)
    else:
        to.add(declaration)
    return function


def _flatten(given: Any) -> list[Any]:
    """Return the functions and Tools in nested lists, tuples, toolsets and groups, as a flat list.

    Anything else, also a model that is a tuple, is returned in a list with it alone.
    """
    if isinstance(given, (list, tuple)) and not is_model(given):
        return [element for each in given for element in _flatten(each)]
    if _is_a("fcregistry._tools.tool", "Toolset", given) or _is_a("fcregistry._registry", "Group", given):
        return list(given.values())
    return [given]


def _declaration_of(
    given: Any, name: str | None, group: str | None, options: dict[str, Any], frame: FrameType, default_group: str
) -> Declaration:
    """Return a new declaration of `given`, a callable or Tool, made in `frame`; it is not recorded.

    A Tool gives its function, name, group, description and options where the arguments give none.

    Args:
        given: The callable or Tool.
        name: The tool's name; None for that of `given`.
        group: The group; None for that of a Tool, or else `default_group`.
        options: The options of the decorator.
        frame: The frame of the caller, which has the module and the locals that annotations name.
        default_group: The group without any other.

    Raises:
        DefinitionError: It cannot be a tool, or its name or group is not valid.
    """
    function, names = given, None
    if type(given) is _FUNCTION:
        name = given.__name__ if name is None else name
    elif _is_a("fcregistry._tools.tool", "Tool", given):
        declared = given._definition.loaded().declaration
        function, names = declared.function, declared.locals
        group = group or (declared.group if declared.group != DEFAULT_GROUP else None)
        described = {} if given._description is None else {"description": given._description}
        options = {**declared.options, **described, **options}
        name = name or given.name
    else:
        name = _name_of_callable(given, name, options, frame)
    group = default_group if group is None else group
    module = frame.f_globals.get("__name__", "__main__")
    problem = name_problem(name) or (group_problem(group) if group != DEFAULT_GROUP else None)
    if problem is not None:
        raise DefinitionError(f"{place_text(function, module)} cannot be registered: {problem}")
    if names is None and frame.f_code.co_flags & _OPTIMIZED:
        names = capture_named_locals(function, frame)
    return Declaration(function, name, group, module, options, names)


def _is_a(module: str, name: str, given: Any) -> bool:
    """Return whether `given` is an instance of the class `name` of `module`; False before its import."""
    cls = getattr(sys.modules.get(module), name, None)
    return cls is not None and isinstance(given, cls)


def _mark(declaration: Declaration) -> None:
    """Add a declaration to its method's attribute `MARK`, from which `register_object` registers it.

    Raises:
        DefinitionError: Attributes cannot be set on the function.
    """
    function = declaration.function
    try:
        setattr(function, MARK, (*getattr(function, MARK, ()), declaration))
    except AttributeError as error:
        raise DefinitionError(
            f"{place_text(function, declaration.module)} cannot be registered in a class body, because attributes cannot be set on it: "
            "define a method that calls it, and register the method"
        ) from error


def _name_of_callable(function: Any, name: str | None, options: dict[str, Any], frame: FrameType) -> str:
    """Check the callable `function`, and return `name`, or if it is None, the own name of `function`.

    For a classmethod, that is the name of its function.

    Raises:
        DefinitionError: `function` cannot be a tool.
    """
    in_class = type(function) is classmethod and _is_class_body(frame)  # it cannot be called before its class exists
    check_callable(function.__func__ if in_class else function, name, options)
    if name is not None:
        return name
    return function.__name__ if type(function) is classmethod else default_name(function)


def _is_class_body(frame: FrameType) -> bool:
    """Return whether `frame` runs the body of a class, not that of a module or function."""
    return frame.f_locals is not frame.f_globals and "__qualname__" in frame.f_locals


# --- Locals that string annotations name ---


def capture_named_locals(function: Callable[..., Any], frame: FrameType) -> dict[str, Any] | None:
    """Return the locals of `frame` if a string annotation of `function` names one of them, or None."""
    source = function if type(function) is _FUNCTION else underlying(function)
    code = getattr(source, "__code__", None)
    if code and not code.co_flags & _NESTED:
        return None
    try:
        annotations = annotations_of(source)
    except Exception:  # noqa: BLE001  # from Python 3.14 on they are evaluated now; building the schema reports what fails
        return None
    if str not in map(type, annotations.values()):
        return None
    names: set[str] = set()
    for text in annotations.values():
        if type(text) is not str:
            continue
        try:
            names.update(compile(text, "<annotation>", "eval").co_names)
        except (SyntaxError, ValueError):
            continue  # not an expression: building the schema reports it with the parameter's name
    local = frame.f_locals
    return dict(local) if names.intersection(local) else None


def find_enclosing_locals(function: Callable[..., Any]) -> dict[str, Any] | None:
    """Return the locals of the functions around `function` if its string annotations name some, or None.

    The locals of an inner function override those of an outer one. A decorator runs where the function is defined, and looks there. A function
    that is passed to `Tool.from_function` is undecorated, so this searches the running frames: a test or a notebook cell may define a class,
    a function that takes it, and an executor.

    The result is None if the innermost function has returned: a name may be one of its locals, whatever it means elsewhere.
    """
    source = underlying(function)
    qualname = getattr(source, "__qualname__", None) or ""
    innermost, within, _ = qualname.rpartition(".<locals>.")
    if not within:
        return None
    scope = getattr(source, "__globals__", None)
    found: dict[str, Any] | None = None
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        place = frame.f_code.co_qualname
        if frame.f_globals is scope and (
            place == innermost if found is None else qualname.startswith(f"{place}.<locals>.")
        ):
            found = {**(capture_named_locals(function, frame) or {}), **(found or {})}
        frame = frame.f_back
    return found or None


# --- Methods that are marked in a class body ---


def bound_methods(
    instance: object, prefix: str = "", group: str | None = None, available: Callable[[], bool] | None = None
) -> list[Declaration]:
    """Return declarations of the marked methods of an instance, bound to it.

    Args:
        instance: An object whose class has methods decorated with `fc_register`.
        prefix: The text before each name.
        group: The group of all methods, in place of the one that each was marked with.
        available: A check that is made before that of each method; None for no check.

    Raises:
        DefinitionError: The instance is a class, no method is marked, or a name, the group or the check is not valid.
    """
    if isinstance(instance, type):
        raise DefinitionError(
            f"register_object takes an instance, not the class {instance.__qualname__}: make one first"
        )
    marked = marked_methods(instance)
    if not marked:
        raise DefinitionError(f"{type(instance).__qualname__} has no method that is decorated with @fc_register")
    names = [prefix + mark.name for _, mark in marked]
    problems = [*map(name_problem, names), group and group_problem(group)]
    if available is not None and (problem := callback_problem(available)):
        problems.append(f"available=… {problem}")
    if found := tuple(filter(None, problems)):
        raise DefinitionError(f"methods of {type(instance).__qualname__} cannot be registered:", found)
    return [
        Declaration(
            getattr(instance, attribute),
            prefix + mark.name,
            group or mark.group,
            mark.module,
            _with_check(mark.options, available),
            mark.locals,
        )
        for attribute, mark in marked
    ]


def _with_check(options: dict[str, Any], available: Callable[[], bool] | None) -> dict[str, Any]:
    """Return the options of a method with `available`, the check of its object, before its own check, if any."""
    if available is None:
        return options
    own = options.get("available")
    return {**options, "available": available if own is None else AllChecks(available, own)}


def marked_methods(instance: object) -> list[tuple[str, Declaration]]:
    """Return the decorated methods of an instance or class, as sorted pairs of attribute and declaration.

    Methods of base classes are included; one that is overridden without the decorator is not.
    """
    found: dict[str, tuple[Declaration, ...]] = {}
    cls = instance if isinstance(instance, type) else type(instance)
    for base in reversed(cls.__mro__):
        for attribute, value in vars(base).items():
            # A staticmethod or classmethod around a decorated function does not show that function's attributes.
            if marks := getattr(value, MARK, None) or getattr(getattr(value, "__func__", None), MARK, None):
                found[attribute] = marks
            else:
                found.pop(attribute, None)  # overridden without the decorator: not a tool any more
    return [(attribute, mark) for attribute in sorted(found) for mark in found[attribute]]
