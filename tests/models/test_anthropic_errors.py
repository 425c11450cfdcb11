"""The documented errors of Anthropic's messages API, over real HTTP, with the real SDK."""

from __future__ import annotations

import pytest

from fcregistry.errors import ModelError
from fcregistry.models import AnthropicMessages

from .anthropic_wire import TEXT, answer, client_at, model_at, refusal
from .provider_server import ProviderServer, Reply, json_reply


def raised_by(reply: Reply) -> ModelError:
    """Return what is raised when a model is answered so."""
    with ProviderServer(reply) as server, pytest.raises(ModelError) as raised:
        model_at(server).complete("Hi")
    return raised.value


@pytest.mark.parametrize(
    ("status", "kind", "said", "is_retryable", "words"),
    [
        (400, "invalid_request_error", "max_tokens: 1 is too many", False, "refuses the request"),
        (401, "authentication_error", "invalid x-api-key", False, "set ANTHROPIC_API_KEY"),
        (402, "billing_error", "no credit", False, "credit"),
        (403, "permission_error", "not allowed", False, "ANTHROPIC_API_KEY"),
        (404, "not_found_error", "model: claude-test", False, "'claude-test', and base_url"),
        (413, "request_too_large", "too large", False, "send fewer messages"),
        (429, "rate_limit_error", "too many requests", True, "takes no more requests for now"),
        (500, "api_error", "internal", True, "has failed"),
        (504, "timeout_error", "timed out", True, "try again"),
        (529, "overloaded_error", "Overloaded", True, "is overloaded"),
    ],
)
def test_a_documented_error_says_what_failed_and_what_to_do(
    status: int, kind: str, said: str, is_retryable: bool, words: str
) -> None:
    error = raised_by(refusal(status, kind, said))

    assert (error.status, error.retryable, error.retry_after) == (status, is_retryable, None)
    assert str(error).startswith("anthropic:claude-test: ")
    assert said in str(error)
    assert words in str(error)


def test_how_long_to_wait_is_taken_from_the_reply() -> None:
    error = raised_by(refusal(429, "rate_limit_error", "slow down", {"retry-after": "7"}))

    assert (error.retry_after, error.retryable) == (7.0, True)
    assert "try again in 7 s" in str(error)


def test_neither_key_nor_address_is_shown() -> None:
    error = raised_by(
        refusal(401, "authentication_error", "sk-ant-test is no key, see https://example.com/?key=sk-ant-test")
    )

    assert "sk-ant-test" not in str(error)
    assert "example.com" not in str(error)


def test_the_sdk_s_own_exception_is_the_cause_in_words() -> None:
    cause = raised_by(refusal(429, "rate_limit_error", "slow down")).__cause__
    assert str(cause).startswith("anthropic.RateLimitError")


def test_an_error_that_is_not_json_is_read() -> None:
    error = raised_by(Reply(status=502, headers={"content-type": "text/html"}, pieces=["<h1>Bad gateway</h1>"]))

    assert (error.status, error.retryable) == (502, True)


def test_a_server_that_is_not_there_is_an_error_that_may_pass() -> None:
    with ProviderServer(answer(TEXT)) as server:
        pass

    with pytest.raises(ModelError, match="the provider cannot be reached") as raised:
        model_at(server).complete("Hi")

    assert (raised.value.status, raised.value.retryable) == (None, True)


def test_a_server_that_does_not_answer_in_time_is_an_error_that_may_pass() -> None:
    with (
        ProviderServer(Reply(silent=True)) as server,
        pytest.raises(ModelError, match="did not answer in time") as raised,
    ):
        AnthropicMessages("claude-test", client=client_at(server, timeout=0.2)).complete("Hi")

    assert raised.value.retryable is True


def test_an_invalid_base_url_is_a_model_error() -> None:
    with ProviderServer(answer(TEXT)) as server, pytest.raises(ModelError, match=r"^anthropic:claude-test"):
        AnthropicMessages("claude-test", client=client_at(server, base_url="no URL")).complete("Hi")


def test_an_error_in_the_place_of_an_answer_is_raised() -> None:
    error = raised_by(json_reply({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}))

    assert "Overloaded" in str(error)
    assert error.retryable is True
