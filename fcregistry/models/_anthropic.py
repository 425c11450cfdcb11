"""How is a model asked that speaks Anthropic's messages API?

Source: Anthropic API reference, "Messages".
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, Final

from fcregistry.errors import ModelError
from fcregistry.models._anthropic_client import PROVIDER, Connection
from fcregistry.models._completion import Completion, Delta
from fcregistry.models._http_limits import MAX_ANSWER_BYTES
from fcregistry.models._model import Model, ToolChoice

if TYPE_CHECKING:
    from fcregistry._tools.tool import Tool
    from fcregistry.models._anthropic_client import Clients
    from fcregistry.models._messages import Message

_AT_ONCE: Final = 8192
"""Tokens up to which an answer is given at once; one that may be longer is streamed, since networks cut a connection that is silent for long,
and the SDK refuses to wait (its documentation, "Long requests")."""

_OURS: Final = frozenset({"model", "messages", "stream"})
"""What a request says that no setting can."""

_OF_THE_SDK: Final = ("timeout", "extra_headers", "extra_query")
"""Settings that are no fields of the request."""

_CHOICES: Final[Mapping[str, Mapping[str, str] | None]] = {
    "auto": None,  # which it does by itself
    "required": {"type": "any"},
    "none": {"type": "none"},
}


class AnthropicMessages(Model):
    """A model of Anthropic's messages API, or of a server that speaks it.

    What the model thought, with its signatures, and what the provider's own tools did stands in `Message.native["anthropic"]`, and is given
    back with the conversation.

    Args:
        model: The name of the model at the provider: `claude-sonnet-5`.
        max_tokens: The most tokens of one answer, thoughts included. The API has no default of its own; this one is the most that the SDK
            waits for with every model.
        base_url: Where the API is; `ANTHROPIC_BASE_URL`, or Anthropic's own, by default.
        api_key: The key for it; `ANTHROPIC_API_KEY`, or where else the SDK finds one, by default.
        client: An `AsyncAnthropic`, or the SDK's client for Bedrock, Vertex or Foundry, with timeouts and retries of its own; or a function
            that makes one for each event loop. A client stays its owner's; what a function makes is closed.
        max_answer_bytes: The most bytes of one answer, decoded, that are read; an answer that is longer is an error.
        settings: Further fields of every request, as they are: `temperature`, `thinking`, … Tools of the provider's own, in `tools`, are
            offered beside those that are asked with; what the conversation says goes before what stands here. `timeout`,
            `extra_headers` and `extra_query` are the SDK's.

    Raises:
        ValueError: A client and what it has already are both given, max_answer_bytes is not a number above 0, or a setting says
            what each request says by itself.
        TypeError: The client is one that waits: an `Anthropic`.
    """

    def __init__(
        self,
        model: str,
        *,
        max_tokens: int = _AT_ONCE,
        base_url: str | None = None,
        api_key: str | None = None,
        client: Clients = None,
        max_answer_bytes: int = MAX_ANSWER_BYTES,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        self._model = model
        self._settings = dict(settings or {})
        self._max_tokens = self._settings.pop("max_tokens", max_tokens)
        self._connection = Connection(
            model, base_url=base_url, api_key=api_key, client=client, max_answer_bytes=max_answer_bytes
        )
        if wrong := sorted(_OURS & self._settings.keys()):
            raise ValueError(f"settings of {self.name} cannot say {', '.join(wrong)}: every request has its own")

    @property
    def name(self) -> str:
        """`anthropic:` and the name of the model."""
        return self._connection.asked

    async def acomplete(
        self, messages: Sequence[Message], tools: Sequence[Tool] = (), *, tool_choice: ToolChoice = "auto"
    ) -> Completion:
        """Answer a conversation; see `Model.acomplete`.

        Raises:
            ModelError: There is no answer to be had.
            MissingDependencyError: The SDK is not installed.
            DefinitionError: A tool cannot be told to the provider.
        """
        from fcregistry.models._anthropic_answers import completion_of  # heavy, and not needed to name a model

        if self._max_tokens > _AT_ONCE:
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
        from fcregistry.models._anthropic_answers import completion_of  # as above
        from fcregistry.models._anthropic_events import StreamedMessage
        from fcregistry.models._completion import WholeDeltas
        from fcregistry.models._sdk_errors import broken_off

        request = self._request(messages, tools, tool_choice)
        answer, whole = StreamedMessage(), WholeDeltas()
        failed: list[ModelError] = []
        try:
            async with aclosing(self._connection.events(request)) as events:
                async for event in events:
                    if (delta := answer.take(event)) is not None and (told := whole.add(delta)) is not None:
                        yield told
        except ModelError:
            if not answer.is_whole:  # a connection that breaks after the last event has lost nothing
                raise
        except ValueError as error:
            failed.append(self._connection.error(error))
        if failed:
            raise failed.pop()  # as above
        if not answer.is_whole:
            raise broken_off(self.name)
        if (rest := whole.rest()) is not None:
            yield rest
        yield completion_of(answer.message())

    def _request(self, messages: Sequence[Message], tools: Sequence[Tool], tool_choice: ToolChoice) -> dict[str, Any]:
        """Return what the SDK is asked with. Settings go in `extra_body`, so that every version of it takes every field."""
        from fcregistry.formats import get  # heavy, and not needed to name a model
        from fcregistry.models._anthropic_turns import system_of, turns_of

        settings = dict(self._settings)
        offered = [*get(PROVIDER).describe(tools), *settings.pop("tools", ())]
        choice = _choice(tool_choice, [each.get("name") for each in offered]) if offered else None
        told = {"system": system_of(messages), "tools": offered, "tool_choice": choice}
        said = {name: value for name, value in told.items() if value}
        of_sdk: dict[str, Any] = {name: settings.pop(name) for name in _OF_THE_SDK if name in settings}
        more = settings.pop("extra_body", {})
        return {
            "model": self._model,
            "max_tokens": self._max_tokens,
            "messages": turns_of(messages),
            **said,
            **of_sdk,
            "extra_body": {name: value for name, value in {**settings, **more}.items() if name not in said},
        }


def _choice(tool_choice: ToolChoice, names: Sequence[str | None]) -> Mapping[str, str] | None:
    """Return the field that says whether to call; None where that is left to the model, as it is by itself.

    Raises:
        ValueError: It is the name of no tool that is offered.
    """
    if tool_choice in _CHOICES:
        return _CHOICES[tool_choice]
    if tool_choice in names:
        return {"type": "tool", "name": tool_choice}
    raise ValueError(
        f"tool_choice is {tool_choice!r}; it must be auto, required, none or the name of a tool that is offered: "
        + ", ".join(filter(None, names))
    )
