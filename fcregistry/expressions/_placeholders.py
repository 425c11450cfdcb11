"""Which values are only known once it is known where they stand, or once a call has run?"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any, Final


@dataclass(frozen=True, slots=True, eq=False)
class Made:
    """An instance that is to be made by its type: nothing is made of it here, only the JSON that stands for it.

    Attributes:
        name: The name of the type, as it was written.
        args: The arguments by position.
        kwargs: Those by keyword.
        node: Where it stands.
    """

    name: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    node: ast.expr


@dataclass(frozen=True, slots=True, eq=False)
class Member:
    """A member of an Enum: `Color.RED`.

    Attributes:
        type: The name of the Enum, as it was written.
        name: The member's name.
        node: Where it stands.
    """

    type: str
    name: str
    node: ast.expr


@dataclass(frozen=True, slots=True, eq=False)
class Result:
    """The result of a call that has not run yet.

    Attributes:
        call: Its id.
        name: Its tool.
    """

    call: str
    name: str


class Items(list[Any]):
    """The items of a set of which some are placeholders, so that Python cannot make the set yet."""


class Broken:
    """What is wrong, and was told; nothing more is said of what it is part of."""


BROKEN: Final = Broken()


def is_known(value: object) -> bool:
    """Tell whether a value is there already: whether there is no placeholder in it."""
    kind = type(value)
    if kind is list or kind is tuple:
        return all(map(is_known, value))  # type: ignore[call-overload]  # mypy does not narrow by `type()`
    if kind is dict:
        return all(map(is_known, value)) and all(map(is_known, value.values()))  # type: ignore[call-overload,attr-defined]
    return kind not in _PLACEHOLDERS


_PLACEHOLDERS: Final = frozenset({Made, Member, Result, Broken, Items})
