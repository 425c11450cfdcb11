"""Whose turn is it? One at a time and first come, first served, for threads and for tasks alike.

What plain functions ask of people is asked one question at a time: two prompts at once on one terminal are none.
"""

from __future__ import annotations

from _thread import allocate_lock
from collections import deque
from concurrent.futures import Future
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from fcregistry._base.forks import after_fork
from fcregistry.execution._calling._invoke import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable

Turn: TypeAlias = "Future[Outcome]"
"""Done when the turn has come."""

COME: Final = Outcome(None, None, 0.0)
"""What the future of a turn that has come gives."""

_HAVING: ContextVar[tuple[Turns, ...]] = ContextVar("fcregistry_turns", default=())
"""Those of which the running code has the turn: what it calls in its turn is not to wait for the end of it."""


class Turns:
    """Gives out one turn at a time. Thread-safe. A forked process begins anew: whoever had the turn, or waited for it, is in the other one."""

    __slots__ = ("__weakref__", "_current", "_lock", "_waiting")

    def __init__(self) -> None:
        self._begin()
        after_fork(self, Turns._begin)

    def _begin(self) -> None:
        self._lock = allocate_lock()
        self._waiting: deque[Turn] = deque()
        self._current: Turn | None = None

    def take(self) -> Turn | None:
        """Return a turn, which is to be left in any case; None where the running code has it already."""
        if self in _HAVING.get():
            return None
        turn: Turn = Future()
        with self._lock:
            if self._current is not None:
                self._waiting.append(turn)
            else:
                self._current = turn
                turn.set_result(COME)
        return turn

    def leave(self, turn: Turn) -> None:
        """Give a turn back, or wait for it no longer."""
        with self._lock:
            if turn in self._waiting:
                self._waiting.remove(turn)
            elif turn is self._current:  # and none that was cancelled, or had before a fork
                self._pass_on()

    def _pass_on(self) -> None:
        while self._waiting:
            following = self._waiting.popleft()
            if following.set_running_or_notify_cancel():
                self._current = following
                following.set_result(COME)
                return
        self._current = None

    def having(self, function: Callable[[], Any]) -> Callable[[], Any]:
        """Return a function that knows that it has the turn."""

        def known() -> Any:
            token = _HAVING.set((*_HAVING.get(), self))
            try:
                return function()
            finally:
                _HAVING.reset(token)

        return known
