"""The signature of a function as JSON sees it: the schemas of its arguments and result, and the binding of a call."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any

from fcregistry._base.docstrings import Documentation, read_docstring
from fcregistry._base.forks import cached_attribute
from fcregistry._base.source import docstring_of, place_text, underlying
from fcregistry._base.wording import IS_REQUIRED
from fcregistry._tools.parameters import (
    EMPTY,
    POSITIONAL,
    POSITIONAL_ONLY,
    STAR,
    STAR_STAR,
    ContextParameter,
    Kind,
    Parameter,
    ParameterReader,
    kind_of_function,
    raw_parameters,
    warn_author,
)
from fcregistry.errors import DefinitionError, exception_message
from fcregistry.types import (
    ANY_CODEC,
    Codec,
    Refusal,
    SchemaWriter,
    add_default,
    codec_schema,
    encode_as,
    walk_codecs,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence


class Signature:
    """A function seen from JSON.

    Attributes:
        kind: Whether it is a plain function, a coroutine function or a generator of either kind.
        documentation: Its docstring.
        parameters: Its parameters, in order.
        remarks: The warnings to its author.
        context: The parameter that the executor fills in, or None; it is not among `parameters`.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        documentation: Documentation,
        parameters: tuple[Parameter, ...],
        names: Mapping[str, Any] | None = None,
        remarks: tuple[str, ...] = (),
        context: ContextParameter | None = None,
    ) -> None:
        self.kind: Kind = kind_of_function(function)
        self.documentation = documentation
        self.parameters = parameters
        self.remarks = remarks
        self.context = context
        self._function = function
        self._names = names
        self._external = False  # whether the schema is external, and may check less than the function needs

    @classmethod
    def of(
        cls,
        function: Callable[..., Any],
        module: str,
        names: Mapping[str, Any] | None = None,
        *,
        strict: bool = False,
        typed: bool = True,
    ) -> Signature:
        """Return the signature of a function, and warn its author of what was remarked.

        Args:
            function: Any callable that can be a tool.
            module: The module that declares it, for messages.
            names: Locals of the enclosing function that its string annotations name.
            strict: Whether a parameter without a type is an error rather than a warning.
            typed: Whether to read its types; without them, for a tool with its own schema, values are passed on as they are.

        Raises:
            DefinitionError: Parameters have no JSON form; the message names all of them.
        """
        documentation = read_docstring(docstring_of(function))
        reader = ParameterReader(function, names or {}, documentation)
        parameters = reader.parameters(raw_parameters(function, module), typed=typed)
        if typed:
            reader.remark_unknown_names()
        problems = [*reader.problems, *(reader.untyped if strict else ())]
        if problems:
            raise DefinitionError(f"{place_text(function, module)} cannot be a tool:", tuple(problems))
        remarks = (*reader.untyped, *reader.remarks) if typed else ()
        for remark in remarks:
            warn_author(f"{place_text(function, module)}: {remark}", underlying(function))
        signature = cls(function, documentation, parameters, names, remarks, reader.context)
        signature._external = not typed
        return signature

    def mismatches(self, names: Iterable[str], may_have: Callable[[str], bool]) -> list[str]:
        """Return the differences between an external schema and the function, a sentence each.

        Args:
            names: The properties that the schema names.
            may_have: Returns whether the schema allows an argument of a name.
        """
        problems = []
        named, extra = self._named_and_extra()
        if extra is None:
            known = {each.name for each in named}
            unknown = [name for name in names if name not in known]
            problems += [
                f"the schema has the property {name!r}, and the function takes no such argument" for name in unknown
            ]
        missing = [each.name for each in named if each.required and not may_have(each.name)]
        return problems + [f"the function needs {name!r}, and the schema has no such property" for name in missing]

    def parameters_schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the arguments, whose type is `object`. Callers must not change it."""
        writer = SchemaWriter([each.codec for each in self.parameters])
        named, extra = self._named_and_extra()
        properties: dict[str, Any] = {}
        required: list[str] = []
        for each in named:
            properties[each.name] = _described_schema(each, writer)
            if each.required:
                required.append(each.name)
        schema: dict[str, Any] = {"type": "object", "properties": properties}
        if required:
            schema["required"] = required
        schema["additionalProperties"] = False if extra is None else (_described_schema(extra, writer) or True)
        if defs := writer.defs:
            schema["$defs"] = defs
        return schema

    def names_by_position(self, schema: Mapping[str, Any]) -> tuple[list[str], str | None]:
        """Return the names of the parameters that a call may give by position, in order, and that of `*args`, or None.

        Args:
            schema: The schema of the arguments. If the function has only `**kwargs`, its properties are the parameters.
        """
        named, extra = self._named_and_extra()
        if extra is not None and not named:
            return list(schema.get("properties", ())), None
        star = next((each.name for each in named if each.kind is STAR), None)
        return [each.name for each in named if each.kind in (POSITIONAL_ONLY, POSITIONAL)], star

    def _named_and_extra(self) -> tuple[tuple[Parameter, ...], Parameter | None]:
        """Return the parameters without `**kwargs`, and the `**kwargs` parameter, or None if there is none."""
        if self.parameters and self.parameters[-1].kind is STAR_STAR:
            return self.parameters[:-1], self.parameters[-1]
        return self.parameters, None

    @cached_attribute
    def returns(self) -> Codec | None:
        """The codec of the result, or None if it has none; made at first use: definitions do without it."""
        return None if self._external else ParameterReader(self._function, self._names or {}).result()

    def returns_schema(self) -> dict[str, Any] | None:
        """Return the JSON Schema of the result, or None if it has no codec. Callers must not change it."""
        return None if self.returns is None else codec_schema(self.returns, results=True)

    @cached_attribute
    def binding(self) -> Binding:
        """The binding of arguments, made at the first call: most tools are described more often than called."""
        return Binding(self.parameters, self.context, external=self._external)

    def without_context(self) -> Signature:
        """Return this signature without the context parameter, for another function."""
        if self.context is None:
            return self
        other = copy(self)
        other.context = None
        other.__dict__.pop("binding", None)
        return other

    @property
    def exact(self) -> bool:
        """Whether numbers must keep the digits that they were written with until they are decoded."""
        return any(codec.exact for codec in walk_codecs(each.codec for each in self.parameters))


def _described_schema(parameter: Parameter, writer: SchemaWriter) -> dict[str, Any]:
    """Return a new schema of a parameter with its default and, unless its type has one, its description."""
    schema = dict(writer.write(parameter.codec))
    if parameter.description and "description" not in schema:  # the text of an `Annotated` wins
        schema["description"] = parameter.description
    if parameter.default is not EMPTY:
        add_default(schema, parameter.codec, parameter.default)
    return schema


# --- Binding ---


class Binding:
    """Converts JSON arguments to those of a function, and back.

    Args:
        parameters: The function's parameters, in order.
        context: The parameter for the context of a call, or None.
        external: Whether the schema is external, and may check less than the function needs.

    Attributes:
        by_keyword: Whether every argument is passed by its name.
        needs_no_decoding: Whether the Python values are the JSON values.
    """

    def __init__(
        self, parameters: Sequence[Parameter], context: ContextParameter | None = None, *, external: bool = False
    ) -> None:
        self._context_parameter = context
        self._external = external
        self._by_name = {each.name: each for each in parameters if each.kind is not STAR_STAR}
        self._extra = next((each for each in parameters if each.kind is STAR_STAR), None)
        self._positional = [each for each in parameters if each.kind in (POSITIONAL_ONLY, POSITIONAL)]
        self._star = next((each for each in parameters if each.kind is STAR), None)
        self._order: list[Parameter | ContextParameter] = list(self._positional)
        if context is not None and context.kind in (POSITIONAL_ONLY, POSITIONAL):
            self._order.insert(context.place, context)
        # By keyword if possible: only positional-only parameters and `*args` need positions.
        self.by_keyword = self._star is None and all(each.kind is not POSITIONAL_ONLY for each in self._order)
        self._decoders = {each.name: each.codec.decode for each in parameters if not each.codec.plain}
        self._default_factories = [
            (each.name, each.make_default) for each in parameters if each.make_default is not None
        ]
        self.needs_no_decoding = (
            not self._decoders and self._extra is None and not external and not self._default_factories
        )

    def decode(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return the Python values of valid arguments, and the defaults that a `Field(…)` of pydantic gives.

        Raises:
            Refusal: The schema accepts a value, but the type of the parameter does not.
        """
        if self._external:
            self._check_takes(arguments)
        if self.needs_no_decoding:
            return dict(arguments)
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
            except RecursionError:
                raise
            except Exception as error:  # external code: an extension's codec may raise anything
                raise Refusal(
                    f"cannot be decoded: {type(error).__name__}: {exception_message(error)}", (name,)
                ) from error
        for name, make_default in self._default_factories:  # the function's own default is a `Field`
            if name not in decoded:
                decoded[name] = make_default()
        return decoded

    def _check_takes(self, arguments: Mapping[str, Any]) -> None:
        """Check that the function takes `arguments`, which an external schema has accepted.

        Raises:
            Refusal: A name is not a parameter, `*args` is not a list, or a required parameter is missing.
        """
        for name, value in arguments.items():
            parameter = self._by_name.get(name, self._extra)
            if parameter is None:
                raise Refusal("is not a known name", (name,))
            if parameter.kind is STAR and not isinstance(value, list):
                raise Refusal("must be an array", (name,))
        for each in self._by_name.values():
            if each.required and each.name not in arguments:
                raise Refusal(IS_REQUIRED, (each.name,))

    def bind(self, decoded: dict[str, Any], context: Any = None) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return the positional and keyword arguments of the call; `decoded` is not changed.

        Omitted defaults are filled in before a later positional argument: `inspect.BoundArguments` would move that argument to the left. A key
        with the name of a positional-only or `*` parameter is that parameter, and never goes to `**kwargs`.
        """
        context_parameter = self._context_parameter
        if self.by_keyword:
            return (), decoded if context_parameter is None else {**decoded, context_parameter.name: context}
        left = dict(decoded)
        star = left.pop(self._star.name, ()) if self._star is not None else ()
        given = [each for each in self._order if each.kind is POSITIONAL_ONLY or star]
        last = max(
            (place for place, each in enumerate(given) if each is context_parameter or each.name in left or star),
            default=-1,
        )
        positional: list[Any] = []
        for each in given[: last + 1]:
            if isinstance(each, ContextParameter):
                positional.append(context)
            else:
                positional.append(left.pop(each.name) if each.name in left else each.default)
        if context_parameter is not None and context_parameter not in given:
            left[context_parameter.name] = context
        return (*positional, *star), left

    def encode_argument(self, name: str, value: Any) -> Any:
        """Return the JSON value of the Python argument for the parameter `name`.

        It is encoded by the parameter's type if it is of that type, and by its own type otherwise.

        Raises:
            EncodingError: It has no JSON form.
        """
        parameter = self._by_name.get(name, self._extra)  # if there is none, validation will report it
        return encode_as(value, ANY_CODEC if parameter is None else parameter.codec)

    def encode(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """Return the JSON arguments of a Python call, as a model would write them.

        Raises:
            TypeError: A value is not of its parameter's type, or the function does not accept such a call.
        """
        arguments: dict[str, Any] = {}
        for each, value in zip(self._positional, args, strict=False):
            arguments[each.name] = _encode(each, value)
        rest = args[len(self._positional) :]
        if rest and self._star is None:
            raise TypeError(f"takes {len(self._positional)} positional arguments, not {len(args)}")
        if self._star is not None and rest:
            arguments[self._star.name] = [_encode(self._star, [value])[0] for value in rest]
        for name, value in kwargs.items():
            target = self._by_name.get(name, self._extra)
            if target is None or name in arguments or target.kind in (POSITIONAL_ONLY, STAR):
                raise TypeError(
                    f"takes no keyword argument {name!r}" if name not in arguments else f"got {name!r} twice"
                )
            arguments[name] = _encode(target, value)
        missing = [each.name for each in self._by_name.values() if each.required and each.name not in arguments]
        if missing:
            raise TypeError(f"needs a value for {', '.join(map(repr, missing))}")
        return arguments


def _encode(parameter: Parameter, value: Any) -> Any:
    """Return `value`, the Python argument for `parameter`, as JSON.

    Raises:
        TypeError: It is not of the parameter's type.
    """
    if not parameter.codec.handles(value):
        raise TypeError(f"cannot take {value!r} as the value of {parameter.name!r}")
    return parameter.codec.encode(value)
