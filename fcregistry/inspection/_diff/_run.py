"""What changed between two versions, what does it mean for callers, and which version should it be?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fcregistry._base.messages import show
from fcregistry._tools.record import ToolRecord
from fcregistry._tools.selectors import normalized
from fcregistry.inspection._diff._bump import Judgement, judged, needed, next_version
from fcregistry.inspection._diff._core import BUMPS, Bump, Change, Verdict, change, worst
from fcregistry.inspection._diff._pairing import aliases_of, paired
from fcregistry.inspection._diff._sources import Shipped, Source
from fcregistry.inspection._diff._tools import place_of, tool_changes


@dataclass(frozen=True, slots=True, kw_only=True)
class DistributionDiff:
    """What changed in one distribution.

    Attributes:
        distribution: Its name.
        old_version: Its old version; None where that is not known, or it was not there.
        new_version: Its new version; None where that is not known, or it is not there.
        changes: What changed, by tool.
        bump: Which number of the version that asks for: `major`, `minor`, `patch` or `none`.
        suggested: The least new version that is enough; None if any is, or the old one is not known.
        judgement: Whether the version changed enough: `enough`, `too small`, `backwards`, or `untold` where one is not known.
    """

    distribution: str
    old_version: str | None
    new_version: str | None
    changes: tuple[Change, ...]
    bump: Bump
    suggested: str | None
    judgement: Judgement


@dataclass(frozen=True, slots=True, kw_only=True)
class Diff:
    """What changed between two sources.

    Attributes:
        verdict: The worst verdict of all changes; `compatible` where there is none.
        distributions: What changed in each distribution that is in one of them, by name.
    """

    verdict: Verdict
    distributions: tuple[DistributionDiff, ...]

    @property
    def changes(self) -> tuple[Change, ...]:
        """All changes."""
        return tuple(each for diff in self.distributions for each in diff.changes)


def diff(old: Source, new: Source) -> Diff:
    """Return what changed between two sources: the same for the same ones, in the same order.

    Args:
        old: What callers rely on.
        new: What they will get.
    """
    before, after = ({normalized(each.distribution): each for each in source.shipped} for source in (old, new))
    found = tuple(_diff_of(before.get(name), after.get(name)) for name in sorted(before.keys() | after.keys()))
    return Diff(verdict=worst([each.verdict for one in found for each in one.changes]), distributions=found)


def _diff_of(old: Shipped | None, new: Shipped | None) -> DistributionDiff:
    one = new or old
    assert one is not None
    changes = tuple(_changes(one.distribution, old.tools if old else (), new.tools if new else ()))
    bump: Bump = min((each.bump for each in changes), key=BUMPS.index, default="none")
    old_version, new_version = (each.version if each else None for each in (old, new))
    return DistributionDiff(
        distribution=one.distribution,
        old_version=old_version,
        new_version=new_version,
        changes=changes,
        bump=needed(bump, old_version),
        suggested=next_version(bump, old_version),
        judgement=judged(bump, old_version, new_version),
    )


def _changes(distribution: str, old: tuple[ToolRecord, ...], new: tuple[ToolRecord, ...]) -> Iterator[Change]:
    pairing = paired(old, new)
    found: list[Change] = []
    for one, other in pairing.kept:
        found += tool_changes(_id(distribution, other), one, other)
    for one, other in pairing.renamed:
        found.append(_renaming(distribution, one, other))
        found += tool_changes(_id(distribution, other), one, other)
    # One that cannot be defined is offered to nobody, and no lock has it
    gone, new_ones = (
        [_id(distribution, each) for each in tools if not each.get("problems")]
        for tools in (pairing.removed, pairing.added)
    )
    found += [change("breaking", each, "is gone") for each in gone]
    found += [change("compatible", each, "is new") for each in new_ones]
    yield from sorted(found, key=lambda each: each.tool)


def _renaming(distribution: str, old: ToolRecord, new: ToolRecord) -> Change:
    was, now = place_of(old), _id(distribution, new)
    if old["group"] == new["group"] and old["name"] in aliases_of(new):
        return change("compatible", now, f"was called {show(was)}, and still answers to it as an alias")
    if old["group"] != new["group"]:
        return change("breaking", now, f"was {show(was)}, in another group: it does not answer to that id any more")
    return change("breaking", now, f"was called {show(was)}; aliases={show(old['name'])} would keep that name")


def _id(distribution: str, record: ToolRecord) -> str:
    return f"{distribution}:{place_of(record)}"
