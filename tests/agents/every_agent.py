"""The agents, as the tests for every agent make them. A new agent is added here, and in no test."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from fcregistry import PlanAndSolveAgent, ReWOOAgent
from fcregistry.agents import FunctionCall, ReactAgent

ROUNDS: Final = 3

AGENTS: Final[dict[str, Callable[..., Any]]] = {
    "function-call": FunctionCall,
    "react": lambda llm, tools, **options: ReactAgent(llm, tools, max_rounds=ROUNDS, **options),
    "react-summarizing": lambda llm, tools, **options: ReactAgent(
        llm, tools, max_rounds=ROUNDS, force_summarize=True, **options
    ),
    "react-few-calls": lambda llm, tools, **options: ReactAgent(
        llm, tools, max_rounds=ROUNDS, max_tool_calls=2, stop_tools=["add"], **options
    ),
    "react-typed": lambda llm, tools, **options: ReactAgent(
        llm, tools, max_rounds=ROUNDS, answer_type=int, answer_retries=1, **options
    ),
    "react-expressions": lambda llm, tools, **options: ReactAgent(
        llm, tools, max_rounds=ROUNDS, calls="expression", context={"x": 1}, **options
    ),
    "plan-and-solve": lambda llm, tools, **options: PlanAndSolveAgent(
        llm, tools, max_steps=2, max_rounds=2, max_replans=1, max_tool_calls=2, **options
    ),
    "plan-and-solve-expressions": lambda llm, tools, **options: PlanAndSolveAgent(
        llm, tools, max_steps=2, max_rounds=2, max_replans=1, max_tool_calls=2, calls="expression", **options
    ),
    "rewoo": lambda llm, tools, **options: ReWOOAgent(llm, tools, max_steps=3, max_rounds=2, max_replans=1, **options),
}
"""Name -> what makes one of a model and tools."""

LOOPS: Final = [name for name in AGENTS if not name.startswith(("plan-and-solve", "rewoo"))]
"""Those whose model may call at once, without a plan."""

MOST_REQUESTS: Final = {
    "function-call": 1,
    "react-summarizing": ROUNDS + 1,
    "plan-and-solve": 2 + 2 * 2 * 2,
    "plan-and-solve-expressions": 2 + 2 * 2 * 2,
    "rewoo": 2 + 2,
}
"""How often an agent may ask its model at most, where that is not `ROUNDS` times."""

MOST_CALLS: Final = {"react-few-calls": 2, "plan-and-solve": 2, "plan-and-solve-expressions": 2, "rewoo": 3}
"""How many calls an agent may carry out at most, where there is a limit."""
