"""How much of a result does a model read, and what is it told of the rest?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from fcregistry._results.content import Content, Output, ending_of, text_of
from fcregistry.execution._writing._cutting import middle_cut
from fcregistry.execution._writing._keeping import keep

if TYPE_CHECKING:
    from os import PathLike

_LEAST: Final = 200
"""Characters: with fewer, there would be room for little more than the line that tells of the cut."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much of a result a model reads.

    Attributes:
        characters: The most characters of its text, the line that tells of a cut among them, but not the words that name an image or a
            file; None for any number.
        media_bytes: The most bytes of its images, sounds and files that are no text, all together; None likewise.
        folder: Where the whole of what is cut is kept; None for in memory alone, in `result.whole`.
    """

    characters: int | None = None
    media_bytes: int | None = None
    folder: Path | None = None

    def applied(self, made: str | Output, value: object) -> str | Output:
        """Return what was made of a value, cut where it is too long.

        Args:
            made: What `output_of` returned.
            value: What the tool returned.
        """
        if isinstance(made, str):
            if self.characters is None or len(made) <= self.characters:
                return made
            ending = ".txt" if isinstance(value, str) else ".json"
            return Output(value, "".join(self._cut([made], made, ending)), (), made)
        parts = self._without_large_media(self._without_long_texts(made.parts))
        if parts is made.parts:
            return made
        return Output(made.value, text_of(parts), parts, made.parts)

    def _without_large_media(self, parts: tuple[Content, ...]) -> tuple[Content, ...]:
        """Return content with words in place of what has too many bytes; what is small still comes after what is large."""
        if self.media_bytes is None or sum(map(_size, parts)) <= self.media_bytes:
            return parts
        room, kept = self.media_bytes, []
        for part in parts:
            if _size(part) <= room:
                room -= _size(part)
                kept.append(part)
            else:
                where = self._where(part.data, ending_of(part.media_type or ""))
                said = f"is left out: a result has at most {self.media_bytes} bytes of media; the whole {where}"
                kept.append(Content.text(f"[{part.label[1:-1]}, {said}]"))
        return tuple(kept)

    def _without_long_texts(self, parts: tuple[Content, ...]) -> tuple[Content, ...]:
        """Return content whose texts, one after another, are cut as one text is."""
        texts = [part.plain or "" for part in parts]
        if self.characters is None or sum(map(len, texts)) <= self.characters:
            return parts
        pieces = self._cut(texts, "\n".join(text for text in texts if text), ".txt")
        shortened = (
            part if text == piece else Content.text("\n".join(filter(None, (part.label, piece))))
            for part, text, piece in zip(parts, texts, pieces, strict=True)
        )
        return tuple(part for part in shortened if part.kind != "text" or part.plain)

    def _cut(self, texts: list[str], whole: str, ending: str) -> list[str]:
        """Return texts, cut in the middle of all of them: one has the line that tells of it."""
        assert self.characters is not None
        text = "".join(texts)
        where = self._where(whole.encode("utf-8", "backslashreplace"), ending)
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
        """Keep bytes, and return in words where they are."""
        if self.folder is None:
            return "is in result.whole"
        try:
            return f"is kept in {keep(self.folder, data, ending)}"
        except OSError as error:
            reason = error.strerror or type(error).__name__
            return f"could not be kept in {self.folder} ({reason}), and is in result.whole"


def _line(left_out: int, total: int, where: str) -> str:
    return f"\n[… {left_out} of {total} characters are left out here; the whole {where} …]\n"


def _size(part: Content) -> int:
    """Return how many bytes of media a piece of content has."""
    return len(part.data) if part.is_media and part.plain is None else 0


def limits_of(characters: int | None, media_bytes: int | None, folder: str | PathLike[str] | None) -> Limits | None:
    """Return the limits that an executor was given; None where there are none.

    Raises:
        TypeError: One of them is of another type.
        ValueError: One of them cannot be, or there is a folder and nothing that is kept there.
    """
    for what, number, least in (("characters", characters, _LEAST), ("bytes", media_bytes, 0)):
        if number is None:
            continue
        if type(number) is not int:
            raise TypeError(f"a limit of {what} is a whole number or None, not {number!r}")
        if number < least:
            raise ValueError(f"a limit of {what} is at least {least}, not {number}")
    if characters is None and media_bytes is None:
        if folder is not None:
            raise ValueError("a folder for what is cut takes a limit of characters or of bytes beside it")
        return None
    return Limits(characters=characters, media_bytes=media_bytes, folder=None if folder is None else Path(folder))
