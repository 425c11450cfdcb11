"""Answers of OpenAI's APIs, as its reference shows them, for the server that tests talk to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from openai import AsyncOpenAI, DefaultAsyncHttpxClient

from fcregistry.models import OpenAIChat, OpenAIResponses

from .provider_server import ProviderServer, Reply, event, json_reply, stream_reply

M = TypeVar("M", OpenAIChat, OpenAIResponses)

KEY = "sk-test-1234567890abcdef"
USAGE = {
    "prompt_tokens": 82,
    "completion_tokens": 17,
    "total_tokens": 99,
    "prompt_tokens_details": {"cached_tokens": 64, "audio_tokens": 0},
    "completion_tokens_details": {"reasoning_tokens": 5},
}


def chat(server: ProviderServer, **options: Any) -> OpenAIChat:
    """Return a model behind a server, which is asked once and not again."""
    return _asked(OpenAIChat, server, options)


def responses(server: ProviderServer, **options: Any) -> OpenAIResponses:
    """Return the same, behind the other API."""
    return _asked(OpenAIResponses, server, options)


def _asked(kind: type[M], server: ProviderServer, options: dict[str, Any]) -> M:
    def made() -> AsyncOpenAI:
        http = DefaultAsyncHttpxClient(verify=False)  # to read certificates takes longer than a test
        return AsyncOpenAI(base_url=f"{server.url}/v1", api_key=KEY, max_retries=0, http_client=http)

    return kind(options.pop("model", "gpt-5"), client=options.pop("client", made), **options)


def chat_reply(message: Mapping[str, Any] | None = None, finish: str | None = "stop", **more: Any) -> Reply:
    """Return a chat completion object."""
    said = {"role": "assistant", "content": None, "refusal": None, **(message or {"content": "Hello!"})}
    return json_reply(
        {
            "id": "chatcmpl-123",
            "object": "chat.completion",
            "created": 1741569952,
            "model": "gpt-5-2025-08-07",
            "choices": [{"index": 0, "message": said, "logprobs": None, "finish_reason": finish}],
            "usage": USAGE,
            **more,
        }
    )


def call(name: str = "add", arguments: Any = '{"a": 1, "b": 2}', id: str = "call_a") -> dict[str, Any]:
    """Return a tool call in a message."""
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def chunk(delta: object = None, finish: str | None = None, **more: Any) -> str:
    """Return a chat completion chunk object, as an event."""
    choice = {"index": 0, "delta": {} if delta is None else delta, "logprobs": None, "finish_reason": finish}
    return event(
        {
            "id": "chatcmpl-123",
            "object": "chat.completion.chunk",
            "created": 1694268190,
            "model": "gpt-5-2025-08-07",
            "choices": [choice],
            **more,
        }
    )


DONE = event("[DONE]")
USED = chunk(choices=[], usage=USAGE)


def said(*texts: str, end: Sequence[str] = (chunk(finish="stop"), USED, DONE)) -> list[str]:
    """Return the events in which a text is streamed."""
    return [chunk({"role": "assistant", "content": ""}), *(chunk({"content": text}) for text in texts), *end]


def chat_stream(*texts: str) -> Reply:
    """Return a streamed answer."""
    return stream_reply(said(*texts))


def response(output: Sequence[Any], status: str = "completed", **more: Any) -> dict[str, Any]:
    """Return a response object."""
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1741476777,
        "status": status,
        "error": None,
        "incomplete_details": None,
        "model": "gpt-5-2025-08-07",
        "output": list(output),
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": 328,
            "input_tokens_details": {"cached_tokens": 100},
            "output_tokens": 52,
            "output_tokens_details": {"reasoning_tokens": 40},
            "total_tokens": 380,
        },
        **more,
    }


def text_item(text: str) -> dict[str, Any]:
    """Return a message item of an output."""
    part = {"type": "output_text", "text": text, "annotations": []}
    return {"type": "message", "id": "msg_1", "status": "completed", "role": "assistant", "content": [part]}


def call_item(name: str = "add", arguments: str = '{"a": 1, "b": 2}', id: str = "call_a") -> dict[str, Any]:
    """Return a function call item of an output."""
    return {
        "type": "function_call",
        "id": f"fc_{id}",
        "call_id": id,
        "name": name,
        "arguments": arguments,
        "status": "completed",
    }


def thought_item(**more: Any) -> dict[str, Any]:
    """Return a reasoning item of an output."""
    summary = [{"type": "summary_text", "text": "One and two."}]
    return {"type": "reasoning", "id": "rs_1", "summary": summary, "encrypted_content": None, "status": None, **more}


def happened(kind: str, **more: Any) -> str:
    """Return a streaming event of the responses API."""
    return event({"type": kind, "sequence_number": 1, **more}, kind)
