"""Keywords that look at the value alone: types, constants, and limits of numbers, texts, arrays and objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

from fcregistry.types import KEYWORD_CHECKS, are_equal, json_key

if TYPE_CHECKING:
    from collections.abc import Callable

    from fcregistry._schema.drafts import Draft


Breaks: TypeAlias = "Callable[[Any, Any], bool]"
"""Takes the keyword's value and the value, and returns whether the latter violates the former."""


def _is_number(value: Any) -> bool:
    """Return whether a JSON value is a number; a boolean is not."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


_BREAKS_TYPE: Final[dict[str, Breaks]] = {
    "array": lambda _, value: not isinstance(value, list),
    "boolean": lambda _, value: not isinstance(value, bool),
    "integer": lambda _, value: not (_is_number(value) and (isinstance(value, int) or value.is_integer())),
    "null": lambda _, value: value is not None,
    "number": lambda _, value: not _is_number(value),
    "object": lambda _, value: not isinstance(value, dict),
    "string": lambda _, value: not isinstance(value, str),
}


def _breaks_type(kinds: Any, value: Any) -> bool:
    """Return whether `value` is of none of `kinds`, the value of a `type` keyword."""
    return all(_BREAKS_TYPE[kind](kind, value) for kind in ([kinds] if isinstance(kinds, str) else kinds))


def _breaks_type_of_draft_4(kinds: Any, value: Any) -> bool:
    """Return whether `value` is of none of `kinds` by draft 4, in which 1.0 is not an integer."""
    names = [kinds] if isinstance(kinds, str) else kinds
    is_whole_float = isinstance(value, float) and "number" not in names  # 1.0 is an integer since draft 6
    return is_whole_float or _breaks_type(kinds, value)


def _breaks_const(constant: Any, value: Any) -> bool:
    """Return whether `value` is not the JSON value of `constant`."""
    return not are_equal(constant, value)


def _make_choices_check(choices: list[Any]) -> Breaks:
    """Return a `Breaks` that returns whether a value is none of `choices`, compared as JSON.

    Of choices that are not texts, it keeps only hashes: the keys of objects take many times the memory of the objects.
    """
    texts = frozenset(each for each in choices if isinstance(each, str))
    others: dict[int, list[Any]] = {}
    for each in choices:
        if not isinstance(each, str):
            others.setdefault(hash(json_key(each)), []).append(each)

    def breaks(_: Any, value: Any) -> bool:
        """Return whether `value` is none of the choices."""
        if isinstance(value, str):
            return value not in texts
        return not any(are_equal(each, value) for each in others.get(hash(json_key(value)), ()))

    return breaks


def _make_limit_check(kind: str, holds: Callable[[Any, Any], bool]) -> Breaks:
    """Return a `Breaks` that returns whether a value of `kind` violates a limit; False for other kinds.

    `kind` is the name of a JSON type; `holds` takes value and limit, and returns whether the value satisfies the limit.
    """
    is_other = _BREAKS_TYPE[kind]
    return lambda limit, value: not (is_other(kind, value) or holds(value, limit))


def breaks_of(keyword: str, limit: Any, draft: Draft) -> Breaks | None:
    """Return the function that checks a value by `keyword` and `limit` alone; None if there is none."""
    if keyword == "type" and draft.name == "4":
        return _breaks_type_of_draft_4
    if keyword == "type" and isinstance(limit, str):
        return _BREAKS_TYPE[limit]
    if keyword == "enum":
        return _make_choices_check(limit)
    return _BREAKS.get(keyword)


_BREAKS: Final[dict[str, Breaks]] = {
    **{keyword: _make_limit_check(kind, holds) for keyword, (kind, holds) in KEYWORD_CHECKS.items()},
    "const": _breaks_const,
    "type": _breaks_type,
}
