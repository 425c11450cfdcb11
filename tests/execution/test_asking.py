"""How an approver is asked: on which thread, one question at a time or several, and for how long."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import pytest

from fcregistry import Executor, Tool, ToolCall, ToolResult
from fcregistry.execution import CancellationToken
from fcregistry.execution._approval import AskingTurns  # a law of the turns in which approvers are asked

CALL = ToolCall("work", {"number": 1}, "7")
CALLS = [ToolCall("work", {"number": number}) for number in range(5)]


def executor(approve: Any, **options: Any) -> Executor:
    """Return an executor of a tool that needs approval and returns its number."""

    def work(number: int) -> int:
        """Work."""
        return number

    return Executor([Tool.from_function(work, requires_approval=True)], approve=approve, **options)


WAYS: dict[str, Callable[[Executor], list[ToolResult]]] = {
    "run": lambda made: [made.run(CALL)],
    "arun": lambda made: [asyncio.run(made.arun(CALL))],
    "run_all": lambda made: made.run_all(CALLS),
    "arun_all": lambda made: asyncio.run(made.arun_all(CALLS)),
}


def codes(results: list[ToolResult]) -> set[str]:
    return {result.error.code if result.error else "ok" for result in results}


# --- one question at a time -----------------------------------------------------------------------


class Crowd:
    """Counts how many are inside at once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = self.most = self.entered = 0

    @contextmanager
    def joined(self) -> Iterator[None]:
        with self._lock:
            self._inside += 1
            self.entered += 1
            self.most = max(self.most, self._inside)
        yield
        with self._lock:
            self._inside -= 1


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("timeout", [None, 60])
def test_a_plain_function_is_asked_one_question_at_a_time(way: str, timeout: float | None) -> None:
    """Two prompts at once on one terminal cannot be answered, and an answer for all calls must be known before the next question."""
    crowd = Crowd()
    inside = threading.Event()

    def approve(tool: Tool, call: ToolCall) -> bool:
        with crowd.joined():
            inside.wait(0.01)  # long enough for another to come in, if it could
        return True

    assert codes(WAYS[way](executor(approve, approve_timeout=timeout))) == {"ok"}
    assert crowd.most == 1
    assert crowd.entered == (5 if way.endswith("all") else 1)


def test_an_approver_that_remembers_its_answer_is_asked_once_for_a_whole_batch() -> None:
    always: set[str] = set()
    asked: list[ToolCall] = []

    def approve(tool: Tool, call: ToolCall) -> bool:
        if tool.id not in always:
            asked.append(call)
            always.add(tool.id)
        return True

    assert codes(executor(approve).run_all(CALLS)) == {"ok"}
    assert len(asked) == 1


def test_a_coroutine_function_is_asked_all_questions_at_once() -> None:
    async def scenario() -> list[ToolResult]:
        arrived, everybody = 0, asyncio.Event()

        async def approve(tool: Tool, call: ToolCall) -> bool:
            nonlocal arrived
            arrived += 1
            if arrived == len(CALLS):
                everybody.set()
            await everybody.wait()  # for ever, if they came one by one
            return True

        return await executor(approve).arun_all(CALLS)

    assert codes(asyncio.run(asyncio.wait_for(scenario(), 30))) == {"ok"}


def test_a_plain_function_does_not_hold_up_the_loop() -> None:
    async def scenario() -> ToolResult:
        turned = threading.Event()

        def approve(tool: Tool, call: ToolCall) -> bool:
            return turned.wait(30)

        asked = asyncio.ensure_future(executor(approve).arun(CALL))
        await asyncio.sleep(0)
        asyncio.get_running_loop().call_later(0.01, turned.set)
        return await asked

    assert asyncio.run(scenario()).ok


def test_a_plain_function_is_asked_on_the_thread_that_waits_where_nothing_else_is_needed() -> None:
    """A debugger, a signal and a prompt then work as usual."""
    threads: list[threading.Thread] = []

    def approve(tool: Tool, call: ToolCall) -> bool:
        threads.append(threading.current_thread())
        return True

    assert executor(approve).run(CALL).ok
    assert threads == [threading.current_thread()]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("timeout", [None, 60])
@pytest.mark.parametrize("is_async", [False, True])
def test_the_approver_runs_in_the_context_of_the_caller(way: str, timeout: float | None, is_async: bool) -> None:
    user: ContextVar[str] = ContextVar("user", default="nobody")
    seen: list[str] = []

    def approve(tool: Tool, call: ToolCall) -> bool:
        seen.append(user.get())
        return True

    async def aapprove(tool: Tool, call: ToolCall) -> bool:
        return approve(tool, call)

    token = user.set("Ann")
    try:
        assert codes(WAYS[way](executor(aapprove if is_async else approve, approve_timeout=timeout))) == {"ok"}
    finally:
        user.reset(token)
    assert set(seen) == {"Ann"}


@pytest.mark.parametrize("way", WAYS)
def test_an_approver_may_use_the_same_executor_to_decide(way: str) -> None:
    """It has the turn already, and would wait for itself."""
    made: list[Executor] = []
    depth = threading.local()

    def approve(tool: Tool, call: ToolCall) -> bool:
        if getattr(depth, "inside", False):
            return True
        depth.inside = True
        try:
            return made[0].run(ToolCall("work", {"number": 9})).ok
        finally:
            depth.inside = False

    made.append(executor(approve))
    assert codes(WAYS[way](made[0])) == {"ok"}


def around(tool: Tool, call: ToolCall) -> Any:
    """Return what has to be awaited, as no coroutine function."""
    return Desk()(tool, call)


class Desk:
    """Approves by calling it, asynchronously."""

    async def __call__(self, tool: Tool, call: ToolCall) -> bool:
        await asyncio.sleep(0)
        return True


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("approve", [Desk(), Desk().__call__, around])
def test_an_approver_may_be_any_callable_that_returns_an_awaitable(way: str, approve: Any) -> None:
    assert codes(WAYS[way](executor(approve))) == {"ok"}
    assert codes(WAYS[way](executor(approve, approve_timeout=60))) == {"ok"}


# --- in time --------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("is_async", [False, True])
def test_a_call_is_denied_with_the_reason_if_there_is_no_answer_in_time(way: str, is_async: bool) -> None:
    over = threading.Event()

    def approve(tool: Tool, call: ToolCall) -> bool:
        return over.wait(60)

    async def aapprove(tool: Tool, call: ToolCall) -> bool:
        await asyncio.sleep(60)
        return True

    results = WAYS[way](executor(aapprove if is_async else approve, approve_timeout=0.02))
    over.set()
    assert codes(results) == {"denied"}
    assert (
        results[0].content
        == "work was not run: it requires approval, and the approver did not answer within 0.02 seconds"
    )
    assert results[0].error is not None
    assert not results[0].error.retryable


def test_a_late_approval_is_ignored() -> None:
    asked, over, ran = threading.Event(), threading.Event(), threading.Event()

    def approve(tool: Tool, call: ToolCall) -> bool:
        asked.set()
        over.wait(60)
        return True

    def work() -> None:
        """Work."""
        ran.set()

    made = Executor([Tool.from_function(work, requires_approval=True)], approve=approve, approve_timeout=0.02)
    while not asked.is_set():  # the limit may end before the thread of the approver starts
        assert codes([made.run({"name": "work"})]) == {"denied"}
        asked.wait(0.5)
    over.set()
    assert not ran.wait(0.05)


def test_the_time_of_a_question_counts_from_when_it_is_asked() -> None:
    """The time in the queue does not count: all questions together take longer than the limit of one."""
    pause = threading.Event()

    def approve(tool: Tool, call: ToolCall) -> bool:
        pause.wait(0.65)
        return True

    assert codes(executor(approve, approve_timeout=3).run_all(CALLS)) == {"ok"}


def test_the_time_limit_of_the_tool_does_not_include_the_question() -> None:
    """A tool may take less time than people take to answer."""
    pause = threading.Event()

    def approve(tool: Tool, call: ToolCall) -> bool:
        return not pause.wait(2.1)

    assert codes([executor(approve, timeout=2, approve_timeout=60).run(CALL)]) == {"ok"}


@pytest.mark.parametrize("is_async", [False, True])
def test_a_timeout_error_of_the_approver_is_a_failure_of_the_approver(is_async: bool) -> None:
    def approve(tool: Tool, call: ToolCall) -> bool:
        raise TimeoutError("the ticket system does not answer")

    async def aapprove(tool: Tool, call: ToolCall) -> bool:
        return approve(tool, call)

    result = executor(aapprove if is_async else approve, approve_timeout=60).run(CALL)
    assert result.error is not None
    assert (result.error.code, type(result.error.exception)) == ("denied", TimeoutError)


# --- called off -----------------------------------------------------------------------------------


@pytest.mark.parametrize("is_async", [False, True])
def test_a_call_can_be_cancelled_while_the_approver_is_asked(is_async: bool) -> None:
    token, over = CancellationToken(), threading.Event()

    def approve(tool: Tool, call: ToolCall) -> bool:
        token.cancel("changed my mind")
        return over.wait(60)

    async def aapprove(tool: Tool, call: ToolCall) -> bool:
        token.cancel("changed my mind")
        await asyncio.sleep(60)
        return True

    made = executor(aapprove if is_async else approve)
    results = [made.run(CALL, cancellation=token)]
    over.set()
    assert codes(results) == {"cancelled"}
    assert results[0].content == "the call of work was cancelled (changed my mind); it was not run"


def test_calls_that_wait_for_their_turn_can_be_cancelled_and_the_others_get_theirs() -> None:
    async def scenario() -> tuple[set[str], list[ToolResult]]:
        token, over, asked = CancellationToken(), threading.Event(), asyncio.Event()
        loop = asyncio.get_running_loop()

        def approve(tool: Tool, call: ToolCall) -> bool:
            loop.call_soon_threadsafe(asked.set)
            return over.wait(60)

        made = executor(approve)
        first = asyncio.ensure_future(made.arun(CALL))
        await asked.wait()
        in_line = asyncio.ensure_future(made.arun_all(CALLS, cancellation=token))
        leaving = asyncio.ensure_future(made.arun(CALL))
        last = asyncio.ensure_future(made.arun(CALL))
        for _ in range(20):  # turns of the loop, in which all come to the line
            await asyncio.sleep(0)
        token.cancel()
        leaving.cancel()
        cancelled = codes(await in_line)
        over.set()
        with pytest.raises(asyncio.CancelledError):
            await leaving
        return cancelled, [await first, await last]

    cancelled, others = asyncio.run(asyncio.wait_for(scenario(), 30))
    assert cancelled == {"cancelled"}
    assert codes(others) == {"ok"}


def test_a_thread_that_waits_for_its_turn_can_be_cancelled() -> None:
    asked, over, token = threading.Event(), threading.Event(), CancellationToken()

    def approve(tool: Tool, call: ToolCall) -> bool:
        asked.set()
        return over.wait(60)

    made = executor(approve)
    results: list[ToolResult] = []
    first = threading.Thread(target=lambda: results.append(made.run(CALL)))
    first.start()
    assert asked.wait(30)
    canceller = threading.Timer(0.02, token.cancel)
    canceller.start()
    assert codes([made.run(CALL, cancellation=token)]) == {"cancelled"}
    over.set()
    first.join(30)
    assert codes(results) == {"ok"}


def test_a_task_that_is_cancelled_while_it_asks_leaves_its_turn() -> None:
    async def scenario() -> ToolResult:
        over, asked = threading.Event(), asyncio.Event()
        loop = asyncio.get_running_loop()
        answers = iter([60.0, 0.0])

        def approve(tool: Tool, call: ToolCall) -> bool:
            loop.call_soon_threadsafe(asked.set)
            over.wait(next(answers))
            return True

        made = executor(approve)
        first = asyncio.ensure_future(made.arun(CALL))
        await asked.wait()
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        second = await made.arun(CALL)
        over.set()
        return second

    assert asyncio.run(asyncio.wait_for(scenario(), 30)).ok


@pytest.mark.parametrize("timeout", [None, 60])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("is_async", [False, True])
def test_an_interrupt_in_the_approver_is_raised_and_is_not_an_answer(
    way: str, timeout: float | None, is_async: bool
) -> None:
    def approve(tool: Tool, call: ToolCall) -> bool:
        raise KeyboardInterrupt

    async def aapprove(tool: Tool, call: ToolCall) -> bool:
        raise KeyboardInterrupt

    made = executor(aapprove if is_async else approve, approve_timeout=timeout)
    with pytest.raises(KeyboardInterrupt):
        WAYS[way](made)


# --- turns ----------------------------------------------------------------------------------------


def test_turns_come_in_the_order_in_which_they_were_taken_also_if_others_leave() -> None:
    turns = AskingTurns()
    first, second, third, fourth = (turns.take() for _ in range(4))
    assert first is not None
    assert second is not None
    assert third is not None
    assert fourth is not None
    assert [turn.done() for turn in (first, second, third, fourth)] == [True, False, False, False]

    turns.leave(second)  # while it waits
    third.cancel()  # likewise, and nobody has told the turns yet
    turns.leave(first)
    assert fourth.done()
    turns.leave(third)
    fifth = turns.take()
    assert fifth is not None
    assert not fifth.done()
    turns.leave(fourth)
    assert fifth.done()
    turns.leave(fifth)
    sixth = turns.take()
    assert sixth is not None
    assert sixth.done()


# --- after a fork ---------------------------------------------------------------------------------

forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform does not fork")
beside_threads = pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")


def forked(work: Callable[[], int]) -> int:
    """Return what work gives in a process that is forked now."""
    child = os.fork()
    if child == 0:
        signal.alarm(30)  # ends the child, should it wait for ever
        os._exit(work())
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@forks
@beside_threads
def test_a_process_that_is_forked_while_the_approver_is_asked_can_ask_too() -> None:
    """The thread that asks, and the threads that wait for it, are not in the child."""
    parent, asked, over = os.getpid(), threading.Event(), threading.Event()

    def approve(tool: Tool, call: ToolCall) -> bool:
        if os.getpid() == parent:
            asked.set()
            over.wait(60)
        return True

    made = executor(approve)
    results: list[ToolResult] = []
    threads = [threading.Thread(target=lambda: results.append(made.run(CALL)), daemon=True) for _ in range(2)]
    for thread in threads:
        thread.start()
    assert asked.wait(60)
    assert forked(lambda: 42 if made.run(CALL).ok else 1) == 42
    over.set()
    for thread in threads:
        thread.join(60)
    assert codes(results) == {"ok"}
    assert len(results) == 2


@forks
@beside_threads
def test_a_turn_from_before_a_fork_does_not_block_the_forked_process() -> None:
    turns = AskingTurns()
    before, waiting = turns.take(), turns.take()
    assert before is not None
    assert waiting is not None

    def child() -> int:
        mine = turns.take()
        turns.leave(before)
        turns.leave(waiting)
        following = turns.take()
        assert mine is not None
        assert following is not None
        seen = [mine.done(), following.done()]
        turns.leave(mine)
        return 42 if [*seen, following.done()] == [True, False, True] else 1

    with turns._lock:  # another thread may hold it at that moment
        assert forked(child) == 42
    turns.leave(before)
    assert waiting.done()
