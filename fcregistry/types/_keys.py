"""How do the keys of a dict look in JSON? As property names, which are strings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fcregistry.types._core import Codec, UnsupportedType, show_type
from fcregistry.types._decimals import TEXT as DECIMAL_TEXT
from fcregistry.types._decimals import DecimalCodec
from fcregistry.types._scalars import AnyCodec, IntCodec, StrCodec

if TYPE_CHECKING:
    from fcregistry.types._core import Reader

_WHOLE_NUMBER = "^(0|-?[1-9][0-9]*)$"
_LONGEST_NUMBER = 1000  # digits: int() has a limit of its own (4300), and no key needs this many


class KeyCodec:
    """Keys that are strings in Python too, as their codec says.

    Args:
        codec: The codec of the key's type.
    """

    def __init__(self, codec: Codec) -> None:
        self._codec = codec
        self.plain = codec.plain

    def names(self) -> dict[str, Any]:
        """Return the schema of the property names; empty where every name will do."""
        if type(self._codec) is StrCodec:
            return {}
        from fcregistry.types._writer import SchemaWriter  # a key's schema never refers to a record

        schema = self._codec.schema(SchemaWriter([self._codec]))
        return {} if schema == {"type": "string"} else schema

    def accepts(self, name: str) -> bool:
        """Tell whether a property name is a key."""
        return self._codec.accepts(name)

    def decode(self, name: str) -> Any:
        """Return the key of a property name."""
        return self._codec.decode(name)

    def handles(self, key: object) -> bool:
        """Tell whether a Python value is such a key."""
        return self._codec.handles(key)

    def encode(self, key: Any) -> str:
        """Return the property name of a key."""
        return str(self._codec.encode(key))


class IntKeyCodec(KeyCodec):
    """Whole numbers, written without leading zeros."""

    def __init__(self) -> None:
        super().__init__(IntCodec())

    def names(self) -> dict[str, Any]:
        return {"type": "string", "pattern": _WHOLE_NUMBER, "maxLength": _LONGEST_NUMBER}

    def accepts(self, name: str) -> bool:
        digits = name.removeprefix("-")
        if not (digits.isascii() and digits.isdigit() and len(name) <= _LONGEST_NUMBER):
            return False
        return digits[0] != "0" or name == "0"

    def decode(self, name: str) -> Any:
        return int(name)


def read_key(annotation: Any, reader: Reader, outer: Any) -> KeyCodec:
    """Return the codec of a dict's key type.

    Raises:
        UnsupportedType: Keys that no JSON object can have.
    """
    codec = reader.read_in(annotation, outer)
    if isinstance(codec, DecimalCodec):
        codec = DECIMAL_TEXT
    if isinstance(codec, IntCodec):
        return IntKeyCodec()
    if isinstance(codec, AnyCodec):
        return KeyCodec(StrCodec())
    if codec.kinds == {"string"} and codec.hashable:
        return KeyCodec(codec)
    raise UnsupportedType(
        f"in {show_type(outer)}: the keys of a JSON object are strings; {show_type(annotation)} has another form. Take str or int"
    )
