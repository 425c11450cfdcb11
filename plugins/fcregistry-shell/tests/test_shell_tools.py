"""The tools of commands: results, time limits, cancellation, progress, approval, jobs, and what operators may give."""

from __future__ import annotations

import asyncio
import gc
import os
import subprocess
import sys
from pathlib import Path
from threading import Timer
from time import monotonic
from typing import Any

import pytest
from fcregistry import Executor
from fcregistry.errors import DefinitionError
from fcregistry.execution import CancellationToken, Progress
from fcregistry.testing import check_tool

from fcregistry_shell import ShellTools, shell_tool, shell_tools
from fcregistry_shell.tools import TOOLS

PYTHON = sys.executable


def python(code: str) -> dict[str, list[str]]:
    """Return the arguments that run code of Python."""
    return {"words": [PYTHON, "-c", code]}


def executor(folder: Path, **options: Any) -> Executor:
    return Executor(shell_tools(folder, approval=False, **options))


@pytest.mark.parametrize("shell", [False, True])
def test_every_rule_is_kept(folder: Path, shell: bool) -> None:
    """Every rule of `pytest --fcregistry`."""
    for tool in shell_tools(folder, shell=shell).values():
        assert check_tool(tool).remarks == ()


def test_exit_code_and_streams_are_apart(folder: Path) -> None:
    code = "import sys, os; print(os.getcwd()); print('wrong', file=sys.stderr); sys.exit(3)"
    result = executor(folder).call("run_command", **python(code))
    assert result.value == {
        "exit_code": 3,
        "stdout": f"{folder}{os.linesep}",
        "stderr": f"wrong{os.linesep}",
        "note": "",
    }


def test_input_is_read_to_its_end(folder: Path) -> None:
    code = "import sys; print(len(sys.stdin.read()))"
    for text in ("", "päper\n" * 10_000):
        result = executor(folder).call("run_command", **python(code), stdin=text)
        assert result.value["stdout"].strip() == str(len(text))


def test_a_command_is_killed_when_its_time_is_up(folder: Path) -> None:
    result = executor(folder, timeout=3).call(
        "run_command", **python("print('begun', flush=True); import time; time.sleep(600)")
    )
    assert result.value["stdout"].strip() == "begun"
    assert result.value["note"] == "the command was killed: it ran longer than 3 seconds"


def test_a_cancelled_call_kills_its_command(folder: Path) -> None:
    pid = folder / "pid"
    code = f"import os, time; open({str(pid)!r}, 'w').write(str(os.getpid())); time.sleep(600)"
    token = CancellationToken()

    async def run() -> Any:
        call = asyncio.ensure_future(
            executor(folder).arun({"name": "run_command", "arguments": python(code)}, cancellation=token)
        )
        while not (pid.exists() and pid.read_text()):
            await asyncio.sleep(0.01)
        token.cancel()
        return await call

    result = asyncio.run(run())
    assert result.error.code == "cancelled"
    end = monotonic() + 10
    while _is_alive(int(pid.read_text())):
        assert monotonic() < end, "the command goes on"


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return True


def test_output_is_progress(folder: Path) -> None:
    code = (
        "import pathlib, time\nfor number in range(3):\n    print('line', number, flush=True)\n"
        "    while not pathlib.Path(f'seen line {number}').exists(): time.sleep(0.01)"
    )
    shown = []
    for event in executor(folder).stream({"name": "run_command", "arguments": python(code)}):
        if isinstance(event, Progress):
            shown.append(event.message)
            (folder / f"seen {event.message}").touch()  # so that no two lines are one event
    assert shown == ["line 0", "line 1", "line 2"]


def test_nothing_runs_without_approval_and_the_approver_sees_the_words(folder: Path) -> None:
    seen = []

    def approve(tool: Any, call: Any) -> bool:
        seen.append((tool.name, call.arguments))
        return len(seen) > 1

    words = python("open('ran', 'w')")
    for tools in (shell_tool(folder), shell_tools(folder)):
        assert Executor(tools).call("run_command", **words).error.code == "approval_required"  # type: ignore[union-attr]
    approving = Executor(shell_tools(folder), approve=approve)
    assert approving.call("run_command", **words).error.code == "denied"  # type: ignore[union-attr]
    assert not (folder / "ran").exists()
    assert approving.call("run_command", **words).ok
    assert (folder / "ran").exists()
    assert seen == [("run_command", words)] * 2
    assert approving.call("read_output", job="job-9").error.code == "tool_failed", "reading needs no approval"  # type: ignore[union-attr]


@pytest.mark.skipif(os.name != "posix", reason="a text for the shell of POSIX")
def test_a_shell_reads_a_text_where_the_operator_says_so(folder: Path) -> None:
    shell = executor(folder, shell=True)
    assert shell.call("run_command", command="echo $((1 + 2)) | tr 3 4 && exit 5").value["stdout"] == "4\n"
    assert shell.call("start_command", command="exit 5").ok
    assert shell.call("read_output", job="job-1", wait=10).value["exit_code"] == 5
    assert not shell.call("run_command", command="a\0b").ok


def test_a_job_is_read_piece_by_piece_and_stopped(folder: Path) -> None:
    jobs = executor(folder)
    code = "print('one', flush=True); print(input(), flush=True)"
    started = jobs.call("start_command", **python(code + "; import time; time.sleep(600)"))
    assert started.value.startswith("job-1 is running: ")
    failing = jobs.call("start_command", **python("raise SystemExit(7)"))
    job = failing.value.partition(" ")[0]
    assert jobs.call("read_output", job=job, wait=10).value == {
        "running": False,
        "exit_code": 7,
        "stdout": "",
        "stderr": "",
    }
    stopped = jobs.call("stop_command", job="job-1").value
    assert not stopped["running"]
    assert "there is no job 'job-1'; the jobs are: job-2" in jobs.call("read_output", job="job-1").content


def test_output_of_a_job_comes_once(folder: Path) -> None:
    jobs = executor(folder)
    jobs.call("start_command", **python("print('a' * 10)"))
    assert jobs.call("read_output", job="job-1", wait=10).value["stdout"].strip() == "a" * 10
    assert jobs.call("read_output", job="job-1").value["stdout"] == ""


WAITS = "import os, sys, time; open(sys.argv[1], 'w').write(str(os.getpid())); time.sleep(600)"


def _start(tools: ShellTools, pid: Path) -> int:
    Executor(tools).call("start_command", words=[PYTHON, "-c", WAITS, str(pid)])
    end = monotonic() + 20
    while not (pid.exists() and pid.read_text()):
        assert monotonic() < end
    return int(pid.read_text())


def test_jobs_end_with_their_tools(folder: Path, tmp_path: Path) -> None:
    with shell_tools(folder, approval=False) as tools:
        first = _start(tools, tmp_path / "1")
    assert not _is_alive(first)
    assert (
        "these tools are closed, so no command can be started"
        in Executor(tools).call("start_command", words=[PYTHON]).content
    )
    tools = shell_tools(folder, approval=False)
    second = _start(tools, tmp_path / "2")
    del tools
    gc.collect()
    assert not _is_alive(second)


def test_jobs_end_with_the_program(folder: Path, tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    code = (
        "import sys, time, pathlib; from fcregistry import Executor; from fcregistry_shell import shell_tools\n"
        f"pid = pathlib.Path({str(pid)!r}); tools = shell_tools('.', approval=False)\n"
        f"Executor(tools).call('start_command', words=[sys.executable, '-c', {WAITS!r}, str(pid)])\n"
        "while not (pid.exists() and pid.read_text()): time.sleep(0.01)\n"
    )
    subprocess.run([PYTHON, "-c", code], check=True, timeout=60, cwd=folder)
    assert not _is_alive(int(pid.read_text()))


def test_variables_are_those_that_the_operator_names(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACME_TOKEN", "secret")
    code = python("import os; print(os.environ.get('ACME_TOKEN'), os.environ.get('ACME_MODE'))")

    def shown(env: Any) -> str:
        text: str = executor(folder, env=env).call("run_command", **code).value["stdout"].strip()
        return text

    assert shown(()) == "None None"
    assert shown(["ACME_TOKEN", "ACME_MODE"]) == "secret None"
    assert shown({"ACME_MODE": "fast"}) == "None fast"


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (
            {"shell": True, "allow": ["ls"]},
            "shell=True excludes allow=: what a shell does with a text, no rule can judge",
        ),
        ({"allow": "ls"}, "allow= takes a list of rules, as in allow=['ls']"),
        ({"allow": [""]}, "a rule begins with the name of a program"),
        ({"allow": ["…"]}, "a rule begins with the name of a program"),
        ({"allow": ["echo 'x"]}, "No closing quotation"),
        ({"allow": [1]}, "allow=1"),
        ({"allow": ["ls [z-a]"]}, "allow='ls [z-a]': the range z-a in [z-a] is reversed, so that it matches nothing"),
        ({"allow": ["ls 'x[!a-c9-0]'"]}, "the range 9-0 in [!a-c9-0] is reversed, so that it matches nothing"),
        ({"allow": ["ls …", "ls '[a-\\]' …"]}, "the range a-\\ in [a-\\] is reversed, so that it matches nothing"),
        ({"env": "PATH"}, "env= takes names of variables, or a mapping from names to values, not 'PATH'"),
        ({"env": ["A=B"]}, "env= takes names of variables"),
        ({"env": {"A": 1}}, "env= takes values that are texts"),
        ({"timeout": 0}, "timeout= takes seconds, a finite number above 0, not 0"),
        ({"timeout": float("inf")}, "timeout= takes seconds"),
        ({"max_characters": 10}, "max_characters= takes a whole number of at least 100, not 10"),
        ({"max_jobs": 0}, "max_jobs= takes a whole number above 0, not 0"),
    ],
)
def test_what_an_operator_cannot_mean_is_an_error(folder: Path, options: Any, problem: str) -> None:
    with pytest.raises(DefinitionError) as caught:
        shell_tools(folder, **options)
    assert problem in str(caught.value)


def test_a_folder_that_is_not_there_is_an_error(folder: Path) -> None:
    with pytest.raises(NotADirectoryError, match="is not a folder"):
        shell_tool(folder / "nowhere")


def test_the_description_names_the_folder_and_the_rules(folder: Path) -> None:
    text = shell_tool(folder, allow=["git status", "ls …"]).description
    assert text.endswith(f"It runs in the folder {folder}.\n\nAllowed are: git status; ls ….")
    assert "Args" not in text


def test_a_limit_of_the_executor_ends_the_command(folder: Path, tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    limited = Executor(shell_tools(folder, approval=False), timeout=3)  # in which Python certainly starts
    result = limited.call("run_command", words=[PYTHON, "-c", WAITS, str(pid)])
    assert result.error is not None
    assert result.error.code == "timeout"
    end = monotonic() + 10
    while _is_alive(int(pid.read_text())):
        assert monotonic() < end, "the command goes on"


def test_an_interrupt_of_the_caller_kills_the_command(folder: Path, tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    code = (
        "import signal, sys; from fcregistry import Executor; from fcregistry_shell import shell_tool\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)  # whatever this process was started with\n"
        f"Executor(shell_tool('.', approval=False)).call('run_command', words=[sys.executable, '-c', {WAITS!r}, {str(pid)!r}])\n"
    )
    caller = subprocess.Popen([PYTHON, "-c", code], cwd=folder, stderr=subprocess.DEVNULL)
    end = monotonic() + 20
    while not (pid.exists() and pid.read_text()):
        assert monotonic() < end
    caller.send_signal(2)
    killer = Timer(20, caller.kill)
    killer.start()
    caller.wait()
    killer.cancel()
    assert not _is_alive(int(pid.read_text()))


# --- The entry point ---

PROJECT = Path(__file__).parent.parent


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_every_rule_is_kept_by_the_tools_of_the_entry_point(tool: Any) -> None:
    assert check_tool(tool).remarks == ()


def test_the_manifest_is_up_to_date() -> None:
    """Otherwise run `fcregistry manifest build` in the folder of the plugin."""
    done = subprocess.run(
        [PYTHON, "-m", "fcregistry", "manifest", "build", "--check"],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_tool_of_the_environment_needs_a_folder_and_rules(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CWD", "ALLOW", "ENV"):
        monkeypatch.delenv(f"FCREGISTRY_SHELL_{name}", raising=False)
    shipped = Executor(TOOLS, approve=lambda tool, call: True)
    code = python("import os; print(os.environ.get('ACME_TOKEN'))")
    assert "FCREGISTRY_SHELL_CWD" in shipped.call("run_command", **code).content
    monkeypatch.setenv("FCREGISTRY_SHELL_CWD", str(folder))
    assert "FCREGISTRY_SHELL_ALLOW is not set" in shipped.call("run_command", **code).content
    monkeypatch.setenv("FCREGISTRY_SHELL_ALLOW", f"nothing; {PYTHON} -c **")
    monkeypatch.setenv("ACME_TOKEN", "secret")
    assert shipped.call("run_command", **code).value["stdout"].strip() == "None"
    monkeypatch.setenv("FCREGISTRY_SHELL_ENV", "ACME_TOKEN, ACME_MODE")
    assert shipped.call("run_command", **code).value["stdout"].strip() == "secret"
    assert "is not allowed here" in shipped.call("run_command", words=["ls"]).content
    assert Executor(TOOLS).call("run_command", **code).error.code == "approval_required"  # type: ignore[union-attr]
    monkeypatch.setenv("FCREGISTRY_SHELL_CWD", "relative")
    assert "FCREGISTRY_SHELL_CWD must be an absolute path" in shipped.call("run_command", **code).content
    monkeypatch.setenv("FCREGISTRY_SHELL_CWD", str(folder / "nowhere"))
    assert "is not a folder" in shipped.call("run_command", **code).content
