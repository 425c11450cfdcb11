"""Do keywords that belong together narrow or widen what is taken?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from fcregistry.inspection._diff._differences import Difference, Path
from fcregistry.inspection._diff._documents import json_text
from fcregistry.inspection._diff._words import changed, listed, types_in_words

if TYPE_CHECKING:
    from fcregistry.inspection._diff._walk import Walk

Group = tuple[str, ...]

TYPE: Final = ("type",)
VALUES: Final = ("const", "enum")
GROUPS: Final[tuple[Group, ...]] = (
    TYPE,
    VALUES,
    ("minimum", "exclusiveMinimum"),
    ("maximum", "exclusiveMaximum"),
    ("multipleOf",),
    ("minLength",),
    ("maxLength",),
    ("pattern",),
    ("format",),
    ("minItems",),
    ("maxItems",),
    ("uniqueItems",),
    ("contains", "minContains", "maxContains"),
    ("minProperties",),
    ("maxProperties",),
    ("propertyNames",),
    ("dependentRequired",),
    ("dependentSchemas",),
    ("dependencies",),
    ("not",),
    ("if", "then", "else"),
)
"""Keywords whose meaning hangs on each other, and on no other keyword but the type."""


def group_differences(
    walk: Walk, group: Group, old: dict[str, Any], new: dict[str, Any], path: Path
) -> Iterator[Difference]:
    """Yield what a group of keywords asks for now and did not, or the other way round; nothing where that comes to the same."""
    before, after = ({name: each[name] for name in group if name in each} for each in (old, new))
    if walk.same(before, after):
        return
    values = (_values(before), _values(after)) if group == VALUES else (None, None)
    if values[0] is not None and values[1] is not None:
        yield from _of_values(walk, values[0], values[1], path)
        return
    narrows, widens = _effect(walk, before, after, old, new)
    if narrows is not False or widens is not False:
        yield Difference(path=path, message=_words(walk, group, before, after), narrows=narrows, widens=widens)


def _effect(
    walk: Walk, before: dict[str, Any], after: dict[str, Any], old: dict[str, Any], new: dict[str, Any]
) -> tuple[bool | None, bool | None]:
    """Return whether a group narrows and widens what is taken, among values of the types that are taken anyway."""
    narrows = walk.narrows(_typed(before, old), _typed(after, old))
    widens = walk.widens(_typed(before, new), _typed(after, new))
    if not after:  # less is asked for
        return False, True if widens is None else widens
    if not before:  # more is
        return True if narrows is None else narrows, False
    return _other(narrows, widens), _other(widens, narrows)


def _other(told: bool | None, opposite: bool | None) -> bool | None:
    """Return what is told, or what follows for a group that differs: what is proven not to do the opposite does this."""
    return True if told is None and opposite is False else told


def _typed(group: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    return group if "type" in group or "type" not in schema else {"type": schema["type"], **group}


def _values(group: dict[str, Any]) -> list[Any] | None:
    """Return the values that are taken, where they are listed."""
    if "const" in group:
        return [group["const"]] if "enum" not in group else None
    values = group.get("enum")
    return values if isinstance(values, list) else None


def _of_values(walk: Walk, old: list[Any], new: list[Any], path: Path) -> Iterator[Difference]:
    before, after = {json_text(each) for each in old}, {json_text(each) for each in new}
    gone = [each for each in old if json_text(each) not in after]
    come = [each for each in new if json_text(each) not in before]
    if gone:
        message = f"{listed(gone)} {_verb(gone)} no longer {walk.taken}"
        yield Difference(path=path, message=message, narrows=True, widens=False)
    if come:
        yield Difference(
            path=path, message=f"{listed(come)} {_verb(come)} {walk.taken} now", narrows=False, widens=True
        )


def _verb(values: list[Any]) -> str:
    return "is" if len(values) == 1 else "are"


def _words(walk: Walk, group: Group, before: dict[str, Any], after: dict[str, Any]) -> str:
    if group == TYPE:
        return f"was {types_in_words(before.get('type'))}, is {types_in_words(after.get('type'))}"
    if group == VALUES and (values := _values(after)):
        return f"only {listed(values)} {_verb(values)} {walk.taken} now"
    if group == VALUES and (values := _values(before)):
        return f"no longer only {listed(values)} {_verb(values)} {walk.taken}"
    names = [name for name in group if json_text(before.get(name)) != json_text(after.get(name))] or list(group[:1])
    return "; ".join(changed(name, before, after) for name in names if name in before or name in after)
