"""Lock files: what is installed, written as a lock, and how it differs from what is locked."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from errno import EEXIST
from pathlib import Path
from typing import Any, Final, Literal

from fcregistry._config.lock import FORMAT, Lock, Pin, without_locks
from fcregistry._config.policy import trust
from fcregistry._tools.record import ToolRecord, digest_of
from fcregistry._tools.selectors import normalized
from fcregistry.discovery import (
    FoundEntryPoint,
    FoundExtension,
    FoundPlugin,
    Manifest,
    PluginKey,
    SourceOwner,
    altered_files,
    current,
    doubt_about,
    files_digest,
    manifest_drift,
    manifest_of,
)
from fcregistry.inspection._diff_sources import shipped_records, tool_id


@dataclass(frozen=True, slots=True, kw_only=True)
class Inventory:
    """What is installed, in the form of a lock.

    Attributes:
        distributions: Name -> what a lock holds of the distribution: `version`, `files` and `tools`.
        altered: Name -> the files of the distribution that were changed after its installation.
        misdescribed: Name -> a line for each difference of the distribution's manifest from its code.
        left_out: A sentence for each plugin or tool that cannot be locked.
    """

    distributions: dict[str, dict[str, Any]]
    altered: dict[str, tuple[str, ...]]
    misdescribed: dict[str, tuple[str, ...]]
    left_out: tuple[str, ...]


def take_inventory(distributions: Iterable[str] = ()) -> Inventory:
    """Describe again the plugins that may be imported, and return their inventory; locks are ignored.

    Each plugin is imported: what the index and manifests say of it is not used. Hidden tools are included: a lock is about what is
    installed, and the same for every configuration.

    Args:
        distributions: The distributions to look at; by default all.
    """
    wanted = {normalized(each) for each in distributions}
    discovery = current()
    with without_locks():
        operator = trust()  # before anything is imported
        fresh = discovery.describe_again(wanted)
        asked = [
            each
            for each in discovery.entry_points_and_sources()
            if (not wanted or each.project in wanted)
            and operator.refusal(*each.key, ships_tools=not isinstance(each, FoundExtension)) is None
        ]
        installed = (each for each in asked if isinstance(each, FoundEntryPoint))
        doubts = {each.label: reason for each in installed if (reason := doubt_about(each, thorough=True)) is not None}
        found = [each for each in asked if each.label not in doubts]  # the others could not be used with the lock
        records = shipped_records(fresh)
        tools = [(each.distribution, record) for each in found for record in records.get(each.key, ())]
        failing: dict[FoundEntryPoint | SourceOwner, str | None] = {
            each.plugin: each.reason for each in discovery.report().failed
        }
        failing |= {
            each.plugin: each.record["failure"] for each in fresh.values() if each.record["failure"] is not None
        }
    failed = [f"{each.label} does not load: {failing[each]}" for each in found if each in failing]
    inventory = inventory_of(found, tools, [*(f"{label}: {reason}" for label, reason in doubts.items()), *failed])
    return replace(inventory, misdescribed=_misdescribed(found, records))


def _misdescribed(
    found: Iterable[FoundEntryPoint | SourceOwner], records: Mapping[PluginKey, Iterable[ToolRecord]]
) -> dict[str, tuple[str, ...]]:
    """Return distribution -> a line for each difference of its manifests from the code.

    Distributions without differences are left out, and so are manifests that are not used: outdated, dynamic or broken ones.

    Args:
        found: The plugins; other entry points and sources are ignored.
        records: The records of the tools of each plugin, as its code declares them.
    """
    differences: dict[str, tuple[str, ...]] = {}
    for plugin in found:
        manifest = manifest_of(plugin) if isinstance(plugin, FoundPlugin) and plugin.key in records else None
        if isinstance(manifest, Manifest) and not manifest.is_stale and not manifest.dynamic:  # the others are not used
            lines = manifest_drift(manifest.tools, records[plugin.key])
            if lines:
                differences[plugin.distribution] = (*differences.get(plugin.distribution, ()), *lines)
    return differences


def inventory_of(
    found: Iterable[FoundEntryPoint | SourceOwner],
    declared: Iterable[tuple[str, ToolRecord]],
    failed: Iterable[str] = (),
) -> Inventory:
    """Return the inventory of some distributions.

    Args:
        found: Their entry points; sources among them.
        declared: Distribution and record of each tool; other distributions' tools are ignored.
        failed: A sentence for each plugin that did not load, or may belong to another distribution than it claims.
    """
    distributions: dict[str, dict[str, Any]] = {}
    altered = {}
    left_out = list(failed)
    tools: dict[str, list[ToolRecord]] = {}
    for name, record in declared:
        tools.setdefault(normalized(name), []).append(record)
    for each in found:
        if each.distribution not in distributions:
            records, without = _lockable(each.distribution, tools.get(each.project, []))
            left_out += without
            distributions[each.distribution] = {
                "version": each.version,
                "files": each.digest if isinstance(each, SourceOwner) else files_digest(each.source),
                "tools": records,
            }
            if not isinstance(each, SourceOwner) and (files := altered_files(each.source)):
                altered[each.distribution] = files
    return Inventory(distributions=distributions, altered=altered, misdescribed={}, left_out=tuple(left_out))


def _lockable(distribution: str, records: list[ToolRecord]) -> tuple[list[ToolRecord], list[str]]:
    """Return the records that a lock can hold, sorted by group and name, and a sentence on each other one.

    The others cannot be defined, or share their group and name. The records are copies without file and line, with a new digest.
    """
    keys = [(each["group"], each["name"]) for each in records]
    lockable, left_out = [], []
    for key, record in sorted(zip(keys, records, strict=True), key=lambda item: item[0]):
        if "problems" in record:
            left_out.append(f"{tool_id(distribution, record)} cannot be defined: {'; '.join(record['problems'])}")
        elif keys.count(key) > 1:
            left_out.append(f"{tool_id(distribution, record)} is declared by {record['module']} and by another module")
        else:
            # The path of a file differs between machines, and a line changes with every comment above it
            clean: ToolRecord = {**record, "file": None, "line": None}
            clean["digest"] = digest_of(clean)
            lockable.append(clean)
    return lockable, left_out


# --- Comparing with a lock ---

_PARTS: Final = ("description", "parameters", "returns", "options", "deps", "module", "qualname")
"""The parts of a tool that are compared; the summary is made from the description, and the digest from all parts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LockChange:
    """One difference between a lock and what is installed.

    Attributes:
        kind: `added`, `removed` or `changed`.
        subject: A distribution, or a tool's canonical id.
        part: The part of it: `version`, `files`, `description`, a path such as `parameters.properties.unit.default`; empty for all of it.
        old: The locked value; None if there is none.
        new: The installed value; None if there is none.
    """

    kind: Literal["added", "removed", "changed"]
    subject: str
    part: str = ""
    old: Any = None
    new: Any = None


def lock_changes(lock: Lock, now: Inventory) -> tuple[LockChange, ...]:
    """Return every difference between a lock and what is installed, sorted by distribution and tool."""
    pins = {pin.name: pin for pin in lock.pins.values()}
    named = {name: lock.pin(name) for name in now.distributions}
    gone = [pin for pin in pins.values() if pin not in named.values()]
    found = [LockChange(kind="removed", subject=pin.name, old=pin.version) for pin in gone]
    for name, installed in now.distributions.items():
        pin = named[name]
        if pin is None:
            found.append(LockChange(kind="added", subject=name, new=installed["version"]))
        else:
            found += _distribution_changes(name, pin, installed, now)
    return tuple(sorted(found, key=lambda each: each.subject))


def _distribution_changes(name: str, pin: Pin, installed: Mapping[str, Any], now: Inventory) -> Iterator[LockChange]:
    """Yield the differences between the pin of a distribution and what is installed of it.

    They are its version, its files, files that were altered, its manifest, and then its tools.
    """
    if pin.version != installed["version"]:
        yield LockChange(kind="changed", subject=name, part="version", old=pin.version, new=installed["version"])
    if pin.files != installed["files"]:
        yield LockChange(kind="changed", subject=name, part="files", old=pin.files, new=installed["files"])
    for file in now.altered.get(name, ()):
        yield LockChange(kind="changed", subject=name, part=f"{file}, which is not what was installed")
    for line in now.misdescribed.get(name, ()):
        yield LockChange(
            kind="changed", subject=name, part=f"its manifest, which is not what its code declares: {line}"
        )
    old = {tool_id(name, each): each for each in pin.tools}
    new = {tool_id(name, each): each for each in installed["tools"]}
    yield from (LockChange(kind="removed", subject=each) for each in old if each not in new)
    yield from (LockChange(kind="added", subject=each) for each in new if each not in old)
    for each in old.keys() & new.keys():
        yield from _tool_changes(each, old[each], new[each])


def _tool_changes(subject: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[LockChange]:
    """Yield the differences between the locked and the installed record of the tool `subject`.

    If only the digests differ, because the lock was edited by hand, that is the one difference.
    """
    parts = [difference for part in _PARTS for difference in _differences(part, old.get(part), new.get(part))]
    yield from (LockChange(kind="changed", subject=subject, part=part, old=was, new=now) for part, was, now in parts)
    if old["digest"] != new["digest"] and not parts:  # the lock was edited by hand
        yield LockChange(kind="changed", subject=subject, part="digest", old=old["digest"], new=new["digest"])


def _differences(path: str, old: Any, new: Any) -> Iterator[tuple[str, Any, Any]]:
    """Yield path, old and new value of each place where two JSON values differ.

    Only dicts are compared by name, where a missing value is None; lists are compared as a whole.
    """
    if isinstance(old, dict) and isinstance(new, dict):
        for name in sorted(old.keys() | new.keys()):
            yield from _differences(f"{path}.{name}", old.get(name), new.get(name))
    elif json.dumps(old, sort_keys=True) != json.dumps(new, sort_keys=True):  # for Python, 1 == True and 1 == 1.0
        yield path, old, new


# --- Writing a lock ---


def lock_text(distributions: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the text of a lock: the same bytes for the same contents.

    It is ASCII, so that a reviewer sees every character of a description.
    """
    return json.dumps({"fcregistry_lock": FORMAT, "distributions": distributions}, indent=2, sort_keys=True) + "\n"


def write_lock(path: Path, text: str) -> None:
    """Replace the lock at `path` in one step: another process reads either the old lock or the new one.

    Raises:
        OSError: It cannot be written there. A link, or anything else that is not a regular file, is not replaced.
    """
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise OSError(EEXIST, "it is a link, or not a file: name a file", str(path))
    aside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with aside.open("x", encoding="ascii", newline="\n") as file:
            file.write(text)
        if path.exists():
            aside.chmod(path.stat().st_mode & 0o7777)
        aside.replace(path)
    finally:  # an interrupt must not leave a half-written file
        aside.unlink(missing_ok=True)
