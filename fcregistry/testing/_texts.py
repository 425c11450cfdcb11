"""Which strings does a JSON Schema accept?"""

from __future__ import annotations

import re
import string
from base64 import b64encode
from typing import TYPE_CHECKING, Any, Final

from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Mapping

LETTERS: Final = "abcXYZ019 _-.,:/\\'\"`{}[]<>%$#@*\t\n\x00\x1b\x7fßéİ\u0301\u200d\u202e\u2028京😀"
"""What strings are made of: what is plain, and what trips a parser, a shell, a terminal or a comparison."""
TELLING: Final = (
    *("https://acme.example/a?b=1", "a.b@acme.example", "192.0.2.1", "2001:db8::1", "10.0.0.0/8", "/tmp/a.txt", "UTC"),
    *("2024-02-29", "2024-02-29T12:30:00Z", "12:30", "PT1H", "00000000-0000-4000-8000-000000000000"),
    *("0", "-1.5", "1e3", "2/3", "true", "null", "[]", "{}", "red", "QQ=="),
)
"""Strings that some other type would take for its own: what a type that says no more than `string` may ask for, and unions mix up."""
_WORDS: Final = ("a", "b", "paris", "x1")
_LONGEST: Final = 4000


def texts(least: int = 0, most: int | None = None) -> st.SearchStrategy[str]:
    """Return strings of a length, short ones before long ones."""
    if most is not None and most < least:
        return st.nothing()
    usual = least + 8 if most is None else min(most, least + 8)
    made: st.SearchStrategy[str] = st.lists(st.sampled_from(LETTERS), min_size=least, max_size=usual).map("".join)
    if most is not None and usual < most <= _LONGEST:
        made = st.one_of(made, made.map(lambda text: text + "a" * (most - len(text))))
    telling = [text for text in TELLING if least <= len(text) and (most is None or len(text) <= most)]
    return st.one_of(made, made, st.sampled_from(telling)) if telling else made


def strings(schema: Mapping[str, Any], formats: Mapping[str, st.SearchStrategy[str]]) -> st.SearchStrategy[str]:
    """Return strings for the keywords of a schema; with a pattern or a format, they still have to be filtered.

    Args:
        schema: The keywords.
        formats: Format -> its strings, beside and before those known here.
    """
    least = int(schema.get("minLength", 0))
    most = int(schema["maxLength"]) if "maxLength" in schema else None
    known = {**FORMATS, **formats}
    if "pattern" in schema:
        return _of_pattern(schema["pattern"], least, most)
    if schema.get("format") in known:
        return known[schema["format"]].filter(lambda text: least <= len(text) and (most is None or len(text) <= most))
    return texts(least, most)


def names(pattern: str) -> st.SearchStrategy[str]:
    """Return strings for a pattern of `patternProperties`."""
    return _of_pattern(pattern, 0, None)


def _of_pattern(pattern: str, least: int, most: int | None) -> st.SearchStrategy[str]:
    """Return strings that match; of a pattern that Python reads otherwise or not at all, some only by chance."""
    try:
        compiled = re.compile(pattern)
    except (re.error, OverflowError, RecursionError):
        return texts(least, most)
    letters = "".join(sorted({*LETTERS, *string.ascii_letters, *string.digits, *pattern}))
    # Without an alphabet, Hypothesis makes tables of all of Unicode: seconds, in a process that cannot keep them.
    made = st.from_regex(compiled, fullmatch=pattern.startswith("^") and pattern.endswith("$"), alphabet=letters)
    return made.filter(lambda text: least <= len(text) and (most is None or len(text) <= most))


# --- formats ------------------------------------------------------------------------------------------------------

_OFFSETS: Final = ("", "Z", "z", "+00:00", "+05:30", "-11:00", "+14:00")
_word = st.sampled_from(_WORDS)


def _with_offset(text: str, offset: str) -> str:
    return text + offset


def _joined(separator: str, part: st.SearchStrategy[str], least: int = 1) -> st.SearchStrategy[str]:
    return st.lists(part, min_size=least, max_size=3).map(separator.join)


_hosts = _joined(".", _word, 2)
_paths = _joined("/", _word, 0).map(lambda path: f"/{path}")
_uris = st.builds("https://{}{}?q={}#{}".format, _hosts, _paths, _word, _word)
_emails = st.builds("{}@{}".format, _joined(".", _word), _hosts)
_pointers = _joined("", st.sampled_from(["/a", "/0", "/x~0y", "/~1", "/"]), 0)
_moments = st.builds(
    _with_offset, st.datetimes().map(lambda moment: moment.isoformat()), st.sampled_from(_OFFSETS)
).map(lambda text: text.replace("T", "t") if text.endswith("z") else text)
_times = st.builds(_with_offset, st.times().map(lambda moment: moment.isoformat()), st.sampled_from(_OFFSETS))
_decimals = st.builds(
    "{}{}{}{}".format,
    st.sampled_from(["", "-"]),
    st.integers(0, 10**30),
    st.sampled_from(["", ".0", ".10", ".000000000000000000000001"]),
    st.sampled_from(["", "e5", "E-5", "e+20"]),
)
_durations = st.builds(
    "{}{}".format,
    st.sampled_from(["P", "-P", "P"]),
    st.one_of(
        st.builds("{}D".format, st.integers(0, 999)),
        st.builds("{}W".format, st.integers(0, 99)),
        st.builds("T{}H{}M".format, st.integers(0, 99), st.integers(0, 99)),
        st.builds("{}DT{}.{:06d}S".format, st.integers(0, 99), st.integers(0, 99), st.integers(0, 999_999)),
    ),
)

FORMATS: Final[dict[str, st.SearchStrategy[str]]] = {
    "byte": st.binary(max_size=12).map(lambda data: b64encode(data).decode()),
    "date": st.dates().map(lambda day: day.isoformat()),
    "date-time": _moments,
    "decimal": _decimals,
    "duration": _durations,
    "email": _emails,
    "fraction": st.builds(
        "{}{}".format, st.integers(-999, 999), st.sampled_from(["", "/1", "/3", "/07", "/1000000007"])
    ),
    "hostname": _hosts,
    "idn-email": _emails,
    "idn-hostname": _hosts,
    "ipv4": st.ip_addresses(v=4).map(str),
    "ipv4interface": st.builds("{}/{}".format, st.ip_addresses(v=4), st.integers(0, 32)),
    "ipv4network": st.integers(0, 255).map("10.{}.0.0/16".format),
    "ipv6": st.ip_addresses(v=6).map(str),
    "ipv6interface": st.builds("{}/{}".format, st.ip_addresses(v=6), st.integers(0, 128)),
    "ipv6network": st.integers(1, 65535).map("2001:{:x}::/32".format),
    "iri": _uris,
    "iri-reference": st.one_of(_uris, _paths),
    "json-pointer": _pointers,
    "regex": st.sampled_from(["", "a", "^a+$", "[0-9]{2}", "(x|y)*", "\\d"]),
    "relative-json-pointer": st.builds("{}{}".format, st.integers(0, 3), _pointers),
    "time": _times,
    "timezone": st.sampled_from(["UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires", "Etc/GMT+5"]),
    "uri": _uris,
    "uri-reference": st.one_of(_uris, _paths),
    "uri-template": st.builds("https://{}/{{{}}}".format, _hosts, _word),
    "uuid": st.uuids().map(str),
}
"""JSON Schema format -> strings of it: those of the standard (2020-12 validation, 7.3), and those of the type table."""
