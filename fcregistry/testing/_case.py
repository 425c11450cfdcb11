"""What does a rule look at? One tool, and everything that several rules make of it.

MERGED: How does Hypothesis run here? Without a deadline and a database, the same each time where nobody watches, and leaving nothing behind.
MERGED: What does the kit say of a tool: what failed, what was left out, what is worth knowing?
MERGED: Which argument objects does a tool's schema accept, and which nearly?
MERGED: How does a model get arguments wrong? In one place: another type, a missing or unknown name, a limit overstepped, a word misspelt.
MERGED: What would a call do, if it were made? A recorder of the same signature finds out; the function itself is never run.
"""

from __future__ import annotations

import copy
import json
import logging
import os
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import cached_property
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from hypothesis import HealthCheck, Phase, Verbosity, configuration, errors, given, settings, strategies
from hypothesis import strategies as st

from fcregistry._base.call import ToolCall
from fcregistry._base.messages import show
from fcregistry._results.result import ToolResult
from fcregistry._schema.validator import Validator
from fcregistry._tools.tool import Tool
from fcregistry.errors import DefinitionWarning, said_by
from fcregistry.execution import Executor
from fcregistry.testing._schemas import Node, SchemaReader, constants
from fcregistry.testing._strategies import Values

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

# --- testing._case ---


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

    def call(self, arguments: Any) -> CallTrial:
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


# --- testing._runs ---

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


# --- testing._failures ---

REPORT: Final = "report this to the authors of the type, or to those of fcregistry if it is one of its own"
"""What to do about what no author of a tool can mend."""
_FAILURES_LONGEST: Final = 2000


class Nothing:
    """Stands for arguments that a failure does not have."""


NOTHING: Final = Nothing()


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """One way in which a tool breaks a rule.

    Attributes:
        expected: What the rule asks for.
        got: What there was instead.
        advice: What to do about it.
        arguments: The arguments that show it, made as small as they can be; `NOTHING` where it takes none.
        detail: More, such as a traceback; empty where there is no more.
    """

    expected: str
    got: str
    advice: str
    arguments: Any = NOTHING
    detail: str = ""

    def lines(self) -> list[str]:
        """Return it as lines for people."""
        said = [("expected:", self.expected), ("got:", self.got), ("to do:", self.advice)]
        if self.arguments is not NOTHING:
            said.insert(0, ("arguments:", shown(self.arguments)))
        lines = [line for label, text in said for line in _hanging(label, text)]
        return [*lines, *self.detail.splitlines()]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What came of trying one rule on one tool.

    Attributes:
        failures: The ways in which the tool breaks it; none if it keeps it.
        skipped: Why it was not tried; empty if it was.
        remarks: What is no failure and worth knowing.
    """

    failures: tuple[Failure, ...] = ()
    skipped: str = ""
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What came of trying rules on one tool.

    Attributes:
        subject: The id of the tool.
        verdicts: Rule -> what came of it, in the order in which they were tried.
    """

    subject: str
    verdicts: dict[str, Verdict]

    @property
    def ok(self) -> bool:
        """Whether no rule is broken."""
        return not any(verdict.failures for verdict in self.verdicts.values())

    @property
    def skipped(self) -> dict[str, str]:
        """Rule -> why it was not tried."""
        return {rule: verdict.skipped for rule, verdict in self.verdicts.items() if verdict.skipped}

    @property
    def remarks(self) -> tuple[str, ...]:
        """What is no failure and worth knowing, a sentence each."""
        return tuple(remark for verdict in self.verdicts.values() for remark in verdict.remarks)


class ConformanceError(AssertionError):
    """A tool that breaks rules; the message says which, shown by which arguments, and what to do.

    Attributes:
        report: What came of every rule.
    """

    def __init__(self, report: Report, place: str) -> None:
        """Word all failures of a report, and the place where the tool is to be mended."""
        broken = [(rule, failure) for rule, verdict in report.verdicts.items() for failure in verdict.failures]
        parts = [
            "\n".join([f"{report.subject} breaks the rule {rule}", *_indented(failure.lines())])
            for rule, failure in broken
        ]
        super().__init__("\n\n".join([*parts, place] if place else parts))
        self.report = report

    @property
    def brief(self) -> str:
        """The first failure in one line, and how many more there are."""
        failures = [failure for verdict in self.report.verdicts.values() for failure in verdict.failures]
        more = f" (and {len(failures) - 1} more)" if len(failures) > 1 else ""
        return f"{' '.join(failures[0].got.split())}{more}"


def _hanging(label: str, text: str) -> list[str]:
    """Return a text behind a label, its further lines below its first."""
    first, *more = text.splitlines() or [""]
    return [f"{label:<11}{first}", *(f"{'':<11}{line}" for line in more)]


def _indented(lines: Iterable[str]) -> list[str]:
    return [f"  {line}" if line else "" for line in lines]


def place_of(tool: Tool) -> str:
    """Return where a tool's function stands, as an editor understands it."""
    origin = tool.origin
    return f"{origin.file}:{origin.line}: {origin.qualname}" if origin.file else f"{origin.module}.{origin.qualname}"


def shown(arguments: Any) -> str:
    """Return arguments as JSON text that can be pasted; long ones are cut."""
    try:
        text = json.dumps(arguments, ensure_ascii=False)
        text = text if text.isprintable() else json.dumps(arguments)
    except (TypeError, ValueError):
        return show(arguments)
    return text if len(text) <= _FAILURES_LONGEST else f"{text[:_FAILURES_LONGEST]}… ({len(text)} characters)"


def python_text(value: object) -> str:
    """Return a Python value as bounded text, whatever its `repr` does."""
    try:
        text = repr(value)
    except Exception as error:  # noqa: BLE001  # foreign code: a value that cannot be shown must not hide the failure
        return f"a {type(value).__name__} whose repr raises {type(error).__name__}"
    return text if len(text) <= 200 else f"{text[:200]}…"


def call_text(arrival: Arrival) -> str:
    """Return the arguments of a call as Python writes them."""
    named = (f"{name}={python_text(value)}" for name, value in arrival.kwargs.items())
    return f"({', '.join([*map(python_text, arrival.args), *named])})"


def raised(error: Exception, arguments: Any) -> Failure:
    """Return the failure of types that raise."""
    return Failure(
        arguments=arguments,
        expected="an answer, whatever the arguments are",
        got=f"an exception: {type(error).__name__}: {said_by(error)}",
        advice=f"a type raises where it should refuse; {REPORT}",
        detail="\n" + "".join(traceback.format_exception(error)),
    )


# --- testing._arguments ---


def arguments_of(
    tool: Tool, *, formats: Mapping[str, st.SearchStrategy[str]] | None = None
) -> st.SearchStrategy[dict[str, Any]]:
    """Return a strategy of argument objects that a tool's schema accepts.

    They are made of the schema, keyword by keyword; the examples that the tool declares are among them. Names come in any order.

    Args:
        tool: The tool.
        formats: Format -> strings of it, for formats that only you know.
    """
    document = SchemaReader(tool.parameters)
    is_valid = tool.validator("jsonschema").is_valid
    made: st.SearchStrategy[dict[str, Any]] = Values(document, formats or {}).of(document.schema)
    examples = [dict(example) for example in tool.options.examples if is_valid(dict(example))]
    if examples:
        made = st.one_of(made, made, st.sampled_from(examples))
    return made.filter(is_valid).flatmap(_in_any_order)


def _in_any_order(arguments: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.permutations(list(arguments.items())).map(dict)


def nearly_arguments_of(
    tool: Tool, *, formats: Mapping[str, st.SearchStrategy[str]] | None = None
) -> st.SearchStrategy[dict[str, Any]]:
    """Return a strategy of argument objects that differ in one place from such as the tool's schema accepts; most are wrong, some are not."""
    return Mutations(tool.parameters).of(arguments_of(tool, formats=formats))


def wrong_arguments_of(
    tool: Tool, *, formats: Mapping[str, st.SearchStrategy[str]] | None = None
) -> st.SearchStrategy[dict[str, Any]]:
    """Return a strategy of argument objects that a tool's schema does not accept, for being wrong in one place.

    Each is one that the schema accepts, with one thing changed: another type, a missing or unknown name, a limit overstepped, a word misspelt.

    Args:
        tool: The tool.
        formats: As for `arguments_of`.
    """
    is_valid = tool.validator("jsonschema").is_valid
    return nearly_arguments_of(tool, formats=formats).filter(lambda arguments: not is_valid(arguments))


# --- testing._mutations ---

Path = tuple[str | int, ...]

_ANOTHER_TYPE: Final[tuple[Any, ...]] = (
    None,
    True,
    False,
    0,
    1,
    -1,
    1.0,
    2.5,
    "",
    "a",
    "1",
    "true",
    [],
    [0],
    {},
    {"a": 1},
)
_MUTATIONS_LONGEST: Final = 5000
"""A length limit beyond this is not tried: nobody reads such an example."""


class Mutations:
    """Changes a JSON object in one place.

    Args:
        schema: Where the limits stand around which values are tried, and the words that are nearly right.
    """

    def __init__(self, schema: Node) -> None:
        found = list(constants(schema))
        numbers = [each for each in found if not isinstance(each, str)]
        self._numbers = sorted({*numbers}, key=lambda number: (abs(number), number))
        self._lengths = [each for each in self._numbers if isinstance(each, int) and 0 <= each <= _MUTATIONS_LONGEST]
        self._words = sorted({each for each in found if isinstance(each, str)})

    def of(self, values: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
        """Return objects that differ from one of the given in a single place."""

        @st.composite
        def changed(draw: st.DrawFn) -> dict[str, Any]:
            value = copy.deepcopy(draw(values))
            places = list(_places(value, ()))
            path = draw(st.sampled_from(places))
            if not path:
                return draw(st.one_of(self._object_ways(value)))
            holder: Any = value
            for segment in path[:-1]:
                holder = holder[segment]
            holder[path[-1]] = draw(st.one_of(self._ways(holder[path[-1]])))
            return value

        return changed()

    def _ways(self, value: Any) -> list[st.SearchStrategy[Any]]:
        ways: list[st.SearchStrategy[Any]] = [st.sampled_from(_ANOTHER_TYPE)]
        if isinstance(value, dict):
            ways += [*self._object_ways(value), st.just(json.dumps(value))]
        elif isinstance(value, list):
            ways += [*self._array_ways(value), st.just(json.dumps(value))]
        elif isinstance(value, str):
            ways.append(st.sampled_from(self._texts_near(value)))
        elif isinstance(value, bool):
            ways.append(st.sampled_from([int(value), str(value).lower()]))
        elif value is not None:
            ways += [st.sampled_from(self._numbers_near(value)), st.just(str(value))]
        return ways

    def _object_ways(self, value: dict[str, Any]) -> list[st.SearchStrategy[Any]]:
        taken = list(value)
        unknown = [name for name in (*self._words, *(f"{each}s" for each in taken), "unknown", "") if name not in value]
        ways: list[st.SearchStrategy[Any]] = [
            st.builds(lambda name, new: {**value, name: new}, st.sampled_from(unknown), st.sampled_from(_ANOTHER_TYPE))
        ]
        if taken:
            ways.append(
                st.sampled_from(taken).map(lambda left: {name: each for name, each in value.items() if name != left})
            )
            ways.append(
                st.sampled_from(taken).map(
                    lambda old: {(name.upper() if name == old else name): each for name, each in value.items()}
                )
            )
        return ways

    def _array_ways(self, value: list[Any]) -> list[st.SearchStrategy[Any]]:
        ways: list[st.SearchStrategy[Any]] = [st.sampled_from(_ANOTHER_TYPE).map(lambda new: [*value, new])]
        if value:
            ways.append(st.sampled_from([value[:-1], value[1:], [*value, value[0]], value[::-1]]))
            lengths = [each + more for each in self._lengths for more in (0, 1) if each + more > len(value)]
            ways += [st.sampled_from(lengths).map(lambda length: (value * length)[:length])] if lengths else []
        return ways

    def _texts_near(self, value: str) -> list[str]:
        near = [f"{value}\n", f" {value}", f"{value}x", value[:-1], value.upper(), value.title(), *self._words]
        near += [(value or "a") * length for length in self._lengths if length < 100]
        near += [("a" * (length + more)) for length in self._lengths for more in (-1, 0, 1) if length + more >= 0]
        return list(dict.fromkeys(each for each in near if each != value)) or [f"{value}x"]

    def _numbers_near(self, value: int | float) -> list[Any]:
        limits = [each + more for each in self._numbers for more in (-1, 0, 1, 0.5, -0.5) if abs(each) < 1e300]
        near: list[Any] = [value + 0.5 if abs(value) < 2**50 else 0.5, -value, value + 1, value + 0.001, *limits]
        if isinstance(value, float) and value.is_integer():
            near.append(int(value))
        elif not isinstance(value, float) and abs(value) < 2**53:
            near.append(float(value))
        return near


def _places(value: Any, above: Path) -> Iterator[Path]:
    """Yield the path of a value, and of everything in it."""
    yield above
    if isinstance(value, dict):
        for name, each in value.items():
            yield from _places(each, (*above, name))
    elif isinstance(value, list):
        for position, each in enumerate(value):
            yield from _places(each, (*above, position))


# --- testing._stand_in ---


class Arrival(NamedTuple):
    """What the function would have been called with."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]


class CallTrial(NamedTuple):
    """What came of a call.

    Attributes:
        arrival: What the function would have been called with; None if it would not have been called.
        result: What the caller got.
    """

    arrival: Arrival | None
    result: ToolResult

    @property
    def code(self) -> str:
        """The code of the failed call; empty for one that went well."""
        return self.result.error.code if self.result.error is not None else ""


class StandIn:
    """A tool whose function is a recorder. Calls take the way of real ones: the same executor, validator, codecs and binding."""

    def __init__(self, tool: Tool) -> None:
        self._name = tool.name
        self._arrivals: list[Arrival] = []
        self._executor = Executor([tool._with_function(self._record)])

    def _record(self, /, *args: Any, **kwargs: Any) -> None:
        self._arrivals.append(Arrival(args, kwargs))

    def call(self, arguments: Mapping[str, Any] | str) -> CallTrial:
        """Try a call.

        Args:
            arguments: A mapping, or JSON text as a model writes it.

        Raises:
            Exception: Whatever a codec or a class of the author's raises where it should refuse.
        """
        self._arrivals.clear()
        result = self._executor.run(ToolCall(self._name, arguments))
        return CallTrial(self._arrivals[0] if self._arrivals else None, result)
