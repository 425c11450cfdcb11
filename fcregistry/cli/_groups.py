"""The command `groups`: the groups of tools."""

from __future__ import annotations

from collections import Counter

import click

from fcregistry.cli._output import json_option, say_json, table
from fcregistry.cli._tools import find_listed, mention_hidden, mention_what_is_missing


@click.command("groups", short_help="List the groups of tools.")
@json_option
def command(as_json: bool) -> None:
    """List the groups of tools, with the number of tools in each."""
    tools, hidden = find_listed()
    counts = Counter(tool.group for tool in tools)
    if as_json:
        say_json([{"group": group, "tools": count} for group, count in sorted(counts.items())])
    else:
        table([(group, str(count)) for group, count in sorted(counts.items())], ("GROUP", "TOOLS"))
    mention_what_is_missing()
    mention_hidden(hidden)
