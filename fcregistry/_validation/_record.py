"""What does `jsonschema` say of a value? The validator of record.

It is extended where it would be wrong or slow: patterns run on a linear-time engine, `multipleOf` is exact, and `uniqueItems` tells true
from 1 at every depth.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from fcregistry._problems import Violation
from fcregistry._validation._errors import SchemaError
from fcregistry._validation._gate import matcher, standard_format
from fcregistry.types._annotated import is_multiple
from fcregistry.types._sets import all_differ

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


def record_of(schema: dict[str, Any], formats: dict[str, Callable[[str], bool]]) -> Any:
    """Return the validator of record for a schema.

    Raises:
        SchemaError: The schema is none.
    """
    from jsonschema.exceptions import SchemaError as RecordSchemaError  # 70 ms, paid only where the gate cannot say
    from jsonschema.validators import SPECIFICATIONS  # type: ignore[attr-defined]  # its registry of the standard's own schemas

    cls = _record_class()
    try:
        cls.check_schema(schema)
    except RecordSchemaError as error:
        raise SchemaError(f"{error.message} (at {'/'.join(map(str, error.absolute_path)) or 'the top'})") from None
    # Named, for the default registry fetches what a remote `$ref` names.
    return cls(schema, format_checker=_format_checker(formats), registry=SPECIFICATIONS)


@lru_cache(maxsize=1)
def _record_class() -> Any:
    from jsonschema import Draft202012Validator
    from jsonschema.validators import extend

    return extend(  # type: ignore[no-untyped-call]
        Draft202012Validator,
        {
            "additionalProperties": _additional_properties,
            "dependentRequired": _dependent_required,
            "multipleOf": _multiple_of,
            "pattern": _pattern,
            "patternProperties": _pattern_properties,
            "propertyNames": _property_names,
            "required": _required,
            "uniqueItems": _unique_items,
        },
    )


def _format_checker(formats: dict[str, Callable[[str], bool]]) -> Any:
    from jsonschema import FormatChecker

    checker = FormatChecker(formats=())
    for name in {*_STANDARD_FORMATS, *formats}:
        checker.checkers = {**checker.checkers, name: (_of_format(formats.get(name) or standard_format(name)), ())}
    return checker


_STANDARD_FORMATS = (
    "email", "idn-email", "hostname", "idn-hostname", "ipv4", "ipv6", "uri", "uri-reference", "iri", "iri-reference",
    "uri-template", "json-pointer", "relative-json-pointer", "regex", "date-time", "date", "time", "duration", "uuid",
)  # fmt: skip


def _of_format(check: Callable[[str], bool]) -> Callable[[object], bool]:
    return lambda value: not isinstance(value, str) or check(value)


def _pattern(validator: Any, pattern: str, instance: object, schema: Any) -> Iterator[Any]:
    from jsonschema.exceptions import ValidationError

    if isinstance(instance, str) and not matcher(pattern)(instance):
        yield ValidationError(f"does not match {pattern!r}")


def _pattern_properties(validator: Any, patterns: dict[str, Any], instance: object, schema: Any) -> Iterator[Any]:
    if isinstance(instance, dict):
        for pattern, subschema in patterns.items():
            for name, value in instance.items():
                if matcher(pattern)(name):
                    yield from validator.descend(value, subschema, path=name, schema_path=pattern)


def _additional_properties(validator: Any, allowed: Any, instance: object, schema: Any) -> Iterator[Any]:
    from jsonschema.exceptions import ValidationError

    if not isinstance(instance, dict):
        return
    additional = _additional(instance, schema)
    if allowed is not False:
        for name in additional:
            yield from validator.descend(instance[name], allowed, path=name)
    elif additional:
        yield ValidationError(f"has additional properties: {additional}")


def _additional(instance: dict[str, Any], schema: Any) -> list[str]:
    patterns = [matcher(pattern) for pattern in schema.get("patternProperties", ())]
    known = schema.get("properties", ())
    return [name for name in instance if name not in known and not any(matches(name) for matches in patterns)]


def _property_names(validator: Any, names: Any, instance: object, schema: Any) -> Iterator[Any]:
    from jsonschema.exceptions import ValidationError

    if isinstance(instance, dict):
        for name in instance:
            if next(validator.descend(name, names), None) is not None:
                yield ValidationError(f"has the name {name!r}", instance=name, path=(name,))


def _required(validator: Any, names: Any, instance: object, schema: Any) -> Iterator[Any]:
    from jsonschema.exceptions import ValidationError

    if isinstance(instance, dict):
        for name in names:
            if name not in instance:
                yield ValidationError(f"lacks {name!r}", validator_value=[name])


def _dependent_required(validator: Any, dependencies: Any, instance: object, schema: Any) -> Iterator[Any]:
    if isinstance(instance, dict):
        for name, needed in dependencies.items():
            if name in instance:
                for error in _required(validator, needed, instance, schema):
                    error.validator = "required"
                    yield error


def _unique_items(validator: Any, wanted: Any, instance: object, schema: Any) -> Iterator[Any]:
    from jsonschema.exceptions import ValidationError

    if wanted and isinstance(instance, list) and not all_differ(instance):
        yield ValidationError("has an item twice")


def _multiple_of(validator: Any, step: Any, instance: object, schema: Any) -> Iterator[Any]:
    from jsonschema.exceptions import ValidationError

    if isinstance(instance, bool) or not isinstance(instance, (int, float)):
        return
    if not is_multiple(instance, step):
        yield ValidationError(f"is not a multiple of {step}")


def violations_of(errors: Iterable[Any], above: tuple[str | int, ...] = ()) -> Iterator[Violation]:
    """Yield what the errors of jsonschema say."""
    for error in errors:
        keyword, limit = error.validator, error.validator_value
        path = (*above, *error.relative_path)
        known: tuple[str, ...] = ()
        branches: tuple[tuple[Violation, ...], ...] = ()
        if keyword == "additionalProperties" and isinstance(error.instance, dict):
            known = tuple(error.schema.get("properties", ()))
            limit = _additional(error.instance, error.schema)
        elif keyword in ("anyOf", "oneOf"):
            branches = _branches(error.context, path)
        elif keyword in ("minContains", "maxContains"):
            keyword = "contains"
        elif keyword is None:
            keyword = "false schema"
        yield Violation(path, keyword, limit, error.instance, known, branches)


def _branches(context: Iterable[Any], path: tuple[str | int, ...]) -> tuple[tuple[Violation, ...], ...]:
    by_branch: dict[int, list[Any]] = {}
    for error in context:
        place = error.relative_schema_path[0] if error.relative_schema_path else -1  # a branch that is `false`
        by_branch.setdefault(place, []).append(error)
    return tuple(tuple(violations_of(errors, path)) for _, errors in sorted(by_branch.items()))
