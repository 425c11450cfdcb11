"""Times each round of an agent's loop, beside a loop written by hand, with ten tools and with 10,000 registered or given."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from _clock import awaited, medians, plain
from _tables import Row, Table, present, times
from scale import registry_of

from fcregistry import Executor, ReactAgent, Tool, ToolCall, ToolResult, formats
from fcregistry.models import Completion, Message, Model, ToolChoice, Usage

ROUNDS = 10
FEW, MANY = 10, 10_000
ARGUMENTS = '{"location": "Tokyo", "unit": "celsius"}'
MOST = 6
"""How many times the loop by hand a round may take; 4.6 as measured, for the events, limits and records of a run."""


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
    """Time runs of many rounds, of agents and of a loop written by hand with the same model, tools and executor."""
    few, many = registry_of(FEW), registry_of(MANY)
    names = [f"tool_{place}" for place in range(FEW)]
    agents = {
        f"a round with {FEW} tools": ReactAgent(Calls(), names, registry=few, max_rounds=ROUNDS),
        f"a round with {FEW} of {MANY:,} registered tools": ReactAgent(
            Calls(), names, registry=many, max_rounds=ROUNDS
        ),
        f"a round with {MANY:,} tools": ReactAgent(Calls(), ["tool_*"], registry=many, max_rounds=ROUNDS),
    }
    model, executor = Calls(), Executor(names, registry=few)
    tools = list(executor.tools.values())

    def by_hand() -> None:
        messages = [Message(role="user", content="?")]
        for round_ in range(ROUNDS):
            message = model.complete(messages, tools).message
            messages.append(message)
            if round_ < ROUNDS - 1:  # an agent does not run the calls of the last round
                messages += map(answer, executor.run_all(message.tool_calls))

    took = medians({"floor": plain(by_hand)} | {what: plain(_asked(agent)) for what, agent in agents.items()})
    return [*(_row(what, took["floor"], took[what]) for what in agents), on_a_loop()]


def answer(result: ToolResult) -> Message:
    """Return the message that tells a model the result of its call."""
    return Message(role="tool", content=result.content, tool_call_id="call_1", name="tool_1")


def on_a_loop() -> Row:
    """Time the same with an async tool, on a running loop."""

    async def tool_1(location: str, unit: str) -> str:
        """Get the current weather."""
        return location

    model, executor = Calls(), Executor([tool_1])
    tools = list(executor.tools.values())
    agent = ReactAgent(model, executor, max_rounds=ROUNDS)

    async def by_hand() -> None:
        messages = [Message(role="user", content="?")]
        for round_ in range(ROUNDS):
            message = (await model.acomplete(messages, tools)).message
            messages.append(message)
            if round_ < ROUNDS - 1:
                messages += map(answer, await executor.arun_all(message.tool_calls))

    with asyncio.Runner() as runner:
        took = medians({"floor": awaited(runner, by_hand), "ours": awaited(runner, lambda: agent.arun("?"))})
    return _row("a round with an async tool, on a loop", took["floor"], took["ours"])


def _asked(agent: ReactAgent) -> Callable[[], object]:
    return lambda: agent.run("?")


def _row(what: str, floor: float, ours: float) -> Row:
    """Make a row of the rounds of a run."""
    return times(what, floor / ROUNDS, ours / ROUNDS, "µs", most=MOST)


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
    # A client that described its tools anew in every round would take 1.
    return times(
        f"to describe {FEW} tools again (floor: for the first time)", took["first"], took["again"], "µs", most=0.7
    )


def main() -> None:
    """Print the table."""
    words = (
        "A round is one request to a model and one call. The model and the tool take no time. The floor is a "
        "loop written by hand: it asks the same model, runs the call with the same executor, and appends the "
        "messages. It has no events, limits or records."
    )
    present(Table(title="Agents", words=words, rows=[*rounds(), describing()]))


if __name__ == "__main__":
    main()
