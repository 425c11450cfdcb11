"""One round of function calling: the model answers, and its calls run."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from fcregistry import Executor, FunctionCall, Registry, Tool, ToolCall
from fcregistry.agents import Calling, Returned
from fcregistry.errors import DuplicateToolError, ModelNotFoundError, ToolNotFoundError, UnfinishedRunError
from fcregistry.execution import Approve, CancellationToken

from .scripts import WAYS, RunResult, Script, add, adds, calls, check_history, finished, says


def get_current_weather(location: str, unit: str = "celsius") -> dict[str, Any]:
    """Get the weather."""
    return {"location": location, "unit": unit}


def fails() -> None:
    raise ValueError("no")


def openai_call(identity: str, name: str, arguments: str) -> dict[str, Any]:
    return {"id": identity, "type": "function", "function": {"name": name, "arguments": arguments}}


CALLS = [
    openai_call("1", "get_current_weather", '{"location": "Tokyo"}'),
    openai_call("2", "get_current_weather", '{"location": "Paris", "unit": "fahrenheit"}'),
]
CONTENTS = ['{"location": "Tokyo", "unit": "celsius"}', '{"location": "Paris", "unit": "fahrenheit"}']


class Model:
    """A model that says what it was made with, and keeps what it was told."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.heard: list[Any] = []

    def __call__(self, messages: list[dict[str, Any]]) -> Any:
        self.heard.append(messages)
        return self.answer


# --- one round ------------------------------------------------------------------------------------


def test_a_round_with_calls_gives_the_message_with_their_results_in_order() -> None:
    model = Model({"role": "assistant", "content": "Let me see.", "tool_calls": CALLS})

    answer = FunctionCall(model, tools=[get_current_weather])("What's the weather in Tokyo and Paris?")
    assert answer == {
        "role": "assistant",
        "content": "Let me see.",
        "tool_calls": CALLS,
        "tool_calls_results": CONTENTS,
    }
    assert list(answer) == ["role", "content", "tool_calls", "tool_calls_results"]  # type: ignore[arg-type]
    assert model.heard == [[{"role": "user", "content": "What's the weather in Tokyo and Paris?"}]]


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("It is sunny.", "It is sunny."),
        ("", ""),
        ({"role": "assistant", "content": "It is sunny."}, "It is sunny."),
        ({"role": "assistant", "content": "It is sunny.", "tool_calls": []}, "It is sunny."),
        ({"role": "assistant", "content": "It is sunny.", "tool_calls": None}, "It is sunny."),
        ({"role": "assistant", "content": None}, ""),
        ({"role": "assistant"}, ""),
        ({"content": [{"type": "text", "text": "It is "}, {"type": "text", "text": "sunny."}]}, "It is sunny."),
        (SimpleNamespace(role="assistant", content="It is sunny.", tool_calls=None), "It is sunny."),
    ],
)
def test_a_round_without_calls_gives_the_models_text(said: Any, text: str) -> None:
    assert FunctionCall(Model(said), tools=[get_current_weather])("?") == text


SUMMARIES = [
    ("Tool {tool_name} called with {arguments} -> {result}", 'Tool add called with {"a": 1, "b": 2} -> 3'),
    ("{{{result}}}", "{3}"),
    ("done", "done"),
    (lambda call, result: f"{call.name} of {call.id}: {result.value}", "add of 1: 3"),
]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("summary", "told"), SUMMARIES)
def test_a_round_with_calls_may_come_to_a_text_that_tells_of_each(
    way: Callable[..., RunResult], summary: Any, told: str
) -> None:
    model = Script(calls(adds(1, 2, "1"), adds("x", 2, "2")))
    result = way(FunctionCall(model, [add], summary=summary), "?")
    first, *rest = result.answer.splitlines()
    assert (first, result.stop_reason) == (told, "stop_tool")
    assert len(result.tool_results) == 2
    assert rest if summary != "done" else rest == ["done"]


def test_a_summary_tells_of_failures_too_and_of_no_answer_in_words() -> None:
    fc = FunctionCall(
        Script(calls(ToolCall("fails", "{}", "1")), says("Nothing to do.")), [fails], summary="-> {result}"
    )
    assert fc("?") == "-> ValueError: no"
    assert fc("?") == "Nothing to do."


@pytest.mark.parametrize(
    ("summary", "error", "message"),
    [
        ("{name}", ValueError, "none of {tool_name}, {arguments}, {result}: 'name'"),
        ("{result.call}", ValueError, "'result.call'"),
        ("{result!r}", ValueError, "'result'"),
        ("{}", ValueError, "''"),
        ("{result", ValueError, "cannot be read: "),
        (3, TypeError, "summary takes a template or a function of a call and its result, not 3"),
    ],
)
def test_a_summary_that_cannot_be_is_refused_when_it_is_given(
    summary: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=re.escape(message)):
        FunctionCall(Script(), [add], summary=summary)


def test_a_summary_of_a_function_is_text() -> None:
    fc = FunctionCall(Script(calls(adds(1, 2))), [add], summary=lambda call, result: result.value)
    with pytest.raises(TypeError, match="the function given as summary returns text, not 3"):
        fc("?")


@pytest.mark.parametrize("content", [None, "absent"])
def test_a_message_of_calls_alone_has_the_content_none(content: Any) -> None:
    message = {"role": "assistant", "tool_calls": CALLS[:1]}
    if content is None:
        message["content"] = None

    answer = FunctionCall(Model(message), tools=[get_current_weather])("?")
    assert answer == {
        "role": "assistant",
        "content": None,
        "tool_calls": CALLS[:1],
        "tool_calls_results": CONTENTS[:1],
    }


def test_a_round_with_anthropics_blocks_is_answered_in_openais_shape() -> None:
    blocks = [
        {"type": "text", "text": "Let me see."},
        {"type": "tool_use", "id": "1", "name": "get_current_weather", "input": {"location": "東京"}},
    ]

    answer = FunctionCall(Model({"role": "assistant", "content": blocks}), tools=[get_current_weather])("?")
    assert answer == {
        "role": "assistant",
        "content": "Let me see.",
        "tool_calls": [openai_call("1", "get_current_weather", '{"location": "東京"}')],
        "tool_calls_results": ['{"location": "東京", "unit": "celsius"}'],
    }


def test_failures_are_results_beside_those_that_succeeded() -> None:
    calls = [CALLS[0], openai_call("2", "unknown", "{}"), openai_call("3", "fails", ""), {"function": None, "id": "4"}]

    answer = FunctionCall(Model({"tool_calls": calls}), tools=[get_current_weather, fails])("?")
    assert isinstance(answer, dict)
    assert answer["tool_calls_results"][:3] == [
        CONTENTS[0],
        Executor([get_current_weather, fails]).run(ToolCall("unknown")).content,
        "ValueError: no",
    ]
    assert "the name of the tool is" in answer["tool_calls_results"][3]
    assert [call["id"] for call in answer["tool_calls"]] == ["1", "2", "3", "4"]
    assert len(answer["tool_calls"]) == len(answer["tool_calls_results"]) == 4
    json.dumps(answer)


@pytest.mark.parametrize(
    ("query", "heard"),
    [
        ("hello", [{"role": "user", "content": "hello"}]),
        ({"role": "system", "content": "x"}, [{"role": "system", "content": "x"}]),
        ([{"role": "user", "content": "a"}, {"role": "user", "content": "b"}], None),
        ((), []),
    ],
)
def test_a_question_a_message_or_a_conversation_is_asked(query: Any, heard: list[dict[str, Any]] | None) -> None:
    model = Model("answer")
    FunctionCall(model)(query)

    assert model.heard == [list(query) if heard is None else heard]


def test_the_callers_messages_are_copied() -> None:
    conversation = [{"role": "user", "content": "a"}]

    def model(messages: list[dict[str, Any]]) -> str:
        messages[0]["content"] = "changed"
        messages.append({})
        return "answer"

    FunctionCall(model)(conversation)
    assert conversation == [{"role": "user", "content": "a"}]


def test_a_message_in_another_providers_shape_reaches_a_function_unchanged() -> None:
    """The function that stands for the model knows its provider."""
    conversation = [
        {"role": "user", "parts": [{"text": "What is the weather?"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "get_current_weather", "args": {"location": "Oslo"}}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "rain"}]},
        {"type": "function_call_output", "call_id": "1", "output": "rain"},
    ]
    model = Model("answer")

    FunctionCall(model, tools=[get_current_weather])(conversation)
    assert model.heard == [conversation]


# --- the next round -------------------------------------------------------------------------------


def test_what_a_round_returned_is_handed_back_for_the_next() -> None:
    model = Model({"role": "assistant", "content": "Let me see.", "tool_calls": CALLS})
    fc = FunctionCall(model, tools=[get_current_weather])
    first = fc("What's the weather in Tokyo and Paris?")

    model.answer = "It is mild."
    assert fc(["What's the weather in Tokyo and Paris?", first]) == "It is mild."
    question, said, *results = model.heard[1]
    assert question == {"role": "user", "content": "What's the weather in Tokyo and Paris?"}
    assert said == {"role": "assistant", "content": "Let me see.", "tool_calls": CALLS}
    assert [(each["role"], each["tool_call_id"], each["content"]) for each in results] == [
        ("tool", "1", CONTENTS[0]),
        ("tool", "2", CONTENTS[1]),
    ]
    assert fc(json.loads(json.dumps([first]))) == "It is mild."


def test_rounds_go_on_until_the_model_answers() -> None:
    """A loop of an application's own, in four lines."""
    model = Script(calls(adds(1, 2)), calls(adds(3, 4, None)), says("7"))
    fc, conversation = FunctionCall(model, [add]), ["1 + 2 + 4?"]

    while not isinstance(said := fc(conversation), str):
        conversation.append(said)
    assert said == "7"
    assert [message.role for message in model.heard[2]] == ["user", "assistant", "tool", "assistant", "tool"]
    check_history(model.heard[2])


def test_results_that_are_also_messages_are_sent_once() -> None:
    model = Script(calls(adds(1, 2)), says("3"))
    fc = FunctionCall(model, [add])
    said = fc("1 + 2?")

    fc(["1 + 2?", said, {"role": "tool", "tool_call_id": "1", "content": "3"}])
    assert [message.role for message in model.heard[1]] == ["user", "assistant", "tool"]


@pytest.mark.parametrize("results", [[], ["3", "4"], "3", None])
def test_results_that_are_not_of_these_calls_are_refused(results: Any) -> None:
    said = {"role": "assistant", "content": None, "tool_calls": CALLS[:1], "tool_calls_results": results}
    with pytest.raises(ValueError, match="a message has a result for each of its calls: 1 calls, tool_calls_results: "):
        FunctionCall(Model("?"))(["?", said])


# --- the round as a run ---------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
def test_a_round_is_a_run_whose_answer_is_what_it_returns(way: Callable[..., RunResult]) -> None:
    model = Script(calls(adds(1, 2), text="Let me see."))
    result = way(FunctionCall(model, [add], instructions="Be brief."), "1 + 2?")

    assert (result.stop_reason, result.ok, len(model.heard)) == ("stop_tool", True, 1)
    assert result.answer == FunctionCall(Script(calls(adds(1, 2), text="Let me see.")), [add])("1 + 2?")
    assert [message.role for message in result.messages] == ["user", "assistant", "tool"]
    assert [message.role for message in model.heard[0]] == ["system", "user"]
    check_history(result.messages)
    assert way(FunctionCall(Script(says("3")), [add]), "?").answer == "3"


def test_a_round_is_followed() -> None:
    events = list(FunctionCall(Script(calls(adds(1, 2), text="So")), [add]).stream("?"))
    assert [type(event).__name__ for event in events] == ["Text", "Calling", "Returned", "Finished"]
    assert [event.call.id for event in events if isinstance(event, Calling)] == ["1"]
    assert [event.result.content for event in events if isinstance(event, Returned)] == ["3"]
    assert finished(events).answer["tool_calls_results"] == ["3"]


def test_a_round_waits_for_a_decision_where_it_can_and_refuses_where_it_is_called() -> None:
    tool = Tool.from_function(add, requires_approval=True)
    fc = FunctionCall(Script(calls(adds(1, 2))), [tool])

    waiting = fc.run("?")
    assert (waiting.stop_reason, [call.id for call in waiting.pending]) == ("approval", ["1"])
    assert waiting.state is not None
    assert fc.resume(waiting.state, {"1": Approve()}).answer["tool_calls_results"] == ["3"]
    (refused,) = fc("?")["tool_calls_results"]
    assert "approval" in refused


def test_a_round_that_is_stopped_says_so() -> None:
    token = CancellationToken()
    token.cancel()
    fc = FunctionCall(Script(says("never heard")), [add])
    with pytest.raises(UnfinishedRunError, match="the run was cancelled"):
        fc("?", cancellation=token)
    with pytest.raises(UnfinishedRunError, match="the run was cancelled"):
        asyncio.run(fc.acall("?", cancellation=token))


def test_a_text_that_was_cut_off_is_returned_as_far_as_it_came() -> None:
    assert FunctionCall(Script(says("It is", "length")), [add])("?") == "It is"


# --- what the model is told -----------------------------------------------------------------------


def test_a_model_that_takes_tools_is_given_their_definitions() -> None:
    told: list[Any] = []

    def takes(messages: Any, tools: Any) -> str:
        told.append(tools)
        return ""

    def takes_by_keyword(messages: Any, *, tools: Any = None) -> str:
        return takes(messages, tools)

    def takes_anything(messages: Any, **options: Any) -> str:
        return takes(messages, options["tools"])

    class Takes:
        def __call__(self, messages: Any, tools: Any) -> str:
            return takes(messages, tools)

    definition = Tool.from_function(get_current_weather).definition("openai")
    for model in (takes, takes_by_keyword, takes_anything, Takes()):
        FunctionCall(model, tools=[get_current_weather])("?")
    assert told == [[definition]] * 4


def test_a_model_that_takes_no_tools_is_given_messages_alone() -> None:
    heard: list[Any] = []

    def takes_two(messages: Any, temperature: float = 0.5) -> str:
        heard.append((messages, temperature))
        return ""

    FunctionCall(takes_two, tools=[get_current_weather])("?")
    FunctionCall(len, tools=[get_current_weather]).execute([])
    assert heard == [([{"role": "user", "content": "?"}], 0.5)]


# --- the programmer's mistakes --------------------------------------------------------------------


@pytest.mark.parametrize("said", [None, 5, object(), {}, {"something": "else"}])
def test_what_is_neither_text_nor_message_is_refused(said: Any) -> None:
    with pytest.raises(TypeError, match=rf"a message is a text, .* not {type(said).__name__}"):
        FunctionCall(Model(said))("?")


@pytest.mark.parametrize("said", [[], {"output": []}, {"type": "error"}])
def test_what_holds_neither_calls_nor_text_is_refused(said: Any) -> None:
    with pytest.raises(TypeError, match=f"the model returned a {type(said).__name__}, neither a text nor a message"):
        FunctionCall(Model(said))("?")


RESPONSE = {"id": "chatcmpl-1", "choices": [{"message": {"role": "assistant", "content": None, "tool_calls": CALLS}}]}


@pytest.mark.parametrize("response", [RESPONSE, SimpleNamespace(**RESPONSE)], ids=["dict", "object"])
def test_a_whole_response_is_refused_with_where_its_message_is(response: Any) -> None:
    hint = r"pass the message, response\.choices\[0\]\.message, not the whole response"
    with pytest.raises(TypeError, match=hint):
        FunctionCall(Model(response), tools=[get_current_weather])("?")
    with pytest.raises(TypeError, match=hint):
        FunctionCall(tools=[get_current_weather]).execute(response)


def test_a_model_may_be_a_coroutine_function() -> None:
    async def model(messages: Any) -> Any:
        return {"tool_calls": CALLS}

    fc = FunctionCall(model, tools=[get_current_weather])
    assert fc("?")["tool_calls_results"] == CONTENTS
    assert asyncio.run(fc.acall("?"))["tool_calls_results"] == CONTENTS


def test_without_a_model_a_round_is_refused_with_what_to_do() -> None:
    with pytest.raises(TypeError, match=r"there is no model: give llm=…, or use execute\(message\)"):
        FunctionCall(tools=[get_current_weather])("?")


@pytest.mark.parametrize("llm", [5, {}])
def test_a_value_that_is_not_a_model_is_refused(llm: Any) -> None:
    with pytest.raises(
        TypeError, match=r"llm is a Model, a name such as .*, or a callable from messages to a message or text, not "
    ):
        FunctionCall(llm)("?")


def test_a_model_that_is_not_there_is_refused_with_what_to_write() -> None:
    with pytest.raises(ModelNotFoundError, match="there is no model 'gpt': write PROVIDER:MODEL"):
        FunctionCall("gpt")


def test_mistakes_in_tools_raise_before_any_model_is_called() -> None:
    model, isolated = Model(""), Registry()

    with pytest.raises(ToolNotFoundError):
        FunctionCall(model, tools=["no_such"], registry=isolated)
    with pytest.raises(DuplicateToolError):
        FunctionCall(model, tools=[fails, Tool.from_function(get_current_weather, name="fails")])
    assert model.heard == []


def test_what_the_model_itself_raises_is_the_callers() -> None:
    def broken(messages: Any) -> str:
        raise ConnectionError("offline")

    with pytest.raises(ConnectionError, match="offline"):
        FunctionCall(broken)("?")


# --- an application that owns its loop ------------------------------------------------------------


def execute(message: object) -> list[dict[str, Any]]:
    return FunctionCall(tools=[get_current_weather, fails]).execute(message)


def test_execute_answers_an_openai_message_with_a_message_for_each_call() -> None:
    expected = [
        {"role": "tool", "tool_call_id": identity, "content": content}
        for identity, content in zip("12", CONTENTS, strict=True)
    ]

    assert execute({"role": "assistant", "content": None, "tool_calls": CALLS}) == expected
    assert execute(CALLS) == expected
    sdk = [
        SimpleNamespace(id=call["id"], type="function", function=SimpleNamespace(**call["function"])) for call in CALLS
    ]
    assert execute(SimpleNamespace(content=None, tool_calls=sdk)) == expected


def test_execute_answers_an_anthropic_message_with_one_message_of_results() -> None:
    content = [
        {"type": "text", "text": "Let me see."},
        {"type": "tool_use", "id": "1", "name": "get_current_weather", "input": {"location": "Tokyo"}},
        {"type": "tool_use", "id": "2", "name": "fails", "input": {}},
    ]

    assert execute({"role": "assistant", "content": content}) == [
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "1", "content": CONTENTS[0]},
                {"type": "tool_result", "tool_use_id": "2", "content": "ValueError: no", "is_error": True},
            ],
        }
    ]


def test_execute_answers_items_of_openais_responses_with_outputs_by_their_call_id() -> None:
    items = [
        {"type": "reasoning", "id": "rs_1"},
        {
            "type": "function_call",
            "id": "fc_1",
            "call_id": "1",
            "name": "get_current_weather",
            "arguments": '{"location": "Tokyo"}',
        },
        {"type": "function_call", "id": "fc_2", "call_id": "2", "name": "fails", "arguments": "{}"},
    ]
    outputs = [
        {"type": "function_call_output", "call_id": "1", "output": CONTENTS[0]},
        {"type": "function_call_output", "call_id": "2", "output": "ValueError: no"},
    ]

    assert execute({"output": items}) == outputs
    assert execute(SimpleNamespace(output=[SimpleNamespace(**item) for item in items])) == outputs
    assert execute(items[1]) == outputs[:1]


def test_execute_answers_gemini_and_bedrock_in_their_own_shapes() -> None:
    parts = [
        {"text": "Let me see."},
        {"functionCall": {"name": "get_current_weather", "args": {"location": "Tokyo"}}},
        {"functionCall": {"name": "fails", "args": {}}},
    ]
    (answer,) = execute({"role": "model", "parts": parts})
    assert [part["functionResponse"]["name"] for part in answer["parts"]] == ["get_current_weather", "fails"]
    assert execute({"candidates": [{"content": {"role": "model", "parts": parts}}]}) == [answer]

    content = [
        {"text": "Let me see."},
        {"toolUse": {"toolUseId": "1", "name": "get_current_weather", "input": {"location": "Tokyo"}}},
        {"toolUse": {"toolUseId": "2", "name": "fails", "input": {}}},
    ]
    (answer,) = execute({"role": "assistant", "content": content})
    assert [block["toolResult"]["toolUseId"] for block in answer["content"]] == ["1", "2"]
    assert execute({"output": {"message": {"role": "assistant", "content": content}}}) == [answer]


def test_execute_carries_out_the_good_calls_among_malformed_ones_and_answers_all() -> None:
    calls = [{"id": "0", "function": {"name": None}}, CALLS[0], openai_call("5", "get_current_weather", "{cut"), None]

    messages = execute({"tool_calls": calls})
    assert [message["tool_call_id"] for message in messages] == ["0", "1", "5", ""]
    assert messages[1]["content"] == CONTENTS[0]
    assert "the name of the tool is null" in messages[0]["content"]
    assert "valid JSON" in messages[2]["content"]
    assert "null is not a tool call" in messages[3]["content"]


def test_execute_answers_malformed_anthropic_blocks_in_their_own_shape() -> None:
    content = [
        {"type": "tool_use", "id": "1", "name": None, "input": {}},
        {"type": "tool_use", "id": "2", "name": "get_current_weather", "input": [1]},
        {"type": "tool_use", "id": "3", "name": "get_current_weather", "input": {"location": "Tokyo"}},
    ]

    (message,) = execute({"role": "assistant", "content": content})
    assert [(block["tool_use_id"], block.get("is_error", False)) for block in message["content"]] == [
        ("1", True),
        ("2", True),
        ("3", False),
    ]


def test_execute_has_an_asynchronous_form() -> None:
    fc = FunctionCall(tools=[get_current_weather])
    message = {"role": "assistant", "content": None, "tool_calls": CALLS}
    assert asyncio.run(fc.aexecute(message)) == fc.execute(message)
    assert asyncio.run(fc.aexecute({"role": "assistant", "content": "Hello!"})) == []


@pytest.mark.parametrize(
    "message",
    [
        [],
        {"role": "assistant"},
        {"role": "assistant", "content": None, "tool_calls": []},
        {"content": "text"},
        {"output": []},
        SimpleNamespace(content=None, tool_calls=None),
    ],
)
def test_execute_answers_a_message_without_calls_with_nothing(message: object) -> None:
    assert execute(message) == []


@pytest.mark.parametrize("message", [None, 5, True, {}, {"id": "1"}, object(), SimpleNamespace()])
def test_execute_refuses_a_value_that_is_not_a_message(message: object) -> None:
    """An empty answer would be taken for the end of the conversation."""
    with pytest.raises(TypeError, match=rf"a message is a text, .* not {type(message).__name__}"):
        execute(message)


@pytest.mark.parametrize("message", ["The answer is 4.", json.dumps({"role": "assistant", "tool_calls": CALLS}), b"{}"])
def test_execute_refuses_a_text(message: Any) -> None:
    """It may hold calls, in JSON or in a model's own syntax; an empty answer would lose them."""
    with pytest.raises(
        TypeError, match=r"as a dict or an object, not as a text: json\.loads\(…\) if it is JSON; .*dialects"
    ):
        execute(message)


@pytest.mark.parametrize("make", [list, tuple])
def test_execute_refuses_a_list_of_messages(make: Any) -> None:
    messages = make([{"role": "user", "content": "?"}, {"role": "assistant", "content": None, "tool_calls": CALLS}])
    for given in (messages, make([SimpleNamespace(type="ai", content="", tool_calls=CALLS)])):
        with pytest.raises(TypeError, match=r"pass one message, such as messages\[-1\], not a list of messages"):
            execute(given)


def test_execute_answers_calls_that_are_not_a_list_as_one_malformed_call() -> None:
    (message,) = execute({"role": "assistant", "tool_calls": "get_current_weather"})
    assert message["content"].startswith("text is not a tool call: ")


def test_approval_is_asked_for_as_by_an_executor() -> None:
    tool = Tool.from_function(get_current_weather, requires_approval=True)
    asked: list[ToolCall] = []

    def approve(tool: Tool, call: ToolCall) -> bool:
        asked.append(call)
        return call.id == "1"

    messages = FunctionCall(tools=[tool], approve=approve).execute({"tool_calls": CALLS})
    assert messages[0]["content"] == CONTENTS[0]
    assert "was denied" in messages[1]["content"]
    assert sorted(call.id or "" for call in asked) == ["1", "2"]


def test_it_shows_its_tools() -> None:
    assert repr(FunctionCall(tools=[get_current_weather])) == "<FunctionCall with get_current_weather>"
    assert repr(FunctionCall()) == "<FunctionCall with no tools>"


@pytest.mark.parametrize("kind", [[], {}, None, 5, "function_call"])
def test_a_call_of_any_type_at_all_is_answered(kind: Any) -> None:
    """What a model writes there may not even be hashable."""
    call = {"type": kind, "id": "1", "name": "nothing_of_that_name"}
    (answer,) = FunctionCall(tools=[]).execute([call])
    assert "there is no tool" in str(answer.get("content", answer.get("output")))
