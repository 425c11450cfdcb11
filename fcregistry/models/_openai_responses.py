"""What did OpenAI's responses API answer, whole or piece by piece?

Sources: OpenAI API reference, "Responses", the response object, and "Streaming events".

MERGED: How is a conversation told to OpenAI's responses API? As input items; what it does not take is named in words.

Sources: OpenAI API reference, "Responses", input; OpenAI guides "Reasoning models", "Conversation state" and "File inputs".
MERGED: What do the items say that OpenAI's responses API puts out?

Source: OpenAI API reference, "Responses", the output of the response object.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from fcregistry.formats import data_url
from fcregistry.formats.openai import FILES, IMAGES
from fcregistry.models._messages import Message, arguments_text, call_of, is_image_link, wire_name
from fcregistry.models._model import Completion, Delta, ToolCallDelta, Usage
from fcregistry.models._openai_chat import number, with_ids
from fcregistry.models._sdk import broken_off, told_error, unreadable

if TYPE_CHECKING:
    from fcregistry._base.call import ToolCall
    from fcregistry._results.content import Content
    from fcregistry.models._model import FinishReason

# --- models._openai_responses ---

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


# --- models._openai_input ---

NATIVE: Final = "openai-responses"
"""What `Message.native` keeps of this API under: the items of the output, as they came."""


def input_items(messages: Sequence[Message], *, stored: bool = True) -> list[dict[str, Any]]:
    """Return a conversation as the API takes it. The messages given are left as they are.

    Args:
        messages: The conversation.
        stored: Whether the provider keeps its answers, and knows what it wrote by its id.
    """
    return [item for message in with_ids(messages) for item in _items(message, stored)]


def _items(message: Message, stored: bool) -> Iterator[dict[str, Any]]:
    match message.role:
        case "assistant":
            yield from _kept(message, stored) or _said(message)
        case "tool":
            output = {"call_id": message.tool_call_id or "", "output": _content(message)}
            yield {"type": "function_call_output", **output}
        case _:
            yield {"role": message.role, "content": _content(message)}


def _kept(message: Message, stored: bool) -> list[dict[str, Any]]:
    """Return what the provider wrote, thoughts included, to be given back as it was; nothing where the message says something else by now."""
    items = message.native.get(NATIVE)
    if not isinstance(items, Sequence) or not all(isinstance(item, Mapping) for item in items):
        return []
    said = read_output(items)
    if said.text != message.text or said.calls != message.tool_calls:
        return []
    return [_named(item if stored else _without_id(item)) for item in items if stored or _can_be_told(item)]


def _named(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return an item in which a call has a name that the API takes back."""
    return (
        {**item, "name": wire_name(str(item.get("name") or ""))} if item.get("type") == "function_call" else dict(item)
    )


def _without_id(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return an item without the id by which a provider that keeps nothing would look for it."""
    return {name: value for name, value in item.items() if name != "id"}


def _can_be_told(item: Mapping[str, Any]) -> bool:
    return item.get("type") != "reasoning" or bool(item.get("encrypted_content"))


def _said(message: Message) -> Iterator[dict[str, Any]]:
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


# --- models._openai_output ---


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponsesOutput:
    """What the items of an output say together.

    Attributes:
        text: What the model said, refusals included.
        refusal: What it said in refusing.
        reasoning: What it thought, or a summary of that.
        calls: What it asks for; those of the provider's own tools are done, and stay with it.
    """

    text: str = ""
    refusal: str = ""
    reasoning: str = ""
    calls: tuple[ToolCall, ...] = ()


def read_output(items: Iterable[object]) -> ResponsesOutput:
    """Return what items say. What is of no kind that is known says nothing to us."""
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
