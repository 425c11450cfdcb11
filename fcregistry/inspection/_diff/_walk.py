"""Where do two schemas differ, and does that narrow or widen what is taken?

Both are walked together, from the top. A schema is a conjunction, so the new one takes all that the old one took if each of its groups of keywords
does: that is how the verdicts of parts are put together, and why it is never said that nothing is narrowed where something is. At each place
the proof of `jsonschema-rs`, where it has one, comes before what the parts say.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from fcregistry.inspection._diff._arrays import array_differences
from fcregistry.inspection._diff._choices import branches_of, choice_differences, joined_differences
from fcregistry.inspection._diff._differences import Difference, Path, any_of, bounded, negated, unclear
from fcregistry.inspection._diff._documents import Document, Schema, covers, enforced, json_text, same
from fcregistry.inspection._diff._groups import GROUPS, TYPE, group_differences
from fcregistry.inspection._diff._objects import object_differences
from fcregistry.inspection._diff._words import shown_path, spoken_differences

UNEVALUATED: Final = ("unevaluatedItems", "unevaluatedProperties")
_MOST_PLACES: Final = 1_000
"""How many places are compared: a schema of a stranger may be small and have more of them than there is time."""


def schema_differences(old: dict[str, Any], new: dict[str, Any], taken: str = "taken") -> list[Difference]:
    """Return the differences between two schemas, in the order of the new one; nothing for two that say the same.

    Args:
        old: A JSON Schema.
        new: Another.
        taken: What happens to a value that is valid, in a word.
    """
    walk = Walk(Document(old), Document(new), taken)
    try:
        return walk.all_differences()
    except RecursionError:
        return [unclear((), "the schema nests too deeply to be compared")]


class Walk:
    """Two documents that are compared.

    Args:
        old: The old one.
        new: The new one.
        taken: What happens to a value that is valid, in a word.
    """

    def __init__(self, old: Document, new: Document, taken: str) -> None:
        self.old = old
        self.new = new
        self.taken = taken
        self._places = 0
        self._open: dict[tuple[str, str], int] = {}
        self._assumed: set[tuple[str, str]] = set()
        self._seen: dict[tuple[str, str], tuple[Path, list[Difference]]] = {}

    def all_differences(self) -> list[Difference]:
        """Return every difference; where something is proven of the whole that no place shows, it is said of the whole."""
        if same(self.old, self.old.schema, self.new, self.new.schema):
            return []
        if self.old.draft is not self.new.draft or not (self.old.is_plain and self.new.is_plain):
            return [unclear((), "the schema changed in a way that is not followed: `$id`, anchors, or another draft")]
        if not (self.old.is_schema and self.new.is_schema):
            return [unclear((), "the schema changed, and one of the two is no valid JSON Schema")]
        found = self.compare(self.old.schema, self.new.schema, ())
        if self.narrows(self.old.schema, self.new.schema) and not any(each.narrows for each in found):
            message = f"something that was {self.taken} is not {self.taken} any more"
            found.append(Difference(path=(), message=message, narrows=True, widens=False))
        if self.widens(self.old.schema, self.new.schema) and not any(each.widens for each in found):
            found.append(Difference(path=(), message=f"something more is {self.taken}", narrows=False, widens=True))
        return found

    def narrows(self, old: Schema, new: Schema) -> bool | None:
        """Tell whether the old part takes something that the new one refuses; None if nothing is proven."""
        return negated(covers(self.new, new, self.old, old))

    def widens(self, old: Schema, new: Schema) -> bool | None:
        """Tell whether the new part takes something that the old one refuses; None if nothing is proven."""
        return negated(covers(self.old, old, self.new, new))

    def same(self, old: Any, new: Any) -> bool:
        """Tell whether two parts are the same, and all that they refer to."""
        return same(self.old, old, self.new, new)

    def compare(self, old: Any, new: Any, path: Path) -> list[Difference]:
        """Return the differences between two parts that stand at one place."""
        if self.same(old, new):
            return []
        key = (_key(old), _key(new))
        if key in self._open:
            return self._again(key, path)
        if key in self._seen:
            return self._as_before(key, path)
        self._places += 1
        if self._places > _MOST_PLACES:
            return [unclear(path, "the schema is too large to be compared further")]
        self._open[key] = len(path)
        found = self._at_one_place(old, new, path)
        del self._open[key]
        self._assumed.discard(key)
        if not self._assumed:
            self._seen[key] = (path, found)
        return found

    def _again(self, key: tuple[str, str], path: Path) -> list[Difference]:
        """Meet a pair inside itself: what differs is said outside. At the same value it would be a schema without an end."""
        if self._open[key] == len(path):
            return [unclear(path, "the schema refers to itself without an end")]
        self._assumed.add(key)
        return []

    def _as_before(self, key: tuple[str, str], path: Path) -> list[Difference]:
        first, found = self._seen[key]
        asked = [each for each in found if each.kind == "asked"]
        if not asked or first == path:
            return found if first == path else []
        message = f"changed as {shown_path(first)} did"
        narrows, widens = any_of(each.narrows for each in asked), any_of(each.widens for each in asked)
        return [Difference(path=path, message=message, narrows=narrows, widens=widens)]

    def _at_one_place(self, old: Any, new: Any, path: Path) -> list[Difference]:
        before, after = self.old.resolved(old), self.new.resolved(new)
        if before is None or after is None:
            return [unclear(path, "the schema changed in a way that is not followed")]
        narrows, widens = self.narrows(before, after), self.widens(before, after)
        return bounded(self._differences(before, after, path), narrows, widens)

    def _differences(self, old: Schema, new: Schema, path: Path) -> Iterator[Difference]:
        old, new = ({} if each is True else each for each in (old, new))
        if old is False or new is False:
            yield self._of_nothing(old, new, path)
            return
        assert isinstance(old, dict)
        assert isinstance(new, dict)
        yield from spoken_differences(old, new, path)
        before, after = branches_of(self.old, old), branches_of(self.new, new)
        if len(before) > 1 or len(after) > 1:
            yield from choice_differences(self, before, after, path)
        else:
            yield from self._asked(enforced(old), enforced(new), path)

    def _of_nothing(self, old: Any, new: Any, path: Path) -> Difference:
        if new is False:
            return Difference(path=path, message=f"nothing is {self.taken} here any more", narrows=True, widens=False)
        return Difference(path=path, message=f"values are {self.taken} here now", narrows=False, widens=True)

    def _asked(self, old: dict[str, Any], new: dict[str, Any], path: Path) -> Iterator[Difference]:
        for group in GROUPS:
            found = list(group_differences(self, group, old, new, path))
            yield from found
            if group == TYPE and any(each.narrows is not False and each.widens is not False for each in found):
                return  # of another type altogether: what else was asked of the old one is of no interest
        yield from joined_differences(self, old, new, path)
        yield from object_differences(self, old, new, path)
        yield from array_differences(self, old, new, path)
        if any(name in old or name in new for name in UNEVALUATED):
            yield unclear(path, "what stands beside `unevaluatedProperties` or `unevaluatedItems` changed")


def _key(part: Any) -> str:
    """Return the text that names a part: what it holds of definitions does not count."""
    if isinstance(part, dict):
        part = {name: value for name, value in part.items() if name not in ("$defs", "$schema", "definitions")}
    return json_text(part)
