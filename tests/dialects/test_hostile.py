"""Hostile text: marks and brackets over and over, which every family reads in work that grows with the length alone.

The work is counted in calls of functions, so that the same text gives the same count on any machine. A match of a regular expression is one
call: `test_patterns.py` looks at these, and `nox -s hostile` measures their time.
"""

from __future__ import annotations

import sys
from itertools import pairwise
from typing import Any

import pytest

from fcregistry import ToolCall, dialects

from .hostile import DEEP, QUOTING, marks_of, read_text, repeated

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
    "\nAction: f(",
    "\nAction: [{",
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
    own = marks_of(dialects.get(name))
    behind = [f"{mark}{text}" for mark in own[:3] for text in ("{", "[", "f", "\n", '{"name": "')]
    return [
        *own,
        *behind,
        *(f"{first}{second}" for first, second in pairwise(own)),
        *BRACKETS,
        *COMMENTS,
        *BEGUN,
        *DEEP,
        *OTHERS,
        *(QUOTING if name == "auto" else ()),
    ]


def work(name: str, text: str, size: int) -> int:
    """Return how many functions are called while a text is read, in Python and in C."""
    count = 0

    def add(frame: Any, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(add)
    try:
        read_text(dialects.get(name), text, size)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize(("size", "most"), [(0, MOST_CALLS), (PIECE, MOST_IN_PIECES)], ids=["whole", "in pieces"])
@pytest.mark.parametrize("name", [*dialects.names(), "auto"])
def test_the_work_grows_with_the_length_of_a_text_alone(name: str, size: int, most: int) -> None:
    wrong = []
    most *= 3 if name == "auto" else 1  # it reads lists of calls in prose twice, as several dialects
    for mark in dict.fromkeys(marks(name)):
        short, long = repeated(mark, LENGTH), repeated(mark, 4 * LENGTH)
        read_text(dialects.get(name), short, size)  # compiles patterns at first
        once, four_times = work(name, short, size), work(name, long, size)
        if four_times > 4 * once + SLACK or four_times > most * len(long) + SLACK:
            wrong.append((mark, once, four_times, round(four_times / len(long), 1)))
    assert not wrong


SPACES = (" ", "\n", "1", '"', "\\", ", ")
"""What is repeated behind the beginnings of a call."""


def beginnings(name: str) -> list[str]:
    """Return the beginnings of a call that end with a bracket or a mark."""
    call = dialects.get(name).render_calls([ToolCall("f", {"a": 1, "b": [{}]})])
    ends = [place for place, character in enumerate(call, 1) if character in "{[(>]"]
    return [call[:end] for end in dict.fromkeys([*ends[:4], *ends[-2:]])]


@pytest.mark.parametrize("name", [*dialects.names(), "auto"])
def test_the_work_grows_with_the_length_of_a_run_after_a_begun_call(name: str) -> None:
    wrong = []
    for begun in beginnings(name):
        for space in SPACES:
            short, long = begun + repeated(space, LENGTH), begun + repeated(space, 4 * LENGTH)
            read_text(dialects.get(name), short)
            once, four_times = work(name, short, 0), work(name, long, 0)
            if four_times > 4 * once + SLACK:
                wrong.append((begun, space, once, four_times))
    assert not wrong
