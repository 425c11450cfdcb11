"""Models that answer with a script, tools that count, and the checks of every run."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import aclosing
from typing import Any

from fcregistry import Tool, ToolCall
from fcregistry.agents import Finished, RunResult
from fcregistry.models import Completion, Delta, FinishReason, Message, Model, ToolChoice, Usage

ONE = Usage(input_tokens=10, output_tokens=2, requests=1)


def says(text: str | None, finish: FinishReason = "stop", reasoning: str | None = None) -> Completion:
    """Return a completion in words."""
    message = Message(role="assistant", content=text, reasoning=reasoning)
    return Completion(message=message, finish_reason=finish, usage=ONE)


def calls(*made: ToolCall, text: str | None = None) -> Completion:
    """Return a completion that calls."""
    message = Message(role="assistant", content=text, tool_calls=made)
    return Completion(message=message, finish_reason="tool_calls", usage=ONE)


def adds(a: int, b: int, id: str | None = "1") -> ToolCall:
    """Return a call of `add`."""
    return ToolCall("add", json.dumps({"a": a, "b": b}), id)


class Script(Model):
    """A model that says one completion after the other, the last one again and again; an exception is raised.

    Attributes:
        heard: The messages of each request.
        offered: The names of the tools of each request.
        choices: The tool choice of each request.
    """

    def __init__(self, *said: Completion | Exception) -> None:
        self.said = said
        self.heard: list[tuple[Message, ...]] = []
        self.offered: list[list[str]] = []
        self.choices: list[ToolChoice] = []

    @property
    def name(self) -> str:
        return "test:script"

    def _next(self, messages: Sequence[Message], tools: Sequence[Tool], choice: ToolChoice) -> Completion:
        said = self.said[min(len(self.heard), len(self.said) - 1)]
        self.heard.append(tuple(messages))
        self.offered.append([tool.name for tool in tools])
        self.choices.append(choice)
        if isinstance(said, Exception):
            raise said
        return said

    async def acomplete(
        self, messages: Sequence[Message], tools: Sequence[Tool] = (), *, tool_choice: ToolChoice = "auto"
    ) -> Completion:
        return self._next(messages, tools, tool_choice)

    async def astream(
        self, messages: Sequence[Message], tools: Sequence[Tool] = (), *, tool_choice: ToolChoice = "auto"
    ) -> AsyncIterator[Delta | Completion]:
        said = self._next(messages, tools, tool_choice)
        for word in said.message.text.split(" "):
            yield Delta(content=word)
        if said.message.reasoning:
            yield Delta(reasoning=said.message.reasoning)
        yield said


class Counting:
    """Tools that count how often they were called."""

    def __init__(self) -> None:
        self.ran = 0

    def add(self, a: int, b: int) -> int:
        """Add two numbers."""
        self.ran += 1
        return a + b

    def fail(self, why: str = "no reason") -> str:
        """Fail."""
        self.ran += 1
        raise ValueError(why)


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


# --- the ways of running --------------------------------------------------------------------------


def ran(agent: Any, query: Any, **options: Any) -> RunResult:
    """Run an agent as plain code does."""
    result: RunResult = agent.run(query, **options)
    return result


def aran(agent: Any, query: Any, **options: Any) -> RunResult:
    """Run an agent on a loop."""
    result: RunResult = asyncio.run(agent.arun(query, **options))
    return result


def streamed(agent: Any, query: Any, **options: Any) -> RunResult:
    """Run an agent, and follow it as plain code does."""
    return finished(agent.stream(query, **options))


def astreamed(agent: Any, query: Any, **options: Any) -> RunResult:
    """Run an agent, and follow it on a loop."""

    async def follow() -> list[Any]:
        async with aclosing(agent.astream(query, **options)) as events:
            return [event async for event in events]

    return finished(asyncio.run(follow()))


WAYS: tuple[Callable[..., RunResult], ...] = (ran, aran, streamed, astreamed)


def finished(events: Iterable[Any]) -> RunResult:
    """Return the result that events end with, and only end with."""
    *before, last = events
    assert isinstance(last, Finished)
    assert not any(isinstance(event, Finished) for event in before)
    return last.result


# --- what holds of every history ------------------------------------------------------------------


def check_history(messages: Sequence[Message]) -> None:
    """See that providers take a conversation: each call has an id of its own, and one result, right after the message that makes it."""
    seen: set[str] = set()
    waiting: list[str] = []
    for message in messages:
        if message.role == "tool":
            assert waiting, "a result without a call"
            assert message.tool_call_id == waiting.pop(0)
            continue
        assert not waiting, f"calls without results: {waiting}"
        for call in message.tool_calls:
            assert call.id
            assert call.id not in seen
            seen.add(call.id)
            waiting.append(call.id)
    assert not waiting, f"calls without results: {waiting}"
