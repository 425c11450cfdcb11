"""How are calls written as tags, with one around each value? `<function=name><parameter=key>text</parameter></function>`, and its kin."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from html import unescape
from typing import TYPE_CHECKING, Any, Final

from fcregistry._base.call import ToolCall
from fcregistry.dialects._json_text import FAILED, Refused, json_value, read_value
from fcregistry.dialects._sections import Calls
from fcregistry.dialects._syntaxes._bare_text import Ending, bare, keep, must_be_read, one_of
from fcregistry.dialects._syntaxes._heads import HEAD, attributes, told, usual_head
from fcregistry.dialects._syntaxes._objects import arguments_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from fcregistry.dialects._sections import CallWriter
    from fcregistry.dialects._source import Reading, Source

_END: Final[dict[str, str]] = {}
"""Stands for the tag that closes a call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tags:
    """The tags of a family. One that ends with `=` has its name behind that; any other has it in the attribute `name`.

    Attributes:
        opens: What opens a section of calls; the first is written.
        closes: What closes it; the first is written.
        call: What opens and closes a call.
        parameter: What opens and closes a value.
        before: What may stand before a call, and is written there.
        after: What may stand behind a call; the first is written.
        apart: Whether each call is written in a section of its own.
        trims: Whether a line break behind the opening tag of a value, and one before the closing one, are none of it.
        framed: Whether these are always written.
        tells_strings: Whether the attribute `string` is written, which tells strings from JSON. It is read in any family.
        has_entities: Whether entities of HTML in a value stand for their characters.
        takes_objects: Whether all values together may also be one JSON object.
        unnamed: Reads a call whose tag has no name, from behind the tag to behind the closing one.
    """

    opens: tuple[str, ...]
    closes: tuple[str, ...]
    call: tuple[str, str]
    parameter: tuple[str, str]
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    apart: bool = False
    trims: bool = False
    framed: bool = False
    tells_strings: bool = False
    has_entities: bool = False
    takes_objects: bool = False
    unnamed: Callable[[Source], Reading[ToolCall | None]] | None = None

    @property
    def marks(self) -> tuple[str, ...]:
        """What opens a section: also a call without one, which is how the second call of a section is read."""
        return (*self.opens, *self.before[:1], self.call[0])

    @property
    def ending(self) -> Ending:
        """What ends a value."""
        return Ending(
            self.parameter[1],
            self.parameter[0],
            self.call,
            (self.parameter[0], self.call[1], *self.closes),
            (*self.closes, *self.after, *self.before, self.call[0]),
        )


# --- reading --------------------------------------------------------------------------------------


class _Reader:
    """Reads one call, and what closes it or its section.

    Args:
        tags: How it is written.
    """

    __slots__ = ("_closes", "_ends", "_starts", "_tags", "_usual", "ending")

    def __init__(self, tags: Tags) -> None:
        self._tags = tags
        self.ending: Final = tags.ending
        opened, closed = tags.call
        among = rf"\s*(?>{one_of(tags.before)}\s*)*" if tags.before else r"\s*"
        self._starts: Final = re.compile(rf"{among}{re.escape(opened)}({HEAD})>")
        self._usual: Final = self.ending.behind(rf"\s*+{re.escape(tags.parameter[0])}{usual_head(tags.parameter[0])}>")
        self._ends: Final = re.compile(rf"\s*+{re.escape(closed)}")
        self._closes: Final = re.compile(rf"\s*(?>{one_of(tags.after)}\s*)*{one_of(tags.closes)}")

    def __call__(self, source: Source, mark: str) -> Reading[list[ToolCall] | None]:
        tags = self._tags
        about = yield from self._start(source, mark)
        if about is None:
            return None
        call = yield from (self._body(source, about) if about or tags.unnamed is None else tags.unnamed(source))
        if call is None:
            return None
        if not source.at_once(self._closes):
            yield from _among(source, tags.after)
            yield from source.take(*tags.closes)
        return [call]

    def _start(self, source: Source, mark: str) -> Reading[dict[str, str] | None]:
        """Take the tag that opens a call; return what it tells, or None where there is none."""
        opened = self._tags.call[0]
        if mark != opened:
            if found := source.at_once(self._starts):
                return told(opened, found[1])
            yield from _among(source, self._tags.before)
            if not (yield from source.take(opened)):
                return None
        return (yield from attributes(source, opened))

    def _body(self, source: Source, about: dict[str, str]) -> Reading[ToolCall | None]:
        """Take what stands in a call, and what closes it; return the call, or None where it is none, or cut off."""
        name = about.get("name", "").strip()
        if self._tags.takes_objects and name:
            yield from source.space()
            if (yield from source.is_next("{")):
                return (yield from self._object(source, name))
        return (yield from self._values(source, name))

    def _object(self, source: Source, name: str) -> Reading[ToolCall | None]:
        value = yield from json_value(source, "{")
        yield from source.space()
        if value is FAILED or not (yield from source.take(self._tags.call[1])):
            return None
        return ToolCall(name, value.text if isinstance(value, Refused) else value)

    def _values(self, source: Source, name: str) -> Reading[ToolCall | None]:
        arguments: dict[str, Any] = {}
        while name:
            if found := source.at_once(self._usual):
                key, string, text = found.groups()
            else:
                parameter = yield from self._parameter(source)
                if parameter is _END:
                    return ToolCall(name, arguments)
                key, string = (parameter.get("name"), parameter.get("string")) if parameter else (None, None)
                text = (yield from self.ending.value(source)) if key else None
                if not key or text is None:
                    return None
            text = self._meant(text)
            value = _as_told(string, text, source.repairs) if string else FAILED
            keep(arguments, key, source.shapes.value(name, key, text) if value is FAILED else value, source)
        return None

    def _meant(self, text: str) -> str:
        """Return what a text between tags stands for."""
        if self._tags.trims:
            text = text.removeprefix("\n").removesuffix("\n")
        return unescape(text) if self._tags.has_entities and "&" in text else text

    def _parameter(self, source: Source) -> Reading[dict[str, str] | None]:
        """Take the tag that opens a value; return what it tells, `_END` where the call ends instead, or None where neither comes."""
        if source.at_once(self._ends):
            return _END
        opens = self._tags.parameter[0]
        yield from source.space()
        if (yield from source.take(self._tags.call[1])) or (yield from source.is_next(*self._tags.closes)):
            return _END
        return (yield from attributes(source, opens)) if (yield from source.take(opens)) else None


def _among(source: Source, marks: tuple[str, ...]) -> Reading[None]:
    """Take white space, and any of some marks in it."""
    yield from source.space()
    while marks and (yield from source.take(*marks)):
        yield from source.space()


def _as_told(string: str, text: str, repairs: list[str]) -> Any:
    """Return a value as the attribute `string` tells; `FAILED` where it tells nothing."""
    if string == "true":
        return text
    value = read_value(text.strip(), repairs) if string == "false" else FAILED
    return FAILED if isinstance(value, Refused) else value


def section(tags: Tags) -> Calls:
    """Return what opens calls, and reads them."""
    return Calls(opens=tags.marks, read=_reader(tags))


_reader: Final = cache(_Reader)  # which reads, and tells the writer what is read again


# --- writing --------------------------------------------------------------------------------------


def write_tags(tags: Tags) -> CallWriter:
    """Return a writer of calls. It raises `ValueError` for one that would not be read again."""
    read = _reader(tags)

    def write(calls: Sequence[ToolCall]) -> str:
        texts = [must_be_read(_written(call, tags, read.ending), call, read, tags.opens[0]) for call in calls]
        sections = texts if tags.apart else ["\n".join(texts)] if texts else []
        return "\n".join(f"{tags.opens[0]}\n{text}\n{tags.closes[0]}" for text in sections)

    return write


def _written(call: ToolCall, tags: Tags, ending: Ending) -> str:
    values = [_parameter(key, value, tags, ending) for key, value in arguments_of(call).items()]
    before, after = "".join(tags.before), "".join(tags.after[:1])
    return "\n".join([f"{before}{_tag(tags.call[0], call.name)}", *values, f"{tags.call[1]}{after}"])


def _parameter(key: str, value: Any, tags: Tags, ending: Ending) -> str:
    text = bare(value, ending)
    if tags.has_entities and unescape(text) != text:
        text = text.replace("&", "&amp;")
    frame = "\n" if tags.framed or (tags.trims and (text.startswith("\n") or text.endswith("\n"))) else ""
    string = f' string="{str(isinstance(value, str)).lower()}"' if tags.tells_strings else ""
    return f"{_tag(tags.parameter[0], key, string)}{frame}{text}{frame}{tags.parameter[1]}"


def _tag(opening: str, name: str, more: str = "") -> str:
    return f"{opening}{name}>" if opening.endswith("=") else f'{opening} name="{name}"{more}>'
