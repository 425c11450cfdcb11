"""Where does the bracket stand that closes an opened one? Told string-aware, of text that has slips of JSON and may come in pieces."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from fcregistry._base.json import MAX_DEPTH
from fcregistry.dialects._waking import Wake

if TYPE_CHECKING:
    from fcregistry.dialects._source import Reading, Source

_SPECIAL: Final = re.compile(r"[^\w\s$.+\-:,]").search
_STRINGS: Final = {'"': r'(?>[^"\\]+|\\.)*+', "'": r"(?>[^'\\]+|\\.)*+"}
_IN_STRING: Final = {quote: re.compile(inside, re.DOTALL) for quote, inside in _STRINGS.items()}
_STRING: Final = "|".join(f"{quote}{inside}{quote}" for quote, inside in _STRINGS.items())
_BESIDE: Final = re.compile(rf"((?:(?>[\w\s$.+\-]*+[:,])*+\s*+(?:{_STRING}))*+)([\w\s$.+\-:,]*+)", re.DOTALL)
"""All strings that stand where values may, and what stands between them and the next mark."""
_CLOSING: Final = {"{": "}", "[": "]"}
_COMMENTS: Final = {"//": "\n", "/*": "*/", "#": "\n"}
_BEFORE_VALUES: Final = frozenset(("", ",", ":"))


def balanced(source: Source) -> Reading[str | None]:
    """Take text from an opening bracket to the one that closes it, and return it; None where what follows cannot be JSON, or ends before."""
    brackets = _Brackets(source.waiting)
    brackets.read(source.text, source.place)
    while brackets.are_open and not source.ended:
        brackets.search = brackets.told
        yield brackets
        brackets.read(source.text, source.place + brackets.taken)
    start = source.place
    source.place = len(source.text) if brackets.are_open else start + brackets.taken
    return source.text[start : source.place] if brackets.are_closed else None


class _Brackets(Wake):
    """Follows text up to the bracket that closes the first one.

    It looks at pieces that wait, rather than have the reader woken. Once a text goes on as JSON does, it is read only where the bracket that is due
    may come.

    Args:
        waiting: The pieces that came since the reader was woken, to which the one is added that is looked at.

    Attributes:
        taken: How many characters are read.
        are_open: Whether more is to be read.
        are_closed: Whether the last bracket was found.
    """

    __slots__ = ("_due", "_end", "_rest", "_seen", "_waiting", "are_closed", "are_open", "taken")

    def __init__(self, waiting: list[str]) -> None:
        super().__init__()
        self._waiting = waiting
        self._seen = 0
        self._rest = ""  # what waits for a mark behind it
        self._due: list[str] = []  # what closes the brackets that are open
        self._end = ""  # what ends the string or the comment that is open
        self.taken = 0
        self.are_open = True
        self.are_closed = False

    def told(self, piece: str) -> bool:
        """Look at a piece, and return whether it is told now where the last bracket stands, or that there is none."""
        if not self.sign and not _SPECIAL(piece):
            return False
        text = "".join([self._rest, *self._waiting[self._seen :], piece])
        self._seen = len(self._waiting) + 1
        self.read(text, 0)
        return not self.are_open

    def read(self, text: str, place: int) -> None:
        """Read on from a place in a text, as far as that tells anything."""
        start = place
        while self.are_open:
            end = self._inside(text, place) if self._end else self._beside(text, place)
            if end == place:
                break
            place = end
        self.taken += place - start
        if self.are_open:
            self._rest = text[place:]
            self.sign = self._due[-1] if self.taken > 1 else ""

    def _inside(self, text: str, place: int) -> int:
        """Take what a string or a comment holds, and its end; return where that is."""
        if self._end in _IN_STRING:
            found = _IN_STRING[self._end].match(text, place)
            end = found.end() if found else place
        else:
            end = text.find(self._end, place)
            if end < 0:
                return len(text) - text.endswith(self._end[0], place)  # half of its end
        if not text.startswith(self._end, end):
            return end
        end += len(self._end)
        self._end = ""
        return end

    def _beside(self, text: str, place: int) -> int:
        """Take what stands beside strings and comments, and the mark behind that; return where it ends."""
        found = _BESIDE.match(text, place)
        if found is None or found.end() == len(text):
            return found.end(1) if found else place
        end = found.end()
        mark = text[end] if text[end] != "/" else text[end : end + 2]
        if mark == "/" and _may_follow(mark, found[2]):
            return found.end(1)  # whether it begins a comment is told by what comes
        if self._is_taken(mark, found[2]):
            return end + len(mark)
        self.are_open = False
        return end

    def _is_taken(self, mark: str, outside: str) -> bool:
        """Take a mark, and return whether it may stand behind something."""
        if not _may_follow(mark[0], outside):
            return False
        if mark in _CLOSING:
            self._due.append(_CLOSING[mark])
            return len(self._due) <= MAX_DEPTH + 1
        if mark in _IN_STRING or mark in _COMMENTS:
            self._end = _COMMENTS.get(mark, mark)
            return True
        if not self._due or self._due.pop() != mark:
            return False
        self.are_closed = not self._due
        self.are_open = not self.are_closed
        return True


def _may_follow(mark: str, outside: str) -> bool:
    """Tell whether a value or a comment may begin behind what stands outside of strings: "[don't" and "[see http://" are prose."""
    if mark in _CLOSING or mark in _IN_STRING:
        return outside.rstrip()[-1:] in _BEFORE_VALUES
    if mark in ("/", "#"):
        return outside[-1:].isspace() or outside[-1:] == "," or (not outside and mark == "/")
    return True
