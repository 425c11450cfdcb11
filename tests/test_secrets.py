"""Secrets are replaced in each spelling, and nothing else is."""

from __future__ import annotations

import base64
import json
import logging
import pickle
import re
import textwrap
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from fcregistry import Executor, Tool
from fcregistry._base.secrets import _pattern_of_bytes, _pattern_of_text
from fcregistry.execution import Secrets

SURROUNDED = st.text(st.characters(codec="utf-8"), min_size=4, max_size=20)


@settings(max_examples=50)  # a pattern of rare characters takes long to compile
@given(SURROUNDED)
@example("a b+c/d\"e'f\\g&h<i>")
@example("pässwörd 🙂")
def test_a_value_is_found_in_every_spelling(value: str) -> None:
    assume(value == value.strip())
    secrets = Secrets(value)
    for text in (
        value,
        quote(value),
        quote(value, safe=""),
        json.dumps(value)[1:-1],
        json.dumps(value, ensure_ascii=False)[1:-1],
    ):
        assert secrets.hide(f"<{text}>") == "<…>"
        assert secrets.hide_in_bytes(f"<{text}>".encode()) == "<…>".encode()
    assert secrets.hide_in_json([{value: [value, None, True]}]) == [{"…": ["…", None, True]}]


@pytest.mark.parametrize("value", ["hush-hush", "hush-hush!", "hush-hush!!", "~~~???>>>"])
@pytest.mark.parametrize("before", ["", "1", "12", "123"])
@pytest.mark.parametrize("after", ["", "1", "12", "123"])
def test_a_value_is_found_in_base64_wherever_it_begins_and_ends(value: str, before: str, after: str) -> None:
    """Base64 has a character for six bits. What is left are the characters that the text beside the value takes part in."""
    begin, end, bits = (8 * len(part) for part in (before, before + value, before + value + after))
    beside = -(-begin // 6) + -(-bits // 6) - end // 6
    whole = base64.b64encode(f"{before}{value}{after}".encode()).decode()
    secrets = Secrets(value)
    for text in (whole, "\n".join(textwrap.wrap(whole, 5)), base64.urlsafe_b64encode(base64.b64decode(whole)).decode()):
        hidden = secrets.hide(text)
        assert "…" in hidden
        assert len(re.sub(r"[…=\s]", "", hidden)) <= beside
        assert secrets.hide_in_bytes(text.encode()) == hidden.encode()
    if not before + after:
        assert secrets.hide(base64.b64encode(whole.encode()).decode()) == "…"  # also if it is encoded twice


@pytest.mark.parametrize(
    ("value", "spelled"),
    [
        ("hush", "aHVzaA=="),
        ("hush/-*", "687573682f2d2a"),
        ("hush/-*", "687573682F2D2A"),
        ("a b/c", "a%20b%2fc"),
        ("a b/c", "%61+b%2Fc"),
        ("a b/c", "a%252520b%25252Fc"),
        ("a b/c", r"\u0061\u0020b\/c"),
        ("a b/c", r"\\u0061\\u0020b\\\/c"),
        ("a b/c", "%5Cu0061%5cu0020b/c"),
        ("a\"b'c", r"a\"b\'c"),
        ("a\"b'c", "a&quot;b&apos;c"),
        ("a<b>&c", "a&lt;b&gt;&amp;c"),
        ("a<b>&c", "a&amp;lt;b&amp;gt;&amp;amp;c"),
        ("a<b>&c", "&#97;&#60;b&#62;&#0038;c"),
        ("a<b>&c", "&#x61;&#x3c;b&#X3E;&amp;#x026;c"),
        ("a\tb\r\nc", r"a\tb\r\nc"),
        ("a\b\f\nc", r"a\\b\\f\\nc"),
        ("a\\b:c", r"a\\b:c"),
        ("a\\b:c", r"a\\\\b:c"),
        ("🙂--🙂", r"\ud83d\ude42--\uD83D\uDE42"),
        ("🙂--🙂", "%F0%9F%99%82--&#x1f642;"),
    ],
)
def test_a_value_is_found_in_each_spelling_by_itself(value: str, spelled: str) -> None:
    assert Secrets(value).hide(f"<{spelled}>") == "<…>"


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("before", [b"", b"1", b"12", b"123"])
@pytest.mark.parametrize("value", ["hush-hush", "пароль", "密码密码"])
def test_a_value_is_found_in_wide_characters_wherever_they_begin(value: str, before: bytes, encoding: str) -> None:
    data = before + f"a {value} b".encode(encoding)
    hidden = Secrets(value).hide_in_bytes(data)
    assert value.encode(encoding) not in hidden
    if not before:
        assert hidden == "a … b".encode(encoding)


@pytest.mark.parametrize(
    "text",
    ["\\", "%25", "%" + "25" * 9, "&amp;", "&" + "amp;" * 9, "&#" + "0" * 99, "%25%", "h\n", "aHVz\n\n", "hush-"],
)
def test_a_search_takes_no_more_than_a_time_that_grows_with_the_text(text: str) -> None:
    """A search that went back over what it has read would take hours for these."""
    assert Secrets("hush-hush\\%&").hide(text * 50_000) == text * 50_000


# --- The search that rules spellings out ----------------------------------------------------------

KEY = "sk-proj-" + "Zm9vYmFyLUJBWjEyMzQ1Njc4OTB" * 6
LOG = 'HTTP Request: POST https://example.com/v1/chat?a=%20b&c=d "HTTP/1.1 200 OK" b"\\x00"'


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The lengths of the patterns that are compiled in a test."""
    lengths: list[int] = []

    class Re:
        def __getattr__(self, name: str) -> object:
            return getattr(re, name)

        def compile(self, pattern: str | bytes) -> re.Pattern[Any]:
            lengths.append(len(pattern))
            return re.compile(pattern)

    monkeypatch.setattr("fcregistry._base.secrets.re", Re())
    return lengths


def test_a_text_without_the_value_compiles_no_pattern(compiled: list[int]) -> None:
    secrets = Secrets(KEY + "1", f"Bearer {KEY}1")
    for text in (LOG, LOG * 2, KEY[:3], "%5C" * 8, ""):
        assert secrets.hide(text) == text
        assert secrets.hide_in_bytes(b"\0" + text.encode("utf-16-be")) == b"\0" + text.encode("utf-16-be")
    assert compiled == []


def test_a_text_with_the_value_itself_compiles_a_short_pattern(compiled: list[int]) -> None:
    key = KEY + "2"
    assert Secrets(key).hide(f"the key {key} is wrong") == "the key … is wrong"
    assert len(compiled) == 1
    assert compiled[0] < 10 * len(key)


SPELLED: dict[str, Callable[[str], str]] = {
    "itself": str,
    "percent-encoded": quote,
    "JSON": lambda value: json.dumps(value)[1:-1],
    "each character escaped": lambda value: "".join(f"\\u{ord(each):04x}" for each in value),
    "one character escaped": lambda value: f"{value[:5]}&#{ord(value[5])};{value[6:]}" if len(value) > 5 else value,
    "hex": lambda value: value.encode().hex().upper(),
    "base64": lambda value: base64.b64encode(value.encode()).decode(),
    "base64 after one byte": lambda value: base64.b64encode(b"1" + value.encode() + b"234").decode(),
    "base64 after two bytes": lambda value: " ".join(base64.urlsafe_b64encode(b"12" + value.encode()).decode()),
    "base64 twice": lambda value: base64.b64encode(base64.b64encode(value.encode())).decode(),
    "a part": lambda value: value[1:],
    "nothing": lambda value: "",
}
VALUES = st.text(st.sampled_from("aZ5%\\&+-/_= \"'<;#xu0éß"), min_size=4, max_size=14)


@settings(max_examples=60)
@given(
    VALUES,
    st.lists(st.tuples(st.sampled_from([*SPELLED]), st.sampled_from(["", "%", "\\", "&", "-", "1", "é"])), max_size=4),
)
def test_what_the_search_rules_out_is_not_found_by_the_whole_pattern(value: str, parts: list[tuple[str, str]]) -> None:
    values = frozenset((value.strip(),))
    assume(len(value.strip()) > 3)
    text = "".join(SPELLED[name](value) + beside for name, beside in parts)
    whole = frozenset[Any](("escaped", "hex", "base64"))
    assert Secrets(value).hide(text) == _pattern_of_text(values, whole).sub("…", text)
    found = _pattern_of_bytes(values, "utf-8", whole).sub("…".encode(), text.encode())
    assert Secrets(value).hide_in_bytes(text.encode()) == found


@pytest.mark.parametrize("value", ["", "   ", "1", "abc", " abc "])
def test_a_short_value_destroys_no_answer(value: str) -> None:
    said = {"1": [1, True, 1.5, "abc 1   "]}
    assert Secrets(value).hide_in_json(said) == said
    assert Secrets(value).hide("1 abc   ") == "1 abc   "


def test_of_two_values_the_longer_is_replaced_whole() -> None:
    assert Secrets("abcd", "abcdefgh").hide("abcdefgh abcdef") == "… …ef"


def test_numbers_that_hold_a_value_are_replaced() -> None:
    assert Secrets("1234").hide_in_json([12345, -1234, 1.5, 123, True]) == ["…", "…", 1.5, 123, True]
    assert Secrets("1234").hide_in_json([10**5000]) == [10**5000]


def test_an_authorization_header_hides_what_it_encodes() -> None:
    secrets = Secrets("Basic amFuZTpvcGVuIHNlc2FtZQ==", "Bearer abcd-efgh")
    assert (
        secrets.hide("jane:open sesame, open sesame, amFuZTpvcGVuIHNlc2FtZQ==, abcd-efgh, jane") == "…, …, …, …, jane"
    )


def test_secrets_are_not_shown_and_not_pickled() -> None:
    assert repr(Secrets("hush-hush")) == "<Secrets: 1>"
    with pytest.raises(TypeError, match="secrets are not pickled"):
        pickle.dumps(Secrets("hush-hush"))


class _Failing(json.JSONDecoder):
    def decode(self, *given: object) -> None:
        raise ValueError("no hush-hush, token-1")


def test_a_log_shows_no_secret_of_its_context_also_in_a_traceback(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    logger = logging.getLogger("acme_client.http")
    with Secrets("hush-hush").hide_in_logs("acme_client"), Secrets("token-1").hide_in_logs("acme_client"):
        try:
            json.loads("{}", cls=_Failing)
        except ValueError:
            logger.exception("key %s", "hush-hush")
    logger.info("hush-hush")
    said = "\n".join(map(logging.Formatter().format, caplog.records))
    assert "key …" in said
    assert "ValueError: no …, …" in said
    assert said.endswith("\nhush-hush")
    assert said.count("hush-hush") == 1


def test_a_tool_that_raises_shows_its_variables_in_no_spelling(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACME_KEY", "a+b/c=d 1")
    monkeypatch.setenv("ACME_LEVEL", "1")

    def publish() -> None:
        """Publish."""
        raise ValueError("HTTP 401 from /?key=a%2Bb%2Fc%3Dd+1")

    result = Executor([Tool.from_function(publish, requires_env=("ACME_KEY", "ACME_LEVEL"))]).call("publish")
    assert result.content == "ValueError: HTTP 401 from /?key=…"
