"""What of JSON Schema does a provider take? Data only: `_transform.py` rewrites a schema by it.

A provider's own file holds its profiles, with the title of the page that says so. A new rule of a provider is a changed value there; a new
kind of rule is a field here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

References = Literal["free", "bare"]
"""Whether a `$ref` may have other keywords beside it (`free`), or stands alone (`bare`): then it is replaced by what it names."""

Recursion = Literal["free", "optional", "no"]
"""Whether a schema may refer to itself: anywhere, only below a property that is not required, or not at all."""

PUT_TOGETHER: Final = frozenset({"$ref", "allOf", "anyOf", "oneOf"})
"""The keywords by which a schema is made of others."""

SCALAR_KINDS: Final = frozenset({"null", "boolean", "number", "string"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How large a schema may be, and what all tools of one request may have together; None where nothing is published.

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
    """Which schemas a provider takes.

    Attributes:
        taker: Who takes them, as messages name it.
        keywords: The keywords it knows; None where it takes them all, and nothing is rewritten.
        formats: The string formats it knows; None for any.
        references: Whether a `$ref` may have keywords beside it.
        recursion: Whether a schema may refer to itself.
        closed: Whether every object lists all of its names, and every schema says its type.
        complete: Whether every property is required: one that is optional takes `null` instead.
        top_without: The keywords that must not stand at the top.
        choices: The JSON kinds that an enum may hold.
        highest: Keyword -> the greatest value it may have.
        pattern_without: A regular expression of what a `pattern` must not hold; None if it may hold anything.
        names: A regular expression of the names that top-level properties may have; None for any.
        names_rule: The same in words.
        limits: How large it may be.
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
    limits: Limits = Limits()
