"""Profiles: which part of JSON Schema a provider accepts, and how large a schema may be.

A profile is data; `_rewrite.py` rewrites a schema as the profile says. The profiles of a provider are in the provider's own file, with
the title of the page that they follow. If a provider changes a rule, change a value there; for a new kind of rule, add a field here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

from fcregistry._schema.document import subschemas, walk_schemas

References = Literal["free", "bare"]
"""Whether a `$ref` may have other keywords beside it (`free`) or not (`bare`): then the referenced schema replaces the `$ref`."""

Recursion = Literal["free", "optional", "no"]
"""Whether a schema may refer to itself: anywhere (`free`), only below a property that is not required (`optional`), or not at all (`no`)."""

OnRecursion: TypeAlias = Literal["refuse", "cut"]
"""What to do with a schema that refers to itself, if the provider does not accept that."""

COMPOSITION: Final = frozenset({"$ref", "allOf", "anyOf", "oneOf"})
"""The keywords that compose a schema from other schemas."""

SCALAR_KINDS: Final = frozenset({"null", "boolean", "number", "string"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """The rules of a provider for the schemas that it accepts.

    Attributes:
        provider: The provider, as messages name it.
        keywords: The keywords that it accepts; None for all: then fcregistry does not rewrite schemas.
        formats: The string formats that it accepts; None for any.
        references: Whether a `$ref` may have keywords beside it.
        recursion: Whether a schema may refer to itself.
        closed: Whether every object must list all of its property names, and every schema must have a `type`.
        complete: Whether every property must be required; fcregistry then lets an optional one be `null`.
        top_without: The keywords that are not allowed at the top level.
        choices: The JSON types that the values of an enum may have.
        empty_choices: Whether an empty text may be among the values of an enum.
        highest: Keyword -> the greatest value that is allowed for it.
        pattern_without: A regular expression for text that a `pattern` must not contain; None if it may contain anything.
        names: A regular expression that the names of top-level properties must match; None for any names.
        names_rule: The rule of `names` in words, for messages.
        limits: The limits that the provider publishes on one schema, and on all schemas of one request together, by the names in `_LIMITED`.
    """

    provider: str
    keywords: frozenset[str] | None = None
    formats: frozenset[str] | None = None
    references: References = "free"
    recursion: Recursion = "free"
    closed: bool = False
    complete: bool = False
    top_without: frozenset[str] = frozenset()
    choices: frozenset[str] = SCALAR_KINDS
    empty_choices: bool = True
    highest: Mapping[str, int] = field(default_factory=dict)
    pattern_without: str | None = None
    names: str | None = None
    names_rule: str = ""
    limits: Mapping[str, int] = field(default_factory=dict)


# --- Limits ---

_LIMITED: Final = {
    # of one schema, at all levels
    "properties": "properties",
    "depth": "levels of nested objects",
    "choices": "choices in all enums together",
    "characters": "characters in names and choices",
    # of all schemas in one request
    "tools": "tools described strictly",
    "optional": "optional parameters in tools described strictly",
    "unions": "parameters of several types in tools described strictly",
}
"""What a provider may limit, and how messages name it."""


def excesses(schema: dict[str, Any], profile: Profile) -> list[str]:
    """Return a message for each limit of `profile` on one schema that `schema` exceeds."""
    return _exceeded_limits(_size_of(schema), profile, "$: the parameters have") if profile.limits else []


def excesses_together(schemas: Iterable[dict[str, Any]], profile: Profile) -> list[str]:
    """Return a message for each limit of `profile` on a whole request that its `schemas` exceed.

    For example, a provider may accept at most 20 strict tools in one request.
    """
    if not {"tools", "optional", "unions"} & profile.limits.keys():
        return []  # measuring takes time
    sizes = [_size_of(schema) for schema in schemas]
    together = {name: sum(size[name] for size in sizes) for name in ("optional", "unions")}
    return _exceeded_limits({"tools": len(sizes), **together}, profile, "the request has")


def _exceeded_limits(numbers: dict[str, int], profile: Profile, intro: str) -> list[str]:
    """Return a message for each of `numbers` that exceeds its limit in `profile`; empty if none does.

    Args:
        numbers: Name in `_LIMITED` -> the number.
        profile: The limits; a name without a limit is not checked.
        intro: The beginning of each message.
    """
    return [
        f"{intro} {number:,} {_LIMITED[name]}, and {profile.provider} accepts {profile.limits[name]:,}; use fewer"
        for name, number in numbers.items()
        if number > profile.limits.get(name, number)
    ]


def _size_of(schema: dict[str, Any]) -> dict[str, int]:
    """Return the sizes of `schema`, definitions included: name in `_LIMITED`, without `tools` -> number.

    `optional` is the number of properties that are not required; `unions`, of those that accept values of several types.
    """
    defs: dict[str, Any] = schema.get("$defs", {})
    each = [part for _, part in walk_schemas(schema)]
    properties = [(part, name, inner) for part in each for name, inner in part.get("properties", {}).items()]
    choices = [value for part in each for value in part.get("enum", ())]
    choices += [part["const"] for part in each if "const" in part]
    texts = [*defs, *(name for _, name, _ in properties), *map(str, choices)]
    return {
        "properties": len(properties),
        "depth": _depth(schema, defs, {}),
        "choices": len(choices),
        "characters": sum(map(len, texts)),
        "optional": sum(name not in part.get("required", ()) for part, name, _ in properties),
        "unions": sum(
            isinstance(inner, dict) and ("anyOf" in inner or isinstance(inner.get("type"), list))
            for _, _, inner in properties
        ),
    }


def _depth(schema: Any, defs: dict[str, Any], known: dict[str, int]) -> int:
    """Return how many levels of objects with properties are nested in `schema`; 0 if there are none.

    A definition that refers to itself counts once.

    Args:
        schema: A schema.
        defs: The definitions that it refers to.
        known: Name of a definition -> its depth; the function adds to it.
    """
    if not isinstance(schema, dict):
        return 0
    name = str(schema.get("$ref", "")).removeprefix("#/$defs/")
    if name in defs and name not in known:
        known[name] = 0
        known[name] = _depth(defs[name], defs, known)
    below = max((_depth(inner, defs, known) for _, inner in subschemas(schema)), default=0)
    return max(known.get(name, 0), below + ("properties" in schema))
