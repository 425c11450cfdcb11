"""The names in an expression: of types that a tool's parameters have, of the standard library's dates and times, and of tools.

A tool's name need not be a name of Python's, so a tool may have several spellings.
"""

from __future__ import annotations

import enum
import keyword
import re
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, date, datetime, time, timedelta, timezone
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from fcregistry.types import (
    ANY_CODEC,
    AliasCodec,
    ChoiceCodec,
    Codec,
    DecimalCodec,
    DictCodec,
    RecordCodec,
    TextCodec,
    walk_codecs,
)

if TYPE_CHECKING:
    from fcregistry._tools.tool import Tool

# --- Names of types ---


class TypeNames:
    """The types that expressions of one tool may name.

    Args:
        codecs: The codecs of the tool's parameters.
    """

    def __init__(self, codecs: Iterable[Codec]) -> None:
        self._codecs = tuple(codecs)
        self._learnt: dict[str, Codec] = {}

    @cached_property
    def _every(self) -> list[Codec]:
        return list(walk_codecs(self._codecs))

    def learn(self, name: str, codec: Codec) -> None:
        """Remember the type that a name of the context means: the name may differ from the type's own."""
        self._learnt[name] = codec

    def codec(self, name: str, expected: Codec | None = None) -> Codec | None:
        """Return the codec of the type that a name means; the expected codec comes first.

        Args:
            name: The name.
            expected: The codec of the place of the instance.
        """
        nearest = [] if expected is None else walk_codecs([expected], same=True)
        found = next((each for each in (*nearest, *self._every) if names_type_of(each, name)), None)
        return self._learnt.get(name) if found is None else found

    def enum(self, name: str) -> type[enum.Enum] | None:
        """Return the Enum that a name means."""
        if name in self._learnt:
            return _enum_of(self._learnt[name].core)
        return next((cls for each in self._every if (cls := _enum_of(each.core)) and is_name_of(cls, name)), None)

    def names(self) -> list[str]:
        """Return the names of the types that can be called, sorted."""
        records = {each.core.cls.__name__ for each in self._every if isinstance(each.core, RecordCodec)}
        return sorted(records)


def codecs_of_kind(codec: Codec, kind: type[Any]) -> Iterator[Any]:
    """Yield the codecs of a kind that handle the same values as a codec.

    These are the codec itself, or the members of a union.
    """
    return (each.core for each in walk_codecs([codec], same=True) if isinstance(each.core, kind))


def entry_codecs(codec: Codec) -> tuple[DictCodec | None, Callable[[Any], Codec]]:
    """Return the dict codec that a codec may mean, and a function from an entry's key to its codec."""
    mapping: DictCodec | None = next(codecs_of_kind(codec, DictCodec), None)
    fields = {each.key: each.codec for record in codecs_of_kind(codec, RecordCodec) for each in record.fields}
    other = ANY_CODEC if mapping is None else mapping.item
    return mapping, lambda key: fields.get(key, other)


def names_type_of(codec: Codec, name: str) -> bool:
    """Return whether a name is that of a codec's type, and instances of the type can be written as a call."""
    core = codec.core
    if isinstance(core, DecimalCodec):
        return name in ("Decimal", "decimal.Decimal")
    if isinstance(core, AliasCodec):
        return name.rpartition(".")[2] == core.title
    cls = core.cls if isinstance(core, (RecordCodec, TextCodec)) else _enum_of(core)
    return cls is not None and is_name_of(cls, name)


def _enum_of(codec: Codec) -> type[enum.Enum] | None:
    """Return the Enum whose members, or some of them, a codec has."""
    if isinstance(codec, ChoiceCodec):
        for value in codec.values:
            member = codec.decode(value)
            if isinstance(member, enum.Enum):
                return type(member)
    return None


def is_name_of(cls: type, name: str) -> bool:
    """Return whether a name is that of a class.

    It may be its own, or with what contains it in front, such as its module.
    """
    full = f"{cls.__module__}.{cls.__qualname__.replace('<locals>.', '')}"
    return f".{full}".endswith(f".{name}") and len(name) >= len(cls.__name__)


# --- Names of dates and times ---

TIME_TYPES: Final[tuple[type[Any], ...]] = (datetime, date, time, timedelta, timezone)
"""Types whose instances are made while an expression is read: that runs only Python's own code, and quickly."""

_TIME_NAMES: Final[dict[str, Any]] = {
    **{cls.__name__: cls for cls in TIME_TYPES},
    **{f"{cls.__name__}.fromisoformat": cls.fromisoformat for cls in (datetime, date, time)},
    "timezone.utc": UTC,
    "UTC": UTC,
}


def time_meaning(name: str) -> Any:
    """Return the type, function or constant of dates and times that a name means; None if it means none.

    The name may have the module in front: `datetime.date.fromisoformat`.
    """
    return _TIME_NAMES.get(name) or _TIME_NAMES.get(name.removeprefix("datetime."))


# --- Names of tools ---

_NOT_IN_NAMES: Final = re.compile(r"\W")


def identifier(name: str) -> str:
    """Return a tool's name as Python can write it: with underscores for characters that names cannot have."""
    written = _NOT_IN_NAMES.sub("_", name)
    if keyword.iskeyword(written):
        return f"{written}_"
    return f"_{written}" if written[:1].isdigit() else written


def tools_by_name(tools: Iterable[Tool]) -> dict[str, Tool]:
    """Return tools by the names shown to the model. A name that another tool already has gets a number."""
    plain = {each.name: each for each in tools if identifier(each.name) == each.name}
    others: dict[str, Tool] = {}
    for each in tools:
        if plain.get(each.name) is not each:
            name = written = identifier(each.name)
            number = 1
            while written in plain or written in others:
                number += 1
                written = f"{name}_{number}"
            others[written] = each
    return plain | others


def other_names(tools: Iterable[Tool]) -> dict[str, Tool | None]:
    """Return tools by their other spellings; None for a name that means several tools."""
    known: dict[str, Tool | None] = {}
    for spell in _SPELLINGS:
        found: dict[str, Tool | None] = {}
        for each in tools:
            for name in spell(each):
                found[name] = each if found.get(name, each) is each else None
        known = found | known
    return known


def name_spellings(tool: Tool) -> list[str]:
    """Return the names that may mean a tool."""
    return [tool.name, identifier(tool.name), *(name for spell in _SPELLINGS for name in spell(tool))]


def _python_format_names(tool: Tool) -> Iterable[str]:
    """Yield the name of a tool in the format `python`, if it is not an identifier."""
    if identifier(tool.name) != tool.name or "_x" in tool.name:  # the format's escapes begin with _x
        from fcregistry.formats.python import NAMES  # some milliseconds, for few names

        yield NAMES.wire_name(tool.name)


def _group_names(tool: Tool) -> Iterable[str]:
    return (".".join(map(identifier, (*tool.group.split("."), tool.declared_name))),)


def _alias_names(tool: Tool) -> Iterable[str]:
    return map(identifier, tool.options.aliases)


_SPELLINGS: Final[tuple[Callable[[Tool], Iterable[str]], ...]] = (_python_format_names, _group_names, _alias_names)
"""The kinds of other names, the strongest first: an earlier kind beats a later one of another tool."""
