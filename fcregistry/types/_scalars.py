"""How do None, bool, int, float, str and Any look in JSON?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, LiteralString

from fcregistry._base.json import JSON_KINDS, with_plain_floats
from fcregistry.types._core import Codec
from fcregistry.types._values import to_json

if TYPE_CHECKING:
    from fcregistry.types._core import Reader
    from fcregistry.types._writer import SchemaWriter


class NoneCodec(Codec):
    """None: `null`."""

    kinds = frozenset({"null"})
    plain = True
    natural = True

    def schema(self, writer: SchemaWriter) -> dict[str, Any]:
        return {"type": "null"}

    def accepts(self, value: object) -> bool:
        return value is None

    def handles(self, value: object) -> bool:
        return value is None


class BoolCodec(Codec):
    """bool: `true` and `false`, never 0 and 1."""

    kinds = frozenset({"boolean"})
    plain = True
    natural = True

    def schema(self, writer: SchemaWriter) -> dict[str, Any]:
        return {"type": "boolean"}

    def accepts(self, value: object) -> bool:
        return value is True or value is False

    handles = accepts


class IntCodec(Codec):
    """int: an integer as JSON Schema has it, so 2.0 is one (2020-12 core, 4.2.3); `true` is none."""

    kinds = frozenset({"number"})
    natural = True

    def schema(self, writer: SchemaWriter) -> dict[str, Any]:
        return {"type": "integer"}

    def accepts(self, value: object) -> bool:
        return type(value) is int or (isinstance(value, float) and value.is_integer())

    def decode(self, value: Any) -> Any:
        return value if type(value) is int else int(value)

    def handles(self, value: object) -> bool:
        return isinstance(value, int) and not isinstance(value, bool)

    def encode(self, value: Any) -> Any:
        return int.__int__(value)  # refuses any other type, of which a part would be lost


class FloatCodec(Codec):
    """float: any number. A whole one becomes a float, unless it is too large for one: then it stays an int."""

    kinds = frozenset({"number"})
    natural = True

    def schema(self, writer: SchemaWriter) -> dict[str, Any]:
        return {"type": "number"}

    def accepts(self, value: object) -> bool:
        return type(value) is int or (isinstance(value, float) and value - value == 0)

    def decode(self, value: Any) -> Any:
        if type(value) is float:
            return value
        try:
            return float(value)
        except OverflowError:
            return value

    def handles(self, value: object) -> bool:
        return isinstance(value, (int, float)) and not isinstance(value, bool) and value - value == 0  # NaN is no JSON

    def encode(self, value: Any) -> Any:
        return float.__float__(value) if isinstance(value, float) else int.__int__(value)  # as above


class StrCodec(Codec):
    """str: a string."""

    kinds = frozenset({"string"})
    plain = True
    natural = True

    def schema(self, writer: SchemaWriter) -> dict[str, Any]:
        return {"type": "string"}

    def accepts(self, value: object) -> bool:
        return type(value) is str

    def handles(self, value: object) -> bool:
        return isinstance(value, str)


class AnyCodec(Codec):
    """Any and object: every JSON value, as the JSON parser gives it."""

    kinds = JSON_KINDS
    natural = True
    hashable = False

    def schema(self, writer: SchemaWriter) -> dict[str, Any]:
        return {}

    def accepts(self, value: object) -> bool:
        return True

    def decode(self, value: Any) -> Any:
        return value if type(value) in _AS_IT_IS else with_plain_floats(value)

    def handles(self, value: object) -> bool:
        return True

    def encode(self, value: Any) -> Any:
        return to_json(value)


_AS_IT_IS: Final = frozenset({str, int, float, bool, type(None)})


SCALARS: Final[dict[Any, Codec]] = {
    None: NoneCodec(),
    type(None): NoneCodec(),
    bool: BoolCodec(),
    int: IntCodec(),
    float: FloatCodec(),
    str: StrCodec(),
    LiteralString: StrCodec(),
    Any: AnyCodec(),
    object: AnyCodec(),
}

ANY = AnyCodec()


def read(annotation: Any, reader: Reader) -> Codec | None:
    """Return the codec of a scalar type."""
    try:
        return SCALARS.get(annotation)
    except TypeError:  # an unhashable annotation is none of ours
        return None
