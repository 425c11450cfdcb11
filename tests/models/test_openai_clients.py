"""Clients, keys and settings of OpenAI's models."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from openai import AsyncAzureOpenAI, AsyncOpenAI, OpenAI

from fcregistry import Tool
from fcregistry.errors import ModelError
from fcregistry.models import Completion, Message, OpenAIChat, OpenAIResponses

from .openai_wire import chat, chat_reply, chat_stream, response, responses, text_item
from .provider_server import ProviderServer, json_reply

if TYPE_CHECKING:
    from tests.conftest import Site

HI = [Message(role="user", content="Hi")]


@pytest.fixture(autouse=True)
def no_variables_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove the variables of the machine that runs the tests."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.delenv(name, raising=False)


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


def test_a_users_own_server_needs_no_key() -> None:
    with ProviderServer(chat_reply()) as server:
        OpenAIChat("llama3", base_url=f"{server.url}/v1").complete("Hi")
    (request,) = server.requests
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == "Bearer none"


def test_url_and_key_of_the_environment_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    with ProviderServer(chat_reply()) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "from-the-environment")
        model = OpenAIChat("gpt-5")
        model.complete("Hi")
        OpenAIChat("gpt-5", api_key="given").complete("Hi")
    assert [request.headers["authorization"] for request in server.requests] == [
        "Bearer from-the-environment",
        "Bearer given",
    ]


@pytest.mark.parametrize("base_url", [None, "https://api.openai.com/v1"])
def test_without_a_key_the_hosted_api_is_not_asked(base_url: str | None) -> None:
    model = OpenAIChat("gpt-5", base_url=base_url)
    for ask in (model.complete, lambda question: list(model.stream(question))):
        with pytest.raises(ModelError) as raised:
            ask("Hi")
        assert str(raised.value) == (
            "openai:gpt-5 cannot be asked without a key: set OPENAI_API_KEY, or for a server of your own OPENAI_BASE_URL; "
            "in Python, pass api_key or base_url"
        )


def test_a_client_cannot_be_combined_with_a_key() -> None:
    client = AsyncOpenAI(api_key="x")
    with pytest.raises(ValueError, match="give base_url and api_key, or a client, which has its own"):
        OpenAIChat("gpt-5", client=client, api_key="x")


def test_a_client_for_plain_code_is_refused() -> None:
    client: Any = OpenAI(api_key="x")
    message = "the client is of the class OpenAI, which cannot be awaited: give an AsyncOpenAI"
    with pytest.raises(TypeError, match=message):
        OpenAIChat("gpt-5", client=client)
    with pytest.raises(ModelError, match=message):
        OpenAIChat("gpt-5", client=lambda: client).complete("Hi")
    client.close()


def test_an_azure_client_asks_its_deployment() -> None:
    with ProviderServer(chat_reply()) as server:

        def made() -> AsyncAzureOpenAI:
            return AsyncAzureOpenAI(
                azure_endpoint=server.url, api_key="azure-key", api_version="2024-10-21", max_retries=0
            )

        OpenAIChat("my-deployment", client=made).complete("Hi")
    (request,) = server.requests
    assert request.path == "/openai/deployments/my-deployment/chat/completions?api-version=2024-10-21"
    assert request.headers["api-key"] == "azure-key"


def test_the_users_client_is_used_as_it_is_and_left_open() -> None:
    async def ask(server: ProviderServer) -> bool:
        client = AsyncOpenAI(base_url=server.url, api_key="x", max_retries=0, default_headers={"x-tag": "mine"})
        await OpenAIChat("gpt-5", client=client).acomplete(HI)
        await asyncio.sleep(0)
        was_open = not client.is_closed()
        await client.close()
        return was_open

    with ProviderServer(chat_reply()) as server:
        assert asyncio.run(ask(server))
    assert server.requests[0].headers["x-tag"] == "mine"


def test_a_model_is_asked_from_one_loop_after_another_and_from_plain_code() -> None:
    """What is kept of connections belongs to the loop that they were made on, and ends with it."""
    made: list[AsyncOpenAI] = []

    with ProviderServer(chat_reply()) as server:

        def make() -> AsyncOpenAI:
            made.append(AsyncOpenAI(base_url=server.url, api_key="x", max_retries=0))
            return made[-1]

        model = chat(server, client=make)

        async def ask_twice() -> None:
            await model.acomplete(HI)
            await asyncio.gather(*(model.acomplete(HI) for _ in range(3)))

        asyncio.run(ask_twice())
        asyncio.run(ask_twice())
        assert [client.is_closed() for client in made] == [True, True]
        model.complete("Hi")
        model.complete("Hi")
        assert len(made) == 3
        assert not made[2].is_closed()
    assert len(server.requests) == 10


def test_settings_are_fields_of_every_request_also_if_the_sdk_does_not_know_them() -> None:
    settings = {"temperature": 0.5, "top_k": 5, "extra_body": {"guided": True}, "extra_headers": {"x-tag": "mine"}}
    with ProviderServer(chat_reply(), chat_stream("Hi"), json_reply(response([text_item("Hi")]))) as server:
        model = chat(server, settings=settings)
        model.complete("Hi")
        list(model.stream("Hi"))
        responses(server, settings=settings).complete("Hi")
    for request in server.requests:
        assert {name: request.json[name] for name in ("temperature", "top_k", "guided")} == {
            "temperature": 0.5,
            "top_k": 5,
            "guided": True,
        }
        assert "extra_body" not in request.json
        assert request.headers["x-tag"] == "mine"
    assert settings["extra_body"] == {"guided": True}


def test_tools_and_a_choice_in_settings_are_added_to_those_of_a_request() -> None:
    tool, search = Tool.from_function(add), {"type": "web_search"}
    with ProviderServer(json_reply(response([text_item("Hi")]))) as server:
        model = responses(server, settings={"tools": [search], "tool_choice": "required"})
        model.complete("Hi", [tool])
        model.complete("Hi", [tool], tool_choice="none")
        model.complete("Hi")
    first, second, third = (request.json for request in server.requests)
    assert [each.get("name", each["type"]) for each in first["tools"]] == ["add", "web_search"]
    assert [first["tool_choice"], second["tool_choice"]] == ["required", "none"]
    assert (third["tools"], third["tool_choice"]) == ([search], "required")


@pytest.mark.parametrize("kind", [OpenAIChat, OpenAIResponses])
def test_fields_that_every_request_sets_are_not_settings(kind: Any) -> None:
    with pytest.raises(
        ValueError, match=r"settings of openai.*:gpt-5 cannot have messages, stream: every request sets its own"
    ):
        kind("gpt-5", settings={"stream": True, "messages": [], "temperature": 1})


def test_models_are_named_by_their_prefix() -> None:
    assert OpenAIChat("gpt-5").name == "openai:gpt-5"
    assert repr(OpenAIResponses("gpt-5")) == "<Model openai-responses:gpt-5>"


def test_without_the_sdk_a_model_can_be_named_and_asking_it_says_what_to_install(site: Site) -> None:
    code = """
    from fcregistry.models import OpenAIChat
    model = OpenAIChat("gpt-5", api_key="x")
    early = "openai" in sys.modules
    sys.modules["openai"] = None  # as if it were not installed
    try:
        model.complete("Hi")
    except ImportError as error:
        answer = [early, type(error).__name__, str(error)]
    """
    assert site.ask(code) == [
        False,
        "MissingDependencyError",
        'openai:gpt-5 needs the package openai: pip install "fcregistry[openai]"',
    ]


def test_without_the_sdk_and_a_key_one_error_says_both(site: Site) -> None:
    code = """
    from fcregistry.models import OpenAIChat
    sys.modules["openai"] = None  # as if it were not installed
    try:
        OpenAIChat("gpt-5").complete("Hi")
    except ImportError as error:
        answer = [type(error).__name__, str(error)]
    """
    kind, text = site.ask(code)
    assert kind == "MissingDependencyError"
    assert text == (
        'openai:gpt-5 needs the package openai: pip install "fcregistry[openai]"; openai:gpt-5 cannot be asked without a key: '
        "set OPENAI_API_KEY, or for a server of your own OPENAI_BASE_URL; in Python, pass api_key or base_url"
    )


def test_plain_code_gets_the_same_as_asynchronous_code() -> None:
    async def ask(model: OpenAIChat) -> list[Any]:
        return [await model.acomplete(HI), *[each async for each in model.astream(HI)]]

    with ProviderServer(chat_reply(), chat_stream("Hello!"), chat_reply(), chat_stream("Hello!")) as server:
        model = chat(server)
        plain = [model.complete("Hi"), *model.stream("Hi")]
        assert asyncio.run(ask(model)) == plain
    assert isinstance(plain[-1], Completion)


def test_a_callers_own_client_gets_the_conversation_as_an_argument() -> None:
    """Packages that trace requests wrap the method of a client, and look for it there."""
    asked: list[dict[str, Any]] = []

    async def main() -> None:
        async with AsyncOpenAI(base_url=server.url + "/v1", api_key="none") as client:
            create = client.chat.completions.create

            async def traced(**arguments: Any) -> Any:
                asked.append(arguments)
                return await create(**arguments)

            client.chat.completions.create = traced  # type: ignore[method-assign]
            await OpenAIChat("gpt-test", client=client).acomplete("Hi")

    with ProviderServer(chat_reply()) as server:
        asyncio.run(main())
    assert asked[0]["messages"] == [{"role": "user", "content": "Hi"}]
    assert server.requests[0].json["messages"] == asked[0]["messages"]
