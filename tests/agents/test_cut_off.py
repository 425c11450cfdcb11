"""Messages that the limit of tokens, or a filter, cut off: calls in them that may be incomplete do not run."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from types import SimpleNamespace
from typing import Any

import pytest

from fcregistry import Executor, Tool, ToolCall, dialects, formats
from fcregistry.agents import FunctionCall, PlanAndSolveAgent, ReactAgent, RunState
from fcregistry.execution import Approve
from fcregistry.models import CallableModel, Completion, Delta, Message, Model, TextModel, ToolCallDelta, messages_of

from ..models import anthropic_wire, openai_wire  # noqa: TID252  # the tests are no package
from ..models.provider_server import ProviderServer, Reply, stream_reply  # noqa: TID252
from .scripts import ONE, WAYS, Script, calls, check_history, says

REFUSED = "the call was not run: it is cut off by the limit of tokens; send it again, shorter"
FILTERED = "the call was not run: it is cut off by the provider's filter"
WHOLE = '{"path": "a.txt", "text": "half a file"}'

Made = tuple[str, str]
"""The name of a tool, and the arguments as text."""


class Disk:
    """Tools that record what they were called with."""

    def __init__(self) -> None:
        self.ran: list[Any] = []

    def purge(self, keep_days: int = 0) -> str:
        """Delete files."""
        self.ran.append(("purge", keep_days))
        return "purged"

    def write(self, path: str, text: str) -> str:
        """Write a file."""
        self.ran.append(("write", path, text))
        return "written"

    @property
    def tools(self) -> list[Callable[..., str]]:
        return [self.purge, self.write]


# --- every provider, whole and streamed -----------------------------------------------------------


def chat_reply(made: Sequence[Made], end: str, *, streams: bool) -> Reply:
    """Return what OpenAI's chat completions answer: calls, or a text."""
    written = [openai_wire.call(name, text, f"call_{place}") for place, (name, text) in enumerate(made)]
    if not streams:
        return openai_wire.chat_reply({"content": None, "tool_calls": written} if made else {"content": "Done."}, end)
    pieces = [openai_wire.chunk({"tool_calls": [{"index": place, **call}]}) for place, call in enumerate(written)]
    pieces = pieces or [openai_wire.chunk({"content": "Done."})]
    return stream_reply([*pieces, openai_wire.chunk(finish=end), openai_wire.USED, openai_wire.DONE])


def responses_reply(made: Sequence[Made], end: str, *, streams: bool) -> Reply:
    """Return what OpenAI's responses API answers."""
    items = [openai_wire.call_item(name, text, f"call_{place}") for place, (name, text) in enumerate(made)]
    cut = {"max_output_tokens": "incomplete", "content_filter": "incomplete"}.get(end, "completed")
    details = {"reason": end} if cut == "incomplete" else None
    body = openai_wire.response(items or [openai_wire.text_item("Done.")], cut, incomplete_details=details)
    if not streams:
        return openai_wire.json_reply(body)
    done = [openai_wire.happened("response.output_item.done", output_index=n, item=i) for n, i in enumerate(items)]
    return stream_reply([*done, openai_wire.happened(f"response.{cut}", response=body)])


def anthropic_reply(made: Sequence[Made], end: str, *, streams: bool) -> Reply:
    """Return what Anthropic answers."""
    if not streams:
        blocks = [
            {"type": "tool_use", "id": f"toolu_{place}", "name": name, "input": json.loads(text or "{}")}
            for place, (name, text) in enumerate(made)
        ]
        return anthropic_wire.answer(*(blocks or [{"type": "text", "text": "Done."}]), stop_reason=end)
    used = [anthropic_wire.use(place, f"toolu_{place}", text, name=name) for place, (name, text) in enumerate(made)]
    return anthropic_wire.stream(
        anthropic_wire.started(), *(used or [anthropic_wire.texts(0, "Done.")]), anthropic_wire.ended(end)
    )


PROVIDERS: dict[str, tuple[Callable[..., Reply], Callable[[ProviderServer], Model], Mapping[str, str]]] = {
    "openai": (
        chat_reply,
        openai_wire.chat,
        {"length": "length", "stop": "stop", "content_filter": "content_filter", "tool_calls": "tool_calls"},
    ),
    "openai-responses": (
        responses_reply,
        openai_wire.responses,
        {"length": "max_output_tokens", "stop": "", "content_filter": "content_filter", "tool_calls": ""},
    ),
    "anthropic": (
        anthropic_reply,
        anthropic_wire.model_at,
        {"length": "max_tokens", "stop": "end_turn", "content_filter": "refusal", "tool_calls": "tool_use"},
    ),
}


@pytest.fixture(params=[(name, streams) for name in PROVIDERS for streams in (False, True)], ids=str)
def provider(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """Return what runs an agent on answers of a provider, each some calls and why the model stopped."""
    name, streams = request.param
    reply, model, words = PROVIDERS[name]

    def run(disk: Disk, *answers: tuple[Sequence[Made], str], **options: Any) -> Any:
        replies = [reply(made, words[end], streams=streams) for made, end in answers]
        with ProviderServer(*replies) as server, model(server) as asked:
            agent = ReactAgent(asked, disk.tools, **options)
            result = WAYS[2](agent, "?") if streams else agent.run("?")
        check_history(result.messages)
        return result

    return run


@pytest.mark.parametrize("made", [("purge", ""), ("purge", "{}"), ("write", WHOLE), ("purge", '{"keep_days": 3}')])
def test_the_last_call_of_a_message_that_was_cut_off_does_not_run(provider: Callable[..., Any], made: Made) -> None:
    disk = Disk()
    result = provider(disk, ([made], "length"), ([], "stop"))

    assert disk.ran == []
    (refused,) = result.tool_results
    assert (refused.error.code, refused.content) == ("malformed_call", REFUSED)
    assert (result.answer, result.stop_reason, result.usage.requests) == ("Done.", "answered", 2)


def test_an_earlier_call_that_is_finished_runs(provider: Callable[..., Any]) -> None:
    disk = Disk()
    result = provider(disk, ([("write", WHOLE), ("purge", "{}")], "length"), ([], "stop"))

    assert disk.ran == [("write", "a.txt", "half a file")]
    assert [each.content for each in result.tool_results] == ["written", REFUSED]


def test_a_run_ends_with_the_second_message_in_a_row_that_is_cut_off(provider: Callable[..., Any]) -> None:
    disk = Disk()
    cut = ([("write", WHOLE), ("purge", "")], "length")
    result = provider(disk, cut, cut, ([], "stop"))

    assert (result.stop_reason, result.answer, result.ok) == ("length", None, False)
    assert disk.ran == [("write", "a.txt", "half a file")]  # of the first message
    last = result.tool_results[-1]
    assert (last.error.code, last.content) == ("malformed_call", REFUSED)
    assert result.tool_results[-2].content == (
        "the call was not run: the model's answer is cut off: it has reached its limit of tokens"
    )


def test_a_run_goes_on_if_messages_that_are_cut_off_are_not_in_a_row(provider: Callable[..., Any]) -> None:
    disk = Disk()
    cut, whole = ([("purge", "")], "length"), ([("purge", '{"keep_days": 1}')], "tool_calls")
    assert provider(disk, cut, whole, cut, ([], "stop")).answer == "Done."
    assert disk.ran == [("purge", 1)]


def test_no_call_of_a_message_runs_that_a_filter_ended(provider: Callable[..., Any]) -> None:
    disk = Disk()
    result = provider(disk, ([("write", WHOLE), ("purge", "{}")], "content_filter"), ([], "stop"))

    assert (result.stop_reason, disk.ran) == ("content_filter", [])
    assert result.tool_results[-1].content == FILTERED


def test_an_item_that_says_that_it_is_incomplete_does_not_run() -> None:
    disk = Disk()
    items = [
        {**openai_wire.call_item("purge", "{}"), "status": "incomplete"},
        openai_wire.call_item("write", WHOLE, "b"),
    ]
    body = openai_wire.response(items)
    with ProviderServer(openai_wire.json_reply(body), responses_reply([], "", streams=False)) as server:
        result = ReactAgent(openai_wire.responses(server), disk.tools).run("?")
        sent = server.requests[1].json["input"]

    text = "the call was not run: it is cut off; send it again, shorter"
    assert [each.content for each in result.tool_results] == [text, "written"]
    assert disk.ran == [("write", "a.txt", "half a file")]
    assert [(each["call_id"], each["status"]) for each in sent if each.get("type") == "function_call"] == [
        ("call_a", "incomplete"),
        ("b", "completed"),
    ]
    (refused, _) = FunctionCall(tools=disk.tools).execute(items)
    assert refused["output"] == text


def test_a_response_that_is_incomplete_for_an_unknown_reason_does_not_run_its_last_call() -> None:
    disk = Disk()
    body = openai_wire.response(
        [openai_wire.call_item("purge", "{}")], "incomplete", incomplete_details={"reason": "x"}
    )
    with ProviderServer(openai_wire.json_reply(body), responses_reply([], "", streams=False)) as server:
        ReactAgent(openai_wire.responses(server), disk.tools).run("?")
    assert disk.ran == []


# --- whole responses, in a loop of an application's own -------------------------------------------

CHAT_CALLS = [openai_wire.call("write", WHOLE, "a"), openai_wire.call("purge", "", "b")]
CHAT_MESSAGE = {"role": "assistant", "content": None, "tool_calls": CHAT_CALLS}
ANTHROPIC_BLOCKS = [
    {"type": "tool_use", "id": "a", "name": "write", "input": json.loads(WHOLE)},
    {"type": "tool_use", "id": "b", "name": "purge", "input": {}},
]


class GeminiReason(Enum):
    """The finish reasons of Gemini's SDK."""

    MAX_TOKENS = "MAX_TOKENS"


def gemini(reason: object) -> dict[str, Any]:
    """Return a response of Gemini."""
    parts = [
        {"functionCall": {"name": "write", "args": json.loads(WHOLE)}},
        {"functionCall": {"name": "purge", "args": {}}},
    ]
    return {"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": reason}]}


BEDROCK_BLOCKS = [
    {"toolUse": {"toolUseId": each["id"], "name": each["name"], "input": each["input"]}} for each in ANTHROPIC_BLOCKS
]
RESPONSES: dict[str, Any] = {
    "openai": {"index": 0, "message": CHAT_MESSAGE, "finish_reason": "length"},
    "openai-object": SimpleNamespace(message=SimpleNamespace(**CHAT_MESSAGE), finish_reason="length"),
    "openai-responses": openai_wire.response(
        [openai_wire.call_item("write", WHOLE, "a"), openai_wire.call_item("purge", "{}", "b")],
        "incomplete",
        incomplete_details={"reason": "max_output_tokens"},
    ),
    "anthropic": anthropic_wire.message(*ANTHROPIC_BLOCKS, stop_reason="max_tokens"),
    "gemini": gemini("MAX_TOKENS"),
    "gemini-object": gemini(GeminiReason.MAX_TOKENS),
    "bedrock": {"output": {"message": {"role": "assistant", "content": BEDROCK_BLOCKS}}, "stopReason": "max_tokens"},
    "ollama": {"message": {**CHAT_MESSAGE}, "done": True, "done_reason": "length"},
    "langchain": SimpleNamespace(
        content="",
        tool_calls=[
            {"name": "write", "args": json.loads(WHOLE), "id": "a", "type": "tool_call"},
            {"name": "purge", "args": {}, "id": "b", "type": "tool_call"},
        ],
        response_metadata={"finish_reason": "length"},
    ),
    "completion": Completion(
        message=Message(role="assistant", tool_calls=(ToolCall("write", WHOLE, "a"), ToolCall("purge", "", "b"))),
        finish_reason="length",
    ),
}


@pytest.mark.parametrize("name", RESPONSES)
def test_the_last_call_of_a_whole_response_that_was_cut_off_does_not_run(name: str) -> None:
    disk = Disk()
    answers = FunctionCall(tools=disk.tools).execute(RESPONSES[name])

    assert disk.ran == [("write", "a.txt", "half a file")]
    assert REFUSED in json.dumps(answers)
    assert json.dumps(answers).count("written") == 1


@pytest.mark.parametrize("name", [name for name in RESPONSES if name not in ("langchain", "completion")])
def test_a_function_that_returns_a_response_says_with_it_that_it_was_cut_off(name: str) -> None:
    disk = Disk()
    answers = [RESPONSES[name], "Done."]
    result = ReactAgent(lambda messages: answers.pop(0), disk.tools).run("?")

    assert (result.answer, disk.ran) == ("Done.", [("write", "a.txt", "half a file")])
    assert result.tool_results[-1].content == REFUSED
    cut_off = {"role": "assistant", "content": "It is", "finish_reason": "length"}
    assert ReactAgent(lambda messages: cut_off).run("?").stop_reason == "length"


@pytest.mark.parametrize("name", ["anthropic", "gemini", "bedrock", "openai-responses"])
def test_a_format_parses_the_last_call_of_a_response_that_was_cut_off_as_one_that_does_not_run(name: str) -> None:
    disk = Disk()
    parse = formats.get(name).parse
    assert parse is not None
    results = Executor(disk.tools).run_all(parse(RESPONSES[name]))
    assert [each.content for each in results] == ["written", REFUSED]


def test_a_bare_message_cannot_tell() -> None:
    disk = Disk()
    FunctionCall(tools=disk.tools).execute(CHAT_MESSAGE)
    assert len(disk.ran) == 2
    assert "A bare message cannot tell" in (FunctionCall.execute.__doc__ or "")


def test_the_message_of_a_choice_may_be_the_end_of_the_history() -> None:
    disk = Disk()
    history = [{"role": "user", "content": "?"}, CHAT_MESSAGE]
    assert len(FunctionCall(tools=disk.tools).execute(RESPONSES["openai"], history)) == 2


# --- models of other kinds, and dialects ----------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
def test_any_model_says_with_its_finish_reason_that_a_message_was_cut_off(way: Callable[..., Any]) -> None:
    disk = Disk()
    made = (ToolCall("write", WHOLE, "a"), ToolCall("purge", None, "b"), ToolCall("purge", {}, "c"))
    cut = Completion(message=Message(role="assistant", tool_calls=made), finish_reason="length", usage=ONE)
    result = way(ReactAgent(Script(cut, says("Done.")), disk.tools), "?")

    assert result.answer == "Done."
    # The second has no arguments yet, so that it may have only begun
    assert [each.content for each in result.tool_results] == ["written", REFUSED, REFUSED]
    assert disk.ran == [("write", "a.txt", "half a file")]


def test_a_function_that_yields_pieces_may_yield_the_completion_last() -> None:
    disk = Disk()

    def model(messages: Any) -> Iterator[Any]:
        if messages[-1]["role"] != "user":
            yield "Done."
            return
        yield Delta(tool_calls=(ToolCallDelta(index=0, name="purge", arguments="{}"),))
        message = Message(role="assistant", tool_calls=(ToolCall("purge", "{}"),))
        yield Completion(message=message, finish_reason="length")

    assert ReactAgent(model, disk.tools).run("?").answer == "Done."
    assert disk.ran == []


def test_a_model_without_finish_reasons_is_believed() -> None:
    disk = Disk()
    answers: list[Any] = [CHAT_MESSAGE, "Done."]
    assert ReactAgent(CallableModel(lambda messages: answers.pop(0)), disk.tools).run("?").answer == "Done."
    assert len(disk.ran) == 2


def renderable() -> list[str]:
    """Return the dialects that can write the two calls."""
    made = [ToolCall("write", json.loads(WHOLE), "call_0abcd"), ToolCall("purge", {"keep_days": 3}, "call_1abcd")]
    found = []
    for name in dialects.names():
        dialect = dialects.get(name)
        try:
            text = dialect.render_calls(made)
        except ValueError:
            try:
                text = dialect.render_calls(made[1:])
            except ValueError:
                continue
        if dialect.parse(text).tool_calls:
            found.append(name)
    return found


@pytest.mark.parametrize("streams", [False, True])
@pytest.mark.parametrize("name", renderable())
def test_the_last_call_of_a_text_that_was_cut_off_does_not_run(name: str, streams: bool) -> None:
    disk, dialect = Disk(), dialects.get(name)
    text = dialect.render_calls([ToolCall("purge", {"keep_days": 3}, "call_1abcd")])
    answers = [text, "Done."]

    def model(prompt: str) -> Any:
        written = answers.pop(0)
        completion = Completion(
            message=Message(role="assistant", content=written), finish_reason="length" if answers else "stop", usage=ONE
        )
        return iter([written[:9], written[9:], completion]) if streams else completion

    result = ReactAgent(TextModel(model, dialect), disk.tools).run("?")
    assert disk.ran == []
    assert [each.content for each in result.tool_results] == [REFUSED]
    assert (result.answer, result.usage.requests) == ("Done.", 2)


# --- agents ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
def test_no_expression_of_a_text_that_was_cut_off_runs(way: Callable[..., Any]) -> None:
    disk = Disk()
    model = Script(says("[purge(), purge(keep_days=3)]", "length"), says("Done."))
    result = way(ReactAgent(model, disk.tools, calls="expression"), "?")

    assert (result.answer, disk.ran) == ("Done.", [])
    why = "Nothing was run: the message is cut off by the limit of tokens; send it again, shorter."
    assert model.heard[1][-1].text == why


def test_a_second_text_with_expressions_that_is_cut_off_ends_the_run() -> None:
    disk = Disk()
    model = Script(says("purge()", "length"), says("purge(keep_days=", "length"), says("Done."))
    for options in ({}, {"answer_type": int}):
        model.heard.clear()
        result = ReactAgent(model, disk.tools, calls="expression", **options).run("?")
        assert (result.stop_reason, disk.ran) == ("length", [])


def test_an_answer_of_a_type_that_is_cut_off_after_a_call_ends_the_run() -> None:
    cut = Completion(message=calls(ToolCall("purge", "{}", "1")).message, finish_reason="length")
    result = ReactAgent(Script(cut, says('{"a": [', "length")), Disk().tools, answer_type=dict[str, list[int]]).run("?")
    assert (result.stop_reason, result.answer) == ("length", None)


def test_a_round_of_its_own_has_the_refusal_as_its_result() -> None:
    disk = Disk()
    cut = Completion(message=calls(ToolCall("purge", "{}", "1")).message, finish_reason="length")
    assert FunctionCall(Script(cut), disk.tools)("?")["tool_calls_results"] == [REFUSED]  # type: ignore[index]
    filtered = Completion(message=cut.message, finish_reason="content_filter")
    result = FunctionCall(Script(filtered), disk.tools).run("?")
    assert (result.stop_reason, result.answer["tool_calls_results"]) == ("content_filter", [REFUSED])  # type: ignore[index]
    assert disk.ran == []


def test_a_step_of_a_plan_ends_with_the_second_message_that_is_cut_off() -> None:
    disk = Disk()
    cut = Completion(message=calls(ToolCall("purge", "{}", None)).message, finish_reason="length")
    model = Script(says("1. Purge"), cut, cut, says("1. Nothing"), says("Done."))
    assert PlanAndSolveAgent(model, disk.tools).run("?").answer == "Done."
    assert disk.ran == []


def test_a_run_that_waits_for_approval_remembers_that_a_message_was_cut_off() -> None:
    disk = Disk()
    executor = Executor([Tool.from_function(each, requires_approval=True) for each in disk.tools])
    made = (ToolCall("write", WHOLE, "a"), ToolCall("purge", "{}", "b"))
    cut = Completion(message=Message(role="assistant", tool_calls=made), finish_reason="length")
    agent = ReactAgent(Script(cut, cut, says("Done.")), executor)
    waiting = agent.run("?")
    assert [each.name for each in waiting.pending] == ["write"]

    key = b"0123456789abcdef"
    state = RunState.from_json(waiting.state.to_json(key=key), key=key)  # type: ignore[union-attr]
    result = agent.resume(state, {"a": Approve()})
    assert (result.stop_reason, disk.ran) == ("length", [("write", "a.txt", "half a file")])


# --- the message, stored --------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", ["", "null", "{}", WHOLE, f" {WHOLE}\n", {}, {"keep_days": 3}, None, '{"a": {}}'])
def test_a_call_that_is_cut_off_does_not_run_after_its_message_was_stored(arguments: Any) -> None:
    disk = Disk()
    message = Message(role="assistant", tool_calls=(ToolCall("purge", arguments, "1"),))
    stored = Completion(message=message, finish_reason="length").message.to_dict()
    (read,) = messages_of(json.loads(json.dumps(stored)))
    for given in (read.tool_calls[0], stored["tool_calls"][0]):
        result = Executor(disk.tools).run(given)
        assert (result.error and result.error.code, disk.ran) == ("malformed_call", [])


def test_half_of_a_pair_of_surrogates_at_the_end_does_not_hide_why_a_call_is_refused() -> None:
    call = ToolCall("write", '{"path": "a", "text": "\ud83d', "1")
    message = Completion(message=Message(role="assistant", tool_calls=(call,)), finish_reason="length").message
    again = message.replaced(tool_calls=message.tool_calls)
    assert Executor(Disk().tools).run(again.tool_calls[0]).content == REFUSED
