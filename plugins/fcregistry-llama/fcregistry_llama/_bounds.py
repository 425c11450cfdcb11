"""Bounds for the texts and numbers that a model writes, so that decoding ends."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

Schema = dict[str, Any]

MOST_CHARACTERS: Final = 200
"""The most characters of a text whose schema has no limit."""

LARGEST: Final = 10**15
"""The largest whole number, and negated the smallest, where a schema states no bound."""

FINEST: Final = 1e-6
"""The step between numbers that need not be whole, if the schema has no `multipleOf`: it limits the digits."""

BOUNDS: Final = ("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum")

_FORMATS: Final = {"date": 10, "date-time": 32, "time": 20, "uuid": 36, "email": 60, "ipv4": 15, "ipv6": 45}
"""Format -> the most characters of a text in it."""

_UNREADABLE: Final = ("(?=", "(?!", "(?<", "\\b", "\\B", "\\1")
"""Parts of patterns that decoders cannot read, since they cannot look around."""


def text(given: Mapping[str, Any], *, texts: bool, longest: int = MOST_CHARACTERS) -> Schema:
    """Return the schema of a text, with a bound of its length.

    Args:
        given: The schema.
        texts: Whether to keep the pattern and format.
        longest: The most characters, unless the schema requires more.
    """
    form = given.get("format", "") if texts else ""
    least = given.get("minLength", 0)
    most = max(min(given.get("maxLength", longest), _FORMATS.get(form, longest)), least)
    written: Schema = {"type": "string", "minLength": least, "maxLength": most}
    if form in _FORMATS:
        written["format"] = form
    pattern = given.get("pattern")
    if texts and isinstance(pattern, str) and not any(each in pattern for each in _UNREADABLE):
        written["pattern"] = pattern
    return written


def number(given: Mapping[str, Any], type_: str) -> Schema:
    """Return the schema of a number, with bounds.

    Args:
        given: The schema.
        type_: `integer` or `number`.
    """
    stated = {keyword: given[keyword] for keyword in BOUNDS if keyword in given}
    low = max((stated[each] for each in BOUNDS[:2] if each in stated), default=None)
    high = min((stated[each] for each in BOUNDS[2:] if each in stated), default=None)
    if low is None:
        stated["minimum"] = min(-LARGEST, (high or 0) - LARGEST)
    if high is None:
        stated["maximum"] = max(LARGEST, (low or 0) + LARGEST)
    if "multipleOf" in given:
        stated["multipleOf"] = given["multipleOf"]
    elif type_ == "number":
        stated["multipleOf"] = FINEST
    return {"type": type_, **stated}


def anything() -> Schema:
    """Return the schema of an unconstrained value: neither an object nor an array, which might never end."""
    return {"anyOf": [text({}, texts=False), number({}, "number"), {"type": "boolean"}, {"type": "null"}]}
