"""The output of a process: its head and its tail, however much it writes."""

from __future__ import annotations

import codecs
import threading
from collections import deque
from collections.abc import Callable
from typing import Final

_PIECE: Final = 4096


class Output:
    """The text of one stream. Its head and its tail are kept; what is between them is counted and dropped.

    Args:
        most: The most characters to keep.
        on_line: Called with each new line, for progress.
    """

    def __init__(self, most: int, on_line: Callable[[str], object] | None = None) -> None:
        self._lock = threading.Lock()
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._most = most
        self._head = ""
        self._tail: deque[str] = deque()
        self._tail_length = 0
        self._written = 0
        self._read = 0
        self._on_line = on_line

    def add(self, data: bytes, *, final: bool = False) -> None:
        """Add what the process wrote.

        Args:
            data: The bytes.
            final: Whether nothing comes after them.
        """
        text = self._decoder.decode(data, final)
        with self._lock:
            self._written += len(text)
            room = self._most // 2 - len(self._head)
            if room > 0:
                self._head += text[:room]
                text_after = text[room:]
            else:
                text_after = text
            for start in range(0, len(text_after), _PIECE):
                piece = text_after[start : start + _PIECE]
                self._tail.append(piece)
                self._tail_length += len(piece)
            while self._tail and self._tail_length - len(self._tail[0]) >= self._most - self._most // 2:
                self._tail_length -= len(self._tail.popleft())
        if self._on_line is not None and text.strip():
            self._on_line(text.strip().rpartition("\n")[2][-200:])

    def text(self) -> str:
        """Return the whole text, or its head and tail with a line about what was left out."""
        with self._lock:
            return self._text_from(0)

    def new_text(self) -> str:
        """Return the text since the last call, as far as it is kept."""
        with self._lock:
            new, self._read = self._text_from(self._read), self._written
            return new

    def _text_from(self, place: int) -> str:
        """Return the kept text from the character `place` on, with a line about what was left out."""
        tail = "".join(self._tail)[-(self._most - self._most // 2) :]
        tail_place = self._written - len(tail)
        head = self._head[place:]
        if tail_place <= max(place, len(self._head)):
            return head + tail[max(place, len(self._head)) - tail_place :]
        left_out = tail_place - max(place, len(self._head))
        return f"{head}\n[… {left_out} characters are left out here …]\n{tail}"
