"""Which failures are tried again, how often, and after how long."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcregistry import Executor, Tool
from fcregistry.errors import CallCancelledError, ToolError
from fcregistry.execution import Retry
from fcregistry.execution._call_errors import RemoteError  # an outcome that another process would have to fail with
from fcregistry.execution._invoke import Outcome  # an outcome that another process would have to fail with
from fcregistry.execution._wire import WireException  # an outcome that another process would have to fail with


def fetch(page: str) -> str:
    """Fetch a page."""
    return page


IDEMPOTENT = Tool.from_function(fetch, idempotent=True)


def failed(error: BaseException | None) -> Outcome:
    return Outcome(None, error, 0.1)


def remote(type_name: str, **more: Any) -> RemoteError:
    given = {"is_tool_error": False, "retryable": False, "retry_after": None, **more}
    return RemoteError(WireException(type_name=type_name, message="no", traceback="", seconds=0.1, **given))


def again(error: BaseException | None, hints: Any = None, **options: Any) -> bool:
    """Return whether a call is tried again after it failed once."""
    tries = []

    def work() -> None:
        """Work."""
        tries.append(1)
        if error is not None:
            raise error

    tool = Tool.from_function(work, **({"idempotent": True} if hints is None else hints))
    executor = Executor(tool, retry=Retry(**{"attempts": 2, "initial_delay": 0, **options}))
    with suppress(KeyboardInterrupt):
        executor.call("work")
    return len(tries) == 2


# --- which tools and failures ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "tried"),
    [
        ({}, False),
        ({"idempotent": False}, False),
        ({"destructive": False}, False),
        ({"idempotent": True}, True),
        ({"read_only": True}, True),
        ({"idempotent": True, "destructive": True}, True),
    ],
)
def test_only_tools_that_may_run_twice_are_tried_again(options: Any, tried: bool) -> None:
    assert again(TimeoutError(), options) is tried


@pytest.mark.parametrize(
    ("error", "tried"),
    [
        (None, False),
        (ToolError("busy", retryable=True), True),
        (ToolError("no such page"), False),
        (TimeoutError("slow"), True),
        (ConnectionResetError("reset"), True),
        (ValueError("no"), False),
        (OSError("no"), False),
        (remote("ConnectionRefusedError"), True),
        (remote("TimeoutError"), True),
        (remote("ValueError"), False),
        (remote("print"), False),
        (remote("ToolError", is_tool_error=True, retryable=True), True),
        (remote("ToolError", is_tool_error=True), False),
    ],
)
def test_only_transient_failures_are_tried_again(error: Exception | None, tried: bool) -> None:
    assert again(error) is tried


class BusyError(Exception):
    """Of the application's own client."""

    def __init__(self, status: int = 503) -> None:
        super().__init__(f"HTTP {status}")
        self.status = status


@pytest.mark.parametrize("on", [BusyError, (KeyError, BusyError), lambda error: getattr(error, "status", 0) == 503])
def test_the_application_may_add_transient_failures(on: Any) -> None:
    assert again(BusyError(), on=on)
    assert not again(ValueError(), on=on)
    assert again(TimeoutError(), on=on)


def test_an_added_exception_of_another_process_is_recognized_by_its_name() -> None:
    assert again(remote("BusyError"), on=BusyError)
    assert not again(remote("BusyError"))
    assert again(remote("KeyError"), on=LookupError)


def test_a_function_of_failures_may_look_into_them() -> None:
    def busy(error: Exception) -> bool:
        return isinstance(error, BusyError) and error.status == 503

    assert again(BusyError(503), on=busy)
    assert not again(BusyError(404), on=busy)


def test_a_failure_is_not_transient_if_the_function_of_failures_raises(caplog: pytest.LogCaptureFixture) -> None:
    assert not again(ValueError(), on=lambda error: error.status == 503)  # type: ignore[attr-defined]
    (record,) = [record for record in caplog.records if record.name == "fcregistry"]
    assert record.levelname == "WARNING"
    assert record.getMessage() == "the function on=… of Retry failed for work, so the call was not tried again"


@pytest.mark.parametrize(
    "error", [CallCancelledError("cancelled"), asyncio.CancelledError(), KeyboardInterrupt(), SystemExit(1)]
)
def test_a_call_that_was_cancelled_or_interrupted_is_never_tried_again(error: BaseException) -> None:
    assert not again(error, on=Exception)
    assert not again(error, on=lambda error: True)


# --- how often and when ---------------------------------------------------------------------------


def test_a_call_is_tried_as_often_as_it_may() -> None:
    retry, outcome = Retry(attempts=3), failed(TimeoutError())
    assert [retry.wait_before(attempt, outcome, IDEMPOTENT) is None for attempt in (2, 3, 4)] == [False, False, True]
    assert not again(TimeoutError(), attempts=1)


@given(st.floats(0, 10), st.floats(0, 100), st.integers(2, 2000))
def test_waits_double_are_random_and_bounded(initial: float, more: float, attempt: int) -> None:
    retry = Retry(attempts=attempt, initial_delay=initial, max_delay=initial + more)
    wait = retry.wait_before(attempt, failed(TimeoutError()), IDEMPOTENT)
    assert wait is not None
    assert 0 <= wait <= min(initial * 2.0 ** min(attempt - 2, 99), initial + more)


def test_waits_are_not_all_the_same() -> None:
    """So that calls that failed at the same time are not all tried again at the same time."""
    retry = Retry(attempts=9, max_delay=1)
    assert len({retry.wait_before(9, failed(TimeoutError()), IDEMPOTENT) for _ in range(20)}) > 10


@pytest.mark.parametrize("make", [ToolError, lambda said, **more: remote("ToolError", is_tool_error=True, **more)])
def test_a_tool_is_given_the_time_that_it_asks_for(make: Any) -> None:
    def wait(retry_after: Any, **options: Any) -> float | None:
        error = make("busy", retryable=True, retry_after=retry_after)
        return Retry(max_delay=5, **options).wait_before(2, failed(error), IDEMPOTENT)

    assert wait(3) == 3
    assert wait(5.0) == 5
    assert wait(5.1) is None
    assert wait(0, initial_delay=0) == 0
    for nonsense in (-1, float("nan"), "soon", None):
        assert wait(nonsense, initial_delay=0) == 0


def test_no_attempt_begins_when_the_time_of_the_call_is_up() -> None:
    error = failed(ToolError("busy", retryable=True, retry_after=2))
    assert Retry().wait_before(2, error, IDEMPOTENT, left=2.1) == 2
    assert Retry().wait_before(2, error, IDEMPOTENT, left=2.0) is None
    assert Retry(initial_delay=0).wait_before(2, failed(TimeoutError()), IDEMPOTENT, left=0.0) is None
    assert Retry(initial_delay=0).wait_before(2, failed(TimeoutError()), IDEMPOTENT, left=-1.0) is None


# --- what cannot be -------------------------------------------------------------------------------


async def later(error: Exception) -> bool:
    return True


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"attempts": 0}, ValueError, "attempts must be at least 1, not 0"),
        ({"initial_delay": -1}, ValueError, "the first must not be above the second: not -1 and 5.0"),
        ({"initial_delay": 6}, ValueError, "the first must not be above the second: not 6 and 5.0"),
        ({"max_delay": float("inf")}, ValueError, "the first must not be above the second: not 0.2 and inf"),
        ({"initial_delay": float("nan")}, ValueError, "the first must not be above the second: not nan and 5.0"),
        ({"on": "TimeoutError"}, TypeError, "or a plain function of an exception, not 'TimeoutError'"),
        ({"on": (TimeoutError, int)}, TypeError, "a tuple of them"),
        ({"on": KeyboardInterrupt}, TypeError, "on must be a type of exceptions"),
        ({"on": later}, TypeError, "or a plain function of an exception, not <function later"),
    ],
)
def test_a_retry_that_is_not_valid_is_refused_at_once(options: Any, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        Retry(**options)


def test_equal_retries_are_equal() -> None:
    assert Retry(attempts=2) == Retry(attempts=2) != Retry()
    assert repr(Retry(on=BusyError)) == f"Retry(attempts=3, initial_delay=0.2, max_delay=5.0, on={BusyError!r})"


# --- what a model reads ---------------------------------------------------------------------------


def test_the_model_reads_how_often_a_call_was_tried() -> None:
    cause = ToolError("slow", retryable=True, retry_after=0)

    def work() -> None:
        """Work."""
        raise cause

    executor = Executor(Tool.from_function(work, idempotent=True), retry=Retry(attempts=3, initial_delay=0))
    error = executor.call("work").error
    assert error is not None
    assert error.text == "slow (tried 3 times)"
    assert (error.code, error.retryable, error.retry_after, error.exception) == ("tool_failed", True, 0, cause)
