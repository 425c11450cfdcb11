"""The difference between two versions of tools: what changed, what that means for callers, and which version it asks for.

`_diff_sources.py` reads the versions, and `_schema_diff.py` compares the schemas.

A promise of an author is compatible when it is given, and unknown when it is taken back: a policy may have relied on it. A change that
refuses calls which ran before is breaking.

Versions: Semantic Versioning 2.0.0. Below 1.0 it promises nothing; the custom is that the second number then takes the place of the first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

from fcregistry._base.wording import show
from fcregistry._tools.declaration import local_name
from fcregistry._tools.record import ToolRecord
from fcregistry._tools.selectors import normalized
from fcregistry.inspection._diff_sources import DiffSource, Shipped, Version, read_version, tool_id
from fcregistry.inspection._schema_diff import Difference, changed, listed, schema_differences, shown_path
from fcregistry.inspection._schema_document import json_text

Verdict = Literal["breaking", "unknown", "compatible"]
VERDICTS: Final[tuple[Verdict, ...]] = ("breaking", "unknown", "compatible")
"""What a change means for callers, worst first; `unknown` is all that this module cannot decide."""

Part = Literal["tool", "parameters", "returns"]
"""The part of a tool that changes; the path of a change leads into it."""

Bump = Literal["major", "minor", "patch", "none"]
BUMPS: Final[tuple[Bump, ...]] = ("major", "minor", "patch", "none")
"""Which number of a version changes, greatest first (Semantic Versioning 2.0.0)."""

Judgement = Literal["enough", "too small", "backwards", "untold"]
"""Whether the version changed enough; `untold` if one of the two versions is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolChange:
    """One difference between two versions of a tool.

    Attributes:
        verdict: What it means for callers: `breaking`, `unknown` or `compatible`.
        tool: The canonical id of the tool: the new one, if there is one.
        part: The part that changes: `parameters`, `returns`, or the `tool` itself.
        path: The place in the arguments or the result, such as `$.address.zip`; `$` for the whole.
        message: What changes, in words.
        bump: The number of the version that has to change for it: `major`, `minor` or `patch`.
    """

    verdict: Verdict
    tool: str
    part: Part
    path: str
    message: str
    bump: Bump


@dataclass(frozen=True, slots=True, kw_only=True)
class DistributionDiff:
    """What changed in one distribution.

    Attributes:
        distribution: Its name.
        old_version: Its old version; None if that is not known, or the old source does not have the distribution.
        new_version: Its new version; None if that is not known, or the new source does not have the distribution.
        changes: What changed, sorted by tool.
        bump: The number of the version that has to change: `major`, `minor`, `patch` or `none`.
        suggested: The least new version that is enough; None if any is, or the old version is not known.
        judgement: Whether the version changed enough: `enough`, `too small`, `backwards`, or `untold` if a version is not known.
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
        verdict: The worst verdict of all changes; `compatible` if there is no change.
        distributions: What changed in each distribution that either source has, sorted by name.
    """

    verdict: Verdict
    distributions: tuple[DistributionDiff, ...]

    @property
    def changes(self) -> tuple[ToolChange, ...]:
        """All changes."""
        return tuple(each for diff in self.distributions for each in diff.changes)


def diff_sources(old: DiffSource, new: DiffSource) -> Diff:
    """Return what changed between two sources, always in the same order.

    Args:
        old: What callers rely on.
        new: What callers will get.
    """
    before, after = ({normalized(each.distribution): each for each in source.shipped} for source in (old, new))
    found = tuple(_diff_of(before.get(name), after.get(name)) for name in sorted(before.keys() | after.keys()))
    return Diff(verdict=worst([each.verdict for one in found for each in one.changes]), distributions=found)


def _diff_of(old: Shipped | None, new: Shipped | None) -> DistributionDiff:
    """Return what changed in one distribution; None is a version that does not exist, and one is not None."""
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
        bump=needed_bump(bump, old_version),
        suggested=next_version(bump, old_version),
        judgement=judge(bump, old_version, new_version),
    )


def _changes(distribution: str, old: tuple[ToolRecord, ...], new: tuple[ToolRecord, ...]) -> Iterator[ToolChange]:
    """Yield what changed in the tools of a distribution, sorted by canonical id.

    Tools that cannot be defined are neither gone nor new.
    """
    pairing = pair_tools(old, new)
    found: list[ToolChange] = []
    for one, other in pairing.kept:
        found += tool_changes(tool_id(distribution, other), one, other)
    for one, other in pairing.renamed:
        found.append(_renaming(distribution, one, other))
        found += tool_changes(tool_id(distribution, other), one, other)
    # Executors do not offer a tool that cannot be defined, and no lock has it
    gone, new_ones = (
        [tool_id(distribution, each) for each in tools if not each.get("problems")]
        for tools in (pairing.removed, pairing.added)
    )
    found += [change("breaking", each, "is gone") for each in gone]
    found += [change("compatible", each, "is new") for each in new_ones]
    yield from sorted(found, key=lambda each: each.tool)


def _renaming(distribution: str, old: ToolRecord, new: ToolRecord) -> ToolChange:
    """Return the change of a tool's name or group.

    It is compatible if the group is the same and the old name is an alias of the new tool, or else breaking.
    """
    was, now = local_name(old["name"], old["group"]), tool_id(distribution, new)
    if old["group"] == new["group"] and old["name"] in aliases_of(new):
        return change("compatible", now, f"was called {show(was)}, and still answers to it as an alias")
    if old["group"] != new["group"]:
        return change("breaking", now, f"was {show(was)}, in another group: it does not answer to that id any more")
    return change("breaking", now, f"was called {show(was)}; aliases={show(old['name'])} would keep that name")


# --- Which tool is which ---


class Pairing(NamedTuple):
    """The tools of two versions.

    Attributes:
        kept: The tools that have the same group and name in both.
        renamed: The tools that have another group or name now.
        removed: The tools that are gone.
        added: The tools that are new.
    """

    kept: list[tuple[ToolRecord, ToolRecord]]
    renamed: list[tuple[ToolRecord, ToolRecord]]
    removed: list[ToolRecord]
    added: list[ToolRecord]


def pair_tools(old: Sequence[ToolRecord], new: Sequence[ToolRecord]) -> Pairing:
    """Return the pairs of old and new versions of one tool, and the tools that are gone or new.

    Each list is in the order of its argument.

    A tool whose group and name are gone was renamed if exactly one new tool has its name as an alias; otherwise, if exactly one has the same
    name in another group, the same function, or the same description and schemas.
    """
    after, before = {_key(each): each for each in new}, {_key(each) for each in old}
    removed = [each for each in old if _key(each) not in after]
    added = [each for each in new if _key(each) not in before]
    renamed: list[tuple[ToolRecord, ToolRecord]] = []
    for of_old, of_new in _FEATURES:
        olds, news = _owners(removed, of_old), _owners(added, of_new)
        pairs = [(olds[feature], news[feature]) for feature in olds if feature in news]
        matched = Counter(id(other) for _, other in pairs)  # a tool may have the names of two old ones as aliases
        renamed += [pair for pair in pairs if matched[id(pair[1])] == 1]
        done = {id(each) for pair in renamed for each in pair}
        removed, added = ([each for each in tools if id(each) not in done] for tools in (removed, added))
    return Pairing([(each, after[_key(each)]) for each in old if _key(each) in after], renamed, removed, added)


def aliases_of(record: ToolRecord) -> list[str]:
    """Return the aliases of the tool of a record."""
    aliases = record["options"].get("aliases", ())
    return [aliases] if isinstance(aliases, str) else list(aliases)


Features = Callable[[ToolRecord], list[Hashable]]


def _owners(records: Iterable[ToolRecord], features: Features) -> dict[Hashable, ToolRecord]:
    """Return feature -> the record that has it, without the features that several records have.

    Args:
        records: The records.
        features: Returns the features of a record.
    """
    found: dict[Hashable, list[ToolRecord]] = {}
    for each in records:
        for feature in features(each):
            found.setdefault(feature, []).append(each)
    return {feature: owners[0] for feature, owners in found.items() if len(owners) == 1}


def _key(record: ToolRecord) -> tuple[str, str]:
    """Return the group and the name of the tool of a record."""
    return record["group"], record["name"]


def _same(feature: Callable[[ToolRecord], Hashable]) -> tuple[Features, Features]:
    """Return the entry of `_FEATURES` for `feature`, which old and new records have in the same form.

    Both functions of the entry return a list of that one feature of a record.
    """
    return lambda record: [feature(record)], lambda record: [feature(record)]


_FEATURES: Final[tuple[tuple[Features, Features], ...]] = (
    (lambda old: [_key(old)], lambda new: [(new["group"], alias) for alias in aliases_of(new)]),
    _same(lambda record: record["name"]),
    _same(lambda record: (record["module"], record["qualname"])),
    _same(lambda record: json_text([record["description"], record["parameters"], record["returns"]])),
)
"""The features that a renamed tool keeps, the strongest first: functions of its old record, and of its new record."""


# --- What changed in one tool ---

_OPEN: Final[dict[str, Any]] = {"type": "object"}


def tool_changes(tool: str, old: ToolRecord, new: ToolRecord) -> Iterator[ToolChange]:
    """Yield what changed in a tool itself, in its parameters and in its result.

    The new tool has to accept every argument that the old one accepted, and may only return what the old one promised to return.

    Args:
        tool: The tool's canonical id.
        old: The old record.
        new: The new record.
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
    yield from _context_changes(tool, old["deps"], new["deps"])
    yield from option_changes(tool, old["options"], new["options"])
    for each in schema_differences(old["parameters"] or _OPEN, new["parameters"] or _OPEN):
        yield _schema_change(tool, "parameters", each, each.narrows)
    yield from _result_changes(tool, old["returns"], new["returns"])


def _context_changes(tool: str, old: str | None, new: str | None) -> Iterator[ToolChange]:
    """Yield what changed in the `deps` that a tool asks its application for: at most one change.

    None is a tool that asks for nothing. To ask for less is compatible, and for more or other `deps` breaking.
    """
    if old == new:
        return
    if new is None:
        yield change("compatible", tool, f"does not ask for {old} from its application any more")
    elif old is None:
        yield change("breaking", tool, f"asks for {new} from its application now, which other callers do not have")
    else:
        yield change("breaking", tool, f"asked its application for {old}, and asks for {new} now")


def _result_changes(tool: str, old: dict[str, Any] | None, new: dict[str, Any] | None) -> Iterator[ToolChange]:
    """Yield what changed in the schema of a tool's result; None if the tool has none.

    A new schema is compatible, a missing one unknown; otherwise, what widens the schema is breaking.
    """
    if old is None and new is not None:
        yield change("compatible", tool, "is described now", part="returns")
    elif new is None and old is not None:
        yield change("unknown", tool, "is no longer described", part="returns")
    elif old is not None and new is not None:
        for each in schema_differences(old, new, "return"):
            yield _schema_change(tool, "returns", each, each.widens)


def _schema_change(tool: str, part: Part, difference: Difference, breaks: bool | None) -> ToolChange:
    """Return `difference` as a change: breaking if `breaks`, unknown if that is None, or else compatible.

    A changed default of a parameter is always unknown.
    """
    verdict: Verdict = "breaking" if breaks else "unknown" if breaks is None else "compatible"
    if difference.kind == "default" and part == "parameters":
        verdict = "unknown"  # no schema says what a call without the argument does now
    words = difference.kind != "constraint"
    return change(verdict, tool, difference.message, part=part, path=shown_path(difference.path), words=words)


def change(
    verdict: Verdict, tool: str, message: str, *, part: Part = "tool", path: str = "$", words: bool = False
) -> ToolChange:
    """Return a change with the number of the version that has to change for it.

    Args:
        verdict: What it means for callers.
        tool: The tool's canonical id.
        message: What changes.
        part: The part that changes.
        path: The place in the arguments or the result.
        words: Whether only descriptions change: then a patch version is enough.
    """
    # For `unknown`, this is the least that may be needed
    bump: Bump = "major" if verdict == "breaking" else "patch" if words and verdict == "compatible" else "minor"
    return ToolChange(verdict=verdict, tool=tool, part=part, path=path, message=message, bump=bump)


# --- Options ---

Remark = tuple[Verdict, str]

_PROMISES: Final = {"read_only": True, "destructive": False, "idempotent": True, "open_world": False}
"""Hint -> the value that is a promise of the author; any other value promises nothing (Model Context Protocol, tool annotations)."""
_DESCRIPTIVE: Final = frozenset({"examples", "meta", "title"})
"""Options that only describe a tool to people and models: no caller depends on them."""


def option_changes(tool: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[ToolChange]:
    """Yield what changed options mean for the callers of a tool, sorted by option.

    Args:
        tool: The tool's canonical id.
        old: The options of its old record: those that differ from their defaults.
        new: The options of its new record.
    """
    for name in sorted(old.keys() | new.keys()):
        if json_text(old.get(name)) != json_text(new.get(name)):
            for verdict, message in _remarks(name, old, new):
                yield change(verdict, tool, message, words=name in _DESCRIPTIVE)


def _remarks(name: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Remark]:
    """Yield verdict and message on what the changed option `name` means, from all old and new options.

    A change of an option that only describes is compatible. A promise is compatible when it is given, and unknown when it is taken back. The
    options in `_REMARKS_BY_OPTION` have a function each; a change of any other option is unknown.
    """
    if name in _DESCRIPTIVE:
        yield "compatible", f"{name} changed"
    elif name in _PROMISES:
        promised = new.get(name) is _PROMISES[name]
        yield "compatible" if promised else "unknown", changed(name, dict(old), dict(new))
    elif name in _REMARKS_BY_OPTION:
        yield from _REMARKS_BY_OPTION[name](old.get(name), new.get(name))
    else:
        yield "unknown", changed(name, dict(old), dict(new))


def _approval_remarks(old: Any, new: Any) -> Iterator[Remark]:
    """Yield what a changed `requires_approval` means for callers: one verdict and message.

    True is breaking. A function that decides is breaking if no approval was needed before, or else unknown. No approval is unknown.
    """
    if new is True:
        yield "breaking", "its calls need approval now, and are refused without an approver"
    elif new:
        yield "breaking" if not old else "unknown", f"some of its calls need approval now: {_decider(new)} decides"
    else:
        yield "unknown", "its calls run without approval now"


def _decider(value: Any) -> str:
    """Return the name of the function that decides whether a call needs approval.

    It is the first value of a dict, which a record has in place of the function; any other value is shown as JSON.
    """
    return str(next(iter(value.values()), value)) if isinstance(value, dict) else show(value)


def _variable_remarks(old: Any, new: Any) -> Iterator[Remark]:
    """Yield verdict and message for each variable in a changed `requires_env`.

    A new one is breaking, and a missing one compatible.
    """
    for name in _without(new, old):
        yield "breaking", f"requires the environment variable {name} now, and is unavailable without it"
    for name in _without(old, new):
        yield "compatible", f"does not require the environment variable {name} any more"


def _list_remarks(gone: Remark, come: Remark) -> Callable[[Any, Any], Iterator[Remark]]:
    """Return the function that compares an option that is a list of names, and yields its remarks.

    Args:
        gone: The verdict, and the message with `{}` for the names, if names are missing in the new list.
        come: The same, if names are new.
    """

    def remarks(old: Any, new: Any) -> Iterator[Remark]:
        """Yield `gone` with the names that only `old` has, and `come` with those that only `new` has, if any."""
        for (verdict, message), names in ((gone, _without(old, new)), (come, _without(new, old))):
            if names:
                yield verdict, message.format(listed(names))

    return remarks


def _deprecation_remarks(old: Any, new: Any) -> Iterator[Remark]:
    """Yield what a changed `deprecated` means for callers, which is always compatible."""
    now = "is deprecated now" + (f": {new}" if isinstance(new, str) else "")
    yield "compatible", now if new else "is no longer deprecated"


def _timeout_remarks(old: Any, new: Any) -> Iterator[Remark]:
    """Yield what a changed `timeout` (in seconds; None for no limit) means: one verdict and message.

    It is compatible if the new limit is none or not smaller, or else unknown.
    """
    longer = new is None or (isinstance(old, (int, float)) and isinstance(new, (int, float)) and new >= old)
    limits = [f"{each:g} s" if isinstance(each, (int, float)) else "none" for each in (old, new)]
    yield "compatible" if longer else "unknown", f"its time limit was {limits[0]}, is {limits[1]}"


_REMARKS_BY_OPTION: Final[dict[str, Callable[[Any, Any], Iterator[Remark]]]] = {
    "aliases": _list_remarks(("breaking", "is no longer called {} too"), ("compatible", "is called {} too")),
    "deprecated": _deprecation_remarks,
    "requires_approval": _approval_remarks,
    "requires_env": _variable_remarks,
    "tags": _list_remarks(
        ("unknown", "has no tag {} any more, by which it may be selected"), ("compatible", "has the tag {} now")
    ),
    "timeout": _timeout_remarks,
}


def _without(some: Any, others: Any) -> list[str]:
    """Return the texts in an option's value `some` that are not in its value `others`."""
    return [each for each in _texts(some) if each not in _texts(others)]


def _texts(value: Any) -> list[str]:
    """Return an option's value, a text, a list or None, as a list of texts, which is empty for None.

    Alternatives, which are lists inside the list, are joined by `or`.
    """
    if isinstance(value, str):
        return [value]
    return [" or ".join(each) if isinstance(each, (list, tuple)) else str(each) for each in value or ()]


# --- Versions ---


def worst(verdicts: list[Verdict]) -> Verdict:
    """Return the worst of `verdicts`; `compatible` if there are none."""
    return min(verdicts, key=VERDICTS.index, default="compatible")


def judge(bump: Bump, old: str | None, new: str | None) -> Judgement:
    """Return whether the version changed enough.

    Args:
        bump: The number that has to change for the changes, before `needed_bump` lowers it.
        old: The old version; None if it is not known.
        new: The new version; None if it is not known.
    """
    before, after = read_version(old), read_version(new)
    if before is None or after is None:
        return "untold"
    if (after.epoch, after.release) < (before.epoch, before.release):
        return "backwards"
    return "enough" if BUMPS.index(_actual_bump(before, after)) <= BUMPS.index(needed_bump(bump, old)) else "too small"


def needed_bump(bump: Bump, old: str | None) -> Bump:
    """Return the number of a version that has to change: `bump` or, below 1.0, the next lower number."""
    version = read_version(old)
    if version is None or version.release[0] > 0 or bump == "none":
        return bump
    return "minor" if bump == "major" else "patch"


def _actual_bump(old: Version, new: Version) -> Bump:
    """Return `major`, `minor` or `patch`, by the first number that changed; `none` if nothing did.

    A new epoch, and any change from a pre-release such as `1.0rc1`, is `major`. A fourth number, or the text after the numbers, is `patch`.
    """
    if new.epoch != old.epoch or new.release[0] != old.release[0]:
        return "major"
    if old.is_before_release and (new.release, new.rest) != (old.release, old.rest):
        return "major"
    if new.release[1] != old.release[1]:
        return "minor"
    return "patch" if (new.release, new.rest) != (old.release, old.rest) else "none"


def next_version(bump: Bump, old: str | None) -> str | None:
    """Return the least new version that is enough; None if `old` is not known, or is enough itself."""
    version, bump = read_version(old), needed_bump(bump, old)
    if version is None or bump == "none":
        return None
    major, minor, patch = version.release[:3]
    numbers = {"major": (major + 1, 0, 0), "minor": (major, minor + 1, 0), "patch": (major, minor, patch + 1)}[bump]
    return (f"{version.epoch}!" if version.epoch else "") + ".".join(map(str, numbers))
