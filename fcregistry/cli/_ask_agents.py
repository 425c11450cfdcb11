"""Which agents can be asked by name, and what does each of them take?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import click

if TYPE_CHECKING:
    from fcregistry.agents import Agent
    from fcregistry.execution import Executor
    from fcregistry.models import Model


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One way of working.

    Attributes:
        name: What the agent's class is called in `fcregistry.agents`.
        rounds: Whether it takes a number of rounds.
        expressions: Whether its model may write expressions in place of JSON.
    """

    name: str
    rounds: bool = False
    expressions: bool = False

    def options(self, *, max_rounds: int | None, calls: str) -> dict[str, Any]:
        """Return what the agent is made with.

        Args:
            max_rounds: How often the model is asked at most; None for what the agent takes.
            calls: How it writes calls: `json` or `expression`.

        Raises:
            UsageError: It does not take one of these.
        """
        options: dict[str, Any] = {}
        if max_rounds is not None:
            if not self.rounds:
                raise click.UsageError(f"--max-rounds is for --agent {_those_with('rounds')}")
            options["max_retries"] = max_rounds
        if calls != "json":
            if not self.expressions:
                raise click.UsageError(f"--calls {calls} is for --agent {_those_with('expressions')}")
            options["calls"] = calls
        return options

    def made(self, model: Model, executor: Executor, options: Mapping[str, Any]) -> Agent:
        """Return the agent."""
        import fcregistry.agents as agents  # with models and the executor, which `--help` does without

        agent: Agent = getattr(agents, self.name)(model, executor, **options)
        return agent


AGENTS: Final = {
    "react": Kind(name="ReactAgent", rounds=True, expressions=True),
    "function-call": Kind(name="FunctionCall"),
    "plan-and-solve": Kind(name="PlanAndSolveAgent", rounds=True, expressions=True),
    "rewoo": Kind(name="ReWOOAgent"),
}
"""What `--agent` may say."""


def _those_with(what: str) -> str:
    return " or ".join(name for name, kind in AGENTS.items() if getattr(kind, what))
