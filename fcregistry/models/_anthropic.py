"""Models behind Anthropic's messages API, or a server that speaks it, asked through the official SDK.

Answers of the SDK are turned into plain JSON, so that any version of it will do. `_anthropic_messages` is imported when a model is asked.

Source: Anthropic API reference, "Messages".
"""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from fcregistry.errors import MissingDependencyError, ModelError
from fcregistry.models._model import Completion, Delta, Model, SurrogateJoiner, ToolChoice
from fcregistry.models._sdk import (
    MAX_ANSWER_BYTES,
    HttpLimits,
    PerLoop,
    RefusedAnswerError,
    checked_size,
    close_client,
    error_in_answer,
    incomplete_answer,
    limit_responses,
    model_error,
    send,
)

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

    from fcregistry._tools.tool import Tool
    from fcregistry.models._messages import Message


_MAX_UNSTREAMED: Final = 8192
"""Tokens up to which an answer is given at once; one that may be longer is streamed, since networks cut a connection that is silent for long,
and the SDK refuses to wait (its documentation, "Long requests")."""

_RESERVED: Final = frozenset({"model", "messages", "stream"})
"""Fields that every request has of its own, which settings cannot give."""

_SDK_SETTINGS: Final = ("timeout", "extra_headers", "extra_query")
"""Settings that are not fields of a request: the SDK takes them beside it."""

_CHOICES: Final[Mapping[str, Mapping[str, str] | None]] = {
    "auto": None,  # the default
    "required": {"type": "any"},
    "none": {"type": "none"},
}


class AnthropicMessages(Model):
    """A model of Anthropic's messages API, or of a server that speaks it.

    The model's thinking, with its signatures, and the calls and results of the provider's own tools are in `Message.native["anthropic"]`, and are
    given back with the conversation.

    Args:
        model: The name of the model at the provider: `claude-sonnet-5`.
        max_tokens: The most tokens of one answer, thoughts included. The API has no default of its own; this one is the most that the SDK
            waits for with every model.
        base_url: Where the API is; by default, `ANTHROPIC_BASE_URL`, or Anthropic's own.
        api_key: The key; by default, `ANTHROPIC_API_KEY`, or another source of the SDK.
        client: An `AsyncAnthropic`, or the SDK's client for Bedrock, Vertex or Foundry, with timeouts and retries of its own; or a function
            that makes one for each event loop. A client is closed by its owner; those that a function makes are closed with their loops.
        max_answer_bytes: The most bytes of one answer, decoded, that are read; an answer that is longer is an error.
        settings: Further fields of every request, as they are: `temperature`, `thinking`, … Tools of the provider's own, in `tools`, are
            offered beside those of a request; fields of the request go before settings. `timeout`, `extra_headers` and `extra_query` are the SDK's.

    Raises:
        ValueError: A client and `base_url` or `api_key` are both given, max_answer_bytes is not a number above 0, or a setting is one of the
            fields that every request has of its own.
        TypeError: The client is sync: an `Anthropic`.
    """

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
        self._model = model
        self._settings = dict(settings or {})
        self._max_tokens = self._settings.pop("max_tokens", max_tokens)
        self._connection = AnthropicConnection(
            model, base_url=base_url, api_key=api_key, client=client, max_answer_bytes=max_answer_bytes
        )
        if wrong := sorted(_RESERVED & self._settings.keys()):
            raise ValueError(f"settings of {self.name} cannot say {', '.join(wrong)}: every request has its own")

    @property
    def name(self) -> str:
        """The name of the model with its provider: `anthropic:…`."""
        return self._connection.full_name

    async def acomplete(
        self, messages: Sequence[Message], tools: Sequence[Tool] = (), *, tool_choice: ToolChoice = "auto"
    ) -> Completion:
        """Answer a conversation; see `Model.acomplete`.

        Raises:
            ModelError: There is no answer.
            MissingDependencyError: The SDK is not installed.
            DefinitionError: A tool cannot be described to the provider.
        """
        from fcregistry.models._anthropic_messages import completion_of  # heavy, and not needed to name a model

        if self._max_tokens > _MAX_UNSTREAMED:
            *_, last = [piece async for piece in self.astream(messages, tools, tool_choice=tool_choice)]
            assert isinstance(last, Completion)
            return last
        answer = await self._connection.answer(self._request(messages, tools, tool_choice))
        try:
            return completion_of(answer)
        except ValueError as error:
            failed = [self._connection.error(error)]
        raise failed.pop()  # as those of the connection

    async def astream(
        self, messages: Sequence[Message], tools: Sequence[Tool] = (), *, tool_choice: ToolChoice = "auto"
    ) -> AsyncIterator[Delta | Completion]:
        """Answer a conversation piece by piece; see `Model.astream`. The errors are those of `acomplete`."""
        from fcregistry.models._anthropic_messages import StreamedMessage, completion_of  # as above

        request = self._request(messages, tools, tool_choice)
        answer, joiner = StreamedMessage(), SurrogateJoiner()
        failed: list[ModelError] = []
        try:
            async with aclosing(self._connection.events(request)) as events:
                async for event in events:
                    if (delta := answer.take(event)) is not None and (joined := joiner.add(delta)) is not None:
                        yield joined
        except ModelError:
            if not answer.is_whole:  # a connection that breaks after the last event has lost nothing
                raise
        except ValueError as error:
            failed.append(self._connection.error(error))
        if failed:
            raise failed.pop()  # as above
        if not answer.is_whole:
            raise incomplete_answer(self.name)
        if (rest := joiner.rest()) is not None:
            yield rest
        yield completion_of(answer.message())

    def _request(self, messages: Sequence[Message], tools: Sequence[Tool], tool_choice: ToolChoice) -> dict[str, Any]:
        """Return the arguments for the SDK.

        Settings go in `extra_body`, so that every version of it takes every field.
        """
        from fcregistry.formats import get  # heavy, and not needed to name a model
        from fcregistry.models._anthropic_messages import system_of, turns_of

        settings = dict(self._settings)
        offered = [*get(PROVIDER).describe(tools), *settings.pop("tools", ())]
        choice = _choice(tool_choice, [each.get("name") for each in offered]) if offered else None
        fields = {"system": system_of(messages), "tools": offered, "tool_choice": choice}
        given = {name: value for name, value in fields.items() if value}
        of_sdk: dict[str, Any] = {name: settings.pop(name) for name in _SDK_SETTINGS if name in settings}
        more = settings.pop("extra_body", {})
        return {
            "model": self._model,
            "max_tokens": self._max_tokens,
            "messages": turns_of(messages),
            **given,
            **of_sdk,
            "extra_body": {name: value for name, value in {**settings, **more}.items() if name not in given},
        }


def _choice(tool_choice: ToolChoice, names: Sequence[str | None]) -> Mapping[str, str] | None:
    """Return the field with the choice; None for `auto`, which is the default.

    Raises:
        ValueError: It is not the name of a tool that is offered.
    """
    if tool_choice in _CHOICES:
        return _CHOICES[tool_choice]
    if tool_choice in names:
        return {"type": "tool", "name": tool_choice}
    raise ValueError(
        f"tool_choice is {tool_choice!r}; it must be auto, required, none or the name of a tool that is offered: "
        + ", ".join(filter(None, names))
    )


# --- The connection ---

PROVIDER: Final = "anthropic"
VARIABLE: Final = "ANTHROPIC_API_KEY"

Clients: TypeAlias = "AsyncAnthropic | Callable[[], AsyncAnthropic] | Any"
"""A client of the SDK, or a function that makes one for each event loop. Those for other clouds have no class in common with it."""

_NO_KEY: Final = "none"
"""Sent to a user's own server, which checks no key; the SDK wants one."""

_HOSTED: Final = "api.anthropic.com"


class AnthropicConnection:
    """Sends the requests of one model.

    Args:
        model: Its name at the provider.
        base_url: Where the API is; by default, `ANTHROPIC_BASE_URL` or Anthropic's own.
        api_key: The key.
        client: Takes the place of both.
        max_answer_bytes: The most bytes of one answer that are read.

    Raises:
        ValueError: A client and `base_url` or `api_key` are both given.
        TypeError: The client is sync, and would block the loop.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None,
        api_key: str | None,
        client: Clients,
        max_answer_bytes: int = MAX_ANSWER_BYTES,
    ) -> None:
        if client is not None and (base_url is not None or api_key is not None):
            raise ValueError("give base_url and api_key, or a client, which has its own")
        self.full_name = f"{PROVIDER}:{model}"
        self._model = model
        self._base_url = base_url
        self._api_key = api_key
        self._max_answer_bytes = checked_size(max_answer_bytes)
        # An instance is closed by its owner; clients that are made here are closed with their loops.
        is_instance = client is not None and _is_client(client)
        make: Any = client or self._make_client
        self._clients: PerLoop[Any] = PerLoop(lambda: client) if is_instance else PerLoop(make, close_client)

    async def answer(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Send a request, and return the whole answer as JSON.

        Raises:
            ModelError: There is no answer.
            MissingDependencyError: The SDK is not installed.
        """
        client = await self._client()
        try:
            return self._read(await self._send(client, request), client)
        except (Exception, RefusedAnswerError) as error:  # the SDK lets through whatever the libraries under it raise  # noqa: BLE001
            failed = [self.error(error, client)]
        # Raised outside the handler, it does not refer to the SDK's exception, which holds the key; popped, it does not refer to itself.
        raise failed.pop()

    async def events(self, request: Mapping[str, Any]) -> AsyncGenerator[dict[str, Any]]:
        """Send a request, and yield the events of the answer, each as JSON.

        Closing the generator closes the connection.

        Raises:
            ModelError, MissingDependencyError: As `answer` raises them.
        """
        client = await self._client()
        try:
            async with (
                await self._send(client, {**request, "stream": True}) as stream,
                aclosing(stream.__aiter__()) as all_,
            ):
                async for event in all_:
                    yield self._read(event, client)
        except (Exception, RefusedAnswerError) as error:  # as above  # noqa: BLE001
            failed = [self.error(error, client)]
        else:
            return
        raise failed.pop()  # as above

    async def _send(self, client: Any, request: Mapping[str, Any]) -> Any:
        limits = HttpLimits(full_name=self.full_name, answer=self._max_answer_bytes, secrets=self._secrets(client))
        return await send(client.messages.create, client, request, limits)

    def error(self, error: BaseException, client: Any = None) -> ModelError:
        """Return the error for an exception of the SDK, or for an answer that cannot be read.

        Args:
            error: The exception.
            client: The client that raised it, whose key is not shown.
        """
        if isinstance(error, TypeError) and "authentication" in str(error):
            # The SDK looks for a key when it sends, and has no exception of its own for a missing one
            return ModelError(
                f"{self.full_name} cannot be asked without a key: set {VARIABLE}, or give api_key; for a server of your own, give base_url"
            )
        secrets = self._secrets(client)
        return model_error(error, model=self._model, provider=PROVIDER, variable=VARIABLE, secrets=secrets)

    def _read(self, value: Any, client: Any) -> dict[str, Any]:
        """Return an object of the SDK as the JSON that it was read from.

        Raises:
            ValueError: It is not a JSON object.
            ModelError: It is an error, which some servers send in place of an answer.
        """
        read = _as_json(value)
        if read.get("type") != "error":
            return read
        raise error_in_answer(read, self.full_name, self._secrets(client))

    def _secrets(self, client: Any) -> list[str]:
        """Return the texts that an error must not show: the keys, from any source."""
        held = [getattr(client, name, None) for name in ("api_key", "auth_token")]
        known = [self._api_key, os.environ.get(VARIABLE), os.environ.get("ANTHROPIC_AUTH_TOKEN")]
        return [key for key in (*known, *held) if isinstance(key, str) and key != _NO_KEY]

    async def _client(self) -> Any:
        try:
            return await self._clients.get()
        except (ModelError, MissingDependencyError):
            raise
        except Exception as error:  # the SDK's errors for a URL or a profile that it cannot use  # noqa: BLE001
            failed = [self.error(error)]
        raise failed.pop()  # as above

    def _make_client(self) -> AsyncAnthropic:
        """Make a client of the arguments and what the SDK finds: variables of the environment, a profile.

        Raises:
            MissingDependencyError: The SDK is not installed.
        """
        try:
            # Late: it takes a second, and is an extra
            from anthropic import AsyncAnthropic, DefaultAsyncHttpxClient
        except ImportError as error:
            raise MissingDependencyError(
                f'{self.full_name} needs the package anthropic: pip install "fcregistry[anthropic]"'
            ) from error
        base_url = self._base_url or os.environ.get("ANTHROPIC_BASE_URL") or None
        has_key = self._api_key or os.environ.get(VARIABLE) or os.environ.get("ANTHROPIC_AUTH_TOKEN")
        is_own_server = base_url is not None and _HOSTED not in base_url
        key = _NO_KEY if is_own_server and not has_key else self._api_key
        return AsyncAnthropic(base_url=base_url, api_key=key, http_client=limit_responses(DefaultAsyncHttpxClient()))


def _is_client(client: object) -> bool:
    """Return whether an object is a client, and not a function that makes one, without importing the SDK.

    Raises:
        TypeError: It is a sync client.
    """
    if isinstance(client, type) or not hasattr(client, "messages"):
        return False
    from inspect import iscoroutinefunction  # only for a given client

    close = getattr(client, "close", None)
    if close is not None and not iscoroutinefunction(close):
        raise TypeError(f"client is an AsyncAnthropic, or its like for another cloud, not {type(client).__name__}")
    return True


def _as_json(value: Any) -> dict[str, Any]:
    """Return an object of the SDK as the JSON that it was read from, with unknown fields.

    Raises:
        ValueError: It is not a JSON object.
    """
    # Without warnings: a server that writes another type than the SDK expects is read all the same.
    read = value.to_dict(mode="json", warnings=False) if hasattr(value, "to_dict") else value
    if not isinstance(read, dict):
        raise ValueError(f"it is no JSON object, but {type(read).__name__}")  # noqa: TRY004  # from JSON
    return read
