"""The schemas of results: what tools have of them, what is unwrapped, and results that do not fit."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fcregistry import Executor

from fcregistry_mcp import McpServer

from .conftest import until
from .returns_server import DEEP, TOOLS

SERVER = Path(__file__).with_name("returns_server.py")


@pytest.fixture(scope="module")
def server() -> Iterator[McpServer]:
    with McpServer.stdio(sys.executable, str(SERVER), name="shop") as opened:
        yield opened


def call(server: McpServer, name: str, **settings: Any) -> Any:
    return Executor(server.tools([name]), **settings).call(name)


def test_the_schema_of_results_is_that_of_the_server(server: McpServer) -> None:
    tools = server.tools()
    assert tools["whole"].returns == TOOLS["whole"][0]
    assert tools["deep"].returns == DEEP
    assert tools["text"].returns is None
    assert server.refused == {}
    result = call(server, "whole", check_results=True)
    assert (result.value, result.content) == ({"total": 3}, "3")


@pytest.mark.parametrize(
    ("name", "value", "returns"),
    [
        ("wrapped", 3, {"type": "integer", "title": "Result"}),
        ("wrapped_text", "milk", {"type": "string"}),
        ("wrapped_null", None, {"anyOf": [{"type": "integer"}, {"type": "null"}]}),
        (
            "marked",
            ["a", "b"],
            {"type": "array", "items": {"$ref": "#/$defs/Note"}, "$defs": {"Note": {"type": "string"}}},
        ),
    ],
)
def test_a_result_that_the_server_wraps_is_unwrapped_with_its_schema(
    server: McpServer, name: str, value: object, returns: object
) -> None:
    assert server.tools()[name].returns == returns
    result = call(server, name, check_results=True)
    assert (result.ok, result.value) == (True, value)
    assert result.content == ("null" if value is None else "\n".join(TOOLS[name][1]))


@pytest.mark.parametrize("name", ["honest", "list", "two", "optional", "boolean"])
def test_a_result_that_may_be_an_object_of_the_servers_own_stays_one(server: McpServer, name: str) -> None:
    assert call(server, name).value == TOOLS[name][2]
    if name not in ("honest", "boolean"):  # whose schemas are like those of wrapped results
        assert server.tools()[name].returns == TOOLS[name][0]


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("not_an_object", "shop: the tool 'not_an_object': its outputSchema is left out: it is not an object"),
        ("no_schema", "shop: the tool 'no_schema': its outputSchema is left out: $.properties.a.type: must be one of"),
        ("leads_nowhere", "shop: the tool 'leads_nowhere': its outputSchema is left out: "),
        ("huge", "shop: the tool 'huge': its outputSchema is left out: it has 2000"),
    ],
)
def test_a_schema_of_results_that_cannot_be_used_costs_itself_alone(
    name: str, problem: str, caplog: pytest.LogCaptureFixture
) -> None:
    with McpServer.stdio(sys.executable, str(SERVER), name="shop") as server:
        tool = server.tools()[name]
        assert tool.returns is None
        assert Executor([tool], check_results=True).call(name).value == {"total": 3}
    (message,) = (each for each in caplog.messages if "chema" in each)
    assert message.startswith(problem)
    assert server.refused == {}


def test_a_result_that_does_not_fit_is_delivered_with_a_warning(
    server: McpServer, caplog: pytest.LogCaptureFixture
) -> None:
    result = call(server, "unfit")
    assert (result.value, result.content) == ({"total": "3"}, "3")
    assert call(server, "nothing_structured").value == "3"
    assert call(server, "wrong_type").value == {"total": 3}
    assert [message for message in caplog.messages if message.startswith("shop")] == [
        "shop: the tool 'unfit': a result does not fit its outputSchema: $.total must be an integer, not \"3\"",
        "shop: the tool 'nothing_structured': a result does not fit its outputSchema: it has no structured content",
        "shop: the tool 'wrong_type': a result does not fit its outputSchema: $ must be an integer, not {\"total\": 3}",
    ]


@pytest.mark.parametrize("name", ["unfit", "nothing_structured", "wrong_type"])
def test_a_result_that_does_not_fit_fails_if_the_executor_checks_results(server: McpServer, name: str) -> None:
    result = call(server, name, check_results=True)
    assert result.error.code == "unencodable_result"
    assert f"{name} ran, but its result does not match its return schema" in result.content


def test_a_pattern_that_backtracks_holds_no_call(server: McpServer) -> None:
    result = call(server, "explosive", timeout=20)
    assert result.value == TOOLS["explosive"][2]


# --- unreadable messages ------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "why"), [("text", "Field required: "), ("surrogate", "Invalid JSON: ")])
def test_an_answer_that_cannot_be_read_fails_its_call_at_once(server: McpServer, name: str, why: str) -> None:
    result = call(server, name, timeout=60)
    assert result.error.code == "tool_failed"
    assert result.content.startswith(f"the MCP server shop sends an unreadable message: {why}")
    assert call(server, "whole").ok


def test_a_line_that_is_not_a_message_is_passed_over(server: McpServer) -> None:
    assert call(server, "noise").ok


# --- log messages -------------------------------------------------------------------------------------


def test_log_messages_of_a_server_reach_the_logger_with_its_name(
    server: McpServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "fcregistry_mcp")
    assert call(server, "log").content == "done"
    until(lambda: len([each for each in caplog.records if each.name == "fcregistry_mcp"]) == 2)
    information, error = (each for each in caplog.records if each.name == "fcregistry_mcp")
    assert (information.levelname, information.getMessage()) == ("INFO", 'shop: db: {"at": 1}')
    assert (error.levelname, error.getMessage()[:27]) == ("ERROR", "shop: db: no[31m paper!!!!!")
    assert len(error.getMessage()) == len("shop: ") + 500
