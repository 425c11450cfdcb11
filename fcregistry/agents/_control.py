"""What ends a run before it ends by itself, and what are its tools given?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import TIMEOUT_MAX, Timer
from typing import TYPE_CHECKING, Any, Final, TypedDict

from fcregistry._base.call import CancellationToken, linked
from fcregistry.agents._effects import Stopped
from fcregistry.execution._settings import run_of

if TYPE_CHECKING:
    from typing import Self, Unpack

    from fcregistry.execution._settings import Run


class RunOptions(TypedDict, total=False):
    """What can be said of one run.

    Attributes:
        cancellation: Ends the run when it is cancelled.
        time_budget: Seconds that the run may take; None for any.
        deps: What the context of tools can have in this run.
    """

    cancellation: CancellationToken | None
    time_budget: float | None
    deps: Sequence[Any]


class ResumeOptions(RunOptions, total=False):
    """What can be said of what is left of a run.

    Attributes:
        by: Who decided about the calls that waited, for the developer.
    """

    by: str | None


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

    __slots__ = ("_cancellation", "_release", "_time_budget", "_timer", "by", "deps", "is_bounded", "token")

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
        self.by: str | None = None
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


class Resumption(Control):
    """Ends what is left of a run that waited for decisions, and knows who took them.

    Args:
        by: Who decided; None where that is not said.
        **options: As for `Control`.

    Raises:
        TypeError: It is no text; or as for `Control`.
    """

    __slots__ = ()

    def __init__(self, by: str | None = None, **options: Unpack[RunOptions]) -> None:
        super().__init__(**options)
        if not (by is None or isinstance(by, str)):
            raise TypeError(f"by takes who decided, as text, not {by!r:.80}")
        self.by = by
