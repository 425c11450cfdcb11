"""How is output written: for people on a terminal, for programs otherwise?

Names, descriptions and results are data from strangers, so control characters never reach a terminal.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Sequence
from typing import Any, TextIO

import click

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")


def clean(text: str) -> str:
    """Return a text without control characters and direction marks; line ends and tabs stay."""
    return _CONTROL.sub("�", text)


def _write(text: str, stream: TextIO) -> None:
    click.echo(text, file=stream)  # named, because click takes one of UTF-8 in place of one that is of ASCII


def complain(message: str) -> None:
    """Write an error to stderr."""
    _write(f"Error: {clean(message)}", sys.stderr)


def remark(message: str) -> None:
    """Write something worth knowing to stderr."""
    _write(clean(message), sys.stderr)


def say(text: str = "") -> None:
    """Write a text to stdout."""
    _write(clean(text), sys.stdout)


def say_json(value: Any) -> None:
    """Write a JSON value to stdout, indented."""
    say_json_text(json.dumps(value, indent=2, ensure_ascii=False, default=str))


def say_json_text(text: str) -> None:
    """Write JSON to stdout; what a terminal would obey and what the encoding has not is escaped, as JSON does it."""
    text = _CONTROL.sub(_escaped, text)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = _NOT_ASCII.sub(_escaped, text)
    _write(text, sys.stdout)


def _escaped(character: re.Match[str]) -> str:
    return json.dumps(character[0])[1:-1]


def is_terminal() -> bool:
    """Tell whether a person reads stdout."""
    return sys.stdout.isatty()


def table(rows: Sequence[Sequence[str]], headings: Sequence[str]) -> None:
    """Write rows under headings, in columns; the last column is cut to the width of a terminal."""
    cleaned = [[" ".join(clean(cell).split()) for cell in row] for row in rows]
    widths = [max(len(row[place]) for row in (headings, *cleaned)) for place in range(len(headings))]
    room = shutil.get_terminal_size((100, 24)).columns if is_terminal() else None
    for row in (headings, *cleaned):
        line = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        if room is not None and len(line) > room:
            line = line[: room - 1] + "…"
        _write(line, sys.stdout)
