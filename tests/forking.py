"""Folders of distributions whose commands start at once: each is a process of its own, forked from one that has imported no plugin."""

from __future__ import annotations

import json
import subprocess
from base64 import b64encode
from typing import TYPE_CHECKING, Any

from tests.conftest import TIMEOUT, Site

if TYPE_CHECKING:
    from collections.abc import Mapping

RUN = """
import fcregistry.cli, sys

def run(arguments):
    try:
        fcregistry.cli.main(arguments)
    except SystemExit as done:
        sys.stdout.flush()
        return int(done.code or 0)
"""
"""Code of a function that runs a command, and returns what the process would exit with."""

WARM = """
import fcregistry.cli, fcregistry.discovery, pkgutil, sqlite3
from importlib import import_module

for package in (fcregistry.cli, fcregistry.discovery):
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        import_module(module.name)
"""
"""Code that imports whatever commands may need, and no plugin: before a process forks."""

_FORKS = f"""{RUN}{WARM}
import base64, json, os, tempfile, traceback

for line in sys.stdin:
    arguments, given, environment, folder = json.loads(line)
    with tempfile.TemporaryFile() as stdin, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        stdin.write(base64.b64decode(given))
        stdin.seek(0)
        child = os.fork()
        if child == 0:
            os.environ.clear()
            os.environ.update(environment)
            os.chdir(folder)
            for number, stream in enumerate((stdin, out, err)):
                os.dup2(stream.fileno(), number)
            code = 99
            try:
                code = run(arguments)
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(code)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        said = []
        for stream in (out, err):
            stream.seek(0)
            said.append(stream.read().decode("utf-8", "backslashreplace"))
    print(json.dumps([code, *said]), flush=True)
"""


class ForkingSite(Site):
    """A site whose commands are forked from one process, which takes a tenth of what starting Python takes."""

    _server: subprocess.Popen[str] | None = None

    def cli(
        self, *arguments: str, stdin: str | bytes = b"", env: Mapping[str, str] | None = None, **settings: Any
    ) -> subprocess.CompletedProcess[str]:
        """Run a command of fcregistry to its end, in a new Python if the environment changes what Python finds."""
        if any(name.startswith("PYTHON") for name in env or {}):
            return super().cli(*arguments, stdin=stdin, env=env, **settings)
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
        given = b64encode(stdin.encode() if isinstance(stdin, str) else stdin).decode()
        folder = str(settings.get("cwd") or self.folder)
        self._server.stdin.write(json.dumps([arguments, given, self.environment(env), folder]) + "\n")
        self._server.stdin.flush()
        code, out, err = json.loads(self._server.stdout.readline())
        return subprocess.CompletedProcess(list(arguments), code, out, err)

    def close(self) -> None:
        """End the process that forks."""
        if self._server is not None:
            self._server.communicate(timeout=TIMEOUT)
