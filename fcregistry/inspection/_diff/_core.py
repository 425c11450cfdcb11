"""What is a change, and what does it mean for whoever calls the tool?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Verdict = Literal["breaking", "unknown", "compatible"]
VERDICTS: Final[tuple[Verdict, ...]] = ("breaking", "unknown", "compatible")
"""What a change can be for callers, worst first."""

Part = Literal["tool", "parameters", "returns"]
"""What of a tool changes; the path of a change is one into this."""

Bump = Literal["major", "minor", "patch", "none"]
BUMPS: Final[tuple[Bump, ...]] = ("major", "minor", "patch", "none")
"""Which number of a version changes, greatest first (Semantic Versioning 2.0.0)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One difference between two versions of a tool.

    Attributes:
        verdict: What it means for callers: `breaking`, `unknown`, which is all that cannot be told, or `compatible`.
        tool: The canonical id of the tool, the new one where there is one.
        part: What of it changes: `parameters`, `returns`, or the `tool` itself.
        path: Where in the arguments or the result: `$.address.zip`; `$` of the whole.
        message: What changes, in words.
        bump: What it asks of the version: `major`, `minor` or `patch`.
    """

    verdict: Verdict
    tool: str
    part: Part
    path: str
    message: str
    bump: Bump


def change(verdict: Verdict, tool: str, message: str, *, words: bool = False) -> Change:
    """Return a change of the tool itself; one of words only asks for a patch, any other for a minor version unless it breaks callers."""
    return Change(
        verdict=verdict, tool=tool, part="tool", path="$", message=message, bump=bump_of(verdict, words=words)
    )


def bump_of(verdict: Verdict, *, words: bool) -> Bump:
    """Return what a change asks of the version; `unknown` asks for the least that it may need."""
    if verdict == "breaking":
        return "major"
    return "patch" if words and verdict == "compatible" else "minor"


def worst(verdicts: list[Verdict]) -> Verdict:
    """Return the worst of some verdicts; `compatible` of none."""
    return min(verdicts, key=VERDICTS.index, default="compatible")
