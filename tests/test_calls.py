"""Records of calls: what they hold, and that they are immutable."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fcregistry import Problem, ToolCall, ToolResult
from fcregistry.errors import FcregistryError, ToolCallError
from fcregistry.execution import CallError


def failed(**details: Any) -> ToolResult:
    error = CallError("tool_failed", "ValueError: no", **details)
    return ToolResult(ToolCall("f", {"x": 1}, "1"), None, error, error.text)


@pytest.mark.parametrize(
    ("record", "attribute"),
    [
        (ToolCall("f"), "name"),
        (ToolCall("f"), "arguments"),
        (ToolCall("f"), "id"),
        (Problem("$", "x"), "path"),
        (Problem("$", "x"), "message"),
        *((ToolResult(None), name) for name in ("ok", "value", "error", "content", "blocks", "call", "tool")),
        *((ToolResult(None), name) for name in ("arguments", "duration", "repairs")),
    ],
)
def test_a_record_cannot_be_changed(record: object, attribute: str) -> None:
    before = getattr(record, attribute)

    with pytest.raises(AttributeError):
        setattr(record, attribute, "other")
    with pytest.raises(AttributeError):
        record.something_new = 1  # type: ignore[attr-defined]
    assert getattr(record, attribute) == before


def test_calls_compare_by_name_arguments_and_id() -> None:
    assert ToolCall("f", {"x": 1}, "1") == ToolCall("f", {"x": 1}, "1")
    assert ToolCall("f", {"x": 1}, "1") != ToolCall("f", {"x": 1}, "2")
    assert ToolCall("f", {"x": 1}) != ToolCall("f", '{"x": 1}')
    assert ToolCall("f") != "f"
    with pytest.raises(TypeError):
        hash(ToolCall("f"))


def test_problems_compare_by_path_and_message_and_are_hashable() -> None:
    assert {Problem("$.a", "x"), Problem("$.a", "x")} == {Problem("$.a", "x")}
    assert Problem("$.a", "x") != Problem("$.b", "x")
    assert Problem("$.a", "x") != "$.a: x"


def test_the_repr_of_a_record_shows_its_fields() -> None:
    assert repr(ToolCall("f", {"x": 1})) == "ToolCall('f', {'x': 1})"
    assert repr(ToolCall("f", None, "7")) == "ToolCall('f', None, id='7')"
    assert (str(Problem("$.a", "is required")), repr(Problem("$.a", "x"))) == (
        "$.a: is required",
        "Problem(path='$.a', message='x')",
    )
    assert repr(ToolResult(ToolCall("f"), 5, None, "5")) == "<ToolResult f: ok, 5>"
    assert repr(failed()) == "<ToolResult f: tool_failed: ValueError: no>"
    assert repr(ToolResult(None, error=CallError("malformed_call", "x"))) == "<ToolResult ?: malformed_call: x>"
    assert repr(CallError("denied", "no")) == "CallError('denied', 'no')"


@pytest.mark.parametrize("value", [None, 0, False, "", [], 0.0])
def test_a_falsy_value_is_a_value(value: object) -> None:
    result = ToolResult(ToolCall("f"), value, None, json.dumps(value))

    assert result.ok
    assert result.unwrap() is value


def test_unwrapping_a_failure_raises_it_with_the_tools_own_exception_as_its_cause() -> None:
    cause = ValueError("no")

    with pytest.raises(ToolCallError, match=r"^ValueError: no$") as caught:
        failed(exception=cause).unwrap()
    assert caught.value.__cause__ is cause
    assert caught.value.error.code == "tool_failed"
    assert isinstance(caught.value, FcregistryError)


def test_the_text_of_an_error_has_a_line_for_each_problem() -> None:
    error = CallError("invalid_arguments", "not valid:", (Problem("$.a", "is required"), Problem("$.b", "is bad")))

    assert error.text == "not valid:\n- $.a: is required\n- $.b: is bad"


def test_results_as_json() -> None:
    assert ToolResult(ToolCall("f", {}, "1"), 5, None, "5", repairs=("a repair",)).to_json() == {
        "ok": True,
        "id": "1",
        "name": "f",
        "content": "5",
        "repairs": ["a repair"],
    }
    assert failed(problems=(Problem("$.a", "x"),), retryable=True, retry_after=2.5).to_json() == {
        "ok": False,
        "id": "1",
        "name": "f",
        "content": "ValueError: no\n- $.a: x",
        "error": {
            "code": "tool_failed",
            "message": "ValueError: no",
            "retryable": True,
            "problems": [{"path": "$.a", "message": "x"}],
            "retry_after": 2.5,
        },
    }
    assert ToolResult(None, error=CallError("malformed_call", "x"), content="x").to_json() == {
        "ok": False,
        "id": None,
        "name": None,
        "content": "x",
        "error": {"code": "malformed_call", "message": "x", "retryable": False},
    }


def test_the_content_as_blocks() -> None:
    assert ToolResult(ToolCall("f"), 5, None, "5").blocks == ({"type": "text", "text": "5"},)
