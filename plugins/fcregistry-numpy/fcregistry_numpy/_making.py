"""How do nested lists become an array, and what is wrong with those that become none?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
from fcregistry.types import Refusal
from numpy.typing import NDArray

from fcregistry_numpy._items import Item

MOST_TEXT: Final = 2**28
"""Bytes that the texts of one array may take. Each has the room of the longest, four bytes a character, whatever its own length."""


def make_array(item: Item, value: Any) -> NDArray[Any]:
    """Return the array of a JSON value whose items are known to be right, one by one.

    Raises:
        Refusal: Its rows are of different lengths, its items of different kinds, or numpy cannot hold one of them.
    """
    if "string" in item.kinds:
        _check_texts(value)
    if len(item.kinds) > 1:
        _check_alike(value)
    try:
        array = np.array(value, dtype=item.dtype)
        return array if array.dtype.kind != "O" else np.array(value, dtype=np.float64)  # beyond int64 and uint64
    except OverflowError:
        place = next(path for path, leaf in _leaves(value) if _is_beyond_floats(leaf))
        raise Refusal("is too large a number for a float64", place) from None
    except ValueError:
        _check_rows(value)
        raise Refusal("has more dimensions than an array can have") from None


def _leaves(value: Any, path: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], Any]]:
    """Yield what is no list in nested lists, each with its place."""
    if not isinstance(value, list):
        yield path, value
        return
    for position, part in enumerate(value):
        yield from _leaves(part, (*path, position))


def _check_texts(value: Any) -> None:
    count = longest = 0
    for path, leaf in _leaves(value):
        if isinstance(leaf, str):
            if leaf.endswith("\0"):  # numpy fills texts up with these, and takes them away again
                raise Refusal("must not end with the character U+0000", path)
            count, longest = count + 1, max(longest, len(leaf))
    if count * longest * 4 > MOST_TEXT:
        raise Refusal(f"{count} texts with the room of the longest, {longest} characters, are too many for an array")


def _check_alike(value: Any) -> None:
    first = None
    for path, leaf in _leaves(value):
        kind = {bool: "a boolean", str: "a string"}.get(type(leaf), "a number")
        first = first or kind
        if kind != first:
            raise Refusal(f"must be {first}, as the first item is", path)


def _check_rows(value: Any) -> tuple[int, ...]:
    """Return the shape of nested lists.

    Raises:
        Refusal: One is not shaped like the first beside it.
    """
    if not isinstance(value, list):
        return ()
    first: tuple[int, ...] | None = None
    for position, part in enumerate(value):
        try:
            shape = _check_rows(part)
        except Refusal as refusal:
            raise refusal.at(position) from None
        first = shape if first is None else first
        if shape != first:
            raise Refusal(f"must be {_shown(first)}, as the first beside it is", (position,))
    return (len(value), *(first or ()))


def _shown(shape: tuple[int, ...]) -> str:
    if not shape:
        return "a single value"
    return f"an array of {' by '.join(map(str, shape))} items"


def _is_beyond_floats(leaf: Any) -> bool:
    try:
        float(leaf)
    except OverflowError:
        return True
    return False
