"""Runs all benchmarks and writes docs/explanation/performance.md, or runs those that are named and writes no page.

`nox -s benchmarks` runs this where the wheels are installed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

from _page import failures, page, peers_section
from _peers import PeerReport, ask_all
from _tables import Table, read, text

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PAGE = ROOT / "docs" / "explanation" / "performance.md"
PEERS = ROOT / ".nox" / ".cache" / "peers"
BUSY = 0.5
SCRIPTS = ("call", "wrong", "batches", "scale", "schemas", "dialects", "startup", "index", "agent_rounds")


def main() -> None:
    """Run what the command line asks for."""
    options = parsed()
    if sys.dont_write_bytecode:
        sys.exit("Unset PYTHONDONTWRITEBYTECODE: without byte code one would time the compiler.")
    load = load_now()
    asked = options.names or [*SCRIPTS, "peers"]
    tables = [table for name in SCRIPTS if name in asked for table in tables_of(name)]
    peers = ask_all(options.peers, rounds=options.rounds) if "peers" in asked else []
    show(tables, peers)
    if not options.names:
        options.page.write_text(page(tables, peers, load), encoding="utf-8")
        print(f"\nwritten to {options.page}")


def load_now() -> str:
    """Return how busy the machine is with other things, where that can be asked, and warn if it is."""
    if not hasattr(os, "getloadavg"):
        return "unknown"
    load = os.getloadavg()[0]
    if load > BUSY:
        print(f"This machine is busy (load {load:.1f}): do not keep these numbers.\n", file=sys.stderr)
    return f"{load:.1f}"


def parsed() -> argparse.Namespace:
    """Read the command line."""
    known = [*SCRIPTS, "peers"]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"run only these, and write no page: {', '.join(known)}"
    )
    parser.add_argument("--peers", type=Path, default=PEERS, help="the folder with the peers' environments")
    parser.add_argument("--rounds", type=int, default=5, help="how often each peer is asked")
    parser.add_argument("--page", type=Path, default=PAGE, help="the file that a full run writes")
    options = parser.parse_args()
    if unknown := [name for name in options.names if name not in known]:
        parser.error(f"there is no benchmark {unknown[0]}; there are {', '.join(known)}")
    return options


def tables_of(name: str) -> list[Table]:
    """Run one script in a process of its own, and return what it measured."""
    print(f"running {name}.py ...", file=sys.stderr, flush=True)
    command = [sys.executable, str(HERE / f"{name}.py"), "--json"]
    return read(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


def show(tables: list[Table], peers: list[PeerReport]) -> None:
    """Print everything, and at the end what is not as it should be."""
    for table in tables:
        print(f"{text(table)}\n")
    if peers:
        print(peers_section(peers))
    missed = [
        f"{row.what}: {row.ours}, {row.beside}; aim {row.aim}"
        for table in tables
        for row in table.rows
        if row.kept is False
    ]
    for title, lines in (("Aims that are missed", missed), ("Peers that failed", failures(peers))):
        if lines:
            print(f"\n{title}:", *lines, sep="\n- ")


if __name__ == "__main__":
    main()
