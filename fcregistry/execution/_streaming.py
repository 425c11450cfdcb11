"""How is a call followed while it runs? As events: how far it is, what it has yielded, and at last its result."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from fcregistry._base.call import linked_token
from fcregistry._results.result import ToolResult
from fcregistry.execution._effects import adrive, drive
from fcregistry.execution._fast_path import read_if_call
from fcregistry.execution._messages import no_thread
from fcregistry.execution._observability import log_failure
from fcregistry.execution._progress import Channel, Partial, Progress
from fcregistry.execution._result import failed_result
from fcregistry.execution._threads import NoThreadError, blocking_threads, running_loop

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Generator

    from fcregistry.execution._pipeline import Pipeline
    from fcregistry.execution._settings import CallsContext

Event: TypeAlias = "Progress | Partial | ToolResult"


def streamed(pipeline: Pipeline, call: object, run: CallsContext) -> Generator[Event, None, None]:
    """Carry out a call on a thread, and yield what it has to say; its result comes last. Whoever stops listening cancels it."""
    token, release = linked_token(run.cancellation)
    step = drive(pipeline.preparing(call, run))
    stays = pipeline.wants_caller(step)
    channel = Channel(token, room=None) if stays else Channel(token)
    course = pipeline.course(step, run._replace(cancellation=token, channel=channel))

    def carry_out() -> None:
        try:
            channel.end(drive(course))
        except BaseException as error:  # noqa: BLE001  # an interrupt inside the tool is its caller's
            channel.end(error)

    try:
        if stays:  # on this thread, where nobody can listen meanwhile
            carry_out()
        else:
            blocking_threads.submit(carry_out, waited_for=True)
    except NoThreadError as error:
        release()
        result = failed_result(read_if_call(call), no_thread(error))
        log_failure(result)
        yield result
        return
    try:
        while True:
            event = channel.take()
            if isinstance(event, BaseException):
                raise event
            yield event
            if isinstance(event, ToolResult):
                return
    finally:
        token.cancel("nobody listens any more")
        release()


async def astreamed(pipeline: Pipeline, call: object, run: CallsContext) -> AsyncGenerator[Event, None]:
    """Carry out a call on the running loop, and yield what it has to say, as `streamed` does."""
    import asyncio

    loop, arrived = running_loop(), asyncio.Event()
    token, release = linked_token(run.cancellation)
    channel = Channel(token, lambda: loop.call_soon_threadsafe(arrived.set))
    course = pipeline.course(call, run._replace(cancellation=token, channel=channel))

    async def carry_out() -> None:
        try:
            channel.end(await adrive(course))
        except BaseException as error:  # noqa: BLE001  # an interrupt inside the tool is its caller's
            channel.end(error)

    task = loop.create_task(carry_out())
    try:
        while True:
            event = channel.taken()
            if event is None:
                arrived.clear()
                event = channel.taken()
                if event is None:
                    await arrived.wait()
                    continue
            if isinstance(event, BaseException):
                raise event
            yield event
            if isinstance(event, ToolResult):
                return
    finally:
        token.cancel("nobody listens any more")
        task.cancel()
        release()
