"""Which words does a model read for each failure? Every text of the pipeline stands here."""

from __future__ import annotations

import os
import urllib.error
from time import perf_counter

import pytest

from fcregistry import Problem, Tool
from fcregistry.errors import ToolError
from fcregistry.execution import _messages as wording
from fcregistry.types import EncodingError, Refusal


def tool() -> None:
    """Do nothing."""


TOOL = Tool.from_function(tool)


@pytest.mark.parametrize(
    ("name", "names", "text"),
    [
        ("fnid", ["find", "add"], "there is no tool 'fnid'; did you mean 'find'?"),
        ("zzz", ["find", "add"], "there is no tool 'zzz'; the tools are add, find"),
        ("zzz", [], "there is no tool 'zzz'; there are none"),
        ("functions.get", ["functions", "get"], "there is no tool 'functions.get'; did you mean 'get'?"),
        ("search.web:a", ["a", "search_web"], "there is no tool 'search.web:a'; did you mean 'a'?"),
        ("GET", ["find", "get"], "there is no tool 'GET'; did you mean 'get'?"),
        (
            "zzz",
            [f"t{number:02}" for number in range(30)],
            "there is no tool 'zzz'; the tools are "
            + ", ".join(f"t{number:02}" for number in range(20))
            + ", … (30 tools)",
        ),
        ("x" * 70, ["find"], f"there is no tool '{'x' * 64}…'; the tools are find"),
        ("a\nb\x1b[31m\ud800", ["find"], "there is no tool 'a\\nb\\x1b[31m\\ud800'; the tools are find"),
    ],
)
def test_an_unknown_tool(name: str, names: list[str], text: str) -> None:
    error = wording.unknown_tool(name, names)

    assert (error.code, error.text, error.retryable) == ("unknown_tool", text, False)


def test_an_unknown_name_of_a_million_characters_is_answered_in_few() -> None:
    assert len(wording.unknown_tool("find" * 250_000, ["find"]).text) < 200


def test_invalid_arguments() -> None:
    error = wording.invalid_arguments(
        "f", (Problem("$.a", "is required"), Problem("$.b[0]", "must be a string, not 1"))
    )

    assert error.code == "invalid_arguments"
    assert error.text == (
        "the arguments of f are not valid; it was not run:\n- $.a: is required\n- $.b[0]: must be a string, not 1"
    )


NAMED = Tool.from_function(lambda: None, name="f")


def test_the_value_of_a_required_variable_is_in_no_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FCR_KEY", "s3cr3t")
    keeper = Tool.from_function(lambda: None, name="f", requires_env="FCR_KEY")
    texts = [
        wording.refused(keeper, Refusal("rejected by s3cr3t")).text,
        wording.unencodable(keeper, RuntimeError("at ?key=s3cr3t")).text,
        wording.tool_failed(keeper, RuntimeError("with s3cr3t")).text,
    ]
    assert [text for text in texts if "s3cr3t" in text] == []


def test_a_value_that_its_type_refuses() -> None:
    error = wording.refused(NAMED, Refusal("no \x1b[31msuch day", ("days", 2, "odd key")))

    assert error.code == "invalid_arguments"
    assert error.text == "the arguments of f are not valid; it was not run:\n- $.days[2]['odd key']: no such day"


def test_a_tool_without_its_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FCR_KEY", raising=False)
    monkeypatch.delenv("FCR_URL", raising=False)
    error = wording.unavailable(Tool.from_function(tool, requires_env=("FCR_KEY",)))
    both = wording.unavailable(Tool.from_function(tool, requires_env=("FCR_KEY", "FCR_URL")))

    assert (error.code, error.text) == (
        "unavailable",
        "tool is not available here: the environment variable FCR_KEY is not set",
    )
    assert "FCR_KEY, FCR_URL" in both.text


def test_approval() -> None:
    required, denied = wording.approval_required("f"), wording.denied("f")
    failure = RuntimeError("secret")
    failed = wording.approval_failed("f", failure)

    assert (required.code, required.text) == (
        "approval_required",
        "f requires approval, and nobody is there to give it; it was not run",
    )
    assert (denied.code, denied.text) == ("denied", "the call of f was denied; it was not run")
    assert (failed.code, failed.text, failed.exception) == (
        "denied",
        "f was not run: asking for its approval failed",
        failure,
    )


class Unspeakable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


class HttpError(Exception):
    def __init__(self, status: int) -> None:
        super().__init__(f"HTTP {status}")


@pytest.mark.parametrize(
    ("exception", "text"),
    [
        (PermissionError("path is outside the allowed scope"), "PermissionError: path is outside the allowed scope"),
        (TimeoutError("upstream timed out"), "TimeoutError: upstream timed out"),
        (ValueError(), "ValueError"),
        (KeyError("k"), "KeyError: 'k'"),
        (SystemExit(3), "SystemExit: 3"),
        (HttpError(403), "HttpError: HTTP 403"),
        (
            urllib.error.HTTPError("http://x", 503, "Service Unavailable", None, None),  # type: ignore[arg-type]
            "HTTPError: HTTP Error 503: Service Unavailable",
        ),
        (Unspeakable(), "Unspeakable"),
        (ToolError("Document 'missing' does not exist."), "Document 'missing' does not exist."),
        (ToolError(""), "tool failed"),
        (ValueError("a\nb\tc\x00\x07"), "ValueError: a\nb\tc"),
    ],
)
def test_what_a_tool_raised(exception: BaseException, text: str) -> None:
    error = wording.tool_failed(TOOL, exception)

    assert (error.code, error.text, error.exception) == ("tool_failed", text, exception)


def test_a_tool_error_says_whether_to_try_again() -> None:
    error = wording.tool_failed(TOOL, ToolError("busy", retryable=True, retry_after=2.5))

    assert (error.retryable, error.retry_after) == (True, 2.5)
    assert wording.tool_failed(TOOL, ValueError("x")).retryable is False


def test_a_result_that_cannot_be_shown() -> None:
    assert wording.unencodable(NAMED, EncodingError("a value of type m.C has no JSON form")).text == (
        "f ran, but its result cannot be shown: a value of type m.C has no JSON form"
    )
    assert wording.unencodable(NAMED, RuntimeError("at <object at 0x7f00deadbeef>")).text == (
        "f ran, but its result cannot be shown: RuntimeError: at <object at 0x…>"
    )
    assert wording.unencodable(NAMED, Unspeakable()).text == "f ran, but its result cannot be shown: Unspeakable"


@pytest.mark.parametrize(
    ("text", "scrubbed"),
    [
        ("plain text stays", "plain text stays"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b[1;38;5;196mred\x1b[K", "red"),
        ("<C object at 0x7f3e1c0d2b50>", "<C object at 0x…>"),
        ("colour 0xFF stays", "colour 0xFF stays"),
        ("https://user:pa55@example.com/x?y=1", "https://…@example.com/x?y=1"),
        ("postgres://me:pw@db:5432/x and ftp://a@b", "postgres://…@db:5432/x and ftp://…@b"),
        (f"https://user:{'eyJ' * 500}@example.com/x", "https://…@example.com/x"),
        ("https://user:p@ss@example.com/x", "https://…@example.com/x"),
        ("https://user:pa/ss@example.com/x?y=1", "https://…@example.com/x?y=1"),
        ("redis://:pa?s#s@cache:6379/0", "redis://…@cache:6379/0"),
        ("https://us.er:pa'ss\"@example.com", "https://…@example.com"),
        ("https://ab/cd==@example.com", "https://…@example.com"),
        ("('https://u:p@a.example', 'b@c')", "('https://…@a.example', 'b@c')"),
        ('{"url":"https://u:p@a.example","mail":"b@c"}', '{"url":"https://…@a.example","mail":"b@c"}'),
        ("<https://u:p@a.example>,b@c", "<https://…@a.example>,b@c"),
        ("https://a.example/?next=https://u:p@b.example/c", "https://a.example/?next=https://…@b.example/c"),
        ("https://api.example.com/users?email=me@example.com", "https://api.example.com/users?email=me@example.com"),
        ("https://cdn.example.com/lib@1.2/x.js", "https://cdn.example.com/lib@1.2/x.js"),
        ("https://example.com and me@example.com", "https://example.com and me@example.com"),
        ("mail me@example.com", "mail me@example.com"),
        ("  space around \n", "space around"),
        ("a\x00b\x08c\x7fd\x9be", "abcde"),
        ("ünïcode stays: 東京", "ünïcode stays: 東京"),
    ],
)
def test_a_text_is_scrubbed(text: str, scrubbed: str) -> None:
    assert wording.scrub(text) == scrubbed


@pytest.mark.parametrize(
    "piece", ["://", "@", "://@", "://a@", "a.", "://a.", "://a:1", "'", "://'", '",', "0x", "\x1b["]
)
def test_no_text_takes_long_to_scrub(piece: str) -> None:
    text = "://a" + piece * (1_000_000 // len(piece))
    start = perf_counter()
    for _ in range(2):
        wording.scrub(text)
        text = "u:p://" + text  # at the beginning, the credentials go on to the end
    assert perf_counter() - start < 10  # some 0.1; with work that grows as the square, hours


def test_a_long_text_is_bounded_and_says_by_how_much() -> None:
    assert wording.scrub("x" * 2000) == "x" * 2000
    assert wording.scrub("x" * 5000) == "x" * 2000 + "… (3000 more characters)"


def test_the_value_of_a_required_variable_is_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FCR_TOKEN", "hunter2-hunter2")
    keyed = Tool.from_function(tool, requires_env="FCR_TOKEN")

    error = wording.tool_failed(keyed, ValueError("401 for token hunter2-hunter2 at https://x?key=hunter2-hunter2"))
    assert error.text == "ValueError: 401 for token … at https://x?key=…"
    assert wording.tool_failed(keyed, ToolError("bad hunter2-hunter2")).text == "bad …"


def test_a_secret_that_control_characters_hide_is_not_shown_either(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FCR_TOKEN", "hunter2-hunter2")
    keyed = Tool.from_function(tool, requires_env="FCR_TOKEN")

    assert "hunter2" not in wording.tool_failed(keyed, ValueError("hunter2\x1b[0m-hunter2 hunter2-\x00hunter2")).text


def test_an_empty_variable_replaces_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FCR_TOKEN", "")

    assert wording.tool_failed(Tool.from_function(tool, requires_env="FCR_TOKEN"), ValueError("abc")).text == (
        "ValueError: abc"
    )
    assert os.environ["FCR_TOKEN"] == ""
