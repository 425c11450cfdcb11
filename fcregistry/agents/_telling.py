"""How is a model told of the results of its calls? Each in a message right after the calls; of those that were not carried out, why not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fcregistry._base.call import CallError
from fcregistry._results.result import ToolResult
from fcregistry.agents._events import Returned
from fcregistry.agents._result import Step
from fcregistry.execution._observability import unwatched
from fcregistry.execution._result import failure
from fcregistry.models import Message

if TYPE_CHECKING:
    from fcregistry._base.call import ToolCall
    from fcregistry.agents._effects import Course
    from fcregistry.agents._rules import Talk


def told(talk: Talk, results: Sequence[ToolResult], seconds: float) -> Course[None]:
    """Tell the model of the results of its last calls, each in a message of its own, and take them down.

    Args:
        talk: The conversation, whose last message makes the calls.
        results: What came of them, in their order.
        seconds: How long they took.
    """
    calls = talk.messages[-1].tool_calls
    for call, result in zip(calls, results, strict=True):
        yield Returned(result=result)
        message = Message.of_result(result, call.id)
        talk.messages.append(message if message.tool_call_id == call.id else message.replaced(tool_call_id=call.id))
    talk.steps.append(Step(kind="tools", seconds=seconds, results=tuple(results)))
    talk.calls += len(results)


def beyond(calls: Sequence[ToolCall]) -> list[ToolResult]:
    """Return the results of calls that are more than there may be."""
    return [refused(call, "there are no calls left") for call in calls]


def refused(call: ToolCall, why: str) -> ToolResult:
    """Return the result of a call that is not carried out."""
    result = failure(call, CallError("unavailable", f"the call was not run: {why}"))
    unwatched(result)
    return result
