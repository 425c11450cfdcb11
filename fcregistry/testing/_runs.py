"""How does Hypothesis run here? Without a deadline and a database, the same each time where nobody watches, and leaving nothing behind."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeVar

from hypothesis import HealthCheck, Phase, Verbosity, configuration, errors, given, settings, strategies

from fcregistry.testing._failures import Failure

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

T = TypeVar("T")


class NoExamplesError(Exception):
    """No value could be made; the message says why."""


class _Broken(Exception):
    """Carries a failure out of Hypothesis, which looks for the smallest value that raises it."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.got)
        self.failure = failure


def drawn(values: SearchStrategy[T], count: int) -> list[T]:
    """Return values of a strategy.

    Args:
        values: Where they come from.
        count: How many at most; fewer where there are no more.

    Raises:
        NoExamplesError: There are none.
    """
    found: list[T] = []
    _run(values, found.append, count)
    return found


def smallest_failure(values: SearchStrategy[T], examine: Callable[[T], Failure | None], count: int) -> Failure | None:
    """Examine values until one fails, and return the failure of the smallest such; None if none does.

    Args:
        values: Where they come from.
        examine: Returns what is wrong with one, or None.
        count: How many to try.
    """

    def raising(value: T) -> None:
        if failure := examine(value):
            raise _Broken(failure)

    try:
        _run(values, raising, count)
    except _Broken as broken:
        return broken.failure
    except errors.Flaky as flaky:
        return _undecided(flaky)
    return None


def _run(values: SearchStrategy[T], look: Callable[[T], None], count: int) -> None:
    # Deferred, so that its repr is short: that of a large schema's strategy takes long, and Hypothesis warns of it.
    @settings(
        max_examples=count,
        database=None,
        deadline=None,
        derandomize=bool(os.environ.get("CI")),
        phases=(Phase.generate, Phase.shrink),
        print_blob=False,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
        verbosity=Verbosity.quiet,
    )
    @given(strategies.deferred(lambda: values))
    def law(value: T) -> None:
        look(value)

    with _nothing_left_behind():
        try:
            law()
        except errors.Unsatisfiable as error:
            raise NoExamplesError("no arguments could be made that its schema accepts") from error


def _undecided(flaky: errors.Flaky) -> Failure:
    inner: list[Any] = [each for each in getattr(flaky, "exceptions", ()) if isinstance(each, _Broken)]
    first = inner[0].failure if inner else None
    return Failure(
        expected="the same answer to the same arguments, each time",
        got=f"once: {first.got}; and then not" if first else "an answer that changes from call to call",
        advice="a type or a check of the tool answers by chance, by the clock or by what was called before; "
        "let it answer by the arguments alone",
        **({"arguments": first.arguments} if first else {}),
    )


@contextmanager
def _nothing_left_behind() -> Iterator[None]:
    """Have Hypothesis write its tables of characters and constants to a folder that goes away, not to `.hypothesis` here."""
    home: Any = configuration.storage_directory(intent_to_write=False)
    home = getattr(home, "path", home)  # newer versions return an object that has the path
    with TemporaryDirectory(prefix="fcregistry-") as folder:
        configuration.set_hypothesis_home_dir(folder)
        try:
            yield
        finally:
            configuration.set_hypothesis_home_dir(home)
