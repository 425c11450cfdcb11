"""What does the kit say of a tool: what failed, what was left out, what is worth knowing?"""

from __future__ import annotations

import json
import traceback
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from fcregistry._base.messages import show
from fcregistry.errors import said_by

if TYPE_CHECKING:
    from fcregistry._tools.tool import Tool
    from fcregistry.testing._stand_in import Arrival

REPORT: Final = "report this to the authors of the type, or to those of fcregistry if it is one of its own"
"""What to do about what no author of a tool can mend."""
_LONGEST: Final = 2000


class Nothing:
    """Stands for arguments that a failure does not have."""


NOTHING: Final = Nothing()


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """One way in which a tool breaks a rule.

    Attributes:
        expected: What the rule asks for.
        got: What there was instead.
        advice: What to do about it.
        arguments: The arguments that show it, made as small as they can be; `NOTHING` where it takes none.
        detail: More, such as a traceback; empty where there is no more.
    """

    expected: str
    got: str
    advice: str
    arguments: Any = NOTHING
    detail: str = ""

    def lines(self) -> list[str]:
        """Return it as lines for people."""
        said = [("expected:", self.expected), ("got:", self.got), ("to do:", self.advice)]
        if self.arguments is not NOTHING:
            said.insert(0, ("arguments:", shown(self.arguments)))
        lines = [line for label, text in said for line in _hanging(label, text)]
        return [*lines, *self.detail.splitlines()]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What came of trying one rule on one tool.

    Attributes:
        failures: The ways in which the tool breaks it; none if it keeps it.
        skipped: Why it was not tried; empty if it was.
        remarks: What is no failure and worth knowing.
    """

    failures: tuple[Failure, ...] = ()
    skipped: str = ""
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What came of trying rules on one tool.

    Attributes:
        subject: The id of the tool.
        verdicts: Rule -> what came of it, in the order in which they were tried.
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
        """What is no failure and worth knowing, a sentence each."""
        return tuple(remark for verdict in self.verdicts.values() for remark in verdict.remarks)


class ConformanceError(AssertionError):
    """A tool that breaks rules; the message says which, shown by which arguments, and what to do.

    Attributes:
        report: What came of every rule.
    """

    def __init__(self, report: Report, place: str) -> None:
        """Word all failures of a report, and the place where the tool is to be mended."""
        broken = [(rule, failure) for rule, verdict in report.verdicts.items() for failure in verdict.failures]
        parts = [
            "\n".join([f"{report.subject} breaks the rule {rule}", *_indented(failure.lines())])
            for rule, failure in broken
        ]
        super().__init__("\n\n".join([*parts, place] if place else parts))
        self.report = report

    @property
    def brief(self) -> str:
        """The first failure in one line, and how many more there are."""
        failures = [failure for verdict in self.report.verdicts.values() for failure in verdict.failures]
        more = f" (and {len(failures) - 1} more)" if len(failures) > 1 else ""
        return f"{' '.join(failures[0].got.split())}{more}"


def _hanging(label: str, text: str) -> list[str]:
    """Return a text behind a label, its further lines below its first."""
    first, *more = text.splitlines() or [""]
    return [f"{label:<11}{first}", *(f"{'':<11}{line}" for line in more)]


def _indented(lines: Iterable[str]) -> list[str]:
    return [f"  {line}" if line else "" for line in lines]


def place_of(tool: Tool) -> str:
    """Return where a tool's function stands, as an editor understands it."""
    origin = tool.origin
    return f"{origin.file}:{origin.line}: {origin.qualname}" if origin.file else f"{origin.module}.{origin.qualname}"


def shown(arguments: Any) -> str:
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


def call_text(arrival: Arrival) -> str:
    """Return the arguments of a call as Python writes them."""
    named = (f"{name}={python_text(value)}" for name, value in arrival.kwargs.items())
    return f"({', '.join([*map(python_text, arrival.args), *named])})"


def raised(error: Exception, arguments: Any) -> Failure:
    """Return the failure of types that raise."""
    return Failure(
        arguments=arguments,
        expected="an answer, whatever the arguments are",
        got=f"an exception: {type(error).__name__}: {said_by(error)}",
        advice=f"a type raises where it should refuse; {REPORT}",
        detail="\n" + "".join(traceback.format_exception(error)),
    )
