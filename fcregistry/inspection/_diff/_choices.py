"""Which alternatives does a schema offer, and which of them came, went or changed?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from fcregistry.inspection._diff._differences import Difference, Path
from fcregistry.inspection._diff._documents import Document, enforced, json_text
from fcregistry.inspection._diff._groups import group_differences
from fcregistry.inspection._diff._words import kind_of, tag_of

if TYPE_CHECKING:
    from fcregistry.inspection._diff._walk import Walk

_NUMERIC: Final = frozenset({"exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum", "multipleOf"})
_OF_TYPE: Final[dict[str, frozenset[str]]] = {
    "array": frozenset({
        "additionalItems", "contains", "items", "maxContains", "maxItems", "minContains", "minItems", "prefixItems",
        "unevaluatedItems", "uniqueItems",
    }),
    "boolean": frozenset(),
    "integer": _NUMERIC,
    "null": frozenset(),
    "number": _NUMERIC,
    "object": frozenset({
        "additionalProperties", "dependencies", "dependentRequired", "dependentSchemas", "maxProperties", "minProperties",
        "patternProperties", "properties", "propertyNames", "required", "unevaluatedProperties",
    }),
    "string": frozenset({"format", "maxLength", "minLength", "pattern"}),
}  # fmt: skip
"""Type -> the keywords that ask something of its values, and of no others (JSON Schema Validation, 6)."""
_OF_ONE_TYPE: Final = frozenset().union(*_OF_TYPE.values())


def branches_of(document: Document, schema: dict[str, Any]) -> list[Any]:
    """Return the alternatives that a schema consists of: those of its `anyOf`, or its types; itself, if it has none."""
    asked = enforced(schema)
    if asked.keys() == {"anyOf"} and isinstance(asked["anyOf"], list):
        return [each for branch in asked["anyOf"] for each in _flat(document, branch)]
    types = asked.get("type")
    if isinstance(types, list) and types and asked.keys() - {"type"} <= _OF_ONE_TYPE and set(types) <= _OF_TYPE.keys():
        return [{"type": each} | {name: asked[name] for name in asked if name in _OF_TYPE[each]} for each in types]
    return [schema]


def _flat(document: Document, branch: Any) -> list[Any]:
    """Return the alternatives of an alternative that stands there in full; a reference is one."""
    if isinstance(branch, dict) and "$ref" not in branch:
        inner = branches_of(document, branch)
        return inner if len(inner) > 1 else [branch]
    return [branch]


def choice_differences(walk: Walk, old: list[Any], new: list[Any], path: Path) -> Iterator[Difference]:
    """Yield how alternatives differ: those that are the same are passed over, those that stand for each other compared."""
    before = [each for each in old if not any(walk.same(each, other) for other in new)]
    after = [each for each in new if not any(walk.same(other, each) for other in old)]
    for one, other in _pairs(walk, before, after):
        before, after = ([each for each in left if each is not gone] for left, gone in ((before, one), (after, other)))
        yield from walk.compare(one, other, path)
    for each in before:
        narrows = walk.narrows(each, {"anyOf": new})
        message = f"{kind_of(each)} is no longer {walk.taken}"
        yield Difference(path=path, message=message, narrows=narrows, widens=False)
    for each in after:
        widens = walk.widens({"anyOf": old}, each)
        message = f"{kind_of(each)} is {walk.taken} now"
        yield Difference(path=path, message=message, narrows=False, widens=widens)


def _pairs(walk: Walk, old: list[Any], new: list[Any]) -> list[tuple[Any, Any]]:
    """Return the alternatives that stand for each other: of one name, tag or type that no other has; the last ones left, if of one type."""
    if len(old) == len(new) == 1 and _type(walk.old, old[0]) == _type(walk.new, new[0]):
        return [(old[0], new[0])]
    names = [Counter(map(_name, each)) for each in (old, new)]
    known = {_name(each): each for each in new}
    return [
        (each, known[name]) for each in old if names[0][name := _name(each)] == names[1][name] == 1 and name in known
    ]


def _type(document: Document, branch: Any) -> Any:
    resolved = document.resolved(branch)
    return resolved.get("type") if isinstance(resolved, dict) else resolved


def _name(branch: Any) -> str:
    if not isinstance(branch, dict):
        return str(branch)
    if "$ref" in branch or "title" in branch:
        return json_text([branch.get("$ref"), branch.get("title")])
    return json_text([tag_of(branch), branch.get("type")])


def joined_differences(walk: Walk, old: dict[str, Any], new: dict[str, Any], path: Path) -> Iterator[Difference]:
    """Yield how `allOf`, `anyOf` and `oneOf` differ where they stand beside other keywords, or there is no `anyOf`."""
    for keyword in ("allOf", "anyOf", "oneOf"):
        before, after = old.get(keyword), new.get(keyword)
        if not isinstance(before, list) or not isinstance(after, list):
            yield from group_differences(walk, (keyword,), old, new, path)
        elif keyword == "anyOf":
            yield from choice_differences(walk, before, after, path)
        elif keyword == "oneOf":
            yield from map(_doubtful, choice_differences(walk, before, after, path))
        elif len(before) == len(after):
            for one, other in zip(before, after, strict=True):
                yield from walk.compare(one, other, path)
        else:
            yield from group_differences(walk, (keyword,), old, new, path)


def _doubtful(difference: Difference) -> Difference:
    """Return what an alternative's difference says of exactly one: less in it may be more in all, and more may be less."""
    if difference.kind != "asked":
        return difference
    return replace(difference, narrows=difference.narrows or None, widens=difference.widens or None)
