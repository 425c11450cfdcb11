"""How does a union look in JSON? As `anyOf`; the first declared member that decodes a value wins."""

from __future__ import annotations

import json
import types
from typing import TYPE_CHECKING, Any, Union, get_args, get_origin

from fcregistry.types._core import Codec, Record, Refusal, UnsupportedType, kind_of, show_type

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fcregistry.types._core import TypeReader
    from fcregistry.types._writer import SchemaWriter


class UnionCodec(Codec):
    """One of several types.

    Args:
        members: Their codecs, in declared order.
    """

    def __init__(self, members: list[Codec]) -> None:
        self._members = members
        self.kinds = frozenset().union(*(member.kinds for member in members))
        self.plain = all(member.plain for member in members)
        self.hashable = all(member.hashable for member in members)
        # A value whose kind only one member takes needs no second look: the validator has accepted it.
        self._by_kind = {kind: [member for member in members if kind in member.kinds] for kind in self.kinds}

    def children(self) -> Iterable[Codec]:
        return self._members

    def schema(self, writer: SchemaWriter) -> dict[str, Any]:
        schemas = [writer.write(member) for member in self._members]
        written = list({json.dumps(schema): schema for schema in schemas}.values())  # as JSON, in which true is not 1
        return {"anyOf": written} if len(written) > 1 else written[0]

    def accepts(self, value: object) -> bool:
        return any(member.accepts(value) for member in self._by_kind.get(kind_of(value) or "", ()))

    def decode(self, value: Any) -> Any:
        candidates = self._by_kind[kind_of(value) or ""]
        if len(candidates) == 1:
            return candidates[0].decode(value)
        refusal = None
        for member in candidates:
            if member.accepts(value):
                try:
                    return member.decode(value)
                except Refusal as refused:
                    refusal = refused
        raise refusal or Refusal("is none of the allowed types")

    def handles(self, value: object) -> bool:
        return any(member.handles(value) for member in self._members)

    def encode(self, value: Any) -> Any:
        for member in self._members:
            if member.handles(value):
                return member.encode(value)
        raise TypeError(f"a {type(value).__qualname__} is of none of the union's types")


def read(annotation: Any, reader: TypeReader) -> Codec | None:
    """Return the codec of Optional, Union and `X | Y`."""
    if get_origin(annotation) not in (Union, types.UnionType):
        return None
    members = [reader.read_in(member, f"in {show_type(annotation)}") for member in get_args(annotation)]
    reader.check_later(lambda: _check_distinguishable(members, annotation))
    return UnionCodec(members)


def _check_distinguishable(members: list[Codec], annotation: Any) -> None:
    records = [member.core for member in members if isinstance(member.core, Record)]
    for position, first in enumerate(records):
        for second in records[position + 1 :]:
            if first.signature() == second.signature():
                raise UnsupportedType(
                    f"in {show_type(annotation)}: {first.cls.__qualname__} and {second.cls.__qualname__} have the same fields, so "
                    "their JSON cannot be told apart; give each a field such as `kind: Literal['…']`"
                )
