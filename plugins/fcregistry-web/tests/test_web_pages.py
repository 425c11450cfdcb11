"""Pages that their parser takes long for, or needs much memory for, and the processes that convert pages."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

import pytest
from fcregistry import Executor
from web_servers import Replies, Server, html

from fcregistry_web import WebAccess, fetch_tool

T = TypeVar("T")

SLOW = "<p " + " ".join(f"a{number}" for number in range(90_000)) + ">"
"""It takes its parser more than ten seconds, without a look at a clock."""
LINUX = pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="looks for processes as Linux shows them")

PROGRAM = """
from fcregistry import Executor
from fcregistry_web import WebAccess, fetch_tool

print("begun", flush=True)
tool = fetch_tool(WebAccess(networks=["127.0.0.1"], timeout={timeout}))
print(Executor([tool]).run({{"name": "fetch_url", "arguments": {{"url": "{url}"}}}}).content, flush=True)
"""


async def fetch(url: str, seconds: float = 600) -> Any:
    tool = fetch_tool(WebAccess(networks=["127.0.0.1"], timeout=seconds))
    return await Executor([tool]).arun({"name": "fetch_url", "arguments": {"url": url}})


def run(work: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(work)


def workers(program: int | str = "self") -> list[int]:
    """Return the processes that convert pages for a program."""
    found = []
    for children in Path(f"/proc/{program}/task").glob("*/children"):
        for child in children.read_text().split():
            words = Path(f"/proc/{child}/cmdline")
            if words.exists() and b"_page_worker" in words.read_bytes():
                found.append(int(child))
    return found


def busy_worker(program: int) -> int:
    """Return the process that converts a page for a program, when it has begun to parse it."""
    return wait_for(lambda: next((each for each in workers(program) if seconds_of(each) > 1), 0))


def seconds_of(process: int) -> float:
    """Return the seconds of processor time that a process has used: importing the parser takes less than one."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def wait_for(look: Callable[[], T]) -> T:
    """Return what is seen as soon as it is true."""
    for _ in range(6_000):
        if found := look():
            return found
        time.sleep(0.01)
    raise AssertionError("it was never seen")


def has_ended(process: int) -> bool:
    return not Path(f"/proc/{process}").exists() or " Z " in Path(f"/proc/{process}/stat").read_text()


def test_a_page_that_takes_too_long_is_given_up_at_the_limit_of_the_call(server: Server, replies: Replies) -> None:
    replies |= {"/slow": html(SLOW), "/good": html("<p>good")}

    async def work() -> None:
        await fetch(f"{server.url}/good")  # from then on, the process is there
        result = await fetch(f"{server.url}/slow", seconds=0.5)
        assert result.content == (
            f"'{server.url}/slow' was read, but could not be converted in time: it is too complex, or made to be; try another page"
        )
        assert not result.error.retryable
        assert (await fetch(f"{server.url}/good")).ok

    run(work())


def test_good_pages_do_not_wait_for_pages_that_take_long(server: Server, replies: Replies) -> None:
    replies |= {"/slow": html(SLOW), "/good": html("<p>good")}

    async def work() -> None:
        slow = [asyncio.create_task(fetch(f"{server.url}/slow")) for _ in range(4)]
        while sum(path == "/slow" for _, path, _, _ in server.asked) < 4:
            await asyncio.sleep(0.01)
        results = await asyncio.gather(*[fetch(f"{server.url}/good") for _ in range(4)])
        assert all("good" in result.content for result in results)
        assert not any(task.done() for task in slow)
        for task in slow:
            task.cancel()
        await asyncio.gather(*slow, return_exceptions=True)

    run(work())


@LINUX
def test_a_call_that_is_cancelled_leaves_no_process_that_works_on(server: Server, replies: Replies) -> None:
    replies["/slow"] = html(SLOW)

    async def work() -> None:
        task = asyncio.create_task(fetch(f"{server.url}/slow"))
        process = await asyncio.to_thread(busy_worker, os.getpid())
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        assert task.cancelled()
        await asyncio.to_thread(wait_for, lambda: not Path(f"/proc/{process}").exists())  # not a zombie either

    run(work())


@LINUX
def test_a_page_that_ends_its_process_is_an_error_and_the_next_one_gets_another(
    server: Server, replies: Replies
) -> None:
    replies |= {"/slow": html(SLOW), "/good": html("<p>good")}

    async def work() -> None:
        task = asyncio.create_task(fetch(f"{server.url}/slow"))
        process = await asyncio.to_thread(busy_worker, os.getpid())
        os.kill(process, signal.SIGKILL)
        assert (await task).content == (
            f"'{server.url}/slow' ended the process that converts it, with signal 9: it is damaged, or made to do that"
        )
        assert (await fetch(f"{server.url}/good")).ok
        for each in workers():  # also one that waits
            os.kill(each, signal.SIGKILL)
        await asyncio.to_thread(wait_for, lambda: all(has_ended(each) for each in workers()))
        assert (await fetch(f"{server.url}/good")).ok

    run(work())


@LINUX
def test_a_page_that_needs_too_much_memory_is_an_error(server: Server, replies: Replies) -> None:
    """The links of a page are made absolute: here, each becomes 7,000 characters long."""
    folder = "/" + "a" * 7_000
    replies[f"{folder}/"] = html("<p>" + "<a href=b>b</a>" * 29_000)
    result = run(fetch(f"{server.url}{folder}/"))
    assert result.content.endswith(
        " was read, but needs too much memory to be converted: it is too complex, or made to be"
    )


@LINUX
def test_a_program_that_is_interrupted_takes_its_processes_with_it(server: Server, replies: Replies) -> None:
    replies["/slow"] = html(SLOW)
    code = PROGRAM.format(url=f"{server.url}/slow", timeout=600)
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as program:
        process = busy_worker(program.pid)
        program.send_signal(signal.SIGINT)
        _, errors = program.communicate(timeout=100)
        assert program.returncode == -signal.SIGINT
        assert errors.endswith(b"KeyboardInterrupt\n")
        wait_for(lambda: has_ended(process))


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no timer that ends a process")
def test_a_process_whose_program_was_killed_ends_when_the_time_is_over() -> None:
    page = SLOW.encode()
    request = {"url": "", "charset": None, "form": "text", "start": 0, "most": 9, "memory": 2**29, "seconds": 0.5}
    code = "from fcregistry_web._page_worker import main; main()"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        process.stdin.write(json.dumps({**request, "size": len(page)}).encode() + b"\n" + page)
        process.stdin.flush()
        assert process.wait(100) == -signal.SIGALRM


def test_a_program_ends_while_a_page_is_converted(server: Server, replies: Replies) -> None:
    replies |= {"/slow": html(SLOW), "/good": html("<p>good")}
    begin = PROGRAM.format(url=f"{server.url}/slow", timeout=600)
    code = f"""
import threading
threading.Thread(target=exec, args=({begin!r},), daemon=True).start()
{PROGRAM.format(url=f"{server.url}/good", timeout=600)}"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100, check=True)
    assert "good" in ran.stdout
    assert ran.stderr == ""


def test_the_process_runs_no_code_of_the_program_or_its_folder(
    server: Server, replies: Replies, tmp_path: Path
) -> None:
    replies["/good"] = html("<p>good")
    for name in ("lxml", "trafilatura", "justext"):
        (tmp_path / f"{name}.py").write_text("import pathlib; pathlib.Path('was_imported').touch()")
    program = "import sys; sys.path.insert(0, '')\n" + PROGRAM.format(url=f"{server.url}/good", timeout=60)
    (tmp_path / "program.py").write_text(program)
    command = [sys.executable, "program.py"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=100, check=True)
    assert ran.stdout.count("begun") == 1
    assert "good" in ran.stdout
    assert not (tmp_path / "was_imported").exists()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_forked_program_has_processes_of_its_own(server: Server, replies: Replies) -> None:
    replies["/good"] = html("<p>good")
    code = f"""
import os, warnings
warnings.simplefilter("ignore", DeprecationWarning)  # of forks beside threads
from fcregistry import Executor
from fcregistry_web import WebAccess, fetch_tool

executor = Executor([fetch_tool(WebAccess(networks=["127.0.0.1"]))])
def fetch():
    return executor.run({{"name": "fetch_url", "arguments": {{"url": "{server.url}/good"}}}}).ok
assert fetch()
child = os.fork()
if not child:
    os._exit(0 if fetch() else 1)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
assert fetch()
print("done")
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100, check=True)
    assert (ran.stdout, ran.stderr) == ("done\n", "")
