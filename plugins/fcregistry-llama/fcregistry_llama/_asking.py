"""How is the model on this machine asked once? By one request to its server, which tells its pieces and can be stopped between two of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from fcregistry.errors import ModelError
from fcregistry.models import Usage

from fcregistry_llama._servers import grammar

if TYPE_CHECKING:
    from fcregistry_llama._servers import Server

Tell = Callable[[str, str], None]
"""Takes more of an answer's text and of its thinking."""


class Stopped(Exception):
    """Nobody waits for the answer any more."""


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
        ModelError: The server refuses, as where the conversation is longer than the model's context.
        Stopped: Nobody waits any more.
    """
    if is_stopped():
        raise Stopped
    reply = Reply()
    failures: list[Mapping[str, Any]] = []

    def hear(chunk: Mapping[str, Any]) -> bool:
        if "error" in chunk:
            failures.append(chunk["error"])
            return True
        _hear(chunk, reply, tell)
        return is_stopped()

    try:
        server.handle_chat_completions(_request(messages, settings, schema), hear)
    except (ValueError, RuntimeError) as error:
        raise ModelError(f"llama.cpp refuses the request: {_refused(error, messages)}") from error
    if failures:
        raise ModelError(f"llama.cpp gives no answer: {_worded(failures[0])}")
    if is_stopped():
        raise Stopped
    return reply


def _refused(error: Exception, messages: Sequence[Mapping[str, str]]) -> str:
    """Return why the server takes no request; of text that it cannot read, what to do about it."""
    try:
        "".join(text for message in messages for text in message.values()).encode("utf-8")
    except UnicodeEncodeError:
        return (
            "the conversation holds text that is no Unicode, a surrogate without its pair;"
            " replace it, as text.encode('utf-8', 'replace') does"
        )
    return str(error)


def _request(
    messages: Sequence[Mapping[str, str]], settings: Settings, schema: Mapping[str, Any] | None
) -> dict[str, Any]:
    request: dict[str, Any] = {
        "messages": [dict(message) for message in messages],
        "temperature": settings.temperature,
        "seed": settings.seed,
        "max_tokens": settings.max_tokens,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if schema is not None:
        # As a grammar, and not as `response_format`, which knows no bounds of numbers, and is slow where an enum is large.
        request["grammar"] = grammar(schema)
        request["chat_template_kwargs"] = {"enable_thinking": False}
    return request


def _hear(chunk: Mapping[str, Any], reply: Reply, tell: Tell) -> None:
    if usage := chunk.get("usage"):
        reply.usage = Usage(
            input_tokens=usage.get("prompt_tokens", 0),
            output_tokens=usage.get("completion_tokens", 0),
            cached_tokens=(usage.get("prompt_tokens_details") or {}).get("cached_tokens", 0),
            requests=1,
        )
    for choice in chunk.get("choices", ()):
        delta = choice.get("delta") or {}
        text, reasoning = delta.get("content") or "", delta.get("reasoning_content") or ""
        reply.text += text
        reply.reasoning += reasoning
        reply.is_cut = reply.is_cut or choice.get("finish_reason") == "length"
        if text or reasoning:
            tell(text, reasoning)


def _worded(failure: Mapping[str, Any]) -> str:
    if failure.get("type") == "exceed_context_size_error":
        return (
            f"the conversation has {failure.get('n_prompt_tokens')} tokens, and the context {failure.get('n_ctx')};"
            " make it shorter, or give LlamaModel a larger context"
        )
    return str(failure.get("message", failure))
