"""How is what a validator found worded for a model?

Both validators are read into `Violation`s; the words are made here from keyword, path and the schema's value, so both say the same.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from fcregistry._calls import Problem
from fcregistry._demands import MOST_CHOICES, demand, json_path, show

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["MOST_PROBLEMS", "Condition", "Violation", "json_path", "show", "worded"]

MOST_PROBLEMS = 25


class Condition(NamedTuple):
    """What made a part of a schema apply.

    Attributes:
        path: The instance that was asked.
        schema: What was asked of it.
        holds: Whether it held; an `else` applies where it does not.
    """

    path: tuple[str | int, ...]
    schema: Any
    holds: bool


@dataclass(slots=True)  # not frozen, nor a tuple: those take half as long again to make
class Violation:
    """One keyword of a schema that an instance breaks.

    Attributes:
        path: Where in the instance.
        keyword: The keyword of JSON Schema.
        limit: The value of the keyword; for `required`, the name that is missing; for `additionalProperties`, those that are too many.
        instance: The value that breaks it.
        asked: What `demand` says of keyword and limit, where that is known already.
        known: For `additionalProperties`, the properties there are.
        branches: For `anyOf` and `oneOf`, what each branch found.
        conditions: What made the keyword apply, from the outside in.
    """

    path: tuple[str | int, ...]
    keyword: str
    limit: Any
    instance: Any
    asked: str = ""
    known: tuple[str, ...] = ()
    branches: tuple[tuple[Violation, ...], ...] = ()
    conditions: tuple[Condition, ...] = ()


def worded(violations: Iterable[Violation]) -> tuple[Problem, ...]:
    """Return the problems of an instance, each once, sorted by path; past 25 the last says how many there were."""
    found: list[Problem] = []
    for violation in violations:
        if violation.keyword in _OF_SEVERAL or violation.conditions:
            found += _problems(violation)
        else:
            found.append(_problem(violation))
    if len(found) < 2:
        return tuple(found)
    problems = dict.fromkeys(found)
    ordered = sorted(problems, key=lambda problem: (_sort_key(problem.path), problem.message))
    if len(ordered) > MOST_PROBLEMS:
        more = len(ordered) - MOST_PROBLEMS
        ordered = [*ordered[:MOST_PROBLEMS], Problem("$", f"and {more} more problems")]
    return tuple(ordered)


def _sort_key(path: str) -> list[tuple[int, int, str]]:
    """Order paths by segment, array positions as numbers."""
    return [
        (0, int(part), "") if part.isdigit() and len(part) < 19 else (1, 0, part)
        for part in re.split(r"[\[\].]", path)
        if part
    ]


def _problems(violation: Violation) -> Iterable[Problem]:
    problems = _of_several(violation) if violation.keyword in _OF_SEVERAL else [_problem(violation)]
    if not violation.conditions:
        return problems
    circumstances = _circumstances(violation.conditions)
    return [Problem(each.path, f"{each.message}{circumstances}") for each in problems]


def _problem(violation: Violation) -> Problem:
    keyword = violation.keyword
    asked = violation.asked or demand(keyword, violation.limit)
    return Problem(json_path(violation.path), _message(keyword, asked, violation.instance))


def _of_several(violation: Violation) -> Iterable[Problem]:
    path, keyword, limit = violation.path, violation.keyword, violation.limit
    if keyword == "required":
        return [Problem(json_path((*path, name)), "is required") for name in limit]
    if keyword == "additionalProperties" and isinstance(violation.instance, dict):
        if len(limit) == 1:
            return [Problem(json_path((*path, limit[0])), _unknown(limit[0], violation.known))]
        # The nearest name is looked for only where it can be shown: a call may have a hundred thousand unknown names.
        names = sorted(limit, key=lambda name: _sort_key(json_path((*path, name))))
        known = [violation.known if place <= MOST_PROBLEMS else () for place in range(len(names))]
        return [
            Problem(json_path((*path, name)), _unknown(name, near)) for name, near in zip(names, known, strict=True)
        ]
    if keyword == "propertyNames":
        return [Problem(json_path(path), _wrong_name(limit))]
    if keyword in ("anyOf", "oneOf") and violation.branches:
        return _union_problems(violation)
    return [Problem(json_path(path), _message(keyword, demand(keyword, limit), violation.instance))]


_OF_SEVERAL: Final = frozenset({"required", "additionalProperties", "propertyNames", "anyOf", "oneOf"})
"""Keywords that may be broken in several ways at once."""


def _unknown(name: str, known: Sequence[str]) -> str:
    from difflib import get_close_matches  # only on the way to an error

    close = get_close_matches(name, known, n=1)
    if close:
        return f"is not a known name; did you mean {show(close[0])}?"
    names = ", ".join(show(each) for each in known[:MOST_CHOICES])
    if not names:
        return "is not a known name; there are none"
    return f"is not a known name; the known {'one is' if len(known) == 1 else 'ones are'} {names}"


_OF_TEXTS: Final = ("anyOf", "const", "enum", "format", "maxLength", "minLength", "not", "oneOf", "pattern")


def _wrong_name(names: Any) -> str:
    """Say what the names of an object must be, by the keywords of their schema."""
    must = (
        [demand(keyword, limit) for keyword, limit in names.items() if keyword in _OF_TEXTS]
        if isinstance(names, dict)
        else []
    )
    return f"is not an allowed name; names {' and '.join(must)}" if must else "is not an allowed name"


def _union_problems(violation: Violation) -> Iterable[Problem]:
    """Word the branch that was meant, if one can be told; else say what all branches take."""
    path, branches = violation.path, violation.branches
    meant = [branch for branch in branches if not _is_other_kind(branch, path)]
    tags = [_wrong_tags(branch, path) for branch in meant]
    if len(tags) > 1 and all(tags) and len({tag.path for wrong in tags for tag in wrong}) == 1:
        return [Problem(json_path(tags[0][0].path), f"{_allowed(tags)}, not {show(tags[0][0].instance)}")]
    candidates = [branch for branch in meant if not _is_disowned(branch, meant, path)] or meant
    if len(candidates) == 1 or any(inner.path != path or inner.keyword in _OF_NAMES for inner in sum(candidates, ())):
        return _nearest(candidates, path)
    return [Problem(json_path(path), f"{_allowed(candidates or branches)}, not {show(violation.instance)}")]


_OF_NAMES: Final = ("required", "additionalProperties")


def _is_other_kind(branch: Sequence[Violation], path: tuple[str | int, ...]) -> bool:
    return any(inner.keyword == "type" and inner.path == path for inner in branch)


def _wrong_tags(branch: Sequence[Violation], path: tuple[str | int, ...]) -> list[Violation]:
    """Return the fields right below a union whose value is none of a few: they may say which of its forms is meant."""
    return [inner for inner in branch if inner.keyword in ("enum", "const") and inner.path[:-1] == path != inner.path]


def _is_disowned(
    branch: Sequence[Violation], branches: Iterable[Sequence[Violation]], path: tuple[str | int, ...]
) -> bool:
    """Tell whether a field says that another branch is meant: this one has no such choice, and the other has."""
    return any(not _objects(other, tag.path) for tag in _wrong_tags(branch, path) for other in branches)


def _objects(branch: Iterable[Violation], path: tuple[str | int, ...]) -> bool:
    return any(
        inner.path[: len(path)] == path
        or (inner.keyword == "additionalProperties" and inner.path == path[:-1] and path[-1] in inner.limit)
        for inner in branch
    )


def _nearest(branches: Sequence[Sequence[Violation]], path: tuple[str | int, ...]) -> Iterable[Problem]:
    """Word the branch with the least wrong; of several such, what is wrong with all of them, or else with the first."""
    weights = [sum(len(inner.limit) if inner.keyword in _OF_NAMES else 1 for inner in branch) for branch in branches]
    nearest = [branch for branch, weight in zip(branches, weights, strict=True) if weight == min(weights)]
    first, *others = [[problem for inner in branch for problem in _problems(inner)] for branch in nearest]
    shared = [problem for problem in first if all(problem in other for other in others)]
    if not shared and all(each.keyword == "required" and each.path == path for branch in nearest for each in branch):
        names = [" and ".join(show(name) for inner in branch for name in inner.limit) for branch in nearest]
        return [Problem(json_path(path), f"must have {' or '.join(names)}")]
    return shared or first


def _allowed(branches: Iterable[Sequence[Violation]]) -> str:
    said: dict[str, None] = {}
    for branch in branches:
        for inner in branch:
            said[inner.asked or demand(inner.keyword, inner.limit)] = None
    first, *others = said
    return " or ".join([first, *(other.removeprefix("must be ") for other in others)])


def _message(keyword: str, asked: str, instance: Any) -> str:
    said = _CONTRARY.get(keyword, ", not ")
    return f"{asked}{said}{show(instance)}" if said else asked


_CONTRARY: Final = {
    "false schema": "",
    "items": "",
    "not": ", and is ",
    "oneOf": ", and is of several: ",  # without branches: several of them hold
}
"""Keyword -> what stands between what it asks for and the value; nothing where the value is not shown."""


def _circumstances(conditions: Iterable[Condition]) -> str:
    """Say what `if`, `dependencies` and their like make a problem depend on, so that a model sees why it has it."""
    said = [f"{'where' if each.holds else 'unless'} {_fact(each)}" for each in conditions]
    return f" ({' and '.join(dict.fromkeys(said))})" if said else ""


def _fact(condition: Condition) -> str:
    path, schema = condition.path, condition.schema
    if not isinstance(schema, dict) or not schema.keys() <= {"properties", "required", "type"}:
        return f"{json_path(path)} is of the form {show(schema)}"
    choices = {name: _choices(each) for name, each in schema.get("properties", {}).items()}
    if None in choices.values() or not (choices or schema.get("required")):
        return f"{json_path(path)} is of the form {show(schema)}"
    facts = [f"{json_path((*path, name))} is {chosen}" for name, chosen in choices.items()]
    given = [f"{json_path((*path, name))} is given" for name in schema.get("required", ()) if name not in choices]
    return " and ".join([*facts, *given])


def _choices(schema: Any) -> str | None:
    """Return the only values that a schema takes, if it says no more than those."""
    if not isinstance(schema, dict) or not schema.keys() <= {"const", "enum", "type"} or schema.keys() <= {"type"}:
        return None
    return " or ".join(map(show, schema["enum"] if "enum" in schema else [schema["const"]]))
