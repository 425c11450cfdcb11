"""Validation by both engines, which must agree."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from fcregistry import Tool
from fcregistry.errors import DefinitionError
from fcregistry.inspection import lint

Engine: TypeAlias = Literal["jsonschema-rs", "jsonschema"]

ENGINES: tuple[Engine, ...] = ("jsonschema-rs", "jsonschema")
URIS = {
    "2020-12": "https://json-schema.org/draft/2020-12/schema",
    "2019-09": "https://json-schema.org/draft/2019-09/schema",
    "7": "http://json-schema.org/draft-07/schema#",
    "6": "http://json-schema.org/draft-06/schema#",
    "4": "http://json-schema.org/draft-04/schema#",
}
OF_DOCUMENTS = ("$schema", "$id", "id", "$defs", "definitions")
"""Keywords of a schema that stay at its top when it becomes that of an argument."""


def take(**arguments: Any) -> None: ...


def tool_of(schema: dict[str, Any]) -> Tool:
    """Return a tool that takes any arguments, with an external schema of them."""
    return Tool.from_function(take, parameters=schema)


def published(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema as a tool publishes it."""
    return tool_of(schema).parameters


def problem_of(schema: dict[str, Any]) -> str | None:
    """Return the reason a schema cannot be that of a tool's arguments, or None if it can."""
    try:
        published(schema)
    except DefinitionError as error:
        (problem,) = error.problems
        return problem.removeprefix("parameters=…: ")
    return None


def notes_of(schema: dict[str, Any]) -> list[str]:
    """Return the parts of a schema that are accepted and not enforced."""
    found = [each for each in lint([tool_of(schema)], format_names=()) if each.rule == "not-enforced"]
    return [each.message.removeprefix("of its schema, ") for each in found]


def of_argument(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema of arguments in which the argument `value_` has the given schema."""
    top = {keyword: schema[keyword] for keyword in OF_DOCUMENTS if keyword in schema}
    return {**top, "properties": {"value_": {name: each for name, each in schema.items() if name not in top}}}


def problems_by_both(schema: dict[str, Any], value: Any) -> list[str]:
    """Return the problems of a value; both engines find the same problems, and their verdicts agree.

    Args:
        schema: The schema of the value.
        value: An object is taken for the arguments of a tool, anything else for one argument.
    """
    if not isinstance(value, dict):
        return [said.replace("$.value_", "$") for said in problems_by_both(of_argument(schema), {"value_": value})]
    tool = tool_of(schema)
    by_gate, by_record = (tool.validator(engine) for engine in ENGINES)
    assert by_gate.is_valid(value) == by_record.is_valid(value)
    problems = by_gate.problems(value)
    assert by_record.problems(value) == problems
    assert by_gate.is_valid(value) == (not problems)
    return [str(problem) for problem in problems]


def of(draft: str, schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema with the `$schema` of a draft."""
    return {"$schema": URIS[draft], **schema}
