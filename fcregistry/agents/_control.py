"""What ends a run before it ends by itself, and what are its tools given?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import TIMEOUT_MAX, Timer
from typing import TYPE_CHECKING, Any, Final

from fcregistry._cancellation import CancellationToken, linked
from fcregistry.agents._effects import Stopped
from fcregistry.execution._run import run_of

if TYPE_CHECKING:
    from typing import Self

    from fcregistry.execution._run import Run

_TIME_IS_OVER: Final = "the time budget of the run is used up"


class Control:
    """Ends a run when its caller says so, or when its time is over. Enter it for as long as the run lasts.

    Args:
        cancellation: The caller's token, if any.
        time_budget: Seconds that the run may take; None for any.
        deps: What the context of tools can have.

    Raises:
        TypeError: One of the others is something else, or it is told anything more.
        ValueError: The time is none.
    """

    __slots__ = ("_cancellation", "_release", "_time_budget", "_timer", "deps", "is_bounded", "token")

    def __init__(
        self,
        cancellation: CancellationToken | None = None,
        time_budget: float | None = None,
        deps: Sequence[Any] = (),
        **others: object,
    ) -> None:
        if others:
            raise TypeError(f"a run takes cancellation, time_budget and deps, and no {' or '.join(sorted(others))}")
        if time_budget is not None and not (type(time_budget) in (int, float) and time_budget > 0):
            raise ValueError(f"time_budget takes seconds: a number above 0, not {time_budget!r}")
        run_of(cancellation, deps)  # which says what is wrong with them before anybody is asked
        self.deps = deps
        self.is_bounded = cancellation is not None or time_budget is not None
        self.token = CancellationToken()
        self._cancellation = cancellation
        self._time_budget = time_budget
        self._release: Callable[[], None] | None = None
        self._timer: Timer | None = None

    def __enter__(self) -> Self:
        self.token, self._release = linked(self._cancellation)
        if self._time_budget is not None:
            self._timer = Timer(min(self._time_budget, TIMEOUT_MAX), self.token.cancel, (_TIME_IS_OVER,))
            self._timer.daemon = True
            self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._release is not None:
            self._release()
        if self._timer is not None:
            self._timer.cancel()

    @property
    def stopped(self) -> Stopped | None:
        """Why the run is to end, if it is."""
        if not self.token.cancelled:
            return None
        return Stopped(reason="time_budget" if self.token.reason == _TIME_IS_OVER else "cancelled")

    @property
    def run(self) -> Run:
        """The same, as the pipeline of an executor is told."""
        return run_of(self.token if self.is_bounded else None, self.deps)

    def passed_on(self) -> dict[str, Any]:
        """Return what an executor is told."""
        told: dict[str, Any] = {"deps": self.deps} if self.deps else {}
        return {**told, "cancellation": self.token} if self.is_bounded else told
