"""What the tests ask: a root with a secret beside it, tools of the root, and a limited process that has them."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from select import select
from typing import Any

import pytest
from fcregistry import Executor, ToolResult

from fcregistry_files import Root, file_tools

WORKER = Path(__file__).with_name("limited_worker.py")
SECRET = "the-secret-outside"


@dataclass
class Place:
    """A root, and what is outside of it."""

    root: Path
    outside: Path

    def write(self, path: str, content: str | bytes = "inside\n") -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return file

    def state_outside(self) -> dict[str, Any]:
        """Return everything that an attack might change."""
        return {
            str(path.relative_to(self.outside)): (
                (status := path.lstat()).st_mode,
                status.st_mtime_ns,
                status.st_nlink,
                path.read_bytes() if path.is_file() else None,
            )
            for path in [self.outside, *self.outside.rglob("*")]
        }


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """A root and a folder beside it that contains a secret."""
    return make_place(tmp_path)


def make_place(base: Path) -> Place:
    """Make the folders `root` and `outside` anew; a `root` that exists is emptied, and stays the same folder."""
    place = Place(base / "root", base / "outside")
    place.root.mkdir(exist_ok=True)
    for path in [*place.root.iterdir(), *base.iterdir()]:
        if path != place.root:
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    (place.outside / "sub").mkdir(parents=True)
    (place.outside / "secret.txt").write_text(f"{SECRET}\n")
    (place.outside / "sub" / "secret.txt").write_text(f"{SECRET}\n")
    return place


@pytest.fixture
def root(place: Place) -> Root:
    return Root(place.root)


@pytest.fixture
def call(place: Place) -> Callable[..., ToolResult]:
    """Return a function that calls a tool of the root as a model does, with every call approved."""
    executor = Executor(file_tools(place.root, write=True), approve=lambda tool, call: True)
    return lambda name, **arguments: executor.run({"name": name, "arguments": arguments})


class Limited:
    """A process with limits that carries out calls."""

    def __init__(self, root: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(WORKER), str(root)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        try:
            assert self._line() == "ready"
        except BaseException:  # of any kind: the process must not outlive its test
            self.close()
            raise

    def __call__(self, name: str, **arguments: Any) -> tuple[bool, str]:
        """Carry out a call, and return whether it succeeded, and what the model reads."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"name": name, "arguments": arguments}) + "\n")
        self._process.stdin.flush()
        ok, content = json.loads(self._line())
        return ok, content

    def _line(self) -> str:
        assert self._process.stdout is not None
        ready, _, _ = select([self._process.stdout], [], [], 60)
        assert ready, "the process does not answer"
        line = self._process.stdout.readline()
        assert line, "the process has ended"
        return line.strip()

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()


@pytest.fixture(scope="module")
def process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Limited, Path]]:
    """One process for all tests of a file; its root is emptied before each."""
    base = tmp_path_factory.mktemp("attacks")
    make_place(base)
    limited = Limited(base / "root")
    yield limited, base
    limited.close()


@pytest.fixture
def attacked(process: tuple[Limited, Path]) -> Place:
    """The root of the process with limits, emptied, and what is outside of it."""
    return make_place(process[1])


@pytest.fixture
def limited(process: tuple[Limited, Path]) -> Limited:
    """The process with limits, as a function that carries out a call."""
    return process[0]
