"""Prepared calls: checked now and run later, in another process too, and only as the approver decided."""

from __future__ import annotations

import asyncio
import hmac
import json
import logging
import os
import re
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcregistry import Executor, Registry, Tool, ToolCall, ToolResult, hookimpl
from fcregistry.errors import ApprovalError
from fcregistry.execution import Approve, Content, Deny, Policy, PreparedCalls

KEY = b"a key that only the host's own processes know"
PNG = b"\x89PNG\r\n\x1a\n"

ran: list[tuple[str, Any]] = []


@pytest.fixture(autouse=True)
def _nothing_ran() -> None:
    ran.clear()


def delete(path: str, force: bool = False) -> str:
    """Delete a file.

    For good.
    """
    ran.append(("delete", path))
    return f"{path} is gone"


def pay(amount: Decimal) -> Decimal:
    """Pay."""
    ran.append(("pay", amount))
    return amount


def read(path: str) -> str:
    """Read a file."""
    ran.append(("read", path))
    return f"text of {path}"


TOOLS: list[Any] = [
    Tool.from_function(delete, requires_approval=True, title="Delete for good", destructive=True, read_only=False),
    Tool.from_function(pay, requires_approval=lambda arguments: arguments["amount"] > 100),
    read,
]
CALLS = [
    ToolCall("delete", {"path": "a"}, "1"),
    ToolCall("read", {"path": "b"}, "2"),
    ToolCall("pay", '{"amount": 100.00000000000000000001}', "3"),
    ToolCall("pay", '{"amount": 7}', "4"),
    ToolCall("delete", {"paths": "a"}, "5"),
    ToolCall("remove", {}, "6"),
]


def executor(**options: Any) -> Executor:
    return Executor(TOOLS, **options)


def carried(prepared: PreparedCalls, **options: Any) -> PreparedCalls:
    """Return prepared calls as another process reads them."""
    return PreparedCalls.from_json(prepared.to_json(key=KEY), key=KEY, **options)


def outcomes(results: list[ToolResult]) -> list[tuple[str | None, str]]:
    """Return the id of each call, and the code of its result."""
    return [(each.call.id if each.call else None, each.error.code if each.error else "ok") for each in results]


# --- preparing ------------------------------------------------------------------------------------


def test_preparing_runs_nothing_and_does_not_ask_the_approver() -> None:
    def approve(tool: Tool, call: ToolCall) -> bool:
        raise AssertionError("nobody is to be asked")

    prepared = executor(approve=approve).prepare(CALLS)
    assert ran == []
    assert len(prepared) == 6
    assert [each.id for each in prepared.waiting] == ["1", "3"]


@pytest.mark.parametrize("travels", [False, True])
def test_a_waiting_call_shows_what_an_approver_needs(travels: bool) -> None:
    prepared = executor().prepare(CALLS)
    first, second = (carried(prepared) if travels else prepared).waiting

    assert first.to_json() == {
        "id": "1",
        "name": "delete",
        "tool": "delete",
        "title": "Delete for good",
        "description": "Delete a file.",
        "arguments": {"path": "a"},
        "reason": "the tool requires approval",
        "hints": {"read_only": False, "destructive": True},
    }
    assert (second.reason, second.title, second.hints) == ("the tool requires approval of such arguments", None, {})
    json.dumps([first.to_json(), second.to_json()])


def test_a_waiting_call_as_text_shows_characters_that_nobody_sees() -> None:
    """The arguments themselves stay exact, since they run."""
    path = "a\u200b\u2062\U000e0041\u202e\u00ad"
    (waiting,) = executor().prepare([ToolCall("delete", {"path": path})]).waiting
    assert str(waiting) == (
        f'{waiting.tool} {{"path": "a\\u200b\\u2062\\U000e0041\\u202e\\xad"}}\n  the tool requires approval'
    )
    assert waiting.to_json()["arguments"]["path"] == path


def test_the_reason_of_a_waiting_call_names_the_policy() -> None:
    asking = executor(policy=Policy(ask=["r*"], deny=["pay"], default="ask"))
    prepared = asking.prepare(CALLS)
    assert [(each.id, each.reason) for each in prepared.waiting] == [
        ("1", "the policy asks about every call"),
        ("2", "the policy asks about r*"),
    ]
    assert outcomes(asking.resume(prepared))[2:4] == [("3", "denied"), ("4", "denied")]


def test_changing_a_waiting_call_does_not_change_the_call_that_runs() -> None:
    asking = executor()
    prepared = asking.prepare(CALLS)
    shown = prepared.waiting[0].arguments
    assert isinstance(shown, dict)
    shown["path"] = "/etc"
    arguments = {"path": "x"}
    other = asking.prepare([{"name": "delete", "arguments": arguments}])
    arguments["path"] = "/etc"

    asking.resume(prepared, {"1": Approve()})
    asking.resume(other, {"call-1": Approve()})
    assert [path for name, path in ran if name == "delete"] == ["a", "x"]


# --- resuming -------------------------------------------------------------------------------------


@pytest.mark.parametrize("travels", [False, True])
@pytest.mark.parametrize("is_async", [False, True])
def test_decisions_are_applied_and_all_results_are_in_order(travels: bool, is_async: bool) -> None:
    made = executor()
    prepared = made.prepare(CALLS)
    if travels:
        prepared = carried(prepared)
    decisions: dict[str, Approve | Deny | bool] = {"1": Deny("it is the only copy"), "3": Approve()}
    results = asyncio.run(made.aresume(prepared, decisions)) if is_async else made.resume(prepared, decisions)

    assert outcomes(results) == [
        ("1", "denied"),
        ("2", "ok"),
        ("3", "ok"),
        ("4", "ok"),
        ("5", "invalid_arguments"),
        ("6", "unknown_tool"),
    ]
    assert results[0].content.endswith(": it is the only copy")
    assert results[4].content == made.run(CALLS[4]).content
    assert results[5].content == made.run(CALLS[5]).content
    assert sorted(map(repr, ran)) == sorted(
        map(repr, [("read", "b"), ("pay", Decimal("100.00000000000000000001")), ("pay", Decimal(7))])
    )


@pytest.mark.parametrize("travels", [False, True])
def test_a_waiting_call_without_a_decision_does_not_run_even_if_the_executor_has_an_approver(travels: bool) -> None:
    made = executor(approve=lambda tool, call: True)
    prepared = made.prepare(CALLS[:2])
    results = made.resume(carried(prepared) if travels else prepared)
    assert outcomes(results) == [("1", "approval_required"), ("2", "ok")]
    assert results[0].content == "delete requires approval, which was not given; it was not run"


def test_true_and_false_are_decisions_too() -> None:
    made = executor()
    results = made.resume(made.prepare(CALLS[:3]), {"1": True, "3": False})
    assert outcomes(results) == [("1", "ok"), ("2", "ok"), ("3", "denied")]


@pytest.mark.parametrize("travels", [False, True])
def test_arguments_may_be_changed_and_are_validated_again(travels: bool) -> None:
    made = executor()
    calls = [ToolCall("delete", {"path": "a"}, "1"), ToolCall("delete", {"path": "a"}, "2")]
    prepared = made.prepare(calls)
    decisions = {"1": Approve({"path": "b"}), "2": Approve({"path": 1})}
    results = made.resume(carried(prepared) if travels else prepared, decisions)
    assert outcomes(results) == [("1", "ok"), ("2", "invalid_arguments")]
    assert results[1].error is not None
    assert [problem.path for problem in results[1].error.problems] == ["$.path"]
    assert ran == [("delete", "b")]


def test_the_result_has_the_repairs() -> None:
    made = executor(approve=lambda tool, call: True)
    call = {"name": "delete", "arguments": {"path": "a", "force": None}}
    prepared = carried(made.prepare([call]))
    assert prepared.waiting[0].arguments == {"path": "a"}
    (result,) = made.resume(prepared, {"call-1": Approve()})
    assert result.ok
    assert len(result.repairs) == 1
    assert result.repairs == made.run(call).repairs


@pytest.mark.parametrize("given", [None, [], "text", {"name": 1}, {"name": "delete", "arguments": "{cut", "id": "9"}])
def test_a_value_that_is_not_a_call_gives_the_same_result_as_in_run(given: object) -> None:
    made = executor()
    alone = made.run(given)
    (result,) = made.resume(carried(made.prepare([given])))
    assert result.to_json() == alone.to_json()


class InPlace:
    """A hook that denies every call, and answers in place of that."""

    def __init__(self, answer: Callable[[ToolResult], ToolResult]) -> None:
        self._answer = answer

    @hookimpl
    def fc_before_call(self) -> Deny:
        return Deny("not today")

    @hookimpl
    def fc_after_call(self, result: ToolResult) -> ToolResult:
        return self._answer(result)


@pytest.mark.parametrize(
    ("value", "later"),
    [("text", "text"), ({"n": Decimal("1.50")}, {"n": "1.50"}), (object(), None), (10**5000, None), (None, None)],
    ids=["text", "object", "formless", "long", "none"],
)
def test_a_result_that_a_hook_returns_in_place_of_a_failure_is_serialized(value: Any, later: Any) -> None:
    made = executor(hooks=[InPlace(lambda result: ToolResult(result.call, value, None, "stand-in", result.tool))])
    (result,) = made.resume(carried(made.prepare([CALLS[1]])))
    assert (result.ok, result.content, result.value) == (True, "stand-in", later)
    assert result.call is not None
    assert (result.call.name, result.call.id) == ("read", "2")


def test_content_that_a_hook_returns_is_serialized() -> None:
    def answer(result: ToolResult) -> ToolResult:
        seen = ToolResult(result.call, "seen", None, "seen", result.tool)
        return seen.with_content(["told", Content.image(PNG)])

    made = executor(hooks=[InPlace(answer)])
    (before,) = made.run_all([CALLS[1]])
    (result,) = made.resume(carried(made.prepare([CALLS[1]])))
    assert result.to_json() == before.to_json()
    assert result.blocks[1]["type"] == "image"
    assert (result.content, result.value) == ("told\n[image: image/png, 8 bytes]", "seen")


def test_a_text_that_a_hook_returns_in_place_of_an_error_is_serialized() -> None:
    made = executor(hooks=[InPlace(lambda result: result.with_content("ask an administrator"))])
    (result,) = made.resume(carried(made.prepare([CALLS[1]])))
    assert result.content == "ask an administrator"
    assert result.error is not None
    assert result.error.code == "denied"
    assert result.error.message.endswith(": not today")


def test_one_call_in_place_of_a_list_is_refused() -> None:
    with pytest.raises(TypeError, match="give a list of calls"):
        executor().prepare(CALLS[0])  # type: ignore[arg-type]


def test_an_empty_list_can_be_prepared_and_resumed() -> None:
    assert executor().resume(carried(executor().prepare([]))) == []


# --- names of calls -------------------------------------------------------------------------------


def test_calls_without_an_id_or_with_one_id_can_be_told_apart() -> None:
    made = executor()
    calls = [
        ToolCall("delete", {"path": path}, given) for path, given in zip("abcd", [None, "1", "1", None], strict=True)
    ]
    prepared = carried(made.prepare(calls))
    assert [each.id for each in prepared.waiting] == ["call-1", "1", "1-3", "call-4"]

    results = made.resume(prepared, {"1-3": Approve(), "call-4": Approve()})
    assert sorted(ran) == [("delete", "c"), ("delete", "d")]
    assert outcomes(results) == [  # what the provider called them is what it is told
        (None, "approval_required"),
        ("1", "approval_required"),
        ("1", "ok"),
        (None, "ok"),
    ]


@pytest.mark.parametrize("given", [1, float("nan"), ["1"], {"1": 1}, b"1", object()])
def test_an_id_that_is_not_a_string_is_ignored_and_does_not_affect_other_calls(given: Any) -> None:
    made = executor()
    prepared = carried(made.prepare([ToolCall("delete", {"path": "a"}, given), ToolCall("delete", {"path": "b"}, "2")]))
    assert [each.id for each in prepared.waiting] == ["call-1", "2"]
    assert [result.ok for result in made.resume(prepared, {"call-1": Approve(), "2": Approve()})] == [True, True]


@given(st.lists(st.none() | st.sampled_from(["", "1", "1-2", "1-3", "call", "call-1", "call-2"]), max_size=8))
def test_no_two_calls_have_one_key_and_the_first_call_of_an_id_has_the_id_as_its_key(ids: list[str | None]) -> None:
    keys = [each.id for each in executor().prepare([ToolCall("delete", {"path": "a"}, each) for each in ids]).waiting]
    assert len(set(keys)) == len(keys) == len(ids)
    for place, each in enumerate(ids):
        if each and each not in ids[:place]:
            assert keys[place] == each


# --- what is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("decisions", "message"),
    [
        (
            {"9": Approve()},
            "no call '9' waits for a decision; the waiting calls are '1', '3'",
        ),
        ({"2": Approve()}, "no call '2' waits for a decision; the waiting calls are '1', '3'"),
        (
            {"1": Approve(), "5": Deny()},
            "no call '5' waits for a decision; the waiting calls are '1', '3'",
        ),
    ],
)
def test_a_decision_about_a_call_that_does_not_wait_is_refused_and_nothing_runs(
    decisions: Mapping[str, Any], message: str
) -> None:
    made = executor()
    prepared = made.prepare(CALLS)
    with pytest.raises(ApprovalError) as caught:
        made.resume(prepared, decisions)
    assert str(caught.value) == message
    assert ran == []
    assert outcomes(made.resume(prepared, {"1": Approve()}))[0] == ("1", "ok")  # it was not used up


def test_a_decision_about_calls_of_which_none_waits_says_so() -> None:
    made = executor()
    with pytest.raises(ApprovalError, match="no call '2' waits for a decision; no call waits for one"):
        made.resume(made.prepare([CALLS[1]]), {"2": True})


def test_a_decision_by_a_call_and_not_by_its_id_is_refused() -> None:
    made = executor()
    prepared = made.prepare(CALLS)
    decisions: Any = {prepared.waiting[0]: Approve()}
    message = "decisions are by the ids of waiting calls: {'1': Approve(arguments=None)}, not by the calls"
    with pytest.raises(TypeError, match=f"^{re.escape(message)}$"):
        made.resume(prepared, decisions)


@pytest.mark.parametrize("decision", ["yes", 1, None, Approve, Deny, {"approve": True}])
def test_a_value_that_is_not_a_decision_is_refused(decision: Any) -> None:
    made = executor()
    with pytest.raises(TypeError, match=r"the decision about '1' must be Approve\(…\), Deny\(…\), True or False, not "):
        made.resume(made.prepare(CALLS), {"1": decision})
    assert ran == []


def test_prepared_calls_are_resumed_once() -> None:
    made = executor()
    prepared = made.prepare(CALLS)
    barrier, refused = threading.Barrier(4), []

    def resume() -> None:
        barrier.wait()
        try:
            made.resume(prepared, {"1": Approve()})
        except ApprovalError as error:
            refused.append(str(error))

    threads = [threading.Thread(target=resume) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert refused == [f"the prepared calls {prepared.id} were resumed already; prepare the calls again"] * 3
    assert [name for name, _ in ran].count("delete") == 1


def test_prepared_calls_keep_their_id_in_json() -> None:
    """So that a host that remembers it runs them once."""
    prepared = executor().prepare(CALLS)
    again = carried(prepared)
    assert (again.id, again.made) == (prepared.id, prepared.made)
    assert executor().prepare(CALLS).id != prepared.id
    assert repr(again) == f"<PreparedCalls {prepared.id}: 6 calls, 2 waiting>"


def test_prepared_calls_whose_text_was_changed_are_refused() -> None:
    text = executor().prepare(CALLS).to_json(key=KEY)
    for changed in (text.replace("path", "PATH", 1), text.replace('"3', '"4', 1)):
        with pytest.raises(ApprovalError, match="signed with another key, or changed since; nothing was run"):
            PreparedCalls.from_json(changed, key=KEY)


def test_prepared_calls_that_are_too_old_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    prepared = executor().prepare(CALLS)
    now = prepared.made
    monkeypatch.setattr("time.time", lambda: now + 60)
    assert len(carried(prepared, max_age=60)) == 6
    monkeypatch.setattr("time.time", lambda: now + 3600.4)
    assert len(carried(prepared)) == 6
    with pytest.raises(ApprovalError) as caught:
        carried(prepared, max_age=60)
    assert str(caught.value) == (
        "these calls were prepared 3600 seconds ago, but max_age is 60 seconds; prepare them again"
    )
    with pytest.raises(ApprovalError, match="but max_age is 1 second; prepare them again"):
        carried(prepared, max_age=1)


def test_calls_that_are_dated_in_the_future_have_no_known_age(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clocks of two machines may differ by a minute."""
    prepared = executor().prepare(CALLS)
    now = prepared.made
    monkeypatch.setattr("time.time", lambda: now - 59)
    assert len(carried(prepared, max_age=60)) == 6
    monkeypatch.setattr("time.time", lambda: now - 3600)
    assert len(carried(prepared)) == 6
    for max_age in (60, 10**9, float("inf")):
        with pytest.raises(ApprovalError) as caught:
            carried(prepared, max_age=max_age)
        assert str(caught.value) == (
            "these calls are dated 3600 seconds in the future, so their age is not known; "
            "compare the clocks of the machines; prepare them again"
        )


@pytest.mark.parametrize(
    ("max_age", "error", "message"),
    [
        (float("nan"), ValueError, "max_age must be at least 0 seconds, or None for any age, not nan"),
        (-1, ValueError, "max_age must be at least 0 seconds, or None for any age, not -1"),
        ("60", TypeError, "max_age must be a number of seconds, or None for any age, not str"),
        (True, TypeError, "max_age must be a number of seconds, or None for any age, not bool"),
    ],
)
def test_a_max_age_that_is_not_valid_is_refused(max_age: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=f"^{message}$"):
        carried(executor().prepare(CALLS), max_age=max_age)


@pytest.mark.parametrize("made", ["2026-01-31T12:00:00", None, True])
def test_calls_without_a_date_have_no_known_age(made: Any) -> None:
    """Another program that knows the key has signed them, with something else in place of the date."""
    written = json.loads(executor().prepare(CALLS).to_json(key=KEY))
    written["payload"] = json.dumps({**json.loads(written["payload"]), "made": made})
    signed = f"{written['format']}\n{written['payload']}".encode()
    written["signature"] = hmac.new(KEY, signed, "sha256").hexdigest()
    with pytest.raises(ApprovalError, match="these calls do not say when they were prepared; prepare them again"):
        PreparedCalls.from_json(json.dumps(written), key=KEY, max_age=60)


# --- another process, another day -----------------------------------------------------------------


def test_a_tool_that_has_changed_or_was_removed_is_not_run_and_the_others_are() -> None:
    def changed(path: str, trash: bool = True) -> str:
        """Delete a file."""
        return delete(path)

    prepared = executor().prepare([*CALLS[:2], ToolCall("pay", {"amount": 500}, "3")])
    later = Executor([Tool.from_function(changed, name="delete", requires_approval=True), read])
    results = later.resume(carried(prepared), {"1": Approve(), "3": Approve()})
    assert outcomes(results) == [("1", "unavailable"), ("2", "ok"), ("3", "unavailable")]
    assert [results[0].content, results[2].content] == [
        "delete has changed since the call was made; it was not run. Look at its parameters, and call it again",
        "pay no longer exists; it was not run",
    ]
    assert ran == [("read", "b")]


def test_another_tool_of_that_name_and_schema_is_another_tool() -> None:
    shelf = Registry()
    shelf.register(delete, group="archive", requires_approval=True)
    prepared = executor().prepare(CALLS[:1])
    results = Executor(["archive.delete"], registry=shelf).resume(carried(prepared), {"1": Approve()})
    assert outcomes(results) == [("1", "unavailable")]


def test_a_call_that_the_policy_denies_by_now_does_not_run_whatever_was_decided() -> None:
    prepared = executor().prepare(CALLS[:2])
    strict = executor(policy=Policy(deny=["delete"], ask=["read"]))
    results = strict.resume(carried(prepared), {"1": Approve()})
    assert outcomes(results) == [("1", "denied"), ("2", "approval_required")]
    assert ran == []


def test_a_tool_whose_environment_is_gone_is_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACME_KEY", "1")
    made = Executor([Tool.from_function(read, requires_env="ACME_KEY")])
    prepared = made.prepare([CALLS[1]])
    monkeypatch.delenv("ACME_KEY")
    assert outcomes(made.resume(prepared)) == [("2", "unavailable")]


def test_calls_are_prepared_in_one_process_decided_about_in_a_second_and_run_in_a_third(tmp_path: Path) -> None:
    """The second has no tools, and needs none."""
    (tmp_path / "shop.py").write_text(
        textwrap.dedent("""
            from fcregistry import Executor, Tool
            from fcregistry.execution import Approve, PreparedCalls

            KEY = b"0123456789abcdef"

            def order(dish: str, count: int = 1) -> str:
                "Order a dish."
                return f"{count} of {dish}"

            def executor():
                return Executor([Tool.from_function(order, requires_approval=True)])
        """)
    )

    def process(code: str, given: str = "") -> str:
        done = subprocess.run(
            [sys.executable, "-c", f"import sys; from shop import *; {code}"],
            input=given,
            capture_output=True,
            text=True,
            check=True,
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])},
        )
        return done.stdout

    text = process(
        'print(executor().prepare([{"name": "order", "arguments": {"dish": "soup"}, "id": "1"}]).to_json(key=KEY))'
    )
    shown = process("print(PreparedCalls.from_json(sys.stdin.read(), key=KEY).waiting[0].arguments)", text)
    assert shown == "{'dish': 'soup'}\n"
    answer = process(
        "p = PreparedCalls.from_json(sys.stdin.read(), key=KEY); "
        "print(executor().resume(p, {'1': Approve({'dish': 'soup', 'count': 2})})[0].content)",
        text,
    )
    assert answer == "2 of soup\n"


# --- what is kept of it ---------------------------------------------------------------------------


def test_the_approver_is_logged_and_never_shown_to_the_model(caplog: pytest.LogCaptureFixture) -> None:
    made = executor()
    with caplog.at_level(logging.INFO, logger="fcregistry.approvals"):
        results = made.resume(made.prepare(CALLS[:3]), {"1": Approve({"path": "z"}), "3": Deny("no")}, by="Ann")

    records = [each for each in caplog.records if each.name == "fcregistry.approvals"]
    assert [each.getMessage() for each in records] == ["delete was approved by 'Ann'", "pay was denied by 'Ann'"]
    assert records[0].__dict__["fcregistry"] == {
        "tool": "delete",
        "call_id": "1",
        "approved": True,
        "edited": True,
        "by": "Ann",
        "rule": "the tool requires approval",
        "reason": None,
    }
    assert records[1].__dict__["fcregistry"]["reason"] == "no"
    assert not any("Ann" in json.dumps(each.to_json()) for each in results)


# --- writing arguments ----------------------------------------------------------------------------

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(JSON)
def test_arguments_arrive_as_the_json_they_are(value: Any) -> None:
    def give(value: Any) -> Any:
        """Give a value."""
        return value

    made = Executor(give)
    (result,) = made.resume(carried(made.prepare([ToolCall("give", {"value": value})])))
    assert result.value == value


@given(st.decimals(allow_nan=False, allow_infinity=False))
def test_a_number_keeps_its_digits(number: Decimal) -> None:
    written = f"{number:f}" if "." in f"{number:f}" else f"{number:f}.0"
    made = Executor(pay)
    (result,) = made.resume(carried(made.prepare([ToolCall("pay", f'{{"amount": {written}}}')])))
    assert f"{result.value:f}" == written


def test_a_number_with_too_many_digits_gives_a_failed_result() -> None:
    def count(number: int) -> None:
        """Count."""

    made = Executor([count])
    (result,) = made.resume(made.prepare([{"name": "count", "arguments": {"number": 10**5000}}]))
    assert result.error is not None
    assert (result.error.code, result.content) == (
        "malformed_call",
        "the arguments contain a number that has too many digits to be written",
    )
