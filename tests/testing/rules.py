"""The names of the rules of the conformance kit."""

from __future__ import annotations

from fcregistry import Tool
from fcregistry.testing import check_tool


def nothing() -> None:
    """Do nothing."""


RULES = list(check_tool(Tool.from_function(nothing, examples=[{}]), examples=1, invoke=True).verdicts)
"""The rules for a tool, in their order."""
LOADS, ALONE = "loads", "has-its-name-alone"
"""The rule for a plugin, and the one for a tool beside others."""
