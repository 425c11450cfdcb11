"""Reading calls from a provider's message, and reporting results to it."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any, TypedDict

import pytest
from anthropic.types import Message
from openai.types.chat import ChatCompletion
from openai.types.responses import Response

from fcregistry import Executor, Tool, ToolCall, ToolResult, formats
from fcregistry.formats import MalformedCallError, read_call, read_calls


class Sum(TypedDict):
    total: int


def add(a: int, b: int) -> int:
    """Add."""
    return a + b


OPENAI = {
    "role": "assistant",
    "content": None,
    "tool_calls": [
        {"id": "1", "type": "function", "function": {"name": "add", "arguments": '{"a": 1, "b": 2}'}},
        {"id": "2", "type": "function", "function": {"name": "add", "arguments": ""}},
    ],
}
ANTHROPIC = {
    "role": "assistant",
    "content": [
        {"type": "text", "text": "Let me see."},
        {"type": "tool_use", "id": "1", "name": "add", "input": {"a": 1, "b": 2}},
        {"type": "tool_use", "id": "2", "name": "add", "input": {}},
    ],
}
RESPONSES = {
    "output": [
        {"type": "reasoning", "id": "rs_1"},
        {"type": "function_call", "id": "fc_1", "call_id": "1", "name": "add", "arguments": '{"a": 1, "b": 2}'},
    ]
}


GEMINI = {
    "role": "model",
    "parts": [
        {"text": "Let me see.", "thoughtSignature": "c2ln"},
        {"functionCall": {"id": "1", "name": "add", "args": {"a": 1, "b": 2}}},
        {"functionCall": {"name": "add"}},
    ],
}
BEDROCK = {
    "role": "assistant",
    "content": [
        {"text": "Let me see."},
        {"toolUse": {"toolUseId": "s", "name": "search", "input": {}, "type": "server_tool_use"}},
        {"toolUse": {"toolUseId": "1", "name": "add", "input": {"a": 1, "b": 2}}},
        {"toolUse": {"toolUseId": "2", "name": "add", "input": {}}},
    ],
}


def as_object(value: Any) -> Any:
    """Return dicts as the objects of an SDK."""
    if isinstance(value, dict):
        return SimpleNamespace(**{name: as_object(item) for name, item in value.items() if name != "arguments_dict"})
    if isinstance(value, list):
        return [as_object(item) for item in value]
    return value


def parse(name: str, message: Any) -> list[ToolCall]:
    parser = formats.get(name).parse
    assert parser is not None
    return parser(message)


def report(name: str, results: list[ToolResult]) -> list[dict[str, Any]]:
    reporter = formats.get(name).report
    assert reporter is not None
    return reporter(results)


@pytest.mark.parametrize("message", [OPENAI, as_object(OPENAI)], ids=["dict", "object"])
def test_openai_calls(message: Any) -> None:
    assert parse("openai", message) == [ToolCall("add", '{"a": 1, "b": 2}', "1"), ToolCall("add", "", "2")]


def test_anthropic_calls() -> None:
    expected = [ToolCall("add", {"a": 1, "b": 2}, "1"), ToolCall("add", {}, "2")]
    sdk = SimpleNamespace(
        content=[
            SimpleNamespace(type="text", text="Let me see."),
            SimpleNamespace(type="tool_use", id="1", name="add", input={"a": 1, "b": 2}),
            SimpleNamespace(type="tool_use", id="2", name="add", input={}),
        ]
    )

    assert parse("anthropic", ANTHROPIC) == expected
    assert parse("anthropic", sdk) == expected


def test_gemini_calls() -> None:
    expected = [ToolCall("add", {"a": 1, "b": 2}, "1"), ToolCall("add", None)]
    part = SimpleNamespace(
        text=None, function_call=SimpleNamespace(id="1", name="add", args={"a": 1, "b": 2}, will_continue=None)
    )
    text = SimpleNamespace(text="x", function_call=None)
    sdk = SimpleNamespace(candidates=[SimpleNamespace(content=SimpleNamespace(role="model", parts=[text, part]))])

    assert parse("gemini", GEMINI) == expected
    assert parse("gemini", {"candidates": [{"content": GEMINI, "finishReason": "STOP"}]}) == expected
    assert parse("gemini", GEMINI["parts"][1:]) == expected
    assert parse("gemini", sdk) == expected[:1]
    assert parse("gemini", [part.function_call]) == expected[:1]
    assert parse("gemini", [{"name": "add", "args": {"a": 1}}]) == [ToolCall("add", {"a": 1})]


def test_bedrock_calls_but_for_those_that_bedrock_makes_itself() -> None:
    expected = [ToolCall("add", {"a": 1, "b": 2}, "1"), ToolCall("add", {}, "2")]

    assert parse("bedrock", BEDROCK) == expected
    assert parse("bedrock", {"output": {"message": BEDROCK}, "stopReason": "tool_use"}) == expected
    assert parse("bedrock", [BEDROCK["content"][3]]) == expected[1:]


def test_openais_older_function_call_is_not_taken_for_geminis() -> None:
    call = {"name": "add", "arguments": '{"a": 1, "b": 2}'}

    assert read_call({"function_call": call}) == ToolCall("add", '{"a": 1, "b": 2}')
    assert parse("openai", {"role": "assistant", "function_call": call}) == [ToolCall("add", '{"a": 1, "b": 2}')]
    assert parse("gemini", [{"function_call": {"name": "add", "args": {}}}]) == [ToolCall("add", {})]


@pytest.mark.parametrize("message", [OPENAI, ANTHROPIC, RESPONSES, GEMINI, BEDROCK])
@pytest.mark.parametrize("name", ["openai", "openai-responses", "anthropic", "gemini", "bedrock"])
def test_every_format_reads_the_message_of_every_provider(name: str, message: Any) -> None:
    first = parse(name, message)[0]
    assert (first.name, first.id) == ("add", "1")
    assert Executor([add]).run_all(read_calls(message))[0].value == 3


def test_calls_of_openais_responses_are_answered_by_their_call_id() -> None:
    expected = [ToolCall("add", '{"a": 1, "b": 2}', "1")]

    assert parse("openai-responses", RESPONSES) == parse("openai", RESPONSES) == expected
    assert parse("openai-responses", as_object(RESPONSES)) == expected


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": {"name": "add", "arguments": {"a": 1}}},
        {"name": "add", "arguments": {"a": 1}},
    ],
)
def test_mcp_calls(message: Any) -> None:
    assert parse("mcp", message) == [ToolCall("add", {"a": 1})]


@pytest.mark.parametrize(
    "message",
    [
        None,
        {},
        [],
        "text",
        {"role": "assistant", "content": "text"},
        {"role": "assistant", "content": None, "tool_calls": None},
        {"role": "assistant", "content": None, "tool_calls": []},
        {"content": []},
        {"content": [{"type": "text", "text": "x"}]},
        {"content": [None, "x", 3]},
        {"output": []},
        {"output": {}},
        {"output": {"message": "text"}},
        {"output": {"message": {"role": "assistant", "content": [{"text": "x"}]}}},
        {"parts": [{"text": "x"}, {"functionCall": None}]},
        {"candidates": []},
        {"candidates": None},
        {"candidates": [{"content": None}]},
        {"content": [{"toolUse": {"name": "search", "type": "server_tool_use"}}]},
        SimpleNamespace(content=None, tool_calls=None),
        SimpleNamespace(),
    ],
)
def test_a_message_without_calls_has_none(message: Any) -> None:
    assert parse("openai", message) == []
    assert parse("anthropic", message) == []
    assert read_calls(message) == []


def test_empty_tool_calls_beside_blocks_do_not_hide_them() -> None:
    assert len(read_calls({"tool_calls": [], **ANTHROPIC})) == 2


def test_a_list_is_a_list_of_calls() -> None:
    assert read_calls([1, None]) == [1, None]
    assert parse("openai", OPENAI["tool_calls"]) == parse("openai", OPENAI)


@pytest.mark.parametrize("calls", ["add", 5, {"name": "add"}, {}])
def test_tool_calls_that_are_not_list_are_one_call(calls: Any) -> None:
    assert read_calls({"role": "assistant", "tool_calls": calls}) == [calls]


@pytest.mark.parametrize("call", [ANTHROPIC["content"][1], RESPONSES["output"][1]])
def test_a_call_by_itself_is_a_message_of_one_call(call: Any) -> None:
    assert read_calls(call) == [call]
    assert read_calls(sdk := as_object(call)) == [sdk]


def test_one_malformed_call_makes_the_message_unreadable_as_a_whole_and_says_which() -> None:
    message = {"tool_calls": [*OPENAI["tool_calls"], {"id": "3", "function": {"name": None}}]}  # type: ignore[misc]

    with pytest.raises(
        MalformedCallError, match="the name of the tool is null; it must be the name of a tool"
    ) as caught:
        parse("openai", message)
    assert (caught.value.id, caught.value.name) == ("3", "")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (None, "null is not a tool call: a tool call is "),
        (True, "a boolean is not a tool call: "),
        ("x", "text is not a tool call: "),
        (1.5, "a number is not a tool call: "),
        ([1], "a list is not a tool call: "),
        ({}, "an object without a name is not a tool call: "),
        (object(), "an object is not a tool call: "),
        ({"name": 12}, "the name of the tool is a number; it must be the name of a tool"),
        ({"name": ""}, "the name of the tool is ''; it must be the name of a tool"),
        ({"name": []}, "the name of the tool is a list; it must be the name of a tool"),
        ({"name": {"a": 1}}, "the name of the tool is an object; it must be the name of a tool"),
        ({"name": "add", "arguments": 5}, "the arguments of 'add' are a number; they must be a JSON object"),
        ({"name": "add", "arguments": []}, "the arguments of 'add' are a list; they must be a JSON object"),
    ],
)
def test_a_value_that_is_not_a_call_is_refused_with_what_it_is(value: Any, message: str) -> None:
    with pytest.raises(MalformedCallError) as caught:
        read_call(value)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("beside", "shown"),
    [
        ({"parameters": {"a": 1, "b": 2}}, "'parameters'"),
        ({"folder": "/tmp"}, "'folder'"),
        ({"kwargs": {}}, "'kwargs'"),
        ({"limit": None}, "'limit'"),
    ],
)
def test_arguments_in_another_field_are_not_ignored(beside: dict[str, Any], shown: str) -> None:
    given = {"name": "add", **beside}
    for call in ({"id": "3", **given}, {"id": "3", "type": "function", "function": given}):
        with pytest.raises(MalformedCallError) as caught:
            read_call(call)
        assert str(caught.value) == (
            f'the call of \'add\' has no "arguments", and {shown} is not read: write {{"name": …, "arguments": {{…}}}}'
        )
        assert (caught.value.id, caught.value.name) == ("3", "add")


@pytest.mark.parametrize(
    "call",
    [
        {"name": "add"},
        {"name": "add", "id": "3", "type": "tool_use", "index": 0, "status": "completed"},
        {"type": "function", "index": 0, "id": "3", "function": {"name": "add"}},
        {"type": "function_call", "id": "fc_1", "call_id": "3", "name": "add"},
    ],
)
def test_a_bare_name_is_a_call_without_arguments(call: dict[str, Any]) -> None:
    assert (read_call(call).name, read_call(call).arguments) == ("add", None)


def test_a_name_that_could_be_read_is_kept_although_the_arguments_are_none() -> None:
    with pytest.raises(MalformedCallError) as caught:
        read_call({"id": "3", "name": "add", "arguments": 5})
    assert (caught.value.id, caught.value.name) == ("3", "add")


RESULTS = Executor([add]).run_all([*OPENAI["tool_calls"], None])  # type: ignore[misc]
FAILED = RESULTS[1].content


@pytest.fixture
def results() -> list[ToolResult]:
    return RESULTS


def test_results_for_openai(results: list[ToolResult]) -> None:
    reported = report("openai", results)

    assert reported[:2] == [
        {"role": "tool", "tool_call_id": "1", "content": "3"},
        {"role": "tool", "tool_call_id": "2", "content": FAILED},
    ]
    assert reported[2]["tool_call_id"] == ""
    assert reported[2]["content"].startswith("null is not a tool call")


def test_results_for_openais_responses(results: list[ToolResult]) -> None:
    reported = report("openai-responses", results)

    assert reported[:2] == [
        {"type": "function_call_output", "call_id": "1", "output": "3"},
        {"type": "function_call_output", "call_id": "2", "output": FAILED},
    ]
    assert (reported[2]["type"], reported[2]["call_id"]) == ("function_call_output", "")
    assert reported[2]["output"].startswith("null is not a tool call")


def test_results_for_anthropic(results: list[ToolResult]) -> None:
    assert report("anthropic", results[:2]) == [
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "1", "content": "3"},
                {"type": "tool_result", "tool_use_id": "2", "content": FAILED, "is_error": True},
            ],
        }
    ]


def test_results_for_mcp(results: list[ToolResult]) -> None:
    assert report("mcp", results[:2]) == [
        {"content": [{"type": "text", "text": "3"}], "isError": False},
        {"content": [{"type": "text", "text": FAILED}], "isError": True},
    ]


def test_results_for_gemini(results: list[ToolResult]) -> None:
    assert report("gemini", results[:2]) == [
        {
            "role": "user",
            "parts": [
                {"functionResponse": {"id": "1", "name": "add", "response": {"output": 3}}},
                {"functionResponse": {"id": "2", "name": "add", "response": {"error": FAILED}}},
            ],
        }
    ]
    (unread,) = report("gemini", results[2:])[0]["parts"]
    assert unread["functionResponse"]["name"] == ""


def test_gemini_is_given_values_as_json_and_texts_as_they_are_under_the_name_it_used() -> None:
    def listing() -> list[dict[str, Any]]:
        return [{"a": 1.5}]

    def text() -> str:
        return '{"a": 1}'

    executor = Executor([Tool.from_function(listing, name="9lives"), text])
    (message,) = report(
        "gemini", executor.run_all([{"functionCall": {"name": "_x39_lives"}}, {"functionCall": {"name": "text"}}])
    )

    assert [part["functionResponse"] for part in message["parts"]] == [
        {"name": "_x39_lives", "response": {"output": [{"a": 1.5}]}},
        {"name": "text", "response": {"output": '{"a": 1}'}},
    ]


def test_results_for_bedrock(results: list[ToolResult]) -> None:
    assert report("bedrock", results[:2]) == [
        {
            "role": "user",
            "content": [
                {"toolResult": {"toolUseId": "1", "content": [{"text": "3"}]}},
                {"toolResult": {"toolUseId": "2", "content": [{"text": FAILED}], "status": "error"}},
            ],
        }
    ]


def test_mcp_gives_an_object_that_is_declared_as_structured_content_too() -> None:
    def total(a: int) -> Sum:
        if a < 0:
            raise ValueError("negative")
        return {"total": a}

    def undeclared(a: int) -> Any:
        return {"total": a}

    def text(a: int) -> Sum:
        return "nothing"  # type: ignore[return-value]

    executor = Executor([total, undeclared, text])
    calls = [("total", 3), ("total", -1), ("undeclared", 3), ("text", 3)]
    reported = report("mcp", executor.run_all([{"name": name, "arguments": {"a": a}} for name, a in calls]))

    assert reported[0] == {
        "content": [{"type": "text", "text": '{"total": 3}'}],
        "isError": False,
        "structuredContent": {"total": 3},
    }
    assert ["structuredContent" in each for each in reported] == [True, False, False, False]


@pytest.mark.parametrize("name", ["openai", "openai-responses", "anthropic", "gemini", "bedrock", "mcp"])
def test_no_results_are_reported_as_nothing(name: str) -> None:
    assert report(name, []) == []


@pytest.mark.parametrize("name", ["json-schema", "python", "text", "typescript", "yaml"])
def test_formats_of_descriptions_alone_have_no_messages(name: str) -> None:
    assert (formats.get(name).parse, formats.get(name).report) == (None, None)


def test_a_mapping_that_cannot_be_walked_is_a_malformed_call() -> None:
    class Odd(dict[str, Any]):
        def __iter__(self) -> Any:
            raise RuntimeError("no")

    with pytest.raises(MalformedCallError, match="the call of 'f' cannot be read: RuntimeError"):
        read_call(Odd(name="f"))


# --- a message or response in place of a call ---------------------------------------------------------------------

CHAT = {"id": "1", "choices": [{"index": 0, "finish_reason": "tool_calls", "message": OPENAI}]}
GENERATED = {"candidates": [{"content": GEMINI, "finishReason": "STOP"}]}


def as_object(value: Any) -> Any:
    """Return `value` with objects in place of its dicts, but for arguments, as an SDK has them."""
    if isinstance(value, list):
        return [as_object(each) for each in value]
    if isinstance(value, dict):
        arguments = ("input", "args")
        return SimpleNamespace(**{key: each if key in arguments else as_object(each) for key, each in value.items()})
    return value


@pytest.mark.parametrize(
    ("given", "parsed"),
    [
        (CHAT, 'formats.get("openai").parse(response.choices[0])'),
        (
            ChatCompletion.model_construct(**as_object(CHAT).__dict__),
            'formats.get("openai").parse(response.choices[0])',
        ),
        (OPENAI, 'formats.get("openai").parse(message)'),
        (RESPONSES, 'formats.get("openai-responses").parse(response)'),
        (
            Response.model_construct(output=as_object(RESPONSES["output"])),
            'formats.get("openai-responses").parse(response)',
        ),
        (ANTHROPIC, 'formats.get("anthropic").parse(message)'),
        (
            Message.model_construct(role="assistant", content=as_object(ANTHROPIC["content"])),
            'formats.get("anthropic").parse(message)',
        ),
        (GENERATED, 'formats.get("gemini").parse(response)'),
        (as_object(GENERATED), 'formats.get("gemini").parse(response)'),
        (GEMINI, 'formats.get("gemini").parse(message)'),
        ({"output": {"message": BEDROCK}}, 'formats.get("bedrock").parse(response)'),
    ],
)
def test_a_message_or_response_in_place_of_a_call_is_refused_with_what_to_pass(given: Any, parsed: str) -> None:
    executor = Executor([add])
    text = f"a message or response is not a tool call: pass its calls, as in executor.run_all({parsed})"
    results = [executor.run(given), *executor.run_all([given]), asyncio.run(executor.arun(given))]
    assert [result.content for result in results] == [text, text, text]
    with pytest.raises(TypeError) as caught:
        executor.run_all(given)
    assert str(caught.value) == text
    holder = given["choices"][0] if given is CHAT else given
    name = formats.get(parsed.split('"')[1])
    assert name.parse is not None
    calls = name.parse(holder.choices[0] if hasattr(holder, "choices") else holder)
    assert executor.run_all(calls)[0].value == 3


def test_a_response_without_calls_and_a_list_of_calls_in_place_of_a_call_are_refused() -> None:
    executor = Executor([add])
    text = "a message or response is not a tool call, and this one has no calls"
    for given in ({"choices": [{"message": {"role": "assistant", "content": "3"}}]}, {"role": "assistant"}):
        assert executor.run(given).content == text
    assert executor.run(OPENAI["tool_calls"]).content == (
        "a list is not a tool call: pass each call to run, or the list of calls to run_all"
    )
