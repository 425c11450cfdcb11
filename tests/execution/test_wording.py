"""The text that a model reads for each failure of a call."""

from __future__ import annotations

import urllib.error
from dataclasses import dataclass
from typing import Any

import pytest

from fcregistry import Executor, Tool, ToolCall
from fcregistry.errors import ToolError
from fcregistry.execution import Approve, CallError, Deny, Policy


def nothing() -> None:
    """Do nothing."""


def raising(exception: BaseException, **options: Any) -> Tool:
    """Return a tool that raises."""

    def f() -> None:
        """Fail."""
        raise exception

    return Tool.from_function(f, **options)


def returning(value: Any, **options: Any) -> Tool:
    """Return a tool that returns a value."""

    def f() -> Any:
        """Return it."""
        return value

    return Tool.from_function(f, **options)


def error_of(tool: Any, arguments: Any = None, **options: Any) -> CallError:
    """Return the error of a call."""
    made = Executor(tool, **options)
    error = made.run(ToolCall(next(iter(made.tools)), arguments)).error
    assert error is not None
    return error


def scrubbed(text: str) -> str:
    """Return what a model reads of a text that a tool raised for it."""
    return error_of(raising(ToolError(text))).text


class Odd(dict[str, int]):
    """A value that cannot be asked for what it holds."""

    def __init__(self, error: Exception) -> None:
        super().__init__(a=1)
        self.error = error

    def items(self) -> Any:
        raise self.error


@dataclass
class Day:
    text: str

    def __post_init__(self) -> None:
        raise ValueError(self.text)


def note(days: list[dict[str, Day]]) -> None:
    """Note days."""


@pytest.mark.parametrize(
    ("name", "names", "text"),
    [
        ("fnid", ["find", "add"], "there is no tool 'fnid'; did you mean 'find'?"),
        ("zzz", ["find", "add"], "there is no tool 'zzz'; the tools are add, find"),
        ("zzz", [], "there is no tool 'zzz'; no tools are available"),
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
    error = unknown(name, names)

    assert (error.code, error.text, error.retryable) == ("unknown_tool", text, False)


def test_the_error_for_an_unknown_name_of_a_million_characters_is_short() -> None:
    assert len(unknown("find" * 250_000, ["find"]).text) < 200


def unknown(name: str, names: list[str]) -> CallError:
    """Return the error of a call of a name among tools of others."""
    error = Executor([Tool.from_function(nothing, name=each) for each in names]).run(ToolCall(name)).error
    assert error is not None
    return error


def test_invalid_arguments() -> None:
    def f(a: int, b: list[str]) -> None:
        """Take them."""

    error = error_of(f, {"b": [1]})

    assert error.code == "invalid_arguments"
    assert error.text == (
        "the arguments of f are not valid; it was not run:\n- $.a: is required\n- $.b[0]: must be a string, not 1"
    )


def test_the_value_of_a_required_variable_is_in_no_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FCR_KEY", "s3cr3t")
    keyed = {"requires_env": "FCR_KEY"}
    errors = [
        error_of(Tool.from_function(note, **keyed), {"days": [{"a": {"text": "rejected by s3cr3t"}}]}),
        error_of(returning(Odd(RuntimeError("at ?key=s3cr3t")), **keyed)),
        error_of(raising(RuntimeError("with s3cr3t"), **keyed)),
    ]
    assert [error.code for error in errors] == ["invalid_arguments", "unencodable_result", "tool_failed"]
    assert [error.text for error in errors if "s3cr3t" in error.text] == []


def test_a_value_that_its_type_refuses() -> None:
    error = error_of(note, {"days": [{}, {}, {"odd key": {"text": "no \x1b[31msuch day"}}]})

    assert error.code == "invalid_arguments"
    assert error.text == (
        "the arguments of note are not valid; it was not run:\n"
        "- $.days[2]['odd key']: Day refuses it: ValueError: no such day"
    )


def test_a_tool_without_its_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FCR_KEY", raising=False)
    monkeypatch.delenv("FCR_URL", raising=False)
    error = error_of(Tool.from_function(nothing, requires_env=("FCR_KEY",)))
    both = error_of(Tool.from_function(nothing, requires_env=("FCR_KEY", "FCR_URL")))

    assert (error.code, error.text) == (
        "unavailable",
        "nothing is not available here: the environment variable FCR_KEY is not set",
    )
    assert "FCR_KEY, FCR_URL" in both.text


def test_approval() -> None:
    failure = RuntimeError("secret")

    def fail(tool: Tool, call: ToolCall) -> bool:
        raise failure

    f = returning(1, requires_approval=True)
    required, denied, failed = error_of(f), error_of(f, approve=lambda tool, call: False), error_of(f, approve=fail)

    assert (required.code, required.text) == (
        "approval_required",
        "f requires approval, and there is no approver; it was not run",
    )
    assert (denied.code, denied.text) == ("denied", "the call of f was denied; it was not run")
    because = error_of(f, approve=lambda tool, call: Deny("use the trash"))
    assert because.text == "the call of f was denied; it was not run: use the trash"
    assert (failed.code, failed.text, failed.exception) == (
        "denied",
        "f was not run: its approver failed",
        failure,
    )


def test_arguments_of_an_approver_that_are_not_valid() -> None:
    def f(path: str) -> None:
        """Take a path."""

    def text(arguments: dict[str, Any]) -> str:
        return error_of(
            Tool.from_function(f, requires_approval=True),
            {"path": "a"},
            approve=lambda tool, call: Approve(arguments),
        ).text

    assert text({"path": 1}) == (
        "f was approved with other arguments, which are not valid; it was not run:\n- $.path: must be a string, not 1"
    )
    assert text({"path": b"c"}) == (
        "f was approved with other arguments; it was not run: the arguments must be valid JSON: $.path is a Python bytes"
    )


def test_a_tool_that_the_policy_denies() -> None:
    error = error_of(returning(1), policy=Policy(deny=["f"]))

    assert (error.code, error.text) == ("denied", "f is not allowed here; it was not run")


def test_the_reason_of_a_denial_is_scrubbed_and_bounded() -> None:
    f = returning(1, requires_approval=True)

    assert error_of(f, approve=lambda tool, call: Deny("\x1b[31mno\x1b[0m, see 0x7f00deadbeef")).text == (
        "the call of f was denied; it was not run: no, see 0x…"
    )
    assert len(error_of(f, approve=lambda tool, call: Deny("no " * 100_000)).text) < 2200


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
        (ToolError(""), "f failed"),
        (ValueError("a\nb\tc\x00\x07"), "ValueError: a\nb\tc"),
    ],
)
def test_the_text_of_an_exception_of_a_tool(exception: BaseException, text: str) -> None:
    error = error_of(raising(exception))

    assert (error.code, error.text, error.exception) == ("tool_failed", text, exception)


def test_a_tool_error_says_whether_to_try_again() -> None:
    error = error_of(raising(ToolError("busy", retryable=True, retry_after=2.5)))

    assert (error.retryable, error.retry_after) == (True, 2.5)
    assert error_of(raising(ValueError("x"))).retryable is False


def test_a_result_that_cannot_be_shown() -> None:
    assert error_of(returning(object())).text == (
        "f ran, but its result cannot be shown: a value of type builtins.object has no JSON form"
    )
    assert error_of(returning(Odd(RuntimeError("at <object at 0x7f00deadbeef>")))).text == (
        "f ran, but its result cannot be shown: RuntimeError: at <object at 0x…>"
    )
    assert error_of(returning(Odd(Unspeakable()))).text == "f ran, but its result cannot be shown: Unspeakable"


@pytest.mark.parametrize(
    ("text", "read"),
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
def test_a_text_is_scrubbed(text: str, read: str) -> None:
    assert scrubbed(text) == read


@pytest.mark.parametrize(
    "piece", ["://", "@", "://@", "://a@", "a.", "://a.", "://a:1", "'", "://'", '",', "0x", "\x1b["]
)
def test_no_text_takes_long_to_scrub(piece: str) -> None:
    """An algorithm of quadratic time would take longer than a test may take."""
    text = "://a" + piece * (1_000_000 // len(piece))
    for _ in range(2):
        assert 0 < len(scrubbed(text)) < 2_100  # a long text is cut
        text = "u:p://" + text  # at the beginning, the credentials go on to the end


def test_a_long_text_is_bounded_and_says_by_how_much() -> None:
    assert scrubbed("x" * 2000) == "x" * 2000
    assert scrubbed("x" * 5000) == "x" * 2000 + "… (3000 more characters)"


def test_the_value_of_a_required_variable_is_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FCR_TOKEN", "hunter2-hunter2")
    keyed = {"requires_env": "FCR_TOKEN"}

    error = error_of(raising(ValueError("401 for token hunter2-hunter2 at https://x?key=hunter2-hunter2"), **keyed))
    assert error.text == "ValueError: 401 for token … at https://x?key=…"
    assert error_of(raising(ToolError("bad hunter2-hunter2"), **keyed)).text == "bad …"


def test_a_secret_that_control_characters_hide_is_not_shown_either(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FCR_TOKEN", "hunter2-hunter2")
    hidden = ValueError("hunter2\x1b[0m-hunter2 hunter2-\x00hunter2")

    assert "hunter2" not in error_of(raising(hidden, requires_env="FCR_TOKEN")).text


def test_an_empty_variable_replaces_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FCR_TOKEN", "hunter2-hunter2")

    def f() -> None:
        """Fail."""
        monkeypatch.setenv("FCR_TOKEN", "")
        raise ValueError("abc")

    assert error_of(Tool.from_function(f, requires_env="FCR_TOKEN")).text == "ValueError: abc"
