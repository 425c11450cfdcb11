"""Which plugins are installed, and what became of them?"""

from __future__ import annotations

from typing import Any

import click

from fcregistry.cli._output import remark, say_json, table
from fcregistry.discovery import DisabledPlugin, FailedPlugin, load_plugins
from fcregistry.discovery._outcomes import Outcome
from fcregistry.inspection._doctor import tools_of


@click.command("plugins", short_help="List the installed plugins.")
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
def command(as_json: bool) -> None:
    """List the installed plugins: what each ships, and what became of it when it was imported."""
    outcomes = sorted(load_plugins(), key=lambda each: (each.plugin.distribution.lower(), each.plugin.entry_point))
    rows = [_row(outcome) for outcome in outcomes]
    if as_json:
        say_json(rows)
    elif rows:
        table(
            [[_cell(row, key) for key in _COLUMNS] for row in rows], [key.upper().replace("_", " ") for key in _COLUMNS]
        )
    else:
        remark("There are no plugins: install a package that ships some.")


_COLUMNS = ("distribution", "version", "entry_point", "tools", "state", "import_time", "reason")


def _row(outcome: Outcome) -> dict[str, Any]:
    plugin = outcome.plugin
    row: dict[str, Any] = {
        "distribution": plugin.distribution,
        "version": plugin.version,
        "entry_point": plugin.entry_point,
        "module": plugin.value,
        "tools": len(tools_of(plugin.distribution, plugin.entry_point)),
    }
    if isinstance(outcome, DisabledPlugin):
        return {**row, "state": "disabled", "import_seconds": None, "reason": outcome.reason}
    state, reason = ("failed", outcome.reason) if isinstance(outcome, FailedPlugin) else ("loaded", None)
    return {**row, "state": state, "import_seconds": round(outcome.seconds, 4), "reason": reason}


def _cell(row: dict[str, Any], key: str) -> str:
    if key == "import_time":
        seconds = row["import_seconds"]
        return "" if seconds is None else f"{seconds * 1000:.0f} ms"
    return "" if row[key] is None else str(row[key])
