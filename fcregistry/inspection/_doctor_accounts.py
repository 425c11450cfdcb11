"""What is known of each plugin, whoever imported it: a process made for that, at some time, or this one?

MERGED: What is one thing that doctor has to say?
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from fcregistry._tools.declaration import log
from fcregistry.discovery import DescribedPlugin, DisabledPlugin, FailedPlugin, FoundPlugin, current, load_plugins
from fcregistry.discovery._found import PluginKey
from fcregistry.discovery._permission import Permission

# --- inspection._doctor._accounts ---


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """What became of a plugin when it was imported.

    Attributes:
        plugin: What was found.
        seconds: How long its import took.
        ships: Whether it declared tools.
        dynamic: Whether its tools depend on the environment, so that it is asked each time.
        printed: Whether it wrote to standard output; not known of what this process imported.
        changes: What it changed in its process that others rely on, a phrase each; likewise.
        failure: Why it does not load; empty if it does.
        advice: What to do about that.
        detail: More of that, such as a traceback.
        outdated: What happened to its distribution since this process imported it; empty if nothing did.
    """

    plugin: FoundPlugin
    seconds: float = 0.0
    ships: bool = True
    dynamic: bool = False
    printed: bool = False
    changes: tuple[str, ...] = ()
    failure: str = ""
    advice: str = ""
    detail: str = ""
    outdated: str = ""

    @classmethod
    def of_record(cls, plugin: FoundPlugin, record: Mapping[str, Any], *, ships: bool) -> Account:
        """Return what a `PluginRecord` says."""
        return cls(
            plugin=plugin,
            seconds=record["seconds"],
            ships=ships,
            dynamic=record["dynamic"],
            printed=record["printed"],
            changes=tuple(record["changes"]),
            failure=record["failure"] or "",
            advice=record["advice"],
            detail=record["detail"],
        )


def learn(*, again: bool = True) -> None:
    """Have all plugins known; in a program they are imported here, for a command elsewhere.

    Args:
        again: Whether plugins that did not load when they were described are tried anew: what kept them may be gone, such as a variable
            that was not set.
    """
    discovery = current()
    if discovery.describe is None:
        load_plugins()
        return
    installed = (*discovery.plugins, *discovery.found_extensions)
    index, describe = discovery.index, discovery.describe
    before = index.failed() if index is not None and again else set()
    permission = Permission()
    told = [each.plugin for each in discovery.report().failed if each.plugin.key in before]
    failing = [each for each in told if permission.to_import(each) is None]
    discovery.know()
    if index is not None and failing:
        made: list[Any] = []
        try:
            describe(failing, installed, made.append)
        finally:
            index.keep(made)
        discovery.refresh()


def accounts() -> dict[PluginKey, Account]:
    """Return what is known of all plugins that are not disabled, by plugin, sorted. Imports nothing."""
    discovery = current()
    descriptions = {} if discovery.index is None else discovery.index.descriptions()
    shipping = _shipping()
    told: dict[PluginKey, Account] = {}
    for outcome in discovery.report():
        plugin = outcome.plugin
        ships = plugin.key in shipping
        if isinstance(outcome, FailedPlugin):
            told[plugin.key] = Account(
                plugin=plugin, failure=outcome.reason, advice=outcome.advice, detail=outcome.traceback
            )
        elif isinstance(outcome, DescribedPlugin):
            told[plugin.key] = Account.of_record(plugin, descriptions[plugin.key].record, ships=ships)
        elif not isinstance(outcome, DisabledPlugin):
            told[plugin.key] = Account(
                plugin=plugin, seconds=outcome.seconds, ships=ships, outdated=outcome.outdated or ""
            )
    return {each.key: told[each.key] for each in discovery.plugins if each.key in told}


def _shipping() -> set[PluginKey]:
    """Return the plugins that ship tools, those that are not to be seen too."""
    discovery = current()
    described = () if discovery.index is None else discovery.index.described()
    owners = {discovery.owner(declaration) for declaration in log}
    return {plugin.key for _, plugin in described} | {owner.key for owner in owners if owner is not None}


# --- inspection._doctor._finding ---


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that doctor has to say.

    Attributes:
        kind: `problem` for what should be mended, `note` for what is worth knowing and keeps nobody from a tool.
        subject: What it is about: a plugin, a tool, a name.
        message: What is the matter.
        advice: What to do about it; empty where nothing is to be done.
        place: The line of code that it is about, `file:line`; empty where there is none.
        detail: More, such as a traceback; empty where there is no more.
    """

    kind: Literal["problem", "note"]
    subject: str
    message: str
    advice: str
    place: str = ""
    detail: str = ""


def problem(subject: str, message: str, advice: str, *, place: str = "", detail: str = "") -> Finding:
    """Return a finding that should be mended."""
    return Finding(kind="problem", subject=subject, message=message, advice=advice, place=place, detail=detail)


def note(subject: str, message: str, advice: str) -> Finding:
    """Return a finding that is worth knowing."""
    return Finding(kind="note", subject=subject, message=message, advice=advice)


def not_loaded(subject: str, reason: str) -> Finding:
    """Return the finding of a plugin, or extension, that is not to be loaded.

    Args:
        subject: Which.
        reason: What says so: it begins with the name of a variable, or names a file.
    """
    fix = "unset the variable to have it back" if reason.startswith("FCREGISTRY_") else "change that to have it back"
    return note(subject, f"is not loaded: {reason}", fix)
