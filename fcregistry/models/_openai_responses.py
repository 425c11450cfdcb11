"""Requests and answers of OpenAI's responses API, whole or as events.

A conversation becomes input items; content that the API does not take is named in words.

Sources: OpenAI API reference, "Responses", input, the response object and "Streaming events"; OpenAI guides "Reasoning models", "Conversation state"
and "File inputs".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from fcregistry.formats import data_url
from fcregistry.formats.openai import FILES, IMAGES
from fcregistry.models._messages import Message, arguments_text, call_of, is_image_link, wire_name
from fcregistry.models._model import Completion, Delta, ToolCallDelta, Usage
from fcregistry.models._openai_chat import mapping_of, number, with_ids
from fcregistry.models._sdk import error_in_answer, incomplete_answer, unreadable_answer

if TYPE_CHECKING:
    from fcregistry._base.call import ToolCall
    from fcregistry._results.content import Content
    from fcregistry.models._model import FinishReason


# --- Requests ---

NATIVE: Final = "openai-responses"
"""The key of this API in `Message.native`, with the items of the output, as they came."""


def input_items(messages: Sequence[Message], *, stored: bool = True) -> list[dict[str, Any]]:
    """Return a conversation as the API takes it. The messages are not changed.

    Args:
        messages: The conversation.
        stored: Whether the provider stores its answers, and finds them by their ids.
    """
    return [item for message in with_ids(messages) for item in _items(message, stored)]


def _items(message: Message, stored: bool) -> Iterator[dict[str, Any]]:
    match message.role:
        case "assistant":
            yield from _native_items(message, stored) or _assistant_items(message)
        case "tool":
            output = {"call_id": message.tool_call_id or "", "output": _content(message)}
            yield {"type": "function_call_output", **output}
        case _:
            yield {"role": message.role, "content": _content(message)}


def _native_items(message: Message, stored: bool) -> list[dict[str, Any]]:
    """Return the items that the provider wrote, thinking included; none if the message was changed since."""
    items = message.native.get(NATIVE)
    if not isinstance(items, Sequence) or not all(isinstance(item, Mapping) for item in items):
        return []
    output = read_output(items)
    if output.text != message.text or output.calls != message.tool_calls:
        return []
    return [
        _with_wire_name(item if stored else _without_id(item)) for item in items if stored or _can_be_returned(item)
    ]


def _with_wire_name(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return an item; the name of a call is changed if the API would refuse it."""
    return (
        {**item, "name": wire_name(str(item.get("name") or ""))} if item.get("type") == "function_call" else dict(item)
    )


def _without_id(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return an item without its id, by which a provider that has not stored it would look for it."""
    return {name: value for name, value in item.items() if name != "id"}


def _can_be_returned(item: Mapping[str, Any]) -> bool:
    return item.get("type") != "reasoning" or bool(item.get("encrypted_content"))


def _assistant_items(message: Message) -> Iterator[dict[str, Any]]:
    if message.text or not message.tool_calls:
        yield {"role": "assistant", "content": message.text}
    yield from map(_call, message.tool_calls)


def _call(call: ToolCall) -> dict[str, Any]:
    function = {"name": wire_name(call.name), "arguments": arguments_text(call) or "{}"}
    return {"type": "function_call", "call_id": call.id, **function}


def _content(message: Message) -> str | list[dict[str, Any]]:
    return [_part(part) for part in message.content] if isinstance(message.content, tuple) else message.text


def _part(part: Content) -> dict[str, Any]:
    if is_image_link(part):
        return {"type": "input_image", "image_url": part.uri}
    if part.kind == "image" and part.media_type in IMAGES:
        return {"type": "input_image", "image_url": data_url(part)}
    if part.kind == "file" and part.media_type in FILES:
        return {"type": "input_file", "filename": part.name, "file_data": data_url(part)}
    return {"type": "input_text", "text": str(part)}


# --- Answers ---

_CUT_SHORT: Final[Mapping[str, FinishReason]] = {"max_output_tokens": "length", "content_filter": "content_filter"}
"""The reasons of an incomplete answer."""

_ENDS: Final = frozenset({"response.completed", "response.incomplete", "response.failed", "response.cancelled"})
_TEXTS: Final = frozenset({"response.output_text.delta", "response.refusal.delta"})
_THOUGHTS: Final = frozenset({"response.reasoning_summary_text.delta", "response.reasoning_text.delta"})


def response_completion(body: object, full_name: str, items: Sequence[object] = ()) -> Completion:
    """Return the completion of a whole response.

    Args:
        body: The response as JSON.
        full_name: The name of the model with its provider.
        items: The output as it was streamed; some servers leave it out of the response.

    Raises:
        ModelError: It has failed, or has another shape.
    """
    if not isinstance(body, Mapping) or not isinstance(body.get("output"), list):
        if isinstance(body, Mapping) and body.get("error"):
            raise error_in_answer(body, full_name)
        raise unreadable_answer(full_name, "it has no output")
    if body.get("error") or body.get("status") in ("failed", "cancelled"):
        raise error_in_answer(body.get("error") or {}, full_name)
    written = [_without_nulls(item) for item in body["output"] or items if isinstance(item, Mapping)]
    output = read_output(written)
    message = Message(
        role="assistant",
        content=output.text or None,
        tool_calls=output.calls,
        reasoning=output.reasoning or None,
        native={NATIVE: written} if written else {},
    )
    reason = mapping_of(body.get("incomplete_details")).get("reason")
    details = {"id": body.get("id"), "status": body.get("status"), "reason": reason, "refusal": output.refusal}
    return Completion(
        message=message,
        finish_reason=_finish(body.get("status"), reason, bool(output.calls)),
        usage=_usage(mapping_of(body.get("usage"))),
        model=str(body.get("model") or ""),
        details={name: value for name, value in details.items() if value},
    )


class ResponseStream:
    """Reads a streamed response: its text as it comes, and the response itself, which the last event has.

    Args:
        full_name: The name of the model with its provider.
    """

    def __init__(self, full_name: str) -> None:
        self._full_name = full_name
        self._completion: Completion | None = None
        self._has_begun = False
        self._items: list[object] = []
        self._places: dict[int | None, int] = {}

    def add(self, event: object) -> Delta | None:
        """Take the next event, and return what is new in it; None if there is nothing to show.

        Raises:
            ModelError: It is an error, or has another shape.
        """
        self._has_begun = True
        if not isinstance(event, Mapping) or not isinstance(event.get("type"), str):
            raise unreadable_answer(self._full_name, f"an event is {event!r:.80}")
        kind, delta = event["type"], event.get("delta")
        if kind == "error":
            raise error_in_answer(
                event.get("error") or {"message": event.get("message"), "code": event.get("code")}, self._full_name
            )
        if kind in _ENDS:
            self._completion = response_completion(event.get("response"), self._full_name, self._items)
        elif kind == "response.output_item.done":
            self._items.append(event.get("item"))
        elif kind == "response.output_item.added":
            return self._begun(event)
        elif kind == "response.function_call_arguments.delta":
            place = self._places.get(self._index(event))
            piece = _checked_text(delta, self._full_name)
            return None if place is None else Delta(tool_calls=(ToolCallDelta(index=place, arguments=piece),))
        elif kind in _TEXTS:
            return Delta(content=_checked_text(delta, self._full_name))
        elif kind in _THOUGHTS:
            return Delta(reasoning=_checked_text(delta, self._full_name))
        return None

    def completion(self) -> Completion:
        """Return the whole answer.

        Raises:
            ModelError: The stream ended before the answer was complete.
        """
        if self._completion is None:
            raise incomplete_answer(self._full_name, has_begun=self._has_begun)
        return self._completion

    def _begun(self, event: Mapping[str, Any]) -> Delta | None:
        item = mapping_of(event.get("item"))
        if item.get("type") != "function_call":
            return None
        place = self._places.setdefault(self._index(event), len(self._places))
        identity, name = (item[each] if isinstance(item.get(each), str) else None for each in ("call_id", "name"))
        return Delta(tool_calls=(ToolCallDelta(index=place, id=identity, name=name),))

    def _index(self, event: Mapping[str, Any]) -> int | None:
        index = event.get("output_index")
        if index is None or isinstance(index, int):
            return index
        raise unreadable_answer(self._full_name, f"an output_index is {index!r:.80}")


def _checked_text(delta: object, full_name: str) -> str:
    if not isinstance(delta, str):
        raise unreadable_answer(full_name, f"a delta is {delta!r:.80}")
    return delta


def _finish(status: object, reason: object, calls: bool) -> FinishReason:
    if status == "incomplete":
        return _CUT_SHORT.get(str(reason), "other")
    return "tool_calls" if calls else "stop"


def _usage(usage: Mapping[str, Any]) -> Usage:
    return Usage(
        input_tokens=number(usage.get("input_tokens")),
        output_tokens=number(usage.get("output_tokens")),
        cached_tokens=number(mapping_of(usage.get("input_tokens_details")).get("cached_tokens")),
        reasoning_tokens=number(mapping_of(usage.get("output_tokens_details")).get("reasoning_tokens")),
        requests=1,
    )


def _without_nulls(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return an item without nulls: the API writes some that it refuses."""
    return {name: value for name, value in item.items() if value is not None}


# --- The items of an output ---


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponsesOutput:
    """The content of all items of an output.

    Attributes:
        text: The model's text, refusals included.
        refusal: The refusals.
        reasoning: The model's thinking, or a summary of it.
        calls: The calls; those of the provider's own tools, which it runs itself, are not among them.
    """

    text: str = ""
    refusal: str = ""
    reasoning: str = ""
    calls: tuple[ToolCall, ...] = ()


def read_output(items: Iterable[object]) -> ResponsesOutput:
    """Return the content of items. Items of unknown types are ignored."""
    text, refusal, reasoning, calls = [], [], [], []
    for item in (each for each in items if isinstance(each, Mapping)):
        match item.get("type"):
            case "message":
                parts = _listed(item, "content")
                refusal += [_text(part, "refusal") for part in parts]
                text += [_text(part, "text") + _text(part, "refusal") for part in parts]
            case "reasoning":
                reasoning += [_text(part, "text") for name in ("summary", "content") for part in _listed(item, name)]
            case "function_call":
                calls.append(call_of(item))
    return ResponsesOutput(
        text="".join(text),
        refusal="".join(refusal),
        reasoning="\n".join(filter(None, reasoning)),
        calls=tuple(calls),
    )


def _listed(item: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    found = item.get(name)
    return [each for each in found if isinstance(each, Mapping)] if isinstance(found, list) else []


def _text(part: Mapping[str, Any], name: str) -> str:
    found = part.get(name)
    return found if isinstance(found, str) else ""
