"""What does a rule look at? One tool, and everything that several rules make of it."""

from __future__ import annotations

import copy
import logging
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from hypothesis import strategies as st

from fcregistry._schema.validator import Validator
from fcregistry._tools.tool import Tool
from fcregistry.errors import DefinitionWarning
from fcregistry.testing._arguments import arguments_of, nearly_arguments_of
from fcregistry.testing._failures import Failure, Verdict, raised
from fcregistry.testing._runs import NoExamplesError, drawn, smallest_failure
from fcregistry.testing._stand_in import StandIn, Trial


@dataclass(frozen=True, kw_only=True)
class Case:
    """A tool on trial.

    Attributes:
        tool: The tool.
        examples: How many argument objects each rule tries.
        invoke: Whether the function itself may be run with its declared examples, `read_only` or not.
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
        """Argument objects that differ in one place from such as the schema accepts."""
        return nearly_arguments_of(self.tool)

    @cached_property
    def validator(self) -> Validator:
        """The validator that the executor does not use: jsonschema itself."""
        return self.tool.validator("jsonschema")

    @cached_property
    def stand_in(self) -> StandIn:
        """The tool with a recorder in place of its function."""
        return StandIn(self.tool)

    def call(self, arguments: Any) -> Trial:
        """Try a call with a copy of the arguments."""
        return self.stand_in.call(copy.deepcopy(arguments))

    def each(self, examine: Callable[[dict[str, Any]], Failure | None], *, nearly: bool = False) -> Verdict:
        """Examine argument objects; where one fails, look for the smallest that does.

        Args:
            examine: Returns what is wrong with one, or None.
            nearly: Whether to take those that differ in one place from such as the schema accepts.
        """
        try:
            samples = self._nearly_samples if nearly else self._samples
        except NoExamplesError as error:
            return Verdict(skipped=str(error))

        def guarded(arguments: dict[str, Any]) -> Failure | None:
            try:
                return examine(arguments)
            except Exception as error:  # noqa: BLE001  # foreign code: a codec or a class of the author's may raise anything
                return raised(error, arguments)

        failure = next((failure for each in samples if (failure := guarded(each)) is not None), None)
        if failure is None:
            return Verdict()
        values = self.nearly_arguments if nearly else self.arguments
        return Verdict(failures=(smallest_failure(values, guarded, self.examples) or failure,))

    @cached_property
    def _samples(self) -> list[dict[str, Any]]:
        """What every rule tries: drawn once, since that takes most of the time."""
        return drawn(self.arguments, self.examples)

    @cached_property
    def _nearly_samples(self) -> list[dict[str, Any]]:
        return drawn(self.nearly_arguments, self.examples)


def without_definition_warnings() -> AbstractContextManager[Any]:
    """Silence what fcregistry remarks of definitions, which a run with warnings as errors would take for failures."""
    return warnings.catch_warnings(action="ignore", category=DefinitionWarning)


@contextmanager
def without_records_of_calls() -> Iterator[None]:
    """Silence the log of calls: most of those that rules make are wrong on purpose, and would bury what is worth reading."""
    logger = logging.getLogger("fcregistry.calls")
    before, logger.disabled = logger.disabled, True
    try:
        yield
    finally:
        logger.disabled = before
