"""An interrupt at known points of a command, as Ctrl-C sends it: to the command and all processes that it has started.

The points are lines that the command runs after it has chosen its answer to interrupts, with the first statement of `main`.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from textwrap import dedent
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.conftest import Site

pytestmark = pytest.mark.skipif(os.name != "posix", reason="interrupts are sent to groups of processes")


INTERRUPTED = {(-signal.SIGINT, ""), (130, "Error: interrupted")}
"""How an interrupted command ends: by the signal or with the code. Both are 130 to a shell."""

IGNORED = ("-W", "ignore::ResourceWarning")
"""Tests turn warnings into errors; an interrupt between `open` and `with` leaves a file to the garbage collector."""

POINTS = 8
"""At so many points, as far from each other, a command is interrupted in a process of its own."""

COUNTING = """
import _signal, os, sys
from fcregistry.cli import main

def count(frame, event, given):
    line = (frame.f_code.co_filename, frame.f_lineno)
    if line not in seen and (seen or _signal.getsignal(_signal.SIGINT) is not _signal.default_int_handler):
        seen.add(line)
        if len(seen) == point:
            os.killpg(0, _signal.SIGINT)
    return count

seen, point = set(), int(sys.argv.pop(1))
sys.settrace(count)
try:
    main()
finally:
    sys.settrace(None)
    if not point:
        print(len(seen))
"""
"""The main thread of a command is interrupted when it has run so many lines of any file, each counted once; 0 prints their number."""


def interrupted(site: Site, point: int, *arguments: str) -> tuple[int, str]:
    """Return the exit code and stderr of a command that is interrupted at a point."""
    process = subprocess.Popen(
        site.command(*IGNORED, "-c", COUNTING, str(point), *arguments),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=site.environment({"FCREGISTRY_CACHE_DIR": str(site.folder / f"cache-{point}")}),
        cwd=site.folder,
        start_new_session=True,
    )
    _, stderr = process.communicate(timeout=60)
    return process.returncode, stderr.decode().strip()


def add_plugin(site: Site, words: str, code: str) -> None:
    """Add a plugin that the command has a worker process describe: an installed one, or the project in the working folder."""
    if words == "list":
        site.install("acme", {"x": "acme_tools"}, {"acme_tools.py": code})
    else:
        project = "[project]\nname = 'acme'\n[project.entry-points.fcregistry]\nx = 'acme_tools'\n"
        site.write({"acme_tools.py": code, "pyproject.toml": project})


@pytest.mark.parametrize("words", ["list", "manifest build"])
def test_an_interrupt_at_any_point_prints_at_most_a_line(site: Site, words: str) -> None:
    """The lines of loops that wait for a worker process are counted once, so that each run has the same number of lines."""
    add_plugin(site, words, "from fcregistry import fc_register\n@fc_register\ndef early():\n    'Return.'\n")
    whole = site.run(*IGNORED, "-c", COUNTING, "0", *words.split())
    assert (whole.returncode, whole.stderr) == (0, "")
    lines = int(whole.stdout.splitlines()[-1])
    points = [1 + number * lines // POINTS for number in range(POINTS)]
    with ThreadPoolExecutor(2) as side_by_side:
        ended = dict(
            zip(points, side_by_side.map(lambda at: interrupted(site, at, *words.split()), points), strict=True)
        )
    assert set(ended.values()) == INTERRUPTED, ended


@pytest.mark.parametrize("words", ["list", "manifest build"])
def test_an_interrupt_while_a_worker_imports_a_plugin_ends_both(site: Site, words: str) -> None:
    """The plugin interrupts the command, which waits for the plugin's worker, and would never end."""
    code = """
        import os, pathlib, signal, time

        pathlib.Path("worker").write_text(str(os.getpid()))
        os.killpg(os.getpgid(os.getppid()), signal.SIGINT)
        while True:
            time.sleep(60)
    """
    add_plugin(site, words, code)
    assert interrupted(site, -1, *words.split()) == (130, "Error: interrupted")
    with pytest.raises(ProcessLookupError):
        os.kill(int((site.folder / "worker").read_text()), 0)


def test_an_interrupt_at_any_line_of_the_command_line_itself_prints_at_most_a_line(site: Site) -> None:
    """At each line and each return of its functions, a copy of the process goes on with an interrupt."""
    code = """
        import _signal, json, os, sys
        from fcregistry.cli import main

        def interrupt(frame, event, given):
            code = frame.f_code
            if not points and _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
                return interrupt  # `main` has not chosen its answer yet
            if code.co_name == "<module>" or os.path.dirname(code.co_filename) != cli:
                return None
            point = (os.path.basename(code.co_filename), code.co_name, event, frame.f_lineno)
            if point not in points:
                points.add(point)
                reading, writing = os.pipe()
                copy = os.fork()
                if not copy:
                    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
                    os.dup2(writing, 2)
                    os.kill(os.getpid(), _signal.SIGINT)
                    return interrupt
                os.close(writing)
                with open(reading) as stream:
                    said = stream.read().strip()
                ended.append((point, (os.waitstatus_to_exitcode(os.waitpid(copy, 0)[1]), said)))
            return interrupt

        points, ended, parent = set(), [], os.getpid()
        cli = os.path.dirname(main.__code__.co_filename)
        sys.argv = ["fcregistry", "list"]
        sys.settrace(interrupt)
        try:
            main()
        finally:
            sys.settrace(None)
            if os.getpid() == parent:
                print(json.dumps(ended))
    """
    add_plugin(site, "list", "from fcregistry import fc_register\n@fc_register\ndef early():\n    'Return.'\n")
    assert site.cli("list").returncode == 0  # so that no process describes the plugin later
    done = site.run(*IGNORED, "-c", dedent(code))
    assert (done.returncode, done.stderr) == (0, "")
    ended = [((*point,), (code, said)) for point, (code, said) in json.loads(done.stdout.splitlines()[-1])]
    assert not [each for each in ended if each[1] not in INTERRUPTED]
    assert min(Counter(end for _, end in ended).values()) > 10
    assert {"main", "run", "_run", "_repair_streams", "cli"} < {function for (_, function, _, _), _ in ended}


def test_an_interrupt_that_python_wraps_is_an_interrupt(site: Site) -> None:
    """Python 3.11 raises a RuntimeError in its place while a class is made."""
    code = """
        import sys
        from fcregistry.cli._main import run  # `main` gives no place at which an interrupt is certain

        class Interrupted:
            def __set_name__(self, owner, name):
                raise KeyboardInterrupt

        sys.exit(run(["--version"], lambda on: on and type("Owner", (), {"part": Interrupted()})))
    """
    done = site.run("-c", dedent(code))
    assert (done.returncode, done.stderr.strip()) == (130, "Error: interrupted")


def test_a_command_sees_to_interrupts_before_it_imports_anything(site: Site) -> None:
    """Each import takes a time in which an interrupt would print a traceback."""
    code = """
        import builtins, signal, sys
        from fcregistry.cli import main

        def note(name, *given, **named):
            seen.append((name, signal.getsignal(signal.SIGINT) is signal.SIG_DFL))
            return usual(name, *given, **named)

        seen, usual, sys.argv = [], builtins.__import__, ["fcregistry", "--version"]
        builtins.__import__ = note
        try:
            main()
        finally:
            builtins.__import__ = usual
            print(seen[:2])
    """
    done = site.run("-c", dedent(code))
    assert done.stdout.splitlines()[-1] == "[('_signal', False), ('gc', True)]"


def test_a_command_that_is_started_with_interrupts_ignored_goes_on_ignoring_them(site: Site) -> None:
    """As nohup does, and a shell for what runs in the background."""
    code = (
        "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN); os.execv(sys.executable, sys.argv[1:])"
    )
    words = site.command(
        "-c",
        "import signal, sys; sys.argv = ['fcregistry', '--version']; from fcregistry.cli import main\n"
        "try:\n    main()\nfinally:\n    print(signal.getsignal(signal.SIGINT).name)",
    )
    done = site.run("-c", code, *words)
    assert done.stdout.splitlines()[-1] == "SIG_IGN"
