"""Messages, read from several shapes, and written in the shape of OpenAI's chat."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcregistry import Executor, ToolCall
from fcregistry.execution import Content
from fcregistry.models import CallableModel, Message, messages_of

PIXEL = b"\x89PNG"


# --- reading --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("conversation", "messages"),
    [
        ("hello", [Message(role="user", content="hello")]),
        ({"role": "system", "content": "x"}, [Message(role="system", content="x")]),
        (Message(role="user", content="x"), [Message(role="user", content="x")]),
        (
            ["a", {"role": "assistant", "content": "b"}],
            [Message(role="user", content="a"), Message(role="assistant", content="b")],
        ),
        (iter(["a"]), [Message(role="user", content="a")]),
        (SimpleNamespace(role="user", content="x"), [Message(role="user", content="x")]),
        ((), []),
    ],
)
def test_a_question_a_message_or_a_conversation_is_a_conversation(conversation: Any, messages: list[Message]) -> None:
    assert list(messages_of(conversation)) == messages


@pytest.mark.parametrize(("role", "ours"), [("developer", "system"), ("model", "assistant")])
def test_roles_that_others_call_otherwise_are_known(role: str, ours: str) -> None:
    assert Message.of({"role": role, "content": "x"}).role == ours


@pytest.mark.parametrize("value", [None, 5, {}, {"content": "x"}, [], object()])
def test_an_object_without_a_role_is_not_a_message(value: Any) -> None:
    with pytest.raises(
        TypeError, match=f"a message is a Message, a text, or a dict with a role, not {type(value).__name__}"
    ):
        Message.of(value)


@pytest.mark.parametrize(("role", "shown"), [("robot", "'robot'"), (["user"], r"\['user'\]"), (None, "None")])
def test_a_role_that_there_is_not_is_refused_with_those_there_are(role: Any, shown: str) -> None:
    with pytest.raises(ValueError, match=f"the role of a message is one of system, user, assistant, tool, not {shown}"):
        Message.of({"role": role, "content": "x"})


def test_native_content_must_be_an_object() -> None:
    with pytest.raises(ValueError, match="native of a message is an object by the name of a provider, not str"):
        Message.of({"role": "assistant", "content": "x", "native": "openai"})


@pytest.mark.parametrize("content", [5, {"text": "x"}])
def test_content_that_is_neither_text_nor_parts_is_refused(content: Any) -> None:
    with pytest.raises(ValueError, match="the content of a message is text or a list of parts"):
        Message.of({"role": "user", "content": content})


@pytest.mark.parametrize(
    ("call", "told"),
    [
        ({"name": "anything", "arguments": [1]}, "the arguments must be a JSON object, got an array"),
        ({"function": {"name": "anything", "arguments": 5}}, "the arguments must be a JSON object, got a number"),
        ({"name": "anything", "arguments": True}, "the arguments must be a JSON object, got a boolean"),
        ({"name": "anything", "arguments": b"{}"}, "the arguments must be a JSON object, got an array"),
    ],
)
def test_a_call_that_cannot_be_read_never_runs_with_other_fields_as_arguments(call: Any, told: str) -> None:
    def anything(**given: object) -> None:
        """Take anything."""

    message = Message.of({"role": "assistant", "content": None, "tool_calls": [call]})
    kept = Message.of(json.loads(json.dumps(message.to_dict())))
    for each in (*message.tool_calls, *kept.tool_calls):
        result = Executor([anything]).run(each)
        assert (result.ok, result.content) == (False, told)


def test_a_message_with_arguments_that_are_not_a_json_object_can_be_written_and_its_call_never_runs() -> None:
    def anything(**given: object) -> None:
        """Take anything."""

    circle: dict[str, Any] = {}
    circle["a"] = circle
    some: list[Any] = [5, True, [1], [["a", 1]], b"{}", circle, {("a",): 1}, {"a": {("b",): 1}}, object()]
    said = Message(role="assistant", tool_calls=tuple(ToolCall("anything", each) for each in some))
    kept = Message.of(json.loads(json.dumps(said.to_dict())))
    assert len(kept.tool_calls) == len(some)
    assert not any(Executor([anything]).run(call).ok for call in kept.tool_calls)


def test_calls_are_read_one_by_one_and_in_any_shape() -> None:
    calls = [
        {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}},
        {"name": "g", "arguments": {"a": 1}},
        {"id": "3", "function": None},
    ]
    message = Message.of({"role": "assistant", "content": None, "tool_calls": calls})
    assert message.tool_calls[:2] == (ToolCall("f", "{}", "1"), ToolCall("g", {"a": 1}))
    assert (message.tool_calls[2].name, message.tool_calls[2].id) == ("", "3")
    assert not Executor([]).run(message.tool_calls[2]).ok


@pytest.mark.parametrize("name", ["reasoning", "reasoning_content"])
def test_thoughts_are_read_from_where_servers_put_them(name: str) -> None:
    assert Message.of({"role": "assistant", "content": "x", name: "hm"}).reasoning == "hm"


def test_content_of_one_text_is_that_text() -> None:
    assert Message.of({"role": "user", "content": [{"type": "text", "text": "x"}]}).content == "x"


def test_content_in_parts_is_content() -> None:
    parts: list[Any] = [
        {"type": "text", "text": "see"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw=="}},
        {"type": "image_url", "image_url": {"url": "gopher:picture"}},
        {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "mp3"}},
        {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,AAAA"}},
        {"type": "tool_use", "id": "1", "name": "f", "input": {}},
        "and read",
    ]
    message = Message.of({"role": "user", "content": parts})
    assert isinstance(message.content, tuple)
    assert [part.kind for part in message.content] == ["text", "image", "link", "audio", "file", "text"]
    assert message.content[1].data == PIXEL
    assert message.content[3].media_type == "audio/mpeg"
    assert message.text.startswith("see\n")
    assert message.text.endswith("\nand read")


@pytest.mark.parametrize(
    ("part", "why"),
    [
        ({"type": "hologram"}, "no type that is known: 'hologram'"),
        ({"type": "text"}, "a part of a message's content has no text"),
        ({"type": "image_url", "image_url": {"url": "data:image/png,x"}}, "holds no base64"),
        ({"type": "input_audio", "input_audio": {"data": "A", "format": "wav"}}, "holds no base64"),
        ({"type": "file", "file": {"file_id": "file-1"}}, "a file of a message's content is given as file_data"),
        (5, "no type that is known: 5"),
    ],
)
def test_a_part_that_cannot_be_read_is_refused(part: Any, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        Message.of({"role": "user", "content": ["x", part]})


# --- results --------------------------------------------------------------------------------------


def test_a_result_is_a_message_of_the_tool() -> None:
    def f(a: int) -> str:
        """Do."""
        return str(a)

    good, bad = Executor([f]).run_all([ToolCall("f", {"a": 1}, "1"), ToolCall("f", {"b": 1})])
    assert Message.of_result(good) == Message(role="tool", content="1", tool_call_id="1", name="f")
    failed = Message.of_result(bad, "2")
    assert (failed.is_error, failed.tool_call_id, failed.text) == (True, "2", bad.content)


def test_characters_of_a_result_that_no_request_can_carry_are_escaped() -> None:
    """A file's name may hold it, and the conversation would end there."""

    def first_file() -> str:
        """Name the first file."""
        return "Zürich \udcff.txt"

    result = Executor([first_file]).run(ToolCall("first_file"))
    assert Message.of_result(result).content == "Zürich \\udcff.txt"
    assert result.content == "Zürich \udcff.txt"


def test_a_result_with_an_image_keeps_it() -> None:
    def draw() -> list[Any]:
        """Draw."""
        return ["a dot", Content.image(PIXEL, media_type="image/png")]

    message = Message.of_result(Executor([draw]).run(ToolCall("draw")))
    assert isinstance(message.content, tuple)
    assert "image" in [part.kind for part in message.content]


# --- writing --------------------------------------------------------------------------------------


def test_a_message_with_only_calls_has_no_content() -> None:
    """A provider that is sent such a message without it refuses the conversation."""
    written = Message(role="assistant", tool_calls=(ToolCall("f", {"a": "é"}, "1"), ToolCall("g"))).to_dict()
    assert written == {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "1", "type": "function", "function": {"name": "f", "arguments": '{"a": "é"}'}},
            {"id": "", "type": "function", "function": {"name": "g", "arguments": "{}"}},
        ],
    }


def test_a_function_is_given_a_file_of_text_as_text_and_another_as_a_file() -> None:
    notes = Content.file(b"a,b", media_type="text/csv", name="a.csv")
    paper = Content.file(b"%PDF", media_type="application/pdf", name="a.pdf")
    seen: list[Any] = []

    def model(messages: list[dict[str, Any]]) -> str:
        seen.extend(messages)
        return "Yes."

    CallableModel(model).complete([Message(role="user", content=(notes, paper))])
    text, file = seen[0]["content"]
    assert (text["type"], "a,b" in text["text"]) == ("text", True)
    assert file == {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBERg=="}}


def test_calls_of_a_message_of_another_role_are_left_out_with_a_warning() -> None:
    calls = [{"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]
    for role in ("user", "system", "tool"):
        with pytest.warns(
            UserWarning, match=f"a message of the role '{role}' has tool calls, which are left out"
        ) as said:
            assert Message.of({"role": role, "content": "x", "tool_calls": calls}).tool_calls == ()
        assert said[0].filename == __file__
        assert Message.of({"role": role, "content": "x", "tool_calls": []}).tool_calls == ()


IMAGE = Content.image(PIXEL, media_type="image/png")
PARTS = [
    IMAGE,
    Content.link("https://a.org/a.png", media_type="image/png", description="a cat"),
    Content.link("https://a.org/a.pdf", media_type="application/pdf"),
    Content.file(b"a,b", media_type="text/csv", name="a.csv"),
    Content.file(b"%PDF", media_type="application/pdf", name="a.pdf"),
    Content.audio(b"fLaC", media_type="audio/flac"),
    Message.of({"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://a.org/b"}}]}).content[
        0
    ],  # type: ignore[index]
]
CONTENTS = st.none() | st.text(max_size=5) | st.sampled_from(PARTS).map(lambda part: (Content.text("see"), part))
CALLS = st.builds(ToolCall, st.sampled_from(["f", "g"]), st.text(max_size=5), st.sampled_from(["1", "2"]))


@st.composite
def messages(draw: st.DrawFn) -> Message:
    roles: list[Literal["system", "user", "assistant", "tool"]] = ["system", "user", "assistant", "tool"]
    role = draw(st.sampled_from(roles))
    return Message(
        role=role,
        content=draw(CONTENTS),
        tool_calls=tuple(draw(st.lists(CALLS, max_size=2))) if role == "assistant" else (),
        tool_call_id=draw(st.none() | st.sampled_from(["1", ""])),
        name=draw(st.none() | st.just("f")),
        reasoning=draw(st.none() | st.just("hm")),
        is_error=draw(st.booleans()),
        continues=draw(st.booleans()),
        native=draw(st.sampled_from([{}, {"openai": {"x": [1]}}])),
    )


@given(messages())
def test_what_is_written_is_json_and_reads_the_same(message: Message) -> None:
    assert Message.of(json.loads(json.dumps(message.to_dict()))) == message
