"""The violations of an invalid value, found by walking the schema and the value side by side.

The engines decide whether a value is valid. Their own lists of errors name every error of every branch of a union, so for nested unions they
grow exponentially. Here a subschema is applied to a place of the value once, and its violations are shared; the number of steps and of violations
is bounded.

Source: JSON Schema core and validation, drafts 4 to 2020-12.
"""

from __future__ import annotations

from itertools import islice
from math import inf
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from fcregistry._base.wording import MAX_VIOLATIONS, Condition, Violation, requirement
from fcregistry._schema.assertions import Breaks, breaks_of
from fcregistry._schema.drafts import enforced_keywords
from fcregistry._schema.references import REFERENCES, Scope, resolver_of
from fcregistry.types import are_unique

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from fcregistry._schema.drafts import Draft
    from fcregistry._schema.engine_rs import TextChecker


MOST_STEPS: Final = 100_000
"""How often subschemas are applied to places, beside once for each part of a value. That takes some 0.2 s."""

Path: TypeAlias = tuple[str | int, ...]


class TooManyStepsError(Exception):
    """Finding the violations of a value takes more steps than the caller allows."""


class ViolationFinder:
    """Finds the violations of invalid values.

    Args:
        schema: A valid schema.
        draft: The draft that it is written in.
        checker: Checks formats and patterns.
    """

    __slots__ = ("_schema", "_scope", "_words")

    def __init__(self, schema: dict[str, Any], draft: Draft, checker: TextChecker) -> None:
        self._schema = schema
        self._scope = Scope(draft, checker, resolver_of(schema, draft), {})
        self._words: dict[tuple[int, str], str] = {}

    def start_walk(self) -> Callable[[Any, Any], bool]:
        """Return a function that returns whether a subschema accepts a part of one value.

        It takes as many steps as it needs, and keeps what it has found for its next calls.
        """
        walk = _Walk(self._words, inf, gives_up=False)
        return lambda schema, part: not walk.apply(schema, self._scope.inside(schema), part, (id(part),))

    def find(self, value: object, most_steps: int = MOST_STEPS) -> list[Violation]:
        """Return the first hundred violations of a value.

        Args:
            value: The value.
            most_steps: How often subschemas may be applied to parts of it. After `MOST_STEPS`, and one for each part, the rest is skipped.

        Raises:
            TooManyStepsError: `most_steps` is below `MOST_STEPS`, and the value takes more.
        """
        gives_up = most_steps < MOST_STEPS
        walk = _Walk(self._words, most_steps if gives_up else most_steps + _count_parts(value), gives_up=gives_up)
        found = walk.apply(self._schema, self._scope, value, ())
        return found or ([Violation((), "too large", None, value)] if walk.is_over else [])


def _count_parts(value: object) -> int:
    """Return the number of names and items in a JSON value, at any depth."""
    count = 0
    waiting = [value]
    for each in waiting:  # grows during the loop
        if isinstance(each, (dict, list)):
            count += len(each)
            waiting += [
                inner
                for inner in (each.values() if isinstance(each, dict) else each)
                if isinstance(inner, (dict, list))
            ]
    return count


class _Walk:
    """One walk through a value.

    Args:
        words: Place of a keyword -> its text, from earlier walks; new ones are added.
        most_steps: How many steps it may take.
        gives_up: Whether one more raises `TooManyStepsError`.

    Attributes:
        is_over: Whether the walk took too many steps; the violations found until then are correct.
        names: The unknown names of each violation, as the tuple that is kept.
    """

    __slots__ = ("_gives_up", "_shared", "_steps_left", "_words", "is_over", "names")

    def __init__(self, words: dict[tuple[int, str], str], most_steps: float, *, gives_up: bool) -> None:
        self._words = words
        self._shared: dict[tuple[int, Path, bool, tuple[str, ...]], list[Violation]] = {}
        self._steps_left = most_steps
        self._gives_up = gives_up
        self.is_over = False
        self.names: dict[tuple[str, ...], tuple[str, ...]] = {}

    def apply(self, schema: Any, scope: Scope, value: Any, path: Path) -> list[Violation]:
        """Return the violations of `schema`, a subschema, by `value`, which is at `path`; none if it is valid."""
        if schema.__class__ is not dict:
            return [] if schema else [Violation(path, "false schema", False, value)]
        if not self.step():
            return []
        found: list[Violation] = []
        place = None
        keywords, checks = _plan_of(scope, schema)
        for keyword, limit, breaks, kind, check in checks:
            if breaks is not None:
                if breaks(limit, value):
                    found.append(Violation(path, keyword, limit, value, self._demand_text(schema, keyword, limit)))
            elif isinstance(value, kind):
                if place is None:
                    place = _Place(self, keywords, scope, path)
                check(place, limit, value, found)
            if len(found) >= MAX_VIOLATIONS:
                del found[MAX_VIOLATIONS:]
                break
        return found

    def step(self) -> bool:
        """Count a step, and return whether the walk may take it.

        Raises:
            TooManyStepsError: It may not, and the walk gives up.
        """
        if self._steps_left > 0:
            self._steps_left -= 1
            return True
        if self._gives_up:
            raise TooManyStepsError
        self.is_over = True
        return False

    def apply_shared(self, schema: Any, scope: Scope, value: Any, path: Path) -> list[Violation]:
        """Like `apply`, for a subschema that may be applied again: the same list each time."""
        key = (id(schema), path, scope.checker.strict, scope.bases)
        found = self._shared.get(key)
        if found is None:
            found = self.apply(schema, scope, value, path)
            if len(self._shared) >= _MOST_SHARED:
                self._shared.clear()
            self._shared[key] = found
        return found

    def _demand_text(self, schema: dict[str, Any], keyword: str, limit: Any) -> str:
        """Return in words what `keyword` of `schema` demands, from the cache if it is there."""
        words = self._words.get((id(schema), keyword))
        if words is None:
            words = requirement(keyword, limit)
            if len(self._words) < _MOST_KEPT:
                self._words[id(schema), keyword] = words
        return words


class _Place(NamedTuple):
    """A subschema that is being applied, and the place in the value.

    Attributes:
        walk: The walk.
        keywords: The keywords of the subschema that its draft enforces, as draft 2020-12 writes them.
        scope: Its scope.
        path: The place in the value.
    """

    walk: _Walk
    keywords: dict[str, Any]
    scope: Scope
    path: Path

    def apply(self, schema: Any, value: Any) -> list[Violation]:
        """Return the violations of `schema`, a subschema of this one, applied to the same value."""
        return self.walk.apply_shared(schema, self.scope.inside(schema), value, self.path)

    def holds(self, schema: Any, value: Any) -> bool:
        """Return whether a subschema accepts the same value, or may, given patterns that are not enforced."""
        return not self.apply(schema, value)

    def surely_holds(self, schema: Any, value: Any) -> bool:
        """Return whether a subschema accepts the same value even if no pattern that is not enforced matches."""
        return not self.walk.apply_shared(schema, self.scope.opposite().inside(schema), value, self.path)

    def apply_inside(self, parts: Iterable[tuple[str | int, Any, Any]], found: list[Violation]) -> None:
        """Append to `found` the violations of subschemas by parts of the value.

        Args:
            parts: The parts, as triples of segment, subschema and part.
            found: The violations.
        """
        apply, scope, path = self.walk.apply, self.scope, self.path
        for segment, schema, part in parts:
            _add(apply(schema, scope.inside(schema), part, (*path, segment)), found)
            if len(found) >= MAX_VIOLATIONS:
                return

    def matches(self, pattern: str, text: str, *, refuses: bool = False) -> bool:
        """Return whether a text matches a pattern.

        For a pattern that is not enforced, this is the answer that refuses less.

        Args:
            pattern: The pattern.
            text: The text.
            refuses: Whether a text that matches is checked further; otherwise a text that does not match is refused.
        """
        matches, strict = self.scope.checker.matches(pattern, text), self.scope.checker.strict
        return strict is refuses if matches is None else matches

    def matches_any(self, patterns: Iterable[str], name: str) -> bool:
        """Return whether `name` matches one of `patterns`; True if the walk has no steps left."""
        return any(not self.walk.step() or self.matches(pattern, name) for pattern in patterns)


def _add(more: list[Violation], found: list[Violation]) -> None:
    """Append those violations of `more` to `found` that are not in it, compared by identity.

    Where several references lead to one subschema, they would otherwise double at each level.
    """
    if not found:
        found += more
    elif more:
        known = set(map(id, found))
        found += [each for each in more if id(each) not in known]


# --- Keywords that apply subschemas, or depend on other keywords ---


Check: TypeAlias = "Callable[[_Place, Any, Any, list[Violation]], None]"
"""Takes the place, the keyword's value and the value, and appends the violations."""


def _make_reference_check(keyword: str) -> Check:
    """Return the check of `keyword`, such as `$ref`: it appends the violations of the reference's target."""

    def check(place: _Place, reference: Any, value: Any, found: list[Violation]) -> None:
        """Append the violations of the target of `reference` by `value`."""
        schema, scope = place.scope.follow(keyword, reference)
        _add(place.walk.apply_shared(schema, scope, value, place.path), found)

    return check


def _check_format(place: _Place, name: Any, value: Any, found: list[Violation]) -> None:
    """Append a violation if `value`, a text, is not of the format `name`."""
    if not place.scope.checker.is_of_format(name, value):
        found.append(Violation(place.path, "format", name, value))


def _check_pattern(place: _Place, pattern: Any, value: Any, found: list[Violation]) -> None:
    """Append a violation if `value`, a text, does not match `pattern`, by `place.matches`."""
    if not place.matches(pattern, value):
        found.append(Violation(place.path, "pattern", pattern, value))


def _check_properties(place: _Place, schemas: Any, value: Any, found: list[Violation]) -> None:
    """Append the violations of `schemas` by the properties of `value`."""
    place.apply_inside([(name, schemas[name], value[name]) for name in schemas if name in value], found)


def _check_pattern_properties(place: _Place, schemas: Any, value: Any, found: list[Violation]) -> None:
    """Append the violations of `schemas` by the properties of `value` whose names match their patterns."""
    matched = (
        (name, schema, part)
        for pattern, schema in schemas.items()
        for name, part in value.items()
        if place.walk.step() and place.matches(pattern, name, refuses=True)
    )
    place.apply_inside(matched, found)


def _check_additional_properties(place: _Place, allowed: Any, value: Any, found: list[Violation]) -> None:
    """Append the violations of `allowed` by the properties that no name or pattern beside it covers.

    They are one violation if `allowed` is False; see `_check_unknown_names`.
    """
    known, patterns = place.keywords.get("properties", ()), place.keywords.get("patternProperties", ())
    names = (name for name in value if name not in known)
    if patterns:
        names = (name for name in names if not place.matches_any(patterns, name))
    _check_unknown_names(place, names, (known,), allowed, value, found)


def _check_unknown_names(
    place: _Place,
    names: Iterator[str],
    known: tuple[Collection[str], ...],
    allowed: Any,
    value: Any,
    found: list[Violation],
) -> None:
    """Append one violation with the first hundred of `names`, if `allowed` is False and there are any.

    Otherwise append the violations of `allowed`, the subschema that these properties must satisfy.
    """
    if allowed is not False:
        place.apply_inside(((name, allowed, value[name]) for name in names), found)
    elif first := tuple(islice(names, MAX_VIOLATIONS)):
        first = place.walk.names.setdefault(first, first)  # each branch of a union may refuse the same names
        found.append(Violation(place.path, "additionalProperties", first, value, known=known))


def _check_property_names(place: _Place, names: Any, value: Any, found: list[Violation]) -> None:
    """Append a violation for each name in `value` that `names` refuses, until there are `MAX_VIOLATIONS`."""
    scope = place.scope.inside(names)
    for name in value:
        # A name is not the property's value, so it gets a place of its own: no array has an item -1.
        if place.walk.apply(names, scope, name, (*place.path, name, -1)):
            found.append(Violation((*place.path, name), "propertyNames", names, name))
            if len(found) >= MAX_VIOLATIONS:
                return


def _check_required(place: _Place, names: Any, value: Any, found: list[Violation]) -> None:
    """Append a violation for each of `names` that `value` lacks."""
    missing = islice((name for name in names if name not in value and place.walk.step()), MAX_VIOLATIONS)
    found += [Violation(place.path, "required", [name], value) for name in missing]


def _check_dependencies(place: _Place, dependencies: Any, value: Any, found: list[Violation]) -> None:
    """Append the violations of `dependencies`, and of the two keywords that it was split into in 2019-09.

    What a name in `value` asks for is a list of names or a subschema. Each violation has the condition that this name is there.
    The function ends when there are `MAX_VIOLATIONS`.
    """
    for name, needed in dependencies.items():
        if name in value:
            inner: list[Violation] = []
            if isinstance(needed, list):
                _check_required(place, needed, value, inner)
            else:
                inner = place.apply(needed, value)
            found += _with_condition(place, {"required": [name]}, True, inner)
            if len(found) >= MAX_VIOLATIONS:
                return


def _check_if(place: _Place, condition: Any, value: Any, found: list[Violation]) -> None:
    """Append the violations of the `then` or the `else` beside `condition`, whichever applies to `value`.

    If a pattern that is not enforced leaves open which: both if the walk is strict; otherwise those of `then`, and only if `else` fails, too.
    """
    holds = place.holds(condition, value)
    then = _with_condition(place, condition, True, place.apply(place.keywords.get("then", True), value))
    otherwise = _with_condition(place, condition, False, place.apply(place.keywords.get("else", True), value))
    if holds == place.surely_holds(condition, value):
        found += then if holds else otherwise
    elif place.scope.checker.strict:  # unknown whether it holds: surely valid is a value that is valid either way
        found += [*then, *otherwise]
    elif otherwise:
        found += then


def _with_condition(place: _Place, condition: Any, holds: bool, violations: Iterable[Violation]) -> list[Violation]:
    """Return copies of `violations` with one more condition under which they count, before their own ones."""
    outer = Condition(place.path, condition, holds)
    return [each._replace(conditions=(outer, *each.conditions)) for each in violations]


def _check_items(place: _Place, schemas: Any, value: Any, found: list[Violation]) -> None:
    """Append the violations of `schemas` by the items of `value` after those of `prefixItems`.

    If `schemas` is False, it is one violation for all of them.
    """
    first = len(place.keywords.get("prefixItems", ()))
    if schemas is not False:
        place.apply_inside(((at, schemas, value[at]) for at in range(first, len(value))), found)
    elif len(value) > first:
        found.append(Violation(place.path, "items", False, value))


def _check_prefix_items(place: _Place, schemas: Any, value: Any, found: list[Violation]) -> None:
    """Append the violations of `schemas` by the first items of `value`."""
    place.apply_inside(zip(range(len(value)), schemas, value, strict=False), found)


def _check_contains(place: _Place, wanted: Any, value: Any, found: list[Violation]) -> None:
    """Append a violation if `value` has too few, and one if too many, items that `wanted` accepts.

    The limits are `minContains`, by default 1, and `maxContains`, by default none.
    """
    least, most = place.keywords.get("minContains", 1), place.keywords.get("maxContains")
    held = _count_holding(place, wanted, place.scope, value)
    if held < least and not place.walk.is_over:
        found.append(Violation(place.path, "minContains", (least, wanted), value))
    if (
        most is not None
        and _count_holding(place, wanted, place.scope.opposite(), value) > most
        and not place.walk.is_over
    ):
        found.append(Violation(place.path, "maxContains", (most, wanted), value))


def _count_holding(place: _Place, schema: Any, scope: Scope, items: list[Any]) -> int:
    """Return how many of `items` the subschema accepts in `scope`."""
    inner, path = scope.inside(schema), place.path
    return sum(not place.walk.apply(schema, inner, item, (*path, at)) for at, item in enumerate(items))


def _check_unique_items(place: _Place, wanted: Any, value: Any, found: list[Violation]) -> None:
    """Append a violation if items must differ and two are equal."""
    if wanted and not are_unique(value):
        found.append(Violation(place.path, "uniqueItems", wanted, value))


def _check_all_of(place: _Place, schemas: Any, value: Any, found: list[Violation]) -> None:
    """Append the violations of each of `schemas` by `value`, until there are `MAX_VIOLATIONS`."""
    for schema in schemas:
        _add(place.apply(schema, value), found)
        if len(found) >= MAX_VIOLATIONS:
            return


def _check_any_of(place: _Place, branches: Any, value: Any, found: list[Violation]) -> None:
    """Append one violation, with those of each branch, if none of `branches` accepts `value`."""
    broken = []
    for branch in _likely_branches(place, branches, value):
        violations = place.apply(branch, value)
        if not violations:
            return
        broken.append(tuple(violations))
    found.append(Violation(place.path, "anyOf", branches, value, branches=tuple(broken)))


def _likely_branches(place: _Place, branches: Any, value: Any) -> Iterator[Any]:
    """Yield the branches that `value` may be meant for; all of them, if there are at most a hundred.

    Of more, those that a constant or the type rules out come last, and only the first hundred of these: a message would not name so many.
    """
    if len(branches) <= _MOST_BRANCHES:
        yield from branches
        return
    others: list[Any] = []
    for branch in branches:
        if place.walk.step() and not _is_ruled_out(place.scope, branch, value):
            yield branch
        elif len(others) < _MOST_BRANCHES:
            others.append(branch)
    yield from others


def _is_ruled_out(scope: Scope, branch: Any, value: Any) -> bool:
    """Return whether the type of `value`, or a constant in it, rules out `branch`.

    If only applying the branch can tell, the answer is False.
    """
    if isinstance(branch, dict) and "$ref" in branch:
        branch, scope = scope.follow("$ref", branch["$ref"])
    if not isinstance(branch, dict) or "$ref" in branch:
        return False
    properties = branch.get("properties", {})
    return _breaks_any(scope, branch, value, ("const", "enum", "type")) or any(
        isinstance(properties[name], dict) and _breaks_any(scope, properties[name], value[name], ("const", "enum"))
        for name in (value.keys() & properties.keys() if isinstance(value, dict) else ())
    )


def _breaks_any(scope: Scope, schema: dict[str, Any], value: Any, keywords: tuple[str, ...]) -> bool:
    """Return whether `value` violates one of `keywords` in `schema`, by the keyword's own value alone."""
    return any(
        breaks is not None and keyword in keywords and breaks(limit, value)
        for keyword, limit, breaks, *_ in _plan_of(scope, schema)[1]
    )


_MOST_BRANCHES: Final = 100
"""The most branches of a union that are all applied."""


def _check_one_of(place: _Place, branches: Any, value: Any, found: list[Violation]) -> None:
    """Append one violation if none of `branches` accepts `value`, or more than one surely does."""
    branches = list(_likely_branches(place, branches, value))
    broken = [tuple(place.apply(branch, value)) for branch in branches]
    if all(broken):
        found.append(Violation(place.path, "oneOf", branches, value, branches=tuple(broken)))
    # Counted are the branches that surely hold: with a pattern that is not enforced, possibly none does.
    elif sum(place.surely_holds(branch, value) for branch in branches) > 1 and not place.walk.is_over:
        found.append(Violation(place.path, "oneOf", branches, value))


def _check_not(place: _Place, unwanted: Any, value: Any, found: list[Violation]) -> None:
    """Append a violation if `unwanted` surely accepts `value`, whatever patterns are not enforced."""
    if place.surely_holds(unwanted, value) and not place.walk.is_over:
        found.append(Violation(place.path, "not", unwanted, value))


# --- Unevaluated properties and items ---


def _check_unevaluated_properties(place: _Place, allowed: Any, value: Any, found: list[Violation]) -> None:
    """Append the violations of `allowed` by the properties that no schema in this place evaluates.

    They are one violation if `allowed` is False; see `_check_unknown_names`.
    """
    evaluated: set[str] = set()
    known: list[Collection[str]] = []  # of the schema: copies in the violations of each branch of a union would add up
    for each in _places_in_place(place, value):
        keywords = each.keywords
        if names := keywords.get("properties"):
            known.append(names)
            evaluated.update(name for name in value if name in names)
        if "additionalProperties" in keywords or ("unevaluatedProperties" in keywords and each is not place):
            evaluated.update(value)
        if patterns := keywords.get("patternProperties", ()):
            evaluated.update(name for name in value if name not in evaluated and each.matches_any(patterns, name))
    if not place.walk.is_over:
        unknown = (name for name in value if name not in evaluated)
        _check_unknown_names(place, unknown, tuple(known), allowed, value, found)


def _check_unevaluated_items(place: _Place, allowed: Any, value: Any, found: list[Violation]) -> None:
    """Append the violations of `allowed` by the items that no schema in this place evaluates."""
    evaluated: set[int] = set()
    for each in _places_in_place(place, value):
        keywords = each.keywords
        is_whole = "items" in keywords or ("unevaluatedItems" in keywords and each is not place)
        evaluated.update(range(len(value) if is_whole else len(keywords.get("prefixItems", ()))))
        if "contains" in keywords:  # not so in 2019-09, but both engines do it
            wanted, scope = keywords["contains"], each.scope.inside(keywords["contains"])
            evaluated.update(
                at for at, item in enumerate(value) if not place.walk.apply(wanted, scope, item, (*place.path, at))
            )
    if not place.walk.is_over:
        place.apply_inside(((at, allowed, item) for at, item in enumerate(value) if at not in evaluated), found)


def _places_in_place(place: _Place, value: Any) -> Iterator[_Place]:
    """Yield `place`, and a place for each subschema that applies to the same value and accepts it.

    Subschemas of these follow, until the walk has taken too many steps.
    """
    waiting = [place]
    seen: set[tuple[int, bool, tuple[str, ...]]] = set()
    while waiting and not place.walk.is_over:
        each = waiting.pop()
        yield each
        for schema, scope in _schemas_in_place(each, value):
            key = (id(schema), scope.checker.strict, scope.bases)
            if isinstance(schema, dict) and key not in seen:
                seen.add(key)
                if not place.walk.apply_shared(schema, scope, value, place.path):
                    waiting.append(each._replace(keywords=_plan_of(scope, schema)[0], scope=scope))


def _schemas_in_place(place: _Place, value: Any) -> Iterator[tuple[Any, Scope]]:
    """Yield the subschemas that a place's schema applies directly to the same value, each with its scope."""
    for keyword in REFERENCES:
        if keyword in place.keywords:
            yield place.scope.follow(keyword, place.keywords[keyword])
    yield from ((inner, place.scope.inside(inner)) for inner in _subschemas_in_place(place, value))


def _subschemas_in_place(place: _Place, value: Any) -> Iterator[Any]:
    """Yield the subschemas that a place's schema applies to the same value.

    Those by references and `not` are left out; of `then` and `else`, only those that may apply come, after the `if`.
    """
    keywords = place.keywords
    for keyword in ("allOf", "anyOf", "oneOf"):
        yield from keywords.get(keyword, ())
    if isinstance(value, dict):
        for keyword in ("dependentSchemas", "dependencies"):
            inner = keywords.get(keyword, {})
            yield from (inner[name] for name in inner if name in value and not isinstance(inner[name], list))
    if "if" in keywords:
        yield keywords["if"]
        if "then" in keywords and place.holds(keywords["if"], value):
            yield keywords["then"]
        if "else" in keywords and not place.surely_holds(keywords["if"], value):
            yield keywords["else"]


# --- The checks of a schema ---


Plan: TypeAlias = "tuple[dict[str, Any], list[tuple[str, Any, Breaks | None, Any, Any]]]"
"""The keywords that a draft enforces, as draft 2020-12 writes them; and of each its value, and a `Breaks`, or a `Check` with its kind of value."""


def _plan_of(scope: Scope, schema: dict[str, Any]) -> Plan:
    """Return the `Plan` of a schema, from the scope's cache if it is there."""
    plan: Plan | None = scope.plans.get(id(schema))
    if plan is None:
        plan = _make_plan(schema, scope.draft)
        if len(scope.plans) < _MOST_KEPT:
            scope.plans[id(schema)] = plan
    return plan


_MOST_KEPT: Final = 4096
"""The most subschemas of a schema of which plans, and texts, are cached: far more than most schemas have."""
_MOST_SHARED: Final = 50_000
"""The most results that a walk keeps for the case that another place applies the same subschema to the same part of the value."""


def _make_plan(schema: dict[str, Any], draft: Draft) -> Plan:
    """Return the `Plan` of a schema: its keywords that `draft` enforces, and their checks."""
    keywords = enforced_keywords(schema, draft)
    return keywords, [
        (keyword, limit, None, *_CHECKS[keyword])
        if keyword in _CHECKS
        else (keyword, limit, breaks_of(keyword, limit, draft), *_NO_CHECK)
        for keyword, limit in keywords.items()
    ]


_CHECKS: Final[dict[str, tuple[type, Check]]] = {
    **{keyword: (object, _make_reference_check(keyword)) for keyword in REFERENCES},
    "additionalProperties": (dict, _check_additional_properties),
    "allOf": (object, _check_all_of),
    "anyOf": (object, _check_any_of),
    "contains": (list, _check_contains),
    "dependencies": (dict, _check_dependencies),
    "dependentRequired": (dict, _check_dependencies),
    "dependentSchemas": (dict, _check_dependencies),
    "format": (str, _check_format),
    "if": (object, _check_if),
    "items": (list, _check_items),
    "not": (object, _check_not),
    "oneOf": (object, _check_one_of),
    "pattern": (str, _check_pattern),
    "patternProperties": (dict, _check_pattern_properties),
    "prefixItems": (list, _check_prefix_items),
    "properties": (dict, _check_properties),
    "propertyNames": (dict, _check_property_names),
    "required": (dict, _check_required),
    "unevaluatedItems": (list, _check_unevaluated_items),
    "unevaluatedProperties": (dict, _check_unevaluated_properties),
    "uniqueItems": (list, _check_unique_items),
}
"""Keyword -> the kind of the values that it concerns, and its check."""

_NO_CHECK: Final = ((), None)  # no value is an instance of no class
