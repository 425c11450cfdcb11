"""Attacks on the addresses that `fetch_url` refuses: run as a program, with limits, it prints what came of each as a line of JSON.

A server with a secret listens on loopback. Another one, on 127.0.0.2, is one that the operator allows: it redirects where an attack says.
"""

from __future__ import annotations

import json
import socket
import sys
from contextlib import suppress
from typing import Any

SECRET = "the secret of the loopback server"

DIRECT = {
    "loopback": "http://127.0.0.1:{port}/",
    "another loopback": "http://127.9.9.9:{port}/",
    "localhost": "http://localhost:{port}/",
    "localhost with a dot": "http://localhost.:{port}/",
    "localhost in capitals": "http://LOCALHOST:{port}/",
    "two parts": "http://127.1:{port}/",
    "three parts": "http://127.0.1:{port}/",
    "decimal": "http://2130706433:{port}/",
    "hex": "http://0x7f000001:{port}/",
    "hex parts": "http://0x7f.0x0.0x0.0x1:{port}/",
    "octal parts": "http://0177.0.0.1:{port}/",
    "octal": "http://017700000001:{port}/",
    "mixed": "http://0x7f.1:{port}/",
    "zero": "http://0:{port}/",
    "all zeros": "http://0.0.0.0:{port}/",
    "with a dot at the end": "http://127.0.0.1.:{port}/",
    "IPv6 loopback": "http://[::1]:{port}/",
    "IPv6 loopback in full": "http://[0000:0000:0000:0000:0000:0000:0000:0001]:{port}/",
    "IPv6 unspecified": "http://[::]:{port}/",
    "mapped": "http://[::ffff:127.0.0.1]:{port}/",
    "mapped in hex": "http://[::ffff:7f00:1]:{port}/",
    "mapped in full": "http://[0:0:0:0:0:ffff:7f00:0001]:{port}/",
    "IPv4-compatible": "http://[::127.0.0.1]:{port}/",
    "IPv4-translated": "http://[::ffff:0:127.0.0.1]:{port}/",
    "NAT64": "http://[64:ff9b::7f00:1]:{port}/",
    "NAT64 of metadata": "http://[64:ff9b::a9fe:a9fe]/",
    "local NAT64": "http://[64:ff9b:1::7f00:1]:{port}/",
    "6to4": "http://[2002:7f00:1::]:{port}/",
    "6to4 of a private address": "http://[2002:c0a8:101::1]/",
    "Teredo": "http://[2001:0:7f00:1::80ff:fffe]:{port}/",
    "ISATAP": "http://[2a00::5efe:127.0.0.1]:{port}/",
    "a zone": "http://[fe80::1%25lo]:{port}/",
    "link-local": "http://[fe80::1]:{port}/",
    "site-local": "http://[fec0::1]/",
    "unique local": "http://[fd12:3456::1]/",
    "multicast": "http://224.0.0.1/",
    "IPv6 multicast": "http://[ff02::1]/",
    "broadcast": "http://255.255.255.255/",
    "reserved": "http://240.0.0.1/",
    "private 10": "http://10.0.0.1/",
    "private 172": "http://172.31.255.255/",
    "private 192": "http://192.168.1.1/",
    "shared": "http://100.64.0.1/",
    "benchmarks": "http://198.18.0.1/",
    "documentation": "http://203.0.113.7/",
    "metadata of AWS, Azure and Google": "http://169.254.169.254/latest/meta-data/",
    "metadata in decimal": "http://2852039166/latest/meta-data/",
    "metadata of AWS on IPv6": "http://[fd00:ec2::254]/latest/meta-data/",
    "metadata of Alibaba": "http://100.100.100.200/latest/meta-data/",
    "metadata of Oracle": "http://192.0.0.192/opc/v2/",
    "platform of Azure": "http://168.63.129.16/machine",
    "fullwidth digits": "http://\uff11\uff12\uff17.\uff10.\uff10.\uff11:{port}/",
    "circled digits": "http://①②⑦.⓪.⓪.①:{port}/",
    "ideographic dots": "http://127。0。0。1:{port}/",
    "percent-encoded": "http://%31%32%37.0.0.1:{port}/",
    "a user name": "http://user@127.0.0.1:{port}/",
    "a host as user name": "http://public.test@127.0.0.1:{port}/",
    "a host as user name, encoded": "http://public.test%2f@127.0.0.1:{port}/",
    "a backslash": "http://public.test\\@127.0.0.1:{port}/",
    "a backslash as path": "http://127.0.0.1:{port}\\@public.test/",
    "a tab in the host": "http://127.0.0.\t1:{port}/",
    "a line feed": "http://127.0.0.1:{port}/\r\nHost: public.test",
    "spaces around": "  http://127.0.0.1:{port}/  ",
    "no slashes": "http:127.0.0.1:{port}/",
    "one slash": "http:/127.0.0.1:{port}/",
    "no scheme": "127.0.0.1:{port}/",
    "no scheme, slashes": "//127.0.0.1:{port}/",
    "a file": "file:///etc/passwd",
    "a file of a host": "file://127.0.0.1/etc/passwd",
    "gopher": "gopher://127.0.0.1:{port}/_GET%20/",
    "ftp": "ftp://127.0.0.1:{port}/",
    "data": "data:text/html,x",
    "a port of mail": "http://127.0.0.1:25/",
    "TLS": "https://127.0.0.1:{port}/",
}
"""URLs that a model writes."""

NAMES: dict[str, list[list[str]]] = {
    "a name of loopback": [["127.0.0.1"]],
    "a name of IPv6 loopback": [["::1"]],
    "a name of a mapped address": [["::ffff:127.0.0.1"]],
    "a name of a NAT64 address": [["64:ff9b::7f00:1"]],
    "a name of metadata": [["169.254.169.254"]],
    "public and loopback": [["127.0.0.2", "127.0.0.1"]],
    "loopback and public": [["127.0.0.1", "127.0.0.2"]],
    "public in IPv4, loopback in IPv6": [["127.0.0.2", "::1"]],
    "public when checked, loopback when used": [["127.0.0.2"], ["127.0.0.1"]],
    "loopback at every second time": [["127.0.0.2"], ["127.0.0.1"], ["127.0.0.2"], ["127.0.0.1"]],
}
"""What the name rebind.test resolves to, time after time; 127.0.0.2 is allowed, as a public address would be."""

REDIRECTS = {
    "to loopback": "http://127.0.0.1:{port}/",
    "to loopback in decimal": "http://2130706433:{port}/",
    "to IPv6 loopback": "http://[::1]:{port}/",
    "to a mapped address": "http://[::ffff:127.0.0.1]:{port}/",
    "to localhost": "http://localhost:{port}/",
    "without a scheme": "//127.0.0.1:{port}/",
    "with a user name": "http://public.test@127.0.0.1:{port}/",
    "to a file": "file:///etc/passwd",
    "to gopher": "gopher://127.0.0.1:{port}/_",
    "to a name of loopback": "http://inside.test:{port}/",
    "to a name that has changed since": "http://changing.test:{port}/",
    "twice": "http://127.0.0.2:{front}/again",
    "forever": "http://127.0.0.2:{front}/",
    "to metadata": "http://169.254.169.254/latest/meta-data/",
    "to no URL": "http://[::1:{port}/",
}
"""Where a server that can be reached redirects."""

OFF_THE_LIST = {
    "another host": "http://other.test:{front}/",
    "a longer name": "http://good.test.other.test:{front}/",
    "a name that ends so": "http://notgood.test:{front}/",
    "a name that ends like a pattern": "http://notbelow.test:{front}/",
    "the parent of a pattern": "http://below.test:{front}/",
    "an address": "http://127.0.0.2:{front}/",
    "a redirect": "http://good.test:{front}/off",
    "a look-alike": "http://g\u043e\u043ed.test:{front}/",
}
"""Hosts that are not on the operator's list, which has good.test and *.below.test."""


def limit() -> None:
    with suppress(ImportError):  # Windows
        import resource

        resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))
        if sys.platform == "linux":
            resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))


def main() -> None:
    from fcregistry import Executor
    from web_servers import Dns, Server, html

    from fcregistry_web import WebAccess, fetch_tool

    limit()
    dns = Dns()
    socket.getaddrinfo = dns.getaddrinfo
    secret = html(f"<p>{SECRET}</p>")
    on_loopback: Any = dict.fromkeys(("/", "/latest/meta-data/", "/_GET%20/", "/_"), secret)
    redirects: dict[str, str] = {}

    def redirect(handler: Any) -> Any:
        handler.server.asked.pop()
        return 302, {"Location": redirects["/"]}, b""

    with Server(on_loopback) as victim, Server({}, "127.0.0.2") as front:
        front.replies.update({
            "/": redirect,
            "/again": lambda handler: (307, {"Location": f"http://127.1:{victim.server_port}/"}, b""),
            "/off": lambda handler: (302, {"Location": f"http://other.test:{front.server_port}/page"}, b""),
            "/page": html("<p>The page of the other server.</p>"),
        })  # fmt: skip
        ports = {"port": victim.server_port, "front": front.server_port}

        def attack(kind: str, name: str, url: str, **access: Any) -> None:
            victim.asked.clear()
            tool = fetch_tool(WebAccess(timeout=5, networks=["127.0.0.2"], **access))
            result = Executor([tool]).run({"name": "fetch_url", "arguments": {"url": url.format(**ports)}})
            row = {"kind": kind, "name": name, "ok": result.ok, "content": result.content, "asked": len(victim.asked)}
            sys.stdout.write(json.dumps(row) + "\n")

        for name, url in DIRECT.items():
            attack("direct", name, url)
        for name, answers in NAMES.items():
            dns.names["rebind.test"] = [list(answer) for answer in answers]
            # both servers answer at the victim's port, as far as the attacker knows
            attack("names", name, "http://rebind.test:{port}/")
        for name, url in REDIRECTS.items():
            dns.names |= {"inside.test": [["127.0.0.1"]], "changing.test": [["127.0.0.2"], ["127.0.0.1"]]}
            redirects["/"] = url.format(**ports)
            start = "http://changing.test:{front}/" if "changed" in name else "http://127.0.0.2:{front}/"
            attack("redirects", name, start)
        hosts = ("good.test", "other.test", "good.test.other.test", "notgood.test", "notbelow.test", "below.test")
        dns.names |= {host: [["127.0.0.2"]] for host in hosts}
        for name, url in OFF_THE_LIST.items():
            redirects["/"] = f"http://127.0.0.2:{front.server_port}/page"
            attack("off the list", name, url, hosts=["good.test", "*.below.test"])


if __name__ == "__main__":
    main()
