"""Makes an array from nested lists, or says what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
from fcregistry.types import Refusal
from numpy.typing import NDArray

from fcregistry_numpy._items import Item

MOST_TEXT: Final = 2**28
"""The most bytes of the texts of one array. Each text takes as much as the longest one, four bytes a character."""

_EXACT: Final = 2.0**53
"""The number below which float64 represents every whole number."""
_UINT64_MAX: Final = 2**64 - 1


def make_array(item: Item, value: Any) -> NDArray[Any]:
    """Return the array of the JSON value `value`, each of whose items is known to be valid.

    Raises:
        Refusal: Its rows are of different lengths, its items of different kinds, or numpy cannot hold one of them.
    """
    if "string" in item.kinds:
        _check_texts(value)
    if len(item.kinds) > 1:
        _check_alike(value)
    try:
        array = np.array(value, dtype=item.dtype)
        return array if item.dtype is not None else _with_every_digit(array, value)
    except OverflowError:
        place = next(path for path, leaf in _leaves(value) if _is_beyond_floats(leaf))
        raise Refusal("is too large a number for a float64", place) from None
    except ValueError:
        _check_rows(value)
        raise Refusal("has more dimensions than an array can have") from None


def _with_every_digit(array: NDArray[Any], value: Any) -> NDArray[Any]:
    """Return `array`, or another array that keeps every whole number in `value`.

    NumPy has made `array` of `value` without a dtype.

    NumPy makes float64 of 2**63 beside a smaller whole number, and Python objects of whole numbers beyond uint64.

    Raises:
        Refusal: No dtype can represent all of the numbers.
        OverflowError: A number is beyond float64.
    """
    if array.dtype.kind not in "fO" or not array.size:
        return array
    floats = np.array(value, dtype=np.float64)
    if (np.abs(floats) < _EXACT).all():  # decides without looking at each item in Python
        return floats
    leaves = list(_leaves(value))
    if all(isinstance(leaf, int) and 0 <= leaf <= _UINT64_MAX for _, leaf in leaves):
        return np.array(value, dtype=np.uint64)
    for path, leaf in leaves:
        if isinstance(leaf, int) and int(float(leaf)) != leaf:
            raise Refusal("is a whole number that would lose digits: no type of items holds it and all others", path)
    return floats


def _leaves(value: Any, path: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], Any]]:
    """Yield each value in the nested lists `value` that is not a list, with its place.

    Each place begins with `path`.
    """
    if not isinstance(value, list):
        yield path, value
        return
    for position, part in enumerate(value):
        yield from _leaves(part, (*path, position))


def _check_texts(value: Any) -> None:
    """Raise `Refusal` if NumPy would change a text in the nested lists `value`.

    Raise it, too, if all texts together need too much memory.
    """
    count = longest = 0
    for path, leaf in _leaves(value):
        if isinstance(leaf, str):
            if leaf.endswith("\0"):  # numpy fills texts up with these, and takes them away again
                raise Refusal("must not end with the character U+0000", path)
            count, longest = count + 1, max(longest, len(leaf))
    if count * longest * 4 > MOST_TEXT:
        raise Refusal(f"{count} texts with the room of the longest, {longest} characters, are too many for an array")


def _check_alike(value: Any) -> None:
    """Raise `Refusal` if the items in the nested lists `value` are of different kinds."""
    first = None
    for path, leaf in _leaves(value):
        kind = {bool: "a boolean", str: "a string"}.get(type(leaf), "a number")
        first = first or kind
        if kind != first:
            raise Refusal(f"must be {first}, as the first item is", path)


def _check_rows(value: Any) -> tuple[int, ...]:
    """Return the shape of the nested lists `value`.

    Raises:
        Refusal: A list has another shape than the first one beside it.
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
            raise Refusal(f"must be {_shape_text(first)}, as the first beside it is", (position,))
    return (len(value), *(first or ()))


def _shape_text(shape: tuple[int, ...]) -> str:
    """Return `shape` in words, for messages."""
    if not shape:
        return "a single value"
    return f"an array of {' by '.join(map(str, shape))} items"


def _is_beyond_floats(leaf: Any) -> bool:
    """Return whether `leaf` is too large for a float."""
    try:
        float(leaf)
    except OverflowError:
        return True
    return False
