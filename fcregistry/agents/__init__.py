"""Agents: loops in which a model calls tools until it can answer.

`_agent.py` has what all agents share, and `_loop.py` the loop that most are made of. An agent describes its run as a coroutine of effects, which
`_effects.py` defines, with the events of a streamed run; `_run.py` has the records of a run. `_on_demand.py` hides some of many tools, and
`_visible_tools.py` has those that a model sees.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fcregistry._lazy import lazy_names

if TYPE_CHECKING:
    from fcregistry.agents._agent import Agent
    from fcregistry.agents._conversation import Conversation
    from fcregistry.agents._effects import (
        Calling,
        Event,
        Finished,
        Planned,
        Planning,
        Progressed,
        Returned,
        StepBegan,
        StepEnded,
        Text,
        Thinking,
    )
    from fcregistry.agents._function_call import FunctionCall
    from fcregistry.agents._on_demand import OnDemand
    from fcregistry.agents._plan_and_solve import PlanAndSolveAgent
    from fcregistry.agents._react import ReactAgent
    from fcregistry.agents._rewoo import ReWOOAgent
    from fcregistry.agents._run import RunResult, RunState, Step, StopReason
    from fcregistry.agents._visible_tools import VisibleTools

__all__ = [
    "Agent",
    "Calling",
    "Conversation",
    "Event",
    "Finished",
    "FunctionCall",
    "OnDemand",
    "PlanAndSolveAgent",
    "Planned",
    "Planning",
    "Progressed",
    "ReWOOAgent",
    "ReactAgent",
    "Returned",
    "RunResult",
    "RunState",
    "Step",
    "StepBegan",
    "StepEnded",
    "StopReason",
    "Text",
    "Thinking",
    "VisibleTools",
]

_MODULES: Final = {
    "._agent": ("Agent",),
    "._conversation": ("Conversation",),
    "._effects": (
        "Calling",
        "Event",
        "Finished",
        "Planned",
        "Planning",
        "Progressed",
        "Returned",
        "StepBegan",
        "StepEnded",
        "Text",
        "Thinking",
    ),
    "._function_call": ("FunctionCall",),
    "._on_demand": ("OnDemand",),
    "._plan_and_solve": ("PlanAndSolveAgent",),
    "._react": ("ReactAgent",),
    "._rewoo": ("ReWOOAgent",),
    "._run": ("RunResult", "RunState", "Step", "StopReason"),
    "._visible_tools": ("VisibleTools",),
}
"""Module, imported on first use -> its names for users and, if they are not in `__all__`, for other rooms."""

lazy_names(globals(), _MODULES)
