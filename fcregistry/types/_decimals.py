"""How does a Decimal look in JSON? As a number, or as a string of its digits; none is lost on the way."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from fcregistry._base.json import ExactFloat
from fcregistry.types._core import Codec
from fcregistry.types._formats import parse_decimal, show_decimal, takes
from fcregistry.types._texts import TextCodec

if TYPE_CHECKING:
    from fcregistry.types._core import Reader
    from fcregistry.types._writer import SchemaWriter

TEXT = TextCodec(Decimal, parse_decimal, show_decimal, format="decimal")
"""A Decimal where only a text may stand, such as the key of an object."""


class DecimalCodec(Codec):
    """Decimal: a string, or a number. A number keeps the digits it was written with; it is written as a string."""

    kinds = frozenset({"string", "number"})
    exact = True

    def schema(self, writer: SchemaWriter) -> dict[str, Any]:
        return {"type": ["number", "string"], "format": "decimal"}

    def accepts(self, value: object) -> bool:
        if type(value) is str:
            return takes(parse_decimal, value)
        return type(value) is int or (isinstance(value, float) and value - value == 0)

    def decode(self, value: Any) -> Any:
        if isinstance(value, str):
            return parse_decimal(value)
        if isinstance(value, float):
            return Decimal(value.text if isinstance(value, ExactFloat) else repr(value))
        return Decimal(value)

    def handles(self, value: object) -> bool:
        return isinstance(value, Decimal)

    def encode(self, value: Any) -> Any:
        return show_decimal(value)


_DECIMAL = DecimalCodec()


def read(annotation: Any, reader: Reader) -> Codec | None:
    """Return the codec of Decimal."""
    return _DECIMAL if annotation is Decimal else None
