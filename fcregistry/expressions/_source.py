"""Where, in the text that a model wrote, does a node stand? Python's parser counts in bytes, and in a text that may have been edited."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass, field


@dataclass(slots=True, kw_only=True)
class Source:
    """Text that may be parsed.

    Attributes:
        text: The text, in which escapes that Python warns of are written so that it does not.
        added: Where, in `text`, a character was added for that, in order.
    """

    text: str
    added: list[int] = field(default_factory=list)
    _starts: list[int] = field(default_factory=list)

    def place(self, line: int, byte: int) -> tuple[int, int]:
        """Return the line and the character, both from 1, of a place as the parser counts it: in bytes of UTF-8."""
        start = self._start(line)
        rest = self.text[start : start + byte]  # as many characters at the most
        offset = start + len(rest.encode("utf-8", "surrogatepass")[:byte].decode("utf-8", "ignore"))
        before = bisect_left(self.added, offset) - bisect_left(self.added, start)
        return line, offset - start - before + 1

    def _start(self, line: int) -> int:
        if not self._starts:
            self._starts = [0, *(found.end() for found in re.finditer("\n", self.text))]
        return self._starts[min(line, len(self._starts)) - 1]
