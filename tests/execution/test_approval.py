"""Approval of calls: only True or Approve lets a call run, with the arguments that the approver saw."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

import pytest

from fcregistry import Executor, Registry, Tool, ToolCall, ToolResult, fc_register, registry
from fcregistry.errors import ToolError, ToolNotFoundError
from fcregistry.execution import Approve, Deny

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
    """Return the results of a tool that needs approval, from each method of the executor."""
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


def test_without_an_approver_a_call_that_needs_approval_is_refused() -> None:
    given = results()

    assert codes(given) == {"approval_required"}
    assert deleted == []


def test_for_a_tool_that_needs_no_approval_the_approver_is_not_asked() -> None:
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
def test_only_true_approves_a_call(answer: Any, code: str, is_async: bool) -> None:
    async def aapprove(tool: Tool, call: ToolCall) -> Any:
        await asyncio.sleep(0)
        return answer

    def approve(tool: Tool, call: ToolCall) -> Any:
        return answer

    given = results(aapprove if is_async else approve)
    assert codes(given) == {code}
    assert deleted == ([["a", "b"]] * 6 if code == "ok" else [])


def test_the_log_and_the_error_say_that_an_approver_returned_no_decision(caplog: pytest.LogCaptureFixture) -> None:
    def approve(tool: Tool, call: ToolCall) -> Any:
        return "yes"

    executor = Executor([Tool.from_function(delete, requires_approval=True)], approve=approve)
    result = executor.run(CALL)
    why = "the approver of delete returned str, not Approve(…), Deny(…), True or False, so the call was denied"
    assert [record.getMessage() for record in caplog.records if record.name == "fcregistry"] == [why]
    assert result.error is not None
    assert str(result.error.exception) == why
    assert result.content == "the call of delete was denied; it was not run"


@pytest.mark.parametrize("is_async", [False, True])
def test_a_call_is_denied_if_its_approver_raises(is_async: bool, caplog: pytest.LogCaptureFixture) -> None:
    """The model does not read the reason; the log has it."""
    failure = RuntimeError("the secret of the dialog")

    async def aapprove(tool: Tool, call: ToolCall) -> bool:
        raise failure

    def approve(tool: Tool, call: ToolCall) -> bool:
        raise failure

    given = results(aapprove if is_async else approve)
    assert codes(given) == {"denied"}
    assert "secret" not in given[0].content
    assert all(result.error and result.error.exception is failure for result in given)
    records = [each for each in caplog.records if each.name == "fcregistry"]
    assert {each.getMessage() for each in records} == {"the approver of delete failed, so the call was denied"}
    assert all(each.exc_info and each.exc_info[1] is failure for each in records)
    assert deleted == []


def test_the_approver_gets_the_tool_and_the_validated_call() -> None:
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


def test_the_approver_cannot_change_the_arguments_by_mutating_them() -> None:
    def approve(tool: Tool, call: ToolCall) -> bool:
        assert isinstance(call.arguments, dict)
        change_everything(call.arguments)
        return True

    given = results(approve)
    assert codes(given) == {"ok"}
    assert deleted == [["a", "b"]] * 6
    assert given[0].arguments == {"paths": ["a", "b"]}
    assert CALL["arguments"] == {"paths": ["a", "b"]}


def test_the_caller_cannot_change_the_arguments_while_the_approver_is_asked() -> None:
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
def test_a_predicate_of_the_arguments_decides_whether_approval_is_needed_and_fails_closed(
    predicate: Callable[[Mapping[str, Any]], bool], code: str
) -> None:
    assert codes(results(requires_approval=predicate)) == {code}
    assert bool(deleted) is (code == "ok")


@pytest.mark.parametrize("option", ["requires_approval", "always_ask"])
def test_a_predicate_that_raises_is_named(option: str, caplog: pytest.LogCaptureFixture) -> None:
    """No approver is blamed; the log has the traceback, and a model reads the exception if errors are exposed."""
    executor = Executor([Tool.from_function(delete, **{option: lambda arguments: arguments["pathes"]})])
    assert executor.run(CALL).content == f"delete was not run: {option}=… of the tool raised KeyError: 'pathes'"
    (record,) = [each for each in caplog.records if each.name == "fcregistry"]
    assert record.getMessage() == f"{option}=… of delete raised KeyError: 'pathes', so the call was denied"
    assert record.exc_info
    assert isinstance(record.exc_info[1], KeyError)
    assert deleted == []


def test_what_a_predicate_raises_follows_expose_errors() -> None:
    def content(error: Exception) -> str:
        def predicate(arguments: Mapping[str, Any]) -> bool:
            raise error

        tool = Tool.from_function(delete, requires_approval=predicate)
        return Executor([tool], expose_errors="tool-errors").run(CALL).content

    assert content(OSError("db.internal")) == "delete was not run: requires_approval=… of the tool failed"
    assert content(ToolError("the rules are being renewed")) == "delete was not run: the rules are being renewed"


def test_a_predicate_cannot_change_the_arguments_by_mutating_them() -> None:
    def predicate(arguments: Mapping[str, Any]) -> bool:
        change_everything(arguments)
        return False

    assert codes(results(requires_approval=predicate)) == {"ok"}
    assert deleted == [["a", "b"]] * 6


def test_requires_approval_does_not_change_the_schema() -> None:
    tool = Tool.from_function(delete, requires_approval=True)
    executor = Executor([tool])

    assert list(tool.parameters["properties"]) == ["paths", "force"]
    result = executor.run({"name": "delete", "arguments": {"paths": ["a"], "allow_unsafe": True, "approved": True}})
    assert codes([result]) == {"invalid_arguments"}
    assert codes([executor.run({"name": "delete", "arguments": {"paths": ["a"], "force": True}})]) == {
        "approval_required"
    }
    assert deleted == []


def test_an_async_approver_can_be_asked_inside_a_running_loop() -> None:
    async def approve(tool: Tool, call: ToolCall) -> bool:
        await asyncio.sleep(0)
        return True

    executor = Executor([Tool.from_function(delete, requires_approval=True)], approve=approve)

    async def scenario() -> ToolResult:
        return executor.run(CALL)

    assert asyncio.run(scenario()).ok


# --- functions given as objects -------------------------------------------------------------------


class Disk:
    @fc_register(requires_approval=True)
    def wipe(self) -> str:
        """Wipe it."""
        return "wiped"


def test_a_decorated_method_given_as_an_object_keeps_its_options() -> None:
    result = Executor([Disk().wipe]).run({"name": "wipe"})
    assert result.error is not None
    assert result.error.code == "approval_required"


def test_a_declared_function_keeps_its_options_in_every_registry() -> None:
    def erase() -> str:
        return "erased"

    fc_register("tool", requires_approval=True)(erase)
    try:
        for given in (None, Registry()):
            result = Executor([erase], registry=given).run({"name": "erase"})
            assert result.error is not None
            assert result.error.code == "approval_required"
    finally:
        registry.remove("erase")


def test_a_disabled_function_cannot_be_given_as_an_object(monkeypatch: pytest.MonkeyPatch) -> None:
    def erase() -> str:
        return "erased"

    fc_register("tool")(erase)
    try:
        monkeypatch.setenv("FCREGISTRY_DISABLE", "erase")
        with pytest.raises(ToolNotFoundError, match="FCREGISTRY_DISABLE names erase"):
            Executor([erase])
    finally:
        monkeypatch.undo()
        registry.remove("erase")


# --- callbacks that end things --------------------------------------------------------------------


@pytest.mark.parametrize("ending", [SystemExit("quit"), asyncio.CancelledError(), GeneratorExit()])
def test_an_approver_that_raises_system_exit_or_cancelled_error_denies_the_call(ending: BaseException) -> None:
    """In particular, it does not end the loop that all async tools share."""

    def plain(tool: Tool, call: ToolCall) -> bool:
        raise ending

    async def asynchronous(tool: Tool, call: ToolCall) -> bool:
        raise ending

    async def nap() -> str:
        return "rested"

    for approve in (plain, asynchronous):
        answers = results(approve)
        assert [each.error and each.error.code for each in answers] == ["denied"] * len(answers)
    assert deleted == []
    assert Executor([nap]).run({"name": "nap"}).value == "rested"


def test_an_approver_that_is_not_callable_is_refused_at_once() -> None:
    with pytest.raises(TypeError, match="approve must be a function of the tool and the call, not True"):
        Executor([delete], approve=True)  # type: ignore[arg-type]


# --- answers with more to say ---------------------------------------------------------------------


def answering(answer: Any, is_async: bool) -> Any:
    """Return a callback that gives an answer."""

    async def asynchronous(tool: Tool, call: ToolCall) -> Any:
        return answer

    def plain(tool: Tool, call: ToolCall) -> Any:
        return answer

    return asynchronous if is_async else plain


@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize(
    ("answer", "code", "end"),
    [
        (Approve(), "ok", "2"),
        (Approve, "denied", ""),
        (Deny(), "denied", ""),
        (Deny("use the trash"), "denied", ": use the trash"),
    ],
)
def test_the_model_reads_the_reason_of_a_denial(answer: Any, code: str, end: str, is_async: bool) -> None:
    given = results(answering(answer, is_async))
    assert codes(given) == {code}
    assert all(result.content.endswith(end) for result in given)
    assert bool(deleted) is (code == "ok")


@pytest.mark.parametrize("is_async", [False, True])
def test_an_approver_may_change_the_arguments_and_is_not_asked_again(is_async: bool) -> None:
    asked: list[ToolCall] = []
    change = answering(Approve({"paths": ["c"]}), is_async)

    def approve(tool: Tool, call: ToolCall) -> Any:
        asked.append(call)
        return change(tool, call)

    given = results(approve)
    assert codes(given) == {"ok"}
    assert deleted == [["c"]] * 6
    assert given[0].arguments == {"paths": ["c"]}
    assert asked == [ToolCall("delete", {"paths": ["a", "b"]}, "7")] * 6


@pytest.mark.parametrize("is_async", [False, True])
def test_changed_arguments_are_validated_again(is_async: bool) -> None:
    given = results(answering(Approve({"paths": "c", "sudo": True}), is_async))
    assert codes(given) == {"invalid_arguments"}
    assert given[0].error is not None
    assert [problem.path for problem in given[0].error.problems] == ["$.paths", "$.sudo"]
    assert deleted == []


def test_changed_arguments_without_a_json_form_are_refused() -> None:
    given = results(answering(Approve({"paths": [b"c"]}), False))
    assert codes(given) == {"invalid_arguments"}
    assert "$.paths[0] is a Python bytes" in given[0].content


@pytest.mark.parametrize("arguments", ["{}", ["a"], 1, True])
def test_approve_refuses_arguments_that_are_not_a_mapping(arguments: Any) -> None:
    with pytest.raises(
        TypeError, match="arguments of Approve must be a dict of all arguments of the call, or None, not"
    ):
        Approve(arguments)


@pytest.mark.parametrize("reason", [None, 1, ["no"]])
def test_deny_refuses_a_reason_that_is_not_a_string(reason: Any) -> None:
    with pytest.raises(TypeError, match="the reason of Deny must be a string, not"):
        Deny(reason)


# --- what is shown --------------------------------------------------------------------------------


def test_a_predicate_gets_the_same_exact_number_as_the_tool() -> None:
    """A float would show the predicate a smaller number than the tool gets."""
    seen: list[Decimal] = []
    paid: list[Decimal] = []

    def needs(arguments: Mapping[str, Any]) -> bool:
        seen.append(arguments["amount"])
        return bool(arguments["amount"] > 100)

    def pay(amount: Decimal) -> None:
        """Pay."""
        paid.append(amount)

    executor = Executor([Tool.from_function(pay, requires_approval=needs)])
    above = executor.run({"name": "pay", "arguments": '{"amount": 100.00000000000000000001}'})
    below = executor.run({"name": "pay", "arguments": '{"amount": 99.99999999999999999999}'})
    assert (codes([above]), codes([below])) == ({"approval_required"}, {"ok"})
    assert seen == [Decimal("100.00000000000000000001"), Decimal("99.99999999999999999999")]
    assert paid == seen[1:]


def test_a_predicate_that_is_a_coroutine_function_denies_the_call() -> None:
    async def never(arguments: Mapping[str, Any]) -> bool:
        return False

    given = results(lambda tool, call: True, requires_approval=never)
    assert codes(given) == {"denied"}
    assert given[0].error is not None
    assert str(given[0].error.exception) == (
        "requires_approval must be a plain function of the arguments, not a coroutine function"
    )


def test_an_approve_timeout_that_is_not_a_number_of_seconds_is_refused() -> None:
    for wrong in (0, -1, float("inf"), float("nan"), "5", True):
        with pytest.raises(ValueError, match="approve_timeout must be a number of seconds above 0, not"):
            Executor([delete], approve_timeout=wrong)  # type: ignore[arg-type]
