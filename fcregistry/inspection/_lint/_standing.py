"""Can a tool be had at all, and by the names that it was given?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from fcregistry.inspection._lint._core import Place, Remark, Rule, Subject, property_path

_PARAMETER: Final = re.compile(r"parameter '([^']+)'")


def _undefinable(subject: Subject) -> Iterator[Remark]:
    error = subject.tool.definition_error
    if error is None:
        return
    for problem in error.problems or (str(error),):
        named = _PARAMETER.match(problem)
        place = Place("parameter", named[1]) if named else Place()
        yield Remark(f"it cannot be defined: {problem}", property_path(named[1]) if named else "$", place)


def _duplicates(subject: Subject) -> Iterator[Remark]:
    for other in subject.beside.twins(subject.tool):
        yield Remark(f"{other.origin} has the same name and group: looking the name up raises")


def _useless_aliases(subject: Subject) -> Iterator[Remark]:
    beside, own = subject.beside, subject.tool.id
    for alias in subject.tool.options.aliases:
        place = Place("option", "aliases")
        if named := sorted({each.id for each in beside.named(alias)}):
            yield Remark(f"the alias {alias!r} is the name of {', '.join(named)}, which is found first", place=place)
        elif shared := sorted({each.id for each in beside.aliased(alias)} - {own}):
            yield Remark(f"the alias {alias!r} is one of {', '.join(shared)} too: looking it up raises", place=place)


def _deprecated(subject: Subject) -> Iterator[Remark]:
    if subject.tool.options.deprecated is True:
        yield Remark("it is deprecated, and does not say what to use instead", place=Place("option", "deprecated"))


RULES: Final = (
    Rule(
        id="undefinable",
        severity="error",
        advice="mend it: until then the tool is offered to nobody",
        check=_undefinable,
        of_broken=True,
    ),
    Rule(
        id="duplicate-tool",
        severity="error",
        advice="give one of them another name with name=…, or another group; or say replace=True where one takes the other's place",
        check=_duplicates,
        of_broken=True,
    ),
    Rule(
        id="useless-alias",
        severity="warning",
        advice="take another alias, or none",
        check=_useless_aliases,
        of_broken=True,
    ),
    Rule(
        id="deprecated-without-replacement",
        severity="note",
        advice='write deprecated="use … instead": a model that calls it reads that',
        check=_deprecated,
    ),
)
