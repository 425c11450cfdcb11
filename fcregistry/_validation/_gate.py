"""The fast gate, `jsonschema-rs`, and its engine of patterns that is linear in time."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from fcregistry._base.messages import show
from fcregistry._validation._errors import PatternError, SchemaError

if TYPE_CHECKING:
    from collections.abc import Callable

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
