"""Laws of strict modes: arguments fit the definition that is sent, and what fits it is accepted."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from hypothesis import HealthCheck, assume, given, note, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from fcregistry import Executor, Tool
from fcregistry.errors import DefinitionError
from fcregistry.execution._arguments import repair_arguments  # a law of repairs alone, without the call
from fcregistry.types import codec_of

from ..properties.samples import Sample, altered, samples  # noqa: TID252  # the tests are no package
from .shapes import parameters, values

STRICT = ("openai", "anthropic", "bedrock")
UNTIMED = settings(
    deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)


def typed_tool(needed: Sample, optional: Sample) -> Tool:
    """Return a tool whose schema comes from annotations."""

    def take(needed, optional=...):  # type: ignore[no-untyped-def]
        """Take two values."""

    take.__annotations__ = {"needed": needed.annotation, "optional": optional.annotation}
    return Tool.from_function(take)


def foreign_tool(schema: dict[str, Any]) -> Tool:
    """Return a tool that brings its schema."""

    def take(**given: Any) -> None: ...

    return Tool.from_function(take, parameters=schema)


def schema_in(definition: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of the parameters in a definition of whichever format."""
    body = definition.get("function") or definition.get("toolSpec") or definition
    schema = body.get("parameters") or body.get("input_schema") or body["inputSchema"]["json"]
    assert isinstance(schema, dict)
    return schema


def accepts(schema: dict[str, Any], value: Any, root: dict[str, Any]) -> bool:
    whole = {**schema, "$defs": root.get("$defs", {})}
    return Draft202012Validator(whole).is_valid(value)


def filled(schema: dict[str, Any], value: Any, root: dict[str, Any]) -> Any:
    """Return a valid value as a model in strict mode writes it: with null for every property that it leaves out."""
    if "$ref" in schema:
        return filled(root["$defs"][schema["$ref"].removeprefix("#/$defs/")], value, root)
    for branch in schema.get("anyOf", ()):
        if accepts(branch, value, root):
            return filled(branch, value, root)
    if isinstance(value, dict):
        known = schema.get("properties", {})
        return {**dict.fromkeys(known), **{name: filled(known[name], each, root) for name, each in value.items()}}
    if isinstance(value, list):
        first = schema.get("prefixItems", [])
        return [filled((first[at : at + 1] or [schema.get("items")])[0], each, root) for at, each in enumerate(value)]
    return value


@st.composite
def tools_with_arguments(draw: st.DrawFn) -> tuple[Tool, dict[str, Any]]:
    """Draw a tool, and arguments that it takes."""
    if draw(st.booleans()):
        schema = draw(parameters)
        return foreign_tool(schema), draw(values(schema))
    needed, optional = draw(samples), draw(samples)
    arguments = {"needed": codec_of(needed.annotation).encode(draw(needed.values))}
    if draw(st.booleans()):
        arguments["optional"] = codec_of(optional.annotation).encode(draw(optional.values))
    return typed_tool(needed, optional), json.loads(json.dumps(arguments))


@st.composite
def calls(draw: st.DrawFn, format_name: str) -> tuple[Tool, dict[str, Any], dict[str, Any], set[str]]:
    """Draw a tool, its strict schema, arguments that it takes, and the keywords that are left unsaid."""
    tool, arguments = draw(tools_with_arguments())
    try:
        definition = tool.definition(format_name, strict=True, recursion="cut")
    except DefinitionError:
        assume(False)
    return tool, schema_in(definition), arguments, {each.keyword for each in definition.dropped}


@given(calls("openai"))
@settings(UNTIMED, max_examples=100)
def test_what_the_schema_accepts_is_accepted_with_null_for_what_is_left_out(drawn: Any) -> None:
    tool, strict, arguments, _ = drawn
    note(f"{tool.parameters}\n{strict}\n{arguments}")
    Draft202012Validator.check_schema(strict)
    assert Draft202012Validator(strict).is_valid(filled(tool.parameters, arguments, tool.parameters))


@given(st.sampled_from(["anthropic", "bedrock"]).flatmap(calls))
@settings(UNTIMED, max_examples=100)
def test_what_the_schema_accepts_is_accepted_as_it_is_where_optional_ones_may_be_left_out(drawn: Any) -> None:
    tool, strict, arguments, unsaid = drawn
    note(f"{tool.parameters}\n{strict}\n{arguments}")
    Draft202012Validator.check_schema(strict)
    assert "$ref" in unsaid or Draft202012Validator(strict).is_valid(
        arguments
    )  # where a type is cut off, less is accepted


@given(st.data(), st.sampled_from(STRICT))
@settings(UNTIMED, max_examples=150)
def test_what_strict_mode_accepts_is_accepted_once_repaired_but_for_what_was_left_out(
    data: st.DataObject, format_name: str
) -> None:
    tool, strict, arguments, unsaid = data.draw(calls(format_name))
    said = filled(tool.parameters, arguments, tool.parameters)
    for _ in range(data.draw(st.integers(0, 2))):
        said = json.loads(json.dumps(data.draw(altered(said))))  # in which nothing is shared
    assume(foreign_tool(strict).validator().is_valid(said))  # which minds formats too
    note(f"{tool.parameters}\n{strict}\n{said}\n{unsaid}")
    validator = tool.validator()
    if not validator.is_valid(said):
        mended, repairs, _ = repair_arguments(said, tool, validator)
        broken = set() if validator.is_valid(mended) else broken_keywords(validator.violations(mended))
        assert repairs or broken
        assert not broken or broken & unsaid or "prefixItems" in unsaid


def broken_keywords(violations: Iterable[Any]) -> set[str]:
    """Return the keywords that are broken, in the branches of unions too; a string that is no date breaks a format it names."""
    return {violation.keyword for violation in violations} | {
        keyword for violation in violations for branch in violation.branches for keyword in broken_keywords(branch)
    }


def test_a_call_in_strict_mode_reaches_the_function() -> None:
    def take(name: str, times: int = 3) -> str:
        """Repeat a name."""
        return name * times

    result = Executor([take]).run({"name": "take", "arguments": '{"name": "a", "times": null}'})
    assert (result.value, result.repairs) == ("aaa", ("$.times was null: taken as left out",))
