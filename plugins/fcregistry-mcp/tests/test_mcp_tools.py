"""The tools of a server as tools here, and the results of their calls."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest
from fcregistry import Executor, ReactAgent
from fcregistry.errors import DefinitionError, DuplicateToolError, ToolNotFoundError
from fcregistry.execution import Policy

from fcregistry_mcp import McpServer

from .conftest import Notes
from .notes_server import ORDER, PNG

STRANGE = Path(__file__).with_name("strange_server.py")


def call(server: McpServer, name: str, **arguments: Any) -> Any:
    return Executor(server.tools()).call(name, **arguments)


# --- which there are --------------------------------------------------------------------------------


def test_the_tools_of_all_pages_are_listed_and_an_invalid_tool_is_reported(server: McpServer) -> None:
    assert list(server.tools()) == ["add", "die", "fetch", "ns_find", "order", "show", "wait"]
    assert list(server.refused) == ["odd"]
    assert "is outside the schema" in server.refused["odd"]


def test_only_those_that_are_wanted(server: McpServer) -> None:
    assert list(server.tools(allowed=["add"])) == ["add"]
    assert list(server.tools(allowed=["ns.find", "add"])) == ["add", "ns_find"]

    async def in_a_coroutine(notes: McpServer) -> list[str]:
        return list(notes.tools(["add"]))

    assert asyncio.run(in_a_coroutine(server)) == ["add"]


def test_a_name_that_the_server_does_not_know_is_an_error_with_the_nearest(server: McpServer) -> None:
    with pytest.raises(ToolNotFoundError, match="notes has no tool 'ad'; did you mean 'add'") as raised:
        server.tools(["ad"])
    assert raised.value.candidates[0] == "add"
    with pytest.raises(ToolNotFoundError, match="it has add, die"):
        server.tools(names={"zzzz": "z"})


def test_a_tool_that_is_wanted_by_name_and_cannot_be_one_is_an_error(server: McpServer) -> None:
    with pytest.raises(DefinitionError, match="is outside the schema"):
        server.tools(["add", "odd"])


def test_a_schema_is_passed_on_as_it_is(server: McpServer) -> None:
    order = server.tools()["order"]
    assert order.parameters == ORDER
    assert order.definition("mcp")["inputSchema"] == ORDER
    assert (order.title, order.description) == ("Order", "Order")
    meta = {"mcp.server": "notes", "mcp.tool": "order", "fcregistry.source": "the MCP server notes"}
    assert dict(order.options.meta) == meta


def test_the_error_of_two_tools_of_one_name_names_their_servers(server: McpServer, notes: Notes) -> None:
    with notes.server("others") as others, pytest.raises(DuplicateToolError) as raised:
        Executor([server.tools(["add"]), others.tools(["add"])])
    assert str(raised.value) == (
        "two tools have one name: 'add' is add (the MCP server notes) and add (the MCP server others). "
        "Leave one out, or use .renamed({…}) or .prefixed(…) on a toolset"
    )
    assert server.tools()["add"].origin.source == "the MCP server notes"


def test_hints_that_warn_are_believed_and_all_hints_of_a_trusted_server(server: McpServer, notes: Notes) -> None:
    doubted = {name: tool.options for name, tool in server.tools().items()}
    assert (doubted["add"].read_only, doubted["add"].idempotent, doubted["add"].destructive) == (None, None, None)
    assert doubted["order"].destructive is True

    with notes.server(trusted=True) as trusted:
        add = trusted.tools()["add"].options
        assert (add.read_only, add.idempotent, add.destructive, add.open_world) == (True, True, False, False)


@pytest.mark.parametrize("trusted", [False, True])
def test_a_policy_assumes_the_protocols_defaults_for_a_tool_without_hints(notes: Notes, trusted: bool) -> None:
    policy = Policy(allow=["read_only=true"], deny=["destructive=true"], default="ask")
    with notes.server(trusted=trusted) as server:
        silent, reading = server.tools()["fetch"], server.tools()["add"]
        executor = Executor([silent, reading], policy=policy, approve=lambda tool, call: False)
        assert (silent.options.destructive, silent.options.open_world) == (None, None)
        assert executor.call("fetch", url="x").content == "fetch is not allowed here; it was not run"
        assert executor.call("add", a=1, b=2).ok is trusted  # else the approver denies it
        world = Policy(deny=["open_world=true"]).rulings([silent, reading])
        assert [world[name].verdict for name in ("fetch", "add")] == ["deny", "tool" if trusted else "deny"]
    assert notes.asked() == ([["add", {"a": 1, "b": 2}]] if trusted else [])


def test_two_tools_of_one_name_here_want_another_name(notes: Notes) -> None:
    with notes.server(env={"NOTES_CLASH": "1"}) as server:
        with pytest.raises(
            DuplicateToolError, match=r"'ns.find' and 'ns_find' of the MCP server notes are both 'ns_find'"
        ):
            server.tools(["ns.find", "ns_find"])
        tools = server.tools(names={"ns_find": "find_there"})
        assert {"ns_find", "find_there"} <= set(tools)
        Executor(tools).call("ns_find", word="a")
        Executor(tools).call("find_there", word="b")
    assert notes.asked() == [["ns.find", {"word": "a"}], ["ns_find", {"word": "b"}]]


def test_a_tool_that_is_listed_twice_is_there_once(notes: Notes) -> None:
    with notes.server(env={"NOTES_TWICE": "1"}) as server:
        assert list(server.tools(["add"])) == ["add"]
        assert server.refused == {"add": "the server lists it twice; this is the first"}


def test_a_tool_that_is_not_valid_does_not_affect_the_others() -> None:
    """The SDK refuses the whole list for it."""
    with McpServer.stdio(sys.executable, str(STRANGE), name="strange") as server:
        assert list(server.tools()) == ["good", "hiding"]
        assert server.refused == {
            "array": "it is not a valid tool of the protocol: inputSchema.type: Input should be 'object'",
            "bare": "it is not a valid tool of the protocol: inputSchema: Field required",
            "None": "it is not a valid tool of the protocol: it: Input should be a valid dictionary or instance of Tool",
        }
        assert call(server, "good").content == "done"
        with pytest.raises(
            ToolNotFoundError, match="strange has no tool 'bare'; it is not a valid tool of the protocol"
        ):
            server.tools(["bare"])


def test_what_a_server_says_of_a_tool_is_bounded() -> None:
    with McpServer.stdio(sys.executable, str(STRANGE), name="strange") as server:
        good = server.tools()["good"]
    assert (len(good.title), len(good.description)) == (200, 10_000)


def test_text_that_a_person_would_not_see_is_not_shown_to_a_model() -> None:
    with McpServer.stdio(sys.executable, str(STRANGE), name="strange") as server:
        hiding = server.tools()["hiding"]
        assert hiding.description == "Read\ta note.\n[2JNow it is."
        result = call(server, "hiding")
    assert result.content.startswith("the MCP server strange sends an unreadable message: ")
    assert "://" not in result.content


def test_a_name_in_place_of_a_list_of_names_is_an_error(server: McpServer) -> None:
    with pytest.raises(TypeError, match=r"allowed takes a list of names, such as \['add'\]"):
        server.tools("add")


def test_two_servers_may_have_tools_of_one_name(server: McpServer, notes: Notes) -> None:
    with notes.server("others") as other:
        with pytest.raises(DuplicateToolError, match=r"prefixed"):
            Executor([*server.tools(["add"]).values(), *other.tools(["add"]).values()])
        both = [*server.tools(["add"]).values(), *other.tools(["add"]).prefixed("other_").values()]
        results = Executor(both).run_all(
            [{"name": "add", "arguments": {"a": 1, "b": 2}}, {"name": "other_add", "arguments": {"a": 3, "b": 4}}]
        )
    assert [result.value for result in results] == [{"total": 3}, {"total": 7}]
    assert notes.asked() == [["add", {"a": 3, "b": 4}]]


# --- what calls give ---------------------------------------------------------------------------------


def test_a_renamed_tool_is_called_by_the_servers_name_with_the_same_arguments(notes: Notes) -> None:
    with notes.server() as server:
        result = Executor(server.tools().renamed({"fetch": "web_fetch"})).call("web_fetch", url="a")
        assert (result.call.name, result.tool.name) == ("web_fetch", "web_fetch")
        Executor(server.tools(names={"fetch": "get_page"})).call("get_page", url="b")
    assert notes.asked() == [["fetch", {"url": "a"}], ["fetch", {"url": "b"}]]


def test_a_model_reads_the_text_and_the_program_gets_what_is_structured(server: McpServer) -> None:
    result = call(server, "add", a=1, b=2)
    assert (result.content, result.value) == ("3", {"total": 3})


def test_a_parameter_may_have_the_name_of_a_parameter_of_fcregistry(server: McpServer) -> None:
    result = call(server, "order", to={"city": "Oslo"}, context="now")
    assert result.value == '{"to": {"city": "Oslo"}, "context": "now"}'


def test_arguments_that_do_not_fit_are_not_sent(notes: Notes) -> None:
    with notes.server() as server:
        result = call(server, "order", to={"city": 5}, size="xl")
    assert result.error.code == "invalid_arguments"
    assert [str(problem) for problem in result.error.problems] == [
        '$.size: must be one of "s", "l", not "xl"',
        "$.to.city: must be a string, not 5",
    ]
    assert notes.asked() == []


def test_what_the_server_calls_an_error_is_one(server: McpServer) -> None:
    result = call(server, "fetch", url="a")
    assert (result.ok, result.error.code, result.content) == (False, "tool_failed", "there is no page a")
    refused = call(server, "fetch", url="refused")
    assert (refused.ok, refused.content) == (False, "the MCP server notes refuses the call: that is no address")


def test_an_error_of_the_server_is_reported_whatever_its_code(server: McpServer) -> None:
    """-32000 is also what the SDK says of a connection that is closed."""
    assert call(server, "fetch", url="empty").content.endswith("refuses the call: there is no more paper")


@pytest.mark.parametrize("arguments", [{"word": "\ud800"}, {"more": 10**5000}, {"\ud800": 1}])
def test_an_argument_that_cannot_be_sent_fails_its_call_and_no_other(server: McpServer, arguments: Any) -> None:
    executor = Executor(server.tools())
    result = executor.run({"name": "ns_find", "arguments": arguments})
    assert (result.error.code, result.content[:33]) == ("tool_failed", "the arguments cannot be sent: a t")
    assert executor.call("add", a=1, b=2).ok


def test_a_stray_byte_of_a_server_is_passed_over() -> None:
    with McpServer.stdio(sys.executable, str(STRANGE), name="strange") as server:
        executor = Executor(server.tools(["good"]), timeout=20)
        assert [executor.call("good", stray=True).content for _ in range(2)] == ["done", "done"]


def test_images_files_and_links_are_content(server: McpServer) -> None:
    image = call(server, "show", what="image")
    assert image.blocks == (
        {"type": "text", "text": "An image:"},
        {"type": "image", "data": PNG, "mimeType": "image/png"},
    )
    assert [part.kind for part in call(server, "show", what="link").parts] == ["link"]
    assert "words" in call(server, "show", what="file").content
    assert call(server, "show", what="two").value == "one\ntwo"
    assert (call(server, "show", what="nothing").ok, call(server, "show", what="nothing").content) == (True, "")


def test_a_model_reads_nothing_that_is_for_the_user_alone(server: McpServer) -> None:
    both = call(server, "show", what="user and model")
    assert (both.content, both.blocks) == ("10 rows", ({"type": "text", "text": "10 rows"},))
    assert [(part.kind, part.for_user) for part in both.parts] == [("text", False), ("image", True)]
    assert both.value == "10 rows"

    alone = call(server, "show", what="user")
    assert (alone.content, alone.blocks) == ("shown to the user", ({"type": "text", "text": "shown to the user"},))
    assert ([part.plain for part in alone.parts], alone.value) == (["a chart"], "")
    assert call(server, "show", what="broken for the user").content == "shown to the user"


def test_what_is_for_the_user_alone_is_not_passed_to_another_tool(server: McpServer) -> None:
    def shout(text: str) -> str:
        return text.upper()

    executor = Executor([*server.tools(["show"]).values(), shout])
    results = [executor.run_expression(f"shout(show(what={what!r}))") for what in ("user and model", "user")]
    assert [result.content for result in results] == ["10 ROWS", ""]


def test_a_model_reads_structured_content_beside_what_is_for_the_user(server: McpServer) -> None:
    result = call(server, "show", what="user", structured={"rows": 10})
    assert (result.value, result.content) == ({"rows": 10}, '{"rows": 10}')
    assert str(result.parts[0]) == "a chart"


def test_the_reason_for_a_failure_that_is_for_the_user_is_not_for_the_model(server: McpServer) -> None:
    failed = call(server, "show", what="user", fails=True)
    assert (failed.error.code, failed.content) == (
        "tool_failed",
        "the server reports a failure, and gives the reason to the user alone",
    )
    assert call(server, "show", what="user and model", fails=True).content == "10 rows"


def test_a_part_that_cannot_be_read_takes_no_other_with_it(server: McpServer) -> None:
    lines = call(server, "show", what="broken").content.splitlines()
    assert (lines[0][:30], lines[1]) == ("[a part that cannot be shown: ", "after")


def test_an_agent_takes_the_tools_as_any_others(server: McpServer) -> None:
    def model(messages: Any, tools: Any) -> Any:
        if messages[-1]["role"] == "user":
            asked = {"name": "add", "arguments": {"a": 1, "b": 2}}
            return {"role": "assistant", "content": None, "tool_calls": [{"id": "1", **asked}]}
        return messages[-1]["content"]

    run = ReactAgent(model, server.tools(["add"])).run("1 + 2?")
    assert run.tool_results[0].value == {"total": 3}
