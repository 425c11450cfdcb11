"""Agents: loops in which a model calls tools until it can answer.

`_agent.py` has what all agents share, and `_loop.py` the loop that most are made of. An agent describes its run as a coroutine, and `_runner.py` runs
it: sync, async or streamed. `_visible_tools.py` and `_gateways.py` show a model some of many tools.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fcregistry._lazy import lazy_names

if TYPE_CHECKING:
    from fcregistry.agents._agent import Agent
    from fcregistry.agents._conversation import Conversation
    from fcregistry.agents._function_call import FunctionCall
    from fcregistry.agents._gateways import OnDemand
    from fcregistry.agents._plan_and_solve import PlanAndSolveAgent
    from fcregistry.agents._react import ReactAgent
    from fcregistry.agents._result import STOP_REASON_TEXTS as STOP_REASON_TEXTS
    from fcregistry.agents._result import (
        Calling,
        Event,
        Finished,
        Planned,
        Planning,
        Progressed,
        Returned,
        RunResult,
        Step,
        StepBegan,
        StepEnded,
        StopReason,
        Text,
        Thinking,
    )
    from fcregistry.agents._rewoo import ReWOOAgent
    from fcregistry.agents._state import RunState
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
    "Calling": "._result",
    "Conversation": "._conversation",
    "Event": "._result",
    "Finished": "._result",
    "FunctionCall": "._function_call",
    "OnDemand": "._gateways",
    "PlanAndSolveAgent": "._plan_and_solve",
    "Planned": "._result",
    "Planning": "._result",
    "Progressed": "._result",
    "ReWOOAgent": "._rewoo",
    "ReactAgent": "._react",
    "Returned": "._result",
    "RunResult": "._result",
    "RunState": "._state",
    "Step": "._result",
    "StepBegan": "._result",
    "StepEnded": "._result",
    "StopReason": "._result",
    "Text": "._result",
    "Thinking": "._result",
    "VisibleTools": "._visible_tools",
}

# What other rooms use; not public.
_FOR_OTHER_ROOMS: Final = {
    "STOP_REASON_TEXTS": "._result",
}

__getattr__, __dir__ = lazy_names(globals(), {**_HOMES, **_FOR_OTHER_ROOMS})
