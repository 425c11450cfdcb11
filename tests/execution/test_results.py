"""The text that a model reads for a return value, and for a value without a text."""

from __future__ import annotations

import enum
import json
from collections import ChainMap, OrderedDict, UserList, deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from pathlib import PurePosixPath
from typing import Any, Literal, NamedTuple
from uuid import UUID

import pytest

from fcregistry import Executor, Tool, ToolResult
from fcregistry.execution import Content


class Colour(enum.Enum):
    RED = "red"


class Level(enum.IntEnum):
    LOW = 1


@dataclass
class Point:
    x: int
    colour: Colour = Colour.RED


class Pair(NamedTuple):
    left: int
    right: str


class Item(dict[str, int]): ...


def result_of(value: Any, annotation: Any = None) -> ToolResult:
    """Return the result of a tool that returns a value."""

    def returns():  # type: ignore[no-untyped-def]
        return value

    if annotation is not None:
        returns.__annotations__ = {"return": annotation}
    return Executor([returns]).run({"name": "returns"})


@pytest.mark.parametrize(
    ("value", "content"),
    [
        ("test", "test"),
        ("", ""),
        ('"quoted"', '"quoted"'),
        ("東京\n", "東京\n"),
        (None, "null"),
        (0, "0"),
        (5, "5"),
        (1.5, "1.5"),
        (-0.0, "-0.0"),
        (True, "true"),
        (False, "false"),
        ([], "[]"),
        ([1, 2], "[1, 2]"),
        ((1, "a"), '[1, "a"]'),
        ({"a": None, "b": True}, '{"a": null, "b": true}'),
        ({"success": False, "status": "error"}, '{"success": false, "status": "error"}'),
        ({1: "a"}, '{"1": "a"}'),
        (OrderedDict(b=1, a=2), '{"b": 1, "a": 2}'),
        (Item(a=1), '{"a": 1}'),
        (datetime(2024, 5, 1, 12, tzinfo=UTC), '"2024-05-01T12:00:00+00:00"'),
        (date(2024, 5, 1), '"2024-05-01"'),
        (time(12, 30), '"12:30:00"'),
        (Decimal("0.10"), '"0.10"'),
        (PurePosixPath("/tmp/x"), '"/tmp/x"'),
        (UUID("12345678-1234-5678-1234-567812345678"), '"12345678-1234-5678-1234-567812345678"'),
        ({3}, "[3]"),
        (frozenset({"a"}), '["a"]'),
        (deque([1, 2]), "[1, 2]"),
        (range(3), "[0, 1, 2]"),
        ({"b": 1, "a": date(2024, 5, 1)}.values(), '[1, "2024-05-01"]'),
        ({"b": 1, "a": 2}.items(), '[["b", 1], ["a", 2]]'),
        (UserList([Level.LOW]), "[1]"),
        ({Colour.RED: 1}, '{"red": 1}'),
        ([{"a": {date(2024, 5, 1): {PurePosixPath("/b"): {2}}}}], '[{"a": {"2024-05-01": {"/b": [2]}}}]'),
        ({Colour.RED: "\ud83d"}, '{"red": "\\ud83d"}'),
        (OrderedDict({Fraction(1, 2): 1, None: Point(1)}), '{"1/2": 1, "null": {"x": 1, "colour": "red"}}'),
        (Colour.RED, '"red"'),
        (Level.LOW, "1"),
        (Point(1), '{"x": 1, "colour": "red"}'),
        ([Point(1)], '[{"x": 1, "colour": "red"}]'),
        ({"deep": [{"point": Point(1)}]}, '{"deep": [{"point": {"x": 1, "colour": "red"}}]}'),
        (["東京"], '["東京"]'),
    ],
    ids=repr,
)
def test_a_text_is_shown_as_it_is_and_everything_else_as_json(value: Any, content: str) -> None:
    result = result_of(value)

    assert result.ok, result.content
    assert result.content == content
    assert result.value is value
    assert result.unwrap() is value


@pytest.mark.parametrize("value", [timedelta(days=1), b"bytes", Pair(1, "a")], ids=repr)
def test_a_value_with_a_json_form_is_shown_in_it_and_never_as_a_repr(value: Any) -> None:
    result = result_of(value)

    assert result.ok, result.content
    assert json.loads(result.content) is not None
    assert repr(value) not in result.content


@pytest.mark.parametrize(
    ("value", "annotation", "content"),
    [
        (Point(1), Point, '{"x": 1, "colour": "red"}'),
        ({2, 1}, set[int], None),
        ((1, date(2024, 5, 1)), tuple[int, date], '[1, "2024-05-01"]'),
        ({"a": Decimal("1.5")}, dict[str, Decimal], '{"a": "1.5"}'),
        ("not a point", Point, "not a point"),
        (5, str, "5"),
        ([Colour.RED], list[Colour], '["red"]'),
    ],
    ids=repr,
)
def test_a_value_is_shown_by_the_return_annotation_if_it_is_of_that_type(
    value: Any, annotation: Any, content: str | None
) -> None:
    result = result_of(value, annotation)

    assert result.ok, result.content
    assert result.value is value
    assert content is None or result.content == content


class Opaque:
    """Has no JSON form."""


class RaisingMapping(Mapping[str, int]):
    def __getitem__(self, name: str) -> int:
        raise RuntimeError("no items at <C object at 0x7f00deadbeef>")

    def __iter__(self) -> Iterator[str]:
        raise RuntimeError("no items at <C object at 0x7f00deadbeef>")

    def __len__(self) -> int:
        return 1


class RaisingDict(dict[str, int]):
    def items(self) -> Any:
        raise RuntimeError


def cyclic() -> list[Any]:
    inner: list[Any] = []
    inner.append(inner)
    return inner


NOT_FINITE = (
    "the value holds a number that is not finite (NaN or infinity), which JSON does not allow; "
    'with on_nan="null" for the tool or the executor, it is written as null'
)


def deep() -> list[Any]:
    value: list[Any] = []
    for _ in range(100_000):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (Opaque(), "a value of type {module}.Opaque has no JSON form"),
        ({"a": [Opaque()]}, "a value of type {module}.Opaque has no JSON form"),
        (float("nan"), NOT_FINITE),
        ([float("inf")], NOT_FINITE),
        (cyclic(), "the value contains itself, or is nested too deeply for JSON"),
        ({Colour.RED: cyclic()}, "the value contains itself, or is nested too deeply for JSON"),
        ({Colour.RED: Opaque()}, "a value of type {module}.Opaque has no JSON form"),
        ({Colour.RED: 1, "red": 2}, "the value contains a dict with two keys that both become 'red' in JSON"),
        ({1: "a", "1": "b"}, "the value contains a dict with two keys that both become '1' in JSON"),
        ([{"x": {"true": 1, True: 2}}], "the value contains a dict with two keys that both become 'true' in JSON"),
        (
            OrderedDict([(None, 1), ("null", 2)]),
            "the value contains a dict with two keys that both become 'null' in JSON",
        ),
        (ChainMap({1.5: 1}, {"1.5": 2}), "the value contains a dict with two keys that both become '1.5' in JSON"),
        ({date(2026, 1, 31): 1, 2: 3, "2": 4}, "the value contains a dict with two keys that both become '2' in JSON"),
        ({Colour.RED: {len: 1}}, "a value of type builtins.builtin_function_or_method has no JSON form"),
        (deep(), "the value contains itself, or is nested too deeply for JSON"),
        ({(1, 2): 3}, "the value holds a dict with keys that are not strings, numbers, booleans or None"),
        (RaisingMapping(), "RuntimeError: no items at <C object at 0x…>"),
        (RaisingDict(a=1), "RuntimeError"),
        (object, "a value of type builtins.type has no JSON form"),
        (len, "a value of type builtins.builtin_function_or_method has no JSON form"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_the_error_for_a_result_that_cannot_be_shown_names_its_type(value: Any, said: str) -> None:
    result = result_of(value)

    assert not result.ok
    assert result.error is not None
    assert result.error.code == "unencodable_result"
    assert result.content == f"returns ran, but its result cannot be shown: {said.format(module=__name__)}"
    assert result.value is None


def test_equal_keys_of_two_dicts_are_no_problem() -> None:
    assert (
        result_of([{1: "a"}, {"1": "b"}, {"2": {2: "\\"}}]).content == '[{"1": "a"}, {"1": "b"}, {"2": {"2": "\\\\"}}]'
    )


def test_keys_that_become_one_name_are_refused_in_arguments_and_content_too() -> None:
    def take(value: dict[str, Any]) -> None:
        """Take a value."""

    both = {1: "a", "1": "b"}
    refused = Executor([take]).call("take", value={"inner": [both]})
    assert refused.error is not None
    assert refused.error.problems[0].message == "the value contains a dict with two keys that both become '1' in JSON"
    with pytest.raises(TypeError, match="take cannot take"):
        Tool.from_function(take).make_call(value=both)
    with pytest.raises(ValueError, match="two keys that both become '1'"):
        Content.json(both)


def test_the_content_is_made_before_the_result_so_that_later_changes_do_not_show() -> None:
    kept: list[int] = []

    def grows() -> list[int]:
        kept.append(len(kept))
        return kept

    executor = Executor([grows])
    first, second = executor.run({"name": "grows"}), executor.run({"name": "grows"})
    kept.clear()
    assert (first.content, second.content) == ("[0]", "[0, 1]")


def test_an_integer_of_ten_thousand_digits_gives_a_failed_result() -> None:
    result = result_of(10**10_000)

    assert not result.ok
    assert result.error is not None
    assert result.error.code == "unencodable_result"


@pytest.mark.parametrize("make", [lambda: "text", lambda: {"a": 1}, lambda: None])
def test_blocks_have_the_content_as_text(make: Callable[[], Any]) -> None:
    result = result_of(make())

    assert result.blocks == ({"type": "text", "text": result.content},)


def test_a_secret_of_the_tool_never_reaches_the_model_through_its_failures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FCR_TOKEN", "hunter2-hunter2")

    def connects() -> None:
        raise ConnectionError(
            "https://me:hunter2-hunter2@db at <Socket object at 0x7f00deadbeef> \x1b[31mhunter2-hunter2"
        )

    result = Executor([Tool.from_function(connects, requires_env="FCR_TOKEN")]).run({"name": "connects"})
    assert result.content == "ConnectionError: https://…@db at <Socket object at 0x…> …"
    assert "hunter2" not in json.dumps(result.to_json())


class Unspeakable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no")


@dataclass
class Picky:
    x: int

    def __post_init__(self) -> None:
        raise Unspeakable


@dataclass
class Größe:  # noqa: PLC2401  # no URI can hold it
    x: int


def test_an_exception_whose_text_cannot_be_read_affects_only_its_own_call() -> None:
    def take(p: Picky) -> None: ...

    def fine() -> int:
        return 1

    taken, ok = Executor([take, fine]).run_all([{"name": "take", "arguments": {"p": {"x": 1}}}, {"name": "fine"}])
    assert taken.error is not None
    assert taken.error.code == "invalid_arguments"
    assert ok.value == 1


def test_a_whole_number_of_a_literal_arrives_as_the_literal() -> None:
    def repeat(n: Literal[1, 2]) -> list[int]:
        assert type(n) is int
        return [0] * n

    assert Executor([repeat]).run({"name": "repeat", "arguments": '{"n": 2.0}'}).value == [0, 0]


def test_a_record_with_a_name_that_is_not_valid_in_a_uri_is_validated() -> None:
    def measure(a: Größe, b: Größe) -> int:
        return a.x + b.x

    result = Executor([measure]).run({"name": "measure", "arguments": {"a": {"x": 1}, "b": {"x": 2}}})
    assert result.value == 3


def test_two_texts_of_one_key_lose_no_entry() -> None:
    def total(d: dict[Decimal, int]) -> int:
        return sum(d.values())

    result = Executor([total]).run({"name": "total", "arguments": {"d": {"1": 1, "1.0": 2}}})
    assert "is another name of a key that is there already" in result.content


# --- results that are checked ------------------------------------------------------------------------------------


def point() -> Point:
    """Promise a point."""
    return {"x": "one"}  # type: ignore[return-value]  # and break the promise


def words() -> list[str]:
    """Promise words, and keep it."""
    return ["a", "b"]


def text() -> Literal["yes", "no"]:
    """Promise one of two words."""
    return "maybe"  # type: ignore[return-value]


def test_results_are_not_checked_by_default() -> None:
    assert Executor([point]).run(call_of(point)).content == '{"x": "one"}'


def test_with_check_results_a_result_that_does_not_match_its_schema_is_an_error() -> None:
    executor = Executor([point, text], check_results=True)
    result = executor.run(call_of(point))
    assert result.error is not None
    assert result.error.code == "unencodable_result"
    assert (
        result.content
        == 'point ran, but its result does not match its return schema: $.x must be an integer, not "one"'
    )
    assert executor.run(call_of(text)).content == (
        'text ran, but its result does not match its return schema: $ must be one of "yes", "no", not "maybe"'
    )


def test_a_result_that_matches_its_schema_passes_the_check_in_every_way_of_calling() -> None:
    executor = Executor([words], check_results=True, validator="jsonschema")
    assert executor.run(call_of(words)).value == ["a", "b"]
    assert [each.value for each in executor.run_all([call_of(words)] * 2)] == [["a", "b"]] * 2


def test_a_result_without_a_schema_is_not_checked() -> None:
    def anything():  # type: ignore[no-untyped-def]
        """Promise nothing."""
        return {"x": 1}

    assert Executor([anything], check_results=True).run(call_of(anything)).ok


def call_of(function: Callable[..., Any]) -> dict[str, Any]:
    return {"name": function.__name__, "arguments": {}}
