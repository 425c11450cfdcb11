"""The command `list`: the tools that are installed."""

from __future__ import annotations

from functools import cache

import click

from fcregistry._tools.catalogue import HiddenTool
from fcregistry.cli._output import remark, say_json_text
from fcregistry.cli._tools import (
    complete_tools_and_distributions,
    expand_distributions,
    find_listed,
    mention_doubtful_settings,
    mention_hidden,
    mention_what_is_missing,
    no_tools_text,
    plugin_json,
    tool_json,
    tool_table,
)
from fcregistry.discovery import FoundPlugin, searchable_texts, tool_lines


@click.command("list", short_help="List the installed tools.")
@click.argument("selectors", nargs=-1, metavar="[SELECTOR]...", shell_complete=complete_tools_and_distributions)
@click.option("--json", "as_json", is_flag=True, help="Write JSON, with schemas.")
def command(selectors: tuple[str, ...], as_json: bool) -> None:
    """List the tools that match the SELECTORs; without any, all tools.

    A SELECTOR is a name, a glob (weather_*), a group (search.*), a distribution (acme-weather, or acme-weather:*), tag=…, or group=…. One that
    begins with an exclamation mark leaves tools out.
    """
    selectors = tuple(expand_distributions(selectors))
    if as_json:
        lines, hidden = _json_lines(selectors)
        say_json_text("[\n" + ",\n".join(lines) + "\n]" if lines else "[]")
    else:
        found, hidden = tool_lines(selectors)
        if found:
            tool_table(found)
        else:
            remark("The selectors leave no tool." if selectors else no_tools_text())
    mention_what_is_missing(selectors)
    mention_hidden(hidden)
    mention_doubtful_settings()


def _json_lines(selectors: tuple[str, ...]) -> tuple[list[str], list[HiddenTool]]:
    """Return the JSON text of each tool that `selectors` name, as `tool_json` returns the tool; and the hidden tools.

    They are sorted by name and distribution; without selectors, the result has all tools.
    """
    import json  # the table does without it

    # Without selectors, the records are copied as the index has them: for thousands of tools that takes less than half the time
    found = None if selectors else searchable_texts()
    if found is None:
        tools, hidden = find_listed(selectors)
        tools.sort(key=lambda tool: tool.id.rpartition(":")[::-2])
        return [json.dumps(tool_json(tool), ensure_ascii=False) for tool in tools], hidden
    texts, hidden = found

    @cache
    def owner(plugin: FoundPlugin) -> str:
        return json.dumps(plugin_json(plugin))[1:-1]

    lines = [f'{{"id": "{plugin.distribution}:{name}", {owner(plugin)}, {text[1:]}' for plugin, name, text in texts]
    return lines, hidden
