"""Lint accepts any tool that can be defined, and never raises."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from fcregistry import Tool
from fcregistry.inspection import LintFinding, lint

from .samples import json_values, samples, scalars

NAMES = ("first", "second", "third")

severities: dict[str, str] = {}
"""Of each rule that has been broken so far."""


def check(tool: Tool, strict: bool) -> tuple[LintFinding, ...]:
    """Lint a tool, and check what holds for all findings."""
    found = lint([tool], strict=strict)
    assert found == lint([tool], strict=strict)
    for finding in found:
        assert finding.tool == tool.id
        assert finding.severity in ("error", "warning", "note")
        assert finding.severity == severities.setdefault(finding.rule, finding.severity)
        assert finding.path.startswith(("$", "returns"))
        assert finding.message
        assert finding.advice
    json.dumps([asdict(finding) for finding in found])
    return found


@st.composite
def tools(draw: st.DrawFn) -> Tool:
    """Draw a tool of up to three parameters of any types, some with defaults, which may be wrong, some documented."""

    def function(first: Any, second: Any, third: Any) -> Any: ...

    drawn = draw(st.lists(samples, min_size=3, max_size=3))
    function.__annotations__ = {name: sample.annotation for name, sample in zip(NAMES, drawn, strict=True)}
    result = draw(st.none() | samples)
    if result is not None:
        function.__annotations__["return"] = result.annotation
    defaults = [draw(sample.values | json_values | st.builds(object)) for sample in drawn]
    function.__defaults__ = tuple(defaults[draw(st.integers(0, 3)) :]) or None
    documented = draw(st.lists(st.sampled_from([*NAMES, "fourth", "(", "a b"]), unique=True))
    lines = [f"    {name}: {draw(st.text(max_size=9))}" for name in documented]
    function.__doc__ = (
        "\n".join([draw(st.text(max_size=20)), "", "Args:", *lines]) if lines else draw(st.text(max_size=20))
    )
    examples = draw(st.lists(st.dictionaries(st.sampled_from(NAMES), json_values | st.builds(object)), max_size=2))
    return Tool.from_function(function, examples=examples, deprecated=draw(st.booleans()))


@given(tools(), st.booleans())
def test_lint_never_raises_on_annotations(tool: Tool, strict: bool) -> None:
    """Whatever the types, defaults, examples and docstrings: the findings are the same each time, and can be sent as JSON."""
    check(tool, strict)


_keywords_of_schemas = ("items", "additionalProperties", "not", "contains", "propertyNames", "if", "then", "else")
_keywords_of_lists = ("anyOf", "oneOf", "allOf", "prefixItems")
_keywords_of_maps = ("properties", "$defs", "patternProperties", "dependentSchemas")
_leaves = st.booleans() | st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["string", "integer", "object", "array", "null", ["string", "null"]]),
        "enum": st.lists(scalars, min_size=1, max_size=3, unique_by=repr),
        "const": scalars,
        "default": json_values,
        "examples": st.lists(json_values, max_size=2),
        "description": st.text(max_size=5),
        "title": st.text(max_size=5),
        "minimum": st.integers(-5, 5),
        "maxLength": st.integers(0, 5),
        "format": st.sampled_from(["date", "uuid", "odd"]),
        "pattern": st.sampled_from(["^a+$", "a|b"]),
        "$ref": st.sampled_from(["#", "#/$defs/a", "#/$defs/b", "#/properties/a", "#/definitions/c"]),
        "required": st.lists(st.sampled_from("abc"), unique=True),
        "deprecated": st.booleans(),
    },
)
_names = st.sampled_from(["a", "b", "c", "properties", "A", "größe", "x y", "$ref", ""])


def _composed(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    parts: dict[str, st.SearchStrategy[Any]] = dict.fromkeys(_keywords_of_schemas, inner)
    parts |= dict.fromkeys(_keywords_of_lists, st.lists(inner, min_size=1, max_size=2))
    parts |= dict.fromkeys(_keywords_of_maps, st.dictionaries(_names, inner, max_size=2))
    ways = [st.tuples(_leaves, st.fixed_dictionaries({keyword: part})) for keyword, part in parts.items()]
    return st.one_of(ways).map(lambda pair: {**(pair[0] if isinstance(pair[0], dict) else {}), **pair[1]})


schemas = st.recursive(_leaves, _composed, max_leaves=6)


@given(
    st.dictionaries(_names, schemas, max_size=3),
    st.dictionaries(st.sampled_from("abc"), schemas, max_size=3),
    st.sampled_from([{}, {"additionalProperties": False}, {"additionalProperties": {}}, {"required": ["a"]}]),
    st.booleans(),
)
def test_lint_never_raises_on_schemas_of_others(
    properties: dict[str, Any], defs: dict[str, Any], more: dict[str, Any], strict: bool
) -> None:
    """Boolean schemas, references that lead nowhere or back to themselves, names of all sorts."""

    def function(**arguments: Any) -> None:
        """Take anything."""

    schema = {"type": "object", "properties": properties, "$defs": defs, **more}
    tool = Tool.from_function(function, parameters=schema)
    if tool.definition_error is None:
        check(tool, strict)
