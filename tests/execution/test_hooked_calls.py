"""Hooks around a call: after validation and before approval, and again after every result."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from fcregistry import Executor, Tool, ToolCall, ToolResult, hookimpl
from fcregistry.execution import Approve, CancellationToken, Deny, Policy

WAYS: dict[str, Callable[[Executor, object], ToolResult]] = {
    "run": lambda executor, call: executor.run(call),
    "arun": lambda executor, call: asyncio.run(executor.arun(call)),
    "run_all": lambda executor, call: executor.run_all([call, call])[1],
    "arun_all": lambda executor, call: asyncio.run(executor.arun_all([call, call]))[1],
}


def transfer(amount: Decimal, to: str) -> str:
    """Transfer money."""
    return f"{amount} to {to}"


async def atransfer(amount: Decimal, to: str) -> str:
    """Transfer money."""
    return f"{amount} to {to}"


class Hook:
    """Returns an answer before a call, and records what it gets after the call."""

    def __init__(self, answer: Callable[[ToolCall], ToolCall | Deny | None] = lambda call: None) -> None:
        self.answer = answer
        self.after: list[tuple[Any, str]] = []

    @hookimpl
    def fc_before_call(self, call: ToolCall) -> ToolCall | Deny | None:
        return self.answer(call)

    @hookimpl
    def fc_after_call(self, call: ToolCall, result: ToolResult) -> None:
        self.after.append((call.arguments, result.content))


def to(name: Any) -> Callable[[ToolCall], ToolCall]:
    """Return what puts another receiver into a call."""
    return lambda call: ToolCall(call.name, {**call.arguments, "to": name})  # type: ignore[dict-item]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("function", [transfer, atransfer])
def test_the_tool_gets_changed_arguments_and_other_numbers_keep_their_digits(
    way: str, function: Callable[..., Any]
) -> None:
    hook = Hook(to("Bob"))
    executor = Executor([Tool.from_function(function, name="transfer")], hooks=[hook])
    call = ToolCall("transfer", '{"amount": 0.10000000000000000001, "to": "Ann"}', "call_1")
    result = WAYS[way](executor, call)
    assert result.content == "0.10000000000000000001 to Bob"
    assert (result.call, result.arguments) == (call, {"amount": Decimal("0.10000000000000000001"), "to": "Bob"})
    assert hook.after[-1] == ({"amount": 0.1, "to": "Bob"}, result.content)


def test_changed_arguments_that_are_not_valid_do_not_run() -> None:
    """The approver is not asked about them either."""
    asked: list[ToolCall] = []
    hook = Hook(to(5))
    executor = Executor(
        [Tool.from_function(transfer, requires_approval=True)],
        hooks=[hook],
        approve=lambda tool, call: bool(asked.append(call)),
    )
    result = executor.run(ToolCall("transfer", {"amount": 1, "to": "Ann"}))
    assert result.error is not None
    assert (result.error.code, [problem.path for problem in result.error.problems]) == ("invalid_arguments", ["$.to"])
    assert asked == []
    assert [content for _, content in hook.after] == [result.content]


def test_the_approver_sees_the_call_as_the_hooks_have_changed_it() -> None:
    asked: list[Any] = []

    def approve(tool: Tool, call: ToolCall) -> bool:
        asked.append(call.arguments)
        return True

    tool = Tool.from_function(transfer, requires_approval=True)
    executor = Executor([tool], hooks=[Hook(to("Bob"))], approve=approve)
    assert executor.run(ToolCall("transfer", {"amount": 1, "to": "Ann"})).content == "1 to Bob"
    assert asked == [{"amount": 1, "to": "Bob"}]


def test_a_call_that_a_hook_denies_is_not_asked_about() -> None:
    asked: list[ToolCall] = []
    hook = Hook(lambda call: Deny("not today"))
    executor = Executor(
        [Tool.from_function(transfer, requires_approval=True)],
        hooks=[hook],
        approve=lambda tool, call: bool(asked.append(call)),
    )
    result = executor.run(ToolCall("transfer", {"amount": 1, "to": "Ann"}))
    assert result.content.endswith(": not today")
    assert (asked, len(hook.after)) == ([], 1)


@pytest.mark.parametrize("call", [None, ToolCall("nobody"), ToolCall("transfer", "{"), ToolCall("transfer", {})])
def test_hooks_do_not_see_calls_that_are_not_valid(call: object) -> None:
    hook = Hook(lambda call: Deny())
    result = Executor([transfer], hooks=[hook]).run(call)
    assert result.error is not None
    assert result.error.code != "denied"
    assert hook.after == []


def test_hooks_after_a_call_see_failed_results_too() -> None:
    def fail() -> None:
        """Fail."""
        raise ValueError("no luck")

    hook = Hook()
    executor = Executor([fail, Tool.from_function(transfer, requires_approval=True)], hooks=[hook])
    for call in (ToolCall("fail"), ToolCall("transfer", {"amount": 1, "to": "Ann"})):
        executor.run(call)
    (_, raised), (_, waiting) = hook.after
    assert raised.startswith("ValueError")
    assert waiting.startswith("transfer requires approval")


def test_an_object_that_is_not_a_hook_is_refused_when_the_executor_is_made() -> None:
    with pytest.raises(TypeError, match="implements no hook"):
        Executor([transfer], hooks=[transfer])


# --- what was decided ---------------------------------------------------------------------------------------------


class Doubling:
    """Changes arguments each time it is asked, which no hook should."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, Any]] = []

    @hookimpl
    def fc_before_call(self, call: ToolCall) -> ToolCall:
        self.seen.append(("before", call.arguments["amount"]))  # type: ignore[index]
        return ToolCall(call.name, {"amount": 2 * call.arguments["amount"]})  # type: ignore[index]

    @hookimpl
    def fc_after_call(self, call: ToolCall, result: ToolResult) -> None:
        self.seen.append(("after", result.ok))


class Guard:
    """Denies what is private, and writes down what it sees."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, Any]] = []

    @hookimpl
    def fc_before_call(self, call: ToolCall) -> Deny | None:
        self.seen.append(("before", call.arguments["amount"]))  # type: ignore[index]
        return Deny("private") if call.arguments["amount"] == 13 else None  # type: ignore[index]

    @hookimpl
    def fc_after_call(self, result: ToolResult) -> None:
        self.seen.append(("after", result.ok))


def transfer_tool(sent: list[int], **options: Any) -> Tool:
    def transfer(amount: int) -> str:
        sent.append(amount)
        return f"sent {amount}"

    return Tool.from_function(transfer, **options)


def test_a_prepared_call_that_a_hook_changes_after_approval_is_refused() -> None:
    """Otherwise it would run with arguments that the approver has not seen."""
    sent: list[int] = []
    tool = transfer_tool(sent, requires_approval=lambda arguments: arguments["amount"] > 100)
    executor = Executor(tool, hooks=[Doubling()])
    prepared = executor.prepare([{"name": "transfer", "arguments": {"amount": 40}}])
    assert prepared.waiting == ()
    (result,) = executor.resume(prepared)
    assert result.content == "transfer was not run: its arguments would differ from those that were approved"
    assert sent == []


@pytest.mark.parametrize("way", ["run", "resume"])
def test_arguments_that_an_approver_changed_are_shown_to_the_hooks(way: str) -> None:
    sent: list[int] = []
    guard = Guard()
    tool = transfer_tool(sent, requires_approval=True)
    executor = Executor(tool, hooks=[guard], approve=lambda tool, call: Approve({"amount": 13}))
    call = ToolCall("transfer", {"amount": 1}, "c1")
    if way == "run":
        result = executor.run(call)
    else:
        (result,) = executor.resume(executor.prepare([call]), {"c1": Approve({"amount": 13})})
    assert result.content.endswith(": private")
    assert sent == []
    assert guard.seen[-2:] == [("before", 13), ("after", False)]


@pytest.mark.parametrize("decisions", [{"c1": Deny("no")}, {}], ids=["denied", "undecided"])
def test_a_prepared_call_that_does_not_run_is_shown_to_the_hooks(decisions: dict[str, Any]) -> None:
    guard = Guard()
    executor = Executor(transfer_tool([], requires_approval=True), hooks=[guard])
    prepared = executor.prepare([ToolCall("transfer", {"amount": 1}, "c1")])
    (result,) = executor.resume(prepared, decisions)
    assert not result.ok
    assert result.tool is not None
    assert guard.seen == [("before", 1), ("after", False)]


def test_calls_that_the_policy_denies_are_shown_to_the_hooks_in_both_phases() -> None:
    for phases in (1, 2):
        guard = Guard()
        executor = Executor(transfer_tool([]), hooks=[guard], policy=Policy(deny=["transfer"]))
        call = ToolCall("transfer", {"amount": 1})
        result = executor.run(call) if phases == 1 else executor.resume(executor.prepare([call]))[0]
        assert result.error is not None
        assert result.error.code == "denied"
        assert guard.seen == [("before", 1), ("after", False)]


def test_for_a_call_that_is_cancelled_before_it_begins_no_hook_or_approver_is_asked() -> None:
    token, guard = CancellationToken(), Guard()
    token.cancel()
    asked: list[bool] = []
    tool = transfer_tool([], requires_approval=True)
    executor = Executor(tool, hooks=[guard], approve=lambda tool, call: asked.append(True) or True)
    results = executor.run_all([ToolCall("transfer", {"amount": 1})] * 3, cancellation=token)
    assert {result.error.code for result in results if result.error} == {"cancelled"}
    assert (asked, guard.seen) == ([], [])


def test_a_result_of_invalid_arguments_of_an_approver_has_the_approval() -> None:
    executor = Executor(
        transfer_tool([], requires_approval=True), approve=lambda tool, call: Approve({"amount": "many"})
    )
    result = executor.run(ToolCall("transfer", {"amount": 1}))
    assert result.error is not None
    assert result.approval is not None
    assert (result.approval.approved, result.approval.edited) == (True, True)
