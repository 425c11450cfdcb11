"""How does a call run on somebody's pool, such as a `ProcessPoolExecutor` or Dask's, and how does its answer become an outcome?"""

from __future__ import annotations

import json
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from typing import TYPE_CHECKING, Any

from fcregistry.errors import said_by
from fcregistry.execution._messages import RemoteError, refusal_of, worker_error
from fcregistry.execution._outcome import GivenUp, Outcome
from fcregistry.execution._step import exact_text
from fcregistry.execution._wire import STOPPED, Raised, Request, WireRefusal, WireReturn, read_answer, unpacked
from fcregistry.execution._worker import run_here

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fcregistry._tools.tool import Tool


class Remote:
    """Has calls run on a pool, which stays its owner's: it is never shut down here.

    Args:
        pool: Anything with the interface of `concurrent.futures.Executor`.
        any_version: Whether a worker that has another version of a tool may run it.

    Raises:
        TypeError: It is something else.
    """

    def __init__(self, pool: object, *, any_version: bool = False) -> None:
        if not isinstance(pool, Executor):
            hint = "; give client.get_executor()" if hasattr(pool, "get_executor") else ""
            raise TypeError(f"pool is a concurrent.futures.Executor, such as a ProcessPoolExecutor, not {pool!r}{hint}")
        self._pool = pool
        self._any_version = any_version

    def submit(self, tool: Tool, arguments: Mapping[str, Any], timeout: float | None = None) -> Future[Outcome]:
        """Have a tool run.

        Args:
            tool: One that `check_can_travel` lets through.
            arguments: A valid JSON object.
            timeout: Seconds that the tool may take, held by the worker. None: for ever. It does not count how long the pool takes.

        Returns:
            What comes of it; whatever happens to the pool or its workers is an outcome too. Cancelling it cancels what is not begun.
        """
        future: Future[Outcome] = Future()
        try:
            request = request_for(tool, arguments, timeout, any_version=self._any_version)
            answer = self._pool.submit(run_here, request.to_text())
        except Exception as error:  # noqa: BLE001  # foreign code: a pool that is broken or shut down may raise anything
            future.set_result(Outcome(None, worker_error(tool, "no_worker", said(error), error), 0.0))
            return future
        held = [
            answer
        ]  # and let go when it is done: as long as anybody holds on to one of Dask's, its result is kept on a worker

        def answered(done: Future[str]) -> None:
            held.clear()
            settle(future, outcome_of(done, tool, timeout))

        def given_up(_: Future[Outcome]) -> None:
            for each in tuple(held):
                each.cancel()

        future.add_done_callback(given_up)
        answer.add_done_callback(answered)
        return future


def request_for(
    tool: Tool, arguments: Mapping[str, Any], timeout: float | None = None, *, any_version: bool = False
) -> Request:
    """Return a call as it travels.

    Args:
        tool: The tool.
        arguments: A valid JSON object.
        timeout: Seconds that the worker gives the tool; None for ever.
        any_version: Whether a worker that has another version may run it.
    """
    from uuid import uuid4  # 3 ms, which calls that stay here need not pay

    text = exact_text(arguments) if tool.signature.exact else json.dumps(arguments)
    return Request(
        tool=tool.id,
        schema=tool.schema_digest,
        arguments=text,
        call=uuid4().hex,
        version=tool.origin.version,
        any_version=any_version,
        seconds=timeout,
    )


def settle(future: Future[Outcome], outcome: Outcome) -> None:
    """Give a future its outcome, unless it was cancelled."""
    if future.set_running_or_notify_cancel():
        future.set_result(outcome)


def outcome_of(answer: Future[str], tool: Tool, timeout: float | None = None) -> Outcome:
    """Return what a worker's answer says, or why there is none; it raises nothing, since somebody waits for what it returns.

    Args:
        answer: A future that is done.
        tool: The tool that was called.
        timeout: The seconds that it had.
    """
    try:
        return _outcome_in(answer.result(), tool, timeout)
    except KeyboardInterrupt as error:  # the user's, wherever it came
        return Outcome(None, error, 0.0)
    except CancelledError:
        return Outcome(None, worker_error(tool, "cancelled"), 0.0)
    except BrokenExecutor as error:
        return Outcome(None, worker_error(tool, "died", said(error), _beyond(error)), 0.0)
    except BaseException as error:  # noqa: BLE001  # foreign code: a pool may raise anything, SystemExit of a worker too, and answer anything
        return Outcome(None, worker_error(tool, "lost", said(error), _beyond(error)), 0.0)


def _beyond(error: BaseException) -> BaseException:
    """Return an error without the frame of ours that caught it, which holds on to the pool's future, and so to what that keeps."""
    if error.__traceback__ is not None:
        error.__traceback__ = error.__traceback__.tb_next
    return error


def _outcome_in(answer: str, tool: Tool, timeout: float | None) -> Outcome:
    answered = read_answer(answer)
    if isinstance(answered, (Raised, WireReturn)) and answered.version != tool.origin.version:
        _warn_of_version(tool, answered.version)
    if isinstance(answered, Raised):
        return Outcome(None, RemoteError(answered), answered.seconds)
    if isinstance(answered, WireRefusal):
        if answered.reason == "timeout":
            return Outcome(None, GivenUp("timeout", timeout, stopped=answered.detail == STOPPED), timeout or 0.0)
        return Outcome(None, refusal_of(tool, answered), 0.0)
    return Outcome(unpacked(answered.value, answered.form, tool.signature.returns), None, answered.seconds)


def _warn_of_version(tool: Tool, there: str | None) -> None:
    """Log that a worker has another version of a tool: once for each, since it says so with every call."""
    versions = (tool.origin.distribution, tool.origin.version, there)
    if versions not in _warned:
        _warned.add(versions)
        from logging import getLogger  # only where versions differ

        getLogger("fcregistry").warning("tools of %s %s run on workers that have version %s", *versions)


_warned: set[tuple[str | None, str | None, str | None]] = set()


def said(error: BaseException) -> str:
    """Return an exception's type and message, for developers."""
    message = said_by(error)
    return f"{type(error).__name__}: {message}" if message else type(error).__name__
