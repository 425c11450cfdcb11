"""Times finding and calling one of 10,000 tools beside one of ten, and declaring them, and weighs what they take in memory."""

from __future__ import annotations

import gc
import json
import statistics
import subprocess
import sys
from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from threading import RLock
from time import perf_counter
from typing import Any, Literal

from _clock import compare
from _tables import Row, Table, present, ratio, times

from fcregistry import Executor, Registry, Tool, ToolCall, fc_register

FEW, MANY = 10, 10_000
MODULES = 15

SOURCE = '''
def tool_{0}(location: str, unit: Literal["fahrenheit", "celsius"] = "fahrenheit") -> str:
    """Get the current weather as station {0} has it.

    Args:
        location: The city and state, e.g. San Francisco, CA.
        unit: The temperature unit to use.
    """
    return location
'''


def functions(count: int, series: object = "") -> list[Callable[..., str]]:
    """Make functions as a module has them: each with code, name and docstring of its own.

    They are compiled one by one: a compiler that is given all leaves behind so much free memory that whatever comes next
    seems to take none. What this file imports from `__future__` is not for them.
    """
    names: dict[str, Any] = {"__name__": __name__, "Literal": Literal}
    for place in range(count):
        exec(compile(SOURCE.format(f"{series}{place}"), __file__, "exec", dont_inherit=True), names)
    return [names[f"tool_{series}{place}"] for place in range(count)]


def registry_of(count: int) -> Registry:
    """Register so many tools in a registry of their own."""
    registry = Registry()
    for function in functions(count):
        registry.register(function)
    return registry


def among_many() -> list[Row]:
    """Time finding and calling the same ten tools, alone and among all."""
    few, many = registry_of(FEW), registry_of(MANY)
    names = cycle([f"tool_{place}" for place in range(FEW)])
    calls = cycle([ToolCall(f"tool_{place}", '{"location": "Tokyo", "unit": "celsius"}') for place in range(FEW)])
    dispatch = Executor(few.select("*")).run, Executor(many.select("*")).run
    assert dispatch[1](next(calls)).ok
    found = compare(lambda: few.get(next(names)), lambda: many.get(next(names)))
    called = compare(lambda: dispatch[0](next(calls)), lambda: dispatch[1](next(calls)))
    return [
        times("lookup by name among 10,000 (floor: among 10)", *found, "µs", most=1.25),
        times("call among 10,000 (floor: among 10)", *called, "µs", most=1.25),
    ]


class Record:
    """A record of a function that is declared, with as many attributes as this package keeps."""

    __slots__ = ("function", "group", "locals", "module", "name", "options", "plugin", "tool")

    def __init__(
        self, function: Callable[..., Any], name: str, group: str, module: str, options: dict[str, Any]
    ) -> None:
        self.function = function
        self.name = name
        self.group = group
        self.module = module
        self.options = options
        self.locals = self.plugin = self.tool = None


def declaring() -> Row:
    """Time the decorator against one written by hand, which appends a record to a list under a lock and checks nothing."""
    took: dict[str, list[float]] = {"floor": [], "ours": []}
    records, lock = list[Record](), RLock()

    def by_hand(function: Callable[..., Any]) -> Callable[..., Any]:
        record = Record(function, function.__name__, "tool", function.__module__, {})
        with lock:
            records.append(record)
        return function

    for round_ in range(MODULES):
        for name, step in (("floor", by_hand), ("ours", fc_register("tool"))):
            fresh = functions(1000, f"{round_}_")
            gc.disable()
            start = perf_counter()
            for function in fresh:
                step(function)
            took[name].append((perf_counter() - start) / len(fresh))
            gc.enable()
    floor, ours = (statistics.median(took[name]) for name in ("floor", "ours"))
    # 2.5 to 3.4 as measured: ours also checks the name, and keeps the record by it.
    return times("decorate a function (floor: append a record under a lock)", floor, ours, "µs", most=4.5)


# --- memory: asked of a process of its own, which has done nothing else ---------------------------


def resident() -> int:
    """Return the bytes of this process that are in memory."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * 4096


def keep_texts(tools: list[Callable[..., str]]) -> object:
    """Keep what a provider is sent of each tool, as text, and nothing else."""
    sample = json.dumps(Tool.from_function(tools[0]).definition("openai"))
    return {function.__name__: sample.replace("tool_0", function.__name__) for function in tools}


def keep_tools(tools: list[Callable[..., str]]) -> object:
    """Keep each as a tool that was described, and never called."""
    registry = Registry()
    for function in tools:
        registry.register(function)
    for tool in registry.select("*").values():
        tool.definition("openai")
    return registry


def bytes_a_tool(keep: Callable[[list[Callable[..., str]]], object]) -> float:
    """Return by how much this process grows for each tool; the functions themselves are there before."""
    keep(functions(FEW))  # what is imported at first use
    tools = functions(MANY)
    before = resident()
    kept = keep(tools)
    after = resident()
    assert kept
    return (after - before) / MANY


KEEPERS = {"texts": keep_texts, "tools": keep_tools}


def memory() -> list[Row]:
    """Compare what tools and their bare texts take, each in a process of its own."""
    if not Path("/proc/self/statm").exists():
        return []  # the system does not say
    took = {}
    for name in KEEPERS:
        asked = subprocess.run([sys.executable, __file__, "--memory", name], check=True, capture_output=True, text=True)
        took[name] = float(asked.stdout) / 1024
    floor, ours = took["texts"], took["tools"]
    return [
        Row(
            what="memory of a tool, described and not yet called (floor: its text)",
            floor=f"{floor:.2f} KB",
            ours=f"{ours:.2f} KB",
            beside=ratio(floor, ours),
            aim="≤ 3 KB",
            kept=ours <= 3,
        )
    ]


def main() -> None:
    """Show what was measured."""
    words = (
        "Each tool has two parameters and a docstring. Memory is what the process needs in addition when the "
        "tools are registered and described. It does not include the functions themselves, which exist "
        "before, and the validators, which are made at the first call."
    )
    present(Table(title="10,000 tools", words=words, rows=[*among_many(), declaring(), *memory()]))


if __name__ == "__main__":
    if "--memory" in sys.argv[1:]:
        print(bytes_a_tool(KEEPERS[sys.argv[-1]]))
    else:
        main()
