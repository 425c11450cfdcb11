"""The lint rules: a function and a row of a table each, grouped by what they are about.

A new rule is a function and a row here, a test, and a row of docs/reference/lint.md.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, Final, get_args

from fcregistry import formats
from fcregistry._base.messages import json_path, show, word_problems
from fcregistry._results.content import Content, ToolOutput
from fcregistry._schema.external import schema_notes
from fcregistry._tools.parameters import EMPTY, STAR, STAR_STAR, Parameter
from fcregistry.errors import DefinitionError, FcregistryError, said_by
from fcregistry.formats import tool_description
from fcregistry.inspection._lint_subject import (
    Inside,
    LintRule,
    LintSubject,
    Remark,
    SourcePlace,
    description,
    path_deeper_than,
    place_of,
    property_path,
    simplified,
    takes_anything,
    walk_schema,
)
from fcregistry.types import Codec, Refusal, walk_codecs

# --- Definitions: the tool and its names ---

_PARAMETER: Final = re.compile(r"parameter '([^']+)'")


def _undefinable(subject: LintSubject) -> Iterator[Remark]:
    error = subject.tool.definition_error
    if error is None:
        return
    for problem in error.problems or (str(error),):
        named = _PARAMETER.match(problem)
        place = SourcePlace("parameter", named[1]) if named else SourcePlace()
        yield Remark(f"it cannot be defined: {problem}", property_path(named[1]) if named else "$", place)


def _duplicates(subject: LintSubject) -> Iterator[Remark]:
    for other in subject.beside.twins(subject.tool):
        yield Remark(f"{other.origin} has the same name and group: looking the name up raises")


def _useless_aliases(subject: LintSubject) -> Iterator[Remark]:
    beside, own = subject.beside, subject.tool.id
    for alias in subject.tool.options.aliases:
        place = SourcePlace("option", "aliases")
        if named := sorted({each.id for each in beside.named(alias)}):
            yield Remark(f"the alias {alias!r} is the name of {', '.join(named)}, which is found first", place=place)
        elif shared := sorted({each.id for each in beside.aliased(alias)} - {own}):
            yield Remark(f"the alias {alias!r} is one of {', '.join(shared)} too: looking it up raises", place=place)


def _deprecated(subject: LintSubject) -> Iterator[Remark]:
    if subject.tool.options.deprecated is True:
        yield Remark(
            "it is deprecated, and does not say what to use instead", place=SourcePlace("option", "deprecated")
        )


DEFINITIONS: Final = (
    LintRule(
        id="undefinable",
        severity="error",
        advice="mend it: until then the tool is offered to nobody",
        check=_undefinable,
        of_broken=True,
    ),
    LintRule(
        id="duplicate-tool",
        severity="error",
        advice="give one of them another name with name=…, or another group; or say replace=True where one takes the other's place",
        check=_duplicates,
        of_broken=True,
    ),
    LintRule(
        id="useless-alias",
        severity="warning",
        advice="take another alias, or none",
        check=_useless_aliases,
        of_broken=True,
    ),
    LintRule(
        id="deprecated-without-replacement",
        severity="note",
        advice='write deprecated="use … instead": a model that calls it reads that',
        check=_deprecated,
    ),
)


# --- Names ---


def _confusable_tools(subject: LintSubject) -> Iterator[Remark]:
    for other in subject.beside.lookalikes(subject.tool):
        yield Remark(f"its name differs from that of {other.id} only in case, '-' and '_'")


def _confusable_parameters(subject: LintSubject) -> Iterator[Remark]:
    for first, second in _pairs(subject.properties):
        message = f"the names of the parameters {first!r} and {second!r} differ only in case, '-' and '_'"
        yield Remark(message, property_path(second), SourcePlace("parameter", second))


def _pairs(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the names that look alike: the first one with every later one."""
    firsts: dict[str, str] = {}
    for name in names:
        first = firsts.setdefault(simplified(name), name)
        if first != name:
            yield first, name


def _rewritten_names(subject: LintSubject) -> Iterator[Remark]:
    name = subject.tool.name
    formats_by_name: dict[str, list[str]] = {}
    for each in map(formats.get, subject.wanted.format_names):
        wire_name = each.alphabet.wire_name(name) if each.alphabet else name
        formats_by_name.setdefault(wire_name, []).append(each.name)
    for wire_name, names in formats_by_name.items():
        if wire_name != name:
            yield Remark(f"it is called {wire_name!r} in {', '.join(names)}, where its name may not stand")


NAMES: Final = (
    LintRule(
        id="confusable-name",
        severity="warning",
        advice="give one of them a name that says what it does differently",
        check=_confusable_tools,
        of_broken=True,
    ),
    LintRule(
        id="confusable-parameter",
        severity="warning",
        advice="give one of them a name that says what it is for",
        check=_confusable_parameters,
    ),
    LintRule(
        id="rewritten-name",
        severity="note",
        advice="begin it with a letter, and write '_' for '-'; calls by either name are understood in any case",
        check=_rewritten_names,
    ),
)


# --- Descriptions ---

LONGEST_DESCRIPTION: Final = 1024
"""Characters of a description: the limit of OpenAI's API for a tool (Azure OpenAI, "How to use function calling")."""


def _missing_description(subject: LintSubject) -> Iterator[Remark]:
    if not subject.tool.description.strip():
        yield Remark("it has no description")


def _overlong_description(subject: LintSubject) -> Iterator[Remark]:
    length = len(tool_description(subject.tool))
    if length > LONGEST_DESCRIPTION:
        yield Remark(f"its description has {length} characters, more than {LONGEST_DESCRIPTION}")


def _overlong_inner_descriptions(subject: LintSubject) -> Iterator[Remark]:
    for inside in walk_schema(subject.schema):
        length = len(description(inside.schema))
        if length > LONGEST_DESCRIPTION and inside.path:
            where = json_path(inside.path)
            message = f"the description at {where} has {length} characters, more than {LONGEST_DESCRIPTION}"
            yield Remark(message, where, place_of(inside.path))


def _undocumented_parameters(subject: LintSubject) -> Iterator[Remark]:
    for name, schema in subject.properties.items():
        if not subject.is_described(schema):
            advice = 'give it a "description" in the schema' if subject.is_external else ""
            message = f"the parameter {name!r} has no description"
            yield Remark(message, property_path(name), SourcePlace("parameter", name), advice)
    extra = subject.schema.get("additionalProperties", True)
    open_end = next((each for each in subject.parameters.values() if each.kind is STAR_STAR), None)
    if open_end is not None and extra is not False and not description(extra) and not subject.is_external:
        message = f"the parameter {'**' + open_end.name!r} has no description: nothing says which names it takes"
        yield Remark(message, "$.additionalProperties", SourcePlace("parameter", open_end.name))


def _undocumented_fields(subject: LintSubject) -> Iterator[Remark]:
    for inside in walk_schema(subject.schema):
        if len(inside.path) < 3 or inside.keyword != "properties" or _is_tag(inside.schema):
            continue
        if not subject.is_described(inside.schema):
            where = json_path(inside.path)
            message = f"the field {inside.path[-1]!r} at {where} has no description"
            yield Remark(message, where, place_of(inside.path))


def _is_tag(schema: Any) -> bool:
    """Return whether a field has one possible value, which only marks its record and needs no description."""
    return isinstance(schema, dict) and ("const" in schema or len(schema.get("enum", ())) == 1)


def _unknown_parameters(subject: LintSubject) -> Iterator[Remark]:
    documented = subject.tool.signature.documentation.parameters
    known = {*subject.properties, *subject.parameters, *subject.declared}
    for name in documented:
        if name not in known:
            yield Remark(
                f"its docstring describes {name!r}, which is no parameter", place=SourcePlace("docstring", name)
            )


def _unread_lines(subject: LintSubject) -> Iterator[Remark]:
    for line in subject.tool.signature.documentation.unread:
        yield Remark(
            f"the line {line!r} of its docstring cannot be read, and is left out", place=SourcePlace("docstring", line)
        )


DESCRIPTIONS: Final = (
    LintRule(
        id="missing-description",
        severity="warning",
        advice="say in the docstring's first paragraph, or with description=…, what the tool does and when to use it",
        check=_missing_description,
    ),
    LintRule(
        id="overlong-description",
        severity="error",
        advice="say what a model needs to choose the tool, and move what concerns one parameter to that parameter",
        check=_overlong_description,
    ),
    LintRule(
        id="overlong-parameter-description",
        severity="warning",
        advice="say the most important first, and leave out the rest: all of it is sent with each request",
        check=_overlong_inner_descriptions,
    ),
    LintRule(
        id="undocumented-parameter",
        severity="warning",
        advice='describe it in the docstring\'s Args, or as Annotated[…, "…"]',
        check=_undocumented_parameters,
    ),
    LintRule(
        id="undocumented-field",
        severity="note",
        advice='describe it in the Attributes of the record\'s docstring, or as Annotated[…, "…"]',
        check=_undocumented_fields,
    ),
    LintRule(
        id="unknown-parameter",
        severity="warning",
        advice="correct the name, or take the entry out",
        check=_unknown_parameters,
    ),
    LintRule(
        id="unread-docstring",
        severity="warning",
        advice="write it as `name (type): text`, with what belongs to it indented below",
        check=_unread_lines,
    ),
)


# --- Values, defaults and examples ---

_VALUE_KEYWORDS: Final = frozenset({"properties", "patternProperties", "additionalProperties", "items", "prefixItems"})
_OF_ITEMS: Final = frozenset({"items", "prefixItems", "contains", "enum", "const", "$ref"})
_OF_PROPERTIES: Final = frozenset(
    {
        *("properties", "patternProperties", "additionalProperties", "propertyNames"),
        *("enum", "const", "$ref", "anyOf", "oneOf", "allOf"),
    }
)

_ENDLESS: Final = "it cannot be checked: the schema refers to itself without end, or it is nested too deeply"


def _untyped_parameters(subject: LintSubject) -> Iterator[Remark]:
    for name, schema in subject.properties.items():
        if takes_anything(schema):
            message = f"the parameter {name!r} takes any JSON value: {_why_untyped(subject, name)}"
            advice = 'say its "type", "enum" or "anyOf" in the schema' if subject.is_external else ""
            yield Remark(message, property_path(name), SourcePlace("parameter", name), advice)


def _why_untyped(subject: LintSubject, name: str) -> str:
    if subject.is_external:
        return "the schema does not say its type"
    documented = subject.tool.signature.documentation.parameters.get(name)
    declared = subject.declared.get(name)
    if declared is None or declared.annotation is not EMPTY:
        return "it is annotated so"
    if documented is not None and documented.type:
        return f"its docstring's type {documented.type!r} is not known"
    return "it has no annotation"


def _untyped_values(subject: LintSubject) -> Iterator[Remark]:
    for inside in walk_schema(subject.schema):
        where = json_path(inside.path)
        for message in _messages_of_open(inside):
            yield Remark(message.format(where), where, place_of(inside.path))


def _messages_of_open(inside: Inside) -> Iterator[str]:
    schema = inside.schema
    if len(inside.path) > 2 and inside.keyword in _VALUE_KEYWORDS and takes_anything(schema):
        yield "what stands at {} may be anything"
    elif isinstance(schema, dict) and schema.get("type") == "array" and not schema.keys() & _OF_ITEMS:
        yield "the items of {} may be anything"
    elif isinstance(schema, dict) and schema.get("type") == "object" and not schema.keys() & _OF_PROPERTIES:
        yield "the object at {} may hold anything"
    if inside.path == ("additionalProperties",) and takes_anything(schema):
        yield "other names than the known ones may hold anything"


def _invalid_defaults(subject: LintSubject) -> Iterator[Remark]:
    for name, schema in subject.properties.items():
        if isinstance(schema, dict) and "default" in schema:
            for problem in _problems_of(subject, name, schema["default"]):
                yield _default_remark(name, f"the default of {name!r} is not valid: {problem}")
        elif (
            (parameter := _undeclared_default(subject, name))
            and not subject.is_external
            and not _is_valid_default(parameter)
        ):
            message = f"the default {_default_text(parameter.default)} of {name!r} is none of the values that it takes"
            yield _default_remark(name, f"{message}: a model is not told of it")


def _unsaid_defaults(subject: LintSubject) -> Iterator[Remark]:
    for name in subject.properties:
        parameter = _undeclared_default(subject, name)
        if parameter is None:
            continue
        if subject.is_external:
            yield _default_remark(
                name,
                f"the function has the default {_default_text(parameter.default)} for {name!r}, and the schema does not say so",
            )
        elif _is_valid_default(parameter):
            yield _default_remark(
                name, f"the default of {name!r} has no JSON form: a model is not told what is taken without it"
            )


def _default_remark(name: str, message: str) -> Remark:
    return Remark(message, property_path(name), SourcePlace("parameter", name))


def _undeclared_default(subject: LintSubject, name: str) -> Parameter | None:
    """Return the parameter of that name if the function has a default for it and the schema has none."""
    parameter = subject.parameters.get(name)
    schema = subject.properties[name]
    if parameter is None or parameter.default is EMPTY or parameter.kind in (STAR, STAR_STAR):
        return None
    return None if isinstance(schema, dict) and "default" in schema else parameter


def _is_valid_default(parameter: Parameter) -> bool:
    try:
        return parameter.codec.handles(parameter.default)
    except Exception:  # foreign code: comparing an author's values may raise anything; then the default counts as valid  # noqa: BLE001
        return True


def _default_text(default: object) -> str:
    """Return a simple default as its author wrote it, and a safe text for any other object."""
    return repr(default) if isinstance(default, bool | int | float | None) else show(default)


def _problems_of(subject: LintSubject, name: str, value: Any) -> list[str]:
    """Return what is wrong with a value of one parameter, by the schema, whatever the other arguments are."""
    try:
        broken = subject.tool.validator().violations({name: value})
    except RecursionError:
        return [_ENDLESS]
    return [str(each) for each in word_problems(each for each in broken if each.path[:1] == (name,))]


def _invalid_examples(subject: LintSubject) -> Iterator[Remark]:
    for number, example in enumerate(subject.tool.options.examples, start=1):
        for problem in _problems_of_call(subject, example):
            yield Remark(f"example {number} is no valid call: {problem}", place=SourcePlace("option", "examples"))
    for name, schema in subject.properties.items():
        examples = schema.get("examples") if isinstance(schema, dict) else None
        for example in examples if isinstance(examples, list) else ():
            for problem in _problems_of(subject, name, example):
                message = f"an example of {name!r} is not valid: {problem}"
                yield Remark(message, property_path(name), SourcePlace("parameter", name))


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


VALUES: Final = (
    LintRule(
        id="untyped-parameter",
        severity="warning",
        advice="annotate it with the type that the function needs; where it is one of several, with a union",
        check=_untyped_parameters,
    ),
    LintRule(
        id="untyped-value",
        severity="note",
        advice="say what it holds, as in list[str], or with a dataclass or TypedDict in place of a dict",
        check=_untyped_values,
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


# --- Sizes ---

BYTES_PER_TOKEN: Final = 4
"""Tokenizers differ; English and JSON take about one token for four bytes of UTF-8."""

MOST_TOKENS: Final = 2_000
"""Tokens of one tool: every request sends it, with all others."""

MOST_CHOICES: Final = 250
"""Values of one `enum`. Above it OpenAI limits their characters too (OpenAI, "Structured Outputs", supported schemas)."""

MOST_LEVELS: Final = 6
"""Levels of values inside values; the arguments themselves are level 0."""


def token_estimate(value: Any) -> int:
    """Return about how many tokens a JSON value takes: its bytes of UTF-8 without spaces, by 4."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return -(-len(text.encode("utf-8", "surrogatepass")) // BYTES_PER_TOKEN)


def _huge_schema(subject: LintSubject) -> Iterator[Remark]:
    tool = subject.tool
    tokens = token_estimate({"name": tool.name, "description": tool_description(tool), "parameters": subject.schema})
    if tokens > MOST_TOKENS:
        yield Remark(f"describing it takes about {tokens} tokens of each request, more than {MOST_TOKENS}")


def _many_choices(subject: LintSubject) -> Iterator[Remark]:
    for inside in walk_schema(subject.schema):
        choices = inside.schema.get("enum") if isinstance(inside.schema, dict) else None
        if isinstance(choices, list) and len(choices) > MOST_CHOICES:
            where = json_path(inside.path)
            message = f"the enum at {where} has {len(choices)} values, more than {MOST_CHOICES}"
            yield Remark(message, where, place_of(inside.path))


def _deep_nesting(subject: LintSubject) -> Iterator[Remark]:
    path = path_deeper_than(subject.schema, MOST_LEVELS)
    if path is not None:
        where = json_path(path)
        message = f"values lie more than {MOST_LEVELS} levels deep, as at {where}"
        yield Remark(message, where, place_of(path))


SIZES: Final = (
    LintRule(
        id="huge-schema",
        severity="warning",
        advice="make several tools of it, shorten descriptions, or take a name where a choice is long",
        check=_huge_schema,
    ),
    LintRule(
        id="large-enum",
        severity="warning",
        advice="take a string, and answer an unknown one with the nearest names; or offer a tool that searches them",
        check=_many_choices,
    ),
    LintRule(
        id="deep-nesting",
        severity="warning",
        advice="take some of the inner values as parameters of their own",
        check=_deep_nesting,
    ),
)


# --- Providers ---

_NO_CONSTRAINT: Final = frozenset(
    {"default", "title", "description", "examples", "deprecated", "readOnly", "writeOnly"}
)
"""Keywords that no call can break."""


def _refused_by_format(subject: LintSubject) -> Iterator[Remark]:
    yield from _refusals(subject, strict=False)


def _refused_in_strict_mode(subject: LintSubject) -> Iterator[Remark]:
    yield from _refusals(subject, strict=True)


def _refusals(subject: LintSubject, *, strict: bool) -> Iterator[Remark]:
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


def _lost_constraints(subject: LintSubject) -> Iterator[Remark]:
    formats_by_loss: dict[tuple[str, str], list[str]] = {}
    for rendering in subject.renderings:
        for dropped in () if rendering.error else rendering.definition.dropped:
            if dropped.keyword not in _NO_CONSTRAINT:
                message = f"{dropped.keyword} {show(dropped.value)} at {dropped.path} is left out"
                formats_by_loss.setdefault((dropped.path, message), []).append(rendering.label)
    for (path, message), labels in formats_by_loss.items():
        yield Remark(f"{message} in {', '.join(dict.fromkeys(labels))}", path, subject.place_at(path))


PROVIDERS: Final = (
    LintRule(
        id="refused-by-format",
        severity="error",
        advice="change what the format cannot say, or leave the format out with --format",
        check=_refused_by_format,
    ),
    LintRule(
        id="refused-in-strict-mode",
        severity="note",
        advice="change what strict mode cannot say, or describe the tool without it",
        check=_refused_in_strict_mode,
    ),
    LintRule(
        id="lost-constraint",
        severity="note",
        advice="where models get it wrong, say it in the description; calls are checked against the whole schema in any case",
        check=_lost_constraints,
    ),
)


# --- Promises: what the schema does not hold ---


def _unsaid_conditions(subject: LintSubject) -> Iterator[Remark]:
    if subject.is_external:
        return
    for parameter in subject.tool.signature.parameters:
        where = "$.additionalProperties" if parameter.kind is STAR_STAR else property_path(parameter.name)
        for sentence in _sentences(parameter.codec):
            yield Remark(
                f"the parameter {parameter.name!r}: {sentence}", where, SourcePlace("parameter", parameter.name)
            )
    if subject.tool.signature.returns is not None:
        for sentence in _sentences(subject.tool.signature.returns):
            yield Remark(f"the result: {sentence}", "returns")


def _sentences(codec: Codec) -> list[str]:
    return list(dict.fromkeys(sentence for each in walk_codecs([codec]) for sentence in each.unsaid))


def _not_enforced(subject: LintSubject) -> Iterator[Remark]:
    if subject.is_external:
        for sentence in schema_notes(subject.schema):
            path = sentence.partition(": ")[0] if sentence.startswith("$") else "$"
            yield Remark(f"of its schema, {sentence}", path, SourcePlace("option", "parameters"))


def _open_schema(subject: LintSubject) -> Iterator[Remark]:
    takes_any = any(each.kind is STAR_STAR for each in subject.parameters.values())
    closed = any(subject.schema.get(each) is False for each in ("additionalProperties", "unevaluatedProperties"))
    if subject.is_external and not takes_any and not closed:
        message = (
            "its schema allows other names than its properties, and the function takes none: a call with one fails"
        )
        yield Remark(message, "$.additionalProperties", SourcePlace("option", "parameters"))


def _result_without_schema(subject: LintSubject) -> Iterator[Remark]:
    if subject.tool.signature.returns is not None or not subject.annotates_result or subject.is_external:
        return
    if not _gives_content(subject.result_annotation):
        yield Remark(
            "the annotation of its result has no JSON form, so nothing is known of results beforehand", "returns"
        )


def _gives_content(annotation: object) -> bool:
    """Return whether an annotation means content, which is for models and has no schema."""
    return annotation is Content or annotation is ToolOutput or any(map(_gives_content, get_args(annotation)))


PROMISES: Final = (
    LintRule(
        id="unsaid",
        severity="note",
        advice="say it in the description, where a model should know it beforehand",
        check=_unsaid_conditions,
    ),
    LintRule(
        id="not-enforced",
        severity="note",
        advice="check it in the function, if it matters",
        check=_not_enforced,
    ),
    LintRule(
        id="open-schema",
        severity="warning",
        advice='add "additionalProperties": False to the schema',
        check=_open_schema,
    ),
    LintRule(
        id="result-without-schema",
        severity="note",
        advice="return a dataclass, a TypedDict or what JSON knows, and annotate that",
        check=_result_without_schema,
    ),
)
