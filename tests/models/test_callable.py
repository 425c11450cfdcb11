"""Functions as models: their arguments, their answers, and the threads they run on."""

from __future__ import annotations

import asyncio
import functools
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextvars import ContextVar
from types import SimpleNamespace
from typing import Any

import pytest

from fcregistry import Executor, Tool, ToolCall
from fcregistry.models import CallableModel, Completion, Delta, Message, Model, ToolCallDelta, Usage, messages_of


def weather(city: str) -> str:
    """Tell the weather."""
    return f"sunny in {city}"


def clock() -> str:
    """Tell the time."""
    return "noon"


TOOLS = [Tool.from_function(weather), Tool.from_function(clock)]
CALL = {"id": "1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Oslo"}'}}


def answering(answer: Any) -> CallableModel:
    return CallableModel(lambda messages: answer)


class Hears:
    """A function that keeps what it is given."""

    def __init__(self, answer: Any = "") -> None:
        self.answer = answer
        self.heard: list[Any] = []

    def __call__(self, messages: Any) -> Any:
        self.heard.append(messages)
        return self.answer


# --- what it is given -----------------------------------------------------------------------------


def test_messages_come_in_the_shape_of_openais_chat() -> None:
    hears = Hears()
    result = Executor([weather]).run(ToolCall("weather", {"town": "Oslo"}, "1"))
    conversation: list[Any] = [
        Message(role="system", content="Be short."),
        "Oslo?",
        Message(
            role="assistant", tool_calls=(ToolCall("weather", {"city": "Oslo"}, "1"),), reasoning="hm", native={"x": {}}
        ),
        Message.of_result(result),
    ]
    CallableModel(hears).complete(conversation)
    (heard,) = hears.heard
    assert heard[:3] == [
        {"role": "system", "content": "Be short."},
        {"role": "user", "content": "Oslo?"},
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
    ]
    assert sorted(heard[3]) == ["content", "name", "role", "tool_call_id"]


def test_a_function_does_not_get_fields_that_only_agents_read() -> None:
    hears = Hears()
    CallableModel(hears).complete([Message(role="user", content="x", continues=True)])
    assert hears.heard == [[{"role": "user", "content": "x"}]]


def test_a_function_gets_a_copy_of_the_messages() -> None:
    conversation = [{"role": "user", "content": "a"}]

    def changes(messages: list[dict[str, Any]]) -> str:
        messages[0]["content"] = "changed"
        messages.clear()
        return "answer"

    CallableModel(changes).complete(conversation)
    assert conversation == [{"role": "user", "content": "a"}]


def test_a_message_of_its_own_comes_back_as_it_wrote_it() -> None:
    """Some providers refuse a conversation without what they put beside a call. To others it is a message like any other."""
    signed = {**CALL, "extra_content": {"signature": ["s"]}}
    own = {"role": "assistant", "content": None, "tool_calls": [signed], "reasoning_content": "hm"}
    hears, other = Hears(own), Hears()
    model = CallableModel(hears, name="mine")

    message = model.complete("?").message
    assert (message.tool_calls, message.reasoning) == ((ToolCall("weather", '{"city": "Oslo"}', "1"),), "hm")
    for each in (model, CallableModel(other)):
        each.complete([message])
    assert hears.heard[1:] == [[own]]
    assert other.heard == [[{"role": "assistant", "content": None, "tool_calls": [CALL]}]]
    hears.heard[1][0]["tool_calls"][0]["extra_content"]["signature"].append("changed")
    assert message.native["mine"]["tool_calls"][0]["extra_content"] == {"signature": ["s"]}


def test_a_message_without_further_fields_is_not_kept_as_native() -> None:
    for said in ({"content": "x"}, {"role": "assistant", "content": None, "tool_calls": [CALL], "refusal": None}):
        assert answering(said).complete("?").message.native == {}


DEFINITIONS = [tool.definition("openai") for tool in TOOLS]
NAMED = {"type": "function", "function": {"name": "clock"}}
CHOICES: list[tuple[str, list[Any], Any]] = [
    ("auto", DEFINITIONS, "auto"),
    ("required", DEFINITIONS, "required"),
    ("none", [], "none"),
    ("clock", DEFINITIONS[1:], NAMED),
]


@pytest.mark.parametrize(("choice", "shown", "written"), CHOICES)
def test_a_function_gets_the_options_that_it_has_parameters_for(choice: str, shown: list[Any], written: Any) -> None:
    """One that cannot be told of the choice is shown the tools that may be called."""
    heard: list[Any] = []

    def nothing(messages: Any) -> str:
        return ""

    def tools_alone(messages: Any, tools: Any) -> str:
        heard.append(tools)
        return ""

    def both(messages: Any, *, tools: Any = None, tool_choice: Any = None) -> str:
        heard.append((tools, tool_choice))
        return ""

    def anything(messages: Any, temperature: float = 0.5, **options: Any) -> str:
        heard.append(options)
        return ""

    class Callee:
        def __call__(self, messages: Any, tools: Any) -> str:
            return tools_alone(messages, tools)

    for function in (nothing, tools_alone, both, anything, Callee(), functools.partial(both, tools=None)):
        CallableModel(function).complete("?", TOOLS, tool_choice=choice)
    options = {"tools": DEFINITIONS, **({} if choice == "auto" else {"tool_choice": written})}
    assert heard == [shown, (DEFINITIONS, written), options, shown, (DEFINITIONS, written)]


def test_a_choice_of_no_tool_is_refused_with_the_tools() -> None:
    with pytest.raises(ValueError, match="the name of a tool, not 'clok'; the tools are weather, clock"):
        CallableModel(lambda messages, tools: "").complete("?", TOOLS, tool_choice="clok")


def test_a_function_written_in_c_gets_only_messages() -> None:
    with pytest.raises(TypeError, match=r"a message is a text, .* not int"):
        CallableModel(len).complete("?", TOOLS)


def test_an_endlessly_nested_object_is_not_a_message() -> None:
    nested: dict[str, Any] = {"role": "assistant", "content": "x"}
    for _ in range(100_000):
        nested = {"output": [nested]}
    with pytest.raises(TypeError, match="the model returned a dict, neither a text nor a message"):
        CallableModel(lambda messages: nested).complete("?")


# --- what it may return ---------------------------------------------------------------------------

SHAPES: dict[str, tuple[Any, str | None, list[str]]] = {
    "a text": ("hi", "hi", []),
    "an empty text": ("", "", []),
    "OpenAI": ({"role": "assistant", "content": "hi", "tool_calls": [CALL]}, "hi", ["weather"]),
    "OpenAI without content": ({"tool_calls": [CALL]}, None, ["weather"]),
    "a refusal of OpenAI": ({"role": "assistant", "content": None, "refusal": "no"}, "no", []),
    "an object": (SimpleNamespace(role="assistant", content="hi", tool_calls=None), "hi", []),
    "Anthropic": (
        {
            "content": [
                {"type": "thinking", "thinking": "hm"},
                {"type": "text", "text": "h"},
                {"type": "text", "text": "i"},
                {"type": "tool_use", "id": "1", "name": "weather", "input": {}},
            ]
        },
        "hi",
        ["weather"],
    ),
    "a response of OpenAI's": (
        {
            "output": [
                {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]},
                {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "hi"}]},
                {"type": "function_call", "call_id": "1", "name": "weather", "arguments": "{}"},
            ]
        },
        "hi",
        ["weather"],
    ),
    "Gemini": (
        {
            "candidates": [
                {
                    "content": {
                        "role": "model",
                        "parts": [
                            {"text": "hm", "thought": True},
                            {"text": "hi"},
                            {"functionCall": {"name": "weather", "args": {}}},
                        ],
                    }
                },
                {"content": {"role": "model", "parts": [{"text": "another"}]}},
            ]
        },
        "hi",
        ["weather"],
    ),
    "Bedrock": (
        {
            "output": {
                "message": {
                    "role": "assistant",
                    "content": [
                        {"reasoningContent": {"reasoningText": {"text": "hm"}}},
                        {"text": "hi"},
                        {"toolUse": {"toolUseId": "1", "name": "weather", "input": {}}},
                    ],
                }
            }
        },
        "hi",
        ["weather"],
    ),
    "a list of calls": ([CALL], None, ["weather"]),
    "a message of ours": (Message(role="user", content="hi"), "hi", []),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_text_or_a_message_of_any_provider_is_an_answer(shape: str) -> None:
    answer, content, calls = SHAPES[shape]
    completion = answering(answer).complete("?")
    message = completion.message
    assert (message.role, message.content, [call.name for call in message.tool_calls]) == ("assistant", content, calls)
    assert completion.finish_reason == ("tool_calls" if calls else "stop")
    assert (completion.usage, completion.model) == (Usage(requests=1), "callable:<lambda>")
    assert message.reasoning == ("hm" if "hm" in repr(answer) else None)


def test_an_image_among_texts_is_kept() -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    message = (
        answering({"content": [{"type": "text", "text": "see"}, image, {"type": "new", "x": 1}]}).complete("?").message
    )
    assert [part.kind for part in message.content or ()] == ["text", "image"]  # type: ignore[union-attr]


def test_calls_that_cannot_be_read_are_kept_for_the_executor_to_answer() -> None:
    calls = [CALL, {"function": None, "id": "4"}, {"function": {"name": "weather", "arguments": 5}}]
    message = answering({"tool_calls": calls}).complete("?").message
    results = Executor([weather]).run_all(message.tool_calls)
    assert [result.ok for result in results] == [True, False, False]
    assert message.tool_calls[1].id == "4"
    assert len(answering([{"tool": "weather", "args": {}}]).complete("?").message.tool_calls) == 1


def test_a_completion_is_the_answer_as_it_is() -> None:
    own = Completion(message=Message(role="assistant", content="x"), finish_reason="length", model="m")
    assert answering(own).complete("?") is own


@pytest.mark.parametrize("said", [None, 5, object(), {}, {"something": "else"}, b"x"])
def test_an_answer_that_is_neither_text_nor_message_is_refused(said: Any) -> None:
    with pytest.raises(TypeError, match=rf"a message is a text, .* not {type(said).__name__}"):
        answering(said).complete("?")


@pytest.mark.parametrize(
    "said", [[], ["x"], [{"role": "assistant", "content": "x"}], {"output": []}, {"type": "error"}, {"candidates": []}]
)
def test_an_answer_without_calls_and_text_is_refused(said: Any) -> None:
    with pytest.raises(TypeError, match=f"the model returned a {type(said).__name__}, neither a text nor a message"):
        answering(said).complete("?")


def test_the_error_for_a_whole_response_names_its_message() -> None:
    with pytest.raises(TypeError, match=r"pass the message, response\.choices\[0\]\.message, not the whole response"):
        answering({"choices": [{"message": {"role": "assistant", "content": "x"}}]}).complete("?")


def test_an_object_that_has_everything_in_everything_ends() -> None:
    class Endless:
        role = "assistant"

        def __getattr__(self, name: str) -> Any:
            return Endless()

    assert answering(Endless()).complete("?").message.role == "assistant"


# --- answers in pieces ----------------------------------------------------------------------------

PIECES: list[Any] = [
    "Let ",
    Delta(content="me see.", reasoning="hm"),
    Delta(tool_calls=(ToolCallDelta(index=0, id="1", name="weather", arguments='{"city"'),)),
    Delta(tool_calls=(ToolCallDelta(index=0, arguments=': "Oslo"}'),)),
]


def plain(messages: Any) -> Iterator[Any]:
    yield from PIECES


async def coroutines(messages: Any) -> AsyncIterator[Any]:
    for piece in PIECES:
        await asyncio.sleep(0)
        yield piece


async def returns_iterator(messages: Any) -> Iterator[Any]:
    await asyncio.sleep(0)
    return iter(PIECES)


STREAMS: list[Callable[[Any], Any]] = [
    plain,
    coroutines,
    returns_iterator,
    lambda messages: coroutines(messages),  # noqa: PLW0108  # a plain function around an async one
    lambda messages: iter(PIECES),
]


@pytest.mark.parametrize("function", STREAMS)
def test_the_pieces_of_an_answer_are_yielded_and_put_together(function: Callable[[Any], Any]) -> None:
    model = CallableModel(function)
    *deltas, last = model.stream("?")
    assert deltas == [Delta(content="Let "), *PIECES[1:]]
    assert isinstance(last, Completion)
    assert last.message == Message(
        role="assistant",
        content="Let me see.",
        reasoning="hm",
        tool_calls=(ToolCall("weather", '{"city": "Oslo"}', "1"),),
    )
    assert model.complete("?") == last

    async def both() -> tuple[list[Any], Completion]:
        return [each async for each in model.astream(messages_of("?"))], await model.acomplete(messages_of("?"))

    assert asyncio.run(both()) == ([*deltas, last], last)


def test_pieces_may_end_with_the_completion() -> None:
    own = Completion(message=Message(role="assistant", content="ab"), finish_reason="length")
    assert list(CallableModel(lambda messages: iter(["a", "b", own])).stream("?"))[-1] is own


def test_a_piece_of_another_type_is_refused() -> None:
    with pytest.raises(TypeError, match="the model yielded a int; a piece of an answer is a text or a Delta"):
        CallableModel(lambda messages: iter(["a", 5])).complete("?")


def test_no_pieces_are_an_empty_text() -> None:
    assert CallableModel(lambda messages: iter(())).complete("?").message == Message(role="assistant", content="")


@pytest.mark.parametrize("is_async", [False, True])
def test_closing_the_stream_closes_the_answer(is_async: bool) -> None:
    closed = threading.Event()

    def forever(messages: Any) -> Iterator[str]:
        try:
            while True:
                yield "x"
        finally:
            closed.set()

    async def listen() -> None:
        pieces = CallableModel(forever).astream(messages_of("?"))
        await anext(pieces)
        await pieces.aclose()  # type: ignore[attr-defined]

    if is_async:
        asyncio.run(listen())
    else:
        pieces = CallableModel(forever).stream("?")
        next(pieces)
        pieces.close()  # type: ignore[attr-defined]
    assert closed.wait(10)


class Pieces:
    """An iterator that has to be closed, as the streams of SDKs have."""

    def __init__(self) -> None:
        self.is_closed = threading.Event()

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        return "x"

    def close(self) -> None:
        self.is_closed.set()


class AsyncPieces:
    def __init__(self) -> None:
        self.is_closed = threading.Event()

    def __aiter__(self) -> AsyncIterator[str]:
        return self

    async def __anext__(self) -> str:
        return "x"

    async def aclose(self) -> None:
        self.is_closed.set()


@pytest.mark.parametrize("kind", [Pieces, AsyncPieces])
def test_an_answer_that_is_not_a_generator_is_closed_too(kind: Callable[[], Any]) -> None:
    answer = kind()
    pieces = CallableModel(lambda messages: answer).stream("?")
    next(pieces)
    pieces.close()  # type: ignore[attr-defined]
    assert answer.is_closed.wait(10)


def test_an_answer_that_is_abandoned_while_it_runs_is_closed_afterwards() -> None:
    begun, go_on, closed = threading.Event(), threading.Event(), threading.Event()

    def slow(messages: Any) -> Iterator[str]:
        try:
            begun.set()
            go_on.wait(10)
            yield "x"
        finally:
            closed.set()

    async def give_up() -> None:
        task = asyncio.ensure_future(CallableModel(slow).acomplete(messages_of("?")))
        while not begun.is_set():
            await asyncio.sleep(0.001)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not closed.is_set()
        go_on.set()
        assert closed.wait(10)

    asyncio.run(give_up())


# --- where it runs --------------------------------------------------------------------------------


def test_a_plain_function_runs_on_the_callers_thread_and_starts_no_loop() -> None:
    code = """
import threading
from fcregistry.models import CallableModel
model = CallableModel(lambda messages: threading.current_thread().name)
print(model.complete("?").message.text, list(model.stream("?"))[-1].message.text, threading.active_count())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["MainThread", "MainThread", "1"]


def test_beside_a_loop_a_plain_function_runs_on_a_thread_in_the_callers_context() -> None:
    user: ContextVar[str] = ContextVar("user")
    where: list[Any] = []
    go_on = threading.Event()

    def waits(messages: Any) -> str:
        where.append((threading.current_thread().name, user.get()))
        return "x" if go_on.wait(10) else "the loop was held up"

    async def ask() -> str:
        user.set("Ann")
        asyncio.get_running_loop().call_soon(go_on.set)
        return (await CallableModel(waits).acomplete(messages_of("?"))).message.text

    assert asyncio.run(ask()) == "x"
    assert where == [("fcregistry-tool", "Ann")]


def test_an_async_function_runs_on_the_loop() -> None:
    where: list[Any] = []

    async def function(messages: Any) -> str:
        where.append((asyncio.get_running_loop(), threading.current_thread().name))
        return "x"

    class Callee:
        async def __call__(self, messages: Any) -> str:
            return await function(messages)

    async def ask(model: CallableModel) -> bool:
        return (await model.acomplete(messages_of("?"))).message.text == "x" and where[-1][
            0
        ] is asyncio.get_running_loop()

    for each in (function, Callee(), functools.partial(function)):
        assert asyncio.run(ask(CallableModel(each)))
        assert CallableModel(each).complete("?").message.text == "x"
        assert where[-1][1] == "fcregistry-loop"


def test_an_awaitable_that_a_plain_function_returns_is_awaited() -> None:
    async def function(messages: Any) -> str:
        await asyncio.sleep(0)
        return "x"

    model = CallableModel(lambda messages: function(messages))  # noqa: PLW0108  # as above
    assert model.complete("?").message.text == "x"
    assert asyncio.run(model.acomplete(messages_of("?"))).message.text == "x"


@pytest.mark.parametrize("error", [ConnectionError("offline"), KeyboardInterrupt()])
def test_exceptions_of_the_function_reach_the_caller(error: BaseException) -> None:
    def broken(messages: Any) -> str:
        raise error

    with pytest.raises(type(error)):
        CallableModel(broken).complete("?")
    if isinstance(error, Exception):
        with pytest.raises(type(error)):
            asyncio.run(CallableModel(broken).acomplete(messages_of("?")))


def test_stop_iteration_does_not_end_a_stream_in_silence() -> None:
    def broken(messages: Any) -> str:
        return next(iter(()))

    with pytest.raises(RuntimeError, match="StopIteration"):
        CallableModel(broken).complete("?")
    with pytest.raises(RuntimeError, match="the model raised StopIteration"):
        asyncio.run(CallableModel(broken).acomplete(messages_of("?")))


# --- what it is called ----------------------------------------------------------------------------


class Named:
    def __call__(self, messages: Any) -> str:
        return ""


@pytest.mark.parametrize(
    ("function", "name"),
    [(plain, "callable:plain"), (functools.partial(plain), "callable:plain"), (Named(), "callable:Named")],
)
def test_it_is_called_as_its_function_is(function: Any, name: str) -> None:
    assert (CallableModel(function).name, repr(CallableModel(function))) == (name, f"<Model {name}>")
    assert CallableModel(function, "mine").name == "mine"
    assert isinstance(CallableModel(function), Model)


def test_an_object_that_cannot_be_called_is_not_a_model() -> None:
    with pytest.raises(TypeError, match="llm is a callable from messages to a message or text, not 5"):
        CallableModel(5)  # type: ignore[arg-type]


# --- definitions in place of tools ----------------------------------------------------------------


def test_definitions_as_dicts_are_accepted_as_tools() -> None:
    offered: list[Any] = []

    def hears(messages: Any, tools: Any) -> str:
        offered.append(tools)
        return "fine"

    definitions = [tool.definition("anthropic") for tool in TOOLS]
    model = CallableModel(hears)
    model.complete("Oslo?", definitions)
    model.complete("Oslo?", [TOOLS[0], definitions[1]], tool_choice="clock")
    asyncio.run(model.acomplete(messages_of("Oslo?"), definitions))

    assert [[each["function"]["name"] for each in tools] for tools in offered] == [
        ["weather", "clock"],
        ["clock"],
        ["weather", "clock"],
    ]
    with pytest.raises(TypeError, match="is not a Tool"):
        model.complete("Oslo?", ["weather"])  # type: ignore[list-item]


def test_a_model_of_ones_own_gets_tools_for_definitions() -> None:
    class Own(Model):
        name = "own"
        tools: Any = None

        async def acomplete(self, messages: Any, tools: Any = (), *, tool_choice: Any = "auto") -> Completion:
            self.tools = tools
            return Completion(message=Message(role="assistant", content="fine"), finish_reason="stop")

    model = Own()
    model.complete("Oslo?", [TOOLS[0].definition("openai")])
    assert [(type(tool), tool.name) for tool in model.tools] == [(Tool, "weather")]
