"""A folder for commands, and a process with limits that runs them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

WORKER = Path(__file__).with_name("limited_worker.py")
SECRET = "FCREGISTRY_TEST_SECRET"


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which commands run, with a program and some files."""
    folder = tmp_path_factory.mktemp("cwd")
    for name in ("tool", "git"):
        program = folder / name
        program.write_text("#!/bin/sh\necho from the working folder\n")
        program.chmod(0o700)
    (folder / "a.txt").write_text("a\n")
    (folder / "b.txt").write_text("b\n")
    (folder / "deep").mkdir()
    return folder


@pytest.fixture(scope="session")
def attack(folder: Path) -> Iterator[Callable[..., Any]]:
    """Run a call in the process with limits, with further options of the tools; return whether it went well, and its result."""
    environment = {**os.environ, SECRET: "the-secret-value", "PATH": f"{os.environ['PATH']}{os.pathsep}.{os.pathsep}"}
    worker = subprocess.Popen(
        [sys.executable, str(WORKER), str(folder)],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert worker.stdin is not None
    assert worker.stdout is not None
    assert worker.stdout.readline() == "ready\n"

    def run(name: str, arguments: dict[str, Any], **options: Any) -> Any:
        worker.stdin.write(json.dumps([options, {"name": name, "arguments": arguments}]) + "\n")
        worker.stdin.flush()
        return json.loads(worker.stdout.readline())

    yield run
    worker.stdin.close()
    assert worker.wait(60) == 0
    worker.stdout.close()
