"""The command `plugins`: installed plugins and extensions, and whether they load."""

from __future__ import annotations

from typing import Any

import click

from fcregistry.cli._output import remark, say, say_json, table
from fcregistry.discovery import (
    DescribedPlugin,
    DisabledPlugin,
    FailedExtension,
    FailedPlugin,
    FoundExtension,
    Outcome,
    current,
)
from fcregistry.inspection import tools_of_plugin


@click.command("plugins", short_help="List the installed plugins and extensions.")
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
def command(as_json: bool) -> None:
    """List the installed plugins: what each ships, how long it took to import, and below them, why some are not used.

    Extensions, which ship no tools, come after them. They are listed and not loaded: that happens when something needs them.
    """
    current().know()
    outcomes = sorted(current().report(), key=lambda each: (each.plugin.distribution.lower(), each.plugin.entry_point))
    plugins = [_row(outcome) for outcome in outcomes]
    extensions = [_extension_row(extension) for extension in current().found_extensions]
    if as_json:
        say_json([*plugins, *extensions])
        return
    if plugins:
        _show(plugins, ("distribution", "version", "entry_point", "tools", "state", "import_time"))
    if plugins and extensions:
        say()
    if extensions:
        named = [{**row, "extension": row["entry_point"]} for row in extensions]
        _show(named, ("distribution", "version", "extension", "state"))
    if not plugins and not extensions:
        remark("There are no plugins: install a package that ships some.")


def _show(rows: list[dict[str, Any]], columns: tuple[str, ...]) -> None:
    """Write a table, and the reasons below it: they are long, and the terminal cuts the lines of a table."""
    table([[_cell(row, key) for key in columns] for row in rows], [key.upper().replace("_", " ") for key in columns])
    for row in rows:
        if row["reason"] is not None:
            say(f"{row['distribution']}[{row['entry_point']}]: {' '.join(row['reason'].split())}")


def _row(outcome: Outcome) -> dict[str, Any]:
    plugin = outcome.plugin
    row: dict[str, Any] = {
        "kind": "plugin",
        "distribution": plugin.distribution,
        "version": plugin.version,
        "entry_point": plugin.entry_point,
        "module": plugin.value,
        "tools": len(tools_of_plugin(plugin.distribution, plugin.entry_point)),
    }
    if isinstance(outcome, DisabledPlugin):
        return {**row, "state": "disabled", "import_seconds": None, "reason": outcome.reason}
    state, reason = ("failed", outcome.reason) if isinstance(outcome, FailedPlugin) else ("loaded", None)
    seconds: float | None = round(outcome.seconds, 4)
    if isinstance(outcome, DescribedPlugin):
        state = "described"
        seconds = None if outcome.by == "manifest" else seconds  # it was not imported
    return {**row, "state": state, "import_seconds": seconds, "reason": reason}


def _extension_row(extension: FoundExtension) -> dict[str, Any]:
    state, reason = _extension_state(extension)
    return {
        "kind": "extension",
        "distribution": extension.distribution,
        "version": extension.version,
        "entry_point": extension.entry_point,
        "module": extension.value,
        "tools": None,
        "state": state,
        "import_seconds": None,
        "reason": reason,
    }


def _extension_state(extension: FoundExtension) -> tuple[str, str | None]:
    extensions = current().extensions
    outcome = extensions.outcome(extension)
    if isinstance(outcome, FailedExtension):
        return "failed", outcome.reason
    if disabled := extensions.disabled(extension):
        return "disabled", disabled
    return ("installed" if outcome is None else "loaded"), None


def _cell(row: dict[str, Any], key: str) -> str:
    if key == "import_time":
        seconds = row["import_seconds"]
        return "" if seconds is None else f"{seconds * 1000:.0f} ms"
    return "" if row[key] is None else str(row[key])
