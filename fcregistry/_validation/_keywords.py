"""The keywords that jsonschema judges wrong or slowly.

Patterns run on a linear-time engine, and one that it does not take is not enforced. `multipleOf` is exact. `uniqueItems` tells true from 1
at every depth. Each function is a keyword as jsonschema calls it: the validator, the keyword's value, the instance, the schema around it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from fcregistry._validation._unevaluated import unevaluated_items, unevaluated_names
from fcregistry.types._constraints import is_multiple
from fcregistry.types._containers import all_differ

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fcregistry._validation._texts import Texts


def error() -> Any:
    """Return an error of jsonschema that says nothing more."""
    from jsonschema.exceptions import ValidationError  # loaded already: only jsonschema asks

    return ValidationError("")


def _holds(validator: Any, schema: Any, instance: object, texts: Texts | None = None) -> bool:
    """Tell whether a subschema holds; for the texts that are given, if they are not the validator's own."""
    if texts is not None and texts is not validator.format_checker:
        validator = validator.evolve(format_checker=texts)
    return next(validator.descend(instance, schema), None) is None


# --- texts -------------------------------------------------------------------------------------------------------


def _pattern(validator: Any, pattern: str, instance: object, schema: Any) -> Iterator[Any]:
    if isinstance(instance, str):
        matches = validator.format_checker.matches(pattern, instance)
        if matches is False or (matches is None and validator.format_checker.strict):
            yield error()


def _pattern_properties(validator: Any, patterns: dict[str, Any], instance: object, schema: Any) -> Iterator[Any]:
    if not isinstance(instance, dict):
        return
    texts = validator.format_checker
    for pattern, subschema in patterns.items():
        for name, value in instance.items():
            matches = texts.matches(pattern, name)
            if matches or (matches is None and texts.strict):
                yield from validator.descend(value, subschema)


# --- objects -----------------------------------------------------------------------------------------------------


def _additional_properties(validator: Any, allowed: Any, instance: object, schema: Any) -> Iterator[Any]:
    if not isinstance(instance, dict):
        return
    known, patterns = schema.get("properties", ()), schema.get("patternProperties", ())
    texts = validator.format_checker
    unmatched = (False, None) if texts.strict else (False,)
    for name, value in instance.items():
        if name not in known and all(texts.matches(pattern, name) in unmatched for pattern in patterns):
            yield from validator.descend(value, allowed)


def _dependencies(validator: Any, dependencies: Any, instance: object, schema: Any) -> Iterator[Any]:
    """Judge `dependencies`, and the two keywords that it was split into in 2019-09."""
    if not isinstance(instance, dict):
        return
    for name, needed in dependencies.items():
        if name in instance:
            yield from validator.descend(instance, {"required": needed} if isinstance(needed, list) else needed)


def _unevaluated_properties(validator: Any, allowed: Any, instance: object, schema: Any) -> Iterator[Any]:
    if not isinstance(instance, dict):
        return
    for name in unevaluated_names(validator, instance):
        yield from validator.descend(instance[name], allowed)


# --- arrays ------------------------------------------------------------------------------------------------------


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
    texts = validator.format_checker
    if sum(_holds(validator, wanted, item) for item in instance) < least:
        yield error()
    if most is not None and sum(_holds(validator, wanted, item, texts.opposite) for item in instance) > most:
        yield error()


def _unevaluated_items(validator: Any, allowed: Any, instance: object, schema: Any) -> Iterator[Any]:
    if isinstance(instance, list):
        for place in unevaluated_items(validator, instance):
            yield from validator.descend(instance[place], allowed)


def _unique_items(validator: Any, wanted: Any, instance: object, schema: Any) -> Iterator[Any]:
    if wanted and isinstance(instance, list) and not all_differ(instance):
        yield error()


# --- numbers -----------------------------------------------------------------------------------------------------


def _multiple_of(validator: Any, step: Any, instance: object, schema: Any) -> Iterator[Any]:
    if isinstance(instance, (int, float)) and not isinstance(instance, bool) and not is_multiple(instance, step):
        yield error()


# --- what joins others -------------------------------------------------------------------------------------------


def _one_of(validator: Any, branches: Any, instance: object, schema: Any) -> Iterator[Any]:
    # At least one may hold, and not two surely do: where a pattern is not enforced, the branches that surely hold may be none.
    opposite = validator.format_checker.opposite
    holding = sum(_holds(validator, branch, instance) for branch in branches)
    if not holding or sum(_holds(validator, branch, instance, opposite) for branch in branches) > 1:
        yield error()


def _not(validator: Any, unwanted: Any, instance: object, schema: Any) -> Iterator[Any]:
    if _holds(validator, unwanted, instance, validator.format_checker.opposite):
        yield error()


def _if(validator: Any, condition: Any, instance: object, schema: Any) -> Iterator[Any]:
    texts = validator.format_checker
    holds = _holds(validator, condition, instance)
    then = validator.descend(instance, schema.get("then", True))
    otherwise = validator.descend(instance, schema.get("else", True))
    if holds == _holds(validator, condition, instance, texts.opposite):
        yield from then if holds else otherwise
    elif texts.strict:  # whether the condition holds is not known: surely valid is what is so either way
        yield from then
        yield from otherwise
    elif list(then) and list(otherwise):
        yield error()


KEYWORDS: Final[dict[str, Callable[[Any, Any, Any, Any], Iterator[Any]]]] = {
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
