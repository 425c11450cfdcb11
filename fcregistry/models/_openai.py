"""Models behind OpenAI's chat completions and responses, or a server that speaks them, through the official SDK.

Sources: OpenAI API reference, "Chat Completions" and "Responses".
"""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, TypeAlias
from urllib.parse import urlsplit

from fcregistry.errors import ModelError
from fcregistry.models._connection import HostedModel, Sdk, http_client
from fcregistry.models._http_limits import MAX_ANSWER_BYTES
from fcregistry.models._openai_wire import (
    ChatStream,
    ResponseStream,
    chat_completion,
    chat_messages,
    input_items,
    response_completion,
)

if TYPE_CHECKING:
    from openai import AsyncOpenAI

    from fcregistry._tools.tool import Tool
    from fcregistry.models._messages import Message, MessageLike
    from fcregistry.models._model import Completion, Delta, ToolChoice, ToolOrDefinition


Clients: TypeAlias = "AsyncOpenAI | Callable[[], AsyncOpenAI] | None"
"""A client of the SDK, or a function that makes one for each event loop."""

_USAGE: Final = {"include_usage": True}


def _make_client(base_url: str | None, api_key: str | None) -> AsyncOpenAI:
    """Return a new client of the SDK, with an HTTP client of `http_client`.

    For None, the SDK uses its own defaults. Raise `ImportError` if the SDK is not installed, and `UnusableProxyError` as `http_client` does.
    """
    from openai import AsyncOpenAI, DefaultAsyncHttpxClient  # late: it takes 0.7 s, and is an extra

    return AsyncOpenAI(base_url=base_url, api_key=api_key, http_client=http_client(DefaultAsyncHttpxClient, base_url))


def _ollama_address() -> str:
    """Return the URL of Ollama's API, ending with `/v1`, as `OLLAMA_HOST` says.

    As Ollama's own clients read it, the variable is a host, `:PORT`, both, or a URL. Without a host, or if it stands for all addresses, the
    server is on this machine; without a port, the port is that of a URL's scheme, or 11434 if there is no scheme.
    """
    scheme, _, rest = os.environ.get("OLLAMA_HOST", "").strip().rpartition("://")
    parts = urlsplit(f"{scheme or 'http'}://{rest}")
    host = parts.hostname or "127.0.0.1"
    if host in ("0.0.0.0", "::"):  # the server listens on all addresses: it is reached on this machine
        host = "127.0.0.1"
    port = parts.port or {"http": 80, "https": 443}.get(scheme, 11434)
    return f"{parts.scheme}://{f'[{host}]' if ':' in host else host}:{port}{parts.path.rstrip('/')}/v1"


Server: TypeAlias = Literal["openai", "ollama", "vllm", "lmstudio"]

_OPENAI: Final = Sdk(
    package="openai",
    variable="OPENAI_API_KEY",
    address=lambda: os.environ.get("OPENAI_BASE_URL"),
    make_client=_make_client,
)
_SERVERS: Final[Mapping[str, Sdk]] = {
    "openai": _OPENAI,
    "ollama": replace(
        _OPENAI,
        variable="OLLAMA_API_KEY",
        address=_ollama_address,
        start="start Ollama with `ollama serve`, or set OLLAMA_HOST to where it runs",
    ),
    "vllm": replace(
        _OPENAI,
        variable="VLLM_API_KEY",
        address=lambda: os.environ.get("VLLM_BASE_URL") or "http://localhost:8000/v1",
        start="start vLLM with `vllm serve MODEL`, or set VLLM_BASE_URL to where it runs, such as http://HOST:8000/v1",
    ),
    "lmstudio": replace(
        _OPENAI,
        variable="LM_API_TOKEN",
        address=lambda: os.environ.get("LMSTUDIO_BASE_URL") or "http://localhost:1234/v1",
        start="start LM Studio's server with `lms server start`, or set LMSTUDIO_BASE_URL to where it runs, such as http://HOST:1234/v1",
    ),
}
"""Where a server that speaks OpenAI's protocol is found. vLLM's and LM Studio's own clients read no variable for it."""


class OpenAIModel(HostedModel):
    """The base of the models of both APIs."""

    _conversation_field: ClassVar[str]
    """The field of a request that contains the conversation."""

    _sdk = _OPENAI
    _choices = {"auto": "auto", "required": "required", "none": "none"}  # noqa: RUF012  # as the base says

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        client: Clients = None,
        max_answer_bytes: int = MAX_ANSWER_BYTES,
        settings: Mapping[str, Any] | None = None,
        server: Server = "openai",
    ) -> None:
        """Name a model; nothing is imported or connected before it is asked.

        Args:
            model: Its name at the provider: `gpt-5`; of Azure, the name of the deployment.
            base_url: The URL of the API, such as `http://localhost:8000/v1`; by default `OPENAI_BASE_URL`, or else OpenAI's own.
            api_key: The API key; by default `OPENAI_API_KEY`. A server of your own may need none.
            client: An `AsyncOpenAI` or an `AsyncAzureOpenAI` instead of `base_url` and `api_key`; or a function that makes a client for each event
                loop. You close a client that you pass, and it serves one event loop: yours, or the one behind `complete`. A client that your
                function makes is closed together with its event loop, or by `close`.
            max_answer_bytes: The largest size of one answer in bytes, after decompression. A longer answer is an error.
            settings: More fields, which are added unchanged to every request, such as `temperature`. `tools` lists tools that the provider runs
                itself; they are offered in addition to the tools of the request. `timeout` (seconds), `extra_headers` and `extra_query` are passed
                to the SDK.
            server: A local server, which needs no key: `ollama`, `vllm` or `lmstudio`. Without `base_url`, it is looked for where
                `OLLAMA_HOST`, `VLLM_BASE_URL` or `LMSTUDIO_BASE_URL` says, else at its default port on this machine. If it requires a key, give
                `api_key`, or set `OLLAMA_API_KEY`, `VLLM_API_KEY` or `LM_API_TOKEN`. The name of the model begins with `ollama:`, and so on.

        Raises:
            ValueError: There is no such server, a client is given beside base_url or api_key, max_answer_bytes is not a number above 0, or a
                setting is one of the fields that every request sets itself.
            TypeError: The client is sync: an `OpenAI`.
        """
        if server not in _SERVERS:
            raise ValueError(f"server is one of {', '.join(_SERVERS)}, not {server!r:.50}")
        super().__init__(
            model,
            base_url=base_url,
            api_key=api_key,
            client=client,
            max_answer_bytes=max_answer_bytes,
            settings=settings,
            sdk=_SERVERS[server],
            prefix=None if server == "openai" else server,
        )

    def _request(
        self, messages: MessageLike | Iterable[MessageLike], tools: Sequence[ToolOrDefinition], tool_choice: ToolChoice
    ) -> dict[str, Any]:
        """Return the keyword arguments for the SDK's method; the conversation is in `extra_body`.

        The SDK compares every value in its other arguments with their types: for a long conversation, this takes longer than all else that is done
        for a request, and it changes nothing in plain JSON. What is in `extra_body` takes the place of an argument of that name. A caller's own
        client may be wrapped by a package that traces requests, and looks for the conversation in its argument: there it stays.
        """
        request = super()._request(messages, tools, tool_choice)
        if self._is_given_client:
            return request
        body = {**request.get("extra_body", {}), self._conversation_field: request[self._conversation_field]}
        return {**request, self._conversation_field: (), "extra_body": body}


class OpenAIChat(OpenAIModel):
    """A model behind the chat completions API: of OpenAI, Azure, vLLM, Ollama, llama.cpp, and most others."""

    _provider = "openai"
    _conversation_field = "messages"
    _sends_usage_option = True
    _create = attrgetter("chat.completions.create")
    _must_call = staticmethod(lambda name: {"type": "function", "function": {"name": name}})
    _read = staticmethod(chat_completion)
    _reader = ChatStream

    def _conversation(self, messages: Sequence[Message]) -> dict[str, Any]:
        """Return the field `messages` of a request, which contains the conversation `messages`."""
        return {"messages": chat_messages(messages)}

    async def _stream(self, request: Mapping[str, Any], tools: Sequence[Tool]) -> AsyncGenerator[Delta | Completion]:
        """Send `request`, and yield the pieces of the answer, and its completion last.

        Usage is asked for, unless the settings have `stream_options`. If the server refuses the field for that, the request is sent again
        without it, as are all later ones. Raise `ModelError` if the request fails, or the answer breaks off.
        """
        asks_for_usage = self._sends_usage_option and "stream_options" not in self._settings
        with_usage = {**request, "stream_options": _USAGE} if asks_for_usage else request
        try:
            async with aclosing(super()._stream(with_usage, tools)) as pieces:
                async for each in pieces:
                    yield each
        except ModelError as error:
            if not asks_for_usage or not _refuses_usage(error):
                raise
        else:
            return
        # Some servers that speak the API refuse the field (Mistral, Databricks): then an answer without usage is better than none. Nothing
        # has been yielded yet, since the request was refused as a whole; and from now on the field is left out.
        self._sends_usage_option = False
        async with aclosing(super()._stream(request, tools)) as pieces:
            async for each in pieces:
                yield each


class OpenAIResponses(OpenAIModel):
    """A model behind the responses API.

    fcregistry sends the model's thinking back to it with the conversation. The provider stores its answers, and finds its thinking by an id,
    unless settings have `"store": False`. Then fcregistry can send the thinking back only if settings ask for it, with
    `"include": ["reasoning.encrypted_content"]`.
    """

    _provider = "openai-responses"
    _conversation_field = "input"
    _create = attrgetter("responses.create")
    _must_call = staticmethod(lambda name: {"type": "function", "name": name})
    _read = staticmethod(response_completion)
    _reader = ResponseStream

    def _conversation(self, messages: Sequence[Message]) -> dict[str, Any]:
        """Return the field `input` of a request, which contains the conversation `messages`."""
        return {"input": input_items(messages, stored=self._settings.get("store") is not False)}


OllamaChat = partial(OpenAIChat, server="ollama")
VLLMChat = partial(OpenAIChat, server="vllm")
LMStudioChat = partial(OpenAIChat, server="lmstudio")


def _refuses_usage(error: ModelError) -> bool:
    """Return whether `error` says that a server refuses the field that asks for usage.

    That is an HTTP status of 400 or 422 whose text names the field.
    """
    return error.status in (400, 422) and ("stream_options" in str(error) or "include_usage" in str(error))
