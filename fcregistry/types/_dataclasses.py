"""Which fields has a dataclass?"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from fcregistry.types._core import origin_of, show_type
from fcregistry.types._fields import RawField, read_record
from fcregistry.types._records import MISSING, RecordCodec, attribute

if TYPE_CHECKING:
    from fcregistry.types._core import Codec, Reader


def read(annotation: Any, reader: Reader) -> Codec | None:
    """Return the codec of a dataclass, or of a generic one with its arguments."""
    cls = origin_of(annotation) or annotation
    if not isinstance(cls, type) or not hasattr(cls, "__dataclass_fields__"):
        return None
    return read_record(annotation, cls, reader, lambda cls: _build(annotation, cls))


def _build(annotation: Any, cls: Any) -> tuple[RecordCodec, list[RawField]]:
    codec = RecordCodec(
        cls,
        show_type(annotation),
        make=cls,
        get=attribute,
        is_instance=lambda value: isinstance(value, cls),
    )
    codec.hashable = cls.__hash__ is not None
    fields = [_raw(each) for each in cls.__dataclass_fields__.values()]
    return codec, [each for each in fields if each is not None]


def _raw(field: Any) -> RawField | None:
    """Return what is known of a field; None if it is not given when an instance is made."""
    init_only = field._field_type is _INIT_VAR
    if not field.init or not (init_only or field._field_type is _FIELD):
        return None
    required = field.default is MISSING and field.default_factory is MISSING
    return RawField(field.name, required, field.default, write_only=init_only)


_FIELD = dataclasses._FIELD  # type: ignore[attr-defined]  # `dataclasses.fields` leaves out `InitVar`s, and no public name tells them
_INIT_VAR = dataclasses._FIELD_INITVAR  # type: ignore[attr-defined]
