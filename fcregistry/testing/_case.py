"""A tool under test: its arguments, drawn by Hypothesis, and calls that do not run the function."""

from __future__ import annotations

import copy
import logging
import os
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, TypeVar

from hypothesis import HealthCheck, Phase, Verbosity, configuration, errors, given, settings, strategies
from hypothesis import strategies as st

from fcregistry._base.call import ToolCall
from fcregistry._results.result import ToolResult
from fcregistry._schema.validator import Validator
from fcregistry._tools.tool import Tool, with_function
from fcregistry.errors import DefinitionWarning
from fcregistry.execution import Executor
from fcregistry.testing._report import Failure, Verdict, exception_failure
from fcregistry.testing._strategies import arguments_of, nearly_arguments_of


@dataclass(frozen=True, kw_only=True)
class Case:
    """A tool under test.

    Attributes:
        tool: The tool.
        examples: The number of argument objects that each rule tries.
        invoke: Whether the function itself may be run with its declared examples even if it is not `read_only`.
    """

    tool: Tool
    examples: int = 100
    invoke: bool = False

    @cached_property
    def arguments(self) -> st.SearchStrategy[dict[str, Any]]:
        """Argument objects that the schema accepts."""
        return arguments_of(self.tool)

    @cached_property
    def nearly_arguments(self) -> st.SearchStrategy[dict[str, Any]]:
        """Argument objects that differ in one place from accepted ones."""
        return nearly_arguments_of(self.tool)

    @cached_property
    def validator(self) -> Validator:
        """The validator that the executor does not use: jsonschema itself."""
        return self.tool.validator("jsonschema")

    @cached_property
    def stand_in(self) -> StandIn:
        """The tool with a recorder in place of its function."""
        return StandIn(self.tool)

    def call(self, arguments: Any) -> CallTrial:
        """Try a call with a copy of the arguments."""
        return self.stand_in.call(copy.deepcopy(arguments))

    def check_each(self, examine: Callable[[dict[str, Any]], Failure | None], *, nearly: bool = False) -> Verdict:
        """Examine argument objects; if one fails, look for the smallest that fails, and return the verdict.

        Args:
            examine: Returns what is wrong with an argument object, or None.
            nearly: Whether to take argument objects that differ in one place from accepted ones.
        """
        try:
            samples = self._nearly_samples if nearly else self._samples
        except NoExamplesError as error:
            return Verdict(skipped=str(error))

        def guarded(arguments: dict[str, Any]) -> Failure | None:
            """Return the failure of `arguments`, also if `examine` raises, or None."""
            try:
                failure = examine(arguments)
            except Exception as error:  # noqa: BLE001  # foreign code: a codec or a class of the author's may raise anything
                return exception_failure(error, arguments)
            return None if failure is None else replace(failure, arguments=arguments)

        failure = next((failure for each in samples if (failure := guarded(each)) is not None), None)
        if failure is None:
            return Verdict()
        values = self.nearly_arguments if nearly else self.arguments
        return Verdict(failures=(smallest_failure(values, guarded, self.examples) or failure,))

    @cached_property
    def _samples(self) -> list[dict[str, Any]]:
        """The argument objects that every rule tries, drawn once: drawing takes most of the time.

        Raises:
            NoExamplesError: The schema accepts none.
        """
        return drawn(self.arguments, self.examples)

    @cached_property
    def _nearly_samples(self) -> list[dict[str, Any]]:
        """The argument objects that differ in one place from accepted ones, drawn once.

        Raises:
            NoExamplesError: There are none.
        """
        return drawn(self.nearly_arguments, self.examples)


def without_definition_warnings() -> AbstractContextManager[Any]:
    """Silence warnings about definitions, which would be failures in a run with warnings as errors."""
    return warnings.catch_warnings(action="ignore", category=DefinitionWarning)


@contextmanager
def without_records_of_calls() -> Iterator[None]:
    """Silence the log of calls: most calls of rules are wrong on purpose, and would bury the rest."""
    logger = logging.getLogger("fcregistry.calls")
    before, logger.disabled = logger.disabled, True
    try:
        yield
    finally:
        logger.disabled = before


# --- Calls with a recorder in place of the function ---


class Arrival(NamedTuple):
    """The arguments that the function would have received."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]


class CallTrial(NamedTuple):
    """The outcome of a call.

    Attributes:
        arrival: The arguments that the function would have received; None if it would not have been called.
        result: The result that the caller received.
    """

    arrival: Arrival | None
    result: ToolResult

    @property
    def code(self) -> str:
        """The error code; empty for a call that succeeded."""
        return self.result.error.code if self.result.error is not None else ""


class StandIn:
    """A tool whose function is replaced by a recorder; everything else is as in real calls."""

    def __init__(self, tool: Tool) -> None:
        self._name = tool.name
        self._arrivals: list[Arrival] = []
        self._executor = Executor([with_function(tool, self._record)])

    def _record(self, /, *args: Any, **kwargs: Any) -> None:
        """Store the arguments with which the function would have been called."""
        self._arrivals.append(Arrival(args, kwargs))

    def call(self, arguments: Mapping[str, Any] | str) -> CallTrial:
        """Try a call, and return its outcome.

        Args:
            arguments: A mapping, or JSON text as a model writes it.

        Raises:
            Exception: A codec or a class of the author's raised it where it should refuse.
        """
        self._arrivals.clear()
        result = self._executor.run(ToolCall(self._name, arguments))
        return CallTrial(self._arrivals[0] if self._arrivals else None, result)


# --- Running Hypothesis ---

T = TypeVar("T")


class NoExamplesError(Exception):
    """A strategy has no value; the message says why."""


class _Broken(Exception):
    """Carries a failure out of Hypothesis, which shrinks the value that raises it."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.got)
        self.failure = failure


def drawn(values: st.SearchStrategy[T], count: int) -> list[T]:
    """Return values of a strategy.

    Args:
        values: The strategy.
        count: The most values to return.

    Raises:
        NoExamplesError: The strategy has no values.
    """
    found: list[T] = []
    _run(values, found.append, count)
    return found


def smallest_failure(
    values: st.SearchStrategy[T], examine: Callable[[T], Failure | None], count: int
) -> Failure | None:
    """Return the failure of the smallest value that fails; None if none fails.

    Args:
        values: The strategy of the values.
        examine: Returns what is wrong with a value, or None.
        count: The number of values to try.
    """

    def raising(value: T) -> None:
        """Raise `_Broken` if `value` fails."""
        if failure := examine(value):
            raise _Broken(failure)

    try:
        _run(values, raising, count)
    except _Broken as broken:
        return broken.failure
    except errors.Flaky as flaky:
        return _flaky_failure(flaky)
    return None


def _run(values: st.SearchStrategy[T], look: Callable[[T], None], count: int) -> None:
    """Call `look` with at most `count` values, without a deadline and a database.

    In CI the values are always the same: Hypothesis derives them from the source text of `law`.

    Raises:
        NoExamplesError: There are no values.
    """

    # Deferred, so that its repr is short: Hypothesis warns of the long repr of a large schema's strategy.
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

    with _temporary_hypothesis_home():
        try:
            law()
        except errors.Unsatisfiable as error:
            raise NoExamplesError("no arguments could be made that its schema accepts") from error


def _flaky_failure(flaky: errors.Flaky) -> Failure:
    """Return the failure of a tool that does not give the same answer each time.

    It tells the first failure, and its arguments, if Hypothesis kept one.
    """
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
def _temporary_hypothesis_home() -> Iterator[None]:
    """Have Hypothesis write its tables to a temporary folder inside the block, not to `.hypothesis` here."""
    home: Any = configuration.storage_directory(intent_to_write=False)
    home = getattr(home, "path", home)  # newer versions return an object that has the path
    with TemporaryDirectory(prefix="fcregistry-") as folder:
        configuration.set_hypothesis_home_dir(folder)
        try:
            yield
        finally:
            configuration.set_hypothesis_home_dir(home)
