"""Does a model learn which values a parameter takes, which is taken without it, and what a good call looks like?"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from fcregistry._base.messages import json_path, show, word_problems
from fcregistry._tools.parameters import EMPTY, STAR, STAR_STAR, Parameter
from fcregistry.errors import said_by
from fcregistry.inspection._lint_core import (
    CorePlace,
    Inside,
    LintRule,
    LintSubject,
    Remark,
    place_of,
    property_path,
    takes_anything,
    walk_schema,
)
from fcregistry.types import Refusal


def _untyped(subject: LintSubject) -> Iterator[Remark]:
    for name, schema in subject.properties.items():
        if takes_anything(schema):
            message = f"the parameter {name!r} takes any JSON value: {_why_untyped(subject, name)}"
            advice = 'say its "type", "enum" or "anyOf" in the schema' if subject.is_foreign else ""
            yield Remark(message, property_path(name), CorePlace("parameter", name), advice)


def _why_untyped(subject: LintSubject, name: str) -> str:
    if subject.is_foreign:
        return "the schema does not say its type"
    documented = subject.tool.signature.documentation.parameters.get(name)
    declared = subject.declared.get(name)
    if declared is None or declared.annotation is not EMPTY:
        return "it is annotated so"
    if documented is not None and documented.type:
        return f"its docstring's type {documented.type!r} is not known"
    return "it has no annotation"


def _untyped_inside(subject: LintSubject) -> Iterator[Remark]:
    for inside in walk_schema(subject.schema):
        where = json_path(inside.path)
        for message in _open_ends(inside):
            yield Remark(message.format(where), where, place_of(inside.path))


def _open_ends(inside: Inside) -> Iterator[str]:
    schema = inside.schema
    if len(inside.path) > 2 and inside.keyword in _VALUES and takes_anything(schema):
        yield "what stands at {} may be anything"
    elif isinstance(schema, dict) and schema.get("type") == "array" and not schema.keys() & _OF_ITEMS:
        yield "the items of {} may be anything"
    elif isinstance(schema, dict) and schema.get("type") == "object" and not schema.keys() & _OF_PROPERTIES:
        yield "the object at {} may hold anything"
    if inside.path == ("additionalProperties",) and takes_anything(schema):
        yield "other names than the known ones may hold anything"


_VALUES: Final = frozenset({"properties", "patternProperties", "additionalProperties", "items", "prefixItems"})
_OF_ITEMS: Final = frozenset({"items", "prefixItems", "contains", "enum", "const", "$ref"})
_OF_PROPERTIES: Final = frozenset(
    {
        *("properties", "patternProperties", "additionalProperties", "propertyNames"),
        *("enum", "const", "$ref", "anyOf", "oneOf", "allOf"),
    }
)


def _invalid_defaults(subject: LintSubject) -> Iterator[Remark]:
    for name, schema in subject.properties.items():
        if isinstance(schema, dict) and "default" in schema:
            for problem in _problems_of(subject, name, schema["default"]):
                yield _of_default(name, f"the default of {name!r} is not valid: {problem}")
        elif (parameter := _silent_default(subject, name)) and not subject.is_foreign and not _fits(parameter):
            message = f"the default {_shown(parameter.default)} of {name!r} is none of the values that it takes"
            yield _of_default(name, f"{message}: a model is not told of it")


def _unsaid_defaults(subject: LintSubject) -> Iterator[Remark]:
    for name in subject.properties:
        parameter = _silent_default(subject, name)
        if parameter is None:
            continue
        if subject.is_foreign:
            yield _of_default(
                name,
                f"the function has the default {_shown(parameter.default)} for {name!r}, and the schema does not say so",
            )
        elif _fits(parameter):
            yield _of_default(
                name, f"the default of {name!r} has no JSON form: a model is not told what is taken without it"
            )


def _of_default(name: str, message: str) -> Remark:
    return Remark(message, property_path(name), CorePlace("parameter", name))


def _silent_default(subject: LintSubject, name: str) -> Parameter | None:
    """Return the parameter of that name if the function has a default for it, and the schema says none."""
    parameter = subject.parameters.get(name)
    schema = subject.properties[name]
    if parameter is None or parameter.default is EMPTY or parameter.kind in (STAR, STAR_STAR):
        return None
    return None if isinstance(schema, dict) and "default" in schema else parameter


def _fits(parameter: Parameter) -> bool:
    try:
        return parameter.codec.handles(parameter.default)
    except Exception:  # foreign code: comparing an author's values may raise anything; then nothing is known against it  # noqa: BLE001
        return True


def _shown(default: object) -> str:
    """Return a default as its author wrote it, if that is short; the repr of a foreign object may be anything."""
    return repr(default) if isinstance(default, bool | int | float | None) else show(default)


def _problems_of(subject: LintSubject, name: str, value: Any) -> list[str]:
    """Return what the schema has against a value of one parameter, whatever the others are."""
    try:
        broken = subject.tool.validator().violations({name: value})
    except RecursionError:
        return [_ENDLESS]
    return [str(each) for each in word_problems(each for each in broken if each.path[:1] == (name,))]


_ENDLESS: Final = "it cannot be checked: the schema refers to itself without end, or it is nested too deeply"


def _invalid_examples(subject: LintSubject) -> Iterator[Remark]:
    for number, example in enumerate(subject.tool.options.examples, start=1):
        for problem in _problems_of_call(subject, example):
            yield Remark(f"example {number} is no valid call: {problem}", place=CorePlace("option", "examples"))
    for name, schema in subject.properties.items():
        examples = schema.get("examples") if isinstance(schema, dict) else None
        for example in examples if isinstance(examples, list) else ():
            for problem in _problems_of(subject, name, example):
                message = f"an example of {name!r} is not valid: {problem}"
                yield Remark(message, property_path(name), CorePlace("parameter", name))


def _problems_of_call(subject: LintSubject, example: Any) -> list[str]:
    try:
        arguments = json.loads(json.dumps(example, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        return [f"it is no JSON ({error})"]
    try:
        if problems := subject.tool.validator().problems(arguments):
            return [str(problem) for problem in problems]
        subject.tool.signature.binding.decode(arguments)
    except RecursionError:
        return [_ENDLESS]
    except Refusal as refusal:
        return [f"{json_path(refusal.path)}: {refusal.reason}"]
    except Exception as error:  # foreign code: making an author's values may raise anything  # noqa: BLE001
        return [f"{type(error).__name__}: {said_by(error)}"]
    return []


RULES: Final = (
    LintRule(
        id="untyped-parameter",
        severity="warning",
        advice="annotate it with the type that the function needs; where it is one of several, with a union",
        check=_untyped,
    ),
    LintRule(
        id="untyped-value",
        severity="note",
        advice="say what it holds, as in list[str], or with a dataclass or TypedDict in place of a dict",
        check=_untyped_inside,
    ),
    LintRule(
        id="invalid-default",
        severity="warning",
        advice="let the type take it too, as in int | None = None, or take another default",
        check=_invalid_defaults,
    ),
    LintRule(
        id="unsaid-default",
        severity="note",
        advice="say in the description, or in the schema, what is taken where it is left out",
        check=_unsaid_defaults,
    ),
    LintRule(
        id="invalid-example",
        severity="warning",
        advice="correct the example, or the schema that refuses it",
        check=_invalid_examples,
    ),
)
