"""How does the record judge what jsonschema gets wrong, is slow at, or says too little of?

Patterns run on a linear-time engine, and one that it does not take is not enforced. `multipleOf` is exact. `uniqueItems` tells true from 1
at every depth. Each function is a keyword as jsonschema calls it: the validator, the keyword's value, the instance, the schema around it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from fcregistry._validation._unevaluated import unevaluated_items, unevaluated_names
from fcregistry.types._bounds import is_multiple
from fcregistry.types._sets import all_differ

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from fcregistry._validation._texts import Texts


def _error(path: Iterable[str | int] = (), known: Iterable[str] = (), **details: Any) -> Any:
    """Return an error of jsonschema; what is not given here, it fills in."""
    from jsonschema.exceptions import ValidationError  # loaded already: only jsonschema asks

    error: Any = ValidationError("", path=path, **details)
    error.known = tuple(known)
    return error


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
            yield _error()


def _pattern_properties(validator: Any, patterns: dict[str, Any], instance: object, schema: Any) -> Iterator[Any]:
    if not isinstance(instance, dict):
        return
    texts = validator.format_checker
    for pattern, subschema in patterns.items():
        for name, value in instance.items():
            matches = texts.matches(pattern, name)
            if matches or (matches is None and texts.strict):
                yield from validator.descend(value, subschema, path=name, schema_path=pattern)


# --- objects -----------------------------------------------------------------------------------------------------


def _additional_properties(validator: Any, allowed: Any, instance: object, schema: Any) -> Iterator[Any]:
    if not isinstance(instance, dict):
        return
    additional = additional_names(validator.format_checker, instance, schema)
    if allowed is not False:
        for name in additional:
            yield from validator.descend(instance[name], allowed, path=name)
    elif additional:
        yield _error(validator_value=additional, known=schema.get("properties", ()))


def additional_names(texts: Texts, instance: dict[str, Any], schema: Any) -> list[str]:
    """Return the names that neither `properties` nor `patternProperties` speaks of."""
    known, patterns = schema.get("properties", ()), schema.get("patternProperties", ())
    unmatched = (False, None) if texts.strict else (False,)
    return [
        name
        for name in instance
        if name not in known and all(texts.matches(pattern, name) in unmatched for pattern in patterns)
    ]


def _property_names(validator: Any, names: Any, instance: object, schema: Any) -> Iterator[Any]:
    if isinstance(instance, dict):
        for name in instance:
            if not _holds(validator, names, name):
                yield _error(path=(name,), instance=name)


def _required(validator: Any, names: Any, instance: object, schema: Any) -> Iterator[Any]:
    if isinstance(instance, dict):
        for name in names:
            if name not in instance:
                yield _error(validator="required", validator_value=[name])


def _dependencies(validator: Any, dependencies: Any, instance: object, schema: Any) -> Iterator[Any]:
    """Judge `dependencies`, and the two keywords that it was split into in 2019-09."""
    if not isinstance(instance, dict):
        return
    for name, needed in dependencies.items():
        if name in instance:
            if isinstance(needed, list):
                errors = _required(validator, needed, instance, schema)
            else:
                errors = validator.descend(instance, needed, schema_path=name)
            yield from _under({"required": [name]}, True, errors)


def _unevaluated_properties(validator: Any, allowed: Any, instance: object, schema: Any) -> Iterator[Any]:
    if not isinstance(instance, dict):
        return
    names, known = unevaluated_names(validator, instance)
    if allowed is not False:
        for name in names:
            yield from validator.descend(instance[name], allowed, path=name)
    elif names:
        yield _error(validator="additionalProperties", validator_value=names, known=known)


# --- arrays ------------------------------------------------------------------------------------------------------


def _additional_items(validator: Any, allowed: Any, instance: object, schema: Any) -> Iterator[Any]:
    places = schema.get("items")
    if not isinstance(instance, list) or not isinstance(places, list) or len(instance) <= len(places):
        return
    if allowed is False:
        yield _error(validator="items")
        return
    for place in range(len(places), len(instance)):
        yield from validator.descend(instance[place], allowed, path=place)


def _contains(validator: Any, wanted: Any, instance: object, schema: Any) -> Iterator[Any]:
    if not isinstance(instance, list):
        return
    counted = "minContains" in validator.DRAFT.keywords
    least, most = (schema.get("minContains", 1), schema.get("maxContains")) if counted else (1, None)
    texts = validator.format_checker
    if sum(_holds(validator, wanted, item) for item in instance) < least:
        yield _error(validator="minContains", validator_value=(least, wanted))
    if most is not None and sum(_holds(validator, wanted, item, texts.opposite) for item in instance) > most:
        yield _error(validator="maxContains", validator_value=(most, wanted))


def _unevaluated_items(validator: Any, allowed: Any, instance: object, schema: Any) -> Iterator[Any]:
    if isinstance(instance, list):
        for place in unevaluated_items(validator, instance):
            yield from validator.descend(instance[place], allowed, path=place)


def _unique_items(validator: Any, wanted: Any, instance: object, schema: Any) -> Iterator[Any]:
    if wanted and isinstance(instance, list) and not all_differ(instance):
        yield _error()


# --- numbers -----------------------------------------------------------------------------------------------------


def _multiple_of(validator: Any, step: Any, instance: object, schema: Any) -> Iterator[Any]:
    if isinstance(instance, (int, float)) and not isinstance(instance, bool) and not is_multiple(instance, step):
        yield _error()


def _minimum(validator: Any, limit: Any, instance: object, schema: Any) -> Iterator[Any]:
    if isinstance(instance, (int, float)) and not isinstance(instance, bool):
        exclusive = schema.get("exclusiveMinimum") is True  # draft 4
        if instance < limit or (exclusive and instance == limit):
            yield _error(validator="exclusiveMinimum" if exclusive else "minimum")


def _maximum(validator: Any, limit: Any, instance: object, schema: Any) -> Iterator[Any]:
    if isinstance(instance, (int, float)) and not isinstance(instance, bool):
        exclusive = schema.get("exclusiveMaximum") is True  # draft 4
        if instance > limit or (exclusive and instance == limit):
            yield _error(validator="exclusiveMaximum" if exclusive else "maximum")


# --- what joins others -------------------------------------------------------------------------------------------


def _one_of(validator: Any, branches: Any, instance: object, schema: Any) -> Iterator[Any]:
    errors = [list(validator.descend(instance, branch, schema_path=place)) for place, branch in enumerate(branches)]
    texts = validator.format_checker
    if all(errors):
        yield _error(context=[error for branch in errors for error in branch])
    # The branches that surely hold are counted: where a pattern is not enforced, that may be none.
    elif sum(_holds(validator, branch, instance, texts.opposite) for branch in branches) > 1:
        yield _error()


def _not(validator: Any, unwanted: Any, instance: object, schema: Any) -> Iterator[Any]:
    if _holds(validator, unwanted, instance, validator.format_checker.opposite):
        yield _error()


def _if(validator: Any, condition: Any, instance: object, schema: Any) -> Iterator[Any]:
    texts = validator.format_checker
    holds = _holds(validator, condition, instance)
    then = _under(condition, True, validator.descend(instance, schema.get("then", True), schema_path="then"))
    otherwise = _under(condition, False, validator.descend(instance, schema.get("else", True), schema_path="else"))
    if holds == _holds(validator, condition, instance, texts.opposite):
        yield from then if holds else otherwise
    elif texts.strict:  # whether the condition holds is not known: surely valid is what is so either way
        yield from then
        yield from otherwise
    elif (of_then := list(then)) and list(otherwise):
        yield from of_then


def _under(condition: Any, holds: bool, errors: Iterator[Any]) -> Iterator[Any]:
    """Yield errors with the condition that they stand under, and how far above them it was asked."""
    for error in errors:
        error.conditions = ((len(error.path), condition, holds), *getattr(error, "conditions", ()))
        yield error


KEYWORDS: Final[dict[str, Callable[[Any, Any, Any, Any], Iterator[Any]]]] = {
    "additionalItems": _additional_items,
    "additionalProperties": _additional_properties,
    "contains": _contains,
    "dependencies": _dependencies,
    "dependentRequired": _dependencies,
    "dependentSchemas": _dependencies,
    "if": _if,
    "maximum": _maximum,
    "minimum": _minimum,
    "multipleOf": _multiple_of,
    "not": _not,
    "oneOf": _one_of,
    "pattern": _pattern,
    "patternProperties": _pattern_properties,
    "propertyNames": _property_names,
    "required": _required,
    "unevaluatedItems": _unevaluated_items,
    "unevaluatedProperties": _unevaluated_properties,
    "uniqueItems": _unique_items,
}
