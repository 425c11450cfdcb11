"""Which JSON object did the model write as arguments? Read strictly: what is not JSON (RFC 8259) is refused, never guessed at."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from fcregistry._problems import json_path, show
from fcregistry.types._core import ExactFloat

MAX_DEPTH: Final = 100
"""How deep arguments may nest: far beyond any tool's, and within what every validator and interpreter can walk."""


class ArgumentsError(ValueError):
    """Arguments that are no JSON object; the message tells the model what to send."""


def read_arguments(raw: Mapping[str, Any] | str | None, exact: bool = False) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the arguments as a JSON object of their own, and what was repaired.

    Args:
        raw: JSON text as the model wrote it, a mapping, or None.
        exact: Whether numbers keep the digits they are written with, as `ExactFloat`s.

    Raises:
        ArgumentsError: No JSON object: malformed, cut off, nested too deeply, with a name twice or a number that is not finite.
    """
    if isinstance(raw, str):
        if raw and raw != "null" and not raw.isspace():
            return _read_text(raw, exact), ()
        return {}, (f"the arguments were {raw.strip() or 'empty'}: taken as no arguments",)
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


def _read_text(text: str, exact: bool) -> dict[str, Any]:
    value = read_json(text, exact)
    if type(value) is dict:
        return value
    if value is None:  # "null" with space around it
        return {}
    raise ArgumentsError(f"the arguments must be a JSON object, got {_kind(value)}")


def read_json(text: str, exact: bool = False) -> Any:
    """Return the value of JSON text.

    Args:
        text: The text.
        exact: As for `read_arguments`.

    Raises:
        ArgumentsError: As for `read_arguments`.
    """
    decoder, unique_decoder = _EXACT_DECODERS if exact else _DECODERS
    try:
        value = decoder.decode(text)
        # Each name in an object needs a colon: as many colons as names means that no name stands twice.
        if text.count(":") != (len(value) if type(value) is dict else 0):
            value = unique_decoder.decode(text)
    except json.JSONDecodeError as error:
        raise ArgumentsError(_explain(text, error)) from None
    except RecursionError:
        raise ArgumentsError(_too_deep()) from None
    except ValueError as error:
        raise ArgumentsError(f"the arguments must be valid JSON: {_bounded(error)}") from None
    if text.count("{") + text.count("[") > MAX_DEPTH:
        _check_depth(value)
    return value


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")


def _finite(text: str) -> float:
    return _checked(float(text))


def _exactly(text: str) -> float:
    return _checked(ExactFloat(text))


def _checked(number: float) -> float:
    if number - number != 0:
        raise ValueError("a number is too large for JSON to carry (it is not finite)")
    return number


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    read = dict(pairs)
    if len(read) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the name {json.dumps(twice[:60])} stands twice in one object")
    return read


def _decoders(read_float: Callable[[str], float]) -> tuple[json.JSONDecoder, json.JSONDecoder]:
    """Return a decoder, and one that also sees that no name stands twice in an object."""
    plain = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=read_float)
    return plain, json.JSONDecoder(parse_constant=_refuse_constant, parse_float=read_float, object_pairs_hook=_unique)


_DECODERS: Final = _decoders(_finite)
STRICT_DECODER: Final = _DECODERS[1]
_EXACT_DECODERS: Final = _decoders(_exactly)


# What is left of a text that ends within a literal, a number or an escape, from where the parser stopped; nothing, between tokens.
_UNFINISHED: Final = re.compile(r"(?:t|tr|tru|f|fa|fal|fals|n|nu|nul|-|\.|[eE][+-]?|\\?u[0-9a-fA-F]{0,4})?")


def _explain(text: str, error: json.JSONDecodeError) -> str:
    if error.msg.startswith("Unterminated string") or _UNFINISHED.fullmatch(text[error.pos :].rstrip()):
        return (
            f"the arguments are cut off: the JSON ends at character {len(text)} before it is complete. "
            "Nothing was run; send the whole call again, shorter if need be"
        )
    near = text[max(0, error.pos - 20) : error.pos + 20]
    return f"the arguments must be valid JSON: {error.msg} at character {error.pos + 1}, near {show(near)}"


def _bounded(error: Exception) -> str:
    return str(error).split("; use sys", 1)[0][:200]


def _too_deep() -> str:
    return f"the arguments are nested too deeply: at most {MAX_DEPTH} levels"


def _check_depth(value: object) -> None:
    level, depth = [value], 0
    while level:
        depth += 1
        if depth > MAX_DEPTH + 1:
            raise ArgumentsError(_too_deep())
        level = [
            inner
            for each in level
            if isinstance(each, (dict, list))
            for inner in (each.values() if isinstance(each, dict) else each)
        ]


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
        raise ArgumentsError(_too_deep())
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
