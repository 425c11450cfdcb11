"""How is a model asked through OpenAI's APIs? Over chat completions, which many servers speak, or over responses, which keep what it thought.

Sources: OpenAI API reference, "Chat Completions" and "Responses".
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, ClassVar, Final, Protocol

from fcregistry import formats
from fcregistry.errors import ModelError
from fcregistry.models._completion import Completion, Delta, WholeDeltas
from fcregistry.models._http_limits import MAX_ANSWER_BYTES
from fcregistry.models._model import Model
from fcregistry.models._openai_chat import ChatStream, chat_completion
from fcregistry.models._openai_client import Connection
from fcregistry.models._openai_input import input_items
from fcregistry.models._openai_messages import chat_messages
from fcregistry.models._openai_responses import ResponseStream, response_completion

if TYPE_CHECKING:
    from fcregistry._tools.tool import Tool
    from fcregistry.models._messages import Message
    from fcregistry.models._model import ToolChoice
    from fcregistry.models._openai_client import Clients

_OURS: Final = frozenset({"model", "messages", "input", "stream"})
"""What a request says that no setting can."""

_OF_THE_SDK: Final = frozenset({"timeout", "extra_headers", "extra_query", "extra_body"})
"""Settings that are no fields of a request: the SDK takes them beside it."""

_USAGE: Final = {"include_usage": True}


class _Reader(Protocol):
    def add(self, piece: object, /) -> Delta | None: ...
    def completion(self) -> Completion: ...


class OpenAIModel(Model):
    """What the models of both APIs have in common."""

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
        """Say which model is meant; nothing is imported or connected before it is asked.

        Args:
            model: Its name at the provider: `gpt-5`; of Azure, the name of the deployment.
            base_url: Where the API is: `http://localhost:8000/v1`. By default, what `OPENAI_BASE_URL` says, else OpenAI's own.
            api_key: By default, what `OPENAI_API_KEY` says. A server of your own may do without.
            client: An `AsyncOpenAI` or an `AsyncAzureOpenAI`, in the place of both; or a function that makes one. Connections belong to
                an event loop: a function is called once for each, and what it makes is closed with it; an instance stays yours to close, and
                serves one loop, be it yours or the one behind `complete`.
            max_answer_bytes: The most bytes of one answer, decoded, that are read; an answer that is longer is an error.
            settings: More fields of each request, as they are: `temperature`, `max_completion_tokens`, … What the provider's own `tools` are is
                sent beside ours. `timeout` (seconds), `extra_headers` and `extra_query` are the SDK's.

        Raises:
            ValueError: A client is given beside base_url or api_key, max_answer_bytes is not a number above 0, or a setting says what each
                request says by itself.
        """
        self._settings = dict(settings or {})
        if wrong := sorted(_OURS & self._settings.keys()):
            raise ValueError(
                f"settings of {self._provider}:{model} cannot say {', '.join(wrong)}: every request has its own"
            )
        self._connection = Connection(
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
        """What it is called, with its provider."""
        return self._connection.asked

    @staticmethod
    @abstractmethod
    def _create(client: Any) -> Callable[..., Any]:
        """Return the function of a client that makes an answer."""

    @abstractmethod
    def _conversation(self, messages: Sequence[Message]) -> dict[str, Any]:
        """Return the field of a request that holds a conversation."""

    @abstractmethod
    def _must_call(self, name: str) -> dict[str, Any]:
        """Return the choice of one tool."""

    def _request(
        self, messages: Sequence[Message], tools: Sequence[Tool], tool_choice: ToolChoice, **more: Any
    ) -> dict[str, Any]:
        """Return what the SDK is given: what it has names for in any version, and the rest as fields of the body."""
        settings = {name: value for name, value in self._settings.items() if name not in _OF_THE_SDK}
        own = {name: value for name, value in self._settings.items() if name in _OF_THE_SDK}
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
        """Return the field that says whether to call; a request without tools may not have it."""
        if not any_offered and tool_choice in ("auto", "none"):
            return {}
        if tool_choice == "auto":
            return {"tool_choice": "auto"}  # where settings say otherwise, they count
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
        whole = WholeDeltas()
        async with aclosing(self._connection.pieces(request, reader.add)) as deltas:
            async for delta in deltas:
                if delta is not None and (told := whole.add(delta)) is not None:
                    yield told
        completion = reader.completion()
        if (rest := whole.rest()) is not None:
            yield rest
        yield completion


class OpenAIChat(OpenAIModel):
    """A model behind the chat completions API: of OpenAI, Azure, vLLM, Ollama, llama.cpp's server, and most others."""

    _provider = "openai"
    _tells_usage = True

    @staticmethod
    def _create(client: Any) -> Callable[..., Any]:
        return client.chat.completions.create  # type: ignore[no-any-return]  # the SDK is not needed to say so

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
        asks_for_usage = self._tells_usage and "stream_options" not in self._settings
        more = {"stream_options": _USAGE} if asks_for_usage else {}
        request = self._request(messages, tools, tool_choice, **more)
        try:
            async with aclosing(self._read(request, ChatStream(self.name))) as told:
                async for each in told:
                    yield each
        except ModelError as error:
            if not asks_for_usage or not _refuses_usage(error):
                raise
        else:
            return
        # Some servers that speak the API refuse the field (Mistral, Databricks): then an answer without usage beats none. Nothing has been
        # told yet, since the request was refused as a whole; and from now on the field is left out.
        self._tells_usage = False
        async with aclosing(self.astream(messages, tools, tool_choice=tool_choice)) as told:
            async for each in told:
                yield each


class OpenAIResponses(OpenAIModel):
    """A model behind the responses API. What it thought is handed back to it, with the conversation.

    The provider keeps its answers, and knows what it thought by an id, unless settings say `"store": False`; then it is handed back only
    where settings ask for it, with `"include": ["reasoning.encrypted_content"]`.
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
        async with aclosing(self._read(request, ResponseStream(self.name))) as told:
            async for each in told:
                yield each


def _refuses_usage(error: ModelError) -> bool:
    """Tell whether a server refuses that it is asked for usage: by the name of the field, which it names in its own words."""
    return error.status in (400, 422) and ("stream_options" in str(error) or "include_usage" in str(error))
