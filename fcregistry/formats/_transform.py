"""How is a JSON Schema rewritten into what a provider takes, and what is lost on the way?

One rewriter for all providers: their profiles say what differs. What a profile does not know is taken out, told in the description as far
as words can, and recorded; what cannot be said at all is a problem, and all problems of a schema are raised together.

MERGED: How is a schema said whose top is put together, to a provider that wants a plain object there?

Tools of ours have a plain top; schemas that others wrote may join or choose between several. What they say together is said in one; what is
to be chosen from is said as one object that has the properties of all, with what all require.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from fcregistry._base.messages import json_path
from fcregistry._schema.document import References
from fcregistry._schema.drafts import upgrade_keywords
from fcregistry.formats._node import Dropped, distinct, merged, told_besides
from fcregistry.formats._profile import excesses
from fcregistry.formats._rewrite import Rewriter, Unsayable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fcregistry.formats._profile import Profile

# --- formats._transform ---

__all__ = ["OnRecursion", "Unsayable", "transformed"]

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


# --- formats._top ---

_PUT_TOGETHER: Final = ("$ref", "allOf")
_CHOICES: Final = ("anyOf", "oneOf")


def with_plain_top(schema: dict[str, Any], profile: Profile) -> tuple[dict[str, Any], tuple[Dropped, ...]]:
    """Return a schema without the keywords at its top that a provider does not take there, and what that leaves unsaid.

    Args:
        schema: The schema of the parameters.
        profile: What the provider takes.
    """
    refused = profile.top_without
    if not refused & schema.keys():
        return schema, ()
    references = References(schema)
    plain, is_all = _one(schema, references)
    lost: dict[str, Any] = (
        {} if is_all else {keyword: schema[keyword] for keyword in _PUT_TOGETHER if keyword in schema}
    )
    for keyword in [each for each in plain if each in refused]:
        lost[keyword] = plain.pop(keyword)
        if keyword in _CHOICES:
            _add_branches(plain, [_one(each, references)[0] for each in lost[keyword] if isinstance(each, dict)])
    if description := told_besides(plain.get("description"), lost):
        plain["description"] = description
    reason = f"{profile.taker} takes a plain object at the top"
    return plain, tuple(
        Dropped(path="$", keyword=keyword, value=value, reason=reason) for keyword, value in lost.items()
    )


def _one(schema: dict[str, Any], references: References) -> tuple[dict[str, Any], bool]:
    """Return a schema with what it refers to and joins said in one, and whether that says all of it."""
    first, *others = _parts(schema, references, [])
    whole = {"type": "object", "properties": {}, **first}
    together = merged(whole, others)
    return (_loosely(whole, others), False) if together is None else (together, True)


def _parts(schema: Any, references: References, seen: list[Any]) -> Iterator[dict[str, Any]]:
    """Yield a schema without what it refers to and joins, and then those."""
    if not isinstance(schema, dict) or any(schema is each for each in seen):
        return
    own = upgrade_keywords(schema) if seen else schema  # what identifies the others is of no use here
    seen.append(schema)
    yield {keyword: value for keyword, value in own.items() if keyword not in _PUT_TOGETHER}
    place = references.place(schema.get("$ref"))
    if place is not None:
        yield from _parts(references.at(place), references, seen)
    for each in schema.get("allOf", ()):
        yield from _parts(each, references, seen)


def _loosely(schema: dict[str, Any], others: list[dict[str, Any]]) -> dict[str, Any]:
    """Return one schema that accepts whatever several accept together, and more."""
    result = {**schema, "properties": dict(schema["properties"]), "required": list(schema.get("required", ()))}
    for other in others:
        for name, each in other.get("properties", {}).items():
            result["properties"].setdefault(name, each)
        result["required"] += [name for name in other.get("required", ()) if name not in result["required"]]
    result.pop("additionalProperties", None)
    return result


def _add_branches(schema: dict[str, Any], branches: list[dict[str, Any]]) -> None:
    """Add to an object the properties of all its alternatives, and require what all of them do."""
    properties = dict(schema["properties"])
    if schema.get("additionalProperties", True) is not False:
        names = dict.fromkeys(name for branch in branches for name in branch["properties"] if name not in properties)
        for name in names:
            said = distinct(branch["properties"][name] for branch in branches if name in branch["properties"])
            properties[name] = said[0] if len(said) == 1 else {"anyOf": said}
    schema["properties"] = properties
    required = [set(branch.get("required", ())) for branch in branches]
    wanted = [*schema.get("required", ()), *sorted(set.intersection(*required) if required else ())]
    if wanted:
        schema["required"] = list(dict.fromkeys(wanted))
    if branches and all(branch.get("additionalProperties") is False for branch in branches):
        schema["additionalProperties"] = False
