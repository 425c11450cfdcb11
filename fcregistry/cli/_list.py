"""Which tools are there?"""

from __future__ import annotations

import click

from fcregistry._registry import registry
from fcregistry.cli._output import remark, say_json, table
from fcregistry.cli._tools import complete_tools, local_name, mention_what_is_missing, tool_json


@click.command("list", short_help="List the tools there are.")
@click.argument("selectors", nargs=-1, metavar="[SELECTOR]...", shell_complete=complete_tools)
@click.option("--json", "as_json", is_flag=True, help="Write JSON, with schemas.")
def command(selectors: tuple[str, ...], as_json: bool) -> None:
    """List the tools that SELECTORs name; without any, all there are.

    A SELECTOR is a name, a glob (weather_*), a group (search.*), a distribution (acme-weather:*), tag=…, group=…, or one of these after
    an exclamation mark, which takes away.
    """
    tools = registry.find(*selectors)
    if as_json:
        say_json([tool_json(tool) for tool in tools])
    elif tools:
        rows = [
            (
                local_name(tool),
                tool.origin.distribution or "(application)",
                _summary(tool.summary, tool.options.deprecated),
            )
            for tool in tools
        ]
        table(rows, ("NAME", "FROM", "SUMMARY"))
    elif selectors:
        remark("The selectors leave no tool.")
    else:
        remark("There are no tools: install a package that ships some, or name a module of yours with -m MODULE.")
    mention_what_is_missing()


def _summary(summary: str, deprecated: bool | str) -> str:
    return f"(deprecated) {summary}" if deprecated else summary
