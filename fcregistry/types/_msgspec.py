"""Which fields has a msgspec Struct?

Written for msgspec 0.18 and later.

Nothing of msgspec is imported: a class that comes from it brings it along. JSON names, tags and `UNSET` are as msgspec has them; a struct
with `array_like=True` is an object here too, because names tell a model more than positions.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Union, get_args

from fcregistry.types._choices import ChoiceCodec
from fcregistry.types._core import origin_of, show_type
from fcregistry.types._fields import RawField, read_record, unresolved
from fcregistry.types._records import MISSING, Field, RecordCodec

if TYPE_CHECKING:
    from fcregistry.types._core import Codec, Reader


def read(annotation: Any, reader: Reader) -> Codec | None:
    """Return the codec of a Struct, or of a generic one with its arguments."""
    msgspec = sys.modules.get("msgspec")
    cls = origin_of(annotation) or annotation
    if msgspec is None or not (isinstance(cls, type) and issubclass(cls, msgspec.Struct)):
        return None
    return read_record(annotation, cls, reader, lambda cls: _build(annotation, cls))


class StructCodec(RecordCodec):
    """A Struct: a record whose JSON may have a tag that its instances do not keep."""

    def fill(self, fields: tuple[Field, ...]) -> None:
        super().fill((*_tag(self.cls), *fields))


def _tag(cls: Any) -> tuple[Field, ...]:
    config = cls.__struct_config__
    if config.tag is None:
        return ()
    codec = ChoiceCodec([(config.tag, config.tag)])
    name = config.tag_field
    return (Field(key=name, name=name, attribute=name, codec=codec, required=True, constant=config.tag),)


def _build(annotation: Any, cls: Any) -> tuple[RecordCodec, list[RawField]]:
    from msgspec import NODEFAULT, UNSET  # it is loaded: the class comes from it

    codec = StructCodec(
        cls,
        show_type(annotation),
        make=cls,
        get=lambda value, name: MISSING if (item := getattr(value, name, UNSET)) is UNSET else item,
        is_instance=lambda value: isinstance(value, cls),
    )
    config = cls.__struct_config__
    codec.hashable = cls.__hash__ is not None and (config.frozen or not config.eq)  # the others have a hash that raises
    raw = []
    for each in _declared(cls):
        default = MISSING if each.default in (NODEFAULT, UNSET) else each.default
        raw.append(
            RawField(each.name, each.required, default, annotation=_without_unset(each.type), key=each.encode_name)
        )
    return codec, raw


def _declared(cls: Any) -> Any:
    from msgspec.structs import fields  # it is loaded too

    try:
        return fields(cls)
    except Exception as error:  # evaluating an author's annotations may raise anything; the author is told
        raise unresolved(cls, error) from error


def _without_unset(annotation: Any) -> Any:
    """Return a type without `UnsetType`, which is no value in JSON: a field that is not given."""
    from msgspec import UnsetType

    members = get_args(annotation)
    if UnsetType not in members:
        return annotation
    return Union[tuple(each for each in members if each is not UnsetType)]  # noqa: UP007  # of as many as there are
