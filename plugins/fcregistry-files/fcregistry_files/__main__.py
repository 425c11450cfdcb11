"""The commands for a trash: `python -m fcregistry_files list ROOT`, `restore ROOT ID`, `empty ROOT`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from datetime import timedelta

from fcregistry.errors import FcregistryError

from fcregistry_files._paths import escape
from fcregistry_files._trash import Trash


def main(arguments: Sequence[str] | None = None) -> str:
    """Carry out a command, and return what to print.

    Args:
        arguments: The words of the command; by default, those of the process.
    """
    parser = argparse.ArgumentParser(
        "python -m fcregistry_files", description="The trash of a folder that tools may use."
    )
    commands = parser.add_subparsers(dest="command", required=True)
    for name, text in (
        ("list", "show what was deleted, the oldest first"),
        ("restore", "move something back to where it was"),
        ("empty", "remove what was deleted, for good"),
    ):
        command = commands.add_parser(name, help=text, description=text)
        command.add_argument("root", help="the folder that the tools may use")
        command.add_argument("--trash", help="the folder of the trash, if it is not beside the root")
        if name == "restore":
            command.add_argument("id", help="the first column of `list`")
            command.add_argument("--to", metavar="PATH", help="another path, relative to the root")
        if name == "empty":
            command.add_argument("--days", type=float, default=0, help="keep what was deleted in the last DAYS days")
    given = parser.parse_args(arguments)
    trash = Trash(given.root, given.trash)
    if given.command == "list":
        return "\n".join(f"{each.id}  {escape(each.path)}" for each in trash.entries()) or "the trash is empty"
    if given.command == "restore":
        return f"restored {escape(trash.restore(given.id, to=given.to))}"
    return f"removed {trash.empty(timedelta(days=given.days))}"


if __name__ == "__main__":
    try:
        sys.stdout.write(f"{main()}\n")
    except (FcregistryError, OSError) as error:
        sys.exit(f"Error: {error}")
