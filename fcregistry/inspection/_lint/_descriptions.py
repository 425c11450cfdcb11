"""Is a model told what the tool and its parameters are for?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from fcregistry._base.messages import json_path
from fcregistry._tools.parameters import STAR_STAR
from fcregistry.formats._format import told
from fcregistry.inspection._lint._core import Place, Remark, Rule, Subject, place_of, property_path
from fcregistry.inspection._lint._schemas import description, walk

LONGEST_DESCRIPTION: Final = 1024
"""Characters of a description. That of a tool may not be longer for OpenAI's API (Azure OpenAI, "How to use function calling")."""


def _missing(subject: Subject) -> Iterator[Remark]:
    if not subject.tool.description.strip():
        yield Remark("it has no description")


def _overlong(subject: Subject) -> Iterator[Remark]:
    length = len(told(subject.tool))
    if length > LONGEST_DESCRIPTION:
        yield Remark(f"its description has {length} characters, more than {LONGEST_DESCRIPTION}")


def _overlong_inside(subject: Subject) -> Iterator[Remark]:
    for inside in walk(subject.schema):
        length = len(description(inside.schema))
        if length > LONGEST_DESCRIPTION and inside.path:
            where = json_path(inside.path)
            message = f"the description at {where} has {length} characters, more than {LONGEST_DESCRIPTION}"
            yield Remark(message, where, place_of(inside.path))


def _undocumented(subject: Subject) -> Iterator[Remark]:
    for name, schema in subject.properties.items():
        if not subject.is_described(schema):
            advice = 'give it a "description" in the schema' if subject.is_foreign else ""
            message = f"the parameter {name!r} has no description"
            yield Remark(message, property_path(name), Place("parameter", name), advice)
    extra = subject.schema.get("additionalProperties", True)
    open_end = next((each for each in subject.parameters.values() if each.kind is STAR_STAR), None)
    if open_end is not None and extra is not False and not description(extra) and not subject.is_foreign:
        message = f"the parameter {'**' + open_end.name!r} has no description: nothing says which names it takes"
        yield Remark(message, "$.additionalProperties", Place("parameter", open_end.name))


def _undocumented_fields(subject: Subject) -> Iterator[Remark]:
    for inside in walk(subject.schema):
        if len(inside.path) < 3 or inside.keyword != "properties" or _is_tag(inside.schema):
            continue
        if not subject.is_described(inside.schema):
            where = json_path(inside.path)
            message = f"the field {inside.path[-1]!r} at {where} has no description"
            yield Remark(message, where, place_of(inside.path))


def _is_tag(schema: Any) -> bool:
    """Tell a field that has one value only, which tells its record from others and needs no words."""
    return isinstance(schema, dict) and ("const" in schema or len(schema.get("enum", ())) == 1)


def _unknown(subject: Subject) -> Iterator[Remark]:
    documented = subject.tool.signature.documentation.parameters
    known = {*subject.properties, *subject.parameters, *subject.declared}
    for name in documented:
        if name not in known:
            yield Remark(f"its docstring describes {name!r}, which is no parameter", place=Place("docstring", name))


def _unread(subject: Subject) -> Iterator[Remark]:
    for line in subject.tool.signature.documentation.unread:
        yield Remark(
            f"the line {line!r} of its docstring cannot be read, and is left out", place=Place("docstring", line)
        )


RULES: Final = (
    Rule(
        id="missing-description",
        severity="warning",
        advice="say in the docstring's first paragraph, or with description=…, what the tool does and when to use it",
        check=_missing,
    ),
    Rule(
        id="overlong-description",
        severity="error",
        advice="say what a model needs to choose the tool, and move what concerns one parameter to that parameter",
        check=_overlong,
    ),
    Rule(
        id="overlong-parameter-description",
        severity="warning",
        advice="say the most important first, and leave out the rest: all of it is sent with each request",
        check=_overlong_inside,
    ),
    Rule(
        id="undocumented-parameter",
        severity="warning",
        advice='describe it in the docstring\'s Args, or as Annotated[…, "…"]',
        check=_undocumented,
    ),
    Rule(
        id="undocumented-field",
        severity="note",
        advice='describe it in the Attributes of the record\'s docstring, or as Annotated[…, "…"]',
        check=_undocumented_fields,
    ),
    Rule(
        id="unknown-parameter",
        severity="warning",
        advice="correct the name, or take the entry out",
        check=_unknown,
    ),
    Rule(
        id="unread-docstring",
        severity="warning",
        advice="write it as `name (type): text`, with what belongs to it indented below",
        check=_unread,
    ),
)
