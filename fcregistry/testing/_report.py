"""What the kit reports about a tool: failures, what was not tried, and remarks.

Nothing here needs Hypothesis: pytest loads this module before it says that Hypothesis is missing.
"""

from __future__ import annotations

import json
import traceback
from dataclasses import dataclass
from textwrap import indent
from typing import Any, Final

from fcregistry._base.wording import show
from fcregistry._tools.tool import Tool
from fcregistry.errors import exception_message

REPORT: Final = "report this to the authors of the type, or to those of fcregistry if the type is built in"
"""Advice about what no author of a tool can fix."""

_LONGEST: Final = 2000


NOTHING: Final = object()
"""Marks a failure without arguments."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """One way in which a tool breaks a rule.

    Attributes:
        expected: What the rule requires.
        got: What happened instead.
        advice: What to do about it; by default, to report it.
        arguments: The smallest arguments that show it; `NOTHING` if the rule tries no arguments.
        detail: More text, such as a traceback; may be empty.
    """

    expected: str
    got: str
    advice: str = REPORT
    arguments: Any = NOTHING
    detail: str = ""

    def lines(self) -> list[str]:
        """Return the failure as lines of text."""
        parts = [("expected:", self.expected), ("got:", self.got), ("to do:", self.advice)]
        if self.arguments is not NOTHING:
            parts.insert(0, ("arguments:", arguments_text(self.arguments)))
        lines = [line for label, text in parts for line in _labelled_lines(label, text)]
        return [*lines, *self.detail.splitlines()]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The outcome of one rule for one tool.

    Attributes:
        failures: The ways in which the tool breaks the rule; none if it keeps it.
        skipped: Why the rule was not tried; empty if it was.
        remarks: What is worth knowing and not a failure, a sentence each.
    """

    failures: tuple[Failure, ...] = ()
    skipped: str = ""
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The outcome of several rules for one tool.

    Attributes:
        subject: The id of the tool.
        verdicts: Rule -> its verdict, in the order in which the rules were tried.
    """

    subject: str
    verdicts: dict[str, Verdict]

    @property
    def ok(self) -> bool:
        """Whether no rule is broken."""
        return not any(verdict.failures for verdict in self.verdicts.values())

    @property
    def skipped(self) -> dict[str, str]:
        """Rule -> why it was not tried."""
        return {rule: verdict.skipped for rule, verdict in self.verdicts.items() if verdict.skipped}

    @property
    def remarks(self) -> tuple[str, ...]:
        """What is worth knowing and not a failure, a sentence each."""
        return tuple(remark for verdict in self.verdicts.values() for remark in verdict.remarks)


class ConformanceError(AssertionError):
    """A tool breaks rules; the message names them, the arguments that show it, and what to do.

    Args:
        report: The verdicts of all rules.
        place: The place of the tool's function; empty if there is none.

    Attributes:
        report: The verdicts of all rules.
    """

    __module__ = "fcregistry.testing"  # tracebacks show the public name

    def __init__(self, report: Report, place: str) -> None:
        parts = [
            f"{report.subject} breaks the rule {rule}\n" + indent("\n".join(failure.lines()), "  ")
            for rule, verdict in report.verdicts.items()
            for failure in verdict.failures
        ]
        super().__init__("\n\n".join([*parts, place] if place else parts))
        self.report = report

    @property
    def brief(self) -> str:
        """The first failure in one line, and how many more there are."""
        failures = [failure for verdict in self.report.verdicts.values() for failure in verdict.failures]
        more = f" (and {len(failures) - 1} more)" if len(failures) > 1 else ""
        return f"{' '.join(failures[0].got.split())}{more}"


def _labelled_lines(label: str, text: str) -> list[str]:
    """Return the lines of a text, the first after `label` in a column of 11, the others indented as far."""
    first, *more = text.splitlines() or [""]
    return [f"{label:<11}{first}", *(f"{'':<11}{line}" for line in more)]


def exception_failure(error: Exception, arguments: Any) -> Failure:
    """Return the failure of a type that raises `error` for `arguments`."""
    return Failure(
        arguments=arguments,
        expected="an answer, whatever the arguments are",
        got=f"an exception: {type(error).__name__}: {exception_message(error)}",
        advice=f"a type raises where it should refuse; {REPORT}",
        detail="\n" + "".join(traceback.format_exception(error)),
    )


# --- Wording ---


def place_of(tool: Tool) -> str:
    """Return the place of a tool's function, in a form that editors understand."""
    origin = tool.origin
    return f"{origin.file}:{origin.line}: {origin.qualname}" if origin.file else f"{origin.module}.{origin.qualname}"


def arguments_text(arguments: Any) -> str:
    """Return arguments as JSON text that can be pasted; long ones are cut."""
    try:
        text = json.dumps(arguments, ensure_ascii=False)
        text = text if text.isprintable() else json.dumps(arguments)
    except (TypeError, ValueError):
        return show(arguments)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… ({len(text)} characters)"


def python_text(value: object) -> str:
    """Return a Python value as bounded text, whatever its `repr` does."""
    try:
        text = repr(value)
    except Exception as error:  # noqa: BLE001  # foreign code: a value that cannot be shown must not hide the failure
        return f"a {type(value).__name__} whose repr raises {type(error).__name__}"
    return text if len(text) <= 200 else f"{text[:200]}…"
