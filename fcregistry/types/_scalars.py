"""Codecs of None, bool, int, float, str and Any, and the JSON of Python values without an annotation.

A value without an annotation is encoded by the codec of its class. Results and values of type `Any` are written this way.
"""

from __future__ import annotations

import re
from collections.abc import ItemsView, KeysView, Mapping, MutableSequence, ValuesView
from contextlib import contextmanager
from contextvars import ContextVar
from json import JSONDecoder, JSONEncoder
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Final, Literal, LiteralString

from fcregistry._base import slots
from fcregistry._base.json import JSON_KINDS, with_plain_floats
from fcregistry.errors import exception_message
from fcregistry.types._codec import Codec

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fcregistry.types._codec import Reader, SchemaWriter


# --- None, bool, int, float, str and Any ---


class PlainCodec(Codec):
    """None, bool and str, which are the same in JSON; 0 and 1 are not booleans.

    Args:
        cls: The Python class.
        kind: Its JSON kind, which is also its name in schemas.
    """

    plain = True
    natural = True

    def __init__(self, cls: type, kind: str) -> None:
        self._cls = cls
        self._kind = kind
        self.kinds = frozenset({kind})

    def schema(self, writer: SchemaWriter) -> dict[str, Any]:
        return {"type": self._kind}

    def accepts(self, value: object) -> bool:
        return type(value) is self._cls

    def handles(self, value: object) -> bool:
        return isinstance(value, self._cls)


class IntCodec(Codec):
    """int: an integer as JSON Schema defines it, so 2.0 is one (2020-12 core, 4.2.3), and `true` is not."""

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
        return int.__int__(value)  # refuses other types, of which a part would be lost


class FloatCodec(Codec):
    """float: any number; an int becomes a float, unless it is too large for one."""

    kinds = frozenset({"number"})
    natural = True

    def schema(self, writer: SchemaWriter) -> dict[str, Any]:
        return {"type": "number"}

    def accepts(self, value: object) -> bool:
        return type(value) is int or (isinstance(value, float) and (value - value == 0 or are_written()))

    def decode(self, value: Any) -> Any:
        if type(value) is float:
            return value
        try:
            return float(value)
        except OverflowError:
            return value

    def handles(self, value: object) -> bool:
        if not isinstance(value, (int, float)) or isinstance(value, bool):
            return False
        return value - value == 0 or are_written()  # NaN is not JSON

    def encode(self, value: Any) -> Any:
        return float.__float__(value) if isinstance(value, float) else int.__int__(value)  # refuses other types


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
        return value if type(value) in _UNCHANGED else with_plain_floats(value)

    def handles(self, value: object) -> bool:
        return True

    def encode(self, value: Any) -> Any:
        return to_json(value)


_UNCHANGED: Final = frozenset({str, int, float, bool, type(None)})

ANY_CODEC = AnyCodec()
INT_CODEC = IntCodec()
STR_CODEC = PlainCodec(str, "string")
SCALARS: Final[dict[Any, Codec]] = {
    None: PlainCodec(type(None), "null"),
    type(None): PlainCodec(type(None), "null"),
    bool: PlainCodec(bool, "boolean"),
    int: INT_CODEC,
    float: FloatCodec(),
    str: STR_CODEC,
    LiteralString: STR_CODEC,
    Any: ANY_CODEC,
    object: ANY_CODEC,
}


def read_scalars(annotation: Any, reader: Reader) -> Codec | None:
    """Return the codec of a scalar type; None for any other annotation."""
    try:
        return SCALARS.get(annotation)
    except TypeError:  # an unhashable annotation is not a scalar type
        return None


# --- Values without an annotation ---


class EncodingError(TypeError, ValueError):
    """A Python value that has no JSON form; the message names its type."""

    __module__ = "fcregistry.types"  # tracebacks show the public name


class NotFiniteError(EncodingError):
    """A value with NaN or an infinity, which JSON does not have."""


_non_finite: Final[ContextVar[Literal["refuse", "null", "keep"]]] = ContextVar("non_finite", default="refuse")


@contextmanager
def write_non_finite(how: Literal["null", "keep"]) -> Iterator[None]:
    """While the context is open, have codecs and `to_json_text` write numbers that are not finite.

    Args:
        how: `null` writes null. `keep` writes `NaN` and `Infinity`, which `json.loads` reads; codecs then accept these, too.
    """
    token = _non_finite.set(how)
    try:
        yield
    finally:
        _non_finite.reset(token)


def are_written() -> bool:
    """Return whether numbers that are not finite are written; see `write_non_finite`."""
    return _non_finite.get() != "refuse"


def to_json(value: object) -> Any:
    """Return any Python value as the JSON value that `to_json_text` writes.

    Args:
        value: A value of any class that has a codec, or a list or dict of such values.

    Raises:
        EncodingError: A value inside has no JSON form.
    """
    kind = type(value)
    if value is None or kind in (str, bool, int):
        return value
    if kind is float and value - value == 0:  # type: ignore[operator]  # a finite float
        return value
    from json import loads  # other values are written and read again

    return loads(to_json_text(value))


def to_json_text(value: object) -> str:
    """Return any Python value as JSON text (RFC 8259).

    Args:
        value: A value of any class that has a codec, or a list or dict of such values.

    Raises:
        EncodingError: A value inside has no JSON form or contains itself; or two keys of a dict become one name.
        NotFiniteError: A number inside is not finite. This is an `EncodingError`.
    """
    try:
        try:
            text = _ENCODER.encode(value)
        except TypeError as error:
            if _KEY_ERROR not in str(error):
                raise
            value = _convert_keys(value)
            text = _ENCODER.encode(value)
        names = _LITERAL_NAME.findall(text) if '": ' in text else ()
        if names and len(names) != len(set(names)):  # in one object or in several
            _UNIQUE_DECODER.decode(text)
    except EncodingError:
        raise
    except (TypeError, ValueError, RecursionError) as error:
        if _RANGE_ERROR in str(error):
            return _text_of_non_finite(value, error)
        raise EncodingError(_reason(error)) from error
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:  # half a surrogate pair, which UTF-8 cannot encode, and JSON can escape
            return _ASCII_ENCODER.encode(value)
    return text


def _text_of_non_finite(value: object, error: Exception) -> str:
    """Return a value with numbers that are not finite as text, in the way that `write_non_finite` has set.

    Raises:
        NotFiniteError: They are refused. `error` is the cause.
        EncodingError: The value has no JSON form for another reason.
    """
    how = _non_finite.get()
    if how == "refuse":
        raise NotFiniteError(
            "the value holds a number that is not finite (NaN or infinity), which JSON does not allow"
        ) from error
    try:
        try:
            text = _LENIENT_ENCODER.encode(value)
        except TypeError as wrong:
            if _KEY_ERROR not in str(wrong):
                raise
            text = _LENIENT_ENCODER.encode(_convert_keys(value))
        with_nulls = _NULL_DECODER.decode(text)
    except EncodingError:
        raise
    except (TypeError, ValueError, RecursionError) as other:
        raise EncodingError(_reason(other)) from other
    return text if how == "keep" else to_json_text(with_nulls)


def encode_as(value: Any, codec: Codec) -> Any:
    """Return the JSON value of `value`: by `codec` if it handles the value, or else by the value's class.

    Raises:
        EncodingError: It has no JSON form.
    """
    try:
        return codec.encode(value) if codec.handles(value) else to_json(value)
    except EncodingError:
        raise
    except Exception as error:  # external code: encoding a value reads its properties, which may raise anything
        raise EncodingError(f"{type(error).__name__}: {exception_message(error)}") from error


def repeated_name_error(name: object) -> EncodingError:
    """Return the error for a value that would become an object with the name `name` twice."""
    return EncodingError(f"the value contains a dict with two keys that both become {name!r:.80} in JSON")


def _object_of_unique_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the dict of `pairs`, the names and values of a JSON object.

    Raises:
        EncodingError: A name occurs twice.
    """
    made: dict[str, Any] = {}
    for name, value in pairs:
        if name in made:
            raise repeated_name_error(name)
        made[name] = value
    return made


def _convert_keys(value: object) -> Any:
    """Return `value` made of types that `json` knows, with the keys of its dicts as text, numbers or None.

    A key becomes what it would be as a value. Tuples become lists; values of other classes are encoded by their class.

    Raises:
        EncodingError: A key has no such form, two keys of a dict become equal, or another value has no JSON form.
    """
    if value is None or isinstance(value, (str, int, float)):
        return value
    if isinstance(value, (list, tuple)):
        return [_convert_keys(item) for item in value]
    if not isinstance(value, dict):
        return _convert_keys(_encode_by_class(value))
    made: dict[Any, Any] = {}
    for key, item in value.items():
        name = _json_key(key)
        if name in made:
            raise repeated_name_error(name)
        made[name] = _convert_keys(item)
    return made


def _json_key(key: object) -> str | int | float | None:
    """Return `key` as a text, number, boolean or None, which `json` knows, such as the text of a date.

    Raises:
        EncodingError: It has no such form.
    """
    if key is None or isinstance(key, (str, int, float)):
        return key
    name = _encode_by_class(key)
    if name is None or isinstance(name, (str, int, float)):
        return name
    raise EncodingError("the value holds a dict with keys that are not strings, numbers, booleans or None")


def _reason(error: Exception) -> str:
    """Return the message about an error of `json`, reworded if a value contains itself.

    A `RecursionError` counts as a value that contains itself. Any other error keeps its own text.
    """
    if isinstance(error, RecursionError) or "Circular" in str(error):
        return "the value contains itself, or is nested too deeply for JSON"
    return str(error)


def _encode_by_class(value: object) -> Any:
    """Return the JSON value of a value that `json` does not know, by the codec of its class or a base.

    Without a codec, numbers become int or float, mappings dicts, and ranges, dict views and mutable sequences lists, with their items unchanged.

    Raises:
        EncodingError: It has no JSON form.
    """
    codec = _codec_of_class(value.__class__)
    if codec is not None:
        return codec.encode(value)
    if isinstance(value, Integral):  # such as numpy's, which register with the numeric tower (PEP 3141)
        return int(value)
    if isinstance(value, Real):
        return float(value)
    if isinstance(value, Mapping):
        return dict(value)
    # Not every sequence: the items of a UserString are UserStrings again.
    if isinstance(value, (range, KeysView, ValuesView, ItemsView, MutableSequence)):
        return list(value)
    raise EncodingError(f"a value of type {type(value).__module__}.{type(value).__qualname__} has no JSON form")


_BY_CLASS: Final[dict[type, Codec]] = {}
_MAX_CLASSES: Final = 1024


def _codec_of_class(cls: type) -> Codec | None:
    """Return the codec of a class or of its nearest base class that has one, cached; None if none has.

    A missing codec is not cached, since an extension that is installed later may have one.
    """
    codec = _BY_CLASS.get(cls)
    if codec is None:
        codec = slots.codec_of_class(cls)  # the table imports this module, so it is called through a slot
        if codec is not None:
            if len(_BY_CLASS) >= _MAX_CLASSES:
                _BY_CLASS.clear()
            _BY_CLASS[cls] = codec
    return codec


_LITERAL_NAME: Final = re.compile(r'"[-0-9tfn](?:[0-9.e+-]*|rue|alse|ull)": ')
"""The name that `json` writes for a key that is a number, a boolean or None. A text may be the same name."""
_UNIQUE_DECODER: Final = JSONDecoder(object_pairs_hook=_object_of_unique_names)
_NULL_DECODER: Final = JSONDecoder(object_pairs_hook=_object_of_unique_names, parse_constant=lambda name: None)

_KEY_ERROR: Final = "keys must be"  # from the message of `json` about keys of other types
_RANGE_ERROR: Final = "Out of range"  # from its message about numbers that are not finite
_ENCODER = JSONEncoder(ensure_ascii=False, allow_nan=False, default=_encode_by_class)
_ASCII_ENCODER = JSONEncoder(ensure_ascii=True, allow_nan=False, default=_encode_by_class)
_LENIENT_ENCODER = JSONEncoder(ensure_ascii=True, allow_nan=True, default=_encode_by_class)
