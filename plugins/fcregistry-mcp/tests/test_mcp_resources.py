"""Resources, prompts and completions of a server, for programs and for models."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fcregistry import Executor

from fcregistry_mcp import McpError, McpServer, Prompt, PromptArgument

from .conftest import Notes, until
from .library_server import CONTENTS, PNG

SERVER = Path(__file__).with_name("library_server.py")


@pytest.fixture(scope="module")
def library() -> Iterator[McpServer]:
    with McpServer.stdio(sys.executable, str(SERVER), name="library") as opened:
        yield opened


# --- for programs -------------------------------------------------------------------------------------


def test_the_resources_of_all_pages_are_listed_with_the_templates(library: McpServer) -> None:
    resources = library.resources()
    assert [each.uri for each in resources if not each.is_template] == [uri for uri in CONTENTS if "huge" not in uri]
    first, template = resources[0], resources[-1]
    assert (first.name, first.title, first.size, len(first.description)) == ("milk", "Milk", 8, 1000)
    assert (template.uri, template.name, template.media_type) == ("note:///{day}", "day", "text/plain")
    assert asyncio.run(library.aresources()) == resources


def test_a_resource_is_read_as_content(library: McpServer) -> None:
    (milk,) = library.read("note:///milk")
    assert (milk.kind, milk.uri, "buy milk" in str(milk)) == ("file", "note:///milk", True)
    assert len(library.read("note:///both")) == 2
    assert asyncio.run(library.aread("note:///milk")) == (milk,)


def test_what_is_binary_is_content(library: McpServer) -> None:
    (chart,) = library.read("note:///chart")
    assert chart.to_block() == {"type": "image", "data": PNG, "mimeType": "image/png"}
    (archive,) = library.read("note:///zip")
    assert (archive.kind, archive.media_type, archive.data) == ("file", "application/zip", b"PK")
    (broken,) = library.read("note:///broken")
    assert str(broken).startswith("[a part that cannot be shown: ")


def test_a_resource_that_is_not_there_or_too_large_is_an_error(library: McpServer) -> None:
    with pytest.raises(McpError, match="the MCP server library refuses the request: there is no such note"):
        library.read("note:///none")
    with pytest.raises(McpError, match="gives no answer: ValueError: it has more than 16000000 characters"):
        library.read("note:///huge")
    assert library.read("note:///milk")


def test_the_reason_of_a_refusal_is_one_printable_line(library: McpServer) -> None:
    with pytest.raises(McpError) as refused:
        library.read("note:///forged")
    assert str(refused.value) == "the MCP server library refuses the request: no[2J INFO forged line"
    result = Executor(library.resource_tools()).call("read_resource", uri="note:///forged")
    assert result.content == "the MCP server library refuses the call: no[2J INFO forged line"


def test_a_prompt_has_arguments_and_messages(library: McpServer) -> None:
    arguments = (PromptArgument("day", "Which day.", required=True), PromptArgument("tone"))
    assert library.prompts() == [Prompt("plan", "Plan", "Plan a day.", arguments)]
    asked, shown = library.prompt("plan", day="Monday")
    assert (asked.role, str(asked.content)) == ("user", "Plan Monday.")
    assert (shown.role, shown.content.kind) == ("assistant", "image")
    with pytest.raises(McpError, match="refuses the request: there is no such prompt"):
        library.prompt("none")

    async def in_a_coroutine() -> int:
        return len(await library.aprompts()) + len(await library.aprompt("plan", day="Monday"))

    assert asyncio.run(in_a_coroutine()) == 3


def test_values_are_completed(library: McpServer) -> None:
    assert library.complete("day", "T", prompt="plan") == ["Tuesday", "Thursday"]
    assert library.complete("day", "M", prompt="plan", given={"tone": "calm"}) == ["Monday calm"]
    assert library.complete("day", uri="note:///{day}") == ["milk"] * 90
    assert asyncio.run(library.acomplete("day", "M", prompt="plan")) == ["Monday"]
    for wrong in ({}, {"prompt": "plan", "uri": "note:///{day}"}):
        with pytest.raises(TypeError, match="complete takes either prompt=, the name of a prompt, or uri="):
            library.complete("day", **wrong)


def test_a_value_that_cannot_be_sent_is_an_error_and_leaves_the_session_open(library: McpServer) -> None:
    requests: list[Callable[[], object]] = [
        lambda: library.read("note:///\ud800"),
        lambda: library.prompt("\ud800"),
        lambda: library.prompt("plan", day="\ud800"),
        lambda: library.prompt("plan", **{"\ud800": "Monday"}),
        lambda: library.complete("day", "\ud800", prompt="plan"),
        lambda: library.complete("day", prompt="plan", given={"tone": "\ud800"}),
    ]
    for request in requests:
        with pytest.raises(ValueError, match="cannot be sent: a text has half of a surrogate pair"):
            request()
    executor = Executor(library.resource_tools())
    for name, arguments in (
        ("read_resource", {"uri": "note:///\ud800"}),
        ("get_prompt", {"name": "plan", "arguments": {"day": "\ud800"}}),
    ):
        result = executor.call(name, **arguments)
        assert result.error.code == "tool_failed"
        assert "cannot be sent: a text has half of a surrogate pair" in result.content
    assert library.read("note:///milk")


def test_a_value_that_is_not_a_text_is_an_error_of_the_caller(library: McpServer) -> None:
    untyped: Any = library
    with pytest.raises(TypeError, match="'day' takes a text, not 5"):
        untyped.prompt("plan", day=5)
    with pytest.raises(TypeError, match="'uri' takes a text, not None"):
        untyped.read(None)
    with pytest.raises(TypeError, match="'value' takes a text, not 5"):
        untyped.complete("day", 5, prompt="plan")


def test_a_server_without_them_has_none(notes: Notes) -> None:
    with notes.server() as server:
        assert (server.resources(), server.prompts(), server.complete("a", prompt="b")) == ([], [], [])
        assert len(server.resource_tools()) == 0
        with pytest.raises(McpError, match="refuses the request: "):
            server.read("note:///milk")
    with pytest.raises(McpError, match="is not open"):
        server.resources()


def test_cancelling_an_async_form_cancels_its_request_and_uses_no_thread(library: McpServer) -> None:
    def pool_threads() -> set[threading.Thread]:
        return {thread for thread in threading.enumerate() if thread.name.startswith("asyncio_")}

    before = pool_threads()  # of other tests in this process

    async def cancelled() -> None:
        reading = [asyncio.create_task(library.aread("note:///slow")) for _ in range(3)]
        await asyncio.sleep(0)  # they are sent
        await library.aread("note:///milk")  # and this after them, so that the server has begun with them
        for task in reading:
            task.cancel()
        results = await asyncio.gather(*reading, return_exceptions=True)
        assert [type(result) for result in results] == [asyncio.CancelledError] * 3
        assert pool_threads() <= before

    asyncio.run(cancelled())
    until(lambda: "cancelled 3" in str(library.read("note:///cancelled")[0]))


# --- for models ---------------------------------------------------------------------------------------


def test_a_model_reads_resources_and_prompts_with_two_tools(library: McpServer) -> None:
    tools = library.resource_tools()
    assert list(tools) == ["get_prompt", "read_resource"]
    assert "- note:///milk: Milk: ddd" in tools["read_resource"].description
    assert "- plan(day, tone?): Plan: Plan a day." in tools["get_prompt"].description
    assert max(map(len, tools["read_resource"].description.splitlines())) <= 202
    executor = Executor(tools)
    assert "buy milk" in executor.call("read_resource", uri="note:///milk").content
    assert executor.call("read_resource", uri="note:///chart").parts[0].kind == "image"
    plan = executor.call("get_prompt", name="plan", arguments={"day": "Monday"})
    assert plan.content.startswith("user:\nPlan Monday.\nassistant:")
    missing = executor.call("read_resource", uri="note:///none")
    assert (missing.error.code, missing.content) == (
        "tool_failed",
        "the MCP server library refuses the call: there is no such note",
    )


def test_many_texts_are_cut_for_a_model_as_one(library: McpServer) -> None:
    executor = Executor(library.resource_tools())
    content = executor.call("read_resource", uri="note:///many").content
    assert len(content) < 101_000
    assert content.endswith(" more characters]")
    content = executor.call("get_prompt", name="many").content
    assert len(content) < 101_000
    assert content.endswith(" more characters]")


def test_a_long_text_is_cut_for_a_model(library: McpServer) -> None:
    content = Executor(library.resource_tools()).call("read_resource", uri="note:///long").content
    assert len(content) < 100_100
    assert "more characters]" in content


HIDING = r"""
import json, sys
SECRET = "\u200b\u2060\u3164\ufeff\u00ad\u202e\x1b\U000e0041\U000e0101a\u200db"
LISTS = {
    "resources": [{"uri": f"note:///u{SECRET}", "name": f"n{SECRET}", "description": "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"}],
    "resourceTemplates": [],
    "prompts": [{"name": f"p{SECRET}", "arguments": [{"name": f"x{SECRET}"}]}],
    "tools": [],
}
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    if asked["method"] == "initialize":
        capabilities = {"tools": {}, "resources": {}, "prompts": {}}
        version = asked["params"]["protocolVersion"]
        answer = {"result": {"protocolVersion": version, "capabilities": capabilities, "serverInfo": {"name": "h", "version": "1"}}}
    elif asked["method"] == "resources/templates/list":
        answer = {"result": {"resourceTemplates": []}}
    elif (listed := asked["method"].partition("/")[0]) in LISTS:
        answer = {"result": {listed: LISTS[listed]}}
    else:
        answer = {"error": {"code": -32601, "message": "unknown"}}
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **answer}), flush=True)
"""


def test_what_people_do_not_see_is_left_out_of_the_descriptions_for_a_model() -> None:
    with McpServer.stdio(sys.executable, "-c", HIDING, name="hiding") as hiding:
        tools = hiding.resource_tools()
    persian = "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"  # its joiner is part of the word
    assert tools["read_resource"].description.splitlines()[-1] == f"- note:///uab: nab: {persian}"
    assert tools["get_prompt"].description.splitlines()[-1] == "- pab(xab?)"


def test_the_two_tools_have_the_hints_of_the_protocol(library: McpServer) -> None:
    doubted = library.resource_tools()["read_resource"]
    assert (doubted.options.read_only, doubted.options.tags) == (None, ("mcp",))
    with McpServer.stdio(sys.executable, str(SERVER), name="library", trusted=True) as trusted:
        assert trusted.resource_tools()["read_resource"].options.read_only is True
