"""The async methods of models accept the conversations and tools that the sync ones accept."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from fcregistry import Tool, ToolCall
from fcregistry.models import CallableModel, Completion, Message, Model, TextModel

from . import anthropic_wire, openai_wire
from .provider_server import ProviderServer, Reply, stream_reply

CALLS = Message(role="assistant", tool_calls=(ToolCall("weather", {"city": "Oslo"}, "call_1"),))
CONVERSATIONS: dict[str, Callable[[], Any]] = {
    "a text": lambda: "Oslo?",
    "a dict": lambda: {"role": "user", "content": "Oslo?"},
    "a message": lambda: Message(role="user", content="Oslo?"),
    "a list of all of these": lambda: [{"role": "system", "content": "Be short."}, "Oslo?", CALLS],
    "an iterator": lambda: iter(["Oslo?", {"role": "assistant", "content": "Fine."}, "And Paris?"]),
    "an empty conversation": list,
}


def weather(city: str) -> str:
    """Tell the weather."""
    return f"sunny in {city}"


TOOL = Tool.from_function(weather)
WHOLE_RESPONSE = openai_wire.response([openai_wire.text_item("Fine.")])
STREAMED_RESPONSE = openai_wire.happened("response.completed", response=WHOLE_RESPONSE)
PROVIDERS: dict[str, tuple[Callable[[ProviderServer], Model], Reply, Reply]] = {
    "chat": (openai_wire.chat, openai_wire.chat_reply(), openai_wire.chat_stream("Fine.")),
    "responses": (
        openai_wire.responses,
        openai_wire.json_reply(WHOLE_RESPONSE),
        stream_reply([STREAMED_RESPONSE]),
    ),
    "anthropic": (
        anthropic_wire.model_at,
        anthropic_wire.answer(anthropic_wire.TEXT),
        stream_reply([anthropic_wire.started(), *anthropic_wire.texts(0, "Fine."), *anthropic_wire.ended()]),
    ),
}


async def _last_of(model: Model, conversation: Any, tools: Any) -> Any:
    """Return the last piece that the model streams."""
    return [piece async for piece in model.astream(conversation, tools)][-1]


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("given", CONVERSATIONS)
def test_async_methods_of_providers_send_what_the_sync_ones_send(provider: str, given: str) -> None:
    make, whole, pieces = PROVIDERS[provider]
    conversation, tools = CONVERSATIONS[given], [TOOL.definition("openai")]
    with ProviderServer(whole, whole, pieces) as server:
        model = make(server)
        model.complete(conversation(), tools)
        asyncio.run(model.acomplete(conversation(), tools))
        *_, last = model.stream(conversation(), tools)
        assert asyncio.run(_last_of(model, conversation(), tools)) == last
    completed, acompleted, streamed, astreamed = (request.json for request in server.requests)
    assert acompleted == completed
    assert astreamed == streamed


@pytest.mark.parametrize("kind", [CallableModel, TextModel])
@pytest.mark.parametrize("given", CONVERSATIONS)
def test_async_methods_of_functions_pass_what_the_sync_ones_pass(kind: type[Model], given: str) -> None:
    received: list[Any] = []

    def answer(messages: Any) -> str:
        received.append(messages)
        return "Fine."

    model, conversation = kind(answer), CONVERSATIONS[given]  # type: ignore[call-arg]
    answers = [
        model.complete(conversation(), [TOOL]),
        asyncio.run(model.acomplete(conversation(), [TOOL])),
        asyncio.run(_last_of(model, conversation(), [TOOL])),
    ]
    assert received == [received[0]] * 3
    assert answers == [answers[0]] * 3


def test_a_model_that_only_completes_gets_messages_and_tools_from_astream() -> None:
    class Own(Model):
        name = "own"
        asked: Any = None

        async def acomplete(self, messages: Any, tools: Any = (), *, tool_choice: Any = "auto") -> Completion:
            self.asked = list(messages), list(tools)
            return Completion(message=Message(role="assistant", content="Fine."))

    model = Own()
    asyncio.run(_last_of(model, {"role": "user", "content": "Oslo?"}, [TOOL.definition("openai")]))
    messages, tools = model.asked
    assert messages == [Message(role="user", content="Oslo?")]
    assert [(type(tool), tool.name) for tool in tools] == [(Tool, "weather")]


@pytest.mark.parametrize("ask", [Model.acomplete, _last_of])
def test_what_is_not_a_conversation_is_refused_alike(ask: Callable[..., Any]) -> None:
    model = CallableModel(lambda messages: "")
    way = model.acomplete if ask is Model.acomplete else lambda given: _last_of(model, given, [])
    with pytest.raises(TypeError, match="a message is a Message, a text, or a dict with a role, not int"):
        asyncio.run(way(5))  # type: ignore[arg-type]
