"""Which tool of an old version is which of a new one?"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field

from fcregistry._records import ToolRecord
from fcregistry.inspection._diff._documents import json_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing:
    """The tools of two versions.

    Attributes:
        kept: Those of one group and name in both.
        renamed: Those that have another group or name now.
        removed: Those that are gone.
        added: Those that are new.
    """

    kept: list[tuple[ToolRecord, ToolRecord]] = field(default_factory=list)
    renamed: list[tuple[ToolRecord, ToolRecord]] = field(default_factory=list)
    removed: list[ToolRecord] = field(default_factory=list)
    added: list[ToolRecord] = field(default_factory=list)


def paired(old: Sequence[ToolRecord], new: Sequence[ToolRecord]) -> Pairing:
    """Return which tool is which, each in the order given.

    One whose group and name is gone was renamed if there is one new tool that keeps its name as an alias; or else one of the same name in
    another group; of the same function; or of the same description and schemas.
    """
    pairing = Pairing()
    known = {_key(each): each for each in new}
    before = [each for each in old if _key(each) not in known]
    kept = {_key(each) for each in old}
    after = [each for each in new if _key(each) not in kept]
    pairing.kept.extend((each, known[_key(each)]) for each in old if _key(each) in known)
    for same in (_alias_kept, _same(_name), _same(_function), _same(_told)):
        for one, other in _matches(before, after, same):
            pairing.renamed.append((one, other))
            before.remove(one)
            after.remove(other)
    pairing.removed.extend(before)
    pairing.added.extend(after)
    return pairing


def aliases_of(record: ToolRecord) -> list[str]:
    """Return the other names of a tool."""
    aliases = record["options"].get("aliases", ())
    return [aliases] if isinstance(aliases, str) else list(aliases)


def _matches(
    old: list[ToolRecord], new: list[ToolRecord], same: Callable[[ToolRecord, ToolRecord], bool]
) -> list[tuple[ToolRecord, ToolRecord]]:
    """Return the pairs of which neither fits a third."""
    found = [(one, other) for one in old for other in new if same(one, other)]
    return [
        (one, other)
        for one, other in found
        if sum(each is one for each, _ in found) == sum(each is other for _, each in found) == 1
    ]


def _key(record: ToolRecord) -> tuple[str, str]:
    return record["group"], record["name"]


def _alias_kept(old: ToolRecord, new: ToolRecord) -> bool:
    return old["group"] == new["group"] and old["name"] in aliases_of(new)


def _same(feature: Callable[[ToolRecord], Hashable]) -> Callable[[ToolRecord, ToolRecord], bool]:
    return lambda old, new: feature(old) == feature(new)


def _name(record: ToolRecord) -> Hashable:
    return record["name"]


def _function(record: ToolRecord) -> Hashable:
    return record["module"], record["qualname"]


def _told(record: ToolRecord) -> Hashable:
    return json_text([record["description"], record["parameters"], record["returns"]])
