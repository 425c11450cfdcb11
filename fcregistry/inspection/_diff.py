"""What changed between two versions of tools, and does that break their callers?

Split by question: `_sources.py` and `_wheels.py` read versions, `_pairing.py` says which tool is which, `_tools.py` and `_options.py` what changed
in one, `_walk.py` what in its schemas, with `_groups.py`, `_choices.py`, `_objects.py` and `_arrays.py` for what they are made of; `_bump.py`
judges the version.

MERGED: What changed between two versions, what does it mean for callers, and which version should it be?
MERGED: Which tool of an old version is which of a new one?
MERGED: What changed in a tool, and what does that mean for its callers?
MERGED: What does it mean for callers that a tool was declared with other options?

A promise that an author gave is compatible when it is given, and unknown when it is taken back: a policy may have relied on it. What
refuses calls that were run is breaking.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from fcregistry._base.messages import show
from fcregistry._tools.declaration import local_name
from fcregistry._tools.record import ToolRecord
from fcregistry._tools.selectors import normalized
from fcregistry.inspection._diff_core import (
    BUMPS,
    Bump,
    Judgement,
    Part,
    ToolChange,
    Verdict,
    bump_of,
    change,
    judged,
    needed,
    next_version,
    worst,
)
from fcregistry.inspection._diff_sources import DiffSource, Shipped
from fcregistry.inspection._schema_diff import Difference, changed, listed, schema_differences, shown_path
from fcregistry.inspection._schema_document import json_text

# --- inspection._diff._run ---


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
    changes: tuple[ToolChange, ...]
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
    def changes(self) -> tuple[ToolChange, ...]:
        """All changes."""
        return tuple(each for diff in self.distributions for each in diff.changes)


def diff_sources(old: DiffSource, new: DiffSource) -> Diff:
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


def _changes(distribution: str, old: tuple[ToolRecord, ...], new: tuple[ToolRecord, ...]) -> Iterator[ToolChange]:
    pairing = paired(old, new)
    found: list[ToolChange] = []
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


def _renaming(distribution: str, old: ToolRecord, new: ToolRecord) -> ToolChange:
    was, now = place_of(old), _id(distribution, new)
    if old["group"] == new["group"] and old["name"] in aliases_of(new):
        return change("compatible", now, f"was called {show(was)}, and still answers to it as an alias")
    if old["group"] != new["group"]:
        return change("breaking", now, f"was {show(was)}, in another group: it does not answer to that id any more")
    return change("breaking", now, f"was called {show(was)}; aliases={show(old['name'])} would keep that name")


def _id(distribution: str, record: ToolRecord) -> str:
    return f"{distribution}:{place_of(record)}"


# --- inspection._diff._pairing ---


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


# --- inspection._diff._tools ---

_OPEN: Final[dict[str, Any]] = {"type": "object"}


def tool_changes(tool: str, old: ToolRecord, new: ToolRecord) -> Iterator[ToolChange]:
    """Yield what changed in a tool: itself, its parameters, and its result.

    Arguments that the old one took have to be taken by the new one. A result that the new one gives has to be one that the old one promised.

    Args:
        tool: Its canonical id.
        old: What was known of it.
        new: What is known of it now.
    """
    broken, was_broken = new.get("problems"), old.get("problems")
    if broken or was_broken:
        if broken and not was_broken:
            yield change("breaking", tool, f"cannot be defined any more: {broken[0]}")
        elif was_broken and not broken:
            yield change("compatible", tool, "can be defined now")
        return
    if old["description"] != new["description"]:
        message = f"description was {show(old['description'])}, is {show(new['description'])}"
        yield change("compatible", tool, message, words=True)
    yield from _of_context(tool, old["deps"], new["deps"])
    yield from option_changes(tool, old["options"], new["options"])
    for each in schema_differences(old["parameters"] or _OPEN, new["parameters"] or _OPEN):
        yield _of_difference(tool, "parameters", each, each.narrows)
    yield from _of_results(tool, old["returns"], new["returns"])


def place_of(record: ToolRecord) -> str:
    """Return what a tool is called in its distribution: `group.name`, without the default group."""
    return local_name(record["name"], record["group"])


def _of_context(tool: str, old: str | None, new: str | None) -> Iterator[ToolChange]:
    if old == new:
        return
    if new is None:
        yield change("compatible", tool, f"does not ask for {old} from its application any more")
    elif old is None:
        yield change("breaking", tool, f"asks for {new} from its application now, which other callers do not have")
    else:
        yield change("breaking", tool, f"asked its application for {old}, and asks for {new} now")


def _of_results(tool: str, old: dict[str, Any] | None, new: dict[str, Any] | None) -> Iterator[ToolChange]:
    if old is None and new is not None:
        yield _of_result(tool, "compatible", "is described now")
    elif new is None and old is not None:
        yield _of_result(tool, "unknown", "is no longer described")
    elif old is not None and new is not None:
        for each in schema_differences(old, new, "given"):
            yield _of_difference(tool, "returns", each, each.widens)


def _of_result(tool: str, verdict: Verdict, message: str) -> ToolChange:
    bump = bump_of(verdict, words=False)
    return ToolChange(verdict=verdict, tool=tool, part="returns", path="$", message=message, bump=bump)


def _of_difference(tool: str, part: Part, difference: Difference, breaks: bool | None) -> ToolChange:
    verdict: Verdict = "breaking" if breaks else "unknown" if breaks is None else "compatible"
    if difference.kind == "default" and part == "parameters":
        verdict = "unknown"  # what a call that leaves it out does now, no schema tells
    words = difference.kind != "asked"
    return ToolChange(
        verdict=verdict,
        tool=tool,
        part=part,
        path=shown_path(difference.path),
        message=difference.message,
        bump=bump_of(verdict, words=words),
    )


# --- inspection._diff._options ---

Remark = tuple[Verdict, str]

_PROMISES: Final = {"read_only": True, "destructive": False, "idempotent": True, "open_world": False}
"""Hint -> the value by which an author promises something; the others, and none, promise nothing (Model Context Protocol, tool annotations)."""
_SAID: Final = frozenset({"examples", "meta", "title"})
"""Options of which callers depend on none: they are told to people and models."""


def option_changes(tool: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[ToolChange]:
    """Yield what other options mean for the callers of a tool, sorted by the option.

    Args:
        tool: Its canonical id.
        old: The options of its old record: those that differ from their defaults.
        new: Those of the new one.
    """
    for name in sorted(old.keys() | new.keys()):
        if json_text(old.get(name)) != json_text(new.get(name)):
            for verdict, message in _remarks(name, old, new):
                yield change(verdict, tool, message, words=name in _SAID)


def _remarks(name: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Remark]:
    if name in _SAID:
        yield "compatible", f"{name} changed"
    elif name in _PROMISES:
        promised = new.get(name) is _PROMISES[name]
        yield "compatible" if promised else "unknown", changed(name, dict(old), dict(new))
    elif name in _READERS:
        yield from _READERS[name](old.get(name), new.get(name))
    else:
        yield "unknown", changed(name, dict(old), dict(new))


def _of_approval(old: Any, new: Any) -> Iterator[Remark]:
    if new is True:
        yield "breaking", "its calls need approval now, and are refused where there is nobody to ask"
    elif new:
        yield "breaking" if not old else "unknown", f"some of its calls need approval now: {_computed(new)} decides"
    else:
        yield "unknown", "its calls run without approval now"


def _computed(value: Any) -> str:
    return str(next(iter(value.values()), value)) if isinstance(value, dict) else show(value)


def _of_variables(old: Any, new: Any) -> Iterator[Remark]:
    before, after = _texts(old), _texts(new)
    for name in (each for each in after if each not in before):
        yield "breaking", f"requires the environment variable {name} now, and is unavailable without it"
    for name in (each for each in before if each not in after):
        yield "compatible", f"does not require the environment variable {name} any more"


def _of_aliases(old: Any, new: Any) -> Iterator[Remark]:
    before, after = _texts(old), _texts(new)
    if gone := [each for each in before if each not in after]:
        yield "breaking", f"is no longer called {listed(gone)} too"
    if come := [each for each in after if each not in before]:
        yield "compatible", f"is called {listed(come)} too"


def _of_tags(old: Any, new: Any) -> Iterator[Remark]:
    before, after = _texts(old), _texts(new)
    if gone := [each for each in before if each not in after]:
        yield "unknown", f"has no tag {listed(gone)} any more, by which it may be selected"
    if come := [each for each in after if each not in before]:
        yield "compatible", f"has the tag {listed(come)} now"


def _of_deprecation(old: Any, new: Any) -> Iterator[Remark]:
    if new:
        yield "compatible", "is deprecated now" + (f": {new}" if isinstance(new, str) else "")
    else:
        yield "compatible", "is no longer deprecated"


def _of_timeout(old: Any, new: Any) -> Iterator[Remark]:
    longer = new is None or (isinstance(old, (int, float)) and isinstance(new, (int, float)) and new >= old)
    limits = [f"{each:g} s" if isinstance(each, (int, float)) else "none" for each in (old, new)]
    yield "compatible" if longer else "unknown", f"its time limit was {limits[0]}, is {limits[1]}"


_READERS: Final[dict[str, Callable[[Any, Any], Iterator[Remark]]]] = {
    "aliases": _of_aliases,
    "deprecated": _of_deprecation,
    "requires_approval": _of_approval,
    "requires_env": _of_variables,
    "tags": _of_tags,
    "timeout": _of_timeout,
}


def _texts(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else [str(each) for each in value or ()]
