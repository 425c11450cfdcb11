"""Hostile text: marks and brackets over and over, which every family reads in work that grows with the length alone.

The work is counted in calls of functions, so that the same text gives the same count on any machine.
"""

from __future__ import annotations

import sys
import time
from itertools import pairwise
from typing import Any

import pytest

from fcregistry import dialects

BRACKETS = (
    "{",
    "[",
    "(",
    "{}",
    "[]",
    "}{",
    "][",
    "[{}]",
    "{x",
    "[x",
    '{"',
    "['",
    '{"a":',
    "{a:1}",
    '{"a":"',
    '[""]',
    "[1]",
    "{[",
    "[f(",
)
COMMENTS = ("{/*", "{//\n", "[#\n", "/*", "//")
BEGUN = (
    '{"name": ["',
    '{"name":"f"}',
    '<tool_call>{"name": ["',
    "<function=f>",
    '<invoke name="f">',
    "\nAction: f\nAction Input:",
)
OTHERS = (
    '"',
    "'",
    "\\",
    "`",
    "```",
    "```\n",
    "```json\n{",
    "~~~\n",
    "\n> ",
    "<",
    "</",
    "\n",
    " ",
    "word ",
    "<think>",
    "</think>",
    "<tool_call>",
)
LENGTH = 120
PIECE = 7
MOST_CALLS = 12
"""The calls of functions for each character of a text. Reading a mark of one character takes most."""
MOST_IN_PIECES = 25
SLACK = 200
"""The calls that a text takes whatever its length: a stream is made, and closed."""


def marks(name: str) -> list[str]:
    """Return the marks of a family, alone, before brackets and one after the other."""
    dialect = dialects.get(name)
    own = [*dict.fromkeys((*dialect.openers.marks.texts, *dialect.syntax.marks, *dialect.marks))]
    behind = [f"{mark}{text}" for mark in own[:3] for text in ("{", "[", "f", "\n", '{"name": "')]
    return [
        *own,
        *behind,
        *(f"{first}{second}" for first, second in pairwise(own)),
        *BRACKETS,
        *COMMENTS,
        *BEGUN,
        *OTHERS,
    ]


def read(name: str, text: str, size: int) -> dialects.Parsed:
    """Read a text in pieces of a size; whole, if it is 0."""
    dialect = dialects.get(name)
    if not size:
        return dialect.parse(text)
    stream = dialect.stream()
    for place in range(0, len(text), size):
        stream.feed(text[place : place + size])
    return stream.close()


def work(name: str, text: str, size: int) -> int:
    """Return how many functions are called while a text is read, in Python and in C."""
    count = 0

    def add(frame: Any, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(add)
    try:
        read(name, text, size)
    finally:
        sys.setprofile(None)
    return count


def repeated(mark: str, length: int) -> str:
    return (mark * (length // len(mark) + 1))[:length]


@pytest.mark.parametrize(("size", "most"), [(0, MOST_CALLS), (PIECE, MOST_IN_PIECES)], ids=["whole", "in pieces"])
@pytest.mark.parametrize("name", [*dialects.names(), "auto"])
def test_the_work_grows_with_the_length_of_a_text_alone(name: str, size: int, most: int) -> None:
    wrong = []
    for mark in dict.fromkeys(marks(name)):
        short, long = repeated(mark, LENGTH), repeated(mark, 4 * LENGTH)
        read(name, short, size)  # compiles patterns at first
        once, four_times = work(name, short, size), work(name, long, size)
        if four_times > 4 * once + SLACK or four_times > most * len(long) + SLACK:
            wrong.append((mark, once, four_times, round(four_times / len(long), 1)))
    assert not wrong


DEEP = ("{", "[", "{[", '{"a":', "['", '["",', "[f(a=1), ", "[f(", "\nObservation:")
SHORT = 8_000


def cost(name: str, text: str) -> float:
    """Return the seconds of computing that a text takes."""
    before = time.process_time()
    dialects.get(name).parse(text)
    return time.process_time() - before


@pytest.mark.parametrize("name", ["json", "llama3", "xlam", "react-json", "pythonic", "auto"])
def test_no_pattern_searches_the_same_text_again_and_again(name: str) -> None:
    """Sixteen times the text takes some sixteen times as long; were it quadratic, 256 times."""
    for piece in DEEP:
        short, long = repeated(piece, SHORT), repeated(piece, 16 * SHORT)
        cost(name, short)
        turns = [(cost(name, short), cost(name, long)) for _ in range(2)]  # the least: others use the machine, too
        assert min(each for _, each in turns) < 80 * max(min(each for each, _ in turns), 0.001), piece
