"""Codecs of lists, tuples and sets (arrays in JSON), and of dicts (objects) and their keys."""

from __future__ import annotations

import collections
import collections.abc as abc
import functools
import inspect
import re
import typing
from typing import TYPE_CHECKING, Any, Final, get_args

from fcregistry._base.json import with_plain_floats
from fcregistry.types._choices import is_json_scalar, key_of
from fcregistry.types._codec import Codec, Refusal, SchemaWriter, UnsupportedType, origin_of, show_type
from fcregistry.types._scalars import ANY_CODEC, INT_CODEC, STR_CODEC, repeated_name_error, to_json_text
from fcregistry.types._strings import DECIMAL_TEXT, DecimalCodec, TextCodec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from fcregistry.types._codec import Reader


_LISTS = (list, abc.Sequence, abc.MutableSequence, abc.Collection, abc.Iterable, abc.Iterator, abc.Generator)
_ASYNC_LISTS = (abc.AsyncIterable, abc.AsyncIterator, abc.AsyncGenerator)  # the collected items of a generator

ARRAYS: Final[dict[Any, type[Any]]] = {
    **dict.fromkeys((*_LISTS, *_ASYNC_LISTS), list),
    **dict.fromkeys((set, abc.Set, abc.MutableSet), set),
    **{cls: cls for cls in (collections.deque, frozenset)},
}
"""Array types without a codec of their own -> the class that is made."""

MAPPINGS: Final[dict[Any, Callable[..., Any]]] = {
    **dict.fromkeys((dict, abc.Mapping, abc.MutableMapping), dict),
    **{cls: cls for cls in (collections.OrderedDict, collections.defaultdict, collections.Counter)},
}

_PYTHON_CLASSES: Final[dict[type[Any], tuple[type[Any], ...]]] = {list: (list, tuple), set: (set, frozenset)}
"""The class that is made of JSON -> the classes that an abstract type takes from Python: `Sequence[str] = ()` is a valid default."""


def read_containers(annotation: Any, reader: Reader) -> Codec | None:
    """Return the codec of an array type, or of an object type without fields; None for other annotations."""
    origin = origin_of(annotation) or annotation
    if origin is tuple:
        return _read_tuple(annotation, get_args(annotation), reader)
    try:
        make = ARRAYS.get(origin)
    except TypeError:  # unhashable
        return None
    if make in (set, frozenset):
        return SetCodec(_read_set_item(annotation, reader), make, inspect.isabstract(origin))
    if make is not None:
        arguments = get_args(annotation)
        item = reader.read_in(arguments[0], annotation) if arguments else ANY_CODEC
        return ListCodec(item, make, abstract=make is not origin and inspect.isabstract(origin))
    return _read_mapping(annotation, origin, get_args(annotation), reader) if origin in MAPPINGS else None


def _read_mapping(annotation: Any, origin: Any, arguments: tuple[Any, ...], reader: Reader) -> Codec:
    """Return the codec of a mapping type; without brackets, its keys are str and its items Any.

    The items of a Counter are int. A defaultdict gives an empty item for a missing key if the item type is built in, or else none.

    Args:
        annotation: The type, as written.
        origin: Its class, such as `dict`.
        arguments: The types in its brackets; empty if it has none.
        reader: Reads the types of keys and items.

    Raises:
        UnsupportedType: A type has no JSON form, or the keys are not strings in JSON.
    """
    if origin is collections.Counter:
        arguments = (*(arguments or (str,)), int)
    key, item = arguments or (str, Any)
    make = MAPPINGS[origin]
    if origin is collections.defaultdict:  # a missing key gives an empty value of the type
        empty = origin_of(item) or item
        make = functools.partial(make, empty if empty in _DEFAULT_FACTORIES else None)
    return DictCodec(read_key(key, reader, annotation), reader.read_in(item, annotation), make, origin)


_DEFAULT_FACTORIES: Final = frozenset({bool, int, float, str, bytes, list, tuple, set, frozenset, dict})
"""Types that return an empty value when they are called."""


def _read_tuple(annotation: Any, arguments: tuple[Any, ...], reader: Reader) -> Codec:
    """Return the codec of `tuple`, of `tuple[T, ...]`, or of a tuple of fixed length.

    Raises:
        UnsupportedType: It unpacks another tuple (`*tuple[…]`), or an item type has no JSON form.
    """
    if annotation in (tuple, typing.Tuple):  # noqa: UP006  # without arguments, which is not the empty tuple
        return ListCodec(ANY_CODEC, tuple)
    if getattr(annotation, "__unpacked__", False):
        raise UnsupportedType(
            f"{show_type(annotation)} unpacks a tuple in another: list the type of each item, or use tuple[T, ...]"
        )
    if len(arguments) == 2 and arguments[1] is Ellipsis:
        return ListCodec(reader.read_in(arguments[0], annotation), tuple)
    return TupleCodec([reader.read_in(item, annotation) for item in arguments])


class ListCodec(Codec):
    """A sequence of any length, of one item type."""

    kinds: frozenset[str] = frozenset({"array"})
    hashable: bool = False

    def __init__(self, item: Codec, make: type[Any], abstract: bool = False) -> None:
        self.item = item
        self.make = make
        self._instances = _PYTHON_CLASSES.get(make, (make,)) if abstract else (make,)
        self.plain: bool = item.plain and make is list
        self.natural: bool = item.natural and make in (list, tuple)
        self.hashable = make is tuple and item.hashable
        self._decode_item = None if item.plain else item.decode

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
        decoded = value
        if self._decode_item is not None:
            decode, decoded = self._decode_item, []
            try:
                for item in value:
                    decoded.append(decode(item))  # its length says which item is refused
            except Refusal as refusal:
                raise refusal.at(len(decoded)) from None
        return decoded if self.make is list else self.make(decoded)

    def handles(self, value: object) -> bool:
        return isinstance(value, self._instances) and all(map(self.item.handles, value))

    def encode(self, value: Any) -> Any:
        return [self.item.encode(item) for item in value]


class TupleCodec(Codec):
    """A tuple of fixed length: `prefixItems`, and no other items."""

    kinds: frozenset[str] = frozenset({"array"})

    def __init__(self, items: list[Codec]) -> None:
        self._items = items
        self.hashable: bool = all(item.hashable for item in items)

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
        decoded: list[Any] = []
        try:
            for item, part in zip(self._items, value, strict=True):
                decoded.append(item.decode(part))
        except Refusal as refusal:
            raise refusal.at(len(decoded)) from None
        return tuple(decoded)

    def handles(self, value: object) -> bool:
        return (
            isinstance(value, tuple)
            and len(value) == len(self._items)
            and all(item.handles(part) for item, part in zip(self._items, value, strict=True))
        )

    def encode(self, value: Any) -> Any:
        return [item.encode(part) for item, part in zip(self._items, value, strict=True)]


class DictCodec(Codec):
    """A dict: a JSON object. Its keys are text in JSON, even if they are not text in Python."""

    kinds: frozenset[str] = frozenset({"object"})
    hashable = False

    def __init__(self, key: Codec, item: Codec, make: Callable[[], Any], origin: type[Any]) -> None:
        self._cls: type[abc.Mapping[Any, Any]] = abc.Mapping if origin in (dict, abc.MutableMapping) else origin
        self.key = key
        self.item = item
        self._make = make
        self.plain: bool = key.plain and item.plain and make is dict
        self.natural: bool = key.plain and item.natural

    def children(self) -> Iterable[Codec]:
        return (self.item,)

    def schema(self, writer: SchemaWriter) -> dict[str, Any]:
        schema: dict[str, Any] = {"type": "object"}
        names = self.key.schema(SchemaWriter([self.key]))  # a key's schema never refers to a record
        if names != {"type": "string"}:
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
        """Add `item` to the dict `decoded` under `key`; raise Refusal if the dict has this key."""
        if key in decoded:  # such as two texts of one Decimal: the later would silently replace the earlier
            raise Refusal("is another name of a key that is there already")
        decoded[key] = item

    def handles(self, value: object) -> bool:
        return (
            isinstance(value, self._cls)
            and all(map(self.key.handles, value))
            and all(map(self.item.handles, value.values()))
        )

    def encode(self, value: Any) -> Any:
        encoded: dict[Any, Any] = {}
        for name, item in value.items():
            key = self.key.encode(name)
            if key in encoded:  # such as a Windows path and a POSIX path
                raise repeated_name_error(key)
            encoded[key] = self.item.encode(item)
        return encoded


# --- Sets ---


def _read_set_item(annotation: Any, reader: Reader) -> Codec:
    """Return the codec of the items of a set type; any JSON scalar if it names no item type, or `Any`.

    Raises:
        UnsupportedType: The items are not hashable, or have no JSON form.
    """
    arguments = get_args(annotation)
    if not arguments or arguments[0] is Any:
        return ScalarCodec()
    item = reader.read_in(arguments[0], annotation)
    if not item.hashable:
        raise UnsupportedType(
            f"{show_type(annotation)}: its items are not hashable, so they cannot be in a set; take list[…] instead"
        )
    return item


class SetCodec(ListCodec):
    """A set: an array whose items differ as JSON. It is written in the order of their JSON text."""

    def __init__(self, item: Codec, make: type[Any], abstract: bool = False) -> None:
        super().__init__(item, make, abstract)
        self.plain = self.natural = False
        self.hashable = make is frozenset

    def schema(self, writer: SchemaWriter) -> dict[str, Any]:
        return {**super().schema(writer), "uniqueItems": True}

    def accepts(self, value: object) -> bool:
        return super().accepts(value) and are_unique(value)  # type: ignore[arg-type]  # a list: just tested

    def encode(self, value: Any) -> Any:
        encoded = {to_json_text(item): item for item in map(self.item.encode, value)}
        return [encoded[text] for text in sorted(encoded)]


class ScalarCodec(Codec):
    """The items of a set without an item type: strings, numbers, booleans and null."""

    kinds = frozenset({"string", "number", "boolean", "null"})

    def schema(self, writer: SchemaWriter) -> dict[str, Any]:
        return {"type": ["string", "number", "boolean", "null"]}

    def accepts(self, value: object) -> bool:
        return is_json_scalar(value)

    decode = staticmethod(with_plain_floats)
    handles = accepts


def are_unique(values: list[Any]) -> bool:
    """Return whether no two JSON values of a list are equal."""
    return len({json_key(value) for value in values}) == len(values)


def are_equal(one: Any, other: Any) -> bool:
    """Return whether two JSON values are equal, as their `json_key`s are."""
    if isinstance(one, dict):
        return (
            isinstance(other, dict)
            and one.keys() == other.keys()
            and all(are_equal(item, other[name]) for name, item in one.items())
        )
    if isinstance(one, list):
        return isinstance(other, list) and len(one) == len(other) and all(map(are_equal, one, other))
    return is_json_scalar(other) and key_of(one) == key_of(other)


def json_key(value: Any) -> object:
    """Return a hashable key that equal JSON values share.

    Objects are equal in any order, and 1 equals 1.0, but not true.
    """
    if is_json_scalar(value):
        return key_of(value)
    if isinstance(value, list):
        return ("array", tuple(map(json_key, value)))
    return ("object", frozenset((name, json_key(item)) for name, item in value.items()))


# --- Keys of a dict ---


def read_key(annotation: Any, reader: Reader, outer: Any) -> Codec:
    """Return the codec of the keys of a dict.

    Args:
        annotation: The type of the keys.
        reader: Reads that type.
        outer: The type of the dict, for errors.

    Raises:
        UnsupportedType: No JSON object can have such keys.
    """
    codec = reader.read_in(annotation, outer)
    if isinstance(codec, DecimalCodec):
        codec = DECIMAL_TEXT
    if codec is INT_CODEC:
        return _INT_KEY
    if codec is ANY_CODEC:
        return STR_CODEC
    if codec.kinds == {"string"} and codec.hashable:
        return codec
    raise UnsupportedType(
        f"in {show_type(outer)}: the keys of a JSON object are strings; {show_type(annotation)} has another form. Take str or int"
    )


def _parse_int_key(text: str) -> int:
    """Return the whole number that `text`, a name in an object, writes without leading zeros.

    Raises:
        ValueError: It is not such a number, or is over 1000 characters long.
    """
    if len(text) > _MAX_INT_KEY_LENGTH or not re.fullmatch(_INT_KEY_PATTERN, text):
        raise ValueError("not a whole number")
    return int(text)


_INT_KEY_PATTERN: Final = "^(0|-?[1-9][0-9]*)$"
_MAX_INT_KEY_LENGTH: Final = 1000  # digits: int() has a limit of its own (4300), and no key needs this many
_INT_KEY: Final = TextCodec(
    int,
    lambda value: str(INT_CODEC.encode(value)),
    parse=_parse_int_key,
    keywords={"pattern": _INT_KEY_PATTERN, "maxLength": _MAX_INT_KEY_LENGTH},
    excepts=lambda value: isinstance(value, bool),
)
"""Whole numbers as the keys of an object, written without leading zeros."""
