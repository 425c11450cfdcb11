"""Codecs of unions, which are `anyOf` in JSON: the first declared member that decodes a value wins.

A field distinguishes records if it has a different constant in each. Members whose JSON overlaps are reported to the author of a tool.
"""

from __future__ import annotations

import threading
import types
from typing import TYPE_CHECKING, Any, Final, Union, get_args

from fcregistry._base.forks import cached_attribute
from fcregistry._base.json import kind_of
from fcregistry.types._choices import ChoiceCodec, key_of
from fcregistry.types._codec import Codec, Record, Refusal, UnsupportedType, origin_of, show_type
from fcregistry.types._containers import ListCodec
from fcregistry.types._records import MISSING, Field, RecordCodec
from fcregistry.types._strings import IP_FORMATS, TextCodec

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from fcregistry.types._codec import Reader, SchemaWriter


def read_unions(annotation: Any, reader: Reader) -> Codec | None:
    """Return the codec of Optional, Union and `X | Y`; None for any other annotation."""
    if origin_of(annotation) not in (Union, types.UnionType):
        return None
    members = [reader.read_in(member, annotation) for member in get_args(annotation)]
    if sum(["object" in member.kinds for member in members]) > 1:
        reader.check_later(lambda: _require_distinguishable(members, annotation))
    return UnionCodec(members, annotation)


def _require_distinguishable(members: list[Codec], annotation: Any) -> None:
    """Check that JSON distinguishes the records among the members of a union.

    Raises:
        UnsupportedType: Two of them have the same fields.
    """
    records = [member.core for member in members if isinstance(member.core, Record)]
    for position, first in enumerate(records):
        for second in records[position + 1 :]:
            if first.signature() == second.signature():
                raise UnsupportedType(
                    f"in {show_type(annotation)}: {first.shown} and {second.shown} have the same fields, so "
                    "nothing in their JSON distinguishes them; give each a field such as `kind: Literal['…']`"
                )


class UnionCodec(Codec):
    """One of several types.

    Args:
        members: Their codecs, in declared order.
        annotation: The union, as its author writes it.
    """

    through = True

    def __init__(self, members: list[Codec], annotation: Any) -> None:
        self._members = members
        self._annotation = annotation
        self.kinds = frozenset().union(*[member.kinds for member in members])
        self.plain = all(member.plain for member in members)
        self.hashable = all(member.hashable for member in members)

    def children(self) -> Iterable[Codec]:
        return self._members

    def schema(self, writer: SchemaWriter) -> dict[str, Any]:
        schemas = [writer.write(member) for member in self._members]
        if len(schemas) == 2 and "type" in schemas[0] and schemas[0]["type"] != schemas[1].get("type"):
            return {"anyOf": schemas}  # the common `X | None`
        written = list({repr(schema): schema for schema in schemas}.values())  # as text, in which true is not 1
        return {"anyOf": written} if len(written) > 1 else written[0]

    @cached_attribute
    def _by_kind(self) -> dict[str, list[Codec]]:
        """JSON kind -> the members that take it, in declared order.

        If only one member takes the kind of a value, the value needs no further check: the validator has accepted it.
        """
        return {kind: [member for member in self._members if kind in member.kinds] for kind in self.kinds}

    def _candidates(self, value: object) -> list[Codec]:
        """Return the members that may take a JSON value: by its kind, or for objects by their tag.

        The list is empty if none may, and with a tag has one member at most: a tag is a field that has different constants in each record.
        """
        kind = kind_of(value) or ""
        candidates = self._by_kind.get(kind, [])
        if kind != "object" or self._tags is None:
            return candidates
        field, members = self._tags
        try:
            return [members[key_of(value[field])]]  # type: ignore[index]  # an object: just tested
        except (KeyError, TypeError):  # the field is missing, unknown, or a list or an object
            return []

    @cached_attribute
    def _tags(self) -> tuple[str, dict[tuple[str, object], Codec]] | None:
        """The field that distinguishes the members that are objects, and the member of each of its constants.

        None if no field does.
        """
        return _tags_of(self._by_kind.get("object", []))

    def accepts(self, value: object) -> bool:
        candidates = self._candidates(value)
        if len(candidates) == 1:
            return candidates[0].accepts(value)
        return _ask_members(self, candidates, "accepts", value)

    def decode(self, value: Any) -> Any:
        candidates = self._candidates(value)
        if len(candidates) == 1:
            return candidates[0].decode(value)
        with _AnswerMemory():
            return self._decode(candidates, value)

    def _decode(self, candidates: list[Codec], value: Any) -> Any:
        """Return the value as the first of `candidates` that accepts and decodes it.

        Raises:
            Refusal: None of them does; with the reason of the last that accepted the value and refused it, if any.
        """
        refusal = None
        for member in candidates:
            if member.accepts(value):
                try:
                    return member.decode(value)
                except Refusal as refused:
                    refusal = refused
        raise refusal or Refusal("is none of the allowed types")

    def handles(self, value: object) -> bool:
        return _ask_members(self, self._members, "handles", value)

    @property
    def unsaid(self) -> tuple[str, ...]:  # type: ignore[override]  # its records get their fields later
        return tuple(_overlaps(self._members, [show_type(each) for each in get_args(self._annotation)]))

    def marked(self, marker: Any) -> Codec | None:
        marked = [member.marked(marker) for member in self._members]
        if all(each is None for each in marked):
            return None
        return UnionCodec([new or old for new, old in zip(marked, self._members, strict=True)], self._annotation)

    def encode(self, value: Any) -> Any:
        if value.__class__ in _SCALARS:
            return self._encode(value)
        with _AnswerMemory():
            return self._encode(value)

    def _encode(self, value: Any) -> Any:
        """Return the JSON value by a member that handles `value`; of several, one of the value's own class.

        Raises:
            TypeError: No member handles it.
        """
        matching = [member for member in self._members if member.handles(value)]
        if not matching:
            raise TypeError(f"a {type(value).__qualname__} is of none of the union's types")
        if len(matching) > 1:  # of a class and a subclass, the value's own class comes first
            matching.sort(key=lambda member: getattr(member.core, "cls", None) is not type(value))
        return matching[0].encode(value)


# --- Asking the members once ---

_SCALARS: Final = frozenset({bool, bytes, float, int, str, type(None)})


class _AnswerMemory:
    """Caches which unions take which parts of a value, from the outermost entry on a thread to its exit.

    A union asks all of its members, and these ask the unions inside them. Without the cache, the innermost part of a value of nested unions
    would be checked once for each path to it, and the number of paths grows exponentially.
    """

    __slots__ = ("_is_outermost",)

    def __enter__(self) -> None:
        self._is_outermost = _memory.answers is None
        if self._is_outermost:
            _memory.answers = {}

    def __exit__(self, *raised: object) -> None:
        if self._is_outermost:
            _memory.answers = None


class _ThreadMemory(threading.local):
    """The cache of a thread: ids of union and part, and the question -> the part and the answer.

    The part must stay alive for its `id`.
    """

    answers: dict[tuple[int, str, int], tuple[object, bool]] | None = None


_memory: Final = _ThreadMemory()


def _ask_members(union: UnionCodec, members: list[Codec], question: str, value: object) -> bool:
    """Return whether any of `members` answers True about a value, from the cache if it was asked before.

    Args:
        union: The union of the members.
        members: The codecs to ask.
        question: The method that answers: `accepts` or `handles`.
        value: The value.
    """
    if value.__class__ in _SCALARS:
        return any(getattr(member, question)(value) for member in members)
    with _AnswerMemory():
        answers, key = _memory.answers, (id(union), question, id(value))
        assert answers is not None
        if key not in answers:
            answers[key] = value, any(getattr(member, question)(value) for member in members)
        return answers[key][1]


# --- The field that distinguishes records ---


def _tags_of(members: Sequence[Codec]) -> tuple[str, dict[tuple[str, object], Codec]] | None:
    """Return the field that distinguishes `members`, and key of each constant -> member.

    It is the first field that is required and has constants in all members, and none of these constants in two. None if there is no such field,
    there are fewer than two members, or some are not records.
    """
    records = [member.core for member in members]
    if len(records) < 2 or not all(isinstance(record, RecordCodec) for record in records):
        return None
    tags = [_tag_fields(record) for record in records]
    for name in tags[0]:
        if all(name in each for each in tags):
            pairs = [(key, member) for member, each in zip(members, tags, strict=True) for key in each[name]]
            found = dict(pairs)
            if len(found) == len(pairs):
                return name, found
    return None


def _tag_fields(record: Codec) -> dict[str, list[tuple[str, object]]]:
    """Return the required fields of a record that are constants: name -> the keys of the constants.

    Empty for a codec that is not a `RecordCodec`.
    """
    fields = record.fields if isinstance(record, RecordCodec) else ()
    return {
        field.key: field.codec.core.keys
        for field in fields
        if field.required and isinstance(field.codec.core, ChoiceCodec)
    }


# --- Members whose JSON overlaps ---


def _overlaps(members: Sequence[Codec], shown: Sequence[str]) -> Iterator[str]:
    """Yield a sentence for each two members that share JSON and differ in Python: the first of them wins.

    Args:
        members: The codecs of a union.
        shown: Their types, as the author writes them.
    """
    for position, first in enumerate(members):
        for later, second in enumerate(members[position + 1 :], position + 1):
            if _do_overlap(first, second):
                yield (
                    f"some JSON is both {shown[position]} and {shown[later]}: it is decoded as the first, "
                    "so that a value of the second comes back as the first"
                )


def _do_overlap(first: Codec, second: Codec) -> bool:
    """Return whether JSON of one type may be decoded as the other, into a different value; True in doubt."""
    if not first.kinds & second.kinds or (first.plain and second.plain):
        return False
    match first.core, second.core:
        case RecordCodec() as one, RecordCodec() as other:
            return not _always_differ(one, other) and _may_be_of(one, other) and _may_be_of(other, one)
        case ListCodec() as one, ListCodec() as other if one.make is other.make:
            return _do_overlap(one.item, other.item)  # two empty ones are equal
        case (ChoiceCodec() as choice, other) | (other, ChoiceCodec() as choice):
            return any(other.accepts(value) for value in choice.values)
        case TextCodec(format=one), TextCodec(format=other):
            return _SHAPES.get(one, other) == _SHAPES.get(other, one)
    return True


_SHAPES: Final[dict[str, str]] = {
    **{each: each for each in ("date", "date-time", "time", "duration", "uuid")},
    **{each: each[:4] for each in IP_FORMATS.values()},
}
"""Format -> the shape of its texts; no text has two of these shapes."""


def _always_differ(first: RecordCodec, second: RecordCodec) -> bool:
    """Return whether two records both write a field that never has the same JSON in both."""
    second_codecs = {field.key: field.codec for field in second.fields if _is_written(field)}
    return any(
        not field.codec.kinds & second_codecs[field.key].kinds
        or _have_different_constants(field.codec.core, second_codecs[field.key].core)
        for field in first.fields
        if _is_written(field) and field.key in second_codecs
    )


def _is_written(field: Field) -> bool:
    """Return whether the JSON of every instance has the field.

    It has if the field is required or has a default that is not made by a factory, and is neither hidden nor write-only.
    """
    return (field.required or field.default is not MISSING) and not (field.hidden or field.write_only)


def _have_different_constants(first: Codec, second: Codec) -> bool:
    """Return whether both are choices (Literal or Enum), and have no value in common."""
    both_constants = isinstance(first, ChoiceCodec) and isinstance(second, ChoiceCodec)
    return both_constants and not set(first.keys) & set(second.keys)  # type: ignore[attr-defined]  # choices: just tested


def _may_be_of(record: RecordCodec, other: RecordCodec) -> bool:
    """Return whether `other` knows all required fields of `record`, or takes unknown ones.

    Then an object with only these fields could be of either record.
    """
    if other.extra_codec is not None:
        return True
    names = {field.key for field in other.fields}
    return all(field.key in names for field in record.fields if field.required)
