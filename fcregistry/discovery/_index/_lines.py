"""What is kept ready for whoever asks for all tools at once? Their lines in order, by columns: nothing is made or sorted of thousands of rows."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Final, TypeAlias

from fcregistry._tools.declaration import local_name

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping

    from fcregistry.discovery._found import FoundPlugin

LINES: Final = "SELECT tools, plugins, names, summaries, options FROM lines"
"""The one row that has them; a text for each column, in which a line end parts what stands under one another."""

_REQUIRES: Final = '"requires_env"'
_DEPRECATED: Final = '"deprecated"'

Line: TypeAlias = "tuple[str, FoundPlugin, str, str, str]"
"""The row of a tool, its plugin, its name with its group, its summary, and its options (as text), if a list depends on them."""


def write_lines(connection: sqlite3.Connection) -> None:
    """Write the lines of all tools that can be defined, in the order of `registry.find`."""
    lines = sorted(
        (name, f"{distribution}:{local_name(name, group)}", local_name(name, group), str(tool), str(plugin), *rest)
        for name, group, distribution, tool, plugin, *rest in connection.execute(
            "SELECT name, grp, distribution, tools.id, plugin, summary, options FROM tools "
            "JOIN entry_points ON entry_points.id = tools.plugin WHERE flags & 1 = 0"
        )
    )
    columns = (
        [tool for _, _, _, tool, _, _, _ in lines],
        [plugin for _, _, _, _, plugin, _, _ in lines],
        [local for _, _, local, _, _, _, _ in lines],
        [" ".join(summary.split()) if "\n" in summary else summary for *_, summary, _ in lines],
        [options if _REQUIRES in options or _DEPRECATED in options else "" for *_, options in lines],
    )
    connection.execute("DELETE FROM lines")
    connection.execute("INSERT INTO lines VALUES (?, ?, ?, ?, ?)", ["\n".join(each) for each in columns])


def lines_of(columns: tuple[str, str, str, str, str], plugins: Mapping[int, FoundPlugin]) -> list[Line]:
    """Return the lines of the tools of some plugins, given by row, of what `LINES` tells.

    Raises:
        ValueError: The columns are not of one length.
    """
    tools, rows, names, summaries, options = (each.split("\n") for each in columns)
    owners = {str(row): plugin for row, plugin in plugins.items()}
    found = zip(tools, map(owners.get, rows), names, summaries, options, strict=True)
    return [line for line in found if line[1] is not None]  # type: ignore[misc]  # which mypy does not narrow


def has_environment(options: str) -> bool:
    """Tell whether the variables are set that a tool requires, of its options as text."""
    if _REQUIRES not in options:
        return True
    required = json.loads(options).get("requires_env", ())
    return all(os.environ.get(name) for name in ([required] if isinstance(required, str) else required))


def is_deprecated(options: str) -> bool:
    """Tell whether a tool says so of itself, of its options as text."""
    return _DEPRECATED in options and bool(json.loads(options).get("deprecated"))
