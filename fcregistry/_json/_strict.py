"""Which value does JSON text hold? Read strictly: what is not JSON (RFC 8259) is refused, never guessed at."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, Final

from fcregistry._json._values import ExactFloat
from fcregistry._problems import show

MAX_DEPTH: Final = 100
"""How deep arguments may nest: far beyond any tool's, and within what every validator and interpreter can walk."""


class ArgumentsError(ValueError):
    """Arguments that are no JSON object; the message tells the model what to send."""


class NotJsonError(ArgumentsError):
    """Text that is not written as JSON is.

    Attributes:
        reason: What the parser says.
        place: Where in the text it stopped, in characters from 0.
    """

    def __init__(self, text: str, reason: str, place: int) -> None:
        super().__init__(_explain(text, reason, place))
        self.reason = reason
        self.place = place


def read_json(text: str, exact: bool = False) -> Any:
    """Return the value of JSON text.

    Args:
        text: The text.
        exact: Whether numbers keep the digits they are written with, as `ExactFloat`s.

    Raises:
        NotJsonError: It is malformed, or cut off.
        ArgumentsError: It is nested too deeply, or has a name twice or a number that is not finite.
    """
    decoder, unique_decoder = _EXACT_DECODERS if exact else _DECODERS
    try:
        value = decoder.decode(text)
        # Each name in an object needs a colon: as many colons as names means that no name stands twice.
        if text.count(":") != (len(value) if type(value) is dict else 0):
            value = unique_decoder.decode(text)
    except json.JSONDecodeError as error:
        raise NotJsonError(text, error.msg, error.pos) from None
    except RecursionError:
        raise too_deep() from None
    except ValueError as error:
        raise ArgumentsError(_bounded(error)) from None
    if text.count("{") + text.count("[") > MAX_DEPTH and is_too_deep(value):
        raise too_deep()
    return value


def too_deep() -> ArgumentsError:
    """Return what is said of arguments that nest deeper than `MAX_DEPTH`."""
    return ArgumentsError(f"the arguments are nested too deeply: at most {MAX_DEPTH} levels")


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
        seen: set[str] = set()
        for name, _ in pairs:
            if name in seen:
                raise ValueError(f"the name {json.dumps(name[:60])} stands twice in one object")
            seen.add(name)
    return read


def _decoders(read_float: Callable[[str], float]) -> tuple[json.JSONDecoder, json.JSONDecoder]:
    """Return a decoder, and one that also sees that no name stands twice in an object."""
    plain = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=read_float)
    return plain, json.JSONDecoder(parse_constant=_refuse_constant, parse_float=read_float, object_pairs_hook=_unique)


_DECODERS: Final = _decoders(_finite)
PLAIN_DECODER: Final = _DECODERS[0]
STRICT_DECODER: Final = _DECODERS[1]
_EXACT_DECODERS: Final = _decoders(_exactly)


# What is left of a text that ends within a literal, a number or an escape, or before a comment, from where the parser stopped; nothing,
# between tokens.
_UNFINISHED: Final = re.compile(
    r"(?:t|tr|tru|f|fa|fal|fals|n|nu|nul|T|Tr|Tru|F|Fa|Fal|Fals|N|No|Non|-|\.|[eE][+-]?|\\?u[0-9a-fA-F]{0,4}|/)?"
)


def _explain(text: str, reason: str, place: int) -> str:
    if reason.startswith("Unterminated string") or _is_cut_off(text[place:]):
        return (
            f"the arguments are cut off: the JSON ends at character {len(text)} before it is complete. "
            "Nothing was run; send the whole call again, shorter if need be"
        )
    near = text[max(0, place - 20) : place + 20]
    return f"the arguments must be valid JSON: {reason} at character {place + 1}, near {show(near)}"


def _is_cut_off(rest: str) -> bool:
    """Tell whether text ends within the token where the parser stopped."""
    if rest.startswith("/*"):
        return "*/" not in rest[2:]
    return _UNFINISHED.fullmatch(rest.rstrip()) is not None


def _bounded(error: Exception) -> str:
    if "integer string conversion" in str(error):  # the words of Python, which say what to do in a program
        return "the arguments hold a whole number of more digits than can be read"
    return f"the arguments must be valid JSON: {str(error)[:200]}"


def is_too_deep(value: object) -> bool:
    """Tell whether a value nests deeper than arguments may."""
    level, depth = [value], 0
    while level:
        depth += 1
        if depth > MAX_DEPTH + 1:
            return True
        level = [
            inner
            for each in level
            if isinstance(each, (dict, list))
            for inner in (each.values() if isinstance(each, dict) else each)
        ]
    return False
