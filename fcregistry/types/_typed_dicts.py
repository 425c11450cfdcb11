"""Which keys has a TypedDict?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import typing_extensions
from typing_extensions import is_typeddict

from fcregistry.types._core import origin_of, show_type
from fcregistry.types._fields import RawField, raw_hints, read_record, says_required
from fcregistry.types._names import holds_text
from fcregistry.types._records import MISSING, RecordCodec

if TYPE_CHECKING:
    from fcregistry.types._core import Codec, Reader


def read(annotation: Any, reader: Reader) -> Codec | None:
    """Return the codec of a TypedDict, or of a generic one with its arguments."""
    cls = origin_of(annotation) or annotation
    if not is_typeddict(cls):
        return None
    return read_record(annotation, cls, reader, lambda cls: _build(annotation, cls))


def _build(annotation: Any, cls: Any) -> tuple[RecordCodec, list[RawField]]:
    codec = RecordCodec(
        cls,
        show_type(annotation),
        make=dict,
        get=lambda value, name: value.get(name, MISSING),
        is_instance=lambda value: _fits(codec, value),
    )
    codec.rest = getattr(cls, "__extra_items__", typing_extensions.Never)
    if codec.rest in _NO_REST:
        codec.rest = MISSING
    codec.others_of = lambda value: {
        key: item for key, item in value.items() if all(key != each.key for each in codec.fields)
    }
    return codec, [RawField(name, _is_required(cls, name, hint)) for name, hint in raw_hints(cls).items()]


_NO_REST: Final = (getattr(typing_extensions, "NoExtraItems", None), typing_extensions.Never)
"""What a TypedDict says that takes its own keys only (PEP 728); before typing-extensions 4.13, None."""


def _is_required(cls: Any, name: str, hint: Any) -> bool:
    said = says_required(hint) if holds_text(hint) or name in cls.__required_keys__ else None
    return name in cls.__required_keys__ if said is None else said


def _fits(codec: RecordCodec, value: object) -> bool:
    """Tell whether a dict has the fields of a TypedDict, since its instances do not know their class."""
    if not isinstance(value, dict):
        return False
    others = codec.others_of(value)
    if others and (codec.others is None or not all(map(codec.others.handles, others.values()))):
        return False
    return all(
        field.codec.handles(value[field.key]) if field.key in value else not field.required for field in codec.fields
    )
