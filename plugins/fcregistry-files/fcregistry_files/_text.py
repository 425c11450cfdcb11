"""Text of files: encodings, line ends, exact replacement, and similar lines for error messages."""

from __future__ import annotations

import codecs
import time
from bisect import bisect_left
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

    def find(self, old: str) -> list[int]:
        """Return the places where a piece of text begins; at most 100, which may overlap.

        The places count characters of the text with Unix line ends.

        Args:
            old: The text to find.
        """
        text, old = unix(self.text), unix(old)
        found: list[int] = []
        start = text.find(old)
        while start >= 0 and len(found) < 100:
            found.append(start)
            start = text.find(old, start + 1)
        return found

    def replace_piece(self, start: int, old: str, new: str) -> str:
        """Return the text with a piece replaced, and every other line end as it is.

        Args:
            start: Where the piece begins, in the text with Unix line ends.
            old: The piece.
            new: What to write in its place.
        """
        # how many "\r" of line ends precede each place
        ends: list[int] = []
        at = self.text.find("\r\n")
        while at >= 0:
            ends.append(at - len(ends))
            at = self.text.find("\r\n", at + 2)
        first, last = start, start + len(unix(old))
        first, last = first + bisect_left(ends, first), last + bisect_left(ends, last)
        return self.text[:first] + self.with_line_ends(new) + self.text[last:]


def unix(text: str) -> str:
    """Return text with Unix line ends.

    Args:
        text: The text.
    """
    return text.replace("\r\n", "\n")


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


def lines_of(text: str) -> list[str]:
    """Return the lines of a text, with their ends. Only line feeds end a line.

    Args:
        text: The text.
    """
    lines = text.split("\n")
    last = lines.pop()
    return [f"{line}\n" for line in lines] + ([last] if last else [])


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
    lines, wanted = text.split("\n"), old.strip("\n").split("\n")
    count, plain = len(wanted), [line.strip() for line in wanted]
    offsets = {line: offset for offset, line in enumerate(plain) if line}  # of the last of equal lines
    near = (place - offsets[line.strip()] for place, line in enumerate(lines) if line.strip() in offsets)
    starts = list(islice((start for start in near if start >= 0), _MOST_WINDOWS)) or range(
        min(len(lines), _MOST_WINDOWS)
    )
    best, where = 0.0, -1
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(old.strip("\n")[:_MOST_COMPARED])  # the one whose index is kept
    until = time.monotonic() + _SECONDS
    for start in dict.fromkeys(starts):
        if time.monotonic() > until:
            break
        matcher.set_seq1("\n".join(lines[start : start + min(count, _MOST_COMPARED)])[:_MOST_COMPARED])
        if matcher.real_quick_ratio() > best and matcher.quick_ratio() > best and (ratio := matcher.ratio()) > best:
            best, where = ratio, start
    if best < 0.5:
        return "No text in the file is similar."
    window = lines[where : where + count]
    last = where + len(window)
    place = f"line {last}" if last == where + 1 else f"lines {where + 1}-{last}"
    blank = "" if [line.strip() for line in window] != plain else " It differs in white space only."
    piece = "\n".join(window)
    return f"The nearest text is in {place}.{blank}\n{piece[:1_500]}{'…' if len(piece) > 1_500 else ''}"
