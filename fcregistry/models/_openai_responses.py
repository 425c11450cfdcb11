"""What did OpenAI's responses API answer, whole or piece by piece?

Sources: OpenAI API reference, "Responses", the response object, and "Streaming events".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from fcregistry.models._completion import Completion, Delta, ToolCallDelta, Usage
from fcregistry.models._messages import Message
from fcregistry.models._openai_chat import number
from fcregistry.models._openai_input import NATIVE
from fcregistry.models._openai_output import read_output
from fcregistry.models._sdk_errors import broken_off, told_error, unreadable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fcregistry.models._completion import FinishReason

_CUT_SHORT: Final[Mapping[str, FinishReason]] = {"max_output_tokens": "length", "content_filter": "content_filter"}
"""Why an answer is incomplete."""

_ENDS: Final = frozenset({"response.completed", "response.incomplete", "response.failed", "response.cancelled"})
_TEXTS: Final = frozenset({"response.output_text.delta", "response.refusal.delta"})
_THOUGHTS: Final = frozenset({"response.reasoning_summary_text.delta", "response.reasoning_text.delta"})


def response_completion(body: object, asked: str, items: Sequence[object] = ()) -> Completion:
    """Return the completion that a whole response is.

    Args:
        body: The response as JSON.
        asked: The model with its provider.
        items: Its output as it was streamed; some servers leave it out of the response.

    Raises:
        ModelError: It has failed, or is in another shape.
    """
    if not isinstance(body, Mapping) or not isinstance(body.get("output"), list):
        if isinstance(body, Mapping) and body.get("error"):
            raise told_error(body, asked)
        raise unreadable(asked, "it has no output")
    if body.get("error") or body.get("status") in ("failed", "cancelled"):
        raise told_error(body.get("error") or {}, asked)
    written = [_without_nulls(item) for item in body["output"] or items if isinstance(item, Mapping)]
    output = read_output(written)
    message = Message(
        role="assistant",
        content=output.text or None,
        tool_calls=output.calls,
        reasoning=output.reasoning or None,
        native={NATIVE: written} if written else {},
    )
    reason = _mapping(body.get("incomplete_details")).get("reason")
    details = {"id": body.get("id"), "status": body.get("status"), "reason": reason, "refusal": output.refusal}
    return Completion(
        message=message,
        finish_reason=_finish(body.get("status"), reason, bool(output.calls)),
        usage=_usage(_mapping(body.get("usage"))),
        model=str(body.get("model") or ""),
        details={name: value for name, value in details.items() if value},
    )


class ResponseStream:
    """Follows a response that is streamed: its text as it comes, and the response itself, which the last event holds.

    Args:
        asked: The model with its provider.
    """

    def __init__(self, asked: str) -> None:
        self._asked = asked
        self._completion: Completion | None = None
        self._has_begun = False
        self._items: list[object] = []
        self._places: dict[int | None, int] = {}

    def add(self, event: object) -> Delta | None:
        """Take the next event, and return what is new in it; None where that is nothing to show.

        Raises:
            ModelError: It is an error, or in another shape.
        """
        self._has_begun = True
        if not isinstance(event, Mapping) or not isinstance(event.get("type"), str):
            raise unreadable(self._asked, f"an event is {event!r:.80}")
        kind, delta = event["type"], event.get("delta")
        if kind == "error":
            raise told_error(
                event.get("error") or {"message": event.get("message"), "code": event.get("code")}, self._asked
            )
        if kind in _ENDS:
            self._completion = response_completion(event.get("response"), self._asked, self._items)
        elif kind == "response.output_item.done":
            self._items.append(event.get("item"))
        elif kind == "response.output_item.added":
            return self._begun(event)
        elif kind == "response.function_call_arguments.delta":
            place = self._places.get(self._index(event))
            piece = _checked(delta, self._asked)
            return None if place is None else Delta(tool_calls=(ToolCallDelta(index=place, arguments=piece),))
        elif kind in _TEXTS:
            return Delta(content=_checked(delta, self._asked))
        elif kind in _THOUGHTS:
            return Delta(reasoning=_checked(delta, self._asked))
        return None

    def completion(self) -> Completion:
        """Return the whole answer.

        Raises:
            ModelError: It has not come to its end.
        """
        if self._completion is None:
            raise broken_off(self._asked, has_begun=self._has_begun)
        return self._completion

    def _begun(self, event: Mapping[str, Any]) -> Delta | None:
        item = _mapping(event.get("item"))
        if item.get("type") != "function_call":
            return None
        place = self._places.setdefault(self._index(event), len(self._places))
        identity, name = (item[each] if isinstance(item.get(each), str) else None for each in ("call_id", "name"))
        return Delta(tool_calls=(ToolCallDelta(index=place, id=identity, name=name),))

    def _index(self, event: Mapping[str, Any]) -> int | None:
        index = event.get("output_index")
        if index is None or isinstance(index, int):
            return index
        raise unreadable(self._asked, f"an output_index is {index!r:.80}")


def _checked(delta: object, asked: str) -> str:
    if not isinstance(delta, str):
        raise unreadable(asked, f"a delta is {delta!r:.80}")
    return delta


def _finish(status: object, reason: object, calls: bool) -> FinishReason:
    if status == "incomplete":
        return _CUT_SHORT.get(str(reason), "other")
    return "tool_calls" if calls else "stop"


def _usage(usage: Mapping[str, Any]) -> Usage:
    return Usage(
        input_tokens=number(usage.get("input_tokens")),
        output_tokens=number(usage.get("output_tokens")),
        cached_tokens=number(_mapping(usage.get("input_tokens_details")).get("cached_tokens")),
        reasoning_tokens=number(_mapping(usage.get("output_tokens_details")).get("reasoning_tokens")),
        requests=1,
    )


def _without_nulls(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return an item as it may be given back: of what the API writes as null, it refuses some."""
    return {name: value for name, value in item.items() if value is not None}


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
