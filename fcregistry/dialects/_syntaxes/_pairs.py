"""How are calls written as a name, and a pair of tags for each argument? `name<arg_key>key</arg_key><arg_value>text</arg_value>`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from fcregistry._calls import ToolCall
from fcregistry.dialects._syntaxes._bare_text import Ending, at_once, bare, keep, must_be_read, white_space
from fcregistry.dialects._syntaxes._objects import arguments_of

if TYPE_CHECKING:
    from fcregistry.dialects._source import Reading, Source

OPENS: Final = "<tool_call>"
_CLOSES: Final = "</tool_call>"
_NAME: Final = re.compile(r"[^\s<>{}\[\]\"'\\]*")
_AFTER_NAME: Final = re.compile(r"[\s<>{}\[\]\"'\\]").search
_BLANK: Final = r"(?>\s+|\\n)*"
_BLANKS: Final = re.compile(_BLANK)
_PAIR: Final = re.compile(rf"{_BLANK}<arg_key>([^<>\n]+)</arg_key>{_BLANK}<arg_value>")
_END: Final = re.compile(rf"{_BLANK}{_CLOSES}")
_KEY: Final = re.compile(r"[^<>\n]*")
_AFTER_KEY: Final = re.compile(r"[<>\n]").search


def _space(source: Source) -> Reading[str]:
    r"""Take white space, and the two characters `\n`, which models write for it; return both."""
    there = at_once(source, _BLANKS)
    pieces = [there[0] if there else ""]
    while True:  # what is not there yet
        pieces.append((yield from white_space(source)))
        found = yield from source.take("\\n")
        if not found:
            return "".join(pieces)
        pieces.append(found)


_ENDING: Final = Ending("</arg_value>", ("<arg_key>", _CLOSES), {_CLOSES: (OPENS,)}, _space, _BLANK)


def read_pairs(source: Source, mark: str) -> Reading[list[ToolCall] | None]:
    """Read a call from behind what opens it to behind what closes it."""
    yield from _space(source)
    name = yield from source.run(_NAME, _AFTER_NAME)
    arguments: dict[str, Any] = {}
    while name:
        key = yield from _key(source)
        if key == _CLOSES:
            if not arguments and source.shapes.are_known and name not in source.shapes:
                return None  # a word between tags, and no call that somebody could mean
            return [ToolCall(name, arguments)]
        text = (yield from _ENDING.value(source)) if key else None
        if text is None:
            return None
        keep(arguments, key, source.shapes.value(name, key, text), source)
    return None


def _key(source: Source) -> Reading[str]:
    """Take what stands before a value, and return its key, or what closes the call, which is no key; nothing where neither comes."""
    if pair := at_once(source, _PAIR):
        return pair[1].strip()
    if at_once(source, _END):
        return _CLOSES
    yield from _space(source)
    found = yield from source.take(_CLOSES, "<arg_key>")
    if found != "<arg_key>":
        return found
    key = (yield from source.run(_KEY, _AFTER_KEY)).strip()
    if not key or not (yield from source.take("</arg_key>")):
        return ""
    yield from _space(source)
    return key if (yield from source.take("<arg_value>")) else ""


def write_pairs(calls: Sequence[ToolCall]) -> str:
    """Return calls with each tag on a line of its own.

    Raises:
        ValueError: One would not be read again.
    """
    return "\n".join(f"{OPENS}{must_be_read(_written(call), call, read_pairs, OPENS)}" for call in calls)


def _written(call: ToolCall) -> str:
    pairs = (
        f"<arg_key>{key}</arg_key>\n<arg_value>{bare(value, _ENDING)}</arg_value>"
        for key, value in arguments_of(call).items()
    )
    return "\n".join([call.name, *pairs, _CLOSES])
