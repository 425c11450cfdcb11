"""What does a tool check or promise that its schema, or the one it was given, does not hold?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, get_args

from fcregistry._results.content import Content, ToolOutput
from fcregistry._schema.foreign import schema_notes
from fcregistry._tools.parameters import STAR_STAR
from fcregistry.inspection._lint._core import Place, Remark, Rule, Subject, property_path
from fcregistry.types._codec import Codec, walk


def _unsaid(subject: Subject) -> Iterator[Remark]:
    if subject.is_foreign:
        return
    for parameter in subject.tool.signature.parameters:
        where = "$.additionalProperties" if parameter.kind is STAR_STAR else property_path(parameter.name)
        for sentence in _sentences(parameter.codec):
            yield Remark(f"the parameter {parameter.name!r}: {sentence}", where, Place("parameter", parameter.name))
    if subject.tool.signature.returns is not None:
        for sentence in _sentences(subject.tool.signature.returns):
            yield Remark(f"the result: {sentence}", "returns")


def _sentences(codec: Codec) -> list[str]:
    return list(dict.fromkeys(sentence for each in walk([codec]) for sentence in each.unsaid))


def _not_enforced(subject: Subject) -> Iterator[Remark]:
    if subject.is_foreign:
        for sentence in schema_notes(subject.schema):
            path = sentence.partition(": ")[0] if sentence.startswith("$") else "$"
            yield Remark(f"of its schema, {sentence}", path, Place("option", "parameters"))


def _open_schema(subject: Subject) -> Iterator[Remark]:
    takes_any = any(each.kind is STAR_STAR for each in subject.parameters.values())
    closed = any(subject.schema.get(each) is False for each in ("additionalProperties", "unevaluatedProperties"))
    if subject.is_foreign and not takes_any and not closed:
        message = (
            "its schema allows other names than its properties, and the function takes none: a call with one fails"
        )
        yield Remark(message, "$.additionalProperties", Place("option", "parameters"))


def _result_without_schema(subject: Subject) -> Iterator[Remark]:
    if subject.tool.signature.returns is not None or not subject.annotates_result or subject.is_foreign:
        return
    if not _gives_content(subject.result_annotation):
        yield Remark(
            "the annotation of its result has no JSON form, so nothing is known of results beforehand", "returns"
        )


def _gives_content(annotation: object) -> bool:
    """Tell whether an annotation says that a tool gives content, which is for models and has no schema."""
    return annotation is Content or annotation is ToolOutput or any(map(_gives_content, get_args(annotation)))


RULES: Final = (
    Rule(
        id="unsaid",
        severity="note",
        advice="say it in the description, where a model should know it beforehand",
        check=_unsaid,
    ),
    Rule(
        id="not-enforced",
        severity="note",
        advice="check it in the function, if it matters",
        check=_not_enforced,
    ),
    Rule(
        id="open-schema",
        severity="warning",
        advice='add "additionalProperties": False to the schema',
        check=_open_schema,
    ),
    Rule(
        id="result-without-schema",
        severity="note",
        advice="return a dataclass, a TypedDict or what JSON knows, and annotate that",
        check=_result_without_schema,
    ),
)
