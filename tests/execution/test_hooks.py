"""Hooks see, change or deny a call, in their order; a hook that fails refuses the call."""

from __future__ import annotations

import logging
from collections.abc import Callable
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fcregistry import Executor, Tool, ToolCall, ToolResult, hookimpl
from fcregistry.errors import PluginError, ToolError
from fcregistry.execution import Approve, CallError, Content, Deny


def greet(name: str, words: list[str] | None = None) -> str:
    """Greet somebody."""
    return f"Hello {name}"


def refuse() -> str:
    """Refuse."""
    raise ToolError("not on Sundays", retryable=True, retry_after=3)


TOOL = Tool.from_function(greet)
REFUSING = Tool.from_function(refuse)
CALL = ToolCall("greet", {"name": "Ann", "words": ["a"]}, "call_1")


def result_of(*hooks: Any, call: ToolCall = CALL, tool: Tool = TOOL, **options: Any) -> ToolResult:
    """Return what comes of a call that has to pass hooks."""
    return Executor([tool], hooks=hooks, **options).run(call)


def error_of(*hooks: Any) -> CallError:
    """Return why hooks have not let a call through."""
    error = result_of(*hooks).error
    assert error is not None
    return error


def before(answer: Any, after: Any = None) -> Any:
    """Return a hook that gives an answer before a call, or raises it; and one after it."""

    class Hook:
        @hookimpl
        def fc_before_call(self, tool: Tool, call: ToolCall) -> Any:
            return _giving(answer)(tool, call)

        @hookimpl
        def fc_after_call(self, tool: Tool, call: ToolCall, result: ToolResult) -> Any:
            return _giving(after)(tool, call, result)

    return Hook()


def after(answer: Any) -> Any:
    """Return a hook that gives an answer after a call, or raises it."""
    return before(None, answer)


def _giving(answer: Any) -> Callable[..., Any]:
    def hook(*arguments: Any) -> Any:
        if isinstance(answer, BaseException):
            raise answer
        return answer(*arguments) if callable(answer) else answer

    return hook


# Before


def test_hooks_that_return_none_change_neither_the_call_nor_its_result() -> None:
    result = result_of(before(None), before(None))
    assert (result.content, result.arguments) == ("Hello Ann", {"name": "Ann", "words": ["a"]})


def test_the_first_hook_runs_first_before_a_call_and_last_after_it() -> None:
    """Hooks are layers around the tool: the hook that sees the call first sees the result last."""
    asked: list[str] = []

    def layer(name: str) -> Any:
        return before(
            lambda tool, call: asked.append(f"{name} before {tool.name}"),
            lambda tool, call, result: asked.append(f"{name} after {result.content}"),
        )

    result_of(layer("outer"), layer("inner"))
    assert asked == ["outer before greet", "inner before greet", "inner after Hello Ann", "outer after Hello Ann"]


def test_a_hook_changes_arguments_and_the_next_one_sees_them() -> None:
    seen: list[ToolCall] = []
    result = result_of(
        before(lambda tool, call: ToolCall(call.name, {**call.arguments, "name": "Bob"})),
        before(lambda tool, call: seen.append(call)),
    )
    assert (result.content, result.arguments) == ("Hello Bob", {"name": "Bob", "words": ["a"]})
    assert seen == [ToolCall("greet", {"name": "Bob", "words": ["a"]}, "call_1")]


def test_after_a_denial_no_other_hook_runs_and_the_model_reads_the_reason() -> None:
    asked: list[object] = []
    error = error_of(before(None), before(Deny("Bob is\x1b[31m away")), before(lambda tool, call: asked.append(call)))
    assert error.code == "denied"
    assert error.text.endswith(": Bob is away")
    assert asked == []


def test_a_denial_needs_no_reason() -> None:
    assert error_of(before(Deny())).code == "denied"


def test_a_hook_that_changes_its_copy_does_not_change_the_call() -> None:
    """It changes neither the call, nor the next hook's copy, nor, later, the call that it returned itself."""
    kept: list[dict[str, Any]] = []

    def spoil(tool: Tool, call: ToolCall) -> None:
        call.arguments["name"] = "Mallory"  # type: ignore[index]
        call.arguments["words"].append("b")  # type: ignore[index, call-overload]

    def keep(tool: Tool, call: ToolCall) -> ToolCall:
        kept.append(dict(call.arguments))  # type: ignore[arg-type]
        return ToolCall(call.name, kept[0])

    def approve(tool: Tool, call: ToolCall) -> bool:
        kept[0]["name"] = "Mallory"
        kept[0]["words"].append("b")
        return True

    tool = Tool.from_function(greet, requires_approval=True)
    result = result_of(before(spoil), before(keep), tool=tool, approve=approve)
    assert CALL.arguments == {"name": "Ann", "words": ["a"]}
    assert result.arguments == {"name": "Ann", "words": ["a"]}


@pytest.mark.parametrize(
    ("arguments", "read"),
    [(None, {}), ("{}", {}), ('{"name": "Bob"}', {"name": "Bob"}), (MappingProxyType({"a": 1}), {"a": 1})],
)
def test_a_hook_may_return_arguments_in_any_form_of_a_call(arguments: Any, read: dict[str, Any]) -> None:
    def take(**given: Any) -> None:
        """Take anything."""

    tool = Tool.from_function(take)
    result = result_of(before(ToolCall("take", arguments)), call=ToolCall("take", {"b": 2}), tool=tool)
    assert result.arguments == read


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
def test_a_hook_that_returns_an_undocumented_value_refuses_the_call(answer: object) -> None:
    assert error_of(before(answer)).code == "denied"


async def _coroutine() -> None:
    """Be what a coroutine function returns."""


WRONG_BEFORE: dict[str, tuple[Any, str]] = {
    "it raises": (KeyError("secret"), "KeyError: 'secret'"),
    "it ends the process": (SystemExit(1), "SystemExit: 1"),
    "it says no in a way of its own": (False, "fc_before_call must return None, a ToolCall or Deny('why'), not bool"),
    "it says yes in a way of its own": (True, "fc_before_call must return None, a ToolCall or Deny('why'), not bool"),
    "it answers like an approver": (
        Approve(),
        "fc_before_call must return None, a ToolCall or Deny('why'), not Approve",
    ),
    "it is a coroutine function": (lambda tool, call: _coroutine(), "not a coroutine: hooks must be plain functions"),
    "it calls another tool": (ToolCall("delete", {}), "it must return a call of greet"),
    "it returns no JSON": (ToolCall("greet", {"name": {1, 2}}), "set is not JSON serializable"),
    "it returns no object": (ToolCall("greet", "[1]"), "the arguments must be a JSON object"),
    "it returns what is no number of JSON": (ToolCall("greet", {"name": float("nan")}), "NaN is not a JSON number"),
    "it returns a name that is none": (ToolCall("greet", {1: "one"}), "JSON"),  # type: ignore[dict-item]
}


@pytest.mark.parametrize("how", WRONG_BEFORE)
def test_a_hook_that_fails_before_a_call_refuses_it(how: str, caplog: pytest.LogCaptureFixture) -> None:
    """The reason is for the developer: it is in the log, with the hook's name, and the model does not read it."""
    answer, reason = WRONG_BEFORE[how]
    error = error_of(before(None), before(answer), before(None))
    assert (error.code, error.text) == ("denied", "greet was not run: a check before it failed")
    assert error.exception is not None
    record = caplog.records[0]
    assert (record.name, record.levelno) == ("fcregistry", logging.ERROR)
    assert (
        record.getMessage()
        == f"the hook {__name__}.before.<locals>.Hook failed before a call of greet, which was refused"
    )
    assert record.exc_info is not None
    assert reason in f"{type(record.exc_info[1]).__name__}: {record.exc_info[1]}"


def test_an_interrupt_in_a_hook_is_raised() -> None:
    with pytest.raises(KeyboardInterrupt):
        result_of(before(KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        result_of(after(KeyboardInterrupt()))


# After


def test_a_hook_replaces_the_result_and_the_next_hook_gets_the_new_one() -> None:
    seen: list[str] = []

    def quieter(tool: Tool, call: ToolCall, result: ToolResult) -> ToolResult:
        return ToolResult(result.call, result.value, None, "Hello …", result.tool, result.arguments)

    told = result_of(after(lambda tool, call, result: seen.append(result.content)), after(quieter))
    assert (told.content, told.value, told.ok) == ("Hello …", "Hello Ann", True)
    assert seen == ["Hello …"]


def test_a_denial_after_a_call_withholds_its_result() -> None:
    """The code says that the tool ran, so a model does not call it again for its effect."""
    told = result_of(after(Deny("it names a customer")))
    assert told.value is None
    assert told.error is not None
    assert told.error.code == "unencodable_result"
    assert told.content == "greet ran, but its result is withheld: it names a customer"


def test_a_denial_after_a_failure_withholds_the_message_and_keeps_the_code() -> None:
    call = ToolCall("refuse", {}, "call_1")
    told = result_of(after(Deny()), call=call, tool=REFUSING)
    assert told.error is not None
    assert (told.error.code, told.error.retryable, told.error.retry_after) == ("tool_failed", True, 3)
    assert told.content == "refuse was not carried out (tool_failed); its result is withheld"


WRONG_AFTER: dict[str, tuple[Any, str]] = {
    "it raises": (KeyError("secret"), "KeyError: 'secret'"),
    "it returns a text": ("Hello", "fc_after_call must return None, a ToolResult or Deny('why'), not str"),
    "it is a coroutine function": (lambda *_: _coroutine(), "not a coroutine: hooks must be plain functions"),
    "it returns a result of another call": (
        lambda tool, call, result: ToolResult(ToolCall("greet", {}, "call_2"), tool=tool),
        "do not change result.call and result.tool",
    ),
    "it returns a result of no tool": (lambda tool, call, result: ToolResult(result.call), "do not change result.call"),
    "it returns a result of no call": (
        lambda tool, call, result: ToolResult(None, tool=tool),
        "do not change result.call",
    ),
}


@pytest.mark.parametrize("how", WRONG_AFTER)
def test_a_hook_that_fails_after_a_call_withholds_the_result(how: str, caplog: pytest.LogCaptureFixture) -> None:
    """A result that a check could not inspect is not returned; the other hooks still see that the call ended."""
    answer, reason = WRONG_AFTER[how]
    seen: list[str] = []
    told = result_of(after(lambda tool, call, result: seen.append(result.content)), after(answer))
    assert told.error is not None
    assert (told.error.code, told.value) == ("unencodable_result", None)
    assert told.content == "greet ran, but its result is withheld: a check after it failed"
    assert (told.call, told.tool) == (CALL, TOOL)
    assert seen == [told.content]
    record = caplog.records[0]
    assert (
        record.getMessage()
        == f"the hook {__name__}.before.<locals>.Hook failed after a call of greet, whose result was withheld"
    )
    assert record.exc_info is not None
    assert reason in f"{type(record.exc_info[1]).__name__}: {record.exc_info[1]}"


@pytest.mark.parametrize("tool", [TOOL, REFUSING])
def test_a_result_with_another_text_is_the_same_in_everything_else(tool: Tool) -> None:
    """Its content beside the text is removed: it could contain what the text must not say."""
    call = CALL if tool is TOOL else ToolCall("refuse", {}, "call_1")
    result = result_of(call=call, tool=tool)
    told = result.with_content("…")
    assert (told.content, told.blocks, told.parts, told.whole) == (
        "…",
        ({"type": "text", "text": "…"},),
        (Content.text("…"),),
        None,
    )
    for name in ("call", "value", "error", "tool", "arguments", "duration", "repairs", "ok"):
        assert getattr(told, name) == getattr(result, name)


def test_a_result_with_another_text_has_only_that_text() -> None:
    picture = Content.image(b"\x89PNG", media_type="image/png")

    def draw() -> Content:
        """Draw."""
        return picture

    result = Executor(draw).call("draw")
    told = result.with_content("(a picture)")
    assert result.parts == (picture,)
    assert (told.parts, told.blocks) == ((Content.text("(a picture)"),), ({"type": "text", "text": "(a picture)"},))


def test_a_result_may_have_other_pieces_of_content() -> None:
    picture = Content.image(b"\x89PNG", media_type="image/png")
    told = result_of().with_content(["smaller:", picture])
    assert told.parts == (Content.text("smaller:"), picture)
    assert [block["type"] for block in told.blocks] == ["text", "image"]
    assert told.content == f"smaller:\n{picture}"
    assert told.value == result_of().value
    with pytest.raises(TypeError, match="contains int"):
        told.with_content([3])  # type: ignore[list-item]


# One that is named and is not there


def test_every_call_is_refused_if_a_named_hook_is_missing() -> None:
    error = error_of("nobody-has-it")
    assert error.code == "unavailable"
    assert error.text == "greet was not run: a hook that must check every call cannot be loaded"
    assert isinstance(error.exception, PluginError)
