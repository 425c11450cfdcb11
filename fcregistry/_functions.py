"""How is a callable called: which parameters has it, is it asynchronous, and where is its docstring?"""

from __future__ import annotations

import inspect
from types import FunctionType
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeGuard

from fcregistry._base.annotations import Unresolved, annotations_of, signature_of
from fcregistry._base.source import is_method_of, place_text, underlying
from fcregistry.errors import DefinitionError

if TYPE_CHECKING:
    from collections.abc import Callable

Kind = Literal["sync", "async", "generator", "async generator"]
EMPTY: Final = inspect.Parameter.empty
POSITIONAL_ONLY: Final = inspect.Parameter.POSITIONAL_ONLY
POSITIONAL: Final = inspect.Parameter.POSITIONAL_OR_KEYWORD
STAR: Final = inspect.Parameter.VAR_POSITIONAL
KEYWORD_ONLY: Final = inspect.Parameter.KEYWORD_ONLY
STAR_STAR: Final = inspect.Parameter.VAR_KEYWORD


class RawParameter(NamedTuple):
    """A parameter as Python sees it; `EMPTY` where it has no default or no annotation."""

    name: str
    kind: Any
    default: Any
    annotation: Any


def raw_parameters(function: Callable[..., Any], module: str) -> list[RawParameter]:
    """Return the parameters of a callable as Python sees them.

    Raises:
        DefinitionError: Python does not know them, or nothing of their annotations, or it is a method without its instance.
    """
    try:
        parameters = _of_code(function) if _is_plain(function) else _of_signature(function, module)
    except DefinitionError:
        raise
    except Exception as error:  # from Python 3.14 on annotations are evaluated now, and may raise anything
        problem = f"its annotations cannot be evaluated ({type(error).__name__}: {error}); quotes go around a whole annotation"
        raise DefinitionError(f"{place_text(function, module)} cannot be a tool:", (problem,)) from error
    if parameters and parameters[0].name == "self":
        _check_bound(function, module)
    return parameters


def _is_plain(function: Callable[..., Any]) -> TypeGuard[FunctionType]:
    """Tell a function that is what its code says: no wrapper, and nothing set on it that says otherwise."""
    return type(function) is FunctionType and not function.__dict__


def _of_code(function: FunctionType) -> list[RawParameter]:
    """Read a plain function's code: what `inspect.signature` does, for the callable that needs none of its care, in a fifth of the time."""
    code, annotations = function.__code__, annotations_of(function)
    names, positional, keyword_only = code.co_varnames, code.co_argcount, code.co_kwonlyargcount
    defaults = function.__defaults__ or ()
    bare, alone = positional - len(defaults), code.co_posonlyargcount
    parameters = [
        RawParameter(
            names[place],
            POSITIONAL_ONLY if place < alone else POSITIONAL,
            EMPTY if place < bare else defaults[place - bare],
            annotations.get(names[place], EMPTY),
        )
        for place in range(positional)
    ]
    after = positional + keyword_only
    if code.co_flags & inspect.CO_VARARGS:
        parameters.append(RawParameter(names[after], STAR, EMPTY, annotations.get(names[after], EMPTY)))
        after += 1
    if keyword_only:
        given = function.__kwdefaults__ or {}
        parameters += [
            RawParameter(name, KEYWORD_ONLY, given.get(name, EMPTY), annotations.get(name, EMPTY))
            for name in names[positional : positional + keyword_only]
        ]
    if code.co_flags & inspect.CO_VARKEYWORDS:
        parameters.append(RawParameter(names[after], STAR_STAR, EMPTY, annotations.get(names[after], EMPTY)))
    return parameters


def _of_signature(function: Callable[..., Any], module: str) -> list[RawParameter]:
    failed = _failed_annotations(function)
    try:
        parameters = signature_of(function).parameters.values()
    except (TypeError, ValueError) as error:
        problem = f"Python does not know its signature ({error}); wrap it in a function of your own"
        raise DefinitionError(f"{place_text(function, module)} cannot be a tool:", (problem,)) from error
    return [
        RawParameter(each.name, each.kind, each.default, failed.get(each.name, each.annotation)) for each in parameters
    ]


def _failed_annotations(function: Callable[..., Any]) -> dict[str, Unresolved]:
    try:
        source = inspect.unwrap(underlying(function))
    except ValueError:  # it wraps itself, which `inspect.signature` says
        return {}
    return {name: hint for name, hint in annotations_of(source).items() if type(hint) is Unresolved}


def _check_bound(function: Callable[..., Any], module: str) -> None:
    owner = getattr(function, "__qualname__", "").rpartition(".")[0].rpartition(".")[2]
    if owner not in ("", "<locals>"):
        problem = f"it is a method without its instance; take the method of one, as in {owner}(…).{function.__name__}"
        raise DefinitionError(f"{place_text(function, module)} cannot be a tool:", (problem,))


def docstring_of(function: Callable[..., Any]) -> str | None:
    """Return the docstring of a callable: that of the function behind a partial, of the class of a callable object."""
    if type(function) is FunctionType:
        return function.__doc__
    source = underlying(function)
    if is_method_of(source, function):
        return source.__doc__ or type(function).__doc__
    return getattr(source, "__doc__", None)


def kind_of_function(function: Callable[..., Any]) -> Kind:
    """Tell a plain function, a coroutine function and the two sorts of generator apart, behind partials and methods."""
    if _is_plain(function):
        flags = function.__code__.co_flags
        return _kind_of_code(flags) if flags & _NOT_SYNC else "sync"
    for source in (function, underlying(function)):
        if inspect.isasyncgenfunction(source):
            return "async generator"
        if inspect.iscoroutinefunction(source):
            return "async"
        if inspect.isgeneratorfunction(source):
            return "generator"
    return "sync"


_NOT_SYNC: Final = inspect.CO_ASYNC_GENERATOR | inspect.CO_COROUTINE | inspect.CO_GENERATOR


def _kind_of_code(flags: int) -> Kind:
    if flags & inspect.CO_ASYNC_GENERATOR:
        return "async generator"
    if flags & inspect.CO_COROUTINE:
        return "async"
    return "generator" if flags & inspect.CO_GENERATOR else "sync"
