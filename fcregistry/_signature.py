"""How does a function's signature look in JSON, and how does a JSON object become a call of it?

`Signature.of` reads docstring and annotations together, with all problems of a function in one error. What it gives is one object: the schemas,
and their inverse, `decode` and `bind`.
"""

from __future__ import annotations

import inspect
import sys
import warnings
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, get_type_hints

from fcregistry._docstrings import Documentation, read_docstring
from fcregistry._doctypes import type_named
from fcregistry._places import is_method_of, place_text, underlying
from fcregistry.errors import DefinitionError, DefinitionWarning
from fcregistry.types._core import Codec, Refusal, SchemaWriter, TypeReader, UnsupportedType
from fcregistry.types._records import add_default
from fcregistry.types._scalars import ANY
from fcregistry.types._schemas import codec_schema
from fcregistry.types._table import reader as type_reader
from fcregistry.types._values import EncodingError, to_json

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Kind = Literal["sync", "async", "generator", "async generator"]
EMPTY: Final = inspect.Parameter.empty
_POSITIONAL_ONLY = inspect.Parameter.POSITIONAL_ONLY
_POSITIONAL = inspect.Parameter.POSITIONAL_OR_KEYWORD
_STAR = inspect.Parameter.VAR_POSITIONAL
_STAR_STAR = inspect.Parameter.VAR_KEYWORD


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
        return self.default is EMPTY and self.kind not in (_STAR, _STAR_STAR)


class Signature:
    """A function seen from JSON.

    Attributes:
        kind: Whether it is a plain function, a coroutine function or a generator of either sort.
        documentation: What its docstring says.
        parameters: Its parameters, in order.
        returns: The codec of its result, or None if it is not annotated.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        documentation: Documentation,
        parameters: tuple[Parameter, ...],
        returns: Codec | None,
    ) -> None:
        self.kind: Kind = kind_of_function(function)
        self.documentation = documentation
        self.parameters = parameters
        self.returns = returns
        self._by_name = {each.name: each for each in parameters if each.kind is not _STAR_STAR}
        self._extra = next((each for each in parameters if each.kind is _STAR_STAR), None)
        self._positional = [each for each in parameters if each.kind in (_POSITIONAL_ONLY, _POSITIONAL)]
        self._star = next((each for each in parameters if each.kind is _STAR), None)
        # By keyword wherever that says the same: only positional-only parameters and `*args` need positions.
        self._by_keyword = self._star is None and all(each.kind is not _POSITIONAL_ONLY for each in parameters)
        self._decoders = {each.name: each.codec.decode for each in parameters if not each.codec.plain}
        self._foreign = False  # whether the schema was written by others, and may say less than the function needs
        self._all_plain = not self._decoders and self._extra is None

    @classmethod
    def of(
        cls, function: Callable[..., Any], module: str, names: Mapping[str, Any] | None = None, *, strict: bool = False
    ) -> Signature:
        """Read a function.

        Args:
            function: Any callable that can be a tool.
            module: The module that declares it, for messages.
            names: Locals of the enclosing function that its string annotations name.
            strict: Whether a parameter without a type is an error rather than a warning.

        Raises:
            DefinitionError: Everything about the function that has no JSON form.
        """
        source = underlying(function)
        documentation = read_docstring(docstring_of(function))
        reader = _Reader(function, source, names or {}, documentation)
        parameters = [reader.parameter(each) for each in _parameters(function, module)]
        returns = reader.result()
        place = place_text(function, module)
        problems = [*reader.problems, *(reader.doubts if strict else ())]
        if problems:
            raise DefinitionError(f"{place} cannot be a tool:", tuple(problems))
        for doubt in (*reader.doubts, *reader.remarks):
            _warn(f"{place}: {doubt}", source)
        return cls(function, documentation, tuple(parameters), returns)

    @classmethod
    def untyped(cls, function: Callable[..., Any], module: str) -> Signature:
        """Read only how a function is called: for a tool that brings its own schema, whose values are handed on as they are."""
        parameters = [Parameter(each.name, each.kind, ANY, each.default, "") for each in _parameters(function, module)]
        signature = cls(function, read_docstring(docstring_of(function)), tuple(parameters), None)
        signature._foreign = True
        return signature

    def misfits(self, schema: Mapping[str, Any]) -> list[str]:
        """Return how a foreign schema of the parameters does not fit the function, a sentence each."""
        properties = schema.get("properties", {})
        problems = []
        if self._extra is None:
            unknown = [name for name in properties if name not in self._by_name]
            problems += [
                f"the schema has the property {name!r}, and the function takes no such argument" for name in unknown
            ]
        missing = [each.name for each in self._by_name.values() if each.required and each.name not in properties]
        return problems + [f"the function needs {name!r}, and the schema has no such property" for name in missing]

    def parameters_schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the arguments: always an object, even of nothing."""
        writer = SchemaWriter([each.codec for each in self.parameters])
        properties = {each.name: _property(each, writer) for each in self._by_name.values()}
        schema: dict[str, Any] = {"type": "object", "properties": properties}
        if required := [each.name for each in self._by_name.values() if each.required]:
            schema["required"] = required
        schema["additionalProperties"] = False if self._extra is None else (_described(self._extra, writer) or True)
        if writer.defs:
            schema["$defs"] = writer.defs
        return schema

    def returns_schema(self) -> dict[str, Any] | None:
        """Return the JSON Schema of the result, or None if it is not annotated."""
        return None if self.returns is None else codec_schema(self.returns)

    def decode(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return the Python values of valid arguments.

        Raises:
            Refusal: A value that the schema accepts and its type does not.
        """
        if self._all_plain:
            return dict(arguments)
        if self._foreign:
            self._check_takes(arguments)
        decoded = {}
        extra = self._extra
        for name, value in arguments.items():
            decoder = self._decoders.get(name)
            if decoder is None and extra is not None and name not in self._by_name:
                decoder = extra.codec.decode
            try:
                decoded[name] = value if decoder is None else decoder(value)
            except Refusal as refusal:
                raise refusal.at(name) from None
        return decoded

    def _check_takes(self, arguments: Mapping[str, Any]) -> None:
        for name, value in arguments.items():
            parameter = self._by_name.get(name, self._extra)
            if parameter is None:
                raise Refusal("is not a known name", (name,))
            if parameter.kind is _STAR and not isinstance(value, list):
                raise Refusal("must be an array", (name,))
        for each in self._by_name.values():
            if each.required and each.name not in arguments:
                raise Refusal("is required", (each.name,))

    def bind(self, decoded: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return the positional and keyword arguments of the call.

        Omitted defaults are filled in where a later positional argument has a value: `inspect.BoundArguments` would move that one
        to the left. A key named like a positional-only or `*` parameter is that parameter, and never reaches `**kwargs`.
        """
        if self._by_keyword:
            return (), decoded
        left = dict(decoded)
        star = left.pop(self._star.name, ()) if self._star is not None else ()
        given = [each for each in self._positional if each.kind is _POSITIONAL_ONLY or star]
        last = max((place for place, each in enumerate(given) if each.name in left or star), default=-1)
        positional = [left.pop(each.name) if each.name in left else each.default for each in given[: last + 1]]
        return (*positional, *star), left

    def encode_argument(self, name: str, value: Any) -> Any:
        """Return the JSON value of one argument given from Python, by its parameter's type where it is of it.

        Raises:
            EncodingError: It has no JSON form at all.
        """
        parameter = self._by_name.get(name, self._extra)
        if parameter is None or not parameter.codec.handles(value):
            return to_json(value)  # wrong, and for validation to say so
        try:
            return parameter.codec.encode(value)
        except (TypeError, ValueError) as error:
            raise EncodingError(str(error)) from error

    def encode(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """Return the JSON arguments of a Python call: what a model would have written.

        Raises:
            TypeError: A value that is not of its parameter's type, or a call that the function does not take.
        """
        arguments: dict[str, Any] = {}
        for each, value in zip(self._positional, args, strict=False):
            arguments[each.name] = _encode(each, value)
        rest = args[len(self._positional) :]
        if rest and self._star is None:
            raise TypeError(f"takes {len(self._positional)} positional arguments, not {len(args)}")
        if self._star is not None and rest:
            arguments[self._star.name] = [_encode_item(self._star, value) for value in rest]
        for name, value in kwargs.items():
            target = self._by_name.get(name, self._extra)
            if target is None or name in arguments or target.kind in (_POSITIONAL_ONLY, _STAR):
                raise TypeError(
                    f"takes no keyword argument {name!r}" if name not in arguments else f"got {name!r} twice"
                )
            arguments[name] = _encode(target, value)
        missing = [each.name for each in self._by_name.values() if each.required and each.name not in arguments]
        if missing:
            raise TypeError(f"needs a value for {', '.join(map(repr, missing))}")
        return arguments


def _encode(parameter: Parameter, value: Any) -> Any:
    if not parameter.codec.handles(value):
        raise TypeError(f"{parameter.name!r} does not take {value!r}")
    return parameter.codec.encode(value)


def _encode_item(star: Parameter, value: Any) -> Any:
    encoded: list[Any] = _encode(star, [value])
    return encoded[0]


def _property(parameter: Parameter, writer: SchemaWriter) -> dict[str, Any]:
    schema = _described(parameter, writer)
    if parameter.default is not EMPTY:
        add_default(schema, parameter.codec, parameter.default)
    return schema


def _described(parameter: Parameter, writer: SchemaWriter) -> dict[str, Any]:
    schema = dict(writer.write(parameter.codec))
    if parameter.description and "description" not in schema:  # the text of an `Annotated` stands nearer
        schema["description"] = parameter.description
    return schema


class _Reader:
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
        documented = self._documented.pop(parameter.name, None)
        codec: Codec = ANY
        if parameter.annotation is not EMPTY:
            codec = self._codec(parameter.annotation, f"parameter {parameter.name!r}")
        else:
            codec = self._undeclared(parameter, documented.type if documented else None)
        if parameter.kind is _STAR:
            from fcregistry.types._containers import ListCodec

            codec = ListCodec(codec, list)
        description = documented.description if documented else ""
        return Parameter(parameter.name, parameter.kind, codec, parameter.default, description)

    def result(self) -> Codec | None:
        own = inspect.signature(self._source).parameters if self._documented else ()
        for name in (name for name in self._documented if name not in own):  # a partial has given some already
            self.remarks.append(f"the docstring describes {name!r}, which is no parameter")
        annotation = getattr(self._source, "__annotations__", {}).get("return", EMPTY)
        if annotation is EMPTY:
            return None
        try:
            return self._reader.read(self._resolved(annotation))
        except (UnsupportedType, NameError, AttributeError, SyntaxError, TypeError):
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
        if documented is None and parameter.kind in (_STAR, _STAR_STAR):
            return ANY  # `*args, **kwargs` says it: anything
        said = f"its docstring's type {documented!r} is not known" if documented else "it has no annotation"
        self.doubts.append(f"parameter {parameter.name!r} accepts any JSON value: {said}; annotate it")
        return ANY


def _holds_text(annotation: Any) -> bool:
    """Tell whether a type has a string inside that stands for another type, as in `list["Node"]`."""
    from typing import ForwardRef

    return any(isinstance(part, (str, ForwardRef)) or _holds_text(part) for part in getattr(annotation, "__args__", ()))


def _parameters(function: Callable[..., Any], module: str) -> list[inspect.Parameter]:
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


def _warn(message: str, source: Any) -> None:
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
