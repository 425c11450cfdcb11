"""The tools: one that runs a command, and those for commands in the background."""

from __future__ import annotations

import math
import os
import shlex
import sys
import threading
import weakref
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Annotated, Any, Final, TypedDict

from annotated_types import Interval, Len
from fcregistry import Context, Tool
from fcregistry.errors import DefinitionError, ToolError
from fcregistry.execution import Toolset

from fcregistry_shell._allow import Rules, program_of
from fcregistry_shell._process import Process, kill_all

USUAL: Final = (
    *("PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "TEMP", "TMP"),
    *("SYSTEMROOT", "COMSPEC", "PATHEXT", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "WINDIR"),
)
"""The variables that every command gets; none of them is a secret."""

_HEARTBEAT: Final = 0.05
"""Seconds between two checks whether a call was cancelled."""

Words = Annotated[list[str], Len(1, 1000)]


class CommandResult(TypedDict):
    """The result of a command.

    Attributes:
        exit_code: Its exit code; 0 is success. A negative number is the signal that ended it. None if it could not be ended, or how it
            ended is not known.
        stdout: What it wrote to standard output.
        stderr: What it wrote to standard error.
        note: What else there is to know, such as that its time was up; empty if nothing.
    """

    exit_code: int | None
    stdout: str
    stderr: str
    note: str


class JobOutput(TypedDict):
    """The output of a command in the background since it was last read.

    Attributes:
        running: Whether it is still running.
        exit_code: Its exit code, once it has ended.
        stdout: The new text on standard output.
        stderr: The new text on standard error.
    """

    running: bool
    exit_code: int | None
    stdout: str
    stderr: str


def shell_tool(
    cwd: str | os.PathLike[str],
    *,
    allow: Iterable[str] | None = None,
    env: Mapping[str, str] | Collection[str] = (),
    timeout: float = 60.0,
    shell: bool = False,
    approval: bool = True,
    max_characters: int = 30_000,
) -> Tool:
    """Return the tool `run_command`, which runs one command and returns its exit code and its output.

    A command is a list of words, which no shell reads. It runs in a group of its own; when its time is up, when the call is cancelled,
    and when the command itself has ended, everything that it started is killed.

    Args:
        cwd: The folder in which commands run. It does not confine them: a program can read and write what its user can.
        allow: Rules of the commands that may run, such as `"git status"`, `"git log …"` or `"pytest tests/*"`. The first word is compared
            exactly. Each further word is a glob of one word, in which `*` stops at `/`; `…` or `...` at the end allows any further
            words. Without it, any command may run that the approver approves.
        env: Variables that commands get besides the usual ones, such as `PATH` and `HOME`: names of variables of this process, or a
            mapping from names to values. A command gets no other variable of your program, but it can read all of them where the system
            shows the environment of a user's processes, as Linux does in `/proc`.
        timeout: The seconds that a command may take.
        shell: Whether a command is one text that the system's shell reads (`/bin/sh`, or `cmd.exe` on Windows), in place of words.
            No rule can judge such a text, so it excludes `allow`.
        approval: Whether each call requires approval. The approver sees the words, or the text, that run.
        max_characters: The most characters of each stream that the model reads: the head and the tail of longer ones.

    Raises:
        DefinitionError: An argument is not valid.
        NotADirectoryError: There is no such folder.
    """
    runner = Runner.of(cwd, allow, env, timeout, shell, max_characters)
    return runner.tool(runner.run_line if shell else runner.run_words, "run_command", approval)


def shell_tools(
    cwd: str | os.PathLike[str],
    *,
    allow: Iterable[str] | None = None,
    env: Mapping[str, str] | Collection[str] = (),
    timeout: float = 60.0,
    shell: bool = False,
    approval: bool = True,
    max_characters: int = 30_000,
    max_jobs: int = 4,
) -> ShellTools:
    """Return `run_command`, and tools for commands in the background.

    These are `start_command`, `read_output` and `stop_command`. Use the result in a `with` block, or close it: that ends the
    commands in the background. They also end with the program.

    Args:
        cwd: The folder in which commands run; see `shell_tool`.
        allow: Rules of the commands that may run; see `shell_tool`.
        env: Variables that commands get; see `shell_tool`.
        timeout: The seconds that `run_command` may take. Commands in the background have no limit.
        shell: Whether a command is one text for the system's shell; see `shell_tool`.
        approval: Whether calls that run or start a command require approval.
        max_characters: The most characters of each stream that the model reads at once.
        max_jobs: How many commands may run in the background at a time.

    Raises:
        DefinitionError: An argument is not valid.
        NotADirectoryError: There is no such folder.
    """
    if type(max_jobs) is not int or max_jobs < 1:
        raise DefinitionError(f"max_jobs= takes a whole number above 0, not {max_jobs!r}")
    return ShellTools(Runner.of(cwd, allow, env, timeout, shell, max_characters), shell, approval, max_jobs)


class ShellTools(Toolset):
    """The tools of `shell_tools`.

    The commands in the background end with the `with` block, or with `close()`.

    Args:
        runner: Runs the commands.
        shell: Whether a command is one text for the system's shell.
        approval: Whether calls that run or start a command require approval.
        max_jobs: How many commands may run in the background at a time.
    """

    __slots__ = ("_jobs",)

    def __init__(self, runner: Runner, shell: bool, approval: bool, max_jobs: int) -> None:
        self._jobs = jobs = Jobs(runner, max_jobs)
        options: dict[str, Any] = {"tags": ("shell",), "open_world": False}
        super().__init__(
            [
                runner.tool(runner.run_line if shell else runner.run_words, "run_command", approval),
                runner.tool(jobs.start_line if shell else jobs.start_words, "start_command", approval),
                Tool.from_function(jobs.read_output, read_only=True, idempotent=False, **options),
                Tool.from_function(jobs.stop_command, read_only=False, destructive=False, idempotent=True, **options),
            ]
        )

    def close(self) -> None:
        """End the commands in the background. Later ones are refused."""
        self._jobs.close()

    def __enter__(self) -> ShellTools:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class Runner:
    """Runs commands in one folder.

    Attributes:
        folder: The folder.
        rules: What may run.
        env: Names of further variables, or their values.
        timeout: The seconds that a command may take.
        most: The most characters to keep of each stream.
    """

    folder: str
    rules: Rules
    env: Mapping[str, str] | tuple[str, ...]
    timeout: float
    most: int

    @classmethod
    def of(
        cls,
        cwd: str | os.PathLike[str],
        allow: Iterable[str] | None,
        env: Any,
        timeout: float,
        shell: bool,
        most: int,
    ) -> Runner:
        """Return a runner, after checking what the operator gave.

        Raises:
            DefinitionError: Something is not valid.
            NotADirectoryError: There is no such folder.
        """
        wrong = []
        if shell and allow is not None:
            wrong.append("shell=True excludes allow=: what a shell does with a text, no rule can judge")
        if isinstance(env, str) or not all(isinstance(name, str) and name and "=" not in name for name in env):
            wrong.append(f"env= takes names of variables, or a mapping from names to values, not {env!r:.80}")
        elif isinstance(env, Mapping) and not all(isinstance(value, str) for value in env.values()):
            wrong.append("env= takes values that are texts")
        if type(timeout) not in (int, float) or not 0 < timeout < math.inf:
            wrong.append(f"timeout= takes seconds, a finite number above 0, not {timeout!r}")
        if type(most) is not int or most < 100:
            wrong.append(f"max_characters= takes a whole number of at least 100, not {most!r}")
        if wrong:
            raise DefinitionError("the shell tools cannot be made:", wrong)
        folder = Path(cwd).resolve()
        if not folder.is_dir():
            raise NotADirectoryError(f"cwd={os.fspath(cwd)!r} is not a folder")
        named = dict(env) if isinstance(env, Mapping) else tuple(env)
        return cls(folder=str(folder), rules=Rules(allow), env=named, timeout=timeout, most=most)

    def tool(self, function: Callable[..., Any], name: str, approval: bool) -> Tool:
        """Return a tool that runs or starts commands."""
        allowed = "" if self.rules.texts is None else f"\n\nAllowed are: {'; '.join(self.rules.texts) or 'none'}."
        return Tool.from_function(
            function,
            name=name,
            description=f"{(function.__doc__ or '').partition('Args:')[0].strip()}\n\nIt runs in the folder {self.folder}.{allowed}",
            tags=("shell",),
            read_only=False,
            destructive=True,
            idempotent=False,
            open_world=True,
            requires_approval=approval,
        )

    def run_words(self, words: Words, stdin: str = "", *, context: Context) -> CommandResult:
        """Run a command, and wait until it ends.

        No shell reads it: there are no pipes, variables or wildcards.

        Args:
            words: The program and its arguments, each as a text of its own.
            stdin: What the command reads from standard input.
            context: The call.
        """
        return self._run(self.command_of(words), stdin, context)

    def run_line(self, command: Annotated[str, Len(1)], stdin: str = "", *, context: Context) -> CommandResult:
        """Run a command of the system's shell, and wait until it ends.

        Args:
            command: The text for the shell.
            stdin: What the command reads from standard input.
            context: The call.
        """
        return self._run(shell_words(command), stdin, context)

    def command_of(self, words: list[str]) -> list[str]:
        """Return `words`, those of a command, with the path of the program in place of the first.

        Raises:
            ToolError: It is not allowed, there is no such program, or a word has a null character.
        """
        if any("\0" in word for word in words):
            raise ToolError("a word of a command cannot have a null character; nothing was run")
        self.rules.check(words)
        return [program_of(words[0], self.folder, self.environment()), *words[1:]]

    def environment(self) -> dict[str, str]:
        """Return the variables of a command."""
        names = (*USUAL, *(() if isinstance(self.env, Mapping) else self.env))
        given = {name: os.environ[name] for name in names if name in os.environ}
        return {**given, "TERM": "dumb", "NO_COLOR": "1", **(self.env if isinstance(self.env, Mapping) else {})}

    def start(self, words: list[str], stdin: str = "", on_line: Callable[[str], object] | None = None) -> Process:
        """Start the command `words`, and return its process."""
        return Process(words, self.folder, self.environment(), self.most, stdin, on_line)

    def _run(self, words: list[str], stdin: str, context: Context) -> CommandResult:
        """Run the command `words`, and return its result.

        It is killed if the call is cancelled, or its time is over.
        """
        cancellation = context.cancellation
        process = self.start(words, stdin, lambda line: context.progress(0.0, line))
        end, note = monotonic() + self.timeout, ""
        try:
            while not process.wait(_HEARTBEAT):
                if cancellation.cancelled:
                    note = "the call was cancelled, and the command was killed"
                    break
                if monotonic() > end:
                    limit = f"{self.timeout:g} second{'' if self.timeout == 1 else 's'}"
                    note = f"the command was killed: it ran longer than {limit}"
                    break
        finally:
            process.kill()
        if not process.wait(0):
            note = "the command may still run: it could not be killed"
        elif process.exit_code is None and not note:
            note = "it is not known how the command ended: the process that supervises it was killed"
        return CommandResult(
            exit_code=process.exit_code, stdout=process.stdout.text(), stderr=process.stderr.text(), note=note
        )


def shell_words(command: str) -> list[str]:
    """Return the words of a command that runs `command`, a text, in the system's shell."""
    if "\0" in command:
        raise ToolError("a command cannot have a null character; nothing was run")
    if sys.platform == "win32":
        return [os.environ.get("COMSPEC", "cmd.exe"), "/d", "/s", "/c", command]
    return ["/bin/sh", "-c", command]


class Jobs:
    """Commands in the background.

    Args:
        runner: Runs the commands.
        most: How many may run at a time.
    """

    def __init__(self, runner: Runner, most: int) -> None:
        self._runner = runner
        self._most = most
        self._lock = threading.Lock()
        self._processes: dict[str, Process] = {}
        self._is_closed = False
        self._count = 0
        self._end = weakref.finalize(self, _end_jobs, self._processes)  # also at the end of the program

    def start_words(self, words: Words) -> str:
        """Start a command in the background, such as a server. No shell reads it. Returns the id of the job.

        Args:
            words: The program and its arguments, each as a text of its own.
        """
        return self._start(self._runner.command_of(words), shlex.join(words))

    def start_line(self, command: Annotated[str, Len(1)]) -> str:
        """Start a command of the system's shell in the background. Returns the id of the job.

        Args:
            command: The text for the shell.
        """
        return self._start(shell_words(command), command)

    def read_output(self, job: str, wait: Annotated[float, Interval(ge=0, le=30)] = 0.0) -> JobOutput:
        """Read what a command in the background has written since you last read it.

        Args:
            job: The id that start_command returned.
            wait: The seconds to wait for its end before reading.
        """
        process = self._process(job)
        process.wait(wait)
        code = process.exit_code
        return JobOutput(
            running=not process.wait(0),
            exit_code=code,
            stdout=process.stdout.new_text(),
            stderr=process.stderr.new_text(),
        )

    def stop_command(self, job: str) -> JobOutput:
        """End a command in the background, with everything that it started. Returns the last of its output.

        Args:
            job: The id that start_command returned.
        """
        self._process(job).kill()
        last = self.read_output(job)
        if not last["running"]:
            with self._lock:
                self._processes.pop(job, None)
        return last

    def close(self) -> None:
        """End all commands in the background."""
        with self._lock:
            self._is_closed = True
        self._end()

    def _start(self, words: list[str], shown: str) -> str:
        """Start the command `words` in the background, and return a text with the id of the job.

        The text quotes `shown`.
        """
        with self._lock:
            running = [name for name, process in self._processes.items() if not process.wait(0)]
            if self._is_closed:
                raise ToolError("these tools are closed, so no command can be started; nothing was run")
            if len(running) >= self._most:
                raise ToolError(
                    f"{len(running)} commands are running in the background, and more are not allowed: stop one of "
                    f"{', '.join(running)} first; nothing was run"
                )
            process = self._runner.start(words)
            self._count += 1
            name = f"job-{self._count}"
            self._processes[name] = process
        return f"{name} is running: {shown[:200]}"

    def _process(self, job: str) -> Process:
        """Return the process of the job with the id `job`; raise `ToolError` if there is none."""
        with self._lock:
            process = self._processes.get(job)
            known = ", ".join(self._processes) or "none"
        if process is None:
            raise ToolError(f"there is no job {job!r:.80}; the jobs are: {known}")
        return process


def _end_jobs(processes: dict[str, Process]) -> None:
    """End all `processes`, and forget them."""
    kill_all(list(processes.values()))
    processes.clear()
