"""What do models write that is wrong, and says without doubt what is meant?

Two things, told by the schema and by nothing else: an array or object that is wrapped into a string where no string may stand, and an explicit
`null` for a parameter or property that may be left out. Each is recorded. Nothing is guessed: a number in quotes stays a string.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from fcregistry._base.json import ArgumentsError, read_text
from fcregistry._base.messages import json_path, worded
from fcregistry._schema.violations import MOST_STEPS
from fcregistry.execution._reading._nulls import OptionalProperties
from fcregistry.execution._reading._repair_names import ALL_REPAIRS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from fcregistry._base.call import Problem
    from fcregistry._base.messages import Violation
    from fcregistry._schema.validator import Validator
    from fcregistry._tools.tool import Tool

_ROUNDS = 3
"""How often an array in a string in an array in a string … is unwrapped."""


def repaired(
    arguments: dict[str, Any],
    tool: Tool,
    validator: Validator,
    allowed: Collection[str] = ALL_REPAIRS,
    most_steps: int = MOST_STEPS,
) -> tuple[dict[str, Any], tuple[str, ...], tuple[Problem, ...]]:
    """Return arguments that were not valid with what can be repaired of them, what was, and what is still wrong.

    Args:
        arguments: What the model wrote; it is left as it is.
        tool: The tool that was called.
        validator: The validator of its arguments, which did not accept them.
        allowed: The names of the repairs that may be made.
        most_steps: How many steps finding out what is wrong may take.

    Raises:
        TooManyStepsError: It takes more.
    """
    violations = validator.violations(arguments, most_steps)
    repairs: list[str] = []
    if _may_be_repaired(violations, allowed):
        arguments = copy.deepcopy(arguments)
        for _ in range(_ROUNDS):
            done = list(_unwrap_texts(arguments, violations, tool, allowed))
            if "explicit-null" in allowed:
                done += _drop_nulls(arguments, violations, tool, validator)
            if not done:
                break
            repairs += done
            violations = [] if validator.is_valid(arguments) else validator.violations(arguments, most_steps)
    return arguments, tuple(sorted(set(repairs))) if repairs else (), worded(violations)


def _may_be_repaired(violations: list[Violation], allowed: Collection[str]) -> bool:
    """Return whether it is worth looking closer."""
    return any(_looks_repairable(each, allowed) for each in _all(violations))


def _looks_repairable(violation: Violation, allowed: Collection[str]) -> bool:
    value = violation.instance
    if value is None:
        return "explicit-null" in allowed
    return isinstance(value, str) and "wrapped-json" in allowed and ("[" in value or "{" in value)


def _all(violations: Iterable[Violation]) -> Iterator[Violation]:
    """Yield violations, and what is wrong inside those branches of a union that take a value of its kind; each once."""
    waiting = list(violations)
    seen: set[int] = set()  # branches of nested unions share violations
    for each in waiting:  # which grows on the way
        if not each.branches:
            yield each
        elif id(each) not in seen:
            seen.add(id(each))
            yield each
            for branch in each.branches:
                if not any(inner.keyword == "type" and inner.path == each.path for inner in branch):
                    waiting += branch


def _unwrap_texts(
    arguments: dict[str, Any], violations: list[Violation], tool: Tool, allowed: Collection[str]
) -> Iterator[str]:
    """Take texts for the arrays and objects that they hold, in place, and say so of each."""
    if "wrapped-json" not in allowed:
        return
    for violation in _all(violations):
        text = _wrapped(arguments, violation)
        if text is None:
            continue
        path = json_path(violation.path)
        try:
            value, slips = read_text(text, tool.signature.exact, allowed, f"the text of {path}")
        except ArgumentsError:
            continue
        if isinstance(value, (list, dict)):
            _holder(arguments, violation.path)[violation.path[-1]] = value
            yield f"{path} was JSON text: taken as the {'array' if isinstance(value, list) else 'object'} that it holds"
            yield from slips


def _wrapped(arguments: dict[str, Any], violation: Violation) -> str | None:
    """Return the text that stands where an array or object is due and no string may be; None if there is none."""
    path, expected = violation.path, _expected_kinds(violation)
    if not path or not expected & {"array", "object"} or "string" in expected:
        return None
    text = _holder(arguments, path)[path[-1]]  # repaired already, perhaps, by way of another violation
    return text if isinstance(text, str) else None


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
        # A branch that minds something else may take strings
        expected |= set().union(*kinds) if any(kinds) else {"string"}
    return expected
