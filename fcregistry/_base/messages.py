"""Words for what is wrong with a value, made for a model from the keyword, the path and the schema's value.

MERGED: What does a keyword of JSON Schema ask of a value, in words for a model?
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from fcregistry._base.call import Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# --- _problems ---

__all__ = ["MOST_PROBLEMS", "MOST_VIOLATIONS", "Condition", "Violation", "json_path", "show", "worded"]

MOST_PROBLEMS: Final = 25
"""How many problems are worded for a model."""
MOST_VIOLATIONS: Final = 100
"""How many violations are collected of one value, or of one branch of a union."""


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
    """Return the problems of an instance, each once, sorted by path; past 25 the last says how many there are."""
    return _Wording().all(list(violations))


class _Wording:
    """Words violations. Branches of nested unions share violations, and each is worded once."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[int, list[Problem]] = {}

    def all(self, violations: Sequence[Violation]) -> tuple[Problem, ...]:
        """Return the problems of violations as `worded` does."""
        found: list[Problem] = []
        for violation in violations:
            if violation.keyword in _OF_SEVERAL or violation.conditions:
                found += self.problems(violation)
            else:
                found.append(_problem(violation))
        if len(found) < 2:
            return tuple(found)
        ordered = sorted(dict.fromkeys(found), key=lambda problem: (_sort_key(problem.path), problem.message))
        if len(ordered) > MOST_PROBLEMS:
            more = f"{len(ordered) - MOST_PROBLEMS} more problems"
            said = f"and {more}" if len(found) < MOST_VIOLATIONS else f"and at least {more}"
            ordered = [*ordered[:MOST_PROBLEMS], Problem("$", said)]
        return tuple(ordered)

    def problems(self, violation: Violation) -> list[Problem]:
        """Return the problems of a violation."""
        known = self._known.get(id(violation))
        if known is None:
            known = self._known[id(violation)] = self._worded(violation)
        return known

    def _worded(self, violation: Violation) -> list[Problem]:
        if violation.keyword in ("anyOf", "oneOf") and violation.branches:
            problems = list(self._of_union(violation))
        elif violation.keyword in _OF_SEVERAL:
            problems = list(_of_several(violation))
        else:
            problems = [_problem(violation)]
        if violation.conditions:
            circumstances = _circumstances(violation.conditions)
            problems = [Problem(each.path, f"{each.message}{circumstances}") for each in problems]
        return problems[:MOST_VIOLATIONS]

    def _of_union(self, violation: Violation) -> Iterable[Problem]:
        """Word the branch that was meant, if one can be told; else say what all branches take."""
        path, branches = violation.path, violation.branches
        meant = [branch for branch in branches if not _is_other_kind(branch, path)]
        tags = [_wrong_tags(branch, path) for branch in meant]
        if len(tags) > 1 and all(tags) and len({tag.path for wrong in tags for tag in wrong}) == 1:
            return [Problem(json_path(tags[0][0].path), f"{_allowed(tags)}, not {show(tags[0][0].instance)}")]
        candidates = _not_disowned(meant, tags) or meant
        if len(candidates) == 1 or any(
            inner.path != path or inner.keyword in _OF_NAMES for branch in candidates for inner in branch
        ):
            return self._nearest(candidates, path)
        return [Problem(json_path(path), f"{_allowed(candidates or branches)}, not {show(violation.instance)}")]

    def _nearest(self, branches: Sequence[Sequence[Violation]], path: tuple[str | int, ...]) -> Iterable[Problem]:
        """Word the branch with the least wrong; of several such, what is wrong with all of them, or else with the first."""
        weights = [
            sum(len(inner.limit) if inner.keyword in _OF_NAMES else 1 for inner in branch) for branch in branches
        ]
        least = min(weights)
        nearest = [branch for branch, weight in zip(branches, weights, strict=True) if weight == least]
        first, *others = [[problem for inner in branch for problem in self.problems(inner)] for branch in nearest]
        common = set(first).intersection(*others)
        shared = [problem for problem in first if problem in common]
        if not shared and all(
            each.keyword == "required" and each.path == path for branch in nearest for each in branch
        ):
            names = [" and ".join(show(name) for inner in branch for name in inner.limit) for branch in nearest]
            return [Problem(json_path(path), f"must have {_either(names)}")]
        return shared or first


def _sort_key(path: str) -> list[tuple[int, int, str]]:
    """Order paths by segment, array positions as numbers."""
    return [
        (0, int(part), "") if part.isdigit() and len(part) < 19 else (1, 0, part)
        for part in re.split(r"[\[\].]", path)
        if part
    ]


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
        # The nearest name is looked for only where it can be shown: a call may have a hundred unknown names.
        names = sorted(limit, key=lambda name: _sort_key(json_path((*path, name))))
        near = violation.known[: _MOST_COMPARED // min(len(names), MOST_PROBLEMS)]
        known = [near if place <= MOST_PROBLEMS else () for place in range(len(names))]
        return [
            Problem(json_path((*path, name)), _unknown(name, some)) for name, some in zip(names, known, strict=True)
        ]
    if keyword == "propertyNames":
        return [Problem(json_path(path), _wrong_name(limit))]
    return [Problem(json_path(path), _message(keyword, demand(keyword, limit), violation.instance))]


_OF_SEVERAL: Final = frozenset({"required", "additionalProperties", "propertyNames", "anyOf", "oneOf"})
"""Keywords that may be broken in several ways at once."""


_MOST_COMPARED: Final = 10_000
"""How often a known name is compared with an unknown one: comparing takes some 5 µs."""


def _unknown(name: str, known: Sequence[str]) -> str:
    from difflib import get_close_matches  # only on the way to an error

    close = get_close_matches(name, known[:_MOST_COMPARED], n=1)
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


_OF_NAMES: Final = ("required", "additionalProperties")


def _is_other_kind(branch: Sequence[Violation], path: tuple[str | int, ...]) -> bool:
    return any(inner.keyword == "type" and inner.path == path for inner in branch)


def _wrong_tags(branch: Sequence[Violation], path: tuple[str | int, ...]) -> list[Violation]:
    """Return the fields right below a union whose value is none of a few: they may say which of its forms is meant."""
    return [inner for inner in branch if inner.keyword in ("enum", "const") and inner.path[:-1] == path != inner.path]


def _not_disowned(
    branches: Sequence[Sequence[Violation]], tags: Iterable[Sequence[Violation]]
) -> list[Sequence[Violation]]:
    """Leave out the branches where a field has none of a few values, though it suits another branch: that one is meant."""
    suits: dict[tuple[str | int, ...], bool] = {}  # whether there is a branch that the field at a path suits
    kept = []
    for branch, wrong in zip(branches, tags, strict=True):
        for tag in wrong:
            if tag.path not in suits:
                suits[tag.path] = any(not _objects(other, tag.path) for other in branches)
        if not any(suits[tag.path] for tag in wrong):
            kept.append(branch)
    return kept


def _objects(branch: Iterable[Violation], path: tuple[str | int, ...]) -> bool:
    return any(
        inner.path[: len(path)] == path
        or (inner.keyword == "additionalProperties" and inner.path == path[:-1] and path[-1] in inner.limit)
        for inner in branch
    )


def _allowed(branches: Iterable[Sequence[Violation]]) -> str:
    said: dict[str, None] = {}
    for branch in branches:
        for inner in branch:
            said[inner.asked or demand(inner.keyword, inner.limit)] = None
    first, *others = said
    return _either([first, *(other.removeprefix("must be ") for other in others)])


def _either(phrases: Sequence[str]) -> str:
    """Join phrases by "or", the first thirty."""
    more = [f"… ({len(phrases)} forms)"] if len(phrases) > MOST_CHOICES else []
    return " or ".join([*phrases[:MOST_CHOICES], *more])


def _message(keyword: str, asked: str, instance: Any) -> str:
    said = _CONTRARY.get(keyword, ", not ")
    return f"{asked}{said}{show(instance)}" if said else asked


_CONTRARY: Final = {
    "false schema": "",
    "items": "",
    "not": ", and is ",
    "oneOf": ", and is of several: ",  # without branches: several of them hold
    "schema": "",
    "too large": "",
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


# --- _demands ---

_LONGEST_VALUE: Final = 60
MOST_CHOICES: Final = 30


def json_path(path: Iterable[str | int]) -> str:
    """Return a path the way jsonschema's `json_path` writes it: `$.items[2].qty`, `$['odd key']`."""
    written = "$"
    for segment in path:
        written += f"[{segment}]" if isinstance(segment, int) else _name_written(segment[: _LONGEST_VALUE + 1])
    return written


@lru_cache(maxsize=1024)  # the names of parameters, most of them
def _name_written(segment: str) -> str:
    if len(segment) > _LONGEST_VALUE:
        segment = f"{segment[:_LONGEST_VALUE]}…"
    elif segment.isidentifier() and segment.isascii() and segment[0] != "_":
        return f".{segment}"
    escaped = _json_text(segment)[1:-1].replace('\\"', '"').replace("'", "\\'")
    return f"['{escaped}']"


_UNPRINTABLE: Final = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def _json_text(value: object) -> str:
    """Return a JSON value as text that can be printed: what a terminal obeys, and what UTF-8 cannot carry, is escaped."""
    text = _ENCODER.encode(value)
    return text if text.isascii() and "\x7f" not in text else _UNPRINTABLE.sub(_escaped, text)


def _escaped(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


_ENCODER: Final = json.JSONEncoder(ensure_ascii=False)  # made once: `json.dumps` makes one for each call


def show(value: object) -> str:
    """Return a JSON value as bounded text."""
    if (
        type(value) is str
        and len(value) <= _LONGEST_VALUE - 2
        and value.isascii()
        and value.isprintable()
        and '"' not in value
        and "\\" not in value
    ):  # which JSON writes as it is, as most words are
        return f'"{value}"'
    try:
        text = _json_text(value)
    except (TypeError, ValueError, RecursionError):
        text = f"a {type(value).__name__}"
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}… ({len(text)} characters)"


def demand(keyword: str, limit: Any) -> str:
    """Return what a keyword with a value asks for: `must be at least 3`."""
    if keyword in _COUNTS:
        how_many, one, several = _COUNTS[keyword]
        return f"must have {how_many} {_whole(limit)} {one if limit == 1 else several}"
    if keyword in _WORDS:
        return _WORDS[keyword].format(show(limit))
    if keyword in _SPECIAL:
        return _SPECIAL[keyword](limit)
    return f"must satisfy {keyword}"


def _whole(count: float) -> str:
    return show(int(count))  # 2.0 is a count as good as 2 (2020-12 core, 4.2.3)


def _format(limit: Any) -> str:
    example = f" (such as {show(_EXAMPLES[limit])})" if limit in _EXAMPLES else ""
    return f"must be a string of the format {show(limit)}{example}"


def _type(limit: Any) -> str:
    names = [limit] if isinstance(limit, str) else sorted(limit)
    return "must be " + " or ".join(KINDS.get(name, name) for name in names)


def _enum(limit: Any) -> str:
    shown = ", ".join(map(show, limit[:MOST_CHOICES]))
    more = f", … ({len(limit)} values)" if len(limit) > MOST_CHOICES else ""
    if len(limit) == 1:
        return f"must be {shown}"
    return f"must be one of {shown or 'no values'}{more}"


def _not(limit: Any) -> str:
    said = {key: value for key, value in limit.items() if key != "type"} if isinstance(limit, dict) else {}
    if said.keys() == {"required"}:
        return "must not have " + " together with ".join(map(show, said["required"]))
    if said.keys() in ({"const"}, {"enum"}):
        return demand(*said.popitem()).replace("must be", "must not be", 1)
    return f"must not be of the form {show(limit)}"


def _items_of(limit: Any, how_many: str) -> str:
    count, form = limit
    return f"must have {how_many} {_whole(count)} item{'' if count == 1 else 's'} of the form {show(form)}"


_EXAMPLES: Final = {
    "byte": "aGVsbG8=",
    "date": "2026-01-31",
    "date-time": "2026-01-31T10:00:00Z",
    "decimal": "12.50",
    "duration": "PT2H30M",
    "time": "10:00:00",
    "uuid": "123e4567-e89b-12d3-a456-426614174000",
}
"""Format -> a text of it: its name alone is no help to a model that has written something else."""

KINDS: Final = {
    "array": "an array",
    "boolean": "a boolean",
    "integer": "an integer",
    "null": "null",
    "number": "a number",
    "object": "an object",
    "string": "a string",
}
_SPECIAL: Final = {
    "enum": _enum,
    "format": _format,
    "maxContains": lambda limit: _items_of(limit, "at most"),
    "minContains": lambda limit: _items_of(limit, "at least"),
    "not": _not,
    "type": _type,
}
_COUNTS: Final = {
    "minLength": ("at least", "character", "characters"),
    "maxLength": ("at most", "character", "characters"),
    "minItems": ("at least", "item", "items"),
    "maxItems": ("at most", "item", "items"),
    "minProperties": ("at least", "property", "properties"),
    "maxProperties": ("at most", "property", "properties"),
}
_WORDS: Final = {
    "const": "must be {}",
    "minimum": "must be at least {}",
    "maximum": "must be at most {}",
    "exclusiveMinimum": "must be greater than {}",
    "exclusiveMaximum": "must be less than {}",
    "multipleOf": "must be a multiple of {}",
    "pattern": "must match the pattern {}",
    "uniqueItems": "must have no item twice",
    "additionalProperties": "must have no more than the known items: {}",
    "items": "must have no more items",
    "propertyNames": "must have other property names",
    "anyOf": "must be of one of the allowed forms",
    "oneOf": "must be of exactly one of the allowed forms",
    "false schema": "must not be there",
    "schema": "must be of the form that the schema describes",
    "too large": "must be of the form that the schema describes, and is too large to say where it is not: send less at once",
}
