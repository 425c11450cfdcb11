"""The program of a process that converts pages. It gets bytes, and never an address or a path.

A page of less than a megabyte may take any time and much memory in a parser, in code that neither looks at a clock nor lets other
threads run. So no page is parsed in the program that has the tools: `_page_pool.py` starts this process, and kills it when the time of
a call is over.

A request is a line of JSON, followed by the body of the page: as many bytes as the line says. An answer is a line with an empty object
when the page begins, and another one when it is converted.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from mmap import mmap
from typing import Any, Final

from fcregistry_web._pages import part_of, prepare, read

_MAPPED: Final = 256 * 2**20
"""Bytes of files that may be mapped, such as libraries; they count in one of the limits."""
_LONGEST_ERROR: Final = 500
_KEPT: Final = 128 * 2**20
"""A process that has used more memory than that is not used again."""


def main() -> None:
    """Answer requests until their stream ends, or a page cannot be converted."""
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not mix with the answers
    while line := requests.readline():
        request = json.loads(line)
        _limit(request["memory"], request["seconds"])
        try:
            data = requests.read(request["size"])
            prepare(request["form"])
            answers.write(b"{}\n")
            answers.flush()
            answer = _answer(request, data)
        except MemoryError:
            answer = {"error": "memory"}
        except Exception as error:  # noqa: BLE001  # of parsers, over a page of a stranger
            answer = {"error": f"{type(error).__name__}: {error}"[:_LONGEST_ERROR]}
        answers.write(json.dumps(answer).encode("ascii") + b"\n")
        answers.flush()
        if "error" in answer:
            return
        _end_after(0)


def _answer(request: Mapping[str, Any], data: bytes) -> dict[str, Any]:
    """Return the answer to `request`: a part of the text of the page `data`."""
    title, text = read(data, request["charset"], request["form"], request["url"])
    del data
    part, end = part_of(text, request["start"], request["most"])
    total = len(text)
    del text
    return {"title": title, "text": part, "end": end, "total": total, "is_worn": not _has_room(request["memory"])}


def _has_room(memory: int) -> bool:
    """Return whether enough of `memory`, the limit in bytes, is free to use this process again."""
    try:
        mmap(-1, memory - _KEPT).close()
    except (OSError, MemoryError):
        return False
    return True


if sys.platform == "win32":

    def _limit(memory: int, seconds: float) -> None:
        pass

    def _end_after(seconds: float) -> None:
        pass

else:
    import resource
    import signal

    def _limit(memory: int, seconds: float) -> None:
        """Limit the memory and the time of this process, and let it write no file when it crashes.

        Not every system limits memory.
        """
        limits = ((resource.RLIMIT_DATA, memory), (resource.RLIMIT_AS, memory + _MAPPED), (resource.RLIMIT_CORE, 0))
        for limit, most in limits:
            with suppress(OSError, ValueError):  # it has a lower limit already
                resource.setrlimit(limit, (most, resource.getrlimit(limit)[1]))
        _end_after(seconds)

    def _end_after(seconds: float) -> None:
        """Let the system end this process after `seconds`, or never if that is 0.

        The program that started it kills it earlier. This is for the case that the program has been killed itself.
        """
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGALRM])
        signal.setitimer(signal.ITIMER_REAL, seconds)
