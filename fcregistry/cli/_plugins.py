"""The command `plugins`: installed plugins and extensions, and whether they load."""

from __future__ import annotations

from typing import Any

import click

from fcregistry.cli._output import json_option, remark, say, say_json, table
from fcregistry.discovery import (
    DescribedPlugin,
    DisabledPlugin,
    FailedExtension,
    FailedPlugin,
    FoundEntryPoint,
    FoundExtension,
    Outcome,
    current,
)
from fcregistry.inspection import tools_of_plugin


@click.command("plugins", short_help="List the installed plugins and extensions.")
@json_option
def command(as_json: bool) -> None:
    """List the installed plugins and extensions.

    The table shows what each plugin ships and how long its import took; the lines below it, why some are not used.

    Extensions, which ship no tools, follow. They are not loaded for the list.
    """
    current().know()
    outcomes = sorted(current().report(), key=lambda each: (each.plugin.distribution.lower(), each.plugin.entry_point))
    plugins = [_plugin_row(outcome) for outcome in outcomes]
    extensions = [_extension_row(extension) for extension in current().found_extensions]
    if as_json:
        say_json([*plugins, *extensions])
        return
    if plugins:
        _show(
            plugins, {"entry_point": "ENTRY POINT", "tools": "TOOLS", "state": "STATE", "import_seconds": "IMPORT TIME"}
        )
    if plugins and extensions:
        say()
    if extensions:
        _show(extensions, {"entry_point": "EXTENSION", "state": "STATE"})
    if not plugins and not extensions:
        remark("There are no plugins: install a package that ships some.")


def _show(rows: list[dict[str, Any]], columns: dict[str, str]) -> None:
    """Write a table, and the reasons below it: they are long, and the terminal cuts the lines of a table."""
    columns = {"distribution": "DISTRIBUTION", "version": "VERSION", **columns}
    table([[_cell(row[key]) for key in columns] for row in rows], list(columns.values()))
    for row in rows:
        if row["reason"] is not None:
            say(f"{row['distribution']}[{row['entry_point']}]: {' '.join(row['reason'].split())}")


def _cell(value: str | float | None) -> str:
    if isinstance(value, float):  # seconds
        return f"{value * 1000:.0f} ms"
    return "" if value is None else str(value)


def _plugin_row(outcome: Outcome) -> dict[str, Any]:
    plugin = outcome.plugin
    tools = len(tools_of_plugin(plugin.distribution, plugin.entry_point))
    if isinstance(outcome, DisabledPlugin):
        return _row("plugin", plugin, "disabled", outcome.reason, tools)
    seconds: float | None = round(outcome.seconds, 4)
    if isinstance(outcome, FailedPlugin):
        return _row("plugin", plugin, "failed", outcome.reason, tools, seconds)
    if not isinstance(outcome, DescribedPlugin):
        return _row("plugin", plugin, "loaded", None, tools, seconds)
    return _row("plugin", plugin, "described", None, tools, None if outcome.by == "manifest" else seconds)


def _extension_row(extension: FoundExtension) -> dict[str, Any]:
    outcome = current().extensions.outcome(extension)
    if isinstance(outcome, FailedExtension):
        return _row("extension", extension, "failed", outcome.reason)
    if disabled := current().extensions.disabled(extension):
        return _row("extension", extension, "disabled", disabled)
    return _row("extension", extension, "installed" if outcome is None else "loaded", None)


def _row(
    kind: str,
    found: FoundEntryPoint,
    state: str,
    reason: str | None,
    tools: int | None = None,
    seconds: float | None = None,
) -> dict[str, Any]:
    return {
        "kind": kind,
        "distribution": found.distribution,
        "version": found.version,
        "entry_point": found.entry_point,
        "module": found.value,
        "tools": tools,
        "state": state,
        "import_seconds": seconds,  # none if a manifest describes the plugin: it was not imported
        "reason": reason,
    }
