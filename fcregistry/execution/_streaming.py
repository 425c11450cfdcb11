"""Streamed calls: progress, the items that a tool yields, and at last the result, as events."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from threading import Condition
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from fcregistry._base.call import linked_token
from fcregistry._base.forks import after_fork
from fcregistry._results.result import ToolResult
from fcregistry.errors import CallCancelledError
from fcregistry.execution._call_errors import no_thread
from fcregistry.execution._fast_path import read_if_call
from fcregistry.execution._invoke import adrive, drive
from fcregistry.execution._observability import log_failure
from fcregistry.execution._result import failed_result, output_of
from fcregistry.execution._step import CallStep
from fcregistry.execution._threads import NoThreadError, blocking_threads, running_loop

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Generator

    from fcregistry._base.call import CancellationToken
    from fcregistry.execution._pipeline import Pipeline
    from fcregistry.execution._settings import CallsContext


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """A tool reports its progress.

    Attributes:
        fraction: From 0 to 1.
        message: What the tool is doing.
    """

    fraction: float
    message: str

    def to_json(self) -> dict[str, Any]:
        """This progress as a JSON object."""
        return {"fraction": self.fraction, "message": self.message}


@dataclass(frozen=True, slots=True, kw_only=True)
class Partial:
    """One item that a tool yielded.

    Attributes:
        value: The item.
        nulls: Whether its text has null for numbers that are not finite.
    """

    value: Any
    nulls: bool = field(default=False, repr=False, compare=False)

    @property
    def content(self) -> str:
        """The item as text for a model: a str as it is, everything else as JSON.

        Raises:
            EncodingError: It has no JSON form.
        """
        made = output_of(self.value, None, nulls=self.nulls)
        return made if isinstance(made, str) else made.content

    def to_json(self) -> dict[str, Any]:
        """This item as a JSON object, with its text.

        Raises:
            EncodingError: It has no JSON form.
        """
        return {"content": self.content}


Event: TypeAlias = "Progress | Partial | ToolResult"


def stream_call(pipeline: Pipeline, call: object, run: CallsContext) -> Generator[Event, None, None]:
    """Run a call on a thread, and yield its events, the result last.

    If the caller stops listening, the call is cancelled.
    """
    token, release = linked_token(run.cancellation)
    step = drive(pipeline.prepare_off_loop(call, run))
    is_here = isinstance(step, CallStep) and step.bound.dispatch == "caller"
    channel = Channel(token, room=None) if is_here else Channel(token)
    coroutine = pipeline.run_call(step, run._replace(cancellation=token, channel=channel))

    def run_call() -> None:
        """Run the call to its end, and put its result, or the exception that it raised, into the channel."""
        try:
            channel.end(drive(coroutine))
        except BaseException as error:  # noqa: BLE001  # an interrupt inside the tool is its caller's
            channel.end(error)

    try:
        if is_here:  # on this thread, so nothing listens meanwhile
            run_call()
        else:
            blocking_threads.submit(run_call, waited_for=True)
    except NoThreadError as error:
        release()
        result = failed_result(read_if_call(call), no_thread(error))
        log_failure(result)
        yield result
        return
    try:
        while not isinstance(event := channel.take(), ToolResult):
            yield event
        yield event
    finally:
        token.cancel("the caller stopped listening")
        release()


async def astream_call(pipeline: Pipeline, call: object, run: CallsContext) -> AsyncGenerator[Event, None]:
    """Like `stream_call`, on the running event loop."""
    import asyncio

    loop, arrived = running_loop(), asyncio.Event()
    token, release = linked_token(run.cancellation)
    channel = Channel(token, lambda: loop.call_soon_threadsafe(arrived.set))
    coroutine = pipeline.run_call(call, run._replace(cancellation=token, channel=channel))

    async def run_call() -> None:
        """Run the call to its end, and put its result, or the exception that it raised, into the channel."""
        try:
            channel.end(await adrive(coroutine))
        except BaseException as error:  # noqa: BLE001  # an interrupt inside the tool is its caller's
            channel.end(error)

    async def take() -> Event:
        """Wait for the next event on the loop, and return it."""
        while (event := channel.take_now()) is None:
            await arrived.wait()
            arrived.clear()  # before the next look: no event is missed
        return event

    task = loop.create_task(run_call())
    try:
        while not isinstance(event := await take(), ToolResult):
            yield event
        yield event
    finally:
        token.cancel("the caller stopped listening")
        task.cancel()
        release()


class Listener:
    """Passes the events of one call on to a function, on the thread or loop that they come from.

    Args:
        listen: The function.

    Attributes:
        has_given: Whether an item was sent: then the call cannot be tried again.
        nulls: Whether the texts of items have null for numbers that are not finite.
    """

    def __init__(self, listen: Callable[[Progress | Partial], object]) -> None:
        self._listen = listen
        self.has_given = self.nulls = False

    def put(self, item: object) -> None:
        """Pass on an item that a tool yielded."""
        self.has_given = True
        self._listen(Partial(value=item, nulls=self.nulls))

    async def aput(self, item: object) -> None:
        """Like `put`, on the running event loop."""
        self.put(item)

    def report(self, fraction: float, message: str) -> None:
        """Pass on a report of progress."""
        self._listen(Progress(fraction=fraction, message=message))


_ROOM: Final = 256
"""The most items that wait to be taken. A tool that yields more waits; a report of progress for which there is no room is dropped."""

_RETRY_SECONDS: Final = 0.01
"""Seconds after which a coroutine looks for room again."""


class Channel:
    """Carries the events of one call from the thread or loop that runs it to its caller.

    Args:
        cancellation: The call's token. Once it is cancelled, no item is accepted, and nothing waits for room.
        arrived: The function to call after each event, on the thread that the event comes from.
        room: How many items may wait to be taken; None if they are taken only after the call.

    Attributes:
        has_given: Whether an item was sent: then the call cannot be tried again.
        nulls: Whether the texts of items have null for numbers that are not finite.
    """

    def __init__(
        self,
        cancellation: CancellationToken,
        arrived: Callable[[], object] | None = None,
        room: int | None = _ROOM,
    ) -> None:
        self._room = room
        self._events: deque[Event | BaseException] = deque()
        self._changed = Condition()
        self._cancellation = cancellation
        self._arrived = arrived
        self.has_given = self.nulls = False
        cancellation.on_cancel(self._wake)
        after_fork(self, Channel._end_after_fork)

    def _end_after_fork(self) -> None:
        """Add a RuntimeError as the last event in a forked process: only its parent runs the call."""
        self._changed = Condition()
        self._events.append(
            RuntimeError("the call runs in the process that this one was forked from; make it again here")
        )

    @property
    def _is_full(self) -> bool:
        """Whether as many events wait as there is room for; never without a limit."""
        return self._room is not None and len(self._events) >= self._room

    def _wake(self) -> None:
        """Wake all threads that wait for an event or for room."""
        with self._changed:
            self._changed.notify_all()

    def put(self, item: object) -> None:
        """Send an item that a tool yielded; wait until there is room for it.

        Raises:
            CallCancelledError: The call is cancelled.
        """
        with self._changed:
            while self._is_full and not self._cancellation.cancelled:
                self._changed.wait()
            self._add(Partial(value=item, nulls=self.nulls))

    async def aput(self, item: object) -> None:
        """Like `put`, without blocking the running event loop."""
        import asyncio

        while self._is_full and not self._cancellation.cancelled:
            await asyncio.sleep(_RETRY_SECONDS)
        with self._changed:
            self._add(Partial(value=item, nulls=self.nulls))

    def report(self, fraction: float, message: str) -> None:
        """Send a report of progress. If there is no room for it, drop it."""
        with self._changed:
            if not self._is_full and not self._cancellation.cancelled:
                self._add(Progress(fraction=fraction, message=message))

    def end(self, end: ToolResult | BaseException) -> None:
        """Send the result of the call, or the exception that it raised."""
        with self._changed:
            self._add(end)

    def _add(self, event: Event | BaseException) -> None:
        """Add an event, or the call's exception, and wake those that wait; the caller holds the lock.

        Raises:
            CallCancelledError: The event is an item (a `Partial`), and the call is cancelled; nothing is added.
        """
        if isinstance(event, Partial) and self._cancellation.cancelled:
            raise CallCancelledError(self._cancellation.reason)
        self.has_given = self.has_given or isinstance(event, Partial)
        self._events.append(event)
        self._changed.notify_all()
        if self._arrived is not None:
            self._arrived()

    def take_now(self) -> Event | None:
        """Remove and return the next event, or raise the exception of the call; None if there is nothing yet."""
        with self._changed:
            if not self._events:
                return None
            self._changed.notify_all()
            event = self._events.popleft()
        if isinstance(event, BaseException):
            raise event
        return event

    def take(self) -> Event:
        """Wait for the next event; remove and return it, or raise the exception of the call."""
        with self._changed:
            while not self._events:
                self._changed.wait()
            event = self.take_now()
        assert event is not None
        return event
