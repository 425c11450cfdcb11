"""Limits of what a model reads of a result.

Long texts are cut in the middle, large media left out, and the whole is stored in files.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from fcregistry._results.content import Content, Output, extension_of, text_of

if TYPE_CHECKING:
    from os import PathLike

_LEAST: Final = 200
"""Characters. With fewer, there would be room for little more than the line about the cut."""


READ_RESULT: Final = "read_result"
"""The name of the tool that reads kept results."""


def limits_of(
    characters: int | None, media_bytes: int | None, keep: str | PathLike[str] | bool | None
) -> ResultLimits | None:
    """Return the limits that an executor was given; None if there are none.

    Raises:
        TypeError: One of them is of another type.
        ValueError: One of them cannot be, or results are kept although none is cut.
    """
    for what, number, least in (("characters", characters, _LEAST), ("bytes", media_bytes, 0)):
        if number is None:
            continue
        if type(number) is not int:
            raise TypeError(f"a limit of {what} must be a whole number or None, not {number!r}")
        if number < least:
            raise ValueError(f"a limit of {what} must be at least {least}, not {number}")
    if keep is True and characters is None:
        raise ValueError("keep=True keeps texts that are cut: give max_characters, too")
    if characters is None and media_bytes is None:
        if keep:
            raise ValueError("keep=… stores what is cut: give max_characters or max_bytes, too")
        return None
    folder = None if not keep or keep is True else Path(keep)
    return ResultLimits(characters=characters, media_bytes=media_bytes, folder=folder, keep=bool(keep))


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultLimits:
    """How much of a result a model reads.

    Attributes:
        characters: The most characters of its text, with the line about a cut, but without the words that name an image or a file; None
            for any number.
        media_bytes: The most bytes of all its images, sounds and files that are not text; None for any number.
        folder: Where the whole of a result that is cut is stored; None for only in memory, in `result.whole`.
        keep: Whether the text of a result that is cut is kept for the model of the run.
    """

    characters: int | None = None
    media_bytes: int | None = None
    folder: Path | None = None
    keep: bool = False

    def apply(self, made: str | Output, value: object) -> str | Output:
        """Return the output of a tool, cut if it is too long.

        Args:
            made: What `output_of` returned.
            value: What the tool returned.
        """
        if isinstance(made, str):
            if self.characters is None or len(made) <= self.characters:
                return made
            return Output(value, "".join(self._cut([made], *kept_text(made, value))), (), made)
        parts = self._without_large_media(self._without_long_texts(made.parts))
        if parts is made.parts:
            return made
        return Output(made.value, text_of(parts), parts, made.parts)

    def _without_large_media(self, parts: tuple[Content, ...]) -> tuple[Content, ...]:
        """Return content with a text in place of media that do not fit.

        Small media still fit after large ones that did not.
        """
        if self.media_bytes is None or sum(map(_size, parts)) <= self.media_bytes:
            return parts
        room, kept = self.media_bytes, []
        for part in parts:
            if _size(part) <= room:
                room -= _size(part)
                kept.append(part)
            else:
                where = self._where(part.data, extension_of(part.media_type or ""))
                reason = f"is left out: a result has at most {self.media_bytes} bytes of media; the whole {where}"
                kept.append(Content.text(f"[{part.label[1:-1]}, {reason}]"))
        return tuple(kept)

    def _without_long_texts(self, parts: tuple[Content, ...]) -> tuple[Content, ...]:
        """Return content whose texts are cut as if they were one text."""
        texts = [part.plain or "" for part in parts]
        if self.characters is None or sum(map(len, texts)) <= self.characters:
            return parts
        pieces = self._cut(texts, *kept_text(parts, None))
        shortened = (
            part if text == piece else Content.text("\n".join(filter(None, (part.label, piece))))
            for part, text, piece in zip(parts, texts, pieces, strict=True)
        )
        return tuple(part for part in shortened if part.kind != "text" or part.plain)

    def _cut(self, texts: list[str], whole: str, ending: str) -> list[str]:
        """Return texts, cut in the middle of all of them; one of them gets the line about the cut."""
        assert self.characters is not None
        text = "".join(texts)
        data = whole.encode("utf-8", "backslashreplace")
        is_in_memory = self.keep and self.folder is None
        where = (
            f"is kept as {kept_name(data, ending)}; {READ_RESULT} reads it"
            if is_in_memory
            else self._where(data, ending)
        )
        room = self.characters - len(_line(len(text), len(text), where))
        head, tail = middle_cut(text, max(room, 0))
        pieces, start = [], 0
        for each in texts:
            end = start + len(each)
            line = _line(tail - head, len(text), where) if start <= head < end else ""
            pieces.append(text[start : min(head, end)] + line + text[max(tail, start) : end])
            start = end
        return pieces

    def _where(self, data: bytes, ending: str) -> str:
        """Store bytes, and return in words where they are."""
        if self.folder is None:
            return "is in result.whole"
        try:
            return f"is kept in {store_whole(self.folder, data, ending)}"
        except OSError as error:
            reason = error.strerror or type(error).__name__
            return f"could not be kept in {self.folder} ({reason}), and is in result.whole"


def kept_text(whole: str | tuple[Content, ...], value: object) -> tuple[str, str]:
    """Return the text of a result before it was cut, and the ending of the name that it is kept under.

    Args:
        whole: The text, or the content.
        value: What the tool returned.
    """
    if isinstance(whole, str):
        return whole, ".txt" if isinstance(value, str) else ".json"
    return "\n".join(part.plain for part in whole if part.plain), ".txt"


def kept_name(data: bytes, ending: str) -> str:
    """Return the name that bytes are kept under: a digest of them, so equal bytes have one name.

    Args:
        data: The bytes.
        ending: The end of the name, with its dot.
    """
    from hashlib import sha256  # only for what is too long

    return f"{sha256(data).hexdigest()[:16]}{ending}"


def _line(left_out: int, total: int, where: str) -> str:
    return f"\n[… {left_out} of {total} characters are left out here; the whole {where} …]\n"


def _size(part: Content) -> int:
    """Return how many bytes of media a piece of content has."""
    return len(part.data) if part.is_media and part.plain is None else 0


_UNITS: Final = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"  # two escapes that are one character (RFC 8259, 7)
    r"|\\u[0-9a-fA-F]{4}|\\."
    r"|[\ud800-\udbff][\udc00-\udfff]"
    r"|\r\n",
    re.DOTALL,
)

_LONGEST_UNIT: Final = 12


def middle_cut(text: str, room: int) -> tuple[int, int]:
    """Return where the head of a text ends and its tail begins, when together they have some room.

    Neither is inside of an escape, a pair of surrogates, or a line end of two characters.

    Args:
        text: A text longer than the room.
        room: How many characters may remain.
    """
    head = (room + 1) // 2
    tail = len(text) - (room - head)
    return _safe_places(text, head)[0], _safe_places(text, tail)[1]


def _safe_places(text: str, place: int) -> tuple[int, int]:
    """Return the nearest places before and after one at which no such unit is cut in two."""
    start = max(0, place - _LONGEST_UNIT)
    while start > 0 and text[start - 1] == "\\":  # the first of several backslashes says which of them escape
        start -= 1
    for unit in _UNITS.finditer(text, start, place + _LONGEST_UNIT):
        if unit.start() < place < unit.end():
            return unit.span()
    return place, place


def store_whole(folder: Path, data: bytes, ending: str) -> Path:
    """Write bytes to a folder, for its owner alone, and return the path of the file.

    The file's name is a digest of the bytes, so equal bytes have one file. It is written whole or not at all, and a link of its name is
    replaced, not followed.

    Args:
        folder: The folder; made if it does not exist.
        data: The bytes.
        ending: The end of the name, with its dot.

    Raises:
        OSError: It cannot be written.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / kept_name(data, ending)
    partial = folder / f".{os.urandom(16).hex()}"
    try:
        with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(data)
        partial.replace(path)
    except BaseException:  # whatever ends the writing leaves nothing half written
        partial.unlink(missing_ok=True)
        raise
    return path
