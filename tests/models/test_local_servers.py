"""Models of Ollama, vLLM and LM Studio: where these are looked for, and what is said if they do not run; and closing models."""

from __future__ import annotations

import asyncio
import re
import socket
from typing import Any

import pytest

from fcregistry.errors import ModelError
from fcregistry.models import Completion, Message, Model, OpenAIChat, resolve
from fcregistry.models._openai import _ollama_address  # every form of OLLAMA_HOST, without a server for each

from .openai_wire import chat_reply
from .provider_server import ProviderServer

ADDRESSES = {"ollama": "OLLAMA_HOST", "vllm": "VLLM_BASE_URL", "lmstudio": "LMSTUDIO_BASE_URL"}
KEYS = {"ollama": "OLLAMA_API_KEY", "vllm": "VLLM_API_KEY", "lmstudio": "LM_API_TOKEN"}
STARTS = {"ollama": "ollama serve", "vllm": "vllm serve MODEL", "lmstudio": "lms server start"}
each_server = pytest.mark.parametrize("server", ADDRESSES)


@pytest.fixture(autouse=True)
def no_variables_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove the variables of the machine that runs the tests; a key of OpenAI must not be sent to another server."""
    for name in [*ADDRESSES.values(), *KEYS.values(), "OPENAI_BASE_URL"]:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "a key for OpenAI alone")


def path_of(server: str) -> str:
    return "" if server == "ollama" else "/v1"


@each_server
def test_a_local_server_is_asked_where_its_variable_says_without_a_key(
    server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ProviderServer(chat_reply(), chat_reply()) as local:
        monkeypatch.setenv(ADDRESSES[server], f"{local.url}{path_of(server)}")
        model = resolve(f"{server}:qwen3:4b")
        model.complete("Hi")
        monkeypatch.setenv(KEYS[server], "of-this-server")
        resolve(f"{server}:qwen3:4b").complete("Hi")
    assert model.name == f"{server}:qwen3:4b"
    assert [each.path for each in local.requests] == ["/v1/chat/completions"] * 2
    assert [each.json["model"] for each in local.requests] == ["qwen3:4b"] * 2
    assert [each.headers["authorization"] for each in local.requests] == ["Bearer none", "Bearer of-this-server"]


@each_server
def test_base_url_says_where_a_local_server_is(server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ADDRESSES[server], "http://192.0.2.1")
    with ProviderServer(chat_reply()) as local:
        model = OpenAIChat("m", server=server, base_url=f"{local.url}/v1")
        model.complete("Hi")
    assert len(local.requests) == 1
    assert model.name == f"{server}:m"


@each_server
def test_a_server_that_does_not_run_is_named_with_what_starts_it(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    monkeypatch.setenv(ADDRESSES[server], f"http://127.0.0.1:{port}{path_of(server)}")
    with pytest.raises(
        ModelError,
        match=rf"^{server}:m: the server cannot be reached; start .*`{STARTS[server]}`, or set {ADDRESSES[server]}",
    ):
        resolve(f"{server}:m").complete("Hi")


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("", "http://127.0.0.1:11434/v1"),
        ("box", "http://box:11434/v1"),
        (":8080", "http://127.0.0.1:8080/v1"),
        ("box:8080", "http://box:8080/v1"),
        ("0.0.0.0", "http://127.0.0.1:11434/v1"),
        ("http://box", "http://box:80/v1"),
        ("https://box/", "https://box:443/v1"),
        ("https://box:8443/ollama", "https://box:8443/ollama/v1"),
        ("[::1]:8080", "http://[::1]:8080/v1"),
        ("http://[::]", "http://127.0.0.1:80/v1"),
    ],
)
def test_ollama_host_is_read_as_its_own_clients_read_it(host: str, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLLAMA_HOST", host)
    assert _ollama_address() == url


def test_an_unknown_server_is_refused() -> None:
    with pytest.raises(ValueError, match=re.escape("server is one of openai, ollama, vllm, lmstudio, not 'olama'")):
        OpenAIChat("m", server="olama")  # type: ignore[arg-type]


# --- closing --------------------------------------------------------------------------------------


def test_closing_a_model_closes_its_connections_and_it_can_be_asked_again() -> None:
    from openai import AsyncOpenAI

    made: list[AsyncOpenAI] = []

    def make() -> AsyncOpenAI:
        made.append(AsyncOpenAI(base_url=server.url, api_key="none"))
        return made[-1]

    with ProviderServer(*[chat_reply()] * 3) as server:
        with OpenAIChat("m", client=make) as model:
            model.complete("Hi")
            assert not made[0].is_closed()
        assert made[0].is_closed()
        model.complete("Hi")
        model.close()
        model.close()

        async def ask() -> None:
            async with model:
                await model.acomplete([Message(role="user", content="Hi")])

        asyncio.run(ask())
        assert [client.is_closed() for client in made] == [True] * 3
    assert len(server.requests) == 3


def test_a_client_of_the_caller_is_not_closed() -> None:
    from openai import AsyncOpenAI

    async def ask(url: str) -> bool:
        client = AsyncOpenAI(base_url=url, api_key="none")
        async with OpenAIChat("m", client=client) as model:
            await model.acomplete([Message(role="user", content="Hi")])
        try:
            return client.is_closed()
        finally:
            await client.close()

    with ProviderServer(chat_reply()) as server:
        assert asyncio.run(ask(server.url)) is False


class Held(Model):
    """A model of a plugin, which holds something."""

    name = "held:one"  # type: ignore[assignment]

    def __init__(self) -> None:
        self.closed = 0

    async def acomplete(self, *_: Any, **__: Any) -> Completion:
        return Completion(message=Message(role="assistant", content="Hi"))

    def close(self) -> None:
        self.closed += 1


def test_every_model_can_be_closed() -> None:
    with resolve(lambda messages: "Hi") as function:
        assert function.complete("?").message.text == "Hi"
    with Held() as held:
        held.complete("?")
    assert held.closed == 1

    async def use() -> None:
        async with held, resolve(lambda prompt: "Hi", dialect="hermes"), resolve("anthropic:claude-sonnet-5"):
            pass

    asyncio.run(use())
    assert held.closed == 2
