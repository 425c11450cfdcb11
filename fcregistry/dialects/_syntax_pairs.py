"""A syntax that writes tags around the name and the value of each argument: `name<arg_key>key</arg_key><arg_value>text</arg_value>`.

The text of a value is not escaped, as in `_syntax_tags.py`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from fcregistry._base.call import ToolCall
from fcregistry.dialects._parsed import Calls, Syntax
from fcregistry.dialects._source import TextSource, none_of
from fcregistry.dialects._syntax_json import arguments_of
from fcregistry.dialects._syntax_tags import IN_HEAD, Ending, add_argument, bare_text, call_with, check_readable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fcregistry.dialects._source import Reading

NO_OBJECT: Final = r"(?!\s*+[{\[])"
"""The pattern of a place where no JSON object or array follows, for families that write either."""

_NAME_PATTERN: Final = r"[^\s<>{}\[\]\"'\\]*+"
_NAME: Final = re.compile(_NAME_PATTERN)


def _take_blanks(source: TextSource) -> Reading[str]:
    r"""Take white space, and each `\n` that is written as a backslash and an n; return all of it as it is."""
    pieces = []
    while True:
        pieces.append((yield from source.space()))
        found = yield from source.take("\\n")
        if not found:
            return "".join(pieces)
        pieces.append(found)


_Tags: TypeAlias = tuple[str, str]
"""A tag that opens, and the one that closes."""


class PairSyntax:
    """The tags of a family, and the reader and writer of its calls.

    Args:
        call: The tags that open and close a call.
        key: The tags around the name of an argument; the second is empty if the tag before the value ends the name.
        value: The tags around its value.
        type: The tags around its type, which may be between the two.
        separator: The tag after a call's name, if there is one.
    """

    __slots__ = ("_ending", "_key_tags", "_separator", "_type_tags", "_value_tags", "closes", "opens")

    def __init__(self, call: _Tags, key: _Tags, value: _Tags, type: _Tags = ("", ""), separator: str = "") -> None:
        self.opens, self.closes = call
        self._key_tags: Final = key
        self._value_tags: Final = value
        self._type_tags: Final = type
        self._separator: Final = separator
        self._ending: Final = Ending(value[1], value[0], call, (key[0], self.closes), (self.opens,), _take_blanks)

    @classmethod
    def of(cls, prefix: str = "", suffix: str = "", *, separates: bool = False) -> PairSyntax:
        """Return the syntax with the tags of GLM-4.5, or with such tags that begin or end with other text.

        Args:
            prefix: The beginning of each tag's name.
            suffix: The end of each tag's name.
            separates: Whether the tag `tool_sep` follows a call's name.
        """

        def tags(name: str) -> _Tags:
            """Return the opening and the closing tag for `name`, with `prefix` and `suffix`."""
            return f"<{prefix}{name}{suffix}>", f"</{prefix}{name}{suffix}>"

        separator = tags("tool_sep")[0] if separates else ""
        return cls(tags("tool_call"), tags("arg_key"), tags("arg_value"), tags("arg_type"), separator)

    @property
    def marks(self) -> tuple[str, ...]:
        """All tags."""
        return tuple(filter(None, (self.opens, self.closes, *self._key_tags, *self._value_tags)))

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
        unclear = ""
        while name:
            key = yield from self._key(source)
            if key == self.closes:
                if not arguments and source.shapes.are_known and name not in source.shapes:
                    return None  # a word between tags, which cannot be meant as a call
                return [call_with(name, arguments, unclear, self._ending.mark)]
            text = (yield from self._ending.value(source)) if key else None
            if text is None:
                return None
            if self._ending.is_written_again(text):
                unclear = key
            add_argument(arguments, key, source.shapes.value(name, key, text), source)
        return None

    def _key(self, source: TextSource) -> Reading[str]:
        """Take the tags and the key before a value, and return the key.

        Return the mark that closes the call if the call ends here. Return an empty string if neither comes next, or the tags are incomplete.
        """
        yield from _take_blanks(source)
        opens, closes = self._key_tags
        found = yield from source.take(self.closes, opens)
        if found != opens:
            return found
        key = (yield from source.run(IN_HEAD)).strip()
        if not key or (closes and not (yield from source.take(closes))):
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
        """Return the text of `call` after its opening mark, up to and with its closing mark.

        Raises:
            ValueError: The arguments are text that is not a JSON object.
        """
        (key, ends_key), (value, ends_value) = self._key_tags, self._value_tags
        joint = "\n" if ends_key else ""
        pairs = (
            f"{key}{name}{ends_key}{joint}{value}{bare_text(argument, self._ending)}{ends_value}"
            for name, argument in arguments_of(call).items()
        )
        return "\n".join([f"{call.name}{self._separator}", *pairs, self.closes])
