"""Which JSON object did the model write as arguments? What is no object, and cannot be read as one without a doubt, is refused."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

from fcregistry._json._loose import read_text
from fcregistry._json._strict import MAX_DEPTH, STRICT_DECODER, ArgumentsError, too_deep
from fcregistry._problems import json_path
from fcregistry.execution._reading._repair_names import ALL_REPAIRS

__all__ = ["MAX_DEPTH", "STRICT_DECODER", "ArgumentsError", "read_arguments"]


def read_arguments(
    raw: Mapping[str, Any] | str | None, exact: bool = False, allowed: Collection[str] = ALL_REPAIRS
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the arguments as a JSON object of their own, and what was repaired: a sentence each, sorted.

    Args:
        raw: JSON text as the model wrote it, a mapping, or None for no arguments.
        exact: Whether numbers keep the digits they are written with, as `ExactFloat`s.
        allowed: The names of the repairs that may be made.

    Raises:
        ArgumentsError: No JSON object: malformed, cut off, nested too deeply, with a name twice or a number that is not finite.
    """
    if isinstance(raw, str):
        if not raw or raw.isspace():
            return _none("empty", allowed)
        value, repairs = read_text(raw, exact, allowed, "the arguments")
        return (value, repairs) if type(value) is dict else _instead_of(value, repairs, exact, allowed)
    if raw is None:
        return {}, ()
    if not isinstance(raw, Mapping):
        raise ArgumentsError(f"the arguments must be a JSON object, not a Python {type(raw).__name__}")
    try:
        copied: dict[str, Any] = _copy(raw, 0, ())
    except ArgumentsError:
        raise
    except Exception as error:  # foreign code: a mapping of somebody's own class may raise anything
        raise ArgumentsError(f"the arguments cannot be read: {type(error).__name__}") from error
    return copied, ()


def _instead_of(
    value: Any, repairs: tuple[str, ...], exact: bool, allowed: Collection[str]
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the object that is meant by a value that is none, with its repairs.

    Raises:
        ArgumentsError: None is meant.
    """
    if value is None:
        arguments, more = _none("null", allowed)
        return arguments, (*repairs, *more)
    if isinstance(value, str) and "wrapped-json" in allowed:
        try:
            inner, more = read_text(value, exact, allowed, "the text of the arguments")
        except ArgumentsError:
            inner = None
        if type(inner) is dict:
            said = "the arguments were JSON text in a string: taken as the object that it holds"
            return inner, (*repairs, said, *more)
    raise ArgumentsError(f"the arguments must be a JSON object, got {_kind(value)}")


def _none(written: str, allowed: Collection[str]) -> tuple[dict[str, Any], tuple[str, ...]]:
    if "empty-arguments" not in allowed:
        raise ArgumentsError(f"the arguments are {written}: send a JSON object, {{}} if there are none")
    return {}, (f"the arguments were {written}: taken as no arguments",)


def _copy(value: Any, depth: int, path: tuple[str | int, ...]) -> Any:
    """Return a JSON value that shares nothing with the caller's, so that nothing of the caller's is changed.

    Raises:
        ArgumentsError: It is no JSON value, or nested too deeply.
    """
    kind = type(value)
    if value is None or kind is str or kind is bool or kind is int:
        return value
    if kind is float:
        if value - value == 0:
            return value
        raise ArgumentsError(f"the arguments must be valid JSON: {json_path(path)} is {value}, which is no JSON number")
    if depth > MAX_DEPTH:
        raise too_deep()
    if isinstance(value, Mapping):
        for name in value:
            if not isinstance(name, str):
                raise ArgumentsError(
                    f"the arguments must be valid JSON: {json_path(path)} has the name {name!r:.60}, which is no string"
                )
        return {str.__str__(name): _copy(item, depth + 1, (*path, str.__str__(name))) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_copy(item, depth + 1, (*path, place)) for place, item in enumerate(value)]
    for plain, bare in _BARE:
        if isinstance(value, plain):
            return _copy(bare(value), depth, path)
    raise ArgumentsError(f"the arguments must be valid JSON: {json_path(path)} is a Python {kind.__name__}")


_BARE: Final[tuple[tuple[type, Any], ...]] = ((str, str.__str__), (int, int.__int__), (float, float.__float__))
"""How a value of a subclass becomes one of the type itself; `str(…)` would give the name of an Enum's member, not its value."""


def _kind(value: object) -> str:
    return {list: "an array", str: "a string", bool: "a boolean", int: "a number", float: "a number"}.get(
        type(value), "null"
    )
