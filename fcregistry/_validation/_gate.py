"""What does `jsonschema-rs` say of a value? The fast gate, and the engine of patterns that is linear in time."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from fcregistry._demands import demand, show
from fcregistry._problems import Violation
from fcregistry._validation._errors import PatternError, SchemaError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from fcregistry._validation._dialects import Draft


def _rs() -> Any:
    """Return the gate's package, or None where there is no build of it."""
    try:
        import jsonschema_rs  # 24 ms, paid by the first call of the process
    except ImportError:
        return None
    return jsonschema_rs


def is_installed() -> bool:
    """Tell whether there is a build of the gate's package here."""
    return _rs() is not None


def gate_of(schema: dict[str, Any], formats: dict[str, Callable[[str], bool]], draft: Draft) -> Any:
    """Return the gate of a schema, or None where there is none: no build of its package, or nothing that it takes.

    It does not take what is no schema, nor some that are: with a pattern that its engine rejects, a reference to the meta-schema of
    another draft, half a surrogate pair, or too many levels. jsonschema says which it is.
    """
    rs = _rs()
    if rs is None:
        return None
    options = {"validate_formats": True, "pattern_options": rs.RegexOptions(), "offline": True}
    # `$schema` has been read: one of a dialect that nobody knows would be looked for.
    read = {keyword: value for keyword, value in schema.items() if keyword != "$schema"}
    try:
        return getattr(rs, draft.engine)(read, formats=formats or None, **options)
    except (rs.ReferencingError, ValueError):
        return None


def takes_schema(schema: dict[str, Any], draft: Draft) -> bool | None:
    """Ask the gate whether a schema is one by the meta-schema of its draft; None where it cannot say."""
    rs = _rs()
    if rs is None:
        return None
    try:
        return bool(rs.meta.is_valid({**schema, "$schema": draft.uri}))
    except ValueError:  # half a surrogate pair, or too many levels
        return None


def knows_format(name: str, draft: Draft) -> bool:
    """Tell whether a draft has a format, as far as the gate knows."""
    rs = _rs()
    if rs is None:
        return False
    try:
        getattr(rs, draft.engine)({"format": name}, validate_formats=True, ignore_unknown_formats=False)
    except ValueError:
        return False
    return True


Demands: TypeAlias = "dict[tuple[str | int, ...], tuple[str, Any, str]]"
"""Place in a schema -> the keyword there, its value, and what that asks for: the same whatever breaks it."""


def violations_of(errors: Iterable[Any], schema: dict[str, Any], value: object, demands: Demands) -> list[Violation]:
    """Return what the gate's errors say.

    Args:
        errors: The gate's.
        schema: The schema.
        value: What it was asked of.
        demands: Those of the schema that were broken before; more are added.

    Raises:
        ValueError: A path that the gate writes in a way that can be read in two.
    """
    found = []
    for error in errors:
        place, path = tuple(error.schema_path), tuple(error.instance_path)
        instance = _instance_at(path, value)  # the gate's own has its names sorted
        known = demands.get(place)
        if known is not None:
            keyword, limit, asked = known
            found.append(Violation(path, keyword, limit, instance, asked))
        elif error.kind.name in _OF_SEVERAL:
            found.append(_of_several(error, path, instance, schema, value, demands))
        else:
            keyword, limit = error.kind.name, error.kind.value
            demands[place] = keyword, limit, demand(keyword, limit)
            found.append(Violation(path, keyword, limit, instance))
    return found


_OF_SEVERAL: Final = frozenset({"additionalProperties", "anyOf", "falseSchema", "oneOf", "propertyNames", "required"})
"""Keywords of which the gate says something else than their value, or not all that there is to say."""


def _of_several(
    error: Any, path: tuple[str | int, ...], instance: Any, schema: dict[str, Any], value: object, demands: Demands
) -> Violation:
    keyword, limit = error.kind.name, error.kind.value
    if keyword == "required":
        return Violation(path, keyword, [limit], instance)
    if keyword == "additionalProperties":
        known = _lookup(schema, error.schema_path[:-1]).get("properties", ())
        return Violation(path, keyword, limit, instance, known=tuple(known))
    if keyword == "propertyNames":
        place = error.schema_path[: -1 - error.schema_path[::-1].index(keyword)]
        return Violation((*path, limit.instance), keyword, _lookup(schema, place).get(keyword), limit.instance)
    if keyword == "falseSchema":
        return _forbidden(path, error.schema_path[-1:], instance)
    context = getattr(error.kind, "context", ())
    # A branch without errors is one that holds: `oneOf` is broken because several do.
    branches = tuple(tuple(violations_of(each, schema, value, demands)) for each in context) if all(context) else ()
    return Violation(path, keyword, limit, instance, branches=branches)


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
    for segment in path:
        if isinstance(value, dict) and (type(segment) is int or "" in value):
            raise ValueError(_UNNAMED)
        value = value[segment]
    if isinstance(value, dict) and "" in value:
        raise ValueError(_UNNAMED)
    return value


_UNNAMED: Final = "a property that the gate cannot name"


def _lookup(schema: Any, path: Iterable[str | int]) -> dict[str, Any]:
    for segment in path:
        if isinstance(schema, dict) and "$ref" in schema and segment not in schema:
            return {}
        schema = schema[segment]
    return schema if isinstance(schema, dict) else {}


@lru_cache(maxsize=512)
def standard_format(name: str, draft: Draft) -> Callable[[str], bool]:
    """Ask the gate: so both validators mean the same by the formats of the standard."""
    rs = _rs()
    if rs is None:
        return lambda text: True
    gate = getattr(rs, draft.engine)({"format": name}, validate_formats=True, pattern_options=rs.RegexOptions())
    return lambda text: bool(gate.is_valid(_whole(text)))


def _whole(text: str) -> str:
    """Replace halves of surrogate pairs, which the gate cannot read and no format or pattern names."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


@lru_cache(maxsize=4096)
def matcher(pattern: str) -> Callable[[str], bool]:
    """Return whether a text matches a pattern, told in linear time.

    Raises:
        PatternError: The engine does not take the pattern.
        SchemaError: The engine is not installed.
    """
    rs = _rs()
    if rs is None:
        raise SchemaError(
            f"the pattern {pattern!r} needs jsonschema-rs, whose engine is linear in time; it is not installed here"
        )
    try:
        gate = rs.Draft202012Validator({"pattern": pattern}, pattern_options=rs.RegexOptions())
    except ValueError:
        raise PatternError(
            f"{show(pattern)} is no pattern that the linear-time engine takes (no look-around, no back-references)"
        ) from None
    return lambda text: bool(gate.is_valid(_whole(text)))
