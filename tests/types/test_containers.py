from __future__ import annotations

import collections
import collections.abc as abc
import enum
from collections import Counter, OrderedDict, defaultdict, deque
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import PurePath, PurePosixPath, PureWindowsPath
from typing import Annotated, Any, Literal, NamedTuple

import annotated_types as at
import pytest

from fcregistry.types import EncodingError, Refusal, codec_of, schema_of

from .cases import assert_accepts, assert_refuses, assert_round_trip, why_unsupported

INTEGERS = {"type": "array", "items": {"type": "integer"}}
SET_OF_INTEGERS = {**INTEGERS, "uniqueItems": True}
NUMBERED = {"type": "object", "additionalProperties": {"type": "integer"}}


class Mode(enum.StrEnum):
    FAST = "fast"
    SLOW = "slow"


class Point(NamedTuple):
    x: int
    y: int = 0


@dataclass
class Mutable:
    x: int


@dataclass(frozen=True)
class Frozen:
    x: int


# --- sequences ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "annotation",
    [
        list[int],
        abc.Sequence[int],
        abc.MutableSequence[int],
        abc.Collection[int],
        abc.Iterable[int],
        abc.Iterator[int],
        abc.AsyncIterator[int],
        abc.Generator[int, None, None],
        deque[int],
        tuple[int, ...],
    ],
)
def test_sequences_of_any_length_are_arrays(annotation: Any) -> None:
    assert schema_of(annotation) == INTEGERS
    assert_accepts(annotation, [], [1], [1, 1, 2.0])
    assert_refuses(annotation, None, 1, "12", {}, {"0": 1}, ["1"], [True], [1, None], [[1]])


@pytest.mark.parametrize(
    ("annotation", "decoded"),
    [
        (list[int], [1, 2]),
        (abc.Sequence[int], [1, 2]),
        (abc.Iterable[int], [1, 2]),
        (deque[int], deque([1, 2])),
        (tuple[int, ...], (1, 2)),
    ],
)
def test_an_array_becomes_the_annotated_sequence(annotation: Any, decoded: Any) -> None:
    assert_round_trip(annotation, [1, 2], decoded)


@pytest.mark.parametrize("annotation", [list, tuple, deque, abc.Sequence, abc.Iterable])
def test_a_sequence_without_an_item_type_takes_any_items(annotation: Any) -> None:
    assert schema_of(annotation) == {"type": "array"}
    assert_accepts(annotation, [1, "a", None, [{}]])


def test_an_abstract_sequence_takes_a_tuple_from_python_and_a_list_does_not() -> None:
    assert codec_of(abc.Sequence[int]).handles((1, 2))
    assert codec_of(abc.Sequence[int]).encode((1, 2)) == [1, 2]
    assert not codec_of(list[int]).handles((1, 2))
    assert not codec_of(abc.Sequence[str]).handles("text")


def test_each_item_is_decoded() -> None:
    assert_round_trip(list[date], ["2024-05-01"], [date(2024, 5, 1)])
    assert_round_trip(list[list[Mode]], [["fast"], []], [[Mode.FAST], []])


# --- tuples of fixed length --------------------------------------------------------------------------------------


def test_a_fixed_tuple_has_prefix_items_and_no_more() -> None:
    assert schema_of(tuple[int, str]) == {
        "type": "array",
        "prefixItems": [{"type": "integer"}, {"type": "string"}],
        "items": False,
        "minItems": 2,
        "maxItems": 2,
    }
    assert_round_trip(tuple[int, str], [1, "a"], (1, "a"))
    assert_refuses(tuple[int, str], [], [1], [1, "a", None], ["a", 1], None, {})


def test_an_empty_tuple_accepts_only_an_empty_array() -> None:
    assert_round_trip(tuple[()], [], ())
    assert_refuses(tuple[()], [None], {})


# --- sets --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("annotation", "decoded"),
    [
        (set[int], {1, 2}),
        (frozenset[int], frozenset({1, 2})),
        (abc.Set[int], {1, 2}),
        (abc.MutableSet[int], {1, 2}),
    ],
)
def test_sets_are_arrays_of_unique_items(annotation: Any, decoded: Any) -> None:
    assert schema_of(annotation) == SET_OF_INTEGERS
    assert_round_trip(annotation, [1, 2], decoded)
    assert_refuses(annotation, [1, 1], [1, 1.0], ["1"], {}, None)


def test_items_of_a_set_are_compared_as_json_before_they_are_decoded() -> None:
    assert_accepts(set[int | bool], [1, True], [0, False])
    assert_accepts(set[tuple[int | bool]], [[1], [True]])
    assert_refuses(set[tuple[int | bool]], [[True], [1], [True]], [[1], [1.0]])


def test_a_set_is_written_in_the_order_of_its_json_text() -> None:
    assert codec_of(set[str]).encode({"b", "c", "a"}) == ["a", "b", "c"]
    assert codec_of(set[int]).encode({10, 9}) == [10, 9]


def test_a_set_without_an_item_type_takes_scalars() -> None:
    assert schema_of(set) == {
        "type": "array",
        "items": {"type": ["string", "number", "boolean", "null"]},
        "uniqueItems": True,
    }
    assert_round_trip(set, ["a"], {"a"})
    assert_refuses(set, [[]], [{}])


@pytest.mark.parametrize("annotation", [set[Point], set[Frozen], frozenset[Point], set[tuple[Point, ...]]])
def test_hashable_records_can_be_in_a_set(annotation: Any) -> None:
    assert schema_of(annotation)["uniqueItems"] is True


def test_a_set_of_named_tuples_gives_named_tuples() -> None:
    assert_round_trip(set[Point], [{"x": 1, "y": 2}], {Point(1, 2)})


@pytest.mark.parametrize("item", [list[int], dict[str, int], set[int], Mutable, deque[int], list[int] | None])
def test_a_set_of_unhashable_items_is_refused_with_the_advice_to_take_a_list(item: Any) -> None:
    assert why_unsupported(set[item]).endswith(
        "its items are not hashable, so they cannot be in a set; take list[…] instead"
    )


def test_items_that_are_equal_in_python_and_not_in_json_become_one() -> None:
    assert codec_of(set[Decimal]).decode(["1.0", "1.00", 1]) == {Decimal(1)}


# --- mappings ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("annotation", "decoded"),
    [
        (dict[str, int], {"b": 1, "a": 2}),
        (abc.Mapping[str, int], {"b": 1, "a": 2}),
        (abc.MutableMapping[str, int], {"b": 1, "a": 2}),
        (OrderedDict[str, int], OrderedDict(b=1, a=2)),
    ],
)
def test_mappings_are_objects_that_keep_their_order(annotation: Any, decoded: Any) -> None:
    assert schema_of(annotation) == NUMBERED
    assert_round_trip(annotation, {"b": 1, "a": 2}, decoded)
    assert_refuses(annotation, {"a": "1"}, {"a": True}, [], None, "{}")


@pytest.mark.parametrize("annotation", [dict, abc.Mapping, dict[str, Any], dict[Any, Any], dict[object, object]])
def test_a_mapping_without_types_takes_any_object(annotation: Any) -> None:
    assert schema_of(annotation) == {"type": "object"}
    assert_round_trip(annotation, {"a": [1], "": None}, {"a": [1], "": None})


def test_integer_keys_are_written_without_leading_zeros() -> None:
    assert schema_of(dict[int, str])["propertyNames"] == {
        "type": "string",
        "pattern": "^(0|-?[1-9][0-9]*)$",
        "maxLength": 1000,
    }
    assert_round_trip(dict[int, str], {"0": "a", "-12": "b"}, {0: "a", -12: "b"})
    assert_refuses(dict[int, str], {"01": "a"}, {"-0": "a"}, {"1.0": "a"}, {"": "a"}, {"1\n": "a"}, {"٣": "a"})
    assert_refuses(dict[int, str], {"1" * 1001: "a"})


@pytest.mark.parametrize(
    ("key", "encoded", "decoded"),
    [
        (Literal["x", "y"], {"x": 1}, {"x": 1}),
        (Mode, {"fast": 1}, {Mode.FAST: 1}),
        (date, {"2024-05-01": 1}, {date(2024, 5, 1): 1}),
    ],
)
def test_keys_that_are_text_in_json_are_decoded(key: Any, encoded: Any, decoded: Any) -> None:
    assert_round_trip(dict[key, int], encoded, decoded)
    assert_refuses(dict[key, int], {"other": 1})


@pytest.mark.parametrize(
    ("key", "shown"), [(bool, "bool"), (float, "float"), (tuple[int, int], "tuple[int, int]"), (str | int, "str | int")]
)
def test_keys_that_no_json_object_has_are_refused(key: Any, shown: str) -> None:
    assert why_unsupported(dict[key, str]).endswith(
        f"the keys of a JSON object are strings; {shown} has another form. Take str or int"
    )


def test_two_names_of_one_key_are_refused() -> None:
    with pytest.raises(Refusal, match="is another name of a key that is there already") as caught:
        codec_of(dict[Decimal, int]).decode({"1.0": 1, "1.00": 2})
    assert caught.value.path == ("1.00",)


def test_the_text_of_a_key_has_the_bounds_of_its_type() -> None:
    annotation = dict[Annotated[str, at.Len(1, 2)], int]
    assert schema_of(annotation)["propertyNames"] == {"type": "string", "minLength": 1, "maxLength": 2}
    assert_refuses(annotation, {"": 1}, {"abc": 1})


def test_a_refused_key_is_named_in_the_path() -> None:
    with pytest.raises(Refusal) as caught:
        codec_of(dict[Annotated[str, at.Predicate(str.isupper)], int]).decode({"A": 1, "b": 2})
    assert caught.value.path == ("b",)


# --- mappings of more kinds --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("annotation", "factory"),
    [
        (defaultdict[str, int], int),
        (defaultdict[str, list[int]], list),
        (defaultdict[str, date], None),
        (defaultdict, None),
    ],
)
def test_a_defaultdict_makes_an_empty_value_of_its_type(annotation: Any, factory: Any) -> None:
    assert codec_of(annotation).decode({}).default_factory is factory


def test_a_counter_has_keys_of_its_type() -> None:
    assert_round_trip(Counter[int], {"1": 2}, Counter({1: 2}))
    assert_refuses(Counter[str], {"a": 1.5}, {"a": "1"})


def test_a_mapping_of_another_class_is_not_an_ordered_dict() -> None:
    assert codec_of(abc.Mapping[str, int]).handles(OrderedDict(a=1))
    assert not codec_of(OrderedDict[str, int]).handles({"a": 1})
    assert not codec_of(Counter[str]).handles({"a": 1})


def test_an_unsupported_item_names_the_type_around_it() -> None:
    assert why_unsupported(list[complex]) == (
        "in list[complex]: complex: JSON has no complex numbers; take two floats, or a dataclass of two"
    )


@pytest.mark.parametrize("annotation", [collections.ChainMap, collections.UserDict, range, memoryview, abc.KeysView])
def test_containers_without_a_json_form_are_refused(annotation: Any) -> None:
    assert "has no JSON form; use a dataclass, TypedDict, NamedTuple or Enum" in why_unsupported(annotation)


def test_keys_of_a_dict_that_become_one_name_are_not_encoded() -> None:
    paths = {PurePosixPath("a"): 1, PureWindowsPath("a"): 2}
    assert codec_of(dict[PurePath, int]).handles(paths)
    with pytest.raises(EncodingError, match="two keys that both become 'a' in JSON"):
        codec_of(dict[PurePath, int]).encode(paths)
