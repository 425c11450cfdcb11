"""Nothing on loopback or on a private network is reached, whatever a model, a server or DNS says."""

from __future__ import annotations

import json
import os
import pickle
import socket
import ssl
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
import web_attacks
from fcregistry import Executor, Tool
from fcregistry.errors import DefinitionError
from web_servers import Dns, Replies, Server, html

from fcregistry_web import WebAccess, _http, fetch_tool
from fcregistry_web._addresses import kind_of

HERE = Path(__file__).parent
ALL = [
    *(("direct", name) for name in web_attacks.DIRECT),
    *(("names", name) for name in web_attacks.NAMES),
    *(("redirects", name) for name in web_attacks.REDIRECTS),
    *(("off the list", name) for name in web_attacks.OFF_THE_LIST),
]


def has_two_loopbacks() -> bool:
    with socket.socket() as listening:
        try:
            listening.bind(("127.0.0.2", 0))
        except OSError:  # macOS has 127.0.0.1 only
            return False
    return True


two_loopbacks = pytest.mark.skipif(not has_two_loopbacks(), reason="the system has one loopback address")


def fetch(tool: Tool, url: str, **arguments: Any) -> Any:
    return Executor([tool]).run({"name": "fetch_url", "arguments": {"url": url, **arguments}})


@pytest.fixture(scope="module")
def outcomes() -> dict[tuple[str, str], dict[str, Any]]:
    """What came of each attack, in a process with limits."""
    command = [sys.executable, str(HERE / "web_attacks.py")]
    path = os.pathsep.join([str(HERE), str(HERE.parent), *filter(None, [os.environ.get("PYTHONPATH")])])
    ran = subprocess.run(
        command, capture_output=True, text=True, timeout=120, env={**os.environ, "PYTHONPATH": path}, check=False
    )
    assert ran.returncode == 0, ran.stderr
    rows = [json.loads(line) for line in ran.stdout.splitlines()]
    return {(row["kind"], row["name"]): row for row in rows}


@two_loopbacks
@pytest.mark.parametrize(("kind", "name"), ALL)
def test_no_attack_reaches_the_loopback_server(kind: str, name: str, outcomes: Any) -> None:
    row = outcomes[kind, name]
    assert row["asked"] == 0
    assert not row["ok"], row
    assert web_attacks.SECRET not in row["content"]


@two_loopbacks
def test_the_attacks_would_reach_the_server_if_it_were_allowed(dns: Dns, server: Server, replies: Replies) -> None:
    """Otherwise the table above shows nothing."""
    replies["/"] = html("<p>the secret")
    dns.names["rebind.test"] = [["127.0.0.1"]]
    tool = fetch_tool(WebAccess(networks=["127.0.0.0/8", "::1"]))
    for url in (
        "http://2130706433:{}/",
        "http://0x7f.1:{}/",
        "http://[::ffff:127.0.0.1]:{}/",
        "http://rebind.test:{}/",
    ):
        assert "the secret" in fetch(tool, url.format(server.server_port)).content


@two_loopbacks
def test_the_connection_goes_to_the_address_that_was_checked(dns: Dns, server: Server, replies: Replies) -> None:
    """The name resolves to an allowed address, and from then on to loopback: it is resolved once."""
    replies["/"] = html("<p>the secret")
    allowed: Replies = {"/": html("<p>what all may read")}
    with Server(allowed, "127.0.0.2") as front:
        dns.names["rebind.test"] = [["127.0.0.2"], ["127.0.0.1"]]
        tool = fetch_tool(WebAccess(networks=["127.0.0.2"]))
        result = fetch(tool, f"http://rebind.test:{front.server_port}/")
        assert "what all may read" in result.content
        assert dns.resolved == ["rebind.test"]
        (_, _, headers, _) = front.asked[0]
        assert headers["Host"] == f"rebind.test:{front.server_port}"
    assert server.asked == []


def test_the_next_address_is_tried_if_one_does_not_answer(dns: Dns, server: Server, replies: Replies) -> None:
    replies["/"] = html("<p>here it is")
    dns.names["two.test"] = [["::1", "127.0.0.1"]]
    tool = fetch_tool(WebAccess(networks=["127.0.0.1", "::1"]))
    assert "here it is" in fetch(tool, f"http://two.test:{server.server_port}/").content


@pytest.mark.parametrize(
    "address",
    ["8.8.8.8", "1.1.1.1", "93.184.215.14", "172.32.0.1", "192.169.0.1", "100.128.0.1", "11.0.0.0", "223.255.255.255",
     "2606:4700::1111", "2a00:1450:4001::200e", "2400:cb00::1", "64:ff9b::808:808", "::ffff:8.8.8.8"],
)  # fmt: skip
def test_public_addresses_are_public(address: str) -> None:
    assert kind_of(ip_address(address)) is None


def test_all_that_the_standard_library_calls_private_is_refused() -> None:
    """A second opinion: every address of these first bytes that `ipaddress` does not call global."""
    for first in range(256):
        for rest in ("0.0.1", "64.0.1", "88.99.1", "127.0.1", "168.0.1", "254.1.1", "18.0.1", "51.100.1"):
            address = ip_address(f"{first}.{rest}")
            if not address.is_global or address.is_multicast:
                assert kind_of(address) is not None, address
    for first in range(0x10000):
        address = ip_address(f"{first:x}::1")
        if not address.is_global or address.is_multicast or address.is_reserved:
            assert kind_of(address) is not None, address


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"hosts": "example.com"}, "hosts= takes a list, such as ['example.com']"),
        ({"hosts": ["https://example.com/"]}, "hosts= has 'https://example.com/', which is not a host name"),
        ({"hosts": ["*"]}, "hosts= has '*', which is not a host name"),
        ({"hosts": ["a.*.com"]}, "hosts= has 'a.*.com', which is not a host name"),
        ({"hosts": ["example.com:80"]}, "hosts= has 'example.com:80'"),
        ({"networks": ["10.0.0.1/8"]}, "networks= has '10.0.0.1/8': 10.0.0.1/8 has host bits set"),
        ({"networks": ["intranet"]}, "networks= has 'intranet'"),
        ({"timeout": 0}, "timeout= takes seconds"),
        ({"max_bytes": True}, "max_bytes= takes a whole number above 0, not True"),
        ({"max_bytes": 1.5}, "max_bytes= takes a whole number above 0, not 1.5"),
        ({"max_redirects": -1}, "max_redirects= takes a whole number from 0 on"),
        ({"ports": 443}, "ports= takes a list of numbers, such as [443], not 443"),
        ({"user_agent": "a\r\nb"}, "user_agent= takes printable ASCII characters"),
    ],
)
def test_wrong_settings_are_refused_where_they_are_made(settings: Any, problem: str) -> None:
    with pytest.raises(DefinitionError) as caught:
        WebAccess(**settings)
    assert problem in str(caught.value)


@pytest.mark.parametrize(
    ("hosts", "url"),
    [
        (["good.test"], "http://GOOD.test:{}/"),
        (["good.test"], "http://good.test.:{}/"),
        (["*.good.test"], "http://a.b.good.test:{}/"),
        (["bücher.test"], "http://xn--bcher-kva.test:{}/"),
        (["BÜCHER.test"], "http://bücher.test:{}/"),
        (["127.0.0.1"], "http://127.0.0.1:{}/"),
    ],
)
def test_hosts_on_the_list_are_reached(dns: Dns, server: Server, replies: Replies, hosts: list[str], url: str) -> None:
    replies["/"] = html("<p>good")
    for name in ("good.test", "good.test.", "a.b.good.test", "xn--bcher-kva.test"):
        dns.names[name] = [["127.0.0.1"]]
    result = fetch(fetch_tool(WebAccess(hosts=hosts, networks=["127.0.0.1"])), url.format(server.server_port))
    assert "good" in result.content


def test_the_ports_of_other_services_are_refused() -> None:
    for port in (22, 25, 110, 143, 587):
        assert "port" in fetch(fetch_tool(), f"http://127.0.0.1:{port}/").content
    result = fetch(fetch_tool(WebAccess(ports=[443])), "http://127.0.0.1/")
    assert result.content == "the port 80 cannot be reached with this tool; leave the port out of the URL"


def test_proxies_of_the_environment_are_not_used(
    monkeypatch: pytest.MonkeyPatch, server: Server, replies: Replies
) -> None:
    """A proxy resolves names itself, so nothing would be checked."""
    replies["/"] = html("<p>asked")
    with Server({}) as proxy:
        for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy.url)
        assert "asked" in fetch(fetch_tool(WebAccess(networks=["127.0.0.1"])), f"{server.url}/").content
        assert proxy.asked == []


def test_other_processes_can_get_an_access() -> None:
    access = WebAccess(hosts=["*.example.com"], networks=["10.0.0.0/8"])
    again = pickle.loads(pickle.dumps(access))
    assert again == access
    assert again.check_url("https://a.example.com/")
    assert pickle.loads(pickle.dumps(fetch_tool(access).function)).access() == access


# --- TLS --------------------------------------------------------------------------------------------


@pytest.fixture
def tls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """A server with a certificate for pinned.test, which is trusted; notes the names that clients ask for."""
    certificate, key = _certificate("pinned.test")
    (tmp_path / "both.pem").write_bytes(certificate + key)
    (tmp_path / "ca.pem").write_bytes(certificate)
    trusted = ssl.create_default_context(cafile=tmp_path / "ca.pem")
    monkeypatch.setattr(_http, "certificates", lambda: trusted)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "both.pem")
    names: list[Any] = []
    context.sni_callback = lambda _, name, __: names.append(name)
    server: Any = Server({"/": html("<p>over TLS")})
    server.names = names
    server.socket = context.wrap_socket(server.socket, server_side=True)
    with server:
        yield server


def _certificate(name: str) -> tuple[bytes, bytes]:
    x509 = pytest.importorskip("cryptography.x509")
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    plain = serialization.NoEncryption()
    form = serialization.PrivateFormat.PKCS8
    return made.public_bytes(serialization.Encoding.PEM), key.private_bytes(serialization.Encoding.PEM, form, plain)


def test_tls_keeps_the_name_while_the_connection_goes_to_the_address(dns: Dns, tls: Any) -> None:
    dns.names["pinned.test"] = [["127.0.0.1"], ["127.0.0.99"]]
    result = fetch(fetch_tool(WebAccess(networks=["127.0.0.1"])), f"https://pinned.test:{tls.server_port}/")
    assert "over TLS" in result.content
    assert tls.names == ["pinned.test"]
    assert tls.asked[0][2]["Host"] == f"pinned.test:{tls.server_port}"


def test_a_certificate_of_another_name_is_refused(dns: Dns, tls: Any) -> None:
    dns.names["other.test"] = [["127.0.0.1"]]
    result = fetch(fetch_tool(WebAccess(networks=["127.0.0.1"])), f"https://other.test:{tls.server_port}/")
    assert not result.ok
    assert result.content.startswith(
        "other.test: the certificate of the server is for another name (Hostname mismatch, "
    )
    assert not result.error.retryable
    assert tls.asked == []


def test_a_certificate_of_an_unknown_authority_and_a_server_without_tls_are_refused_with_the_reason(
    dns: Dns, tls: Any, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    trusting_nobody = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    monkeypatch.setattr(_http, "certificates", lambda: trusting_nobody)
    dns.names["pinned.test"] = [["127.0.0.1"]]
    access = fetch_tool(WebAccess(networks=["127.0.0.1"]))
    start = "pinned.test: the certificate of the server is not trusted (self-signed certificate); "
    untrusted = fetch(access, f"https://pinned.test:{tls.server_port}/").content
    assert untrusted.startswith(start)
    assert "set SSL_CERT_FILE to a PEM file" in untrusted
    plain = fetch(access, f"https://pinned.test:{server.server_port}/").content
    assert plain.startswith("pinned.test: the server does not speak TLS, ")
    assert plain.endswith("check whether the URL must begin with http")
