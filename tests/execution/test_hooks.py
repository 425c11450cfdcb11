"""What do hooks do to a call? They see it, change it or stop it, in their order; one that fails lets nothing through."""

from __future__ import annotations

import logging
from collections.abc import Callable
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fcregistry import Executor, Tool, ToolCall, ToolResult
from fcregistry._content import Output
from fcregistry.errors import PluginError, ToolError
from fcregistry.execution import Approve, CallError, Content, Deny
from fcregistry.execution._hooks import CallHook, ClosedHooks, HookChain
from fcregistry.execution._reading._arguments import read_arguments


def greet(name: str, words: list[str] | None = None) -> str:
    """Greet somebody."""
    return f"Hello {name}"


def refuse() -> str:
    """Refuse."""
    raise ToolError("not on Sundays", retryable=True, retry_after=3)


TOOL = Tool.from_function(greet)
REFUSING = Tool.from_function(refuse)
CALL = ToolCall("greet", {"name": "Ann", "words": ["a"]}, "call_1")


def result_of(call: ToolCall = CALL, tool: Tool = TOOL) -> ToolResult:
    """Return what really came of a call."""
    return Executor([tool]).run(call)


def before(*answers: Any) -> HookChain:
    """Return hooks of which each gives an answer before a call, or raises it."""
    return HookChain([CallHook(label=f"hook {place}", before=_giving(each)) for place, each in enumerate(answers)])


def after(*answers: Any) -> HookChain:
    """Return hooks of which each gives an answer after a call, or raises it."""
    return HookChain([CallHook(label=f"hook {place}", after=_giving(each)) for place, each in enumerate(answers)])


def _giving(answer: Any) -> Callable[..., Any]:
    def hook(*arguments: Any) -> Any:
        if isinstance(answer, BaseException):
            raise answer
        return answer(*arguments) if callable(answer) else answer

    return hook


# Before


def test_hooks_that_say_nothing_leave_the_call_as_it_is() -> None:
    assert before(None, None).before(TOOL, CALL) is None
    assert after(None).before(TOOL, CALL) is None


def test_the_first_is_asked_first_before_a_call_and_last_after_it() -> None:
    """As layers around the tool: who sees the call first sees the result last."""
    asked: list[str] = []

    def layer(name: str) -> CallHook:
        return CallHook(
            label=name,
            before=lambda tool, call: asked.append(f"{name} before {tool.name}"),
            after=lambda tool, call, result: asked.append(f"{name} after {result.content}"),
        )

    hooks = HookChain([layer("outer"), layer("inner")])
    assert hooks.before(TOOL, CALL) is None
    result = result_of()
    assert hooks.after(TOOL, CALL, result) is result
    assert asked == ["outer before greet", "inner before greet", "inner after Hello Ann", "outer after Hello Ann"]


def test_a_hook_changes_arguments_and_the_next_one_sees_them() -> None:
    seen: list[ToolCall] = []
    hooks = before(
        lambda tool, call: ToolCall(call.name, {**call.arguments, "name": "Bob"}),
        lambda tool, call: seen.append(call),
    )
    assert hooks.before(TOOL, CALL) == ToolCall("greet", '{"name":"Bob","words":["a"]}', "call_1")
    assert seen == [ToolCall("greet", {"name": "Bob", "words": ["a"]}, "call_1")]


def test_the_first_denial_ends_it_and_its_reason_reaches_the_model() -> None:
    asked: list[object] = []
    error = before(None, Deny("Bob is\x1b[31m away"), lambda tool, call: asked.append(call)).before(TOOL, CALL)
    assert isinstance(error, CallError)
    assert (error.code, error.text) == ("denied", "the call of greet was denied; it was not run: Bob is away")
    assert asked == []


def test_a_denial_needs_no_reason() -> None:
    error = before(Deny()).before(TOOL, CALL)
    assert isinstance(error, CallError)
    assert error.text == "the call of greet was denied; it was not run"


def test_what_a_hook_does_to_what_it_is_shown_changes_nothing() -> None:
    """Neither the call, nor what the next hook sees, nor, later, what it returned itself."""
    kept: list[dict[str, Any]] = []

    def spoil(tool: Tool, call: ToolCall) -> None:
        call.arguments["name"] = "Mallory"  # type: ignore[index]
        call.arguments["words"].append("b")  # type: ignore[index, call-overload]

    def keep(tool: Tool, call: ToolCall) -> ToolCall:
        kept.append(dict(call.arguments))  # type: ignore[arg-type]
        return ToolCall(call.name, kept[0])

    changed = before(spoil, keep).before(TOOL, CALL)
    kept[0]["name"] = "Mallory"
    kept[0]["words"].append("b")
    assert CALL.arguments == {"name": "Ann", "words": ["a"]}
    assert changed == ToolCall("greet", '{"name":"Ann","words":["a"]}', "call_1")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [(None, "{}"), ("{}", "{}"), ('{"name": "Bob"}', '{"name": "Bob"}'), (MappingProxyType({"a": 1}), '{"a":1}')],
)
def test_a_hook_gives_arguments_in_any_of_the_ways_of_a_call(arguments: Any, text: str) -> None:
    assert before(ToolCall("greet", arguments)).before(TOOL, CALL) == ToolCall("greet", text, "call_1")


def test_numbers_keep_their_digits_on_the_way_through_a_hook() -> None:
    """Also where the hook changes another argument: a Decimal is made of what the model wrote."""
    seen: list[Any] = []
    hooks = before(
        lambda tool, call: ToolCall(call.name, {**call.arguments, "to": "Bob"}),
        lambda tool, call: seen.append(call.arguments),
    )
    written, _ = read_arguments('{"amount": 0.10000000000000000001, "to": "Ann"}', exact=True)
    changed = hooks.before(TOOL, ToolCall("transfer", written))
    assert changed == ToolCall("transfer", '{"amount":0.10000000000000000001,"to":"Bob"}')
    assert seen[0]["amount"].text == "0.10000000000000000001"


@given(
    st.one_of(
        st.booleans(),
        st.text(),
        st.integers(),
        st.binary(),
        st.dictionaries(st.text(), st.integers()),
        st.builds(ToolCall, st.text().filter(lambda name: name != "greet"), st.dictionaries(st.text(), st.text())),
        st.builds(ToolCall, st.just("greet"), st.one_of(st.sets(st.integers()), st.binary(), st.floats())),
        st.builds(Exception, st.text()),
    )
)
@settings(max_examples=100)
def test_nothing_but_what_is_documented_lets_a_call_through(answer: object) -> None:
    assert isinstance(before(answer).before(TOOL, CALL), CallError)


async def _coroutine() -> None:
    """Be what a coroutine function returns."""


WRONG_BEFORE: dict[str, tuple[Any, str]] = {
    "it raises": (KeyError("secret"), "KeyError: 'secret'"),
    "it ends the process": (SystemExit(1), "SystemExit: 1"),
    "it says no in a way of its own": (False, "fc_before_call returns None, a ToolCall or Deny('why'), not bool"),
    "it says yes in a way of its own": (True, "fc_before_call returns None, a ToolCall or Deny('why'), not bool"),
    "it answers like an approver": (Approve(), "fc_before_call returns None, a ToolCall or Deny('why'), not Approve"),
    "it is a coroutine function": (lambda tool, call: _coroutine(), "not a coroutine: hooks are plain functions"),
    "it calls another tool": (ToolCall("delete", {}), "it was given greet, and returned another"),
    "it returns no JSON": (ToolCall("greet", {"name": {1, 2}}), "set is not JSON serializable"),
    "it returns no object": (ToolCall("greet", "[]"), "the arguments must be a JSON object"),
    "it returns what is no number of JSON": (ToolCall("greet", {"name": float("nan")}), "NaN is no JSON number"),
    "it returns a name that is none": (ToolCall("greet", {1: "one"}), "JSON"),  # type: ignore[dict-item]
}


@pytest.mark.parametrize("how", WRONG_BEFORE)
def test_a_hook_that_fails_before_a_call_refuses_it(how: str, caplog: pytest.LogCaptureFixture) -> None:
    """The reason is the developer's: it is in the log, with the hook's name, and not in what the model reads."""
    answer, reason = WRONG_BEFORE[how]
    error = before(None, answer, None).before(TOOL, CALL)
    assert isinstance(error, CallError)
    assert (error.code, error.text) == ("denied", "greet was not run: a check before it failed")
    assert error.exception is not None
    [record] = caplog.records
    assert (record.name, record.levelno) == ("fcregistry", logging.ERROR)
    assert record.getMessage() == "the hook hook 1 failed before a call of greet, which was refused"
    assert record.exc_info is not None
    assert reason in f"{type(record.exc_info[1]).__name__}: {record.exc_info[1]}"


def test_an_interrupt_in_a_hook_is_the_users() -> None:
    with pytest.raises(KeyboardInterrupt):
        before(KeyboardInterrupt()).before(TOOL, CALL)
    with pytest.raises(KeyboardInterrupt):
        after(KeyboardInterrupt()).after(TOOL, CALL, result_of())


# After


def test_a_hook_puts_another_result_in_place_and_the_next_one_sees_it() -> None:
    result, seen = result_of(), []

    def quieter(tool: Tool, call: ToolCall, result: ToolResult) -> ToolResult:
        return ToolResult(result.call, result.value, None, "Hello …", result.tool, result.arguments)

    hooks = after(lambda tool, call, result: seen.append(result), quieter)
    told = hooks.after(TOOL, CALL, result)
    assert (told.content, told.value, told.ok) == ("Hello …", "Hello Ann", True)
    assert seen == [told]


def test_a_denial_after_a_call_withholds_its_result() -> None:
    """The code says that the tool did run: nobody who reads it calls the tool again for its effect."""
    told = after(Deny("it names a customer")).after(TOOL, CALL, result_of())
    assert told.value is None
    assert told.error is not None
    assert told.error.code == "unencodable_result"
    assert told.content == "greet ran, but its result is withheld: it names a customer"


def test_a_denial_after_a_failure_withholds_why_and_keeps_the_code() -> None:
    call = ToolCall("refuse", {}, "call_1")
    told = after(Deny()).after(REFUSING, call, result_of(call, REFUSING))
    assert told.error is not None
    assert (told.error.code, told.error.retryable, told.error.retry_after) == ("tool_failed", True, 3)
    assert told.content == "refuse was not carried out (tool_failed); its result is withheld"


WRONG_AFTER: dict[str, tuple[Any, str]] = {
    "it raises": (KeyError("secret"), "KeyError: 'secret'"),
    "it returns a text": ("Hello", "fc_after_call returns None, a ToolResult or Deny('why'), not str"),
    "it is a coroutine function": (lambda *_: _coroutine(), "not a coroutine: hooks are plain functions"),
    "it returns a result of another call": (
        lambda tool, call, result: ToolResult(ToolCall("greet", {}, "call_2"), tool=tool),
        "keep result.call and result.tool",
    ),
    "it returns a result of no tool": (lambda tool, call, result: ToolResult(result.call), "keep result.call"),
    "it returns a result of no call": (lambda tool, call, result: ToolResult(None, tool=tool), "keep result.call"),
}


@pytest.mark.parametrize("how", WRONG_AFTER)
def test_a_hook_that_fails_after_a_call_withholds_the_result(how: str, caplog: pytest.LogCaptureFixture) -> None:
    """What a check could not look at is not let out; the others still see that something came of the call."""
    answer, reason = WRONG_AFTER[how]
    seen: list[str] = []
    hooks = after(lambda tool, call, result: seen.append(result.content), answer)
    told = hooks.after(TOOL, CALL, result_of())
    assert told.error is not None
    assert (told.error.code, told.value) == ("unencodable_result", None)
    assert told.content == "greet ran, but its result is withheld: a check after it failed"
    assert (told.call, told.tool) == (CALL, TOOL)
    assert seen == [told.content]
    [record] = caplog.records
    assert record.getMessage() == "the hook hook 1 failed after a call of greet, whose result was withheld"
    assert record.exc_info is not None
    assert reason in f"{type(record.exc_info[1]).__name__}: {record.exc_info[1]}"


@pytest.mark.parametrize("tool", [TOOL, REFUSING])
def test_a_result_with_another_text_is_the_same_in_everything_else(tool: Tool) -> None:
    """What it had beside its text for the model is gone: it could hold what the text is not to say."""
    call = CALL if tool is TOOL else ToolCall("refuse", {}, "call_1")
    result = result_of(call, tool)
    told = result.with_content("…")
    assert (told.content, told.blocks, told.parts, told.whole) == ("…", ({"type": "text", "text": "…"},), (), None)
    for name in ("call", "value", "error", "tool", "arguments", "duration", "repairs", "ok"):
        assert getattr(told, name) == getattr(result, name)


def test_a_result_with_another_text_has_no_parts_left() -> None:
    picture = Content.image(b"\x89PNG", media_type="image/png")
    result = ToolResult(CALL, None, None, str(picture), TOOL, output=Output(None, str(picture), (picture,)))
    told = result.with_content("(a picture)")
    assert result.parts == (picture,)
    assert (told.parts, told.blocks) == ((), ({"type": "text", "text": "(a picture)"},))


def test_a_result_may_have_other_pieces_of_content() -> None:
    picture = Content.image(b"\x89PNG", media_type="image/png")
    told = result_of(CALL).with_content(["smaller:", picture])
    assert told.parts == (Content.text("smaller:"), picture)
    assert [block["type"] for block in told.blocks] == ["text", "image"]
    assert told.content == f"smaller:\n{picture}"
    assert told.value == result_of(CALL).value
    with pytest.raises(TypeError, match="holds no int"):
        told.with_content([3])  # type: ignore[list-item]


# One that is named and is not there


def test_closed_hooks_refuse_every_call() -> None:
    broken = PluginError("acme[audit] does not load")
    hooks = ClosedHooks(broken)
    error = hooks.before(TOOL, CALL)
    assert error.code == "unavailable"
    assert error.text == "greet is not available here: what has to check every call does not work; it was not run"
    assert error.exception is broken
    result = result_of()
    assert hooks.after(TOOL, CALL, result) is result
