"""The checks of `fcregistry doctor`, and the records of plugin imports that they examine.

Each `…_findings` function yields the problems of one part of the installation. `_doctor.py` runs them all.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

from fcregistry._base.install import install_command
from fcregistry._base.paths import CACHE_DIR
from fcregistry._registry import registry
from fcregistry._tools.declaration import local_name, log
from fcregistry._tools.record import (
    REGISTER_OBJECT,
    PluginRecord,
    ToolRecord,
    plugin_record,
    read_record,
    unregistered_text,
)
from fcregistry._tools.tool import Tool, definition_of, distribution_of, owner_of
from fcregistry.discovery import (
    COMMAND_GROUP,
    EXTENSION_GROUP,
    GROUP,
    TWIN,
    DescribedPlugin,
    DisabledPlugin,
    FailedEntryPoint,
    FailedPlugin,
    FoundEntryPoint,
    FoundExtension,
    FoundPlugin,
    IndexRow,
    ManifestProblem,
    PluginKey,
    StoredRow,
    ToolLine,
    current,
    describe_by_manifests,
    disable_advice,
    impostor_entry_points,
    line_of_row,
    load_command,
    load_plugins,
    location_of,
    manifest_drift,
    manifest_of,
    near_miss_groups,
    project_name,
    scan_path,
    unreadable_plugins,
    unused_entry_points,
)
from fcregistry.inspection._diff_sources import Fresh, shipped_records
from fcregistry.inspection._findings import Finding, note, problem


def not_loaded(subject: str, reason: str) -> Finding:
    """Return the finding about a plugin or extension that the configuration disables.

    Args:
        subject: The plugin or extension.
        reason: The setting that disables it: the text begins with the name of an environment variable, or contains the path of a file.
    """
    fix = "unset the variable to load it" if reason.startswith("FCREGISTRY_") else "change that to load it"
    return note(subject, f"is not loaded: {reason}", fix)


# --- What is known of each plugin ---


def learn() -> None:
    """Import or describe each plugin that is neither imported nor described yet.

    A program imports the plugins; a command has worker processes import those that the index does not describe.
    """
    if current().describe is None:
        load_plugins()
    else:
        current().describe_all()


class Comparison(NamedTuple):
    """What the index said of plugins, and what they ship.

    Attributes:
        indexed: The rows of the tools of each plugin in the index.
        lines: The lines of tools that the index had for lists.
        by: What made the description of each plugin.
        forged: The entry points that the index had and the metadata do not have, or the other way round.
        fresh: The new descriptions.
    """

    indexed: Mapping[PluginKey, Sequence[StoredRow]] = MappingProxyType({})
    lines: Sequence[ToolLine] = ()
    by: Mapping[PluginKey, str] = MappingProxyType({})
    forged: tuple[FoundEntryPoint, ...] = ()
    fresh: Fresh = MappingProxyType({})


def learn_anew(distributions: Collection[str] = ()) -> Comparison:
    """Import plugins, whatever the index says, and return a comparison of the index with them.

    A program imports the plugins itself and compares nothing; a command has worker processes import them, and renews the index.

    Args:
        distributions: The distributions of the plugins; by default all.
    """
    discovery = current()
    if discovery.describe is None:
        load_plugins()
        return Comparison()
    discovery.refresh()
    index = discovery.index
    indexed, (lines, _) = index.rows(), index.lines() or ((), ())
    by = {key: each.by for key, each in index.descriptions().items()}
    fresh = discovery.describe_again(distributions)
    return Comparison(indexed, lines, by, index.forged, fresh)


def known_plugins(fresh: Fresh = MappingProxyType({})) -> dict[FoundPlugin, PluginRecord]:
    """Return the record of the import of each plugin that is not disabled, sorted by plugin.

    Nothing is imported.

    Args:
        fresh: New descriptions, whose records replace older ones.
    """
    discovery = current()
    descriptions = discovery.index.descriptions()
    found = {each.plugin: each.record for each in fresh.values()}
    for outcome in discovery.report():
        plugin = outcome.plugin
        if plugin in found or isinstance(outcome, DisabledPlugin):
            continue
        if isinstance(outcome, FailedPlugin):
            found[plugin] = plugin_record(failure=outcome.reason, advice=outcome.advice, detail=outcome.traceback)
        elif isinstance(outcome, DescribedPlugin):
            found[plugin] = descriptions[plugin.key].record
        else:
            found[plugin] = plugin_record(seconds=outcome.seconds)
    return dict(sorted(found.items(), key=lambda item: item[0].key))


def _shipping(fresh: Fresh) -> set[PluginKey]:
    """Return the keys of the plugins that are known to ship tools, hidden tools included.

    Known are tools that are declared in this process, and those that the index or `fresh` describes.

    Args:
        fresh: New descriptions, which replace what is known of their plugins.
    """
    discovery = current()
    owners = [*map(discovery.owner, log), *(plugin for _, plugin in discovery.index.described())]
    known = {owner.key for owner in owners if owner is not None and owner.key not in fresh}
    return known | {key for key, each in fresh.items() if each.rows}


# --- Plugins ---

SLOW: Final = 1.0
"""An import that takes more seconds than this is slow. The first call of one of the plugin's tools waits for the import."""

_LINE: Final = re.compile(r'^[ |]*File "([^"\n]+)", line (\d+)', re.MULTILINE)
_CRASHED: Final = "\nCurrent thread "
"""The text that faulthandler writes before the traceback of the thread that crashed. The latest call comes first in it."""


def plugin_findings(
    known: Mapping[FoundPlugin, PluginRecord], fresh: Fresh = MappingProxyType({})
) -> Iterator[Finding]:
    """Yield the problems of plugins that were imported, or could not be imported."""
    shipping = _shipping(fresh)
    for plugin, record in known.items():
        if failure := record["failure"]:
            place = own_line(plugin, record["detail"])
            # The identifiers of threads differ from one process to the next
            detail = re.sub(r"\b0x[0-9a-f]{6,}\b", "0x…", record["detail"])
            yield problem(plugin.label, f"does not load: {failure}", record["advice"], place=place, detail=detail)
            continue
        if plugin.key not in shipping:
            yield _without_tools(plugin, record)
        elif record["unregistered"]:
            yield note(plugin.label, unregistered_text(record), REGISTER_OBJECT)
        yield from _import_findings(plugin, record)
    for each in current().report().loaded:
        if each.outdated:
            yield problem(
                each.plugin.label,
                f"still runs the code of {each.plugin.version}: {each.outdated}",
                f"restart this process to run the installed {each.plugin.distribution}",
            )


def _without_tools(plugin: FoundPlugin, record: PluginRecord) -> Finding:
    """Return the problem that a plugin ships no tools, with the likely reason.

    The reason is that another distribution's module is named, that no object with its methods is registered, or that the module declares no tools.
    """
    holder = current().installed.owner_of_module(plugin.module)
    if holder is not None and holder.project != plugin.project:
        return problem(
            plugin.label,
            f"ships no tools: its entry point names {plugin.module}, but this module and its tools belong to {holder.distribution}",
            f"{holder.distribution} provides its tools without it: report this to the authors of {plugin.distribution}, or uninstall it",
        )
    if record["unregistered"]:
        return problem(plugin.label, f"ships no tools: {unregistered_text(record)}", REGISTER_OBJECT)
    return problem(
        plugin.label,
        f"ships no tools: importing {plugin.value} declares none",
        f"fcregistry does not import the submodules of {plugin.module}: write the module with the tools in the entry point",
    )


def _import_findings(plugin: FoundPlugin, record: PluginRecord) -> Iterator[Finding]:
    """Yield what the import of a plugin should not do: change the process, print, or take over a second.

    The first is a problem, the others are notes.
    """
    if record["changes"]:
        yield problem(
            plugin.label,
            f"changes the state of the whole process when it is imported: {'; '.join(record['changes'])}",
            f"only a function that users call should do that: {plugin.how_to_fix}",
        )
    if record["printed"]:
        yield note(
            plugin.label,
            "prints when it is imported",
            f"standard output is for the results of commands: {plugin.how_to_fix}",
        )
    if record["seconds"] > SLOW:
        yield note(
            plugin.label,
            f"takes {record['seconds']:.1f} seconds to import",
            f"the first call of its tools waits for the import; python -X importtime -c 'import {plugin.module}' shows what takes so long",
        )


def disabled_findings() -> Iterator[Finding]:
    """Yield the plugins that the configuration disables, or that differ from their lock."""
    permission, report = current().permission(), current().report()
    refused = {each.plugin.key: each.reason for each in report.disabled}
    described = {each.plugin.key for each in report.described}
    for plugin in current().plugins:
        reason = refused.get(plugin.key)
        if reason is not None and reason == permission.to_trust(plugin):
            yield problem(plugin.label, f"is not loaded: {reason}", "none of its tools can be used until then")
        elif reason is not None and permission.to_describe(plugin) is not None:
            yield not_loaded(plugin.label, reason)
        elif reason or (plugin.key in described and (reason := permission.to_import(plugin))):
            advice = "it is not imported until then, and none of its tools can be called"
            yield problem(plugin.label, f"is not loaded: {reason}", advice)


def own_line(plugin: FoundPlugin, detail: str) -> str:
    """Return the line of a plugin's own code in a traceback, as `file:line`, or an empty string.

    Args:
        plugin: The plugin.
        detail: A traceback, or the output of `faulthandler` after a crash.
    """
    place = location_of(plugin)
    if place is None:
        return ""
    _, crashed, last = detail.rpartition(_CRASHED)
    lines = _LINE.findall(last)
    for file, line in lines if crashed else reversed(lines):
        if place.name_of(Path(file)) is not None:
            return f"{file}:{line}"
    return ""


# --- Manifests ---


def manifest_findings(known: Mapping[FoundPlugin, PluginRecord], fresh: Fresh) -> Iterator[Finding]:
    """Yield the problems of manifests of plugins that load."""
    declared: dict[PluginKey, list[ToolRecord]] = {}
    for plugin, record in known.items():
        manifest = None if record["failure"] else manifest_of(plugin)
        if manifest is None:
            continue
        if isinstance(manifest, ManifestProblem):
            yield problem(plugin.label, f"has a manifest that is not used: {manifest.message}", manifest.advice)
        elif manifest.is_stale and plugin.is_editable:  # its author is at work; the manifest is not used until then
            message = f"has a manifest that is older than its code: {'; '.join(manifest.changed)}"
            yield note(plugin.label, message, f"fcregistry manifest build {plugin.distribution}")
        elif manifest.is_stale:
            yield _manifest_problem(plugin, "is older than its code", manifest.changed)
        else:
            declared = declared or shipped_records(fresh)
            if lines := manifest_drift(manifest.tools, declared.get(plugin.key, [])):
                yield _manifest_problem(plugin, "is not what its code declares", lines)


def _manifest_problem(plugin: FoundPlugin, what: str, lines: Iterable[str]) -> Finding:
    """Return the problem `what` of a plugin's manifest, with `lines` as its details."""
    advice = f"run in the project of {plugin.distribution}: fcregistry manifest build; or report this to its authors"
    return problem(plugin.label, f"has a manifest that {what}: {'; '.join(lines)}", advice)


# --- Extensions ---


def extension_findings() -> Iterator[Finding]:
    """Yield the extensions that do not load, share a name, or are disabled."""
    extensions = current().extensions
    enabled: dict[str, list[FoundExtension]] = {}
    for extension in current().found_extensions:
        reason = extensions.disabled(extension)
        if reason is not None and reason == current().permission().to_trust(extension):
            yield problem(
                extension.label, f"is not loaded: {reason}", "fcregistry does not use the extension until then"
            )
        elif reason is not None:
            yield not_loaded(extension.label, reason)
        else:
            enabled.setdefault(extension.entry_point, []).append(extension)
    for name, found in enabled.items():
        outcome = extensions.load(found[0]) if len(found) == 1 else None
        if len(found) > 1:
            labels = ", ".join(each.label for each in found)
            yield problem(
                name, f"is the name of several extensions, so fcregistry uses none: {labels}", disable_advice(found)
            )
        elif isinstance(outcome, FailedEntryPoint):
            yield problem(found[0].label, f"does not load: {outcome.reason}", outcome.advice, detail=outcome.traceback)


# --- Commands of packages ---


def command_findings() -> Iterator[Finding]:
    """Yield the commands of packages that cannot be used, or that their plain names do not call."""
    commands, permission = current().commands, current().permission()
    for command in current().found_commands:
        reason = commands.refusal(command, permission)
        if reason and reason == permission.to_describe(command) != permission.to_trust(command, thorough=False):
            yield not_loaded(command.label, reason)
        elif reason := reason or permission.to_import(command):
            yield problem(command.label, f"is not loaded: {reason}", "the command cannot be used until then")
        elif isinstance(failed := load_command(command), FailedEntryPoint):
            yield problem(command.label, f"does not load: {failed.reason}", failed.advice, detail=failed.traceback)
    usable = commands.by_name()
    for name, command in usable.items():
        plain, advice = command.entry_point, f"fcregistry {name} calls it"
        if plain in commands.built_in or usable.get(plain) not in (None, command):
            yield note(command.label, f"is not the command that `fcregistry {plain}` calls", advice)
        elif name != plain:
            message = f"has the name of another package's command, so `fcregistry {plain}` calls neither"
            yield problem(command.label, message, advice)


# --- Tools and names ---


def hidden_findings(tools: Iterable[Tool]) -> Iterator[Finding]:
    """Yield a note for those of `tools` that are hidden: one for a plugin's tools with the same reason.

    Each tool of the application has a note of its own.
    """
    hidden: dict[tuple[str | None, str], list[Tool]] = {}
    for tool in tools:
        if unavailable := tool.unavailable:
            owner = owner_of(tool)
            plugin = None if owner is None else owner.label
            hidden.setdefault((plugin, unavailable), []).append(tool)
    for (plugin, unavailable), found in hidden.items():
        is_one = len(found) == 1
        advice = "its author's check decides where it can be used"
        if found[0].missing_env:
            advice = f"set the variable{'s' * (',' in unavailable)} to use the tool{'s' * (not is_one)}"
        if is_one or plugin is None:
            for tool in found:
                yield note(tool.id, f"is hidden: {unavailable}", advice)
        else:
            yield note(plugin, f"{len(found)} tools are hidden: {unavailable}", advice)


def tool_findings() -> Iterator[Finding]:
    """Yield the problems of individual tools."""
    tools = registry.everything()
    for tool in tools:
        if (error := tool.definition_error) is not None:
            place = f"{tool.origin.file}:{tool.origin.line}" if tool.origin.file else tool.origin.module
            first, *more = error.problems
            problems = f" {first}" if not more else "".join(f"\n  - {each}" for each in error.problems)
            advice = f"fix {tool.origin.qualname} in {place}"
            yield problem(tool.id, f"cannot be defined:{problems}", advice, detail=str(error))
    yield from hidden_findings(tools)
    if find_spec("pebble") is None:  # for a top-level name, `find_spec` imports nothing
        for tool in tools:
            declared = definition_of(tool).declaration.options  # not `tool.options`, which may have to be imported
            if declared.get("isolation") == "process":
                message = 'cannot be called: it is declared with isolation="process", which needs pebble'
                yield problem(tool.id, message, install_command("fcregistry[isolation]"))
    for clash in registry.clashes():
        yield problem("two declarations", clash, "until then, looking up the name raises an exception")


def name_findings() -> Iterator[Finding]:
    """Yield the names that tools of several distributions share, or of a distribution and the application."""
    by_name: dict[str, dict[str, Tool]] = {}
    for tool in registry.everything():
        by_name.setdefault(tool.name, {})[tool.id] = tool
    permission = current().permission()
    for name, tools in sorted(by_name.items()):
        if len(tools) == 1:
            continue
        owners = set(filter(None, map(distribution_of, tools.values())))
        winner = permission.preferred(owners) if len(owners) > 1 else None
        own = [tool.id for tool in tools.values() if owner_of(tool) is None]
        first = own or [each for each in tools if each.startswith(f"{winner}:")]
        if len(first) == 1:
            meant = "the application's own tool" if own else first[0]
            why = "" if own else ", because the configuration gives it precedence"
            others = ", ".join(each for each in tools if each not in first)
            yield note(name, f"means {meant}, not {others}{why}", "use canonical ids to name the other tools")
        else:
            among = ", ".join(tools if own else first or tools)
            yield problem(
                name, f"is ambiguous: {among}", "use the canonical id of one; looking up the plain name raises"
            )


# --- Metadata, settings, locks and the index ---


def near_miss_findings() -> Iterator[Finding]:
    """Yield the distributions whose entry points are in a misspelt group."""
    for name, group in near_miss_groups():
        is_like = group.lower().__contains__
        meant = f'"{EXTENSION_GROUP}"' if is_like("ext") else f'"{COMMAND_GROUP}"' if is_like("com") else GROUP
        yield problem(
            name,
            f"has entry points in the group {group!r}, which fcregistry does not read",
            f"its authors probably meant [project.entry-points.{meant}]",
        )


def unreadable_findings() -> Iterator[Finding]:
    """Yield the distributions whose metadata cannot be read."""
    for name, reason in unreadable_plugins():
        yield problem(name, f"cannot be searched for plugins: {reason}", "reinstall it, or report this to its authors")


def impostor_findings() -> Iterator[Finding]:
    """Yield the metadata folders whose METADATA has the name of another distribution."""
    folders = {(f"{each.folder}/{each.info}", each.distribution) for each in impostor_entry_points(scan_path())}
    for folder, name in sorted(folders):
        yield problem(
            folder,
            f"has the name {name} in its METADATA, but {name} has another metadata folder: fcregistry uses no plugins from this one",
            "find out who installed it, and remove it: the name of a metadata folder must be that of its distribution",
        )


def aside_findings(project: str | None = None) -> Iterator[Finding]:
    """Yield the folders of metadata that fcregistry ignores.

    Another distribution installed them, or one folder has two of one distribution.

    Args:
        project: The normalized name of the only distribution to check; None for all.
    """
    unused = {
        reason: found.project for found, reason in unused_entry_points(scan_path()) if project in (None, found.project)
    }
    for (kind, folder, other), name in sorted(unused.items()):
        if kind == TWIN and (TWIN, other, folder) in unused and other < folder:
            continue  # the finding about the other copy reports it
        if kind == TWIN:
            yield problem(
                name,
                f"is installed twice in one folder, so fcregistry uses neither copy: {' and '.join(sorted((folder, other)))}",
                "find out which one is right, and remove the other",
            )
        else:
            carrier = project_name(*os.path.split(other))
            yield problem(
                carrier,
                f"installed metadata with the name of {name}, which fcregistry does not use: {folder}",
                f"find out what {carrier} is, and uninstall it; then install {name} again, if you want it",
            )


def index_findings(known: Mapping[FoundPlugin, PluginRecord]) -> Iterator[Finding]:
    """Yield the problems with reading or writing the file of the index."""
    index, is_used = current().index, current().describe is not None
    if not is_used or not known:
        return
    if index.file is None:
        yield problem(
            "the index",
            "cannot be saved: this user has no home folder",
            f"every command imports the plugins again until then; name a folder with {CACHE_DIR}",
        )
        return
    path = Path(index.file.path)
    is_there = os.path.exists(path)  # noqa: PTH110  # `Path.exists` raises if this user cannot read the folder
    if index.file.stamp() is not None or not (is_there or index.remarks):  # read, or never needed
        for remark in index.remarks:
            yield note("the index", remark, "there is nothing to do, unless it happens again")
        return
    why = "is not used, because other users may write to it or to its folder" if is_there else "cannot be saved"
    advice = f"create the folder, or make it readable and writable for you, or set {CACHE_DIR}"
    if os.access(path.parent, os.R_OK | os.W_OK | os.X_OK):  # so others can write to it
        advice = f"allow only yourself to write to {path.parent}, or name another folder with {CACHE_DIR}"
    remarks = "; ".join(dict.fromkeys(index.remarks))
    yield problem(
        "the index",
        f"{why}: {remarks or path}",
        f"every command imports the plugins again until then; {advice}",
    )


def drift_findings(seen: Comparison) -> Iterator[Finding]:
    """Yield the differences between the index, before it was renewed, and what is installed."""
    for each in sorted(seen.forged, key=lambda each: each.label):
        installed = (*current().plugins, *current().found_extensions, *current().found_commands)
        what = "lacked" if each in installed else "named"
        yield _wrong_index(each.label, f"{what} this entry point, unlike the metadata in {each.folder}/{each.info}")
    old: dict[str, StoredRow] = {}
    new: dict[str, IndexRow] = {}
    for key, made in seen.fresh.items():
        if key in seen.indexed and made.record["failure"] is None:
            # What a manifest claims is compared with the code by `manifest_findings`
            claimed = describe_by_manifests([made.plugin]) if seen.by[key] == "manifest" else []
            old |= {f"{key[0]}:{local_name(*row[:2])}": row for row in seen.indexed[key]}
            new |= {row.id: row for each in claimed or [made] for row in each.rows}
    shipping = {each.partition(":")[0] for each in (*old, *new)}
    listed = {f"{distribution}:{name}": line for name, distribution, line in seen.lines if distribution in shipping}
    for tool in sorted({*old, *new, *listed}):
        differences = _row_differences(old.get(tool), new.get(tool))
        if tool in listed and (tool not in new or listed[tool] != line_of_row(*new[tool][2:4])):
            differences.append("its line in lists")
        if differences:
            yield _wrong_index(tool, f"described it otherwise than its package: {'; '.join(differences)}")


def _wrong_index(subject: str, what: str) -> Finding:
    """Return the problem `what` of the index about `subject`."""
    file = current().index.file
    where = "" if file is None else f" {file.path}"
    return problem(
        subject,
        f"the index{where} {what}",
        "fcregistry has renewed the index; if this happens again, another program writes to it, or the tools depend on the environment: then "
        "their module has to set FCREGISTRY_DYNAMIC = True",
    )


def _row_differences(old: StoredRow | None, new: IndexRow | None) -> list[str]:
    """Return a phrase for each difference between a tool's row in the index and a new row.

    None is a row that does not exist. The list is empty if the two do not differ.
    """
    if old is not None and new is not None and old == new[:6]:
        return []
    try:
        before = [] if old is None else [read_record(json.loads(old[5]))]
    except ValueError as error:
        return [f"its record {error}"]
    lines = manifest_drift(before, [] if new is None else [json.loads(new.record)])
    differences = [line.partition(": ")[2] for line in lines]
    if not differences and old is not None and new is not None and old[2:5] != new[2:5]:
        differences.append("its summary, options or flags")
    return differences


def stale_findings(known: Mapping[FoundPlugin, PluginRecord]) -> Iterator[Finding]:
    """Yield the plugins whose descriptions are outdated as soon as they are made."""
    index = current().index
    if current().describe is None or index.file is None or index.file.stamp() is None:
        return
    here, holding = index.descriptions(), index.reread().descriptions()
    for plugin, record in known.items():
        if plugin.key in here and plugin.key not in holding and not record["dynamic"]:
            yield note(
                plugin.label,
                "is imported again by every command: the files that it was described from keep changing",
                "its import may write a file that it also reads",
            )
