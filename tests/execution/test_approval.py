"""May a call run that needs approval? Only where somebody says so, plainly, and then what was shown is what runs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from fcregistry import Executor, Tool, ToolCall, ToolResult

deleted: list[list[str]] = []


@pytest.fixture(autouse=True)
def _nothing_ran() -> None:
    deleted.clear()


def delete(paths: list[str], force: bool = False) -> int:
    """Delete files."""
    deleted.append(list(paths))
    return len(paths)


CALL = {"name": "delete", "arguments": {"paths": ["a", "b"]}, "id": "7"}


def results(approve: Any = None, **options: Any) -> list[ToolResult]:
    """Call a tool that needs approval by each way."""
    options = {"requires_approval": True, **options}
    executor = Executor([Tool.from_function(delete, **options)], approve=approve)
    return [
        executor.run(CALL),
        asyncio.run(executor.arun(CALL)),
        *executor.run_all([CALL, CALL]),
        *asyncio.run(executor.arun_all([CALL, CALL])),
    ]


def codes(given: list[ToolResult]) -> set[str]:
    return {result.error.code if result.error else "ok" for result in given}


def test_without_anybody_to_ask_the_call_is_refused_and_not_run() -> None:
    given = results()

    assert codes(given) == {"approval_required"}
    assert {result.content for result in given} == {
        "delete requires approval, and nobody is there to give it; it was not run"
    }
    assert deleted == []


def test_a_tool_that_needs_none_asks_nobody() -> None:
    def approve(tool: Tool, call: ToolCall) -> bool:
        raise AssertionError("nobody is to be asked")

    assert codes(results(approve, requires_approval=False)) == {"ok"}


@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (True, "ok"),
        (False, "denied"),
        (None, "denied"),
        (1, "denied"),
        ("yes", "denied"),
        ([True], "denied"),
        (object(), "denied"),
    ],
)
def test_only_a_plain_yes_is_one(answer: Any, code: str, is_async: bool) -> None:
    async def aapprove(tool: Tool, call: ToolCall) -> Any:
        await asyncio.sleep(0)
        return answer

    def approve(tool: Tool, call: ToolCall) -> Any:
        return answer

    given = results(aapprove if is_async else approve)
    assert codes(given) == {code}
    assert deleted == ([["a", "b"]] * 6 if code == "ok" else [])
    if code == "denied":
        assert given[0].content == "the call of delete was denied; it was not run"


@pytest.mark.parametrize("is_async", [False, True])
def test_a_callback_that_raises_has_not_said_yes(is_async: bool) -> None:
    failure = RuntimeError("the secret of the dialog")

    async def aapprove(tool: Tool, call: ToolCall) -> bool:
        raise failure

    def approve(tool: Tool, call: ToolCall) -> bool:
        raise failure

    given = results(aapprove if is_async else approve)
    assert codes(given) == {"denied"}
    assert {result.content for result in given} == {"delete was not run: asking for its approval failed"}
    assert all(result.error and result.error.exception is failure for result in given)
    assert deleted == []


def test_the_callback_is_shown_the_tool_and_the_validated_call() -> None:
    shown: list[tuple[str, ToolCall]] = []

    def approve(tool: Tool, call: ToolCall) -> bool:
        shown.append((tool.name, call))
        return True

    executor = Executor([Tool.from_function(delete, requires_approval=True)], approve=approve)
    executor.run({"name": "delete", "arguments": '{"paths": ["a"]}', "id": "7"})
    executor.run({"name": "delete", "arguments": {"paths": "a"}})
    executor.run({"name": "delete", "arguments": "{cut"})

    assert shown == [("delete", ToolCall("delete", {"paths": ["a"]}, "7"))]


def change_everything(arguments: Mapping[str, Any]) -> None:
    arguments["paths"].append("/etc/passwd")
    arguments["force"] = True  # type: ignore[index]


def test_the_callback_cannot_change_what_runs() -> None:
    def approve(tool: Tool, call: ToolCall) -> bool:
        assert isinstance(call.arguments, dict)
        change_everything(call.arguments)
        return True

    given = results(approve)
    assert codes(given) == {"ok"}
    assert deleted == [["a", "b"]] * 6
    assert given[0].arguments == {"paths": ["a", "b"]}
    assert CALL["arguments"] == {"paths": ["a", "b"]}


def test_the_caller_cannot_change_what_was_approved_while_somebody_is_asked() -> None:
    call = {"name": "delete", "arguments": {"paths": ["a"]}}

    def approve(tool: Tool, _: ToolCall) -> bool:
        change_everything(call["arguments"])  # type: ignore[arg-type]
        return True

    Executor([Tool.from_function(delete, requires_approval=True)], approve=approve).run(call)
    assert deleted == [["a"]]


@pytest.mark.parametrize(
    ("predicate", "code"),
    [
        (lambda arguments: False, "ok"),
        (lambda arguments: "b" in arguments["paths"], "approval_required"),
        (lambda arguments: "z" in arguments["paths"], "ok"),
        (lambda arguments: arguments["no such"], "denied"),
    ],
)
def test_a_predicate_of_the_arguments_says_whether_to_ask_and_fails_closed(
    predicate: Callable[[Mapping[str, Any]], bool], code: str
) -> None:
    assert codes(results(requires_approval=predicate)) == {code}
    assert bool(deleted) is (code == "ok")


def test_a_predicate_cannot_change_what_runs() -> None:
    def predicate(arguments: Mapping[str, Any]) -> bool:
        change_everything(arguments)
        return False

    assert codes(results(requires_approval=predicate)) == {"ok"}
    assert deleted == [["a", "b"]] * 6


def test_approval_is_no_matter_of_the_schema() -> None:
    tool = Tool.from_function(delete, requires_approval=True)
    executor = Executor([tool])

    assert list(tool.parameters["properties"]) == ["paths", "force"]
    result = executor.run({"name": "delete", "arguments": {"paths": ["a"], "allow_unsafe": True, "approved": True}})
    assert codes([result]) == {"invalid_arguments"}
    assert codes([executor.run({"name": "delete", "arguments": {"paths": ["a"], "force": True}})]) == {
        "approval_required"
    }
    assert deleted == []


def test_an_async_callback_may_be_asked_from_within_a_running_loop() -> None:
    async def approve(tool: Tool, call: ToolCall) -> bool:
        await asyncio.sleep(0)
        return True

    executor = Executor([Tool.from_function(delete, requires_approval=True)], approve=approve)

    async def scenario() -> ToolResult:
        return executor.run(CALL)

    assert asyncio.run(scenario()).ok
