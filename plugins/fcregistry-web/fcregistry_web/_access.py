"""What the tools may reach: hosts, ports and addresses; and how much, for how long."""

from __future__ import annotations

import asyncio
import re
import socket
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from functools import partial
from ipaddress import IPv6Address, ip_address, ip_network
from math import inf
from typing import Any, Final, TypeVar

import httpx2
from fcregistry.errors import DefinitionError, ToolError

from fcregistry_web._addresses import Address, Network, ipv4_in, kind_of

Value = TypeVar("Value")

_HOST: Final = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?")
_PORTS: Final = frozenset({80, 443})
_FIRST_FREE_PORT: Final = 1024
_LONGEST_URL: Final = 8_000
_SHOWN: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class WebAccess:
    """What web tools may reach, and their limits. An operator sets it; a model cannot change it.

    By default, all hosts on the public internet can be reached, and no other address.

    Attributes:
        hosts: The hosts that can be reached: names such as `docs.python.org`, and `*.python.org` for all names below it. By default, all.
        networks: Networks and addresses that can be reached although they are not on the public internet, such as `10.1.0.0/16` or
            `127.0.0.1`.
        ports: The ports that can be reached. By default, 80, 443, and all from 1024 on.
        timeout: Seconds that one call may take.
        max_bytes: The most bytes that are read of a page.
        max_redirects: The most redirects that are followed in one call.
        user_agent: The `User-Agent` header.

    Raises:
        DefinitionError: A value is not valid; the message lists every problem.
    """

    hosts: Collection[str] | None = None
    networks: Collection[str] = ()
    ports: Collection[int] | None = None
    timeout: float = 30.0
    max_bytes: int = 5_000_000
    max_redirects: int = 5
    user_agent: str = "fcregistry-web/0.1 (+https://github.com/fcregistry/fcregistry)"
    _hosts: frozenset[str] | None = field(init=False, repr=False, compare=False)
    _networks: tuple[Network, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        problems = list(_limit_problems(self))
        hosts, networks = [], []
        for text in _items("hosts", self.hosts or (), problems):
            try:
                hosts.append(_pattern(text))
            except ValueError:
                problems.append(
                    f"hosts= has {text!r}, which is not a host name; write 'example.com', or '*.example.com' for the names below it"
                )
        for text in _items("networks", self.networks, problems):
            try:
                networks.append(ip_network(text))
            except ValueError as error:
                problems.append(f"networks= has {text!r}: {error}")
        if problems:
            raise DefinitionError("this WebAccess is not valid:", problems)
        object.__setattr__(self, "_hosts", None if self.hosts is None else frozenset(hosts))
        object.__setattr__(self, "_networks", tuple(networks))

    def check_url(self, text: str) -> httpx2.URL:
        """Return a URL that may be requested, as far as can be said before its host is resolved.

        Args:
            text: The URL, from a model or from a redirect.

        Raises:
            ToolError: It is not valid, or its host or port cannot be reached; the message says why.
        """
        url = _parse(text)
        host = url.raw_host.decode("ascii").lower()
        if not is_host(host):
            raise ToolError(f"the URL {quote(text)} has no valid host; write a name, as in https://example.com/page")
        name = host.rstrip(".")
        if self._hosts is not None and not any(_matches(name, pattern) for pattern in self._hosts):
            allowed = ", ".join(sorted(self._hosts)) or "none"
            raise ToolError(f"the host {host} cannot be reached with this tool; these can: {allowed}")
        port = port_of(url)
        by_default = port in _PORTS or port >= _FIRST_FREE_PORT
        if not (by_default if self.ports is None else port in self.ports):
            raise ToolError(f"the port {port} cannot be reached with this tool; leave the port out of the URL")
        return url

    async def addresses(self, url: httpx2.URL) -> list[Address]:
        """Return the addresses of a URL's host, which may all be connected to.

        Args:
            url: The URL.

        Raises:
            ToolError: The host is not found, or one of its addresses cannot be reached.
        """
        host = url.raw_host.decode("ascii")
        loop = asyncio.get_running_loop()
        try:
            found = await loop.getaddrinfo(host, port_of(url), type=socket.SOCK_STREAM)
        except socket.gaierror as error:
            if error.errno == socket.EAI_AGAIN:
                raise ToolError(f"the host {host} cannot be resolved now; try again later", retryable=True) from None
            raise ToolError(f"the host {host} was not found; check its name") from None
        except (OSError, UnicodeError):  # names that are too long, or have an empty part
            raise ToolError(f"the host {host} was not found; check its name") from None
        addresses = list(dict.fromkeys(ip_address(str(entry[4][0]).partition("%")[0]) for entry in found))
        for address in addresses:
            self._check_address(host, address)
        if not addresses:
            raise ToolError(f"the host {host} has no address")
        return addresses

    def _check_address(self, host: str, address: Address) -> None:
        """Raise `ToolError` if `address`, one of `host`, is not on the public internet, and not allowed."""
        kind = kind_of(address)
        if kind is None:
            return
        same = [address] if (inner := ipv4_in(address)) is None else [address, inner]
        if any(each in network for each in same for network in self._networks):
            return
        where = f"has the address {address}, {kind} address" if host != str(address) else f"is {kind} address"
        raise ToolError(f"the host {host} {where}; only hosts on the public internet can be reached with this tool")


def access_getter(access: WebAccess | None, timeout: float = 30.0) -> Callable[[], WebAccess]:
    """Return a function that returns an access, and that can be pickled.

    Args:
        access: The access; None for all hosts on the public internet.
        timeout: The seconds that a call may take if it is None.

    Raises:
        DefinitionError: The access is not a `WebAccess`.
    """
    if access is None:
        access = WebAccess(timeout=timeout)
    if not isinstance(access, WebAccess):
        raise DefinitionError(f"access= takes a WebAccess, such as WebAccess(hosts=['example.com']), not {access!r}")
    return partial(same, access)


def check_count(name: str, value: object) -> None:
    """Raise `DefinitionError` if `value`, that of the argument `name`, is not a whole number above 0."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise DefinitionError(f"{name}= takes a whole number above 0, not {value!r}")


def same(value: Value) -> Value:
    """Return `value`; unlike a lambda, `partial(same, value)` can be pickled."""
    return value


def port_of(url: httpx2.URL) -> int:
    """Return the port of `url`; by default, that of its scheme."""
    return url.port if url.port is not None else 443 if url.scheme == "https" else 80


def quote(text: str) -> str:
    """Return `text`, which is from outside, for a message: quoted, and cut if it is long."""
    return repr(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…")


def _parse(text: str) -> httpx2.URL:
    """Return the URL in `text`; raise `ToolError` if it is not an HTTP URL, or contains credentials."""
    if len(text) > _LONGEST_URL:
        raise ToolError(f"the URL has {len(text)} characters; the most is {_LONGEST_URL}")
    try:
        url = httpx2.URL(text.strip())
    except (httpx2.InvalidURL, ValueError) as error:
        raise ToolError(f"the URL {quote(text)} is not valid: {error}") from None
    if url.scheme not in ("http", "https") or not url.host:
        hint = f"; did you mean {quote('https://' + text.strip())}?" if _looks_like_host(text.strip()) else ""
        raise ToolError(f"the URL {quote(text)} must begin with https:// or http:// and a host{hint}")
    if url.userinfo:
        raise ToolError(f"the URL for {quote(url.host)} contains a user name or a password; leave them out")
    return url


def _looks_like_host(text: str) -> bool:
    """Return whether `text` is a URL without its scheme."""
    return re.match(r"[\w-]+(\.[\w-]+)+(:\d+)?([/?#]|$)", text) is not None


def is_host(host: str) -> bool:
    """Return whether `host`, in lower case, is the name of a host as it is in DNS, or an IP address."""
    return _HOST.fullmatch(host) is not None or _is_ipv6(host)


def _is_ipv6(host: str) -> bool:
    """Return whether `host` is an IPv6 address."""
    try:
        return ":" in host and "%" not in host and isinstance(ip_address(host), IPv6Address)
    except ValueError:
        return False


def _pattern(text: str) -> str:
    """Return `text`, a pattern of hosts, as it is compared: in lower case, with its name as it is in DNS.

    Raises:
        ValueError: It is not a valid pattern.
    """
    if not isinstance(text, str):
        raise ValueError  # noqa: TRY004  # worded by the caller, as any other wrong item
    prefix, name = ("*.", text[2:]) if text.startswith("*.") else ("", text)
    try:
        url = httpx2.URL(f"http://[{name}]/" if ":" in name else f"http://{name}/")
    except httpx2.InvalidURL as error:
        raise ValueError from error
    host = url.raw_host.decode("ascii").lower().rstrip(".")
    if url.raw_path != b"/" or url.userinfo or url.port is not None or not is_host(host):
        raise ValueError
    return prefix + host


def _matches(name: str, pattern: str) -> bool:
    """Return whether the host `name` matches `pattern`."""
    return name.endswith(pattern[1:]) if pattern.startswith("*.") else name == pattern


def _items(name: str, value: object, problems: list[str]) -> Iterator[str]:
    """Yield the items of `value`, the argument `name`; if it is a single text, add a problem instead.

    The items of a text would be its letters.
    """
    if isinstance(value, str) or not isinstance(value, Collection):
        problems.append(f"{name}= takes a list, such as [{value!r}]")
        return
    yield from value


def _limit_problems(access: Any) -> Iterator[str]:  # Any: the types of its values are not checked yet
    """Yield a message for each limit of `access` that is not valid."""
    if isinstance(access.timeout, bool) or not isinstance(access.timeout, (int, float)) or not 0 < access.timeout < inf:
        yield f"timeout= takes seconds, a finite number above 0, not {access.timeout!r}"
    if not _is_whole(access.max_bytes) or access.max_bytes < 1:
        yield f"max_bytes= takes a whole number above 0, not {access.max_bytes!r}"
    if not _is_whole(access.max_redirects) or access.max_redirects < 0:
        yield f"max_redirects= takes a whole number from 0 on, not {access.max_redirects!r}"
    if not isinstance(access.user_agent, str) or not access.user_agent.isascii() or not access.user_agent.isprintable():
        yield f"user_agent= takes printable ASCII characters, not {access.user_agent!r}"
    if access.ports is not None and (isinstance(access.ports, (str, int)) or not all(map(_is_whole, access.ports))):
        yield f"ports= takes a list of numbers, such as [443], not {access.ports!r}"


def _is_whole(value: object) -> bool:
    """Return whether `value` is an integer, and not a bool."""
    return isinstance(value, int) and not isinstance(value, bool)
