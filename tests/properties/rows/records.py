"""Rows about records."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

from .classes import (
    SHELVES,
    SMALL,
    SONGS,
    TERMS,
    TREES,
    Account,
    Add,
    Down,
    Loose,
    Negate,
    Node,
    Numbers,
    Options,
    Ordered,
    Pair,
    Pixel,
    Plain,
    Point,
    Range,
    Scaled,
    Search,
    Shelf,
    Song,
    Tree,
    Up,
    linked,
)
from .row import INTEGER, STRING, Example, Rows, an_object
from .values import TEXT, WHOLE

_STRINGS = {"type": "array", "items": STRING}


def _of(
    annotation: Any,
    schema: dict[str, Any],
    values: st.SearchStrategy[Any],
    accepted: tuple[tuple[Any, Any], ...],
    *refused: Any,
    **more: Any,
) -> Example:
    takes = more.pop("takes", ())  # of what a record seldom takes
    refused = (*refused, *(each for each in (None, [], "x", 1, {"no such name": 1}) if each not in takes))
    return Example(annotation=annotation, schema=schema, accepted=accepted, refused=refused, values=values, **more)


def _named(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a record that refers to itself."""
    return {"$ref": f"#/$defs/{name}", "$defs": {name: schema}}


def _optional(schema: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"anyOf": [schema, {"type": "null"}], **more}


_LENGTH = {"type": "integer", "minimum": 0, "default": 0}
_TITLE = {"type": "string", "minLength": 1, "maxLength": 9, "description": "What it is called."}
_SONG = an_object(
    "title", title=_TITLE, length=_LENGTH, parts={"type": "array", "items": {"$ref": "#/$defs/Song"}, "default": []}
)
_TERM = {"anyOf": [{"$ref": "#/$defs/Add"}, {"$ref": "#/$defs/Negate"}, INTEGER]}
_TAG = {"type": "string"}
_UP, _DOWN = (an_object("way", "by", way={"type": "string", "enum": [way]}, by=INTEGER) for way in ("up", "down"))
_BALANCE = {"type": ["number", "string"], "format": "decimal", "default": "0"}

RECORDS: Rows = {
    "a dataclass": (
        _of(
            Point,
            an_object("x", x=INTEGER, y={**INTEGER, "default": 0}),
            st.builds(Point, x=WHOLE, y=WHOLE),
            (({"x": 1, "y": 2}, Point(x=1, y=2)),),
            *({}, {"y": 1}, {"x": 1, "norm": 2}, {"x": "1"}, {"x": True}, [1, 2]),
        ),
        _of(
            Tree,
            _named(
                "Tree", an_object("name", name=STRING, children={"type": "array", "items": {"$ref": "#/$defs/Tree"}})
            ),
            TREES,
            (({"name": "a", "children": [{"name": "b", "children": []}]}, Tree("a", [Tree("b")])),),
            *({"name": "a", "children": [{}]}, {"name": "a", "children": None}),
        ),
        _of(
            Scaled,
            an_object("size", size=INTEGER, factor={**INTEGER, "default": 1, "writeOnly": True}),
            st.builds(Scaled, WHOLE),
            (({"size": 1}, Scaled(1)),),
            *({"factor": 1}, {"size": 1, "factor": "1"}),
        ),
        _of(
            Add | Negate | int,
            {
                **_TERM,
                "$defs": {
                    "Add": an_object(
                        *("kind", "left", "right"), kind={**_TAG, "enum": ["add"]}, left=_TERM, right=_TERM
                    ),
                    "Negate": an_object("kind", "of", kind={**_TAG, "enum": ["negate"]}, of=_TERM),
                },
            },
            TERMS,
            (({"kind": "negate", "of": 1}, Negate("negate", 1)),),
            *({"kind": "negate", "left": 1}, {"of": 1}),
            takes=(1,),
        ),
    ),
    "a `TypedDict`": (
        _of(
            Options,
            an_object("depth", depth=INTEGER, verbose={"type": "boolean"}),
            st.fixed_dictionaries({"depth": WHOLE}, optional={"verbose": st.booleans()}),
            (({"depth": 1}, {"depth": 1}), ({"depth": 1, "verbose": True}, {"depth": 1, "verbose": True})),
            *({}, {"verbose": True}, {"depth": 1, "verbose": None}),
        ),
        _of(
            Search,
            an_object("query", query=STRING, limit=INTEGER),
            st.fixed_dictionaries({"query": TEXT}, optional={"limit": WHOLE}),
            (({"query": "a"}, {"query": "a"}),),
            *({}, {"limit": 1}),
        ),
    ),
    "a `NamedTuple`": (
        _of(
            Node,
            _named("Node", an_object("value", value=INTEGER, next=_optional({"$ref": "#/$defs/Node"}, default=None))),
            st.lists(SMALL, min_size=1, max_size=3).map(linked),
            (({"value": 1, "next": {"value": 2, "next": None}}, Node(1, Node(2))),),
            *([1, None], {"value": 1, "next": {}}),
        ),
    ),
    "an attrs class": (
        _of(
            Account,
            an_object("owner", owner=STRING, balance=_BALANCE, labels=_STRINGS),
            st.builds(Account, TEXT, st.decimals(allow_nan=False, allow_infinity=False), st.lists(TEXT, max_size=2)),
            (({"owner": "a", "balance": "1.50", "labels": ["b"]}, Account("a", Decimal("1.50"), ["b"])),),
            *({"_owner": "a"}, {"owner": "a", "tags": []}, {"owner": "a", "balance": "x"}),
        ),
        _of(
            set[Pixel],
            {"type": "array", "items": an_object("x", "y", x=INTEGER, y=INTEGER), "uniqueItems": True},
            st.sets(st.builds(Pixel, x=SMALL, y=SMALL), max_size=2),
            (([{"x": 1, "y": 2}], {Pixel(x=1, y=2)}),),
            *([{"x": 1}], [{"x": 1, "y": 2}, {"y": 2, "x": 1}]),
            takes=([],),
        ),
    ),
    "a pydantic model": (
        _of(
            Song,
            _named("Song", _SONG),
            SONGS,
            (({"title": "a", "length": 3, "parts": []}, Song(title="a", length=3)),),
            *({"title": ""}, {"title": "a", "seconds": 3}, {"title": "a", "length": -1}, {"title": "a", "parts": [{}]}),
        ),
        _of(
            set[Loose],
            {
                "type": "array",
                "items": {**an_object("name", name=STRING), "additionalProperties": True},
                "uniqueItems": True,
            },
            st.sets(st.builds(Loose, name=TEXT), max_size=2),
            (([{"name": "a"}], {Loose(name="a")}),),
            *([{"other": 1}], [{"name": 1}], {"name": "a"}),
            takes=([],),
        ),
        _of(
            Ordered,
            an_object("low", "high", low=INTEGER, high=INTEGER),
            st.builds(lambda low, more: Ordered(low=low, high=low + more), WHOLE, SMALL),
            (({"low": 1, "high": 2}, Ordered(low=1, high=2)),),
            {"low": 1},
            unfit=({"low": 2, "high": 1},),
        ),
    ),
    "a pydantic dataclass": (
        _of(
            Range,
            an_object("start", start={**INTEGER, "minimum": 0}, stop=_optional(INTEGER, default=None)),
            st.builds(Range, SMALL, st.none() | SMALL),
            (({"start": 1, "stop": None}, Range(1)), ({"start": 1, "stop": 2}, Range(1, 2))),
            *({"start": -1}, {"stop": 1}),
        ),
    ),
    "a `RootModel`": (
        _of(
            Numbers,
            {"type": "array", "items": INTEGER},
            st.lists(WHOLE, max_size=3).map(Numbers),
            (([1, 2], Numbers([1, 2])),),
            *(["1"], {}),
            takes=([],),
        ),
        _of(
            Shelf,
            _named(
                "Shelf", {"type": "object", "additionalProperties": {"anyOf": [{"$ref": "#/$defs/Shelf"}, INTEGER]}}
            ),
            SHELVES,
            (({"a": {"b": 1}}, Shelf({"a": Shelf({"b": 1})})),),
            *({"a": "x"}, {"a": {"b": None}}),
            takes=({"no such name": 1},),
        ),
    ),
    "a msgspec `Struct`": (
        _of(
            Plain,
            an_object(
                "firstName",
                firstName=STRING,
                age={"type": "integer", "minimum": 0, "maximum": 150, "default": 0},
                nick=STRING,
            ),
            st.builds(Plain, TEXT, SMALL) | st.builds(Plain, TEXT, SMALL, TEXT),
            (
                ({"firstName": "a", "age": 3}, Plain("a", 3)),
                ({"firstName": "a", "age": 3, "nick": "b"}, Plain("a", 3, "b")),
            ),
            *({"first_name": "a"}, {"firstName": "a", "age": 151}, {"firstName": "a", "nick": None}),
        ),
        _of(
            Up | Down,
            {"anyOf": [_UP, _DOWN]},
            st.builds(Up, WHOLE) | st.builds(Down, WHOLE),
            (({"way": "up", "by": 1}, Up(1)), ({"way": "down", "by": 1}, Down(1))),
            *({"by": 1}, {"way": "left", "by": 1}),
        ),
        _of(
            Pair,
            an_object("left", left=INTEGER, right={**INTEGER, "default": 0}),
            st.builds(Pair, WHOLE, WHOLE),
            (({"left": 1, "right": 2}, Pair(1, 2)),),
            [1, 2],
        ),
    ),
}
