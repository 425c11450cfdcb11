"""Names for types: aliases, new types, `Self`, and qualifiers."""

from __future__ import annotations

import typing
from dataclasses import KW_ONLY, InitVar, dataclass, field
from typing import Annotated, Any, ClassVar, Final, NamedTuple, NewType, NotRequired, Required, Self, TypedDict, TypeVar

import annotated_types as at
import pytest
import typing_extensions
from typing_extensions import ReadOnly, TypeAliasType

from fcregistry import Executor, Tool
from fcregistry.types import codec_of, schema_of

from .cases import assert_refuses, assert_round_trip, why_unsupported

T = TypeVar("T")

Names = TypeAliasType("Names", list[str])
Json = TypeAliasType("Json", "dict[str, Json] | list[Json] | str | float | bool | None")
ByName = TypeAliasType("ByName", dict[str, T], type_params=(T,))
Nest = TypeAliasType("Nest", "T | list[Nest[T]]", type_params=(T,))
Tree = TypeAliasType("Tree", "dict[str, Branch]")
Branch = TypeAliasType("Branch", "Tree | int")
Loop = TypeAliasType("Loop", "Loop")
Maybe = TypeAliasType("Maybe", "Maybe | None")
Here = TypeAliasType("Here", "There")
There = TypeAliasType("There", "Here | int")
Described = TypeAliasType("Described", "Annotated[Described, 'text'] | None")
Missing = TypeAliasType("Missing", "list[Nowhere]")  # noqa: F821  # what cannot be resolved

UserId = NewType("UserId", int)
AdminId = NewType("AdminId", UserId)
Small = NewType("Small", Annotated[int, at.Lt(9), "a small one"])


@dataclass
class Holder:
    names: Names
    json: Json
    counts: ByName[int]
    owner: AdminId


@dataclass
class Kin:
    name: str
    children: list[Self] = field(default_factory=list)

    def greet(self, other: Self, *, twice: bool = False) -> Self:
        return Kin(self.name + other.name * (1 + twice))

    @classmethod
    def made(cls, like: Self) -> str:
        return f"{cls.__name__} {like.name}"


@dataclass
class Child(Kin):
    age: int = 0


class Link(NamedTuple):
    value: int
    next: Self | None = None


class Nested(TypedDict):
    inner: NotRequired[Self]


@dataclass
class Qualified:
    plain: Final[int]
    guessed: Final = 4
    shared: ClassVar[int] = 2
    _: KW_ONLY
    keyword: int
    given: InitVar[int] = 0
    kept_out: int = field(init=False, default=1)


class Texts:
    """Annotations that are texts inside of others, where no `__future__` makes texts of all."""

    given = InitVar["int"]


class Keys(typing_extensions.TypedDict, total=False):
    must: Required[ReadOnly[int]]
    described: Annotated[Required[int], "which"]
    may: NotRequired[int]
    usual: list[int]


# --- aliases -----------------------------------------------------------------------------------------------------


def test_an_alias_is_read_as_its_type() -> None:
    assert schema_of(Names) == schema_of(list[str])
    assert_round_trip(Names | None, None, None)
    assert_round_trip(ByName[list[int]], {"a": [1]}, {"a": [1]})
    assert_refuses(ByName[int], {"a": "b"})
    assert schema_of(Annotated[Names, "Some names."])["description"] == "Some names."


def test_an_alias_may_refer_to_itself_through_something() -> None:
    assert_round_trip(Json, {"a": [1.5, {"b": None}]}, {"a": [1.5, {"b": None}]})
    assert list(schema_of(Json)["$defs"]) == ["Json"]
    assert_round_trip(Nest[int], [1, [2, []]], [1, [2, []]])
    assert_refuses(Nest[int], "a", ["a"])
    assert_round_trip(Tree, {"a": {"b": 1}}, {"a": {"b": 1}})
    assert_refuses(Tree, 1, {"a": {"b": "c"}})


def test_aliases_can_be_types_of_fields() -> None:
    encoded = {"names": ["a"], "json": [None], "counts": {"b": 1}, "owner": 2}
    assert_round_trip(Holder, encoded, Holder(["a"], [None], {"b": 1}, AdminId(UserId(2))))


@pytest.mark.parametrize("alias", [Loop, Maybe, Here, There, Described])
def test_an_alias_of_itself_is_refused(alias: Any) -> None:
    assert why_unsupported(alias).endswith("refers to itself directly; put a list or a record between")
    assert why_unsupported(list[alias]).endswith("refers to itself directly; put a list or a record between")


def test_an_alias_of_an_undefined_name_is_refused() -> None:
    assert why_unsupported(Missing) == (
        "the alias Missing cannot be resolved: NameError: name 'Nowhere' is not defined"
    )


def test_a_new_type_is_the_type_behind_it_with_its_bounds() -> None:
    assert_round_trip(dict[AdminId, int], {"1": 2}, {1: 2})
    assert schema_of(Small) == {"type": "integer", "exclusiveMaximum": 9, "description": "a small one"}
    assert schema_of(list[Small | None])["items"]["anyOf"][0]["exclusiveMaximum"] == 9


# --- Self --------------------------------------------------------------------------------------------------------


def test_self_is_the_class_whose_fields_are_read() -> None:
    assert_round_trip(Kin, {"name": "a", "children": [{"name": "b", "children": []}]}, Kin("a", [Kin("b")]))
    assert_round_trip(
        Child,
        {"name": "a", "children": [{"name": "b", "children": [], "age": 1}], "age": 2},
        Child("a", [Child("b", age=1)], 2),
    )
    assert_round_trip(Link, {"value": 1, "next": {"value": 2, "next": None}}, Link(1, Link(2)))
    assert_round_trip(Nested, {"inner": {"inner": {}}}, {"inner": {"inner": {}}})
    assert_refuses(Nested, {"inner": {"other": 1}})


def test_self_is_the_class_of_a_bound_method_and_of_a_class_method() -> None:
    executor = Executor([Kin("a").greet, Child.made])
    assert executor.call("greet", other={"name": "b"}, twice=True).unwrap() == Kin("abb")
    assert executor.call("made", like={"name": "b", "age": 1}).unwrap() == "Child b"
    returns = Tool.from_function(Kin("a").greet).returns
    assert returns is not None
    assert "Kin" in str(returns)


def test_self_outside_of_a_class_is_refused() -> None:
    for annotation in (typing.Self, typing_extensions.Self):
        assert why_unsupported(list[annotation]).endswith("Self means no class here; write the class itself")


# --- qualifiers --------------------------------------------------------------------------------------------------


def test_qualifiers_of_a_dataclass_are_read() -> None:
    schema = schema_of(Qualified)
    assert schema["properties"] == {
        "plain": {"type": "integer"},
        "guessed": {"type": "integer", "default": 4},
        "keyword": {"type": "integer"},
        "given": {"type": "integer", "default": 0, "writeOnly": True},
    }
    assert schema["required"] == ["plain", "keyword"]
    assert codec_of(Qualified).decode({"plain": 1, "keyword": 2, "given": 3}) == Qualified(1, keyword=2, given=3)


def test_texts_inside_of_an_init_variable_are_resolved() -> None:
    made = dataclass(type("Made", (), {"__annotations__": {"x": int, "given": Texts.given}, "given": 0}))
    assert_refuses(made, {"x": 1, "given": "a"})
    assert codec_of(made).decode({"x": 1, "given": 2}).x == 1


def test_qualifiers_of_a_typed_dict_are_read_also_where_annotations_are_texts() -> None:
    schema = schema_of(Keys)
    assert schema["required"] == ["must", "described"]
    assert schema["properties"]["described"] == {"type": "integer", "description": "which"}
    assert_round_trip(Keys, {"must": 1, "described": 2}, {"must": 1, "described": 2})


@pytest.mark.skipif(not hasattr(typing_extensions, "NoExtraItems"), reason="typing-extensions 4.13 brought them")
def test_a_typed_dict_may_take_other_keys_of_a_type_or_be_closed() -> None:
    class Open(typing_extensions.TypedDict, extra_items=int):
        a: str

    class Closed(typing_extensions.TypedDict, closed=True):
        a: str

    assert schema_of(Open)["additionalProperties"] == {"type": "integer"}
    assert_round_trip(Open, {"a": "x", "b": 1}, {"a": "x", "b": 1})
    assert_refuses(Open, {"a": "x", "b": "y"}, {"b": 1})
    assert not codec_of(Open).handles({"a": "x", "b": "y"})
    assert_refuses(Closed, {"a": "x", "b": 1})
