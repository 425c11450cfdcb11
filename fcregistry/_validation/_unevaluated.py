"""Which properties and items of a value has a schema not looked at? What `unevaluatedProperties` and `unevaluatedItems` are about.

Source: JSON Schema 2020-12 core, 11, and 2019-09 core, 9.3. jsonschema's own search matches patterns with an engine that is not linear, takes
the keywords of an `additionalProperties` for properties (2019-09), and does not follow `$id` into a subschema.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fcregistry._validation._dialects import own_draft
from fcregistry._validation._references import resource_of

if TYPE_CHECKING:
    from collections.abc import Iterator


def unevaluated_names(validator: Any, instance: dict[str, Any]) -> list[str]:
    """Return the names that nothing around `unevaluatedProperties` has looked at."""
    evaluated: set[str] = set()
    for each, outermost in _applied(validator, instance):
        schema, texts = each.schema, each.format_checker
        if "additionalProperties" in schema or ("unevaluatedProperties" in schema and not outermost):
            evaluated.update(instance)
        patterns = schema.get("patternProperties", ())
        evaluated.update(schema.get("properties", ()))
        evaluated.update(
            name
            for name in instance
            if any(texts.matches(pattern, name) in _matched(texts.strict) for pattern in patterns)
        )
    return [name for name in instance if name not in evaluated]


def _matched(strict: bool) -> tuple[bool | None, ...]:
    return (True,) if strict else (True, None)


def unevaluated_items(validator: Any, instance: list[Any]) -> list[int]:
    """Return the places of an array that nothing around `unevaluatedItems` has looked at."""
    evaluated: set[int] = set()
    everything = range(len(instance))
    for each, outermost in _applied(validator, instance):
        schema = each.schema
        if "unevaluatedItems" in schema and not outermost:
            evaluated.update(everything)
        evaluated.update(_looked_at(schema, each.DRAFT.keywords, everything))
        if "contains" in schema:  # 2019-09 does not say so, and both engines do
            evaluated.update(place for place in everything if _holds(each, schema["contains"], instance[place]))
    return [place for place in everything if place not in evaluated]


def _looked_at(schema: dict[str, Any], keywords: frozenset[str], everything: range) -> range:
    """Return the places that the keywords for items by place speak of."""
    items, prefix = schema.get("items"), schema.get("prefixItems", ())
    if "prefixItems" in keywords:
        return everything if items is not None else everything[: len(prefix)]
    if not isinstance(items, list):
        return everything if items is not None else everything[:0]
    return everything if "additionalItems" in schema else everything[: len(items)]


def _applied(validator: Any, instance: Any) -> Iterator[tuple[Any, bool]]:
    """Yield a validator, and those of the subschemas that apply to the same value and hold; each with whether it is the first."""
    waiting = [validator]
    while waiting:
        each = waiting.pop()
        if isinstance(each.schema, dict):
            yield each, each is validator
            waiting += [inner for inner in _in_place(each, instance) if inner.is_valid(instance)]


def _in_place(validator: Any, instance: Any) -> Iterator[Any]:
    schema = validator.schema
    yield from _referred(validator)
    for keyword in ("allOf", "anyOf", "oneOf"):
        for subschema in schema.get(keyword, ()):
            yield within(validator, subschema)
    if isinstance(instance, dict):
        for keyword in ("dependentSchemas", "dependencies"):
            for name, subschema in schema.get(keyword, {}).items():
                if name in instance and not isinstance(subschema, list):
                    yield within(validator, subschema)
    if "if" in schema:
        condition = within(validator, schema["if"])
        yield condition
        if "then" in schema and condition.is_valid(instance):
            yield within(validator, schema["then"])
        opposite = condition.evolve(format_checker=condition.format_checker.opposite)
        if "else" in schema and not opposite.is_valid(instance):
            yield within(validator, schema["else"])


def _referred(validator: Any) -> Iterator[Any]:
    from referencing.jsonschema import lookup_recursive_ref  # loaded already: only jsonschema asks

    schema = validator.schema
    resolver = validator._resolver  # there is no public name for what references are looked up by
    known = schema.keys() & validator.DRAFT.keywords
    found = [resolver.lookup(schema[keyword]) for keyword in ("$ref", "$dynamicRef") if keyword in known]
    if "$recursiveRef" in known:
        found.append(lookup_recursive_ref(resolver))
    for each in found:
        yield validator.evolve(schema=each.contents, _resolver=each.resolver)


def within(validator: Any, subschema: Any) -> Any:
    """Return the validator of a subschema, which may have an `$id` or a draft of its own."""
    resource = resource_of(subschema, own_draft(subschema) or validator.DRAFT)
    return validator.evolve(schema=subschema, _resolver=validator._resolver.in_subresource(resource))


def _holds(validator: Any, subschema: Any, instance: object) -> bool:
    return next(validator.descend(instance, subschema), None) is None
