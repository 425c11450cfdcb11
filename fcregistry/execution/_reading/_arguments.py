"""Reads the JSON object that a model wrote as arguments; what is not an object, or may mean several, is refused."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

from fcregistry._base.call import UnreadArguments
from fcregistry._base.json import MAX_DEPTH, STRICT_DECODER, ArgumentsError, read_text, too_deep
from fcregistry._base.messages import json_path
from fcregistry.execution._reading._repair_names import ALL_REPAIRS

__all__ = ["MAX_DEPTH", "STRICT_DECODER", "ArgumentsError", "read_arguments"]


def read_arguments(
    raw: Mapping[str, Any] | str | None,
    exact: bool = False,
    allowed: Collection[str] = ALL_REPAIRS,
    longest: int | None = None,
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the arguments as a JSON object of their own, and what was repaired: a sentence each, sorted.

    Args:
        raw: JSON text as the model wrote it, a mapping, or None for no arguments.
        exact: Whether numbers keep the digits they are written with, as `ExactFloat`s.
        allowed: The names of the repairs that may be made.
        longest: How many characters they may have; None for any number. A mapping is counted by its names, texts and values.

    Raises:
        TooLongError: They are too long.
        ArgumentsError: Not a JSON object: malformed, cut off, nested too deeply, with a name twice or a number that is not finite.
    """
    if isinstance(raw, str):
        if isinstance(raw, UnreadArguments):
            raise ArgumentsError(raw.reason)
        if longest is not None and len(raw) > longest:
            raise _too_long(longest, f"have {len(raw)} characters")
        if not raw or raw.isspace():
            return _none("empty", allowed)
        value, repairs = read_text(raw, exact, allowed, "the arguments")
        return (value, repairs) if type(value) is dict else _instead_of(value, repairs, exact, allowed)
    if raw is None:
        return {}, ()
    if not isinstance(raw, Mapping):
        raise ArgumentsError(f"the arguments must be a JSON object, not a Python {type(raw).__name__}")
    try:
        copied: dict[str, Any] = _Copier(longest).copy(raw, 0, ())
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


class TooLongError(ArgumentsError):
    """Arguments that have more characters than are read."""


def _too_long(longest: int, length: str) -> TooLongError:
    return TooLongError(
        f"the arguments {length}, and at most {longest} are read. Nothing was run; send less at once, in several calls if need be"
    )


class _Copier:
    """Copies a JSON value that shares nothing with the caller's, so that nothing of the caller's is changed.

    Args:
        longest: How many characters it may have; None for any number.
    """

    __slots__ = ("_left", "_longest")

    def __init__(self, longest: int | None) -> None:
        self._longest = longest
        self._left = longest

    def copy(self, value: Any, depth: int, path: tuple[str | int, ...]) -> Any:
        """Return a copy.

        Raises:
            ArgumentsError: It is not a JSON value, nested too deeply, or too long.
        """
        kind = type(value)
        if kind is str:
            self._count(len(value))
            return value
        if value is None or kind is bool or kind is int:
            return value
        if kind is float:
            if value - value == 0:
                return value
            raise ArgumentsError(
                f"the arguments must be valid JSON: {json_path(path)} is {value}, which is not a JSON number"
            )
        if depth > MAX_DEPTH:
            raise too_deep()
        if isinstance(value, Mapping):
            return self._copy_mapping(value, depth, path)
        if isinstance(value, (list, tuple)):
            self._count(2 * len(value))  # a value and a comma
            return [self.copy(item, depth + 1, (*path, place)) for place, item in enumerate(value)]
        for plain, bare in _BARE:
            if isinstance(value, plain):
                return self.copy(bare(value), depth, path)
        raise ArgumentsError(f"the arguments must be valid JSON: {json_path(path)} is a Python {kind.__name__}")

    def _copy_mapping(self, value: Mapping[Any, Any], depth: int, path: tuple[str | int, ...]) -> dict[str, Any]:
        self._count(5 * len(value))  # quotes, a colon, a value and a comma
        for name in value:
            if not isinstance(name, str):
                raise ArgumentsError(
                    f"the arguments must be valid JSON: {json_path(path)} has the name {name!r:.60}, which is not a string"
                )
            self._count(len(name))
        return {
            str.__str__(name): self.copy(item, depth + 1, (*path, str.__str__(name))) for name, item in value.items()
        }

    def _count(self, characters: int) -> None:
        if self._left is not None and self._longest is not None:
            self._left -= characters
            if self._left < 0:
                raise _too_long(self._longest, f"have more than {self._longest} characters")


_BARE: Final[tuple[tuple[type, Any], ...]] = ((str, str.__str__), (int, int.__int__), (float, float.__float__))
"""How a value of a subclass becomes one of the type itself; `str(…)` would give the name of an Enum's member, not its value."""


def _kind(value: object) -> str:
    return {list: "an array", str: "a string", bool: "a boolean", int: "a number", float: "a number"}.get(
        type(value), "null"
    )
