"""Bounds for the texts and numbers that a model writes, so that decoding ends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

Schema = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits of what a model may write, where a schema has none or wider ones.

    Attributes:
        texts: Whether texts must match their `pattern` and `format`: not every decoder can read every pattern.
        characters: The most characters of a text.
        items: The most items of an array, if its schema does not say how many.
        properties: The most properties of an object whose schema names none; None for any number.
    """

    texts: bool = True
    characters: int = 200
    items: int = 8
    properties: int | None = None

    def tightened(self) -> Limits:
        """Return limits of a quarter, and at least four characters and one item."""
        items = max(1, self.items // 4)
        return replace(self, characters=max(4, self.characters // 4), items=items, properties=items)


USUAL_LIMITS: Final = Limits()

LARGEST: Final = 10**15
"""The largest whole number, and negated the smallest, where a schema states no bound."""

FINEST: Final = 1e-6
"""The step between numbers that need not be whole, if the schema has no `multipleOf`: it limits the digits."""

BOUNDS: Final = ("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum")

_FORMATS: Final = {"date": 10, "date-time": 32, "time": 20, "uuid": 36, "email": 60, "ipv4": 15, "ipv6": 45}
"""Format -> the most characters of a text in it."""

_YEAR: Final = "^([1-9]|0[0-9]{0,2}[1-9])"
_SECONDS: Final = "[^:]*:[^:]*:[0-5]"
_NUMBER: Final = "[0-9]{1,4}"
_CLOCK: Final = f"T({_NUMBER}H({_NUMBER}M)?({_NUMBER}S)?|{_NUMBER}M({_NUMBER}S)?|{_NUMBER}S)"
_PATTERNS: Final = {
    "decimal": r"^-?(0|[1-9][0-9]{0,11})(\.[0-9]{1,6})?$",
    "fraction": "^-?[0-9]{1,9}(/[1-9][0-9]{0,8})?$",
    "byte": "^([A-Za-z0-9+/]{4}){0,50}$",
    "date": _YEAR,
    "time": f"^{_SECONDS}",
    "date-time": f"{_YEAR}{_SECONDS}",
    "duration": f"^P({_NUMBER}W|{_NUMBER}D({_CLOCK})?|{_CLOCK})$",
}
"""Format -> a pattern of texts in it: of formats that decoders do not know, and of times without leap seconds and the year 0."""

_UNREADABLE: Final = ("(?=", "(?!", "(?<", "\\b", "\\B", "\\1")
"""Parts of patterns that decoders cannot read, since they cannot look around."""


def text(given: Mapping[str, Any], limits: Limits = USUAL_LIMITS) -> Schema:
    """Return the schema of a text, with a bound of its length.

    Args:
        given: The schema.
        limits: The limits, unless the schema requires more characters.
    """
    form = given.get("format", "") if limits.texts else ""
    pattern = given.get("pattern", _PATTERNS.get(form)) if limits.texts else None
    is_readable = isinstance(pattern, str) and not any(each in pattern for each in _UNREADABLE)
    longest = _FORMATS.get(form, limits.characters)
    if is_readable and "pattern" in given:  # within a tight limit, perhaps no text matches
        longest = max(longest, USUAL_LIMITS.characters)
    least = given.get("minLength", 0)
    most = max(min(given.get("maxLength", longest), longest), least)
    written: Schema = {"type": "string", "minLength": least, "maxLength": most}
    if form in _FORMATS:
        written["format"] = form
    if is_readable:
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
    return {"anyOf": [text({}), number({}, "number"), {"type": "boolean"}, {"type": "null"}]}
