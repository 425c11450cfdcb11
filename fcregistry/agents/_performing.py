"""How is done what a course asks for? By plain code and by coroutines, which give the same answers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import CancelledError
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from fcregistry.agents._effects import Ask, Carry, Express, Failed, Resume, Stopped
from fcregistry.execution import PreparedCalls
from fcregistry.execution._event_loop import background
from fcregistry.models._model import checked_completion

if TYPE_CHECKING:
    from fcregistry.agents._control import Control
    from fcregistry.models import Completion


def performed(effect: Any, control: Control) -> Any:
    """Do what a course asks for, and return what came of it."""
    if isinstance(effect, Ask):
        return control.stopped or _asked(effect, control)
    if isinstance(effect, (Carry, Resume)):
        return _carried(effect, control)
    if isinstance(effect, Express):
        from fcregistry.execution._graph import run_nodes  # for expressions alone

        return run_nodes(effect.visible.executor._open_pipeline(), list(effect.nodes), control.run)
    return None  # an event, which nobody listens to


def _asked(ask: Ask, control: Control) -> Completion | Failed | Stopped:
    try:
        if not control.is_bounded:
            return _whole(ask, ask.model.complete(ask.messages, ask.tools, tool_choice=ask.tool_choice))
        return _whole(ask, _asked_until(ask, control))
    except (CancelledError, asyncio.CancelledError):  # of the request, by the run's end; or by the model itself
        return control.stopped or Stopped(reason="cancelled")
    except Exception as error:  # noqa: BLE001  # foreign code: whatever a model raises is why it gave no answer
        return control.stopped or Failed(error=error)


def _asked_until(ask: Ask, control: Control) -> object:
    """Ask a model on the background loop, where a run that ends can leave it behind."""
    future = background.submit(lambda: ask.model.acomplete(ask.messages, ask.tools, tool_choice=ask.tool_choice))
    release = control.token.on_cancel(future.cancel)
    try:
        return future.result()
    except BaseException:  # an interrupt while waiting ends the request too
        future.cancel()
        raise
    finally:
        release()


def _whole(ask: Ask, said: object) -> Completion:
    """Return what a model said.

    Raises:
        TypeError: It is no completion.
    """
    return checked_completion(said, ask.model.name)


def _carried(effect: Carry | Resume, control: Control) -> Any:
    todo = ready(effect)
    visible = effect.visible
    if isinstance(todo, Carry):
        return visible.run_all(todo.calls, **control.passed_on())
    if isinstance(todo, PreparedCalls):
        return todo
    refused = visible._refused(todo.calls)
    ran = visible.executor.resume(todo.prepared, todo.decisions, by=control.by, **control.passed_on())
    return visible._together(refused, ran, len(todo.calls))


def ready(effect: Carry | Resume) -> Carry | Resume | PreparedCalls:
    """Return what can be carried out now; or calls, of which somebody has to decide about one before any of them runs."""
    if isinstance(effect, Resume) or not effect.suspends:
        return effect
    visible, pipeline = effect.visible, effect.visible.executor._pipeline
    meant = (pipeline.find(call.name) for call in effect.calls)
    if all(tool is None or pipeline.gate.is_open(tool) for tool in meant):
        return effect
    prepared = visible.executor.prepare([call for call in effect.calls if visible.refusal(call) is None])
    # What nobody has to decide about is taken up at once: hooks are not asked twice.
    return prepared if prepared.waiting else Resume(visible=visible, calls=effect.calls, prepared=prepared)


# --- coroutines -----------------------------------------------------------------------------------


async def aperformed(effect: Any, control: Control) -> Any:
    """Do what a course asks for on the running loop, and return what came of it."""
    if isinstance(effect, Ask):
        return control.stopped or await _aasked(effect, control)
    if isinstance(effect, (Carry, Resume)):
        return await acarried(effect, control)
    if isinstance(effect, Express):
        return await aexpressed(effect, control)
    return None


async def aexpressed(effect: Express, control: Control) -> Any:
    """Carry out the calls of expressions on the running loop."""
    from fcregistry.execution._graph import arun_nodes  # for expressions alone

    return await arun_nodes(effect.visible.executor._open_pipeline(), list(effect.nodes), control.run)


async def _aasked(ask: Ask, control: Control) -> Completion | Failed | Stopped:
    try:
        asking = ask.model.acomplete(ask.messages, ask.tools, tool_choice=ask.tool_choice)
        if not control.is_bounded:
            return _whole(ask, await asking)
        task = asyncio.ensure_future(asking)
        release = control.token.on_cancel(canceller(task))
        try:
            return _whole(ask, await task)
        finally:
            release()
    except asyncio.CancelledError:
        if _is_cancelled():
            raise
        return control.stopped or Stopped(reason="cancelled")
    except Exception as error:  # noqa: BLE001  # foreign code: whatever a model raises is why it gave no answer
        return control.stopped or Failed(error=error)


async def acarried(effect: Carry | Resume, control: Control) -> Any:
    """Carry out calls on the running loop."""
    todo = ready(effect)
    visible = effect.visible
    if isinstance(todo, Carry):
        return await visible.arun_all(todo.calls, **control.passed_on())
    if isinstance(todo, PreparedCalls):
        return todo
    refused = visible._refused(todo.calls)
    ran = await visible.executor.aresume(todo.prepared, todo.decisions, by=control.by, **control.passed_on())
    return visible._together(refused, ran, len(todo.calls))


def canceller(task: asyncio.Future[Any]) -> Callable[[], None]:
    """Return what cancels a task of the running loop from any thread."""
    loop = asyncio.get_running_loop()

    def cancel() -> None:
        with suppress(RuntimeError):  # the loop has ended meanwhile, and the task with it
            loop.call_soon_threadsafe(task.cancel)

    return cancel


def _is_cancelled() -> bool:
    """Tell whether it is the running task that is to end, and not what it waits for."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
