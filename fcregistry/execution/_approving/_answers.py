"""How does the result of a call that is not going to run travel? Without what stays in this process: what the model wrote, and what was raised."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from fcregistry._base.call import CallError, Problem, ToolCall
from fcregistry._results.content import Content, Output
from fcregistry._results.result import ToolResult
from fcregistry.types import to_json_text

if TYPE_CHECKING:
    from collections.abc import Mapping


def answer_json(result: ToolResult) -> dict[str, Any]:
    """Return a result as a JSON object. A hook may have made it: then it may have no error, another text than that, and a value.

    Args:
        result: The result. A value without a JSON form does not travel.
    """
    call, error = result.call, result.error
    return {
        "call": None if call is None else [call.name, call.id],
        "error": None if error is None else error.to_json(),
        "content": result.content,
        "parts": [part.to_block() for part in result.parts],
        "value": _plain(result.value),
        "repairs": list(result.repairs),
    }


def answer_of(given: Mapping[str, Any]) -> ToolResult:
    """Return the result of an object of `answer_json`."""
    call = None if given["call"] is None else ToolCall(given["call"][0], None, given["call"][1])
    parts = tuple(map(Content.from_block, given["parts"]))
    value, content = given["value"], given["content"]
    output = Output(value, content, parts) if parts else None
    error = None if given["error"] is None else _error(given["error"])
    return ToolResult(call, value, error, content, repairs=tuple(given["repairs"]), output=output)


def _error(said: Mapping[str, Any]) -> CallError:
    return CallError(
        said["code"],
        said["message"],
        tuple(Problem(**each) for each in said.get("problems", ())),
        retryable=said["retryable"],
        retry_after=said.get("retry_after"),
    )


def _plain(value: object) -> Any:
    try:
        return json.loads(to_json_text(value))
    except Exception:  # noqa: BLE001  # foreign code: reading a value may raise anything, and what the model reads travels all the same
        return None
