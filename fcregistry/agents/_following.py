"""How is followed what a course asks for? What the model says and how far a tool is are told as they come."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fcregistry._results.result import ToolResult
from fcregistry.agents._effects import Ask, Carry, Express, Failed, Resume, Stopped
from fcregistry.agents._events import Progressed, Text, Thinking
from fcregistry.agents._performing import acarried, aexpressed, canceller, ready
from fcregistry.models import Completion, Delta
from fcregistry.models._model import checked_completion

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fcregistry.agents._control import Control
    from fcregistry.agents._events import Event


@dataclass(frozen=True, slots=True)
class Came:
    """What came of what a course asked for."""

    value: Any


def happening(effect: Ask | Carry | Express | Resume, control: Control) -> AsyncGenerator[Event | Came, None]:
    """Return what happens while something is done, and at last what came of it."""
    return _listened(effect, control) if isinstance(effect, Ask) else _followed(effect, control)


# --- a model --------------------------------------------------------------------------------------


async def _listened(ask: Ask, control: Control) -> AsyncGenerator[Event | Came, None]:
    """Ask a model, and yield what it says.

    One task carries all of it, which the end of the run cancels; clients of providers do not bear to be taken up by another.
    """
    if (stopped := control.stopped) is not None:
        yield Came(stopped)
        return
    said: asyncio.Queue[Any] = asyncio.Queue()
    asking = asyncio.ensure_future(_pumped(ask, said.put_nowait))
    asking.add_done_callback(said.put_nowait)
    release = control.token.on_cancel(canceller(asking))
    completion = None
    try:
        while (piece := await said.get()) is not asking:
            if isinstance(piece, Completion):
                completion = piece
            else:
                for event in _told(piece, ask):
                    yield event
        yield Came(completion or _missed(ask, asking, control))
    finally:
        release()
        await _ended(asking)


async def _pumped(ask: Ask, put: Callable[[Delta | Completion], None]) -> BaseException | None:
    """Hand over what a model says; return an interrupt of it, which would end the loop for everybody if it were raised in a task."""
    pieces = ask.model.astream(ask.messages, ask.tools, tool_choice=ask.tool_choice)
    try:
        async for piece in pieces:
            put(piece if isinstance(piece, Delta) else checked_completion(piece, ask.model.name))
    except (KeyboardInterrupt, SystemExit) as interrupt:
        return interrupt
    finally:
        if isinstance(pieces, AsyncGenerator):
            await pieces.aclose()
    return None


def _told(piece: Delta, ask: Ask) -> Iterator[Event]:
    if piece.reasoning:
        yield Thinking(text=piece.reasoning)
    if piece.content and not ask.quiet:
        yield Text(text=piece.content)


def _missed(ask: Ask, asking: asyncio.Future[BaseException | None], control: Control) -> Failed | Stopped:
    """Return why a model that was asked gave no completion."""
    if asking.cancelled():
        return control.stopped or Stopped(reason="cancelled")
    error = asking.exception()
    if error is None and (interrupt := asking.result()) is not None:
        raise interrupt
    if error is None:
        error = RuntimeError(f"{ask.model.name} ended without a completion")
    if not isinstance(error, Exception):
        raise error
    return control.stopped or Failed(error=error)


async def _ended(task: asyncio.Future[Any]) -> None:
    """End a task, and wait until it has cleaned up."""
    task.cancel()
    await asyncio.wait([task])
    if not task.cancelled():
        task.exception()  # seen, so asyncio does not log it


# --- calls ----------------------------------------------------------------------------------------


async def _followed(effect: Carry | Express | Resume, control: Control) -> AsyncGenerator[Event | Came, None]:
    """Carry out calls, and yield how far the call of a message is that makes only one."""
    if isinstance(effect, Express):
        yield Came(await aexpressed(effect, control))
        return
    todo = ready(effect)
    if not isinstance(todo, Carry) or len(todo.calls) != 1 or todo.visible.refusal(todo.calls[0]) is not None:
        yield Came(await acarried(todo, control) if isinstance(todo, (Carry, Resume)) else todo)
        return
    (call,) = todo.calls
    results: list[ToolResult] = []
    async with aclosing(todo.visible.executor.astream(call, **control.passed_on())) as following:
        async for each in following:
            if isinstance(each, ToolResult):
                results.append(each)
            else:
                yield Progressed(call=call, progress=each)
    todo.visible.note(results)
    yield Came(results)
