"""Rows about values that are written as text."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta, timezone
from fractions import Fraction
from ipaddress import IPv4Address, IPv4Interface, IPv4Network, IPv6Address, IPv6Interface, IPv6Network, ip_address
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo, available_timezones

import pydantic
from hypothesis import strategies as st

from .row import STRING, Example, Rows

KATHMANDU = timezone(timedelta(hours=5, minutes=45))
_OFFSETS = st.timedeltas(timedelta(hours=-23, minutes=-59), timedelta(hours=23, minutes=59)).map(
    lambda offset: timezone(timedelta(minutes=offset // timedelta(minutes=1)))
)
_ZONES = st.none() | st.just(UTC) | _OFFSETS
_ZONE = min(available_timezones())
_URLS = st.sampled_from(["http://example.org/", "https://example.org/a?b=c#d"])
_ADDRESSES = st.ip_addresses()
_ZERO = "00000000-0000-0000-0000-000000000000"


def _text(
    annotation: Any,
    format: str | None,
    values: st.SearchStrategy[Any],
    accepted: dict[str, Any],
    *refused: Any,
    **more: Any,
) -> Example:
    schema = {**STRING, "format": format} if format else STRING
    return Example(
        annotation=annotation,
        schema={**schema, **more.pop("schema", {})},
        accepted=tuple(accepted.items()),
        refused=(*refused, None, 1, True, [], {}),
        values=values,
        **more,
    )


def _of_version(values: st.SearchStrategy[Any], annotation: Any, text: str, *refused: str) -> Example:
    name = annotation.__name__.lower().removesuffix("address")
    return _text(annotation, name, values.map(annotation), {text: annotation(text)}, *refused, "", "x", " 1.2.3.4")


def _bytes(cls: type) -> Example:
    accepted = {"AP8=": cls(b"\x00\xff"), "": cls()}
    encoding = {"contentEncoding": "base64"}
    refused = ("AP8", "A P8=", "é", "AP8_", "\ud800")
    return _text(cls, "byte", st.binary(max_size=6).map(cls), accepted, *refused, schema=encoding)


def _url(annotation: Any) -> Example:
    make = pydantic.TypeAdapter(annotation).validate_python
    return _text(annotation, None, _URLS.map(make), {"http://a.b/": make("http://a.b/")}, unfit=("no url", ""))


TEXTS: Rows = {
    "`datetime`": (
        _text(
            datetime,
            "date-time",
            st.datetimes(timezones=_ZONES),
            {
                "2024-02-29T12:30:00+00:00": datetime(2024, 2, 29, 12, 30, tzinfo=UTC),
                "2024-02-29T12:30:00.000001+05:45": datetime(2024, 2, 29, 12, 30, 0, 1, KATHMANDU),
                "2024-02-29T12:30:00": datetime(2024, 2, 29, 12, 30),  # noqa: DTZ001  # as Python's own, without an offset
            },
            *("2023-02-29T12:30:00", "2024-02-29", "20240229T123000", "2024-W09-4T12:30", "now", ""),
            *("2024-02-29T24:00:00", "2024-02-29T12:30:60Z", "2024-02-29T12:30:00\n", "٢024-02-29T12:30:00"),
        ),
    ),
    "`date`": (
        _text(
            date,
            "date",
            st.dates(),
            {"2024-02-29": date(2024, 2, 29)},
            "2023-02-29",
            "2024-2-9",
            "20240229",
            "0000-01-01",
        ),
    ),
    "`time`": (
        _text(
            time,
            "time",
            st.times(timezones=_ZONES),
            {"12:30:00": time(12, 30), "23:59:59.999999+05:45": time(23, 59, 59, 999999, KATHMANDU)},
            *("24:00", "12:60", "12", "noon", "1230"),
        ),
    ),
    "`timedelta`": (
        _text(
            timedelta,
            "duration",
            st.timedeltas(),
            {"P1DT2H": timedelta(days=1, hours=2), "-PT0.5S": -timedelta(milliseconds=500), "PT0S": timedelta()},
            *("P1Y", "P1M", "P", "PT", "P1DT", "1D", "P1.5D", "P1000000000D", ""),
        ),
    ),
    "`UUID`": (_text(UUID, "uuid", st.uuids(), {_ZERO: UUID(_ZERO)}, "0" * 32, f"{{{_ZERO}}}", _ZERO[:-1]),),
    "`Fraction`": (
        _text(
            Fraction,
            "fraction",
            st.fractions(),
            {"1/3": Fraction(1, 3), "-4": Fraction(-4)},
            *("1/0", "1.5", "٣/4", "1 /3", "", "1/-3", "1/3\n"),
        ),
    ),
    "`bytes`, `bytearray`": (_bytes(bytes), _bytes(bytearray)),
    "`Path`, `PurePath` and their kinds": tuple(
        _text(
            cls, None, st.text("ab/.", max_size=6).map(lambda text, cls=cls: cls(text.lstrip("/"))), {text: cls(text)}
        )
        for cls, text in ((Path, "a/b.txt"), (PurePath, "a"), (PurePosixPath, "/a/.."), (PureWindowsPath, "a\\b"))
    ),
    "`IPv4Address`, `IPv6Address`": (
        _of_version(st.ip_addresses(v=4), IPv4Address, "1.2.3.4", "1.2.3", "01.2.3.4", "::1", "1.2.3.4/8"),
        _of_version(st.ip_addresses(v=6), IPv6Address, "::1", "1.2.3.4", "fe80::1%eth0", "::1/64"),
    ),
    "`IPv4Network`, `IPv6Network`": (
        _of_version(st.ip_addresses(v=4), IPv4Network, "10.0.0.0/8", "10.0.0.1/8", "10.0.0.0/33", "::/0"),
        _of_version(st.ip_addresses(v=6), IPv6Network, "::/0", "::1/0", "10.0.0.0/8"),
    ),
    "`IPv4Interface`, `IPv6Interface`": (
        _of_version(st.ip_addresses(v=4), IPv4Interface, "10.0.0.1/8", "10.0.0.1/33", "::1/64"),
        _of_version(st.ip_addresses(v=6), IPv6Interface, "::1/64", "10.0.0.1/8", "::1%a/64"),
    ),
    "`ZoneInfo`": (
        _text(
            ZoneInfo,
            "timezone",
            st.sampled_from(sorted(available_timezones())[:9]).map(ZoneInfo),
            {_ZONE: ZoneInfo(_ZONE)},
            *("../../etc/passwd", "/etc/passwd", "Europe/../Europe/Berlin", "Europe", "", "a\x00b", "x" * 5000, "C:/x"),
            *("/usr/share/zoneinfo/UTC", "./UTC", "UTC/", "..", "%2e%2e/UTC", "\\UTC", "Nowhere/There"),
        ),
    ),
    "`re.Pattern`, `re.Pattern[str]`": tuple(
        _text(
            annotation,
            "regex",
            st.sampled_from(["a+", "(?P<x>[ab])", "", "^é$"]).map(re.compile),
            {"a+b": re.compile("a+b"), "": re.compile("")},
            *("(", "[", "(?P<a>", "*", "a" * 1001),
        )
        for annotation in (re.Pattern, re.Pattern[str])
    ),
    "`HttpUrl`, `AnyUrl`, `IPvAnyAddress` and other texts of pydantic": (
        _url(pydantic.HttpUrl),
        _url(pydantic.AnyUrl),
        _text(
            pydantic.IPvAnyAddress,
            None,
            _ADDRESSES,
            {"1.2.3.4": ip_address("1.2.3.4"), "::1": ip_address("::1")},
            unfit=("1.2.3", "", "x"),
        ),
    ),
    "`PastDate`, `FutureDate`, `AwareDatetime`, `NaiveDatetime`, …": (
        _text(
            pydantic.PastDate,
            "date",
            st.dates(max_value=date(2020, 1, 1)),
            {"2000-02-29": date(2000, 2, 29)},
            *("2001-02-29", "20000229"),
            unfit=("9999-12-31",),
        ),
        _text(
            pydantic.FutureDate,
            "date",
            st.dates(min_value=date(9000, 1, 1)),
            {"9999-12-31": date(9999, 12, 31)},
            unfit=("2000-02-29",),
        ),
        _text(
            pydantic.AwareDatetime,
            "date-time",
            st.datetimes(timezones=st.just(UTC) | _OFFSETS),
            {"2024-02-29T12:30:00+00:00": datetime(2024, 2, 29, 12, 30, tzinfo=UTC)},
            unfit=("2024-02-29T12:30:00",),
        ),
        _text(
            pydantic.NaiveDatetime,
            "date-time",
            st.datetimes(),
            {"2024-02-29T12:30:00": datetime(2024, 2, 29, 12, 30)},  # noqa: DTZ001  # naive is the point
            unfit=("2024-02-29T12:30:00Z",),
        ),
    ),
    "`Base64Str`, `Base64Bytes`": (
        _text(pydantic.Base64Str, None, st.text("ab é", max_size=9), {"SGkh": "Hi!"}, unfit=("A",)),
        _text(pydantic.Base64Bytes, None, st.binary(max_size=9), {"AP8=": b"\x00\xff"}, unfit=("A",)),
    ),
    "`SecretStr`, `SecretBytes`": tuple(
        _text(
            annotation,
            None,
            st.text("ab", max_size=3).map(lambda text, make=make: make(text)),
            {"hush": make("hush")},
            unfit=("**********",),
            comes_back=False,
        )
        for annotation, make in (
            (pydantic.SecretStr, pydantic.SecretStr),
            (pydantic.SecretBytes, lambda text: pydantic.SecretBytes(text.encode())),
        )
    ),
}
