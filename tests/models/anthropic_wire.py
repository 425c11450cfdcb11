"""Answers of Anthropic's messages API: replies for `ProviderServer`, as the API reference and its guide "Streaming messages" write them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from fcregistry.models import AnthropicMessages

from .provider_server import Piece, ProviderServer, Reply, event, json_reply, stream_reply

TEXT = {"type": "text", "text": "It rains."}
USAGE = {"input_tokens": 10, "cache_creation_input_tokens": 20, "cache_read_input_tokens": 30, "output_tokens": 7}


def model_at(server: ProviderServer, **options: Any) -> AnthropicMessages:
    """Return a model that asks a server, once, with a key of its own."""
    return AnthropicMessages("claude-test", client=client_at(server), **options)


def client_at(server: ProviderServer, **options: Any) -> Callable[[], Any]:
    """Return what makes a client of the SDK."""

    def make() -> Any:
        from anthropic import AsyncAnthropic, DefaultAsyncHttpxClient

        http = DefaultAsyncHttpxClient(verify=False)  # to read certificates takes longer than a test
        fixed = {"base_url": server.url, "api_key": "sk-ant-test", "max_retries": 0, "http_client": http}
        return AsyncAnthropic(**{**fixed, **options})

    return make


def message(*blocks: dict[str, Any], stop_reason: str | None = "end_turn", **more: Any) -> dict[str, Any]:
    """Return a message of the API."""
    fixed = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-test-1", "stop_sequence": None}
    return {**fixed, "content": list(blocks), "stop_reason": stop_reason, "usage": USAGE, **more}


def answer(*blocks: dict[str, Any], stop_reason: str | None = "end_turn", **more: Any) -> Reply:
    """Return a reply that is a message."""
    return json_reply(message(*blocks, stop_reason=stop_reason, **more))


def refusal(status: int, kind: str, said: str, headers: dict[str, str] | None = None) -> Reply:
    """Return a reply that is an error."""
    return json_reply(
        {"type": "error", "error": {"type": kind, "message": said}, "request_id": "req_1"}, status, headers
    )


def started() -> str:
    """Return the event that a stream begins with."""
    usage = {**USAGE, "output_tokens": 1}
    return event_of("message_start", message={**message(stop_reason=None), "usage": usage})


def block(index: int, begun: dict[str, Any], *deltas: dict[str, Any]) -> list[str]:
    """Return the events of a content block."""
    return [
        event_of("content_block_start", index=index, content_block=begun),
        *(event_of("content_block_delta", index=index, delta=delta) for delta in deltas),
        event_of("content_block_stop", index=index),
    ]


def texts(index: int, *pieces: str) -> list[str]:
    """Return the events of a text."""
    return block(index, {"type": "text", "text": ""}, *({"type": "text_delta", "text": piece} for piece in pieces))


def use(index: int, id: str, *pieces: str, name: str = "weather", kind: str = "tool_use") -> list[str]:
    """Return the events of a call, whose input comes in pieces of JSON."""
    deltas = ({"type": "input_json_delta", "partial_json": piece} for piece in pieces)
    return block(index, {"type": kind, "id": id, "name": name, "input": {}}, *deltas)


def ended(stop_reason: str = "end_turn", **usage: Any) -> list[str]:
    """Return the events that a stream ends with."""
    delta = {"stop_reason": stop_reason, "stop_sequence": None}
    return [event_of("message_delta", delta=delta, usage={"output_tokens": 7, **usage}), event_of("message_stop")]


def event_of(kind: str, **data: Any) -> str:
    """Return an event."""
    return event({"type": kind, **data}, kind)


def stream(*events: str | Iterable[Piece], cut: bool = False) -> Reply:
    """Return a reply that is a stream of events, given one by one or in lists."""
    pieces = [piece for each in events for piece in ([each] if isinstance(each, str) else each)]
    return stream_reply(pieces, cut=cut)
