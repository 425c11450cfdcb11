"""Cancellation tokens: cancelled once, from any thread."""

from __future__ import annotations

import logging
import subprocess
import sys
import threading
from textwrap import dedent

import pytest

from fcregistry import Context, Executor
from fcregistry.errors import CallCancelledError
from fcregistry.execution import CancellationToken


def test_a_token_is_cancelled_once_and_keeps_the_first_reason() -> None:
    token = CancellationToken()
    assert not token.cancelled
    token.cancel("the user left")
    token.cancel("too late")
    assert token.cancelled
    assert token.reason == "the user left"


def test_a_callback_is_called_once_and_a_later_one_at_once() -> None:
    token, told = CancellationToken(), []
    token.on_cancel(lambda: told.append("early"))
    token.cancel()
    token.cancel()
    token.on_cancel(lambda: told.append("late"))
    assert told == ["early", "late"]


def test_a_callback_may_ask_the_token_that_calls_it() -> None:
    """If a lock were held while callbacks run, this would hang."""
    token, seen = CancellationToken(), []
    token.on_cancel(lambda: seen.append((token.cancelled, token.reason)))
    token.on_cancel(lambda: token.on_cancel(lambda: seen.append("inner")))
    thread = threading.Thread(target=lambda: token.cancel("now"), daemon=True)
    thread.start()
    thread.join(10)
    assert seen == [(True, "now"), "inner"]


def test_a_callback_that_is_removed_is_not_called() -> None:
    token, told = CancellationToken(), []
    take_back = token.on_cancel(lambda: told.append("never"))
    take_back()
    take_back()
    token.cancel()
    take_back()
    assert told == []


def test_a_callback_that_fails_does_not_keep_others_from_being_called(caplog: pytest.LogCaptureFixture) -> None:
    token, told = CancellationToken(), []
    token.on_cancel(lambda: 1 / 0)
    token.on_cancel(lambda: told.append("second"))
    with caplog.at_level(logging.ERROR, logger="fcregistry"):
        token.cancel()
    assert told == ["second"]
    assert "a callback of a CancellationToken failed" in caplog.text
    assert "ZeroDivisionError" in caplog.text


def test_check_ends_a_tool_that_was_cancelled() -> None:
    token = CancellationToken()
    token.check()
    token.cancel("out of time")
    with pytest.raises(CallCancelledError, match=r"^out of time$"):
        token.check()


def test_waiting_ends_when_it_is_cancelled() -> None:
    token, waited = CancellationToken(), []
    thread = threading.Thread(target=lambda: waited.append(token.wait(60)), daemon=True)
    thread.start()
    token.cancel()
    thread.join(10)
    assert waited == [True]
    assert token.wait(60) is True


def test_waiting_ends_when_its_time_is_up() -> None:
    assert CancellationToken().wait(0.01) is False
    assert CancellationToken().wait(-1) is False


def test_many_threads_that_cancel_and_wait_all_end() -> None:
    token, told = CancellationToken(), []
    threads = [threading.Thread(target=lambda: told.append(token.wait(30)), daemon=True) for _ in range(20)]
    threads += [threading.Thread(target=token.cancel, daemon=True) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert told == [True] * 20


def test_the_token_of_a_call_follows_the_token_of_the_caller_until_the_call_has_ended() -> None:
    callers, seen = CancellationToken(), []

    def work(context: Context, last: bool) -> None:
        """Work, and have it all cancelled at last."""
        seen.append(context.cancellation)
        if last:
            callers.cancel("all")

    executor = Executor([work])
    for last in (False, True):
        executor.run({"name": "work", "arguments": {"last": last}}, cancellation=callers)
    assert [(each.cancelled, each.reason) for each in seen] == [(False, ""), (True, "all")]
    executor.run({"name": "work", "arguments": {"last": False}})
    assert not seen[-1].cancelled


def test_cancelling_the_token_of_a_call_does_not_cancel_the_token_of_the_caller() -> None:
    callers = CancellationToken()

    def work(context: Context) -> None:
        """Give up."""
        context.cancellation.cancel()

    Executor([work]).run({"name": "work"}, cancellation=callers)
    assert not callers.cancelled


def test_a_token_shows_its_state() -> None:
    token = CancellationToken()
    assert repr(token) == "<CancellationToken not cancelled>"
    token.cancel()
    assert repr(token) == "<CancellationToken cancelled>"
    other = CancellationToken()
    other.cancel("why")
    assert repr(other) == "<CancellationToken cancelled: why>"


INTERRUPTED = """
    import signal, sys
    from fcregistry.execution import CancellationToken

    module = CancellationToken.cancel.__code__.co_filename

    def interrupting(step):
        "Return a tracer that has a signal come before one of the steps of the interpreter in the token's module."
        left = step
        def trace(frame, event, argument):
            nonlocal left
            if frame.f_code.co_filename != module:
                return None
            frame.f_trace_opcodes = True
            if event == "opcode":
                left -= 1
                if left == 0:
                    signal.raise_signal(signal.SIGINT)
            return trace
        return trace

    def tried(step):
        token, told, came = CancellationToken(), [], []
        def handler(number, frame):
            came.append(number)
            token.cancel("signal")
        signal.signal(signal.SIGINT, handler)
        sys._getframe().f_trace_opcodes = True  # Python 3.12 looks for one such frame when the tracer is set
        sys.settrace(interrupting(step))
        take_back = token.on_cancel(lambda: told.append("taken back"))
        token.on_cancel(lambda: told.append(("first", token.reason)))
        take_back()
        token.on_cancel(lambda: told.append(("second", token.reason)))
        token.cancel("own")
        token.on_cancel(lambda: told.append(("late", token.reason)))
        token.wait(60)
        sys.settrace(None)
        told_once = sorted((name, token.reason) for name in ("first", "second", "late"))
        assert sorted(each for each in told if each != "taken back") == told_once, (step, told)
        assert told.count("taken back") <= 1, (step, told)
        return bool(came), token.reason

    step, reasons = 1, set()
    while True:
        came, reason = tried(step)
        if not came:
            break
        reasons.add(reason)
        step += 1
    assert step > 100, step
    assert reasons == {"own", "signal"}, reasons
    print("all told once")
"""


def test_a_signal_handler_may_cancel_at_any_moment() -> None:
    """The handler runs on the very thread that is inside the token, before every one of its steps in turn."""
    done = subprocess.run([sys.executable, "-c", dedent(INTERRUPTED)], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("all told once\n", "")
