"""A syntax that writes a pair of tags for each argument: `name<arg_key>key</arg_key><arg_value>text</arg_value>`.

The text of a value is not escaped, as in `_syntax_tags.py`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from fcregistry._base.call import ToolCall
from fcregistry.dialects._parsed import Calls, Syntax
from fcregistry.dialects._source import TextSource, none_of
from fcregistry.dialects._syntax_json import arguments_of
from fcregistry.dialects._syntax_tags import IN_HEAD, Ending, add_argument, bare_text, check_readable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fcregistry.dialects._source import Reading

NO_OBJECT: Final = r"(?!\s*+[{\[])"
"""The pattern of a place where no JSON object or array follows, for families that write either."""

_NAME_PATTERN: Final = r"[^\s<>{}\[\]\"'\\]*+"
_NAME: Final = re.compile(_NAME_PATTERN)


def _take_blanks(source: TextSource) -> Reading[str]:
    r"""Take white space, including the two characters `\n` that models write for a line break."""
    pieces = []
    while True:
        pieces.append((yield from source.space()))
        found = yield from source.take("\\n")
        if not found:
            return "".join(pieces)
        pieces.append(found)


class PairSyntax:
    """The tags of a family, and the reader and writer of its calls.

    Args:
        prefix: The beginning of each tag's name.
        suffix: The end of each tag's name.
        separates: Whether the tag `tool_sep` follows a call's name.
    """

    __slots__ = ("_ending", "_key_tags", "_separator", "_type_tags", "_value_tags", "closes", "opens")

    def __init__(self, prefix: str = "", suffix: str = "", *, separates: bool = False) -> None:
        def tags(name: str) -> tuple[str, str]:
            return f"<{prefix}{name}{suffix}>", f"</{prefix}{name}{suffix}>"

        self.opens, self.closes = tags("tool_call")
        self._key_tags: Final = tags("arg_key")
        self._value_tags: Final = tags("arg_value")
        self._type_tags: Final = tags("arg_type")
        self._separator: Final = tags("tool_sep")[0] if separates else ""
        key, (value, ends_value) = self._key_tags[0], self._value_tags
        self._ending: Final = Ending(
            ends_value, value, (self.opens, self.closes), (key, self.closes), (self.opens,), _take_blanks
        )

    @property
    def marks(self) -> tuple[str, ...]:
        """All tags."""
        return (self.opens, self.closes, *self._key_tags, *self._value_tags)

    @property
    def syntax(self) -> Syntax:
        """The syntax of the family's calls."""
        return Syntax((Calls(opens=(self.opens,), read=self, words=self.words),), self.write, self.marks)

    @property
    def words(self) -> str:
        """The pattern of text after the opening mark that is neither a name with a key nor the end of a call."""
        no_key = none_of("\\", self.closes, self._key_tags[0], *filter(None, [self._separator]))
        return rf"\s*+{_NAME_PATTERN}\s*+{no_key}"

    def __call__(self, source: TextSource, mark: str) -> Reading[list[ToolCall] | None]:
        """Read a call, from the end of its opening mark to the end of its closing mark."""
        yield from _take_blanks(source)
        name = yield from source.run(_NAME)
        yield from _take_blanks(source)
        yield from source.take(self._separator)
        arguments: dict[str, Any] = {}
        while name:
            key = yield from self._key(source)
            if key == self.closes:
                if not arguments and source.shapes.are_known and name not in source.shapes:
                    return None  # a word between tags, which cannot be meant as a call
                return [ToolCall(name, arguments)]
            text = (yield from self._ending.value(source)) if key else None
            if text is None:
                return None
            add_argument(arguments, key, source.shapes.value(name, key, text), source)
        return None

    def _key(self, source: TextSource) -> Reading[str]:
        """Take the text before a value, and return the key.

        Return the mark that closes the call if the call ends here, or an empty string if the next text is neither.
        """
        yield from _take_blanks(source)
        opens, closes = self._key_tags
        found = yield from source.take(self.closes, opens)
        if found != opens:
            return found
        key = (yield from source.run(IN_HEAD)).strip()
        if not key or not (yield from source.take(closes)):
            return ""
        yield from _take_blanks(source)
        if (yield from source.take(self._type_tags[0])):  # the schema says the type
            yield from source.run(IN_HEAD)
            yield from source.take(self._type_tags[1])
            yield from _take_blanks(source)
        return key if (yield from source.take(self._value_tags[0])) else ""

    def write(self, calls: Sequence[ToolCall]) -> str:
        """Return calls with each tag on a line of its own.

        Raises:
            ValueError: The reader would not read the same call again.
        """
        return "\n".join(f"{self.opens}{check_readable(self._written(call), call, self, self.opens)}" for call in calls)

    def _written(self, call: ToolCall) -> str:
        (key, ends_key), (value, ends_value) = self._key_tags, self._value_tags
        pairs = (
            f"{key}{name}{ends_key}\n{value}{bare_text(argument, self._ending)}{ends_value}"
            for name, argument in arguments_of(call).items()
        )
        return "\n".join([f"{call.name}{self._separator}", *pairs, self.closes])
