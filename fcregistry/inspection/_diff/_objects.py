"""Which properties came, went or changed?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from fcregistry.inspection._diff._differences import Difference, Kind, Path, any_of, unclear
from fcregistry.inspection._diff._words import kind_of, segment

if TYPE_CHECKING:
    from fcregistry.inspection._diff._walk import Walk

KEYWORDS: Final = ("properties", "required", "patternProperties", "additionalProperties")


class _Object:
    """What a schema asks of the properties of an object."""

    def __init__(self, schema: dict[str, Any]) -> None:
        self.named: dict[str, Any] = schema.get("properties", {})
        self.required = set(schema.get("required", ()))
        self.patterns: dict[str, Any] = schema.get("patternProperties", {})
        self.others: Any = schema.get("additionalProperties", True)


def object_differences(walk: Walk, old: dict[str, Any], new: dict[str, Any], path: Path) -> Iterator[Difference]:
    """Yield how the properties of an object differ, in the order of the new schema."""
    if not any(name in old or name in new for name in KEYWORDS):
        return
    before, after = _Object(old), _Object(new)
    for name in dict.fromkeys([*after.named, *before.named, *sorted(after.required | before.required)]):
        yield from _of_name(walk, name, before, after, (*path, segment(name)))
    yield from _of_others(walk, before.others, after.others, path)
    yield from _of_patterns(walk, before, after, path)


def _of_name(walk: Walk, name: str, old: _Object, new: _Object, path: Path) -> Iterator[Difference]:
    if name in new.named and name not in old.named:
        yield _come(walk, name, old, new, path)
    elif name in old.named and name not in new.named:
        yield _gone(walk, name, old, new, path)
    else:
        yield from _of_requirement(name, old, new, path)
        if name in new.named:
            for each in walk.compare(old.named[name], new.named[name], path):
                optional = each.kind != "default" or each.path != path or name not in old.required
                yield each if optional else replace(each, kind="said")  # no call went without it


def _of_requirement(name: str, old: _Object, new: _Object, path: Path) -> Iterator[Difference]:
    if name in new.required and name not in old.required:
        yield Difference(path=path, message="is required now", narrows=True, widens=False)
    if name in old.required and name not in new.required:
        yield Difference(path=path, message="is optional now", narrows=False, widens=True)


def _come(walk: Walk, name: str, old: _Object, new: _Object, path: Path) -> Difference:
    required = name in new.required and name not in old.required
    narrows = walk.narrows(old.others, new.named[name])
    widens = walk.widens(old.others, new.named[name])
    if old.others is False and widens is None:
        widens = True
    message = f"is new, and {'required' if name in new.required else 'optional'}"
    if narrows is not False and not required:
        message += f"; {kind_of(old.others)} was {walk.taken} under that name before"
    return _of_property(
        path, message, any_of([required, narrows]), any_of([name in old.required and name not in new.required, widens])
    )


def _gone(walk: Walk, name: str, old: _Object, new: _Object, path: Path) -> Difference:
    optional = name in old.required and name not in new.required
    narrows = walk.narrows(old.named[name], new.others)
    widens = walk.widens(old.named[name], new.others)
    if new.others is False and narrows is None:
        narrows = True
    message = (
        "is gone" if new.others is False else f"is gone; {kind_of(new.others)} is {walk.taken} under that name now"
    )
    required = name in new.required and name not in old.required
    return _of_property(path, message, any_of([required, narrows]), any_of([optional, widens]))


def _of_property(path: Path, message: str, narrows: bool | None, widens: bool | None) -> Difference:
    """Return the difference that a property makes: it is told even where the same values are taken without it."""
    kind: Kind = "said" if narrows is False and widens is False else "asked"
    return Difference(path=path, message=message, narrows=narrows, widens=widens, kind=kind)


def _of_others(walk: Walk, old: Any, new: Any, path: Path) -> Iterator[Difference]:
    if new is False and old is not False:
        yield Difference(path=path, message=f"other names are no longer {walk.taken}", narrows=True, widens=False)
    elif old is False and new is not False:
        yield Difference(path=path, message=f"other names are {walk.taken} now", narrows=False, widens=True)
    else:
        yield from walk.compare(old, new, (*path, ".*"))


def _of_patterns(walk: Walk, old: _Object, new: _Object, path: Path) -> Iterator[Difference]:
    """Yield how properties differ whose names match a pattern; which names are others hangs on them, and on what is named."""
    if old.patterns.keys() != new.patterns.keys() or (old.patterns and old.named.keys() != new.named.keys()):
        yield unclear(path, "`patternProperties`, or the names beside them, changed")
        return
    for pattern, schema in new.patterns.items():
        yield from walk.compare(old.patterns[pattern], schema, (*path, f"[/{pattern}/]"))
