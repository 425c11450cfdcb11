"""Where is a text cut that is too long, so that what is left of it does not mislead?"""

from __future__ import annotations

import re
from typing import Final

_UNITS: Final = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"  # two escapes that are one character (RFC 8259, 7)
    r"|\\u[0-9a-fA-F]{4}|\\."
    r"|[\ud800-\udbff][\udc00-\udfff]"
    r"|\r\n",
    re.DOTALL,
)
_LONGEST: Final = 12


def middle_cut(text: str, room: int) -> tuple[int, int]:
    """Return where the head of a text ends and its tail begins, when together they have some room.

    Neither lies inside of an escape, a pair of surrogates, or a line end of two characters.

    Args:
        text: A text longer than the room.
        room: How many characters may be left.
    """
    head = (room + 1) // 2
    tail = len(text) - (room - head)
    return _border(text, head)[0], _border(text, tail)[1]


def _border(text: str, place: int) -> tuple[int, int]:
    """Return the nearest places, before and after one, at which nothing is cut in two."""
    start = max(0, place - _LONGEST)
    while start > 0 and text[start - 1] == "\\":  # of a row of backslashes, the first tells which of them escape
        start -= 1
    for unit in _UNITS.finditer(text, start, place + _LONGEST):
        if unit.start() < place < unit.end():
            return unit.span()
    return place, place
