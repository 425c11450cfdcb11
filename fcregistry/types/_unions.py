"""How does a union look in JSON? As `anyOf`; the first declared member that decodes a value wins."""

from __future__ import annotations

import threading
import types
from typing import TYPE_CHECKING, Any, Final, Union, get_args

from fcregistry._base.forks import made_once
from fcregistry._base.json import kind_of
from fcregistry.types._core import Codec, Record, Refusal, UnsupportedType, origin_of, show_type
from fcregistry.types._tags import NO_TAGS, Tags, overlaps, tags_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fcregistry.types._core import Reader
    from fcregistry.types._writer import SchemaWriter


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
        self._tags: Tags | None = None

    def children(self) -> Iterable[Codec]:
        return self._members

    def schema(self, writer: SchemaWriter) -> dict[str, Any]:
        schemas = [writer.write(member) for member in self._members]
        if len(schemas) == 2 and "type" in schemas[0] and schemas[0]["type"] != schemas[1].get("type"):
            return {"anyOf": schemas}  # as `X | None` has them
        written = list({repr(schema): schema for schema in schemas}.values())  # as text, in which true is not 1
        return {"anyOf": written} if len(written) > 1 else written[0]

    @made_once
    def _by_kind(self) -> dict[str, list[Codec]]:
        """The members that take a kind. A value whose kind only one takes needs no second look: the validator has accepted it."""
        return {kind: [member for member in self._members if kind in member.kinds] for kind in self.kinds}

    def _candidates(self, value: object) -> list[Codec]:
        """Return the members that a value may be of, by its kind, and of records by the field that tells them apart."""
        kind = kind_of(value) or ""
        candidates = self._by_kind.get(kind, [])
        if kind != "object" or len(candidates) < 2:
            return candidates
        if self._tags is None:
            self._tags = tags_of(candidates)
        return candidates if self._tags is NO_TAGS else self._tags.chosen(value)

    def accepts(self, value: object) -> bool:
        candidates = self._candidates(value)
        if len(candidates) == 1:
            return candidates[0].accepts(value)
        return _asked_once(self, candidates, "accepts", value)

    def decode(self, value: Any) -> Any:
        candidates = self._candidates(value)
        if len(candidates) == 1:
            return candidates[0].decode(value)
        with _Answers():
            return self._decode(candidates, value)

    def _decode(self, candidates: list[Codec], value: Any) -> Any:
        refusal = None
        for member in candidates:
            if member.accepts(value):
                try:
                    return member.decode(value)
                except Refusal as refused:
                    refusal = refused
        raise refusal or Refusal("is none of the allowed types")

    def handles(self, value: object) -> bool:
        return _asked_once(self, self._members, "handles", value)

    @property
    def unsaid(self) -> tuple[str, ...]:  # type: ignore[override]  # known once its records have fields
        return tuple(overlaps(self._members, [show_type(each) for each in get_args(self._annotation)]))

    def marked(self, marker: Any) -> Codec | None:
        marked = [member.marked(marker) for member in self._members]
        if all(each is None for each in marked):
            return None
        return UnionCodec([new or old for new, old in zip(marked, self._members, strict=True)], self._annotation)

    def encode(self, value: Any) -> Any:
        if value.__class__ in _SCALARS:
            return self._encode(value)
        with _Answers():
            return self._encode(value)

    def _encode(self, value: Any) -> Any:
        of = [member for member in self._members if member.handles(value)]
        if not of:
            raise TypeError(f"a {type(value).__qualname__} is of none of the union's types")
        if len(of) > 1:  # of a class and one that derives from it, the value's own
            of.sort(key=lambda member: getattr(member.core, "cls", None) is not type(value))
        return of[0].encode(value)


_SCALARS: Final = frozenset({bool, bytes, float, int, str, type(None)})


class _Answers:
    """Remembers, while it is entered for the first time on a thread, which unions take which parts of a value.

    A union asks all of its members, and these ask the unions inside them. Without a memory, the innermost part of a value of nested unions would
    be asked again for each way to it, and those grow exponentially.
    """

    __slots__ = ("_is_outermost",)

    def __enter__(self) -> None:
        self._is_outermost = _memory.answers is None
        if self._is_outermost:
            _memory.answers = {}

    def __exit__(self, *raised: object) -> None:
        if self._is_outermost:
            _memory.answers = None


class _Memory(threading.local):
    """What a thread remembers: union, question and part -> the part, which must stay alive for its `id` to hold, and the answer."""

    answers: dict[tuple[int, str, int], tuple[object, bool]] | None = None


_memory: Final = _Memory()


def _asked_once(union: UnionCodec, members: list[Codec], question: str, value: object) -> bool:
    """Return whether a member accepts or handles a value; asked again, as it was answered before."""
    if value.__class__ in _SCALARS:
        return any(getattr(member, question)(value) for member in members)
    with _Answers():
        answers, key = _memory.answers, (id(union), question, id(value))
        assert answers is not None
        if key not in answers:
            answers[key] = value, any(getattr(member, question)(value) for member in members)
        return answers[key][1]


def read(annotation: Any, reader: Reader) -> Codec | None:
    """Return the codec of Optional, Union and `X | Y`."""
    if origin_of(annotation) not in (Union, types.UnionType):
        return None
    members = [reader.read_in(member, annotation) for member in get_args(annotation)]
    if sum(["object" in member.kinds for member in members]) > 1:
        reader.check_later(lambda: _check_distinguishable(members, annotation))
    return UnionCodec(members, annotation)


def _check_distinguishable(members: list[Codec], annotation: Any) -> None:
    records = [member.core for member in members if isinstance(member.core, Record)]
    for position, first in enumerate(records):
        for second in records[position + 1 :]:
            if first.signature() == second.signature():
                raise UnsupportedType(
                    f"in {show_type(annotation)}: {first.shown} and {second.shown} have the same fields, so "
                    "their JSON cannot be told apart; give each a field such as `kind: Literal['…']`"
                )
