"""How many examples does a property test try? A few at each save, thousands where nobody waits."""

from __future__ import annotations

import os

AGAIN = "FCREGISTRY_TESTED_BEFORE"
"""The variable that says that another interpreter has tried many examples already."""


def times(here: int, *, ci: int) -> int:
    """Return how many examples to try: more in continuous integration, on the first interpreter."""
    return ci if os.environ.get("CI") and not os.environ.get(AGAIN) else here
