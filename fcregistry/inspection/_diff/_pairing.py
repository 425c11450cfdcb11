"""Which tool of an old version is which of a new one?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field

from fcregistry._tools.record import ToolRecord
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
    for of_old, of_new in (
        (_key, _also_called),
        *((feature, _alone(feature)) for feature in (_name, _function, _told)),
    ):
        found = _matches(before, after, of_old, of_new)
        pairing.renamed.extend(found)
        taken = {id(each) for pair in found for each in pair}
        before, after = ([each for each in left if id(each) not in taken] for left in (before, after))
    pairing.removed.extend(before)
    pairing.added.extend(after)
    return pairing


def aliases_of(record: ToolRecord) -> list[str]:
    """Return the other names of a tool."""
    aliases = record["options"].get("aliases", ())
    return [aliases] if isinstance(aliases, str) else list(aliases)


def _matches(
    old: list[ToolRecord],
    new: list[ToolRecord],
    of_old: Callable[[ToolRecord], Hashable],
    of_new: Callable[[ToolRecord], set[Hashable]],
) -> list[tuple[ToolRecord, ToolRecord]]:
    """Return the pairs of which neither fits a third: what the old one has is one of what the new one has."""
    sought = [(of_old(one), one) for one in old]
    had = [(of_new(other), other) for other in new]
    seekers = Counter(feature for feature, _ in sought)
    offers = Counter(feature for features, _ in had for feature in features)
    by_feature = {
        feature: other
        for features, other in had
        if sum(seekers[each] for each in features) == 1
        for feature in features
    }
    return [(one, by_feature[feature]) for feature, one in sought if offers[feature] == 1 and feature in by_feature]


def _key(record: ToolRecord) -> tuple[str, str]:
    return record["group"], record["name"]


def _also_called(record: ToolRecord) -> set[Hashable]:
    return {(record["group"], alias) for alias in aliases_of(record)}


def _alone(feature: Callable[[ToolRecord], Hashable]) -> Callable[[ToolRecord], set[Hashable]]:
    return lambda record: {feature(record)}


def _name(record: ToolRecord) -> Hashable:
    return record["name"]


def _function(record: ToolRecord) -> Hashable:
    return record["module"], record["qualname"]


def _told(record: ToolRecord) -> Hashable:
    return json_text([record["description"], record["parameters"], record["returns"]])
