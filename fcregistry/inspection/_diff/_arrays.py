"""Which items of an array changed?"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Final

from fcregistry.inspection._diff._differences import Difference, Path

if TYPE_CHECKING:
    from fcregistry.inspection._diff._walk import Walk

KEYWORDS: Final = ("items", "prefixItems", "additionalItems")
_NONE: Final = object()


def array_differences(walk: Walk, old: dict[str, Any], new: dict[str, Any], path: Path) -> Iterator[Difference]:
    """Yield how the items of an array differ: those with a place of their own, and all others."""
    if not any(name in old or name in new for name in KEYWORDS):
        return
    newest = walk.new.draft is not None and "prefixItems" in walk.new.draft.keywords
    (before, others_before), (after, others_after) = (_items(each, newest) for each in (old, new))
    for place, (one, other) in enumerate(zip_longest(before, after, fillvalue=_NONE)):
        pair = (others_before if one is _NONE else one, others_after if other is _NONE else other)
        yield from walk.compare(*pair, (*path, f"[{place}]"))
    yield from walk.compare(others_before, others_after, (*path, "[*]"))


def _items(schema: dict[str, Any], newest: bool) -> tuple[list[Any], Any]:
    """Return what is asked of the first items, one by one, and of all that follow."""
    items = schema.get("items", True)
    if newest:
        return schema.get("prefixItems", []), items
    return (items, schema.get("additionalItems", True)) if isinstance(items, list) else ([], items)
