"""Generic records of the standard library; those of attrs, msgspec and pydantic are in the files of their names."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import Annotated, Any, AnyStr, Generic, Literal, NamedTuple, NotRequired, TypedDict, TypeVar

import annotated_types as at
import pytest
import typing_extensions

from fcregistry import Executor
from fcregistry.types import codec_of, schema_of

from .cases import assert_refuses, assert_round_trip, why_unsupported

T = TypeVar("T")
K = TypeVar("K")
Whole = TypeVar("Whole", bound=int)
Either = TypeVar("Either", int, str)
Truth = typing_extensions.TypeVar("Truth", default=bool)


@dataclass
class Page(Generic[T]):
    items: list[T]
    next: Page[T] | None = None


@dataclass
class Numbered(Page[int]):
    total: int = 0


@dataclass
class Entry(Generic[K, T]):
    key: K
    value: T


@dataclass
class Named(Entry[str, T], Generic[T]):
    more: dict[str, T] = field(default_factory=dict)


@dataclass
class Leaf(Named[bool]):
    pass


@dataclass
class Loose(Generic[Whole, Either, Truth]):
    whole: Whole
    either: Either
    truth: Truth


@dataclass
class Bounded(Generic[T]):
    value: Annotated[T, at.Ge(1)]
    tagged: Literal["a"] = "a"


class Content(TypedDict, Generic[T]):
    content: T
    more: NotRequired[list[T]]


class Texts(Content[str]):
    count: int


class Two(NamedTuple, Generic[T]):
    first: T
    rest: list[T] = []  # noqa: RUF012  # a tuple's default


@dataclass
class Ever(Generic[T]):
    more: Ever[list[T]] | None = None


def test_a_type_variable_is_replaced_wherever_it_is_used() -> None:
    assert_round_trip(Page[int], {"items": [1], "next": {"items": [2], "next": None}}, Page([1], Page([2])))
    assert_refuses(Page[int], {"items": ["a"]}, {"items": [1], "next": {"items": ["a"]}})
    assert_round_trip(Bounded[int], {"value": 1, "tagged": "a"}, Bounded(1))
    assert_refuses(Bounded[int], {"value": 0}, {"value": "a"})


def test_generics_nest() -> None:
    annotation = Page[Entry[str, list[int]]]
    assert_round_trip(annotation, {"items": [{"key": "a", "value": [1]}], "next": None}, Page([Entry("a", [1])]))
    assert_refuses(annotation, {"items": [{"key": "a", "value": ["b"]}]}, {"items": [{"key": 1, "value": [1]}]})
    assert list(schema_of(Page[Page[str]])["$defs"]) == ["Page_Page_str", "Page_str"]


def test_the_base_of_a_class_gives_its_type_variables_their_types() -> None:
    assert_round_trip(
        Numbered, {"items": [1], "next": {"items": [], "next": None}, "total": 1}, Numbered([1], Page([]), 1)
    )
    assert_refuses(Numbered, {"items": ["a"]}, {"items": [], "next": {"items": ["a"]}})
    assert_round_trip(Named[int], {"key": "a", "value": 1, "more": {"b": 2}}, Named("a", 1, {"b": 2}))
    assert_refuses(
        Named[int], {"key": 1, "value": 1}, {"key": "a", "value": "b"}, {"key": "a", "value": 1, "more": {"b": "c"}}
    )
    assert_round_trip(Leaf, {"key": "a", "value": True, "more": {}}, Leaf("a", True))
    assert_refuses(Leaf, {"key": "a", "value": 1})


def test_a_type_variable_without_an_argument_is_its_default_its_bound_its_constraints_or_any() -> None:
    assert schema_of(Loose)["properties"] == {
        "whole": {"type": "integer"},
        "either": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
        "truth": {"type": "boolean"},
    }
    assert schema_of(Page)["properties"]["items"] == {"type": "array"}
    assert schema_of(list[T]) == {"type": "array"}
    assert schema_of(typing_extensions.TypeVar("Nothing", default=None)) == {"type": "null"}


def test_a_text_of_any_sort_is_a_str_and_not_decoded_as_bytes() -> None:
    assert codec_of(AnyStr).decode("abcd") == "abcd"


def test_two_types_of_one_generic_have_different_names() -> None:
    schema = schema_of(tuple[Page[int], Page[int], Page[str], Page[str]])
    assert list(schema["$defs"]) == ["Page_int", "Page_str"]


def test_generic_typed_dicts_and_named_tuples_are_read_with_their_arguments() -> None:
    assert_round_trip(Content[int], {"content": 1, "more": [2]}, {"content": 1, "more": [2]})
    assert_refuses(Content[int], {"content": "a"}, {"content": 1, "more": ["a"]}, {"more": [1]})
    assert_round_trip(Texts, {"content": "a", "count": 1}, {"content": "a", "count": 1})
    assert_refuses(Texts, {"content": 1, "count": 1})
    assert_round_trip(Two[int], {"first": 1, "rest": [2]}, Two(1, [2]))
    assert_refuses(Two[int], {"first": "a"}, {"first": 1, "rest": ["a"]})


def test_a_generic_that_refers_to_ever_new_types_is_refused() -> None:
    assert why_unsupported(Ever[int]) == "it is nested too deeply, or refers to ever new types"


def test_a_generic_with_an_argument_that_has_no_hash_is_read() -> None:
    argument = Annotated[str, at.Predicate(at.Not(str.islower))]
    assert_round_trip(Entry[argument, int], {"key": "A", "value": 1}, Entry("A", 1))


def test_a_generic_function_is_a_tool() -> None:
    def first(items: list[Whole]) -> Whole:
        return items[0]

    executor = Executor([first])
    assert executor.run({"name": "first", "arguments": {"items": [3]}}).value == 3
    assert executor.run({"name": "first", "arguments": {"items": ["a"]}}).error.code == "invalid_arguments"


PEP_695 = """
from __future__ import annotations
import dataclasses, typing

@dataclasses.dataclass
class Page[T]:
    items: list[T]
    next: Page[T] | None = None

@dataclasses.dataclass
class Numbered(Page[int]):
    total: int = 0

class Content[T](typing.TypedDict):
    content: T

class Two[A, B: int = bool](typing.NamedTuple):
    first: A
    second: B

type Names = list[str]
type Json = dict[str, Json] | list[Json] | str | None
type Nest[T] = T | list[Nest[T]]
type Loop = Loop | None
type Missing = list[Nowhere]

def first[T: int](items: list[T], more: Names, tree: Nest[int]) -> T:
    return items[0]
"""


@pytest.mark.skipif(sys.version_info < (3, 12), reason="PEP 695 came with Python 3.12")
def test_the_syntax_of_pep_695_means_the_same() -> None:
    names: dict[str, Any] = {"__name__": "pep_695"}
    code = PEP_695 if sys.version_info >= (3, 13) else PEP_695.replace("B: int = bool", "B: int")  # PEP 696
    module = type(sys)("pep_695")
    sys.modules["pep_695"] = module
    try:
        exec(code, vars(module))
        names = vars(module)
        page, numbered = names["Page"], names["Numbered"]
        assert_round_trip(page[int], {"items": [1], "next": {"items": [], "next": None}}, page([1], page([])))
        assert_refuses(page[int], {"items": ["a"]}, {"items": [], "next": {"items": ["a"]}})
        assert_refuses(numbered, {"items": ["a"]})
        assert_refuses(names["Content"][int], {"content": "a"})
        assert_round_trip(names["Two"][str, int], {"first": "a", "second": 1}, names["Two"]("a", 1))
        assert_round_trip(names["Names"], ["a"], ["a"])
        assert_round_trip(names["Json"], {"a": [None, "b"]}, {"a": [None, "b"]})
        assert_round_trip(names["Nest"][int], [1, [2]], [1, [2]])
        assert why_unsupported(names["Loop"]) == "Loop refers to itself directly; put a list or a record between"
        assert why_unsupported(names["Missing"]).startswith("the alias Missing cannot be resolved: NameError")
        result = Executor([names["first"]]).run(
            {"name": "first", "arguments": {"items": [1], "more": [], "tree": [[]]}}
        )
        assert result.value == 1
    finally:
        del sys.modules["pep_695"]
