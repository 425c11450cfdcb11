"""How do lists, tuples and dicts look in JSON? As arrays and objects."""

from __future__ import annotations

import collections
import collections.abc as abc
import functools
import inspect
import typing
from typing import TYPE_CHECKING, Any, Final, get_args

from fcregistry.types._core import Codec, Refusal, UnsupportedType, origin_of, show_type
from fcregistry.types._keys import KeyCodec, read_key
from fcregistry.types._scalars import ANY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from fcregistry.types._core import Reader
    from fcregistry.types._writer import SchemaWriter

SEQUENCES: Final[dict[Any, type[Any]]] = {
    list: list,
    abc.Sequence: list,
    abc.MutableSequence: list,
    abc.Collection: list,
    abc.Iterable: list,
    abc.Iterator: list,
    abc.Generator: list,
    abc.AsyncIterable: list,
    abc.AsyncIterator: list,
    abc.AsyncGenerator: list,
    collections.deque: collections.deque,
}
"""Array types without a rule of their own -> what makes one. The asynchronous ones are what generators return, collected."""

MAPPINGS: Final[dict[Any, Callable[..., Any]]] = {
    dict: dict,
    abc.Mapping: dict,
    abc.MutableMapping: dict,
    collections.OrderedDict: collections.OrderedDict,
    collections.defaultdict: collections.defaultdict,
    collections.Counter: collections.Counter,
}


_INSTANCES: Final[dict[type[Any], tuple[type[Any], ...]]] = {list: (list, tuple), set: (set, frozenset)}
"""What an abstract type takes from Python beside what it makes of JSON: `Sequence[str] = ()` is a fine default."""


def decode_items(codecs: Iterable[Codec], values: list[Any]) -> list[Any]:
    """Decode values by a codec each, naming the position of one that is refused."""
    decoded = []
    for position, (codec, value) in enumerate(zip(codecs, values, strict=False)):
        try:
            decoded.append(codec.decode(value))
        except Refusal as refusal:
            raise refusal.at(position) from None
    return decoded


class ListCodec(Codec):
    """A sequence of any length, of one item type."""

    kinds = frozenset({"array"})
    hashable = False

    def __init__(self, item: Codec, make: type[Any], abstract: bool = False) -> None:
        self.item = item
        self.make = make
        self._instances = _INSTANCES.get(make, (make,)) if abstract else (make,)
        self.plain = item.plain and make is list
        self.natural = item.natural and make in (list, tuple)
        self.hashable = make is tuple and item.hashable

    def children(self) -> Iterable[Codec]:
        return (self.item,)

    def schema(self, writer: SchemaWriter) -> dict[str, Any]:
        items = writer.write(self.item)
        return {"type": "array", "items": items} if items else {"type": "array"}

    def accepts(self, value: object) -> bool:
        return type(value) is list and all(map(self.item.accepts, value))

    def decode(self, value: Any) -> Any:
        if self.plain:
            return value
        decoded = value if self.item.plain else decode_items([self.item] * len(value), value)
        return decoded if self.make is list else self.make(decoded)

    def handles(self, value: object) -> bool:
        return isinstance(value, self._instances) and all(map(self.item.handles, value))

    def encode(self, value: Any) -> Any:
        return [self.item.encode(item) for item in value]


class TupleCodec(Codec):
    """A tuple of fixed length: `prefixItems`, and no more."""

    kinds = frozenset({"array"})

    def __init__(self, items: list[Codec]) -> None:
        self._items = items
        self.hashable = all(item.hashable for item in items)

    def children(self) -> Iterable[Codec]:
        return self._items

    def schema(self, writer: SchemaWriter) -> dict[str, Any]:
        prefix = {"prefixItems": [writer.write(item) for item in self._items]} if self._items else {}
        return {"type": "array", **prefix, "items": False, "minItems": len(self._items), "maxItems": len(self._items)}

    def accepts(self, value: object) -> bool:
        return (
            type(value) is list
            and len(value) == len(self._items)
            and all(item.accepts(part) for item, part in zip(self._items, value, strict=True))
        )

    def decode(self, value: Any) -> Any:
        return tuple(decode_items(self._items, value))

    def handles(self, value: object) -> bool:
        return (
            isinstance(value, tuple)
            and len(value) == len(self._items)
            and all(item.handles(part) for item, part in zip(self._items, value, strict=True))
        )

    def encode(self, value: Any) -> Any:
        return [item.encode(part) for item, part in zip(self._items, value, strict=True)]


class DictCodec(Codec):
    """A dict: an object; its keys are text in JSON, whatever they are in Python."""

    kinds = frozenset({"object"})
    hashable = False

    def __init__(self, key: KeyCodec, item: Codec, make: Callable[[], Any], origin: type[Any]) -> None:
        self._cls: type[abc.Mapping[Any, Any]] = abc.Mapping if origin in (dict, abc.MutableMapping) else origin
        self.key = key
        self.item = item
        self._make = make
        self.plain = key.plain and item.plain and make is dict
        self.natural = key.plain and item.natural

    def children(self) -> Iterable[Codec]:
        return (self.item,)

    def schema(self, writer: SchemaWriter) -> dict[str, Any]:
        schema: dict[str, Any] = {"type": "object"}
        if names := self.key.names():
            schema["propertyNames"] = names
        if items := writer.write(self.item):
            schema["additionalProperties"] = items
        return schema

    def accepts(self, value: object) -> bool:
        return type(value) is dict and all(map(self.key.accepts, value)) and all(map(self.item.accepts, value.values()))

    def decode(self, value: Any) -> Any:
        if self.plain:
            return value
        decoded = self._make()
        for name, item in value.items():
            try:
                self._put(decoded, self.key.decode(name), self.item.decode(item))
            except Refusal as refusal:
                raise refusal.at(name) from None
        return decoded

    @staticmethod
    def _put(decoded: Any, key: Any, item: Any) -> None:
        if key in decoded:  # two texts of one Decimal, say: the later would replace the earlier without a word
            raise Refusal("is another name of a key that is there already")
        decoded[key] = item

    def handles(self, value: object) -> bool:
        return (
            isinstance(value, self._cls)
            and all(map(self.key.handles, value))
            and all(map(self.item.handles, value.values()))
        )

    def encode(self, value: Any) -> Any:
        return {self.key.encode(name): self.item.encode(item) for name, item in value.items()}


def read(annotation: Any, reader: Reader) -> Codec | None:
    """Return the codec of an array or object type without fields."""
    origin = origin_of(annotation) or annotation
    if origin is tuple:
        return _tuple(annotation, get_args(annotation), reader)
    try:
        make = SEQUENCES.get(origin)
    except TypeError:  # unhashable
        return None
    if make is not None:
        arguments = get_args(annotation)
        item = reader.read_in(arguments[0], annotation) if arguments else ANY
        return ListCodec(item, make, abstract=make is not origin and inspect.isabstract(origin))
    return _mapping(annotation, origin, get_args(annotation), reader) if origin in MAPPINGS else None


def _mapping(annotation: Any, origin: Any, arguments: tuple[Any, ...], reader: Reader) -> Codec:
    if origin is collections.Counter:
        arguments = (*(arguments or (str,)), int)
    key, item = arguments or (str, Any)
    make = MAPPINGS[origin]
    if origin is collections.defaultdict:  # what a missing key gives is what an empty value of the type is
        empty = origin_of(item) or item
        make = functools.partial(make, empty if empty in _EMPTY else None)
    return DictCodec(read_key(key, reader, annotation), reader.read_in(item, annotation), make, origin)


_EMPTY: Final = frozenset({bool, int, float, str, bytes, list, tuple, set, frozenset, dict})
"""Types that make an empty value of their own when they are called."""


def _tuple(annotation: Any, arguments: tuple[Any, ...], reader: Reader) -> Codec:
    if annotation in (tuple, typing.Tuple):  # noqa: UP006  # the one without arguments, which is not the empty one
        return ListCodec(ANY, tuple)
    if getattr(annotation, "__unpacked__", False):
        raise UnsupportedType(
            f"{show_type(annotation)} unpacks a tuple inside of another; take tuple[…] of so many items, or tuple[T, ...]"
        )
    if len(arguments) == 2 and arguments[1] is Ellipsis:
        return ListCodec(reader.read_in(arguments[0], annotation), tuple)
    return TupleCodec([reader.read_in(item, annotation) for item in arguments])
