"""The validator of record, `jsonschema`: it says whether a value is valid, `_violations.py` why it is not.

MERGED: The keywords that jsonschema judges wrong or slowly.

Patterns run on a linear-time engine, and one that it does not take is not enforced. `multipleOf` is exact. `uniqueItems` tells true from 1
at every depth. Each function is a keyword as jsonschema calls it: the validator, the keyword's value, the instance, the schema around it.
MERGED: Which properties and items of a value has a schema not looked at? What `unevaluatedProperties` and `unevaluatedItems` are about.

Source: JSON Schema 2020-12 core, 11, and 2019-09 core, 9.3. jsonschema's own search matches patterns with an engine that is not linear, takes
the keywords of an `additionalProperties` for properties (2019-09), and does not follow `$id` into a subschema.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final

from fcregistry._base.messages import Violation, word_problems
from fcregistry._schema.drafts import SchemaError, one_by_one, own_draft
from fcregistry._schema.engine_rs import Texts, doubtful_patterns, takes_schema
from fcregistry._schema.references import resource_of
from fcregistry._schema.violations import ViolationFinder
from fcregistry.types import are_unique, is_multiple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from fcregistry._schema.drafts import Draft

# --- _validation._record ---


def compile_schema(
    schema: dict[str, Any], formats: Mapping[str, Callable[[str], bool]], draft: Draft
) -> Callable[[object], bool]:
    """Return what tells whether a value is valid.

    Raises:
        SchemaError: The schema is not valid.
    """
    from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]  # the standard's own schemas

    schema = {**schema, "$schema": draft.uri}  # what refers to it from a schema of another draft has to know
    check_schema(schema, draft)
    made, doubtful = record_class(draft), doubtful_patterns(schema)

    def is_valid(value: object) -> bool:
        texts = Texts(formats, draft, doubtful)  # they remember verdicts on parts of this value
        # The registry is named, for the default one fetches what a remote `$ref` names.
        return bool(made(schema, format_checker=texts, registry=REGISTRY).is_valid(value))

    return is_valid


def is_schema(schema: dict[str, Any], draft: Draft) -> bool:
    """Tell whether a schema is one by the meta-schema of its draft."""
    return all(_takes(part, of_draft) for part, of_draft in one_by_one(schema, draft))


def _takes(part: dict[str, Any], draft: Draft) -> bool:
    by_gate = takes_schema(part, draft)  # some five hundred times as fast
    if by_gate is not None:
        return by_gate
    made = record_class(draft)
    return bool(made(made.META_SCHEMA, format_checker=Texts({}, None, False)).is_valid(part))


def check_schema(schema: dict[str, Any], draft: Draft) -> None:
    """Look whether a schema is one by the meta-schema of its draft.

    Raises:
        SchemaError: It is not; the message says what is wrong, where.
    """
    for part, of_draft in one_by_one(schema, draft):
        if not _takes(part, of_draft):
            finder = ViolationFinder(record_class(of_draft).META_SCHEMA, of_draft, Texts({}, None, False))
            problems = word_problems(finder.find(part) or [Violation((), "schema", None, part)])
            raise SchemaError("; ".join(map(str, problems[:_MOST_PROBLEMS])))


_MOST_PROBLEMS = 5


@cache
def record_class(draft: Draft) -> Any:
    """Return the class of a draft's validators: jsonschema's own, extended where it would be wrong or slow, or say too little."""
    import referencing  # noqa: F401  # as a whole, before jsonschema imports a module of it, as another thread may at the same time

    # isort: split
    import jsonschema  # 70 ms, paid only where the gate cannot say
    from jsonschema.validators import extend

    keywords = {name: check for name, check in KEYWORDS.items() if name in draft.keywords}
    made: Any = extend(getattr(jsonschema, draft.engine), keywords)  # type: ignore[no-untyped-call]
    made.DRAFT = draft
    made.FIELDS = tuple((each.name, each.alias) for each in made.__attrs_attrs__ if each.init)
    made.evolve, made.descend = _evolve, _descending(made.descend)
    return made


def _evolve(self: Any, **changes: Any) -> Any:
    """Make a validator of another schema, still one of ours: jsonschema would take its own class for what names its `$schema`."""
    for name, alias in self.FIELDS:
        if alias not in changes:
            changes[alias] = getattr(self, name)
    draft = own_draft(changes["schema"])
    return (record_class(draft) if draft else type(self))(**changes)


def _descending(descend: Callable[..., Iterator[Any]]) -> Callable[..., Iterator[Any]]:
    """Return how to descend into a subschema, where jsonschema's way is slow or forgets something.

    That is what a reference leads to, which is asked of each part of the value once, and the draft of a subschema that names its own.
    """

    def descend_into(
        self: Any, instance: Any, schema: Any, path: Any = None, schema_path: Any = None, resolver: Any = None
    ) -> Iterator[Any]:
        if resolver is not None and isinstance(schema, dict):  # jsonschema gives one for references alone
            return _once(self, instance, schema, resolver, descend)
        if own_draft(schema) is None:
            return descend(self, instance, schema, path, schema_path, resolver)
        return within(self, schema).iter_errors(instance)  # type: ignore[no-any-return]

    return descend_into


def _once(
    validator: Any, instance: Any, schema: dict[str, Any], resolver: Any, descend: Callable[..., Iterator[Any]]
) -> Iterator[Any]:
    """Yield an error where what a reference leads to does not hold.

    A part of the value is judged once, however many branches ask: otherwise nested unions take exponential time.
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
        yield error()


# --- _validation._keywords ---


def error() -> Any:
    """Return an error of jsonschema that says nothing more."""
    from jsonschema.exceptions import ValidationError  # loaded already: only jsonschema asks

    return ValidationError("")


def _keywords_holds(validator: Any, schema: Any, instance: object, texts: Texts | None = None) -> bool:
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
    if sum(_keywords_holds(validator, wanted, item) for item in instance) < least:
        yield error()
    if most is not None and sum(_keywords_holds(validator, wanted, item, texts.opposite) for item in instance) > most:
        yield error()


def _unevaluated_items(validator: Any, allowed: Any, instance: object, schema: Any) -> Iterator[Any]:
    if isinstance(instance, list):
        for place in unevaluated_items(validator, instance):
            yield from validator.descend(instance[place], allowed)


def _unique_items(validator: Any, wanted: Any, instance: object, schema: Any) -> Iterator[Any]:
    if wanted and isinstance(instance, list) and not are_unique(instance):
        yield error()


# --- numbers -----------------------------------------------------------------------------------------------------


def _multiple_of(validator: Any, step: Any, instance: object, schema: Any) -> Iterator[Any]:
    if isinstance(instance, (int, float)) and not isinstance(instance, bool) and not is_multiple(instance, step):
        yield error()


# --- what joins others -------------------------------------------------------------------------------------------


def _one_of(validator: Any, branches: Any, instance: object, schema: Any) -> Iterator[Any]:
    # At least one may hold, and not two surely do: where a pattern is not enforced, the branches that surely hold may be none.
    opposite = validator.format_checker.opposite
    holding = sum(_keywords_holds(validator, branch, instance) for branch in branches)
    if not holding or sum(_keywords_holds(validator, branch, instance, opposite) for branch in branches) > 1:
        yield error()


def _not(validator: Any, unwanted: Any, instance: object, schema: Any) -> Iterator[Any]:
    if _keywords_holds(validator, unwanted, instance, validator.format_checker.opposite):
        yield error()


def _if(validator: Any, condition: Any, instance: object, schema: Any) -> Iterator[Any]:
    texts = validator.format_checker
    holds = _keywords_holds(validator, condition, instance)
    then = validator.descend(instance, schema.get("then", True))
    otherwise = validator.descend(instance, schema.get("else", True))
    if holds == _keywords_holds(validator, condition, instance, texts.opposite):
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

# --- _validation._unevaluated ---


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
            evaluated.update(
                place for place in everything if _unevaluated_holds(each, schema["contains"], instance[place])
            )
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


def _unevaluated_holds(validator: Any, subschema: Any, instance: object) -> bool:
    return next(validator.descend(instance, subschema), None) is None
