"""Long conversations: a request costs what was added since the last one, and not what was rendered before."""

from __future__ import annotations

import asyncio
import gc
import sys
import tracemalloc
from collections import Counter
from collections.abc import Callable
from operator import attrgetter
from types import FrameType
from typing import Any

import pytest
from openai import AsyncOpenAI

from fcregistry import ToolCall
from fcregistry.execution import Content
from fcregistry.models import AnthropicMessages, CallableModel, Message, Model, OpenAIChat, OpenAIResponses, TextModel

from . import anthropic_wire, openai_wire
from .provider_server import ProviderServer, Reply, json_reply

COUNTED = ("/fcregistry/", "/openai/", "/pydantic/", "/typing.py")
"""Parts of the paths of files whose functions are counted: those that could look at each message."""

MODELS: dict[str, Callable[[ProviderServer], Model]] = {
    "openai": lambda server: OpenAIChat("gpt-test", base_url=server.url + "/v1", api_key="none"),
    "openai-responses": lambda server: OpenAIResponses("gpt-test", base_url=server.url + "/v1", api_key="none"),
    "anthropic": lambda server: AnthropicMessages("claude-test", base_url=server.url, api_key="none"),
    "callable": lambda _: CallableModel(lambda messages: f"{len(messages)} messages"),
    "text": lambda _: TextModel(lambda prompt: f"{len(prompt)} characters", "hermes", "chatml"),
    "text-messages": lambda _: TextModel(lambda messages: f"{len(messages)} messages", "json"),
}


def rounds(count: int, text: str = "The log.", first: int = 0) -> list[Message]:
    """Return the messages of some rounds with a call and a result each."""
    made = []
    for number in range(first, first + count):
        call = ToolCall("read_log", '{"number": 1}', f"call_{number}")
        made.append(Message(role="assistant", tool_calls=(call,)))
        made.append(Message(role="tool", content=f"{number} {text}", tool_call_id=call.id, name="read_log"))
    return made


def reply_for(name: str) -> Reply:
    """Return what the provider answers."""
    if name == "anthropic":
        return anthropic_wire.answer({"type": "text", "text": "Done."})
    if name == "openai-responses":
        return json_reply(openai_wire.response([openai_wire.text_item("Done.")]))
    return openai_wire.chat_reply()


def work_of(name: str, count: int, text: str = "The log.") -> Counter[str]:
    """Return how often functions are called for a request, by name, if all messages but those of one round were sent before.

    Args:
        name: The kind of the model.
        count: How many rounds were sent before.
        text: The text of each result.
    """
    called: Counter[str] = Counter()

    def count_call(frame: FrameType, event: str, function: Any) -> None:
        if any(part in frame.f_code.co_filename for part in COUNTED):
            if event == "call":
                called[frame.f_code.co_name] += 1
            elif event == "c_call":
                called[function.__name__] += 1

    async def ask_twice(model: Model) -> None:
        messages = [Message(role="user", content="What is in the logs?"), *rounds(count, text)]
        await model.acomplete(messages)
        messages += rounds(1, text, first=count)
        sys.setprofile(count_call)
        try:
            await model.acomplete(messages)
        finally:
            sys.setprofile(None)

    with ProviderServer(reply_for(name)) as server, MODELS[name](server) as model:
        asyncio.run(ask_twice(model))
    return called


@pytest.mark.parametrize("name", MODELS)
def test_a_message_that_was_sent_before_is_not_rendered_again(name: str) -> None:
    few, many = work_of(name, 10), work_of(name, 110)
    more = {each: many[each] - few[each] for each in many if many[each] - few[each] > 50}
    most = 16 if name == "text" else 10
    assert sum(more.values()) <= 200 * most, more  # 200 messages, each of which is looked up and put into a list


@pytest.mark.parametrize("name", MODELS)
def test_a_text_that_is_not_ascii_is_not_encoded_again(name: str) -> None:
    few, many = work_of(name, 10, "Bjørn"), work_of(name, 60, "Bjørn")
    assert many["encode"] == few["encode"]


def test_a_message_that_many_models_were_asked_about_keeps_little() -> None:
    def ask(message: Message) -> int:
        model = TextModel(lambda prompt: str(len(prompt)), "hermes", "plain")
        return int(model.complete([message]).message.text)

    ask(Message(role="user", content="?"))  # imports what it needs
    message = Message(role="tool", name="read_log", tool_call_id="1", content="x" * 10_000)
    tracemalloc.start()
    try:
        assert all(ask(message) > 10_000 for _ in range(40))
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held < 10_000 * 25, "with all of them, it is 40 times the size"


def mask(value: Any) -> None:
    """Mask the texts of a conversation in place."""
    if isinstance(value, list):
        for each in value:
            mask(each)
    elif isinstance(value, dict):
        for name in ("text", "content"):
            if isinstance(value.get(name), str):
                value[name] = f"[masked] {value[name]}"
            mask(value.get(name))


@pytest.mark.parametrize("name", ["openai", "openai-responses", "anthropic"])
def test_what_a_callers_client_changes_in_a_request_is_not_in_the_next_one(name: str) -> None:
    def masking(client: Any) -> Any:
        method = attrgetter(
            {"openai": "chat.completions", "openai-responses": "responses", "anthropic": "messages"}[name]
        )(client)
        create = method.create

        async def masked(**arguments: Any) -> Any:
            mask(arguments["input" if name == "openai-responses" else "messages"])
            return await create(**arguments)

        method.create = masked
        return client

    conversation = [Message(role="user", content=(Content.text("Hi"), Content.link("https://a.example/b.png")))]
    conversation += [Message(role="assistant", content="Hello!"), Message(role="user", content="And now?")]
    with ProviderServer(*[reply_for(name)] * 2) as server:
        model: Model
        if name == "anthropic":
            model = AnthropicMessages("m", client=lambda: masking(anthropic_wire.client_at(server)()))
        else:
            kind = OpenAIChat if name == "openai" else OpenAIResponses
            model = kind("m", client=lambda: masking(AsyncOpenAI(base_url=f"{server.url}/v1", api_key="none")))
        with model:
            model.complete(conversation)
            model.complete(conversation)
    first, second = (request.json for request in server.requests)
    assert "[masked] And now?" in str(first)
    assert first == second


@pytest.mark.parametrize("name", ["openai", "openai-responses", "anthropic", "callable"])
def test_the_base64_of_media_is_not_kept_after_a_request(name: str) -> None:
    size = 1_000_000
    message = Message(role="user", content=(Content.text("Look:"), Content.image(b"\x89PNG\r\n\x1a\n" + bytes(size))))
    server = ProviderServer(reply_for(name), reply_for(name))
    with MODELS[name](server) as model:
        try:
            with server:
                model.complete("Hi")  # imports what it needs
                tracemalloc.start()
                model.complete([message])
            server.requests.clear()  # now that its threads, which hold the body until they have answered, have ended
            gc.collect()
            held, _ = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert held < size
