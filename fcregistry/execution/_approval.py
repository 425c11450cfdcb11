"""May a call run that needs approval? Fails closed: only a plain yes is one."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeAlias

from fcregistry._calls import ToolCall
from fcregistry._results import CallError
from fcregistry.execution._arguments import read_arguments
from fcregistry.execution._wording import approval_failed, approval_required, denied

if TYPE_CHECKING:
    from fcregistry._tool import Tool
    from fcregistry.execution._steps import Step

Approve: TypeAlias = "Callable[[Tool, ToolCall], bool | Awaitable[bool]]"


def verdict(step: Step, approve: Approve | None) -> CallError | Awaitable[bool] | None:
    """Return why a call may not run, None if it may, or an awaitable where that is still being asked."""
    needs = step.bound.needs_approval
    if needs is False:
        return None
    tool = step.bound.tool
    try:
        # Copies: what was validated is what runs, whatever predicate and callback do with what they are shown.
        if callable(needs) and not needs(step.bound.signature.binding.decode(read_arguments(step.arguments)[0])):
            return None
        if approve is None:
            return approval_required(tool.name)
        answer = approve(tool, ToolCall(step.call.name, read_arguments(step.arguments)[0], step.call.id))
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001  # foreign code: whatever a predicate or callback raises, it has not said yes
        return approval_failed(tool.name, error)
    return answer if inspect.isawaitable(answer) else settled(step, answer)


def settled(step: Step, answer: object) -> CallError | None:
    """Return None for a plain yes, and a denial for everything else."""
    if isinstance(answer, CallError):
        return answer
    return None if answer is True else denied(step.bound.tool.name)


async def asked(step: Step, answer: Awaitable[bool]) -> CallError | None:
    """Await what a coroutine function answers."""
    from asyncio import CancelledError, current_task  # there is a loop, so it is imported

    try:
        return settled(step, await answer)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # foreign code: whatever a callback raises, it has not said yes
        task = current_task()
        if isinstance(error, CancelledError) and task is not None and task.cancelling():
            raise  # it is we who are being cancelled
        return approval_failed(step.bound.tool.name, error)


def wait_for(step: Step, answer: Awaitable[bool]) -> CallError | None:
    """Wait, outside a loop, for what a coroutine function answers."""
    from fcregistry.execution._loop import background  # asyncio is 38 ms, which other calls need not pay

    decided: CallError | None = background.run(lambda: asked(step, answer))
    return decided
