"""Rows about names for types, and about generics."""

from __future__ import annotations

from typing import Annotated, Any, Final, ForwardRef, NewType, TypeVar, get_type_hints

import annotated_types as at
import pydantic
import typing_extensions
from hypothesis import strategies as st
from typing_extensions import ReadOnly, TypeAliasType

from .classes import SMALL, Held, Kept, Kin, Numbered, Page, Sent, T, Two, Wrapped
from .row import INTEGER, STRING, Example, Rows, an_object
from .values import JSON, TEXT, WHOLE

UserId = NewType("UserId", int)
Small = NewType("Small", Annotated[int, at.Gt(3)])
Names = TypeAliasType("Names", list[str])
Json = TypeAliasType("Json", "dict[str, Json] | list[Json] | str | float | bool | None")
Nest = TypeAliasType("Nest", "T | list[Nest[T]]", type_params=(T,))
B = TypeVar("B", bound=int)
C = TypeVar("C", int, str)
D = typing_extensions.TypeVar("D", default=bool)

_INTEGERS = {"type": "array", "items": INTEGER}
_PAGE = an_object(
    "items", items=_INTEGERS, next={"anyOf": [{"$ref": "#/$defs/Page_int"}, {"type": "null"}], "default": None}
)
_KIN = an_object("name", name=STRING, parent={"anyOf": [{"$ref": "#/$defs/Kin"}, {"type": "null"}], "default": None})
_NESTED = st.recursive(WHOLE, lambda inner: st.lists(inner, max_size=2), max_leaves=3)
_TERMS = st.recursive(
    st.none() | st.booleans() | TEXT | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXT, inner, max_size=2),
    max_leaves=4,
)


def _as(
    annotation: Any, schema: dict[str, Any], values: st.SearchStrategy[Any], *json: Any, alone: bool = False
) -> Example:
    """Return a type whose values are what they are in JSON; an ellipsis stands before what is refused."""
    between = json.index(...)
    return Example(
        annotation=annotation,
        schema=schema,
        accepted=tuple((each, each) for each in json[:between]),
        refused=json[between + 1 :],
        values=values,
        alone=alone,
    )


def _holding(annotation: Any, make: Any) -> Example:
    """Return a generic record of one field that holds an integer."""
    return Example(
        annotation=annotation,
        schema=an_object("content", content=INTEGER),
        accepted=(({"content": 1}, make(1)),),
        refused=({"content": "1"}, {}, {"content": 1, "more": 1}, [1]),
        values=WHOLE.map(make),
    )


def _resolved(annotation: str) -> Any:
    """Return what a text in an annotation names, as a signature resolves it."""
    holder = type("Holder", (), {"__annotations__": {"it": ForwardRef(annotation)}})
    return get_type_hints(holder, globals(), include_extras=True)["it"]


NAMES: Rows = {
    "a `NewType`": (
        _as(UserId, INTEGER, WHOLE, 1, ..., "1", None),
        _as(Small, {**INTEGER, "exclusiveMinimum": 3}, st.integers(4), 4, ..., 3, "4"),
    ),
    "`type Name = …`, a `TypeAliasType`": (
        _as(Names, {"type": "array", "items": STRING}, st.lists(TEXT, max_size=2), ["a"], ..., "a", [1]),
        _as(
            Json,
            {
                "$ref": "#/$defs/Json",
                "$defs": {
                    "Json": {
                        "anyOf": [
                            {"type": "object", "additionalProperties": {"$ref": "#/$defs/Json"}},
                            {"type": "array", "items": {"$ref": "#/$defs/Json"}},
                            STRING,
                            {"type": "number"},
                            {"type": "boolean"},
                            {"type": "null"},
                        ]
                    }
                },
            },
            _TERMS,
            *({"a": [1.5, {"b": None}]}, "a", True, []),
            ...,
        ),
        _as(
            Nest[int],
            {
                "$ref": "#/$defs/Nest_int",
                "$defs": {"Nest_int": {"anyOf": [INTEGER, {"type": "array", "items": {"$ref": "#/$defs/Nest_int"}}]}},
            },
            _NESTED,
            *(1, [1, [2, []]], ..., "a", ["a"], None, {}),
        ),
    ),
    "`JsonValue` of pydantic": (_as(pydantic.JsonValue, {}, JSON, {"a": [1, 1.5, None]}, True, "a", ...),),
    "`Page[int]`, a generic record": (
        Example(
            annotation=Page[int],
            schema={"$ref": "#/$defs/Page_int", "$defs": {"Page_int": _PAGE}},
            accepted=(({"items": [1], "next": {"items": [], "next": None}}, Page([1], Page([]))),),
            refused=({"items": ["a"]}, {"items": [], "next": {"items": ["a"]}}, {}),
            values=st.builds(Page, st.lists(WHOLE, max_size=2), st.none() | st.builds(Page, st.just([]))),
        ),
        Example(
            annotation=Numbered,
            schema={
                **an_object("items", **_PAGE["properties"], total={**INTEGER, "default": 0}),
                "$defs": {"Page_int": _PAGE},
            },
            accepted=(({"items": [1], "next": None, "total": 1}, Numbered([1], None, 1)),),
            refused=({"items": ["a"]}, {"items": [], "next": {"items": ["a"]}}, {"items": [], "total": "1"}),
            values=st.builds(Numbered, st.lists(WHOLE, max_size=2), total=WHOLE),
        ),
        Example(
            annotation=Two[str],
            schema=an_object("first", "second", first=STRING, second=STRING),
            accepted=(({"first": "a", "second": "b"}, Two("a", "b")),),
            refused=({"first": "a", "second": 1}, {"first": "a"}, ["a", "b"]),
            values=st.builds(Two, TEXT, TEXT),
        ),
        _holding(Wrapped[int], lambda value: {"content": value}),
        _holding(Held[int], Held),
        _holding(Sent[int], lambda value: Sent[int](content=value)),
        _holding(Kept[int], Kept),
    ),
    "a `TypeVar`": (
        _as(list[T], {"type": "array"}, st.lists(JSON, max_size=2), [1, "a"], ..., "a", {}),
        _as(list[B], _INTEGERS, st.lists(WHOLE, max_size=2), [1], ..., ["a"]),
        _as(C, {"anyOf": [INTEGER, STRING]}, WHOLE | TEXT, 1, "a", ..., 1.5, None),
        _as(D, {"type": "boolean"}, st.booleans(), True, ..., 1, None),
    ),
    "`Self`": (
        Example(
            annotation=Kin,
            schema={"$ref": "#/$defs/Kin", "$defs": {"Kin": _KIN}},
            accepted=(({"name": "a", "parent": {"name": "b", "parent": None}}, Kin("a", Kin("b"))),),
            refused=({"name": "a", "parent": {}}, {"parent": None}, {"name": "a", "parent": "b"}),
            values=st.builds(Kin, TEXT, st.none() | st.builds(Kin, TEXT)),
        ),
    ),
    "`Final[T]`, `ReadOnly[T]`": (
        _as(Final[int], INTEGER, WHOLE, 1, ..., "1", alone=True),
        _as(ReadOnly[int], INTEGER, WHOLE, 1, ..., "1", alone=True),
    ),
    "a string, `from __future__ import annotations`": (
        _as(_resolved("list[UserId]"), _INTEGERS, st.lists(SMALL, max_size=2), [1], ..., ["a"]),
    ),
}
