"""Which fields has a NamedTuple? In JSON it is an object, since names tell a model more than positions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fcregistry.types._core import UnsupportedType, origin_of, show_type
from fcregistry.types._fields import RawField, raw_hints, read_record
from fcregistry.types._records import MISSING, RecordCodec, attribute

if TYPE_CHECKING:
    from fcregistry.types._core import Codec, Reader


def read(annotation: Any, reader: Reader) -> Codec | None:
    """Return the codec of a NamedTuple, or of a generic one with its arguments.

    Raises:
        UnsupportedType: It is a `collections.namedtuple`, which says no types.
    """
    cls = origin_of(annotation) or annotation
    if not (isinstance(cls, type) and issubclass(cls, tuple) and hasattr(cls, "_fields")):
        return None
    return read_record(annotation, cls, reader, lambda cls: _build(annotation, cls))


def _build(annotation: Any, cls: Any) -> tuple[RecordCodec, list[RawField]]:
    if cls._fields and not raw_hints(cls):
        raise UnsupportedType(
            f"{cls.__qualname__} is a namedtuple without types; declare it as a class of typing.NamedTuple"
        )
    codec = RecordCodec(
        cls, show_type(annotation), make=cls, get=attribute, is_instance=lambda value: isinstance(value, cls)
    )
    codec.hashable = True
    defaults = cls._field_defaults
    return codec, [RawField(name, name not in defaults, defaults.get(name, MISSING)) for name in cls._fields]
