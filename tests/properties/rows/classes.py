"""The records of the rows and the properties."""

from __future__ import annotations

from dataclasses import InitVar, dataclass, field
from decimal import Decimal
from typing import Annotated, Generic, Literal, NamedTuple, NotRequired, Required, Self, TypedDict, TypeVar

import attrs
import msgspec
import pydantic
import pydantic.dataclasses
from hypothesis import strategies as st
from typing_extensions import ReadOnly

T = TypeVar("T")
SMALL = st.integers(0, 9)
NAMES = st.sampled_from(["a", "b"])


@dataclass
class Tree:
    name: str
    children: list[Tree] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    x: int
    y: int = 0
    norm: int = field(init=False, default=0, compare=False)


@dataclass
class Scaled:
    size: int
    factor: InitVar[int] = 1


class Options(TypedDict):
    depth: int
    verbose: NotRequired[bool]


class Search(TypedDict, total=False):
    query: Required[ReadOnly[str]]
    limit: int


class Node(NamedTuple):
    value: int
    next: Node | None = None


@attrs.define
class Account:
    _owner: str
    balance: Decimal = attrs.field(default=Decimal(0), converter=Decimal)
    tags: list[str] = attrs.field(factory=list, alias="labels")


@attrs.frozen(kw_only=True)
class Pixel:
    x: int
    y: int


class Song(pydantic.BaseModel):
    title: str = pydantic.Field(min_length=1, max_length=9, description="What it is called.")
    seconds: int = pydantic.Field(default=0, ge=0, validation_alias="length")
    parts: list[Song] = []


class Loose(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="allow", frozen=True)

    name: str


class Ordered(pydantic.BaseModel):
    low: int
    high: int

    @pydantic.model_validator(mode="after")
    def _check(self) -> Self:
        if self.low > self.high:
            raise ValueError("low is above high")
        return self


@pydantic.dataclasses.dataclass
class Range:
    start: int = pydantic.Field(ge=0)
    stop: int | None = None


class Numbers(pydantic.RootModel[list[int]]):
    pass


class Shelf(pydantic.RootModel[dict[str, "Shelf | int"]]):
    pass


class Plain(msgspec.Struct, rename="camel"):
    first_name: str
    age: Annotated[int, msgspec.Meta(ge=0, le=150)] = 0
    nick: str | msgspec.UnsetType = msgspec.UNSET


class Up(msgspec.Struct, tag="up", tag_field="way", frozen=True):
    by: int


class Down(msgspec.Struct, tag="down", tag_field="way", frozen=True):
    by: int


class Pair(msgspec.Struct, array_like=True):
    left: int
    right: int = 0


@dataclass
class Page(Generic[T]):
    items: list[T]
    next: Page[T] | None = None


@dataclass
class Numbered(Page[int]):
    total: int = 0


class Wrapped(TypedDict, Generic[T]):
    content: T


class Two(NamedTuple, Generic[T]):
    first: T
    second: T


@attrs.define
class Held(Generic[T]):
    content: T


class Sent(pydantic.BaseModel, Generic[T]):
    content: T


class Kept(msgspec.Struct, Generic[T]):
    content: T


@dataclass
class Kin:
    name: str
    parent: Self | None = None


@dataclass
class Add:
    kind: Literal["add"]
    left: Add | Negate | int
    right: Add | Negate | int


@dataclass
class Negate:
    kind: Literal["negate"]
    of: Add | Negate | int


def linked(values: list[int]) -> Node | None:
    """Return a chain of nodes."""
    node = None
    for value in values:
        node = Node(value, node)
    return node


TREES = st.recursive(
    st.builds(Tree, NAMES), lambda inner: st.builds(Tree, NAMES, st.lists(inner, max_size=2)), max_leaves=4
)
SONGS = st.recursive(
    st.builds(Song, title=NAMES, length=SMALL),
    lambda inner: st.builds(Song, title=NAMES, parts=st.lists(inner, max_size=2)),
    max_leaves=3,
)
SHELVES = st.recursive(
    st.dictionaries(NAMES, SMALL, max_size=2).map(Shelf),
    lambda inner: st.dictionaries(NAMES, inner, max_size=2).map(Shelf),
    max_leaves=3,
)
TERMS = st.recursive(
    st.integers(-3, 3),
    lambda inner: st.builds(Add, st.just("add"), inner, inner) | st.builds(Negate, st.just("negate"), inner),
    max_leaves=4,
)
