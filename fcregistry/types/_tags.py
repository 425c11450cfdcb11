"""What tells the members of a union apart? A field that has another constant in each; or else, what overlaps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from fcregistry.types._choices import ChoiceCodec, key_of
from fcregistry.types._containers import ListCodec
from fcregistry.types._core import Codec
from fcregistry.types._formats import IP_FORMATS
from fcregistry.types._records import MISSING, Field, RecordCodec
from fcregistry.types._texts import TextCodec

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class Tags(NamedTuple):
    """The field that tells records apart.

    Attributes:
        field: Its name in JSON; empty if there is none.
        members: JSON kind and value -> the record that has it.
    """

    field: str
    members: dict[tuple[str, object], Codec]

    def chosen(self, value: Any) -> list[Codec]:
        """Return the record that an object names, if it names one."""
        try:
            return [self.members[key_of(value[self.field])]]
        except (KeyError, TypeError):  # it names none; a list or an object names nothing
            return []


NO_TAGS: Final = Tags("", {})


def tags_of(members: Sequence[Codec]) -> Tags:
    """Return what tells members that are objects apart, or `NO_TAGS`."""
    records = [member.core for member in members]
    if not all(isinstance(record, RecordCodec) for record in records):
        return NO_TAGS
    for name in _tag_fields(records[0]):
        found: dict[tuple[str, object], Codec] = {}
        for member, record in zip(members, records, strict=True):
            for key in _tag_fields(record).get(name, ()):
                if key in found:
                    break
                found[key] = member
            else:
                if name in _tag_fields(record):
                    continue
            break
        else:
            return Tags(name, found)
    return NO_TAGS


def _tag_fields(record: Codec) -> dict[str, list[tuple[str, object]]]:
    """Return the fields that a record must have and that are one of a few constants: name -> those."""
    fields = record.fields if isinstance(record, RecordCodec) else ()
    return {
        field.key: field.codec.core.keys
        for field in fields
        if field.required and isinstance(field.codec.core, ChoiceCodec)
    }


def overlaps(members: Sequence[Codec], shown: Sequence[str]) -> Iterator[str]:
    """Yield a sentence for each two members whose JSON overlaps, and which Python tells apart: the first of them wins.

    Args:
        members: The codecs of a union.
        shown: Their types, as the author writes them.
    """
    for position, first in enumerate(members):
        for later, second in enumerate(members[position + 1 :], position + 1):
            if _overlap(first, second):
                yield (
                    f"some JSON is both {shown[position]} and {shown[later]}: it is decoded as the first, "
                    "so that a value of the second comes back as the first"
                )


def _overlap(first: Codec, second: Codec) -> bool:
    """Tell whether what is written of the one may be decoded as the other, and is another value then."""
    if not first.kinds & second.kinds or (first.plain and second.plain):
        return False
    match first.core, second.core:
        case RecordCodec() as one, RecordCodec() as other:
            return not _told_apart(one, other) and _fits(one, other) and _fits(other, one)
        case ListCodec() as one, ListCodec() as other if one.make is other.make:
            return _overlap(one.item, other.item)  # two empty ones are equal
        case (ChoiceCodec() as choice, other) | (other, ChoiceCodec() as choice):
            return any(other.accepts(value) for value in choice.values)
        case TextCodec(format=one), TextCodec(format=other):
            return _LOOKS.get(one, other) == _LOOKS.get(other, one)
    return True


_LOOKS: Final[dict[str | None, str]] = {
    **{each: each for each in ("date", "date-time", "time", "duration", "uuid")},
    **{each: each[:4] for each in IP_FORMATS.values()},
}
"""Format -> what its texts look like; of these, no text looks like two."""


def _told_apart(first: RecordCodec, second: RecordCodec) -> bool:
    """Tell whether a field that is written of both never has the same JSON."""
    others = {field.key: field.codec for field in second.fields if _is_written(field)}
    return any(
        not field.codec.kinds & others[field.key].kinds or _differ(field.codec.core, others[field.key].core)
        for field in first.fields
        if _is_written(field) and field.key in others
    )


def _is_written(field: Field) -> bool:
    return (field.required or field.default is not MISSING) and not (field.hidden or field.write_only)


def _differ(first: Codec, second: Codec) -> bool:
    both_constants = isinstance(first, ChoiceCodec) and isinstance(second, ChoiceCodec)
    return both_constants and not set(first.keys) & set(second.keys)  # type: ignore[attr-defined]  # choices: just tested


def _fits(record: RecordCodec, other: RecordCodec) -> bool:
    """Tell whether an object with no more than what a record requires could be of another."""
    if other.others is not None:
        return True
    names = {field.key for field in other.fields}
    return all(field.key in names for field in record.fields if field.required)
