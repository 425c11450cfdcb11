"""Is a model told what the tool and its parameters are for?

MERGED: What does a tool check or promise that its schema, or the one it was given, does not hold?
MERGED: Is a tool more than a model takes in?
MERGED: Can each provider be told of the tool, and of all that its schema says?
MERGED: Can a tool be had at all, and by the names that it was given?
MERGED: Can a model tell a name from its neighbours, and a provider take it?
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final, get_args

from fcregistry import formats
from fcregistry._base.messages import json_path, show
from fcregistry._results.content import Content, ToolOutput
from fcregistry._schema.external import schema_notes
from fcregistry._tools.parameters import STAR_STAR
from fcregistry.errors import DefinitionError, FcregistryError
from fcregistry.formats import tool_description
from fcregistry.inspection._lint_core import (
    CorePlace,
    LintRule,
    LintSubject,
    Remark,
    blurred,
    compact,
    description,
    path_deeper_than,
    place_of,
    property_path,
    walk_schema,
)
from fcregistry.types import Codec, walk_codecs

# --- inspection._lint._descriptions ---

LONGEST_DESCRIPTION: Final = 1024
"""Characters of a description. That of a tool may not be longer for OpenAI's API (Azure OpenAI, "How to use function calling")."""


def _missing(subject: LintSubject) -> Iterator[Remark]:
    if not subject.tool.description.strip():
        yield Remark("it has no description")


def _overlong(subject: LintSubject) -> Iterator[Remark]:
    length = len(tool_description(subject.tool))
    if length > LONGEST_DESCRIPTION:
        yield Remark(f"its description has {length} characters, more than {LONGEST_DESCRIPTION}")


def _overlong_inside(subject: LintSubject) -> Iterator[Remark]:
    for inside in walk_schema(subject.schema):
        length = len(description(inside.schema))
        if length > LONGEST_DESCRIPTION and inside.path:
            where = json_path(inside.path)
            message = f"the description at {where} has {length} characters, more than {LONGEST_DESCRIPTION}"
            yield Remark(message, where, place_of(inside.path))


def _undocumented(subject: LintSubject) -> Iterator[Remark]:
    for name, schema in subject.properties.items():
        if not subject.is_described(schema):
            advice = 'give it a "description" in the schema' if subject.is_foreign else ""
            message = f"the parameter {name!r} has no description"
            yield Remark(message, property_path(name), CorePlace("parameter", name), advice)
    extra = subject.schema.get("additionalProperties", True)
    open_end = next((each for each in subject.parameters.values() if each.kind is STAR_STAR), None)
    if open_end is not None and extra is not False and not description(extra) and not subject.is_foreign:
        message = f"the parameter {'**' + open_end.name!r} has no description: nothing says which names it takes"
        yield Remark(message, "$.additionalProperties", CorePlace("parameter", open_end.name))


def _undocumented_fields(subject: LintSubject) -> Iterator[Remark]:
    for inside in walk_schema(subject.schema):
        if len(inside.path) < 3 or inside.keyword != "properties" or _is_tag(inside.schema):
            continue
        if not subject.is_described(inside.schema):
            where = json_path(inside.path)
            message = f"the field {inside.path[-1]!r} at {where} has no description"
            yield Remark(message, where, place_of(inside.path))


def _is_tag(schema: Any) -> bool:
    """Tell a field that has one value only, which tells its record from others and needs no words."""
    return isinstance(schema, dict) and ("const" in schema or len(schema.get("enum", ())) == 1)


def _unknown(subject: LintSubject) -> Iterator[Remark]:
    documented = subject.tool.signature.documentation.parameters
    known = {*subject.properties, *subject.parameters, *subject.declared}
    for name in documented:
        if name not in known:
            yield Remark(f"its docstring describes {name!r}, which is no parameter", place=CorePlace("docstring", name))


def _unread(subject: LintSubject) -> Iterator[Remark]:
    for line in subject.tool.signature.documentation.unread:
        yield Remark(
            f"the line {line!r} of its docstring cannot be read, and is left out", place=CorePlace("docstring", line)
        )


DESCRIPTIONS: Final = (
    LintRule(
        id="missing-description",
        severity="warning",
        advice="say in the docstring's first paragraph, or with description=…, what the tool does and when to use it",
        check=_missing,
    ),
    LintRule(
        id="overlong-description",
        severity="error",
        advice="say what a model needs to choose the tool, and move what concerns one parameter to that parameter",
        check=_overlong,
    ),
    LintRule(
        id="overlong-parameter-description",
        severity="warning",
        advice="say the most important first, and leave out the rest: all of it is sent with each request",
        check=_overlong_inside,
    ),
    LintRule(
        id="undocumented-parameter",
        severity="warning",
        advice='describe it in the docstring\'s Args, or as Annotated[…, "…"]',
        check=_undocumented,
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
        check=_unknown,
    ),
    LintRule(
        id="unread-docstring",
        severity="warning",
        advice="write it as `name (type): text`, with what belongs to it indented below",
        check=_unread,
    ),
)

# --- inspection._lint._promises ---


def _unsaid(subject: LintSubject) -> Iterator[Remark]:
    if subject.is_foreign:
        return
    for parameter in subject.tool.signature.parameters:
        where = "$.additionalProperties" if parameter.kind is STAR_STAR else property_path(parameter.name)
        for sentence in _sentences(parameter.codec):
            yield Remark(f"the parameter {parameter.name!r}: {sentence}", where, CorePlace("parameter", parameter.name))
    if subject.tool.signature.returns is not None:
        for sentence in _sentences(subject.tool.signature.returns):
            yield Remark(f"the result: {sentence}", "returns")


def _sentences(codec: Codec) -> list[str]:
    return list(dict.fromkeys(sentence for each in walk_codecs([codec]) for sentence in each.unsaid))


def _not_enforced(subject: LintSubject) -> Iterator[Remark]:
    if subject.is_foreign:
        for sentence in schema_notes(subject.schema):
            path = sentence.partition(": ")[0] if sentence.startswith("$") else "$"
            yield Remark(f"of its schema, {sentence}", path, CorePlace("option", "parameters"))


def _open_schema(subject: LintSubject) -> Iterator[Remark]:
    takes_any = any(each.kind is STAR_STAR for each in subject.parameters.values())
    closed = any(subject.schema.get(each) is False for each in ("additionalProperties", "unevaluatedProperties"))
    if subject.is_foreign and not takes_any and not closed:
        message = (
            "its schema allows other names than its properties, and the function takes none: a call with one fails"
        )
        yield Remark(message, "$.additionalProperties", CorePlace("option", "parameters"))


def _result_without_schema(subject: LintSubject) -> Iterator[Remark]:
    if subject.tool.signature.returns is not None or not subject.annotates_result or subject.is_foreign:
        return
    if not _gives_content(subject.result_annotation):
        yield Remark(
            "the annotation of its result has no JSON form, so nothing is known of results beforehand", "returns"
        )


def _gives_content(annotation: object) -> bool:
    """Tell whether an annotation says that a tool gives content, which is for models and has no schema."""
    return annotation is Content or annotation is ToolOutput or any(map(_gives_content, get_args(annotation)))


PROMISES: Final = (
    LintRule(
        id="unsaid",
        severity="note",
        advice="say it in the description, where a model should know it beforehand",
        check=_unsaid,
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

# --- inspection._lint._sizes ---

BYTES_PER_TOKEN: Final = 4
"""Tokenizers differ; of English and JSON they make about one token of four bytes of UTF-8."""

MOST_TOKENS: Final = 2_000
"""Tokens of one tool: it is sent with every request, beside all others."""

MOST_CHOICES: Final = 250
"""Values of one `enum`. Beyond them OpenAI counts their letters too (OpenAI, "Structured Outputs", supported schemas)."""

MOST_LEVELS: Final = 6
"""Levels of values inside values, the arguments themselves being none."""


def token_estimate(value: Any) -> int:
    """Return about how many tokens a JSON value takes: its bytes as UTF-8 without spaces, divided by 4, rounded up."""
    return -(-len(compact(value).encode("utf-8", "surrogatepass")) // BYTES_PER_TOKEN)


def _huge(subject: LintSubject) -> Iterator[Remark]:
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


def _deep(subject: LintSubject) -> Iterator[Remark]:
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
        check=_huge,
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
        check=_deep,
    ),
)

# --- inspection._lint._providers ---


def _refused(subject: LintSubject) -> Iterator[Remark]:
    yield from _refusals(subject, strict=False)


def _refused_strictly(subject: LintSubject) -> Iterator[Remark]:
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


_NO_CONSTRAINT: Final = frozenset(
    {"default", "title", "description", "examples", "deprecated", "readOnly", "writeOnly"}
)
"""Keywords that no call can break."""


def _lost(subject: LintSubject) -> Iterator[Remark]:
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
        check=_refused,
    ),
    LintRule(
        id="refused-in-strict-mode",
        severity="note",
        advice="change what strict mode cannot say, or describe the tool without it",
        check=_refused_strictly,
    ),
    LintRule(
        id="lost-constraint",
        severity="note",
        advice="where models get it wrong, say it in the description; calls are checked against the whole schema in any case",
        check=_lost,
    ),
)

# --- inspection._lint._standing ---

_PARAMETER: Final = re.compile(r"parameter '([^']+)'")


def _undefinable(subject: LintSubject) -> Iterator[Remark]:
    error = subject.tool.definition_error
    if error is None:
        return
    for problem in error.problems or (str(error),):
        named = _PARAMETER.match(problem)
        place = CorePlace("parameter", named[1]) if named else CorePlace()
        yield Remark(f"it cannot be defined: {problem}", property_path(named[1]) if named else "$", place)


def _duplicates(subject: LintSubject) -> Iterator[Remark]:
    for other in subject.beside.twins(subject.tool):
        yield Remark(f"{other.origin} has the same name and group: looking the name up raises")


def _useless_aliases(subject: LintSubject) -> Iterator[Remark]:
    beside, own = subject.beside, subject.tool.id
    for alias in subject.tool.options.aliases:
        place = CorePlace("option", "aliases")
        if named := sorted({each.id for each in beside.named(alias)}):
            yield Remark(f"the alias {alias!r} is the name of {', '.join(named)}, which is found first", place=place)
        elif shared := sorted({each.id for each in beside.aliased(alias)} - {own}):
            yield Remark(f"the alias {alias!r} is one of {', '.join(shared)} too: looking it up raises", place=place)


def _deprecated(subject: LintSubject) -> Iterator[Remark]:
    if subject.tool.options.deprecated is True:
        yield Remark("it is deprecated, and does not say what to use instead", place=CorePlace("option", "deprecated"))


STANDING: Final = (
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

# --- inspection._lint._names ---


def _confusable_tools(subject: LintSubject) -> Iterator[Remark]:
    for other in subject.beside.lookalikes(subject.tool):
        yield Remark(f"its name differs from that of {other.id} only in case, '-' and '_'")


def _confusable_parameters(subject: LintSubject) -> Iterator[Remark]:
    for first, second in _pairs(subject.properties):
        message = f"the names of the parameters {first!r} and {second!r} differ only in case, '-' and '_'"
        yield Remark(message, property_path(second), CorePlace("parameter", second))


def _pairs(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield names that look alike: the first of each sort with every later one."""
    met: dict[str, str] = {}
    for name in names:
        first = met.setdefault(blurred(name), name)
        if first != name:
            yield first, name


def _rewritten(subject: LintSubject) -> Iterator[Remark]:
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
        check=_rewritten,
    ),
)
