"""`check_tool` on one tool: correct ones of any shape, and wrong ones."""

from __future__ import annotations

import functools
import itertools
import logging
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import InitVar, dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal, NamedTuple

import pydantic
import pytest
from annotated_types import Interval, Len, MultipleOf, Predicate
from hypothesis import strategies as st
from typing_extensions import TypedDict, Unpack

from fcregistry import Context, Executor, Registry, Tool, fc_register, registry, testing
from fcregistry.errors import ToolNotFoundError
from fcregistry.testing import ConformanceError, arguments_of, check_tool, wrong_arguments_of
from fcregistry.types import Codec

from ..properties.samples import LEAVES, Sample  # noqa: TID252  # they lie beside this folder
from .drawing import drawn

# --- tools that keep every rule -----------------------------------------------------------------------------------


class Colour(Enum):
    RED = "red"
    TWO = 2
    NONE = None


class Point(NamedTuple):
    x: int
    y: Annotated[float, Interval(ge=-1, lt=1)] = 0.5


@dataclass
class Tree:
    name: str
    children: list[Tree] = field(default_factory=list)
    colour: Colour | None = None


class Options(TypedDict, total=False):
    depth: int
    since: datetime


def must_not_run(*args: Any, **kwargs: Any) -> Any:
    raise AssertionError("a function was run")


def all_kinds(a: int, b: float, /, c: str = "c", *d: int, e: bool = False, **g: Literal["x", "y"]) -> None:
    """Take every kind of parameter.

    Args:
        a: One.
        b: Two.
        c: Three.
        d: Four.
        e: Five.
        g: Seven.
    """
    must_not_run()


def records(tree: Tree, point: Point, options: Options, more: dict[str, Tree | Point] | None = None) -> None:
    """Take records, some of which hold themselves.

    Args:
        tree: A tree.
        point: A point.
        options: Some options.
        more: More of them.
    """
    must_not_run()


def texts(when: datetime, amount: Decimal, data: bytes, code: Annotated[str, Len(2, 5)]) -> None:
    """Take what is written as text.

    Args:
        when: A time.
        amount: A number.
        data: Bytes.
        code: A short text.
    """
    must_not_run()


def bounded(
    step: Annotated[int, Interval(gt=0, le=100), MultipleOf(5)],
    share: Annotated[float, Interval(gt=0.1, lt=0.7), MultipleOf(0.05)],
    some: Annotated[set[int], Len(1, 3)],
    recent: deque[Colour],
) -> None:
    """Take what has bounds.

    Args:
        step: A step.
        share: A share.
        some: Some numbers.
        recent: Some colours.
    """
    must_not_run()


def unpacked(**options: Unpack[Options]) -> None:
    """Take the keys of a TypedDict.

    Args:
        depth: How deep.
        since: From when on.
    """
    must_not_run()


def anything(value: Any, either: int | list[str] | None, **extra: Any) -> None:
    """Take anything.

    Args:
        value: Anything.
        either: One of several.
        extra: More.
    """
    must_not_run()


def nothing() -> None:
    """Take nothing."""
    must_not_run()


async def later(day: int) -> None:
    """Take a number, and be awaited.

    Args:
        day: A day.
    """
    must_not_run()


def one_by_one(day: int) -> Iterator[int]:
    """Take a number, and yield.

    Args:
        day: A day.
    """
    must_not_run()
    yield day


class Counter:
    """Has tools that are methods."""

    def count(self, by: int = 1) -> None:
        """Count.

        Args:
            by: By how much.
        """
        must_not_run()

    def __call__(self, to: int) -> None:
        """Count up to a number.

        Args:
            to: The number.
        """
        must_not_run()


RIGHT: list[Callable[..., Any]] = [
    *(all_kinds, records, texts, bounded, unpacked, anything, nothing, later, one_by_one),
    *(Counter().count, Counter(), functools.partial(bounded, 5), functools.partial(records, options={})),
]


@pytest.mark.parametrize("function", RIGHT, ids=lambda function: Tool.from_function(function).name)
def test_a_correct_tool_keeps_every_rule_and_is_not_run(function: Callable[..., Any]) -> None:
    report = check_tool(function, examples=30)
    assert report.ok
    assert report.skipped == {}
    assert report.remarks == ()
    assert len(report.verdicts) == 9


def test_a_tool_with_a_schema_of_its_own_is_checked_by_it() -> None:
    def look_up(city: Any, **more: Any) -> None:
        """Look up a city."""
        must_not_run()

    schema = {
        "type": "object",
        "properties": {"city": {"type": "string", "pattern": "^[A-Z][a-z]+$", "description": "Where."}},
        "required": ["city"],
        "patternProperties": {"^x-": {"type": "integer"}},
        "additionalProperties": False,
    }
    assert check_tool(Tool.from_function(look_up, parameters=schema), examples=60).ok


def test_a_tool_is_found_by_name_in_a_registry() -> None:
    own = Registry()
    own.register(later, group="time")
    assert check_tool("time.later", registry=own, examples=5).subject == "time.later"
    assert check_tool(later, registry=own, examples=5).subject == "time.later"
    with pytest.raises(ToolNotFoundError, match="there is no tool 'sooner'"):
        check_tool("sooner", registry=own)


def test_a_function_means_the_tool_it_was_declared_as() -> None:
    """So its options are checked too."""

    @fc_register("test_check_tool", examples=[{"day": "x"}])
    def declared(day: int) -> None:
        """Take a day.

        Args:
            day: A day.
        """

    try:
        with pytest.raises(ConformanceError, match=r"test_check_tool\.declared breaks the rule accepts-its-examples"):
            check_tool(declared, examples=5)
    finally:
        registry.remove("test_check_tool.declared")


def test_options_of_the_tool_do_not_keep_it_from_being_checked() -> None:
    """No approval and no environment variable is needed, since no function runs."""
    tool = Tool.from_function(later, requires_approval=must_not_run, requires_env="ACME_NOT_SET", timeout=0.001)
    assert check_tool(tool, examples=20).ok


def test_a_keyword_may_have_any_name() -> None:
    """Names that Python's own methods use for themselves reach `**kwargs` too."""

    def take(**values: int) -> dict[str, int]:
        """Take values."""
        return values

    tool = Tool.from_function(take)
    names = ["self", "args", "kwargs", "function", "name", "cls"]
    call = tool.make_call(**dict.fromkeys(names, 1))
    assert call.arguments == dict.fromkeys(names, 1)
    assert tool(self=1) == {"self": 1}


@pytest.mark.parametrize("sample", LEAVES, ids=lambda sample: str(sample.annotation)[:40])
def test_every_type_of_the_table_keeps_every_rule(sample: Sample) -> None:
    """If the kit finds a failure in a built-in type, the kit or the type is wrong."""

    def take(value: Any) -> None:
        """Take a value."""

    take.__annotations__ = {"value": sample.annotation}
    assert check_tool(Tool.from_function(take), examples=8, without=["documents-its-parameters"]).ok


class Login(pydantic.BaseModel):
    """The data with which a guest logs in."""

    name: str
    password: pydantic.SecretStr
    token: str = pydantic.Field(default="", exclude=True)


@dataclass
class Sum:
    """A sum of a field that is stored and an argument that is not."""

    kept: int
    given: InitVar[int]

    def __post_init__(self, given: int) -> None:
        self.kept += given


@pytest.mark.parametrize("annotation", [Login, list[Login], Sum, Sum | None])
def test_a_part_that_a_type_hides_need_not_be_written_again(annotation: Any) -> None:
    """A secret is written as asterisks, and an `InitVar` not at all. That is their purpose."""

    def take(value: Any) -> None:
        """Take a value."""

    take.__annotations__ = {"value": annotation}
    report = check_tool(Tool.from_function(take), examples=8, without=["documents-its-parameters"])
    assert report.skipped == {"gives-the-call-back": "its types hide a part of their values, such as a secret"}


# --- tools that break some ----------------------------------------------------------------------------------------


def broken_by(error: pytest.ExceptionInfo[ConformanceError]) -> list[str]:
    return [rule for rule, verdict in error.value.report.verdicts.items() if verdict.failures]


def test_all_failures_of_a_tool_are_reported_together() -> None:
    def lot(a: int, b: str) -> int:
        """Do a lot wrong.

        Args:
            c: What there is not.
        """
        return "no number"  # type: ignore[return-value]  # the defect

    tool = Tool.from_function(lot, examples=[{"a": 1}, {"a": 1, "b": "x"}], read_only=True)
    with pytest.raises(ConformanceError) as error:
        check_tool(tool, examples=5)
    assert broken_by(error) == ["documents-its-parameters", "accepts-its-examples", "answers-its-examples"]
    text = str(error.value)
    assert text.count("lot breaks the rule") == 5
    assert "it describes 'c', which does not exist" in text
    assert "$.b: is required" in text
    assert f"\n\n{__file__}:" in text


def test_a_rule_can_be_left_out() -> None:
    def terse(a: int) -> None:
        """Say little."""

    with pytest.raises(ConformanceError):
        check_tool(terse, examples=5)
    report = check_tool(terse, examples=5, without=["documents-its-parameters"])
    assert "documents-its-parameters" not in report.verdicts
    with pytest.raises(ValueError, match="there is no rule 'documents'; the rules are can-be-defined, has-a-valid-"):
        check_tool(terse, without=["documents"])


def test_a_tool_that_cannot_be_defined_is_reported_and_no_other_rule_is_tried() -> None:
    def hopeless(a: complex, b: Callable[[], int]) -> None:
        """Take what no model writes."""

    with pytest.raises(ConformanceError) as error:
        check_tool(hopeless)
    assert list(error.value.report.verdicts) == ["can-be-defined"]
    assert str(error.value).count("breaks the rule can-be-defined") == 2


def test_a_line_of_the_docstring_that_cannot_be_read_is_named() -> None:
    """It is the likely reason that its parameter is not described."""

    def misread(city: str) -> None:
        """Look up a city.

        Args:
            city Where it is
        """

    with pytest.raises(ConformanceError, match="the docstring's line 'city Where it is' cannot be read; write `name:"):
        check_tool(misread, examples=5)


def test_a_parameter_may_be_described_in_its_annotation() -> None:
    def annotated(city: Annotated[str, "Where."]) -> None:
        """Look up a city."""

    assert check_tool(annotated, examples=5).ok


def test_arguments_that_types_refuse_are_a_remark_and_not_a_failure() -> None:
    def even(number: Annotated[int, Predicate(lambda number: number % 2 == 0)]) -> None:
        """Take an even number.

        Args:
            number: It.
        """

    (remark,) = check_tool(even, examples=30).remarks
    assert "argument objects that its schema accepts are refused after decoding: must satisfy" in remark


def test_a_tool_that_no_arguments_reach_is_a_failure() -> None:
    def never(number: Annotated[int, Predicate(lambda number: False)]) -> None:
        """Take no number at all.

        Args:
            number: It.
        """

    with pytest.raises(ConformanceError) as error:
        check_tool(never, examples=20)
    assert broken_by(error) == ["accepts-what-its-schema-says"]
    assert "some of the arguments that the schema accepts reach the function" in str(error.value)
    assert "that were tried are refused after decoding: must satisfy" in str(error.value)


def test_an_answer_that_changes_is_a_failure() -> None:
    """Such a tool would fail once and pass once, for no visible reason."""

    class Chance(Codec):
        def schema(self, writer: Any) -> dict[str, Any]:
            return {"type": "string"}

        def accepts(self, value: object) -> bool:
            return next(calls_so_far) % 7 > 0

        def handles(self, value: object) -> bool:
            return isinstance(value, str)

    calls_so_far = itertools.count()
    with pytest.raises(ConformanceError) as error:
        check_tool(with_codec(Chance()))
    assert broken_by(error) == ["accepts-what-its-schema-says"]
    assert "expected:  the same answer to the same arguments, each time" in str(error.value)
    assert "got:       once: its codec's accepts() says " in str(error.value)


def test_a_type_that_raises_is_a_failure_with_its_traceback() -> None:
    class Raising(Codec):
        def schema(self, writer: Any) -> dict[str, Any]:
            return {"type": "string"}

        def accepts(self, value: object) -> bool:
            return isinstance(value, str)

        def decode(self, value: Any) -> Any:
            raise KeyError("no luck")

    with pytest.raises(ConformanceError) as error:
        check_tool(with_codec(Raising()), examples=5)
    text = str(error.value)
    assert "expected:  an answer, whatever the arguments are" in text
    assert "got:       an exception: KeyError: 'no luck'" in text
    assert 'raise KeyError("no luck")' in text


def with_codec(codec: Codec) -> Tool:
    """Return a tool with one parameter, whose codec the test provides."""

    def take(value: str) -> None:
        """Take a value.

        Args:
            value: It.
        """

    tool = Tool.from_function(take)
    tool.signature.parameters = (tool.signature.parameters[0]._replace(codec=codec),)
    return tool


# --- examples -----------------------------------------------------------------------------------------------------


def answer(number: int) -> datetime:
    """Answer with a time.

    Args:
        number: A number.
    """
    calls.append(number)
    return datetime(2024, 1, number, tzinfo=UTC)


calls: list[int] = []


@pytest.mark.parametrize(
    ("options", "invoke", "skipped"),
    [
        ({"read_only": True}, False, ""),
        ({}, True, ""),
        ({"destructive": True, "requires_approval": True}, True, ""),
        (
            {},
            False,
            "it is not declared read_only=True, so its examples run only with --fcregistry-invoke (invoke=True)",
        ),
        (
            {"read_only": True, "requires_approval": True},
            False,
            "it requires approval, so its examples run only with --fcregistry-invoke (invoke=True)",
        ),
        ({"read_only": True, "requires_env": "ACME_NOT_SET"}, True, "the environment variable ACME_NOT_SET is not set"),
    ],
)
def test_examples_run_if_the_tool_is_read_only_or_invoke_is_true(options: Any, invoke: bool, skipped: str) -> None:
    calls.clear()
    tool = Tool.from_function(answer, examples=[{"number": 3}, {"number": 4}], **options)
    report = check_tool(tool, examples=20, invoke=invoke)
    assert report.skipped == ({"answers-its-examples": skipped} if skipped else {})
    assert calls == ([] if skipped else [3, 4])


class Shop:
    """The object that an application passes as a dependency."""


def of_shop(first: int, context: Context[Shop], /, *rest: str, **named: int) -> str:
    """Ask a shop.

    Args:
        first: A number.
        *rest: Texts.
        **named: Numbers by name.
    """
    raise AssertionError("it is never run")


def test_a_tool_with_a_context_is_checked_and_its_examples_do_not_run() -> None:
    tool = Tool.from_function(of_shop, read_only=True, examples=[{"first": 1, "rest": ["a"], "b": 2}])
    report = check_tool(tool, examples=20, invoke=True)
    assert report.skipped == {
        "answers-its-examples": "its context needs an object of Shop, which only an application can pass"
    }


def test_an_example_that_fails_is_a_failure() -> None:
    tool = Tool.from_function(answer, examples=[{"number": 99}], read_only=True)
    with pytest.raises(ConformanceError) as error:
        check_tool(tool, examples=5)
    assert broken_by(error) == ["answers-its-examples"]
    with pytest.raises(ValueError, match="day") as raised:
        answer(99)
    assert f"got:       ValueError: {raised.value}" in str(error.value)


def test_a_result_that_breaks_its_schema_is_a_failure() -> None:
    def share() -> Annotated[float, Interval(ge=0, le=1)]:
        """Answer with a share."""
        return 2.5

    with pytest.raises(ConformanceError, match=r"got:       2\.5: \$: must be at most 1, not 2\.5"):
        check_tool(Tool.from_function(share, examples=[{}], read_only=True), examples=5)


# --- strategies ---------------------------------------------------------------------------------------------------


def test_arguments_of_a_tool_are_accepted_and_wrong_arguments_are_refused() -> None:
    tool = Tool.from_function(texts)
    for right in draw(arguments_of(tool)):
        assert tool.validator().is_valid(right)
    for wrong in draw(wrong_arguments_of(tool)):
        assert not tool.validator().is_valid(wrong)


def test_declared_examples_are_among_the_arguments() -> None:
    tool = Tool.from_function(later, examples=[{"day": 123456789}, {"day": "wrong"}])
    days = [each["day"] for each in draw(arguments_of(tool))]
    assert 123456789 in days
    assert "wrong" not in days


def test_references_that_cannot_be_followed_are_left_to_the_validator() -> None:
    """The values are filtered by the validator."""

    def take(flag: Any) -> None:
        """Take a flag."""

    schema = {
        "$id": "https://acme.example/schema",
        "properties": {"flag": {"$ref": "https://acme.example/schema#/$defs/flag"}},
        "required": ["flag"],
        "$defs": {"flag": {"type": "boolean"}},
    }
    found = draw(arguments_of(Tool.from_function(take, parameters=schema)), 10)
    assert {type(each["flag"]) for each in found} == {bool}


def test_a_strategy_for_an_unknown_format_can_be_passed() -> None:
    def look_up(code: Any) -> None:
        """Look up a code."""

    code = {"type": "string", "format": "acme-code", "description": "A code."}
    tool = Tool.from_function(look_up, parameters={"properties": {"code": code}, "required": ["code"]})
    found = draw(arguments_of(tool, formats={"acme-code": st.just("ACME-1")}))
    assert {each["code"] for each in found} == {"ACME-1"}


def draw(strategy: st.SearchStrategy[Any], count: int = 60) -> list[Any]:
    return drawn(strategy, count)


# --- the module itself --------------------------------------------------------------------------------------------


def test_remarks_on_definitions_are_silenced_while_rules_are_tried() -> None:
    """In a run with warnings as errors, they would be failures; `lint` reports parameters without types."""

    def untyped(a) -> None:  # type: ignore[no-untyped-def]  # the point
        """Take anything.

        Args:
            a: Anything.
        """

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert check_tool(untyped, examples=5).ok


def test_a_name_that_does_not_exist_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match=r"module 'fcregistry\.testing' has no attribute 'check_everything'"):
        testing.check_everything  # noqa: B018
    assert set(testing.__all__) <= set(dir(testing))


def test_the_calls_that_rules_make_are_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, logger="fcregistry.calls"):
        check_tool(Tool.from_function(answer), examples=20)
        assert caplog.records == []
        Executor(answer).run({"name": "answer"})
        assert [record.name for record in caplog.records] == ["fcregistry.calls"] * 2


@pytest.mark.parametrize("annotation", [list[float], dict[str, Any], Any])
def test_an_example_may_answer_with_numbers_that_are_not_finite_if_null_is_written(annotation: Any) -> None:
    def measure() -> Any:
        """Measure it."""
        return [float("inf")] if annotation == list[float] else {"value": float("nan")}

    measure.__annotations__["return"] = annotation
    assert check_tool(Tool.from_function(measure, on_nan="null", examples=[{}], read_only=True), examples=5).ok
    with pytest.raises(ConformanceError, match="not finite"):
        check_tool(Tool.from_function(measure, examples=[{}], read_only=True), examples=5)
