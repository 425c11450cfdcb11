"""Several servers as one toolset."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from fcregistry import Executor
from fcregistry.errors import DuplicateToolError

from fcregistry_mcp import McpError, McpServer, McpServers

from .conftest import LONG, Notes, until

BROKEN = McpServer.stdio(sys.executable, "-c", "import sys; sys.exit('no key')", name="broken")
MUTE = "import sys; open(sys.argv[1], 'w').close(); sys.stdin.read()"


def running(*names: str) -> list[str]:
    """Return the threads of servers of these names."""
    return [thread.name for thread in threading.enumerate() if thread.name.split()[-1] in names]


def test_every_tool_has_the_name_of_its_server_before_it(notes: Notes) -> None:
    with McpServers({"home": notes.server("one"), "work": notes.server("two")}) as servers:
        tools = servers.tools()
        assert sorted(name for name in tools if name.endswith("add")) == ["home_add", "work_add"]
        assert "work_ns_find" in tools
        executor = Executor(tools)
        assert executor.call("home_add", a=1, b=2).value == {"total": 3}
        assert executor.call("work_ns_find", word="a").ok
        assert servers.refused.keys() == {"home", "work"}
        assert servers.refused["home"].keys() == {"odd"}
    assert notes.asked() == [["add", {"a": 1, "b": 2}], ["ns.find", {"word": "a"}]]
    until(lambda: running("one", "two") == [])


def test_without_prefix_names_stay_and_equal_ones_are_an_error_with_both_servers(notes: Notes) -> None:
    both = {"home": notes.server("one"), "work": notes.server("two")}
    with McpServers(both, prefix=False) as servers:
        message = (
            r"'add' of the MCP server 'home' and 'add' of the MCP server 'work' are both 'add' here: pass prefix=True"
        )
        with pytest.raises(DuplicateToolError, match=message):
            servers.tools()
    with McpServers({"home": notes.server("one")}, prefix=False) as servers:
        assert "add" in servers.tools()


def test_names_that_become_equal_with_their_prefixes_are_an_error(notes: Notes) -> None:
    message = r"'a b' and .* 'a.b' are both 'a_b_add' here: give one of the servers another name"
    servers = McpServers({"a b": notes.server("one"), "a.b": notes.server("two")})
    with servers, pytest.raises(DuplicateToolError, match=message):
        servers.tools()


def test_a_name_that_is_too_long_with_its_prefix_keeps_digits_of_its_digest(notes: Notes) -> None:
    with McpServers({"n" * 70: notes.server("one")}) as servers:
        tools = servers.tools()
    assert len(tools) == 7
    assert {len(name) for name in tools} == {64}


def test_a_broken_server_costs_its_own_tools_and_is_reported(notes: Notes, caplog: pytest.LogCaptureFixture) -> None:
    good = {name: notes.server(name) for name in ("one", "two", "three")}
    with McpServers({"bad": BROKEN, **good}) as servers:
        assert servers.failed.keys() == {"bad"}
        assert isinstance(servers.failed["bad"], McpError)
        assert str(servers.failed["bad"]).endswith("its last lines: no key")
        tools = servers.tools()
        assert {name.partition("_")[0] for name in tools} == {"one", "two", "three"}
        assert Executor(tools).call("three_add", a=1, b=2).ok
    (logged,) = (each for each in caplog.messages if each.startswith("bad is left out"))
    assert logged == f"bad is left out: {servers.failed['bad']}"
    until(lambda: running("one", "two", "three", "broken") == [])


def test_a_server_that_dies_later_fails_its_own_calls_and_opens_again(notes: Notes) -> None:
    with McpServers({"one": notes.server("one"), "two": notes.server("two")}) as servers:
        executor = Executor(servers.tools())
        assert executor.call("one_die").error.code == "tool_failed"
        assert executor.call("two_add", a=1, b=2).ok
        assert Executor(servers.open().tools()).call("one_add", a=1, b=2).ok


MEETING = """
import pathlib, runpy, sys, time
here = pathlib.Path(sys.argv[1])
(here / sys.argv[2]).touch()
while len(list(here.iterdir())) < 3:
    time.sleep(0.01)
sys.argv = sys.argv[3:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def meeting(folder: Path, name: str) -> McpServer:
    """Return a server that does not answer before three have been started."""
    script = Path(__file__).with_name("notes_server.py")
    return McpServer.stdio(sys.executable, "-c", MEETING, str(folder), name, str(script), name=name, timeout=LONG)


@pytest.mark.parametrize("is_async", [False, True], ids=["with", "async with"])
def test_they_are_opened_at_the_same_time(tmp_path: Path, is_async: bool) -> None:
    servers = McpServers({name: meeting(tmp_path, name) for name in ("m1", "m2", "m3")})

    async def opened() -> int:
        async with servers:
            return len(servers.tools())

    if is_async:
        assert asyncio.run(opened()) == 21
    else:
        with servers:
            assert len(servers.tools()) == 21
    assert servers.failed == {}
    until(lambda: running("m1", "m2", "m3") == [])


def test_a_task_that_is_cancelled_while_they_open_leaves_nothing(notes: Notes, tmp_path: Path) -> None:
    mute = McpServer.stdio(sys.executable, "-c", MUTE, str(tmp_path / "begun"), name="mute", timeout=LONG)
    quick = notes.server("quick")
    servers = McpServers({"mute": mute, "quick": quick})

    async def opened() -> None:
        async with servers:
            raise AssertionError

    async def cancelled() -> None:
        task = asyncio.create_task(opened())
        await asyncio.to_thread(until, (tmp_path / "begun").exists)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())
    until(lambda: running("mute", "quick") == [])


@pytest.mark.parametrize("given", [{"a": "uvx"}, {1: BROKEN}])
def test_what_is_not_a_server_is_an_error(given: Any) -> None:
    with pytest.raises(TypeError, match="McpServers takes a mapping from names to servers, and"):
        McpServers(given)


def test_servers_that_were_not_opened_say_so(notes: Notes) -> None:
    with pytest.raises(McpError, match="is not open"):
        McpServers({"one": notes.server("one")}).tools()
    with McpServers({}) as none:
        assert len(none.tools()) == 0


REFUSING = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    error = {"code": -32000, "message": "bad \\x1b]0;title\\x07\\x1b[2J\\u202eevil\\nINFO a second\\r\\u2028line"}
    print(json.dumps({"jsonrpc": "2.0", "id": asked.get("id"), "error": error}), flush=True)
"""


def test_a_reason_that_a_server_gives_is_one_printable_line(caplog: pytest.LogCaptureFixture) -> None:
    with McpServers({"bad": McpServer.stdio(sys.executable, "-c", REFUSING, name="bad")}) as servers:
        assert str(servers.failed["bad"]) == (
            "the MCP server bad cannot be used: bad ]0;title[2Jevil INFO a second line"
        )
    assert f"bad is left out: {servers.failed['bad']}" in caplog.messages


CHANGED = """
import json, sys
lists = 0
for line in sys.stdin:
    asked = json.loads(line)
    answer = {"error": {"code": -32000, "message": "not now"}}
    if asked["method"] == "initialize":
        capabilities, version = {"tools": {"listChanged": True}}, asked["params"]["protocolVersion"]
        info = {"name": "changed", "version": "1"}
        answer = {"result": {"protocolVersion": version, "capabilities": capabilities, "serverInfo": info}}
    if asked["method"] == "tools/list":
        lists += 1
        if lists == 1:
            answer = {"result": {"tools": [{"name": "old", "inputSchema": {"type": "object"}}]}}
    if "id" in asked:
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **answer}), flush=True)
    if lists == 1:
        print(json.dumps({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}), flush=True)
"""


def test_a_server_that_does_not_list_its_tools_again_costs_its_own_tools(
    notes: Notes, caplog: pytest.LogCaptureFixture
) -> None:
    changed = McpServer.stdio(sys.executable, "-c", CHANGED, name="changed")
    with McpServers({"changed": changed, "one": notes.server("one")}) as servers:
        assert servers.failed == {}
        until(lambda: "changed_old" not in servers.tools())
        assert "one_add" in servers.tools()
        assert str(servers.failed["changed"]) == "the MCP server changed refuses the request: not now"
        changed.close()
        assert "one_add" in servers.tools()
    assert f"changed is left out: {servers.failed['changed']}" in caplog.messages


AT_EXIT = """
import atexit, sys
from fcregistry_mcp import McpServer, McpServers
servers = McpServers({name: McpServer.stdio(sys.executable, sys.argv[1], name=name) for name in ("one", "two")}).open()
atexit.register(servers.close)
"""


def test_they_are_closed_at_exit() -> None:
    script = Path(__file__).with_name("odd_server.py")
    command = [sys.executable, "-c", AT_EXIT, str(script)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LONG * 2, check=False)
    assert (done.returncode, done.stderr) == (0, "")
