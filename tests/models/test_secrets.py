"""The key of a provider is in nothing that a model's error carries: text, traceback, causes, contexts, pickles."""

from __future__ import annotations

import asyncio
import pickle
import socket
import traceback
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from fcregistry.errors import ModelError
from fcregistry.models import AnthropicMessages, Model, OpenAIChat, OpenAIResponses

from .provider_server import ProviderServer, Reply, json_reply, stream_reply

KEY = "correct-horse-battery-staple"
"""Of no shape that is known for keys."""

KINDS: dict[str, Callable[..., Model]] = {
    "openai": OpenAIChat,
    "openai-responses": OpenAIResponses,
    "anthropic": AnthropicMessages,
}
ECHO = {"type": "error", "error": {"type": "invalid_request_error", "message": f"no user has {KEY}", "code": None}}
ONCE = {"x-should-retry": "false", "x-request-id": "req_1", "request-id": "req_1"}
REPLIES: dict[str, Callable[[], Reply]] = {
    "a status": lambda: json_reply(ECHO, 400, ONCE),
    "an error in the place of an answer": lambda: json_reply(ECHO),
    "an error in a stream": lambda: stream_reply([f"event: error\ndata: {str(ECHO).replace(chr(39), chr(34))}\n\n"]),
    "no JSON": lambda: Reply(headers={"content-type": "application/json"}, pieces=[KEY]),
    "another shape": lambda: json_reply([KEY]),
    "a broken connection": lambda: Reply(cut=True, pieces=["{"], headers={"content-type": "application/json", **ONCE}),
    "a redirect": lambda: Reply(status=307, headers={"location": f"http://{KEY}.example.com/"}),
}


def everything(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an exception, and all that it refers to, shown or not."""
    if error is not None:
        yield error
        yield from everything(error.__cause__)
        yield from everything(error.__context__)


def shown(error: BaseException) -> str:
    """Return all that a program, or a tool that reports errors, could show of an exception."""
    found = [pickle.dumps(error).decode("latin-1"), "".join(traceback.format_exception(error))]
    for each in everything(error):
        found += [repr(each), repr(vars(each))]
        found += traceback.TracebackException.from_exception(each, capture_locals=True).format()
    return "\n".join(found)


def asked(model: Model, way: str) -> ModelError:
    """Return what is raised when a model is asked."""
    ways: dict[str, Callable[[], Any]] = {
        "complete": lambda: model.complete("Hi"),
        "stream": lambda: list(model.stream("Hi")),
        "await": lambda: asyncio.run(model.acomplete([])),
    }
    with pytest.raises(ModelError) as raised:
        ways[way]()
    return raised.value


@pytest.mark.parametrize("api", KINDS)
@pytest.mark.parametrize("way", ["complete", "stream", "await"])
@pytest.mark.parametrize("sent", REPLIES)
def test_no_error_of_a_provider_carries_the_key(api: str, way: str, sent: str) -> None:
    with ProviderServer(REPLIES[sent]()) as server:
        error = asked(KINDS[api]("m", base_url=server.url, api_key=KEY, settings={"timeout": 20}), way)
    assert KEY not in shown(error)
    assert {type(each).__name__ for each in everything(error)} <= {"ModelError", "SdkError"}


@pytest.mark.parametrize("api", KINDS)
def test_the_cause_describes_the_sdks_exception(api: str) -> None:
    with ProviderServer(REPLIES["a status"]()) as server:
        error = asked(KINDS[api]("m", base_url=server.url, api_key=KEY), "complete")
    package = api.partition("-")[0]
    assert str(error.__cause__).startswith(f"{package}.BadRequestError")
    assert str(error.__cause__).endswith("; HTTP 400; request req_1; no user has …")


@pytest.mark.parametrize("api", KINDS)
def test_the_cause_describes_why_a_server_cannot_be_reached(api: str) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{closed.getsockname()[1]}/v1"
    error = asked(KINDS[api]("m", base_url=url, api_key=KEY), "complete")
    cause = str(error.__cause__)
    assert ".APIConnectionError from " in cause
    assert ".ConnectError from " in cause
    assert "Connect call failed" in cause
    assert KEY not in shown(error)


@pytest.mark.parametrize("api", KINDS)
def test_a_key_that_is_not_valid_in_a_header_is_not_shown(api: str) -> None:
    for key in (f"{KEY}\n", f"{KEY}\u2026"):
        with ProviderServer(json_reply({})) as server:
            error = asked(KINDS[api]("m", base_url=server.url, api_key=key), "complete")
        assert KEY not in shown(error)


def test_the_error_of_a_client_that_cannot_be_made_carries_nothing() -> None:
    def made() -> Any:
        raise LookupError(f"no profile for {KEY}")

    for kind in KINDS.values():
        error = asked(kind("m", client=made), "complete")
        assert not [each for each in everything(error) if isinstance(each, LookupError)]


@pytest.mark.parametrize("api", KINDS)
@pytest.mark.parametrize("way", ["complete", "stream", "await"])
def test_no_log_of_the_http_client_shows_a_key_that_a_header_repeats(
    api: str, way: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    repeated = {"x-you-sent": f"Bearer {KEY}", "x-quoted": KEY.encode().hex()}
    with ProviderServer(json_reply(ECHO, 400, {**ONCE, **repeated})) as server:
        asked(KINDS[api]("m", base_url=server.url, api_key=KEY), way)
    assert "x-you-sent" in caplog.text
    assert KEY not in caplog.text
    assert KEY.encode().hex() not in caplog.text
