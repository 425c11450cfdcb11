"""How is something timed against its floor? Interleaved, in one run, by medians: so a busy machine slows both alike."""

from __future__ import annotations

import gc
import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

ROUNDS = 15


def seconds_each(function: Callable[[], Any], times: int) -> float:
    """Return the seconds that one call takes, over so many."""
    start = perf_counter()
    for _ in range(times):
        function()
    return (perf_counter() - start) / times


def compare(floor: Callable[[], Any], ours: Callable[[], Any], *, times: int = 2000) -> tuple[float, float]:
    """Return the median seconds of the floor and of ours, timed in turns."""
    floor(), ours()
    gc.disable()
    try:
        pairs = [(seconds_each(floor, times), seconds_each(ours, times)) for _ in range(ROUNDS)]
    finally:
        gc.enable()
    return statistics.median(pair[0] for pair in pairs), statistics.median(pair[1] for pair in pairs)


def process_seconds(arguments: Sequence[str]) -> float:
    """Return the seconds that a whole process of this Python takes."""
    start = perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL, env={**os.environ})
    return perf_counter() - start


def compare_processes(floor: Sequence[str], ours: Sequence[str]) -> tuple[float, float]:
    """Return the median seconds of two processes, run in turns."""
    process_seconds(floor), process_seconds(ours)
    pairs = [(process_seconds(floor), process_seconds(ours)) for _ in range(ROUNDS)]
    return statistics.median(pair[0] for pair in pairs), statistics.median(pair[1] for pair in pairs)


def show(title: str, rows: Sequence[tuple[str, float, float, str]]) -> None:
    """Print what, its floor, ours and the ratio; times in the unit that each row names."""
    scale = {"µs": 1e6, "ms": 1e3}
    print(f"\n{title}\n")
    print(f"{'what':58} {'floor':>11} {'ours':>11} {'ratio':>7}")
    for what, floor, ours, unit in rows:
        factor = scale[unit]
        print(f"{what:58} {floor * factor:8.2f} {unit} {ours * factor:8.2f} {unit} {ours / floor:6.2f}x")
