"""The code for systems without subreapers, run on this one."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest
from fcregistry import Executor

from fcregistry_shell import _process, shell_tools

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the commands are those of POSIX systems")


@pytest.fixture
def commands(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(_process, "_Supervised", _process._Group)  # a private name: no other way leads there on Linux
    with shell_tools(folder, approval=False, timeout=0.5) as tools:
        yield Executor(tools)


def test_a_command_runs_to_its_end(commands: Any) -> None:
    result = commands.call("run_command", words=["sh", "-c", "cat; echo wrong >&2; exit 3"], stdin="text")
    assert result.value == {"exit_code": 3, "stdout": "text", "stderr": "wrong\n", "note": ""}
    assert "could not be started" in commands.call("run_command", words=["printf", "x" * 500_000]).content


@pytest.mark.parametrize("script", ["sleep 600 & exec 3>&-; echo begun", "trap '' TERM; sleep 600; sleep 600"])
@pytest.mark.parametrize("name", ["run_command", "start_command"])
def test_the_group_of_a_command_ends_with_it(commands: Any, tmp_path: Path, name: str, script: str) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        started = commands.call(name, words=["sh", "-c", f'exec 4>"$0"; {script}', str(pipe)])
        if name == "start_command":
            started = commands.call("stop_command", job=started.value.partition(" ")[0])
        assert started.ok
        assert os.read(reading, 1) == b"", "no process has the other end"
    finally:
        os.close(reading)


def test_python_that_cannot_be_found_is_an_error(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if sys.platform != "linux":
        pytest.skip("no other system needs it")
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    result = Executor(shell_tools(folder, approval=False)).call("run_command", words=["true"])
    assert result.content == (
        "the command could not be started: the path of Python is not known; the application can set it by "
        "multiprocessing.set_executable"
    )
