"""A ReactAgent asks, calls and asks again, within its limits, and says why it ended."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from fcregistry import Context, PlanAndSolveAgent, ReactAgent, ReWOOAgent, Tool, ToolCall
from fcregistry.agents import Calling, OnDemand, Returned, RunResult, StopReason, Text, Thinking
from fcregistry.errors import ToolNotFoundError, UnfinishedRunError
from fcregistry.execution import Content, Executor, Toolset
from fcregistry.models import Message

from .scripts import WAYS, Counting, Script, add, adds, calls, check_history, finished, ran, says


def left(model: Script) -> list[str]:
    """Return how the last message of each request ends."""
    return [heard[-1].text.rpartition("\n\n")[2] for heard in model.heard]


# --- rounds ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
def test_the_model_is_asked_again_with_results_until_it_answers(way: Callable[..., RunResult]) -> None:
    model = Script(calls(adds(1, 2)), calls(adds(3, 4, "2"), text="And now"), says("It is 7."))

    result = way(ReactAgent(model, [add], max_rounds=3), "1 + 2 + 4?")
    assert (result.answer, result.stop_reason, result.ok) == ("It is 7.", "answered", True)
    assert len(model.heard) == 3
    assert [message.role for message in result.messages] == [
        "user",
        "assistant",
        "tool",
        "assistant",
        "tool",
        "assistant",
    ]
    assert [message.text for message in result.messages if message.role == "tool"] == ["3", "7"]
    assert [step.kind for step in result.steps] == ["model", "tools", "model", "tools", "model"]
    assert (result.usage.input_tokens, result.usage.requests) == (30, 3)
    assert str(result) == "It is 7."
    check_history(result.messages)


@pytest.mark.parametrize("way", WAYS)
def test_a_model_that_never_stops_is_asked_as_often_as_it_may_and_no_more(way: Callable[..., RunResult]) -> None:
    model, counting = Script(calls(adds(1, 2))), Counting()

    result = way(ReactAgent(model, [counting.add], max_rounds=5), "?")
    assert (result.answer, result.stop_reason, result.ok) == (None, "max_rounds", False)
    assert len(model.heard) == 5
    assert counting.ran == 4  # nobody would read the results of the last round
    assert result.messages[-1].text == "the call was not run: there are no rounds left"
    assert str(result) == "the model was still calling tools in the last round that it was given"


def test_calling_an_agent_gives_the_answer_or_raises_with_the_result() -> None:
    assert ReactAgent(Script(says("5")), [])("?") == "5"

    with pytest.raises(UnfinishedRunError, match="the model was still calling tools") as raised:
        ReactAgent(Script(calls(adds(1, 2))), [add], max_rounds=1)("?")
    assert raised.value.result.stop_reason == "max_rounds"

    with pytest.raises(UnfinishedRunError, match="the model gave no answer: RuntimeError: offline") as raised:
        ReactAgent(Script(RuntimeError("offline")), [add])("?")
    assert isinstance(raised.value.__cause__, RuntimeError)


def test_the_model_reads_at_the_end_of_the_last_result_that_few_rounds_are_left() -> None:
    model = Script(calls(adds(1, 2)), calls(adds(3, 4, "2")), says("7"))

    result = ReactAgent(model, [add], max_rounds=3).run("?")
    assert left(model) == ["?", "Tool-call rounds left: 2.", "Tool-call rounds left: 1."]
    assert model.heard[2][2].text == "3"  # only the last result says so
    assert not any("left" in message.text for message in result.messages)
    assert all(message.role != "system" for heard in model.heard for message in heard)


def test_the_notice_is_added_to_content_that_is_not_text() -> None:
    def draw() -> Content:
        return Content.image(b"\x89PNG\r\n\x1a\n", media_type="image/png")

    model = Script(calls(ToolCall("draw", "{}", "1")), says("Nice."))
    ReactAgent(model, [draw], max_rounds=2).run("?")

    image, note = model.heard[1][-1].content or ()
    assert isinstance(image, Content)
    assert image.kind == "image"
    assert str(note) == "Tool-call rounds left: 1."


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("answer", ["0", "False", "[]"])
def test_what_is_falsy_is_an_answer(answer: str, way: Callable[..., RunResult]) -> None:
    result = way(ReactAgent(Script(says(answer)), [add]), "?")
    assert (result.answer, result.ok) == (answer, True)
    assert ReactAgent(Script(says(answer)), [add])("?") == answer


@pytest.mark.parametrize(
    ("finish", "reason"), [("length", "length"), ("content_filter", "content_filter"), ("other", "answered")]
)
def test_an_answer_that_was_cut_off_is_not_ok_but_can_be_read(finish: Any, reason: StopReason) -> None:
    result = ReactAgent(Script(says("It is", finish)), [add]).run("?")
    assert (result.stop_reason, result.answer, result.ok) == (reason, "It is", reason == "answered")


@pytest.mark.parametrize("way", WAYS)
def test_what_a_model_raises_is_in_the_result(way: Callable[..., RunResult]) -> None:
    result = way(ReactAgent(Script(calls(adds(1, 2)), ConnectionError("offline")), [add]), "?")

    assert (result.stop_reason, repr(result.error)) == ("model_error", "ConnectionError('offline')")
    assert [message.role for message in result.messages] == ["user", "assistant", "tool"]


# --- what the model is told of failures -----------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
def test_failures_are_observations_and_the_run_goes_on(way: Callable[..., RunResult]) -> None:
    made = [
        ToolCall("no_such", "{}", "1"),
        ToolCall("add", "{cut", "2"),
        ToolCall("add", "{}", "3"),
        ToolCall("add", "[1]", "4"),
    ]
    counting = Counting()
    model = Script(calls(*made, ToolCall("fail", '{"why": "because"}', "5")), says("Sorry."))

    result = way(ReactAgent(model, [counting.add, counting.fail]), "?")
    assert result.answer == "Sorry."
    told = [message for message in result.messages if message.role == "tool"]
    assert [message.tool_call_id for message in told] == ["1", "2", "3", "4", "5"]
    assert all(message.is_error for message in told)
    assert "there is no tool 'no_such'" in told[0].text
    assert "JSON" in told[1].text
    assert "$.a: is required" in told[2].text
    assert told[4].text == "ValueError: because"


def test_a_tool_that_fails_is_named_as_the_model_called_it() -> None:
    tools = Toolset([Tool.from_function(Counting().fail)]).prefixed("acme_")
    agent = ReactAgent(Script(calls(ToolCall("acme_fail", "{}", "1")), says("Sorry.")), tools)

    events = list(agent.stream("?"))
    (returned,) = [event for event in events if isinstance(event, Returned)]
    assert returned.result.call is not None
    assert returned.result.call.name == "acme_fail"
    assert finished(events).messages[2].name == "acme_fail"


def test_calls_without_an_id_or_with_a_used_one_get_new_ids() -> None:
    same = calls(adds(1, 2, None), adds(1, 2, ""), adds(1, 2, "call_1"), adds(1, 2, "x"))

    result = ReactAgent(Script(same, same, says("3")), [add]).run("?")
    check_history(result.messages)
    assert [call.id for call in result.messages[1].tool_calls][3] == "x"


# --- limits ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
def test_no_more_calls_are_carried_out_than_there_may_be(way: Callable[..., RunResult]) -> None:
    counting = Counting()
    model = Script(calls(adds(1, 1)), calls(adds(2, 2, "2"), adds(3, 3, "3"), adds(4, 4, "4")), says("never heard"))

    result = way(ReactAgent(model, [counting.add], max_tool_calls=2), "?")
    assert (result.stop_reason, counting.ran) == ("max_tool_calls", 2)
    assert [message.text for message in result.messages if message.role == "tool"] == [
        "2",
        "4",
        "the call was not run: there are no calls left",
        "the call was not run: there are no calls left",
    ]
    check_history(result.messages)


def test_a_model_may_answer_once_its_calls_are_used_up() -> None:
    result = ReactAgent(Script(calls(adds(1, 1), adds(2, 2, "2")), says("4")), [add], max_tool_calls=2).run("?")
    assert result.answer == "4"


@pytest.mark.parametrize("way", WAYS)
def test_the_result_of_a_stop_tool_is_the_answer(way: Callable[..., RunResult]) -> None:
    model = Script(calls(ToolCall("add", "{}", "1")), calls(adds(1, 2, "2")), says("never heard"))

    result = way(ReactAgent(model, [add], stop_tools=["add"]), "?")
    assert (result.answer, result.stop_reason, result.ok) == ("3", "stop_tool", True)  # not the one that failed
    assert len(model.heard) == 2
    check_history(result.messages)


def test_the_result_of_a_stop_tool_is_of_the_type_that_was_asked_for() -> None:
    def run(answer_type: Any) -> RunResult:
        return ReactAgent(Script(calls(adds(0, 0))), [add], stop_tools=["add"], answer_type=answer_type).run("?")

    assert (run(int).answer, run(str).answer, run(float | None).answer) == (0, "0", 0.0)
    wrong = run(dict[str, int])
    assert (wrong.stop_reason, wrong.answer) == ("invalid_answer", None)
    assert "$: must be an object, not 0" in str(wrong.error)


def test_a_stop_tool_may_be_called_in_the_last_round() -> None:
    assert ReactAgent(Script(calls(adds(1, 2))), [add], stop_tools=["add"], max_rounds=1).run("?").answer == "3"


def test_a_stop_tool_may_be_called_by_its_name_on_the_wire() -> None:
    """Gemini takes no name that begins with a digit: it is told another."""
    tool = Tool.from_function(add, name="1add")
    model = Script(calls(ToolCall("_x31_add", {"a": 1, "b": 2}, "1")), says("never heard"))
    assert ReactAgent(model, [tool], stop_tools=["1add"]).run("?").stop_reason == "stop_tool"


@pytest.mark.parametrize("way", WAYS)
def test_a_summary_can_be_asked_for_when_there_are_no_rounds_left(way: Callable[..., RunResult]) -> None:
    model = Script(calls(adds(1, 2)), calls(adds(3, 4, "2")), says("About 7."))

    result = way(ReactAgent(model, [add], max_rounds=2, force_summarize=True), "?")
    assert (result.answer, result.stop_reason) == ("About 7.", "answered")
    assert model.choices == ["auto", "auto", "none"]
    assert model.heard[2][-1].text.startswith("There are no rounds left")
    assert model.heard[2][-2].text == "7"  # the calls of the last round were carried out
    check_history(result.messages)


def test_a_model_that_calls_instead_of_summarising_is_refused() -> None:
    counting = Counting()
    result = ReactAgent(Script(calls(adds(1, 2))), [counting.add], max_rounds=2, force_summarize=True).run("?")
    assert (result.stop_reason, counting.ran) == ("max_rounds", 2)
    assert result.messages[-1].text == "the call was not run: no tool can be called any more"
    check_history(result.messages)


def test_more_rounds_can_be_given_when_there_are_none_left() -> None:
    asked: list[int] = []

    def more(rounds: int) -> int | None:
        asked.append(rounds)
        return 4 if len(asked) == 1 else None

    model = Script(*(calls(adds(n, n, str(n))) for n in range(8)))
    result = ReactAgent(model, [add], max_rounds=2, on_max_rounds=more).run("?")
    assert (asked, len(model.heard), result.stop_reason) == ([2, 6], 6, "max_rounds")
    assert left(model)[2:] == ["2", "4", "Tool-call rounds left: 2.", "Tool-call rounds left: 1."]


@pytest.mark.parametrize("declined", [None, 0, -1])
def test_a_summary_is_made_on_request_if_no_more_rounds_are_given(declined: int | None) -> None:
    model = Script(calls(adds(1, 2)), says("3"))
    agent = ReactAgent(model, [add], max_rounds=1, on_max_rounds=lambda _: declined, force_summarize=True)
    assert agent.run("?").answer == "3"


@pytest.mark.parametrize("way", WAYS)
def test_what_the_callback_raises_is_the_callers(way: Callable[..., RunResult]) -> None:
    def broken(rounds: int) -> int:
        raise LookupError("my own mistake")

    with pytest.raises(LookupError, match="my own mistake"):
        way(ReactAgent(Script(calls(adds(1, 2))), [add], max_rounds=1, on_max_rounds=broken), "?")


@pytest.mark.parametrize("limit", [0, -1, True, 2.5, "5"])
def test_limits_are_whole_numbers_above_zero(limit: Any) -> None:
    for name in ("max_rounds", "max_tool_calls"):
        with pytest.raises(ValueError, match=f"{name} takes a whole number above 0, not "):
            ReactAgent(Script(says("5")), [add], **{name: limit})


@pytest.mark.parametrize("kind", [ReactAgent, PlanAndSolveAgent, ReWOOAgent])
def test_max_retries_is_another_name_of_max_rounds(kind: Any) -> None:
    """LazyLLM's agents call it so; both at once would be two answers to one question."""
    with pytest.raises(ValueError, match="max_retries takes a whole number above 0, not 0"):
        kind(Script(), [add], max_retries=0)
    with pytest.raises(TypeError, match="max_retries is another name of max_rounds: give one of them"):
        kind(Script(), [add], max_rounds=5, max_retries=3)


def test_a_limit_by_the_other_name_holds() -> None:
    model = Script(*[calls(adds(1, 2))] * 3)
    assert ReactAgent(model, [add], max_retries=2).run("?").stop_reason == "max_rounds"
    assert len(model.heard) == 2


@pytest.mark.parametrize("more", ["4", 2.5, True])
def test_a_number_of_rounds_that_is_not_valid_is_refused_by_name(more: Any) -> None:
    agent = ReactAgent(Script(calls(adds(1, 2))), [add], max_rounds=1, on_max_rounds=lambda _: more)
    with pytest.raises(
        TypeError, match=f"on_max_rounds returns a whole number of rounds, or None for none, not {more!r}"
    ):
        agent.run("?")


def test_a_stop_tool_that_is_not_there_is_refused() -> None:
    with pytest.raises(ToolNotFoundError, match="there is no tool 'finish' among those of the agent: add"):
        ReactAgent(Script(says("5")), [add], stop_tools=["finish"])
    with pytest.raises(ToolNotFoundError, match="there is no tool 'finish' among those of the agent: it has none"):
        ReactAgent(Script(says("5")), stop_tools="finish")


def test_one_stop_tool_needs_no_list() -> None:
    assert ReactAgent(Script(calls(adds(1, 2))), [add], stop_tools="add").run("?").answer == "3"


@pytest.mark.parametrize("retries", [-1, "2", None, True])
def test_an_invalid_number_of_retries_is_refused_when_the_agent_is_made(retries: Any) -> None:
    with pytest.raises(ValueError, match="answer_retries takes a whole number of 0 or more, not "):
        ReactAgent(Script(says("5")), answer_type=int, answer_retries=retries)


# --- what comes back ------------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
def test_the_last_calls_have_their_function_and_result(way: Callable[..., RunResult]) -> None:
    model = Script(calls(adds(0, 0)), calls(adds(1, 2, "2"), adds(3, 4, "3")), says("7"))
    result = way(ReactAgent(model, [add]), "?")

    assert [(each["function"]["name"], each["tool_call_result"]) for each in result.last_tool_calls] == [
        ("add", "3"),
        ("add", "7"),
    ]
    assert ReactAgent(Script(calls(adds(1, 2)), says("3")), [add], return_last_tool_calls=True)("?") == [
        {
            "id": "1",
            "type": "function",
            "function": {"name": "add", "arguments": '{"a": 1, "b": 2}'},
            "tool_call_result": "3",
        }
    ]


def test_a_conversation_goes_on_with_the_messages_of_a_result() -> None:
    model = Script(calls(adds(1, 2)), says("3"), says("Yes."))
    agent = ReactAgent(model, [add])

    first = agent.run("1 + 2?")
    second = agent.run([*first.messages, "Sure?"])
    assert second.answer == "Yes."
    assert [message.role for message in model.heard[2]] == ["user", "assistant", "tool", "assistant", "user"]
    again = agent.run([message.to_dict() for message in second.messages])
    assert again.messages[:-1] == second.messages


def test_instructions_come_first_and_are_not_part_of_the_conversation() -> None:
    model = Script(says("5"))
    result = ReactAgent(model, [add], instructions="Be brief.").run("?")

    assert model.heard == [(Message(role="system", content="Be brief."), Message(role="user", content="?"))]
    assert [message.role for message in result.messages] == ["user", "assistant"]


# --- answers of a type ----------------------------------------------------------------------------


@dataclass
class Sum:
    """A sum."""

    total: int
    exact: bool = True


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("wanted", "said", "answer"),
    [(Sum, '{"total": 3}', Sum(3)), (int, "0", 0), (list[int], "[]", []), (bool, "false", False)],
)
def test_an_answer_is_delivered_as_the_type_that_was_asked_for(
    wanted: Any, said: str, answer: Any, way: Callable[..., RunResult]
) -> None:
    model = Script(calls(adds(1, 2)), says(said))
    result = way(ReactAgent(model, [add], answer_type=wanted), "?")

    assert (result.answer, result.ok) == (answer, True)
    assert type(result.answer) is type(answer)
    assert model.heard[0][0].role == "system"


def test_an_answer_of_another_type_is_sent_back_with_its_problems() -> None:
    model = Script(says('{"total": "three"}'), says('{"total": 3}'))

    result = ReactAgent(model, [add], answer_type=Sum).run("?")
    assert result.answer == Sum(3)
    assert "total" in model.heard[1][-1].text
    assert model.heard[1][-1].role == "user"


@pytest.mark.parametrize(("rounds", "requests"), [(5, 3), (2, 2)])
def test_a_model_that_never_gets_the_type_right_ends_the_run(rounds: int, requests: int) -> None:
    model = Script(says("three"))

    result = ReactAgent(model, [add], answer_type=int, max_rounds=rounds).run("?")
    assert (result.answer, result.stop_reason, len(model.heard)) == (None, "invalid_answer", requests)
    assert result.error is not None


# --- what an agent may be given -------------------------------------------------------------------


@dataclass
class User:
    """Who asks."""

    name: str


def test_tools_are_given_what_the_caller_has_for_their_context() -> None:
    def whose(context: Context[User], /) -> str:
        return context.deps.name

    def agent() -> ReactAgent:
        return ReactAgent(Script(calls(ToolCall("whose", "{}", "1")), says("ok")), [whose], deps=[User("ann")])

    for way in WAYS:
        assert way(agent(), "?").tool_results[0].content == "ann"
        assert way(agent(), "?", deps=[User("bob")]).tool_results[0].content == "bob"


def test_an_executor_is_taken_as_it_is_and_stays_its_owners() -> None:
    executor = Executor([add])
    with ReactAgent(Script(calls(adds(1, 2)), says("3")), executor) as agent:
        assert agent.run("?").answer == "3"
    assert executor.run(adds(1, 2)).value == 3

    with pytest.raises(TypeError, match="registry, approve and deps are for the executor: give them where it is made"):
        ReactAgent(Script(says("5")), executor, deps=[1])


def test_an_agent_leaves_the_executor_that_it_made() -> None:
    with ReactAgent(Script(calls(adds(1, 2)), says("3")), [add]) as agent:
        assert agent.run("?").answer == "3"
    with pytest.raises(RuntimeError):
        agent.executor.run(adds(1, 2))


def test_thousands_of_tools_are_found_and_loaded_when_they_are_needed() -> None:
    def tool(n: int) -> Tool:
        def number() -> int:
            return n

        return Tool.from_function(number, name=f"number_{n}", description=f"Says the number {n}.")

    tools = OnDemand([tool(n) for n in range(3000)], search=True)
    names = list(Executor([tools]).tools)
    assert len(names) > 3000
    gateways = [name for name in names if not name.startswith("number_")]
    model = Script(
        calls(ToolCall("number_2999", "{}", "0")),
        calls(ToolCall("load_tools", {"names": ["number_2999"]}, "1")),
        calls(ToolCall("number_2999", "{}", "2")),
        says("2999"),
    )

    result = ReactAgent(model, [tools]).run("?")
    assert model.offered[0] == gateways
    assert model.offered[2] == sorted([*gateways, "number_2999"])
    assert [each.ok for each in result.tool_results] == [False, True, True]
    assert result.tool_results[2].value == 2999


# --- events ---------------------------------------------------------------------------------------


def test_events_come_in_the_order_in_which_things_happen() -> None:
    model = Script(calls(adds(1, 2), text="Let me see."), says("It is 3.", reasoning="Easy."))
    events = list(ReactAgent(model, [add]).stream("?"))

    kinds = [type(event).__name__ for event in events]
    assert kinds == ["Text"] * 3 + ["Calling", "Returned"] + ["Text"] * 3 + ["Thinking", "Finished"]
    assert "".join(event.text for event in events if isinstance(event, Text)) == "Letmesee.Itis3."
    assert [event.text for event in events if isinstance(event, Thinking)] == ["Easy."]
    assert [event.call.name for event in events if isinstance(event, Calling)] == ["add"]


def test_how_it_shows_itself() -> None:
    assert repr(ReactAgent(Script(says("5")), [add])) == "<ReactAgent of test:script with add>"
    assert ran(ReactAgent(Script(says("5"))), "?").ok


@pytest.mark.parametrize("agent", [PlanAndSolveAgent, ReactAgent, ReWOOAgent])
def test_a_misspelt_argument_names_the_agent_and_the_right_name(agent: Any) -> None:
    with pytest.raises(TypeError, match=rf"^{agent.__name__}\(\) has no argument 'tols'; did you mean 'tools'\?$"):
        agent(Script(says("Done.")), tols=[add])
    with pytest.raises(TypeError, match=rf"^{agent.__name__}\(\) has no argument 'zzz'$"):
        agent(Script(says("Done.")), [add], zzz=1)


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("system_prompt", "did you mean 'instructions'?"),
        ("time_budget", "give it to run: agent.run(query, time_budget=…)"),
        ("policy", "give it to the executor: ReactAgent(llm, Executor(tools, policy=…))"),
        (
            "timeout",
            "give it to the executor: ReactAgent(llm, Executor(tools, timeout=…)); for a whole run, agent.run(query, time_budget=…)",
        ),
    ],
)
def test_an_argument_of_something_else_says_where_to_give_it(name: str, advice: str) -> None:
    with pytest.raises(TypeError) as raised:
        ReactAgent(Script(says("Done.")), [add], **{name: 3})  # type: ignore[call-overload]
    assert str(raised.value) == f"ReactAgent() has no argument {name!r}; {advice}"


def test_the_log_names_the_tool_of_a_call_in_the_last_round(caplog: pytest.LogCaptureFixture) -> None:
    assert ReactAgent(Script(calls(adds(1, 2))), [add], max_rounds=1).run("?").stop_reason == "max_rounds"
    assert [record.getMessage() for record in caplog.records if record.name == "fcregistry.calls"] == [
        "add: unavailable (0.000 s)"
    ]
