"""References, and types that refer to themselves, for providers that do not accept them unchanged."""

from __future__ import annotations

import inspect
import re
import sys
from dataclasses import dataclass, field
from typing import Any, Literal

import pytest

from fcregistry import Tool
from fcregistry.errors import DefinitionError


@dataclass
class Tree:
    name: str
    below: list[Tree] = field(default_factory=list)
    twin: Tree | None = None


@dataclass
class Link:
    to: Link | None


@dataclass
class Add:
    kind: Literal["add"]
    left: Add | Negate | int
    right: Add | Negate | int


@dataclass
class Negate:
    kind: Literal["negate"]
    of: Add | Negate | int


def plant(tree: Tree) -> None: ...
def chain(link: Link) -> None: ...
def compute(term: Add | Negate | int) -> None: ...
def take(**given: Any) -> None: ...


def refusal(function: Any, format_name: str, **options: Any) -> tuple[str, ...]:
    with pytest.raises(DefinitionError) as caught:
        Tool.from_function(function).definition(format_name, **options)
    return caught.value.problems


def said(schema: dict[str, Any], **options: Any) -> dict[str, Any]:
    tool = Tool.from_function(take, parameters={"additionalProperties": False, **schema})
    return tool.definition("anthropic", strict=True, **options)["input_schema"]  # type: ignore[no-any-return]


def test_openai_takes_types_that_refer_to_themselves() -> None:
    schema = Tool.from_function(compute).definition("openai", strict=True)["function"]["parameters"]

    assert list(schema["$defs"]) == ["Add", "Negate"]
    assert schema["properties"]["term"]["anyOf"][:2] == [{"$ref": "#/$defs/Add"}, {"$ref": "#/$defs/Negate"}]


def test_where_a_provider_takes_none_they_are_refused_by_name() -> None:
    said = (
        "refers to itself, which Anthropic's strict mode does not take; "
        'cut it off with recursion="cut", or describe the tool in another format or without strict'
    )
    assert refusal(compute, "anthropic", strict=True) == (
        f"$.properties.term.anyOf[0]: Add {said}",
        f"$.properties.term.anyOf[1]: Negate {said}",
    )
    assert len(refusal(plant, "bedrock", strict=True)) == 1


def test_gemini_takes_them_where_they_may_be_left_out() -> None:
    definition = Tool.from_function(plant).definition("gemini")

    assert definition["parametersJsonSchema"]["$defs"]["Tree"]["required"] == ["name"]
    assert definition.dropped == ()
    (problem,) = refusal(chain, "gemini")
    assert problem.startswith(
        "$.properties.link: Link refers to itself, which Gemini does not take where a value is required; "
    )


def test_cut_off_in_strict_mode_a_union_loses_a_branch_and_an_array_its_items() -> None:
    definition = Tool.from_function(plant).definition("anthropic", strict=True, recursion="cut")

    assert definition["input_schema"]["properties"]["tree"] == {
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "below": {"type": "array", "items": {"type": "null"}, "description": "(maxItems: 0)"},
            "twin": {"type": "null", "default": None},
        },
        "required": ["name"],
        "additionalProperties": False,
    }
    assert "$defs" not in definition["input_schema"]
    assert [(each.path, each.keyword, each.value) for each in definition.dropped] == [
        ("$.properties.tree.properties.below.items", "$ref", "#/$defs/Tree"),
        ("$.properties.tree.properties.below", "maxItems", 0),
        ("$.properties.tree.properties.twin.anyOf[0]", "$ref", "#/$defs/Tree"),
    ]
    assert definition.dropped[0].reason == "Tree refers to itself, and is cut off here"


def test_elsewhere_a_cut_off_type_allows_any_object() -> None:
    definition = Tool.from_function(chain).definition("gemini", recursion="cut")

    assert definition["parametersJsonSchema"]["properties"]["link"] == {
        "type": "object",
        "properties": {"to": {"anyOf": [{"type": "object"}, {"type": "null"}]}},
        "required": ["to"],
        "additionalProperties": False,
    }
    assert [each.path for each in definition.dropped] == ["$.properties.link.properties.to.anyOf[0]"]


def test_a_property_that_is_nothing_but_cut_off_is_left_out() -> None:
    schema = {
        "properties": {"a": {"$ref": "#/$defs/A"}},
        "$defs": {"A": {"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}, "additionalProperties": False}},
    }
    assert said(schema, recursion="cut")["properties"]["a"] == {
        "type": "object",
        "properties": {},
        "additionalProperties": False,
    }


def test_a_type_without_finite_values_cannot_be_cut_off() -> None:
    schema = {
        "properties": {"a": {"$ref": "#/$defs/A"}},
        "required": ["a"],
        "$defs": {
            "A": {
                "type": "object",
                "properties": {"a": {"$ref": "#/$defs/A"}},
                "required": ["a"],
                "additionalProperties": False,
            }
        },
    }
    with pytest.raises(
        DefinitionError, match="no call of it is possible once it is cut off; describe it without strict"
    ):
        said(schema, recursion="cut")


def test_a_reference_with_other_keywords_is_replaced_by_its_target() -> None:
    schema = {
        "properties": {"a": {"$ref": "#/$defs/A"}, "b": {"$ref": "#/$defs/A", "description": "B."}},
        "$defs": {"A": {"type": "string", "description": "A."}},
    }
    assert said(schema)["properties"] == {
        "a": {"$ref": "#/$defs/A"},
        "b": {"type": "string", "description": "B."},
    }
    assert said({**schema, "properties": {"b": schema["properties"]["b"]}}).get("$defs") is None


@pytest.mark.parametrize(
    ("reference", "elsewhere"),
    [
        ("#/$defs/A", {"$defs": {"A": {"type": "string"}}}),
        ("#/definitions/A", {"definitions": {"A": {"type": "string"}}}),
        ("#/properties/b", {}),
        ("#/$defs/A~1B%20C", {"$defs": {"A/B C": {"type": "string"}}}),
        ("#here", {"$defs": {"X": {"$anchor": "here", "type": "string"}}}),
        ("#/$defs/List/prefixItems/0", {"$defs": {"List": {"prefixItems": [{"type": "string"}]}}}),
    ],
)
def test_references_are_followed_wherever_they_lead_within_the_schema(
    reference: str, elsewhere: dict[str, Any]
) -> None:
    written = said({"properties": {"a": {"$ref": reference}, "b": {"type": "string"}}, **elsewhere})

    (name,) = written["$defs"]
    assert written["properties"]["a"] == {"$ref": f"#/$defs/{name}"}
    assert written["$defs"][name] == {"type": "string"}


def test_two_definitions_of_one_name_stay_two() -> None:
    written = said(
        {
            "properties": {"a": {"$ref": "#/$defs/A"}, "b": {"$ref": "#/definitions/A"}},
            "$defs": {"A": {"type": "string"}},
            "definitions": {"A": {"type": "integer"}},
        }
    )
    assert written["properties"] == {"a": {"$ref": "#/$defs/A"}, "b": {"$ref": "#/$defs/A_"}}
    assert written["$defs"] == {"A": {"type": "string"}, "A_": {"type": "integer"}}


def test_definitions_that_nothing_refers_to_are_not_sent() -> None:
    assert "$defs" not in said({"properties": {"a": {"type": "string"}}, "$defs": {"A": {"type": "integer"}}})


def test_a_schema_that_refers_to_its_own_top_is_written_by_a_definition() -> None:
    tool = Tool.from_function(
        take,
        parameters={
            "type": "object",
            "properties": {"below": {"type": "array", "items": {"$ref": "#"}}},
            "additionalProperties": False,
        },
    )
    schema = tool.definition("openai", strict=True)["function"]["parameters"]

    assert schema["properties"]["below"]["anyOf"][0]["items"] == {"$ref": "#/$defs/root"}
    assert schema["$defs"]["root"]["properties"] == schema["properties"]


def test_references_that_multiply_are_stopped() -> None:
    """Each of these names the next twice, with company: replaced by what they name, they would be 2 ** 30."""
    defs: dict[str, Any] = {
        f"D{at}": {
            "type": "object",
            "properties": {name: {"$ref": f"#/$defs/D{at + 1}", "description": name} for name in "ab"},
            "additionalProperties": False,
        }
        for at in range(30)
    }
    defs["D30"] = {"type": "string"}
    with pytest.raises(
        DefinitionError, match="is too large: with its references followed it has more than 100,000 schemas"
    ):
        said({"properties": {"a": {"$ref": "#/$defs/D0", "description": "a"}}, "$defs": defs})


@pytest.mark.parametrize(("format_name", "options"), [("openai", {"strict": True}), ("python", {}), ("gemini", {})])
def test_a_schema_that_is_nested_too_deeply_is_refused(format_name: str, options: dict[str, Any]) -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(150):
        schema = {"type": "array", "items": schema}
    tool = Tool.from_function(take, parameters={"properties": {"a": schema}, "additionalProperties": False})
    assert tool.parameters

    def with_little_left(calls: int) -> Any:
        return with_little_left(calls - 1) if calls else tool.definition(format_name, **options)

    with pytest.raises(DefinitionError, match=r"\$: is nested too deeply"):
        with_little_left(sys.getrecursionlimit() - len(inspect.stack()) - 200)


def test_types_that_refer_to_themselves_are_reported_from_those_that_lead_to_them() -> None:
    types = {
        "A": {"items": {"$ref": "#/$defs/B"}},
        "B": {"properties": {"c": {"$ref": "#/$defs/C"}}},
        "C": {"anyOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/Free"}]},
        "Self": {"properties": {"x": {"$ref": "#/$defs/Self"}}, "required": ["x"]},
        "Free": {"type": "string"},
        "Leads": {"items": {"$ref": "#/$defs/Self"}},
        "Unused": {"$ref": "#/$defs/Free"},
    }
    used = [name for name in types if name != "Unused"]
    schema = {"properties": {name: {"$ref": f"#/$defs/{name}"} for name in used}, "$defs": types}

    def refused(format_name: str, **options: Any) -> set[str]:
        with pytest.raises(DefinitionError) as caught:
            Tool.from_function(take, parameters=schema).definition(format_name, **options)
        return {re.findall(r"(\w+) refers to itself", each)[0] for each in caught.value.problems}

    assert refused("anthropic", strict=True) == {"A", "B", "C", "Self"}
    assert refused("gemini") == {"Self"}  # it takes those that may end
