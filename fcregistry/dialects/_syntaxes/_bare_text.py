"""Where does a value end that is written as bare text between two marks, and can a call be written so?

Nothing is escaped in such text, so a mark that ends a value may stand in the value, too. It ends the value only where what follows it, white space
aside, can follow a value there.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final, Literal

from fcregistry._base.call import ToolCall
from fcregistry.dialects._prompt import json_text
from fcregistry.dialects._shapes import Shapes
from fcregistry.dialects._source import Marks, Source
from fcregistry.dialects._syntaxes._heads import AFTER_HEAD, IN_HEAD
from fcregistry.dialects._syntaxes._objects import arguments_of
from fcregistry.dialects._waking import NEVER, matching
from fcregistry.dialects._waking import one_of as one_of_characters

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from re import Pattern

    from fcregistry.dialects._sections import CallReader
    from fcregistry.dialects._source import Reading

LIMITS: Final = (
    "Nothing is escaped: a value that holds the mark that ends it, with what can follow it behind, cannot be written, nor one that holds "
    "the end or the beginning of a call without the other. Values take their types from the tools' schemas, and are text without."
)
"""What syntaxes of bare text cannot express."""

_SPACE: Final = re.compile(r"\s*")
_NO_SPACE: Final = matching(r"\S")


def one_of(marks: Iterable[str]) -> str:
    """Return the pattern of any of some marks."""
    return f"(?:{'|'.join(map(re.escape, marks))})"


def white_space(source: Source) -> Reading[str]:
    """Take white space, and return it."""
    return source.run(_SPACE, _NO_SPACE)


class Ending:
    """What ends a value.

    A call that is quoted in a value is a part of it: what ends the values and the call there ends nothing else. Where the tags of the quoted
    call do not fit together, it is not known where the value ends, and all that follows may be quoted, so that nothing there is a call.

    Args:
        mark: The mark.
        opens: What opens a value.
        call: What opens and closes a call.
        followed: What can follow the mark.
        abandoned: What can follow the end of a call. Where it does, the mark that ends the value was forgotten, and there is no value: else it
            would reach into the next call.
        space: Takes the white space that may stand behind the marks.
        blank: The pattern of that white space.
    """

    __slots__ = ("_blank", "_call", "_followed", "_mark", "_marks", "_opens", "_space", "_wake")

    def __init__(
        self,
        mark: str,
        opens: str,
        call: tuple[str, str],
        followed: tuple[str, ...],
        abandoned: tuple[str, ...],
        space: Callable[[Source], Reading[str]] = white_space,
        blank: str = r"\s*+",
    ) -> None:
        self._mark = mark
        self._opens = opens
        self._call = call
        self._marks = Marks(mark, opens, *call)
        self._wake = one_of_characters((">", mark[-1], call[1][-1]))  # what opens something ends with the first, too
        self._followed = {mark: followed, call[1]: abandoned}
        self._space = space
        self._blank = blank

    def stands_in(self, text: str) -> bool:
        """Tell whether a mark stands in a text that may end a value."""
        return self._marks.find(text, 0) is not None

    def behind(self, opening: str) -> Pattern[str]:
        """Return the pattern of what `value` takes and what stands before it, where all of it is there and the first mark is the value's own.

        Args:
            opening: The pattern of what stands before the value. A group for the value follows its groups.
        """
        marks = one_of(self._marks.texts)
        first = re.escape("".join(sorted({mark[0] for mark in self._marks.texts})))
        value = f"((?>[^{first}]+|(?!{marks})[{first}])*+)"
        followed = f"{self._blank}(?={one_of(self._followed[self._mark])})"
        return re.compile(f"{opening}{value}{re.escape(self._mark)}{followed}")

    def value(self, source: Source) -> Reading[str | None]:
        """Take a value, its mark, and white space behind that; return the value, or None where it does not end."""
        pieces: list[str] = []
        nesting = _Nesting()
        while True:
            text, mark = yield from source.until(self._marks, self._wake)
            pieces.append(text)
            if not mark:
                return None
            if mark in (self._opens, self._call[0]):
                head, is_tag = yield from _head(source, mark)
                pieces += (mark, head)
                if is_tag:
                    nesting.open(is_call=mark != self._opens)
                continue
            space = yield from self._space(source)
            is_followed = bool((yield from source.is_next(*self._followed[mark])))
            place = nesting.close(is_call=mark != self._mark, is_followed=is_followed)
            if place == "outside":
                return "".join(pieces) if mark == self._mark else None
            if place == "nowhere":
                yield from _all(source)
                return None
            pieces += (mark, space)


class _Nesting:
    """The values and calls that are open within a value: tags of calls that it quotes."""

    __slots__ = ("_open",)

    def __init__(self) -> None:
        self._open: list[Literal["name", "call", "value"]] = []

    def open(self, *, is_call: bool) -> None:
        """Open a call, or a value. A call without a value may be a mere name of the tag."""
        if not is_call and self._open and self._open[-1] == "name":
            self._open[-1] = "call"
        self._open.append("name" if is_call else "value")

    def close(self, *, is_call: bool, is_followed: bool) -> Literal["inside", "outside", "nowhere"]:
        """Close a call, or a value; return where its closing tag belongs, which is nowhere if it does not fit.

        Args:
            is_call: Whether it is a call.
            is_followed: Whether what can follow it does. Else the tag may be a mere word.
        """
        while is_followed and not is_call and self._open and self._open[-1] == "name":
            self._open.pop()
        if not self._open:
            return "outside" if is_followed else "inside"
        if (self._open[-1] != "value") == is_call:
            self._open.pop()
            return "inside"
        return "nowhere" if is_followed else "inside"


def _head(source: Source, mark: str) -> Reading[tuple[str, bool]]:
    """Take what stands in a tag behind its beginning; return it, and whether that makes it a tag that opens something."""
    if mark.endswith(">"):
        return "", True
    head = yield from source.run(IN_HEAD, AFTER_HEAD)
    is_named = bool(head) and (mark.endswith("=") or head[0].isspace())
    return head, is_named and not head.endswith("/") and bool((yield from source.is_next(">")))


def _all(source: Source) -> Reading[None]:
    """Take all text that is left."""
    while True:
        source.place = len(source.text)
        if source.ended:
            return
        yield NEVER


def keep(arguments: dict[str, Any], key: str, value: Any, source: Source) -> None:
    """Keep an argument. Of two with one name it is the last, as in the parsers that are published, and that is said."""
    if key in arguments:
        source.repairs.append(f"the parameter {key!r} was given twice: the last one is taken")
    arguments[key] = value


def bare(value: Any, ending: Ending) -> str:
    """Return a value as text: a string as it is, anything else as JSON, in which marks are escaped."""
    if isinstance(value, str):
        return value
    text = json_text(value)
    return text.replace("<", "\\u003c") if ending.stands_in(text) else text


def must_be_read(text: str, call: ToolCall, read: CallReader, mark: str) -> str:
    """Return the text of a call, if it is read as that call.

    Args:
        text: What was written, from behind the mark that opens it.
        call: The call.
        read: What reads it.
        mark: The mark.

    Raises:
        ValueError: It is read as anything else.
    """
    arguments = json.loads(json_text(arguments_of(call)))
    kinds = {key: {"const": value} for key, value in arguments.items()}
    source = Source(Shapes([{"name": call.name, "parameters": {"properties": kinds}}]))
    source.add(text)
    source.ended = True
    try:
        next(read(source, mark))
    except StopIteration as end:
        if end.value == [ToolCall(call.name, arguments)] and source.place == len(text):
            return text
    raise ValueError(
        f"the call of {call.name!r} cannot be written as bare text: "
        "a name in it holds what ends names, or a value holds what ends values, followed by what can follow one"
    )
