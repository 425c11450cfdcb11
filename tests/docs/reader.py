"""How is a document followed? As a patient reader would: block by block, with one folder, Python session and shell.

``python``
    is executed; the blocks of a document share one interpreter and its names.
``pycon``
    (lines with ``>>>``) is executed there too, and what it prints is compared.
``console``
    Lines that begin with ``$ `` are commands for bash, in the document's folder, with the environment's programs first
    on PATH; a line that begins with ``> `` continues the command. What follows, up to the next command, is what it must
    print on a terminal of 80 columns (standard output and error together); ``...`` stands for anything, over several
    lines too. A command that is shown without output may print what it likes. It must exit with status 0: an example of
    a failure ends in ``; echo "exit: $?"``. The directory and the exported variables stay for the commands after it.
``toml``
    must be TOML.
``json``, ``mermaid``, ``text``
    are shown only.

A ``python`` or ``toml`` block whose first line is ``# file: NAME`` is written to that file in the document's folder,
not executed. No block can be skipped.
"""

from __future__ import annotations

import doctest
import json
import re
import select
import subprocess
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from . import terminal
from .documents import LANGUAGES, Block
from .environments import Environment

WORKER = Path(__file__).with_name("worker.py").read_text(encoding="utf-8")
SECONDS = 300  # no example takes that long; one that waits for ever must not hold the run
COMMAND = re.compile(r"^\$ (?P<command>.*\n(?:> .*\n)*)(?P<output>(?:(?!\$ ).*\n)*)", re.MULTILINE)


class ExampleFailed(AssertionError):
    """A block did not do what its document says; the text names the document and the line."""

    def __init__(self, block: Block, why: str) -> None:
        super().__init__(f"{block}\n\n{block.source}\n{why}")


class Reader:
    """Somebody who follows one document from its first block to its last."""

    def __init__(self, environment: Environment, worker: subprocess.Popen[str]) -> None:
        self._environment = environment
        self._worker = worker
        self._shell_state = environment.folder.parent / "shell-state"
        self._shell_state.unlink(missing_ok=True)

    def check(self, block: Block) -> None:
        """Do what a block says, and compare the outcome with the one shown.

        Raises:
            ExampleFailed: It cannot be done, or the outcome is not the one shown.
        """
        treatment = LANGUAGES.get(block.language)
        if treatment is None:
            raise ExampleFailed(block, f"The language {block.language!r} is none of {', '.join(LANGUAGES)}.")
        if block.file and treatment in ("execute", "parse"):
            self._write(block, block.file)
        elif treatment == "commands":
            self._run_commands(block)
        elif treatment in ("execute", "session"):
            self._ask_worker(block, treatment)
        if treatment == "parse":
            self._parse(block)

    def _write(self, block: Block, name: str) -> None:
        path = (self._environment.folder / name).resolve()
        if not path.is_relative_to(self._environment.folder.resolve()):
            raise ExampleFailed(block, f"The file {name} is outside the document's folder.")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.source.partition("\n")[2].lstrip("\n"), encoding="utf-8")

    def _parse(self, block: Block) -> None:
        try:
            tomllib.loads(block.source)
        except tomllib.TOMLDecodeError as exc:
            raise ExampleFailed(block, f"It is not TOML: {exc}") from exc

    def _ask_worker(self, block: Block, kind: str) -> None:
        question = {"kind": kind, "source": block.source, "path": str(block.document), "line": block.line}
        assert self._worker.stdin is not None
        assert self._worker.stdout is not None
        print(json.dumps(question), file=self._worker.stdin, flush=True)
        if not select.select([self._worker.stdout], [], [], SECONDS)[0]:
            raise ExampleFailed(block, f"It has not ended after {SECONDS} s.")
        answer = self._worker.stdout.readline()
        if not answer:
            raise ExampleFailed(block, f"It ended the Python session, with status {self._worker.wait()}.")
        if failure := json.loads(answer)["failure"]:
            raise ExampleFailed(block, failure)

    def _run_commands(self, block: Block) -> None:
        steps = list(COMMAND.finditer(block.source))
        if "".join(step[0] for step in steps) != block.source:
            raise ExampleFailed(block, "A console block begins with a command: a line that begins with '$ '.")
        for step in steps:
            status, printed = self._run(block, step["command"].replace("\n> ", "\n"))
            printed = WAITING.sub("", printed)
            expected = step["output"].rstrip("\n")
            if status:
                raise ExampleFailed(block, f"$ {step['command']}exited with status {status} and printed:\n{printed}")
            if expected and not matches(expected, printed):
                raise ExampleFailed(block, f"$ {step['command']}printed:\n{printed}")

    def _run(self, block: Block, command: str) -> tuple[int, str]:
        """Run one command in bash; its folder and exported variables are kept in a file for the next one."""
        state = self._shell_state
        script = f'[ -f {state} ] && . {state} && cd "$PWD"\ntrap "export -p > {state}" EXIT\n{command}'
        bash = ["bash", "--norc", "-c", script]
        try:
            return terminal.run(bash, cwd=self._environment.folder, env=self._environment.variables, seconds=SECONDS)
        except TimeoutError as exc:
            raise ExampleFailed(block, f"$ {command}has not ended after {SECONDS} s and printed:\n{exc}") from exc


WAITING = re.compile(r"^(?:Looking into|Trying) plugins: .* …\r?\n", re.MULTILINE)
"""What a command writes to a terminal if it waits for plugins: on a slow machine only, so no example shows it."""


def matches(expected: str, printed: str) -> bool:
    """Tell whether an output is the one shown; ``...`` stands for anything, white space at line ends for nothing."""
    expected, printed = (
        "\n".join(line.rstrip() for line in text.rstrip().splitlines()) for text in (expected, printed)
    )
    return doctest.OutputChecker().check_output(expected, printed, doctest.ELLIPSIS)


@contextmanager
def reading(environment: Environment) -> Iterator[Reader]:
    """Give a reader with a Python session, which ends with the block."""
    worker = subprocess.Popen(
        [environment.python, "-c", WORKER],
        cwd=environment.folder,
        env=environment.variables,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    )
    with worker:
        try:
            yield Reader(environment, worker)
        finally:
            worker.kill()
