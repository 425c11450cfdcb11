"""The parameters of a function: how Python sees them, their annotations and documentation, and the context parameter."""

from __future__ import annotations

import builtins
import inspect
import sys
import warnings
from collections import Counter
from contextlib import suppress
from types import FunctionType, ModuleType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, NamedTuple, TypeGuard, Union, get_args, get_origin

from typing_extensions import is_typeddict

from fcregistry._base.docstrings import NO_DOCUMENTATION, Documentation, type_named
from fcregistry._base.forks import cached_attribute
from fcregistry._base.source import Unresolved, annotations_of, place_text, signature_of, underlying
from fcregistry.errors import DefinitionError, DefinitionWarning
from fcregistry.types import (
    ANY_CODEC,
    MISSING,
    Codec,
    ListCodec,
    RecordCodec,
    TypeReader,
    UnsupportedType,
    holds_text,
    read_field_default,
    resolve_texts,
    show_type,
    type_parameters,
    unpacked_typed_dict,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


# --- Parameters of a tool ---


class Parameter(NamedTuple):
    """One parameter of a tool: its type and description, and how it is passed."""

    name: str
    kind: Any
    codec: Codec
    default: Any
    description: str
    required: bool
    make_default: Callable[[], Any] | None = None
    """Returns the default for one call, if the function's own default is pydantic's `Field(…)`."""


class ParameterReader:
    """Reads the annotations of one function, and collects their problems.

    Args:
        function: The callable.
        names: Locals of the enclosing function that its string annotations name.
        documentation: Its docstring.

    Attributes:
        problems: Sentences about parameters without a JSON form.
        untyped: Sentences about parameters whose type is not known.
        remarks: Sentences about anything else that the author should know.
        context: The context parameter, once the parameters are read; None if there is none.
    """

    def __init__(
        self, function: Callable[..., Any], names: Mapping[str, Any], documentation: Documentation = NO_DOCUMENTATION
    ) -> None:
        self.problems: list[str] = []
        self.untyped: list[str] = []
        self.remarks: list[str] = []
        for line in documentation.unread:
            self.remarks.append(f"the docstring's line {line!r} cannot be read, and is left out")
        self.context: ContextParameter | None = None
        self._source = underlying(function)
        self._documented = dict(documentation.parameters)
        self._locals = names
        self._reader = TypeReader(names, _class_of_method(function))

    def parameters(self, raw: list[RawParameter], *, typed: bool = True) -> tuple[Parameter, ...]:
        """Return the parameters of the tool, without the context parameter.

        A TypedDict that `**kwargs` unpacks gives a parameter for each of its keys.

        Args:
            raw: The parameters of the function.
            typed: Whether to read their types; a tool with an external schema takes values as they are.
        """
        read: list[Parameter] = []
        self.context = context_parameter(raw, self._resolved, self.problems)
        for declared in raw:
            each, make_default = self._without_field(declared)
            if self.context is not None and each.name == self.context.name:
                self._documented.pop(each.name, None)
                continue
            if not typed:
                required = each.required and make_default is None
                read.append(Parameter(each.name, each.kind, ANY_CODEC, each.default, "", required, make_default))
                continue
            typed_dict = (
                unpacked_typed_dict(self._resolved_if_possible(each.annotation)) if each.kind is STAR_STAR else None
            )
            if typed_dict is None:
                read.append(self._parameter(each, make_default))
                continue
            read += self._parameters_of_typed_dict(each, typed_dict)
            names = Counter(each.name for each in read)
            self.problems += [
                f"parameter {name!r} is declared twice: by the function, and by the TypedDict of **kwargs"
                for name, count in names.items()
                if count > 1
            ]
        return tuple(read)

    def _without_field(self, raw: RawParameter) -> tuple[RawParameter, Callable[[], Any] | None]:
        """Return `raw` with the default and constraints of its pydantic `Field(…)`, and the factory or None.

        If the default of `raw` is not such a `Field`, or is one that cannot be used, which becomes a problem, return
        `raw` unchanged and None.
        """
        if type(raw.default).__module__ == "builtins":  # the usual case
            return raw, None
        try:
            field = read_field_default(raw.default)
        except UnsupportedType as unsupported:
            self.problems += [f"parameter {raw.name!r}: {problem}" for problem in unsupported.problems]
            return raw, None
        if field is None:
            return raw, None
        default = EMPTY if field.value is MISSING else field.value
        return raw._replace(default=default, field=field.marker), field.make

    def _parameter(self, raw: RawParameter, make_default: Callable[[], Any] | None) -> Parameter:
        """Return the parameter of `raw`, with the codec of its type and its description in the docstring.

        The type is that of the annotation, or else of the docstring or default; for `*args`, the codec is one of a
        list. The docstring's entry is consumed. A parameter with `make_default`, the default's factory, is not
        required.
        """
        documented = self._documented.pop(raw.name, None) if self._documented else None
        if raw.annotation is not EMPTY:
            codec = self._codec(raw.annotation, raw.name, raw.field)
        else:
            codec = self._codec_without_annotation(raw, documented.type if documented else None)
        if raw.kind is STAR:
            codec = ListCodec(codec, list)
        description = documented.description if documented else ""
        required = raw.required and make_default is None
        return Parameter(raw.name, raw.kind, codec, raw.default, description, required, make_default)

    def _parameters_of_typed_dict(self, raw: RawParameter, annotation: Any) -> list[Parameter]:
        """Return the parameters that `**kwargs: Unpack[annotation]` stands for: one for each key.

        If the TypedDict allows extra items, `**kwargs` is one more. If the annotation is not a TypedDict, record a
        problem and return an empty list.
        """
        record = self._codec(annotation, raw.name)
        if not isinstance(record, RecordCodec) or not is_typeddict(record.cls):
            if record is not ANY_CODEC:  # then the problem is recorded already
                self.problems.append(
                    f"parameter {raw.name!r}: Unpack[…] takes a TypedDict, which {show_type(annotation)} is not"
                )
            return []
        rest = self._documented.pop(raw.name, None)
        read = []
        for field in record.fields:
            documented = self._documented.pop(field.key, None)
            text = documented.description if documented else field.description
            read.append(Parameter(field.key, KEYWORD_ONLY, field.codec, EMPTY, text, field.required))
        if record.extra_codec is not None:
            read.append(
                Parameter(raw.name, STAR_STAR, record.extra_codec, EMPTY, rest.description if rest else "", False)
            )
        return read

    def remark_unknown_names(self) -> None:
        """Add a remark on each name in the docstring that no parameter has. Call it after `parameters`."""
        if self._documented:
            own = signature_of(self._source).parameters
            unknown = [name for name in self._documented if name not in own]  # a partial has some arguments already
            self.remarks += [f"the docstring describes {name!r}, which is not a parameter" for name in unknown]

    def result(self) -> Codec | None:
        """Return the codec of the return annotation, or None if there is none, or it has no JSON form."""
        try:
            annotation = annotations_of(self._source).get("return", EMPTY)
            return None if annotation is EMPTY else self._reader.read(self._resolved(annotation))
        except Exception:  # noqa: BLE001  # an author's annotation may raise anything
            return None  # only parameters need a schema: a result without one is encoded by its own type

    def _codec(self, annotation: Any, name: str, field: Any = None) -> Codec:
        """Return the codec of an annotation; if it has none, record a problem and return `ANY_CODEC`.

        Args:
            annotation: The annotation.
            name: The parameter's name, for the problem.
            field: The constraints of pydantic's `Field(…)`, if the default was one.
        """
        try:
            resolved = self._resolved(annotation)
            return self._reader.read(resolved if field is None else Annotated[resolved, field])
        except UnsupportedType as unsupported:
            self.problems += [f"parameter {name!r}: {problem}" for problem in unsupported.problems]
        except RecursionError:
            self.problems.append(
                f"parameter {name!r}: its annotation is nested too deeply; take a record that refers to itself"
            )
        except Exception as error:  # evaluating an author's annotation may raise anything, which is reported  # noqa: BLE001
            self.problems.append(
                f"parameter {name!r}: the annotation {annotation!r:.200} cannot be resolved ({type(error).__name__}: {error}); "
                "define or import that name in the module of the function"
            )
        return ANY_CODEC

    def _resolved_if_possible(self, annotation: Any) -> Any:
        """Return an annotation with its strings replaced by types, or itself if one cannot be evaluated."""
        try:
            return self._resolved(annotation)
        except Exception:  # noqa: BLE001  # evaluating an author's annotation may raise anything: reading it will say what
            return annotation

    def _resolved(self, annotation: Any) -> Any:
        """Return an annotation with the strings in it, or the string it is, replaced by types.

        Raises:
            Exception: Whatever evaluating a string, or an `Unresolved` annotation, raises.
        """
        if type(annotation) is type:  # the usual case
            return annotation
        if isinstance(annotation, str):
            for names in (self._scope, self._names, vars(builtins)):
                if annotation in names:
                    if isinstance(names[annotation], type):  # the name of a class: nothing to evaluate
                        return names[annotation]
                    break
        elif type(annotation) is Unresolved:
            raise annotation.error
        elif not holds_text(annotation):
            return annotation
        return resolve_texts(annotation, self._names, self._scope)

    @cached_attribute
    def _scope(self) -> dict[str, Any]:
        """The captured locals around the function and its type parameters, by name; the latter win."""
        return {**self._locals, **type_parameters(self._source)}

    @cached_attribute
    def _names(self) -> dict[str, Any]:
        """The globals of the function, without its wrappers, by name, or else of the module that it names."""
        module = sys.modules.get(getattr(self._source, "__module__", None) or "", sys)
        return getattr(inspect.unwrap(self._source), "__globals__", None) or vars(module)

    def _codec_without_annotation(self, parameter: RawParameter, documented: str | None) -> Codec:
        """Return the codec of a parameter without annotation, from its docstring or its default.

        If neither gives a type, the codec accepts any value. A sentence is added to `untyped`, unless the docstring names the type.

        Args:
            parameter: The parameter.
            documented: The type that the docstring gives, as text; None if it gives none.
        """
        annotation = type_named(documented) if documented else None
        problem = f"its docstring's type {documented!r} is not known" if documented else "it has no annotation"
        if annotation is not None:
            try:
                return self._reader.read(
                    annotation if parameter.field is None else Annotated[annotation, parameter.field]
                )
            except UnsupportedType as unsupported:
                problem = f"its docstring's type {documented!r} has no JSON form ({unsupported})"
        annotation, accepted, advice = Any, "accepts any JSON value", f"annotate it{context_hint(parameter.name)}"
        if type(parameter.default) in _TYPES_OF_DEFAULTS:
            annotation = type(parameter.default)
            accepted = f"has the type of its default, {annotation.__name__}"
        if parameter.kind in (STAR, STAR_STAR):
            accepted = f"accepts any {'values' if parameter.kind is STAR else 'names and values'}"
            if hint := wraps_hint(self._source):
                advice = f"{advice}, or, {hint}"
        self.untyped.append(f"parameter {parameter.name!r} {accepted}: {problem}; {advice}")
        return self._codec(annotation, parameter.name, parameter.field)


_TYPES_OF_DEFAULTS: Final = frozenset({bool, int, float, str, list, dict, tuple, set})
"""The types of defaults that are taken as the type of a parameter without one; a default of None says nothing."""


def _class_of_method(function: Any) -> type | None:
    """Return the class that `Self` means in a bound method or classmethod; None for any other callable."""
    instance = getattr(function, "__self__", None)
    if instance is None or isinstance(instance, ModuleType):  # for a function written in C, it is the module
        return None
    return instance if isinstance(instance, type) else type(instance)


def context_hint(name: str) -> str:
    """Return how to annotate a parameter that is likely meant to be the context of the call; empty for other names."""
    return f" (as {name}: Context, if it is the context of the call)" if name in ("context", "ctx") else ""


def wraps_hint(function: Any) -> str | None:
    """Return what to write where a function is likely a wrapper without `functools.wraps`; None where it is not.

    A likely wrapper takes `*args` and `**kwargs`, is defined inside another function, and uses a callable from there.
    """
    function = inspect.unwrap(function)
    if not isinstance(function, FunctionType) or function.__code__.co_flags & _ANYTHING != _ANYTHING:
        return None
    wrapped = []
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        with suppress(ValueError):  # the variable has no value yet
            value = cell.cell_contents
            if callable(value) and not isinstance(value, type) and value is not function:
                wrapped.append(name)
    if not wrapped:
        return None
    which = wrapped[0] if len(wrapped) == 1 else "…"
    return f"if {function.__name__} wraps {' or '.join(wrapped)}, decorate it with @functools.wraps({which})"


_ANYTHING: Final = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS


def warn_author(message: str, source: Any) -> None:
    """Warn with `DefinitionWarning` at the line where the function `source` is defined."""
    code = getattr(source, "__code__", None)
    if code is None:
        warnings.warn(message, DefinitionWarning, stacklevel=2)
    else:  # at the function, and not at its first use
        warnings.warn_explicit(message, DefinitionWarning, code.co_filename, code.co_firstlineno)


# --- The context ---


class ContextParameter(NamedTuple):
    """The parameter for the context of a call, which the executor fills in.

    Attributes:
        name: Its name.
        kind: How it is passed.
        place: Its place among all parameters.
        deps: The type of the context's `deps`, or None if it asks for none.
    """

    name: str
    kind: Any
    place: int
    deps: Any


def context_parameter(
    raw: list[RawParameter], resolve: Callable[[Any], Any], problems: list[str]
) -> ContextParameter | None:
    """Return the context parameter, or None if there is none.

    Args:
        raw: All parameters of the function.
        resolve: Replaces the strings in an annotation by types; may raise any exception.
        problems: The list to which problems are added.
    """
    module = sys.modules.get("fcregistry._results.context")
    if module is None:  # to annotate with it, the author must import it
        return None
    found = [
        (place, each, deps)
        for place, each in enumerate(raw)
        if each.annotation is not EMPTY
        and (deps := _requested_deps(each.annotation, module.Context, resolve)) is not _NOT_A_CONTEXT
    ]
    if not found:
        return None
    place, parameter, deps = found[0]
    if len(found) > 1:
        problems.append(
            f"{', '.join(repr(each.name) for _, each, _ in found)} are all of the type Context; keep one of them"
        )
    if parameter.kind in (STAR, STAR_STAR):
        problems.append(
            f"parameter {parameter.name!r}: *args and **kwargs cannot be a Context; make it a parameter of its own"
        )
    elif parameter.kind is not POSITIONAL_ONLY and raw[-1].kind is STAR_STAR:
        problems.append(
            f"parameter {parameter.name!r}: a model could pass this Context as one of **{raw[-1].name}; make it positional-only: "
            f"put it first, and a / after it"
        )
    return ContextParameter(parameter.name, parameter.kind, place, deps)


def _requested_deps(annotation: Any, context: type, resolve: Callable[[Any], Any]) -> Any:
    """Return the type of `deps` that the annotation of a parameter asks for: `T` of `Context[T]`.

    Return None for a `Context` without such a type, or with `Any` or `None`, and `_NOT_A_CONTEXT` for any other
    annotation, one that cannot be resolved, or a string without `Context` in it. `Context[T] | None` counts as `Context[T]`.

    Args:
        annotation: The annotation.
        context: The class `Context`.
        resolve: Replaces the strings in an annotation by types; may raise any exception.
    """
    if isinstance(annotation, str):
        if "Context" not in annotation:  # an alias of it must be written as a type, not as a string
            return _NOT_A_CONTEXT
        try:
            annotation = resolve(annotation)
        except Exception:  # noqa: BLE001  # evaluating an author's annotation may raise anything: reading it will say what
            return _NOT_A_CONTEXT
    if annotation is context:
        return None
    origin = get_origin(annotation)
    if origin is context:
        asked = get_args(annotation)[0]
        return None if asked in (Any, None, type(None)) else asked
    if origin in (Union, UnionType):  # `Context | None`: callable without one too
        members = [each for each in get_args(annotation) if each is not type(None)]
        if len(members) == 1:
            return _requested_deps(members[0], context, resolve)
    return _NOT_A_CONTEXT


_NOT_A_CONTEXT: Any = object()
"""What `_requested_deps` returns for an annotation that is not a `Context`."""


# --- Callables as Python sees them ---


Kind = Literal["sync", "async", "generator", "async generator"]
EMPTY: Final = inspect.Parameter.empty
POSITIONAL_ONLY: Final = inspect.Parameter.POSITIONAL_ONLY
POSITIONAL: Final = inspect.Parameter.POSITIONAL_OR_KEYWORD
STAR: Final = inspect.Parameter.VAR_POSITIONAL
KEYWORD_ONLY: Final = inspect.Parameter.KEYWORD_ONLY
STAR_STAR: Final = inspect.Parameter.VAR_KEYWORD


class RawParameter(NamedTuple):
    """A parameter as Python sees it; `EMPTY` where it has no default or no annotation.

    `field` is pydantic's `Field(…)` without its default, if that was the default.
    """

    name: str
    kind: Any
    default: Any
    annotation: Any
    field: Any = None

    @property
    def required(self) -> bool:
        """Whether a call must pass an argument for it."""
        return self.default is EMPTY and self.kind is not STAR and self.kind is not STAR_STAR


def raw_parameters(function: Callable[..., Any], module: str) -> list[RawParameter]:
    """Return the parameters of a callable as Python sees them.

    Raises:
        DefinitionError: Python does not know them or cannot evaluate their annotations, or the callable is a method without its instance.
    """
    try:
        parameters = _read_code(function) if _is_plain(function) else _read_signature(function, module)
    except DefinitionError:
        raise
    except Exception as error:  # from Python 3.14 on annotations are evaluated now, and may raise anything
        problem = f"its annotations cannot be evaluated ({type(error).__name__}: {error}); quotes go around a whole annotation"
        raise DefinitionError(f"{place_text(function, module)} cannot be a tool:", (problem,)) from error
    if parameters and parameters[0].name == "self":
        _check_bound(function, module)
    return parameters


def _is_plain(function: Callable[..., Any]) -> TypeGuard[FunctionType]:
    """Return whether `function` is a Python function without attributes, which wrappers set."""
    return type(function) is FunctionType and not function.__dict__


def _read_code(function: FunctionType) -> list[RawParameter]:
    """Return the parameters of a plain function in their order, read from its code, which is fast."""
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


def _read_signature(function: Callable[..., Any], module: str) -> list[RawParameter]:
    """Return the parameters of any callable in their order, read from its `inspect.signature`.

    An annotation that cannot be evaluated is an `Unresolved`.

    Raises:
        DefinitionError: Python does not know the signature.
    """
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
    """Return, by name, an `Unresolved` for each annotation of a callable that cannot be evaluated.

    Empty if there is none, or the callable wraps itself.
    """
    try:
        source = inspect.unwrap(underlying(function))
    except ValueError:  # it wraps itself, which `inspect.signature` reports
        return {}
    return {name: hint for name, hint in annotations_of(source).items() if type(hint) is Unresolved}


def _check_bound(function: Callable[..., Any], module: str) -> None:
    """Check that a callable whose first parameter is `self` is not a method without its instance.

    Args:
        function: The callable; its qualified name tells whether it was defined in a class.
        module: The module that declares it, for the error.

    Raises:
        DefinitionError: It is a method of a class.
    """
    cls = getattr(function, "__qualname__", "").rpartition(".")[0].rpartition(".")[2]
    if cls not in ("", "<locals>"):
        problem = f"it is a method without its instance; take the method of one, as in {cls}(…).{function.__name__}"
        raise DefinitionError(f"{place_text(function, module)} cannot be a tool:", (problem,))


def kind_of_function(function: Callable[..., Any]) -> Kind:
    """Return the kind of a function, also behind partials and methods."""
    if _is_plain(function) and not function.__code__.co_flags & _NOT_SYNC:
        return "sync"  # the usual case
    for source in (function, underlying(function)):
        if inspect.isasyncgenfunction(source):
            return "async generator"
        if inspect.iscoroutinefunction(source):
            return "async"
        if inspect.isgeneratorfunction(source):
            return "generator"
    return "sync"


_NOT_SYNC: Final = inspect.CO_ASYNC_GENERATOR | inspect.CO_COROUTINE | inspect.CO_GENERATOR
