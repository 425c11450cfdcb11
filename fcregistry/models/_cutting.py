"""Where does an answer end, if a model writes on? Before the first of some marks, however the text is cut into pieces."""

from __future__ import annotations

from collections.abc import Sequence


class CutText:
    """Passes text on up to the first of some marks.

    Args:
        marks: What ends the text; none of them is passed on.
    """

    def __init__(self, marks: Sequence[str]) -> None:
        self._marks = tuple(filter(None, marks))
        self._held = ""
        self._ended = False

    def feed(self, piece: str) -> str:
        """Take the next piece, and return what is certain to stand before any mark."""
        if self._ended or not self._marks:
            return "" if self._ended else piece
        text = self._held + piece
        end = self._end(text)
        begun = len(text) - max(_begun(text, mark) for mark in self._marks)
        if end < len(text) and end <= begun:
            self._ended, self._held = True, ""
            return text[:end]
        # What begins before a mark may be a longer mark, of which that one is a part.
        self._held = text[begun:]
        return text[:begun]

    def close(self) -> str:
        """Return what of the text that was held back stands before any mark after all."""
        held, self._held = self._held, ""
        return held[: self._end(held)]

    def _end(self, text: str) -> int:
        """Return where the first mark begins; the end of the text where there is none."""
        return min((place for mark in self._marks if (place := text.find(mark)) >= 0), default=len(text))


def _begun(text: str, mark: str) -> int:
    """Return how many characters at the end of a text may be the beginning of a mark."""
    return next((size for size in range(min(len(mark) - 1, len(text)), 0, -1) if text.endswith(mark[:size])), 0)
