"""The codec of arrays: nested arrays in JSON, with the lengths that its type states."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any, Final

import numpy as np
from fcregistry.types import Codec, Named, SchemaWriter
from numpy.typing import NDArray

from fcregistry_numpy._encoding import encode_array, is_finite, is_masked
from fcregistry_numpy._items import Item
from fcregistry_numpy._making import make_array
from fcregistry_numpy._shapes import Lengths, Shape, both


class _ArrayCodec(Codec):
    """The base of the codecs of arrays: the part that does not depend on the number of dimensions.

    Args:
        item: The kind of its items.
    """

    kinds = frozenset({"array"})
    hashable = False

    def __init__(self, item: Item) -> None:
        self._item = item

    def decode(self, value: Any) -> NDArray[Any]:
        return make_array(self._item, value)

    def handles(self, value: object) -> bool:
        return (
            isinstance(value, np.ndarray)
            and value.dtype.char in self._item.held
            and self._fits(value.shape)
            and is_finite(value)
            and not is_masked(value)
        )

    def _fits(self, shape: tuple[int, ...]) -> bool:
        """Return whether an array of `shape` is of this type; a subclass defines it."""
        raise TypeError(f"{type(self).__name__} has no shape")

    def encode(self, value: Any) -> Any:
        return encode_array(value)


class ShapedCodec(_ArrayCodec):
    """The codec of arrays with a given number of dimensions, each of a given length or of any length.

    Args:
        item: The kind of their items.
        lengths: The length of each dimension, or None, outermost first.
    """

    def __init__(self, item: Item, lengths: Lengths) -> None:
        super().__init__(item)
        self._lengths = lengths
        self.kinds = self.kinds if lengths else item.kinds
        self.unsaid = (*_unsaid(item), *(_ROWS if None in lengths[1:] else ()))

    def schema(self, writer: SchemaWriter) -> dict[str, Any]:
        schema = self._item.schema()
        for length in reversed(self._lengths):
            exactly = {} if length is None else {"minItems": length, "maxItems": length}
            schema = {"type": "array", "items": schema, **exactly}
        return schema

    def accepts(self, value: object) -> bool:
        return self._accepts(value, self._lengths)

    def _accepts(self, value: object, lengths: Lengths) -> bool:
        """Return whether `value` is an array in JSON with `lengths`, one for each dimension."""
        if not lengths:
            return self._item.accepts(value)
        if type(value) is not list or lengths[0] not in (None, len(value)):
            return False
        return all(self._accepts(part, lengths[1:]) for part in value)

    def decode(self, value: Any) -> NDArray[Any]:
        array = super().decode(value)
        # For an array without items, JSON has no length after the first that is 0.
        lost = self._lengths[array.ndim :]
        return array.reshape(array.shape + tuple(length or 0 for length in lost)) if lost else array

    def _fits(self, shape: tuple[int, ...]) -> bool:
        return len(shape) == len(self._lengths) and all(
            wanted in (None, length) for wanted, length in zip(self._lengths, shape, strict=True)
        )

    def marked(self, marker: Any) -> Codec | None:
        return array_codec(self._item, both(self._lengths, marker)) if isinstance(marker, Shape) else None


class AnyShapeCodec(_ArrayCodec, Named):
    """The codec of arrays with any number of dimensions, at least one: its schema refers to itself.

    Args:
        item: The kind of their items.
    """

    def __init__(self, item: Item) -> None:
        super().__init__(item)
        self.unsaid = (*_unsaid(item), *_ROWS)

    @property
    def title(self) -> str:
        return f"{self._item.name}_array".removeprefix("_")

    @property
    def full_name(self) -> str:
        return f"numpy.{self.title}"

    def children(self) -> Iterable[Codec]:
        return (self,)

    def schema(self, writer: SchemaWriter) -> dict[str, Any]:
        return {"type": "array", "items": {"anyOf": [self._item.schema(), writer.write(self)]}}

    def accepts(self, value: object) -> bool:
        return type(value) is list and all(self._item.accepts(part) or self.accepts(part) for part in value)

    def _fits(self, shape: tuple[int, ...]) -> bool:
        return bool(shape)

    def marked(self, marker: Any) -> Codec | None:
        return array_codec(self._item, marker.lengths) if isinstance(marker, Shape) else None


@cache
def array_codec(item: Item, lengths: Lengths | None) -> Codec:
    """Return the codec of arrays. Equal arguments give the same codec, so that a schema contains it once.

    Args:
        item: The kind of their items.
        lengths: The length of each dimension; None for any number of dimensions.
    """
    return AnyShapeCodec(item) if lengths is None else ShapedCodec(item, lengths)


_ROWS: Final = (
    "rows of different lengths are refused",
    "of an array without items, JSON keeps no length after the first that is 0",
)


def _unsaid(item: Item) -> tuple[str, ...]:
    """Return sentences about arrays of `item` that their schema cannot express."""
    said = list(item.unsaid)
    if "string" in item.types:
        said.append("texts of more than 256 MiB together are refused, where each has the room of the longest")
    if len(item.types) > 1:
        said.append("items of different kinds are refused")
    if item.dtype is not None and item.name != item.dtype.name and len(item.held) > 1:
        said.append(f"an array comes back as {item.dtype}, whatever it was")
    return tuple(said)
