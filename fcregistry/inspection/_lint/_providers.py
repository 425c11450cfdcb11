"""Can each provider be told of the tool, and of all that its schema says?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from fcregistry._base.messages import show
from fcregistry.errors import DefinitionError, FcregistryError
from fcregistry.inspection._lint._core import Remark, Rule, Subject


def _refused(subject: Subject) -> Iterator[Remark]:
    yield from _refusals(subject, strict=False)


def _refused_strictly(subject: Subject) -> Iterator[Remark]:
    yield from _refusals(subject, strict=True)


def _refusals(subject: Subject, *, strict: bool) -> Iterator[Remark]:
    for rendering in subject.renderings:
        if rendering.error is None or rendering.strict is not strict:
            continue
        for problem in _problems(rendering.error):
            path = problem.partition(": ")[0] if problem.startswith("$") else "$"
            message = f"it cannot be described in {rendering.label}: {problem}"
            yield Remark(message, path, subject.place_at(path))


def _problems(error: FcregistryError) -> tuple[str, ...]:
    problems = error.problems if isinstance(error, DefinitionError) else ()
    return problems or (str(error),)


_NO_CONSTRAINT: Final = frozenset(
    {"default", "title", "description", "examples", "deprecated", "readOnly", "writeOnly"}
)
"""Keywords that no call can break."""


def _lost(subject: Subject) -> Iterator[Remark]:
    formats_by_loss: dict[tuple[str, str], list[str]] = {}
    for rendering in subject.renderings:
        for dropped in () if rendering.error else rendering.definition.dropped:
            if dropped.keyword not in _NO_CONSTRAINT:
                message = f"{dropped.keyword} {show(dropped.value)} at {dropped.path} is left out"
                formats_by_loss.setdefault((dropped.path, message), []).append(rendering.label)
    for (path, message), labels in formats_by_loss.items():
        yield Remark(f"{message} in {', '.join(dict.fromkeys(labels))}", path, subject.place_at(path))


RULES: Final = (
    Rule(
        id="refused-by-format",
        severity="error",
        advice="change what the format cannot say, or leave the format out with --format",
        check=_refused,
    ),
    Rule(
        id="refused-in-strict-mode",
        severity="note",
        advice="change what strict mode cannot say, or describe the tool without it",
        check=_refused_strictly,
    ),
    Rule(
        id="lost-constraint",
        severity="note",
        advice="where models get it wrong, say it in the description; calls are checked against the whole schema in any case",
        check=_lost,
    ),
)
