"""Calls that need approval whatever a policy allows: the option `always_ask`."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from fcregistry import Executor, Tool, ToolCall
from fcregistry.execution import Policy

REASON = "the mode decides what an agent may do"
POLICIES = {
    "none": None,
    "default": Policy(default="allow"),
    "by name": Policy(allow=["write"]),
    "by pattern, of all": Policy(allow=["*"], default="deny"),
    "the author decides": Policy(),
}


def write(name: str, value: str = "") -> str:
    """Write a setting."""
    return f"{name}={value}"


def read() -> str:
    """Read the name of a setting."""
    return "color"


def why(arguments: Mapping[str, Any]) -> str | None:
    return REASON if arguments["name"] == "mode" else None


def executor(approve: Any = None, policy: Policy | None = None, **options: Any) -> Executor:
    return Executor([Tool.from_function(write, **{"always_ask": why, **options}), read], approve=approve, policy=policy)


MODE, COLOR = (ToolCall("write", {"name": name}, name) for name in ("mode", "color"))


@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
def test_no_policy_lets_a_call_run_that_always_needs_approval(policy: Policy | None) -> None:
    unattended = executor(policy=policy)
    for _ in range(2):  # also when the tool was called before
        assert unattended.run(COLOR).value == "color="
        result = unattended.run(MODE)
        assert result.error is not None
        assert result.error.code == "approval_required"
        assert result.content == f"write requires approval, and there is no approver; it was not run: {REASON}"
    assert [each.ok for each in asyncio.run(unattended.arun_all([MODE, COLOR]))] == [False, True]

    asked: list[Any] = []
    attended = executor(lambda tool, call: bool(asked.append(call.arguments)), policy)
    assert attended.run(COLOR).ok
    result = attended.run(MODE)
    assert asked == [{"name": "mode"}]
    assert result.approval is not None
    assert (result.approval.approved, result.approval.rule) == (False, REASON)
    assert executor(lambda tool, call: True, policy).run(MODE).ok


def test_a_policy_can_still_deny_and_ask() -> None:
    assert executor(lambda tool, call: True, Policy(deny=["write"])).run(MODE).content == (
        "write is not allowed here; it was not run"
    )
    asking = executor(policy=Policy(ask=["write"]))
    assert [each.ok for each in asking.run_all([MODE, COLOR])] == [False, False]


def test_the_reason_is_shown_with_the_waiting_call() -> None:
    prepared = executor(policy=Policy(default="allow")).prepare([MODE, COLOR])
    assert [(each.id, each.reason) for each in prepared.waiting] == [("mode", REASON)]


def test_requires_approval_still_applies_to_other_calls() -> None:
    for policy, code in ((None, "approval_required"), (Policy(allow=["write"]), None)):
        result = executor(policy=policy, requires_approval=True).run(COLOR)
        assert (result.error and result.error.code) == code


def test_a_call_with_arguments_that_are_not_known_yet_needs_approval() -> None:
    asked: list[Any] = []
    attended = executor(lambda tool, call: not asked.append(call.arguments), Policy(default="allow"))
    assert attended.run_expression("write(read())").value == "color="
    assert asked == [{"name": {"$result": "call-1"}}]
    result = executor(policy=Policy(default="allow")).run_expression("write(read())")
    assert result.error is not None
    assert result.error.code == "approval_required"


def test_a_call_is_denied_if_the_function_fails() -> None:
    async def never(arguments: Mapping[str, Any]) -> None:
        return None

    result = executor(lambda tool, call: True, Policy(default="allow"), always_ask=never).run(COLOR)
    assert result.error is not None
    assert result.error.code == "denied"
    assert (
        str(result.error.exception) == "always_ask must be a plain function of the arguments, not a coroutine function"
    )
