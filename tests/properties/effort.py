"""How many examples does a property test try? A few at each save, thousands where nobody waits."""

from __future__ import annotations

import os


def times(here: int, *, ci: int) -> int:
    """Return how many examples to try: more in continuous integration."""
    return ci if os.environ.get("CI") else here
