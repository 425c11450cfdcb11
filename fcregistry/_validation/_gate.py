"""What does `jsonschema-rs` say of a value? The fast gate, and the engine of patterns that is linear in time."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from fcregistry._problems import Violation
from fcregistry._validation._errors import SchemaError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


def _rs() -> Any:
    """Return the gate's package, or None where there is no build of it."""
    try:
        import jsonschema_rs  # 24 ms, paid by the first call of the process
    except ImportError:
        return None
    return jsonschema_rs


def gate_of(schema: dict[str, Any], formats: dict[str, Callable[[str], bool]]) -> Any:
    """Return the gate of a schema, or None where there is no build of its package.

    Raises:
        SchemaError: The schema is none, or holds a pattern that the linear-time engine rejects.
    """
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


def violations_of(errors: Iterable[Any], schema: dict[str, Any], value: object) -> Iterator[Violation]:
    """Yield what the gate's errors say.

    Raises:
        ValueError: A path that the gate writes in a way that can be read in two.
    """
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
            branches = tuple(tuple(violations_of(each, schema, value)) for each in context) if all(context) else ()
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


def standard_format(name: str) -> Callable[[str], bool]:
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
def matcher(pattern: str) -> Callable[[str], bool]:
    """Return whether a text matches a pattern, told in linear time.

    Raises:
        SchemaError: The engine does not take the pattern, or is not installed.
    """
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
