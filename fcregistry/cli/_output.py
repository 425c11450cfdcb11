"""Output of commands: text for people on a terminal, JSON for programs; questions to the user; and the JSON that users write.

Names, descriptions and results come from plugins and models, so control characters in them never reach a terminal. Where a user decides about
them, characters that nobody sees are written out, too.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import repeat
from typing import TYPE_CHECKING, Any, Final, TextIO

import click

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from fcregistry._results.result import ToolResult

_NOT_ASCII: Final = r"[^\x00-\x7f]"

_PRINTABLE: Final = bytes(range(0x20, 0x7F))
"""The ASCII characters that are not control characters."""

json_option: Final = click.option("--json", "as_json", is_flag=True, help="Write JSON.")
"""The option `--json` of the commands whose result is a table or a text."""


def text_of_result(result: ToolResult) -> str:
    """Return the text of a result for a person: also of the parts that no model reads."""
    return "\n".join(filter(None, map(str, result.parts))) or result.content


def clean(text: str) -> str:
    """Return a text without control characters and direction marks; line ends and tabs stay.

    Characters that nobody sees are written out where they do nothing.
    """
    if text.isascii() and text.isprintable():
        return text
    from fcregistry._base.invisible import HIDDEN, escape  # most output needs none

    return escape(_without_control(text), HIDDEN)


def _without_control(text: str) -> str:
    """Return a text in which a sign replaces each control character and direction mark."""
    if text.isprintable():
        return text
    from fcregistry._base.invisible import CONTROL  # see `clean`

    return re.sub(CONTROL, "�", text)


def _write(text: str, stream: TextIO) -> None:
    """Write `text` and a line end to `stream`, and flush it, so that stdout and stderr keep their order."""
    stream.write(f"{text}\n")
    stream.flush()


_program = "fcregistry"


def begin_hints_with(modules: Iterable[str]) -> None:
    """Set the modules that the user named with `-m`, which a command in a hint needs too."""
    global _program  # noqa: PLW0603  # of the process, as its command line
    _program = "".join(["fcregistry", *(f" -m {each}" for each in modules)])


def program() -> str:
    """Return the beginning of a command in a hint: `fcregistry`, with the modules that the user named."""
    return _program


def complain(message: str) -> None:
    """Write an error to stderr."""
    _write(f"Error: {clean(message)}", sys.stderr)


def remark(message: str) -> None:
    """Write a remark to stderr."""
    _write(clean(message), sys.stderr)


def say(text: str = "") -> None:
    """Write a text to stdout."""
    _write(clean(text), sys.stdout)


def say_result(text: str) -> None:
    """Write the result of a tool to stdout: a text, in which only control characters are replaced."""
    _write(_without_control(text), sys.stdout)


def say_json(value: Any) -> None:
    """Write a JSON value to stdout, indented."""
    import json  # `list` and `--help` do without it

    say_json_text(json.dumps(value, indent=2, ensure_ascii=False, default=str))


def say_json_text(text: str) -> None:
    """Write JSON to stdout; escape characters that nobody sees, and those that the encoding does not have."""
    if not text.isascii() or "\x7f" in text:  # every other control character is escaped in JSON
        from fcregistry._base.invisible import INVISIBLE  # see `clean`

        text = re.sub(INVISIBLE, _escaped, text)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = re.sub(_NOT_ASCII, _escaped, text)
    _write(text, sys.stdout)


def _escaped(character: re.Match[str]) -> str:
    r"""Return the matched character as JSON writes it in a string, such as `\u001b`."""
    import json  # see `say_json`

    return json.dumps(character[0])[1:-1]


def can_ask() -> bool:
    """Return whether a user can read a question, and answer it."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def confirm(question: str) -> bool:
    """Ask the user on stderr, and return whether the answer is yes; an empty answer means no.

    All characters that nobody sees are written out.

    Raises:
        KeyboardInterrupt: The user left the question with Ctrl-C or the end of input. That is not a denial.
    """
    from fcregistry._base.invisible import escape  # see `clean`

    shown = f"{escape(question)} [y/N]"
    while True:
        try:
            answer = click.prompt(shown, default="", show_default=False, err=True).strip().lower()
        except click.Abort as error:
            raise KeyboardInterrupt from error
        if answer in _ANSWERS:
            return _ANSWERS[answer]
        remark("Answer y or yes, or n or no; an empty answer means no.")


_ANSWERS: Final = {"y": True, "yes": True, "n": False, "no": False, "": False}
"""An answer to a question, in lower case -> whether it means yes."""


def counted(number: int, noun: str) -> str:
    """Return a number with a noun, such as `2 tools`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def table(rows: Iterable[Sequence[str]], headings: Sequence[str], *, cuts: bool = True) -> None:
    """Write rows under headings, in columns.

    There may be thousands of rows, so the loops over them are those of built-in functions.

    Args:
        rows: The cells of each row.
        headings: The headings of the columns.
        cuts: Whether lines are cut to the width of a terminal.
    """
    *columns, last = (_one_line(column) for column in zip(headings, *rows, strict=True))
    lines = list(map(str.rstrip, map("  ".join, zip(*map(_padded, columns), last, strict=True))))
    if cuts and sys.stdout.isatty():
        import shutil  # slow to import, and only a terminal has a size

        room = shutil.get_terminal_size((100, 24)).columns
        lines = [cut_to_width(line, room) for line in lines]
    _write("\n".join(lines), sys.stdout)


def _one_line(column: Sequence[str]) -> Sequence[str]:
    """Return the cells of a column, each in one line and without control characters.

    In a cell that is not printable, one space replaces white space of any length, which is removed at both ends.
    """
    if _is_plain("".join(column)):  # one check for thousands of cells, which are nearly always plain
        return column
    return [clean(cell) if cell.isprintable() else " ".join(clean(cell).split()) for cell in column]


def _is_plain(text: str) -> bool:
    """Return whether a text is printable ASCII only; True if it is empty.

    This is faster than `isprintable`, which looks up each character.
    """
    return text.isascii() and not text.encode().translate(None, _PRINTABLE)


def _padded(column: Sequence[str]) -> Iterable[str]:
    """Return the cells of a column, each with spaces after it, so that all are as wide as the widest.

    Args:
        column: The cells, at least one.
    """
    if "".join(column).isascii():
        return map(str.ljust, column, repeat(max(map(len, column))))
    widths = list(map(text_width, column))
    most = max(widths)
    return [cell + " " * (most - width) for cell, width in zip(column, widths, strict=True)]


def text_width(text: str) -> int:
    """Return the number of columns that `text` takes on a terminal (Unicode Standard Annex #11)."""
    if text.isascii():
        return len(text)
    from unicodedata import category, east_asian_width  # few texts need it

    return sum((category(each) not in ("Mn", "Me", "Cf")) * (1 + (east_asian_width(each) in "WF")) for each in text)


def cut_to_width(line: str, room: int) -> str:
    """Return `line` if it fits into `room` columns of a terminal, else as much as fits, with an ellipsis."""
    if text_width(line) <= room:
        return line
    line = line[:room]
    while text_width(line) >= room:
        line = line[:-1]
    return f"{line}…"


def relative_path(path: Path) -> Path:
    """Return `path` relative to the working folder if it is in that, else as it is."""
    from pathlib import Path  # `list` and `--help` do without

    try:
        folder = Path.cwd()
    except OSError:  # the folder was removed
        return path
    return path.relative_to(folder) if path.is_relative_to(folder) else path


# --- Standard output for the result only ---

_OUT, _ERR = 1, 2


@contextmanager
def result_alone() -> Iterator[None]:
    """Send all output inside the block to stderr, also that of subprocesses and C libraries.

    Only a command may use it: the descriptor belongs to the whole process. If stdout is closed, nothing has to be redirected.
    """
    from fcregistry._base.stdout import prints_to_stderr  # only a command that runs tools needs it

    out = None
    with suppress(OSError):
        out = os.dup(_OUT)
        os.dup2(_ERR, _OUT)
    try:
        with prints_to_stderr():
            yield
    finally:
        if out is not None:
            os.dup2(out, _OUT)
            os.close(out)


# --- Reading JSON ---


def read_json(text: str) -> Any:
    """Return the value of JSON text, read as strictly as a model's.

    Raises:
        ValueError: It is not valid JSON, has a name twice in one object, a number that is not finite, or nests too deeply.
    """
    from fcregistry._base.json import STRICT_DECODER  # `list` and `--help` do without JSON

    try:
        return STRICT_DECODER.decode(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
