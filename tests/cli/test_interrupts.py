"""An interrupt at any time of a command, as Ctrl-C sends it: to the command and all processes that it has started."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from textwrap import dedent
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.conftest import Site

pytestmark = pytest.mark.skipif(os.name != "posix", reason="interrupts are sent to groups of processes")


INTERRUPTED = {(-signal.SIGINT, ""), (130, "Error: interrupted"), (-signal.SIGINT, "Error: interrupted")}
"""How an interrupted command ends: by the signal or with the code. Both are 130 to a shell; Python may choose the signal itself."""


SCRIPT = "import sys\nfrom fcregistry.cli import main\nif __name__ == '__main__':\n    sys.exit(main())\n"
"""The script `fcregistry`, as installers write it."""

PROGRAM = ("-W", "ignore::ResourceWarning", "-m", "fcregistry")
"""Tests turn warnings into errors; an interrupt between `open` and `with` leaves a file to the garbage collector."""


def interrupted(site: Site, seconds: float, *arguments: str, program: tuple[str, ...] = PROGRAM) -> tuple[int, str]:
    """Return the exit code and stderr of a command that is interrupted after some seconds."""
    process = subprocess.Popen(
        site.command(*program, *arguments),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=site.environment(),
        cwd=site.folder,
        start_new_session=True,
    )
    time.sleep(seconds)
    os.killpg(process.pid, signal.SIGINT)  # it is not waited for yet, so its group exists
    _, stderr = process.communicate(timeout=60)
    return process.returncode, stderr.decode()


def is_of_python(said: str) -> bool:
    """Tell whether Python itself wrote this: with a traceback, or only the name while it read the script, when no frame exists yet."""
    return "Traceback" in said or "Fatal" in said or said.strip() == "KeyboardInterrupt"


@pytest.mark.parametrize("way", ["module", "script"])
def test_an_interrupt_at_any_time_prints_at_most_a_line(site: Site, way: str) -> None:
    """What Python itself prints while it starts, before the first line of ours, is Python's."""
    code = "import time\nfrom fcregistry import fc_register\ntime.sleep(1)\n@fc_register\ndef late():\n    'Return.'\n"
    site.install("acme", {"x": "acme_tools"}, {"acme_tools.py": code})
    site.write({"fcregistry-script": SCRIPT})
    program = PROGRAM if way == "module" else (str(site.folder / "fcregistry-script"),)
    with ThreadPoolExecutor(4) as side_by_side:  # each sleeps for the most part
        ended = list(side_by_side.map(lambda at: interrupted(site, at / 100, "list", program=program), range(40)))
    ours = [(code, said.strip()) for code, said in ended if ", in main\n" in said or not is_of_python(said)]
    assert len(ours) > 10
    assert set(ours) <= {*INTERRUPTED, (0, "")}


def test_an_interrupt_that_python_wraps_is_an_interrupt(site: Site) -> None:
    """Python 3.11 raises a RuntimeError in its place while a class is made."""
    code = """
        import sys
        from fcregistry.cli._main import run  # `main` gives no place at which an interrupt is certain

        class Interrupted:
            def __set_name__(self, owner, name):
                raise KeyboardInterrupt

        sys.exit(run(["--version"], lambda: type("Owner", (), {"part": Interrupted()})))
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


def test_a_process_that_builds_a_manifest_prints_nothing(site: Site) -> None:
    slow = "import time\ntime.sleep(30)\n"
    project = "[project]\nname = 'acme'\n[project.entry-points.fcregistry]\nx = 'acme_tools'\n"
    site.write({"acme_tools.py": slow, "pyproject.toml": project})
    with ThreadPoolExecutor(4) as side_by_side:
        ended = list(side_by_side.map(lambda at: interrupted(site, 0.3 + at / 15, "manifest", "build"), range(15)))
    ours = [(code, said.strip()) for code, said in ended if "Fatal" not in said]
    assert len(ours) > 5
    assert set(ours) <= INTERRUPTED


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
