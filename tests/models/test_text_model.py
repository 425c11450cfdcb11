"""Functions from text to text as models: the prompt, and how the text is read."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fcregistry import Executor, Tool, ToolCall, dialects
from fcregistry.dialects._parsed import syntax_after  # a syntax with a thousand calls is made here
from fcregistry.errors import DialectNotFoundError
from fcregistry.models import Completion, Delta, Message, TextModel, ToolCallDelta, messages_of


def weather(city: str) -> str:
    """Tell the weather."""
    return f"sunny in {city}"


def clock() -> str:
    """Tell the time."""
    return "noon"


TOOLS = [Tool.from_function(weather), Tool.from_function(clock)]
HERMES = dialects.get("hermes")


def call_text(city: str) -> str:
    return HERMES.render_calls([ToolCall("weather", {"city": city})])


SAID = f"<think>hm</think>Let me see.\n{call_text('Oslo')}\n{call_text('Bergen')}"
CALLS = (ToolCall("weather", {"city": "Oslo"}, "call_1"), ToolCall("weather", {"city": "Bergen"}, "call_2"))


class Text:
    """A function that answers what it was told to, and keeps what it was given."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.heard: list[Any] = []

    def __call__(self, prompt: str) -> Any:
        self.heard.append(prompt)
        return self.answer


# --- the prompt -----------------------------------------------------------------------------------


def test_a_question_is_a_readable_prompt_that_ends_where_the_model_goes_on() -> None:
    text = Text("hi")
    TextModel(text).complete("How are you?")
    assert text.heard == [dialects.chat_format("plain").render([{"role": "user", "content": "How are you?"}])]
    assert text.heard[0].endswith("Assistant:")


def test_tools_are_described_in_the_first_system_message_as_the_dialect_writes_them() -> None:
    told = HERMES.render(TOOLS)
    conversations: list[tuple[Any, str]] = [
        ("?", told),
        ([Message(role="system", content="Be short."), "?"], f"Be short.\n\n{told}"),
    ]
    for conversation, system in conversations:
        text = Text("hi")
        TextModel(text, "hermes", "chatml").complete(conversation, TOOLS)
        messages = [{"role": "system", "content": system}, {"role": "user", "content": "?"}]
        assert text.heard == [dialects.chat_format("chatml").render(messages)]


def test_calls_and_results_are_in_the_prompt_as_the_dialect_writes_them() -> None:
    """Results of one turn stand together; a call that the dialect cannot say is told all the same."""
    results = Executor([weather]).run_all(CALLS)
    conversation = [
        Message.of("Oslo?"),
        Message(role="assistant", content="Let me see.", tool_calls=CALLS, reasoning="hm"),
        *map(Message.of_result, results),
        Message(role="assistant", tool_calls=(ToolCall("weather", '{"city": ', "x"),)),
    ]

    def function(messages: Any) -> str:
        heard.append(messages)
        return ""

    heard: list[Any] = []
    TextModel(function, HERMES).complete(conversation)
    answered = "\n".join(HERMES.render_result("weather", f"sunny in {city}") for city in ("Oslo", "Bergen"))
    assert heard[0][:3] == [
        {"role": "user", "content": "Oslo?"},
        {"role": "assistant", "content": f"Let me see.\n{HERMES.render_calls(CALLS)}"},
        {"role": "user", "content": answered},
    ]
    assert '{"city": ' in heard[0][3]["content"]


@pytest.mark.parametrize(
    ("dialect", "chat", "mark"),
    [
        ("mistral", "mistral", "[TOOL_CALLS]"),
        ("mistral", "mistral-v7", "[AVAILABLE_TOOLS]"),
        ("deepseek-v3", "deepseek", "<\uff5ctool▁outputs▁begin\uff5c>"),
        ("kimi-k2", "chatml", "<|im_end|>"),
    ],
)
def test_marks_that_a_dialect_shares_with_the_chat_are_whole_where_it_writes_them_and_nowhere_else(
    dialect: str, chat: str, mark: str
) -> None:
    def told(said: str) -> Tool:
        return Tool.from_function(weather, description=said)

    def prompt(said: str) -> str:
        text, call = Text("hi"), ToolCall("weather", {"city": said}, "abcdefghi")
        asked = [Message.of(said), Message(role="assistant", content=said, tool_calls=(call,))]
        answered = Message(role="tool", content=said, tool_call_id="abcdefghi", name="weather")
        TextModel(text, dialect, chat).complete([*asked, answered], [told(said)])
        return str(text.heard[0])

    written = dialects.get(dialect)
    plain = prompt("x")
    assert plain.count(mark) == prompt(f"x{mark}").count(mark) > 0
    assert written.render([told("x")]) in plain
    assert written.render_calls([ToolCall("weather", {"city": "x"}, "abcdefghi")]) in plain
    assert written.render_result("weather", "x", "abcdefghi") in plain


@pytest.mark.parametrize(
    ("choice", "shown", "words"),
    [
        ("auto", ["weather", "clock"], ""),
        ("required", ["weather", "clock"], "Answer with a call of a tool."),
        ("clock", ["clock"], "Answer with a call of the tool clock."),
        ("none", [], ""),
    ],
)
def test_a_choice_becomes_an_instruction_and_limits_the_tools_shown(choice: str, shown: list[str], words: str) -> None:
    text = Text("hi")
    TextModel(text, "hermes").complete("?", TOOLS, tool_choice=choice)
    assert [name for name in ("weather", "clock") if f'"{name}"' in text.heard[0]] == shown
    assert ("Answer with" in text.heard[0]) == bool(words)
    assert words in text.heard[0]


TEMPLATE = (
    "{% for tool in tools %}[{{ tool.function.name }}]{% endfor %}"
    "{% for message in messages %}<{{ message.role }}>{{ message.content }}"
    "{% for call in message.tool_calls or [] %}{{ call.function.name }}({{ call.function.arguments.city }}){% endfor %}"
    "{% endfor %}{% if add_generation_prompt %}<assistant>{% endif %}"
)


def test_a_template_that_shows_tools_gets_tools_calls_and_results_as_objects() -> None:
    text = Text("hi")
    template = dialects.ChatTemplate(TEMPLATE)
    result = Executor([weather]).run(CALLS[0])
    conversation: list[Any] = ["Oslo?", Message(role="assistant", tool_calls=CALLS[:1]), Message.of_result(result)]
    TextModel(text, "hermes", template).complete(conversation, TOOLS)
    assert text.heard == ["[weather][clock]<user>Oslo?<assistant>weather(Oslo)<tool>sunny in Oslo<assistant>"]


def test_a_function_with_a_parameter_stop_gets_the_marks_that_end_an_answer() -> None:
    heard: list[Any] = []

    def function(prompt: str, stop: list[str]) -> str:
        heard.append(stop)
        return ""

    TextModel(function, "hermes", "chatml").complete("?")
    assert heard == [list(dict.fromkeys((*dialects.chat_format("chatml").stops, *HERMES.stops)))]
    assert "<|im_end|>" in heard[0]


# --- the answer -----------------------------------------------------------------------------------


def test_a_text_becomes_content_thoughts_and_calls_with_ids() -> None:
    completion = TextModel(Text(SAID), "hermes", name="mine").complete("?", TOOLS)
    assert completion.message == Message(role="assistant", content="Let me see.", reasoning="hm", tool_calls=CALLS)
    assert (completion.finish_reason, completion.model, completion.details) == ("tool_calls", "mine", {"text": SAID})
    assert [result.content for result in Executor(TOOLS).run_all(CALLS)] == ["sunny in Oslo", "sunny in Bergen"]


def test_ids_are_those_of_no_other_call_of_the_conversation() -> None:
    said = [Message(role="assistant", tool_calls=CALLS), Message(role="tool", tool_call_id="call_3", content="x")]
    completion = TextModel(Text(SAID), "hermes").complete(said, TOOLS)
    assert [call.id for call in completion.message.tool_calls] == ["call_4", "call_5"]


def test_a_call_of_an_unknown_tool_is_kept_for_the_executor() -> None:
    said = HERMES.render_calls([ToolCall("no_such", {})])
    (call,) = TextModel(Text(said), "hermes").complete("?", TOOLS).message.tool_calls
    assert "there is no tool 'no_such'" in Executor(TOOLS).run(call).content


def test_a_call_that_is_cut_off_is_text() -> None:
    message = TextModel(Text(SAID[:-20]), "hermes").complete("?", TOOLS).message
    assert message.tool_calls == CALLS[:1]


def test_text_alone_is_text() -> None:
    completion = TextModel(Text("Hello."), "hermes").complete("?", TOOLS)
    assert (completion.message, completion.finish_reason) == (Message(role="assistant", content="Hello."), "stop")


@pytest.mark.parametrize("choice", ["auto", "none"])
def test_without_tools_text_that_looks_like_a_call_stays_text(choice: str) -> None:
    tools = TOOLS if choice == "none" else []
    *_, last = TextModel(Text(iter(SAID)), "hermes").stream("?", tools, tool_choice=choice)
    assert isinstance(last, Completion)
    assert last.message == Message(role="assistant", content=SAID.removeprefix("<think>hm</think>"), reasoning="hm")
    assert last.finish_reason == "stop"


def test_what_a_model_writes_after_the_end_of_its_turn_is_cut_off() -> None:
    for answer in ("Hi.<|im_end|>\n<|im_start|>user\nAnd?", iter(["Hi.<|im", "_end|>", "<|im_start|>", "user"])):
        assert TextModel(Text(answer), "hermes", "chatml").complete("?").message.content == "Hi."


@pytest.mark.parametrize("said", [None, {"role": "assistant", "content": "x"}, 5])
def test_an_answer_other_than_text_is_refused(said: Any) -> None:
    with pytest.raises(
        TypeError, match=f"the model returned a {type(said).__name__}; with a dialect, it returns or yields text"
    ):
        TextModel(Text(said)).complete("?")
    with pytest.raises(TypeError, match=f"the model yielded a {type(said).__name__}; with a dialect"):
        TextModel(Text(iter([said]))).complete("?")


# --- the dialect ----------------------------------------------------------------------------------

QUOTING = ToolCall("weather", {"city": f"Oslo {dialects.get('lfm2').render_calls([ToolCall('clock', {})])}"})


def test_a_dialect_is_known_by_the_name_of_the_model() -> None:
    assert TextModel(Text(""), name="Qwen/Qwen2.5-7B-Instruct").dialect is HERMES
    assert TextModel(Text(""), "lfm2", name="qwen2.5:7b").dialect.name == "lfm2"


def test_a_dialect_is_known_by_the_chat_format_or_by_what_the_template_writes() -> None:
    assert TextModel(Text(""), chat="mistral").dialect.name == "mistral"
    writes = (
        "{% for each in messages %}<{{ each.role }}>{{ each.content }}{% for call in each.tool_calls or [] %}"
        "<|tool_call_start|>[{{ call.function.name }}(city='{{ call.function.arguments.city }}')]<|tool_call_end|>"
        "{% endfor %}{% endfor %}"
    )
    assert TextModel(Text(""), chat=dialects.ChatTemplate(writes)).dialect.name == "lfm2"
    for unknown in (TEMPLATE, "{{ messages[0].content }}", "{{ raise_exception('no calls') }}"):
        assert TextModel(Text(""), chat=dialects.ChatTemplate(unknown)).dialect.name == "json"


def test_an_unknown_model_is_asked_for_json_and_read_as_json() -> None:
    model = TextModel(Text(dialects.get("lfm2").render_calls(CALLS)), name="mine")
    assert model.dialect.name == "json"
    assert model.complete("?", TOOLS).message.tool_calls == ()
    assert TextModel(Text(SAID)).complete("?", TOOLS).message.tool_calls == CALLS  # JSON, with tags around


def test_auto_is_asked_for_and_reads_the_call_that_was_written() -> None:
    for name in ("lfm2", "json", "gemma4"):
        said = dialects.get(name).render_calls([QUOTING])
        (call,) = TextModel(Text(said), "auto").complete("?", TOOLS).message.tool_calls
        assert (call.name, call.arguments) == ("weather", QUOTING.arguments)


def test_a_conversation_stays_with_the_dialect_that_was_recognized_in_it() -> None:
    text = Text(SAID)
    model = TextModel(text, "auto")
    first = model.complete("?", TOOLS).message
    assert '{"name": "weather"' in text.heard[0]
    assert HERMES.render(TOOLS) not in text.heard[0]
    results = [Message(role="tool", content="sunny", tool_call_id=call.id) for call in first.tool_calls]

    text.answer = dialects.get("lfm2").render_calls([ToolCall("clock", {})])
    second = model.complete(["?", first, *results], TOOLS).message
    assert (second.tool_calls, second.text) == ((), text.answer)
    assert HERMES.render(TOOLS) in text.heard[1]
    assert HERMES.render_calls(CALLS[:1]) in text.heard[1]

    written = [Message.of(each.to_dict()) for each in (second, Message(role="user", content="And now?"))]
    assert model.complete(written, TOOLS).message.tool_calls == ()  # also where the first turns are forgotten
    (call,) = model.complete("?", TOOLS).message.tool_calls  # another conversation
    assert call.name == "clock"


def test_the_recognized_dialect_of_another_model_is_ignored() -> None:
    said = dialects.get("lfm2").render_calls([ToolCall("clock", {})])
    for native in ({"dialects": {"mine": "nonsense"}}, {"dialects": {"theirs": "hermes"}}, {"dialects": "hermes"}):
        kept = Message(role="assistant", content="Hi.", native=native)
        asked = Message(role="user", content="?", native={"dialects": {"mine": "hermes"}})
        (call,) = TextModel(Text(said), "auto", name="mine").complete([kept, asked], TOOLS).message.tool_calls
        assert call.name == "clock"


# --- in pieces ------------------------------------------------------------------------------------


def told(deltas: list[Any]) -> tuple[str, str]:
    return "".join(each.content for each in deltas), "".join(each.reasoning for each in deltas)


@given(st.lists(st.integers(0, len(SAID)), max_size=30), st.booleans())
def test_pieces_are_read_like_the_whole_text(cuts: list[int], with_tools: bool) -> None:
    cuts.sort()
    pieces = [SAID[start:end] for start, end in zip([0, *cuts], [*cuts, len(SAID)], strict=True)]
    tools = TOOLS if with_tools else []
    *deltas, last = TextModel(Text(iter(pieces)), "hermes", "chatml").stream("?", tools)
    whole = TextModel(Text(SAID), "hermes", "chatml").complete("?", tools)
    assert last == whole
    assert told(deltas) == (whole.message.text, whole.message.reasoning)


def test_an_apparent_call_in_a_thought_is_not_a_call() -> None:
    """Thoughts that were opened in the prompt are known by their end."""
    said = [call_text("Oslo"), f"\nNo.</think>{call_text('Bergen')}"]
    *deltas, last = TextModel(Text(iter(said)), "hermes").stream("?", TOOLS)
    assert [call.name for each in deltas if isinstance(each, Delta) for call in each.tool_calls] == ["weather"] * 2
    assert isinstance(last, Completion)
    assert [call.arguments for call in last.message.tool_calls] == [{"city": "Bergen"}]
    assert str(last.message.reasoning).endswith("No.")


def test_many_calls_in_a_thought_take_linear_time() -> None:
    """Looking for the calls that count at each place among all that were read would take longer than a test may take."""

    def thousand(source: Any, mark: str) -> Any:
        return [ToolCall("weather", {}) for _ in range(1_000)]
        yield

    dialect = replace(HERMES, syntax=syntax_after("!", thousand, HERMES.syntax.write))
    *_, last = TextModel(Text(iter([*["!"] * 300, "</think>Bye."])), dialect).stream("?", [])
    assert isinstance(last, Completion)
    assert last.message.text == "Bye."


def test_a_call_in_a_thought_that_is_repeated_is_yielded_again() -> None:
    said = [call_text("Oslo"), f"</think>{call_text('Oslo')}"]
    *deltas, last = TextModel(Text(iter(said)), "hermes").stream("?", TOOLS)
    told_of = [call for each in deltas if isinstance(each, Delta) for call in each.tool_calls]
    assert isinstance(last, Completion)
    assert [call.id for call in last.message.tool_calls] == [told_of[-1].id]


def test_calls_are_yielded_as_soon_as_they_are_complete() -> None:
    said: list[Any] = [
        each
        for each in TextModel(Text(iter([SAID[:-5], SAID[-5:]])), "hermes").stream("?", TOOLS)
        if isinstance(each, Delta)
    ]
    first, second = ([each for each in delta.tool_calls] for delta in said if delta.tool_calls)  # noqa: C416
    assert first == [ToolCallDelta(index=0, id="call_1", name="weather", arguments='{"city": "Oslo"}')]
    assert second == [ToolCallDelta(index=1, id="call_2", name="weather", arguments='{"city": "Bergen"}')]


def test_it_may_be_async_or_a_generator() -> None:
    async def whole(prompt: str) -> str:
        await asyncio.sleep(0)
        return SAID

    async def pieces(prompt: str) -> AsyncIterator[str]:
        for piece in SAID.split(" "):
            yield f"{piece} "

    def plain(prompt: str) -> Iterator[str]:
        yield from SAID

    for function in (whole, pieces, plain):
        model = TextModel(function, "hermes")
        assert model.complete("?", TOOLS).message.tool_calls == CALLS
        assert asyncio.run(model.acomplete(messages_of("?"), TOOLS)).message.tool_calls == CALLS


MARKS = ("<end>", "<e>", "end")
CHAT = replace(dialects.chat_format("plain"), stops=MARKS)


@given(st.text(alphabet="<end>", max_size=20), st.lists(st.integers(0, 20), max_size=8))
@example("x<end>", [5])
@example("x<ends", [5])
@example("x<end", [3])
def test_text_is_cut_at_the_first_mark_however_it_comes(text: str, cuts: list[int]) -> None:
    cuts = sorted(min(cut, len(text)) for cut in cuts)
    pieces = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    *deltas, last = TextModel(Text(iter(pieces)), "hermes", CHAT).stream("?")
    ends = [place for mark in MARKS if (place := text.find(mark)) >= 0]
    cut = text[: min(ends, default=len(text))]
    assert "".join(each.content for each in deltas if isinstance(each, Delta)) == cut
    assert isinstance(last, Completion)
    assert last.message.text == cut


# --- mistakes -------------------------------------------------------------------------------------


def test_wrong_arguments_raise_when_the_model_is_made() -> None:
    with pytest.raises(DialectNotFoundError, match="there is no dialect 'hermse'"):
        TextModel(Text(""), "hermse")
    with pytest.raises(DialectNotFoundError, match="chatlm"):
        TextModel(Text(""), "hermes", "chatlm")
    with pytest.raises(TypeError, match="dialect is the name of a dialect or a dialect, not 5"):
        TextModel(Text(""), 5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="chat is the name of a chat format, a ChatFormat or a ChatTemplate, not 5"):
        TextModel(Text(""), "hermes", 5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="the function is a callable from a prompt to a text, not 'x'"):
        TextModel("x", "hermes")  # type: ignore[arg-type]
