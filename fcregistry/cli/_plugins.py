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
    current().describe_all()
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
    state = {DisabledPlugin: "disabled", FailedPlugin: "failed", DescribedPlugin: "described"}.get(
        type(outcome), "loaded"
    )
    by_manifest = isinstance(outcome, DescribedPlugin) and outcome.by == "manifest"  # and so not imported
    return {
        **_found(plugin, "plugin"),
        "tools": len(tools_of_plugin(plugin.distribution, plugin.entry_point)),
        "state": state,
        "import_seconds": None if by_manifest or isinstance(outcome, DisabledPlugin) else round(outcome.seconds, 4),
        "reason": outcome.reason if isinstance(outcome, DisabledPlugin | FailedPlugin) else None,
    }


def _extension_row(extension: FoundExtension) -> dict[str, Any]:
    outcome, disabled = current().extensions.outcome(extension), current().extensions.disabled(extension)
    if isinstance(outcome, FailedExtension):
        state, reason = "failed", outcome.reason
    elif disabled:
        state, reason = "disabled", disabled
    else:
        state, reason = "installed" if outcome is None else "loaded", None
    return {**_found(extension, "extension"), "tools": None, "state": state, "import_seconds": None, "reason": reason}


def _found(found: FoundEntryPoint, kind: str) -> dict[str, Any]:
    names = ("distribution", "version", "entry_point")
    return {"kind": kind, **{name: getattr(found, name) for name in names}, "module": found.value}
