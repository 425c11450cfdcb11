"""The command `list`: the tools that are installed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from fcregistry._registry import registry
from fcregistry.cli._output import remark, say_json_text, table
from fcregistry.cli._tools import complete_tools, mention_what_is_missing, no_tools_text
from fcregistry.discovery import ToolLine, searchable_texts, tool_lines

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fcregistry.discovery import FoundPlugin


@click.command("list", short_help="List the tools there are.")
@click.argument("selectors", nargs=-1, metavar="[SELECTOR]...", shell_complete=complete_tools)
@click.option("--json", "as_json", is_flag=True, help="Write JSON, with schemas.")
def command(selectors: tuple[str, ...], as_json: bool) -> None:
    """List the tools that SELECTORs name; without any, all there are.

    A SELECTOR is a name, a glob (weather_*), a group (search.*), a distribution (acme-weather:*), tag=…, group=…, or one of these after
    an exclamation mark, which takes away.
    """
    if as_json:
        _write_json(selectors)
    elif lines := tool_lines(selectors):
        table(_rows(lines), ("NAME", "FROM", "SUMMARY"))
    elif selectors:
        remark("The selectors leave no tool.")
    else:
        remark(no_tools_text())
    mention_what_is_missing(selectors)


def _rows(lines: Iterable[ToolLine]) -> list[tuple[str, str, str]]:
    return [
        (name, distribution or "(application)", f"(deprecated) {summary}" if is_deprecated else summary)
        for name, distribution, summary, is_deprecated in lines
    ]


def _write_json(selectors: tuple[str, ...]) -> None:
    """Write a JSON array, a tool a line; without selectors, the index has the texts."""
    written = None if selectors else searchable_texts()
    if written is None:
        from fcregistry.cli._tools import tool_json

        lines = [json.dumps(tool_json(tool), ensure_ascii=False) for tool in registry.find(*selectors)]
    else:
        plugins = {id(plugin): plugin for plugin, _, _ in written}
        owners = {each: _owner(plugin) for each, plugin in plugins.items()}
        # Nothing in a name needs an escape
        lines = [name.join(owners[id(plugin)]) + text[1:] for plugin, name, text in written]
    say_json_text("[\n" + ",\n".join(lines) + "\n]" if lines else "[]")


def _owner(plugin: FoundPlugin) -> tuple[str, str]:
    """Return the text before and after a tool's name in what `tool_json` writes before the record."""
    owner = {"distribution": plugin.distribution, "version": plugin.version, "entry_point": plugin.entry_point}
    return '{"id": ' + json.dumps(f"{plugin.distribution}:")[:-1], f'", {json.dumps(owner)[1:-1]}, '
