"""Tools that a server changes while it is open."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from fcregistry import Executor, ReactAgent

from fcregistry_mcp import McpError, McpServer

from .conftest import Notes, free_port, is_reachable, until

SERVER = Path(__file__).with_name("changing_server.py")


@pytest.fixture
def server(notes: Notes) -> Iterator[McpServer]:
    env = {"NOTES_LOG": str(notes.log)}
    with McpServer.stdio(sys.executable, str(SERVER), name="changing", env=env) as opened:
        yield opened


def test_refresh_renews_what_tools_returns_next(server: McpServer, notes: Notes) -> None:
    old = server.tools()
    Executor(old).call("change", how="add")
    assert list(server.tools()) == ["change", "read", "same"]
    assert list(server.refresh().tools()) == ["change", "new", "read", "same"]
    assert list(old) == ["change", "read", "same"]
    assert asyncio.run(server.arefresh()) is server
    assert notes.asked() == ["list", "change", "list", "list"]


def test_a_server_that_says_that_its_tools_changed_is_asked_before_the_next(server: McpServer, notes: Notes) -> None:
    executor = Executor(server.tools())
    executor.call("change", how="add 1")
    until(lambda: "new" in server.tools())
    assert Executor(server.tools()).call("new").content == "done"
    assert notes.asked().count("list") == 2


@pytest.mark.parametrize("change", ["describe", "require", "hint", "remove", "break"])
@pytest.mark.parametrize("is_told", [False, True], ids=["refreshed", "told"])
def test_a_call_of_a_tool_that_changed_does_not_run(
    server: McpServer, notes: Notes, change: str, is_told: bool
) -> None:
    executor = Executor(server.tools())
    definition = executor.describe("mcp")
    assert executor.call("read", how="a").content == "done"
    executor.call("change", how=f"{change} {int(is_told)}")
    if is_told:
        until(lambda: executor.call("read", how="a").error is not None)
    else:
        server.refresh()
    before = notes.asked().count("read")
    result = executor.call("read", how="a")
    assert (result.error.code, "(schema_changed)" in result.content) == ("unavailable", True)
    assert result.content == (
        "the tool is not available: read of the MCP server changing has changed since its definition was read "
        "(schema_changed); it was not called. Get the tools of the server again"
    )
    assert notes.asked().count("read") == before
    assert executor.call("same").content == "done"
    assert executor.describe("mcp") == definition
    if change not in ("remove", "break"):
        assert Executor(server.tools()).call("read", how="a").ok


def test_an_agent_keeps_the_definitions_that_it_was_made_with(server: McpServer) -> None:
    offered: list[list[str]] = []

    def model(messages: object, tools: object) -> str:
        offered.append([each["function"]["description"] for each in tools])  # type: ignore[attr-defined]
        return "done"

    agent = ReactAgent(model, server.tools(["read"]))
    Executor(server.tools()).call("change", how="describe")
    server.refresh()
    agent.run("read")
    assert offered == [["Read."]]
    assert server.tools()["read"].description == "Read all."


def test_a_server_that_says_so_in_a_loop_is_asked_once_for_a_call(server: McpServer, notes: Notes) -> None:
    executor = Executor(server.tools())
    executor.call("change", how="none 5000")
    assert executor.call("same").content == "done"
    assert [each.ok for each in executor.run_all([{"name": "same", "arguments": {}}] * 20)] == [True] * 20
    assert notes.asked().count("list") < 25


MODERN = [sys.executable, str(Path(__file__).with_name("changing_modern_server.py"))]


def check_that_a_change_is_heard(server: McpServer) -> None:
    assert list(server.tools()) == ["change"]
    changing = Executor(server.tools())
    # Again and again, since the first change may be earlier than the server's answer that it will say so.
    until(lambda: changing.call("change").ok and list(server.tools()) == ["change", "new"])
    assert Executor(server.tools()).call("new").content == "more"
    assert changing.call("change").ok


def test_a_server_since_2026_is_asked_to_say_so() -> None:
    with McpServer.stdio(*MODERN, name="modern") as server:
        check_that_a_change_is_heard(server)


def test_a_server_since_2026_is_asked_to_say_so_over_http() -> None:
    port = free_port()
    process = subprocess.Popen([*MODERN, str(port)], stderr=subprocess.DEVNULL)
    try:
        until(lambda: is_reachable(port))
        with McpServer.http(f"http://127.0.0.1:{port}/mcp") as server:
            check_that_a_change_is_heard(server)
    finally:
        process.kill()
        process.wait()


def test_a_server_that_is_not_open_cannot_be_refreshed() -> None:
    with pytest.raises(McpError, match="is not open"):
        McpServer.stdio("none", name="none").refresh()
