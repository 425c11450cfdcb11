"""Strategies of annotations and their Python values, composed of the rows of docs/reference/types.md."""

from __future__ import annotations

import dataclasses
import keyword
from collections import OrderedDict, deque
from collections.abc import Mapping, Sequence, Set
from datetime import date
from typing import Annotated, Any, Literal, NamedTuple, TypedDict

import annotated_types as at
import attr
import msgspec
from hypothesis import strategies as st

from fcregistry import Tool
from fcregistry.types import codec_of

from .rows.all import EXAMPLES
from .rows.row import Example
from .rows.values import REAL, TEXT, Mode


@dataclasses.dataclass(frozen=True)
class Sample:
    """An annotation, with a strategy of values of it.

    Attributes:
        annotation: The annotation.
        values: Python values of the type.
        kinds: The JSON kinds that it takes: what overlaps in a union has no round trip in Python.
        hashable: Whether its values can stand in a set.
        sure: Whether it takes every value that its schema does.
    """

    annotation: Any
    values: st.SearchStrategy[Any]
    kinds: frozenset[str]
    hashable: bool = True
    sure: bool = True

    def __repr__(self) -> str:
        return f"Sample({self.annotation!s:.60})"  # Hypothesis writes strategies of these


def _of(items: Sequence[Sample], annotation: Any, values: st.SearchStrategy[Any], kind: str, hashable: bool) -> Sample:
    """Return a type that is composed of others."""
    return Sample(annotation, values, frozenset({kind}), hashable, all(item.sure for item in items))


def leaf(example: Example) -> Sample:
    """Return the sample of an annotation that a row speaks of."""
    codec = codec_of(example.annotation)
    return Sample(example.annotation, example.values, codec.kinds, codec.hashable, not example.unfit)


LEAVES = tuple(leaf(example) for example in EXAMPLES if example.comes_back and not example.alone)
"""What can stand inside another type, and comes back."""

_KEYS = (
    (str, st.text("ab1", max_size=3)),
    (int, st.integers(-12, 12)),
    (Literal["x", "y"], st.sampled_from(["x", "y"])),
    (Mode, st.sampled_from(Mode)),
    (date, st.dates()),
)
_NAMES = ("alpha", "beta", "gamma_2")


def _sequences(item: Sample) -> st.SearchStrategy[Sample]:
    inner = item.annotation
    lists = st.lists(item.values, max_size=3)
    return st.sampled_from(
        [
            _of([item], list[inner], lists, "array", False),
            _of([item], Sequence[inner], lists, "array", False),
            _of([item], deque[inner], lists.map(deque), "array", False),
            _of([item], tuple[inner, ...], lists.map(tuple), "array", item.hashable),
            _of([item], Annotated[list[inner], at.MinLen(1)], lists.filter(bool), "array", False),
        ]
    )


def _sets(item: Sample) -> st.SearchStrategy[Sample]:
    sets = st.frozensets(item.values, max_size=3)
    return st.sampled_from(
        [
            _of([item], set[item.annotation], sets.map(set), "array", False),
            _of([item], Set[item.annotation], sets.map(set), "array", False),
            _of([item], frozenset[item.annotation], sets, "array", True),
        ]
    )


def _mappings(item: Sample) -> st.SearchStrategy[Sample]:
    made = []
    for key, keys in _KEYS:
        dicts = st.dictionaries(keys, item.values, max_size=3)
        made += [
            _of([item], dict[key, item.annotation], dicts, "object", False),
            _of([item], Mapping[key, item.annotation], dicts, "object", False),
            _of([item], OrderedDict[key, item.annotation], dicts.map(OrderedDict), "object", False),
        ]
    return st.sampled_from(made)


def _fixed(items: list[Sample]) -> Sample:
    annotation = tuple[tuple(item.annotation for item in items)] if items else tuple[()]
    values = st.tuples(*(item.values for item in items))
    return _of(items, annotation, values, "array", all(item.hashable for item in items))


def _records(fields: list[Sample], kind: str) -> Sample:
    named = dict(zip(_NAMES, fields, strict=False))
    assert not any(map(keyword.iskeyword, named))
    hints = {name: field.annotation for name, field in named.items()}
    values = {name: field.values for name, field in named.items()}
    made: Any
    match kind:
        case "TypedDict":
            made = TypedDict("MadeDict", hints, total=False)
            return _of(fields, made, st.fixed_dictionaries({}, optional=values), "object", False)
        case "NamedTuple":
            made = NamedTuple("MadeTuple", list(hints.items()))
        case "attrs":
            made = attr.make_class("MadeAttrs", {name: attr.ib(type=hint) for name, hint in hints.items()})
        case "msgspec":
            made = msgspec.defstruct("MadeStruct", list(hints.items()))
        case _:
            made = dataclasses.make_dataclass("Made", list(hints.items()))
    hashable = kind == "NamedTuple" and all(field.hashable for field in fields)
    return _of(fields, made, st.builds(made, **values), "object", hashable)


KINDS = ("dataclass", "NamedTuple", "TypedDict", "attrs", "msgspec")


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
        all(member.sure for member in kept),
    )


def _compose(inner: st.SearchStrategy[Sample]) -> st.SearchStrategy[Sample]:
    return st.one_of(
        inner.flatmap(_sequences),
        inner.filter(lambda item: item.hashable).flatmap(_sets),
        inner.flatmap(_mappings),
        st.lists(inner, max_size=3).map(_fixed),
        st.builds(_records, st.lists(inner, max_size=3), st.sampled_from(KINDS)),
        st.lists(inner, min_size=2, max_size=3).map(_union),
    )


samples: st.SearchStrategy[Sample] = st.recursive(st.sampled_from(LEAVES), _compose, max_leaves=4)
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
scalars = st.none() | st.booleans() | _odd_numbers | _odd_texts | st.integers() | REAL | st.text(max_size=4)
_names = (
    st.sampled_from([*_NAMES, "name", "children", "value", "next", "kind", "left", "of", "depth", "x", "1", "01", ""])
    | TEXT
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


def validators_of(annotation: Any) -> tuple[Any, Any]:
    """Return both validators of the arguments of a tool whose parameter ``value`` has an annotation."""

    def take(value: Any) -> None:
        """Take a value."""

    take.__annotations__["value"] = annotation
    tool = Tool.from_function(take)
    return tool.validator("jsonschema-rs"), tool.validator("jsonschema")
