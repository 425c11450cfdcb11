"""Runs that wait for a decision about a call, and are resumed with it, here or in another process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, Callable, Iterable
from typing import Any

import pytest

from fcregistry import Tool, ToolCall
from fcregistry.agents import Event, Finished, FunctionCall, ReactAgent, RunResult, RunState
from fcregistry.errors import ApprovalError, UnfinishedRunError
from fcregistry.execution import Approve, Deny

from ..conftest import Site  # noqa: TID252  # the tests are no package
from .scripts import WAYS, Script, add, adds, calls, check_history, says

KEY = b"sixteen bytes at least"


class Files:
    """Files that can be deleted, once somebody approves."""

    def __init__(self) -> None:
        self.gone: list[str] = []

    def delete(self, name: str) -> str:
        """Delete a file."""
        self.gone.append(name)
        return f"{name} is gone"

    @property
    def tool(self) -> Tool:
        return Tool.from_function(self.delete, requires_approval=True)


def deletes(name: str, id: str) -> ToolCall:
    return ToolCall("delete", {"name": name}, id)


@pytest.mark.parametrize("way", WAYS)
def test_a_run_waits_for_a_decision_and_nothing_of_the_message_runs_before(way: Callable[..., RunResult]) -> None:
    files, count = Files(), []
    model = Script(calls(ToolCall("tick", "{}", "1"), deletes("a.txt", "2")), says("Done."))
    agent = ReactAgent(
        model, [Tool.from_function(lambda: count.append(1), name="tick", description="Tick."), files.tool]
    )

    waiting = way(agent, "?")
    assert (waiting.stop_reason, waiting.ok, waiting.answer) == ("approval", False, None)
    assert [(call.id, call.name, call.arguments) for call in waiting.pending] == [("2", "delete", {"name": "a.txt"})]
    assert (files.gone, count) == ([], [])

    assert waiting.state is not None
    result = agent.resume(waiting.state, {"2": Approve()})
    assert (result.answer, files.gone, count) == ("Done.", ["a.txt"], [1])
    check_history(result.messages)
    assert result.usage.requests == 2


def _finish(events: Iterable[Event]) -> RunResult:
    (end,) = [event for event in events if isinstance(event, Finished)]
    return end.result


async def _gathered(events: AsyncIterable[Event]) -> list[Event]:
    return [event async for event in events]


RESUMED: dict[str, Callable[..., RunResult]] = {
    "resume": lambda agent, *given, **options: agent.resume(*given, **options),
    "aresume": lambda agent, *given, **options: asyncio.run(agent.aresume(*given, **options)),
    "resume_stream": lambda agent, *given, **options: _finish(agent.resume_stream(*given, **options)),
    "aresume_stream": lambda agent, *given, **options: _finish(
        asyncio.run(_gathered(agent.aresume_stream(*given, **options)))
    ),
}


@pytest.mark.parametrize("way", RESUMED.values(), ids=RESUMED.keys())
def test_who_decided_is_kept_for_the_developer(way: Callable[..., RunResult]) -> None:
    files = Files()
    agent = ReactAgent(Script(calls(deletes("a.txt", "1")), says("Done.")), [files.tool])
    result = way(agent, agent.run("?").state, {"1": Approve()}, by="ann")
    (deleted,) = result.tool_results
    assert deleted.approval is not None
    assert (deleted.approval.approved, deleted.approval.by) == (True, "ann")


def test_the_name_of_the_approver_is_a_text_and_is_shown_if_there_is_a_decision() -> None:
    agent = ReactAgent(Script(calls(deletes("a.txt", "1")), says("Done.")), [Files().tool])
    state = agent.run("?").state
    assert state is not None
    with pytest.raises(TypeError, match="by takes who decided, as text, not 3"):
        agent.resume(state, {"1": Approve()}, by=3)  # type: ignore[typeddict-item]
    with pytest.raises(TypeError, match="a run takes cancellation, time_budget and deps, not by"):
        agent.run("?", by="ann")  # type: ignore[call-arg]
    assert agent.resume(state, {"1": Approve()}).answer == "Done."


def test_the_model_reads_which_calls_were_denied_or_not_decided() -> None:
    files = Files()
    model = Script(calls(deletes("a.txt", "1"), deletes("b.txt", "2")), says("I see."))
    agent = ReactAgent(model, [files.tool])

    state = agent.run("?").state
    assert state is not None
    result = asyncio.run(agent.aresume(state, {"1": Deny("still needed")}))
    assert (result.answer, files.gone) == ("I see.", [])
    first, second = (message.text for message in result.messages if message.role == "tool")
    assert first.endswith("still needed")
    assert "approval" in second


@pytest.mark.parametrize("way", WAYS)
def test_a_tool_that_is_called_by_its_name_on_the_wire_waits_too(way: Callable[..., RunResult]) -> None:
    """Gemini takes no name that begins with a digit: it is told another."""
    files = Files()
    tool = Tool.from_function(files.delete, name="1delete", requires_approval=True)
    result = way(ReactAgent(Script(calls(ToolCall("_x31_delete", {"name": "a.txt"}, "1"))), [tool]), "?")
    assert (result.stop_reason, files.gone) == ("approval", [])


@pytest.mark.parametrize("way", WAYS)
def test_with_an_approver_a_run_does_not_end(way: Callable[..., RunResult]) -> None:
    files = Files()
    agent = ReactAgent(
        Script(calls(deletes("a.txt", "1")), says("Done.")), [files.tool], approve=lambda tool, call: True
    )
    assert way(agent, "?").answer == "Done."
    assert files.gone == ["a.txt"]


def test_rounds_and_calls_before_the_decision_count() -> None:
    files = Files()
    model = Script(calls(adds(1, 2)), calls(deletes("a.txt", "2")), calls(adds(1, 2, "3")))
    waiting = ReactAgent(model, [add, files.tool], max_rounds=3).run("?")
    assert waiting.state is not None
    result = ReactAgent(model, [add, files.tool], max_rounds=3).resume(waiting.state, {"2": Approve()})
    assert (result.stop_reason, len(model.heard)) == ("max_rounds", 3)


def test_rounds_that_were_added_before_the_decision_are_still_there() -> None:
    files, asked = Files(), []

    def more(rounds: int) -> int:
        asked.append(rounds)
        return 3 if len(asked) == 1 else 0

    model = Script(calls(adds(1, 2)), calls(deletes("a.txt", "2")), says("Done."))
    agent = ReactAgent(model, [add, files.tool], max_rounds=1, on_max_rounds=more)
    waiting = agent.run("?")
    assert waiting.state is not None
    state = RunState.from_json(waiting.state.to_json(key=KEY), key=KEY)
    assert agent.resume(state, {"2": Approve()}).answer == "Done."
    assert asked == [1]


def test_calls_beyond_the_limit_are_refused_after_the_decision_as_before() -> None:
    files = Files()
    model = Script(calls(deletes("a.txt", "1"), deletes("b.txt", "2")))
    agent = ReactAgent(model, [files.tool], max_tool_calls=1)
    waiting = agent.run("?")
    assert [call.id for call in waiting.pending] == ["1"]
    assert waiting.state is not None
    result = agent.resume(waiting.state, {"1": Approve()})
    assert (result.stop_reason, files.gone) == ("max_tool_calls", ["a.txt"])
    check_history(result.messages)


def test_a_run_can_wait_more_than_once() -> None:
    files = Files()
    agent = ReactAgent(Script(calls(deletes("a.txt", "1")), calls(deletes("b.txt", "2")), says("Done.")), [files.tool])
    result = agent.run("?")
    for name in ("1", "2"):
        assert [call.id for call in result.pending] == [name]
        assert result.state is not None
        result = agent.resume(result.state, {name: Approve()})
    assert (result.answer, files.gone) == ("Done.", ["a.txt", "b.txt"])


def test_a_state_is_taken_up_once_and_by_an_agent_of_its_kind() -> None:
    files = Files()
    agent = ReactAgent(Script(calls(deletes("a.txt", "1")), says("Done.")), [files.tool])
    state = agent.run("?").state
    assert state is not None

    with pytest.raises(ApprovalError, match="this is the state of a ReactAgent, which a FunctionCall cannot resume"):
        FunctionCall(Script(says("5")), [files.tool]).resume(state)
    with pytest.raises(ApprovalError, match="no call '7' waits for a decision"):
        agent.resume(state, {"7": Approve()})
    agent.resume(state, {"1": Approve()})
    with pytest.raises(ApprovalError):
        agent.resume(state, {"1": Approve()})
    assert files.gone == ["a.txt"]
    done = ReactAgent(Script(says("5"))).run("?")
    with pytest.raises(TypeError, match="state is what a result has whose stop_reason is 'approval', not None"):
        agent.resume(done.state)  # type: ignore[arg-type]


def test_a_state_that_was_changed_on_its_way_is_refused() -> None:
    agent = ReactAgent(Script(calls(deletes("a.txt", "1"))), [Files().tool])
    state = agent.run("?").state
    assert state is not None
    text = state.to_json(key=KEY)
    with pytest.raises(ApprovalError):
        RunState.from_json(text.replace("a.txt", "b.txt"), key=KEY)


def test_calling_an_agent_that_has_to_wait_raises_with_what_resumes_it() -> None:
    agent = ReactAgent(Script(calls(deletes("a.txt", "1")), says("Done.")), [Files().tool])
    with pytest.raises(UnfinishedRunError, match="calls wait for a decision") as raised:
        agent("?")
    assert raised.value.result.state is not None
    assert agent.resume(raised.value.result.state, {"1": Approve()}).answer == "Done."


PROGRAM = """
    import sys
    from fcregistry import Tool
    from fcregistry.agents import ReactAgent, RunState
    from fcregistry.execution import Approve

    gone = []

    def delete(name: str) -> str:
        "Delete a file."
        gone.append(name)
        return name + " is gone"

    def model(messages):
        if messages[-1]["role"] == "user":
            return {"tool_calls": [{"id": "1", "name": "delete", "arguments": {"name": "a.txt"}}]}
        return "The model heard: " + messages[-1]["content"].split("\\n")[0]

    agent = ReactAgent(model, [Tool.from_function(delete, requires_approval=True)])
    key = b"sixteen bytes at least"
    said = sys.stdin.read()
    if said:
        result = agent.resume(RunState.from_json(said, key=key), {"1": Approve()})
        answer = [result.answer, gone]
    else:
        answer = agent.run("Delete a.txt.").state.to_json(key=key)
"""


def test_a_run_is_taken_up_by_another_process(site: Site) -> None:
    state = site.ask(PROGRAM)
    assert isinstance(state, str)
    answer: Any = site.ask(PROGRAM, stdin=state)
    assert answer == ["The model heard: a.txt is gone", ["a.txt"]]
