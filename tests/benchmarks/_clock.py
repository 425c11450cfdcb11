"""Times something and its floor in turns, in one run, by medians, so that a slow or busy machine slows both alike.

The garbage collector is off while calls are timed: it would charge its work to whichever call it falls on.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from tempfile import gettempdir
from time import perf_counter
from typing import TypeAlias

ROUNDS = 51
SECONDS_A_TURN = 0.003
"""Long enough that reading the clock costs nothing, short enough that most turns are not interrupted: the median is of those."""

PROCESSES = 15
"""How often a whole process is timed."""

Timer: TypeAlias = Callable[[int], float]
"""Does something so many times, and returns the seconds that all took."""


def plain(function: Callable[[], object]) -> Timer:
    """Time a function."""

    def seconds(times: int) -> float:
        start = perf_counter()
        for _ in range(times):
            function()
        return perf_counter() - start

    return seconds


def awaited(runner: asyncio.Runner, function: Callable[[], Awaitable[object]]) -> Timer:
    """Time what a function gives to await, on a loop that is running by then."""

    async def seconds(times: int) -> float:
        start = perf_counter()
        for _ in range(times):
            await function()
        return perf_counter() - start

    return lambda times: runner.run(seconds(times))


def medians(timers: Mapping[str, Timer], *, rounds: int = ROUNDS) -> dict[str, float]:
    """Return the median seconds that each takes once, timed in turns."""
    taken: dict[str, list[float]] = {name: [] for name in timers}
    times = {name: times_a_turn(timer) for name, timer in timers.items()}
    gc.collect()
    gc.disable()
    try:
        for _ in range(rounds):
            for name, timer in timers.items():
                taken[name].append(timer(times[name]) / times[name])
    finally:
        gc.enable()
    return {name: statistics.median(each) for name, each in taken.items()}


def times_a_turn(timer: Timer) -> int:
    """Return how often something is done in a turn; it is warm afterwards."""
    timer(2)
    once = min(timer(1) for _ in range(5))
    return max(1, int(SECONDS_A_TURN / max(once, 1e-7)))


def compare(floor: Callable[[], object], ours: Callable[[], object], *, rounds: int = ROUNDS) -> tuple[float, float]:
    """Return the median seconds of the floor and of fcregistry."""
    took = medians({"floor": plain(floor), "ours": plain(ours)}, rounds=rounds)
    return took["floor"], took["ours"]


def walk(text: str) -> int:
    """Look at every character of a text: the floor of what reads a text once, whatever it says."""
    return sum(1 for _ in text)


def walk_and_parse(text: str, written: str) -> object:
    """Look at every character of a text, and parse the JSON that it holds: the floor of what reads values and says what is wrong."""
    walk(text)
    return json.loads(written)


HELLO = "import click\n@click.command()\ndef hello(): click.echo('hello')\nhello()"
"""The floor of a command, as code."""

OURS = ("-c", "from fcregistry.cli import main\nmain()")
"""The words that Python is started with for our command: what the script holds that an installer writes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """A process of this Python: its words, and what is different in its environment."""

    arguments: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)


def process_seconds(process: Process) -> float:
    """Return the seconds that a whole process takes, which sees what is installed and neither a checkout nor a project."""
    environment = {**os.environ, **process.environment}
    command = [sys.executable, "-P", *process.arguments]
    folder, silent = gettempdir(), subprocess.DEVNULL
    start = perf_counter()
    subprocess.run(command, check=True, stdout=silent, stderr=silent, env=environment, cwd=folder)
    return perf_counter() - start


def process_medians(processes: Mapping[str, Process], *, rounds: int = PROCESSES) -> dict[str, float]:
    """Return the median seconds that each process takes, run in turns."""
    for process in processes.values():
        process_seconds(process)
    turns = [{name: process_seconds(process) for name, process in processes.items()} for _ in range(rounds)]
    return {name: statistics.median(turn[name] for turn in turns) for name in processes}


def compare_processes(floor: Sequence[str], ours: Sequence[str]) -> tuple[float, float]:
    """Return the median seconds of two processes, run in turns."""
    took = process_medians({"floor": Process(arguments=floor), "ours": Process(arguments=ours)})
    return took["floor"], took["ours"]
