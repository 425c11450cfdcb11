"""A history is shortened from its beginning by whole turns, so that providers accept the rest."""

from __future__ import annotations

from itertools import chain
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fcregistry import ToolCall
from fcregistry.agents import Conversation
from fcregistry.execution import Content
from fcregistry.models import Message

from .scripts import Script, check_history, says

QUESTION = Message(role="user", content="")


def shortened(messages: list[Message], **limits: Any) -> list[Message]:
    """Return what a model is told of a conversation that goes on with a question."""
    model = Script(says("answer"))
    Conversation(model, [], messages=messages, **limits).say(QUESTION)
    return list(model.heard[0])


@st.composite
def rounds(draw: st.DrawFn) -> list[Message]:
    """Return a round of calls with their results, or an answer."""
    count = draw(st.integers(0, 3))
    text = draw(st.text(max_size=20))
    names = [draw(st.uuids()).hex for _ in range(count)]
    made = tuple(ToolCall("add", {}, name) for name in names)
    results = [Message(role="tool", content=text, tool_call_id=name) for name in names]
    return [Message(role="assistant", content=text, tool_calls=made), *results]


TURNS = st.lists(
    st.tuples(
        st.booleans(),
        st.sampled_from(["user", "user", "none"]),
        st.lists(rounds(), max_size=3).map(lambda made: list(chain(*made))),
    ),
    max_size=6,
)
LIMITS = st.none() | st.integers(1, 30)


def conversation(turns: list[tuple[bool, str, list[Message]]]) -> list[Message]:
    said: list[Message] = []
    for system, user, rest in turns:
        said += [Message(role="system", content="s")] * system
        said += [Message(role="user", content="u")] * (user == "user")
        said += rest
    return said


def count_tokens(message: Message) -> int:
    return 1 + len(message.text)


@settings(max_examples=60)
@given(turns=TURNS, max_messages=LIMITS, max_tokens=LIMITS)
def test_what_is_left_is_the_end_of_the_conversation_and_whole(
    turns: list[tuple[bool, str, list[Message]]], max_messages: int | None, max_tokens: int | None
) -> None:
    messages = conversation(turns)
    kept = shortened(messages, max_messages=max_messages, max_tokens=max_tokens, count_tokens=count_tokens)

    check_history(kept)
    said = [message for message in [*messages, QUESTION] if message.role != "system"]
    left = [message for message in kept if message.role != "system"]
    assert said[len(said) - len(left) :] == left
    assert left
    assert kept.count(Message(role="system", content="s")) == messages.count(Message(role="system", content="s"))
    if len(left) < len(said):
        assert left[0].role == "user"  # a conversation has to begin so
    turns_left = sum(message.role == "user" for message in left)
    if turns_left > 1:
        assert max_messages is None or len(kept) <= max_messages
        assert max_tokens is None or sum(map(count_tokens, kept)) <= max_tokens


def test_a_conversation_for_which_there_is_room_is_kept_as_it_is() -> None:
    messages = [Message(role="user", content="a"), Message(role="assistant", content="b")] * 3
    assert shortened(messages) == [*messages, QUESTION]
    assert shortened(messages, max_messages=7) == [*messages, QUESTION]
    assert shortened(messages, max_messages=6) == [*messages[2:], QUESTION]
    assert shortened(messages, max_messages=1) == [QUESTION]
    assert shortened([], max_messages=1) == [QUESTION]


CALLED = [
    Message(role="user", content=""),
    Message(role="assistant", tool_calls=(ToolCall("add", '{"a": 1}', "1"),)),
    Message(role="tool", content="", tool_call_id="1"),
]
IMAGE = Content.image(b"\x89PNG\r\n\x1a\n", media_type="image/png")


@pytest.mark.parametrize(
    ("messages", "tokens"),
    [
        ([Message(role="user", content="")], 4),
        ([Message(role="user", content="eight ch")], 6),
        ([Message(role="user", content="東京")], 6),
        (CALLED, 4 + 7 + 4),
        ([Message(role="user", content=(Content.text("eight ch"), IMAGE))], 806),
    ],
)
def test_tokens_are_estimated_from_bytes_calls_and_parts(messages: list[Message], tokens: int) -> None:
    with_question = tokens + 4
    assert shortened(messages, max_tokens=with_question) == [*messages, QUESTION]
    assert shortened(messages, max_tokens=with_question - 1) == [QUESTION]
