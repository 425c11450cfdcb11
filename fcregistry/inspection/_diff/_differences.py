"""In what does one part of a schema differ from another?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

Path = tuple[str, ...]
"""The segments of a path, as they are written: `.name`, `[0]`, `[*]`, `.*`."""

Kind = Literal["asked", "default", "said"]
"""What differs: what is asked of a value, the default, or what is only said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One difference between an old and a new schema.

    Attributes:
        path: Where in the value.
        message: What differs, in words.
        narrows: Whether a value that the old one takes is refused by the new one; None if that cannot be told.
        widens: Whether a value that the old one refuses is taken by the new one; None if that cannot be told.
        kind: What differs.
    """

    path: Path
    message: str
    narrows: bool | None
    widens: bool | None
    kind: Kind = "asked"


def said(path: Path, message: str, kind: Kind = "said") -> Difference:
    """Return a difference that changes nothing of what is taken."""
    return Difference(path=path, message=message, narrows=False, widens=False, kind=kind)


def unclear(path: Path, message: str) -> Difference:
    """Return a difference of which nothing can be told."""
    return Difference(path=path, message=message, narrows=None, widens=None)


def bounded(differences: Iterable[Difference], narrows: bool | None, widens: bool | None) -> list[Difference]:
    """Return differences with what is proven of all of them together.

    What is proven not to narrow narrows nowhere. What is proven to, and differs in one thing of which nothing could be told, does so there.
    What does neither any more is left out: it is another way to say the same.
    """
    found = list(differences)
    asked = [each for each in found if each.kind == "asked"]
    for name, proven in (("narrows", narrows), ("widens", widens)):
        if proven is False:
            found = [replace(each, **{name: False}) for each in found]  # type: ignore[arg-type]
        elif proven is True and len(asked) == 1 and getattr(asked[0], name) is None:
            found = [replace(each, **{name: True}) if each.kind == "asked" else each for each in found]  # type: ignore[arg-type]
    return [each for each in found if each.kind != "asked" or each.narrows is not False or each.widens is not False]


def negated(told: bool | None) -> bool | None:
    """Return the opposite of what is told; nothing of nothing."""
    return None if told is None else not told


def any_of(told: Iterable[bool | None]) -> bool | None:
    """Return True if one is, False if none is, and None if that cannot be told."""
    seen = set(told)
    return True if True in seen else None if None in seen else False
