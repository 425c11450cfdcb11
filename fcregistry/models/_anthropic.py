"""Models behind Anthropic's messages API, or a server that speaks it, through the official SDK.

Source: Anthropic API reference, "Messages".
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from fcregistry.models._anthropic_messages import MessageStream, completion_of, system_of, turns_of
from fcregistry.models._connection import HostedModel, Sdk
from fcregistry.models._http_limits import MAX_ANSWER_BYTES, limit_responses

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

    from fcregistry.models._messages import Message


Clients: TypeAlias = "AsyncAnthropic | Callable[[], AsyncAnthropic] | Any"
"""A client of the SDK, or a function that makes one for each event loop. Those for other clouds have no class in common with it."""

_MAX_UNSTREAMED: Final = 8192
"""Tokens up to which an answer is given at once; one that may be longer is streamed, since networks cut a connection that is silent for long,
and the SDK refuses to wait (its documentation, "Long requests")."""


def _make_client(base_url: str | None, api_key: str | None) -> AsyncAnthropic:
    from anthropic import AsyncAnthropic, DefaultAsyncHttpxClient  # late: it takes a second, and is an extra

    return AsyncAnthropic(base_url=base_url, api_key=api_key, http_client=limit_responses(DefaultAsyncHttpxClient()))


class AnthropicMessages(HostedModel):
    """A model that is called through Anthropic's Messages API, or a compatible server.

    `Message.native["anthropic"]` holds the model's thinking with its signatures, and the calls and results of tools that the provider runs
    itself. They are sent back to the model with the conversation.

    Args:
        model: The provider's name for the model, such as `claude-sonnet-5`.
        max_tokens: The largest number of tokens in one answer, thinking included. The API requires a value. An answer that may be longer
            than the default is streamed, because the SDK refuses to wait for it in one piece.
        base_url: The URL of the API; by default `ANTHROPIC_BASE_URL`, or else Anthropic's own.
        api_key: The API key; by default `ANTHROPIC_API_KEY`, or else wherever the SDK finds one.
        client: An `AsyncAnthropic`, or the SDK's client for Bedrock, Vertex or Foundry, with its own timeouts and retries; or a function
            that makes a client for each event loop. You close a client that you pass. A client that your function makes is closed
            together with its event loop.
        max_answer_bytes: The largest size of one answer in bytes, after decompression. A longer answer is an error.
        settings: More fields, which are added unchanged to every request, such as `temperature` or `thinking`. `tools` lists tools that
            the provider runs itself; they are offered in addition to the tools of the request. For any other field that a request also
            sets, the value of the request is used. `timeout`, `extra_headers` and `extra_query` are passed to the SDK.

    Raises:
        ValueError: `client` is given together with `base_url` or `api_key`, `max_answer_bytes` is not a number above 0, or `settings` has
            a field that every request sets itself.
        TypeError: The client is not an async client (`Anthropic` instead of `AsyncAnthropic`).
    """

    _sdk = Sdk(
        package="anthropic",
        variable="ANTHROPIC_API_KEY",
        address=lambda: os.environ.get("ANTHROPIC_BASE_URL"),
        other_variable="ANTHROPIC_AUTH_TOKEN",
        finds_keys=True,
        make_client=_make_client,
    )
    _provider = "anthropic"
    _choices = {"auto": None, "required": {"type": "any"}, "none": {"type": "none"}}  # noqa: RUF012  # as the base says
    _must_call = staticmethod(lambda name: {"type": "tool", "name": name})
    _create = attrgetter("messages.create")
    _read = staticmethod(completion_of)
    _reader = MessageStream

    def __init__(
        self,
        model: str,
        *,
        max_tokens: int = _MAX_UNSTREAMED,
        base_url: str | None = None,
        api_key: str | None = None,
        client: Clients = None,
        max_answer_bytes: int = MAX_ANSWER_BYTES,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(
            model,
            base_url=base_url,
            api_key=api_key,
            client=client,
            max_answer_bytes=max_answer_bytes,
            settings={"max_tokens": max_tokens, **(settings or {})},
        )
        self._max_tokens = self._settings.pop("max_tokens")  # an argument of the SDK, and so not of `extra_body`
        self._only_streams = self._max_tokens > _MAX_UNSTREAMED

    def _conversation(self, messages: Sequence[Message]) -> dict[str, Any]:
        system = system_of(messages)
        fields = {"max_tokens": self._max_tokens, "messages": turns_of(messages)}
        return {**fields, "system": system} if system else fields
