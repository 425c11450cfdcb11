"""The command `search`: tools that match some words."""

from __future__ import annotations

from collections.abc import Sequence

import click

from fcregistry._registry import catalogue_of, registry
from fcregistry._tools.catalogue import HiddenTool
from fcregistry._tools.selectors import did_you_mean, nearest
from fcregistry._tools.tool import Tool
from fcregistry.cli._output import remark, say_json
from fcregistry.cli._tools import (
    find_listed,
    local_name,
    mention_failed_plugins,
    mention_hidden,
    no_tools_text,
    selector_option,
    tool_json,
    tool_line,
    tool_table,
)
from fcregistry.discovery import names_starting_with


@click.command("search", short_help="Find tools by words.")
@click.argument("words", nargs=-1, required=True, metavar="WORDS...")
@selector_option("--in", "selectors", "Search only these tools.")
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    metavar="NUMBER",
    help="The most tools to show.",
)
@click.option("--json", "as_json", is_flag=True, help="Write JSON, with schemas.")
@click.pass_context
def command(ctx: click.Context, words: tuple[str, ...], selectors: tuple[str, ...], limit: int, as_json: bool) -> None:
    """Show the tools whose names, descriptions or parameters match WORDS, the best match first.

    Exits with 1 if no tool matches.
    """
    text = " ".join(words)
    found, hidden = _search(text, selectors, limit)
    if as_json:
        say_json([tool_json(tool) for tool in found])
    elif found:
        tool_table([tool_line(tool) for tool in found])
    if not found:
        names = sorted(names_starting_with(""))
        remark(f"No tool matches {text!r}{did_you_mean(nearest(text, names))}" if names else no_tools_text())
    mention_failed_plugins()
    mention_hidden(hidden)
    ctx.exit(0 if found else 1)


def _search(text: str, selectors: Sequence[str], limit: int) -> tuple[list[Tool], list[HiddenTool]]:
    """Return the tools that match `text` best, at most `limit`, and hidden tools: those that match better.

    With selectors, they are all hidden tools that these match.

    Args:
        text: The words.
        selectors: Selectors, of which only the tools are searched; all tools if there are none.
        limit: The most tools.
    """
    if selectors:
        return [*registry.search(text, *selectors, limit=limit)], find_listed(selectors)[1]
    catalogue = catalogue_of(registry)
    catalogue.load()
    found: list[Tool] = []
    hidden: list[HiddenTool] = []
    for tool in catalogue.searched(text, with_unavailable=True):
        if not (unavailable := tool.unavailable):
            found.append(tool)
        elif not found:  # weaker matches tell the user nothing
            hidden.append(HiddenTool(local_name(tool), unavailable))
        if len(found) == limit:
            break
    return found, hidden[:limit]
