"""Agents: loops in which a model calls tools until it can answer.

`_agent.py` has what all agents share, and `_loop.py` the loop that most are made of. An agent describes its run as a coroutine of effects, which
`_effects.py` defines; `_run.py` has the records of a run. `_visible_tools.py` and `_gateways.py` show a model some of many tools.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fcregistry._lazy import lazy_names

if TYPE_CHECKING:
    from fcregistry.agents._agent import Agent
    from fcregistry.agents._conversation import Conversation
    from fcregistry.agents._events import (
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
    from fcregistry.agents._gateways import OnDemand
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

# Public name -> the module it lives in, imported when it is used.
_HOMES: Final = {
    "Agent": "._agent",
    "Calling": "._events",
    "Conversation": "._conversation",
    "Event": "._events",
    "Finished": "._events",
    "FunctionCall": "._function_call",
    "OnDemand": "._gateways",
    "PlanAndSolveAgent": "._plan_and_solve",
    "Planned": "._events",
    "Planning": "._events",
    "Progressed": "._events",
    "ReWOOAgent": "._rewoo",
    "ReactAgent": "._react",
    "Returned": "._events",
    "RunResult": "._run",
    "RunState": "._run",
    "Step": "._run",
    "StepBegan": "._events",
    "StepEnded": "._events",
    "StopReason": "._run",
    "Text": "._events",
    "Thinking": "._events",
    "VisibleTools": "._visible_tools",
}

lazy_names(globals(), _HOMES)
