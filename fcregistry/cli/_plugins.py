"""The command `plugins`: installed plugins, extensions and commands, and whether they load."""

from __future__ import annotations

from typing import Any

import click

from fcregistry.cli._output import json_option, remark, say, say_json, table
from fcregistry.discovery import (
    DescribedPlugin,
    DisabledPlugin,
    FailedEntryPoint,
    FailedPlugin,
    FoundCommand,
    FoundEntryPoint,
    FoundExtension,
    Outcome,
    current,
    load_command,
)
from fcregistry.inspection import tools_of_plugin


@click.command("plugins", short_help="List the installed plugins, extensions and commands.")
@json_option
def command(as_json: bool) -> None:
    """List the installed plugins, extensions and commands.

    The table shows what each plugin ships and how long its import took; the lines below it, why some are not used.

    Extensions, which ship no tools, follow. They are not loaded for the list. The commands that packages ship come last, and are loaded.
    """
    current().describe_all()
    outcomes = sorted(current().report(), key=lambda each: (each.plugin.distribution.lower(), each.plugin.entry_point))
    plugins = [_plugin_row(outcome) for outcome in outcomes]
    extensions = [_extension_row(extension) for extension in current().found_extensions]
    commands = [_command_row(each) for each in current().found_commands]
    if as_json:
        say_json([*plugins, *extensions, *commands])
        return
    columns = {"entry_point": "ENTRY POINT", "tools": "TOOLS", "state": "STATE", "import_seconds": "IMPORT TIME"}
    shown = [(plugins, columns)]
    shown += [
        (rows, {"entry_point": kind, "state": "STATE"})
        for kind, rows in (("EXTENSION", extensions), ("COMMAND", commands))
    ]
    for number, (rows, headings) in enumerate([each for each in shown if each[0]]):
        if number:
            say()
        _show(rows, headings)
    if not any(rows for rows, _ in shown):
        remark("There are no plugins: install a package that ships some.")


def _show(rows: list[dict[str, Any]], columns: dict[str, str]) -> None:
    """Write a table to stdout, and below it the reasons in `rows`, which are too long for a table.

    Args:
        rows: The rows, by key; a row without a reason has None.
        columns: The keys of the columns, with their headings; distribution and version come before them.
    """
    columns = {"distribution": "DISTRIBUTION", "version": "VERSION", **columns}
    table([[_cell(row[key]) for key in columns] for row in rows], list(columns.values()))
    for row in rows:
        if row["reason"] is not None:
            say(f"{row['distribution']}[{row['entry_point']}]: {' '.join(row['reason'].split())}")


def _cell(value: str | float | None) -> str:
    """Return the text of a cell: a float, in seconds, as milliseconds; None as an empty text."""
    if isinstance(value, float):  # seconds
        return f"{value * 1000:.0f} ms"
    return "" if value is None else str(value)


def _plugin_row(outcome: Outcome) -> dict[str, Any]:
    """Return the row of a plugin: its entry point, number of tools, state, import time and reason.

    The time, in seconds, is None if the plugin is disabled or described by a manifest; the reason is None unless it is disabled or failed.
    """
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
    """Return the row of an extension, with the state `failed`, `disabled`, `loaded` or `installed`.

    The extension is not loaded for that. Its reason is None unless it failed or is disabled.
    """
    outcome, disabled = current().extensions.outcome(extension), current().extensions.disabled(extension)
    if isinstance(outcome, FailedEntryPoint):
        state, reason = "failed", outcome.reason
    elif disabled:
        state, reason = "disabled", disabled
    else:
        state, reason = "installed" if outcome is None else "loaded", None
    return {**_found(extension, "extension"), "tools": None, "state": state, "import_seconds": None, "reason": reason}


def _command_row(command: FoundCommand) -> dict[str, Any]:
    """Load a command unless it must not be used, and return its row: `disabled`, `loaded` or `failed`.

    The reason is None if it is loaded.
    """
    commands, permission = current().commands, current().permission()
    state, reason = "disabled", commands.refusal(command, permission) or permission.to_import(command)
    if reason is None:
        state, outcome = "loaded", load_command(command)
        if isinstance(outcome, FailedEntryPoint):
            state, reason = "failed", outcome.reason
    return {**_found(command, "command"), "tools": None, "state": state, "import_seconds": None, "reason": reason}


def _found(found: FoundEntryPoint, kind: str) -> dict[str, Any]:
    """Return what the rows of all entry points have: kind, names, version, and the value as `module`."""
    names = ("distribution", "version", "entry_point")
    return {"kind": kind, **{name: getattr(found, name) for name in names}, "module": found.value}
