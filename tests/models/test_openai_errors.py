"""Errors of OpenAI's models: what failed, and what to do about it."""

from __future__ import annotations

import asyncio
import socket
import threading
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from openai import AsyncOpenAI

from fcregistry.errors import ModelError
from fcregistry.models import Message, OpenAIChat

from .openai_wire import KEY, chat, chunk, responses
from .provider_server import ProviderServer, Reply, json_reply, stream_reply


def refusal(reply: Reply) -> ModelError:
    """Return the error that is made of a reply."""
    with ProviderServer(reply) as server, pytest.raises(ModelError) as raised:
        chat(server).complete("Hi")
    return raised.value


def error_of(status: int, error: object, **headers: str) -> ModelError:
    """Return the error that is made of a status and what the provider says in its body."""
    return refusal(
        json_reply({"error": error}, status, {name.replace("_", "-"): each for name, each in headers.items()})
    )


@pytest.mark.parametrize(
    ("status", "error", "text", "retryable"),
    [
        (
            400,
            {"message": "Invalid schema for function 'add': …", "type": "invalid_request_error", "code": None},
            (
                "openai:gpt-5: the provider refuses the request (HTTP 400): Invalid schema for function 'add': …; "
                "change what it names"
            ),
            False,
        ),
        (
            401,
            {
                "message": f"Incorrect API key provided: {KEY}. You can find your API key at https://platform.openai.com/account/api-keys.",
                "type": "invalid_request_error",
                "code": "invalid_api_key",
            },
            (
                "openai:gpt-5: the provider does not accept the key (HTTP 401): Incorrect API key provided: …. You can find your API key "
                "at …; set OPENAI_API_KEY to a key of that provider; in Python, you can pass api_key instead"
            ),
            False,
        ),
        (
            403,
            {"message": "Country, region, or territory not supported", "code": "unsupported_country_region_territory"},
            (
                "openai:gpt-5: the provider does not allow that with this key (HTTP 403): Country, region, or territory not "
                "supported; look at what the key in OPENAI_API_KEY may use, and from where"
            ),
            False,
        ),
        (
            404,
            {"message": "The model `gpt-5` does not exist or you do not have access to it.", "code": "model_not_found"},
            (
                "openai:gpt-5: the provider does not know it (HTTP 404): The model `gpt-5` does not exist or you do not have "
                "access to it; check the model's name, 'gpt-5', and base_url"
            ),
            False,
        ),
        (
            408,
            {"message": "Request timeout"},
            "openai:gpt-5: the provider waited too long for the request (HTTP 408): Request timeout; try again",
            True,
        ),
        (
            409,
            {"message": "Conflict"},
            "openai:gpt-5: the provider has another request in the way (HTTP 409): Conflict; try again",
            True,
        ),
        (
            413,
            {"message": "Request too large"},
            (
                "openai:gpt-5: the provider takes no request of that size (HTTP 413): Request too large; send fewer messages, "
                "or smaller images and files"
            ),
            False,
        ),
        (
            422,
            {"message": "messages.0.content: field required"},
            (
                "openai:gpt-5: the provider cannot work with the request (HTTP 422): messages.0.content: field required; "
                "change what it names"
            ),
            False,
        ),
        (
            429,
            {"message": "Rate limit reached for gpt-5", "code": "rate_limit_exceeded"},
            (
                "openai:gpt-5: the provider takes no more requests for now (HTTP 429): Rate limit reached for gpt-5; try again "
                "later, and ask less often"
            ),
            True,
        ),
        (
            429,
            {"message": "You exceeded your current quota", "type": "insufficient_quota", "code": "insufficient_quota"},
            (
                "openai:gpt-5: the provider has no credit left for this key (HTTP 429): You exceeded your current quota; look "
                "at the account of the key in OPENAI_API_KEY"
            ),
            False,
        ),
        (
            500,
            {"message": "The server had an error while processing your request", "type": "server_error"},
            (
                "openai:gpt-5: the provider has failed (HTTP 500): The server had an error while processing your request; try "
                "again later"
            ),
            True,
        ),
        (
            503,
            {"message": "The engine is currently overloaded, please try again later"},
            (
                "openai:gpt-5: the provider is not available now (HTTP 503): The engine is currently overloaded, please try "
                "again later; try again later"
            ),
            True,
        ),
        (
            529,
            {"message": "Overloaded"},
            "openai:gpt-5: the provider is overloaded (HTTP 529): Overloaded; try again later",
            True,
        ),
        (
            418,
            {"message": "I'm a teapot"},
            "openai:gpt-5: the provider refuses the request (HTTP 418): I'm a teapot; change what it names",
            False,
        ),
    ],
)
def test_a_status_is_worded_with_what_the_provider_says_and_what_to_do(
    status: int, error: object, text: str, retryable: bool
) -> None:
    raised = error_of(status, error)
    assert str(raised) == text
    assert (raised.status, raised.retryable, raised.retry_after) == (status, retryable, None)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry_after": "20"}, 20),
        ({"retry_after": "1.5"}, 1.5),
        ({"retry_after_ms": "250", "retry_after": "1"}, 0.25),
        ({"retry_after_ms": "soon", "retry_after": "2"}, 2),
        ({"retry_after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0),
        ({"retry_after": "soon"}, None),
        ({"retry_after": "inf"}, None),
        ({"retry_after": "-5"}, None),
    ],
)
def test_how_long_to_wait_is_read_from_the_headers(headers: dict[str, str], seconds: float | None) -> None:
    raised = error_of(429, {"message": "Slow down"}, **headers)
    assert raised.retry_after == seconds
    assert ("try again later" in str(raised)) is (seconds is None)
    assert seconds is None or f"try again in {seconds:g} s" in str(raised)


def test_a_date_to_wait_for_is_counted_from_now() -> None:
    date = format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)
    raised = error_of(503, {"message": "Maintenance"}, retry_after=date)
    assert raised.retry_after is not None
    assert 3500 < raised.retry_after <= 3600


def test_an_error_that_waiting_does_not_end_has_no_retry_after() -> None:
    error = error_of(429, {"message": "No credit", "code": "insufficient_quota"}, retry_after="20")
    assert (error.retryable, error.retry_after) == (False, None)


def test_the_providers_header_decides_whether_to_retry() -> None:
    assert not error_of(500, {"message": "Broken"}, x_should_retry="false").retryable
    assert error_of(400, {"message": "Busy"}, x_should_retry="true", retry_after="3").retry_after == 3


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        (
            {"error": "model 'gpt-5' not found, try pulling it first"},
            ": model 'gpt-5' not found, try pulling it first;",
        ),
        ({"message": "no such route"}, ": no such route;"),
        ({"detail": "Not Found"}, ": Not Found;"),
        (
            {"detail": [{"loc": ["body", "n"], "msg": "too big"}]},
            ": [{'loc': ['body', 'n'], 'msg': 'too big'}];",
        ),
        ({}, " (HTTP 404);"),
        ({"error": None}, " (HTTP 404);"),
    ],
)
def test_the_words_are_found_where_servers_put_them(body: object, shown: str) -> None:
    assert shown in str(refusal(json_reply(body, 404)))


def test_a_page_of_a_gateway_is_not_shown() -> None:
    page = Reply(status=502, headers={"content-type": "text/html"}, pieces=["<html><h1>502 Bad Gateway</h1></html>"])
    assert (
        str(refusal(page))
        == "openai:gpt-5: the provider cannot be reached behind its gateway (HTTP 502); try again later"
    )


def test_no_key_no_url_and_no_novel_is_shown() -> None:
    message = f"Key {KEY} or sk-proj-AbC123*** of org-a1B2c3 at https://u:p@example.com/x?k=1 is bad\x1b[31m\n{'very ' * 200}bad"
    raised = error_of(400, {"message": message})
    assert all(secret not in str(raised) for secret in (KEY, "AbC123", "a1B2c3", "example.com", "\x1b", "\n"))
    assert len(str(raised)) < 700


def test_a_key_of_another_shape_is_hidden_because_it_is_known() -> None:
    with ProviderServer(json_reply({"error": {"message": "no user has the key correct-horse"}}, 401)) as server:
        client = AsyncOpenAI(base_url=server.url, api_key="correct-horse", max_retries=0)
        with pytest.raises(ModelError) as raised:
            chat(server, client=lambda: client).complete("Hi")
    assert "no user has the key …;" in str(raised.value)


def test_a_placeholder_for_a_key_is_not_hidden_in_errors() -> None:
    reply = json_reply({"error": "none of the models is none-7b"}, 404)
    with ProviderServer(reply) as server, pytest.raises(ModelError, match="none of the models is none-7b"):
        OpenAIChat("gpt-5", base_url=server.url, api_key="none").complete("Hi")


def test_the_exception_of_the_sdk_is_the_cause_in_words() -> None:
    cause = error_of(404, {"message": "gone"}).__cause__
    assert str(cause).startswith("openai.NotFoundError")
    assert str(cause).endswith("; HTTP 404; gone")


def test_a_refused_stream_raises_the_same_error_as_an_answer() -> None:
    reply = json_reply({"error": {"message": "Slow down"}}, 429, {"retry-after": "7"})
    for asked in (chat, responses):
        with ProviderServer(reply) as server, pytest.raises(ModelError, match="takes no more requests") as raised:
            list(asked(server).stream("Hi"))
        assert (raised.value.status, raised.value.retry_after) == (429, 7)


def test_a_server_that_is_not_there() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    client = AsyncOpenAI(base_url=f"http://127.0.0.1:{port}/v1", api_key="x", max_retries=0)
    with pytest.raises(ModelError) as raised:
        OpenAIChat("llama3", client=lambda: client).complete("Hi")
    assert str(raised.value) == (
        "openai:llama3: the provider cannot be reached; look at base_url, at the network, and whether the server runs"
    )
    assert (raised.value.retryable, raised.value.status) == (True, None)


def test_a_server_that_does_not_answer_in_time() -> None:
    for ask in ("complete", "stream"):
        with (
            ProviderServer(Reply(silent=True)) as server,
            pytest.raises(ModelError, match=r"did not answer within 0\.05 seconds") as raised,
        ):
            list(getattr(chat(server, settings={"timeout": 0.05}), ask)("Hi"))
        assert raised.value.retryable


def test_a_stream_that_falls_silent_has_not_been_unreachable() -> None:
    """The SDK lets through what the HTTP library raises in the middle of a stream."""
    goes_on = threading.Event()
    with ProviderServer(stream_reply([chunk({"content": "one"}), goes_on])) as server:
        pieces = chat(server, settings={"timeout": 0.1}).stream("Hi")
        next(pieces)
        with pytest.raises(ModelError, match=r"^openai:gpt-5 did not answer within 0\.1 seconds: ") as raised:
            next(pieces)
        goes_on.set()
    assert raised.value.retryable


def test_a_connection_that_ends_without_an_answer() -> None:
    for reply in (Reply(cut=True, pieces=['{"id": "chatcmpl']), Reply(cut=True, status=500, pieces=["oh"])):
        assert "broke off" in str(refusal(reply)) or "has failed" in str(refusal(reply))


@pytest.mark.parametrize("base_url", ["localhost:8000/v1", "ftp://localhost/v1"])
def test_a_base_url_with_another_scheme_is_a_model_error(base_url: str) -> None:
    with pytest.raises(ModelError, match="base_url does not begin with http or https") as raised:
        OpenAIChat("gpt-5", client=lambda: AsyncOpenAI(base_url=base_url, api_key="x", max_retries=0)).complete("Hi")
    assert not raised.value.retryable


def test_an_invalid_base_url_is_a_model_error() -> None:
    with pytest.raises(ModelError, match=r"^openai:gpt-5 cannot be asked: InvalidURL: "):
        OpenAIChat("gpt-5", base_url="http://[::1/v1", api_key="x").complete("Hi")


def test_a_key_with_a_line_end_is_an_error_that_does_not_show_it() -> None:
    with ProviderServer(Reply()) as server, pytest.raises(ModelError, match="has a line end in it") as raised:
        chat(server, client=lambda: AsyncOpenAI(base_url=server.url, api_key="hunter2\n", max_retries=0)).complete("Hi")
    assert "hunter2" not in str(raised.value)


def test_text_that_is_not_valid_unicode_is_refused_before_it_is_sent() -> None:
    with ProviderServer(Reply()) as server, pytest.raises(ModelError, match="a surrogate without its pair; replace it"):
        chat(server).complete("a\udc80")
    assert server.requests == []


def test_a_setting_that_is_not_json_is_a_model_error() -> None:
    with ProviderServer(Reply()) as server, pytest.raises(ModelError, match=r"cannot be asked: TypeError: .*JSON"):
        chat(server, settings={"metadata": object()}).complete("Hi")


def test_an_answer_that_takes_too_long_names_the_setting() -> None:
    with ProviderServer(Reply(silent=True), Reply(silent=True)) as server:
        client = AsyncOpenAI(api_key="x", base_url=server.url, max_retries=0, timeout=0.05)
        for settings, text in (
            ({"timeout": 0.02}, 'within 0.02 seconds: try again, or allow more than settings={"timeout": 0.02}'),
            ({}, 'in time: try again, or allow more seconds with settings={"timeout": …}'),
        ):
            with pytest.raises(ModelError) as raised:
                OpenAIChat("gpt-5", client=client, settings=settings).complete("Hi")
            assert str(raised.value) == f"openai:gpt-5 did not answer {text}"


def test_cancelling_a_request_raises_no_model_error() -> None:
    async def ask(server: ProviderServer) -> Any:
        return await asyncio.wait_for(chat(server).acomplete([Message(role="user", content="Hi")]), 0.05)

    with ProviderServer(Reply(silent=True)) as server, pytest.raises(TimeoutError):
        asyncio.run(ask(server))
