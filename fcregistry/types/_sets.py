"""How do sets look in JSON? As arrays whose items differ."""

from __future__ import annotations

import collections.abc as abc
import inspect
from typing import TYPE_CHECKING, Any, Final, get_args

from fcregistry._base.json import with_plain_floats
from fcregistry.types._choices import is_json_scalar, key_of
from fcregistry.types._containers import ListCodec, decode_items
from fcregistry.types._core import Codec, UnsupportedType, origin_of, show_type
from fcregistry.types._values import to_json_text

if TYPE_CHECKING:
    from fcregistry.types._core import Reader
    from fcregistry.types._writer import SchemaWriter

SETS: Final[dict[Any, type[Any]]] = {
    set: set,
    abc.Set: set,
    abc.MutableSet: set,
    frozenset: frozenset,
}


class SetCodec(ListCodec):
    """A set: an array whose items differ as JSON; written in order of their JSON text."""

    def __init__(self, item: Codec, make: type[Any], abstract: bool = False) -> None:
        super().__init__(item, make, abstract)
        self.plain = self.natural = False
        self.hashable = make is frozenset

    def schema(self, writer: SchemaWriter) -> dict[str, Any]:
        return {**super().schema(writer), "uniqueItems": True}

    def accepts(self, value: object) -> bool:
        return super().accepts(value) and all_differ(value)  # type: ignore[arg-type]  # a list: just tested

    def decode(self, value: Any) -> Any:
        return self.make(decode_items([self.item] * len(value), value))

    def encode(self, value: Any) -> Any:
        encoded = {to_json_text(item): item for item in map(self.item.encode, value)}
        return [encoded[text] for text in sorted(encoded)]


def all_differ(values: list[Any]) -> bool:
    """Tell whether no two JSON values of a list are equal."""
    return len({json_key(value) for value in values}) == len(values)


def json_key(value: Any) -> object:
    """Return a hashable key that equal JSON values share: objects whatever their order, 1 and 1.0, but not 1 and true."""
    if is_json_scalar(value):
        return key_of(value)
    if isinstance(value, list):
        return ("array", tuple(map(json_key, value)))
    return ("object", frozenset((name, json_key(item)) for name, item in value.items()))


class ScalarCodec(Codec):
    """What a set without an item type may hold: strings, numbers, booleans and null."""

    kinds = frozenset({"string", "number", "boolean", "null"})

    def schema(self, writer: SchemaWriter) -> dict[str, Any]:
        return {"type": ["string", "number", "boolean", "null"]}

    def accepts(self, value: object) -> bool:
        return is_json_scalar(value)

    decode = staticmethod(with_plain_floats)
    handles = accepts


def read(annotation: Any, reader: Reader) -> Codec | None:
    """Return the codec of a set type."""
    origin = origin_of(annotation) or annotation
    try:
        make = SETS.get(origin)
    except TypeError:  # unhashable
        return None
    if make is None:
        return None
    return SetCodec(_item(annotation, reader), make, inspect.isabstract(origin))


def _item(annotation: Any, reader: Reader) -> Codec:
    arguments = get_args(annotation)
    if not arguments or arguments[0] is Any:
        return ScalarCodec()
    item = reader.read_in(arguments[0], annotation)
    if not item.hashable:
        raise UnsupportedType(
            f"{show_type(annotation)}: its items cannot stand in a set, since they are not hashable; take list[…] instead"
        )
    return item
