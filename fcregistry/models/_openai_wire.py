"""Requests and answers of OpenAI's two APIs, chat completions and responses, whole or piece by piece.

Servers that speak chat completions differ: `reasoning_content` or `reasoning` holds what the model thought (DeepSeek, vLLM, OpenRouter); content is
a list with thoughts in it (Mistral); a call has a field that must be sent back (Gemini's `extra_content`); an error comes with status 200
(OpenRouter). Content that an API does not take is named in words. Calls and results without ids get some.

Sources: OpenAI API reference, "Chat Completions", messages, the chat completion object and the chat completion chunk object; "Responses", input, the
response object and "Streaming events"; OpenAI guides "Reasoning models", "Conversation state" and "File inputs".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from fcregistry.formats import cut_off_call, finish_reason, is_like_arguments
from fcregistry.formats.openai import media
from fcregistry.models._messages import (
    Message,
    arguments_text,
    call_of,
    is_image_link,
    mapping_of,
    mappings_in,
    number_of,
    rendered,
    required,
    text_of,
    written_part,
)
from fcregistry.models._model import Completion, Delta, ToolCallDelta, Usage
from fcregistry.models._provider_errors import AnswerError
from fcregistry.models._streamed_calls import StreamedCalls
from fcregistry.models._wire import wire_name, with_call_ids, with_wire_name

if TYPE_CHECKING:
    from fcregistry._base.call import ToolCall
    from fcregistry._results.content import Content
    from fcregistry._tools.tool import Tool
    from fcregistry.formats import FinishReason


# --- Chat completions: requests ---

CHAT: Final = "openai"
"""The key of this API in `Message.native`, with `{"reasoning_content": …, "calls": {id: more fields of a call}}`."""


def chat_messages(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Return the conversation `messages` as the API expects it. The messages are not changed."""
    return [rendered(message, CHAT, _chat_message) for message in with_call_ids(messages)]


def _chat_message(message: Message) -> dict[str, Any]:
    """Return `message` as a dict as the chat completions API expects it.

    Only a user's message has parts of content: in any other, parts that are not text are described in text.
    """
    match message.role:
        case "user":
            return {"role": "user", "content": _chat_content(message), **_name_field(message)}
        case "assistant":
            return _assistant_message(message)
        case "tool":  # the API takes only text here, in which other parts are named
            return {"role": "tool", "tool_call_id": message.tool_call_id or "", "content": message.text}
    return {"role": message.role, "content": message.text, **_name_field(message)}


def _assistant_message(message: Message) -> dict[str, Any]:
    """Return `message`, which the model wrote, as a dict as the chat completions API expects it.

    A message with calls and without text has null for content: some servers refuse a missing key, or empty text. Only a message with calls has
    thinking.
    """
    written: dict[str, Any] = {"role": "assistant", "content": message.text or None, **_name_field(message)}
    if not message.tool_calls:
        return {**written, "content": message.text}
    native = mapping_of(message.native.get(CHAT))
    call_extras = mapping_of(native.get("calls"))
    calls = [
        {
            "id": call.id,
            "type": "function",
            "function": _function(call),
            **mapping_of(call_extras.get(call.id or "")),
        }
        for call in message.tool_calls
    ]
    return {**written, **_reasoning_fields(message, native), "tool_calls": calls}


def _reasoning_fields(message: Message, native: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields with the model's thinking before its calls; may be empty.

    They are the fields of `native` other than `calls`. If there is none, and no provider wrote `message`, its reasoning is in
    `reasoning_content`. Models that think between calls expect their thinking back as they wrote it; other models refuse it, and all refuse
    that of another provider.
    """
    kept = {name: value for name, value in native.items() if name != "calls"}
    if kept or message.native or not message.reasoning:
        return kept
    return {"reasoning_content": message.reasoning}


def _name_field(message: Message) -> dict[str, str]:
    """Return a dict with the field `name` of `message`, or an empty dict if it has no name."""
    return {"name": message.name} if message.name else {}


def _chat_content(message: Message) -> str | list[dict[str, Any]]:
    """Return the content of `message` as a list of parts of OpenAI's chat if it has parts, else as text.

    No content is an empty text.
    """
    return [written_part(part) for part in message.content] if isinstance(message.content, tuple) else message.text


# --- Chat completions: answers ---

_REASONING: Final = ("reasoning_content", "reasoning")
_CALL_FIELDS: Final = frozenset({"id", "type", "index", "function"})
"""Fields of every call; any other field is the provider's own, and is sent back."""


@dataclass(slots=True, kw_only=True)
class _Answer:
    """The parts of an answer that have been read."""

    text: list[str] = field(default_factory=list)
    refusal: list[str] = field(default_factory=list)
    reasoning: list[str] = field(default_factory=list)
    reasoning_name: str = _REASONING[0]
    call_extras: dict[str, Any] = field(default_factory=dict)
    finish: str = ""
    usage: Usage = field(default_factory=lambda: Usage(requests=1))
    model: str = ""
    id: str = ""

    def add_head(self, body: Mapping[str, Any]) -> None:
        """Add the fields of `body`, an answer or a piece of one, that apply to the whole answer."""
        self.id = self.id or text_of(body.get("id"))
        self.model = self.model or text_of(body.get("model"))
        if isinstance(body.get("usage"), Mapping):
            self.usage = _usage(body["usage"], "prompt", "completion")

    def add_text(self, message: Mapping[str, Any]) -> Delta:
        """Add the text and the thinking of `message`, or of a piece of a message, and return both."""
        text, thought = _content_and_thoughts(message.get("content"))
        for name in _REASONING:
            if isinstance(message.get(name), str) and message[name]:
                self.reasoning_name, thought = name, thought + message[name]
                break
        refusal = text_of(message.get("refusal"))
        self.text.append(text)
        self.reasoning.append(thought)
        self.refusal.append(refusal)
        return Delta(content=text + refusal, reasoning=thought)

    def add_call_extras(self, call: Mapping[str, Any], id: str | None) -> None:
        """Add the provider's own fields of `call`, whose id is `id`; without an id, they are dropped."""
        extras = {name: value for name, value in call.items() if name not in _CALL_FIELDS}
        if extras and id:
            self.call_extras.setdefault(id, {}).update(extras)

    def completion(self, calls: tuple[ToolCall, ...]) -> Completion:
        """Return the whole answer, with `calls`."""
        reasoning, refusal = "".join(self.reasoning), "".join(self.refusal)
        native: dict[str, Any] = {self.reasoning_name: reasoning} if reasoning else {}
        if self.call_extras:
            native["calls"] = self.call_extras
        message = Message(
            role="assistant",
            content="".join(self.text) + refusal or None,
            tool_calls=calls,
            reasoning=reasoning or None,
            native={CHAT: native} if native else {},
        )
        details = {"id": self.id, "finish_reason": self.finish, "refusal": refusal}
        return Completion(
            message=message,
            finish_reason=finish_reason("refusal" if refusal.strip() else self.finish or "stop", bool(calls)),
            usage=self.usage,
            model=self.model,
            details={name: value for name, value in details.items() if value},
        )


def chat_completion(body: Mapping[str, Any]) -> Completion:
    """Return the completion of a whole answer.

    Raises:
        ValueError: `body` does not have the shape of an answer.
    """
    choice = _choice(body)
    message = choice.get("message") if choice else None
    if not choice or not isinstance(message, Mapping):
        raise ValueError("it has no choices with a message")
    answer = _Answer()
    answer.add_head(body)
    answer.add_text(message)
    answer.finish = text_of(choice.get("finish_reason"))
    written = _as_list(message.get("tool_calls")) or _legacy_call(message)
    calls = tuple(map(call_of, written))
    for call, each in zip(calls, written, strict=True):
        answer.add_call_extras(mapping_of(each), call.id)
    return answer.completion(calls)


class ChatStream:
    """Puts an answer together from the pieces that are streamed."""

    def __init__(self, tools: Iterable[Tool] = ()) -> None:
        self._answer = _Answer()
        self._calls = StreamedCalls(tools)
        self._legacy_calls = StreamedCalls()  # some servers send the same call in both forms

    def add(self, piece: Mapping[str, Any]) -> Delta | None:
        """Take the next piece, and return what is new in it, or None if there is nothing to show.

        Raises:
            ValueError: The piece has an unknown shape.
        """
        self._answer.add_head(piece)
        choice = _choice(piece)
        if choice is None:  # such as the last one, which has the usage
            return None
        self._answer.finish = text_of(choice.get("finish_reason")) or self._answer.finish
        if choice.get("delta") is None:
            return None
        written = required(choice, "delta", dict)
        shown = self._answer.add_text(written)
        for former in _legacy_call(written):
            function = mapping_of(former)
            self._legacy_calls.add(0, None, text_of(function.get("name")), _arguments({}, function))
        calls = tuple(filter(None, map(self._call, _as_list(written.get("tool_calls")))))
        delta = Delta(content=shown.content, reasoning=shown.reasoning, tool_calls=calls)
        return delta if delta != Delta() else None

    def completion(self) -> Completion | None:
        """Return the whole answer, or None if its end has not come.

        Raises:
            ValueError: It is not certain to which call a piece belongs.
        """
        if not self._answer.finish:
            return None
        return self._answer.completion(self._calls.calls() or self._legacy_calls.calls())

    def _call(self, piece: object) -> ToolCallDelta | None:
        """Add `piece`, a piece of a call, and return what is new in it, or None if nothing is.

        The provider's own fields in it are kept, too.

        Raises:
            ValueError: It is not a JSON object.
        """
        if not isinstance(piece, Mapping):
            raise ValueError(f"a piece of a call is {piece!r:.80}")  # noqa: TRY004  # as above
        function = mapping_of(piece.get("function"))
        index = piece.get("index")
        delta = self._calls.add(
            index if isinstance(index, int) else None,
            text_of(piece.get("id")),
            text_of(function.get("name")),
            _arguments(piece, function),
        )
        self._answer.add_call_extras(piece, delta.id if delta else None)
        return delta


def _legacy_call(message: Mapping[str, Any]) -> list[Any]:
    """Return a list with the call in the deprecated field `function_call` of `message`, as it is.

    The list is empty if there is no such call, or if it has neither name nor arguments.
    """
    call = message.get("function_call")
    is_empty = not call or (isinstance(call, Mapping) and not (call.get("name") or call.get("arguments")))
    return [] if is_empty else [call]


def _arguments(piece: Mapping[str, Any], function: Mapping[str, Any]) -> str | Mapping[str, Any] | None:
    """Return the arguments in `piece`, a piece of a call, or None if it has none.

    `function` is the field of that name in `piece`. Text and objects are returned as they are. Arguments of another type, or in other
    fields that are named like arguments, become the text of a JSON array, which the executor refuses.
    """
    arguments = function.get("arguments")
    unread = [
        value
        for fields in (piece, function)
        for name, value in fields.items()
        if value and is_like_arguments(name) and not (fields is function and name == "arguments")
    ]
    if arguments is None and not unread:
        return None
    if isinstance(arguments, (str, Mapping)) and not unread:
        return arguments
    import json  # for what few servers write

    return json.dumps([arguments, *unread], ensure_ascii=False, default=str)


def _choice(body: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the first choice of `body`, an answer or a piece of one, whose index is 0 or missing.

    Return None if there is no such choice.
    """
    choices = (each for each in _as_list(body.get("choices")) if isinstance(each, Mapping))
    return next((each for each in choices if each.get("index") in (0, None)), None)


def _content_and_thoughts(content: object) -> tuple[str, str]:
    """Return two texts: the text and the thinking in `content`, a text or a list of parts.

    Parts of other types are left out, and either may be empty, as both are for any other `content`.
    """
    if not isinstance(content, list):
        return text_of(content), ""
    parts = [part for part in content if isinstance(part, Mapping)]
    texts = [text_of(part.get("text")) for part in parts if part.get("type") == "text"]
    thoughts = [_content_and_thoughts(part.get("thinking"))[0] for part in parts if part.get("type") == "thinking"]
    return "".join(texts), "".join(thoughts)


def _as_list(value: Any) -> list[Any]:
    """Return `value` itself if it is a list, `[]` for None, and `[value]` for anything else."""
    return value if isinstance(value, list) else [] if value is None else [value]


# --- Responses: requests ---

RESPONSES: Final = "openai-responses"
"""The key of this API in `Message.native`, with the items of the output, as they came."""


def input_items(messages: Sequence[Message], *, stored: bool = True) -> list[dict[str, Any]]:
    """Return the conversation `messages` as the API expects it. The messages are not changed.

    Args:
        messages: The conversation.
        stored: Whether the provider stores its answers, and finds them by their ids.
    """
    key = (RESPONSES, stored)

    def items(message: Message) -> list[dict[str, Any]]:
        """Return the input items of `message`."""
        return list(_items(message, stored))

    return [item for message in with_call_ids(messages) for item in rendered(message, key, items)]


def _items(message: Message, stored: bool) -> Iterator[dict[str, Any]]:
    """Yield the input items of `message` for the responses API; `stored` is as for `input_items`.

    For the message of a model, they are those that the provider wrote, unless the message was changed since.
    """
    match message.role:
        case "assistant":
            yield from _native_items(message, stored) or _assistant_items(message)
        case "tool":
            output = {"call_id": message.tool_call_id or "", "output": _content(message)}
            yield {"type": "function_call_output", **output}
        case _:
            yield {"role": message.role, "content": _content(message)}


def _native_items(message: Message, stored: bool) -> list[dict[str, Any]]:
    """Return the items of `message` that the provider wrote, thinking included, with valid names of calls.

    The list is empty if the provider wrote none, or the message was changed since. If `stored` is False, items are sent without their ids, and
    thinking only if it is encrypted.
    """
    items = message.native.get(RESPONSES)
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
    """Return a copy of `item` without its field `id`, by which a provider would look for a stored item."""
    return {name: value for name, value in item.items() if name != "id"}


def _can_be_returned(item: Mapping[str, Any]) -> bool:
    """Return whether `item` can be sent back to a provider that has not stored it.

    An item of thinking can only if it is encrypted, any other item always.
    """
    return item.get("type") != "reasoning" or bool(item.get("encrypted_content"))


def _assistant_items(message: Message) -> Iterator[dict[str, Any]]:
    """Yield the items of `message`, which a model wrote: its text, and then each call.

    An empty text is yielded only if there is no call.
    """
    if message.text or not message.tool_calls:
        yield {"role": "assistant", "content": message.text}
    yield from map(_call, message.tool_calls)


def _call(call: ToolCall) -> dict[str, Any]:
    """Return `call` as an item of the type `function_call` of the responses API."""
    return {"type": "function_call", "call_id": call.id, **_function(call)}


def _content(message: Message) -> str | list[dict[str, Any]]:
    """Return the content of `message` as a list of parts of the responses API, or as text.

    Content without parts is text; no content is an empty text.
    """
    return [_part(part) for part in message.content] if isinstance(message.content, tuple) else message.text


def _part(part: Content) -> dict[str, Any]:
    """Return `part` as a content part of the responses API.

    An image link becomes an `input_image`; other content becomes what `media` returns; content for which the API has no part, and plain text,
    becomes an `input_text` with its text or description.
    """
    linked = {"type": "input_image", "image_url": part.uri} if is_image_link(part) else None
    return linked or media(part) or {"type": "input_text", "text": str(part)}


# --- Responses: answers ---

_ENDS: Final = frozenset({"response.completed", "response.incomplete", "response.failed", "response.cancelled"})
_TEXTS: Final = frozenset({"response.output_text.delta", "response.refusal.delta"})
_THOUGHTS: Final = frozenset({"response.reasoning_summary_text.delta", "response.reasoning_text.delta"})


def response_completion(body: Mapping[str, Any], items: Sequence[object] = ()) -> Completion:
    """Return the completion of a whole response.

    Args:
        body: The response as JSON.
        items: The output as it was streamed; some servers leave it out of the response.

    Raises:
        AnswerError: The response has failed.
        ValueError: `body` does not have the shape of a response.
    """
    if body.get("error") or body.get("status") in ("failed", "cancelled"):
        raise AnswerError(body.get("error"))
    written = [_without_nulls(item) for item in mappings_in(required(body, "output", list) or list(items))]
    reason = mapping_of(body.get("incomplete_details")).get("reason")
    finish: FinishReason = "stop"
    if body.get("status") == "incomplete":
        finish = finish_reason(reason or "length", has_calls=False)
        written = _with_incomplete_call(written)
    output = read_output(written, finish)
    if output.refusal.strip():
        finish = "content_filter"
    message = Message(
        role="assistant",
        content=output.text or None,
        tool_calls=output.calls,
        reasoning=output.reasoning or None,
        native={RESPONSES: written} if written else {},
    )
    details = {"id": body.get("id"), "status": body.get("status"), "reason": reason, "refusal": output.refusal}
    return Completion(
        message=message,
        finish_reason=finish_reason(finish, bool(output.calls)),
        usage=_usage(mapping_of(body.get("usage")), "input", "output"),
        model=str(body.get("model") or ""),
        details={name: value for name, value in details.items() if value},
    )


def _with_incomplete_call(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return a copy of the list `items` in which the last call has the status `incomplete`.

    They are the items of an incomplete response; without a call, all stay as they are.
    """
    last = next((place for place in reversed(range(len(items))) if items[place].get("type") == "function_call"), None)
    return [{**item, "status": "incomplete"} if place == last else item for place, item in enumerate(items)]


class ResponseStream:
    """Reads a streamed response: its text as it comes, and the response itself, which the last event has."""

    def __init__(self, tools: Iterable[Tool] = ()) -> None:
        self._completion: Completion | None = None
        self._items: list[object] = []
        self._places: dict[int | None, int] = {}
        self._arguments: dict[int | None, str] = {}  # the beginning of those of each call, as they are streamed

    def add(self, event: Mapping[str, Any]) -> Delta | None:
        """Take the next event, and return what is new in it, or None if there is nothing to show.

        Raises:
            ValueError: The event has an unknown shape, or is an error.
        """
        kind = required(event, "type", str)
        if kind in _ENDS:
            self._end(mapping_of(event.get("response")))
        elif kind == "response.output_item.done":
            self._items.append(event.get("item"))
        elif kind == "response.output_item.added":
            item = mapping_of(event.get("item"))
            if item.get("type") == "function_call":
                place = self._places.setdefault(_output_index(event), len(self._places))
                identity, name = text_of(item.get("call_id")) or None, text_of(item.get("name")) or None
                return Delta(tool_calls=(ToolCallDelta(index=place, id=identity, name=name),))
        elif kind == "response.function_call_arguments.delta":
            index, piece = _output_index(event), required(event, "delta", str)
            self._arguments[index] = (self._arguments.get(index, "") + piece).lstrip()[:_BEGINNING]
            called = self._places.get(index)
            return None if called is None else Delta(tool_calls=(ToolCallDelta(index=called, arguments=piece),))
        elif kind in _TEXTS:
            return Delta(content=required(event, "delta", str))
        elif kind in _THOUGHTS:
            return Delta(reasoning=required(event, "delta", str))
        return None

    def completion(self) -> Completion | None:
        """Return the whole answer, or None if its end has not come."""
        return self._completion

    def _end(self, response: Mapping[str, Any]) -> None:
        """Store the completion of `response`, the whole response, which the last event has.

        Raises:
            AnswerError: The response has failed.
            ValueError: It has another shape, or fewer of its calls have arguments than calls had arguments streamed.
        """
        completion = response_completion(response, self._items)
        streamed = sum(map(_is_not_empty, self._arguments.values()))
        if streamed > sum(_is_not_empty(arguments_text(call)) for call in completion.message.tool_calls):
            raise ValueError("it streamed arguments that belong to none of its calls")
        self._completion = completion


_BEGINNING: Final = 8
"""The number of characters that are enough to see whether there are arguments."""


def _is_not_empty(arguments: str) -> bool:
    """Return whether `arguments`, JSON text or its beginning, are more than white space, `{}` or `null`."""
    return arguments.strip() not in ("", "{}", "null")


def _output_index(event: Mapping[str, Any]) -> int | None:
    """Return the `output_index` of `event`, the index of its item, or None if it is missing or null.

    Raise `ValueError` if it is not an integer.
    """
    return None if event.get("output_index") is None else required(event, "output_index", int)


def _without_nulls(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of `item` without the fields that are None: the API writes some that it refuses."""
    return {name: value for name, value in item.items() if value is not None}


# --- Responses: the items of an output ---


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


def read_output(items: Iterable[object], finish: str = "") -> ResponsesOutput:
    """Return the content of `items`. Items of unknown types are ignored.

    Args:
        items: The items.
        finish: Why the model stopped, for the error messages of calls that are marked as incomplete.
    """
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
            case "function_call" if item.get("status") == "incomplete":
                calls.append(cut_off_call(call_of({**item, "status": None}), finish))
            case "function_call":
                calls.append(call_of(item))
    return ResponsesOutput(
        text="".join(text),
        refusal="".join(refusal),
        reasoning="\n".join(filter(None, reasoning)),
        calls=tuple(calls),
    )


# --- Both APIs ---


def _function(call: ToolCall) -> dict[str, str]:
    """Return the fields `name` and `arguments` of `call` as OpenAI's APIs expect them.

    The name has only characters that the APIs accept; `arguments` is JSON text, `{}` if there are none.
    """
    return {"name": wire_name(call.name), "arguments": arguments_text(call) or "{}"}


def _usage(counts: Mapping[str, Any], read: str, written: str) -> Usage:
    """Return the `Usage` of one answer of one of OpenAI's APIs; a missing count is 0.

    Args:
        counts: The provider's counts.
        read: The API's word for what the model read, with which the names of fields begin: `prompt` or `input`.
        written: Its word for what the model wrote: `completion` or `output`.
    """
    details = mapping_of(counts.get(f"{read}_tokens_details"))
    return Usage(
        input_tokens=number_of(counts.get(f"{read}_tokens")),
        output_tokens=number_of(counts.get(f"{written}_tokens")),
        cached_tokens=number_of(details.get("cached_tokens")) or number_of(counts.get("prompt_cache_hit_tokens")),
        reasoning_tokens=number_of(mapping_of(counts.get(f"{written}_tokens_details")).get("reasoning_tokens")),
        requests=1,
    )
