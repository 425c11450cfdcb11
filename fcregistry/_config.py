"""What has the environment to say? Read when asked, never on import."""

from __future__ import annotations

import os
import re
from typing import Final

DISABLE: Final = "FCREGISTRY_DISABLE"
"""The variable that names plugins (`distribution[entry point]`) and tools (selectors) not to be used, separated by commas or space."""


def disabled_items() -> tuple[str, ...]:
    """Return what `FCREGISTRY_DISABLE` names, in its order."""
    return tuple(item for item in re.split(r"[,\s]+", os.environ.get(DISABLE, "")) if item)
