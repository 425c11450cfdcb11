from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Generic, TypeVar

import attr
import attrs
import pytest

from fcregistry.types import Refusal, codec_of, schema_of

from .cases import assert_accepts, assert_refuses, assert_round_trip, why_unsupported

T = TypeVar("T")


@attrs.define
class Account:
    """An account.

    Attributes:
        owner: Whose it is.
    """

    _owner: str
    limit: int = attrs.field(default=3, validator=attrs.validators.ge(0))
    balance: Decimal = attrs.field(default="0", converter=Decimal)
    tags: list[str] = attrs.field(factory=list, alias="labels")
    opened: bool = attrs.field(init=False, default=True)


@attrs.frozen(kw_only=True)
class Pixel:
    x: int
    y: int = 0


@attrs.define(kw_only=True)
class Order:
    first: int = 1
    then: int


@attrs.define
class Box(Generic[T]):
    content: T
    more: list[T] = attrs.field(factory=list)


@attrs.define
class Strings(Box[str]):
    count: int = 0


@attrs.define
class Node:
    value: int
    next: Node | None = None


class Derived(Pixel):
    """Made by no decorator of its own."""


@attr.s
class Old:
    anything = attr.ib()
    number = attr.ib(type=int, default=3)
    twice = attr.ib(default=attr.Factory(lambda self: self.number * 2, takes_self=True), type=int)


@attrs.define
class Dangling:
    x: Missing  # noqa: F821


@attrs.define
class Bad:
    number: complex
    fine: int


@attrs.define
class Empty:
    pass


def test_field_names_are_those_of_init_and_other_fields_are_left_out() -> None:
    assert schema_of(Account) == {
        "type": "object",
        "properties": {
            "owner": {"type": "string", "description": "Whose it is."},
            "limit": {"type": "integer", "default": 3},
            "balance": {"type": ["number", "string"], "format": "decimal"},
            "labels": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["owner"],
        "additionalProperties": False,
    }
    encoded = {"owner": "Ann", "limit": 1, "balance": "1.50", "labels": ["a"]}
    assert_round_trip(Account, encoded, Account("Ann", 1, Decimal("1.50"), ["a"]))
    assert_refuses(Account, {"_owner": "Ann"}, {"owner": "Ann", "tags": []}, {"owner": "Ann", "opened": True})


def test_a_converter_and_a_factory_make_missing_values() -> None:
    made = codec_of(Account).decode({"owner": "Ann"})
    assert made == Account("Ann")
    assert made.balance == Decimal(0)
    assert made.tags is not codec_of(Account).decode({"owner": "Ann"}).tags


def test_a_validator_refuses_with_the_path_of_its_record() -> None:
    assert_accepts(list[Account], [{"owner": "Ann", "limit": -1}])
    with pytest.raises(Refusal, match=r"^Account refuses it: ValueError: 'limit' must be >= 0: -1$") as caught:
        codec_of(list[Account]).decode([{"owner": "Ann"}, {"owner": "Ann", "limit": -1}])
    assert caught.value.path == (1,)


def test_only_instances_of_a_frozen_class_can_be_in_a_set() -> None:
    assert_round_trip(set[Pixel], [{"x": 1, "y": 0}], {Pixel(x=1)})
    assert "are not hashable" in why_unsupported(set[Account])


def test_a_required_keyword_may_follow_an_optional_one() -> None:
    assert schema_of(Order)["required"] == ["then"]
    assert_round_trip(Order, {"first": 1, "then": 2}, Order(then=2))


def test_type_variables_are_replaced_through_inheritance_too() -> None:
    assert_round_trip(Box[int], {"content": 1, "more": [2]}, Box(1, [2]))
    assert_refuses(Box[int], {"content": "a"}, {"content": 1, "more": ["a"]})
    assert_round_trip(Strings, {"content": "a", "more": ["b"], "count": 1}, Strings("a", ["b"], 1))
    assert_refuses(Strings, {"content": 1})


def test_a_class_may_refer_to_itself() -> None:
    assert_round_trip(Node, {"value": 1, "next": {"value": 2, "next": None}}, Node(1, Node(2)))
    assert_refuses(Node, {"value": 1, "next": {}})


def test_a_class_derived_from_an_attrs_class_is_an_attrs_class() -> None:
    assert_round_trip(Derived, {"x": 1, "y": 2}, Derived(x=1, y=2))


def test_fields_may_have_their_types_as_arguments() -> None:
    assert schema_of(Old)["properties"] == {
        "anything": {},
        "number": {"type": "integer", "default": 3},
        "twice": {"type": "integer"},
    }
    assert_round_trip(Old, {"anything": [1], "number": 2, "twice": 4}, Old([1], 2))
    assert codec_of(Old).decode({"anything": None}).twice == 6
    assert_refuses(Old, {"anything": 1, "number": "a"}, {})


def test_a_class_without_fields_is_an_empty_object() -> None:
    assert_round_trip(Empty, {}, Empty())
    assert_refuses(Empty, {"a": 1})


def test_an_unsupported_field_or_annotation_is_named() -> None:
    assert why_unsupported(Bad).startswith("field 'number' of Bad: complex: JSON has no complex numbers")
    assert why_unsupported(Dangling) == (
        "the annotations of Dangling cannot be resolved: NameError: name 'Missing' is not defined"
    )


def test_a_field_may_be_a_record_of_another_library() -> None:
    @dataclass
    class Point:
        x: int

    @attrs.define
    class Line:
        start: Any

    Line.__annotations__ = {"start": Point}
    assert_round_trip(Line, {"start": {"x": 1}}, Line(Point(1)))
