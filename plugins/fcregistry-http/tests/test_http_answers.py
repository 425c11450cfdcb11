"""The outcomes of responses, good and bad, and of requests that get none."""

from __future__ import annotations

import asyncio
import pickle
import socket
import ssl
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx2
import pytest
from fcregistry import Executor

from fcregistry_http import _tool, http_tool

from .conftest import PNG, Server

CERTIFICATES = Path(__file__).with_name("certificates")
"""For 127.0.0.1 and `localhost`, signed by the authority in `authority.pem`, and valid until 2120, except `expired.pem`."""

NOTHING: dict[str, Any] = {"type": "object", "properties": {}, "additionalProperties": False}
ASK = {"name": "ask", "arguments": {}}


def executor(url: str, method: str = "GET", **more: Any) -> Executor:
    return Executor([http_tool(method, url, parameters=NOTHING, name="ask", description="Ask.", **more)])


def asked(url: str, method: str = "GET", **more: Any) -> Any:
    return executor(url, method, **more).run(ASK)


def test_json_is_a_value(server: Server) -> None:
    assert asked(f"{server.url}/json", "POST", returns="json").value["result"].startswith("Received")
    assert asked(f"{server.url}/nothing", returns="json").value is None
    assert asked(f"{server.url}/mark", returns="json").value == [1]
    assert "is not valid JSON" in asked(f"{server.url}/nan", returns="json").content
    result = asked(f"{server.url}/words", returns="json")
    assert (result.ok, result.content.partition("is ")[2]) == (False, "not valid JSON: <html>")


def test_text_is_read_as_its_header_says(server: Server) -> None:
    assert [asked(f"{server.url}/{path}").value for path in ("latin", "odd", "nothing")] == ["grün", "grün", ""]
    assert asked(f"{server.url}/long").value == "grün"  # a header of 95 kB would take seconds to read
    assert len(asked(f"{server.url}/puny").value) == 900_002  # as it came: decoding it would take hours


def test_images_and_files_are_content(server: Server) -> None:
    (image,) = asked(f"{server.url}/image", returns="content").parts
    (file,) = asked(f"{server.url}/file", returns="content").parts
    assert (image.kind, image.data, file.kind, file.media_type) == ("image", PNG, "file", "application/zip")
    assert "the answer is not image/png" in asked(f"{server.url}/liar", returns="content").content


@pytest.mark.parametrize(
    ("path", "method", "says", "retryable", "retry_after"),
    [
        ("500", "GET", "answers 500 Internal Server Error: the engine is broken", False, None),
        ("429", "POST", "answers 429 Too Many Requests", True, 7.0),
        ("never", "GET", "answers 429 Too Many Requests", True, 86_400.0),
        ("503", "POST", "answers 503 Service Unavailable", True, 0.0),
        ("504", "GET", "answers 504 Gateway Timeout", True, None),
        ("504", "POST", "answers 504 Gateway Timeout", False, None),
    ],
)
def test_a_status_other_than_2xx_is_a_failure(
    server: Server, path: str, method: str, says: str, retryable: bool, retry_after: float | None
) -> None:
    result = asked(f"{server.url}/{path}", method)
    assert (result.ok, result.content) == (False, f"127.0.0.1:{server.server_port} {says}")
    assert (result.error.retryable, result.error.retry_after) == (retryable, retry_after)


def test_a_redirect_is_not_followed(server: Server) -> None:
    result = asked(f"{server.url}/away")
    assert result.content.endswith("it redirects to http://elsewhere.example/secret, and redirects are not followed")

    def follows() -> httpx2.AsyncClient:
        return httpx2.AsyncClient(follow_redirects=True)

    assert not asked(f"{server.url}/away", client=follows).ok
    assert asked(f"{server.url}/same").content.endswith("answers 304 Not Modified")


def test_no_more_than_max_bytes_are_read(server: Server) -> None:
    assert len(asked(f"{server.url}/large").content) == 5000
    result = asked(f"{server.url}/large", max_bytes=4999)
    assert (
        result.content
        == f"the answer of 127.0.0.1:{server.server_port} has more than 4999 bytes, the most that this tool reads"
    )
    broken = asked(f"{server.url}/broken", max_bytes=4999)
    assert "answers 503 Service Unavailable: xxx" in broken.content
    assert broken.error.retryable


def test_a_host_that_is_not_there_is_a_failure() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and does not listen
        port = taken.getsockname()[1]
        result = asked(f"http://127.0.0.1:{port}/")
    assert (result.error.code, result.content) == ("tool_failed", f"127.0.0.1:{port} cannot be reached")
    assert result.error.retryable
    unknown = asked("https://no-such-host.invalid/")
    assert unknown.content == "no-such-host.invalid cannot be reached"


def _trusting() -> httpx2.AsyncClient:
    return httpx2.AsyncClient(verify=ssl.create_default_context(cafile=CERTIFICATES / "authority.pem"))


@pytest.mark.parametrize(
    ("certificate", "host", "options", "message"),
    [
        (
            "valid",
            "127.0.0.1",
            {},
            "is not trusted (unable to get local issuer certificate); if the server, or a proxy",
        ),
        ("expired", "127.0.0.1", {"client": _trusting}, "has expired (certificate has expired); renew it"),
        ("valid", "127.1", {"client": _trusting}, "is for another name ("),
    ],
)
def test_the_error_says_what_is_wrong_with_a_certificate(
    certificate: str, host: str, options: dict[str, Any], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Server(CERTIFICATES / f"{certificate}.pem") as server:
        result = asked(f"https://{host}:{server.server_port}/", **options)
    start = f"{host}:{server.server_port}: the certificate of the server {message}"
    assert result.content.startswith(start)
    assert "SSL_CERT_FILE" in result.content
    assert not result.error.retryable
    assert server.asked == []


def test_certificates_that_cannot_be_read_are_a_failure(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere/certificates.pem")
    _tool._certificates.cache_clear()
    result = asked(f"{server.url}/test")
    assert result.content.startswith(
        "the certificates in SSL_CERT_FILE cannot be read; set it to where they are, in PEM"
    )


@pytest.mark.parametrize("variable", ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"])
def test_proxies_of_the_environment_are_not_used(
    server: Server, variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Server() as proxy:
        monkeypatch.setenv(variable, proxy.url)
        assert asked(f"{server.url}/test").ok
        assert not asked("http://endpoint.invalid/test").ok
    assert (len(server.asked), proxy.asked) == (1, [])


def test_an_answer_that_is_not_http_is_a_failure() -> None:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()

        async def answered() -> Any:
            url = f"http://127.0.0.1:{listening.getsockname()[1]}/"
            task = asyncio.create_task(executor(url).arun(ASK))
            connection, _ = await asyncio.to_thread(listening.accept)
            with connection:
                connection.sendall(b"hello\r\n\r\n")
                return await task

        result = asyncio.run(answered())
    assert "cannot be read (RemoteProtocolError)" in result.content


def test_a_request_that_takes_too_long_is_given_up_and_its_connection_closed(server: Server) -> None:
    result = asked(f"{server.url}/wait", timeout=0.2)
    assert result.content == f"127.0.0.1:{server.server_port} did not answer within 0.2 seconds"
    assert server.closed.wait(30)


def test_cancelling_a_call_closes_its_connection(server: Server) -> None:
    async def cancelled() -> None:
        task = asyncio.create_task(executor(f"{server.url}/wait").arun(ASK))
        assert await asyncio.to_thread(server.begun.wait, 30)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())
    assert server.closed.wait(30)


def test_calls_run_at_once_and_from_many_loops(server: Server) -> None:
    many = executor(f"{server.url}/large")
    assert all(result.ok for result in many.run_all([ASK] * 8))
    for _ in range(2):
        assert asyncio.run(many.arun(ASK)).ok


def test_a_tool_can_be_pickled(server: Server) -> None:
    made = pickle.loads(
        pickle.dumps(http_tool("GET", f"{server.url}/large", parameters=NOTHING, name="ask", description="Ask."))
    )
    assert len(Executor([made]).run(ASK).content) == 5000


def test_importing_it_imports_no_client() -> None:
    root = Path(__file__).parent.parent
    code = f"import sys; sys.path.insert(0, {str(root)!r}); import fcregistry_http; print('httpx2' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "False\n", done.stderr
    assert (root / "fcregistry_http" / "py.typed").is_file()
