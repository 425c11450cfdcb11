"""One request to the local model. The reply comes piece by piece, and can be stopped after each piece."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from fcregistry.errors import ModelError
from fcregistry.models import Usage

from fcregistry_llama._process import Stopped
from fcregistry_llama._rendering import Thoughts

if TYPE_CHECKING:
    from fcregistry_llama._rendering import Renderer
    from fcregistry_llama._servers import Server

EmitText = Callable[[str, str], None]
"""Takes the next piece of the answer's text and of its reasoning."""

_WATCHED: Final = 1200
_REPEATED: Final = re.compile(r"(.{20,400}?)\1\1\Z|(.{2,20}?)\2{14}\Z", re.DOTALL)
"""Twenty or more characters three times, or two or more fifteen times, at the end of a text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Settings for a model's writing.

    Attributes:
        temperature: How random its choices are; 0 always takes the likeliest token.
        seed: The seed of its random choices; the same seed gives the same answer.
        max_tokens: The number of tokens after which it is cut off.
    """

    temperature: float
    seed: int
    max_tokens: int


@dataclass(slots=True, kw_only=True)
class Reply:
    """The reply to one request, which grows as pieces arrive.

    Attributes:
        text: The text that the model wrote.
        reasoning: Its reasoning before the text.
        is_cut: Whether the token limit cut it off.
        usage: Tokens read and written.
    """

    text: str = ""
    reasoning: str = ""
    is_cut: bool = False
    usage: Usage = field(default_factory=Usage)

    @property
    def repeats(self) -> bool:
        """Whether the text ends with a part that repeats: some small models never end."""
        return _REPEATED.search(self.text[-_WATCHED:]) is not None


def ask(
    server: Server,
    messages: Sequence[Mapping[str, str]],
    settings: Settings,
    *,
    schema: Mapping[str, Any] | None = None,
    prefix: str = "",
    emit: EmitText = lambda text, reasoning: None,
    is_stopped: Callable[[], bool] = lambda: False,
) -> Reply:
    """Send a request, and return the whole reply.

    Args:
        server: The model's server.
        messages: The conversation, in plain messages of the system, the user and the assistant.
        settings: The settings for writing.
        schema: The JSON Schema of the reply; None for text.
        prefix: The start of the reply, which the model continues.
        emit: Called with each piece.
        is_stopped: Returns whether the caller has stopped waiting; called at each piece.

    Raises:
        ModelError: The file cannot be loaded, its template refuses the conversation, or llama.cpp cannot answer, for
            instance because the conversation is longer than the model's context.
        Stopped: The caller has stopped waiting.
    """
    if is_stopped():
        raise Stopped
    reply = Reply()
    with server.turn(is_stopped) as model:
        request, thoughts = _request(model.renderer, messages, settings, schema, prefix)
        try:
            for chunk in model.process.answer(request, lambda: is_stopped() or reply.repeats):
                if "refused" in chunk:
                    raise ModelError(f"llama.cpp refuses the request: {_refusal(chunk['refused'], messages)}")
                if "error" in chunk:
                    raise ModelError(f"llama.cpp cannot answer: {_failure_text(chunk['error'])}")
                _add_chunk(chunk, reply, thoughts, emit)
        except Stopped:
            if is_stopped():
                raise
        _add(reply, *thoughts.feed("", is_last=True), emit)
    return reply


def _refusal(why: str, messages: Sequence[Mapping[str, str]]) -> str:
    """Return `why`, or the advice about a lone surrogate if `messages` contain one.

    `why` is the reason of llama.cpp to refuse a request.
    """
    try:
        "".join(text for message in messages for text in message.values()).encode("utf-8")
    except UnicodeEncodeError:
        return (
            "the conversation contains a lone surrogate, which is not valid Unicode;"
            " replace it, for instance with text.encode('utf-8', 'replace')"
        )
    return why


def _request(
    renderer: Renderer,
    messages: Sequence[Mapping[str, str]],
    settings: Settings,
    schema: Mapping[str, Any] | None,
    prefix: str,
) -> tuple[dict[str, Any], Thoughts]:
    """Return the request, and the object that separates reasoning from the answer."""
    prompt = renderer.prompt(messages, thinks=schema is None)
    marks = renderer.marks if schema is None else None
    request = {
        "prompt": [*prompt.parts, prefix] if prefix else prompt.parts,
        "schema": schema,
        "is_continued": bool(prefix),
        "preserved_tokens": marks.tokens if marks else [],
        "temperature": settings.temperature,
        "seed": settings.seed,
        "max_tokens": settings.max_tokens,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    return request, Thoughts(marks, is_thinking=prompt.is_thinking)


def _add_chunk(chunk: Mapping[str, Any], reply: Reply, thoughts: Thoughts, emit: EmitText) -> None:
    """Add the text and the usage of `chunk` to `reply`, and emit the text."""
    if usage := chunk.get("usage"):
        reply.usage = Usage(
            input_tokens=usage.get("prompt_tokens", 0),
            output_tokens=usage.get("completion_tokens", 0),
            cached_tokens=(usage.get("prompt_tokens_details") or {}).get("cached_tokens", 0),
            requests=1,
        )
    for choice in chunk.get("choices", ()):
        reply.is_cut = reply.is_cut or choice.get("finish_reason") == "length"
        _add(reply, *thoughts.feed(choice.get("text") or ""), emit)


def _add(reply: Reply, text: str, reasoning: str, emit: EmitText) -> None:
    """Add `text` and `reasoning` to `reply`, and emit them, unless both are empty."""
    reply.text += text
    reply.reasoning += reasoning
    if text or reasoning:
        emit(text, reasoning)


def _failure_text(failure: Mapping[str, Any]) -> str:
    """Return the message of `failure`, an error of llama.cpp.

    For a conversation that is too long, it says what to do.
    """
    if failure.get("type") == "exceed_context_size_error":
        return (
            f"the conversation has {failure.get('n_prompt_tokens')} tokens, but the context has {failure.get('n_ctx')};"
            " make it shorter, or give LlamaModel a larger context"
        )
    return str(failure.get("message", failure))
