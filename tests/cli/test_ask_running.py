"""A run of `ask` over pauses for decisions, and the limits of its model."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from fcregistry.agents import Event, Finished, RunResult, Step
from fcregistry.cli._ask import run_agent, with_limits  # the screen and its clock are those of the test
from fcregistry.cli._ask_screen import Screen, Timeline  # the screen and its clock are those of the test
from fcregistry.errors import ConfigurationError


class Waits:
    """An agent that waits once for a decision, and keeps the time that it was given."""

    def __init__(self) -> None:
        self.budgets: list[float] = []

    async def astream(self, question: str, *, time_budget: float, **_: object) -> AsyncIterator[Event]:
        """Wait."""
        self.budgets.append(time_budget)
        state: Any = "where it waits"
        yield Finished(result=RunResult(answer=None, stop_reason="approval", steps=(Step(kind="model"),), state=state))

    async def aresume_stream(self, state: str, decisions: object, *, time_budget: float, **_: object) -> Any:
        """Answer."""
        self.budgets.append(time_budget)
        yield Finished(result=RunResult(answer=state, steps=(Step(kind="tools"),)))


@pytest.mark.parametrize("seconds", [1000.0, 1e-9])
def test_a_part_of_a_run_has_the_time_that_those_before_it_left(seconds: float) -> None:
    """If that is none, it has so little that it is told so; and what came of all parts is one run."""
    agent: Any = Waits()
    result = run_agent(agent, "Go", seconds, Screen("a:b", streams=False), lambda calls: {}, Timeline("a:b"))

    first, second = agent.budgets
    assert first == seconds
    assert 999.0 < second < 1000.0 if seconds > 1 else second == 0.001
    assert (result.answer, [step.kind for step in result.steps]) == ("where it waits", ["model", "tools"])


def test_a_model_on_this_machine_gets_the_limits_that_its_name_leaves_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("fcregistry._config.files.SETTLED", 0)  # a change counts at once
    assert with_limits("openai:gpt-5") == "openai:gpt-5"
    assert with_limits("llama:smollm2") == "llama:smollm2?max_tokens=128"
    (tmp_path / "fcregistry.toml").write_text("threads = 2\nmax_tokens = 64", encoding="utf-8")
    assert with_limits("llama:/a/b.gguf") == "llama:/a/b.gguf?max_tokens=64&threads=2"
    assert with_limits("llama:smollm2?threads=1") == "llama:smollm2?max_tokens=64&threads=1"
    (tmp_path / "fcregistry.toml").write_text("threads = 0\nmax_tokens = true", encoding="utf-8")
    with pytest.raises(ConfigurationError, match="whole number from 1, not 0") as raised:
        with_limits("llama:smollm2")
    assert "max_tokens in " in str(raised.value)
