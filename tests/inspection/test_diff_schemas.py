"""What changed in a schema, where, and what that means for arguments and for results."""

from __future__ import annotations

from typing import Any

import pytest

from fcregistry._schema.drafts import ENFORCED
from fcregistry.inspection._schema_diff import (  # each rule is tried by itself, and the tables are complete
    ARRAY_KEYWORDS,
    JOINED,
    OBJECT_KEYWORDS,
    RULES,
    UNEVALUATED,
    VALUES,
    schema_differences,
    shown_path,
)

STRING = {"type": "string"}


def closed(required: tuple[str, ...] = (), **properties: Any) -> dict[str, Any]:
    """Return the schema of a tool's arguments."""
    more = {"required": list(required)} if required else {}
    return {"type": "object", "properties": properties, **more, "additionalProperties": False}


def opened(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def described(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    """Return each difference as `path: message`, after a sign: `-` accepts less, `+` accepts more, `±` both, `=` neither, `?` not known."""
    signs = {(True, True): "±", (True, False): "-", (False, True): "+", (False, False): "="}
    return [
        f"{signs.get((each.narrows, each.widens), '?')} {shown_path(each.path)}: {each.message}"  # type: ignore[arg-type]
        for each in schema_differences(old, new)
    ]


ROWS: tuple[tuple[dict[str, Any], dict[str, Any], list[str]], ...] = (
    (closed(a=STRING), closed(a=STRING), []),
    # properties
    (closed(), closed(a=STRING), ["+ $.a: is new, and optional"]),
    (closed(), closed(("a",), a=STRING), ["± $.a: is new, and required"]),
    (closed(a=STRING), closed(), ["- $.a: is gone"]),
    (closed(("a",), a=STRING), closed(), ["± $.a: is gone"]),
    (closed(a=STRING), closed(("a",), a=STRING), ["- $.a: is required now"]),
    (closed(("a",), a=STRING), closed(a=STRING), ["+ $.a: is optional now"]),
    (closed(), opened(), ["+ $: accepts other names now"]),
    (opened(), closed(), ["- $: no longer accepts other names"]),
    (opened(), opened(a=STRING), ["- $.a: is new, and optional; accepted any value under that name before"]),
    (opened(a=STRING), opened(), ["+ $.a: is gone; accepts any value under that name now"]),
    (closed(a=closed(zip=STRING)), closed(a=closed(("zip",), zip=STRING)), ["- $.a.zip: is required now"]),
    ({**closed(), "properties": {"odd name": STRING}}, closed(), ["- $['odd name']: is gone"]),
    (
        {"type": "object", "additionalProperties": {"type": "number"}},
        {"type": "object", "additionalProperties": {"type": "integer"}},
        ["- $.*: was a number, is an integer"],
    ),
    (
        {"type": "object", "patternProperties": {"^x-": {"type": "integer"}}},
        {"type": "object", "patternProperties": {"^x-": {"type": "number"}}},
        ["+ $[/^x-/]: was an integer, is a number"],
    ),
    # values, types and bounds
    (closed(a={"enum": ["x", "y"]}), closed(a={"enum": ["x", "z"]}), ['- $.a: no longer accepts "y"', '+ $.a: accepts "z" now']),
    (closed(a=STRING), closed(a={**STRING, "enum": ["x"]}), ['- $.a: accepts only "x" now']),
    (closed(a={**STRING, "enum": ["x"]}), closed(a=STRING), ['+ $.a: accepts more than "x" now']),
    (closed(a=STRING), closed(a={"type": "integer"}), ["± $.a: was a string, is an integer"]),
    (closed(a={"type": "integer"}), closed(a={"type": "number"}), ["+ $.a: was an integer, is a number"]),
    (closed(a=STRING), closed(a={"type": ["string", "null"]}), ["+ $.a: accepts null now"]),
    (closed(a={"anyOf": [STRING, {"type": "null"}]}), closed(a=STRING), ["- $.a: no longer accepts null"]),
    (closed(a={"anyOf": [STRING, {"type": "null"}]}), closed(a={"type": ["null", "string"]}), []),
    (closed(a={**STRING, "maxLength": 5}), closed(a={**STRING, "maxLength": 4}), ["- $.a: maxLength was 5, is 4"]),
    (closed(a={"type": "integer", "minimum": 1}), closed(a={"type": "integer", "minimum": 0}), ["+ $.a: minimum was 1, is 0"]),
    (closed(a={"type": "integer", "minimum": 1}), closed(a={"type": "integer", "exclusiveMinimum": 0}), []),
    (closed(a=STRING), closed(a={**STRING, "pattern": "^a"}), ['- $.a: pattern "^a" is new']),
    (
        closed(a={**STRING, "pattern": "^a"}),
        closed(a={**STRING, "pattern": "^[a]"}),
        ['? $.a: pattern was "^a", is "^[a]"'],
    ),
    (closed(a={**STRING, "format": "date"}), closed(a=STRING), ['+ $.a: format "date" is gone']),
    (closed(a={**STRING, "enum": ["1.5"]}), closed(a={**STRING, "format": "decimal"}), ['+ $.a: accepts more than "1.5" now']),
    # arrays
    (
        closed(a={"type": "array", "items": STRING}),
        closed(a={"type": "array", "items": {"type": "integer"}, "uniqueItems": True}),
        ["- $.a: uniqueItems true is new", "± $.a[*]: was a string, is an integer"],
    ),
    (
        closed(a={"type": "array", "prefixItems": [STRING, STRING], "items": False}),
        closed(a={"type": "array", "prefixItems": [STRING, {"type": "null"}], "items": False}),
        ["± $.a[1]: was a string, is null"],
    ),
    # alternatives
    (
        closed(a={"anyOf": [closed(("k",), k={"enum": ["b"]}), closed(("k",), k={"enum": ["c"]}, n=STRING)]}),
        closed(a={"anyOf": [closed(("k",), k={"enum": ["b"]}), closed(("k",), k={"enum": ["c"]}, n={"type": "null"})]}),
        ["± $.a.n: was a string, is null"],
    ),
    (
        closed(a={"anyOf": [closed(k={"const": "b"}), {"type": "null"}]}),
        closed(a={"anyOf": [STRING, {"type": "null"}]}),
        ['- $.a: no longer accepts an object with k "b"', "+ $.a: accepts a string now"],
    ),
    ({"allOf": [opened(a=STRING)]}, {"allOf": [opened(a={"type": "null"})]}, ["± $.a: was a string, is null"]),
    # what is only said
    (closed(a={**STRING, "default": "x"}), closed(a={**STRING, "default": "y"}), ['= $.a: default was "x", is "y"']),
    (closed(a={**STRING, "description": "x"}), closed(a={**STRING, "title": "T"}), ['= $.a: title "T" is new', '= $.a: description "x" is gone']),
    (closed(a={**STRING, "format": "acme"}), closed(a=STRING), ['= $.a: format "acme" is gone']),
)  # fmt: skip


@pytest.mark.parametrize(("old", "new", "differences"), ROWS)
def test_each_difference_has_its_path_its_words_and_what_it_does(
    old: dict[str, Any], new: dict[str, Any], differences: list[str]
) -> None:
    assert described(old, new) == [each for each in differences if each]


@pytest.mark.parametrize(("old", "new", "differences"), ROWS)
def test_the_way_back_does_the_opposite(old: dict[str, Any], new: dict[str, Any], differences: list[str]) -> None:
    """What narrows in one direction widens in the other: one walk serves arguments and results."""
    opposite = {"-": "+", "+": "-"}
    signs = sorted(opposite.get(each[0], each[0]) for each in differences)
    assert sorted(each[0] for each in described(new, old)) == signs


NODE = {"type": "object", "properties": {"value": {"type": "integer"}, "next": {"$ref": "#/$defs/Node"}}}


def referring(node: dict[str, Any]) -> dict[str, Any]:
    return {**closed(tree={"$ref": "#/$defs/Node"}, other={"$ref": "#/$defs/Node"}), "$defs": {"Node": node}}


def test_a_type_that_refers_to_itself_is_compared_once() -> None:
    """With the places that it is used at."""
    wider = {**NODE, "properties": {**NODE["properties"], "value": {"type": "number"}}}  # type: ignore[dict-item]
    assert described(referring(NODE), referring(wider)) == [
        "+ $.tree.value: was an integer, is a number",
        "+ $.other: changed as $.tree did",
    ]
    assert described(referring(wider), referring(NODE))[0] == "- $.tree.value: was a number, is an integer"


def test_definitions_may_be_renamed_or_written_out() -> None:
    old = referring({"type": "integer"})
    renamed = {
        **closed(tree={"$ref": "#/definitions/N"}, other={"type": "integer"}),
        "definitions": {"N": {"type": "integer"}},
    }
    assert described(old, renamed) == []


def test_what_proves_the_whole_comes_before_what_a_place_looks_like() -> None:
    """A string of any kind takes what a list of strings and numbers took, once null stands beside it."""
    old = closed(a={"enum": ["x", None]})
    new = closed(a={"anyOf": [STRING, {"type": "null"}]})
    assert all(each.startswith("+") for each in described(old, new))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ({"$id": "a", **opened()}, {"$id": "a", **opened(a=STRING)}, "`$id`, anchors, or another draft"),
        ({"$schema": "http://json-schema.org/draft-07/schema#", **opened()}, opened(), "another draft"),
        ({"type": 7}, opened(), "not a valid JSON Schema"),
        (opened(), {"properties": {"a": {"$ref": "#/nowhere"}}}, "something"),
        ({"$defs": {"A": {"$ref": "#/$defs/A"}}, "$ref": "#/$defs/A"}, opened(), "in a way that is not followed"),
    ],
)  # fmt: skip
def test_what_is_not_followed_is_never_called_compatible(
    old: dict[str, Any], new: dict[str, Any], message: str
) -> None:
    found = schema_differences(old, new)
    assert any(each.narrows is not False for each in found)
    if message != "something":
        assert any(message in each.message for each in found)
    assert schema_differences(old, dict(old)) == []


def test_keywords_beside_unevaluated_properties_are_not_judged_one_by_one() -> None:
    """They take back what no other keyword speaks of, so a part that changed may mean more than it says."""
    inner = {
        "type": "object",
        "allOf": [opened(a=STRING)],
        "unevaluatedProperties": False,
        "patternProperties": {"(?=b)": STRING},
    }
    other = {**inner, "allOf": [opened(a=STRING, c={})]}
    assert any(each.startswith("?") for each in described(inner, other))


def test_exactly_one_alternative_is_doubtful() -> None:
    """What an alternative takes more may be what two take now, and so none."""
    old = {"oneOf": [{"pattern": "^a", "type": "string"}, {"pattern": "^(?=b)"}]}
    new = {"oneOf": [{"type": "string"}, {"pattern": "^(?=b)"}]}
    assert described(old, new) == ['? $: pattern "^a" is gone']


def test_a_schema_of_many_places_ends() -> None:
    """Each definition refers to the next one twice, and all differ in the last: what a hostile file may hold."""

    def chain(last: dict[str, Any]) -> dict[str, Any]:
        definitions: dict[str, Any] = {
            f"D{place}": {
                "properties": {"a": {"$ref": f"#/$defs/D{place + 1}"}, "b": {"$ref": f"#/$defs/D{place + 1}"}}
            }
            for place in range(8)
        }
        return {"$ref": "#/$defs/D0", "$defs": {**definitions, "D8": last}}

    assert len(schema_differences(chain(STRING), chain({"type": "null"}))) < 20


def test_a_schema_of_many_levels_ends() -> None:
    def nested(inner: dict[str, Any]) -> dict[str, Any]:
        for _ in range(60):
            inner = {"properties": {"a": inner}}
        return inner

    found = schema_differences(nested(STRING), nested({"type": "null"}))
    assert any(each.narrows is not False for each in found)


def test_every_keyword_that_asks_for_something_is_compared() -> None:
    """A keyword that a later draft brings is not passed over."""
    compared = {
        *(name for names in RULES for name in names),
        *("$ref", "$dynamicRef", "$recursiveRef"),
        *VALUES, *JOINED, *OBJECT_KEYWORDS, *ARRAY_KEYWORDS, *UNEVALUATED,
    }  # fmt: skip
    assert compared == ENFORCED
