"""How is a question put, with a loop and without?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fcregistry.execution._approving._turns import COME
from fcregistry.execution._calling._invoke import Invocation, Outcome
from fcregistry.execution._calling._lanes import Job, run_later, run_now
from fcregistry.execution._calling._waiting import wait_for, within

if TYPE_CHECKING:
    from fcregistry._base.call import CallError, CancellationToken
    from fcregistry.execution._approving._decisions import Approve
    from fcregistry.execution._approving._questions import Question
    from fcregistry.execution._approving._turns import Turn


class Ask:
    """Have a question answered: an effect of the pipeline.

    A coroutine function is awaited. A plain function may block: it runs on the thread that waits, or on one of its own where that must not
    be blocked or has no more time than there is, and is asked one question at a time. The time counts from when it is asked.

    Args:
        question: The question.
        cancellation: Ends the waiting.
    """

    __slots__ = ("_cancellation", "_question")

    def __init__(self, question: Question, cancellation: CancellationToken | None = None) -> None:
        self._question = question
        self._cancellation = cancellation

    def now(self) -> CallError | Approve | None:
        """Ask, and wait for the answer on this thread.

        Returns:
            As `Question.settle`.
        """
        question = self._question
        turn = None if question.on_loop else question.turns.take()
        try:
            outcome = COME if turn is None else wait_for(turn, None, self._cancellation, _leave_later)
            if outcome.exception is None:
                outcome = run_now(self._job())
        finally:
            if turn is not None:
                question.turns.leave(turn)
        return question.answered(outcome)

    async def later(self) -> CallError | Approve | None:
        """Ask, without holding up the running event loop.

        Returns:
            As `Question.settle`.
        """
        question = self._question
        turn = None if question.on_loop else question.turns.take()
        try:
            outcome = COME if turn is None else await within(_come(turn), None, self._cancellation)
            if outcome.exception is None:
                outcome = await run_later(self._job())
        finally:
            if turn is not None:
                question.turns.leave(turn)
        return question.answered(outcome)

    def _job(self) -> Job:
        question = self._question
        if question.on_loop:
            return Job("loop", Invocation(question.put, (), {}), question.timeout, self._cancellation)
        return Job(
            "thread", Invocation(question.turns.having(question.put), (), {}), question.timeout, self._cancellation
        )


def _leave_later(_: Turn) -> None:
    """Do nothing: whoever took the turn leaves it."""


async def _come(turn: Turn) -> Outcome:
    from asyncio import wrap_future  # there is a loop, so it is imported

    return await wrap_future(turn)
