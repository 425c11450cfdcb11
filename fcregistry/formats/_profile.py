"""Profiles: which part of JSON Schema a provider accepts, and how large a schema may be.

A profile is data; `_transform.py` rewrites a schema by it. A provider's own file holds its profiles, with the title of the page that they follow. A
new rule of a provider is a changed value there; a new kind of rule is a field here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from fcregistry._schema.document import subschemas, walk_schemas

References = Literal["free", "bare"]
"""Whether a `$ref` may have other keywords beside it (`free`) or not (`bare`): then the target replaces it."""

Recursion = Literal["free", "optional", "no"]
"""Whether a schema may refer to itself: anywhere (`free`), only below a property that is not required (`optional`), or not at all (`no`)."""

COMPOSITION: Final = frozenset({"$ref", "allOf", "anyOf", "oneOf"})
"""The keywords that make a schema of others."""

SCALAR_KINDS: Final = frozenset({"null", "boolean", "number", "string"})


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaLimits:
    """The limits on one schema, and on all schemas of one request together.

    A limit is None if the provider publishes none.

    Attributes:
        properties: Properties in all.
        depth: Levels of objects within objects.
        choices: Values of all enums together.
        characters: Characters of all names of properties and definitions and of all choices together.
        tools: Tools of one request.
        optional: Properties of one request that are not required.
        unions: Properties of one request that take values of several types.
    """

    properties: int | None = None
    depth: int | None = None
    choices: int | None = None
    characters: int | None = None
    tools: int | None = None
    optional: int | None = None
    unions: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """The schemas that a provider accepts.

    Attributes:
        taker: The provider's name in messages.
        keywords: The keywords that it accepts; None for all, and then nothing is rewritten.
        formats: The string formats that it accepts; None for any.
        references: Whether a `$ref` may have keywords beside it.
        recursion: Whether a schema may refer to itself.
        closed: Whether every object must list all of its names, and every schema must name its type.
        complete: Whether every property must be required: an optional one accepts `null` instead.
        top_without: The keywords that are not allowed at the top.
        choices: The JSON types of the values of an enum.
        highest: Keyword -> its greatest value.
        pattern_without: A regular expression of what a `pattern` must not contain; None if it may contain anything.
        names: A regular expression of the names of top-level properties; None for any.
        names_rule: The rule of `names` in words.
        limits: The limits on its size.
    """

    taker: str
    keywords: frozenset[str] | None = None
    formats: frozenset[str] | None = None
    references: References = "free"
    recursion: Recursion = "free"
    closed: bool = False
    complete: bool = False
    top_without: frozenset[str] = frozenset()
    choices: frozenset[str] = SCALAR_KINDS
    highest: Mapping[str, int] = field(default_factory=dict)
    pattern_without: str | None = None
    names: str | None = None
    names_rule: str = ""
    limits: SchemaLimits = SchemaLimits()


# --- Limits ---


def excesses(schema: dict[str, Any], profile: Profile) -> list[str]:
    """Return the limits of a provider that a schema exceeds, a sentence each."""
    return _exceeded_limits(_size_of(schema), profile, "$: the parameters have")


def excesses_together(schemas: Iterable[dict[str, Any]], profile: Profile) -> list[str]:
    """Return the limits of a provider that the schemas of one request exceed together, a sentence each."""
    limits = profile.limits
    if limits.tools is limits.optional is limits.unions is None:
        return []  # measuring takes time
    sizes = [_size_of(schema) for schema in schemas]
    together = {name: sum(size[name] for size in sizes) for name in ("optional", "unions")}
    return _exceeded_limits({"tools": len(sizes), **together}, profile, "together there are")


def _exceeded_limits(numbers: dict[str, int], profile: Profile, intro: str) -> list[str]:
    found = []
    for name, number in numbers.items():
        limit = getattr(profile.limits, name)
        if limit is not None and number > limit:
            found.append(f"{intro} {number:,} {_LIMIT_NAMES[name]}, and {profile.taker} takes {limit:,}; use fewer")
    return found


_LIMIT_NAMES = {
    "properties": "properties",
    "depth": "levels of nested objects",
    "choices": "choices in all enums together",
    "characters": "characters in names and choices",
    "tools": "tools described strictly",
    "optional": "optional parameters in tools described strictly",
    "unions": "parameters of several types in tools described strictly",
}


def _size_of(schema: dict[str, Any]) -> dict[str, int]:
    """Measure a schema, definitions included; `SchemaLimits` explains each number."""
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
    """Return the number of nested objects; a definition that refers to itself counts once.

    Args:
        schema: A schema.
        defs: The definitions that it refers to.
        known: Name of a definition -> its depth; new ones are added.
    """
    if not isinstance(schema, dict):
        return 0
    name = str(schema.get("$ref", "")).removeprefix("#/$defs/")
    if name in defs and name not in known:
        known[name] = 0
        known[name] = _depth(defs[name], defs, known)
    below = max((_depth(inner, defs, known) for _, inner in subschemas(schema)), default=0)
    return max(known.get(name, 0), below + ("properties" in schema))
