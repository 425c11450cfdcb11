"""Which annotations are there, and which Python values has each? Strategies that compose every family of types."""

from __future__ import annotations

import dataclasses
import enum
import keyword
from collections import OrderedDict, deque
from collections.abc import Mapping, Sequence, Set
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from pathlib import PurePosixPath
from typing import Annotated, Any, Literal, NamedTuple, NewType, NotRequired, TypedDict
from uuid import UUID

import annotated_types as at
from hypothesis import strategies as st

from fcregistry.types._core import JSON_KINDS


@dataclasses.dataclass(frozen=True)
class Sample:
    """An annotation, with a strategy of values of it.

    Attributes:
        annotation: The annotation.
        values: Python values of the type.
        kinds: The JSON kinds that it takes: what overlaps in a union has no round trip in Python.
        hashable: Whether its values can stand in a set.
    """

    annotation: Any
    values: st.SearchStrategy[Any]
    kinds: frozenset[str]
    hashable: bool = True


class Colour(enum.Enum):
    RED = "red"
    GREEN = "green"
    BLUE = 3


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Mode(enum.StrEnum):
    FAST = "fast"
    SLOW = "slow"


class Opaque(enum.Enum):
    """Members whose values are no JSON: they go by name."""

    PAIR = (1, 2)
    NAN = float("nan")


class Node(NamedTuple):
    value: int
    next: Node | None = None


@dataclasses.dataclass
class Tree:
    name: str
    children: list[Tree] = dataclasses.field(default_factory=list)


class Options(TypedDict):
    depth: int
    verbose: NotRequired[bool]


@dataclasses.dataclass
class Add:
    kind: Literal["add"]
    left: Add | Negate | int
    right: Add | Negate | int


@dataclasses.dataclass
class Negate:
    kind: Literal["negate"]
    of: Add | Negate | int


UserId = NewType("UserId", int)
Small = NewType("Small", Annotated[int, at.Gt(3)])

_offsets = st.timedeltas(timedelta(hours=-23, minutes=-59), timedelta(hours=23, minutes=59)).map(
    lambda offset: timezone(timedelta(minutes=offset // timedelta(minutes=1)))
)
_zones = st.none() | st.just(UTC) | _offsets
_text = st.text(max_size=6)
_whole = st.integers(-(2**70), 2**70) | st.integers(-10, 10)
_real = st.floats(allow_nan=False, allow_infinity=False)


def _linked(values: list[int]) -> Node:
    node = None
    for value in values:
        node = Node(value, node)
    assert node is not None
    return node


_nodes = st.lists(st.integers(0, 9), min_size=1, max_size=3).map(_linked)
_trees = st.recursive(
    st.builds(Tree, st.sampled_from("ab")),
    lambda inner: st.builds(Tree, st.sampled_from("ab"), st.lists(inner, max_size=2)),
    max_leaves=4,
)
_terms = st.recursive(
    st.integers(-3, 3),
    lambda inner: st.builds(Add, st.just("add"), inner, inner) | st.builds(Negate, st.just("negate"), inner),
    max_leaves=4,
)


def _sample(annotation: Any, values: st.SearchStrategy[Any], *kinds: str, hashable: bool = True) -> Sample:
    return Sample(annotation, values, frozenset(kinds), hashable)


LEAVES = (
    _sample(None, st.none(), "null"),
    _sample(bool, st.booleans(), "boolean"),
    _sample(int, _whole, "number"),
    _sample(float, _real, "number"),
    _sample(str, _text, "string"),
    _sample(
        Literal["a", "b", 1, True, None],
        st.sampled_from(["a", "b", 1, True, None]),
        "string",
        "number",
        "boolean",
        "null",
    ),
    _sample(Literal[-1, 0, 1], st.sampled_from([-1, 0, 1]), "number"),
    _sample(Colour, st.sampled_from(Colour), "string", "number"),
    _sample(Level, st.sampled_from(Level), "number"),
    _sample(Mode, st.sampled_from(Mode), "string"),
    _sample(Opaque, st.sampled_from(Opaque), "string"),
    _sample(UserId, _whole, "number"),
    _sample(Annotated[int, at.Ge(0), at.Lt(10), "a digit"], st.integers(0, 9), "number"),
    _sample(Annotated[float, at.Gt(-1.5), at.Le(1.5)], st.floats(-1.5, 1.5, exclude_min=True), "number"),
    _sample(Annotated[Small, at.Gt(1)], st.integers(4, 9), "number"),
    _sample(Annotated[int, at.MultipleOf(3)], st.integers(-9, 9).map(lambda number: number * 3), "number"),
    _sample(Annotated[float, at.MultipleOf(0.01)], st.integers(-999, 999).map(lambda cents: cents / 100), "number"),
    _sample(Annotated[str, at.Len(1, 3)], st.text(min_size=1, max_size=3), "string"),
    _sample(datetime, st.datetimes(timezones=_zones), "string"),
    _sample(date, st.dates(), "string"),
    _sample(time, st.times(timezones=_zones), "string"),
    _sample(timedelta, st.timedeltas(), "string"),
    _sample(UUID, st.uuids(), "string"),
    _sample(Decimal, st.decimals(allow_nan=False, allow_infinity=False), "string"),
    _sample(bytes, st.binary(max_size=6), "string"),
    _sample(PurePosixPath, st.text("ab/.", max_size=6).map(PurePosixPath), "string"),
    _sample(Node, _nodes, "object", hashable=False),
    _sample(Tree, _trees, "object", hashable=False),
    _sample(
        Options,
        st.fixed_dictionaries({"depth": _whole}, optional={"verbose": st.booleans()}),
        "object",
        hashable=False,
    ),
    _sample(Add | Negate | int, _terms, "object", "number", hashable=False),
)
ANYTHING = _sample(
    Any,
    st.recursive(
        st.none() | st.booleans() | _whole | _real | _text,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_text, inner, max_size=3),
        max_leaves=5,
    ),
    *JSON_KINDS,
    hashable=False,
)

_KEYS = (
    (str, st.text("ab1", max_size=3)),
    (int, st.integers(-12, 12)),
    (Literal["x", "y"], st.sampled_from(["x", "y"])),
    (Mode, st.sampled_from(Mode)),
    (date, st.dates()),
)
_NAMES = ("alpha", "beta", "gamma_2")


def _sequences(item: Sample) -> st.SearchStrategy[Sample]:
    lists = st.lists(item.values, max_size=3)
    return st.sampled_from(
        [
            _sample(list[item.annotation], lists, "array", hashable=False),
            _sample(Sequence[item.annotation], lists, "array", hashable=False),
            _sample(deque[item.annotation], lists.map(deque), "array", hashable=False),
            _sample(tuple[item.annotation, ...], lists.map(tuple), "array", hashable=item.hashable),
            _sample(Annotated[list[item.annotation], at.MinLen(1)], lists.filter(bool), "array", hashable=False),
        ]
    )


def _sets(item: Sample) -> st.SearchStrategy[Sample]:
    sets = st.frozensets(item.values, max_size=3)
    return st.sampled_from(
        [
            _sample(set[item.annotation], sets.map(set), "array", hashable=False),
            _sample(Set[item.annotation], sets.map(set), "array", hashable=False),
            _sample(frozenset[item.annotation], sets, "array"),
        ]
    )


def _mappings(item: Sample) -> st.SearchStrategy[Sample]:
    made = []
    for key, keys in _KEYS:
        dicts = st.dictionaries(keys, item.values, max_size=3)
        made += [
            _sample(dict[key, item.annotation], dicts, "object", hashable=False),
            _sample(Mapping[key, item.annotation], dicts, "object", hashable=False),
            _sample(OrderedDict[key, item.annotation], dicts.map(OrderedDict), "object", hashable=False),
        ]
    return st.sampled_from(made)


def _fixed(items: list[Sample]) -> Sample:
    annotation = tuple[tuple(item.annotation for item in items)] if items else tuple[()]
    values = st.tuples(*(item.values for item in items))
    return _sample(annotation, values, "array", hashable=all(item.hashable for item in items))


def _records(fields: list[Sample], kind: str) -> Sample:
    named = dict(zip(_NAMES, fields, strict=False))
    assert not any(map(keyword.iskeyword, named))
    hints = {name: field.annotation for name, field in named.items()}
    values = {name: field.values for name, field in named.items()}
    if kind == "dataclass":
        made = dataclasses.make_dataclass("Made", list(hints.items()))
        return _sample(made, st.builds(made, **values), "object", hashable=False)
    if kind == "NamedTuple":
        named_tuple = NamedTuple("MadeTuple", list(hints.items()))
        hashable = all(field.hashable for field in fields)
        return _sample(named_tuple, st.builds(named_tuple, **values), "object", hashable=hashable)
    typed_dict = TypedDict("MadeDict", hints, total=False)
    return _sample(typed_dict, st.fixed_dictionaries({}, optional=values), "object", hashable=False)


def _union(members: list[Sample]) -> Sample:
    """Return a union of members that no JSON value is shared by, so that its round trip is promised in Python."""
    kept: list[Sample] = []
    for member in members:
        if not any(member.kinds & other.kinds for other in kept):
            kept.append(member)
    annotation = kept[0].annotation
    for member in kept[1:]:
        annotation = annotation | member.annotation if annotation is not None else None | member.annotation
    return Sample(
        annotation,
        st.one_of(member.values for member in kept),
        frozenset().union(*(member.kinds for member in kept)),
        all(member.hashable for member in kept),
    )


def _compose(inner: st.SearchStrategy[Sample]) -> st.SearchStrategy[Sample]:
    return st.one_of(
        inner.flatmap(_sequences),
        inner.filter(lambda item: item.hashable).flatmap(_sets),
        inner.flatmap(_mappings),
        st.lists(inner, max_size=3).map(_fixed),
        st.builds(_records, st.lists(inner, max_size=3), st.sampled_from(["dataclass", "NamedTuple", "TypedDict"])),
        st.lists(inner, min_size=2, max_size=3).map(_union),
    )


samples: st.SearchStrategy[Sample] = st.recursive(st.sampled_from((*LEAVES, ANYTHING)), _compose, max_leaves=4)
"""Any annotation that can be read, with values of it."""


# --- JSON values, of the type and beside it ----------------------------------------------------------------------

SURROGATES = st.sampled_from(["\ud800", "a\udfff"])
_odd_numbers = st.sampled_from(
    [0, 1, -1, 1.0, -0.0, 0.0, 2.5, 3.0, 0.07, 1e16, 2**53, 2**63, 2**64, -(2**63) - 1, 10**40, 1e300, 5e-324]
)
_odd_texts = st.sampled_from(
    [
        *("", "a", "red", "RED", "PAIR", "fast", "1", "01", "-0", "add", "x", "\x00", "é", "😀", "aaaa"),
        *("2024-02-29", "2023-02-29", "2024-02-29T12:00:00Z", "2024-02-29 12:00", "2024-02-29T24:00:00Z", "0000-01-01"),
        *("12:30", "12:30:61", "23:59:59.1234567", "12:30+05:30", "PT1H", "P1Y", "P", "-P1DT0.5S", "P999999999W"),
        *(
            "00000000-0000-0000-0000-000000000000",
            "0" * 32,
            "1e5",
            "NaN",
            "1_000",
            "٣",
            "1.",
            "QQ==",
            "QQ=",
            "Q Q=",
            "a/b",
        ),
    ]
)
scalars = st.none() | st.booleans() | _odd_numbers | _odd_texts | st.integers() | _real | st.text(max_size=4)
_names = (
    st.sampled_from([*_NAMES, "name", "children", "value", "next", "kind", "left", "of", "depth", "x", "1", "01", ""])
    | _text
)
json_values: st.SearchStrategy[Any] = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_names, inner, max_size=4),
    max_leaves=8,
)
"""JSON values, biased towards what tells one type from its neighbour."""


def altered(value: Any) -> st.SearchStrategy[Any]:
    """Return JSON values that differ from one in a single place."""
    ways = [scalars]
    if isinstance(value, list):
        ways += [st.just([*value, item]) for item in (*value[:1], None, "x")]
        ways += [
            altered(item).map(lambda new, at=at: [*value[:at], new, *value[at + 1 :]]) for at, item in enumerate(value)
        ]
        ways.append(st.just(value[:-1]))
    elif isinstance(value, dict):
        ways += [altered(item).map(lambda new, name=name: {**value, name: new}) for name, item in value.items()]
        ways += [st.just({name: item for name, item in value.items() if name != left}) for left in value]
        ways.append(st.builds(lambda name, item: {**value, name: item}, _names, scalars))
    elif isinstance(value, bool):
        ways.append(st.just(int(value)))
    elif isinstance(value, int) and abs(value) < 2**53:
        ways.append(st.sampled_from([float(value), value + 0.5, str(value), -value]))
    elif isinstance(value, float) and value.is_integer():
        ways.append(st.just(int(value)))
    elif isinstance(value, str):
        ways.append(st.sampled_from([value + " ", value.upper(), value[:-1], value + "\n"]))
    return st.one_of(ways)
