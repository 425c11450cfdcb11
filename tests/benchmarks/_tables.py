"""Tables of what was measured, each row with its aim, written as text, Markdown or JSON.

The aim of a time is a multiple of a floor that is timed in the same run: a slow state of the machine slows both.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Literal, TypeAlias

Unit: TypeAlias = Literal["µs", "ms"]

_FACTORS: dict[str, float] = {"µs": 1e6, "ms": 1e3}


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line: what was measured, beside what, and whether the aim is kept (None: there is none)."""

    what: str
    floor: str
    ours: str
    beside: str
    aim: str = ""
    kept: bool | None = None

    @property
    def cells(self) -> tuple[str, ...]:
        """The texts for `COLUMNS`."""
        mark = "" if self.kept is None else "yes" if self.kept else "NO"
        return self.what, self.floor, self.ours, self.beside, self.aim, mark


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows under a title, with what has to be known to read them."""

    title: str
    words: str
    rows: Sequence[Row]


COLUMNS = ("what", "floor", "fcregistry", "ratio", "aim", "met")
TIMES = "\N{MULTIPLICATION SIGN}"


def time_of(seconds: float, unit: Unit) -> str:
    """Write a time with the digits that mean something."""
    return f"{_digits(seconds * _FACTORS[unit])} {unit}"


def ratio(floor: float, ours: float) -> str:
    """Write how many times the floor something is."""
    return f"{_digits(ours / floor)}{TIMES}"


def times(what: str, floor: float, ours: float, unit: Unit, *, most: float | None = None) -> Row:
    """Make a row whose aim, if it has one, is to take at most so many times the floor."""
    return Row(
        what=what,
        floor=time_of(floor, unit),
        ours=time_of(ours, unit),
        beside=ratio(floor, ours),
        aim="" if most is None else f"≤ {most:g}{TIMES}",
        kept=None if most is None else ours <= most * floor,
    )


def _digits(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Write a Markdown table; columns after the first are numbers, and stand to the right."""
    rule = ["---", *["--:"] * (len(header) - 1)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [header, rule, *rows])


def text(table: Table) -> str:
    """Write a table for a terminal."""
    lines = [COLUMNS, *(row.cells for row in table.rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(COLUMNS))]
    shown = [
        "  ".join(
            cell.ljust(width) if at == 0 else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        for line in lines
    ]
    return "\n".join([f"{table.title}\n{'-' * len(table.title)}", *shown])


def present(*tables: Table) -> None:
    """Print what a script measured: as text, or, where it was started with `--json`, as one line of JSON."""
    if "--json" in sys.argv[1:]:
        print(json.dumps([asdict(table) for table in tables]))
        return
    print("\n\n".join(text(table) for table in tables))


def read(printed: str) -> list[Table]:
    """Return the tables that a script printed as JSON, in its last line."""
    given = json.loads(printed.strip().splitlines()[-1])
    return [Table(**{**table, "rows": [Row(**row) for row in table["rows"]]}) for table in given]
