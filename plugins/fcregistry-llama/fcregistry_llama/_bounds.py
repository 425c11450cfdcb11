"""Bounds of texts and numbers that a model writes: those of the schema, else generous ones, so that decoding comes to an end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

Schema = dict[str, Any]

MOST_CHARACTERS: Final = 200
"""Characters of a text, where nothing else is said."""

LARGEST: Final = 10**15
"""The greatest whole number, and with a minus the smallest, where a schema states no bound."""

FINEST: Final = 1e-6
"""What a number that is not whole is a multiple of, where its schema states nothing: its digits come to an end."""

BOUNDS: Final = ("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum")

_FORMATS: Final = {"date": 10, "date-time": 32, "time": 20, "uuid": 36, "email": 60, "ipv4": 15, "ipv6": 45}
"""Format -> characters of a text of it."""

_UNREADABLE: Final = ("(?=", "(?!", "(?<", "\\b", "\\B", "\\1")
"""What patterns of decoders, which never look around, cannot hold."""


def text(given: Mapping[str, Any], *, texts: bool, longest: int = MOST_CHARACTERS) -> Schema:
    """Return the bounded form of a text's schema.

    Args:
        given: The schema.
        texts: Whether to hold the text to its pattern and format.
        longest: Characters that it may have, if its schema does not ask for more.
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
    """Return the bounded form of the schema of a number, of the type `integer` or `number`."""
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
    """Return the form of a value of which nothing is said: no record and no list, which would have no end."""
    return {"anyOf": [text({}, texts=False), number({}, "number"), {"type": "boolean"}, {"type": "null"}]}
