"""What models do with the proxies that the environment names; the proxy and the servers are real, on loopback."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fcregistry.errors import ModelError
from fcregistry.models import AnthropicMessages, Model, OpenAIChat, OpenAIResponses, resolve
from fcregistry.models._connection import is_loopback  # every form of an address, without a server for each

from .anthropic_wire import TEXT, answer
from .openai_wire import chat_reply, response, text_item
from .provider_server import ProviderServer, Reply, json_reply

VARIABLES = ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "NO_PROXY", "no_proxy")
KEY = "sk-of-this-test"
ANSWERED = json_reply(response([text_item("Fine.")]))
PROVIDERS: dict[str, tuple[Callable[[str], Model], Reply]] = {
    "chat": (lambda url: OpenAIChat("m", base_url=f"{url}/v1", api_key=KEY), chat_reply()),
    "responses": (lambda url: OpenAIResponses("m", base_url=f"{url}/v1", api_key=KEY), ANSWERED),
    "anthropic": (lambda url: AnthropicMessages("m", base_url=url, api_key=KEY), answer(TEXT)),
}


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("variable", ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"])
def test_a_server_on_this_machine_is_reached_without_the_proxy(
    provider: str, variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    make, reply = PROVIDERS[provider]
    with ProviderServer(reply) as proxy, ProviderServer(reply) as local:
        monkeypatch.setenv(variable, proxy.url)
        make(local.url).complete("Hi")
        make(local.url.replace("127.0.0.1", "localhost")).complete("Hi")
    assert proxy.requests == []
    assert len(local.requests) == 2


@pytest.mark.parametrize(
    ("server", "variable"),
    [("ollama", "OLLAMA_HOST"), ("vllm", "VLLM_BASE_URL"), ("lmstudio", "LMSTUDIO_BASE_URL")],
)
def test_the_local_servers_are_reached_without_the_proxy(
    server: str, variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ProviderServer(chat_reply()) as proxy, ProviderServer(chat_reply()) as local:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        monkeypatch.setenv(variable, f"{local.url}/v1")
        resolve(f"{server}:m").complete("Hi")
    assert (proxy.requests, len(local.requests)) == ([], 1)


def test_a_server_on_this_machine_that_a_profile_names_is_reached_without_the_proxy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ProviderServer(answer(TEXT)) as proxy, ProviderServer(answer(TEXT)) as local:
        profile = {
            "configs": {
                "base_url": local.url.replace("127.0.0.1", "localhost"),
                "authentication": {"type": "user_oauth"},
            },
            "credentials": {"access_token": KEY},
        }
        for folder, content in profile.items():
            (tmp_path / folder).mkdir()
            (tmp_path / folder / "default.json").write_text(json.dumps(content))
            (tmp_path / folder / "default.json").chmod(0o600)
        for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "ANTHROPIC_PROFILE"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("ANTHROPIC_CONFIG_DIR", str(tmp_path))
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        AnthropicMessages("m").complete("Hi")
    assert (proxy.requests, len(local.requests)) == ([], 1)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_another_server_is_reached_through_the_proxy(provider: str, monkeypatch: pytest.MonkeyPatch) -> None:
    make, reply = PROVIDERS[provider]
    with ProviderServer(reply) as proxy:
        monkeypatch.setenv("http_proxy", proxy.url)
        make("http://provider.example").complete("Hi")
    (request,) = proxy.requests
    assert request.path.startswith("http://provider.example/v1/")


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_proxy_that_the_client_cannot_use_does_not_matter_on_this_machine(
    provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    make, reply = PROVIDERS[provider]
    monkeypatch.setenv("ALL_PROXY", "gopher://user:secret@192.0.2.1:1")
    with ProviderServer(reply) as local:
        make(local.url).complete("Hi")
    with pytest.raises(ModelError) as raised:
        make("http://provider.example").complete("Hi")
    assert "cannot be asked: the proxy that HTTP_PROXY, HTTPS_PROXY or ALL_PROXY names cannot be used: " in str(
        raised.value
    )
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("password", ["Secret123/xyz", "Secret123#xyz", "Secret123?xyz", "Secret123\n"])
def test_the_error_of_a_proxy_whose_url_is_not_valid_has_no_part_of_it(
    provider: str, password: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", f"http://me:{password}@proxy.example:3128")
    with pytest.raises(ModelError) as raised:
        PROVIDERS[provider][0]("https://provider.example").complete("Hi")
    assert str(raised.value).endswith(
        ":m cannot be asked: the proxy that HTTP_PROXY, HTTPS_PROXY or ALL_PROXY names cannot be used: its URL, or a name in NO_PROXY, is not "
        "valid; in a user name or a password, characters such as / and # must be percent-encoded"
    )


@pytest.mark.parametrize("provider", PROVIDERS)
def test_the_error_of_a_proxy_that_refuses_names_the_variable(provider: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kinds: dict[str, Callable[..., Any]] = {
        "chat": OpenAIChat,
        "responses": OpenAIResponses,
        "anthropic": AnthropicMessages,
    }

    def client() -> Any:
        from anthropic import AsyncAnthropic
        from openai import AsyncOpenAI

        make: Any = AsyncAnthropic if provider == "anthropic" else AsyncOpenAI
        return make(base_url="https://provider.example/v1", api_key=KEY, max_retries=0)

    with ProviderServer(chat_reply()) as proxy:  # it does not know the method CONNECT
        monkeypatch.setenv("https_proxy", proxy.url)
        with pytest.raises(
            ModelError, match="the proxy refuses to connect to the provider; look at HTTPS_PROXY"
        ) as raised:
            kinds[provider]("m", client=client).complete("Hi")
    assert raised.value.retryable


@pytest.mark.parametrize(
    "url",
    [
        *(
            "http://127.0.0.1:8000/v1",
            "https://127.0.0.1",
            "http://127.255.0.9",
            "http://127.1:80",
            "http://0.0.0.0:8000",
        ),
        *("http://[::1]:8000/v1", "http://[::ffff:127.0.0.1]", "http://[::]", "http://2130706433", "http://0x7f.1"),
        *("http://localhost:8000/v1", "http://LocalHost.", "http://models.localhost", "http://user@localhost:1"),
    ],
)
def test_the_forms_of_loopback(url: str) -> None:
    assert is_loopback(url)


@pytest.mark.parametrize(
    "url",
    [
        *("http://128.0.0.1", "http://192.168.0.2:8000", "http://[::2]", "http://[fe80::1]", "http://10.0.0.1"),
        *(
            "http://localhost.example.com",
            "http://mylocalhost",
            "http://127.0.0.1.example.com",
            "https://api.openai.com",
        ),
        *("http://[::1", "", "localhost", "http://localhost@example.com"),
    ],
)
def test_other_addresses_are_not_loopback(url: str) -> None:
    assert not is_loopback(url)
