"""The findings of `fcregistry doctor`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that doctor reports.

    Attributes:
        kind: `problem` for something that should be fixed; `note` for something that is useful to know, and does not make a tool unusable.
        subject: The plugin, the tool or the name that has the problem.
        message: What is wrong.
        advice: What to do about it; empty if there is nothing to do.
        place: The line of code with the problem, as `file:line`; empty if there is none.
        detail: More text, such as a traceback; may be empty.
    """

    kind: Literal["problem", "note"]
    subject: str
    message: str
    advice: str
    place: str = ""
    detail: str = ""


def problem(subject: str, message: str, advice: str, *, place: str = "", detail: str = "") -> Finding:
    """Return a finding about something that should be fixed."""
    return Finding(kind="problem", subject=subject, message=message, advice=advice, place=place, detail=detail)


def note(subject: str, message: str, advice: str) -> Finding:
    """Return a finding about something that is useful to know."""
    return Finding(kind="note", subject=subject, message=message, advice=advice)
