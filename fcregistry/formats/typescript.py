"""Tools as TypeScript function types, for prompts.

OpenAI describes functions to its models in this form.

Source: OpenAI cookbook, "OpenAI harmony response format", section "Function calling".

// Get the current weather in a results location.
type get_current_weather = (_: {
// The city and state, e.g. San Francisco, CA.
location: string,
unit?: "fahrenheit" | "celsius", // default: "fahrenheit"
}) => any;
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from fcregistry.formats._format import Alphabet, Format
from fcregistry.formats._language import TypeWriter, merge_definitions
from fcregistry.formats._node import TextDefinition
from fcregistry.formats._profile import COMPOSITION, Profile

if TYPE_CHECKING:
    from fcregistry._schema.document import Place
    from fcregistry.formats._format import RenderInput


def render(rendering: RenderInput) -> TextDefinition:
    """Return the declarations of the types to which a function refers, and of the function."""
    name, returns = rendering.name, rendering.tool.returns
    whole = merge_definitions(rendering.parameters, returns or {})
    arguments = _Types(whole or rendering.parameters, name)
    parameters = arguments.type_of(rendering.parameters, (), commented=True)
    dropped = tuple(arguments.dropped)
    results = arguments if whole is not None else _Types(returns or {}, f"{name}$result")
    result = results.type_of({} if returns is None else returns, ("returns",))
    declarations = [*arguments.declarations(), *(results.declarations() if results is not arguments else ())]
    function = f"type {name} = ({'' if parameters == '{}' else f'_: {parameters}'}) => {result};"
    written = "\n".join([*_comment_lines({"description": rendering.text}), function])
    return TextDefinition("\n\n".join([*declarations, written]), dropped)


def join(functions: list[str]) -> str:
    """Return the namespace of all `functions`, or an empty text without functions."""
    return "\n\n".join(["namespace functions {", *functions, "} // namespace functions"]) if functions else ""


_RESERVED: Final = frozenset(
    {
        *("any", "await", "bigint", "boolean", "break", "case", "catch", "class", "const", "continue"),
        *("debugger", "default", "delete", "do", "else", "enum", "export", "extends", "false", "finally"),
        *("for", "function", "if", "implements", "import", "in", "instanceof", "interface", "let", "never"),
        *("new", "null", "number", "object", "package", "private", "protected", "public", "return", "static"),
        *("string", "super", "switch", "symbol", "this", "throw", "true", "try", "typeof", "undefined"),
        *("unknown", "var", "void", "while", "with", "yield"),
    }
)
"""Reserved words and the names of types: TypeScript handbook, ECMAScript."""

NAMES: Final = Alphabet(first="[A-Za-z_]", rest="[A-Za-z0-9_]", reserved=_RESERVED)
"""ECMAScript identifiers of ASCII, without `$`, which separates a tool's name from the names of its types."""


class _Types(TypeWriter):
    language = "TypeScript"
    scalars = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}  # noqa: RUF012  # a table
    anything = "any"
    nothing = "never"

    def __init__(self, schema: dict[str, Any], tool: str) -> None:
        super().__init__(schema)
        self._tool = tool
        self._declared: dict[Place, str] = {}

    def literal(self, value: Any) -> str:
        return _json(value) if not isinstance(value, (dict, list)) else "any"

    def union(self, types: list[str]) -> str:
        return " | ".join(types)

    def array(self, item: str) -> str:
        return f"({item})[]" if " | " in item or " & " in item else f"{item}[]"

    def tuple(self, items: list[str], rest: str | None) -> str:
        return f"[{', '.join([*items, *([] if rest is None else [f'...{self.array(rest)}'])])}]"

    def mapping(self, value: str) -> str:
        return f"{{[name: string]: {value}}}"  # a Record could not refer to itself

    def record(self, schema: dict[str, Any], place: Place) -> str:
        required = schema.get("required", ())
        lines = [
            line
            for name, each in schema.get("properties", {}).items()
            for line in self._field(name, each, name in required, (*place, "properties", name))
        ]
        written = "\n".join(["{", *lines, "}"]) if lines else "{}"
        others = schema.get("additionalProperties")
        if isinstance(others, dict):
            written += f" & {self.mapping(self.type_of(others, (*place, 'additionalProperties')))}"
        return written

    def named(self, place: Place) -> str:
        name = f"{self._tool}${NAMES.wire_name(self.references.name(place))}"
        if place not in self._declared:
            self._declared[place] = ""  # reserved before it is written: it may refer to itself
            self._declared[place] = f"type {name} = {self.type_of(self.references.at(place), place)};"
        return name

    def declarations(self) -> list[str]:
        """Return the declarations of the types to which the written types refer."""
        return list(self._declared.values())

    def _field(self, name: str, schema: Any, required: bool, place: Place) -> list[str]:
        """Return the lines of the field `name`: its description as comments, and its name and type.

        A comment after the type has the default, `integer`, and the keywords that the type does not express. An optional field has `?` after its
        name.
        """
        written = self.type_of(schema, place, commented=True)
        notes = [f"default: {_json(schema['default'])}"] if isinstance(schema, dict) and "default" in schema else []
        notes += ["integer"] if isinstance(schema, dict) and _has_integers(schema) else []
        notes += [note] if (note := self.comment(schema)) else []
        key = name if name.isidentifier() and name.isascii() else _json(name)
        line = f"{key}{'' if required else '?'}: {written}," + (f" // {', '.join(notes)}" if notes else "")
        return [*_comment_lines(schema), line]

    def record_all_lost(self, schema: dict[str, Any], place: Place) -> None:
        super().record_all_lost(schema, place)
        if _has_integers(schema):
            self.record_lost(place, "type", schema["type"])


def _has_integers(schema: dict[str, Any]) -> bool:
    """Return whether `schema` has the type `integer`, which TypeScript lacks; False if it has an enum."""
    kind = schema.get("type")
    return "enum" not in schema and (kind == "integer" or (isinstance(kind, list) and "integer" in kind))


def _comment_lines(schema: Any) -> list[str]:
    """Return the description in `schema` as lines of comments, each with `//`; empty without one."""
    text = str(schema.get("description", "")) if isinstance(schema, dict) else ""
    return [f"// {line}".rstrip() for line in text.splitlines()]


def _json(value: Any) -> str:
    """Return `value` as JSON that is a TypeScript literal, too: U+2028 and U+2029 are escaped."""
    return json.dumps(value, ensure_ascii=False).replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


FORMAT = Format(
    name="typescript",
    source='OpenAI cookbook, "OpenAI harmony response format"',
    render=render,
    profile=Profile(provider="a signature", top_without=COMPOSITION),
    join=join,
    alphabet=NAMES,
)
