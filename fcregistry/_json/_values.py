"""JSON values: their kinds, and numbers with the digits they were written with."""

from __future__ import annotations

from typing import Any, Final

JSON_KINDS: Final = frozenset({"null", "boolean", "number", "string", "array", "object"})


def kind_of(value: object) -> str | None:
    """Return the JSON kind of a parsed value: `number` for 1 and 1.0, `boolean` for true; None if it is no JSON at all."""
    if value is None:
        return "null"
    return _KINDS.get(type(value))


class ExactFloat(float):
    """A JSON number with the digits it was written with, so that a Decimal of it has them all."""

    __slots__ = ("text",)

    text: str

    def __new__(cls, text: str) -> ExactFloat:
        """Return the number of a JSON text."""
        number = super().__new__(cls, text)
        number.text = text
        return number


def with_plain_floats(value: Any) -> Any:
    """Return a JSON value without `ExactFloat`s: what no Decimal is made of, and what validators know."""
    if isinstance(value, ExactFloat):
        return float(value)
    if type(value) is dict:
        return {name: with_plain_floats(item) for name, item in value.items()}
    return [with_plain_floats(item) for item in value] if type(value) is list else value


_KINDS: Final = {
    str: "string",
    bool: "boolean",
    int: "number",
    float: "number",
    ExactFloat: "number",
    list: "array",
    dict: "object",
}
