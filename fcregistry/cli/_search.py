"""The command `search`: tools that match some words."""

from __future__ import annotations

import click

from fcregistry._registry import registry
from fcregistry._tools.selectors import did_you_mean, nearest
from fcregistry.cli._output import remark, say_json
from fcregistry.cli._tools import (
    mention_failed_plugins,
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
    found = registry.search(text, *selectors, limit=limit)
    if as_json:
        say_json([tool_json(tool) for tool in found])
    elif found:
        tool_table([tool_line(tool) for tool in found])
    if not found:
        names = sorted(names_starting_with(""))
        remark(f"No tool matches {text!r}{did_you_mean(nearest(text, names))}" if names else no_tools_text())
    mention_failed_plugins()
    ctx.exit(0 if found else 1)
