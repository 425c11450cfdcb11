"""Encodes arrays and scalars as lists and numbers with every digit, or says why it cannot."""

from __future__ import annotations

from typing import Any

import numpy as np
from fcregistry.types import EncodingError, to_json
from numpy.typing import NDArray

from fcregistry_numpy._items import reason_against


def encode_array(array: NDArray[Any]) -> Any:
    """Return `array` as nested lists, or as its only value if it has no dimensions.

    Raises:
        EncodingError: Its items have no JSON form, an item is not finite, or an item is masked.
    """
    if reason := reason_against(array.dtype):
        raise EncodingError(f"an array of the dtype {array.dtype} has no JSON form: {reason}")
    if is_masked(array):
        raise EncodingError("an array with masked items has no JSON form: fill them, with filled(…)")
    return array.tolist() if is_finite(array) else to_json(array.tolist())  # which refuses them, or writes null


def encode_scalar(scalar: np.generic) -> Any:
    """Return `scalar` as a JSON value.

    Raises:
        EncodingError: It is not finite.
    """
    return scalar.item() if is_finite(scalar) else to_json(scalar.item())  # as above


def is_finite(value: NDArray[Any] | np.generic) -> bool:
    """Return whether `value` contains neither NaN nor infinity."""
    return value.dtype.kind != "f" or bool(np.isfinite(value).all())


def is_masked(array: NDArray[Any]) -> bool:
    """Return whether `array` has masked items."""
    return type(array) is not np.ndarray and bool(np.ma.is_masked(array))
