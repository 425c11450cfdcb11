"""How a connection begins and ends, and what happens to calls meanwhile."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import subprocess
import sys
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from fcregistry import Executor
from fcregistry.errors import FcregistryError
from fcregistry.execution import CancellationToken, Progress

from fcregistry_mcp import McpError, McpServer, _response_body

from .conftest import LONG, SERVER, Notes, free_port, is_reachable, until

ADD = {"name": "add", "arguments": {"a": 1, "b": 2}}
WAIT = {"name": "wait", "arguments": {}}


# --- asking -------------------------------------------------------------------------------------------


def test_calls_come_from_threads_and_loops_at_once(server: McpServer) -> None:
    executor = Executor(server.tools(), max_concurrency=20)

    async def many() -> list[Any]:
        return await executor.arun_all([ADD] * 20)

    assert all(result.ok for result in executor.run_all([ADD] * 20))
    for _ in range(2):  # on a loop of its own each time
        assert all(result.ok for result in asyncio.run(many()))


def test_progress_is_reported(server: McpServer) -> None:
    events = Executor(server.tools()).stream(WAIT)
    assert next(events) == Progress(fraction=0.25, message="a quarter")
    assert next(events) == Progress(fraction=1.0, message="more than all")
    events.close()


def test_a_call_that_was_cancelled_before_is_not_sent(notes: Notes) -> None:
    token = CancellationToken()
    token.cancel("no more")
    with notes.server() as server:
        result = Executor(server.tools()).run(WAIT, cancellation=token)
    assert (result.error.code, notes.asked()) == ("cancelled", [])


def test_the_server_learns_of_calls_that_are_given_up(notes: Notes) -> None:
    with notes.server() as server:
        executor = Executor(server.tools())

        async def cancelled() -> None:
            task = asyncio.create_task(executor.arun(WAIT))
            await asyncio.to_thread(until, lambda: notes.asked() == [["wait", {}]])
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

        asyncio.run(cancelled())
        until(lambda: notes.asked() == [["wait", {}], ["cancelled", None]])
        late = Executor(server.tools(), timeout=0.2).run(WAIT)
        assert late.error.code == "timeout"
        until(lambda: notes.asked()[2:] == [["wait", {}], ["cancelled", None]])
        assert executor.run(ADD).ok


# --- the end ------------------------------------------------------------------------------------------


def test_a_server_that_dies_fails_its_calls_and_no_others(server: McpServer, notes: Notes) -> None:
    with notes.server("mortal") as mortal:
        tools = [*mortal.tools(["die", "wait"]).values(), *server.tools(["add"]).values()]
        executor = Executor(tools)
        calls = [{"name": "wait", "arguments": {}}, {"name": "die", "arguments": {}}, ADD]
        waiting, dying, adding = executor.run_all(calls)
        assert [waiting.error.code, dying.error.code, adding.value] == ["tool_failed", "tool_failed", {"total": 3}]
        assert dying.content == "the MCP server mortal has closed the connection"
        assert executor.run(calls[0]).content == "the MCP server mortal has closed the connection"
        assert executor.run(ADD).ok


def test_a_tool_of_a_server_that_was_closed_says_so(notes: Notes) -> None:
    with notes.server() as server:
        executor = Executor(server.tools())
    result = executor.run(ADD)
    assert (result.error.code, result.content) == ("tool_failed", "the MCP server notes is not connected")


def test_calls_that_wait_when_it_is_closed_come_back(notes: Notes) -> None:
    server = notes.server().open()
    executor = Executor(server.tools())
    results: list[Any] = []
    thread = threading.Thread(target=lambda: results.append(executor.run(WAIT)))
    thread.start()
    until(lambda: notes.asked() == [["wait", {}]])
    server.close()
    thread.join(LONG)
    assert [result.error.code for result in results] == ["tool_failed"]


def test_it_may_be_opened_and_closed_again_and_again(notes: Notes) -> None:
    server = notes.server()
    with pytest.raises(McpError, match="<McpServer notes> is not open: use it in a `with` block"):
        server.tools()
    for _ in range(2):
        assert server.open() is server.open()
        assert Executor(server.tools()).run(ADD).ok
        server.close()
        server.close()


def ended(pid: Path) -> bool:
    try:
        os.kill(int(pid.read_text()), 0)
    except ProcessLookupError:
        return True
    return False


def threads_of(name: str) -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name.endswith(f" {name}")]


def test_a_dropped_server_ends_with_the_last_of_its_tools(notes: Notes, tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    server = notes.server("dropped", env={"NOTES_PID": str(pid)}).open()
    tools = server.tools(["add"])
    del server
    gc.collect()
    assert len(threads_of("dropped")) == 2
    assert Executor(tools).run(ADD).ok
    del tools
    gc.collect()
    until(lambda: ended(pid))
    until(lambda: threads_of("dropped") == [])


def test_to_open_a_server_that_is_gone_starts_it_again(notes: Notes) -> None:
    server = notes.server("mortal").open()
    gone = Executor(server.tools())
    assert gone.call("die").error.code == "tool_failed"
    assert Executor(server.open().tools()).run(ADD).value == {"total": 3}
    assert gone.run(ADD).value == {"total": 3}
    assert Executor(server.tools()).call("die").error.code == "tool_failed"

    async def opened() -> Any:
        async with server:
            return await Executor(server.tools()).arun(ADD)

    assert asyncio.run(opened()).ok
    until(lambda: threads_of("mortal") == [])


def test_tools_work_again_after_their_server_is_opened_again(notes: Notes) -> None:
    server = notes.server("again").open()
    executor = Executor(server.tools())
    server.close()
    assert executor.run(ADD).content == "the MCP server again is not connected"
    with server:
        assert executor.run(ADD).value == {"total": 3}
    assert executor.run(ADD).content == "the MCP server again is not connected"
    until(lambda: threads_of("again") == [])


def test_a_tool_that_is_another_after_its_server_is_opened_again_is_not_called(tmp_path: Path) -> None:
    script, asked = tmp_path / "notes_server.py", Notes(tmp_path / "asked")
    text = SERVER.read_text(encoding="utf-8")
    script.write_text(text, encoding="utf-8")
    server = McpServer.stdio(sys.executable, str(script), name="other", env={"NOTES_LOG": str(asked.log)})
    with server:
        executor = Executor(server.tools())
    script.write_text(text.replace("Add two numbers.", "Delete two numbers."), encoding="utf-8")
    with server:
        changed = executor.run(ADD)
        assert (changed.error.code, "schema_changed" in changed.content, asked.asked()) == ("unavailable", True, [])
        assert executor.call("show", what="two").ok


def test_to_open_a_server_that_cannot_be_started_again_says_why(tmp_path: Path) -> None:
    script = tmp_path / "notes_server.py"
    script.write_text(SERVER.read_text(encoding="utf-8"), encoding="utf-8")
    server = McpServer.stdio(sys.executable, str(script), name="mortal").open()
    assert Executor(server.tools()).call("die").error.code == "tool_failed"
    script.unlink()
    with pytest.raises(McpError, match=r"the MCP server mortal cannot be used: .*No such file"):
        server.open()


def test_threads_that_open_it_at_once_open_one(notes: Notes) -> None:
    server = notes.server()
    connections: list[object] = []
    threads = [threading.Thread(target=lambda: connections.append(server.open()._link.current)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LONG)
    server.close()
    assert len(connections) == 4
    assert len(set(map(id, connections))) == 1


def test_closing_it_ends_its_opening(tmp_path: Path) -> None:
    mute = McpServer.stdio(sys.executable, "-c", MUTE, str(tmp_path / "begun"), name="mute", timeout=LONG)
    raised: list[BaseException] = []

    def opens() -> None:
        try:
            mute.open()
        except McpError as error:
            raised.append(error)

    thread = threading.Thread(target=opens)
    thread.start()
    until((tmp_path / "begun").exists)
    mute.close()
    thread.join(LONG / 3)  # and not as long as opening may take
    assert not thread.is_alive()
    assert str(raised[0]).startswith("the MCP server mute cannot be used: ")


MUTE = "import sys; open(sys.argv[1], 'w').close(); sys.stdin.read()"


def test_a_task_that_is_cancelled_while_it_opens_leaves_nothing(tmp_path: Path) -> None:
    mute = McpServer.stdio(sys.executable, "-c", MUTE, str(tmp_path / "begun"), name="mute", timeout=LONG)

    async def opened() -> None:
        async with mute:
            raise AssertionError

    async def cancelled() -> None:
        task = asyncio.create_task(opened())
        await asyncio.to_thread(until, (tmp_path / "begun").exists)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())
    until(lambda: not any(thread.name == "MCP server mute" for thread in threading.enumerate()))


def test_async_code_opens_it_without_blocking_its_loop(notes: Notes) -> None:
    async def opened() -> Any:
        async with notes.server() as server:
            return await Executor(server.tools()).arun(ADD)

    assert asyncio.run(opened()).value == {"total": 3}


PROGRAM = f"""
import os, signal, sys
from fcregistry import Executor
from fcregistry_mcp import McpServer

server = McpServer.stdio(sys.executable, {str(SERVER)!r}, name="notes", env={{"NOTES_PID": sys.argv[1]}}).open()
print(Executor(server.tools()).call("add", a=1, b=2).content, flush=True)
if sys.argv[2:]:
    os.kill(os.getpid(), signal.SIGINT)
    Executor(server.tools()).call("wait")
"""


@pytest.mark.parametrize("interrupted", [[], ["interrupted"]], ids=["at its end", "interrupted"])
def test_a_program_ends_and_its_server_with_it(tmp_path: Path, interrupted: list[str]) -> None:
    """Also one that does not end when its input does."""
    pid = tmp_path / "pid"
    command = [sys.executable, "-W", "error", "-c", PROGRAM, str(pid), *interrupted]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LONG, check=False)
    assert (done.stdout, "KeyboardInterrupt" in done.stderr) == ("3\n", bool(interrupted))
    assert interrupted or (done.returncode, done.stderr) == (0, "")
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text()), 0)


# --- what cannot be had -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (["no-such-program-anywhere"], r"cannot be used: .*No such file or directory: 'no-such-program-anywhere'"),
        (["-c", "import sys; print('I want a\\x1b[31m key', file=sys.stderr)"], r"its last lines: I want a\[31m key"),
        (["-c", "print('hello')"], r"closed; it sent text that is not a message of the protocol: hello$"),
    ],
    ids=["no program", "one that says why", "one that speaks otherwise"],
)
def test_a_program_that_is_not_a_server_is_an_error_that_says_why(command: list[str], says: str) -> None:
    words = command if len(command) == 1 else [sys.executable, *command]
    with pytest.raises(McpError, match=says) as raised:
        McpServer.stdio(*words, name="odd").open()
    assert str(raised.value).startswith("the MCP server odd cannot be used: ")
    assert raised.value.server == "odd"
    assert isinstance(raised.value, (FcregistryError, ConnectionError))


def test_what_a_program_prints_in_place_of_messages_is_in_the_error() -> None:
    program = "import sys; print('Welcome hush-hush', flush=True); print('\\n[1]', flush=True); sys.stdin.read()"
    shell = McpServer.stdio(sys.executable, "-c", program, name="shell", env={"A_KEY": "hush-hush"}, timeout=1)
    with pytest.raises(McpError) as raised:
        shell.open()
    assert str(raised.value).startswith(
        "the MCP server shell cannot be used: it did not answer within 1 second: check that it is an MCP server, or pass a longer "
        "timeout; it sent text that is not a message of the protocol: Welcome … / [1] ("
    )


def test_a_program_that_prints_without_end_is_not_waited_for() -> None:
    program = "while True: print('yes', flush=True)"
    with pytest.raises(McpError) as raised:
        McpServer.stdio(sys.executable, "-c", program, name="yes", timeout=1000 * LONG).open()
    assert str(raised.value) == (
        "the MCP server yes cannot be used: Connection closed; it sent text that is not a message of the protocol: yes"
    )


def test_secrets_of_its_environment_are_hidden_in_its_last_lines() -> None:
    program = "import os, sys; sys.exit('no such key: ' + os.environ['NOTES_KEY'] + ' in ' + os.environ['NOTES_PLACE'])"
    env = {"NOTES_KEY": "hush-hush", "NOTES_PLACE": "the drawer"}
    with pytest.raises(McpError, match=r"its last lines: no such key: … in the drawer$"):
        McpServer.stdio(sys.executable, "-c", program, name="odd", env=env).open()


def test_a_server_that_does_not_answer_is_not_waited_for(tmp_path: Path) -> None:
    waits = McpServer.stdio(sys.executable, "-c", "import sys; sys.stdin.read()", name="mute", timeout=0.3)
    with pytest.raises(McpError, match=r"mute cannot be used: it did not answer within 0\.3 seconds"):
        waits.open()

    async def opened() -> None:
        async with waits:
            raise AssertionError

    with pytest.raises(McpError, match="did not answer"):
        asyncio.run(opened())


# --- over HTTP ----------------------------------------------------------------------------------------


def test_a_server_is_reached_over_http(tmp_path: Path) -> None:
    port = free_port()
    url = f"http://127.0.0.1:{port}/mcp"
    with pytest.raises(McpError, match=rf"the MCP server 127.0.0.1:{port} cannot be used: "):
        McpServer.http(url).open()
    log = tmp_path / "asked"
    running = subprocess.Popen(
        [sys.executable, str(SERVER), str(port)], env={"NOTES_LOG": str(log)}, stderr=subprocess.PIPE
    )
    try:
        until(lambda: is_reachable(port))
        with McpServer.http(url, headers={"X-Key": "k"}) as server:
            executor = Executor(server.tools())
            assert executor.run(ADD).value == {"total": 3}
            assert executor.call("fetch", url="a").content == "there is no page a"
            assert Executor(server.tools(), timeout=0.2).run(WAIT).error.code == "timeout"
            until(lambda: ["cancelled", None] in [json.loads(line) for line in log.read_text().splitlines()])
            running.kill()
            running.wait(LONG)
            lost = executor.run(ADD)
            assert (lost.error.code, lost.content[:30]) == ("tool_failed", f"the MCP server 127.0.0.1:{port}"[:30])
    finally:
        running.kill()
        running.communicate()


@pytest.mark.parametrize(
    "url", ["", 5, "tools.example/mcp", "file:///etc/passwd", "http://", "ftp://me:hush@tools.example"]
)
def test_a_url_that_is_not_http_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match=r"McpServer.http takes an HTTP URL") as raised:
        McpServer.http(url)
    assert "hush" not in str(raised.value)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (
            lambda: McpServer.stdio(["python", "x.py"]),  # type: ignore[arg-type]
            'one by one, as in McpServer.stdio("python", "server.py"); put a * before the list',
        ),
        (lambda: McpServer.stdio("python", Path("x.py")), "as texts: write str(…) for PosixPath('x.py')"),  # type: ignore[arg-type]
        (
            lambda: McpServer.stdio("python", env={"X_KEY": 123}),  # type: ignore[dict-item]
            "env takes texts, and 'X_KEY' is a value of the type int: write str(…)",
        ),
        (
            lambda: McpServer.stdio("python", env={"X_KEY": os.environ.get("NO_SUCH_KEY")}),  # type: ignore[dict-item]
            "env takes texts, and 'X_KEY' is None: leave it out, or set the variable that it is read from",
        ),
        (lambda: McpServer.stdio("python", env={1: "a"}), "and a name is 1"),  # type: ignore[dict-item]
        (
            lambda: McpServer.stdio("python", env=["A=1"]),  # type: ignore[arg-type]
            "env takes a mapping from names to texts, not a value of the type list",
        ),
        (
            lambda: McpServer.http("http://127.0.0.1/mcp", headers={"Authorization": None}),  # type: ignore[dict-item]
            "headers takes texts, and 'Authorization' is None",
        ),
        (lambda: McpServer.stdio("python", timeout="3"), "timeout takes a number of seconds, not '3'"),  # type: ignore[arg-type]
    ],
)
def test_what_is_not_a_text_is_an_error_when_the_server_is_made(make: Any, says: str) -> None:
    with pytest.raises(TypeError) as raised:
        make()
    assert says in str(raised.value)
    assert "123" not in str(raised.value)


@pytest.mark.parametrize("timeout", [0, -1, float("nan")])
def test_a_limit_that_is_not_positive_is_an_error_when_the_server_is_made(timeout: float) -> None:
    with pytest.raises(ValueError, match="timeout takes a positive number of seconds, not "):
        McpServer.http("http://127.0.0.1/mcp", timeout=timeout)


@pytest.mark.parametrize("kind", ["application/json", "text/event-stream"])
def test_no_more_of_an_answer_over_http_is_read_than_the_limit(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class Endless(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.end_headers()
            with suppress(OSError):  # the client has gone
                while True:
                    self.wfile.write(b"data: " + b"a" * 10_000)

        def log_message(self, *words: object) -> None:
            """Say nothing."""

    monkeypatch.setattr(_response_body, "MOST_BYTES", 1_000_000)
    with ThreadingHTTPServer(("127.0.0.1", 0), Endless) as endless:
        thread = threading.Thread(target=endless.serve_forever, args=(0.01,))
        thread.start()
        try:
            with pytest.raises(McpError, match=r"cannot be used: (?!it did not answer)"):
                McpServer.http(f"http://127.0.0.1:{endless.server_port}/mcp", timeout=LONG).open()
        finally:
            endless.shutdown()
            thread.join(LONG)


def test_the_error_has_the_status_that_a_server_answers() -> None:
    class Refusing(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(401)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *words: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Refusing) as refusing:
        thread = threading.Thread(target=refusing.serve_forever, args=(0.01,))
        thread.start()
        try:
            with pytest.raises(McpError, match=r"cannot be used: .*; it answered HTTP 401$"):
                McpServer.http(f"http://127.0.0.1:{refusing.server_port}/mcp").open()
        finally:
            refusing.shutdown()
            thread.join(LONG)
