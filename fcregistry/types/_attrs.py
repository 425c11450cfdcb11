"""Which fields has a class made by attrs?

Written for attrs 22.2 and later, whose fields know their alias.

Nothing of attrs is imported: a class that comes from it brings it along. A field's converter and validators run when an instance is made,
on a value of the field's declared type.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fcregistry.types._core import origin_of, show_type
from fcregistry.types._fields import RawField, raw_hints, read_record
from fcregistry.types._records import MISSING, RecordCodec, attribute

if TYPE_CHECKING:
    from fcregistry.types._core import Codec, Reader


def read(annotation: Any, reader: Reader) -> Codec | None:
    """Return the codec of an attrs class, or of a generic one with its arguments."""
    cls = origin_of(annotation) or annotation
    if not (isinstance(cls, type) and hasattr(cls, "__attrs_attrs__")):
        return None
    return read_record(annotation, cls, reader, lambda cls: _build(annotation, cls))


def _build(annotation: Any, cls: Any) -> tuple[RecordCodec, list[RawField]]:
    codec = RecordCodec(
        cls, show_type(annotation), make=cls, get=attribute, is_instance=lambda value: isinstance(value, cls)
    )
    codec.hashable = cls.__hash__ is not None
    hints = raw_hints(cls)
    return codec, [_raw(each, each.name in hints) for each in cls.__attrs_attrs__ if each.init]


def _raw(field: Any, annotated: bool) -> RawField:
    from attrs import NOTHING, Factory  # it is loaded: the class comes from it

    has_value = field.default is not NOTHING and not isinstance(field.default, Factory)  # type: ignore[arg-type]  # a class, whatever attrs' stub says
    return RawField(
        field.name,
        field.default is NOTHING,
        field.default if has_value else MISSING,
        annotation=MISSING if annotated else Any if field.type is None else field.type,  # as in `attr.ib(type=int)`
        key=field.alias,
        keyword=field.alias,
    )
