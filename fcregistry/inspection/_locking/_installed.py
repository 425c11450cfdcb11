"""What is there to be locked? The distributions with plugins or extensions, and the tools that they ship."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from fcregistry._config.policy import Trust, trust, without_locks
from fcregistry._tools.declaration import local_name
from fcregistry._tools.record import ToolRecord, digest_of, record_of
from fcregistry._tools.selectors import normalized
from fcregistry.discovery import FoundPlugin, current
from fcregistry.discovery._found import FoundEntryPoint
from fcregistry.discovery._identity import doubt
from fcregistry.discovery._locks import altered_files, files_digest
from fcregistry.inspection._shipped import shipped


@dataclass(frozen=True, slots=True, kw_only=True)
class Inventory:
    """What is installed, as a lock would say it.

    Attributes:
        distributions: What a lock says of each, by name: `version`, `files` and `tools`.
        altered: The files of each that do not hold what was installed, by name.
        left_out: What cannot be locked, in words.
    """

    distributions: dict[str, dict[str, Any]]
    altered: dict[str, tuple[str, ...]]
    left_out: tuple[str, ...]


def inventory(distributions: Iterable[str] = ()) -> Inventory:
    """Have described what may be imported, whatever a lock says of it, and return what there is.

    A tool that the configuration hides is there all the same: a lock is of what is installed, the same for everybody.

    Args:
        distributions: Those that are asked for; all by default.
    """
    wanted = {normalized(each) for each in distributions}
    discovery = current()
    with without_locks():
        operator = trust()  # before anything is imported
        discovery.refresh()
        for each in sorted(wanted):
            discovery.know(each)
        if not wanted:
            discovery.know()
        entry_points = (*discovery.plugins, *discovery.found_extensions)
        asked = [each for each in entry_points if (not wanted or each.project in wanted) and _may_load(each, operator)]
        doubts = {each.label: reason for each in asked if (reason := doubt(each, thorough=True)) is not None}
        found = [each for each in asked if each.label not in doubts]  # the others could not be used with the lock
        tools = [(plugin.distribution, record_of(tool)) for plugin, tool in shipped() if plugin in found]
        report = discovery.report()
    failed = [f"{each.plugin.label} does not load: {each.reason}" for each in report.failed if each.plugin in found]
    return inventory_of(found, tools, [*(f"{label}: {reason}" for label, reason in doubts.items()), *failed])


def _may_load(found: FoundEntryPoint, operator: Trust) -> bool:
    refusal = operator.plugin_refusal if isinstance(found, FoundPlugin) else operator.extension_refusal
    return refusal(found.distribution, found.entry_point) is None


def inventory_of(
    found: Iterable[FoundEntryPoint], declared: Iterable[tuple[str, ToolRecord]], failed: Iterable[str] = ()
) -> Inventory:
    """Return what a lock would say of distributions.

    Args:
        found: Their entry points.
        declared: Distribution and record of each tool; of other distributions too.
        failed: What did not load, or may be another's than it says, in words.
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
                "files": files_digest(each.source),
                "tools": records,
            }
            if files := altered_files(each.source):
                altered[each.distribution] = files
    return Inventory(distributions=distributions, altered=altered, left_out=tuple(left_out))


def _lockable(distribution: str, records: list[ToolRecord]) -> tuple[list[ToolRecord], list[str]]:
    """Return the records of tools that can be called, as a lock has them, and what it leaves out."""
    keys = [(each["group"], each["name"]) for each in records]
    lockable, left_out = [], []
    for key, record in sorted(zip(keys, records, strict=True), key=lambda item: item[0]):
        if "problems" in record:
            left_out.append(f"{tool_id(distribution, record)} cannot be defined: {'; '.join(record['problems'])}")
        elif keys.count(key) > 1:
            left_out.append(f"{tool_id(distribution, record)} is declared by {record['module']} and by another module")
        else:
            # Where the file lies differs from one machine to the next, and a line from one comment to the next
            clean: ToolRecord = {**record, "file": None, "line": None}
            clean["digest"] = digest_of(clean)
            lockable.append(clean)
    return lockable, left_out


def tool_id(distribution: str, record: Mapping[str, Any]) -> str:
    """Return a tool's canonical id."""
    return f"{distribution}:{local_name(record['name'], record['group'])}"
