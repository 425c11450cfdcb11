"""One request to the model on this machine, whose answer comes piece by piece, and can be stopped between two of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from fcregistry.errors import ModelError
from fcregistry.models import Usage

from fcregistry_llama._process import Stopped
from fcregistry_llama._rendering import Thoughts

if TYPE_CHECKING:
    from fcregistry_llama._rendering import Renderer
    from fcregistry_llama._servers import Server

Tell = Callable[[str, str], None]
"""Takes more of an answer's text and of its thinking."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How a model writes.

    Attributes:
        temperature: How freely it chooses; 0 for always the likeliest.
        seed: Where its choices begin: the same for the same answer.
        max_tokens: Where it is cut off.
    """

    temperature: float
    seed: int
    max_tokens: int


@dataclass(slots=True, kw_only=True)
class Reply:
    """What came of one request; filled as it comes.

    Attributes:
        text: What the model wrote.
        reasoning: What it thought before.
        is_cut: Whether the limit of tokens cut it off.
        usage: Tokens read and written.
    """

    text: str = ""
    reasoning: str = ""
    is_cut: bool = False
    usage: Usage = field(default_factory=Usage)


def ask(
    server: Server,
    messages: Sequence[Mapping[str, str]],
    settings: Settings,
    *,
    schema: Mapping[str, Any] | None = None,
    tell: Tell = lambda text, reasoning: None,
    is_stopped: Callable[[], bool] = lambda: False,
) -> Reply:
    """Ask, and return the whole reply.

    Args:
        server: The model's server.
        messages: The conversation, in plain messages of the system, the user and the assistant.
        settings: How to write.
        schema: What the reply is to be, as JSON; None for text.
        tell: Called with each piece.
        is_stopped: Asked at each piece whether anybody still waits.

    Raises:
        ModelError: The file cannot be loaded, its template refuses the conversation, or llama.cpp gives no answer, as where the
            conversation is longer than the model's context.
        Stopped: Nobody waits any more.
    """
    if is_stopped():
        raise Stopped
    reply = Reply()
    with server.turn(is_stopped) as model:
        request, thoughts = _request(model.renderer, messages, settings, schema)
        for chunk in model.process.answer(request, is_stopped):
            if "refused" in chunk:
                raise ModelError(f"llama.cpp refuses the request: {_refused(chunk['refused'], messages)}")
            if "error" in chunk:
                raise ModelError(f"llama.cpp gives no answer: {_worded(chunk['error'])}")
            _hear(chunk, reply, thoughts, tell)
        _add(reply, *thoughts.heard("", is_last=True), tell)
    return reply


def _refused(why: str, messages: Sequence[Mapping[str, str]]) -> str:
    """Return why the server takes no request; of text that it cannot read, what to do about it."""
    try:
        "".join(text for message in messages for text in message.values()).encode("utf-8")
    except UnicodeEncodeError:
        return (
            "the conversation holds text that is no Unicode, a surrogate without its pair;"
            " replace it, as text.encode('utf-8', 'replace') does"
        )
    return why


def _request(
    renderer: Renderer, messages: Sequence[Mapping[str, str]], settings: Settings, schema: Mapping[str, Any] | None
) -> tuple[dict[str, Any], Thoughts]:
    """Return what is asked for, and what parts the answer."""
    prompt = renderer.prompt(messages, thinks=schema is None)
    marks = renderer.marks if schema is None else None
    request = {
        "prompt": prompt.parts,
        "schema": schema,
        "preserved_tokens": marks.tokens if marks else [],
        "temperature": settings.temperature,
        "seed": settings.seed,
        "max_tokens": settings.max_tokens,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    return request, Thoughts(marks, is_thinking=prompt.is_thinking)


def _hear(chunk: Mapping[str, Any], reply: Reply, thoughts: Thoughts, tell: Tell) -> None:
    if usage := chunk.get("usage"):
        reply.usage = Usage(
            input_tokens=usage.get("prompt_tokens", 0),
            output_tokens=usage.get("completion_tokens", 0),
            cached_tokens=(usage.get("prompt_tokens_details") or {}).get("cached_tokens", 0),
            requests=1,
        )
    for choice in chunk.get("choices", ()):
        reply.is_cut = reply.is_cut or choice.get("finish_reason") == "length"
        _add(reply, *thoughts.heard(choice.get("text") or ""), tell)


def _add(reply: Reply, text: str, reasoning: str, tell: Tell) -> None:
    reply.text += text
    reply.reasoning += reasoning
    if text or reasoning:
        tell(text, reasoning)


def _worded(failure: Mapping[str, Any]) -> str:
    if failure.get("type") == "exceed_context_size_error":
        return (
            f"the conversation has {failure.get('n_prompt_tokens')} tokens, and the context {failure.get('n_ctx')};"
            " make it shorter, or give LlamaModel a larger context"
        )
    return str(failure.get("message", failure))
