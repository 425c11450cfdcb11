"""What is repaired in a model's arguments because the schema makes the meaning certain, and what is not."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal, NotRequired, TypedDict

import pytest

from fcregistry import Executor, Tool, ToolCall, ToolResult

from .reading import ALL_REPAIRS


@dataclass
class Point:
    x: int
    tags: list[str] | None = None


def take(
    items: list[int] | None = None,
    point: Point | None = None,
    text: str = "default",
    either: str | list[int] = "default",
    count: int = 7,
) -> list[Any]:
    """Return what arrives."""
    return [items, point, text, either, count]


EXECUTOR = Executor([take])
NOTHING = [None, None, "default", "default", 7]


def run(arguments: object, executor: Executor = EXECUTOR) -> ToolResult:
    return executor.run({"name": "take", "arguments": arguments})


@pytest.mark.parametrize(
    ("arguments", "place", "value", "repair"),
    [
        ({"items": "[1, 2]"}, 0, [1, 2], "$.items was JSON text: taken as the array that it holds"),
        ({"point": '{"x": 1}'}, 1, Point(1), "$.point was JSON text: taken as the object that it holds"),
        (
            {"point": {"x": 1, "tags": '["a"]'}},
            1,
            Point(1, ["a"]),
            "$.point.tags was JSON text: taken as the array that it holds",
        ),
        ({"count": None}, 4, 7, "$.count was null: taken as left out"),
        ({"text": None}, 2, "default", "$.text was null: taken as left out"),
    ],
)
def test_arguments_with_a_certain_meaning_are_repaired_and_recorded(
    arguments: dict[str, Any], place: int, value: object, repair: str
) -> None:
    before = copy.deepcopy(arguments)
    result = run(arguments)

    assert result.ok, result.content
    assert result.value == [*NOTHING[:place], value, *NOTHING[place + 1 :]]
    assert result.repairs == (repair,)
    assert arguments == before
    assert result.to_json()["repairs"] == [repair]


SINGLE_QUOTES = "had single quotes that JSON does not know: taken as JSON writes them"


@pytest.mark.parametrize(
    ("arguments", "place", "value", "repairs"),
    [
        (
            {"point": "{'x': 1, 'tags': None}"},
            1,
            Point(1),
            (
                "$.point was JSON text: taken as the object that it holds",
                "the text of $.point had True, False or None: taken as true, false or null",
                f"the text of $.point {SINGLE_QUOTES}",
            ),
        ),
        (
            {"items": "```json\n[1, 2,]\n```"},
            0,
            [1, 2],
            (
                "$.items was JSON text: taken as the array that it holds",
                "the text of $.items had a code fence: left out",
                "the text of $.items had trailing commas: left out",
            ),
        ),
        (
            "{'items': \"[1]\"}",
            0,
            [1],
            (f"the arguments {SINGLE_QUOTES}", "$.items was JSON text: taken as the array that it holds"),
        ),
    ],
)
def test_text_that_contains_an_array_or_object_may_have_slips_of_its_own(
    arguments: object, place: int, value: object, repairs: tuple[str, ...]
) -> None:
    result = run(arguments)

    assert result.ok, result.content
    assert result.value == [*NOTHING[:place], value, *NOTHING[place + 1 :]]
    assert result.repairs == repairs


@pytest.mark.parametrize(
    ("repair", "arguments"),
    [
        ("wrapped-json", {"items": "[1, 2]"}),
        ("wrapped-json", {"point": {"x": 1, "tags": '["a"]'}}),
        ("explicit-null", {"count": None}),
        ("single-quotes", {"point": "{'x': 1}"}),
        ("trailing-commas", {"items": "[1,]"}),
    ],
)
def test_a_repair_that_is_switched_off_is_not_made(repair: str, arguments: dict[str, Any]) -> None:
    assert run(arguments).ok
    for allowed in (ALL_REPAIRS - {repair}, ()):
        result = run(arguments, Executor([take], repairs=allowed))
        assert result.error is not None
        assert result.error.problems
        assert result.repairs == ()


@pytest.mark.parametrize(
    ("allowed", "repair", "problem"),
    [
        ("explicit-null", "$.count was null: taken as left out", '$.items: must be an array or null, not "[1]"'),
        (
            "wrapped-json",
            "$.items was JSON text: taken as the array that it holds",
            "$.count: must be an integer, not null",
        ),
    ],
)
def test_one_repair_is_made_where_the_other_is_switched_off(allowed: str, repair: str, problem: str) -> None:
    result = run({"items": "[1]", "count": None}, Executor([take], repairs={allowed}))

    assert result.error is not None
    assert result.repairs == (repair,)
    assert [str(each) for each in result.error.problems] == [problem]


def test_a_text_that_violates_twice_is_repaired_once() -> None:
    arrays = {"allOf": [{"type": "array"}, {"type": "array", "minItems": 1}]}
    result = foreign(arrays, "[1]")

    assert result.value == {"a": [1]}
    assert result.repairs == ("$.a was JSON text: taken as the array that it holds",)


@pytest.mark.parametrize("arguments", [{"text": "[1, 2]"}, {"either": "[1, 2]"}, {"items": None}, {"text": "null"}])
def test_valid_arguments_are_not_changed(arguments: dict[str, Any]) -> None:
    result = run(arguments)

    assert result.ok
    assert result.repairs == ()
    assert result.arguments == arguments


@pytest.mark.parametrize(
    "arguments",
    [
        {"count": "5"},
        {"count": "true"},
        {"count": 5.5},
        {"count": True},
        {"items": "1, 2"},
        {"items": "[1, 2"},
        {"items": '[1, "2"]'},
        {"items": "[NaN]"},
        {"point": '{"x": 1, "x": 2}'},
        {"point": '{"x": 1'},
        {"point": "{'x': 1"},
        {"point": "{x: y}"},
        {"items": "[one]"},
        {"items": "[1] and [2]"},
        {"point": {"x": None}},
        {"text": 5},
    ],
)
def test_arguments_with_an_uncertain_meaning_are_refused(arguments: dict[str, Any]) -> None:
    result = run(arguments)

    assert result.error is not None
    assert result.error.code == "invalid_arguments"


def test_the_approver_gets_the_repaired_arguments() -> None:
    shown: list[ToolCall] = []

    def approve(tool: Tool, call: ToolCall) -> bool:
        shown.append(call)
        return True

    executor = Executor([Tool.from_function(take, requires_approval=True)], approve=approve)
    assert executor.run({"name": "take", "arguments": {"items": "[1]", "count": None}}).ok
    assert shown == [ToolCall("take", {"items": [1]})]


# --- null for what is left out, below the top -----------------------------------------------------


@dataclass
class Address:
    city: str
    street: str = "none"
    number: int | None = 7


class Person(TypedDict):
    name: str
    age: NotRequired[int]
    home: NotRequired[Address]


@dataclass
class Tree:
    name: str
    below: list[Tree] = field(default_factory=list)
    note: str = ""


@dataclass
class Circle:
    kind: Literal["circle"]
    radius: float
    label: str = ""


@dataclass
class Square:
    kind: Literal["square"]
    side: float
    label: str = ""
    tilt: float = 0


def nested(
    person: Person | None = None,
    people: list[Person] = [],  # noqa: B006
    by_name: dict[str, Address] = {},  # noqa: B006
    pair: tuple[Address, int] | None = None,
    tree: Tree | None = None,
    shape: Circle | Square | str = "",
) -> Any:
    return [person, people, by_name, pair, tree, shape]


NESTED = Executor([nested])


@pytest.mark.parametrize(
    ("arguments", "places"),
    [
        ({"person": {"name": "Ann", "age": None}}, ["$.person.age"]),
        ({"person": {"name": "Ann", "home": None}}, ["$.person.home"]),
        (
            {"person": {"name": "Ann", "age": None, "home": {"city": "Oslo", "street": None}}},
            ["$.person.age", "$.person.home.street"],
        ),
        ({"people": [{"name": "Ann"}, {"name": "Bob", "age": None}]}, ["$.people[1].age"]),
        ({"by_name": {"a b": {"city": "Oslo", "street": None}}}, ["$.by_name['a b'].street"]),
        ({"pair": [{"city": "Oslo", "street": None}, 1]}, ["$.pair[0].street"]),
        (
            {"tree": {"name": "a", "note": None, "below": [{"name": "b", "below": [{"name": "c", "note": None}]}]}},
            ["$.tree.below[0].below[0].note", "$.tree.note"],
        ),
        ({"tree": {"name": "a", "below": None, "note": None}}, ["$.tree.below", "$.tree.note"]),
        ({"shape": {"kind": "circle", "radius": 1, "label": None}}, ["$.shape.label"]),
        ({"shape": {"kind": "square", "side": 1, "label": None, "tilt": None}}, ["$.shape.label", "$.shape.tilt"]),
        ({"person": '{"name": "Ann", "age": null}'}, ["$.person.age"]),
    ],
)
def test_null_means_that_an_optional_property_is_left_out_at_any_depth(
    arguments: dict[str, Any], places: list[str]
) -> None:
    before = copy.deepcopy(arguments)
    result = NESTED.run({"name": "nested", "arguments": arguments})

    assert result.ok, result.content
    repairs = [f"{place} was null: taken as left out" for place in places]
    assert [each for each in result.repairs if "null" in each] == repairs
    assert arguments == before


def test_the_tool_gets_the_arguments_as_if_the_property_were_left_out() -> None:
    result = NESTED.run(
        {
            "name": "nested",
            "arguments": {
                "people": [{"name": "Bob", "age": None}],
                "shape": {"kind": "circle", "radius": 1, "label": None},
            },
        }
    )

    assert result.value[1] == [{"name": "Bob"}]
    assert result.value[5] == Circle("circle", 1.0, "")


def test_null_stays_where_it_is_valid() -> None:
    arguments = {"person": {"name": "Ann", "age": None, "home": {"city": "Oslo", "number": None}}, "tree": None}
    result = NESTED.run({"name": "nested", "arguments": arguments})

    assert result.value[0]["home"] == Address("Oslo", "none", None)
    assert result.repairs == ("$.person.age was null: taken as left out",)


@pytest.mark.parametrize(
    ("arguments", "path"),
    [
        ({"person": {"name": None}}, "$.person.name"),
        ({"people": [None]}, "$.people[0]"),
        ({"by_name": {"a": None}}, "$.by_name.a"),
        ({"pair": [None, 1]}, "$.pair[0]"),
        ({"person": {"name": "Ann", "size": None}}, "$.person.size"),
        ({"shape": {"kind": "circle", "radius": None, "label": None}}, "$.shape.radius"),
        ({"shape": {"kind": "circle", "radius": 1, "tilt": None}}, "$.shape.tilt"),
    ],
)
def test_null_for_a_required_or_unknown_property_is_refused(arguments: dict[str, Any], path: str) -> None:
    result = NESTED.run({"name": "nested", "arguments": arguments})

    assert result.error is not None
    assert path in [problem.path for problem in result.error.problems]


def take_any(**given: Any) -> dict[str, Any]:
    return given


def foreign(schema: dict[str, Any], value: Any) -> ToolResult:
    tool = Tool.from_function(take_any, name="take", parameters={"properties": {"a": schema}, "$defs": DEFS})
    return Executor([tool]).run({"name": "take", "arguments": {"a": value}})


DEFS: dict[str, Any] = {
    "Base": {"properties": {"x": {"type": "integer"}}},
    "Loop": {"$ref": "#/$defs/Loop2"},
    "Loop2": {"properties": {"x": {"type": "integer"}, "more": {"$ref": "#/$defs/Loop"}}},
}
ONE = {"type": "object", "properties": {"x": {"type": "integer"}, "y": {"type": ["integer", "null"]}}}


@pytest.mark.parametrize(
    ("schema", "value", "left"),
    [
        ({"allOf": [{"$ref": "#/$defs/Base"}, {"properties": {"z": {"type": "string"}}}]}, {"x": None, "z": None}, {}),
        ({"$ref": "#/$defs/Loop"}, {"x": 1, "more": {"more": {"x": None}}}, {"x": 1, "more": {"more": {}}}),
        (
            {"prefixItems": [{"$ref": "#/$defs/Base"}], "items": {"$ref": "#/$defs/Base"}},
            [{"x": None}, {"x": None}],
            [{}, {}],
        ),
        ({"oneOf": [{"$ref": "#/$defs/Base", "required": ["k"]}, {"type": "string"}]}, {"x": None, "k": 1}, {"k": 1}),
        ({"anyOf": [{"anyOf": [ONE, {"type": "string"}]}, {"type": "integer"}]}, {"x": None}, {}),
        ({"properties": {"e": {"enum": ["a"]}, "c": {"const": 1}}}, {"e": None, "c": None}, {}),
        ({"properties": {"u": {"anyOf": [{"type": "string"}, {"type": "integer"}]}}}, {"u": None}, {}),
    ],
)
def test_null_is_repaired_by_the_schema_also_if_it_is_external(schema: dict[str, Any], value: Any, left: Any) -> None:
    result = foreign(schema, value)

    assert result.ok, result.content
    assert result.value == {"a": left}
    assert result.repairs


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        # Dropping `x` makes it valid for the first, dropping `y` for the second: which was meant?
        (
            {
                "anyOf": [
                    {"properties": {"x": {"type": "integer"}, "y": {"type": ["null", "integer"]}}, "required": ["y"]},
                    {"properties": {"y": {"type": "integer"}, "x": {"type": ["null", "integer"]}}, "required": ["x"]},
                ]
            },
            {"x": None, "y": None},
        ),
        # The branch lets `x` be left out, and what stands around the union does not.
        ({"anyOf": [{"properties": {"x": {"type": "integer"}}}, {"type": "string"}], "required": ["x"]}, {"x": None}),
        # The branch that has no `x` would take the rest, and the one that has it wants more.
        (
            {
                "anyOf": [
                    {
                        "properties": {"x": {"type": "integer"}, "z": {}},
                        "required": ["z"],
                        "additionalProperties": False,
                    },
                    {"properties": {"w": {}}, "additionalProperties": False},
                ]
            },
            {"x": None},
        ),
        ({"additionalProperties": {"type": "integer"}}, {"x": None}),
    ],
)
def test_null_with_several_possible_meanings_is_refused(schema: dict[str, Any], value: Any) -> None:
    result = foreign(schema, value)

    assert result.error is not None
    assert (result.error.code, result.repairs) == ("invalid_arguments", ())


def test_numbers_keep_their_digits_through_every_repair() -> None:
    """A Decimal has the digits that the model wrote, in a wrapped array and beside a null that is dropped."""

    def pay(prices: list[Decimal], tip: Decimal, note: str = "") -> list[Decimal]:
        """Pay."""
        return [*prices, tip]

    digits = "0.1000000000000000000000000001"
    arguments = f'{{"prices": "[{digits}]", "tip": {digits}, "note": null}}'
    result = Executor([pay]).run({"name": "pay", "arguments": arguments})
    assert result.value == [Decimal(digits), Decimal(digits)]
    assert result.repairs == (
        "$.note was null: taken as left out",
        "$.prices was JSON text: taken as the array that it holds",
    )
