"""The codecs of numpy's scalars: a number within its bounds, a boolean or a string."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from fcregistry.types import Codec, Refusal, SchemaWriter

from fcregistry_numpy._encoding import encode_scalar, is_finite
from fcregistry_numpy._items import Item

_PYTHON: Final[dict[str, tuple[type, ...]]] = {"b": (bool,), "i": (int,), "u": (int,), "f": (int, float), "U": (str,)}
"""Kind of a dtype -> the Python types whose values may replace its scalars, as in the default `x: np.float64 = 0.5`."""


class ScalarCodec(Codec):
    """The codec of one of numpy's scalar types.

    Args:
        cls: The class of its values.
        item: The kind of its values.
    """

    def __init__(self, cls: type[np.generic], item: Item) -> None:
        self._cls = cls
        self._item = item
        self._python = _PYTHON[np.dtype(cls).kind]
        self.kinds = item.kinds
        self.unsaid = item.unsaid

    def schema(self, writer: SchemaWriter) -> dict[str, Any]:
        return self._item.schema()

    def accepts(self, value: object) -> bool:
        return self._item.accepts(value)

    def decode(self, value: Any) -> Any:
        if isinstance(value, str) and value.endswith("\0"):  # numpy would remove it as padding
            raise Refusal("must not end with the character U+0000")
        try:
            return self._cls(value)
        except OverflowError:
            raise Refusal("is too large a number for a float64") from None

    def handles(self, value: object) -> bool:
        if isinstance(value, self._cls):
            return is_finite(value)
        return type(value) in self._python and self._item.accepts(value)

    def encode(self, value: Any) -> Any:
        return encode_scalar(value) if isinstance(value, np.generic) else value
