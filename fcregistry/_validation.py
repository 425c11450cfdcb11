"""Is a JSON value valid against a schema, and if not, why?

`jsonschema` is the record; `jsonschema-rs` is the gate in front of it, some fifty times faster. Where the gate cannot say (half a surrogate
pair in a string), or is not installed, `jsonschema` decides. It is extended here where it would be wrong or slow: patterns run on a
linear-time engine, `multipleOf` is exact, and `uniqueItems` tells true from 1 at every depth.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

from fcregistry._problems import Violation, worded
from fcregistry.types._annotated import is_multiple
from fcregistry.types._containers import all_differ

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from fcregistry._calls import Problem

Engine = Literal["jsonschema-rs", "jsonschema"]


class SchemaError(ValueError):
    """A schema that no validator can be made of; the message says why."""


class Validator:
    """Validates JSON values against one schema (JSON Schema 2020-12). Compiled at first use, and kept.

    Args:
        schema: The schema.
        formats: Format -> whether a string is of it, beside the formats of the standard.
        engine: `jsonschema-rs` for the gate, or `jsonschema` to do without it.
    """

    __slots__ = ("_engine", "_formats", "_gate", "_record", "_schema")

    def __init__(
        self,
        schema: Mapping[str, Any],
        formats: Mapping[str, Callable[[str], bool]] | None = None,
        engine: Engine = "jsonschema-rs",
    ) -> None:
        self._schema = dict(schema)
        self._formats = dict(formats or {})
        self._engine = engine
        self._gate: Any = None
        self._record: Any = None

    def compile(self) -> None:
        """Compile now, rather than at the first value.

        Raises:
            SchemaError: The schema is none, or holds a pattern that the linear-time engine rejects.
        """
        if self._engine == "jsonschema-rs":
            self._gate = _gate(self._schema, self._formats)
        if self._gate is None:
            self._record = _record(self._schema, self._formats)

    def is_valid(self, value: object) -> bool:
        """Tell whether a JSON value is valid."""
        if self._gate is not None:
            try:
                return bool(self._gate.is_valid(value))
            except (ValueError, RecursionError):  # half a surrogate pair, or nesting beyond the gate's own limit
                return self._record_of().is_valid(value)  # type: ignore[no-any-return]
        if self._record is None:
            self.compile()
            return self.is_valid(value)
        return self._record.is_valid(value)  # type: ignore[no-any-return]

    def problems(self, value: object) -> tuple[Problem, ...]:
        """Return everything that is wrong with a JSON value, sorted by path; nothing for a valid one."""
        return worded(self.violations(value))

    def violations(self, value: object) -> list[Violation]:
        """Return what a JSON value breaks, before it is worded."""
        if self._gate is None and self._record is None:
            self.compile()
        if self._gate is not None:
            try:
                return list(_from_gate(self._gate.iter_errors(value), self._schema, value))
            except (ValueError, RecursionError):
                pass  # as in `is_valid`, or a path that can be read in two ways: jsonschema decides
        return list(_from_record(self._record_of().iter_errors(value)))

    @property
    def properties(self) -> frozenset[str]:
        """The properties that the schema knows."""
        return frozenset(self._schema.get("properties", ()))

    @property
    def required(self) -> frozenset[str]:
        """The properties that the value must have."""
        return frozenset(self._schema.get("required", ()))

    def _record_of(self) -> Any:
        if self._record is None:
            self._record = _record(self._schema, self._formats)
        return self._record


def _rs() -> Any:
    """Return the gate's package, or None where there is no build of it."""
    try:
        import jsonschema_rs  # 24 ms, paid by the first call of the process
    except ImportError:
        return None
    return jsonschema_rs


def _gate(schema: dict[str, Any], formats: dict[str, Callable[[str], bool]]) -> Any:
    rs = _rs()
    if rs is None:
        return None
    try:
        return rs.Draft202012Validator(
            schema, formats=formats or None, validate_formats=True, pattern_options=rs.RegexOptions(), offline=True
        )
    except (rs.ValidationError, rs.ReferencingError, ValueError) as error:
        raise SchemaError(_first_line(error)) from None


def _first_line(error: Exception) -> str:
    path = "".join(f"/{part}" for part in getattr(error, "instance_path", ()))
    message = (
        str(error)
        .split("\n", 1)[0]
        .replace(
            'is not a "regex"', "is no pattern that the linear-time engine takes (no look-around, no back-references)"
        )
    )
    return f"{message} (at {path})" if path else message


def _from_gate(errors: Iterable[Any], schema: dict[str, Any], value: object) -> Iterator[Violation]:
    for error in errors:
        keyword, limit = error.kind.name, error.kind.value
        known: tuple[str, ...] = ()
        branches: tuple[tuple[Violation, ...], ...] = ()
        if keyword == "required":
            limit = [limit]
        elif keyword == "additionalProperties":
            known = tuple(_lookup(schema, error.schema_path[:-1]).get("properties", ()))
        elif keyword in ("anyOf", "oneOf"):
            context = getattr(error.kind, "context", ())
            # A branch without errors is one that holds: `oneOf` is broken because several do.
            branches = tuple(tuple(_from_gate(each, schema, value)) for each in context) if all(context) else ()
        path = tuple(error.instance_path)
        instance = _instance_at(path, value)  # the gate's own has its names sorted
        if keyword == "propertyNames":
            place = error.schema_path[: -1 - error.schema_path[::-1].index(keyword)]
            name = error.kind.value.instance
            yield Violation((*path, name), keyword, _lookup(schema, place).get(keyword), name)
        elif keyword == "falseSchema":
            yield _forbidden(path, error.schema_path[-1:], instance)
        else:
            yield Violation(path, keyword, limit, instance, known, branches)


def _forbidden(path: tuple[str | int, ...], keyword: list[str | int], instance: Any) -> Violation:
    """Return what breaks a schema that is `false`, under the keyword that jsonschema would name."""
    if keyword == ["items"]:
        return Violation(path[:-1], "items", False, instance)
    if keyword == ["additionalProperties"] and isinstance(instance, dict):  # where no other property is known
        return Violation(path, "additionalProperties", list(instance), instance)
    return Violation(path, "false schema", False, instance)


def _instance_at(path: tuple[str | int, ...], value: Any) -> Any:
    """Return the value at a path of the gate.

    Raises:
        ValueError: It cannot be told, since the gate writes the property `"01"` as the position 1, and leaves out `""`.
    """
    for segment in (*path, None):
        if isinstance(value, dict) and (isinstance(segment, int) or "" in value):
            raise ValueError("a property that the gate cannot name")
        if segment is not None:
            value = value[segment]
    return value


def _lookup(schema: Any, path: Iterable[str | int]) -> dict[str, Any]:
    for segment in path:
        if isinstance(schema, dict) and "$ref" in schema and segment not in schema:
            return {}
        schema = schema[segment]
    return schema if isinstance(schema, dict) else {}


def _record(schema: dict[str, Any], formats: dict[str, Callable[[str], bool]]) -> Any:
    from jsonschema.exceptions import SchemaError as RecordSchemaError  # 70 ms, paid only where the gate cannot say
    from referencing import Registry

    cls = _record_class()
    try:
        cls.check_schema(schema)
    except RecordSchemaError as error:
        raise SchemaError(f"{error.message} (at {'/'.join(map(str, error.absolute_path)) or 'the top'})") from None
    # An empty registry, for the default one fetches what a remote `$ref` names.
    return cls(schema, format_checker=_format_checker(formats), registry=Registry())


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
        checker.checkers = {**checker.checkers, name: (_of_format(formats.get(name) or _standard_format(name)), ())}
    return checker


_STANDARD_FORMATS = (
    "email", "idn-email", "hostname", "idn-hostname", "ipv4", "ipv6", "uri", "uri-reference", "iri", "iri-reference",
    "uri-template", "json-pointer", "relative-json-pointer", "regex", "date-time", "date", "time", "duration", "uuid",
)  # fmt: skip


def _of_format(check: Callable[[str], bool]) -> Callable[[object], bool]:
    return lambda value: not isinstance(value, str) or check(value)


def _standard_format(name: str) -> Callable[[str], bool]:
    """Ask the gate: so both validators mean the same by the formats of the standard."""
    rs = _rs()
    if rs is None:
        return lambda text: True
    gate = rs.Draft202012Validator({"format": name}, validate_formats=True)
    return lambda text: bool(gate.is_valid(_whole(text)))


def _whole(text: str) -> str:
    """Replace halves of surrogate pairs, which the gate cannot read and no format or pattern names."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


@lru_cache(maxsize=4096)
def _matcher(pattern: str) -> Callable[[str], bool]:
    rs = _rs()
    if rs is None:
        raise SchemaError(
            f"the pattern {pattern!r} needs jsonschema-rs, whose engine is linear in time; it is not installed here"
        )
    try:
        gate = rs.Draft202012Validator({"pattern": pattern}, pattern_options=rs.RegexOptions())
    except rs.ValidationError as error:
        raise SchemaError(_first_line(error)) from None
    return lambda text: bool(gate.is_valid(_whole(text)))


def _pattern(validator: Any, pattern: str, instance: object, schema: Any) -> Iterator[Any]:
    from jsonschema.exceptions import ValidationError

    if isinstance(instance, str) and not _matcher(pattern)(instance):
        yield ValidationError(f"does not match {pattern!r}")


def _pattern_properties(validator: Any, patterns: dict[str, Any], instance: object, schema: Any) -> Iterator[Any]:
    if isinstance(instance, dict):
        for pattern, subschema in patterns.items():
            for name, value in instance.items():
                if _matcher(pattern)(name):
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
    patterns = [_matcher(pattern) for pattern in schema.get("patternProperties", ())]
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


def _from_record(errors: Iterable[Any], above: tuple[str | int, ...] = ()) -> Iterator[Violation]:
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
    return tuple(tuple(_from_record(errors, path)) for _, errors in sorted(by_branch.items()))


def schema_problem(schema: Mapping[str, Any]) -> str | None:
    """Return why a schema cannot be used, or None: it must be a valid schema of an object, without remote references."""
    if schema.get("type", "object") != "object":
        return f'the parameters of a tool are an object, so its schema says "type": "object", not {json.dumps(schema["type"])}'
    try:
        Validator(schema).compile()
    except SchemaError as error:
        return str(error)
    except (TypeError, ValueError, RecursionError) as error:
        return f"it is no JSON: {error}"
    return None
