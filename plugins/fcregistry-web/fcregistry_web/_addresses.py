"""Which IP addresses are on the public internet.

Sources: the special-purpose address registries of IANA (RFC 6890), for IPv4 and IPv6, as of 2025; RFC 6052 (NAT64),
RFC 5214 (ISATAP), RFC 4291 (IPv4-mapped addresses).
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from typing import Final, TypeAlias

Address: TypeAlias = IPv4Address | IPv6Address
Network: TypeAlias = IPv4Network | IPv6Network

_IPV4: Final = tuple(
    (IPv4Network(network), kind)
    for network, kind in (
        ("0.0.0.0/8", "an unspecified"),
        ("10.0.0.0/8", "a private"),
        ("100.64.0.0/10", "a private"),  # shared by the customers of a provider; clouds have services there
        ("127.0.0.0/8", "a loopback"),
        ("168.63.129.16/32", "a cloud platform's"),  # Azure's, inside of each of its machines
        ("169.254.0.0/16", "a link-local"),
        ("172.16.0.0/12", "a private"),
        ("192.0.0.0/24", "a reserved"),
        ("192.0.2.0/24", "a reserved"),
        ("192.88.99.0/24", "a reserved"),
        ("192.168.0.0/16", "a private"),
        ("198.18.0.0/15", "a reserved"),
        ("198.51.100.0/24", "a reserved"),
        ("203.0.113.0/24", "a reserved"),
        ("224.0.0.0/4", "a multicast"),
        ("240.0.0.0/4", "a reserved"),
    )
)
_IPV6: Final = tuple(
    (IPv6Network(network), kind)
    for network, kind in (
        ("::/128", "an unspecified"),
        ("::1/128", "a loopback"),
        ("fc00::/7", "a private"),
        ("fe80::/10", "a link-local"),
        ("fec0::/10", "a private"),
        ("ff00::/8", "a multicast"),
        ("2001::/23", "a reserved"),  # protocols, such as Teredo; no web site has one
        ("2001:db8::/32", "a reserved"),
        ("2002::/16", "a reserved"),  # 6to4, which carries an IPv4 address, and was given up (RFC 7526)
        ("3ffe::/16", "a reserved"),
        ("3fff::/20", "a reserved"),
    )
)
_PUBLIC: Final = IPv6Network("2000::/3")
"""All that was ever given to users of IPv6."""
_WITH_IPV4: Final = (IPv6Network("::ffff:0:0/96"), IPv6Network("64:ff9b::/96"))
"""Networks whose addresses end in the IPv4 address that is connected to: mapped ones, and NAT64's."""


def kind_of(address: Address) -> str | None:
    """Return the kind of an address that is not public, such as "a private"; None for a public one.

    Args:
        address: The address.
    """
    if isinstance(address, IPv4Address):
        return next((kind for network, kind in _IPV4 if address in network), None)
    inner = ipv4_in(address)
    if inner is not None and (kind := kind_of(inner)) is not None:
        return kind
    if any(address in network for network in _WITH_IPV4):
        return None
    return next((kind for network, kind in _IPV6 if address in network), None if address in _PUBLIC else "a reserved")


def ipv4_in(address: Address) -> IPv4Address | None:
    """Return the IPv4 address to which a connection to an IPv6 address would go, or None if there is none.

    Args:
        address: The address. If it is mapped, of NAT64 or of ISATAP, it contains such an address.
    """
    if isinstance(address, IPv4Address):
        return None
    bits = int(address)
    is_isatap = (bits >> 32) & 0xFDFF_FFFF == 0x5EFE
    if is_isatap or any(address in network for network in _WITH_IPV4):
        return IPv4Address(bits & 0xFFFF_FFFF)
    return None
