"""Reads numpy's annotations into codecs."""

from __future__ import annotations

from typing import Any, TypeVar, get_args, get_origin

import numpy as np
from fcregistry.types import Codec, TypeReader, UnsupportedType

from fcregistry_numpy._aliases import resolve_alias
from fcregistry_numpy._arrays import array_codec
from fcregistry_numpy._items import Item, item_of, scalar_item
from fcregistry_numpy._scalars import ScalarCodec
from fcregistry_numpy._shapes import annotated_lengths


def read(annotation: Any, reader: TypeReader) -> Codec | None:
    """Return the codec of `annotation` if it is an array or scalar type of NumPy, else None.

    Raises:
        UnsupportedType: The type has no JSON form. The message says why, and what to write instead.
    """
    cls = get_origin(annotation) or annotation
    if not isinstance(cls, type):
        return None
    if cls is np.ndarray:
        shape, dtype = (*get_args(annotation), Any, Any)[:2]
        return array_codec(_item(dtype), annotated_lengths(shape))
    if issubclass(cls, np.generic):
        return ScalarCodec(cls, scalar_item(cls))
    if issubclass(cls, np.ndarray):
        raise UnsupportedType(f"np.{cls.__name__}: use np.ndarray or NDArray[…], and convert the array in the function")
    return None


def _item(dtype: Any) -> Item:
    """Return the item that `dtype`, the second argument of `np.ndarray[…]`, names.

    By default, it is the item for any type.

    Raises:
        UnsupportedType: `dtype` names no type of items, or a type without a JSON form.
    """
    dtype = resolve_alias(dtype)
    if isinstance(dtype, type) and issubclass(dtype, np.dtype):
        scalar: Any = getattr(dtype, "type", None) or Any  # np.dtypes.Float64DType has one, np.dtype has none
    elif get_origin(dtype) is np.dtype:
        scalar = resolve_alias(get_args(dtype)[0])
    else:
        scalar = dtype
    if isinstance(scalar, TypeVar):
        scalar = scalar.__bound__ or Any
    scalar = np.generic if scalar is Any else get_origin(scalar) or scalar  # np.floating[Any]
    if not (isinstance(scalar, type) and issubclass(scalar, np.generic)):
        raise UnsupportedType(f"{dtype!r} names no type of items; write np.dtype[np.float64], or another scalar type")
    return item_of(scalar)
