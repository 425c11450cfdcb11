"""What does a keyword of JSON Schema ask of a value, in words for a model?"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

_LONGEST_VALUE: Final = 60
MOST_CHOICES: Final = 30


def json_path(path: Iterable[str | int]) -> str:
    """Return a path the way jsonschema's `json_path` writes it: `$.items[2].qty`, `$['odd key']`."""
    written = "$"
    for segment in path:
        written += f"[{segment}]" if isinstance(segment, int) else _name_written(segment[: _LONGEST_VALUE + 1])
    return written


@lru_cache(maxsize=1024)  # the names of parameters, most of them
def _name_written(segment: str) -> str:
    if len(segment) > _LONGEST_VALUE:
        segment = f"{segment[:_LONGEST_VALUE]}…"
    elif segment.isidentifier() and segment.isascii() and segment[0] != "_":
        return f".{segment}"
    escaped = _json_text(segment)[1:-1].replace('\\"', '"').replace("'", "\\'")
    return f"['{escaped}']"


_UNPRINTABLE: Final = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def _json_text(value: object) -> str:
    """Return a JSON value as text that can be printed: what a terminal obeys, and what UTF-8 cannot carry, is escaped."""
    text = _ENCODER.encode(value)
    return text if text.isascii() and "\x7f" not in text else _UNPRINTABLE.sub(_escaped, text)


def _escaped(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


_ENCODER: Final = json.JSONEncoder(ensure_ascii=False)  # made once: `json.dumps` makes one for each call


def show(value: object) -> str:
    """Return a JSON value as bounded text."""
    if (
        type(value) is str
        and len(value) <= _LONGEST_VALUE - 2
        and value.isascii()
        and value.isprintable()
        and '"' not in value
        and "\\" not in value
    ):  # which JSON writes as it is, as most words are
        return f'"{value}"'
    try:
        text = _json_text(value)
    except (TypeError, ValueError, RecursionError):
        text = f"a {type(value).__name__}"
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}… ({len(text)} characters)"


def demand(keyword: str, limit: Any) -> str:
    """Return what a keyword with a value asks for: `must be at least 3`."""
    if keyword in _COUNTS:
        how_many, one, several = _COUNTS[keyword]
        return f"must have {how_many} {_whole(limit)} {one if limit == 1 else several}"
    if keyword in _WORDS:
        return _WORDS[keyword].format(show(limit))
    if keyword in _SPECIAL:
        return _SPECIAL[keyword](limit)
    return f"must satisfy {keyword}"


def _whole(count: float) -> str:
    return show(int(count))  # 2.0 is a count as good as 2 (2020-12 core, 4.2.3)


def _format(limit: Any) -> str:
    example = f" (such as {show(_EXAMPLES[limit])})" if limit in _EXAMPLES else ""
    return f"must be a string of the format {show(limit)}{example}"


def _type(limit: Any) -> str:
    names = [limit] if isinstance(limit, str) else sorted(limit)
    return "must be " + " or ".join(KINDS.get(name, name) for name in names)


def _enum(limit: Any) -> str:
    shown = ", ".join(map(show, limit[:MOST_CHOICES]))
    more = f", … ({len(limit)} values)" if len(limit) > MOST_CHOICES else ""
    if len(limit) == 1:
        return f"must be {shown}"
    return f"must be one of {shown or 'no values'}{more}"


def _not(limit: Any) -> str:
    said = {key: value for key, value in limit.items() if key != "type"} if isinstance(limit, dict) else {}
    if said.keys() == {"required"}:
        return "must not have " + " together with ".join(map(show, said["required"]))
    if said.keys() in ({"const"}, {"enum"}):
        return demand(*said.popitem()).replace("must be", "must not be", 1)
    return f"must not be of the form {show(limit)}"


def _items_of(limit: Any, how_many: str) -> str:
    count, form = limit
    return f"must have {how_many} {_whole(count)} item{'' if count == 1 else 's'} of the form {show(form)}"


_EXAMPLES: Final = {
    "byte": "aGVsbG8=",
    "date": "2026-01-31",
    "date-time": "2026-01-31T10:00:00Z",
    "decimal": "12.50",
    "duration": "PT2H30M",
    "time": "10:00:00",
    "uuid": "123e4567-e89b-12d3-a456-426614174000",
}
"""Format -> a text of it: its name alone is no help to a model that has written something else."""

KINDS: Final = {
    "array": "an array",
    "boolean": "a boolean",
    "integer": "an integer",
    "null": "null",
    "number": "a number",
    "object": "an object",
    "string": "a string",
}
_SPECIAL: Final = {
    "enum": _enum,
    "format": _format,
    "maxContains": lambda limit: _items_of(limit, "at most"),
    "minContains": lambda limit: _items_of(limit, "at least"),
    "not": _not,
    "type": _type,
}
_COUNTS: Final = {
    "minLength": ("at least", "character", "characters"),
    "maxLength": ("at most", "character", "characters"),
    "minItems": ("at least", "item", "items"),
    "maxItems": ("at most", "item", "items"),
    "minProperties": ("at least", "property", "properties"),
    "maxProperties": ("at most", "property", "properties"),
}
_WORDS: Final = {
    "const": "must be {}",
    "minimum": "must be at least {}",
    "maximum": "must be at most {}",
    "exclusiveMinimum": "must be greater than {}",
    "exclusiveMaximum": "must be less than {}",
    "multipleOf": "must be a multiple of {}",
    "pattern": "must match the pattern {}",
    "uniqueItems": "must have no item twice",
    "additionalProperties": "must have no more than the known items: {}",
    "items": "must have no more items",
    "propertyNames": "must have other property names",
    "anyOf": "must be of one of the allowed forms",
    "oneOf": "must be of exactly one of the allowed forms",
    "false schema": "must not be there",
    "schema": "must be of the form that the schema describes",
    "too large": "must be of the form that the schema describes, and is too large to say where it is not: send less at once",
}
