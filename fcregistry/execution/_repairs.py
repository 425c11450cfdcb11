"""What do models write that is wrong, and says without doubt what is meant?

Two things, told by the schema and by nothing else: an array or object that is wrapped into a string where no string may stand, and an explicit
`null` for a parameter or property that may be left out. Each is recorded. Nothing is guessed: a number in quotes stays a string.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from fcregistry._problems import json_path, worded
from fcregistry.execution._arguments import ArgumentsError, read_json
from fcregistry.execution._nulls import OptionalProperties

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fcregistry._calls import Problem
    from fcregistry._problems import Violation
    from fcregistry._tool import Tool
    from fcregistry._validation import Validator

_ROUNDS = 3
"""How often an array in a string in an array in a string … is unwrapped."""


def repaired(
    arguments: dict[str, Any], tool: Tool, validator: Validator
) -> tuple[dict[str, Any], tuple[str, ...], tuple[Problem, ...]]:
    """Return arguments that were not valid with what can be repaired of them, what was, and what is still wrong.

    Args:
        arguments: What the model wrote; it is left as it is.
        tool: The tool that was called.
        validator: The validator of its arguments, which did not accept them.
    """
    violations = validator.violations(arguments)
    repairs: list[str] = []
    if any(map(_looks_repairable, _all(violations))):
        arguments = copy.deepcopy(arguments)
        for _ in range(_ROUNDS):
            done = [said for each in _all(violations) if (said := _unwrap(arguments, each, tool.signature.exact))]
            done += _drop_nulls(arguments, violations, tool, validator)
            if not done:
                break
            repairs += done
            violations = validator.violations(arguments)
    return arguments, tuple(sorted(set(repairs))), worded(violations)


def _looks_repairable(violation: Violation) -> bool:
    value = violation.instance
    return value is None or (isinstance(value, str) and value.lstrip()[:1] in ("[", "{"))


def _all(violations: Iterable[Violation]) -> list[Violation]:
    return [each for violation in violations for each in _with_inner(violation)]


def _with_inner(violation: Violation) -> Iterator[Violation]:
    """Yield a violation, and what is wrong inside those branches of a union that take a value of its kind."""
    yield violation
    for branch in violation.branches:
        if not any(inner.keyword == "type" and inner.path == violation.path for inner in branch):
            for inner in branch:
                yield from _with_inner(inner)


def _unwrap(arguments: dict[str, Any], violation: Violation, exact: bool) -> str | None:
    """Take a text for the array or object that it holds, in place, and say so; None if there is nothing to be done.

    Args:
        arguments: The arguments.
        violation: What the text violates.
        exact: Whether the numbers in the text keep their digits.
    """
    path, value = violation.path, violation.instance
    expected = _expected_kinds(violation)
    if not path or not isinstance(value, str) or not expected & {"array", "object"} or "string" in expected:
        return None
    holder = _holder(arguments, path)
    if not isinstance(holder[path[-1]], str):  # repaired already, by way of another violation
        return None
    unwrapped = _unwrapped(value, exact)
    if unwrapped is None:
        return None
    holder[path[-1]] = unwrapped
    kind = "array" if isinstance(unwrapped, list) else "object"
    return f"{json_path(path)} was JSON text: taken as the {kind} that it holds"


def _drop_nulls(
    arguments: dict[str, Any], violations: list[Violation], tool: Tool, validator: Validator
) -> Iterator[str]:
    """Take nulls for what is left out, in place, and say so of each."""
    nulls = [each for each in _all(violations) if each.instance is None]
    if not nulls:
        return
    optional = validator.properties - validator.required
    paths: list[tuple[str | int, ...]] = [
        each.path for each in violations if each.instance is None and len(each.path) == 1 and each.path[0] in optional
    ]
    if len(paths) < len(nulls):
        paths += OptionalProperties(tool.parameters).nulls(violations)
    for path in dict.fromkeys(paths):
        del _holder(arguments, path)[path[-1]]
        yield f"{json_path(path)} was null: taken as left out"


def _holder(arguments: dict[str, Any], path: tuple[str | int, ...]) -> Any:
    holder: Any = arguments
    for segment in path[:-1]:
        holder = holder[segment]
    return holder


def _expected_kinds(violation: Violation) -> set[str]:
    """Return the JSON types that would do in place of the value; none where its type is not what is wrong."""
    if violation.keyword == "type":
        return {violation.limit} if isinstance(violation.limit, str) else set(violation.limit)
    if violation.keyword in ("enum", "const", "format", "pattern", "minimum", "maximum"):
        return set()
    expected: set[str] = set()
    for branch in violation.branches:
        kinds = [_expected_kinds(inner) for inner in branch if inner.path == violation.path]
        expected |= (
            set().union(*kinds) if any(kinds) else {"string"}
        )  # a branch that minds something else may take strings
    return expected


def _unwrapped(text: str, exact: bool) -> list[Any] | dict[str, Any] | None:
    try:
        value = read_json(text, exact)
    except ArgumentsError:
        return None
    return value if isinstance(value, (list, dict)) else None
