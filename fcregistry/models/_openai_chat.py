"""What did OpenAI's chat completions API answer, whole or piece by piece?

Source: OpenAI API reference, "Chat Completions", the chat completion object and the chat completion chunk object. What others who speak it
do otherwise: `reasoning_content` or `reasoning` holds what the model thought (DeepSeek, vLLM, OpenRouter); content is a list with thoughts
in it (Mistral); a call carries a field that must be sent back (Gemini's `extra_content`); an error comes with status 200 (OpenRouter).

MERGED: How is a conversation told to OpenAI's chat completions API? As its messages; what it does not take is named in words.

Source: OpenAI API reference, "Chat Completions", messages.
MERGED: Which call does a result answer, in a conversation with a provider that tells them apart by ids? Those without one are given one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from operator import is_
from typing import TYPE_CHECKING, Any, Final

from fcregistry._base.call import ToolCall
from fcregistry.formats._read import is_like_arguments
from fcregistry.models._messages import Message, arguments_text, call_of, is_image_link, wire_name, written_part
from fcregistry.models._model import Completion, Delta, Usage
from fcregistry.models._sdk import broken_off, told_error, unreadable
from fcregistry.models._streamed_calls import StreamedCalls

if TYPE_CHECKING:
    from fcregistry._results.content import Content
    from fcregistry.models._model import FinishReason

# --- models._openai_chat ---

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
_OF_CALLS: Final = frozenset({"id", "type", "index", "function"})
"""What every call has; what else one carries is its provider's own, and sent back."""


@dataclass(slots=True, kw_only=True)
class _Answer:
    """What has been read of an answer until now."""

    text: list[str] = field(default_factory=list)
    refusal: list[str] = field(default_factory=list)
    reasoning: list[str] = field(default_factory=list)
    reasoning_name: str = _REASONING[0]
    own: dict[str, Any] = field(default_factory=dict)
    finish: str | None = None
    usage: Usage = field(default_factory=lambda: Usage(requests=1))
    model: str = ""
    id: str | None = None

    def take_head(self, body: Mapping[str, Any]) -> None:
        """Take what an answer, or a piece of one, says of the whole."""
        self.id = self.id or _text(body.get("id")) or None
        self.model = self.model or _text(body.get("model"))
        if isinstance(body.get("usage"), Mapping):
            self.usage = usage_of(body["usage"])

    def take_said(self, said: Mapping[str, Any]) -> Delta:
        """Take what the model says beside its calls, in a message or in a piece of one."""
        text, thought = _openai_chat_content(said.get("content"))
        for name in _REASONING:
            if isinstance(said.get(name), str) and said[name]:
                self.reasoning_name, thought = name, thought + said[name]
                break
        refusal = _text(said.get("refusal"))
        self.text.append(text)
        self.reasoning.append(thought)
        self.refusal.append(refusal)
        return Delta(content=text + refusal, reasoning=thought)

    def take_own(self, call: object, id: str | None) -> None:
        """Take what a call carries beside what all have."""
        own = (
            {name: value for name, value in call.items() if name not in _OF_CALLS} if isinstance(call, Mapping) else {}
        )
        if own and id:
            self.own.setdefault(id, {}).update(own)

    def completion(self, calls: tuple[ToolCall, ...]) -> Completion:
        """Return all of it."""
        reasoning, refusal = "".join(self.reasoning), "".join(self.refusal)
        native = {self.reasoning_name: reasoning} if reasoning else {}
        message = Message(
            role="assistant",
            content="".join(self.text) + refusal or None,
            tool_calls=calls,
            reasoning=reasoning or None,
            native={NATIVE: {**native, **({"calls": self.own} if self.own else {})}} if native or self.own else {},
        )
        details = {"id": self.id, "finish_reason": self.finish, "refusal": refusal}
        return Completion(
            message=message,
            finish_reason=finish_of(self.finish, bool(calls)),
            usage=self.usage,
            model=self.model,
            details={name: value for name, value in details.items() if value},
        )


def chat_completion(body: object, asked: str) -> Completion:
    """Return the completion that a whole answer is.

    Args:
        body: The answer as JSON.
        asked: The model with its provider.

    Raises:
        ModelError: It is an error, or in another shape.
    """
    answer = _Answer()
    choice = _choice(body, asked)
    message = choice.get("message") if choice else None
    if not isinstance(body, Mapping) or not choice or not isinstance(message, Mapping):
        raise unreadable(asked, "it has no choices with a message")
    answer.take_head(body)
    answer.take_said(message)
    answer.finish = _text(choice.get("finish_reason")) or None
    written = _listed(message.get("tool_calls"))
    calls = tuple(map(call_of, written))
    for call, each in zip(calls, written, strict=True):
        answer.take_own(each, call.id)
    return answer.completion(calls)


class ChatStream:
    """Puts an answer together from the pieces that are streamed.

    Args:
        asked: The model with its provider.
    """

    def __init__(self, asked: str) -> None:
        self._asked = asked
        self._answer = _Answer()
        self._calls = StreamedCalls()
        self._has_begun = False

    def add(self, piece: object) -> Delta | None:
        """Take the next piece, and return what is new in it; None where that is nothing to show.

        Raises:
            ModelError: It is an error, or in another shape.
        """
        self._has_begun = True
        choice = _choice(piece, self._asked)
        if not isinstance(piece, Mapping):
            raise unreadable(self._asked, f"a piece is {piece!r:.80}")
        self._answer.take_head(piece)
        if choice is None:  # such as the last one, which tells what was used
            return None
        self._answer.finish = _text(choice.get("finish_reason")) or self._answer.finish
        said = choice.get("delta")
        if said is None:
            return None
        if not isinstance(said, Mapping):
            raise unreadable(self._asked, f"a delta is {said!r:.80}")
        shown = self._answer.take_said(said)
        pieces = [delta for each in _listed(said.get("tool_calls")) if (delta := self._call(each)) is not None]
        delta = Delta(content=shown.content, reasoning=shown.reasoning, tool_calls=tuple(pieces))
        return delta if delta != Delta() else None

    def completion(self) -> Completion:
        """Return the whole answer.

        Raises:
            ModelError: It has not come to its end.
        """
        if self._answer.finish is None:
            raise broken_off(self._asked, has_begun=self._has_begun)
        return self._answer.completion(self._calls.calls())

    def _call(self, piece: object) -> Any:
        if not isinstance(piece, Mapping):
            raise unreadable(self._asked, f"a piece of a call is {piece!r:.80}")
        function = piece.get("function")
        function = function if isinstance(function, Mapping) else {}
        index = piece.get("index")
        delta = self._calls.add(
            index if isinstance(index, int) else None,
            _text(piece.get("id")) or None,
            _text(function.get("name")) or None,
            _arguments(piece, function),
        )
        self._answer.take_own(piece, delta.id if delta else None)
        return delta


def _arguments(piece: Mapping[str, Any], function: Mapping[str, Any]) -> str | Mapping[str, Any] | None:
    """Return the arguments in a piece of a call. Those that cannot be read become text that is not an object, which no executor takes for none."""
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
    import json  # for what hardly any server writes

    return json.dumps([arguments, *unread], ensure_ascii=False, default=str)


def finish_of(word: str | None, calls: bool) -> FinishReason:
    """Return why a model stopped. One that calls has stopped for that, also where its server says `stop`, or nothing."""
    reason = _FINISHED.get(word or "stop", "other")
    return "tool_calls" if calls and reason == "stop" else reason


def usage_of(usage: Mapping[str, Any]) -> Usage:
    """Return how many tokens one answer took."""
    read, written = _mapping(usage.get("prompt_tokens_details")), _mapping(usage.get("completion_tokens_details"))
    return Usage(
        input_tokens=number(usage.get("prompt_tokens")),
        output_tokens=number(usage.get("completion_tokens")),
        cached_tokens=number(read.get("cached_tokens")) or number(usage.get("prompt_cache_hit_tokens")),
        reasoning_tokens=number(written.get("reasoning_tokens")),
        requests=1,
    )


def number(value: object) -> int:
    """Return a count of tokens, or 0 for what is none."""
    return value if isinstance(value, int) else 0


def _choice(body: object, asked: str) -> Mapping[str, Any] | None:
    """Return the first choice of an answer, or of a piece; None where it has none.

    Raises:
        ModelError: It is an error instead.
    """
    if not isinstance(body, Mapping):
        return None
    if body.get("error"):
        raise told_error(body, asked)
    choices = [each for each in _listed(body.get("choices")) if isinstance(each, Mapping)]
    return next((each for each in choices if each.get("index") in (0, None)), None)


def _openai_chat_content(content: object) -> tuple[str, str]:
    """Return the text of a content, and what was thought in it."""
    if not isinstance(content, list):
        return _text(content), ""
    parts = [part for part in content if isinstance(part, Mapping)]
    texts = [_text(part.get("text")) for part in parts if part.get("type") == "text"]
    thoughts = [_openai_chat_content(part.get("thinking"))[0] for part in parts if part.get("type") == "thinking"]
    return "".join(texts), "".join(thoughts)


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


# --- models._openai_messages ---

NATIVE: Final = "openai"
"""What `Message.native` keeps of this API under: `{"reasoning_content": …, "calls": {id: what a call carries beside ours}}`."""


def chat_messages(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Return a conversation as the API takes it. The messages given are left as they are."""
    return [_written(message) for message in with_ids(messages)]


def _written(message: Message) -> dict[str, Any]:
    match message.role:
        case "user":
            return {"role": "user", "content": _openai_messages_content(message), **_named(message)}
        case "assistant":
            return _said(message)
        case "tool":  # the API takes text here, in which what is none is named
            return {"role": "tool", "tool_call_id": message.tool_call_id or "", "content": message.text}
    return {"role": message.role, "content": message.text, **_named(message)}


def _said(message: Message) -> dict[str, Any]:
    """Return what the model said. A message that only calls has null for content: without the key some refuse it, and empty text too."""
    written: dict[str, Any] = {"role": "assistant", "content": message.text or None, **_named(message)}
    if not message.tool_calls:
        return {**written, "content": message.text}
    native = _mapping(message.native.get(NATIVE))
    own = _mapping(native.get("calls"))
    calls = [{**_call(call), **_mapping(own.get(call.id or ""))} for call in message.tool_calls]
    return {**written, **_thought(message, native), "tool_calls": calls}


def _thought(message: Message, native: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the model thought before it called.

    Those that think between calls want it back, as they wrote it; others refuse it, and what another provider's model thought. So it
    goes to whom wrote it, and, where nobody else is known to have, under its usual name.
    """
    kept = {name: value for name, value in native.items() if name != "calls"}
    if kept or message.native or not message.reasoning:
        return kept
    return {"reasoning_content": message.reasoning}


def _call(call: ToolCall) -> dict[str, Any]:
    function = {"name": wire_name(call.name), "arguments": arguments_text(call) or "{}"}
    return {"id": call.id, "type": "function", "function": function}


def _named(message: Message) -> dict[str, str]:
    return {"name": message.name} if message.name else {}


def _openai_messages_content(message: Message) -> str | list[dict[str, Any]]:
    return [_part(part) for part in message.content] if isinstance(message.content, tuple) else message.text


def _part(part: Content) -> dict[str, Any]:
    if is_image_link(part):
        return {"type": "image_url", "image_url": {"url": part.uri}}
    return written_part(part)


# --- models._openai_ids ---


def with_ids(messages: Sequence[Message]) -> list[Message]:
    """Return a conversation in which every call and every result has an id: `call_1`, `call_2`, … where it had none.

    A result without an id answers the first call that has no answer yet: of its name, where it has one, else of all.
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
            given.append(_answering(message, waiting, fresh))
        else:
            given.append(message)
    return given


def _with_id(call: ToolCall, fresh: Iterator[str]) -> ToolCall:
    return call if call.id else ToolCall(call.name, call.arguments, next(fresh))


def _answering(message: Message, waiting: list[ToolCall], fresh: Iterator[str]) -> Message:
    """Return a result with the id of the call that it answers, which waits no longer."""
    answered = _answered(message, waiting)
    if answered is not None:
        waiting.remove(answered)
    if message.tool_call_id:
        return message
    return message.replaced(tool_call_id=answered.id if answered else next(fresh))


def _answered(message: Message, waiting: list[ToolCall]) -> ToolCall | None:
    if message.tool_call_id:
        return next((call for call in waiting if call.id == message.tool_call_id), None)
    of_name = [call for call in waiting if call.name == message.name]
    return next(iter(of_name or waiting), None)
