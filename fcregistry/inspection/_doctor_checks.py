"""What is wrong around the plugins: with metadata, with variables, with the index?

MERGED: What is wrong with plugins, as importing them has shown?
MERGED: Which tools cannot be defined, are hidden, cannot run here, or share a name?
MERGED: Does what a plugin says of itself, in the manifest that it ships, still hold?
MERGED: What is wrong with extensions? They are loaded to be asked.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from fcregistry._base.paths import CACHE_DIR
from fcregistry._config.policy import trust
from fcregistry._config.settings import CALL_HOOKS, configuration
from fcregistry._registry import registry
from fcregistry._tools.declaration import log
from fcregistry._tools.indexed import record_of
from fcregistry._tools.record import ToolRecord
from fcregistry._tools.selectors import normalized
from fcregistry._tools.tool import Tool
from fcregistry.discovery import (
    EXTENSION_GROUP,
    GROUP,
    TWIN,
    FailedExtension,
    FoundExtension,
    FoundPlugin,
    Index,
    ManifestProblem,
    Permission,
    PluginKey,
    current,
    disable_advice,
    impostor_entry_points,
    location_of,
    manifest_drift,
    manifest_of,
    near_miss_groups,
    project_name,
    scan_path,
    unreadable_plugins,
    unused_entry_points,
)
from fcregistry.inspection._doctor_accounts import Account, Finding, not_loaded, note, problem
from fcregistry.inspection._lint_core import shipped_tools

# --- inspection._doctor._settings ---


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
        yield problem(name, f"cannot be looked at for plugins: {reason}", "reinstall it, or tell its authors")


def impostor_findings() -> Iterator[Finding]:
    """Yield the metadata that gives the name of another distribution."""
    folders = {(f"{each.folder}/{each.info}", each.distribution) for each in impostor_entry_points(scan_path())}
    for folder, name in sorted(folders):
        yield problem(
            folder,
            f"says that it is {name}, which is installed beside it: its plugins are not used",
            "find out who installed it, and remove it; what it is called is what its folder is called",
        )


def aside_findings(project: str | None = None) -> Iterator[Finding]:
    """Yield the metadata that are not used since another distribution brought them, or has the same name in the same folder.

    Args:
        project: Only what gives this name, as PyPI compares names.
    """
    told = {
        reason: found.project for found, reason in unused_entry_points(scan_path()) if project in (None, found.project)
    }
    for (kind, folder, other), name in sorted(told.items()):
        if kind == TWIN and (TWIN, other, folder) in told and other < folder:
            continue  # told of the other one
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
                f"brought metadata that say they are {name}'s, and are not used: {folder}",
                f"find out what {carrier} is, and uninstall it; then install {name} again, if you want it",
            )


def setting_findings() -> Iterator[Finding]:
    """Yield what the configuration names and is not there."""
    index = current().index
    described = () if index is None else (each for each, _ in index.described())
    shipping = {normalized(each) for each in current().distributions()}
    for said, item in current().idle_settings([*log, *described]):
        advice = "correct it: distribution[entry point], or a selector"
        if normalized(item) in shipping:
            advice = f"no tool is called so; all of the distribution is {item}:*"
        yield problem(said, f"names {item}, which is not there", advice)


def precedence_findings() -> Iterator[Finding]:
    """Yield the distributions that are to win a name that several ship, and are not there."""
    there = {normalized(each) for each in current().distributions()}
    for layer in configuration():
        for name in layer.precedence:
            if name not in there:
                advice = "correct it: it takes names of distributions that ship plugins"
                yield problem(f"precedence in {layer.path}", f"names {name}, which is not there", advice)


def lock_findings() -> Iterator[Finding]:
    """Yield the locks that are asked for and cannot be read: nothing is let through then."""
    for said, lock in trust().locks:
        if lock.problem is not None:
            yield problem(lock.path, lock.problem, f"{said}: until then no plugin is used")


def index_findings(known: Collection[Account]) -> Iterator[Finding]:
    """Yield what keeps descriptions of plugins from being kept, or kept them from being read.

    Args:
        known: The plugins that are described.
    """
    index, is_used = current().index, current().describe is not None
    if not is_used or not known:
        return
    if index is None:
        yield problem(
            "the index",
            "is kept nowhere: this user has no home folder",
            f"until then every command imports the plugins anew; name a folder with {CACHE_DIR}",
        )
        return
    path = Path(index._file.path)
    if index._file.stamp() is not None or not (path.exists() or index.remarks):  # read, or never needed
        for remark in index.remarks:
            yield note("the index", remark, "nothing is to be done, unless it happens again")
        return
    why = "is not used, since others may write to it or to its folder" if path.exists() else "cannot be kept"
    said = "; ".join(dict.fromkeys(index.remarks))
    yield problem(
        "the index",
        f"{why}: {said or path}",
        f"until then every command imports the plugins anew; let you alone write to {path.parent}, or name another folder with {CACHE_DIR}",
    )


def stale_findings(known: Iterable[Account]) -> Iterator[Finding]:
    """Yield the plugins of which nothing holds from one command to the next, and that do not say so of themselves.

    Args:
        known: The plugins that are described.
    """
    index = current().index
    if current().describe is None or index is None or index._file.stamp() is None:
        return
    next_one = Index(index._file, exact=True)
    next_one.look()
    here, holding = index.descriptions(), next_one.descriptions()
    for each in known:
        if each.plugin.key in here and each.plugin.key not in holding and not each.dynamic:
            yield note(
                each.plugin.label,
                "is imported anew by every command: what it was described from does not stay as it was",
                "its import may write a file that it also reads",
            )


# --- inspection._doctor._plugins ---

SLOW: Final = 1.0
"""Seconds above which the import of a plugin is slow: whoever calls a tool of it waits that long."""

_LINE: Final = re.compile(r'^[ |]*File "([^"\n]+)", line (\d+)', re.MULTILINE)
_CRASHED: Final = "\nCurrent thread "
"""What faulthandler writes before the lines of the thread that crashed, the latest first."""


def plugin_findings(accounts: Iterable[Account]) -> Iterator[Finding]:
    """Yield what is wrong with plugins that were imported, or could not be."""
    for each in accounts:
        if each.failure:
            place = own_line(each.plugin, each.detail)
            yield problem(
                each.plugin.label,
                f"does not load: {each.failure}",
                each.advice,
                place=place,
                detail=_stable(each.detail),
            )
        else:
            yield from _loaded(each)


def _loaded(each: Account) -> Iterator[Finding]:
    plugin = each.plugin
    holder = current().whose(plugin.module)
    if not each.ships and holder is not None and holder.project != plugin.project:
        yield problem(
            plugin.label,
            f"ships no tools: {plugin.module}, which it names, is {holder.distribution}'s, and so are the tools in it",
            f"it takes nothing from {holder.distribution}: report this to the authors of {plugin.distribution}, or uninstall it",
        )
    elif not each.ships:
        yield problem(
            plugin.label,
            f"ships no tools: importing {plugin.value} declares none",
            f"modules below {plugin.module} are not imported by themselves: name the one with the tools in the entry point",
        )
    if each.outdated:
        yield problem(
            plugin.label,
            f"runs the code of {plugin.version}, as it was imported: {each.outdated}",
            f"restart this process: it then runs {plugin.distribution} as it is now",
        )
    if each.changes:
        yield problem(
            plugin.label,
            f"changes what others in its process rely on, when it is imported: {'; '.join(each.changes)}",
            f"that belongs into a function which its users call: report this to the authors of {plugin.distribution}",
        )
    if each.printed:
        yield note(
            plugin.label,
            "prints when it is imported",
            f"standard output is for answers: report this to the authors of {plugin.distribution}",
        )
    if each.seconds > SLOW:
        yield note(
            plugin.label,
            f"takes {each.seconds:.1f} seconds to import",
            f"the first call of a tool of it waits for that; python -X importtime -c 'import {plugin.module}' shows what takes so long",
        )


def disabled_findings() -> Iterator[Finding]:
    """Yield the plugins that are not to be imported: because somebody said so, or because they are not what was locked."""
    permission, report = Permission(), current().report()
    refused = {each.plugin.key: each.reason for each in report.disabled}
    described = {each.plugin.key for each in report.described}
    for plugin in current().plugins:
        reason = refused.get(plugin.key)
        if reason is not None and reason == permission.to_trust(plugin):
            yield problem(plugin.label, f"is not loaded: {reason}", "until then none of its tools can be used")
        elif reason is not None and permission.to_know(plugin) is not None:
            yield not_loaded(plugin.label, reason)
        elif reason or (plugin.key in described and (reason := permission.to_import(plugin))):
            advice = "until then it is not imported, and none of its tools can be called"
            yield problem(plugin.label, f"is not loaded: {reason}", advice)


def own_line(plugin: FoundPlugin, detail: str) -> str:
    """Return the line of a plugin's own code where it failed, `file:line`; empty where there is none.

    Args:
        plugin: What was found.
        detail: A traceback as Python writes it, or what its faulthandler says of a crash.
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
    """Return a detail without what differs from one process to the next: the numbers of threads."""
    return re.sub(r"\b0x[0-9a-f]{6,}\b", "0x…", detail)


# --- inspection._doctor._tools ---


def tools_by_plugin() -> dict[tuple[str, str], tuple[Tool, ...]]:
    """Return the tools of each plugin that ships some, by distribution and entry point; broken ones too, sorted by id."""
    found: dict[tuple[str, str], tuple[Tool, ...]] = {}
    for tool in registry.everything():
        if (owner := tool._owner) is not None:
            key = (owner.distribution, owner.entry_point)
            found[key] = (*found.get(key, ()), tool)
    return found


def tools_of_plugin(distribution: str, entry_point: str) -> tuple[Tool, ...]:
    """Return the tools that a plugin ships, broken ones too, sorted by id."""
    return tools_by_plugin().get((distribution, entry_point), ())


def tool_findings() -> Iterator[Finding]:
    """Yield what is wrong with single tools."""
    tools = registry.everything()
    for tool in tools:
        if (error := tool.definition_error) is not None:
            problems = "; ".join(error.problems)
            advice = f"mend {tool.origin.qualname} in {_place(tool)}"
            yield problem(tool.id, f"cannot be defined: {problems}", advice, detail=str(error))
    for tool in tools:
        if missing := tool.missing_env:
            yield problem(tool.id, f"is hidden: {', '.join(missing)} is not set", "set the variable to use the tool")
    if not _has_pebble():
        for tool in tools:
            declared = tool._definition.declaration.options  # not `tool.options`, which may have to be imported
            if declared.get("isolation") == "process":
                message = 'cannot be called: it is declared with isolation="process", which needs pebble'
                yield problem(tool.id, message, "pip install 'fcregistry[isolation]'")
    for clash in registry.clashes():
        yield problem("two declarations", clash, "until then, looking the name up raises")


def _has_pebble() -> bool:
    from importlib.util import find_spec  # of a top-level name it imports nothing

    return find_spec("pebble") is not None


def _place(tool: Tool) -> str:
    return f"{tool.origin.file}:{tool.origin.line}" if tool.origin.file else tool.origin.module


def name_findings() -> Iterator[Finding]:
    """Yield the names that several owners have."""
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
    """Return what is to be said of a name that several tools have.

    Args:
        name: The name.
        ids: All of them.
        own: Those of the application.
        preferred: Those of the distribution that the configuration prefers, if it does one of these.
    """
    if len(own) == 1:
        others = ", ".join(each for each in ids if each not in own)
        return note(name, f"is the application's own tool, before {others}", "name the others by their canonical ids")
    if len(preferred) == 1 and not own:
        others = ", ".join(each for each in ids if each not in preferred)
        said = f"is {preferred[0]}, before {others}, since the configuration gives it precedence"
        return note(name, said, "name the others by their canonical ids")
    among = ", ".join(preferred if preferred and not own else ids)
    return problem(name, f"is ambiguous: {among}", "name one by its canonical id; the plain name raises")


# --- inspection._doctor._manifests ---


def manifest_findings(
    accounts: Iterable[Account], probed: Mapping[PluginKey, list[ToolRecord]] | None = None
) -> Iterator[Finding]:
    """Yield what is wrong with manifests of plugins that load.

    Args:
        accounts: The plugins.
        probed: What importing some of them has just shown.
    """
    declared: dict[PluginKey, list[ToolRecord]] = {}
    for each in accounts:
        if each.failure:
            continue
        manifest = manifest_of(each.plugin)
        if manifest is None:
            continue
        if isinstance(manifest, ManifestProblem):
            yield problem(each.plugin.label, f"has a manifest that is not used: {manifest.message}", manifest.advice)
        elif manifest.is_stale:
            yield _drifted(each.plugin, "is older than its code", manifest.changed)
        else:
            declared = declared or _declared(probed or {})
            there = {"tools": declared.get(each.plugin.key, [])}
            if lines := manifest_drift(manifest.record, there):
                yield _drifted(each.plugin, "is not what its code declares", lines)


def _drifted(plugin: FoundPlugin, what: str, lines: Iterable[str]) -> Finding:
    advice = f"run in the project of {plugin.distribution}: fcregistry manifest build; or tell its authors"
    return problem(plugin.label, f"has a manifest that {what}: {'; '.join(lines)}", advice)


def _declared(probed: Mapping[PluginKey, list[ToolRecord]]) -> dict[PluginKey, list[ToolRecord]]:
    """Return what each plugin ships, by what is known of it; what the configuration hides too, for which its authors are not to blame."""
    known: dict[PluginKey, list[ToolRecord]] = {}
    for plugin, tool in shipped_tools():
        known.setdefault(plugin.key, []).append(record_of(tool))
    return {**known, **probed}


# --- inspection._doctor._extensions ---


def extension_findings() -> Iterator[Finding]:
    """Yield the extensions that do not load, that are several of one name, or disabled."""
    extensions = current().extensions
    enabled: dict[str, list[FoundExtension]] = {}
    for extension in current().found_extensions:
        reason = extensions.disabled(extension)
        if reason is not None and reason == current().permission().to_trust(extension):
            yield problem(extension.label, f"is not loaded: {reason}", "until then nothing of it is used")
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


def call_hook_findings() -> Iterator[Finding]:
    """Yield the hooks of calls that are named and cannot be had."""
    for error in current().extensions.unusable_call_hooks():
        advice = "until then every call is refused; correct the variable, or mend the extension"
        yield problem(CALL_HOOKS, str(error).removeprefix(f"{CALL_HOOKS} "), advice)
