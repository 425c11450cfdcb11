"""Which arguments are meant by what stands in the brackets of `#E1 = tool[…]`? A JSON object; or text, read as the tool's schema has it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from fcregistry._base.json import SLIPS, ArgumentsError, read_text
from fcregistry.agents._evidence import REFERENCE, substituted, text_of
from fcregistry.dialects._json_text import typed

_STRING: Final = r'"(?>[^"\\]+|\\.)*+(?:"|\\?\Z)'
"""With or without an end, so that what is no string is not read again from every quotation mark on."""

_QUOTED: Final = r"(?<!\w)'(?>[^'\\]+|\\.)*+(?:'|\\?\Z)"
"""The same as Python writes it; an apostrophe within a word begins none."""

_BARE: Final = re.compile(rf"{_STRING}|{_QUOTED}|{REFERENCE.pattern}", re.DOTALL)
"""A string, or a reference that stands in none."""

_NAMED: Final = re.compile(r"\s*([A-Za-z_]\w*)\s*=(?!=)\s*(.*)", re.DOTALL)
_PIECES: Final = re.compile(rf"{_STRING}|{_QUOTED}|(?P<open>[\[({{])|(?P<close>[\])}}])|(?P<comma>,)", re.DOTALL)


class UnreadableError(ValueError):
    """Text that cannot be read as the arguments of a tool; the message tells a planner what to write."""


def arguments_of(text: str, schema: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the arguments that are meant by a text.

    A text that is no JSON object is the value of the one parameter that a tool needs; or it is `name=value, …`, or the values in their order.
    A reference may stand without quotes.

    Args:
        text: What stands in the brackets.
        schema: The tool's parameters; None of a tool that is not known.

    Raises:
        UnreadableError: It is neither.
    """
    text = text.strip()
    if not text:
        return {}
    if text.startswith("{"):
        return _object(text)
    if schema is None:
        raise UnreadableError("the arguments are no JSON object")
    pieces = _split(text)
    read = _named(pieces, schema) or _only(text, pieces, schema) or _in_order(pieces, schema)
    if read is None:
        takes = ", ".join(schema.get("properties", {})) or "no arguments"
        raise UnreadableError(f"the arguments are no JSON object, and it takes {takes}")
    return read


def with_evidence(arguments: dict[str, Any] | str, values: Mapping[str, Any], schema: Mapping[str, Any]) -> Any:
    """Return the arguments of a step with evidence in place of its references.

    A reference that is all of an argument gives the value itself; its text, where the tool takes nothing but text. Arguments that could not be read
    stay the text that they are: what a tool returned is never taken for the arguments of another.

    Args:
        arguments: The arguments, which stay as they are.
        values: What the references stand for.
        schema: The tool's parameters; empty of a tool that is not known.
    """
    if isinstance(arguments, str):
        return arguments
    made = substituted(arguments, values)
    known = schema.get("properties", {})
    changed = [name for name in made if made[name] != arguments[name]]
    return made | {name: text_of(made[name]) for name in changed if _takes_text(known.get(name), made[name])}


def _takes_text(schema: Any, value: Any = "") -> bool:
    """Tell whether a value is to be a text where a parameter stands: it takes no other, unless it is nothing and may be."""
    either = schema.get("anyOf", [schema]) if isinstance(schema, Mapping) else []
    kinds = {each.get("type") if isinstance(each, Mapping) else None for each in either}
    return "string" in kinds and kinds <= {"string", "null"} and not (value is None and "null" in kinds)


def _object(text: str) -> dict[str, Any]:
    quoted = _BARE.sub(lambda found: f'"{found[0]}"' if found[0].startswith("#") else found[0], text)
    try:
        value, _ = read_text(quoted, False, SLIPS, "the arguments")
    except ArgumentsError as error:
        raise UnreadableError(str(error)) from None
    assert isinstance(value, dict)  # it begins with a brace, and is read to its end
    return value


def _named(pieces: list[str], schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the arguments that are written `name=value, …`, if they are: the first one has the name of a parameter.

    A piece without a name goes on with the value before it, which is a text with a comma in it.

    Raises:
        UnreadableError: One is written twice.
    """
    first = _NAMED.fullmatch(pieces[0])
    if first is None or first[1] not in schema.get("properties", {}):
        return None
    name = first[1]
    written: dict[str, list[str]] = {}
    for piece in pieces:
        found = _NAMED.fullmatch(piece)
        if found is None:
            written[name].append(piece)
            continue
        name = found[1]
        if name in written:
            raise UnreadableError(f"{name} is written twice")
        written[name] = [found[2]]
    return {name: _value(",".join(parts), name, schema) for name, parts in written.items()}


def _only(text: str, pieces: list[str], schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return a text as the one argument that a tool needs, or takes, if there is one; not several values for a tool that takes more."""
    required, known = schema.get("required", ()), schema.get("properties", {})
    names = list(required if len(required) == 1 else known)
    if len(names) != 1:
        return None
    value = _value(text, names[0], schema)
    is_one = len(pieces) == 1 or len(pieces) > len(known) or _takes_text(known.get(names[0]))
    return {names[0]: value} if is_one or not isinstance(value, str) else None


def _in_order(pieces: list[str], schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the arguments that are written in the order of the parameters, if they can be."""
    known = schema.get("properties", {})
    if not len(schema.get("required", ())) <= len(pieces) <= len(known):
        return None
    return {name: _value(piece, name, schema) for name, piece in zip(known, pieces, strict=False)}


def _value(text: str, name: str, schema: Mapping[str, Any]) -> Any:
    """Return what a text stands for as the value of a parameter; one in quotes is what stands between them."""
    text = text.strip()
    if REFERENCE.fullmatch(text):
        return text
    if text[:1] in ('"', "'") and text[-1:] == text[:1]:
        try:
            value, _ = read_text(text, False, SLIPS, "the value")
        except ArgumentsError:
            return text
        return value
    quoted = _BARE.sub(lambda found: f'"{found[0]}"' if found[0].startswith("#") else found[0], text)
    value = typed(quoted, schema.get("properties", {}).get(name, {}), schema)
    return text if isinstance(value, str) else value


def _split(text: str) -> list[str]:
    """Return the pieces of a text between the commas that stand in no string and no bracket."""
    pieces, start, depth = [], 0, 0
    for found in _PIECES.finditer(text):
        if found["open"]:
            depth += 1
        elif found["close"]:
            depth -= 1
        elif found["comma"] and depth == 0:
            pieces.append(text[start : found.start()])
            start = found.end()
    return [*pieces, text[start:]]
