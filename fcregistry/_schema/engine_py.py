"""The reference engine, `jsonschema`: it decides where the fast one may not, and checks schemas by their meta-schemas.

It only decides whether a value is valid; `violations.py` finds out why one is not.

Keywords that jsonschema handles wrongly or slowly are replaced. Patterns run on a linear-time engine, and one that it does not support is not
enforced. `multipleOf` is exact. `uniqueItems` distinguishes true from 1 at every depth. jsonschema's own search for unevaluated properties and items
uses a pattern engine that is not linear, takes the keywords of an `additionalProperties` for properties (2019-09), and does not follow `$id` into a
subschema. Each replacement is called as jsonschema calls a keyword: the validator, the keyword's value, the instance, the schema around it.

Source: JSON Schema 2020-12 core, 11, and 2019-09 core, 9.3, for unevaluated locations.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final

from fcregistry._base.messages import Violation, word_problems
from fcregistry._schema.drafts import SchemaError, own_draft, split_by_draft
from fcregistry._schema.engine_rs import TextChecker, has_unenforced_patterns, is_schema_or_none
from fcregistry._schema.references import resource_of
from fcregistry._schema.violations import ViolationFinder
from fcregistry.types import are_unique, is_multiple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from fcregistry._schema.drafts import Draft


def compile_schema(
    schema: dict[str, Any], formats: Mapping[str, Callable[[str], bool]], draft: Draft
) -> Callable[[object], bool]:
    """Return the function that checks whether a value is valid.

    Raises:
        SchemaError: The schema is malformed.
    """
    from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]  # the standard's own schemas

    schema = {**schema, "$schema": draft.uri}  # needed where a schema of another draft refers to it
    check_schema(schema, draft)
    made, doubtful = validator_class(draft), has_unenforced_patterns(schema)

    def is_valid(value: object) -> bool:
        checker = TextChecker(formats, draft, doubtful)  # it remembers verdicts on parts of this value
        # The default registry would fetch the target of a remote `$ref`.
        return bool(made(schema, format_checker=checker, registry=REGISTRY).is_valid(value))

    return is_valid


def is_schema(schema: dict[str, Any], draft: Draft) -> bool:
    """Return whether a schema is valid by the meta-schema of its draft."""
    return all(_part_is_schema(part, of_draft) for part, of_draft in split_by_draft(schema, draft))


def check_schema(schema: dict[str, Any], draft: Draft) -> None:
    """Check that a schema is valid by the meta-schema of its draft.

    Raises:
        SchemaError: It is not; the message says what is wrong, and where.
    """
    for part, of_draft in split_by_draft(schema, draft):
        if not _part_is_schema(part, of_draft):
            finder = ViolationFinder(validator_class(of_draft).META_SCHEMA, of_draft, TextChecker({}, None, False))
            problems = word_problems(finder.find(part) or [Violation((), "schema", None, part)])
            raise SchemaError("; ".join(map(str, problems[:_MOST_PROBLEMS])))


def _part_is_schema(part: dict[str, Any], draft: Draft) -> bool:
    verdict = is_schema_or_none(part, draft)  # some five hundred times as fast
    if verdict is not None:
        return verdict
    made = validator_class(draft)
    return bool(made(made.META_SCHEMA, format_checker=TextChecker({}, None, False)).is_valid(part))


_MOST_PROBLEMS = 5


# --- Validators ---


@cache
def validator_class(draft: Draft) -> Any:
    """Return jsonschema's validator class of a draft, with other functions for the keywords of `_KEYWORDS` and other ways to descend."""
    import referencing  # noqa: F401  # all of it, before jsonschema imports a part of it: another thread may import it at the same time

    # isort: split
    import jsonschema  # 70 ms, paid only where the fast engine cannot decide
    from jsonschema.validators import extend

    keywords = {name: check for name, check in _KEYWORDS.items() if name in draft.keywords}
    made: Any = extend(getattr(jsonschema, draft.engine), keywords)  # type: ignore[no-untyped-call]
    made.DRAFT = draft
    made.FIELDS = tuple((each.name, each.alias) for each in made.__attrs_attrs__ if each.init)
    made.evolve, made.descend = _evolve, _make_descend(made.descend)
    return made


def _evolve(self: Any, **changes: Any) -> Any:
    """Return a validator of another schema, of a class of ours: jsonschema would use its own for a schema with `$schema`."""
    for name, alias in self.FIELDS:
        if alias not in changes:
            changes[alias] = getattr(self, name)
    draft = own_draft(changes["schema"])
    return (validator_class(draft) if draft else type(self))(**changes)


def _make_descend(descend: Callable[..., Iterator[Any]]) -> Callable[..., Iterator[Any]]:
    """Return a method `descend` that checks the target of a reference once for each part of a value, and respects a subschema's own `$schema`."""

    def descend_into(
        self: Any, instance: Any, schema: Any, path: Any = None, schema_path: Any = None, resolver: Any = None
    ) -> Iterator[Any]:
        if resolver is not None and isinstance(schema, dict):  # jsonschema passes one only for references
            return _check_target(self, instance, schema, resolver, descend)
        if own_draft(schema) is None:
            return descend(self, instance, schema, path, schema_path, resolver)
        return _subvalidator(self, schema).iter_errors(instance)  # type: ignore[no-any-return]

    return descend_into


def _check_target(
    validator: Any, instance: Any, schema: dict[str, Any], resolver: Any, descend: Callable[..., Iterator[Any]]
) -> Iterator[Any]:
    """Yield an error if the target of a reference does not hold.

    Each part of the value is checked once, however many branches refer to it: otherwise nested unions take exponential time.
    """
    verdicts = validator.format_checker.verdicts
    bases = tuple(dict.fromkeys(uri for uri, _ in resolver.dynamic_scope()))  # a `$dynamicRef` depends on them
    key = (id(schema), id(instance), validator.format_checker.strict, bases)
    if key not in verdicts:
        inner = validator.evolve(schema=schema, _resolver=resolver) if own_draft(schema) else None
        errors = (
            descend(validator, instance, schema, resolver=resolver) if inner is None else inner.iter_errors(instance)
        )
        verdicts[key] = next(iter(errors), None) is None
    if not verdicts[key]:
        yield _error()


def _subvalidator(validator: Any, subschema: Any) -> Any:
    """Return the validator of a subschema, which may have an `$id` or a draft of its own."""
    resource = resource_of(subschema, own_draft(subschema) or validator.DRAFT)
    return validator.evolve(schema=subschema, _resolver=validator._resolver.in_subresource(resource))


def _error() -> Any:
    """Return an error of jsonschema without a message."""
    from jsonschema.exceptions import ValidationError  # loaded already: only jsonschema asks

    return ValidationError("")


def _holds(validator: Any, schema: Any, instance: object, checker: TextChecker | None = None) -> bool:
    """Return whether a subschema holds, with another checker if one is given."""
    if checker is not None and checker is not validator.format_checker:
        validator = validator.evolve(format_checker=checker)
    return next(validator.descend(instance, schema), None) is None


# --- Keywords: texts ---


def _pattern(validator: Any, pattern: str, instance: object, schema: Any) -> Iterator[Any]:
    if isinstance(instance, str):
        matches = validator.format_checker.matches(pattern, instance)
        if matches is False or (matches is None and validator.format_checker.strict):
            yield _error()


def _pattern_properties(validator: Any, patterns: dict[str, Any], instance: object, schema: Any) -> Iterator[Any]:
    if not isinstance(instance, dict):
        return
    checker = validator.format_checker
    for pattern, subschema in patterns.items():
        for name, value in instance.items():
            matches = checker.matches(pattern, name)
            if matches or (matches is None and checker.strict):
                yield from validator.descend(value, subschema)


# --- Keywords: objects ---


def _additional_properties(validator: Any, allowed: Any, instance: object, schema: Any) -> Iterator[Any]:
    if not isinstance(instance, dict):
        return
    known, patterns = schema.get("properties", ()), schema.get("patternProperties", ())
    checker = validator.format_checker
    unmatched = (False, None) if checker.strict else (False,)
    for name, value in instance.items():
        if name not in known and all(checker.matches(pattern, name) in unmatched for pattern in patterns):
            yield from validator.descend(value, allowed)


def _dependencies(validator: Any, dependencies: Any, instance: object, schema: Any) -> Iterator[Any]:
    """Check `dependencies`, and the two keywords that it was split into in 2019-09."""
    if not isinstance(instance, dict):
        return
    for name, needed in dependencies.items():
        if name in instance:
            yield from validator.descend(instance, {"required": needed} if isinstance(needed, list) else needed)


def _unevaluated_properties(validator: Any, allowed: Any, instance: object, schema: Any) -> Iterator[Any]:
    if not isinstance(instance, dict):
        return
    for name in _unevaluated_names(validator, instance):
        yield from validator.descend(instance[name], allowed)


# --- Keywords: arrays ---


def _additional_items(validator: Any, allowed: Any, instance: object, schema: Any) -> Iterator[Any]:
    places = schema.get("items")
    if not isinstance(instance, list) or not isinstance(places, list) or len(instance) <= len(places):
        return
    for item in instance[len(places) :]:
        yield from validator.descend(item, allowed)


def _contains(validator: Any, wanted: Any, instance: object, schema: Any) -> Iterator[Any]:
    if not isinstance(instance, list):
        return
    counted = "minContains" in validator.DRAFT.keywords
    least, most = (schema.get("minContains", 1), schema.get("maxContains")) if counted else (1, None)
    checker = validator.format_checker
    if sum(_holds(validator, wanted, item) for item in instance) < least:
        yield _error()
    if most is not None and sum(_holds(validator, wanted, item, checker.opposite) for item in instance) > most:
        yield _error()


def _unevaluated_items(validator: Any, allowed: Any, instance: object, schema: Any) -> Iterator[Any]:
    if isinstance(instance, list):
        for place in _unevaluated_places(validator, instance):
            yield from validator.descend(instance[place], allowed)


def _unique_items(validator: Any, wanted: Any, instance: object, schema: Any) -> Iterator[Any]:
    if wanted and isinstance(instance, list) and not are_unique(instance):
        yield _error()


# --- Keywords: numbers ---


def _multiple_of(validator: Any, step: Any, instance: object, schema: Any) -> Iterator[Any]:
    if isinstance(instance, (int, float)) and not isinstance(instance, bool) and not is_multiple(instance, step):
        yield _error()


# --- Keywords: combinations ---


def _one_of(validator: Any, branches: Any, instance: object, schema: Any) -> Iterator[Any]:
    # At least one may hold, and at most one surely does: with a pattern that is not enforced, possibly no branch surely holds.
    opposite = validator.format_checker.opposite
    holding = sum(_holds(validator, branch, instance) for branch in branches)
    if not holding or sum(_holds(validator, branch, instance, opposite) for branch in branches) > 1:
        yield _error()


def _not(validator: Any, unwanted: Any, instance: object, schema: Any) -> Iterator[Any]:
    if _holds(validator, unwanted, instance, validator.format_checker.opposite):
        yield _error()


def _if(validator: Any, condition: Any, instance: object, schema: Any) -> Iterator[Any]:
    checker = validator.format_checker
    holds = _holds(validator, condition, instance)
    then = validator.descend(instance, schema.get("then", True))
    otherwise = validator.descend(instance, schema.get("else", True))
    if holds == _holds(validator, condition, instance, checker.opposite):
        yield from then if holds else otherwise
    elif checker.strict:  # unknown whether the condition holds: surely valid is a value that is valid either way
        yield from then
        yield from otherwise
    elif list(then) and list(otherwise):
        yield _error()


_KEYWORDS: Final[dict[str, Callable[[Any, Any, Any, Any], Iterator[Any]]]] = {
    "additionalItems": _additional_items,
    "additionalProperties": _additional_properties,
    "contains": _contains,
    "dependencies": _dependencies,
    "dependentRequired": _dependencies,
    "dependentSchemas": _dependencies,
    "if": _if,
    "multipleOf": _multiple_of,
    "not": _not,
    "oneOf": _one_of,
    "pattern": _pattern,
    "patternProperties": _pattern_properties,
    "unevaluatedItems": _unevaluated_items,
    "unevaluatedProperties": _unevaluated_properties,
    "uniqueItems": _unique_items,
}


# --- Unevaluated locations ---


def _unevaluated_names(validator: Any, instance: dict[str, Any]) -> list[str]:
    """Return the names that no keyword beside `unevaluatedProperties` evaluates."""
    evaluated: set[str] = set()
    for each, outermost in _applied_validators(validator, instance):
        schema, checker = each.schema, each.format_checker
        if "additionalProperties" in schema or ("unevaluatedProperties" in schema and not outermost):
            evaluated.update(instance)
        patterns = schema.get("patternProperties", ())
        evaluated.update(schema.get("properties", ()))
        evaluated.update(
            name
            for name in instance
            if any(checker.matches(pattern, name) in _matched(checker.strict) for pattern in patterns)
        )
    return [name for name in instance if name not in evaluated]


def _matched(strict: bool) -> tuple[bool | None, ...]:
    return (True,) if strict else (True, None)


def _unevaluated_places(validator: Any, instance: list[Any]) -> list[int]:
    """Return the places of an array that no keyword beside `unevaluatedItems` evaluates."""
    evaluated: set[int] = set()
    everything = range(len(instance))
    for each, outermost in _applied_validators(validator, instance):
        schema = each.schema
        if "unevaluatedItems" in schema and not outermost:
            evaluated.update(everything)
        evaluated.update(_places_by_position(schema, each.DRAFT.keywords, everything))
        if "contains" in schema:  # not so in 2019-09, but both engines do it
            evaluated.update(place for place in everything if _holds(each, schema["contains"], instance[place]))
    return [place for place in everything if place not in evaluated]


def _places_by_position(schema: dict[str, Any], keywords: frozenset[str], everything: range) -> range:
    """Return the places that `items`, `prefixItems` and `additionalItems` evaluate."""
    items, prefix = schema.get("items"), schema.get("prefixItems", ())
    if "prefixItems" in keywords:
        return everything if items is not None else everything[: len(prefix)]
    if not isinstance(items, list):
        return everything if items is not None else everything[:0]
    return everything if "additionalItems" in schema else everything[: len(items)]


def _applied_validators(validator: Any, instance: Any) -> Iterator[tuple[Any, bool]]:
    """Yield a validator and those of the subschemas that apply to the same value and hold, each with whether it is the first."""
    waiting = [validator]
    while waiting:
        each = waiting.pop()
        if isinstance(each.schema, dict):
            yield each, each is validator
            waiting += [inner for inner in _validators_in_place(each, instance) if inner.is_valid(instance)]


def _validators_in_place(validator: Any, instance: Any) -> Iterator[Any]:
    schema = validator.schema
    yield from _referenced_validators(validator)
    for keyword in ("allOf", "anyOf", "oneOf"):
        for subschema in schema.get(keyword, ()):
            yield _subvalidator(validator, subschema)
    if isinstance(instance, dict):
        for keyword in ("dependentSchemas", "dependencies"):
            for name, subschema in schema.get(keyword, {}).items():
                if name in instance and not isinstance(subschema, list):
                    yield _subvalidator(validator, subschema)
    if "if" in schema:
        condition = _subvalidator(validator, schema["if"])
        yield condition
        if "then" in schema and condition.is_valid(instance):
            yield _subvalidator(validator, schema["then"])
        opposite = condition.evolve(format_checker=condition.format_checker.opposite)
        if "else" in schema and not opposite.is_valid(instance):
            yield _subvalidator(validator, schema["else"])


def _referenced_validators(validator: Any) -> Iterator[Any]:
    from referencing.jsonschema import lookup_recursive_ref  # loaded already: only jsonschema asks

    schema = validator.schema
    resolver = validator._resolver  # there is no public name for it
    known = schema.keys() & validator.DRAFT.keywords
    found = [resolver.lookup(schema[keyword]) for keyword in ("$ref", "$dynamicRef") if keyword in known]
    if "$recursiveRef" in known:
        found.append(lookup_recursive_ref(resolver))
    for each in found:
        yield validator.evolve(schema=each.contents, _resolver=each.resolver)
