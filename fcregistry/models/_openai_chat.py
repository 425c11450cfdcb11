"""Requests and answers of OpenAI's chat completions API, whole or piece by piece.

Servers that speak it differ: `reasoning_content` or `reasoning` holds what the model thought (DeepSeek, vLLM, OpenRouter); content is a list with
thoughts in it (Mistral); a call has a field that must be sent back (Gemini's `extra_content`); an error comes with status 200 (OpenRouter). Content
that the API does not take is named in words. Calls and results without ids get some.

Source: OpenAI API reference, "Chat Completions", messages, the chat completion object and the chat completion chunk object.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from operator import is_
from typing import TYPE_CHECKING, Any, Final

from fcregistry._base.call import ToolCall
from fcregistry.formats import is_like_arguments
from fcregistry.models._messages import Message, arguments_text, call_of, is_image_link, wire_name, written_part
from fcregistry.models._model import Completion, Delta, Usage
from fcregistry.models._sdk import error_in_answer, incomplete_answer, unreadable_answer
from fcregistry.models._streamed_calls import StreamedCalls

if TYPE_CHECKING:
    from fcregistry._results.content import Content
    from fcregistry.models._model import FinishReason


# --- Requests ---

NATIVE: Final = "openai"
"""The key of this API in `Message.native`, with `{"reasoning_content": …, "calls": {id: more fields of a call}}`."""


def chat_messages(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Return a conversation as the API takes it. The messages are not changed."""
    return [_chat_message(message) for message in with_ids(messages)]


def _chat_message(message: Message) -> dict[str, Any]:
    match message.role:
        case "user":
            return {"role": "user", "content": _chat_content(message), **_name_field(message)}
        case "assistant":
            return _assistant_message(message)
        case "tool":  # the API takes only text here, in which other parts are named
            return {"role": "tool", "tool_call_id": message.tool_call_id or "", "content": message.text}
    return {"role": message.role, "content": message.text, **_name_field(message)}


def _assistant_message(message: Message) -> dict[str, Any]:
    """Return a message of the model. One that only calls has null for content: some servers refuse a missing key, or empty text."""
    written: dict[str, Any] = {"role": "assistant", "content": message.text or None, **_name_field(message)}
    if not message.tool_calls:
        return {**written, "content": message.text}
    native = mapping_of(message.native.get(NATIVE))
    call_extras = mapping_of(native.get("calls"))
    calls = [{**_call(call), **mapping_of(call_extras.get(call.id or ""))} for call in message.tool_calls]
    return {**written, **_reasoning_fields(message, native), "tool_calls": calls}


def _reasoning_fields(message: Message, native: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields with the model's thinking before its calls.

    Models that think between calls want it back, as they wrote it; others refuse it, and so they do the thinking of another provider's model. So it
    is given back under its own name, and under the usual name if no provider is known to have written it.
    """
    kept = {name: value for name, value in native.items() if name != "calls"}
    if kept or message.native or not message.reasoning:
        return kept
    return {"reasoning_content": message.reasoning}


def _call(call: ToolCall) -> dict[str, Any]:
    function = {"name": wire_name(call.name), "arguments": arguments_text(call) or "{}"}
    return {"id": call.id, "type": "function", "function": function}


def _name_field(message: Message) -> dict[str, str]:
    return {"name": message.name} if message.name else {}


def _chat_content(message: Message) -> str | list[dict[str, Any]]:
    return [_part(part) for part in message.content] if isinstance(message.content, tuple) else message.text


def _part(part: Content) -> dict[str, Any]:
    if is_image_link(part):
        return {"type": "image_url", "image_url": {"url": part.uri}}
    return written_part(part)


# --- Ids of calls and results ---


def with_ids(messages: Sequence[Message]) -> list[Message]:
    """Return a conversation with ids for all calls and results: `call_1`, `call_2`, … for missing ones.

    A result without an id answers the first call without a result: of its name, if it has one, else of all.
    """
    taken = {call.id for message in messages for call in message.tool_calls}
    fresh = (made for number in count(1) if (made := f"call_{number}") not in taken)
    waiting: list[ToolCall] = []
    given: list[Message] = []
    for message in messages:
        if message.tool_calls:
            waiting = [_with_id(call, fresh) for call in message.tool_calls]
            same = all(map(is_, waiting, message.tool_calls))
            given.append(message if same else message.replaced(tool_calls=tuple(waiting)))
        elif message.role == "tool":
            given.append(_with_answered_id(message, waiting, fresh))
        else:
            given.append(message)
    return given


def _with_id(call: ToolCall, fresh: Iterator[str]) -> ToolCall:
    return call if call.id else ToolCall(call.name, call.arguments, next(fresh))


def _with_answered_id(message: Message, waiting: list[ToolCall], fresh: Iterator[str]) -> Message:
    """Return a result with the id of the call that it answers, and remove that call from those that wait."""
    answered = _answered_call(message, waiting)
    if answered is not None:
        waiting.remove(answered)
    if message.tool_call_id:
        return message
    return message.replaced(tool_call_id=answered.id if answered else next(fresh))


def _answered_call(message: Message, waiting: list[ToolCall]) -> ToolCall | None:
    if message.tool_call_id:
        return next((call for call in waiting if call.id == message.tool_call_id), None)
    of_name = [call for call in waiting if call.name == message.name]
    return next(iter(of_name or waiting), None)


# --- Answers ---

_FINISHED: Final[Mapping[str, FinishReason]] = {
    "stop": "stop",
    "end_turn": "stop",
    "eos": "stop",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",
    "content_filter": "content_filter",
}
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
    finish: str | None = None
    usage: Usage = field(default_factory=lambda: Usage(requests=1))
    model: str = ""
    id: str | None = None

    def add_head(self, body: Mapping[str, Any]) -> None:
        """Add the fields of an answer, or of a piece of one, that apply to the whole."""
        self.id = self.id or _text(body.get("id")) or None
        self.model = self.model or _text(body.get("model"))
        if isinstance(body.get("usage"), Mapping):
            self.usage = _usage(body["usage"])

    def add_text(self, message: Mapping[str, Any]) -> Delta:
        """Add the text and the thinking of a message, or of a piece of one, and return them."""
        text, thought = _content_and_thoughts(message.get("content"))
        for name in _REASONING:
            if isinstance(message.get(name), str) and message[name]:
                self.reasoning_name, thought = name, thought + message[name]
                break
        refusal = _text(message.get("refusal"))
        self.text.append(text)
        self.reasoning.append(thought)
        self.refusal.append(refusal)
        return Delta(content=text + refusal, reasoning=thought)

    def add_call_extras(self, call: object, id: str | None) -> None:
        """Add the provider's own fields of a call."""
        extras = (
            {name: value for name, value in call.items() if name not in _CALL_FIELDS}
            if isinstance(call, Mapping)
            else {}
        )
        if extras and id:
            self.call_extras.setdefault(id, {}).update(extras)

    def completion(self, calls: tuple[ToolCall, ...]) -> Completion:
        """Return the whole answer."""
        reasoning, refusal = "".join(self.reasoning), "".join(self.refusal)
        native: dict[str, Any] = {self.reasoning_name: reasoning} if reasoning else {}
        if self.call_extras:
            native["calls"] = self.call_extras
        message = Message(
            role="assistant",
            content="".join(self.text) + refusal or None,
            tool_calls=calls,
            reasoning=reasoning or None,
            native={NATIVE: native} if native else {},
        )
        details = {"id": self.id, "finish_reason": self.finish, "refusal": refusal}
        return Completion(
            message=message,
            finish_reason=_finish_reason(self.finish, bool(calls)),
            usage=self.usage,
            model=self.model,
            details={name: value for name, value in details.items() if value},
        )


def chat_completion(body: object, full_name: str) -> Completion:
    """Return the completion of a whole answer.

    Args:
        body: The answer as JSON.
        full_name: The name of the model with its provider.

    Raises:
        ModelError: It is an error, or has another shape.
    """
    answer = _Answer()
    choice = _choice(body, full_name)
    message = choice.get("message") if choice else None
    if not isinstance(body, Mapping) or not choice or not isinstance(message, Mapping):
        raise unreadable_answer(full_name, "it has no choices with a message")
    answer.add_head(body)
    answer.add_text(message)
    answer.finish = _text(choice.get("finish_reason")) or None
    written = _listed(message.get("tool_calls"))
    calls = tuple(map(call_of, written))
    for call, each in zip(calls, written, strict=True):
        answer.add_call_extras(each, call.id)
    return answer.completion(calls)


class ChatStream:
    """Puts an answer together from the pieces that are streamed.

    Args:
        full_name: The name of the model with its provider.
    """

    def __init__(self, full_name: str) -> None:
        self._full_name = full_name
        self._answer = _Answer()
        self._calls = StreamedCalls()
        self._has_begun = False

    def add(self, piece: object) -> Delta | None:
        """Take the next piece, and return what is new in it; None if there is nothing to show.

        Raises:
            ModelError: It is an error, or has another shape.
        """
        self._has_begun = True
        choice = _choice(piece, self._full_name)
        if not isinstance(piece, Mapping):
            raise unreadable_answer(self._full_name, f"a piece is {piece!r:.80}")
        self._answer.add_head(piece)
        if choice is None:  # such as the last one, which has the usage
            return None
        self._answer.finish = _text(choice.get("finish_reason")) or self._answer.finish
        written = choice.get("delta")
        if written is None:
            return None
        if not isinstance(written, Mapping):
            raise unreadable_answer(self._full_name, f"a delta is {written!r:.80}")
        shown = self._answer.add_text(written)
        pieces = [delta for each in _listed(written.get("tool_calls")) if (delta := self._call(each)) is not None]
        delta = Delta(content=shown.content, reasoning=shown.reasoning, tool_calls=tuple(pieces))
        return delta if delta != Delta() else None

    def completion(self) -> Completion:
        """Return the whole answer.

        Raises:
            ModelError: The stream ended before the answer was complete.
        """
        if self._answer.finish is None:
            raise incomplete_answer(self._full_name, has_begun=self._has_begun)
        return self._answer.completion(self._calls.calls())

    def _call(self, piece: object) -> Any:
        if not isinstance(piece, Mapping):
            raise unreadable_answer(self._full_name, f"a piece of a call is {piece!r:.80}")
        function = piece.get("function")
        function = function if isinstance(function, Mapping) else {}
        index = piece.get("index")
        delta = self._calls.add(
            index if isinstance(index, int) else None,
            _text(piece.get("id")) or None,
            _text(function.get("name")) or None,
            _arguments(piece, function),
        )
        self._answer.add_call_extras(piece, delta.id if delta else None)
        return delta


def _arguments(piece: Mapping[str, Any], function: Mapping[str, Any]) -> str | Mapping[str, Any] | None:
    """Return the arguments in a piece of a call.

    Those that cannot be read become JSON that is not an object, which the executor refuses.
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


def _finish_reason(word: str | None, calls: bool) -> FinishReason:
    """Return why a model stopped. Calls are the reason, also if its server says `stop`, or nothing."""
    reason = _FINISHED.get(word or "stop", "other")
    return "tool_calls" if calls and reason == "stop" else reason


def _usage(usage: Mapping[str, Any]) -> Usage:
    """Return the usage of one answer."""
    read, written = mapping_of(usage.get("prompt_tokens_details")), mapping_of(usage.get("completion_tokens_details"))
    return Usage(
        input_tokens=number(usage.get("prompt_tokens")),
        output_tokens=number(usage.get("completion_tokens")),
        cached_tokens=number(read.get("cached_tokens")) or number(usage.get("prompt_cache_hit_tokens")),
        reasoning_tokens=number(written.get("reasoning_tokens")),
        requests=1,
    )


def number(value: object) -> int:
    """Return a count of tokens, or 0 if the value is not a number."""
    return value if isinstance(value, int) else 0


def _choice(body: object, full_name: str) -> Mapping[str, Any] | None:
    """Return the first choice of an answer, or of a piece; None if it has none.

    Raises:
        ModelError: It is an error instead.
    """
    if not isinstance(body, Mapping):
        return None
    if body.get("error"):
        raise error_in_answer(body, full_name)
    choices = [each for each in _listed(body.get("choices")) if isinstance(each, Mapping)]
    return next((each for each in choices if each.get("index") in (0, None)), None)


def _content_and_thoughts(content: object) -> tuple[str, str]:
    """Return the text of a content, and the thinking in it."""
    if not isinstance(content, list):
        return _text(content), ""
    parts = [part for part in content if isinstance(part, Mapping)]
    texts = [_text(part.get("text")) for part in parts if part.get("type") == "text"]
    thoughts = [_content_and_thoughts(part.get("thinking"))[0] for part in parts if part.get("type") == "thinking"]
    return "".join(texts), "".join(thoughts)


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def mapping_of(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
