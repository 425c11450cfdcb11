"""Which version number has to change, and did it change enough?

Source: Semantic Versioning 2.0.0; below 1.0, where it promises nothing, the custom is that the second number stands for the first. Versions
are read as PEP 440 writes them.

MERGED: What is a change, and what does it mean for whoever calls the tool?
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

# --- inspection._diff._bump ---

Judgement = Literal["enough", "too small", "backwards", "untold"]

_VERSION: Final = re.compile(r"v?(?:(?P<epoch>\d{1,9})!)?(?P<release>\d{1,9}(?:\.\d{1,9})*)(?P<rest>.*)", re.DOTALL)
_BEFORE: Final = re.compile(r"[-_.]?(a|alpha|b|beta|c|rc|pre|preview|dev)", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """A version: what of it is compared.

    Attributes:
        epoch: Its epoch.
        release: The numbers of its release, at least three.
        rest: What follows these.
    """

    epoch: int
    release: tuple[int, ...]
    rest: str

    @property
    def is_before_release(self) -> bool:
        """Whether it stands before the release that it names."""
        return _BEFORE.match(self.rest) is not None


def read_version(text: str | None) -> Version | None:
    """Return a version; None for a text that is none."""
    match = _VERSION.fullmatch((text or "").strip())
    if match is None:
        return None
    numbers = [int(each) for each in match["release"].split(".")]
    release = tuple(numbers + [0] * (3 - len(numbers)))
    return Version(epoch=int(match["epoch"] or 0), release=release, rest=match["rest"])


def needed(bump: Bump, old: str | None) -> Bump:
    """Return which number has to change for changes that ask for one: below 1.0, one that is less."""
    version = read_version(old)
    if version is None or version.release[0] > 0 or bump == "none":
        return bump
    return "minor" if bump == "major" else "patch"


def judged(bump: Bump, old: str | None, new: str | None) -> Judgement:
    """Tell whether the version changed enough.

    Args:
        bump: What the changes ask for, before `needed`.
        old: The old version; None if it is not known.
        new: The new one.
    """
    before, after = read_version(old), read_version(new)
    if before is None or after is None:
        return "untold"
    if (after.epoch, after.release) < (before.epoch, before.release):
        return "backwards"
    return "enough" if BUMPS.index(_done(before, after)) <= BUMPS.index(needed(bump, old)) else "too small"


def _done(old: Version, new: Version) -> Bump:
    """Return which number changed; from a version before its release, any change is one of the first."""
    if new.epoch != old.epoch or new.release[0] != old.release[0]:
        return "major"
    if old.is_before_release and (new.release, new.rest) != (old.release, old.rest):
        return "major"
    if new.release[1] != old.release[1]:
        return "minor"
    return "patch" if (new.release, new.rest) != (old.release, old.rest) else "none"


def next_version(bump: Bump, old: str | None) -> str | None:
    """Return the least version that is enough; None if the old one is not known, or it is enough."""
    version, bump = read_version(old), needed(bump, old)
    if version is None or bump == "none":
        return None
    major, minor, patch = version.release[:3]
    numbers = {"major": (major + 1, 0, 0), "minor": (major, minor + 1, 0), "patch": (major, minor, patch + 1)}[bump]
    return (f"{version.epoch}!" if version.epoch else "") + ".".join(map(str, numbers))


# --- inspection._diff._core ---

Verdict = Literal["breaking", "unknown", "compatible"]
VERDICTS: Final[tuple[Verdict, ...]] = ("breaking", "unknown", "compatible")
"""What a change can be for callers, worst first."""

Part = Literal["tool", "parameters", "returns"]
"""What of a tool changes; the path of a change is one into this."""

Bump = Literal["major", "minor", "patch", "none"]
BUMPS: Final[tuple[Bump, ...]] = ("major", "minor", "patch", "none")
"""Which number of a version changes, greatest first (Semantic Versioning 2.0.0)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolChange:
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


def change(verdict: Verdict, tool: str, message: str, *, words: bool = False) -> ToolChange:
    """Return a change of the tool itself; one of words only asks for a patch, any other for a minor version unless it breaks callers."""
    return ToolChange(
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
