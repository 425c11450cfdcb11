"""Messages for a model about a value that breaks a JSON Schema.

They are made from the keyword, the path and the schema's value.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from fcregistry._base.call import Problem

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence


MAX_PROBLEMS: Final = 25
"""Most problems that a model is shown."""
MAX_VIOLATIONS: Final = 100
"""Most violations that are collected for one value, or for one branch of a union."""
IS_REQUIRED: Final = "is required"
"""The message about a name that is missing."""

_MAX_COMPARISONS: Final = 10_000
"""Most comparisons of a known name with an unknown one for one violation, each of which takes some 5 µs.

After as many for one value, no more violations are given comparisons.
"""


class Condition(NamedTuple):
    """A condition under which a part of a schema applies.

    Attributes:
        path: The path of the instance that the condition is about.
        schema: The schema of the condition.
        holds: Whether the instance matches it; an `else` applies if it does not.
    """

    path: tuple[str | int, ...]
    schema: Any
    holds: bool


class Violation(NamedTuple):
    """A keyword of a schema that an instance breaks.

    Attributes:
        path: The place in the instance.
        keyword: The keyword of JSON Schema.
        limit: The value of the keyword; for `required`, the names that are missing; for `additionalProperties`, the names that are not known.
        instance: The value that breaks it.
        asked: The result of `requirement` for keyword and limit, if it is known already.
        known: For `additionalProperties`, the names of the properties, by subschema.
        branches: For `anyOf` and `oneOf`, the violations of each branch.
        conditions: The conditions under which the keyword applies, from the outside in.
    """

    path: tuple[str | int, ...]
    keyword: str
    limit: Any
    instance: Any
    asked: str = ""
    known: tuple[Collection[str], ...] = ()
    branches: tuple[tuple[Any, ...], ...] = ()  # of violations; mypy knows no named tuple that holds itself
    conditions: tuple[Condition, ...] = ()


def word_problems(violations: Iterable[Violation]) -> tuple[Problem, ...]:
    """Return the problems of an instance, each once, sorted by path.

    After 25 problems, the last one says how many more there are.

    Args:
        violations: The keywords that it breaks.
    """
    problems = _ProblemWriter().problems
    found = [problem for violation in violations for problem in problems(violation)]
    if len(found) < 2:
        return tuple(found)
    ordered = sorted(dict.fromkeys(found), key=lambda problem: (_sort_key(problem.path), problem.message))
    if len(ordered) > MAX_PROBLEMS:
        more = f"{len(ordered) - MAX_PROBLEMS} more problems"
        last = f"and {more}" if len(found) < MAX_VIOLATIONS else f"and at least {more}"
        ordered = [*ordered[:MAX_PROBLEMS], Problem("$", last)]
    return tuple(ordered)


class _ProblemWriter:
    """Makes problems of violations.

    Branches of nested unions share violations, and the problems of each violation are made once.
    """

    __slots__ = ("_comparisons_left", "_known", "_paths")

    def __init__(self) -> None:
        self._known: dict[int, list[Problem]] = {}
        self._paths: dict[tuple[tuple[str | int, ...], tuple[str, ...]], dict[str, str]] = {}
        self._comparisons_left = _MAX_COMPARISONS

    def problems(self, violation: Violation) -> list[Problem]:
        """Return the problems of a violation."""
        if violation.keyword not in _COMPOUND and not violation.conditions:  # as most are
            return [_problem(violation)]
        known = self._known.get(id(violation))
        if known is None:
            known = self._make_problems(violation)
            # A union may have thousands of branches, none of which has an inner union.
            if violation.branches or len(self._known) < MAX_VIOLATIONS:
                self._known[id(violation)] = known
        return known

    def _make_problems(self, violation: Violation) -> list[Problem]:
        """Return the problems of `violation`, at most `MAX_VIOLATIONS`, with its conditions in each message.

        A union has those of `_union_problems`, missing and unknown names have one each, and any other keyword has one.
        """
        path, keyword, limit = violation.path, violation.keyword, violation.limit
        if keyword in ("anyOf", "oneOf") and violation.branches:
            problems = self._union_problems(violation)
        elif keyword == "required":
            problems = [Problem(json_path((*path, name)), IS_REQUIRED) for name in limit]
        elif keyword == "additionalProperties" and isinstance(violation.instance, dict):
            problems = self._unknown_names(violation)
        elif keyword == "propertyNames":
            problems = [Problem(json_path(path), _wrong_name(limit))]
        else:
            problems = [_problem(violation)]
        if violation.conditions:
            conditions = _conditions_text(violation.conditions)
            problems = [Problem(each.path, f"{each.message}{conditions}") for each in problems]
        return problems[:MAX_VIOLATIONS]

    def _union_problems(self, violation: Violation) -> list[Problem]:
        """Return the problems of a value that no branch of a union takes; `violation` is that of the union.

        Branches that refuse the type of the value itself do not count. If each of several others refuses a constant in the same field, it is
        one problem that lists what the field may be. Otherwise, branches that refuse a constant of a field that another branch takes do not
        count either, if others are left. If one branch is left, or a branch has violations inside the value or in its names, they are the
        problems of `_nearest`. Else it is one problem that lists what each branch that is left requires, or what every branch requires if none
        is left.
        """
        path, branches = violation.path, violation.branches
        meant = [branch for branch in branches if not _has_wrong_type(branch, path)]
        tags = [_wrong_tags(branch, path) for branch in meant]
        if len(tags) > 1 and all(tags) and len({tag.path for wrong in tags for tag in wrong}) == 1:
            return [Problem(json_path(tags[0][0].path), f"{_alternatives(tags)}, not {show(tags[0][0].instance)}")]
        candidates = _without_rejected_tags(meant, tags) or meant
        if len(candidates) == 1 or any(
            inner.path != path or inner.keyword in _NAME_KEYWORDS for branch in candidates for inner in branch
        ):
            return self._nearest(candidates, path)
        return [Problem(json_path(path), f"{_alternatives(candidates or branches)}, not {show(violation.instance)}")]

    def _nearest(self, branches: Sequence[Sequence[Violation]], path: tuple[str | int, ...]) -> list[Problem]:
        """Return the problems of the branch that has the fewest; `path` is that of the union.

        Of several such branches, return the problems that all of them have. If there are none, return those of the first; but if each branch
        only lacks names of the value itself, return one problem that lists these names as alternatives.
        """
        weights = [
            sum(len(inner.limit) if inner.keyword in _NAME_KEYWORDS else 1 for inner in branch) for branch in branches
        ]
        least = min(weights)
        nearest = [branch for branch, weight in zip(branches, weights, strict=True) if weight == least]
        first = [problem for inner in nearest[0] for problem in self.problems(inner)]
        common = set(first)
        for branch in nearest[1:]:
            if not common:
                break
            common.intersection_update(problem for inner in branch for problem in self.problems(inner))
        shared = [problem for problem in first if problem in common]
        if not shared and all(
            each.keyword == "required" and each.path == path for branch in nearest for each in branch
        ):
            names = [" and ".join(show(name) for inner in branch for name in inner.limit) for branch in nearest]
            return [Problem(json_path(path), f"must have {_join_by_or(names)}")]
        return shared or first

    def _unknown_names(self, violation: Violation) -> list[Problem]:
        """Return one problem for each unknown name in `violation`, of `additionalProperties`, sorted by path.

        The first `MAX_PROBLEMS` + 1 of them suggest a known name, if one is similar, or list known names.
        """
        place = (violation.path, violation.limit)  # the same for many branches of a union
        paths = self._paths.get(place)
        if paths is None:
            written = [(name, json_path((*violation.path, name))) for name in violation.limit]
            paths = self._paths[place] = dict(sorted(written, key=lambda pair: _sort_key(pair[1])))
        names = list(paths)
        # The nearest name is searched only for problems that are shown: a call may have a hundred unknown names.
        compares, compared = self._comparisons_left > 0, min(len(names), MAX_PROBLEMS)
        known = _names_of(violation.known, _MAX_COMPARISONS // compared if compares else MAX_CHOICES + 1)
        self._comparisons_left -= len(known) * compared
        listed = _known_names(known)
        clauses = [(compares and _similar_name(name, known)) or listed for name in names[: MAX_PROBLEMS + 1]]
        return [
            *(Problem(paths[name], f"{_IS_UNKNOWN}; {clause}") for name, clause in zip(names, clauses, strict=False)),
            *(Problem(paths[name], _IS_UNKNOWN) for name in names[MAX_PROBLEMS + 1 :]),
        ]


def _sort_key(path: str) -> list[tuple[int, int, str]]:
    """Return the key by which `path` is sorted: its segments, array positions as numbers and before names."""
    return [
        (0, int(part), "") if part.isdigit() and len(part) < 19 else (1, 0, part)
        for part in re.split(r"[\[\].]", path)
        if part
    ]


def _problem(violation: Violation) -> Problem:
    """Return the one problem of `violation`: what its keyword requires, and usually the value."""
    asked = violation.asked or requirement(violation.keyword, violation.limit)
    if violation.keyword == "format" and not violation.asked and _is_like_example(violation.limit, violation.instance):
        asked = f"must be a {violation.limit} that exists"
    link = _BEFORE_VALUE.get(violation.keyword, ", not ")
    return Problem(json_path(violation.path), f"{asked}{link}{show(violation.instance)}" if link else asked)


_COMPOUND: Final = frozenset({"required", "additionalProperties", "propertyNames", "anyOf", "oneOf"})
"""Keywords that an instance may break in several ways at once."""

_BEFORE_VALUE: Final = {
    "false schema": "",
    "items": "",
    "not": ", and is ",
    "oneOf": ", and is of several: ",  # without branches: several of them hold
    "schema": "",
    "too large": "",
}
"""Keyword -> the text between its requirement and the value; empty if the value is not shown."""


# --- Names of properties ---

_NAME_KEYWORDS: Final = ("required", "additionalProperties")

_STRING_KEYWORDS: Final = ("anyOf", "const", "enum", "format", "maxLength", "minLength", "not", "oneOf", "pattern")


def _names_of(groups: Iterable[Collection[str]], most: int) -> list[str]:
    """Return the first `most` names in `groups`, each once."""
    names: dict[str, None] = {}
    for name in chain.from_iterable(groups):
        if len(names) == most:
            break
        names[name] = None
    return list(names)


def _similar_name(name: str, known: Sequence[str]) -> str:
    """Return the clause that suggests the most similar of `known` names; empty if none is similar."""
    from difflib import get_close_matches  # only on the way to an error

    close = get_close_matches(name, known, n=1)
    return f"did you mean {show(close[0])}?" if close else ""


def _known_names(known: Sequence[str]) -> str:
    """Return the clause that lists the first `MAX_CHOICES` names of `known`, or says that there are none."""
    if not known:
        return "there are none"
    names = ", ".join(map(show, known[:MAX_CHOICES]))
    return f"the known {'one is' if len(known) == 1 else 'ones are'} {names}"


_IS_UNKNOWN: Final = "is not a known name"


def _wrong_name(names: Any) -> str:
    """Return the message about a name that `propertyNames` refuses, with what names must be.

    `names` is the schema of the names; its keywords that are not about strings are left out.
    """
    must = (
        [requirement(keyword, limit) for keyword, limit in names.items() if keyword in _STRING_KEYWORDS]
        if isinstance(names, dict)
        else []
    )
    return f"is not an allowed name; names {' and '.join(must)}" if must else "is not an allowed name"


# --- The branches of a union ---


def _has_wrong_type(branch: Sequence[Violation], path: tuple[str | int, ...]) -> bool:
    """Return whether `branch` refuses the type of the value at `path` itself."""
    return any(inner.keyword == "type" and inner.path == path for inner in branch)


def _wrong_tags(branch: Sequence[Violation], path: tuple[str | int, ...]) -> list[Violation]:
    """Return the violations of `enum` and `const` in `branch` by direct fields of the value at `path`.

    A field with constants may say which branch of the union a value is written for. The list may be empty.
    """
    return [inner for inner in branch if inner.keyword in ("enum", "const") and inner.path[:-1] == path != inner.path]


def _without_rejected_tags(
    branches: Sequence[Sequence[Violation]], tags: Iterable[Sequence[Violation]]
) -> list[Sequence[Violation]]:
    """Return `branches` without those that refuse a constant of a field that another branch takes.

    `tags` has the result of `_wrong_tags` for each branch. The value is probably written for that other branch. The list may be empty.
    """
    suits: dict[tuple[str | int, ...], bool] = {}  # path of a field -> whether a branch accepts it
    kept = []
    for branch, wrong in zip(branches, tags, strict=True):
        for tag in wrong:
            if tag.path not in suits:
                suits[tag.path] = any(not _rejects(other, tag.path) for other in branches)
        if not any(suits[tag.path] for tag in wrong):
            kept.append(branch)
    return kept


def _rejects(branch: Iterable[Violation], path: tuple[str | int, ...]) -> bool:
    """Return whether `branch` has a violation at `path` or below it, or does not know the name at its end."""
    return any(
        inner.path[: len(path)] == path
        or (inner.keyword == "additionalProperties" and inner.path == path[:-1] and path[-1] in inner.limit)
        for inner in branch
    )


def _alternatives(branches: Iterable[Sequence[Violation]]) -> str:
    """Return what `branches` require, each requirement once, joined by "or", as `must be 1 or 2`.

    There must be at least one violation in them.
    """
    requirements: dict[str, None] = {}
    for branch in branches:
        for inner in branch:
            requirements[inner.asked or requirement(inner.keyword, inner.limit)] = None
    first, *others = requirements
    return _join_by_or([first, *(other.removeprefix("must be ") for other in others)])


def _join_by_or(phrases: Sequence[str]) -> str:
    """Return the first `MAX_CHOICES` of `phrases` joined by "or"; if there are more, with their number."""
    more = [f"… ({len(phrases)} forms)"] if len(phrases) > MAX_CHOICES else []
    return " or ".join([*phrases[:MAX_CHOICES], *more])


# --- The conditions of a problem ---


def _conditions_text(conditions: Iterable[Condition]) -> str:
    """Return `conditions`, under which a keyword applies, in parentheses, each once, after a space.

    The text is empty if there are none. They come from `if` and `dependencies` in the schema.
    """
    texts = [f"{'where' if each.holds else 'unless'} {_condition_text(each)}" for each in conditions]
    return f" ({' and '.join(dict.fromkeys(texts))})" if texts else ""


def _condition_text(condition: Condition) -> str:
    """Return the clause for `condition`, such as `$.kind is "a"` or `$.name is given`.

    If its schema has more than fields with constants and required names, the clause shows the schema.
    """
    path, schema = condition.path, condition.schema
    if not isinstance(schema, dict) or not schema.keys() <= {"properties", "required", "type"}:
        return f"{json_path(path)} is of the form {show(schema)}"
    choices = {name: _choices_text(each) for name, each in schema.get("properties", {}).items()}
    if None in choices.values() or not (choices or schema.get("required")):
        return f"{json_path(path)} is of the form {show(schema)}"
    facts = [f"{json_path((*path, name))} is {chosen}" for name, chosen in choices.items()]
    given = [f"{json_path((*path, name))} is given" for name in schema.get("required", ()) if name not in choices]
    return " and ".join([*facts, *given])


def _choices_text(schema: Any) -> str | None:
    """Return the values of `enum` or `const` in `schema`, joined by "or", or None.

    None means that it has neither, or has keywords besides these and `type`.
    """
    if not isinstance(schema, dict) or not schema.keys() <= {"const", "enum", "type"} or schema.keys() <= {"type"}:
        return None
    return " or ".join(map(show, schema["enum"] if "enum" in schema else [schema["const"]]))


# --- The requirement of a keyword ---


def requirement(keyword: str, limit: Any) -> str:
    """Return the requirement of a keyword with its value: `must be at least 3`."""
    if keyword in _COUNTS:
        how_many, one, several = _COUNTS[keyword]
        return f"must have {how_many} {_count_text(limit)} {one if limit == 1 else several}"
    if keyword in _WORDS:
        return _WORDS[keyword].format(show(limit))
    if keyword in _SPECIAL:
        return _SPECIAL[keyword](limit)
    return f"must satisfy {keyword}"


def _count_text(count: float) -> str:
    """Return `count`, a whole number that may be a float, as text without a fraction."""
    return show(int(count))  # 2.0 is a valid count (2020-12 core, 4.2.3)


def _format(limit: Any) -> str:
    """Return what the keyword `format` with the value `limit` requires, with an example if there is one."""
    example = f" (such as {show(_EXAMPLES[limit])})" if limit in _EXAMPLES else ""
    return f"must be a string of the format {show(limit)}{example}"


def _is_like_example(form: Any, value: Any) -> bool:
    """Return whether `value` is written as a date or time of the format `form` is: then the day or hour does not exist."""
    if form not in ("date", "date-time", "time") or not isinstance(value, str):
        return False
    return len(value) < 30 and re.sub("[0-9]", "0", value) == re.sub("[0-9]", "0", _EXAMPLES[form])


def _type(limit: Any) -> str:
    """Return what the keyword `type` with the value `limit`, a name or a list of names, requires."""
    names = [limit] if isinstance(limit, str) else sorted(limit)
    return "must be " + " or ".join(KINDS.get(name, name) for name in names)


def _enum(limit: Any) -> str:
    """Return what `enum` with the values `limit` requires; of many, it lists the first `MAX_CHOICES`."""
    shown = ", ".join(map(show, limit[:MAX_CHOICES]))
    more = f", … ({len(limit)} values)" if len(limit) > MAX_CHOICES else ""
    if len(limit) == 1:
        return f"must be {shown}"
    return f"must be one of {shown or 'no values'}{more}"


def _not(limit: Any) -> str:
    """Return what the keyword `not` with the schema `limit` forbids.

    It names required names or constants, if the schema has nothing else besides a type, or else shows the schema.
    """
    keywords = {key: value for key, value in limit.items() if key != "type"} if isinstance(limit, dict) else {}
    if keywords.keys() == {"required"}:
        return "must not have " + " together with ".join(map(show, keywords["required"]))
    if keywords.keys() in ({"const"}, {"enum"}):
        return requirement(*keywords.popitem()).replace("must be", "must not be", 1)
    return f"must not be of the form {show(limit)}"


def _items_of(limit: Any, how_many: str) -> str:
    """Return what a number of items of a form requires: `must have at least 2 items of the form …`.

    `limit` is a pair of the number and the schema of the items; `how_many` is the word before the number.
    """
    count, form = limit
    return f"must have {how_many} {_count_text(count)} item{'' if count == 1 else 's'} of the form {show(form)}"


_EXAMPLES: Final = {
    "byte": "aGVsbG8=",
    "date": "2026-01-31",
    "date-time": "2026-01-31T10:00:00Z",
    "decimal": "12.50",
    "duration": "PT2H30M",
    "time": "10:00:00",
    "uuid": "123e4567-e89b-12d3-a456-426614174000",
}
"""Format -> an example: the name alone does not help a model that has written something else."""

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
    "too large": "must match the schema, and is too large to say where it does not: send less at once",
}


# --- Values and paths as text ---

_MAX_VALUE_LENGTH: Final = 60
MAX_CHOICES: Final = 30


_NEEDS_NO_ESCAPE: Final = re.compile(r"[ !#-\[\]-~]{0,58}")
"""Texts without `"`, backslash and other signs that JSON escapes, which are short enough to be shown in full."""


def show(value: object) -> str:
    """Return a JSON value as bounded text."""
    if type(value) is str and _NEEDS_NO_ESCAPE.fullmatch(value):  # as most words
        return f'"{value}"'
    try:
        text = _json_text(value)
    except (TypeError, ValueError, RecursionError):
        text = f"a {type(value).__name__}"
    return text if len(text) <= _MAX_VALUE_LENGTH else f"{text[:_MAX_VALUE_LENGTH]}… ({len(text)} characters)"


def seconds_text(seconds: float, form: str = "g") -> str:
    """Return a number of seconds, formatted by `form`, in words, such as `0.5 seconds` or `1 second`."""
    number = f"{seconds:{form}}"
    return f"{number} second{'' if number == '1' else 's'}"


def json_path(path: Iterable[str | int]) -> str:
    """Return a path as jsonschema's `json_path` writes it: `$.items[2].qty`, `$['odd key']`."""
    written = "$"
    for segment in path:
        written += f"[{segment}]" if isinstance(segment, int) else _path_segment(segment[: _MAX_VALUE_LENGTH + 1])
    return written


@lru_cache(maxsize=1024)  # most segments are names of parameters
def _path_segment(segment: str) -> str:
    """Return the name `segment` as a part of a JSON path: `.name`, or `['odd key']` in quotes, escaped.

    A name of more than `_MAX_VALUE_LENGTH` characters is cut off there.
    """
    if len(segment) > _MAX_VALUE_LENGTH:
        segment = f"{segment[:_MAX_VALUE_LENGTH]}…"
    elif segment.isidentifier() and segment.isascii() and segment[0] != "_":
        return f".{segment}"
    escaped = _json_text(segment)[1:-1].replace('\\"', '"').replace("'", "\\'")
    return f"['{escaped}']"


_UNPRINTABLE: Final = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff]")

_ENCODER: Final = json.JSONEncoder(ensure_ascii=False)  # made once: `json.dumps` makes one for each call


def _json_text(value: object) -> str:
    """Return `value` as JSON text in which control characters, and what UTF-8 cannot encode, are escaped.

    Raise what the JSON encoder raises for a value that it cannot write.
    """
    text = _ENCODER.encode(value)
    return text if text.isascii() and "\x7f" not in text else _UNPRINTABLE.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    r"""Return the character of `match` as a JSON escape, such as `\u007f`."""
    return f"\\u{ord(match[0]):04x}"
