"""Certificates that are not accepted, of real servers on loopback that speak TLS.

They are for `localhost` and 127.0.0.1, except `other.pem`; signed by the authority in `authority.pem`; and valid until 2120, except
`expired.pem`. `future.pem` is not valid before 2119.
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from fcregistry.errors import ModelError
from fcregistry.models import AnthropicMessages, Model, OpenAIChat

from .anthropic_wire import TEXT, answer
from .openai_wire import chat_reply
from .provider_server import ProviderServer

CERTIFICATES = Path(__file__).with_name("certificates")
AUTHORITY = CERTIFICATES / "authority.pem"


def openai(url: str) -> Model:
    def client() -> Any:
        from openai import AsyncOpenAI

        return AsyncOpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0)

    return OpenAIChat("m", client=client)


def anthropic(url: str) -> Model:
    def client() -> Any:
        from anthropic import AsyncAnthropic

        return AsyncAnthropic(base_url=url, api_key="none", max_retries=0)

    return AnthropicMessages("m", client=client)


SDKS: dict[str, Callable[[str], Model]] = {"openai": openai, "anthropic": anthropic}
REFUSED = {
    "not trusted": (
        "valid",
        False,
        (
            r"the certificate of the server is not trusted \(.+\); if the server, or a proxy before it, has a certificate of "
            r"your own, set SSL_CERT_FILE to a PEM file with all certificates to trust"
        ),
    ),
    "expired": (
        "expired",
        True,
        (
            r"the certificate of the server has expired \(certificate has expired\); renew it, or the one in SSL_CERT_FILE that "
            r"has signed it, or check the clock of this machine"
        ),
    ),
    "not valid yet": (
        "future",
        True,
        r"the certificate of the server is not valid yet \(certificate is not yet valid\); check the clock of this machine",
    ),
    "of another name": (
        "other",
        True,
        (
            r"the certificate of the server is for another name \(.+ certificate is not valid for '127\.0\.0\.1'\); put a name of "
            r"the certificate into the URL; or give the server a certificate for this name, and name it in SSL_CERT_FILE"
        ),
    ),
}


@pytest.mark.parametrize("sdk", SDKS)
@pytest.mark.parametrize("wrong", REFUSED)
def test_the_error_says_what_is_wrong_with_the_certificate(
    sdk: str, wrong: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate, is_trusted, message = REFUSED[wrong]
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    if is_trusted:
        monkeypatch.setenv("SSL_CERT_FILE", str(AUTHORITY))
    with (
        ProviderServer(chat_reply(), certificate=CERTIFICATES / f"{certificate}.pem") as server,
        pytest.raises(ModelError, match=rf"^{sdk}:m: {message}$") as raised,
    ):
        SDKS[sdk](server.url).complete("Hi")
    assert not raised.value.retryable


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_a_server_whose_authority_is_in_ssl_cert_file_is_asked(provider: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(AUTHORITY))
    kind: Callable[..., Model] = AnthropicMessages if provider == "anthropic" else OpenAIChat
    reply = answer(TEXT) if provider == "anthropic" else chat_reply()
    with ProviderServer(reply, certificate=CERTIFICATES / "valid.pem") as server:
        kind("m", base_url=server.url, api_key="none").complete("Hi")
        kind("m", base_url=server.url.replace("127.0.0.1", "localhost"), api_key="none").complete("Hi")
    assert len(server.requests) == 2


@pytest.mark.parametrize("sdk", SDKS)
def test_the_error_of_a_server_without_tls_names_http(sdk: str) -> None:
    with (
        ProviderServer(chat_reply()) as server,
        pytest.raises(ModelError, match=r"does not speak TLS, .*; check whether the URL must begin with http$"),
    ):
        SDKS[sdk](server.url.replace("http:", "https:")).complete("Hi")


@pytest.mark.parametrize("sdk", SDKS)
def test_a_connection_that_breaks_off_before_the_certificate_may_be_tried_again(sdk: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening, ThreadPoolExecutor(1) as pool:

        def hang_up() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.recv(65_536)

        hanging_up = pool.submit(hang_up)
        with pytest.raises(ModelError, match=r"the provider cannot be reached; look at base_url") as raised:
            SDKS[sdk](f"https://127.0.0.1:{listening.getsockname()[1]}").complete("Hi")
        hanging_up.result()
    assert raised.value.retryable


@pytest.mark.parametrize("content", [None, "not a certificate"])
@pytest.mark.parametrize("url", ["https://127.0.0.1:1", "https://provider.example"])
def test_the_error_of_certificates_that_cannot_be_read_names_their_variable(
    content: str | None, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "certificates.pem"
    if content is not None:
        file.write_text(content)
    monkeypatch.setenv("SSL_CERT_FILE", str(file))
    with pytest.raises(ModelError, match="the certificates in SSL_CERT_FILE cannot be read; set it to where they are"):
        OpenAIChat("m", base_url=url, api_key="none").complete("Hi")
