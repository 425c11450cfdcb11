"""What a model reads of an exception that a tool raised, and what a developer gets."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from fcregistry import Executor, Problem, Tool, ToolResult
from fcregistry.errors import ToolError
from fcregistry.execution import CancellationToken
from fcregistry.types import Codec

WAYS = {
    "run": lambda executor, call: executor.run(call),
    "arun": lambda executor, call: asyncio.run(executor.arun(call)),
    "run_all": lambda executor, call: executor.run_all([call, call])[1],
    "stream": lambda executor, call: list(executor.stream(call))[-1],
    "with a token": lambda executor, call: executor.run(call, cancellation=CancellationToken()),
}


def leaks() -> str:
    raise ValueError("the table users of db.internal has no column token")


async def leaks_too() -> str:
    raise ValueError("the table users of db.internal has no column token")


def explains() -> str:
    raise ToolError("The room is taken until ten.", retryable=True, retry_after=600)


def exits() -> str:
    raise SystemExit("the table users of db.internal has no column token")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("function", [leaks, leaks_too, exits], ids=lambda each: each.__name__)
def test_with_tool_errors_the_model_reads_only_messages_of_tool_errors(function: Any, way: str) -> None:
    for _ in range(2):  # a plain call takes the short way the second time
        executor = Executor([function, explains], expose_errors="tool-errors")
        executor.run({"name": function.__name__, "arguments": "{}"})
        result: ToolResult = WAYS[way](executor, {"name": function.__name__, "arguments": "{}"})
        assert result.content == f"{function.__name__} failed"
        assert result.error is not None
        assert (result.error.code, result.error.message) == ("tool_failed", f"{function.__name__} failed")
        assert "db.internal" not in str(result.to_json())
        assert "db.internal" in str(result.error.exception)  # for the developer


@pytest.mark.parametrize("way", WAYS)
def test_with_tool_errors_the_model_does_not_read_why_a_function_hides_a_tool(
    way: str, caplog: pytest.LogCaptureFixture
) -> None:
    tool = Tool.from_function(explains, available=leaks)
    open_result = WAYS[way](Executor(tool), {"name": "explains"})
    assert "its check leaks raised ValueError: the table users of db.internal" in open_result.content
    caplog.clear()
    result = WAYS[way](Executor(tool, expose_errors="tool-errors"), {"name": "explains"})
    assert result.content == "explains is not available here"
    assert "its check leaks raised ValueError: the table users of db.internal" in caplog.text


def test_with_tool_errors_the_model_reads_which_variable_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ACME_KEY", raising=False)
    tool = Tool.from_function(explains, requires_env="ACME_KEY", available=leaks)
    result = Executor(tool, expose_errors="tool-errors").call("explains")
    assert result.content == "explains is not available here: the environment variable ACME_KEY is not set"


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("expose", ["all", "tool-errors"])
def test_the_model_reads_the_message_of_a_tool_error(expose: Any, way: str) -> None:
    result = WAYS[way](Executor(explains, expose_errors=expose), {"name": "explains"})
    assert result.content == "The room is taken until ten."
    assert (result.error.retryable, result.error.retry_after) == (True, 600)


@pytest.mark.parametrize("way", WAYS)
def test_by_default_the_model_reads_type_and_message(way: str) -> None:
    result = WAYS[way](Executor(leaks), {"name": "leaks"})
    assert result.content == "ValueError: the table users of db.internal has no column token"


def test_an_unknown_value_of_expose_errors_is_refused() -> None:
    with pytest.raises(ValueError, match='expose_errors must be "all" or "tool-errors", not \'none\''):
        Executor(expose_errors="none")  # type: ignore[arg-type]


def test_the_message_of_an_exception_while_decoding_is_left_out_too() -> None:
    class Leaking(Codec):
        def schema(self, writer: Any) -> dict[str, Any]:
            return {"type": "string"}

        def accepts(self, value: object) -> bool:
            return isinstance(value, str)

        def decode(self, value: Any) -> Any:
            raise ConnectionError("no route to db.internal")

    def visit(place: str) -> str:
        return place

    tool = Tool.from_function(visit)
    tool.signature.parameters = (tool.signature.parameters[0]._replace(codec=Leaking()),)
    for expose, said in (
        ("all", "cannot be decoded: ConnectionError: no route to db.internal"),
        ("tool-errors", "cannot be decoded"),
    ):
        for _ in range(2):
            result = Executor(tool, expose_errors=expose).run({"name": "visit", "arguments": '{"place": "x"}'})  # type: ignore[arg-type]
            assert result.error is not None
            assert result.error.problems == (Problem("$.place", said),)
