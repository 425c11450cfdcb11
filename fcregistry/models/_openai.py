"""Models behind OpenAI's chat completions and responses, or a server that speaks them, through the SDK.

Answers of the SDK are turned into plain JSON, so that any version of it will do.

Sources: OpenAI API reference, "Chat Completions" and "Responses".
"""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, ClassVar, Final, Protocol, TypeAlias, TypeVar

from fcregistry import formats
from fcregistry.errors import MissingDependencyError, ModelError
from fcregistry.models._model import Completion, Delta, Model, SurrogateJoiner
from fcregistry.models._openai_chat import ChatStream, chat_completion, chat_messages
from fcregistry.models._openai_responses import ResponseStream, input_items, response_completion
from fcregistry.models._sdk import (
    MAX_ANSWER_BYTES,
    HttpLimits,
    PerLoop,
    RefusedAnswerError,
    checked_size,
    close_client,
    limit_responses,
    model_error,
    send,
)

if TYPE_CHECKING:
    from openai import AsyncOpenAI

    from fcregistry._tools.tool import Tool
    from fcregistry.models._messages import Message
    from fcregistry.models._model import ToolChoice


_RESERVED: Final = frozenset({"model", "messages", "input", "stream"})
"""Fields that every request has of its own, which settings cannot give."""

_SDK_SETTINGS: Final = frozenset({"timeout", "extra_headers", "extra_query", "extra_body"})
"""Settings that are not fields of a request: the SDK takes them beside it."""

_USAGE: Final = {"include_usage": True}


class _Reader(Protocol):
    def add(self, piece: object, /) -> Delta | None: ...
    def completion(self) -> Completion: ...


class OpenAIModel(Model):
    """The base of the models of both APIs."""

    _provider: ClassVar[str]

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        client: Clients = None,
        max_answer_bytes: int = MAX_ANSWER_BYTES,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        """Name a model; nothing is imported or connected before it is asked.

        Args:
            model: Its name at the provider: `gpt-5`; of Azure, the name of the deployment.
            base_url: Where the API is: `http://localhost:8000/v1`. By default, `OPENAI_BASE_URL`, else OpenAI's own.
            api_key: The key; by default, `OPENAI_API_KEY`. A server of your own may need none.
            client: An `AsyncOpenAI` or an `AsyncAzureOpenAI`, in the place of both; or a function that makes one. Connections belong to
                an event loop: a function is called once for each, and its client is closed with the loop; an instance is closed by its owner, and
                serves one loop, yours or the one behind `complete`.
            max_answer_bytes: The most bytes of one answer, decoded, that are read; an answer that is longer is an error.
            settings: More fields of each request, as they are: `temperature`, `max_completion_tokens`, … Tools of the provider's own, in `tools`, are
                sent beside those of a request. `timeout` (seconds), `extra_headers` and `extra_query` are the SDK's.

        Raises:
            ValueError: A client is given beside base_url or api_key, max_answer_bytes is not a number above 0, or a setting is one of the
                fields that every request has of its own.
        """
        self._settings = dict(settings or {})
        if wrong := sorted(_RESERVED & self._settings.keys()):
            raise ValueError(
                f"settings of {self._provider}:{model} cannot say {', '.join(wrong)}: every request has its own"
            )
        self._connection = OpenAIConnection(
            model=model,
            provider=self._provider,
            create=self._create,
            base_url=base_url,
            api_key=api_key,
            client=client,
            max_answer_bytes=max_answer_bytes,
        )

    @property
    def name(self) -> str:
        """The name of the model with its provider."""
        return self._connection.full_name

    @staticmethod
    @abstractmethod
    def _create(client: Any) -> Callable[..., Any]:
        """Return the method of a client that creates an answer."""

    @abstractmethod
    def _conversation(self, messages: Sequence[Message]) -> dict[str, Any]:
        """Return the field of a request that holds a conversation."""

    @abstractmethod
    def _must_call(self, name: str) -> dict[str, Any]:
        """Return the choice of one tool."""

    def _request(
        self, messages: Sequence[Message], tools: Sequence[Tool], tool_choice: ToolChoice, **more: Any
    ) -> dict[str, Any]:
        """Return the arguments for the SDK: those that all versions know, and the rest as `extra_body`."""
        settings = {name: value for name, value in self._settings.items() if name not in _SDK_SETTINGS}
        own = {name: value for name, value in self._settings.items() if name in _SDK_SETTINGS}
        offered = [*formats.get(self._provider).describe(tools), *(settings.pop("tools", None) or ())]
        if offered:
            more["tools"] = offered
        more |= self._choice(tool_choice, [tool.name for tool in tools], bool(offered), settings)
        body = {**settings, **(own.pop("extra_body", None) or {})}
        request = {"model": self._connection.model, **self._conversation(messages), **more, **own}
        return {**request, "extra_body": body} if body else request

    def _choice(
        self, tool_choice: ToolChoice, names: Sequence[str], any_offered: bool, settings: dict[str, Any]
    ) -> dict[str, Any]:
        """Return the field with the choice; a request without tools may not have it."""
        if not any_offered and tool_choice in ("auto", "none"):
            return {}
        if tool_choice == "auto":
            return {"tool_choice": "auto"}  # which settings may override
        settings.pop("tool_choice", None)
        if tool_choice in ("required", "none") and any_offered:
            return {"tool_choice": tool_choice}
        if tool_choice in names:
            return {"tool_choice": self._must_call(tool_choice)}
        raise ValueError(
            f"tool_choice is {tool_choice!r}; it must be auto, required, none or the name of a tool that is offered: "
            + (", ".join(names) or "there is none")
        )

    async def _read(self, request: Mapping[str, Any], reader: _Reader) -> AsyncGenerator[Delta | Completion]:
        joiner = SurrogateJoiner()
        async with aclosing(self._connection.pieces(request, reader.add)) as deltas:
            async for delta in deltas:
                if delta is not None and (joined := joiner.add(delta)) is not None:
                    yield joined
        completion = reader.completion()
        if (rest := joiner.rest()) is not None:
            yield rest
        yield completion


class OpenAIChat(OpenAIModel):
    """A model behind the chat completions API: of OpenAI, Azure, vLLM, Ollama, llama.cpp, and most others."""

    _provider = "openai"
    _sends_usage_option = True

    @staticmethod
    def _create(client: Any) -> Callable[..., Any]:
        return client.chat.completions.create  # type: ignore[no-any-return]  # typed without the SDK

    def _conversation(self, messages: Sequence[Message]) -> dict[str, Any]:
        return {"messages": chat_messages(messages)}

    def _must_call(self, name: str) -> dict[str, Any]:
        return {"type": "function", "function": {"name": name}}

    async def acomplete(
        self, messages: Sequence[Message], tools: Sequence[Tool] = (), *, tool_choice: ToolChoice = "auto"
    ) -> Completion:
        """Answer a conversation; see `Model.acomplete`."""
        request = self._request(messages, tools, tool_choice)
        return await self._connection.answer(request, lambda body: chat_completion(body, self.name))

    async def astream(
        self, messages: Sequence[Message], tools: Sequence[Tool] = (), *, tool_choice: ToolChoice = "auto"
    ) -> AsyncGenerator[Delta | Completion]:
        """Answer a conversation piece by piece; see `Model.astream`."""
        asks_for_usage = self._sends_usage_option and "stream_options" not in self._settings
        more = {"stream_options": _USAGE} if asks_for_usage else {}
        request = self._request(messages, tools, tool_choice, **more)
        try:
            async with aclosing(self._read(request, ChatStream(self.name))) as pieces:
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
        async with aclosing(self.astream(messages, tools, tool_choice=tool_choice)) as pieces:
            async for each in pieces:
                yield each


class OpenAIResponses(OpenAIModel):
    """A model behind the responses API. Its thinking is given back to it, with the conversation.

    The provider stores its answers, and finds its thinking by an id, unless settings have `"store": False`; then it is given back only
    if settings ask for it, with `"include": ["reasoning.encrypted_content"]`.
    """

    _provider = "openai-responses"

    @staticmethod
    def _create(client: Any) -> Callable[..., Any]:
        return client.responses.create  # type: ignore[no-any-return]  # as above

    def _conversation(self, messages: Sequence[Message]) -> dict[str, Any]:
        return {"input": input_items(messages, stored=self._settings.get("store") is not False)}

    def _must_call(self, name: str) -> dict[str, Any]:
        return {"type": "function", "name": name}

    async def acomplete(
        self, messages: Sequence[Message], tools: Sequence[Tool] = (), *, tool_choice: ToolChoice = "auto"
    ) -> Completion:
        """Answer a conversation; see `Model.acomplete`."""
        request = self._request(messages, tools, tool_choice)
        return await self._connection.answer(request, lambda body: response_completion(body, self.name))

    async def astream(
        self, messages: Sequence[Message], tools: Sequence[Tool] = (), *, tool_choice: ToolChoice = "auto"
    ) -> AsyncGenerator[Delta | Completion]:
        """Answer a conversation piece by piece; see `Model.astream`."""
        request = self._request(messages, tools, tool_choice)
        async with aclosing(self._read(request, ResponseStream(self.name))) as pieces:
            async for each in pieces:
                yield each


def _refuses_usage(error: ModelError) -> bool:
    """Return whether a server refuses to be asked for usage: its message names the field."""
    return error.status in (400, 422) and ("stream_options" in str(error) or "include_usage" in str(error))


# --- The connection ---

T = TypeVar("T")

VARIABLE: Final = "OPENAI_API_KEY"

Clients: TypeAlias = "AsyncOpenAI | Callable[[], AsyncOpenAI] | None"
"""A client of the SDK, or a function that makes one for each event loop."""

_NO_KEY: Final = "none"
"""Sent to a user's own server, which checks no key; the SDK wants one."""

_HOSTED: Final = "api.openai.com"


class OpenAIConnection:
    """Sends the requests of one model.

    Args:
        model: Its name at the provider.
        provider: The prefix of its name in fcregistry.
        create: Returns the method of a client that creates an answer: `client.chat.completions.create`.
        base_url: Where the API is; by default, `OPENAI_BASE_URL` or OpenAI's own.
        api_key: The key for it.
        client: Takes the place of both.
        max_answer_bytes: The most bytes of one answer that are read.

    Raises:
        ValueError: A client and `base_url` or `api_key` are both given.
        TypeError: The client is the SDK's sync client.
    """

    def __init__(
        self,
        *,
        model: str,
        provider: str,
        create: Callable[[AsyncOpenAI], Callable[..., Any]],
        base_url: str | None,
        api_key: str | None,
        client: Clients,
        max_answer_bytes: int = MAX_ANSWER_BYTES,
    ) -> None:
        if client is not None and (base_url is not None or api_key is not None):
            raise ValueError("give base_url and api_key, or a client, which has its own")
        self.model = model
        self.provider = provider
        self._create = create
        self._base_url = base_url
        self._api_key = api_key
        self._max_answer_bytes = checked_size(max_answer_bytes)
        if client is None or callable(client):
            make = client or self._make_client
            self._clients: PerLoop[AsyncOpenAI] = PerLoop(lambda: _asynchronous(make()), close_client)
        else:  # its owner closes it
            given = _asynchronous(client)
            self._clients = PerLoop(lambda: given)

    @property
    def full_name(self) -> str:
        """The name of the model with its provider."""
        return f"{self.provider}:{self.model}"

    async def answer(self, request: Mapping[str, Any], read: Callable[[object], T]) -> T:
        """Send a request, and return the whole answer as `read` returns it.

        Args:
            request: The arguments for the SDK.
            read: Reads the answer, which is JSON.

        Raises:
            ModelError: There is no answer.
            MissingDependencyError: The SDK is not installed.
        """
        client = await self._client()
        try:
            return read(_as_json(await self._send(client, request)))
        except (Exception, RefusedAnswerError) as error:  # the SDK lets through whatever the libraries under it raise  # noqa: BLE001
            failed = [self._error(error, client)]
        # Raised outside the handler, it does not refer to the SDK's exception, which holds the key; popped, it does not refer to itself.
        raise failed.pop()

    async def pieces(self, request: Mapping[str, Any], read: Callable[[object], T]) -> AsyncGenerator[T]:
        """Send a request, and yield each piece of the answer as `read` returns it.

        Closing the generator closes the connection.

        Args:
            request: The arguments for the SDK.
            read: Reads a piece, which is JSON.

        Raises:
            ModelError, MissingDependencyError: As `answer` raises them.
        """
        client = await self._client()
        try:
            async with (
                await self._send(client, {**request, "stream": True}) as stream,
                aclosing(stream.__aiter__()) as all_,
            ):
                async for piece in all_:
                    yield read(_as_json(piece))
        except (Exception, RefusedAnswerError) as error:  # as above  # noqa: BLE001
            failed = [self._error(error, client)]
        else:
            return
        raise failed.pop()  # as above

    async def _client(self) -> AsyncOpenAI:
        try:
            return await self._clients.get()
        except (ModelError, MissingDependencyError):
            raise
        except Exception as error:  # the SDK's errors for a URL or a variable that it cannot use  # noqa: BLE001
            failed = [self._error(error, None)]
        raise failed.pop()  # as above

    async def _send(self, client: Any, request: Mapping[str, Any]) -> Any:
        limits = HttpLimits(full_name=self.full_name, answer=self._max_answer_bytes, secrets=self._secrets(client))
        return await send(self._create(client), client, request, limits)

    def _error(self, error: BaseException, client: AsyncOpenAI | None) -> ModelError:
        secrets = self._secrets(client)
        return model_error(error, model=self.model, provider=self.provider, variable=VARIABLE, secrets=secrets)

    def _secrets(self, client: AsyncOpenAI | None) -> list[str]:
        held = getattr(client, "api_key", None)  # of Azure's client, a placeholder while a token is used
        return [key for key in (self._api_key, os.environ.get(VARIABLE), held) if isinstance(key, str)]

    def _make_client(self) -> AsyncOpenAI:
        """Make a client of the arguments and the environment.

        Raises:
            MissingDependencyError: The SDK is not installed.
            ModelError: There is no key for OpenAI's own API.
        """
        try:
            # Late: it takes 0.7 s, and is an extra
            from openai import AsyncOpenAI, DefaultAsyncHttpxClient
        except ImportError as error:
            raise MissingDependencyError(
                f'{self.full_name} needs the package openai: pip install "fcregistry[openai]"'
            ) from error
        base_url = self._base_url or os.environ.get("OPENAI_BASE_URL") or None
        key = self._api_key or os.environ.get(VARIABLE)
        if not key and (base_url is None or _HOSTED in str(base_url)):
            raise ModelError(
                f"{self.full_name} cannot be asked without a key: set {VARIABLE}, or give api_key; for a server of your own, give base_url"
            )
        http = limit_responses(DefaultAsyncHttpxClient())
        return AsyncOpenAI(base_url=base_url, api_key=key or _NO_KEY, http_client=http)


def _asynchronous(client: AsyncOpenAI) -> AsyncOpenAI:
    """Return an async client, or raise for a sync one, which would block the loop."""
    if any(each.__name__ == "SyncAPIClient" for each in type(client).__mro__):
        name = type(client).__name__
        raise TypeError(f"the client is an {name}, which cannot be awaited: give an Async{name}")
    return client


def _as_json(answer: Any) -> object:
    """Return an object of the SDK as the JSON that it was read from; anything else as it is."""
    # Without warnings: a server that writes another type than the SDK expects is read all the same.
    return answer.to_dict(warnings=False) if hasattr(answer, "to_dict") else answer
