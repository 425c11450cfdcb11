"""Times commands where a thousand plugins are installed, and counts the plugins that they import.

Whole processes, which see a site of their own and keep their index in a folder of their own. What each prints is checked
before it is timed: a command that fails is fast.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from _clock import HELLO, OURS, Process, process_medians, process_seconds
from _site import DISTRIBUTIONS, PREFIX, TOOLS, make_site, tool_name
from _tables import Row, Table, present, times

BUILDS = 5
"""How often the index is built anew, and everything imported, in turns."""

NAME = tool_name(DISTRIBUTIONS // 2)

OWN = PREFIX.replace("_", "-")
"""What the names of the site's distributions begin with; our own plugins are installed beside them."""

COMPLETE = {"_FCREGISTRY_COMPLETE": "bash_complete", "COMP_WORDS": f"fcregistry call {NAME[:-2]}", "COMP_CWORD": "2"}

COUNTED = f"""
import atexit, sys
imported = lambda: sum(name.startswith({PREFIX!r}) and name.endswith(".tools") for name in sys.modules)
atexit.register(lambda: print("imported:", imported(), file=sys.stderr))
"""
"""Code before a program's own, which tells at its end how many plugins it imported."""

Environment = Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Command:
    """What is timed.

    Attributes:
        what: What it is called in the table.
        words: The words after `fcregistry`.
        right: Tells whether what it printed is right.
        most: How many times the floor it may take.
        environment: What it needs of that.
    """

    what: str
    words: Sequence[str]
    right: Callable[[str], bool]
    most: float
    environment: Environment = field(default_factory=dict)

    def process(self, environment: Environment) -> Process:
        """Return the process to be timed."""
        return Process(arguments=[*OURS, *self.words], environment={**environment, **self.environment})

    def problem(self, environment: Environment) -> str:
        """Run it once, and tell why it need not be timed; empty if it does its work and imports no plugin."""
        done, imported = counted(OURS[1], self.words, {**environment, **self.environment})
        if done.returncode:
            return f"fails: {(done.stderr.splitlines() or ['silently'])[0]}"
        if not self.right(done.stdout):
            return "prints something else"
        return f"imports {imported} plugins" if imported else ""


def counted(code: str, words: Sequence[str], environment: Environment) -> tuple[subprocess.CompletedProcess[str], int]:
    """Run code, and return how many plugins it imported."""
    command = [sys.executable, "-P", "-c", COUNTED + code, *words]
    done = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True)
    return done, int(done.stderr.splitlines()[-1].removeprefix("imported: "))


def has_all_schemas(printed: str) -> bool:
    """Return whether JSON text has every tool, with its schema."""
    tools = [tool for tool in json.loads(printed) if tool["distribution"].startswith(OWN)]
    return len(tools) == TOOLS and all("reference" in tool["parameters"]["properties"] for tool in tools)


def has_all_lines(printed: str) -> bool:
    """Return whether a list has every tool."""
    return sum(line.split()[1].startswith(OWN) for line in printed.splitlines()) == TOOLS


LIST = Command(what="`list`", words=["list"], right=has_all_lines, most=2.2)
COMMANDS = (
    Command(what="`--version`", words=["--version"], right=lambda out: "fcregistry, version" in out, most=1.2),
    Command(what="`--help`", words=["--help"], right=lambda out: "Commands:" in out, most=1.2),
    LIST,
    Command(
        what="`show NAME`", words=["show", NAME], right=lambda out: "reference (string, required)" in out, most=2.2
    ),
    Command(
        what="`search WORDS`",
        words=["search", "delete", "closed", "shipment"],
        right=lambda out: "delete_shipment_" in out,
        most=2.2,
    ),
    Command(
        what="completing the name of a tool",
        words=[],
        right=lambda out: f"plain,{NAME}" in out.splitlines(),
        most=2.2,
        environment=COMPLETE,
    ),
    Command(what="`list --json`, with all schemas", words=["list", "--json"], right=has_all_schemas, most=3),
)


def warm(environment: Environment) -> list[Row]:
    """Time the commands where the index is there; one that does not do its work, or imports a plugin, misses its aim."""
    process_seconds(LIST.process(environment))  # makes the index
    problems = {command: command.problem(environment) for command in COMMANDS}
    timed = {command.what: command.process(environment) for command in COMMANDS if not problems[command]}
    took = process_medians({"": Process(arguments=["-c", HELLO], environment=environment), **timed})
    return [
        Row(what=command.what, floor="", ours=problem, beside="", aim="to work", kept=False)
        if problem
        else times(command.what, took[""], took[command.what], "ms", most=command.most)
        for command, problem in problems.items()
    ]


def one_imported(environment: Environment) -> Row:
    """Tell how many plugins are imported where one of their tools is called."""
    code = "from fcregistry import registry\nassert registry.get(sys.argv[1])('7-2026')['limit'] == 10"
    done, imported = counted(code, [NAME], environment)
    return Row(
        what="plugins that calling one tool by its name imports (floor: those installed)",
        floor=f"{DISTRIBUTIONS:,}",
        ours=f"{imported:,}",
        beside="",
        aim="1",
        kept=done.returncode == 0 and imported == 1,
    )


LIST_WITHOUT_INDEX = """
from fcregistry import load_plugins, registry
load_plugins()
for tool in registry.everything():
    tool.summary, tool.parameters, tool.returns
"""
"""What a list of tools costs that keeps nothing: everything is imported and defined."""


DESCRIBE_BY_HAND = f"""
import json, sys
from importlib.metadata import entry_points
from fcregistry import Tool
share, shares = map(int, sys.argv[1:])
found = sorted(each.value for each in entry_points(group="fcregistry") if each.value.startswith({PREFIX!r}))
for name in found[share::shares]:
    __import__(name)
    functions = [each for each in vars(sys.modules[name]).values() if getattr(each, "__module__", None) == name]
    tools = map(Tool.from_function, functions)
    print(json.dumps([(name, tool.name, tool.summary, json.dumps([tool.parameters, tool.returns])) for tool in tools]))
"""
"""What a process does that describes its share of the plugins, written by hand: it imports them, defines their tools and writes them as JSON."""

INDEX_BY_HAND = f"""
import json, os, sqlite3, subprocess, sys
from concurrent.futures import ThreadPoolExecutor
def describe(share):
    command = [sys.executable, "-P", "-c", {DESCRIBE_BY_HAND!r}, str(share), str(shares)]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
shares = min(os.cpu_count() or 1, 4)
os.mkdir(os.environ["FCREGISTRY_CACHE_DIR"])
index = sqlite3.connect(os.path.join(os.environ["FCREGISTRY_CACHE_DIR"], "by_hand.sqlite"))
index.execute("create table tools (plugin, name, summary, definition)")
with ThreadPoolExecutor(shares) as pool, index:
    for printed in pool.map(describe, range(shares)):
        for line in printed.splitlines():
            index.executemany("insert into tools values (?, ?, ?, ?)", json.loads(line))
assert index.execute("select count(*) from tools").fetchone() == ({TOOLS},)
"""
"""An index written by hand: as many processes as fcregistry starts describe the plugins, and a database keeps the answers."""


def building(environment: Environment) -> list[Row]:
    """Time the first command on a machine against an index written by hand, and against one process that keeps nothing.

    The aim is a ratio to what uses as many processes: how long these take depends on whether other programs leave them a CPU each.
    """
    cache = Path(environment["FCREGISTRY_CACHE_DIR"])
    codes = {
        "by hand": INDEX_BY_HAND,
        "defined": LIST_WITHOUT_INDEX,
        "imported": "from fcregistry import load_plugins\nload_plugins()",
    }
    processes = {name: Process(arguments=["-c", code], environment=environment) for name, code in codes.items()}
    processes["ours"] = LIST.process(environment)
    taken: dict[str, list[float]] = {name: [] for name in processes}
    for _ in range(BUILDS):
        for name, process in processes.items():
            shutil.rmtree(cache, ignore_errors=True)
            taken[name].append(process_seconds(process))
    by_hand, defined, imported, ours = (statistics.median(each) for each in taken.values())
    first = "the first `list`, which builds the index"
    return [
        # 1.2 times one process that imports and defines all, which takes twice as long as two processes by hand.
        times(f"{first} (floor: the same by hand, in as many processes)", by_hand, ours, "ms", most=3),
        times(f"{first} (floor: one process that imports all, defines all)", defined, ours, "ms"),
        times(f"{first} (floor: `load_plugins()` alone)", imported, ours, "ms"),
    ]


def main() -> None:
    """Show what was measured."""
    words = (
        f"The time of whole processes in an environment with {DISTRIBUTIONS:,} distributions, each with a "
        f"plugin, and {TOOLS:,} tools in all. The floor is a click program that prints one line, in the same "
        "environment. The modules of both are compiled. The index exists already, except in the rows that "
        "build it."
    )
    with tempfile.TemporaryDirectory() as folder:
        site = Path(folder, "site")
        make_site(site)
        path = os.pathsep.join([str(site), *filter(None, [os.environ.get("PYTHONPATH")])])
        environment = {"PYTHONPATH": path, "FCREGISTRY_CACHE_DIR": str(Path(folder, "cache"))}
        rows = [*warm(environment), one_imported(environment), *building(environment)]
    present(Table(title=f"{DISTRIBUTIONS:,} plugins, none imported", words=words, rows=rows))


if __name__ == "__main__":
    main()
