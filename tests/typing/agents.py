"""What types do an agent's answers have? Read by the type checkers, never run."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator
from dataclasses import dataclass
from typing import Any, assert_type

from fcregistry import FunctionCall, PlanAndSolveAgent, ReactAgent, ReWOOAgent
from fcregistry.agents import Agent, Conversation, Event, Finished, RunResult, RunState


@dataclass
class Note:
    text: str


def ask(state: RunState) -> None:
    agent = ReactAgent("openai:gpt-5", answer_type=Note, max_rounds=3)
    assert_type(agent, ReactAgent[Note])
    assert_type(agent("?"), Note)
    assert_type(agent.run("?"), RunResult[Note])
    assert_type(agent.run("?").answer, Note | None)
    assert_type(agent.run("?").unwrap(), Note)
    assert_type(agent.resume(state), RunResult[Note])
    assert_type(agent.stream("?"), Generator[Event[Note], None, None])
    assert_type(agent.resume_stream(state), Generator[Event[Note], None, None])
    for event in agent.stream("?"):
        if isinstance(event, Finished):
            assert_type(event.result.unwrap(), Note)


async def aask(state: RunState) -> None:
    agent = ReactAgent("openai:gpt-5", answer_type=Note)
    assert_type(await agent.arun("?"), RunResult[Note])
    assert_type(await agent.aresume(state), RunResult[Note])
    assert_type(agent.astream("?"), AsyncGenerator[Event[Note], None])
    assert_type(agent.aresume_stream(state), AsyncGenerator[Event[Note], None])


def every_agent() -> None:
    assert_type(ReactAgent("openai:gpt-5")("?"), str)
    assert_type(ReactAgent("openai:gpt-5", answer_type=list[Note])("?"), list[Note])
    assert_type(PlanAndSolveAgent("openai:gpt-5", [], max_replans=1)("?"), str)
    assert_type(PlanAndSolveAgent("openai:gpt-5", answer_type=Note)("?"), Note)
    assert_type(ReWOOAgent("openai:gpt-5", [], planner="openai:gpt-5-mini")("?"), str)
    assert_type(ReWOOAgent("openai:gpt-5", answer_type=Note)("?"), Note)
    assert_type(FunctionCall("openai:gpt-5").run("?").answer, str | dict[str, Any] | None)


def what_is_no_class() -> None:
    assert_type(ReactAgent("openai:gpt-5", answer_type=int | None)("?"), Any)
    assert_type(ReactAgent("openai:gpt-5", return_last_tool_calls=True)("?"), Any)
    agent: ReactAgent[int | None] = ReactAgent("openai:gpt-5", answer_type=int | None)
    assert_type(agent("?"), int | None)


def converse(agent: Agent[Note], any_agent: Agent) -> None:
    assert_type(Conversation(agent, max_messages=20).say("?").unwrap(), Note)
    assert_type(Conversation("openai:gpt-5", [], max_rounds=2).say("?").unwrap(), str)
    assert_type(Conversation("openai:gpt-5", answer_type=Note).say("?").unwrap(), Note)
    assert_type(Conversation(agent).stream("?"), Generator[Event[Note], None, None])
    assert_type(any_agent("?"), Any)
    converse(agent, agent)


ReactAgent("openai:gpt-5", max_retry=3)  # type: ignore[call-overload] # a misspelt option is seen
