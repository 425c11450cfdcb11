'''How is a tool declared in Python, for prompts? A function with type hints and a docstring.

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
from fcregistry.formats._language import TypeWriter, with_definitions
from fcregistry.formats._node import TextDefinition
from fcregistry.formats._profile import PUT_TOGETHER, Profile

if TYPE_CHECKING:
    from fcregistry._schema.document import Place
    from fcregistry.formats._format import RenderInput

NAMES: Final = Alphabet(first="[A-Za-z_]", rest="[A-Za-z0-9_]", reserved=frozenset(keyword.kwlist))
"""Identifiers of ASCII: Python language reference, "Identifiers and keywords"."""

_LONGEST_LINE: Final = 100
_TAKEN: Final = frozenset({"Any", "Literal", "Never", "None", "NotRequired", "TypedDict", "Unpack"})
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\\]")


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
        name = self._free_name("".join(map(_pascal, _names_in(place))))
        self.classes[name] = ""  # taken before its fields are written
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
        """Return a TypedDict of an object's names."""
        required = schema.get("required", ())
        fields = {
            field: (self._hint(field, each, field in required, place), each)
            for field, each in schema.get("properties", {}).items()
        }
        if isinstance(schema.get("additionalProperties"), dict):
            self.record_lost(place, "additionalProperties", schema["additionalProperties"])
        if not all(NAMES.fits(field) and not field.startswith("__") for field in fields):  # a class would mangle those
            items = ", ".join(f"{python_value(field)}: {python_value(hint)}" for field, (hint, _) in fields.items())
            return f"{name} = TypedDict({python_value(name)}, {{{items}}})"
        lines = [f"    {field}: {hint}{self._note(each)}" for field, (hint, each) in fields.items()]
        return "\n".join([f"class {name}(TypedDict):", *(lines or ["    pass"])])

    def told(self, schema: Any) -> str:
        """Return what is told of a parameter or field: its description, and what its type does not say."""
        text = " ".join(str(schema.get("description", "")).split()) if isinstance(schema, dict) else ""
        said = self.comment(schema)
        return f"{text} ({said})".strip() if said else text

    def _hint(self, name: str, schema: Any, required: bool, place: Place) -> str:
        hint = self.type_of(schema, (*place, "properties", name), commented=True)
        return hint if required else f"NotRequired[{hint}]"

    def _note(self, schema: Any) -> str:
        default = (
            f"default: {python_value(schema['default'])}" if isinstance(schema, dict) and "default" in schema else ""
        )
        said = ", ".join(part for part in (self.told(schema), default) if part)
        return f"  # {_plain(said)}" if said else ""

    def _free_name(self, name: str) -> str:
        name, number = NAMES.wire_name(name or "Record"), 1
        free = name
        while free in self.classes or free in _TAKEN or free == self._function:
            number += 1
            free = f"{name}{number}"
        return free


def _names_in(place: Place) -> list[str]:
    """Return the names of definitions and properties that lead to a place."""
    names, at = [], 0
    while at < len(place) - 1:
        takes_name = place[at] in ("$defs", "properties")
        if takes_name:
            names.append(str(place[at + 1]))
        at += 2 if takes_name or isinstance(place[at + 1], int) else 1
    return names


def _pascal(name: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in re.split(r"[^A-Za-z0-9]+", name))


def python_value(value: Any) -> str:
    """Return a JSON value as Python writes it, texts in double quotes."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, list):
        return f"[{', '.join(map(python_value, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{python_value(name)}: {python_value(each)}' for name, each in value.items())}}}"
    return repr(value)


def render(rendering: RenderInput) -> TextDefinition:
    """Return a function's signature and docstring, after the classes that it refers to."""
    schema, returns = rendering.parameters, rendering.tool.returns
    whole = with_definitions(schema, returns or {})
    types = _Types(whole or schema, rendering.name)
    parameters = _parameters(schema, types)
    dropped = tuple(types.dropped)
    results = types if whole is not None else _Types(returns or {}, rendering.name, types)
    result = "" if returns is None else f" -> {results.type_of(returns, ('properties', f'{rendering.name}_result'))}"
    signature = f"def {rendering.name}({', '.join(parameters)}){result}:"
    if len(signature) > _LONGEST_LINE:
        signature = "\n".join([f"def {rendering.name}(", *(f"    {each}," for each in parameters), f"){result}:"])
    described = {name: told for name, each in schema["properties"].items() if (told := types.told(each))}
    body = _docstring(rendering.text, described)
    return TextDefinition("\n\n\n".join([*types.classes.values(), f"{signature}\n{body}"]), dropped)


def _parameters(schema: dict[str, Any], types: _Types) -> list[str]:
    """Return the parameters as they stand in the signature; calls name their arguments, so order matters only to Python."""
    required = schema.get("required", ())
    written: list[str] = []
    properties = {name: each for name, each in schema["properties"].items() if NAMES.fits(name)}
    for name, each in properties.items():
        hint = types.type_of(each, ("properties", name), commented=True)
        default = python_value(each["default"]) if isinstance(each, dict) and "default" in each else "..."
        written.append(f"{name}: {hint}" if name in required else f"{name}: {hint} = {default}")
    needed = [name in required for name in properties]
    if sorted(needed, reverse=True) != needed:  # one with a default stands before one without
        written.insert(needed.index(False), "*")
    return [*written, *_others(schema, properties, types)]


def _others(schema: dict[str, Any], listed: dict[str, Any], types: _Types) -> list[str]:
    """Return the parameter that takes all names that no parameter can have, if there are such."""
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


def _docstring(text: str, described: dict[str, str]) -> str:
    lines = text.splitlines()
    if described:
        lines += [*([""] if lines else []), "Args:", *(f"    {name}: {told}" for name, told in described.items())]
    if not lines:
        return "    ..."
    plain = [f"    {_quotable(line)}".rstrip() for line in lines]
    quoted = f'    """{plain[0][4:]}'
    if len(lines) == 1 and not plain[0].endswith('"'):
        return f'{quoted}"""'
    return "\n".join([quoted, *plain[1:], '    """'])


def _quotable(text: str) -> str:
    return _plain(text).replace('"""', r"\"\"\"")


def _plain(text: str) -> str:
    """Return a line that Python reads as it is written: without control characters, backslashes doubled."""
    return _CONTROL.sub(lambda match: json.dumps(match[0])[1:-1], text)


FORMAT = Format(
    name="python",
    source="PEP 484, PEP 589, PEP 692, PEP 695",
    render=render,
    profile=Profile(taker="a signature", top_without=PUT_TOGETHER),
    join="\n\n\n".join,
    alphabet=NAMES,
)
