"""Times whole processes: one that declares a tool, and ones that run a command."""

from __future__ import annotations

from _clock import HELLO, OURS, compare_processes
from _tables import Table, present, times

DECLARE = "from fcregistry import fc_register\n@fc_register('tool')\ndef f(a: int) -> int: return a"


def main() -> None:
    """Show what was measured."""
    declare = compare_processes(["-c", "pass"], ["-c", DECLARE])
    listed = compare_processes(["-c", HELLO], [*OURS, "list"])
    version = compare_processes(["-c", HELLO], [*OURS, "--version"])
    rows = [
        # 8 ms beyond bare Python, which takes 15 ms where that was set: what plugin authors pay.
        times("import, and one decoration (floor: bare Python)", *declare, "ms", most=1.5),
        times("`fcregistry list` (floor: a click hello-world)", *listed, "ms", most=1.8),
        times("`fcregistry --version` (the same floor)", *version, "ms", most=1.2),
    ]
    present(Table(title="Starting", words="The time of whole processes, from start to end.", rows=rows))


if __name__ == "__main__":
    main()
