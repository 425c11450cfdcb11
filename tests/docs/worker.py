"""What does the reader's Python session do? Runs the Python blocks of one document, one after the other.

Reads one JSON object a line on standard input, ``{"kind", "source", "path", "line"}``, and answers each with
``{"failure": text}``, which is empty when the block did what it says. Started as ``python -c <this text>``, so that the
document's folder is on ``sys.path``, as it is in a reader's session, and nothing of the project is.
"""

from __future__ import annotations

import doctest
import io
import json
import os
import sys
import tempfile
import traceback
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

NAMESPACE = types.ModuleType("__main__")


def execute(source: str, path: str, line: int) -> str:
    """Run a ``python`` block; blank lines in front make line numbers in tracebacks those of the document."""
    try:
        code = compile("\n" * (line - 1) + source, path, "exec", dont_inherit=True)
        exec(code, NAMESPACE.__dict__)
    except BaseException as exc:  # noqa: BLE001 - whatever the example raises, SystemExit included, is the answer
        return "".join(traceback.format_exception(type(exc), exc, exc.__traceback__ and exc.__traceback__.tb_next))
    return ""


def session(source: str, path: str, line: int) -> str:
    """Run a ``pycon`` block and compare what it prints; ``...`` stands for anything."""
    test = doctest.DocTestParser().get_doctest(source, {}, path, path, line - 1)
    test.globs = NAMESPACE.__dict__
    report = io.StringIO()
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
    outcome = runner.run(test, out=report.write, clear_globs=False)
    return report.getvalue() if outcome.failed else ""


KINDS: dict[str, Callable[[str, str, int], str]] = {"execute": execute, "session": session}


def answer(question: dict[str, Any], printed: int) -> str:
    """Run one block; a failure also shows what the block printed to the file ``printed``."""
    os.truncate(printed, 0)
    failure = KINDS[question["kind"]](question["source"], question["path"], question["line"])
    sys.stdout.flush()
    sys.stderr.flush()
    output = os.pread(printed, 100_000, 0).decode("utf-8", "replace")
    return f"{failure}\nIt printed:\n{output}" if failure and output else failure


def main() -> None:
    """Answer until the questions end. Blocks get an empty standard input, and both outputs go to one file."""
    questions, answers = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
    sys.modules["__main__"] = NAMESPACE
    with tempfile.TemporaryFile("a+b") as printed, Path(os.devnull).open() as nothing:
        os.dup2(nothing.fileno(), 0)
        os.dup2(printed.fileno(), 1)
        os.dup2(printed.fileno(), 2)
        for line in questions:
            print(json.dumps({"failure": answer(json.loads(line), printed.fileno())}), file=answers, flush=True)


if __name__ == "__main__":
    main()
