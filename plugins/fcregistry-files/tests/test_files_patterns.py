"""A model's pattern is compiled and searched in a process of its own, which is limited, kept, and killed when the time is over."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from queue import Queue
from typing import Any

import pytest
from fcregistry import Executor, ToolCall
from fcregistry.execution import CancellationToken

from fcregistry_files import file_tools

POPEN = subprocess.Popen
SLOW = "^(a|a)*$"
"""Takes exponential time in the line that `slow_file` writes."""

needs_memory_limit = pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the memory of a process")
posix = pytest.mark.skipif(sys.platform == "win32", reason="signals and forks of POSIX systems")


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> Queue[subprocess.Popen[bytes]]:
    """The processes that searches start. Without a path, there is no ripgrep among them."""
    processes: Queue[subprocess.Popen[bytes]] = Queue()
    original = subprocess.Popen

    def start(*arguments: Any, **options: Any) -> subprocess.Popen[bytes]:
        processes.put(original(*arguments, **options))
        return processes.queue[-1]

    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(subprocess, "Popen", start)
    return processes


def slow_file(place: Any, name: str = "slow.txt") -> None:
    place.write(name, "a" * 40 + "b")


def search(place: Any, pattern: str, seconds: float = 60, **arguments: Any) -> Any:
    return Executor(file_tools(place.root, search_seconds=seconds)).call("search_files", pattern=pattern, **arguments)


def run_code(code: str, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-X", "dev", "-W", "error", "-c", code, *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


# --- What a pattern may take ---


@needs_memory_limit
@pytest.mark.parametrize(
    "pattern", ["(?:(?:a{000000001000000000}b){000000001000000000})x", "(?:a?b?){000000001000000}"]
)
def test_a_pattern_that_needs_too_much_memory_is_refused(place: Any, pattern: str) -> None:
    place.write("a.txt")
    assert search(place, pattern).content == (
        "the search was stopped because the pattern needs too much memory, before the first file: "
        "use a simpler pattern, or fewer files"
    )


@needs_memory_limit
def test_a_search_that_needs_too_much_memory_is_stopped(place: Any) -> None:
    place.write("a.txt", "here\n")
    place.write("b.txt", "ccc\n")
    assert search(place, "(?=c)(?:a|(?R))*b|here", path="b.txt").content == (
        "the search was stopped because the pattern needs too much memory, at 'b.txt': "
        "use a simpler pattern, or fewer files"
    )
    result = search(place, "(?=c)(?:a|(?R))*b|here").unwrap()
    assert [each.path for each in result.matches] == ["a.txt"]
    assert "because the pattern needs too much memory, at 'b.txt': this is what was found before" in result.note


def test_numbers_in_braces_are_limited_by_what_they_take_alone(place: Any) -> None:
    place.write("a.txt", "a" * 200 + "b" * 200)
    assert len(search(place, "^a{200}b{200}$").unwrap().matches) == 1


def test_a_pattern_that_is_not_one_is_explained(place: Any, started: Queue[Any]) -> None:
    for pattern in ("a(", "(" * 999, r"\L<name>", "(?V0)(?V1)a", "[z-a]", "a{2,1}"):
        assert f"the pattern '{pattern[:20]}" in (content := search(place, pattern).content)
        assert "is not a regular expression" in content
    assert started.qsize() <= 1


# --- The limit of time ---


def test_what_was_found_before_the_limit_is_returned(place: Any) -> None:
    place.write("a.txt", "aaa\n")
    place.write("b.txt", "aaa\nabc\naa\n")
    slow_file(place, "c.txt")
    place.write("d.txt", "aaa\n")
    assert search(place, "a").ok, "the process has started"
    result = search(place, SLOW, seconds=1.5).unwrap()
    assert [(each.path, each.line) for each in result.matches] == [("a.txt", 1), ("b.txt", 1), ("b.txt", 3)]
    assert result.note == (
        "The search was stopped after 1.5 seconds, at 'c.txt': this is what was found before. "
        "Use a simpler pattern, or fewer files."
    )


def test_many_files_are_found_until_the_limit(place: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(30):
        place.write(f"{number:02}.txt")
    executor = Executor(file_tools(place.root, search_seconds=10))
    clock = count()
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    result = executor.call("find_files", pattern="*.txt").unwrap()
    assert result.paths == [f"{number:02}.txt" for number in range(10)]
    assert result.note == (
        "The search was stopped after 10 seconds, at '10.txt': this is what was found before. "
        "Use a simpler pattern, or fewer files."
    )
    assert executor.call("find_files", pattern="*.csv").content == (
        "the search was stopped after 10 seconds, at '10.txt': use a simpler pattern, or fewer files"
    )


def test_a_search_waits_for_others_within_its_own_time(place: Any) -> None:
    slow_file(place)
    executor, token = Executor(file_tools(place.root, search_seconds=60)), CancellationToken()
    call = ToolCall("search_files", {"pattern": SLOW})
    with ThreadPoolExecutor(2) as threads:
        busy = [threads.submit(executor.run, call, cancellation=token) for _ in range(2)]
        try:
            while (result := search(place, "a", seconds=0.01)).ok or "other searches" not in result.content:
                assert not any(each.done() for each in busy)
        finally:
            token.cancel("enough")
        assert result.content == "other searches took all of the 0.01 seconds; try again"
        assert result.error.retryable
        errors = [each.result().error for each in busy]
    assert [error and error.code for error in errors] == ["cancelled", "cancelled"]
    assert len(search(place, "a").unwrap().matches) == 1


# --- The processes ---


def test_one_process_serves_one_search_after_the_other(place: Any, started: Queue[subprocess.Popen[bytes]]) -> None:
    slow_file(place)
    for pattern in ("a", "a(", "ab$", "[^ab]", SLOW[:-1]):
        search(place, pattern)
    assert started.qsize() <= 1, "none, if an earlier test has started it"
    assert "after 0.2 seconds" in search(place, SLOW, seconds=0.2).content
    before = started.qsize()
    for pattern in ("a", "ab$"):
        assert len(search(place, pattern).unwrap().matches) == 1
    assert started.qsize() == before + 1
    process = started.queue[-1]
    process.kill()
    process.wait()
    assert len(search(place, "a").unwrap().matches) == 1, "another one is started for one that has died"


def test_a_process_that_is_killed_after_its_last_answer_is_not_used_again(
    place: Any, started: Queue[subprocess.Popen[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Late(threading.Timer):
        """Fires at the last moment, with a signal that has not arrived when the next search begins."""

        def cancel(self) -> None:
            with monkeypatch.context() as patch:
                patch.setattr(POPEN, "kill", lambda process: None)
                self.function()
            super().cancel()

    slow_file(place)
    assert search(place, "a").ok
    before = started.qsize()
    monkeypatch.setattr("fcregistry_files._pattern_pool.Timer", Late)
    for _ in range(3):
        assert len(search(place, "a").unwrap().matches) == 1
    assert started.qsize() == before + 2, "the first of these searches has the process that was there"


def test_threads_search_at_once_with_few_processes(place: Any, started: Queue[subprocess.Popen[bytes]]) -> None:
    for number in range(20):
        place.write(f"{number}.txt", f"text {number}\n")
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda number: search(place, f" {number}$").unwrap().matches, range(20)))
    assert [[each.path for each in matches] for matches in found] == [[f"{number}.txt"] for number in range(20)]
    assert started.qsize() <= 2


@posix
def test_a_process_that_cannot_start_or_ends_gives_a_clear_error(
    place: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = """
import json, multiprocessing, sys
from fcregistry import Executor
from fcregistry_files import file_tools
executor = Executor(file_tools(sys.argv[1]))
contents = []
for path in sys.argv[2:]:
    sys.frozen = path == sys.executable
    multiprocessing.set_executable(path)
    contents.append(executor.call("search_files", pattern="a").content)
print(json.dumps(contents))
"""
    ends = tmp_path / "ends"
    ends.write_text("#!/bin/sh\nread line\nexit 7\n")
    ends.chmod(0o700)
    done = run_code(code, tmp_path, str(place.root), str(tmp_path / "missing"), sys.executable, str(ends))
    assert done.stderr == ""
    missing, frozen, ended = json.loads(done.stdout)
    assert missing == (
        "the process that searches cannot be started: No such file or directory. Files can still be found and read."
    )
    assert frozen == (
        "the process that searches cannot be started: the path of Python is not known; "
        "the application can set it by multiprocessing.set_executable. Files can still be found and read."
    )
    assert ended == (
        "the search was stopped because the process that searches has ended, with exit code 7, before the first file: "
        "use a simpler pattern, or fewer files"
    )


@posix
def test_a_forked_program_has_processes_of_its_own(place: Any) -> None:
    place.write("a.txt")
    code = """
import os, sys, warnings
from fcregistry import Executor
from fcregistry_files import file_tools
def search():
    return len(Executor(file_tools(sys.argv[1])).call("search_files", pattern="inside").unwrap().matches)
assert search() == 1
warnings.simplefilter("ignore", DeprecationWarning)  # of a fork where there are threads
child = os.fork()
if child == 0:
    for _ in range(3):
        assert search() == 1
    sys.exit(5)
for _ in range(3):
    assert search() == 1
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 5
assert search() == 1
"""
    done = run_code(code, place.outside, str(place.root))
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(sys.platform != "linux", reason="reads the processor time of a process from /proc")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_search_ends_with_its_program(place: Any, number: signal.Signals) -> None:
    """Also one that does not see that its program was killed, because it is in the middle of a line."""
    slow_file(place)
    code = """
import subprocess, sys
from fcregistry import Executor
from fcregistry_files import file_tools
original = subprocess.Popen
def start(*arguments, **options):
    process = original(*arguments, **options)
    print(process.pid, flush=True)
    return process
subprocess.Popen = start
Executor(file_tools(sys.argv[1], search_seconds=float(sys.argv[3]))).call("search_files", pattern=sys.argv[2])
"""
    seconds = "1e6" if number == signal.SIGINT else "2"
    command = [sys.executable, "-c", code, str(place.root), SLOW, seconds]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        assert program.stderr is not None
        status = Path(f"/proc/{int(program.stdout.readline())}/stat")
        while 0 <= _processor_time(status) < 0.3:  # then it is past its start
            time.sleep(0.01)
        program.send_signal(number)
        assert program.stderr.read().endswith("KeyboardInterrupt\n" if number == signal.SIGINT else "")
    assert program.returncode == -number
    while _processor_time(status) >= 0:  # it is still there
        time.sleep(0.01)


def _processor_time(status: Path) -> float:
    """Return the seconds that a process has used; -1 if it has ended."""
    try:
        state, *numbers = status.read_text().rpartition(")")[2].split()
    except OSError:
        return -1
    return -1 if state == "Z" else int(numbers[10]) / os.sysconf("SC_CLK_TCK")


def test_a_process_does_not_import_what_a_model_has_written(tmp_path: Path) -> None:
    """The program's own path begins with its working folder, in which the model writes."""
    code = """
import os, sys
from fcregistry import Executor
from fcregistry_files import file_tools
executor = Executor(file_tools(os.getcwd(), write=True))
for name in ("regex.py", "json.py", "mmap.py", "fcregistry_files.py", "sitecustomize.py", "io.py"):
    executor.call("write_file", path=name, content="open('imported', 'w')").unwrap()
os.environ["PYTHONPATH"] = os.getcwd()
assert executor.call("search_files", pattern="imported").ok
"""
    done = run_code(code, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert not (tmp_path / "imported").exists()


def test_a_program_without_a_guard_is_not_run_again(tmp_path: Path) -> None:
    """A process that `multiprocessing` starts imports the program's main module."""
    (tmp_path / "program.py").write_text(
        "from fcregistry import Executor\n"
        "from fcregistry_files import file_tools\n"
        "print(len(Executor(file_tools('.')).call('search_files', pattern='print').unwrap().matches))\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "program.py"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("1\n", "")
