"""Can a model tell a name from its neighbours, and a provider take it?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from fcregistry import formats
from fcregistry.inspection._lint._core import Place, Remark, Rule, Subject, property_path
from fcregistry.inspection._lint._neighbours import blurred


def _confusable_tools(subject: Subject) -> Iterator[Remark]:
    for other in subject.beside.lookalikes(subject.tool):
        yield Remark(f"its name differs from that of {other.id} only in case, '-' and '_'")


def _confusable_parameters(subject: Subject) -> Iterator[Remark]:
    for first, second in _pairs(subject.properties):
        message = f"the names of the parameters {first!r} and {second!r} differ only in case, '-' and '_'"
        yield Remark(message, property_path(second), Place("parameter", second))


def _pairs(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield names that look alike: the first of each sort with every later one."""
    met: dict[str, str] = {}
    for name in names:
        first = met.setdefault(blurred(name), name)
        if first != name:
            yield first, name


def _rewritten(subject: Subject) -> Iterator[Remark]:
    name = subject.tool.name
    formats_by_name: dict[str, list[str]] = {}
    for each in map(formats.get, subject.wanted.format_names):
        wire_name = each.alphabet.wire_name(name) if each.alphabet else name
        formats_by_name.setdefault(wire_name, []).append(each.name)
    for wire_name, names in formats_by_name.items():
        if wire_name != name:
            yield Remark(f"it is called {wire_name!r} in {', '.join(names)}, where its name may not stand")


RULES: Final = (
    Rule(
        id="confusable-name",
        severity="warning",
        advice="give one of them a name that says what it does differently",
        check=_confusable_tools,
        of_broken=True,
    ),
    Rule(
        id="confusable-parameter",
        severity="warning",
        advice="give one of them a name that says what it is for",
        check=_confusable_parameters,
    ),
    Rule(
        id="rewritten-name",
        severity="note",
        advice="begin it with a letter, and write '_' for '-'; calls by either name are understood in any case",
        check=_rewritten,
    ),
)
