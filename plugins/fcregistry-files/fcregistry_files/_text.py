"""Text of files: encodings, line ends, exact replacement, and similar lines for error messages."""

from __future__ import annotations

import codecs
import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import islice
from typing import Final, Literal, TypeAlias

from fcregistry.errors import ToolError

from fcregistry_files._paths import quote

Encoding: TypeAlias = Literal[
    "utf-8",
    "utf-16",
    "latin-1",
    "cp1250",
    "cp1251",
    "cp1252",
    "cp437",
    "shift_jis",
    "euc_jp",
    "euc_kr",
    "gb18030",
    "big5",
]  # not every codec of Python: some take quadratic time

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_MOST_WINDOWS: Final = 3_000
_MOST_COMPARED: Final = 500
"""Characters of each piece that are compared: the time grows with the cube."""
_SECONDS: Final = 1.0
_BLOCK: Final = 4_096
_MOST_FOUND: Final = 100


@dataclass(frozen=True, slots=True)
class Text:
    """The text of a file, with what is needed to write it back in the same form.

    Attributes:
        text: The text, with its line ends as they are.
        encoding: The codec.
        mark: The byte order mark at the beginning; empty if there is none.
    """

    text: str
    encoding: str = "utf-8"
    mark: bytes = b""

    @classmethod
    def of(cls, data: bytes, path: str, encoding: Encoding | None = None) -> Text:
        """Decode the bytes of a file.

        Args:
            data: All bytes.
            path: The path of the file, for messages.
            encoding: The encoding; by default, the one of the byte order mark, else UTF-8.

        Raises:
            ToolError: The bytes are not text in this encoding.
        """
        mark = b""
        codec: str = "utf-16-le" if encoding == "utf-16" else encoding or "utf-8"
        for each, name in _MARKS:
            if data.startswith(each) and (encoding is None or encoding in name):
                mark, codec = each, name
                break
        try:
            text = data[len(mark) :].decode(codec)
        except UnicodeDecodeError as error:
            if encoding is not None:
                raise ToolError(f"{quote(path)} is not text in the encoding {encoding}") from error
            if b"\0" in data:
                raise ToolError(f"{quote(path)} is a binary file of {len(data):,} bytes, not text") from error
            where = data.count(b"\n", 0, error.start) + 1
            raise ToolError(
                f"{quote(path)} is not UTF-8 text (line {where}); give its encoding, such as encoding='cp1252' or 'latin-1'"
            ) from error
        if "\0" in text:
            raise ToolError(f"{quote(path)} is a binary file of {len(data):,} bytes, not text")
        return cls(text, codec, mark)

    def bytes_of(self, text: str) -> bytes:
        """Return other text as bytes of the same form.

        Args:
            text: The text.

        Raises:
            ToolError: The encoding has no form for one of its characters.
        """
        return self.mark + encode(text, self.encoding)

    @property
    def line_end(self) -> str:
        r"""The line end that most lines have: `\r\n` or `\n`."""
        windows = self.text.count("\r\n")
        return "\r\n" if windows * 2 > self.text.count("\n") else "\n"

    def with_line_ends(self, text: str) -> str:
        """Return text with the line ends that this text has.

        Args:
            text: The text, with line ends of either kind.
        """
        return unix(text).replace("\n", self.line_end)

    def replace_piece(self, start: int, stop: int, new: str) -> str:
        """Return the text with a piece replaced, and every other line end as it is.

        Args:
            start: Where the piece begins, in the text with Unix line ends.
            stop: Where it ends, likewise.
            new: What to write in its place.
        """
        if "\r" not in self.text:  # nothing to count, which takes longer than everything else
            return self.text[:start] + unix(new) + self.text[stop:]
        return self.text[: self._place(start)] + self.with_line_ends(new) + self.text[self._place(stop) :]

    def _place(self, place: int) -> int:
        r"""Return a place of the text with Unix line ends as a place of this text, which may have `\r`."""
        last, found = 0, place
        while last < found:  # each time, less is added than the time before
            last, found = found, found + self.text.count("\r\n", last, found + 1)
        return found


def unix(text: str) -> str:
    """Return text with Unix line ends.

    Args:
        text: The text.
    """
    return text.replace("\r\n", "\n") if "\r" in text else text


def encode(text: str, encoding: str) -> bytes:
    """Return text as bytes.

    Args:
        text: The text.
        encoding: The codec.

    Raises:
        ToolError: The encoding has no form for one of its characters.
    """
    try:
        return text.encode(encoding)
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, error.start) + 1
        raise ToolError(
            f"the text cannot be written as {encoding}: line {line} has the character {quote(error.object[error.start])}; "
            "nothing was changed"
        ) from error


def find_all(text: str, piece: str, start: int = 0) -> list[int]:
    """Return the places where a piece of text begins; at most 100, which may overlap.

    Args:
        text: The text in which to look.
        piece: The text to find.
        start: The first place to look at.
    """
    found: list[int] = []
    place = text.find(piece, start)
    while place >= 0 and len(found) < _MOST_FOUND:
        found.append(place)
        place = text.find(piece, place + 1)
    return found


def number_of(found: list[int]) -> str:
    """Return in words how many places `find_all` has found.

    Args:
        found: The places.
    """
    return f"{len(found)} or more" if len(found) == _MOST_FOUND else str(len(found))


def count_lines(text: str) -> int:
    """Return the number of lines of a text. Only line feeds end a line.

    Args:
        text: The text.
    """
    return text.count("\n") + (not text.endswith("\n") and text != "")


def line_place(text: str, count: int, place: int = 0) -> int:
    """Return the place that comes after some lines of a text; its end if it has fewer.

    Args:
        text: The text. No list of its lines is made, which would take many times its memory.
        count: The number of lines.
        place: Where the first of them begins.
    """
    while (ends := text.count("\n", place, place + _BLOCK)) < count:
        place, count = place + _BLOCK, count - ends
        if place >= len(text):
            return len(text)
    for _ in range(count):
        place = text.index("\n", place) + 1
    return place


def line_number(text: str, position: int) -> int:
    """Return the number of the line, from 1, that contains a position of a text.

    Args:
        text: The text.
        position: The position.
    """
    return text.count("\n", 0, position) + 1


def nearest(text: str, old: str) -> str:
    """Return a sentence with the lines of a text that are most similar to some text that is not in it.

    Args:
        text: The text, with Unix line ends.
        old: The text that was not found, with Unix line ends.
    """
    wanted = old.strip("\n").split("\n")
    count, plain = len(wanted), [line.strip() for line in wanted]
    starts = list(islice(_starts(text, plain), _MOST_WINDOWS)) or list(islice(_line_places(text), _MOST_WINDOWS))
    best, where = 0.0, 0
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(old.strip("\n")[:_MOST_COMPARED])  # the one whose index is kept
    until = time.monotonic() + _SECONDS
    for start in dict.fromkeys(starts):
        if time.monotonic() > until:
            break
        matcher.set_seq1("\n".join(text[start : start + _MOST_COMPARED].split("\n", count)[:count]))
        if matcher.real_quick_ratio() > best and matcher.quick_ratio() > best and (ratio := matcher.ratio()) > best:
            best, where = ratio, start
    if best < 0.5:
        return "No text in the file is similar."
    piece = text[where : line_place(text, count, where)].removesuffix("\n")
    window = piece.split("\n")
    first = line_number(text, where)
    last = first + len(window) - 1
    place = f"line {last}" if last == first else f"lines {first}-{last}"
    blank = "" if [line.strip() for line in window] != plain else " It differs in white space only."
    return f"The nearest text is in {place}.{blank}\n{piece[:1_500]}{'…' if len(piece) > 1_500 else ''}"


def _line_places(text: str) -> Iterator[int]:
    """Yield the place at which each line of `text` begins."""
    place = 0
    while place >= 0:
        yield place
        place = text.find("\n", place) + 1 or -1


def _starts(text: str, wanted: Sequence[str]) -> Iterator[int]:
    """Yield the places where one of the lines `wanted` begins, but for white space around it."""
    offsets = {line: offset for offset, line in enumerate(wanted) if line}  # of the last of equal lines
    before: deque[int] = deque(maxlen=len(wanted))  # the places of the last lines
    for place in _line_places(text):
        before.append(place)
        end = text.find("\n", place)
        offset = offsets.get(text[place : end if end >= 0 else None].strip())
        if offset is not None and offset < len(before):
            yield before[-1 - offset]
