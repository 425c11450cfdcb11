"""The program of a process that compiles a model's patterns and searches texts for them. It gets texts, and never a path.

A pattern of a few characters may take any time and memory, in code that neither looks at a clock nor lets other threads run. So
it is never compiled in the program that has the tools: `_pattern_pool.py` starts this process, and kills it when the time is over.

A request is a line of JSON, followed by its texts: as many bytes of UTF-8 as the line says. An answer is some lines of JSON.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import suppress
from io import BytesIO, TextIOWrapper
from mmap import mmap
from typing import Any, Final

import regex

MOST_MEMORY: Final = 384 * 2**20
"""Bytes that the process may have, where the system can limit that."""
_ROOM: Final = 224 * 2**20
"""Bytes that must be free for the next pattern: what an earlier one has used may be in pieces."""
_LINE: Final = 300
_MOST_OF_LINE: Final = 1_000_000
"""Of a longer line only the beginning is searched, because a search may take 150 bytes of memory for each character."""


def main() -> None:
    """Answer requests until their stream ends, or no memory is left."""
    _limit_memory()
    source, expression = sys.stdin.buffer, None
    while line := source.readline():
        try:
            request = json.loads(line)
            _end_after(request["seconds"])
            if "pattern" in request:
                expression = None  # before the next one takes memory
                expression, error = _compile(request["pattern"], request["ignore_case"])
                _answer({"error": error})
            elif expression is not None:
                _search(expression, [source.read(size) for size in request["sizes"]], request["most"])
            _end_after(0)
        except MemoryError:
            expression = None
            _answer({"memory": True})
            return


def _compile(pattern: str, ignore_case: bool) -> tuple[regex.Pattern[str] | None, str | None]:
    """Return the compiled `pattern` and None, or None and a message that says what is wrong with it."""
    try:
        return regex.compile(pattern, regex.IGNORECASE if ignore_case else 0, cache_pattern=False), None
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001  # also of several kinds that `regex` does not document
        return None, str(error)


def _search(expression: regex.Pattern[str], texts: list[bytes], most: int) -> None:
    """Write each line of `texts` that matches as an answer, and the number of each text at its end.

    Args:
        expression: The compiled pattern.
        texts: The texts, in UTF-8.
        most: The number of lines after which to stop.
    """
    for number, text in enumerate(texts):
        for line, shown in _matching_lines(expression, text):
            _answer([line, shown])
            most -= 1
            if not most:
                break
        if not most:
            break
        _answer(number)
    _answer({"worn": not _has_room()})


def _matching_lines(expression: regex.Pattern[str], text: bytes) -> Iterator[tuple[int, str]]:
    """Yield the number of each line of `text` that matches, from 1, and the line.

    Of a long line, yield the part around the match. The text is decoded piece by piece, as its lines are read.
    """
    for number, line in enumerate(TextIOWrapper(BytesIO(text), "utf-8", newline="\n"), 1):
        plain = line.removesuffix("\n").removesuffix("\r")[:_MOST_OF_LINE]
        if found := expression.search(plain):
            yield number, _around(plain, found.start())


def _around(line: str, position: int) -> str:
    """Return `line`, or the part of a long line that contains `position`."""
    if len(line) <= _LINE:
        return line
    first = max(0, min(position - _LINE // 3, len(line) - _LINE))
    return f"{'…' if first else ''}{line[first : first + _LINE]}{'…' if first + _LINE < len(line) else ''}"


def _answer(message: Any) -> None:
    """Write `message` as a line of JSON."""
    sys.stdout.buffer.write(json.dumps(message).encode("ascii") + b"\n")
    sys.stdout.buffer.flush()


def _has_room() -> bool:
    """Return whether enough memory is free for the next pattern."""
    try:
        mmap(-1, _ROOM).close()
    except (OSError, MemoryError):
        return False
    return True


if sys.platform == "win32":

    def _limit_memory() -> None:
        pass

    def _end_after(seconds: float) -> None:
        pass

else:
    import resource
    import signal

    def _limit_memory() -> None:
        """Limit the memory of this process, if the system can, and let it write no file if it crashes."""
        limits = ((resource.RLIMIT_AS, MOST_MEMORY), (resource.RLIMIT_DATA, MOST_MEMORY), (resource.RLIMIT_CORE, 0))
        for limit, most in limits:
            with suppress(OSError, ValueError):  # it has a lower limit already
                resource.setrlimit(limit, (most, most))
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGALRM])

    def _end_after(seconds: float) -> None:
        """Let the system end this process after `seconds`, or never if that is 0.

        The program that started it kills it earlier. This is for the case that the program has been killed itself.
        """
        signal.setitimer(signal.ITIMER_REAL, seconds)
