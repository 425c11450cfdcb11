'''Tools as Python functions with type hints and a docstring, for prompts.

Source: PEP 484 (type hints), PEP 589 (TypedDict), PEP 692 (Unpack), PEP 695 (type statements); docstrings in Google style.

def get_current_weather(location: str, unit: Literal["fahrenheit", "celsius"] = "fahrenheit") -> Weather:
    """Get the current weather in a given location."""
'''

from __future__ import annotations

import json
import keyword
import re
from typing import TYPE_CHECKING, Any, Final

from fcregistry.formats._format import Alphabet, Format
from fcregistry.formats._language import TypeWriter, merge_definitions
from fcregistry.formats._node import TextDefinition
from fcregistry.formats._profile import COMPOSITION, Profile

if TYPE_CHECKING:
    from fcregistry._schema.document import Place
    from fcregistry.formats._format import RenderInput


def render(rendering: RenderInput) -> TextDefinition:
    """Return the definitions of the classes to which a function refers, its signature and its docstring."""
    schema, returns = rendering.parameters, rendering.tool.returns
    whole = merge_definitions(schema, returns or {})
    types = _Types(whole or schema, rendering.name)
    parameters = _parameters(schema, types)
    dropped = tuple(types.dropped)
    results = types if whole is not None else _Types(returns or {}, rendering.name, types)
    result = "" if returns is None else f" -> {results.type_of(returns, ('properties', f'{rendering.name}_result'))}"
    signature = f"def {rendering.name}({', '.join(parameters)}){result}:"
    if len(signature) > _LONGEST_LINE:
        signature = "\n".join([f"def {rendering.name}(", *(f"    {each}," for each in parameters), f"){result}:"])
    described = {name: text for name, each in schema["properties"].items() if (text := types.comment_text(each))}
    body = _render_docstring(rendering.text, described)
    return TextDefinition("\n\n\n".join([*types.classes.values(), f"{signature}\n{body}"]), dropped)


def _parameters(schema: dict[str, Any], types: _Types) -> list[str]:
    """Return the parameters of the signature, for the parameters in `schema`, in the order of the schema.

    If one with a default precedes one without, `*` is inserted: calls name their arguments. Names that Python cannot write, and additional
    names, are in a last `**` parameter.
    """
    required = schema.get("required", ())
    written: list[str] = []
    properties = {name: each for name, each in schema["properties"].items() if NAMES.fits(name)}
    for name, each in properties.items():
        hint = types.type_of(each, ("properties", name), commented=True)
        default = python_value(each["default"]) if isinstance(each, dict) and "default" in each else "..."
        written.append(f"{name}: {hint}" if name in required else f"{name}: {hint} = {default}")
    needed = [name in required for name in properties]
    if sorted(needed, reverse=True) != needed:  # a parameter with a default precedes one without
        written.insert(needed.index(False), "*")
    return [*written, *_extra_parameters(schema, properties, types)]


def _extra_parameters(schema: dict[str, Any], listed: dict[str, Any], types: _Types) -> list[str]:
    """Return a list of one `**` parameter, for additional names and for those that are not in `listed`.

    Return an empty list if `schema` allows no such names.
    """
    others = schema.get("additionalProperties", True)
    odd = {name: each for name, each in schema["properties"].items() if name not in listed}
    if not odd and others is False:
        return []
    name = "others"
    while name in listed:
        name += "_"
    if odd:
        record = types.record({**schema, "properties": odd}, ("properties", name))
        return [f"**{name}: Unpack[{record}]"]
    return [f"**{name}: {types.type_of(others, ('additionalProperties',))}"]


def _render_docstring(text: str, described: dict[str, str]) -> str:
    """Return the indented body of the function: a docstring, or `...` if there is nothing to say.

    The docstring has the lines of `text`, and a section `Args:` with `described`: name of a parameter -> description.
    """
    lines = text.splitlines()
    if described:
        lines += [*([""] if lines else []), "Args:", *(f"    {name}: {each}" for name, each in described.items())]
    if not lines:
        return "    ..."
    plain = [f"    {_escape_quotes(line)}".rstrip() for line in lines]
    quoted = f'    """{plain[0][4:]}'
    if len(lines) == 1 and not plain[0].endswith('"'):
        return f'{quoted}"""'
    return "\n".join([quoted, *plain[1:], '    """'])


def _escape_quotes(text: str) -> str:
    """Return the line `text` with control characters, backslashes and triple quotes escaped."""
    return _escape_control(text).replace('"""', r"\"\"\"")


def _escape_control(text: str) -> str:
    """Return the line `text` with control characters and backslashes escaped, as in a Python string."""
    return _CONTROL.sub(lambda match: json.dumps(match[0])[1:-1], text)


_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\\]")

_LONGEST_LINE: Final = 100


# --- Types ---


NAMES: Final = Alphabet(first="[A-Za-z_]", rest="[A-Za-z0-9_]", reserved=frozenset(keyword.kwlist))
"""Identifiers of ASCII: Python language reference, "Identifiers and keywords"."""


class _Types(TypeWriter):
    language = "Python"
    scalars = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}  # noqa: RUF012  # a table
    anything = "Any"
    nothing = "Never"

    def __init__(self, schema: dict[str, Any], function: str, inherited: _Types | None = None) -> None:
        super().__init__(schema)
        self._function = function
        self._named: dict[Place, str] = {}
        self.classes: dict[str, str] = {} if inherited is None else inherited.classes

    def literal(self, value: Any) -> str:
        return (
            "None" if value is None else "Any" if isinstance(value, (dict, list)) else f"Literal[{python_value(value)}]"
        )

    def union(self, types: list[str]) -> str:
        values = [each[8:-1] for each in types if each.startswith("Literal[")]
        others = [each for each in types if not each.startswith("Literal[")]
        return " | ".join([*([f"Literal[{', '.join(values)}]"] if values else []), *others])

    def array(self, item: str) -> str:
        return f"list[{item}]"

    def tuple(self, items: list[str], rest: str | None) -> str:
        if rest is not None:
            return f"list[{self.union(list(dict.fromkeys([*items, rest])))}]"
        return f"tuple[{', '.join(items) or '()'}]"

    def mapping(self, value: str) -> str:
        return f"dict[str, {value}]"

    def record(self, schema: dict[str, Any], place: Place) -> str:
        name = self._free_name("".join(map(_pascal, _names_to(place))))
        self.classes[name] = ""  # reserved before its fields are written
        written = self.classes[name] = self.class_of(name, schema, place)
        same = next(other for other, each in self.classes.items() if each.replace(other, name, 1) == written)
        if same != name:
            del self.classes[name]
        return same

    def named(self, place: Place) -> str:
        if place not in self._named:
            target = self.references.at(place)
            name = self._named[place] = self._free_name(self.references.name(place))
            self.classes[name] = ""
            if isinstance(target, dict) and target.get("properties"):
                self.classes[name] = self.class_of(name, target, place)
            else:
                self.classes[name] = f"type {name} = {self.type_of(target, place)}"
        return self._named[place]

    def class_of(self, name: str, schema: dict[str, Any], place: Place) -> str:
        """Return the definition of the TypedDict `name`, with the properties in `schema`, which is at `place`."""
        required = schema.get("required", ())
        fields = {
            field: (self._hint(field, each, field in required, place), each)
            for field, each in schema.get("properties", {}).items()
        }
        if isinstance(schema.get("additionalProperties"), dict):
            self.record_lost(place, "additionalProperties", schema["additionalProperties"])
        if not all(
            NAMES.fits(field) and not field.startswith("__") for field in fields
        ):  # a class body cannot have such names, or would mangle them
            items = ", ".join(f"{python_value(field)}: {python_value(hint)}" for field, (hint, _) in fields.items())
            return f"{name} = TypedDict({python_value(name)}, {{{items}}})"
        lines = [f"    {field}: {hint}{self._note(each)}" for field, (hint, each) in fields.items()]
        return "\n".join([f"class {name}(TypedDict):", *(lines or ["    pass"])])

    def comment_text(self, schema: Any) -> str:
        """Return the comment on a parameter or field: its description, and keywords of its schema.

        They are the keywords that the type does not express.
        """
        text = " ".join(str(schema.get("description", "")).split()) if isinstance(schema, dict) else ""
        note = self.comment(schema)
        return f"{text} ({note})".strip() if note else text

    def _hint(self, name: str, schema: Any, required: bool, place: Place) -> str:
        """Return the type hint of the field `name`; `NotRequired[…]` unless it is `required`.

        `schema` is the field's; `place` is that of its TypedDict.
        """
        hint = self.type_of(schema, (*place, "properties", name), commented=True)
        return hint if required else f"NotRequired[{hint}]"

    def _note(self, schema: Any) -> str:
        """Return the comment that ends the line of a field: two spaces, `#`, and its text; empty without text.

        The text is that of `comment_text` for `schema`, the field's schema, and its default value.
        """
        note = self.comment_text(schema)
        if isinstance(schema, dict) and "default" in schema:
            word = (
                "Default" if note.endswith((".", "!", "?")) else ", default" if note else "default"
            )  # after a sentence
            note = f"{note}{' ' * (word == 'Default')}{word}: {python_value(schema['default'])}"
        return f"  # {_escape_control(note)}" if note else ""

    def _free_name(self, name: str) -> str:
        """Return an identifier made of `name` that is not in use; it does not become so.

        Names of other classes, some names of `typing` and that of the function are in use; then the lowest free number from 2 on is added. An
        empty name becomes "Record".
        """
        name, number = NAMES.wire_name(name or "Record"), 1
        free = name
        while free in self.classes or free in _RESERVED_NAMES or free == self._function:
            number += 1
            free = f"{name}{number}"
        return free


_RESERVED_NAMES: Final = frozenset({"Any", "Literal", "Never", "None", "NotRequired", "TypedDict", "Unpack"})


def _names_to(place: Place) -> list[str]:
    """Return the names of the definitions and properties on the way to `place`, from the outside in."""
    names, at = [], 0
    while at < len(place) - 1:
        takes_name = place[at] in ("$defs", "properties")
        if takes_name:
            names.append(str(place[at + 1]))
        at += 2 if takes_name or isinstance(place[at + 1], int) else 1
    return names


def _pascal(name: str) -> str:
    """Return `name` in Pascal case: `get_weather` becomes `GetWeather`.

    Only ASCII letters and digits are kept.
    """
    return "".join(part[:1].upper() + part[1:] for part in re.split(r"[^A-Za-z0-9]+", name))


def python_value(value: Any) -> str:
    """Return the JSON value `value` as a Python literal, with strings in double quotes."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, list):
        return f"[{', '.join(map(python_value, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{python_value(name)}: {python_value(each)}' for name, each in value.items())}}}"
    return repr(value)


FORMAT = Format(
    name="python",
    source="PEP 484, PEP 589, PEP 692, PEP 695",
    render=render,
    profile=Profile(provider="a signature", top_without=COMPOSITION),
    join="\n\n\n".join,
    alphabet=NAMES,
)
