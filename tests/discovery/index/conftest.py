"""A folder of distributions whose commands start at once: each is a process of its own, forked from one that has imported no plugin."""

from __future__ import annotations

import json
import os
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from tests.conftest import Site

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

_FORKS = """
import json, os, sys, tempfile
from importlib import import_module
from fcregistry.cli._main import run
import fcregistry.discovery._workers, fcregistry.discovery._index_store, sqlite3, subprocess

for name in ("call", "groups", "list", "plugins", "search", "show"):
    import_module(f"fcregistry.cli._{name}")
for line in sys.stdin:
    arguments, environment = json.loads(line)
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = os.fork()
        if child == 0:
            os.environ.update(environment)
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            os.dup2(out.fileno(), 1)
            os.dup2(err.fileno(), 2)
            code = 99
            try:
                code = run(arguments)
                sys.stdout.flush()
            except BaseException:
                import traceback
                traceback.print_exc()
            finally:
                os._exit(code)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        said = []
        for stream in (out, err):
            stream.seek(0)
            said.append(stream.read().decode())
    print(json.dumps([code, *said]), flush=True)
"""


class ForkingSite(Site):
    """A site whose commands are forked from one process, which takes a tenth of what starting Python takes."""

    _server: subprocess.Popen[str] | None = None

    def cli(self, *arguments: str, **settings: Any) -> subprocess.CompletedProcess[str]:
        """Run a command of ours to its end: in a new Python, where the environment says what that finds."""
        environment: Mapping[str, str] = settings.get("env") or {}
        if any(name.startswith("PYTHON") for name in environment):
            return super().cli(*arguments, **settings)
        if self._server is None:
            self._server = subprocess.Popen(
                self.command("-c", _FORKS),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=self.environment(),
                cwd=self.folder,
                text=True,
            )
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        self._server.stdin.write(json.dumps([arguments, environment]) + "\n")
        self._server.stdin.flush()
        code, out, err = json.loads(self._server.stdout.readline())
        return subprocess.CompletedProcess(list(arguments), code, out, err)

    def close(self) -> None:
        """End the process that forks."""
        if self._server is not None:
            self._server.communicate(timeout=60)


@pytest.fixture
def site(tmp_path: Path, dependencies: Path) -> Iterator[Site]:
    """An empty folder of distributions."""
    made = (
        ForkingSite(tmp_path / "site", dependencies) if hasattr(os, "fork") else Site(tmp_path / "site", dependencies)
    )
    yield made
    if isinstance(made, ForkingSite):
        made.close()
