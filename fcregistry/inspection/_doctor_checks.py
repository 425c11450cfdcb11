"""The checks of doctor, and what they look at: what importing each plugin has shown.

Each `…_findings` function yields what is wrong with one part of the installation. `_doctor.py` runs them all.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final, Literal

from fcregistry._base.install import install_command
from fcregistry._base.paths import CACHE_DIR
from fcregistry._config.policy import trust
from fcregistry._config.settings import CALL_HOOKS, configuration
from fcregistry._registry import registry
from fcregistry._tools.declaration import log
from fcregistry._tools.indexed import record_of
from fcregistry._tools.record import PluginRecord, ToolRecord, plugin_record
from fcregistry._tools.selectors import normalized
from fcregistry._tools.tool import Tool
from fcregistry.discovery import (
    EXTENSION_GROUP,
    GROUP,
    TWIN,
    DescribedPlugin,
    DisabledPlugin,
    FailedExtension,
    FailedPlugin,
    FoundExtension,
    FoundPlugin,
    FreshDescription,
    ManifestProblem,
    Permission,
    PluginKey,
    current,
    disable_advice,
    impostor_entry_points,
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
from fcregistry.inspection._shipped import shipped_tools


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that doctor reports.

    Attributes:
        kind: `problem` for what should be fixed, `note` for what is worth knowing and makes no tool unusable.
        subject: What it is about: a plugin, a tool, a name.
        message: What is wrong.
        advice: What to do about it; empty if there is nothing to do.
        place: The line of code that it is about, `file:line`; empty if there is none.
        detail: More text, such as a traceback; may be empty.
    """

    kind: Literal["problem", "note"]
    subject: str
    message: str
    advice: str
    place: str = ""
    detail: str = ""


def problem(subject: str, message: str, advice: str, *, place: str = "", detail: str = "") -> Finding:
    """Return a finding that should be fixed."""
    return Finding(kind="problem", subject=subject, message=message, advice=advice, place=place, detail=detail)


def note(subject: str, message: str, advice: str) -> Finding:
    """Return a finding that is worth knowing."""
    return Finding(kind="note", subject=subject, message=message, advice=advice)


def not_loaded(subject: str, reason: str) -> Finding:
    """Return the finding about a plugin or extension that the configuration disables.

    Args:
        subject: The plugin or extension.
        reason: Which setting disables it: it begins with the name of a variable, or names a file.
    """
    fix = "unset the variable to load it" if reason.startswith("FCREGISTRY_") else "change that to load it"
    return note(subject, f"is not loaded: {reason}", fix)


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """What the import of a plugin has shown.

    Attributes:
        plugin: The plugin.
        record: What it has shown.
        ships: Whether the plugin declares tools.
        outdated: What happened to its distribution since this process imported it; empty if nothing did.
    """

    plugin: FoundPlugin
    record: PluginRecord
    ships: bool = True
    outdated: str = ""


# --- What is known of each plugin ---


def learn(*, again: bool = True) -> None:
    """Load all plugins in a program; for a command, have worker processes describe them.

    Args:
        again: Whether plugins that did not load when they were described are tried again: the cause, such as a variable that was not set,
            may be gone.
    """
    discovery = current()
    if discovery.describe is None:
        load_plugins()
        return
    installed = (*discovery.plugins, *discovery.found_extensions)
    index, describe = discovery.index, discovery.describe
    before = index.failed() if again else set()
    permission = Permission()
    failed = [each.plugin for each in discovery.report().failed if each.plugin.key in before]
    failing = [each for each in failed if permission.to_import(each) is None]
    discovery.know()
    if index.file is not None and failing:
        fresh: list[FreshDescription] = []
        try:
            describe(failing, installed, fresh.append)
        finally:
            index.keep(fresh)
        discovery.refresh()


def accounts() -> dict[PluginKey, Account]:
    """Return what is known of all plugins that are not disabled, by plugin, sorted. Imports nothing."""
    discovery = current()
    descriptions = discovery.index.descriptions()
    shipping = _shipping()
    found: dict[PluginKey, Account] = {}
    for outcome in discovery.report():
        plugin = outcome.plugin
        ships = plugin.key in shipping
        if isinstance(outcome, FailedPlugin):
            record = plugin_record(failure=outcome.reason, advice=outcome.advice, detail=outcome.traceback)
            found[plugin.key] = Account(plugin=plugin, record=record)
        elif isinstance(outcome, DescribedPlugin):
            found[plugin.key] = Account(plugin=plugin, record=descriptions[plugin.key].record, ships=ships)
        elif not isinstance(outcome, DisabledPlugin):
            record = plugin_record(seconds=outcome.seconds)
            found[plugin.key] = Account(plugin=plugin, record=record, ships=ships, outdated=outcome.outdated or "")
    return {each.key: found[each.key] for each in discovery.plugins if each.key in found}


def _shipping() -> set[PluginKey]:
    """Return the plugins that ship tools, hidden ones included."""
    discovery = current()
    described = discovery.index.described()
    owners = {discovery.owner(declaration) for declaration in log}
    return {plugin.key for _, plugin in described} | {owner.key for owner in owners if owner is not None}


# --- Plugins ---

SLOW: Final = 1.0
"""Seconds above which the import of a plugin is slow: the first call of one of its tools waits that long."""

_LINE: Final = re.compile(r'^[ |]*File "([^"\n]+)", line (\d+)', re.MULTILINE)
_CRASHED: Final = "\nCurrent thread "
"""What faulthandler writes before the lines of the thread that crashed, the latest first."""


def plugin_findings(accounts: Iterable[Account]) -> Iterator[Finding]:
    """Yield what is wrong with plugins that were imported, or could not be."""
    for each in accounts:
        record = each.record
        if failure := record["failure"]:
            place, detail = own_line(each.plugin, record["detail"]), _stable(record["detail"])
            message = f"does not load: {failure}"
            yield problem(each.plugin.label, message, record["advice"], place=place, detail=detail)
        else:
            yield from _loaded_plugin_findings(each)


def _loaded_plugin_findings(each: Account) -> Iterator[Finding]:
    plugin, record = each.plugin, each.record
    holder = current().whose(plugin.module)
    if not each.ships and holder is not None and holder.project != plugin.project:
        yield problem(
            plugin.label,
            f"ships no tools: it names {plugin.module}, which belongs to {holder.distribution}, as do the tools in it",
            f"{holder.distribution} keeps its tools without it: report this to the authors of {plugin.distribution}, or uninstall it",
        )
    elif not each.ships:
        yield problem(
            plugin.label,
            f"ships no tools: importing {plugin.value} declares none",
            f"modules below {plugin.module} are not imported on their own: name the one with the tools in the entry point",
        )
    if each.outdated:
        yield problem(
            plugin.label,
            f"still runs the code of {plugin.version}: {each.outdated}",
            f"restart this process to run the installed {plugin.distribution}",
        )
    if record["changes"]:
        yield problem(
            plugin.label,
            f"changes what other code in its process relies on when it is imported: {'; '.join(record['changes'])}",
            f"that belongs in a function that its users call: report this to the authors of {plugin.distribution}",
        )
    if record["printed"]:
        yield note(
            plugin.label,
            "prints when it is imported",
            f"standard output is for the results of commands: report this to the authors of {plugin.distribution}",
        )
    if record["seconds"] > SLOW:
        yield note(
            plugin.label,
            f"takes {record['seconds']:.1f} seconds to import",
            f"the first call of its tools waits for that; python -X importtime -c 'import {plugin.module}' shows what takes so long",
        )


def disabled_findings() -> Iterator[Finding]:
    """Yield the plugins that the configuration disables, or that differ from their lock."""
    permission, report = Permission(), current().report()
    refused = {each.plugin.key: each.reason for each in report.disabled}
    described = {each.plugin.key for each in report.described}
    for plugin in current().plugins:
        reason = refused.get(plugin.key)
        if reason is not None and reason == permission.to_trust(plugin):
            yield problem(plugin.label, f"is not loaded: {reason}", "none of its tools can be used until then")
        elif reason is not None and permission.to_know(plugin) is not None:
            yield not_loaded(plugin.label, reason)
        elif reason or (plugin.key in described and (reason := permission.to_import(plugin))):
            advice = "it is not imported until then, and none of its tools can be called"
            yield problem(plugin.label, f"is not loaded: {reason}", advice)


def own_line(plugin: FoundPlugin, detail: str) -> str:
    """Return the line of a plugin's own code that failed, as `file:line`; an empty string if none did.

    Args:
        plugin: The plugin.
        detail: A traceback of Python, or the output of its faulthandler after a crash.
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


def _stable(detail: str) -> str:
    """Return a detail without the numbers of threads, which differ from one process to the next."""
    return re.sub(r"\b0x[0-9a-f]{6,}\b", "0x…", detail)


# --- Manifests ---


def manifest_findings(
    accounts: Iterable[Account], probed: Mapping[PluginKey, list[ToolRecord]] | None = None
) -> Iterator[Finding]:
    """Yield what is wrong with manifests of plugins that load.

    Args:
        accounts: The plugins.
        probed: Plugin -> the records of its tools, for plugins that were imported just now.
    """
    declared: dict[PluginKey, list[ToolRecord]] = {}
    for each in accounts:
        if each.record["failure"]:
            continue
        manifest = manifest_of(each.plugin)
        if manifest is None:
            continue
        if isinstance(manifest, ManifestProblem):
            yield problem(each.plugin.label, f"has a manifest that is not used: {manifest.message}", manifest.advice)
        elif (
            manifest.is_stale and each.plugin.is_editable
        ):  # its author is at work; the manifest is not used until then
            message = f"has a manifest that is older than its code: {'; '.join(manifest.changed)}"
            yield note(each.plugin.label, message, f"fcregistry manifest build {each.plugin.distribution}")
        elif manifest.is_stale:
            yield _drifted(each.plugin, "is older than its code", manifest.changed)
        else:
            declared = declared or _declared(probed or {})
            if lines := manifest_drift(manifest.tools, declared.get(each.plugin.key, [])):
                yield _drifted(each.plugin, "is not what its code declares", lines)


def _drifted(plugin: FoundPlugin, what: str, lines: Iterable[str]) -> Finding:
    advice = f"run in the project of {plugin.distribution}: fcregistry manifest build; or report this to its authors"
    return problem(plugin.label, f"has a manifest that {what}: {'; '.join(lines)}", advice)


def _declared(probed: Mapping[PluginKey, list[ToolRecord]]) -> dict[PluginKey, list[ToolRecord]]:
    """Return the records of each plugin's tools, including those that the configuration hides."""
    known: dict[PluginKey, list[ToolRecord]] = {}
    for plugin, tool in shipped_tools():
        known.setdefault(plugin.key, []).append(record_of(tool))
    return {**known, **probed}


# --- Extensions ---


def extension_findings() -> Iterator[Finding]:
    """Yield the extensions that do not load, share a name, or are disabled."""
    extensions = current().extensions
    enabled: dict[str, list[FoundExtension]] = {}
    for extension in current().found_extensions:
        reason = extensions.disabled(extension)
        if reason is not None and reason == current().permission().to_trust(extension):
            yield problem(extension.label, f"is not loaded: {reason}", "nothing of it is used until then")
        elif reason is not None:
            yield not_loaded(extension.label, reason)
        else:
            enabled.setdefault(extension.entry_point, []).append(extension)
    for name, found in enabled.items():
        outcome = extensions.load(found[0]) if len(found) == 1 else None
        if len(found) > 1:
            labels = ", ".join(each.label for each in found)
            yield problem(name, f"has several extensions, so that none is used: {labels}", disable_advice(found))
        elif isinstance(outcome, FailedExtension):
            yield problem(found[0].label, f"does not load: {outcome.reason}", outcome.advice, detail=outcome.traceback)


# --- Tools and names ---


def tool_findings() -> Iterator[Finding]:
    """Yield what is wrong with single tools."""
    tools = registry.everything()
    for tool in tools:
        if (error := tool.definition_error) is not None:
            place = f"{tool.origin.file}:{tool.origin.line}" if tool.origin.file else tool.origin.module
            problems = "; ".join(error.problems)
            advice = f"fix {tool.origin.qualname} in {place}"
            yield problem(tool.id, f"cannot be defined: {problems}", advice, detail=str(error))
    for tool in tools:
        if unavailable := tool.unavailable:
            advice = (
                "set the variable to use the tool"
                if tool.missing_env
                else "its author's check decides where it can be used"
            )
            yield note(tool.id, f"is hidden: {unavailable}", advice)
    if find_spec("pebble") is None:  # for a top-level name, `find_spec` imports nothing
        for tool in tools:
            declared = tool._definition.declaration.options  # not `tool.options`, which may have to be imported
            if declared.get("isolation") == "process":
                message = 'cannot be called: it is declared with isolation="process", which needs pebble'
                yield problem(tool.id, message, install_command("fcregistry[isolation]"))
    for clash in registry.clashes():
        yield problem("two declarations", clash, "looking the name up raises until then")


def name_findings() -> Iterator[Finding]:
    """Yield the names that tools of several owners share."""
    by_name: dict[str, dict[str, Tool]] = {}
    for tool in registry.everything():
        by_name.setdefault(tool.name, {})[tool.id] = tool
    permission = current().permission()
    for name, tools in sorted(by_name.items()):
        own = [tool.id for tool in tools.values() if tool._owner is None]
        owners = {tool._owner.distribution for tool in tools.values() if tool._owner is not None}
        winner = permission.preferred(owners) if len(owners) > 1 else None
        preferred = [each for each in tools if each.startswith(f"{winner}:")]
        if len(tools) > 1:
            yield _name_finding(name, tuple(tools), own, preferred)


def _name_finding(name: str, ids: tuple[str, ...], own: list[str], preferred: list[str]) -> Finding:
    """Return the finding about a name that several tools share.

    Args:
        name: The name.
        ids: The ids of all these tools.
        own: The ids of the application's own tools among them.
        preferred: The ids of the tools of the distribution that the configuration prefers, if it prefers one.
    """
    if len(own) == 1:
        others = ", ".join(each for each in ids if each not in own)
        return note(name, f"is the application's own tool, before {others}", "name the others by their canonical ids")
    if len(preferred) == 1 and not own:
        others = ", ".join(each for each in ids if each not in preferred)
        message = f"is {preferred[0]}, before {others}, since the configuration gives it precedence"
        return note(name, message, "name the others by their canonical ids")
    among = ", ".join(preferred if preferred and not own else ids)
    return problem(name, f"is ambiguous: {among}", "name one by its canonical id; the plain name raises")


# --- Metadata, settings, locks and the index ---


def near_miss_findings() -> Iterator[Finding]:
    """Yield the distributions whose entry points are in a misspelt group."""
    for name, group in near_miss_groups():
        meant = f'"{EXTENSION_GROUP}"' if "ext" in group.lower() else GROUP
        yield problem(
            name,
            f"has entry points in the group {group!r}, which nothing reads",
            f"its authors meant [project.entry-points.{meant}]",
        )


def unreadable_findings() -> Iterator[Finding]:
    """Yield the distributions whose metadata cannot be read."""
    for name, reason in unreadable_plugins():
        yield problem(name, f"cannot be searched for plugins: {reason}", "reinstall it, or report this to its authors")


def impostor_findings() -> Iterator[Finding]:
    """Yield the metadata folders that claim to be another distribution."""
    folders = {(f"{each.folder}/{each.info}", each.distribution) for each in impostor_entry_points(scan_path())}
    for folder, name in sorted(folders):
        yield problem(
            folder,
            f"claims to be {name}, which is installed beside it: its plugins are not used",
            "find out who installed it, and remove it; a distribution has the name of its folder",
        )


def aside_findings(project: str | None = None) -> Iterator[Finding]:
    """Yield the metadata that are not used: from another distribution, or twice in one folder.

    Args:
        project: The name to look for, as PyPI compares names; None for all.
    """
    unused = {
        reason: found.project for found, reason in unused_entry_points(scan_path()) if project in (None, found.project)
    }
    for (kind, folder, other), name in sorted(unused.items()):
        if kind == TWIN and (TWIN, other, folder) in unused and other < folder:
            continue  # the other one of the two reports it
        if kind == TWIN:
            yield problem(
                name,
                f"is installed twice in one folder, so that neither copy is used: {' and '.join(sorted((folder, other)))}",
                "find out which one is right, and remove the other",
            )
        else:
            carrier = project_name(*os.path.split(other))
            yield problem(
                carrier,
                f"brought metadata that claim to be {name}'s, and are not used: {folder}",
                f"find out what {carrier} is, and uninstall it; then install {name} again, if you want it",
            )


def setting_findings() -> Iterator[Finding]:
    """Yield what the configuration names that is not there, or cannot be used."""
    described = (each for each, _ in current().index.described())
    shipping = {normalized(each) for each in current().distributions()}
    for setting, item in current().idle_settings([*log, *described]):
        advice = "correct it: distribution[entry point], or a selector"
        if normalized(item) in shipping:
            advice = f"no tool has this name; write {item}:* for all tools of the distribution"
        yield problem(setting, f"names {item}, which does not exist here", advice)
    for layer in configuration():
        for name in layer.precedence:
            if name not in shipping:
                message = f"names {name}, which is not installed, or ships no plugins"
                yield problem(
                    f"precedence in {layer.path}", message, "correct it: name distributions that ship plugins"
                )
    for setting, lock in trust().locks:
        if lock.problem is not None:
            yield problem(lock.path, lock.problem, f"{setting}: no plugin is used until then")
    for error in current().extensions.unusable_call_hooks():
        advice = "every call is refused until then; correct the variable, or fix the extension"
        yield problem(CALL_HOOKS, str(error).removeprefix(f"{CALL_HOOKS} "), advice)


def index_findings(known: Collection[Account]) -> Iterator[Finding]:
    """Yield what prevents the index from being written or read.

    Args:
        known: The plugins.
    """
    index, is_used = current().index, current().describe is not None
    if not is_used or not known:
        return
    if index.file is None:
        yield problem(
            "the index",
            "is not kept: this user has no home folder",
            f"every command imports the plugins again until then; name a folder with {CACHE_DIR}",
        )
        return
    path = Path(index.file.path)
    is_there = os.path.exists(path)  # noqa: PTH110  # `Path.exists` raises if this user cannot read the folder
    if index.file.stamp() is not None or not (is_there or index.remarks):  # read, or never needed
        for remark in index.remarks:
            yield note("the index", remark, "there is nothing to do, unless it happens again")
        return
    why = "is not used, since others may write to it or to its folder" if is_there else "cannot be kept"
    advice = f"create the folder, or make it readable and writable for you, or set {CACHE_DIR}"
    if os.access(path.parent, os.R_OK | os.W_OK | os.X_OK):  # so others can write to it
        advice = f"allow only yourself to write to {path.parent}, or name another folder with {CACHE_DIR}"
    remarks = "; ".join(dict.fromkeys(index.remarks))
    yield problem(
        "the index",
        f"{why}: {remarks or path}",
        f"every command imports the plugins again until then; {advice}",
    )


def stale_findings(known: Iterable[Account]) -> Iterator[Finding]:
    """Yield the plugins whose descriptions become outdated at once, though they are not dynamic.

    Args:
        known: The plugins.
    """
    index = current().index
    if current().describe is None or index.file is None or index.file.stamp() is None:
        return
    here, holding = index.descriptions(), index.looked_again().descriptions()
    for each in known:
        if each.plugin.key in here and each.plugin.key not in holding and not each.record["dynamic"]:
            yield note(
                each.plugin.label,
                "is imported again by every command: the files that it was described from keep changing",
                "its import may write a file that it also reads",
            )
