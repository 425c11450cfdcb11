"""What a model may try: quoting, rules, the environment, processes that outlive their call, floods. Nothing gets out."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from select import select
from time import monotonic, sleep
from typing import Any

import pytest
from fcregistry import Executor

from fcregistry_shell import _process, shell_tools

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the commands are those of Linux")

SECRET = "the-secret-value"

Attack = Callable[..., Any]


# --- Quoting: no shell reads the words ---


@pytest.mark.parametrize(
    "word",
    [
        "; touch pwned",
        "$(touch pwned)",
        "`touch pwned`",
        "| touch pwned",
        "&& touch pwned",
        "& touch pwned",
        "\ntouch pwned\n",
        "> pwned",
        "<(touch pwned)",
        "'; touch pwned; '",
        '"; touch pwned; "',
        "\\; touch pwned",
        "*",
        "~",
        "$HOME",
        "${IFS}",
        "!!",
        "{a,b}",
        "%PATH%",
        "",
        " ",
        "\x1b[31m",
        "\u202egnp.exe",
        "ünïcödé 東京",
        "-n\u00a0x",
    ],
)
def test_a_word_is_a_word_whatever_it_holds(attack: Attack, folder: Path, word: str) -> None:
    ok, value = attack("run_command", {"words": ["printf", "%s", word]})
    assert (ok, value["stdout"], value["exit_code"]) == (True, word, 0)
    assert not (folder / "pwned").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["printf", "a\0b"], "a word of a command cannot have a null character; nothing was run"),
        (["pri\0ntf"], "null character"),
        (["printf", "x" * 500_000], "the command could not be started: Argument list too long"),
        ([], "must have at least 1 item"),
        (["x"] * 1001, "must have at most 1000 items"),
        ([""], "there is no program ''"),
        (["."], "there is no program '.'"),
        (["deep/"], "there is no program 'deep/'"),
        (["./a.txt"], "there is no program './a.txt'"),
        (["no\nsuch"], "there is no program"),
        (["tool"], "there is no program 'tool' here; nothing was run"),
    ],
)
def test_a_command_that_cannot_run_is_an_error_that_says_why(attack: Attack, words: list[str], message: str) -> None:
    ok, content = attack("run_command", {"words": words})
    assert not ok
    assert message in content


# --- Rules ---

RULES = ["git status", "git log …", "ls *.txt", "printf [ab]?", "cat deep/**", "./tool"]


@pytest.mark.parametrize(
    "words",
    [
        ["git"],
        ["git", "push"],
        ["git", "status", "--short"],
        ["git", "Status"],
        ["GIT", "status"],
        ["git status"],
        [" git", "status"],
        ["git ", "status"],
        ["git\n", "status"],
        ["/usr/bin/git", "status"],
        ["./git", "status"],
        ["deep/../git", "status"],
        ["git", "status\n"],
        ["git", "…"],
        ["git", "..."],
        ["ls"],
        ["ls", "-la"],
        ["ls", "../secret.txt"],
        ["ls", "/etc/x.txt"],
        ["ls", "a.txt", "b.txt"],
        ["ls", "a.txt\n/etc"],
        ["printf", "cd"],
        ["printf", "a"],
        ["printf", "a/"],
        ["cat", "/etc/passwd"],
        ["cat", "deep"],
        ["tool"],
        ["sh", "-c", "git status"],
        ["env", "git", "status"],
        ["echo"],
    ],
)
def test_a_command_that_no_rule_allows_does_not_run(attack: Attack, words: list[str]) -> None:
    for name in ("run_command", "start_command"):
        ok, content = attack(name, {"words": words}, allow=RULES)
        assert not ok
        assert (
            "is not allowed here; nothing was run. The commands that are allowed:\n- git status\n- git log …" in content
        )


@pytest.mark.parametrize(
    ("words", "stdout"),
    [(["ls", "a.txt"], "a.txt\n"), (["printf", "ab"], "ab"), (["./tool"], "from the working folder\n")],
)
def test_what_a_rule_allows_runs(attack: Attack, words: list[str], stdout: str) -> None:
    ok, value = attack("run_command", {"words": words}, allow=RULES)
    assert (ok, value["stdout"]) == (True, stdout)


# What a glob matches. The program does not exist, so no process is started: what a rule allows gets as far as the search for the program.
GLOBS = {
    "*.txt": (["a.txt", ".txt", "a\n.txt"], ["a/b.txt", "a.txt/", "/a.txt", "a.txt\n"]),
    "?": (["a", "]", "\n"], ["/", "", "ab"]),
    "a/*/c": (["a/b/c", "a//c"], ["a/b/b/c", "a/c"]),
    "**.py": (["a.py", "a/b.py", "/a.py"], ["a.pyc", "py"]),
    "**a*b": (["ab", "x/a/ab", "a/axb"], ["a/b", "xb", "ab/"]),
    "[!a]x": (["bx", "]x"], ["ax", "/x", "x"]),
    "[a-c][0-9]": (["a0", "c9"], ["d0", "a/"]),
    "[]a]": (["]", "a"], ["[]a]", "b"]),
    "[!]a]": (["b"], ["]", "a", "/"]),
    "[!]": (["[!]"], ["a", "!"]),
    "[[:alpha:]]": ([":]", "a]"], ["x"]),
    "[a&&b]": (["a", "&", "b"], ["c", "&&"]),
    "[*]": (["*"], ["a"]),
    "[^a]": (["^", "a"], ["b"]),
    "[a": (["[a"], ["a"]),
}


@pytest.mark.parametrize("glob", GLOBS)
def test_a_glob_matches_as_in_fnmatch_but_a_star_stops_at_a_slash(attack: Attack, glob: str) -> None:
    matching, other = GLOBS[glob]
    rule = f"missing {shlex.quote(glob)}"
    allowed = {
        word: "there is no program 'missing'" in attack("run_command", {"words": ["missing", word]}, allow=[rule])[1]
        for word in (*matching, *other)
    }
    assert allowed == {**dict.fromkeys(matching, True), **dict.fromkeys(other, False)}


@pytest.mark.parametrize("glob", ["*_*_*_*_*.py", "**_*_**_*_*.py"])
def test_a_long_word_that_almost_matches_takes_no_time(attack: Attack, glob: str) -> None:
    """Trying each way in which the stars can match would take longer than a test may take."""
    ok, content = attack("run_command", {"words": ["missing", "_" * 100_000]}, allow=[f"missing {glob}"])
    assert not ok
    assert "is not allowed here" in content


def test_no_rule_at_all_allows_nothing(attack: Attack) -> None:
    ok, content = attack("run_command", {"words": ["ls"]}, allow=[])
    assert not ok
    assert content.endswith("The commands that are allowed:\n- none")


# --- The environment ---


@pytest.mark.parametrize(
    "words",
    [["env"], ["printenv", "FCREGISTRY_TEST_SECRET"], ["cat", "/proc/self/environ"], ["sh", "-c", "set; export -p"]],
)
def test_a_command_has_no_variable_that_was_not_named(attack: Attack, words: list[str]) -> None:
    ok, value = attack("run_command", {"words": words})
    assert ok
    assert SECRET not in str(value)
    ok, value = attack("run_command", {"words": words}, env=["FCREGISTRY_TEST_SECRET"])
    assert SECRET in value["stdout"]


@pytest.mark.parametrize("name", ["LD_PRELOAD=/x", "PATH=.", "A"])
def test_words_set_no_variable(attack: Attack, name: str) -> None:
    ok, content = attack("run_command", {"words": [name, "ls"]})
    assert not ok
    assert "there is no program" in content


# --- Processes that outlive their call ---

_COUNT = iter(range(10**6))


def still_running(mark: str, seconds: float = 5.0) -> bool:
    """Return whether a process with a text in its command line is still there after some time."""
    end = monotonic() + seconds
    while found := _is_running(mark):
        if monotonic() > end:
            break
        sleep(0.02)
    return found


def _is_running(mark: str) -> bool:
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if mark.encode() in path.read_bytes():
                return True
        except OSError:
            continue
    return False


ESCAPES = {
    "in the background": "sleep {mark} & echo begun",
    "with nohup": "nohup sleep {mark} >/dev/null 2>&1 & echo begun",
    "in a session of its own": "setsid sleep {mark} & echo begun",
    "in a session, without streams": "setsid sleep {mark} </dev/null >/dev/null 2>&1 & echo begun",
    "forked twice": "(setsid sh -c 'sleep {mark} & exit' &) ; echo begun",
    "ignoring the request": "trap '' TERM INT HUP; sleep {mark} & echo begun; wait",
    "ignoring it in a session": "setsid sh -c \"trap '' TERM; sleep {mark}\" & echo begun; wait",
    "forking again and again": "f() {{ sleep {mark} & sleep 0.01; }}; for i in 1 2 3 4 5 6 7 8 9; do f; done; echo begun; sleep {mark}",
    "with no environment": "env -i setsid sleep {mark} & echo begun",
    "with no environment, forked twice": "(env -i setsid sh -c 'sleep {mark} & exit' &) ; echo begun",
    "as a pipeline": "sleep {mark} | sleep {mark} | sleep {mark}; echo begun",
    "after a stop": "sleep {mark} & kill -STOP $!; echo begun",
}


@pytest.mark.parametrize("way", ESCAPES)
@pytest.mark.parametrize("name", ["run_command", "start_command"])
def test_nothing_outlives_its_call(attack: Attack, way: str, name: str) -> None:
    mark = f"{next(_COUNT) + 100_000}.25"
    words = ["sh", "-c", ESCAPES[way].format(mark=mark)]
    ok, value = attack(name, {"words": words}, timeout=0.5)
    assert ok
    if name == "start_command":
        job = value.partition(" ")[0]
        attack("read_output", {"job": job, "wait": 0.2}, timeout=0.5)
        ok, value = attack("stop_command", {"job": job}, timeout=0.5)
        assert ok
    assert not still_running(f"sleep\0{mark}")


CHAIN = """
import os, sys
os.open(sys.argv[1], os.O_WRONLY)  # each process has it, until the last one ends
print("begun", flush=True)
for stream in (0, 1, 2):
    os.close(stream)
for _ in range(20_000):  # so that it ends, whatever happens
    os.fork() and os._exit(0)
    os.setsid()
"""


@pytest.mark.parametrize("name", ["run_command", "start_command"])
def test_processes_that_fork_again_and_again_do_not_outlive_their_call(
    attack: Attack, tmp_path: Path, name: str
) -> None:
    """Each process leaves its group, makes the next one, and ends; none has a variable by which it could be found."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        ok, value = attack(name, {"words": ["env", "-i", sys.executable, "-I", "-S", "-c", CHAIN, str(pipe)]})
        assert ok
        if name == "start_command":
            job = value.partition(" ")[0]
            ok, value = attack("read_output", {"job": job, "wait": 10})
            assert attack("stop_command", {"job": job})[0]
        assert value["stdout"] == "begun\n"
        assert os.read(reading, 1) == b"", "no process has the other end"
    finally:
        os.close(reading)


HOST = """
import sys, threading
from fcregistry import Executor
from fcregistry_shell import shell_tools
jobs = Executor(shell_tools(".", approval=False))
words = ["sh", "-c", 'exec 3>"$0"; env -i setsid sh -c "setsid sleep 600 & exec sleep 600" & echo begun; exec sleep 600']
job = jobs.call("start_command", words=[*words, sys.argv[1]]).value.partition(" ")[0]
while "begun" not in jobs.call("read_output", job=job, wait=0.01).value["stdout"]:
    pass
{also}
print("ready", flush=True)
threading.Event().wait()
"""
ALSO = {
    "nothing": "",
    "a fork": """
import os
if not os.fork():
    sys.stdin.read()  # has all that the program has, until the test ends it
    os._exit(0)
""",
    "a stop": """
import os
from pathlib import Path
from signal import SIGSTOP
supervisor = int(Path(f"/proc/self/task/{os.getpid()}/children").read_text())
os.kill(supervisor, SIGSTOP)
os.waitid(os.P_PID, supervisor, os.WSTOPPED)
""",
}


@pytest.mark.parametrize("also", ALSO)
def test_a_killed_program_takes_its_commands_along(tmp_path: Path, also: str) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    host = subprocess.Popen(
        [sys.executable, "-c", HOST.replace("{also}", ALSO[also]), str(pipe)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=tmp_path,
    )
    try:
        with host:
            assert host.stdout is not None
            assert host.stdout.readline() == b"ready\n"
            host.kill()
            assert select([reading], [], [], 20)[0], "some process still has the other end"
        assert os.read(reading, 1) == b""
    finally:
        os.close(reading)


FORKS = """
import os, sys
from fcregistry import Executor
from fcregistry_shell import shell_tools
with shell_tools(".", approval=False) as tools:
    jobs = Executor(tools)
    jobs.call("start_command", words=["sleep", "600"])
    if not os.fork():
        {end}
    assert os.wait()[1] == 0
    print(jobs.call("read_output", job="job-1", wait=0.1).value["running"])
"""


@pytest.mark.parametrize("end", ["sys.exit()", "tools.close(); os._exit(0)"])
def test_a_fork_of_the_program_leaves_its_commands_alone(tmp_path: Path, end: str) -> None:
    code = FORKS.replace("{end}", end)
    assert subprocess.check_output([sys.executable, "-c", code], cwd=tmp_path, timeout=60) == b"True\n"


def test_a_command_that_kills_the_process_that_supervises_it_is_killed(attack: Attack, tmp_path: Path) -> None:
    pipes = [tmp_path / "begin", tmp_path / "end"]
    for pipe in pipes:
        os.mkfifo(pipe)
    reading = os.open(pipes[1], os.O_RDONLY | os.O_NONBLOCK)
    script = 'exec 3>"$1"; read line <"$0"; kill -KILL $PPID; exec sleep 600'
    try:
        ok, value = attack("start_command", {"words": ["sh", "-c", script, *map(str, pipes)]})
        assert ok
        pipes[0].write_text("begin\n")  # waits until the command reads it
        job = {"job": value.partition(" ")[0], "wait": 10}
        assert attack("read_output", job)[1] == {"running": False, "exit_code": None, "stdout": "", "stderr": ""}
        assert select([reading], [], [], 60)[0]
        assert os.read(reading, 1) == b""
    finally:
        os.close(reading)


@pytest.mark.parametrize("name", ["run_command", "start_command"])
@pytest.mark.parametrize("script", ["kill -STOP $PPID", 'setsid sh -c "kill -STOP $PPID; exec sleep 600"'])
def test_a_command_that_stops_the_process_that_supervises_it_is_killed(
    attack: Attack, tmp_path: Path, name: str, script: str
) -> None:
    """It is stopped before it can answer, or soon after that."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    words = ["sh", "-c", f'exec 3>"$0"; echo begun; {script}; exec sleep 600', str(pipe)]
    try:
        ok, value = attack(name, {"words": words}, timeout=0.5)
        assert ok
        if name == "start_command":
            job = {"job": value.partition(" ")[0]}
            assert attack("read_output", {**job, "wait": 0.2}, timeout=0.5)[1]["stdout"] == "begun\n"
            value = attack("stop_command", job, timeout=0.5)[1]
            assert not value["running"]
        else:
            assert value["note"] == "the command was killed: it ran longer than 0.5 seconds"
        assert os.read(reading, 1) == b"", "no process has the other end"
    finally:
        os.close(reading)


def test_a_command_that_stops_the_process_again_and_again_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_process, "_GRACE", 0.2)  # a private name: what is waited for in vain takes less time
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    script = 'exec 3>"$0"; (sleep 0.1; trap "" TERM; while :; do kill -STOP $PPID; done)'
    try:
        with shell_tools(tmp_path, approval=False, timeout=0.5) as tools:
            result = Executor(tools).call("run_command", words=["sh", "-c", script, str(pipe)])
        assert result.value["note"] == "the command was killed: it ran longer than 0.5 seconds"
        assert select([reading], [], [], 60)[0], "some process still has the other end"
        assert os.read(reading, 1) == b""
    finally:
        os.close(reading)


def test_a_command_has_its_streams_and_no_other_open_file(attack: Attack) -> None:
    ok, value = attack("run_command", {"words": ["ls", "/proc/self/fd"]})
    assert (ok, value["stdout"].split()) == (True, ["0", "1", "2", "3"])  # the last is the folder that ls reads


# --- Floods ---


@pytest.mark.parametrize(
    "script",
    [
        "yes",
        "yes >&2",
        "head -c 300000000 /dev/zero",
        "head -c 300000000 /dev/urandom",
        "yes | tr -d '\\n'",
        "while :; do echo $RANDOM; echo x >&2; done",
    ],
)
def test_a_flood_is_cut_in_its_middle(attack: Attack, script: str) -> None:
    ok, value = attack("run_command", {"words": ["sh", "-c", script]}, timeout=1.5, max_characters=1000)
    assert ok
    long = max(value["stdout"], value["stderr"], key=len)
    assert 1000 < len(long) < 1100
    assert "characters are left out here …]\n" in long


def test_input_that_the_command_does_not_read_delays_nothing(attack: Attack) -> None:
    ok, value = attack("run_command", {"words": ["true"], "stdin": "x" * 900_000})
    assert (ok, value["exit_code"]) == (True, 0)


def test_jobs_are_as_many_as_the_operator_allows(attack: Attack) -> None:
    for _ in range(2):
        assert attack("start_command", {"words": ["sleep", "54321.5"]}, max_jobs=2)[0]
    ok, content = attack("start_command", {"words": ["sleep", "54321.5"]}, max_jobs=2)
    assert not ok
    assert content.startswith(
        "2 commands are running in the background, and more are not allowed: stop one of job-1, job-2 first"
    )
    assert attack("stop_command", {"job": "job-1"}, max_jobs=2)[0]
    assert attack("start_command", {"words": ["true"]}, max_jobs=2)[0]


@pytest.mark.parametrize("job", ["job-1", "job-99", "", "../job-1", "1", "job-1\0"])
def test_a_job_of_others_is_not_known(attack: Attack, job: str) -> None:
    ok, content = attack("read_output", {"job": job}, max_jobs=3)
    assert not ok
    assert "there is no job" in content
