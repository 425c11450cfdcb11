"""What came of a run, as JSON?"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fcregistry.agents import RunResult, Step


def result_json(result: RunResult) -> dict[str, Any]:
    """Return a result as a JSON object. Its names are those of `RunResult`, `Step` and `ToolResult`."""
    return {
        "answer": result.answer,
        "stop_reason": result.stop_reason,
        "error": None if result.error is None else f"{type(result.error).__name__}: {result.error}",
        "steps": [_step(step) for step in result.steps],
        "messages": [message.to_dict() for message in result.messages],
        "usage": asdict(result.usage),
        "pending": [call.to_json() for call in result.pending],
    }


def _step(step: Step) -> dict[str, Any]:
    """Return a step, without what says nothing."""
    written: dict[str, Any] = {"kind": step.kind, "seconds": round(step.seconds, 6)}
    if step.message is not None:
        written |= {"model": step.model, "message": step.message.to_dict(), "usage": asdict(step.usage)}
    if step.results:
        written["results"] = [{**each.to_json(), "seconds": round(each.duration, 6)} for each in step.results]
    if step.texts:
        written["texts"] = list(step.texts)
    return written
