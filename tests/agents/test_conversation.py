"""A conversation of several turns: it has the earlier turns, also after it was saved and loaded."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable
from contextlib import aclosing
from typing import Any

import pytest

from fcregistry import Tool
from fcregistry.agents import Conversation, Finished, FunctionCall, ReactAgent, RunResult
from fcregistry.errors import ApprovalError
from fcregistry.execution import Approve, CancellationToken, Content, Deny
from fcregistry.models import Message

from .scripts import Counting, Script, add, adds, calls, check_history, finished, says

KEY = b"sixteen bytes at least"


def asaid(conversation: Conversation, text: str) -> RunResult:
    return asyncio.run(conversation.asay(text))


def followed(conversation: Conversation, text: str) -> RunResult:
    return finished(conversation.stream(text))


def afollowed(conversation: Conversation, text: str) -> RunResult:
    async def follow() -> list[Any]:
        return [event async for event in conversation.astream(text)]

    return finished(asyncio.run(follow()))


WAYS = (Conversation.say, asaid, followed, afollowed)
way_of_saying = pytest.mark.parametrize("say", WAYS)


@way_of_saying
def test_every_turn_has_the_messages_of_earlier_turns(say: Callable[..., RunResult]) -> None:
    model = Script(calls(adds(1, 2)), says("3"), says("Yes."), says("Bye."))
    conversation = Conversation(model, [add])

    assert say(conversation, "1 + 2?").answer == "3"
    assert say(conversation, "Sure?").answer == "Yes."
    assert [message.text for message in model.heard[2] if message.role == "user"] == ["1 + 2?", "Sure?"]
    assert say(conversation, "Thanks.").messages == conversation.messages
    check_history(conversation.messages)
    assert repr(conversation) == "<Conversation of 8 messages with <ReactAgent of test:script with add>>"


@way_of_saying
def test_calls_are_counted_in_each_turn(say: Callable[..., RunResult]) -> None:
    counting = Counting()
    model = Script(calls(adds(1, 2)), says("3"), calls(adds(1, 2)), says("3"), calls(adds(1, 2), adds(1, 2, "x")))
    conversation = Conversation(model, [counting.add], max_tool_calls=1)

    assert [say(conversation, "?").stop_reason for _ in range(3)] == ["answered", "answered", "max_tool_calls"]
    assert counting.ran == 3
    check_history(conversation.messages)


def test_any_agent_can_be_talked_with() -> None:
    conversation = Conversation(FunctionCall(Script(calls(adds(1, 2)), says("3")), [add]))
    assert conversation.say("1 + 2?").answer["tool_calls_results"] == ["3"]
    assert conversation.say("And?").answer == "3"


def test_a_conversation_refuses_options_of_an_agent_that_exists() -> None:
    agent = ReactAgent(Script(says("3")), [add])
    with pytest.raises(
        TypeError, match=r"pass tools, max_tool_calls, instructions to ReactAgent\(…\), which makes the agent"
    ):
        Conversation(agent, [add], max_tool_calls=1, instructions="Be brief.")


def test_an_option_that_a_conversation_does_not_have_is_refused_with_the_nearest_one() -> None:
    model, misspelt = Script(says("3")), {"max_mesages": 3}
    for given in (model, ReactAgent(model, [add])):
        with pytest.raises(TypeError) as caught:
            Conversation(given, **misspelt)  # type: ignore[arg-type]  # misspelt
        assert (
            str(caught.value)
            == "Conversation() has no argument 'max_mesages'; did you mean 'max_messages' or 'messages' or 'max_repeats'?"
        )
    assert Conversation(model, [add], stop_tools=["add"]).say("?").ok  # type: ignore[call-overload]  # an option of the agent


def test_a_turn_that_failed_is_part_of_the_history_as_far_as_it_came() -> None:
    model = Script(calls(adds(1, 2)), RuntimeError("offline"), says("3"))
    conversation = Conversation(model, [add])

    assert conversation.say("1 + 2?").stop_reason == "model_error"
    assert conversation.say("Again?").answer == "3"
    assert [message.role for message in model.heard[2]] == ["user", "assistant", "tool", "user"]


def test_a_turn_whose_stream_is_left_is_part_of_the_history_as_far_as_it_came() -> None:
    conversation = Conversation(Script(says("3")), [add])

    events: Any = conversation.stream("first")
    next(events)
    events.close()
    assert [message.text for message in conversation.messages][:1] == ["first"]

    async def leave() -> None:
        async with aclosing(conversation.astream("second")) as each:
            await anext(each)

    asyncio.run(leave())
    assert "second" in [message.text for message in conversation.messages]
    check_history(conversation.messages)
    assert conversation.say("third").ok


def test_two_turns_at_once_are_refused() -> None:
    asked, go_on = threading.Event(), threading.Event()

    def model(messages: Any) -> str:
        asked.set()
        go_on.wait(30)
        return "3"

    conversation = Conversation(model)
    thread = threading.Thread(target=conversation.say, args=("first",))
    thread.start()
    asked.wait(30)
    for say in (
        conversation.say,
        lambda text: asyncio.run(conversation.asay(text)),
        lambda text: list(conversation.stream(text)),
    ):
        with pytest.raises(RuntimeError, match="another turn of this conversation has not ended"):
            say("second")
    go_on.set()
    thread.join()
    assert conversation.say("third").ok


def test_a_turn_can_be_cancelled_and_has_a_time() -> None:
    token = CancellationToken()
    token.cancel()
    assert Conversation(Script(says("3"))).say("?", cancellation=token).stop_reason == "cancelled"
    waiting = threading.Event()
    try:
        assert (
            Conversation(lambda messages: str(waiting.wait(30))).say("?", time_budget=0.02).stop_reason == "time_budget"
        )
    finally:
        waiting.set()


# --- the room that there is -----------------------------------------------------------------------


def test_the_oldest_turns_are_forgotten_when_there_is_no_room() -> None:
    model = Script(calls(adds(1, 2)), says("3"), calls(adds(3, 4, "2")), says("7"), says("Bye."))
    conversation = Conversation(model, [add], max_messages=6, instructions="Be brief.")

    conversation.say("1 + 2?")
    conversation.say("3 + 4?")
    assert [message.text for message in model.heard[2]] == ["Be brief.", "1 + 2?", "", "3", "3", "3 + 4?"]
    conversation.say("Thanks.")
    assert [message.text for message in model.heard[4]] == ["Be brief.", "3 + 4?", "", "7", "7", "Thanks."]
    assert len(conversation.messages) == 6


def test_tokens_are_counted_as_the_application_says() -> None:
    model = Script(says("one"))
    conversation = Conversation(model, max_tokens=5, count_tokens=lambda message: 1)
    for _ in range(6):
        conversation.say("?")
    assert [len(heard) for heard in model.heard] == [1, 3, 5, 5, 5, 5]


def test_what_the_system_says_is_kept() -> None:
    model = Script(says("one"))
    conversation = Conversation(model, max_messages=2, messages=[{"role": "system", "content": "You are a pirate."}])
    for _ in range(3):
        conversation.say("?")
    assert [message.text for message in model.heard[-1]] == ["You are a pirate.", "?"]


@pytest.mark.parametrize("limit", ["max_messages", "max_tokens", "max_tool_calls", "max_rounds"])
def test_limits_are_whole_numbers_above_zero(limit: str) -> None:
    with pytest.raises(ValueError, match=f"{limit} takes a whole number above 0, not 0"):
        Conversation(Script(says("3")), **{limit: 0})  # type: ignore[arg-type]


# --- save and load --------------------------------------------------------------------------------


def test_linked_images_and_documents_are_the_same_after_a_conversation_was_saved_and_loaded() -> None:
    parts = (
        Content.link("https://a.org/a.pdf", media_type="application/pdf"),
        Content.link("https://a.org/a.png", media_type="image/png"),
        Content.file(b"a,b", media_type="text/csv", name="a.csv"),
    )
    conversation = Conversation(Script(says("A report.")), [add])
    conversation.say(Message(role="user", content=parts))
    again = Conversation.from_json(conversation.to_json(), Script(says("Yes.")), [add])
    assert again.messages[0].content == parts


def test_a_conversation_goes_on_after_it_was_saved_and_loaded() -> None:
    conversation = Conversation(Script(calls(adds(1, 2)), says("3 €", reasoning="Easy.")), [add])
    conversation.say("1 + 2?")
    text = conversation.to_json()

    model = Script(says("Yes."))
    again = Conversation.from_json(text, model, [add], max_messages=10)
    assert again.messages == conversation.messages
    assert json.loads(text)["messages"][0] == {"role": "user", "content": "1 + 2?"}
    assert again.say("Sure?").answer == "Yes."
    assert len(model.heard[0]) == 5


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"version": 2, "messages": []}',
        '{"version": 1}',
        "nothing",
        '{"version": 1, "mess',
        "[" * 100_000,
    ],
)
def test_from_json_refuses_a_text_that_is_not_a_conversation(text: str) -> None:
    pattern = r"pass the text that Conversation\.to_json \(format 1\) returned, whole and unchanged$"
    with pytest.raises(ValueError, match=f"^this is not the text of a conversation: {pattern}"):
        Conversation.from_json(text, Script(says("3")))


def test_from_json_refuses_what_is_not_text() -> None:
    written: Any = json.loads(Conversation(Script(says("3"))).to_json())
    with pytest.raises(TypeError, match="from_json takes the text that to_json returned, not dict"):
        Conversation.from_json(written, Script(says("3")))


# --- approval -------------------------------------------------------------------------------------


def guarded(*said: Any, **options: Any) -> Conversation:
    return Conversation(Script(*said), [Tool.from_function(add, requires_approval=True)], **options)


@way_of_saying
def test_a_turn_waits_for_a_decision_and_goes_on_with_it(say: Callable[..., RunResult]) -> None:
    conversation = guarded(calls(adds(1, 2)), says("3"), says("Bye."))

    assert say(conversation, "1 + 2?").stop_reason == "approval"
    assert [call.id for call in conversation.pending] == ["1"]
    with pytest.raises(
        ApprovalError, match="calls of this conversation wait for a decision: '1'; resume the turn first"
    ):
        say(conversation, "Well?")
    assert conversation.resume({"1": Approve()}).answer == "3"
    assert conversation.pending == ()
    assert say(conversation, "Thanks.").ok
    check_history(conversation.messages)


def test_a_turn_that_waits_can_be_taken_up_in_every_way() -> None:
    async def follow(conversation: Conversation) -> list[Any]:
        return [event async for event in conversation.aresume_stream({"1": Approve()})]

    ways: list[Callable[[Conversation], RunResult]] = [
        lambda conversation: asyncio.run(conversation.aresume({"1": Approve()})),
        lambda conversation: finished(conversation.resume_stream({"1": Approve()})),
        lambda conversation: finished(asyncio.run(follow(conversation))),
    ]
    for way in ways:
        conversation = guarded(calls(adds(1, 2)), says("3"))
        conversation.say("1 + 2?")
        result = way(conversation)
        assert (result.answer, conversation.messages) == ("3", result.messages)


def test_a_turn_that_waits_is_saved_signed_and_loaded() -> None:
    conversation = guarded(calls(adds(1, 2)))
    conversation.say("1 + 2?")
    with pytest.raises(
        ApprovalError, match="this conversation has calls that still need approval: pass key=… to sign their state"
    ):
        conversation.to_json()

    text = conversation.to_json(key=KEY)
    tools = [Tool.from_function(add, requires_approval=True)]
    with pytest.raises(ApprovalError, match="approval: pass the key=… that their state was signed with"):
        Conversation.from_json(text, Script(says("3")), tools)
    again = Conversation.from_json(text, Script(says("I see.")), tools, key=KEY)
    assert [call.name for call in again.pending] == ["add"]
    assert again.resume({"1": Deny("no")}).answer == "I see."
    check_history(again.messages)


def test_copies_of_waiting_calls_have_one_id_for_the_application_to_record() -> None:
    conversation = guarded(calls(adds(1, 2)), says("3"))
    assert conversation.pending_id is None
    conversation.say("1 + 2?")
    text, tools = conversation.to_json(key=KEY), [Tool.from_function(add, requires_approval=True)]
    copies = [Conversation.from_json(text, Script(says("3")), tools, key=KEY) for _ in range(2)]
    assert {copy.pending_id for copy in copies} == {conversation.pending_id} != {None}
    copies[0].resume({"1": Approve()})
    assert copies[0].pending_id is None


def test_waiting_calls_that_are_too_old_are_refused_with_advice_for_a_conversation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    conversation = guarded(calls(adds(1, 2)))
    conversation.say("1 + 2?")
    text, tools = conversation.to_json(key=KEY), [Tool.from_function(add, requires_approval=True)]
    now = time.time()
    monkeypatch.setattr("time.time", lambda: now + 3600)
    with pytest.raises(ApprovalError) as caught:
        Conversation.from_json(text, Script(says("3")), tools, key=KEY, max_age=60)
    assert str(caught.value) == (
        "these calls were prepared 3600 seconds ago, but max_age is 60 seconds; to continue without them, leave out max_age "
        "and call resume with Deny(…) for each of the waiting calls"
    )
    again = Conversation.from_json(text, Script(says("I see.")), tools, key=KEY)
    assert again.resume({call.id: Deny("too late") for call in again.pending}).answer == "I see."


def test_decisions_about_nothing_leave_the_turn_waiting() -> None:
    conversation = guarded(calls(adds(1, 2)), says("3"))
    with pytest.raises(ApprovalError, match="no call of this conversation waits for a decision"):
        conversation.resume()
    conversation.say("1 + 2?")
    with pytest.raises(ApprovalError):
        conversation.resume({"7": Approve()})
    assert conversation.resume({"1": Approve()}).answer == "3"


def test_a_turn_that_was_abandoned_after_the_decision_waits_no_longer() -> None:
    """The calls have run, and cannot run again; that the model made them is forgotten, and the history is whole."""
    conversation = guarded(calls(adds(1, 2)), says("3"), says("4"))
    conversation.say("1 + 2?")
    for event in conversation.resume_stream({"1": Approve()}):
        assert not isinstance(event, Finished)
        break
    assert conversation.pending == ()
    check_history(conversation.messages)
    assert conversation.say("Well?").answer == "4" or conversation.messages


def test_calls_that_were_resumed_elsewhere_wait_no_longer() -> None:
    conversation = guarded(calls(adds(1, 2)), says("3"), says("4"))
    result = conversation.say("1 + 2?")
    assert result.state is not None
    conversation.agent.resume(result.state, {"1": Approve()})
    assert conversation.say("Well?").answer == "4"
    check_history(conversation.messages)


def test_a_user_may_say_more_than_text() -> None:
    model = Script(says("A cat."))
    conversation = Conversation(model)
    conversation.say({"role": "user", "content": [{"type": "text", "text": "What is it?"}]})
    assert model.heard[0] == (Message(role="user", content="What is it?"),)


def test_what_an_agent_says_in_the_users_place_is_forgotten_with_the_turn_and_not_before_it() -> None:
    model = Script(says("add(1, 2)"), says("add(3, 4)"), says("7"), says("Bye."), says("Again?"))
    conversation = Conversation(ReactAgent(model, [add], calls="expression"), max_messages=4)
    for text in ("1 + 2 + 4?", "Thanks."):
        conversation.say(text)
        conversation = Conversation.from_json(conversation.to_json(), conversation.agent, max_messages=4)
    conversation.say("Hello?")
    heard = [[message.text for message in messages if message.role != "system"] for messages in model.heard]
    assert heard[2][2] == "The results of the calls, in order:\nadd: 3"
    assert heard[3] == ["Thanks."]  # and not a result without its call
    assert heard[4] == ["Thanks.", "Bye.", "Hello?"]
