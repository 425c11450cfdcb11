"""The process that builds manifests: it imports the plugins of one distribution.

It does nothing else, so that no earlier import hides which files they read, and that what they leave behind ends with it.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, TypedDict

from fcregistry._tools.record import PluginRecord, ToolRecord
from fcregistry._tools.selectors import Owned, by_key, clash_text, in_effect, normalized
from fcregistry.discovery import (
    MANIFEST_FILE,
    MANIFEST_FORMAT,
    DeclarationOwners,
    FoundPlugin,
    ImportTracker,
    ManifestContent,
    ManifestPlugin,
    PackageLocation,
    Permission,
    current,
    describe_plugin,
    find_entry_points,
    load_plugin,
    location_of,
    manifest_text,
    scan_path,
    source_digest,
)

_COMPILED: Final = (".so", ".pyd")
"""Files that are built from sources and differ between machines."""


class BuiltText(TypedDict):
    """One manifest: its path, the folder that paths in it are relative to, and its text."""

    path: str
    folder: str
    text: str


class Answer(TypedDict):
    """The result for a distribution: its manifests, or why there are none."""

    manifests: list[BuiltText]
    failures: list[str]


def main() -> None:
    """Answer the JSON request in the first argument, in the file that it names, and end the process."""
    asked: dict[str, Any] = json.loads(sys.argv[1])
    answer = manifests_of(asked["distribution"], is_own=asked["is_own"])
    Path(asked["answer"]).write_text(json.dumps(answer), encoding="utf-8")
    sys.stdout.flush()
    os._exit(0)  # without waiting for threads and exit handlers of plugins


def manifests_of(distribution: str, *, is_own: bool) -> Answer:
    """Import the plugins of a distribution, and return its manifests.

    Args:
        distribution: Its name.
        is_own: Whether it is the project in the working folder, which its author runs whatever the configuration allows.
    """
    tracker = ImportTracker()
    tracker.start()
    discovery = current()
    discovery.adopt(find_entry_points(scan_path()))  # what this path has, whatever an index knows
    plugins = [each for each in discovery.plugins if each.project == normalized(distribution)]
    failures = [] if plugins else [f"no distribution {distribution!r} with plugins is installed here"]
    if not is_own:
        failures += _refusals(plugins)
        plugins = [] if failures else plugins
    owners = DeclarationOwners(discovery.owner)
    shipped: list[tuple[FoundPlugin, PluginRecord]] = []
    modules: set[str] = set()
    for plugin in plugins:
        outcome = load_plugin(plugin, lambda declaration: discovery.owner(declaration) is not None)
        assert outcome is not None
        declared = [in_effect(rivals) for rivals in by_key(Owned(each, plugin) for each in owners.of(plugin)).values()]
        record = describe_plugin(outcome, [each.declaration for rivals in declared for each in rivals])
        shipped.append((plugin, record))
        failures += _failures(plugin, record, declared)
        modules |= {plugin.module, *(each.declaration.module for rivals in declared for each in rivals)}
    if failures:
        return Answer(manifests=[], failures=failures)
    return _manifests(shipped, sorted(tracker.files(modules)))


def _refusals(plugins: Iterable[FoundPlugin]) -> list[str]:
    permission = Permission()
    refusals = ((plugin, permission.to_import(plugin)) for plugin in plugins)
    return [f"{plugin.label} may not be imported: {reason}" for plugin, reason in refusals if reason is not None]


def _failures(plugin: FoundPlugin, record: PluginRecord, declared: list[list[Owned]]) -> list[str]:
    """Return why a plugin cannot be described, a text for each reason.

    It fails, it has no tools, or a tool has rival declarations or cannot be defined.
    """
    if record["failure"] is not None:
        lines = [f"{plugin.label} does not load: {record['failure']}", *record["detail"].splitlines(), record["advice"]]
        return ["\n".join(lines)]
    if not declared:
        return [f"{plugin.label} ships no tools: importing {plugin.value} declares none"]
    clashes = [clash_text(rivals) for rivals in declared if len(rivals) > 1]
    broken = [
        f"{each['name']} cannot be defined: {'; '.join(each['problems'])}"
        for each in record["tools"]
        if "problems" in each
    ]
    return [f"{plugin.label}: {each}" for each in (*clashes, *broken)]


def _manifests(shipped: Iterable[tuple[FoundPlugin, PluginRecord]], files: Iterable[str]) -> Answer:
    """Return one manifest for each package, with those of its files that were read."""
    packages: dict[Path, tuple[PackageLocation, str, list[PluginRecord]]] = {}
    failures = []
    for found, record in shipped:
        place = location_of(found)
        if place is None:
            failures.append(f"{found.label}: {found.module} is no module in a folder, so a manifest has no place")
        else:
            packages.setdefault(place.manifest, (place, found.project, []))[2].append(record)
    manifests = [
        BuiltText(path=str(path), folder=str(place.folder), text=_text(place, project, records, files))
        for path, (place, project, records) in sorted(packages.items())
    ]
    return Answer(manifests=[] if failures else manifests, failures=failures)


def _text(place: PackageLocation, project: str, records: Iterable[PluginRecord], files: Iterable[str]) -> str:
    return manifest_text(
        ManifestContent(
            format=MANIFEST_FORMAT,
            distribution=project,
            plugins=[_plugin(place, record) for record in records],
            sources=_sources(place, files),
        )
    )


def _plugin(place: PackageLocation, record: PluginRecord) -> ManifestPlugin:
    return ManifestPlugin(
        entry_point=record["entry_point"],
        value=record["value"],
        dynamic=record["dynamic"],
        tools=[_with_relative_path(place, tool) for tool in record["tools"]],
    )


def _with_relative_path(place: PackageLocation, tool: ToolRecord) -> ToolRecord:
    """Return a tool's record with its file relative to the package's parent folder.

    Without a file that is not the package's own.
    """
    name = place.name_of(Path(tool["file"])) if tool["file"] is not None else None
    return {**tool, "file": name, "line": tool["line"] if name is not None else None}


def _sources(place: PackageLocation, files: Iterable[str]) -> dict[str, str]:
    sources = {}
    for path in map(Path, files):
        name = place.name_of(path)
        if name is not None and not name.endswith((*_COMPILED, MANIFEST_FILE)) and path.is_file():
            sources[name] = source_digest(path.read_bytes(), name)
    return dict(sorted(sources.items()))
