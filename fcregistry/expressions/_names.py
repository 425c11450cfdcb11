"""Which type does a model mean by a name? One of the parameters' own, or one of the standard library's that every text may name.

MERGED: By which names may a tool be called in an expression? Not each of ours is one of Python's.
"""

from __future__ import annotations

import enum
import keyword
import re
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, date, datetime, time, timedelta, timezone
from typing import TYPE_CHECKING, Any, Final

from fcregistry.types import AliasCodec, ChoiceCodec, Codec, DecimalCodec, RecordCodec, TextCodec, walk_codecs

if TYPE_CHECKING:
    from fcregistry._tools.tool import Tool

# --- expressions._types ---

TIME_TYPES: Final[dict[str, type[Any]]] = {each.__name__: each for each in (datetime, date, time, timedelta, timezone)}
"""Types whose instances are made of numbers when they are read: making them runs nothing but Python's own code, and takes no time."""

_TIME_CONSTANTS: Final = {"timezone.utc": UTC, "UTC": UTC}


def is_name_of(cls: type, name: str) -> bool:
    """Tell whether a name is that of a class: its own, or with what it stands in before it, such as its module."""
    full = f"{cls.__module__}.{cls.__qualname__.replace('<locals>.', '')}"
    return f".{full}".endswith(f".{name}") and len(name) >= len(cls.__name__)


def time_type(name: str) -> type[Any] | None:
    """Return the type of times that a name means, if it means one: `date`, `datetime.date`."""
    cls = TIME_TYPES.get(name.rpartition(".")[2])
    return cls if cls is not None and is_name_of(cls, name) else None


def time_parser(name: str) -> Callable[[str], Any] | None:
    """Return what a name such as `date.fromisoformat` means, if it means such a thing."""
    before, _, method = name.rpartition(".")
    cls = time_type(before) if method == "fromisoformat" else None
    return cls.fromisoformat if cls in (datetime, date, time) and cls is not None else None


def time_constant(name: str) -> Any:
    """Return the constant of the standard library that a name means, or None."""
    return _TIME_CONSTANTS.get(name.removeprefix("datetime."))


def names_type_of(codec: Codec, name: str) -> bool:
    """Tell whether a name is that of the type of a codec, and instances of it can be written as a call."""
    core = codec.core
    if isinstance(core, DecimalCodec):
        return name in ("Decimal", "decimal.Decimal")
    if isinstance(core, AliasCodec):
        return name.rpartition(".")[2] == core.title
    cls = core.cls if isinstance(core, (RecordCodec, TextCodec)) else _enum_of(core)
    return cls is not None and is_name_of(cls, name)


def _enum_of(codec: Codec) -> type[enum.Enum] | None:
    """Return the Enum whose members a codec knows, or some of them."""
    if isinstance(codec, ChoiceCodec):
        for value in codec.values:
            member = codec.decode(value)
            if isinstance(member, enum.Enum):
                return type(member)
    return None


class TypeNames:
    """The types that expressions of one tool may name.

    Args:
        codecs: Those of the tool's parameters.
    """

    __slots__ = ("_all", "_codecs", "_learnt")

    def __init__(self, codecs: Iterable[Codec]) -> None:
        self._codecs = tuple(codecs)
        self._all: list[Codec] | None = None
        self._learnt: dict[str, Codec] = {}

    def learn(self, name: str, codec: Codec) -> None:
        """Remember what a name of the context means: it may be another than that of the type."""
        self._learnt[name] = codec

    def codec(self, name: str, expected: Codec | None = None) -> Codec | None:
        """Return the codec of the type that a name means: what is expected where it stands goes first.

        Args:
            name: The name.
            expected: The codec of the place where an instance stands.
        """
        nearest = [] if expected is None else walk_codecs([expected], same=True)
        found = next((each for each in (*nearest, *self._every()) if names_type_of(each, name)), None)
        return self._learnt.get(name) if found is None else found

    def enum(self, name: str) -> type[enum.Enum] | None:
        """Return the Enum that a name means."""
        if name in self._learnt:
            return _enum_of(self._learnt[name].core)
        return next((cls for each in self._every() if (cls := _enum_of(each.core)) and is_name_of(cls, name)), None)

    def names(self) -> list[str]:
        """Return the names of types that can be called, sorted."""
        records = {each.core.cls.__name__ for each in self._every() if isinstance(each.core, RecordCodec)}
        return sorted(records)

    def _every(self) -> list[Codec]:
        if self._all is None:
            self._all = list(walk_codecs(self._codecs))
        return self._all


def codecs_of_kind(codec: Codec, kind: type[Any]) -> Iterator[Any]:
    """Yield the codecs of a kind that see the very values that a codec sees: itself, or members of it if it is a union."""
    return (each.core for each in walk_codecs([codec], same=True) if isinstance(each.core, kind))


# --- expressions._spelling ---

_NOT_IN_NAMES: Final = re.compile(r"\W")


def identifier(name: str) -> str:
    """Return what a tool is called in Python: with underscores for what no name has there."""
    written = _NOT_IN_NAMES.sub("_", name)
    if keyword.iskeyword(written):
        return f"{written}_"
    return f"_{written}" if written[:1].isdigit() else written


def tools_by_name(tools: Iterable[Tool]) -> dict[str, Tool]:
    """Return tools by the names that a model is told: each has one of its own, with a number where another has it already."""
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
    """Return tools by the names that they have beside those; None for a name that means several."""
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
    """Yield what the format `python` calls a tool, where Python has no such name."""
    if identifier(tool.name) != tool.name or "_x" in tool.name:  # with which begins what the format writes otherwise
        from fcregistry.formats.python import NAMES  # some milliseconds, for few names

        yield NAMES.wire_name(tool.name)


def _group_names(tool: Tool) -> Iterable[str]:
    return (".".join(map(identifier, (*tool.group.split("."), tool.declared_name))),)


def _alias_names(tool: Tool) -> Iterable[str]:
    return map(identifier, tool.options.aliases)


_SPELLINGS: Final[tuple[Callable[[Tool], Iterable[str]], ...]] = (_python_format_names, _group_names, _alias_names)
"""The kinds of other names; an earlier one beats a later one of another tool."""
