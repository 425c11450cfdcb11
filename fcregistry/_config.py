"""What has the environment to say? Read when asked, never on import."""

from __future__ import annotations

import os
import re
from typing import Final

DISABLE: Final = "FCREGISTRY_DISABLE"
"""The variable that names plugins (`distribution[entry point]`) and tools (selectors) not to be used, separated by commas or space."""


CALL_HOOKS: Final = "FCREGISTRY_CALL_HOOKS"
"""The variable that names extensions whose hooks every call has to pass, separated likewise."""


def disabled_items() -> tuple[str, ...]:
    """Return what `FCREGISTRY_DISABLE` names, in its order."""
    return _items(DISABLE)


def call_hook_names() -> tuple[str, ...]:
    """Return what `FCREGISTRY_CALL_HOOKS` names, in its order."""
    return _items(CALL_HOOKS)


def _items(variable: str) -> tuple[str, ...]:
    return tuple(item for item in re.split(r"[,\s]+", os.environ.get(variable, "")) if item)
