"""The command `search`: tools that match some words."""

from __future__ import annotations

from typing import Final

import click

from fcregistry._registry import registry
from fcregistry._tools.selectors import did_you_mean, nearest
from fcregistry._tools.tool import Tool
from fcregistry.cli._output import remark, say_json, table
from fcregistry.cli._tools import complete_tools, local_name, mention_failed_plugins, no_tools_text, tool_json
from fcregistry.discovery import names_starting_with

NOTHING_FOUND: Final = 1


@click.command("search", short_help="Find tools by words.")
@click.argument("words", nargs=-1, required=True, metavar="WORDS...")
@click.option(
    "--in",
    "selectors",
    multiple=True,
    metavar="SELECTOR",
    shell_complete=complete_tools,
    help="Look only at the tools that this names. May be given several times.",
)
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    metavar="NUMBER",
    help="How many tools to show.",
)
@click.option("--json", "as_json", is_flag=True, help="Write JSON, with schemas.")
@click.pass_context
def command(ctx: click.Context, words: tuple[str, ...], selectors: tuple[str, ...], limit: int, as_json: bool) -> None:
    """Show the tools that have to do with WORDS, best first: by their names, descriptions and parameters.

    Exits with 1 if there are none.
    """
    found = registry.search(" ".join(words), *selectors, limit=limit)
    if as_json:
        say_json([tool_json(tool) for tool in found])
    elif found:
        table([_row(tool) for tool in found], ("NAME", "FROM", "SUMMARY"))
    if not found:
        remark(_nothing(" ".join(words), names_starting_with("")))
    mention_failed_plugins()
    ctx.exit(0 if found else NOTHING_FOUND)


def _nothing(words: str, there: set[str]) -> str:
    if not there:
        return no_tools_text()
    return f"No tool has to do with {words!r}{did_you_mean(nearest(words, sorted(there)))}"


def _row(tool: Tool) -> tuple[str, str, str]:
    notice = "(deprecated) " if tool.options.deprecated else ""
    return local_name(tool), tool._owner.distribution if tool._owner else "(application)", notice + tool.summary
