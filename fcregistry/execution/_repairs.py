"""What do models write that is wrong, and says without doubt what is meant?

Two things, told by the schema and by nothing else: an array or object that is wrapped into a string where no string may stand, and an explicit
`null` for a parameter that may be left out. Each is recorded. Nothing is guessed: a number in quotes stays a string.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from fcregistry._problems import json_path, worded
from fcregistry.execution._arguments import ArgumentsError, read_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fcregistry._calls import Problem
    from fcregistry._problems import Violation
    from fcregistry._validation import Validator

_ROUNDS = 3
"""How often an array in a string in an array in a string … is unwrapped."""


def repaired(
    arguments: dict[str, Any], validator: Validator
) -> tuple[dict[str, Any], tuple[str, ...], tuple[Problem, ...]]:
    """Return arguments that were not valid with what can be repaired of them, what was, and what is still wrong.

    Args:
        arguments: What the model wrote; it is left as it is.
        validator: The validator that did not accept them.
    """
    violations = validator.violations(arguments)
    repairs: list[str] = []
    if any(map(_looks_repairable, _all(violations))):
        arguments = copy.deepcopy(arguments)
        for _ in range(_ROUNDS):
            done = [said for each in _all(violations) if (said := _repair(arguments, each, validator))]
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


def _repair(arguments: dict[str, Any], violation: Violation, validator: Validator) -> str | None:
    """Repair one violation in place, and say what was done; None if there is nothing to be done."""
    path, expected = violation.path, _expected_kinds(violation)
    if not path or not expected:
        return None
    holder: Any = arguments
    for segment in path[:-1]:
        holder = holder[segment]
    if isinstance(holder, dict) and path[-1] not in holder:  # repaired already, by way of another violation
        return None
    value, where = holder[path[-1]], json_path(path)
    if value is None and len(path) == 1 and path[0] in validator.properties - validator.required:
        del holder[path[0]]
        return f"{where} was null: taken as left out"
    if isinstance(value, str) and expected & {"array", "object"} and "string" not in expected:
        unwrapped = _unwrapped(value)
        if unwrapped is not None:
            holder[path[-1]] = unwrapped
            return f"{where} was JSON text: taken as the {'array' if isinstance(unwrapped, list) else 'object'} that it holds"
    return None


def _expected_kinds(violation: Violation) -> set[str]:
    """Return the JSON types that would do in place of the value; none where its type is not what is wrong."""
    if violation.keyword == "type":
        return {violation.limit} if isinstance(violation.limit, str) else set(violation.limit)
    if violation.keyword in ("enum", "const", "format", "pattern", "minimum", "maximum"):
        return {"other"} if violation.instance is None else set()
    expected: set[str] = set()
    for branch in violation.branches:
        kinds = [_expected_kinds(inner) for inner in branch if inner.path == violation.path]
        expected |= (
            set().union(*kinds) if any(kinds) else {"string"}
        )  # a branch that minds something else may take strings
    return expected


def _unwrapped(text: str) -> list[Any] | dict[str, Any] | None:
    try:
        value = read_json(text)
    except ArgumentsError:
        return None
    return value if isinstance(value, (list, dict)) else None
