"""What did a function answer? A text or a message, in whichever provider's shape, read as a message of ours."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from fcregistry._results.content import Content
from fcregistry.formats import read_calls
from fcregistry.formats._read import field, is_absent
from fcregistry.models._completion import Completion, Usage
from fcregistry.models._messages import Message, call_of
from fcregistry.models._parts import part_of

if TYPE_CHECKING:
    from fcregistry.models._completion import FinishReason

_OF_MESSAGES: Final = ("role", "content", "tool_calls", "output", "type", "parts", "candidates")
_PLACES: Final = ("candidates", "content", "parts", "output", "message")
"""Where messages, and what holds messages, have what they say: a response of Gemini, most, Gemini, OpenAI's responses, a response of Bedrock."""
_DEEPEST: Final = 6
_OF_CALLS: Final = ("name", "function", "functionCall", "function_call", "toolUse", "arguments", "input", "args")
_REASONING: Final = ("reasoning_content", "reasoning")
"""Where servers of OpenAI's chat protocol put what a model thought."""


def completion_of(answer: object, name: str) -> Completion:
    """Return the completion that an answer is.

    Args:
        answer: A `Completion`, a `Message`, a text, or a message of any provider as a dict or an SDK object.
        name: What the model is called.

    Raises:
        TypeError: It is none of these: a whole response of OpenAI's, say, or nothing.
    """
    return answer if isinstance(answer, Completion) else completed(message_of(answer), name)


def completed(message: Message, name: str) -> Completion:
    """Return the completion that a message is all of."""
    reason: FinishReason = "tool_calls" if message.tool_calls else "stop"
    return Completion(message=message, finish_reason=reason, usage=Usage(requests=1), model=name)


def message_of(answer: object) -> Message:
    """Return the model's message that an answer is; calls that cannot be read are kept for the executor to answer.

    Raises:
        TypeError: As for `completion_of`.
    """
    if isinstance(answer, str):
        return Message(role="assistant", content=answer)
    if isinstance(answer, Message):
        return answer if answer.role == "assistant" else answer.replaced(role="assistant")
    check_is_message(answer)
    calls = tuple(map(call_of, read_calls(answer))) if _may_call(answer) else ()
    content, reasoning = _said(answer)
    if not calls and content is None and all(is_absent(field(answer, name)) for name in ("role", "content")):
        raise TypeError(f"the model returned a {type(answer).__name__}, neither a text nor a message")
    return Message(role="assistant", content=content, tool_calls=calls, reasoning=reasoning)


def _may_call(answer: object) -> bool:
    """Tell whether an answer may make calls: not if it is a list of texts or messages, in which nothing has anything of a call."""
    if not isinstance(answer, (list, tuple)):
        return True
    return any(not is_absent(field(item, name)) for item in answer for name in _OF_CALLS)


def check_is_message(message: object) -> None:
    """Refuse what is no message: that it has no calls would be taken for the end of the conversation.

    Raises:
        TypeError: It is none; of a whole response, says where its message is.
    """
    if isinstance(message, (str, list, tuple)) or any(not is_absent(field(message, name)) for name in _OF_MESSAGES):
        return
    if not is_absent(field(message, "choices")):
        raise TypeError("the message is a whole response: give its message, response.choices[0].message")
    kind = type(message).__name__
    raise TypeError(
        f"the message is a {kind}, not a message of a model: give a text, or a message with its role and content"
    )


def _said(message: object) -> tuple[str | tuple[Content, ...] | None, str | None]:
    """Return what a message says, and what its model thought."""
    content = field(message, "content")
    refusal = field(message, "refusal")
    thoughts = [text for name in _REASONING if isinstance(text := field(message, name), str) and text][:1]
    if isinstance(content, str):
        return content, "".join(thoughts) or None
    blocks = list(_blocks(message)) if not isinstance(message, (list, tuple)) else []
    thoughts += [thought for thought in map(_thought, blocks) if thought]
    parts = [part for part in map(_part, blocks) if part is not None]
    if all(isinstance(part, str) for part in parts):
        text = "".join(map(str, parts)) if parts else refusal if isinstance(refusal, str) else None
        return text, "".join(thoughts) or None
    kept = tuple(Content.text(part) if isinstance(part, str) else part for part in parts)
    return kept, "".join(thoughts) or None


def _blocks(value: Any, depth: int = 0) -> Iterator[Any]:
    """Yield the texts and blocks of a message, or of what holds messages."""
    if depth > _DEEPEST or value is None or is_absent(value):
        return
    if isinstance(value, (list, tuple)):
        for each in value:
            yield from _blocks(each, depth + 1)
        return
    kind = field(value, "type")
    if is_absent(kind) or kind is None or kind == "message":
        for place in _PLACES:
            inner = field(value, place)
            if not is_absent(inner) and inner is not None:
                inner = inner[:1] if place == "candidates" and isinstance(inner, (list, tuple)) else inner
                yield from _blocks(inner, depth + 1)
                return
    yield value


def _part(block: Any) -> str | Content | None:
    """Return what a block says to others; None for a call, a thought, and what is not known."""
    if isinstance(block, (str, Content)):
        return block
    if _thought(block):
        return None
    text = field(block, "text")
    if isinstance(text, str):
        return text
    try:
        return part_of(block)
    except ValueError:
        return None


def _thought(block: Any) -> str:
    """Return what a block says that the model thought: a block of Anthropic, an item of OpenAI's, a part of Gemini, a block of Bedrock."""
    if field(block, "thought") is True:
        return _text(field(block, "text"))
    kind = field(block, "type")
    if kind == "thinking":
        return _text(field(block, "thinking"))
    if kind == "reasoning":
        summary = field(block, "summary")
        return "\n".join(_text(field(each, "text")) for each in summary) if isinstance(summary, (list, tuple)) else ""
    return _text(field(field(field(block, "reasoningContent"), "reasoningText"), "text"))


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
