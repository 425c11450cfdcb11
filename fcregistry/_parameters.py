"""What does a function say of its parameters and its result: by signature, annotations and docstring?"""

from __future__ import annotations

import inspect
import sys
import warnings
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final, ForwardRef, Literal, NamedTuple, get_type_hints

from fcregistry._docstrings import Documentation
from fcregistry._doctypes import type_named
from fcregistry._places import is_method_of, place_text, underlying
from fcregistry.errors import DefinitionError, DefinitionWarning
from fcregistry.types._containers import ListCodec
from fcregistry.types._core import Codec, TypeReader, UnsupportedType
from fcregistry.types._scalars import ANY
from fcregistry.types._table import reader as type_reader

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Kind = Literal["sync", "async", "generator", "async generator"]
EMPTY: Final = inspect.Parameter.empty
POSITIONAL_ONLY: Final = inspect.Parameter.POSITIONAL_ONLY
POSITIONAL: Final = inspect.Parameter.POSITIONAL_OR_KEYWORD
STAR: Final = inspect.Parameter.VAR_POSITIONAL
STAR_STAR: Final = inspect.Parameter.VAR_KEYWORD


class Parameter(NamedTuple):
    """One parameter of a tool: what a model sees of it, and how it is passed."""

    name: str
    kind: Any
    codec: Codec
    default: Any
    description: str

    @property
    def required(self) -> bool:
        """Whether a call must give it."""
        return self.default is EMPTY and self.kind not in (STAR, STAR_STAR)


class ParameterReader:
    """Reads one function's annotations, gathering what is wrong with them."""

    def __init__(
        self, function: Callable[..., Any], source: Any, names: Mapping[str, Any], documentation: Documentation
    ) -> None:
        self.problems: list[str] = []
        self.doubts: list[str] = []
        self.remarks = [
            f"the docstring's line {line!r} cannot be read, and is left out" for line in documentation.unread
        ]
        self._function = function
        self._source = source
        self._documented = dict(documentation.parameters)
        self._globals = getattr(inspect.unwrap(source), "__globals__", None) or vars(
            sys.modules.get(getattr(source, "__module__", None) or "", sys)
        )
        self._scope = dict(names)
        self._reader: TypeReader = type_reader(names)

    def parameter(self, parameter: inspect.Parameter) -> Parameter:
        """Return what is known of one parameter."""
        documented = self._documented.pop(parameter.name, None)
        codec: Codec = ANY
        if parameter.annotation is not EMPTY:
            codec = self._codec(parameter.annotation, f"parameter {parameter.name!r}")
        else:
            codec = self._undeclared(parameter, documented.type if documented else None)
        if parameter.kind is STAR:
            codec = ListCodec(codec, list)
        description = documented.description if documented else ""
        return Parameter(parameter.name, parameter.kind, codec, parameter.default, description)

    def result(self) -> Codec | None:
        """Return the codec of the result, or None if it has none, and note what the docstring says of parameters there are not."""
        own = inspect.signature(self._source).parameters if self._documented else ()
        for name in (name for name in self._documented if name not in own):  # a partial has given some already
            self.remarks.append(f"the docstring describes {name!r}, which is no parameter")
        annotation = getattr(self._source, "__annotations__", {}).get("return", EMPTY)
        if annotation is EMPTY:
            return None
        try:
            return self._reader.read(self._resolved(annotation))
        except Exception:  # noqa: BLE001  # an author's annotation may raise anything
            return None  # only parameters need a schema: a result without one is encoded by its own type

    def _codec(self, annotation: Any, place: str) -> Codec:
        try:
            return self._reader.read(self._resolved(annotation))
        except UnsupportedType as unsupported:
            self.problems += [f"{place}: {problem}" for problem in unsupported.problems]
        except Exception as error:  # evaluating an author's annotation may raise anything; the author is told  # noqa: BLE001
            self.problems.append(
                f"{place}: the annotation {annotation!r} cannot be resolved ({type(error).__name__}: {error}); "
                "define or import that name in the module of the function"
            )
        return ANY

    def _resolved(self, annotation: Any) -> Any:
        if not isinstance(annotation, str) and not _holds_text(annotation):
            return annotation
        holder = SimpleNamespace(__annotations__={"it": annotation})
        return get_type_hints(holder, self._globals, self._scope, include_extras=True)["it"]

    def _undeclared(self, parameter: inspect.Parameter, documented: str | None) -> Codec:
        annotation = type_named(documented) if documented else None
        if annotation is not None:
            return self._codec(annotation, f"parameter {parameter.name!r}")
        if documented is None and parameter.kind in (STAR, STAR_STAR):
            return ANY  # `*args, **kwargs` says it: anything
        said = f"its docstring's type {documented!r} is not known" if documented else "it has no annotation"
        self.doubts.append(f"parameter {parameter.name!r} accepts any JSON value: {said}; annotate it")
        return ANY


def _holds_text(annotation: Any) -> bool:
    """Tell whether a type has a string inside that stands for another type, as in `list["Node"]`."""
    return any(isinstance(part, (str, ForwardRef)) or _holds_text(part) for part in getattr(annotation, "__args__", ()))


def parameters_of(function: Callable[..., Any], module: str) -> list[inspect.Parameter]:
    """Return the parameters of a callable as Python sees them.

    Raises:
        DefinitionError: Python does not know them, or it is a method without its instance.
    """
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError) as error:
        raise DefinitionError(
            f"{place_text(function, module)} cannot be a tool: Python does not know its signature ({error}); wrap it in a function of your own"
        ) from error
    owner = getattr(function, "__qualname__", "").rpartition(".")[0].rpartition(".")[2]
    if parameters and parameters[0].name == "self" and owner not in ("", "<locals>"):
        raise DefinitionError(
            f"{place_text(function, module)} cannot be a tool: it is a method without its instance; "
            f"take the method of one, as in {owner}(…).{function.__name__}"
        )
    return parameters


def warn(message: str, source: Any) -> None:
    """Warn of what a function's author could say and does not, at the function."""
    code = getattr(source, "__code__", None)
    if code is None:
        warnings.warn(message, DefinitionWarning, stacklevel=2)
    else:  # shown at the function, not where it happens to be used first
        warnings.warn_explicit(message, DefinitionWarning, code.co_filename, code.co_firstlineno)


def docstring_of(function: Callable[..., Any]) -> str | None:
    """Return the docstring of a callable: that of the function behind a partial, of the class of a callable object."""
    source = underlying(function)
    if is_method_of(source, function):
        return source.__doc__ or type(function).__doc__
    return getattr(source, "__doc__", None)


def kind_of_function(function: Callable[..., Any]) -> Kind:
    """Tell a plain function, a coroutine function and the two sorts of generator apart, behind partials and methods."""
    for source in (function, underlying(function)):
        if inspect.isasyncgenfunction(source):
            return "async generator"
        if inspect.iscoroutinefunction(source):
            return "async"
        if inspect.isgeneratorfunction(source):
            return "generator"
    return "sync"
