from __future__ import annotations

from typing import Annotated, Any, Generic, TypeVar

import msgspec
import pytest
from msgspec import UNSET, Meta, Struct, UnsetType

from fcregistry.types import Refusal, codec_of, schema_of

from .cases import assert_accepts, assert_refuses, assert_round_trip, why_unsupported

T = TypeVar("T")


class Person(Struct, rename="camel"):
    """A person.

    Attributes:
        age: In years.
    """

    first_name: str
    age: Annotated[int, Meta(ge=0, le=150, title="Age")] = 0
    tags: list[str] = []
    nick: str | UnsetType = UNSET
    level: int = msgspec.field(default=1, name="rank")
    notes: dict[str, int] = msgspec.field(default_factory=dict)


class Cat(Struct, tag=True):
    name: str


class Dog(Struct, tag=True):
    name: str


class Three(Struct, tag=3, tag_field="kind"):
    size: int


class Lower(Struct, tag_field="kind", tag=str.lower):
    size: int


class Frozen(Struct, frozen=True):
    x: int


class ById(Struct, eq=False):
    x: int


class Strict(Struct, forbid_unknown_fields=True):
    x: int


class Row(Struct, array_like=True):
    left: int
    right: int = 0


class Order(Struct, kw_only=True):
    first: int = 1
    then: int


class Box(Struct, Generic[T]):
    content: T
    more: list[T] = []


class Strings(Box[str]):
    count: int = 0


class Node(Struct):
    value: int
    next: Node | None = None


class Range(Struct):
    low: int
    high: int

    def __post_init__(self) -> None:
        if self.low > self.high:
            raise ValueError("low is above high")


class Maybe(Struct):
    size: Annotated[int, Meta(ge=1)] | UnsetType | None = UNSET


class Dangling(Struct):
    x: Missing  # noqa: F821


class Bad(Struct):
    number: complex
    raw: msgspec.Raw


def test_names_are_those_of_json_and_defaults_are_published() -> None:
    schema = schema_of(Person)
    assert list(schema["properties"]) == ["firstName", "age", "tags", "nick", "rank", "notes"]
    assert schema["required"] == ["firstName"]
    assert schema["properties"]["age"] == {
        "type": "integer",
        "minimum": 0,
        "maximum": 150,
        "title": "Age",
        "default": 0,
        "description": "In years.",
    }
    assert schema["properties"]["tags"] == {"type": "array", "items": {"type": "string"}}
    encoded = {"firstName": "Ann", "age": 3, "tags": ["a"], "nick": "A", "rank": 2, "notes": {"x": 1}}
    assert_round_trip(Person, encoded, Person("Ann", 3, ["a"], "A", 2, {"x": 1}))
    assert_refuses(Person, {"first_name": "Ann"}, {"firstName": "Ann", "level": 2}, {"firstName": "Ann", "age": 151})


def test_an_unset_field_is_left_out_and_null_is_refused() -> None:
    assert schema_of(Person)["properties"]["nick"] == {"type": "string"}
    assert "nick" not in codec_of(Person).encode(Person("Ann"))
    assert codec_of(Person).decode({"firstName": "Ann"}).nick is UNSET
    assert_refuses(Person, {"firstName": "Ann", "nick": None})


def test_null_differs_from_unset() -> None:
    assert_round_trip(Maybe, {}, Maybe())
    assert_round_trip(Maybe, {"size": None}, Maybe(None))
    assert_refuses(Maybe, {"size": 0})


def test_a_tag_is_in_the_json_and_not_in_the_instance() -> None:
    assert schema_of(Cat)["properties"]["type"] == {"type": "string", "enum": ["Cat"]}
    assert_round_trip(Cat | Dog, {"type": "Dog", "name": "a"}, Dog("a"))
    assert_round_trip(Three | Lower, {"kind": 3, "size": 1}, Three(1))
    assert_round_trip(Three | Lower, {"kind": "lower", "size": 1}, Lower(1))
    assert_refuses(Cat, {"name": "a"}, {"type": "Dog", "name": "a"}, {"type": ["Cat"], "name": "a"})
    assert codec_of(Cat | Dog).unsaid == ()


def test_structs_that_are_frozen_or_compared_by_identity_are_hashable() -> None:
    assert_round_trip(set[Frozen], [{"x": 1}], {Frozen(1)})
    assert schema_of(set[ById])["uniqueItems"] is True
    assert "are not hashable" in why_unsupported(set[Strict])


def test_unknown_fields_are_refused_whether_the_struct_forbids_them_or_not() -> None:
    for struct in (Strict, Frozen):
        assert_refuses(struct, {"x": 1, "y": 2})


def test_a_struct_that_is_like_an_array_is_an_object_here() -> None:
    assert_round_trip(Row, {"left": 1, "right": 2}, Row(1, 2))
    assert_refuses(Row, [1, 2])


def test_a_required_keyword_may_follow_an_optional_one() -> None:
    assert schema_of(Order)["required"] == ["then"]
    assert_round_trip(Order, {"first": 1, "then": 2}, Order(then=2))


def test_type_variables_are_replaced_through_inheritance_too() -> None:
    assert_round_trip(Box[int], {"content": 1, "more": [2]}, Box(1, [2]))
    assert_refuses(Box[int], {"content": "a"}, {"content": 1, "more": ["a"]})
    assert_round_trip(Strings, {"content": "a", "more": ["b"], "count": 1}, Strings("a", ["b"], 1))
    assert_refuses(Strings, {"content": 1})


def test_a_struct_may_refer_to_itself() -> None:
    assert_round_trip(Node, {"value": 1, "next": {"value": 2, "next": None}}, Node(1, Node(2)))


def test_an_exception_in_post_init_is_a_refusal() -> None:
    assert_accepts(Range, {"low": 2, "high": 1})
    with pytest.raises(Refusal, match=r"^Range refuses it: ValueError: low is above high$"):
        codec_of(Range).decode({"low": 2, "high": 1})


def test_a_struct_that_defstruct_makes_is_a_record() -> None:
    made: Any = msgspec.defstruct("Made", [("a", int), ("b", str, "x")])
    assert_round_trip(made, {"a": 1, "b": "y"}, made(1, "y"))


def test_an_unsupported_field_or_annotation_is_named() -> None:
    message = why_unsupported(Bad)
    assert "field 'number' of Bad: complex: JSON has no complex numbers" in message
    assert "field 'raw' of Bad: Raw has no JSON form" in message
    assert why_unsupported(Dangling) == (
        "the annotations of Dangling cannot be resolved: NameError: name 'Missing' is not defined"
    )


# --- Meta --------------------------------------------------------------------------------------------------------


def test_descriptions_of_the_extra_schema_are_taken_and_the_rest_is_noted() -> None:
    extra = {"deprecated": True, "description": "D", "title": "T", "examples": [2, "x"], "x-unit": "m", "default": 5}
    annotation = Annotated[int, Meta(extra_json_schema=extra)]
    assert schema_of(annotation) == {
        "type": "integer",
        "title": "T",
        "description": "D",
        "deprecated": True,
        "examples": [2],
    }
    assert codec_of(annotation).unsaid == (
        "default, x-unit is not in the schema of int, although its author wrote it there",
    )


def test_bounds_of_bytes_are_of_the_bytes_and_a_step_is_exact() -> None:
    annotation = Annotated[bytes, Meta(min_length=1, max_length=2)]
    assert codec_of(annotation).decode("QUE=") == b"AA"
    for text in ("", "QUFB"):
        with pytest.raises(Refusal, match="must satisfy M"):
            codec_of(annotation).decode(text)
    assert_accepts(Annotated[float, Meta(multiple_of=0.1)], 0.3, 0.7)
    assert_refuses(Annotated[float, Meta(multiple_of=0.1)], 0.35)
