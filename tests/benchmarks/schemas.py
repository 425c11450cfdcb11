"""What do registering a function and building its schema cost, beside docstring_parser alone and beside pydantic-ai?

All in one process, in turns. The docstring is parsed by docstring_parser for the floor; what is built beyond that is what this package adds.
"""

import gc
import statistics
from collections.abc import Callable
from time import perf_counter
from typing import Any

import docstring_parser
from _clock import ROUNDS
from _tools import get_current_weather, place_order

from fcregistry import Registry, Tool
from fcregistry.types import _reader

try:
    from pydantic_ai import Tool as PeerTool
except ImportError:
    PeerTool = None


def docstring(function: Any) -> None:
    """Parse the docstring, and nothing else."""
    docstring_parser.parse(function.__doc__, docstring_parser.DocstringStyle.GOOGLE)


def ours(function: Any) -> None:
    """Build the schema of a tool whose types were seen before."""
    _ = Tool.from_function(function).parameters


def ours_first(function: Any) -> None:
    """Build the schema of a tool whose types were never seen."""
    _reader.forget_all()
    ours(function)


def peer(function: Any) -> None:
    """Build the schema in pydantic-ai."""
    _ = PeerTool(function).function_schema.json_schema


def microseconds(builds: dict[str, Callable[[Any], None]], function: Any, times: int = 100) -> dict[str, float]:
    """Return the median microseconds of each build, timed in turns."""
    taken: dict[str, list[float]] = {name: [] for name in builds}
    for build in builds.values():
        build(function)
    gc.disable()
    try:
        for _ in range(ROUNDS):
            for name, build in builds.items():
                start = perf_counter()
                for _ in range(times):
                    build(function)
                taken[name].append((perf_counter() - start) / times * 1e6)
    finally:
        gc.enable()
    return {name: statistics.median(each) for name, each in taken.items()}


def registrations(count: int = 1000) -> float:
    """Return the milliseconds that registering functions takes; nothing is built."""
    taken = []
    for _ in range(ROUNDS):
        functions = [_made(place) for place in range(count)]
        register = Registry().register
        start = perf_counter()
        for function in functions:
            register(function)
        taken.append((perf_counter() - start) * 1e3)
    return statistics.median(taken)


def decorations(count: int = 1000) -> float:
    """Return the milliseconds that decorating functions takes."""
    from fcregistry import fc_register

    taken = []
    for round_ in range(ROUNDS):
        functions = [_made(place, f"r{round_}") for place in range(count)]
        decorate = fc_register("tool")
        start = perf_counter()
        for function in functions:
            decorate(function)
        taken.append((perf_counter() - start) * 1e3)
    return statistics.median(taken)


def _made(place: int, prefix: str = "t") -> Callable[[str], str]:
    def tool(text: str) -> str:
        """Say it again."""
        return text

    tool.__name__ = tool.__qualname__ = f"{prefix}_{place}"
    return tool


def main() -> None:
    """Print a table."""
    print(
        f"1,000 functions: registered in {registrations():.1f} ms, decorated in {decorations():.1f} ms (nothing is built)\n"
    )
    print(
        f"{'schema of a tool, µs':24} {'docstring':>10} {'first':>8} {'beyond':>8} {'again':>8} {'beyond':>8} {'pydantic-ai':>12}"
    )
    for name, function in (("simple", get_current_weather), ("complex", place_order)):
        builds = {"docstring": docstring, "first": ours_first, "again": ours}
        if PeerTool is not None:
            builds["peer"] = peer
        took = microseconds(builds, function)
        floor, first, again = took["docstring"], took["first"], took["again"]
        shown = f"{took['peer']:12.1f}" if "peer" in took else "not installed".rjust(12)
        print(f"{name:24} {floor:10.1f} {first:8.1f} {first - floor:8.1f} {again:8.1f} {again - floor:8.1f} {shown}")


if __name__ == "__main__":
    main()
