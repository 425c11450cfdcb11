"""What does `@fc_register` do? It records, and returns the function unchanged.

Import cost and decoration cost are what plugin authors pay, so this module imports nothing beyond what it records with.
"""

from __future__ import annotations

import sys

from fcregistry._base.source import check_callable, default_name, place_text, underlying
from fcregistry._declarations import DEFAULT_GROUP, MARK, Declaration, DeclarationLog, log
from fcregistry._options import checked, group_problem, name_problem
from fcregistry.errors import DefinitionError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType
    from typing import Any, Protocol, TypeVar, overload

    from typing_extensions import Unpack

    from fcregistry._options import ToolOptions

    F = TypeVar("F", bound=Callable[..., Any])

    class _Decorator(Protocol):
        def __call__(self, function: F, name: str | None = None, /) -> F: ...

else:

    def overload(function):  # typing, whose own it is, would be most of the import time
        return function


_OPTIMIZED = 0x01  # inspect.CO_OPTIMIZED: the frame of a function, not of a module or a class body
_NESTED = 0x10  # inspect.CO_NESTED: what is defined in a function
_FUNCTION = type(lambda: None)
_NO_OPTIONS: dict[str, Any] = {}


def declare(
    function: Callable[..., Any],
    name: str | None,
    group: str,
    options: dict[str, Any],
    frame: FrameType,
    to: DeclarationLog,
) -> None:
    """Check a declaration by the code of `frame` and record it; in a class body it only marks the method."""
    if name is None and options:
        name = options.get("name")
    if type(function) is not _FUNCTION:
        name = _name_of_callable(function, name, frame)
    elif name is None:
        name = function.__name__
    module = frame.f_globals.get("__name__", "__main__")
    problem = name_problem(name) or (group_problem(group) if group != DEFAULT_GROUP else None)
    if problem is not None:
        raise DefinitionError(f"{place_text(function, module)} cannot be registered: {problem}")
    declaration = Declaration(function, name, group, module, options)
    if frame.f_code.co_flags & _OPTIMIZED:
        declaration.locals = named_locals(function, frame)
    elif _is_class_body(frame):
        try:
            setattr(function, MARK, (*getattr(function, MARK, ()), declaration))
        except AttributeError as error:
            raise DefinitionError(
                f"{place_text(function, module)} cannot be marked in a class body: define a method that calls it"
            ) from error
        return
    to.add(declaration)


def _name_of_callable(function: Any, name: str | None, frame: FrameType) -> str:
    """Return the name of what is no plain function, and look whether it can be called: of a classmethod, the function in it."""
    in_class = type(function) is classmethod and _is_class_body(frame)  # it cannot be called before its class is there
    check_callable(function.__func__ if in_class else function)
    if name is not None:
        return name
    return function.__name__ if type(function) is classmethod else default_name(function)


def _is_class_body(frame: FrameType) -> bool:
    return frame.f_locals is not frame.f_globals and "__qualname__" in frame.f_locals


def named_locals(function: Callable[..., Any], frame: FrameType) -> dict[str, Any] | None:
    """Capture the locals of the enclosing function if a string annotation names one: they may name each other."""
    source = function if type(function) is _FUNCTION else underlying(function)
    code = getattr(source, "__code__", None)
    if code and not code.co_flags & _NESTED:
        return None
    try:
        annotations = getattr(source, "__annotations__", None)
    except Exception:  # noqa: BLE001  # from Python 3.14 on it evaluates them; who builds the schema complains of what fails
        annotations = _annotations_apart(source)
    if not annotations or str not in map(type, annotations.values()):
        return None
    names: set[str] = set()
    for text in annotations.values():
        if type(text) is not str:
            continue
        try:
            names.update(compile(text, "<annotation>", "eval").co_names)
        except (SyntaxError, ValueError):
            continue  # not an expression: the schema builder says so, with the parameter's name
    local = frame.f_locals
    return dict(local) if names.intersection(local) else None


def _annotations_apart(source: Any) -> dict[str, Any] | None:
    from fcregistry._base.annotations import annotations_of  # what few functions need

    try:
        return annotations_of(source)
    except Exception:  # noqa: BLE001  # as above
        return None


@overload
def fc_register(group: F, /, **options: Unpack[ToolOptions]) -> F: ...
@overload
def fc_register(group: str = ..., /, **options: Unpack[ToolOptions]) -> _Decorator: ...  # noqa: F811
def fc_register(group: Any = DEFAULT_GROUP, /, **options: Any) -> Any:  # noqa: F811
    """Declare a function as a tool; it is returned unchanged.

    All of these do it:

        @fc_register                                   # the default group, "tool"
        @fc_register("search.web", tags=("web",))      # a nested group, with options
        fc_register("tool")(function, "second_name")   # a function that exists, under a name of its own
        fc_register(function, name="second_name")      # the same, with options

    In a class body it only marks the method: `registry.register_object` registers an instance's marked methods.

    Args:
        group: The group, dotted where nested. Without parentheses, the function itself.
        **options: `name, title, description, parameters, examples, tags, aliases, deprecated, meta, read_only, destructive,
            idempotent, open_world, requires_approval, requires_env, timeout, isolation, blocking, reads, writes, exclusive, cache,
            replace`: see docs/reference/options.md.

    Returns:
        The function, or a decorator that takes it (and, as a second argument, a name).

    Raises:
        DefinitionError: A name, group or option that cannot be; everything wrong with the options at once.
        DuplicateToolError: Another function of the module has that name in that group already.
    """
    if not isinstance(group, str):
        if options:
            checked(options, f"{group!r}")
        declare(group, None, DEFAULT_GROUP, options or _NO_OPTIONS, sys._getframe(1), log)
        return group
    if options:
        checked(options, f"a tool of the group {group!r}")

    def decorate(function: Any, name: str | None = None, /) -> Any:
        declare(function, name, group, options, sys._getframe(1), log)
        return function

    return decorate
