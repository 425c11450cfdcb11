"""How is a JSON Schema rewritten into what a provider takes, and what is lost on the way?

One rewriter for all providers: their profiles say what differs. What a profile does not know is taken out, told in the description as far
as words can, and recorded; what cannot be said at all is a problem, and all problems of a schema are raised together.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from fcregistry._base.messages import json_path
from fcregistry.formats._limits import excesses
from fcregistry.formats._rewriter import Rewriter, Unsayable
from fcregistry.formats._top import with_plain_top

__all__ = ["OnRecursion", "Unsayable", "transformed"]

if TYPE_CHECKING:
    from fcregistry.formats._definition import Dropped
    from fcregistry.formats._profile import Profile

OnRecursion: TypeAlias = Literal["refuse", "cut"]
"""What to do with a schema that refers to itself, where a provider does not take that."""


def transformed(
    schema: dict[str, Any], profile: Profile, recursion: OnRecursion
) -> tuple[dict[str, Any], tuple[Dropped, ...]]:
    """Return a schema of parameters as a provider takes it, and what that leaves unsaid.

    Args:
        schema: The JSON Schema of the parameters, of any draft.
        profile: What the provider takes.
        recursion: Whether a schema that refers to itself, where the provider does not take that, is refused or cut off.

    Raises:
        Unsayable: It cannot be said to that provider.
    """
    plain, dropped = with_plain_top(schema, profile)
    problems = _misnamed(plain, profile)
    if profile.keywords is None:
        if problems:
            raise Unsayable(*problems)
        return plain, dropped
    rewriter = Rewriter(plain, profile, cuts=recursion == "cut")
    written = rewriter.whole()
    problems += rewriter.problems
    if not problems:
        problems = excesses(written, profile)
    if problems:
        raise Unsayable(*dict.fromkeys(problems))
    return written, (*dropped, *rewriter.dropped)


def _misnamed(schema: dict[str, Any], profile: Profile) -> list[str]:
    if profile.names is None:
        return []
    wrong = [name for name in schema.get("properties", ()) if not re.fullmatch(profile.names, name)]
    return [
        f"{json_path(('properties', name))}: {profile.taker} takes names of {profile.names_rule}; rename it"
        for name in wrong
    ]
