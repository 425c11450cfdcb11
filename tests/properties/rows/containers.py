"""Rows about arrays and objects without fields of their own."""

from __future__ import annotations

import collections.abc as abc
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from datetime import date
from typing import Any, Literal

from hypothesis import strategies as st

from .row import INTEGER, Example, Rows
from .values import TEXT, WHOLE, Mode

INTEGERS = {"type": "array", "items": INTEGER}
NUMBERED = {"type": "object", "additionalProperties": INTEGER}
_LISTS = st.lists(WHOLE, max_size=3)
_SETS = st.frozensets(st.integers(0, 9), max_size=3)
_NAMES = st.text("ab1", max_size=3)
_NO_ARRAYS = (None, 1, "12", {}, {"0": 1})
_NO_INTEGERS = (*_NO_ARRAYS, ["1"], [True], [1, None], [[1]])


def _array(annotation: Any, make: Callable[[Any], Any], schema: dict[str, Any] = INTEGERS) -> Example:
    return Example(
        annotation=annotation,
        schema=schema,
        accepted=(([1, 2], make([1, 2])), ([], make([]))),
        refused=_NO_INTEGERS,
        values=_LISTS.map(make),
    )


def _set(annotation: Any, make: Callable[[Any], Any]) -> Example:
    return Example(
        annotation=annotation,
        schema={**INTEGERS, "uniqueItems": True},
        accepted=(([1, 2], make([1, 2])), ([], make([]))),
        refused=(*_NO_INTEGERS, [1, 1], [1, 1.0]),
        values=_SETS.map(make),
    )


def _mapping(annotation: Any, make: Callable[[Any], Any]) -> Example:
    return Example(
        annotation=annotation,
        schema=NUMBERED,
        accepted=(({"b": 1, "a": 2}, make({"b": 1, "a": 2})), ({}, make({}))),
        refused=({"a": "1"}, {"a": True}, [], None, "{}"),
        values=st.dictionaries(_NAMES, WHOLE, max_size=3).map(make),
    )


def _keyed(key: Any, keys: st.SearchStrategy[Any], names: dict[str, Any], text: str, value: Any, *bad: str) -> Example:
    return Example(
        annotation=dict[key, int],
        schema={"type": "object", "propertyNames": names, "additionalProperties": INTEGER},
        accepted=(({text: 1}, {value: 1}),),
        refused=tuple({each: 1} for each in bad),
        values=st.dictionaries(keys, WHOLE, max_size=3),
    )


def _lists_in(annotation: Any) -> Example:
    return Example(
        annotation=annotation,
        schema={"type": "object", "additionalProperties": INTEGERS},
        accepted=(({"a": [1]}, defaultdict(list, {"a": [1]})),),
        refused=({"a": 1}, [], None),
        values=st.dictionaries(_NAMES, _LISTS, max_size=2).map(lambda made: defaultdict(list, made)),
    )


CONTAINERS: Rows = {
    "`list[T]`, `Sequence[T]`, `Iterable[T]`, `Collection[T]`": tuple(
        _array(annotation, list)
        for annotation in (
            *(list[int], abc.Sequence[int], abc.Iterable[int], abc.Collection[int]),
            *(abc.MutableSequence[int], abc.Iterator[int], abc.AsyncIterator[int], abc.Generator[int, None, None]),
        )
    ),
    "`tuple[T, ...]`": (_array(tuple[int, ...], tuple),),
    "`tuple[A, B]`": (
        Example(
            annotation=tuple[int, str],
            schema={
                "type": "array",
                "prefixItems": [INTEGER, {"type": "string"}],
                "items": False,
                "minItems": 2,
                "maxItems": 2,
            },
            accepted=(([1, "a"], (1, "a")),),
            refused=([], [1], [1, "a", None], ["a", 1], None, {}),
            values=st.tuples(WHOLE, TEXT),
        ),
        Example(
            annotation=tuple[()],
            schema={"type": "array", "items": False, "minItems": 0, "maxItems": 0},
            accepted=(([], ()),),
            refused=([None], {}),
            values=st.just(()),
        ),
    ),
    "`set[T]`, `frozenset[T]`, `Set[T]`": (
        _set(set[int], set),
        _set(frozenset[int], frozenset),
        _set(abc.Set[int], set),
        _set(abc.MutableSet[int], set),
    ),
    "`deque[T]`": (_array(deque[int], deque),),
    "`dict[str, T]`, `Mapping[str, T]`, `MutableMapping[str, T]`": tuple(
        _mapping(annotation, dict)
        for annotation in (dict[str, int], abc.Mapping[str, int], abc.MutableMapping[str, int])
    ),
    "`OrderedDict[str, T]`, `defaultdict[str, T]`": (
        _mapping(OrderedDict[str, int], OrderedDict),
        _mapping(defaultdict[str, int], lambda made: defaultdict(int, made)),
        _lists_in(defaultdict[str, list[int]]),
    ),
    "`Counter[str]`": (_mapping(Counter[str], Counter), _mapping(Counter, Counter)),
    "`dict[K, T]`": (
        _keyed(
            int,
            st.integers(-12, 12),
            {"type": "string", "pattern": "^(0|-?[1-9][0-9]*)$", "maxLength": 1000},
            *("-12", -12),
            *("01", "-0", "1.0", "", "1\n", "٣", "1" * 1001),
        ),
        _keyed(
            date, st.dates(), {"type": "string", "format": "date"}, "2024-05-01", date(2024, 5, 1), "2024-5-1", "today"
        ),
        _keyed(
            Mode, st.sampled_from(Mode), {"type": "string", "enum": ["fast", "slow"]}, "fast", Mode.FAST, "FAST", ""
        ),
        _keyed(
            Literal["x", "y"], st.sampled_from(["x", "y"]), {"type": "string", "enum": ["x", "y"]}, "x", "x", "z", ""
        ),
    ),
}
