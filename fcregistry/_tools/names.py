"""What tells tools apart by name, and what is said when a name tells too little?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from fcregistry._tools.declaration import Declaration, duplicate_text, local_name
from fcregistry.errors import AmbiguousToolError, DuplicateToolError

if TYPE_CHECKING:
    from fcregistry._tools.declaration import Owner

Key: TypeAlias = tuple[str | None, str, str]
"""Owner, group and name: what a tool is registered under."""


class Owned(NamedTuple):
    """A declaration with the plugin that ships it, or None for the application."""

    declaration: Declaration
    owner: Owner | None

    @property
    def key(self) -> Key:
        """What it is registered under."""
        declaration, owner = self
        return (owner.project if owner else None, declaration.group, declaration.name)

    @property
    def local_name(self) -> str:
        """Its name with its group, without the default one."""
        declared = self.declaration
        return local_name(declared.name, declared.group)

    @property
    def id(self) -> str:
        """The canonical id of its tool."""
        return self.local_name if self.owner is None else f"{self.owner.distribution}:{self.local_name}"

    @property
    def full_name(self) -> str:
        """A name that is not ambiguous: the canonical id, or `group.name` for the application's own."""
        if self.owner is None:
            return f"{self.declaration.group}.{self.declaration.name}"
        return self.id


def by_key(everything: Iterable[Owned]) -> dict[Key, list[Owned]]:
    """Return declarations by what they are registered under; more than one under a key are rivals."""
    keys: dict[Key, list[Owned]] = {}
    for owned in everything:
        keys.setdefault(owned.key, []).append(owned)
    return keys


def standing(rivals: list[Owned]) -> list[Owned]:
    """Return the rivals that stand: the last one that replaces, and what came after it."""
    if len(rivals) == 1:
        return rivals
    last = max((place for place, each in enumerate(rivals) if each.declaration.options.get("replace")), default=0)
    return rivals[last:]


def clash_text(rivals: list[Owned]) -> str:
    """Word the collision of rivals of which more than one stands."""
    first, second, *_ = standing(rivals)
    return duplicate_text(first.declaration, second.declaration)


def only_one(name: str, found: Iterable[Owned]) -> Owned | None:
    """Return the one declaration that a name means, or None if it means none.

    Raises:
        AmbiguousToolError: It means several.
        DuplicateToolError: It means one key, which several modules of its owner claim.
    """
    keys = by_key(found)
    if len(keys) > 1:
        ids = tuple(sorted(each.full_name for rivals in keys.values() for each in rivals))
        raise AmbiguousToolError(f"{name!r} may be any of {', '.join(ids)}; name one of these", candidates=ids)
    for rivals in keys.values():
        if len(standing(rivals)) > 1:
            raise DuplicateToolError(clash_text(rivals))
        return standing(rivals)[0]
    return None


def nearest(name: str, names: Iterable[str]) -> tuple[str, ...]:
    """Return up to three names that may be meant by one: those with its last part, whatever its letters' case, and those that look like it."""
    from difflib import get_close_matches  # only on the way to an error

    known = list(dict.fromkeys(names))
    last = _last_part(name)
    same = get_close_matches(name, [each for each in known if _last_part(each) == last], n=3, cutoff=0)
    return tuple(dict.fromkeys([*same, *get_close_matches(name, known, n=3, cutoff=0.6)]))[:3]


def _last_part(name: str) -> str:
    """Return a name without distribution and group."""
    return name.rpartition(":")[2].rpartition(".")[2].casefold()


def did_you_mean(near: tuple[str, ...]) -> str:
    """Word the names that may have been meant; nothing for none."""
    return f"; did you mean {' or '.join(map(repr, near))}?" if near else ""
