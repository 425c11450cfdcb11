"""What does an agent's loop cost in each round, beside its model and its tools? And what, if 10,000 tools are registered or given?"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from _clock import awaited, medians, plain
from _tables import Row, Table, present, within
from scale import registry_of

from fcregistry import Executor, ReactAgent, Tool, ToolCall, formats
from fcregistry.models import Completion, Message, Model, ToolChoice, Usage

ROUNDS = 10
FEW, MANY = 10, 10_000
ARGUMENTS = '{"location": "Tokyo", "unit": "celsius"}'
AIM = 150
"""Microseconds a round."""


class Calls(Model):
    """A model that takes no time, and calls one tool in every round."""

    name = "benchmark:calls"

    def __init__(self) -> None:
        usage = Usage(input_tokens=100, output_tokens=20, requests=1)
        made = (ToolCall("tool_1", ARGUMENTS, "call_1"),)
        self._said = Completion(message=Message(role="assistant", tool_calls=made), usage=usage)

    def complete(self, messages: object, tools: Sequence[Tool] = (), *, tool_choice: ToolChoice = "auto") -> Completion:
        return self._said

    async def acomplete(
        self, messages: object, tools: Sequence[Tool] = (), *, tool_choice: ToolChoice = "auto"
    ) -> Completion:
        return self._said


def rounds() -> list[Row]:
    """Time runs of many rounds, and what their calls take without an agent."""
    few, many = registry_of(FEW), registry_of(MANY)
    names = [f"tool_{place}" for place in range(FEW)]
    agents = {
        f"a round with {FEW} tools": ReactAgent(Calls(), names, registry=few, max_retries=ROUNDS),
        f"a round with {FEW} of {MANY:,} registered tools": ReactAgent(
            Calls(), names, registry=many, max_retries=ROUNDS
        ),
        f"a round with {MANY:,} tools": ReactAgent(Calls(), ["tool_*"], registry=many, max_retries=ROUNDS),
    }
    calls = [ToolCall("tool_1", ARGUMENTS, "call_1")]
    executor = Executor(names, registry=few)

    def carried() -> None:
        for _ in range(ROUNDS - 1):  # the calls of the last round are not carried out
            executor.run_all(calls)

    made: list[Row] = []
    took = medians({"floor": plain(carried)} | {what: plain(_asked(agent)) for what, agent in agents.items()})
    made += [_row(what, took["floor"], took[what]) for what in agents]
    return [*made, on_a_loop()]


def on_a_loop() -> Row:
    """Time the same with an async tool, on a running loop."""

    async def tool_1(location: str, unit: str) -> str:
        """Get the current weather."""
        return location

    executor = Executor([tool_1])
    agent = ReactAgent(Calls(), executor, max_retries=ROUNDS)

    async def carried() -> None:
        for _ in range(ROUNDS - 1):
            await executor.arun_all([ToolCall("tool_1", ARGUMENTS, "call_1")])

    with asyncio.Runner() as runner:
        took = medians({"floor": awaited(runner, carried), "ours": awaited(runner, lambda: agent.arun("?"))})
    return _row("a round with an async tool, on a loop", took["floor"], took["ours"])


def _asked(agent: ReactAgent) -> Callable[[], object]:
    return lambda: agent.run("?")


def _row(what: str, floor: float, ours: float) -> Row:
    """Make a row of what is left of a run when its calls are taken away."""
    return within(what, floor / ROUNDS, (ours - floor) / ROUNDS, "µs", most=AIM)


def describing() -> Row:
    """Time describing the same tools again, as a model's client does in every round, and for the first time."""
    registry = registry_of(FEW)
    names = [f"tool_{place}" for place in range(FEW)]
    tools = [registry.get(name) for name in names]
    openai = formats.get("openai")
    took = medians(
        {
            "first": plain(lambda: openai.describe([tool.renamed(tool.name + "_") for tool in tools])),
            "again": plain(lambda: openai.describe(tools)),
        }
    )
    return within(
        f"to describe {FEW} tools again (floor: for the first time)", took["first"], took["again"], "µs", most=AIM
    )


def main() -> None:
    """Print the table."""
    words = (
        "The model and the tool take no time, and what the executor takes for the calls is taken away: it is the floor. "
        "A round is one request and one call."
    )
    present(Table(title="Agents", words=words, rows=[*rounds(), describing()]))


if __name__ == "__main__":
    main()
