"""Requests and answers of OpenAI's responses API, whole or as events.

A conversation becomes input items; content that the API does not take is named in words.

Sources: OpenAI API reference, "Responses", input, the response object and "Streaming events"; OpenAI guides "Reasoning models", "Conversation state"
and "File inputs".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from fcregistry.formats.openai import media
from fcregistry.models._messages import (
    Message,
    call_of,
    is_image_link,
    mapping_of,
    mappings_in,
    required,
    text_of,
)
from fcregistry.models._model import Completion, Delta, ToolCallDelta
from fcregistry.models._provider_errors import AnswerError
from fcregistry.models._wire import finish_reason, openai_usage, wire_function, with_call_ids, with_wire_name

if TYPE_CHECKING:
    from fcregistry._base.call import ToolCall
    from fcregistry._results.content import Content


# --- Requests ---

NATIVE: Final = "openai-responses"
"""The key of this API in `Message.native`, with the items of the output, as they came."""


def input_items(messages: Sequence[Message], *, stored: bool = True) -> list[dict[str, Any]]:
    """Return a conversation as the API takes it. The messages are not changed.

    Args:
        messages: The conversation.
        stored: Whether the provider stores its answers, and finds them by their ids.
    """
    return [item for message in with_call_ids(messages) for item in _items(message, stored)]


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
        with_wire_name(item if stored else _without_id(item), "function_call")
        for item in items
        if stored or _can_be_returned(item)
    ]


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
    return {"type": "function_call", "call_id": call.id, **wire_function(call)}


def _content(message: Message) -> str | list[dict[str, Any]]:
    return [_part(part) for part in message.content] if isinstance(message.content, tuple) else message.text


def _part(part: Content) -> dict[str, Any]:
    linked = {"type": "input_image", "image_url": part.uri} if is_image_link(part) else None
    return linked or media(part) or {"type": "input_text", "text": str(part)}


# --- Answers ---

_ENDS: Final = frozenset({"response.completed", "response.incomplete", "response.failed", "response.cancelled"})
_TEXTS: Final = frozenset({"response.output_text.delta", "response.refusal.delta"})
_THOUGHTS: Final = frozenset({"response.reasoning_summary_text.delta", "response.reasoning_text.delta"})


def response_completion(body: Mapping[str, Any], items: Sequence[object] = ()) -> Completion:
    """Return the completion of a whole response.

    Args:
        body: The response as JSON.
        items: The output as it was streamed; some servers leave it out of the response.

    Raises:
        AnswerError: It has failed.
        ValueError: It has another shape.
    """
    if body.get("error") or body.get("status") in ("failed", "cancelled"):
        raise AnswerError(body.get("error"))
    written = [_without_nulls(item) for item in mappings_in(required(body, "output", list) or list(items))]
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
        finish_reason=finish_reason(reason if body.get("status") == "incomplete" else "stop", bool(output.calls)),
        usage=openai_usage(mapping_of(body.get("usage")), "input", "output"),
        model=str(body.get("model") or ""),
        details={name: value for name, value in details.items() if value},
    )


class ResponseStream:
    """Reads a streamed response: its text as it comes, and the response itself, which the last event has."""

    def __init__(self) -> None:
        self._completion: Completion | None = None
        self._items: list[object] = []
        self._places: dict[int | None, int] = {}

    def add(self, event: Mapping[str, Any]) -> Delta | None:
        """Take the next event, and return what is new in it; None if there is nothing to show.

        Raises:
            ValueError: It has another shape, or is an error.
        """
        kind = required(event, "type", str)
        if kind in _ENDS:
            self._completion = response_completion(mapping_of(event.get("response")), self._items)
        elif kind == "response.output_item.done":
            self._items.append(event.get("item"))
        elif kind == "response.output_item.added":
            item = mapping_of(event.get("item"))
            if item.get("type") == "function_call":
                place = self._places.setdefault(_output_index(event), len(self._places))
                identity, name = text_of(item.get("call_id")) or None, text_of(item.get("name")) or None
                return Delta(tool_calls=(ToolCallDelta(index=place, id=identity, name=name),))
        elif kind == "response.function_call_arguments.delta":
            called, piece = self._places.get(_output_index(event)), required(event, "delta", str)
            return None if called is None else Delta(tool_calls=(ToolCallDelta(index=called, arguments=piece),))
        elif kind in _TEXTS:
            return Delta(content=required(event, "delta", str))
        elif kind in _THOUGHTS:
            return Delta(reasoning=required(event, "delta", str))
        return None

    def completion(self) -> Completion | None:
        """Return the whole answer; None if its end has not come."""
        return self._completion


def _output_index(event: Mapping[str, Any]) -> int | None:
    return None if event.get("output_index") is None else required(event, "output_index", int)


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
                parts = mappings_in(item.get("content"))
                refusal += [text_of(part.get("refusal")) for part in parts]
                text += [text_of(part.get("text")) + text_of(part.get("refusal")) for part in parts]
            case "reasoning":
                reasoning += [
                    text_of(part.get("text")) for name in ("summary", "content") for part in mappings_in(item.get(name))
                ]
            case "function_call":
                calls.append(call_of(item))
    return ResponsesOutput(
        text="".join(text),
        refusal="".join(refusal),
        reasoning="\n".join(filter(None, reasoning)),
        calls=tuple(calls),
    )
