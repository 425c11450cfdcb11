from __future__ import annotations

import collections
import dataclasses
import typing
from dataclasses import InitVar, dataclass, field
from datetime import date
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, NotRequired, Required, TypedDict

import pytest
import typing_extensions

from fcregistry.types import Refusal, codec_of, schema_of

from .cases import assert_refuses, assert_round_trip, schema_of_results, why_unsupported
from .other_module import Address as OtherAddress


@dataclass
class Point:
    """A point in the plane."""

    x: int
    y: int = 0


@dataclass
class Address:
    street: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Trip:
    start: Point
    stops: list[Point] = field(default_factory=list)
    day: date | None = None
    count: ClassVar[int] = 0
    length: int = field(init=False, default=0)


@dataclass
class Checked:
    low: int
    high: int

    def __post_init__(self) -> None:
        if self.low > self.high:
            raise ValueError("low is above high")


@dataclass
class Node:
    value: int
    next: Node | None = None


@dataclass
class WithInitVar:
    x: int
    scale: InitVar[int] = 1

    def __post_init__(self, scale: int) -> None:
        self.scaled = self.x * scale


@dataclass
class Holder:
    callback: collections.abc.Callable[[], None]
    number: complex
    fine: int


@dataclass
class Dangling:
    x: Missing  # noqa: F821


class Movie(TypedDict):
    title: str
    year: NotRequired[int]


class Search(TypedDict, total=False):
    query: Required[str]
    limit: int


class Extended(Movie, total=False):
    rating: float
    tags: Required[list[str]]


class ReadOnlyMovie(typing_extensions.TypedDict):
    title: typing_extensions.ReadOnly[str]


Odd = TypedDict("Odd", {"in": int, "class": NotRequired[str]})


class Pair(NamedTuple):
    first: int
    second: str = "b"


class Nothing(NamedTuple):
    pass


# --- dataclasses -------------------------------------------------------------------------------------------------


def test_a_dataclass_is_an_object_of_exactly_its_fields_without_its_docstring() -> None:
    assert schema_of(Point) == {
        "type": "object",
        "properties": {"x": {"type": "integer"}, "y": {"type": "integer", "default": 0}},
        "required": ["x"],
        "additionalProperties": False,
    }


def test_a_dataclass_is_rebuilt_with_its_nested_records() -> None:
    encoded = {"start": {"x": 1, "y": 2}, "stops": [{"x": 3, "y": 0}], "day": "2024-05-01"}
    assert_round_trip(Trip, encoded, Trip(start=Point(1, 2), stops=[Point(3)], day=date(2024, 5, 1)))


def test_omitted_fields_take_their_defaults_a_fresh_one_of_each_factory() -> None:
    codec = codec_of(Trip)
    first, second = codec.decode({"start": {"x": 1}}), codec.decode({"start": {"x": 1}})
    assert first == Trip(start=Point(1, 0))
    assert first.stops is not second.stops


def test_class_variables_and_fields_that_init_does_not_take_are_left_out() -> None:
    assert list(schema_of(Trip)["properties"]) == ["start", "stops", "day"]


def test_a_record_refuses_missing_unknown_and_wrong_fields() -> None:
    assert_refuses(Point, {}, {"y": 1}, {"x": 1, "z": 2}, {"x": "1"}, {"x": True}, [1, 2], None, "x")


def test_an_exception_in_post_init_is_a_refusal_with_a_path() -> None:
    assert codec_of(list[Checked]).accepts([{"low": 2, "high": 1}])
    with pytest.raises(Refusal) as caught:
        codec_of(list[Checked]).decode([{"low": 1, "high": 2}, {"low": 2, "high": 1}])
    assert caught.value.path == (1,)
    assert caught.value.reason == "Checked refuses it: ValueError: low is above high"


def test_a_refused_field_is_named_in_the_path() -> None:
    made = dataclasses.make_dataclass("Made", [("checks", list[Checked])])
    with pytest.raises(Refusal) as caught:
        codec_of(made).decode({"checks": [{"low": 2, "high": 1}]})
    assert caught.value.path == ("checks", 0)


def test_an_init_variable_can_be_passed_and_is_in_no_result() -> None:
    codec = codec_of(WithInitVar)
    assert schema_of(WithInitVar)["properties"]["scale"] == {"type": "integer", "default": 1, "writeOnly": True}
    assert list(schema_of_results(WithInitVar)["properties"]) == ["x"]
    assert codec.decode({"x": 2, "scale": 3}).scaled == 6
    assert codec.encode(WithInitVar(2, 3)) == {"x": 2}
    assert codec.unsaid == ("WithInitVar: scale can be given, and is not in what is written of it",)


def test_all_bad_fields_are_named_at_once() -> None:
    message = why_unsupported(Holder)
    assert "field 'callback' of Holder: Callable[[], None]: a model cannot write a function" in message
    assert "field 'number' of Holder: complex: JSON has no complex numbers" in message
    assert "fine" not in message


def test_an_annotation_that_cannot_be_resolved_is_named() -> None:
    assert why_unsupported(Dangling) == (
        "the annotations of Dangling cannot be resolved: NameError: name 'Missing' is not defined"
    )


# --- TypedDicts --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("annotation", "required", "fields"),
    [
        (Movie, ["title"], ["title", "year"]),
        (Search, ["query"], ["query", "limit"]),
        (Extended, ["title", "tags"], ["title", "year", "rating", "tags"]),
        (ReadOnlyMovie, ["title"], ["title"]),
        (Odd, ["in"], ["in", "class"]),
    ],
)
def test_a_typed_dict_with_annotations_as_strings_has_its_required_keys(
    annotation: Any, required: list[str], fields: list[str]
) -> None:
    schema = schema_of(annotation)
    assert schema["required"] == required
    assert list(schema["properties"]) == fields
    assert schema["additionalProperties"] is False


def test_a_typed_dict_is_a_plain_dict_in_python() -> None:
    assert_round_trip(Movie, {"title": "Alien"}, {"title": "Alien"})
    assert_round_trip(Movie, {"title": "Alien", "year": 1979}, {"title": "Alien", "year": 1979})
    assert_round_trip(Odd, {"in": 1, "class": "a"}, {"in": 1, "class": "a"})
    assert_refuses(Movie, {"year": 1979}, {"title": "Alien", "director": "Scott"}, {"title": 1})


def test_a_dict_with_the_fields_of_a_typed_dict_is_of_that_type() -> None:
    codec = codec_of(Movie)
    assert codec.handles({"title": "Alien"})
    for value in ({}, {"title": 1}, {"title": "Alien", "director": "Scott"}, "Alien"):
        assert not codec.handles(value)


# --- NamedTuples -------------------------------------------------------------------------------------------------


def test_a_named_tuple_is_an_object_of_its_fields() -> None:
    assert schema_of(Pair) == {
        "type": "object",
        "properties": {"first": {"type": "integer"}, "second": {"type": "string", "default": "b"}},
        "required": ["first"],
        "additionalProperties": False,
    }
    assert_round_trip(Pair, {"first": 1, "second": "x"}, Pair(1, "x"))
    assert codec_of(Pair).decode({"first": 1}) == Pair(1, "b")
    assert_refuses(Pair, [1, "x"], {"second": "x"})


def test_a_named_tuple_without_fields_is_an_empty_object() -> None:
    assert_round_trip(Nothing, {}, Nothing())
    assert_refuses(Nothing, {"a": 1}, [])


def test_a_namedtuple_without_types_is_refused_with_the_advice_to_take_a_typed_one() -> None:
    untyped = collections.namedtuple("Untyped", "a b")
    assert why_unsupported(untyped) == (
        "Untyped is a namedtuple without types; declare it as a class of typing.NamedTuple"
    )


# --- names in $defs ----------------------------------------------------------------------------------------------


def test_a_record_that_holds_itself_is_written_once_and_referred_to() -> None:
    assert schema_of(Node) == {
        "$ref": "#/$defs/Node",
        "$defs": {
            "Node": {
                "type": "object",
                "properties": {
                    "value": {"type": "integer"},
                    "next": {"anyOf": [{"$ref": "#/$defs/Node"}, {"type": "null"}], "default": None},
                },
                "required": ["value"],
                "additionalProperties": False,
            }
        },
    }
    assert_round_trip(Node, {"value": 1, "next": {"value": 2, "next": None}}, Node(1, Node(2)))
    assert_refuses(Node, {"value": 1, "next": {"value": "2"}}, {"value": 1, "next": {}})


def test_a_record_that_occurs_twice_is_written_once() -> None:
    schema = schema_of(tuple[Point, Point])
    assert list(schema["$defs"]) == ["Point"]
    assert schema["prefixItems"] == [{"$ref": "#/$defs/Point"}] * 2


def test_a_record_that_occurs_once_is_written_in_place() -> None:
    assert "$defs" not in schema_of(list[Point])


def test_two_records_of_one_name_in_different_modules_have_distinct_names_that_do_not_change() -> None:
    annotation = dict[str, tuple[Address, Address, OtherAddress, OtherAddress]]
    names = sorted(schema_of(annotation)["$defs"])
    assert names == sorted(f"{cls.__module__}.Address".replace(".", "_") for cls in (Address, OtherAddress))
    assert schema_of(annotation) == schema_of(annotation)
    encoded = {"a": [{"street": "x"}, {"street": "y"}, {"planet": "z"}, {"planet": "w"}]}
    decoded = {"a": (Address("x"), Address("y"), OtherAddress("z"), OtherAddress("w"))}
    assert_round_trip(annotation, encoded, decoded)


def test_changing_a_schema_changes_no_other_that_has_the_same_record_in_it() -> None:
    wanted = schema_of(Address)
    for given in (schema_of(Address), schema_of(dict[str, Address])["additionalProperties"]):
        assert given == wanted
        given["properties"]["street"]["type"] = "changed"
        given["properties"].clear()
    assert schema_of(Address) == schema_of(list[Address])["items"] == wanted


@dataclass
class Sender:
    """Who sends.

    Attributes:
        at: Where from.
    """

    at: Address


class Home(NamedTuple):
    at: Address = Address("x")


def test_the_description_of_a_field_is_written_at_that_field_only() -> None:
    bare = schema_of(Address)
    assert schema_of(Sender)["properties"]["at"] == {**bare, "description": "Where from."}
    assert schema_of(Home)["properties"]["at"] == {**bare, "default": {"street": "x"}}
    assert schema_of(Address) == schema_of(tuple[Address])["prefixItems"][0] == bare


def test_two_local_records_of_one_factory_have_distinct_names() -> None:
    def make(kind: Any) -> type:
        return dataclasses.make_dataclass("Made", [("x", kind)])

    first, second = make(int), make(str)
    schema = schema_of(tuple[first, first, second, second])
    assert len(schema["$defs"]) == 2
    assert [each["properties"]["x"]["type"] for each in schema["$defs"].values()] == ["integer", "string"]


def test_a_default_without_json_form_is_left_out_and_the_field_stays_optional() -> None:
    made = dataclasses.make_dataclass("Made", [("ratio", float, dataclasses.field(default=float("nan")))])
    assert schema_of(made)["properties"] == {"ratio": {"type": "number"}}
    assert "required" not in schema_of(made)


def test_annotated_texts_describe_fields() -> None:
    class Made(TypedDict):
        city: Annotated[str, "Where."]
        kind: Literal["a"]

    assert schema_of(Made)["properties"]["city"] == {"type": "string", "description": "Where."}


def test_typing_and_typing_extensions_typed_dicts_are_read_alike() -> None:
    made = [module.TypedDict("Made", {"a": int}) for module in (typing, typing_extensions)]
    assert schema_of(made[0]) == schema_of(made[1])
