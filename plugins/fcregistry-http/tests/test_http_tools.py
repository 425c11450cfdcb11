"""Endpoints as tools: each call becomes the request that was meant, and no other."""

from __future__ import annotations

import json
from datetime import date
from typing import Any, Literal

import pytest
from fcregistry import Executor, Tool
from fcregistry.errors import DefinitionError

from fcregistry_http import FromEnv, http_tool

from .conftest import Server

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"query": {"type": "string"}, "value": {"type": "integer"}},
    "required": ["query", "value"],
    "additionalProperties": False,
}
GIVEN = {"query": "test query", "value": 42}


def tool(method: str, url: str, schema: dict[str, Any] = SCHEMA, **more: Any) -> Tool:
    return http_tool(method, url, parameters=schema, name="ask", description="Ask.", **more)


def properties(*required: str, **types: Any) -> dict[str, Any]:
    return {"type": "object", "properties": types, "required": list(required), "additionalProperties": False}


def ask(made: Tool, **arguments: Any) -> Any:
    return Executor([made]).call("ask", **arguments)


# --- requests -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE"])
def test_every_method_sends_what_it_is_given(server: Server, method: str) -> None:
    result = ask(tool(method, f"{server.url}/test"), **GIVEN)
    assert result.content == "Received: test query with value 42"
    asked = server.asked[0]
    in_query = method in ("GET", "DELETE")
    assert asked["method"] == method
    assert asked["query"] == ([("query", "test query"), ("value", "42")] if in_query else [])
    assert asked["body"] == (None if in_query else GIVEN)


def test_the_path_takes_its_arguments_and_the_body_the_rest(server: Server) -> None:
    schema = properties("query", "value", query={"type": "string"}, value={"type": "integer"}, note={"type": "string"})
    result = ask(
        tool("POST", f"{server.url}/test/{{query}}/{{value}}.txt", schema), query="a/b?c#d%2e", value=4, note="n"
    )
    assert json.loads(result.content)["path"] == "/test/a%2Fb%3Fc%23d%252e/4.txt"
    assert server.asked[0]["body"] == {"note": "n"}


@pytest.mark.parametrize("value", ["", ".", "..", "\ud800"])
def test_an_argument_does_not_name_another_path(server: Server, value: str) -> None:
    schema = properties("name", name={"type": "string"})
    result = ask(tool("GET", f"{server.url}/files/{{name}}/text", schema), name=value)
    assert (result.error.code, server.asked) == ("tool_failed", [])
    assert result.content.startswith(("name is part of the URL's path and cannot be", "the arguments cannot be sent"))


@pytest.mark.parametrize(("first", "second"), [(".", "x"), ("x", "."), ("", "x"), (".", ".")])
def test_arguments_of_one_segment_do_not_either(server: Server, first: str, second: str) -> None:
    schema = properties("a", "b", a={"type": "string"}, b={"type": "string"})
    made = tool("GET", f"{server.url}/files/{{a}}{{b}}", schema)
    assert not ask(made, a=first, b=second).ok
    assert server.asked == []
    assert ask(made, a=".x", b="y..").ok
    assert server.asked[0]["path"] == "/files/.xy.."


def test_in_a_query_arrays_repeat_the_name_booleans_are_words_and_null_is_left_out(server: Server) -> None:
    schema = properties(tags={"type": "array"}, new={"type": "boolean"}, low={"type": "number"}, none={"type": "null"})
    result = ask(tool("GET", server.url, schema), tags=["a&b", 1, None], new=True, low=0.5, none=None)
    assert json.loads(result.content)["path"] == "/"
    assert server.asked[0]["query"] == [("tags", "a&b"), ("tags", "1"), ("new", "true"), ("low", "0.5")]
    assert "it must be a string" in ask(tool("GET", server.url, properties(a={})), a={"b": 1}).content


def test_a_request_may_have_both_a_query_and_a_body(server: Server) -> None:
    schema = properties("dry", "text", dry={"type": "boolean"}, text={"type": "string"})
    ask(tool("POST", f"{server.url}/notes", schema, query=["dry"]), dry=False, text="t")
    assert (server.asked[0]["query"], server.asked[0]["body"]) == ([("dry", "false")], {"text": "t"})


def test_arguments_that_do_not_fit_are_not_sent(server: Server) -> None:
    result = ask(tool("GET", f"{server.url}/test"), query=5)
    assert (result.error.code, server.asked) == ("invalid_arguments", [])
    assert [problem.path for problem in result.error.problems] == ["$.query", "$.value"]


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("given", ["\ud800", 10**5000, {"a": ["\ud800"]}], ids=["half", "long", "inside"])
def test_arguments_that_cannot_be_sent_are_a_failure(server: Server, method: str, given: Any) -> None:
    result = ask(tool(method, server.url, properties(a=True)), a=given)
    assert result.content.startswith("the arguments cannot be sent")
    assert server.asked == []


def test_a_url_that_is_too_long_is_a_failure(server: Server) -> None:
    made = tool("GET", f"{server.url}/{{name}}", properties("name", name={"type": "string"}))
    assert "is not valid: URL too long" in ask(made, name="a" * 70_000).content
    assert server.asked == []


def test_a_secret_is_sent_and_shown_nowhere(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    made = tool("GET", f"{server.url}/500", properties(), headers={"X-Key": FromEnv("ACME_KEY", "Key {}")})
    assert made.options.requires_env == ("ACME_KEY",)
    assert ask(made).error.code == "unavailable"
    monkeypatch.setenv("ACME_KEY", "s3cret")
    result = ask(made)
    assert server.asked[0]["key"] == "Key s3cret"
    assert "s3cret" not in f"{result.content}{made!r}{made.options}{made.definition('openai')}"
    monkeypatch.setenv("ACME_KEY", "s3\ncret")
    assert (
        ask(made).content
        == "the header X-Key cannot be sent: its variable contains a character that headers cannot have"
    )
    assert len(server.asked) == 1


# --- definitions --------------------------------------------------------------------------------------


def get_notes(city: str, since: date, kind: Literal["new", "old"] = "new", limit: int | None = None) -> list[str]:
    """Get the notes of a city.

    Args:
        city: The city's name.
        since: The first day.
        kind: Which.
        limit: The most.
    """
    raise AssertionError("never called")


def test_a_function_says_what_the_tool_takes(server: Server) -> None:
    made = http_tool("GET", f"{server.url}/cities/{{city}}/json", like=get_notes, returns="json")
    assert (made.name, made.description) == ("get_notes", "Get the notes of a city.")
    assert made.parameters == Tool.from_function(get_notes).parameters
    result = Executor([made]).run(
        {"name": "get_notes", "arguments": {"city": "São Paulo", "since": "2026-01-31", "kind": "old"}}
    )
    assert result.value["path"] == "/cities/S%C3%A3o%20Paulo/json"
    assert result.value["query"] == [["since", "2026-01-31"], ["kind", "old"]]


def test_hints_are_those_of_the_method_unless_others_are_given(server: Server) -> None:
    get, put, delete = (tool(method, server.url).options for method in ("GET", "PUT", "DELETE"))
    assert (get.read_only, get.idempotent, get.destructive, get.open_world) == (True, True, None, True)
    assert (put.read_only, put.idempotent, delete.destructive) == (None, True, True)
    other = tool("POST", server.url, read_only=True, requires_env="A", headers={"X-Key": FromEnv("B")}, timeout=3)
    assert (other.options.read_only, other.options.requires_env) == (True, ("A", "B"))


@pytest.mark.parametrize(
    ("method", "url", "says"),
    [
        ("FETCH", "https://a.example/", ["the method must be one of GET, POST"]),
        ("GET", "http://[::1/", ["the URL cannot be read"]),
        ("GET", "http://a.example:99999/", ["the URL cannot be read"]),
        ("GET", "http://a.example /\n", ["the URL cannot be read"]),
        ("GET", "https://a.example/{either}", ["'either' is in the path, so it cannot be an array or object"]),
        ("GET", "a.example/x", ["the URL must begin with https:// or http:// and a host"]),
        ("GET", "https://{query}.example/", ["only the path can have {name}"]),
        ("GET", "https://u:p@a.example/", ["the URL contains credentials"]),
        ("GET", "https://a.example/?a={query}", ["only the path can have {name}", "has a query or a fragment"]),
        ("GET", "https://a.example/{query}/{query}", ["{query} twice"]),
        ("GET", "https://a.example/{nothing}/{", ["there is no parameter 'nothing'", "a { or }"]),
        (
            "GET",
            "https://a.example/{note}/{items}",
            ["'note' is in the path, so it must be required", "cannot be an array"],
        ),
    ],
)
def test_an_endpoint_that_cannot_be_called_is_refused_with_every_problem(
    method: str, url: str, says: list[str]
) -> None:
    schema = properties(
        *("query", "items", "either"),
        query={"type": "string"},
        note={"type": "string"},
        items={"type": "array"},
        either={"type": ["object", "array"]},
    )
    with pytest.raises(DefinitionError) as raised:
        tool(method, url, schema)
    assert all(each in str(raised.value) for each in says)
    assert len(raised.value.problems) == len(says)
    assert "u:p" not in str(raised.value)


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"headers": {"X Key": "a"}}, "'X Key' is not a valid header name"),
        ({"headers": {"X-Key": "a\r\nb: c"}}, "contains a character that headers cannot have"),
        ({"headers": {"X-Key": 5}}, r"must be a string or FromEnv\('VARIABLE'\), not int"),
        ({"returns": "xml"}, "returns= must be one of text, json, content, not 'xml'"),
        ({"headers": {1: "a"}}, "1 is not a valid header name"),
        ({"query": "ab"}, r"query= takes a list of names, such as \['ab'\]"),
        ({"timeout": 0}, "timeout= takes seconds, a finite number above 0, not 0"),
        ({"timeout": float("inf")}, "not inf"),
        ({"max_bytes": 0}, "max_bytes= takes a whole number above 0, not 0"),
        ({"query": ["nothing"]}, "query= names 'nothing'"),
        ({"like": get_notes}, "like= \\(a function\\) or parameters="),
        ({"name": ""}, "needs name= and description="),
        ({"tags": 5}, "option 'tags'"),
    ],
)
def test_wrong_settings_are_refused(more: dict[str, Any], says: str) -> None:
    given = {"parameters": SCHEMA, "name": "ask", "description": "Ask.", **more}
    with pytest.raises(DefinitionError, match=says):
        http_tool("GET", "https://a.example/", **given)
