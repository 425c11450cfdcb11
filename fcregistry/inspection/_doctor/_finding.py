"""What is one thing that doctor has to say?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that doctor has to say.

    Attributes:
        kind: `problem` for what should be mended, `note` for what is worth knowing and keeps nobody from a tool.
        subject: What it is about: a plugin, a tool, a name.
        message: What is the matter.
        advice: What to do about it; empty where nothing is to be done.
        place: The line of code that it is about, `file:line`; empty where there is none.
        detail: More, such as a traceback; empty where there is no more.
    """

    kind: Literal["problem", "note"]
    subject: str
    message: str
    advice: str
    place: str = ""
    detail: str = ""


def problem(subject: str, message: str, advice: str, *, place: str = "", detail: str = "") -> Finding:
    """Return a finding that should be mended."""
    return Finding(kind="problem", subject=subject, message=message, advice=advice, place=place, detail=detail)


def note(subject: str, message: str, advice: str) -> Finding:
    """Return a finding that is worth knowing."""
    return Finding(kind="note", subject=subject, message=message, advice=advice)


def not_loaded(subject: str, reason: str) -> Finding:
    """Return the finding of a plugin, or extension, that is not to be loaded.

    Args:
        subject: Which.
        reason: What says so: it begins with the name of a variable, or names a file.
    """
    fix = "unset the variable to have it back" if reason.startswith("FCREGISTRY_") else "change that to have it back"
    return note(subject, f"is not loaded: {reason}", fix)
