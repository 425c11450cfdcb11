"""The rows of docs/reference/types.md, with the tested examples of each."""

from __future__ import annotations

from .constraints import CONSTRAINTS
from .containers import CONTAINERS
from .libraries import LIBRARIES
from .names import NAMES
from .records import RECORDS
from .row import Example, Rows
from .texts import TEXTS
from .values import CHOICES, SCALARS, UNIONS

ROWS: Rows = {**SCALARS, **CHOICES, **UNIONS, **CONTAINERS, **RECORDS, **TEXTS, **NAMES, **CONSTRAINTS, **LIBRARIES}
EXAMPLES: tuple[Example, ...] = tuple(example for examples in ROWS.values() for example in examples)
IDS = [f"{row}-{place}" for row, examples in ROWS.items() for place in range(len(examples))]
