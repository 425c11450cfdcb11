"""The text of docs/explanation/performance.md: what was measured, where, and how to read it. Every full run writes it anew."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from textwrap import fill

from _peers import PeerReport, Time
from _tables import COLUMNS, Table, markdown, ratio, time_of

INTRODUCTION = """# Performance

How long fcregistry takes, compared with the same work written by hand (the *floor*), and with other packages. `nox -s benchmarks`
measures it and writes this page. Compare the ratios rather than the times, which are those of one machine. The *aim* is the
ratio that this project does not want to exceed; the last column says whether the aim is met.
"""

HOW = """## How it is measured

- The floor and fcregistry are timed in turns, in one process and in one run, so that a busy machine slows both equally. The
  tables show medians.
- The garbage collector is off while something is timed, because it would run during some calls and not during others. It runs in
  between.
- Processes run in a folder that belongs to no project, so that no command reads the configuration of one.
- Validators and codecs are made at the first call, which is not timed.
- An aim for a time is a multiple of the floor, so that a slow machine does not miss it. If a row misses its aim, the last column
  says NO.

Avoid two mistakes if you measure again:

- **Without byte code, you time the compiler.** If `PYTHONDONTWRITEBYTECODE` is set, or if packages were installed without being
  compiled, each process compiles its modules again. The benchmarks refuse to start if the variable is set, and they
  install packages with `--compile`.
- **The default thread pool of asyncio is small.** It has four threads more than the machine has CPUs. So 100 blocking calls of
  50 ms wait for each other there, and take many times as long as with one thread for each call.
"""

PEER_WORDS = """The newest release of each package is installed in an environment of its own. The floor is measured in the same process,
in turns with the package. The number in brackets is the package's time divided by the floor's. All packages are measured
in turns, several times. Each runs the simple and the complex tool of the first table through its public API, from the
text of the arguments to its own kind of result. If this API takes a dict, the time includes `json.loads`.

Some packages only know async tools, and run a plain function on a thread: this thread takes most of the time in the column
*simple*. Such a package gets the complex tool as an async function. *Its types* says whether the tool receives the dataclasses
of its annotations, and not dicts. *Wrong value* says what happens if a value is not in the `enum` of the schema. A dash means that
the package cannot do it, or only with an error."""

OWN = ("fcregistry", "jsonschema", "jsonschema-rs", "docstring-parser", "click")
NONE = "\N{EN DASH}"
QUESTIONS = {"simple": "simple", "async": "simple, async", "complex": "complex"}


def page(tables: Sequence[Table], peers: Sequence[PeerReport], load: str) -> str:
    """Return the page; the load is that of the machine before anything was measured."""
    parts = [INTRODUCTION, *map(section, tables), peers_section(peers), HOW, where(load)]
    return "\n".join(part.rstrip() + "\n" for part in parts)


def section(table: Table) -> str:
    """Show one script's table."""
    return f"## {table.title}\n\n{fill(table.words, 120)}\n\n{markdown(COLUMNS, [row.cells for row in table.rows])}\n"


def peers_section(peers: Sequence[PeerReport]) -> str:
    """Show what peers take for the same calls and schemas."""
    ran = [peer for peer in peers if not peer.failure]
    calls = markdown(
        ("JSON text to result", *QUESTIONS.values(), "its types", "wrong value"),
        [
            (_name(peer), *(_time(peer.time(question)) for question in QUESTIONS), _types(peer), _wrong(peer))
            for peer in ran
        ],
    )
    schemas = markdown(
        ("building a schema", "simple", "complex"),
        [
            (_name(peer), _seconds(peer.seconds("schema simple")), _seconds(peer.seconds("schema complex")))
            for peer in ran
        ],
    )
    notes = "\n".join(f"- {note}" for note in failures(peers))
    trouble = f"\nWhat did not work, and is left out above:\n\n{notes}\n" if notes else ""
    return f"## Other packages\n\n{PEER_WORDS}\n\n{calls}\n\n{schemas}\n{trouble}"


def failures(peers: Sequence[PeerReport]) -> list[str]:
    """Tell which peers did not answer, or not everything."""
    notes = [f"{_name(peer)} {peer.failure}" for peer in peers if peer.failure]
    return notes + [f"{_name(peer)}, {question}: {said}" for peer in peers for question, said in peer.failures.items()]


def where(load: str) -> str:
    """Tell on what machine, when, and by which command this was measured."""
    facts = [
        f"- machine: {os.cpu_count()} CPUs, {platform.machine()}, {platform.system()}; load before the run {load}",
        f"- Python: {platform.python_implementation()} {platform.python_version()}",
        f"- versions: {', '.join(f'{name} {version(name)}' for name in OWN)}",
        f"- date: {datetime.now(UTC).date()}",
        "- command: `nox -s benchmarks`",
    ]
    return "## Where\n\n" + "\n".join(facts) + "\n"


def _name(peer: PeerReport) -> str:
    return f"{peer.name} {peer.version}".rstrip()


def _time(time: Time | None) -> str:
    return NONE if time is None else f"{time_of(time.seconds, 'µs')} ({ratio(1, time.beside)})"


def _seconds(seconds: float | None) -> str:
    return NONE if seconds is None else time_of(seconds, "µs")


def _types(peer: PeerReport) -> str:
    if peer.time("complex") is None:
        return NONE
    return "yes" if peer.said("typed") else "no"


def _wrong(peer: PeerReport) -> str:
    return {True: "refused", False: "the tool runs", None: NONE}[peer.said("caught")]
