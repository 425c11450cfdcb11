"""Pieces of texts that make a reader slow, and reading them: what the tests share that count its work and those that measure its time."""

from __future__ import annotations

from fcregistry import dialects

DEEP = ("{[", '["",', "[f(a=1), ", "[f(", "\nObservation:")
"""What goes a level deeper each time."""

QUOTING = (
    "` ",
    "`` ` ",
    "~~~\n",
    "> a\n",
    "a</thought>",
    "{x} ",
    "[",
    "[1] ",
    "```x\n",
    "``` ` ",
    "x [f(a=1)]\n",
    "<tool_call>{",
    "</think>",
    "Thought:\n",
    "f\n{",
    "{x",
    "[x",
    "functools",
)
"""Words, code and thoughts around calls of several dialects."""


def marks_of(dialect: dialects.Dialect) -> list[str]:
    """Return all marks of a dialect; first those that open a call."""
    return [*dict.fromkeys((*dialect.openers.marks.texts, *dialect.syntax.marks, *dialect.marks))]


def repeated(piece: str, length: int) -> str:
    """Return a text of this length that is one piece over and over."""
    return (piece * (length // len(piece) + 1))[:length]


def read_text(dialect: dialects.Dialect, text: str, size: int = 0) -> dialects.Parsed:
    """Read a text in pieces of a size, or whole if the size is 0."""
    if not size:
        return dialect.parse(text)
    stream = dialect.stream()
    for place in range(0, len(text), size):
        stream.feed(text[place : place + size])
    return stream.close()
