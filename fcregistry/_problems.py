"""How is what a validator found worded for a model?

Both validators are read into `Violation`s; the words are made here from keyword, path and the schema's value, so both say the same.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from fcregistry._calls import Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_PLAIN_KEY = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_LONGEST_VALUE = 60
_MOST_CHOICES = 30
MOST_PROBLEMS = 25


class Violation(NamedTuple):
    """One keyword of a schema that an instance breaks.

    Attributes:
        path: Where in the instance.
        keyword: The keyword of JSON Schema.
        limit: The value of the keyword; for `required`, the name that is missing; for `additionalProperties`, those that are too many.
        instance: The value that breaks it.
        known: For `additionalProperties`, the properties there are.
        branches: For `anyOf` and `oneOf`, what each branch found.
    """

    path: tuple[str | int, ...]
    keyword: str
    limit: Any
    instance: Any
    known: tuple[str, ...] = ()
    branches: tuple[tuple[Violation, ...], ...] = ()


def json_path(path: Iterable[str | int]) -> str:
    """Return a path the way jsonschema's `json_path` writes it: `$.items[2].qty`, `$['odd key']`."""
    written = "$"
    for segment in path:
        if isinstance(segment, int):
            written += f"[{segment}]"
        elif len(segment) <= _LONGEST_VALUE and _PLAIN_KEY.fullmatch(segment):
            written += f".{segment}"
        else:
            cut = segment if len(segment) <= _LONGEST_VALUE else f"{segment[:_LONGEST_VALUE]}…"
            escaped = _json_text(cut)[1:-1].replace('\\"', '"').replace("'", "\\'")
            written += f"['{escaped}']"
    return written


_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def _json_text(value: object) -> str:
    """Return a JSON value as text that can be printed: what a terminal obeys, and what UTF-8 cannot carry, is escaped."""
    return _UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(value, ensure_ascii=False))


def show(value: object) -> str:
    """Return a JSON value as bounded text."""
    try:
        text = _json_text(value)
    except (TypeError, ValueError, RecursionError):
        text = f"a {type(value).__name__}"
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}… ({len(text)} characters)"


def worded(violations: Iterable[Violation]) -> tuple[Problem, ...]:
    """Return the problems of an instance, each once, sorted by path; past 25 the last says how many there were."""
    problems: dict[Problem, None] = {}
    for violation in violations:
        for problem in _problems(violation):
            problems[problem] = None
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
    path, keyword, limit = violation.path, violation.keyword, violation.limit
    if keyword == "required":
        return [Problem(json_path((*path, name)), "is required") for name in limit]
    if keyword == "additionalProperties" and isinstance(violation.instance, dict):
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
    return [Problem(json_path(path), _message(keyword, limit, violation.instance))]


def _unknown(name: str, known: Sequence[str]) -> str:
    from difflib import get_close_matches  # only on the way to an error

    close = get_close_matches(name, known, n=1)
    if close:
        return f"is not a known name; did you mean {show(close[0])}?"
    names = ", ".join(show(each) for each in known[:_MOST_CHOICES])
    return f"is not a known name; the known ones are {names}" if names else "is not a known name; there are none"


def _wrong_name(names: Any) -> str:
    """Say what the names of an object must be, by the keywords of their schema."""
    must = (
        [_must(keyword, limit) for keyword, limit in names.items() if keyword != "type"]
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
        return _nearest(candidates)
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


def _nearest(branches: Sequence[Sequence[Violation]]) -> Iterable[Problem]:
    """Word the branch with the least wrong; of several such, what is wrong with all of them, or else with the first."""
    weights = [sum(len(inner.limit) if inner.keyword in _OF_NAMES else 1 for inner in branch) for branch in branches]
    nearest = [branch for branch, weight in zip(branches, weights, strict=True) if weight == min(weights)]
    first, *others = [[problem for inner in branch for problem in _problems(inner)] for branch in nearest]
    return [problem for problem in first if all(problem in other for other in others)] or first


def _allowed(branches: Iterable[Sequence[Violation]]) -> str:
    said: dict[str, None] = {}
    for branch in branches:
        for inner in branch:
            said[_must(inner.keyword, inner.limit)] = None
    first, *others = said
    return " or ".join([first, *(other.removeprefix("must be ") for other in others)])


def _message(keyword: str, limit: Any, instance: Any) -> str:
    must = _must(keyword, limit)
    return must if keyword == "items" else f"{must}, not {show(instance)}"


def _must(keyword: str, limit: Any) -> str:
    if keyword in _WORDS:
        return _WORDS[keyword].format(show(limit))
    if keyword == "format":
        example = f" (such as {show(_EXAMPLES[limit])})" if limit in _EXAMPLES else ""
        return f"must be a string of the format {show(limit)}{example}"
    if keyword == "type":
        names = [limit] if isinstance(limit, str) else sorted(limit)
        return "must be " + " or ".join(_ARTICLES.get(name, name) for name in names)
    if keyword == "enum":
        shown = ", ".join(show(choice) for choice in limit[:_MOST_CHOICES])
        more = f", … ({len(limit)} values)" if len(limit) > _MOST_CHOICES else ""
        return f"must be one of {shown}{more}" if len(limit) > 1 else f"must be {shown}"
    return f"must satisfy {keyword}"


_EXAMPLES: Final = {
    "date": "2026-01-31",
    "date-time": "2026-01-31T10:00:00Z",
    "decimal": "12.50",
    "duration": "PT2H30M",
    "time": "10:00:00",
    "uuid": "123e4567-e89b-12d3-a456-426614174000",
}
"""Format -> a text of it: its name alone is no help to a model that has written something else."""

_ARTICLES: Final = {
    "array": "an array",
    "boolean": "a boolean",
    "integer": "an integer",
    "null": "null",
    "number": "a number",
    "object": "an object",
    "string": "a string",
}
_WORDS: Final = {
    "const": "must be {}",
    "minimum": "must be at least {}",
    "maximum": "must be at most {}",
    "exclusiveMinimum": "must be greater than {}",
    "exclusiveMaximum": "must be less than {}",
    "multipleOf": "must be a multiple of {}",
    "minLength": "must have at least {} characters",
    "maxLength": "must have at most {} characters",
    "minItems": "must have at least {} items",
    "maxItems": "must have at most {} items",
    "minProperties": "must have at least {} properties",
    "maxProperties": "must have at most {} properties",
    "pattern": "must match the pattern {}",
    "uniqueItems": "must have no item twice",
    "additionalProperties": "must have no more than the known items: {}",
    "items": "must have no more items",
    "propertyNames": "must have other property names",
    "not": "must not be of the excluded form",
    "contains": "must contain items of the asked-for form, neither too few nor too many",
    "anyOf": "must be of one of the allowed forms",
    "oneOf": "must be of exactly one of the allowed forms",
    "false schema": "must not be there",
    "unevaluatedItems": "must have no more than the known items",
    "unevaluatedProperties": "must have no more than the known properties",
}
