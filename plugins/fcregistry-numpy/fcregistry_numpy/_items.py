"""The JSON values of an item of an array, for each of NumPy's scalar types, also abstract ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from fcregistry.types import UnsupportedType

_REASONS: Final = {
    "c": "JSON has no complex numbers; take two arrays, of the real and of the imaginary part",
    "g": "JSON has no more digits than a float64; use np.float64",
    "M": "no annotation tells its unit; take datetime.datetime, or the texts that np.datetime_as_string makes",
    "m": "no annotation tells its unit; take datetime.timedelta, or a number of a unit that the name tells",
    "O": "Python objects may be anything; take a list of what they are",
    "S": "bytes have no form of their own in JSON; take bytes, or np.uint8 for each of them",
    "T": "some of its strings may be missing; use np.str_, and convert with astype(str)",
    "V": "a record is an object in JSON; take a list of a dataclass",
}
"""The `char` of a dtype, or else its `kind` -> why it has no JSON form, and what to take instead."""

_FLOATS: Final = "efd"
_SIGNED: Final = np.typecodes["Integer"]
_UNSIGNED: Final = np.typecodes["UnsignedInteger"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """The kind of the items of an array.

    Attributes:
        name: Its name in schemas and messages: `float64`; empty for anything that has a JSON form.
        types: The JSON types of its values.
        dtype: The dtype with which arrays of it are made; None for the one that numpy chooses.
        held: The dtypes of the arrays that are of this kind, by their `char`.
        low: The least number; None if there is no limit.
        high: The greatest number; None if there is no limit.
    """

    name: str
    types: tuple[str, ...]
    dtype: np.dtype[Any] | None
    held: frozenset[str]
    low: float | None = None
    high: float | None = None

    @property
    def kinds(self) -> frozenset[str]:
        """The JSON kinds of its values."""
        return frozenset("number" if each == "integer" else each for each in self.types)

    @property
    def unsaid(self) -> tuple[str, ...]:
        """Sentences about its values that its schema cannot express."""
        said = []
        if self.dtype is None or self.dtype.char == "d":
            said.append("a whole number that is too large for a float64 is refused")
        if self.dtype is None:
            said.append("a whole number that would lose digits in an array with all others is refused")
        if "string" in self.types:
            said.append("a text that ends with the character U+0000 is refused")
        return tuple(said)

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of one item."""
        bounds = {"minimum": self.low, "maximum": self.high}
        stated = {keyword: limit for keyword, limit in bounds.items() if limit is not None}
        return {"type": self.types[0] if len(self.types) == 1 else list(self.types), **stated}

    def accepts(self, value: object) -> bool:
        """Return whether the JSON value `value` is such an item: exactly if the schema accepts it."""
        if isinstance(value, bool):
            return "boolean" in self.types
        if isinstance(value, str):
            return "string" in self.types
        if not isinstance(value, (int, float)) or "number" not in self.kinds or value - value != 0:
            return False
        if "integer" in self.types and isinstance(value, float) and not value.is_integer():
            return False
        return (self.low is None or value >= self.low) and (self.high is None or value <= self.high)


def reason_against(dtype: np.dtype[Any]) -> str | None:
    """Return the reason why arrays of `dtype` have no JSON form, or None if they have one.

    It says what to use instead.
    """
    return _REASONS.get(dtype.char) or _REASONS.get(dtype.kind)


def scalar_item(scalar: type[Any]) -> Item:
    """Return the item for the scalar type `scalar`.

    Args:
        scalar: A class of `np.generic`.

    Raises:
        UnsupportedType: The type has no JSON form, or includes several types.
    """
    if scalar not in np.sctypeDict.values():
        raise UnsupportedType(f"np.{scalar.__name__} stands for several types; use one of them, such as np.float64")
    dtype = np.dtype(scalar)
    if reason := reason_against(dtype):
        raise UnsupportedType(f"np.{scalar.__name__}: {reason}")
    if dtype.kind == "b":
        return Item(name="bool", types=("boolean",), dtype=dtype, held=frozenset("?"))
    if dtype.kind == "U":
        return Item(name="str", types=("string",), dtype=dtype, held=frozenset("U"))
    return _float(dtype) if dtype.kind == "f" else _integer(dtype)


def _float(dtype: np.dtype[Any]) -> Item:
    """Return the item for `dtype`, one of floats."""
    limit = None if dtype.char == "d" else float(np.finfo(dtype).max)  # a JSON number is a float64 anyway
    low = None if limit is None else -limit
    return Item(name=dtype.name, types=("number",), dtype=dtype, held=frozenset(dtype.char), low=low, high=limit)


def _integer(dtype: np.dtype[Any]) -> Item:
    """Return the item for `dtype`, one of integers."""
    held = frozenset(char for char in _SIGNED + _UNSIGNED if np.dtype(char) == dtype)  # int64 has two, or three
    limits = np.iinfo(dtype)
    return Item(name=dtype.name, types=("integer",), dtype=dtype, held=held, low=int(limits.min), high=int(limits.max))


def _several(name: str, like: type[Any], held: str) -> Item:
    """Return the item `name` for a type that includes several scalar types.

    Arrays of it are made with `like`, the widest type.

    `held` are the `char` of all their dtypes.
    """
    widest = scalar_item(like)
    return Item(
        name=name, types=widest.types, dtype=widest.dtype, held=frozenset(held), low=widest.low, high=widest.high
    )


_SHORT: Final = "".join(char for char in _UNSIGNED if np.dtype(char).itemsize < np.dtype(np.int64).itemsize)
_SEVERAL: Final[dict[type[Any], Item]] = {
    np.floating: _several("floating", np.float64, _FLOATS),
    np.integer: _several("integer", np.int64, _SIGNED + _SHORT),
    np.signedinteger: _several("signedinteger", np.int64, _SIGNED),
    np.unsignedinteger: _several("unsignedinteger", np.uint64, _UNSIGNED),
    np.number: Item(name="number", types=("number",), dtype=None, held=frozenset(_SIGNED + _UNSIGNED + _FLOATS)),
    np.generic: Item(
        name="",
        types=("boolean", "number", "string"),
        dtype=None,
        held=frozenset("?U" + _SIGNED + _UNSIGNED + _FLOATS),
    ),
}
"""Scalar types that include several types -> the item of an array of them."""


def item_of(scalar: type[Any]) -> Item:
    """Return the item for the scalar type `scalar`, which may include several types, as `np.integer` does.

    Raises:
        UnsupportedType: The type has no JSON form, or includes types without a common JSON form.
    """
    return _SEVERAL[scalar] if scalar in _SEVERAL else scalar_item(scalar)
