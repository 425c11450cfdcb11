"""The length of an array in each dimension, as `Shape` or numpy's own annotations state it."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, TypeVar, get_args, get_origin

from fcregistry.types import UnsupportedType

from fcregistry_numpy._aliases import resolve_alias

Lengths: TypeAlias = tuple[int | None, ...]
"""The length of each dimension; None for any length."""


class Shape:
    """Says how long an array is in each dimension: `Annotated[NDArray[np.float64], Shape(3, None)]`.

    Args:
        lengths: One a dimension, outermost first: a number of items, or None where any will do.

    Attributes:
        lengths: As given.

    Raises:
        TypeError: A length is neither None nor a whole number from 0 on.
    """

    __slots__ = ("lengths",)

    lengths: Lengths

    def __init__(self, *lengths: int | None) -> None:
        for length in lengths:
            if length is not None and (type(length) is not int or length < 0):
                raise TypeError(
                    f"Shape takes whole numbers from 0 on, and None where any length will do, not {length!r}"
                )
        object.__setattr__(self, "lengths", lengths)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a Shape does not change; make another")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Shape) and self.lengths == other.lengths

    def __hash__(self) -> int:
        return hash(self.lengths)

    def __repr__(self) -> str:
        return f"Shape({', '.join(map(str, self.lengths))})"


def annotated_lengths(shape: Any) -> Lengths | None:
    """Return the lengths that `shape`, the first argument of `np.ndarray[…]`, states.

    Return None if it does not state the number of dimensions.

    Args:
        shape: `tuple[int, Literal[3]]`, `tuple[int, ...]`, a NamedTuple with a field for each dimension, or Any.

    Raises:
        UnsupportedType: `shape` is none of these.
    """
    shape = resolve_alias(shape)
    if shape in (Any, tuple) or isinstance(shape, TypeVar):
        return None
    if isinstance(shape, type) and issubclass(shape, tuple) and hasattr(shape, "_fields"):
        return (None,) * len(shape._fields)
    lengths = get_args(shape)
    if get_origin(shape) is not tuple:
        raise UnsupportedType(
            f"{shape!r} is not the shape of an array; write tuple[int, int] for one of two dimensions"
        )
    if len(lengths) == 2 and lengths[1] is Ellipsis:
        return None
    return tuple(map(_length, lengths))


def _length(annotation: Any) -> int | None:
    """Return the length that `annotation` states, or None for any length.

    Raise `UnsupportedType` if it is not valid.
    """
    annotation = resolve_alias(annotation)
    if get_origin(annotation) is not Literal:
        return None  # int, or a name for it: any length
    values = get_args(annotation)
    if len(values) != 1 or type(values[0]) is not int or values[0] < 0:
        raise UnsupportedType(f"{annotation!r} is not a length; write one number, as in Literal[3], or int for any")
    return int(values[0])


def both(lengths: Lengths | None, shape: Shape) -> Lengths:
    """Return the lengths that an annotation (`lengths`) and a marker (`shape`) state together.

    Raises:
        UnsupportedType: They contradict each other.
    """
    if lengths is None:
        return shape.lengths
    if len(lengths) != len(shape.lengths):
        raise UnsupportedType(
            f"{shape!r} has {_count(shape.lengths)}, and the array is annotated with {_count(lengths)}"
        )
    for length, wanted in zip(lengths, shape.lengths, strict=True):
        if None not in (length, wanted) and length != wanted:
            raise UnsupportedType(f"{shape!r} says {wanted} where the array is annotated with the length {length}")
    return tuple(wanted if length is None else length for length, wanted in zip(lengths, shape.lengths, strict=True))


def _count(lengths: Lengths) -> str:
    """Return the number of dimensions in words."""
    return f"{len(lengths)} dimension{'' if len(lengths) == 1 else 's'}"
