"""Strategies of external schemas of each draft, and of values for them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from .both_engines import URIS

NAMES = st.sampled_from(["a", "b", "c", "x-1", "1", ""])
NUMBERS = st.sampled_from(
    [0, 1, 2, 3, -1, 0.5, 1.0, 2.0, -0.0, 0.1, 0.3, 1e-7, 2**53 + 1, 2.0**53, 2**63, 2.0**63, 2**64 + 1, 1e23, 10**23, 1e308]
)  # fmt: skip
TEXTS = st.sampled_from(["", "a", "ab", "abc", "b", "x-1", "é", "😀", "\n", "\ud800", "2026-01-31", "a@b.c", "(?=a)"])
SCALARS = st.one_of(st.none(), st.booleans(), NUMBERS, TEXTS)
VALUES: st.SearchStrategy[Any] = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(NAMES, inner, max_size=3)),
    max_leaves=8,
)
CHOICES = st.recursive(
    st.one_of(st.none(), st.booleans(), NUMBERS, TEXTS.filter(lambda text: text != "\ud800")),
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(NAMES, inner, max_size=2)),
    max_leaves=4,
)
TYPES = st.sampled_from(["string", "integer", "number", "boolean", "null", "array", "object"])
PATTERNS = st.sampled_from(["^a", "b$", "^[a-z]+$", ".", r"\d", "^x-", "", "(?=a)", r"(a)\1"])
FORMATS = st.sampled_from(["date", "email", "ipv4", "uri", "uuid", "regex", "duration", "no-such-format"])
COUNTS = st.sampled_from([0, 1, 2, 3])
REFERRED: list[dict[str, Any]] = [
    {"type": "string"},
    {"minimum": 1},
    {"required": ["a"]},
    {"properties": {"a": {"type": "integer"}}, "additionalProperties": False},
    {"items": {"type": "null"}},
]


def _named(values: st.SearchStrategy[Any], names: st.SearchStrategy[str] = NAMES) -> st.SearchStrategy[Any]:
    return st.dictionaries(names, values, max_size=3)


def _keywords(draft: str, inner: st.SearchStrategy[Any]) -> dict[str, st.SearchStrategy[Any]]:
    """Return the keywords of a draft, each with a strategy of its values."""
    several, names = st.lists(inner, min_size=1, max_size=3), st.lists(NAMES, min_size=1, max_size=2, unique=True)
    counts = COUNTS if draft == "4" else st.one_of(COUNTS, COUNTS.map(float))
    keywords: dict[str, st.SearchStrategy[Any]] = {
        "type": st.one_of(TYPES, st.lists(TYPES, min_size=1, max_size=3, unique=True)),
        "enum": st.lists(CHOICES, min_size=1, max_size=3, unique_by=repr),
        "multipleOf": st.sampled_from([1, 2, 0.1, 0.01, 1.5, 1e-7, 2**53 + 1]),
        "minimum": NUMBERS,
        "maximum": NUMBERS,
        "pattern": PATTERNS,
        "format": FORMATS,
        "uniqueItems": st.booleans(),
        "required": names,
        "properties": _named(inner),
        "patternProperties": _named(inner, PATTERNS),
        "additionalProperties": st.one_of(inner, st.booleans()),
        "dependencies": _named(st.one_of(inner, names)),
        "not": inner,
        **dict.fromkeys(("allOf", "anyOf", "oneOf"), several),
        **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"), counts),
    }
    if draft == "4":
        return keywords | {"items": st.one_of(inner, several), "additionalItems": st.one_of(inner, st.booleans())}
    keywords |= {
        "const": CHOICES,
        "contains": inner,
        "propertyNames": inner,
        "exclusiveMinimum": NUMBERS,
        "exclusiveMaximum": NUMBERS,
    }
    if draft == "2020-12":
        keywords |= {"items": inner, "prefixItems": several}
    else:
        keywords |= {"items": st.one_of(inner, several), "additionalItems": inner}
    if draft != "6":
        keywords |= {"if": inner, "then": inner, "else": inner, "contentEncoding": st.just("base64")}
    if draft in ("2019-09", "2020-12"):
        keywords |= {
            "dependentRequired": _named(names),
            "dependentSchemas": _named(inner),
            "minContains": counts,
            "maxContains": counts,
            "unevaluatedItems": inner,
            "unevaluatedProperties": inner,
        }
    return keywords


def _objects(draft: str, inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    keywords = _keywords(draft, inner)

    @st.composite
    def objects(draw: st.DrawFn) -> dict[str, Any]:
        said = draw(st.lists(st.sampled_from(sorted(keywords)), min_size=1, max_size=4, unique=True))
        schema = {keyword: draw(keywords[keyword]) for keyword in said}
        if draft == "4" and "minimum" in schema:
            schema["exclusiveMinimum"] = draw(st.booleans())
        if draft == "4" and "maximum" in schema:
            schema["exclusiveMaximum"] = draw(st.booleans())
        return schema

    return objects()


def _of_draft(draft: str) -> st.SearchStrategy[dict[str, Any]]:
    references = st.sampled_from([{"$ref": f"#/definitions/{name}"} for name in "xy"])
    leaves = references if draft == "4" else st.one_of(references, st.booleans())
    tops = st.recursive(leaves, lambda inner: st.one_of(leaves, _objects(draft, inner)), max_leaves=10)
    definitions = st.fixed_dictionaries({name: st.sampled_from(REFERRED) for name in "xy"})
    return st.builds(
        lambda top, held: {"$schema": URIS[draft], **(top if isinstance(top, dict) else {}), "definitions": held},
        st.one_of(_objects(draft, tops), tops),
        definitions,
    )


SCHEMAS = st.one_of([_of_draft(draft) for draft in URIS])
