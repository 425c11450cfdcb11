"""How does a function's signature look in JSON? Its schemas; their inverse is its `binding`."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any

from fcregistry._base.docstrings import Documentation, read_docstring
from fcregistry._base.forks import made_once
from fcregistry._base.source import place_text, underlying
from fcregistry._binding import Binding
from fcregistry._functions import EMPTY, STAR_STAR, Kind, docstring_of, kind_of_function, raw_parameters
from fcregistry._parameters import Parameter, ParameterReader, result_codec, untyped, warn
from fcregistry.errors import DefinitionError
from fcregistry.types._codec import Codec, SchemaWriter, codec_schema, walk
from fcregistry.types._records import add_default

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from fcregistry._injection import ContextParameter


class Signature:
    """A function seen from JSON.

    Attributes:
        kind: Whether it is a plain function, a coroutine function or a generator of either sort.
        documentation: What its docstring says.
        parameters: Its parameters, in order.
        remarks: What its author was warned of: what could be said of it and is not.
        context: The parameter that the executor fills in, if there is one; it is none of the parameters.
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
        self._foreign = False  # whether the schema was written by others, and may say less than the function needs

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
        reader = ParameterReader(function, source, names or {}, documentation)
        parameters = reader.parameters(raw_parameters(function, module))
        reader.remark_what_is_left()
        problems = [*reader.problems, *(reader.doubts if strict else ())]
        if problems:
            raise DefinitionError(f"{place_text(function, module)} cannot be a tool:", tuple(problems))
        remarks = (*reader.doubts, *reader.remarks)
        for remark in remarks:
            warn(f"{place_text(function, module)}: {remark}", source)
        return cls(function, documentation, tuple(parameters), names, remarks, reader.context)

    @classmethod
    def untyped(cls, function: Callable[..., Any], module: str, names: Mapping[str, Any] | None = None) -> Signature:
        """Read only how a function is called: for a tool that brings its own schema, whose values are handed on as they are.

        Raises:
            DefinitionError: Python does not know its parameters, or it takes its context in a way that cannot be.
        """
        documentation = read_docstring(docstring_of(function))
        parameters, context, problems = untyped(function, module, names or {})
        if problems:
            raise DefinitionError(f"{place_text(function, module)} cannot be a tool:", tuple(problems))
        signature = cls(function, documentation, parameters, context=context)
        signature._foreign = True
        return signature

    def misfits(self, names: Iterable[str], may_have: Callable[[str], bool]) -> list[str]:
        """Return how a foreign schema of the parameters does not fit the function, a sentence each.

        Args:
            names: The properties that the schema names.
            may_have: Whether the schema lets a call have an argument of a name.
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
        """Return the JSON Schema of the arguments: always an object, even of nothing. It is to be packed, not to be changed."""
        writer = SchemaWriter([each.codec for each in self.parameters])
        named, extra = self._named_and_extra()
        properties: dict[str, Any] = {}
        required: list[str] = []
        for each in named:
            properties[each.name] = _described(each, writer)
            if each.required:
                required.append(each.name)
        schema: dict[str, Any] = {"type": "object", "properties": properties}
        if required:
            schema["required"] = required
        schema["additionalProperties"] = False if extra is None else (_described(extra, writer) or True)
        if defs := writer.defs:
            schema["$defs"] = defs
        return schema

    def _named_and_extra(self) -> tuple[tuple[Parameter, ...], Parameter | None]:
        """Return the parameters that have a name in JSON, and the one that takes all other names, if there is one."""
        if self.parameters and self.parameters[-1].kind is STAR_STAR:
            return self.parameters[:-1], self.parameters[-1]
        return self.parameters, None

    @made_once
    def returns(self) -> Codec | None:
        """The codec of its result, or None if it has none: made when it is asked for, since a model is told nothing of it."""
        return None if self._foreign else result_codec(self._function, self._names or {})

    def returns_schema(self) -> dict[str, Any] | None:
        """Return the JSON Schema of the result, or None if it is not annotated. It is to be packed, not to be changed."""
        return None if self.returns is None else codec_schema(self.returns, results=True)

    @made_once
    def binding(self) -> Binding:
        """How a JSON object becomes a call: made at the first, since most tools are described more often than they are called."""
        return Binding(self.parameters, self.context, foreign=self._foreign)

    def without_context(self) -> Signature:
        """Return the same of a function that is given no context."""
        if self.context is None:
            return self
        other = copy(self)
        other.context = None
        other.__dict__.pop("binding", None)
        return other

    @property
    def exact(self) -> bool:
        """Whether numbers have to keep the digits they were written with, until they are decoded."""
        return any(codec.exact for codec in walk(each.codec for each in self.parameters))


def _described(parameter: Parameter, writer: SchemaWriter) -> dict[str, Any]:
    schema = dict(writer.write(parameter.codec))
    if parameter.description and "description" not in schema:  # the text of an `Annotated` stands nearer
        schema["description"] = parameter.description
    if parameter.default is not EMPTY:
        add_default(schema, parameter.codec, parameter.default)
    return schema
