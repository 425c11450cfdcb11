"""How are calls written as a name, and a pair of tags for each argument? `name<arg_key>key</arg_key><arg_value>text</arg_value>`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from fcregistry._base.call import ToolCall
from fcregistry.dialects._syntaxes._bare_text import Ending, bare, keep, must_be_read, white_space
from fcregistry.dialects._syntaxes._objects import arguments_of
from fcregistry.dialects._waking import matching, one_of

if TYPE_CHECKING:
    from fcregistry.dialects._source import Reading, Source

_NAME: Final = re.compile(r"[^\s<>{}\[\]\"'\\]*")
_AFTER_NAME: Final = matching(r"[\s<>{}\[\]\"'\\]")
_BLANK: Final = r"(?>\s+|\\n)*+"
_BLANKS: Final = re.compile(_BLANK)
_KEY: Final = re.compile(r"[^<>\n]*")
_AFTER_KEY: Final = one_of("<>\n")


def _space(source: Source) -> Reading[str]:
    r"""Take white space, and the two characters `\n`, which models write for it; return both."""
    there = source.at_once(_BLANKS)
    pieces = [there[0] if there else ""]
    while True:  # what is not there yet
        pieces.append((yield from white_space(source)))
        found = yield from source.take("\\n")
        if not found:
            return "".join(pieces)
        pieces.append(found)


class Pairs:
    """The tags of a family, and the reader of its calls.

    Args:
        prefix: What the name of each tag begins with.
    """

    __slots__ = ("_end", "_ending", "_key_tags", "_usual", "_value_tags", "closes", "opens")

    def __init__(self, prefix: str = "") -> None:
        self.opens: Final = f"<{prefix}tool_call>"
        self.closes: Final = f"</{prefix}tool_call>"
        self._key_tags: Final = f"<{prefix}arg_key>", f"</{prefix}arg_key>"
        self._value_tags: Final = f"<{prefix}arg_value>", f"</{prefix}arg_value>"
        (key, ends_key), (value, ends_value) = self._key_tags, self._value_tags
        self._ending: Final = Ending(
            ends_value, value, (self.opens, self.closes), (key, self.closes), (self.opens,), _space, _BLANK
        )
        self._usual: Final = self._ending.behind(rf"{_BLANK}{key}([^\s<>]++){ends_key}{_BLANK}{value}")
        self._end: Final = re.compile(_BLANK + self.closes)

    @property
    def marks(self) -> tuple[str, ...]:
        """All tags."""
        return (self.opens, self.closes, *self._key_tags, *self._value_tags)

    def __call__(self, source: Source, mark: str) -> Reading[list[ToolCall] | None]:
        """Read a call from behind what opens it to behind what closes it."""
        yield from _space(source)
        name = yield from source.run(_NAME, _AFTER_NAME)
        arguments: dict[str, Any] = {}
        while name:
            if found := source.at_once(self._usual):
                key, text = found.groups()
            else:
                key = yield from self._key(source)
                if key == self.closes:
                    if not arguments and source.shapes.are_known and name not in source.shapes:
                        return None  # a word between tags, and no call that somebody could mean
                    return [ToolCall(name, arguments)]
                text = (yield from self._ending.value(source)) if key else None
                if text is None:
                    return None
            keep(arguments, key, source.shapes.value(name, key, text), source)
        return None

    def _key(self, source: Source) -> Reading[str]:
        """Take what stands before a value, and return its key, or what closes the call, which is no key; nothing where neither comes."""
        if source.at_once(self._end):
            return self.closes
        yield from _space(source)
        opens, closes = self._key_tags
        found = yield from source.take(self.closes, opens)
        if found != opens:
            return found
        key = (yield from source.run(_KEY, _AFTER_KEY)).strip()
        if not key or not (yield from source.take(closes)):
            return ""
        yield from _space(source)
        return key if (yield from source.take(self._value_tags[0])) else ""

    def write(self, calls: Sequence[ToolCall]) -> str:
        """Return calls with each tag on a line of its own.

        Raises:
            ValueError: One would not be read again.
        """
        return "\n".join(f"{self.opens}{must_be_read(self._written(call), call, self, self.opens)}" for call in calls)

    def _written(self, call: ToolCall) -> str:
        (key, ends_key), (value, ends_value) = self._key_tags, self._value_tags
        pairs = (
            f"{key}{name}{ends_key}\n{value}{bare(argument, self._ending)}{ends_value}"
            for name, argument in arguments_of(call).items()
        )
        return "\n".join([call.name, *pairs, self.closes])
