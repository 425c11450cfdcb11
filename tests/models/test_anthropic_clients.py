"""Clients and keys for Anthropic's messages API, over real HTTP, with the real SDK."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from pathlib import Path

import pytest

from fcregistry._base.install import install_command
from fcregistry.errors import MissingDependencyError, ModelError
from fcregistry.models import AnthropicMessages, Message

from .anthropic_wire import TEXT, answer, client_at, model_at
from .provider_server import ProviderServer


def test_one_model_is_asked_on_several_loops_and_from_plain_code() -> None:
    with ProviderServer(answer(TEXT)) as server:
        model = model_at(server)
        conversation = [Message(role="user", content="Hi")]
        answered = [
            asyncio.run(model.acomplete(conversation)),
            asyncio.run(model.acomplete(conversation)),
            model.complete("Hi"),
        ]

    assert [completion.message.content for completion in answered] == ["It rains."] * 3


def test_the_users_client_is_used_and_left_open() -> None:
    async def ask() -> bool:
        client = client_at(server)()
        async with client:
            await AnthropicMessages("claude-test", client=client).acomplete([Message(role="user", content="Hi")])
            return bool(client.is_closed())

    with ProviderServer(answer(TEXT)) as server:
        assert asyncio.run(ask()) is False


def test_the_key_and_the_place_are_taken_from_the_arguments_or_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    with ProviderServer(answer(TEXT)) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-environment")
        AnthropicMessages("claude-test").complete("Hi")
        AnthropicMessages("claude-test", api_key="sk-ant-given").complete("Hi")
        monkeypatch.delenv("ANTHROPIC_API_KEY")
        AnthropicMessages("claude-test", base_url=server.url).complete("Hi")

    keys = [
        (request.headers.get("x-api-key") or request.headers["authorization"]).removeprefix("Bearer ")
        for request in server.requests
    ]
    assert keys == ["sk-ant-environment", "sk-ant-given", "none"]


def test_without_a_key_the_error_says_what_to_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in [name for name in os.environ if name.startswith("ANTHROPIC_")]:
        monkeypatch.delenv(name)
    for name in ("HOME", "XDG_CONFIG_HOME"):  # where the SDK looks for profiles
        monkeypatch.setenv(name, str(tmp_path))

    with pytest.raises(
        ModelError,
        match=r"^anthropic:claude-test cannot be asked without a key: set ANTHROPIC_API_KEY, .* ANTHROPIC_BASE_URL; in Python",
    ):
        AnthropicMessages("claude-test").complete("Hi")


def test_without_the_sdk_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "anthropic", None)

    command = re.escape(install_command("fcregistry[anthropic]"))
    with pytest.raises(MissingDependencyError, match=f"anthropic:claude-test needs .* {command}"):
        AnthropicMessages("claude-test").complete("Hi")


def test_a_client_cannot_be_combined_with_a_key() -> None:
    with pytest.raises(ValueError, match="give base_url and api_key, or a client"):
        AnthropicMessages("claude-test", client=lambda: None, api_key="sk-ant-given")


def test_a_sync_client_is_refused() -> None:
    from anthropic import Anthropic

    with (
        Anthropic(api_key="sk-ant-test") as client,
        pytest.raises(
            TypeError, match="the client is of the class Anthropic, which cannot be awaited: give an AsyncAnthropic"
        ),
    ):
        AnthropicMessages("claude-test", client=client)


def test_a_model_has_the_name_of_its_provider() -> None:
    model = AnthropicMessages("claude-test")

    assert (model.name, repr(model)) == ("anthropic:claude-test", "<Model anthropic:claude-test>")
