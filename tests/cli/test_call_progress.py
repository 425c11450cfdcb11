"""Progress, items and the time limit of `fcregistry call`, on real pseudo-terminals and in pipes."""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Site

needs_terminals = pytest.mark.skipif(os.name != "posix", reason="there are no pseudo-terminals")

TOOLS = '''
import asyncio
import contextlib
import io
import pathlib
import threading
import time

from fcregistry import Context, fc_register
from fcregistry.errors import ToolError


def enough() -> bool:
    """Return whether the test has seen enough."""
    return pathlib.Path("enough").exists()


@fc_register
def steps(context: Context, ends: str = "well"):
    """Count the steps."""
    context.progress(0.25, "one\\x1b[2J of four")
    yield {"step": "first\\u202e"}
    print("noise")
    context.progress(0.5, "two of four")
    yield object() if ends == "unencodable" else "second"
    while not enough():
        time.sleep(0.01)
    if ends == "badly":
        raise RuntimeError("it broke")


@fc_register(blocking="caller")
def here(context: Context) -> str:
    """Work on this thread."""
    context.progress(0.75, "nearly there")
    while not enough():
        time.sleep(0.01)
    return threading.current_thread().name


@fc_register(requires_approval=True)
async def slowly():
    """Yield items on a loop."""
    yield "first"
    while not enough():
        await asyncio.sleep(0.01)
    yield "second"


@fc_register(timeout=60)
def patient() -> None:
    """Wait."""
    threading.Event().wait()


@fc_register(timeout=0.01)
def hasty() -> None:
    """Wait."""
    threading.Event().wait()


@fc_register
def collects(context: Context, ends: str = "well") -> str:
    """Collect what it prints."""
    with contextlib.redirect_stdout(io.StringIO()) as collected, contextlib.redirect_stderr(io.StringIO()):
        print("one")
        context.progress(0.5, "half")
        print("two")
    if ends == "badly":
        raise ToolError("it broke")
    return collected.getvalue()


@fc_register
def timer(timeout: int) -> int:
    """Return the number."""
    return timeout
'''

PLAIN = {"TERM": "dumb"}
BOTH = pytest.mark.parametrize("env", [{}, PLAIN], ids=["rich", "plain"])


@pytest.fixture(scope="module")
def stairs(make_site: Callable[[], Site]) -> Site:
    """A site with the tools."""
    site = make_site()
    site.install("acme-stairs", {"x": "acme_stairs"}, {"acme_stairs.py": TOOLS})
    return site


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run in a folder of its own, where the tools look for a file."""
    monkeypatch.chdir(tmp_path)


def left(shown: str) -> str:
    """Return the text that a terminal has on its screen after all that was written, as far as our programs use terminals.

    Fails if the cursor is hidden at the end, or a sequence is not known.
    """
    lines, row, column, is_hidden = [""], 0, 0, False
    for part in re.findall(r"\x1b\[\??\d*[a-zA-Z]|\x1b\[[\d;]*m|.|\n", shown):
        if part == "\r":
            column = 0
        elif part == "\n":
            row, column = row + 1, 0
            lines += [""] * (row + 1 - len(lines))
        elif part == "\x1b[1A":
            row -= 1
        elif part == "\x1b[2K":
            lines[row] = ""
        elif part in ("\x1b[?25l", "\x1b[?25h"):
            is_hidden = part.endswith("l")
        elif part.startswith("\x1b"):
            assert part.endswith("m"), part
        else:
            lines[row] = f"{lines[row].ljust(column)[:column]}{part}{lines[row][column + 1 :]}"
            column += 1
    assert not is_hidden
    assert not any(lines[row + 1 :])
    return "\n".join(line.rstrip() for line in lines[: row + 1])


@needs_terminals
@BOTH
def test_progress_and_items_are_shown_as_they_come_and_leave_nothing_behind(stairs: Site, env: dict[str, str]) -> None:
    """Texts of the tool move no cursor. What the tool prints stays."""
    from .test_terminal import Terminal

    terminal = Terminal(stairs, "call", "steps", env=env)
    for text in ("steps: 25% one\\x1b[2J of four", '{"step": "first\\u202e"}', "noise", "steps: 50% two of four"):
        terminal.read_until(text)
    terminal.read_until("second")
    open("enough", "w").close()  # noqa: PTH123
    assert terminal.finish() == 0
    result = json.dumps([{"step": "first\ufffd"}, "second"], indent=2, ensure_ascii=False)
    assert left(terminal.shown) == f"noise\n{result}\n"
    assert not {"\x1b[2J", "\u202e"} & {*re.findall(r"\x1b\[2J|\u202e", terminal.shown)}


@needs_terminals
@BOTH
@pytest.mark.parametrize(
    ("ends", "message"),
    [
        ("badly", "Error: RuntimeError: it broke\n(call -v shows the traceback)\n"),
        ("unencodable", "Error: steps ran, but its result cannot be shown: "),
    ],
)
def test_an_error_leaves_nothing_else_behind(stairs: Site, env: dict[str, str], ends: str, message: str) -> None:
    from .test_terminal import Terminal

    terminal = Terminal(stairs, "call", "steps", "--ends", ends, env=env)
    terminal.read_until("steps: 50% two of four")
    open("enough", "w").close()  # noqa: PTH123
    assert terminal.finish() == 1
    assert left(terminal.shown).startswith(f"noise\n{message}")


@needs_terminals
@BOTH
def test_an_interrupt_leaves_nothing_else_behind(stairs: Site, env: dict[str, str]) -> None:
    from .test_terminal import Terminal

    terminal = Terminal(stairs, "call", "steps", env=env)
    terminal.read_until("second")
    terminal.type("\x03")  # which this terminal only shows: it controls no process
    terminal.read_until("^C")
    terminal._process.send_signal(signal.SIGINT)
    assert terminal.finish() == 130
    assert left(terminal.shown) == "noise\n\nError: interrupted\n"


@needs_terminals
@BOTH
def test_a_tool_that_collects_its_output_collects_all_of_it(stairs: Site, env: dict[str, str]) -> None:
    from .test_terminal import Terminal

    terminal = Terminal(stairs, "call", "collects", env=env)
    assert (terminal.finish(), left(terminal.shown)) == (0, "one\ntwo\n\n")
    terminal = Terminal(stairs, "call", "collects", "--ends", "badly", env=env)
    assert (terminal.finish(), left(terminal.shown)) == (1, "Error: it broke\n")


@needs_terminals
def test_the_end_of_the_time_leaves_nothing_else_behind(stairs: Site) -> None:
    from .test_terminal import Terminal

    terminal = Terminal(stairs, "call", "--timeout", "0.2", "steps", env=PLAIN)
    assert terminal.finish() == 4
    error = "Error: steps did not answer within 0.2 seconds; it may still be running\n"
    assert left(terminal.shown).removeprefix("noise\n") == error


@needs_terminals
def test_progress_is_shown_while_a_tool_runs_on_the_callers_thread(stairs: Site) -> None:
    from .test_terminal import Terminal

    terminal = Terminal(stairs, "call", "here", env=PLAIN)
    terminal.read_until("here: 75% nearly there")
    open("enough", "w").close()  # noqa: PTH123
    assert (terminal.finish(), left(terminal.shown)) == (0, "MainThread\n")


@needs_terminals
def test_items_of_a_loop_are_shown_after_the_question(stairs: Site) -> None:
    from .test_terminal import Terminal

    terminal = Terminal(stairs, "call", "slowly")
    terminal.read_until("[y/N]: ")
    terminal.type("y\n")
    terminal.read_until("first")
    open("enough", "w").close()  # noqa: PTH123
    assert terminal.finish() == 0
    assert left(terminal.shown).endswith(' [y/N]: y\n[\n  "first",\n  "second"\n]\n')


def test_a_pipe_gets_the_result_alone(stairs: Site, tmp_path: Path) -> None:
    (tmp_path / "enough").touch()
    done = stairs.cli("call", "steps", cwd=tmp_path)
    assert (done.returncode, json.loads(done.stdout)) == (0, [{"step": "first\u202e"}, "second"])
    assert done.stderr == "noise\n"


@pytest.mark.parametrize(
    ("words", "seconds"),
    [(["--timeout", "0.05", "patient"], "0.05"), (["patient", "--timeout=0.05"], "0.05"), (["hasty"], "0.01")],
)
def test_a_call_ends_at_the_shorter_of_both_limits(stairs: Site, words: list[str], seconds: str) -> None:
    """That of the command and that of the tool, with the exit code for it."""
    done = stairs.cli("call", *words, *(["--timeout", "60"] if words == ["hasty"] else []))
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr.startswith(
        f"Error: {words[0] if words[0][0] != '-' else 'patient'} did not answer within {seconds} s"
    )


def test_each_call_of_a_batch_has_the_time_limit(stairs: Site) -> None:
    calls = '{"name": "patient"}\n{"name": "timer", "arguments": {"timeout": 3}}\n{"name": "patient"}\n'
    done = stairs.cli("call", "--batch", "--timeout", "0.05", stdin=calls)
    results = [json.loads(line) for line in done.stdout.splitlines()]
    assert [each.get("error", {}).get("code") for each in results] == ["timeout", None, "timeout"]


def test_a_parameter_of_the_tool_called_timeout_is_the_tools(stairs: Site) -> None:
    assert stairs.cli("call", "--timeout", "60", "timer", "--timeout", "3").stdout == "3\n"


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "1e9"])
def test_a_time_limit_that_no_timer_can_count_is_refused(stairs: Site, seconds: str) -> None:
    done = stairs.cli("call", "--timeout", seconds, "patient")
    assert done.returncode == 2
    assert "Invalid value for '--timeout': must be a number of seconds above 0" in done.stderr
