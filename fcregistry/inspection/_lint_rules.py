"""The lint rules: a function each, grouped by what they are about.

A new rule is a function with `@rule` here, a test, and a row of the page "Lint rules".
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, get_args, get_type_hints

from fcregistry import formats
from fcregistry._base.docstrings import type_named
from fcregistry._base.source import annotations_of, underlying
from fcregistry._base.wording import json_path, show, word_problems
from fcregistry._results.content import Content, ToolOutput
from fcregistry._schema.external import schema_notes
from fcregistry._tools.parameters import EMPTY, STAR, STAR_STAR, context_hint, wraps_hint
from fcregistry.errors import DefinitionError, exception_message
from fcregistry.formats import tool_description
from fcregistry.inspection._lint_source import SourcePlace, changing_call
from fcregistry.inspection._lint_subject import (
    NO_CONSTRAINT,
    InnerSchema,
    LintRule,
    LintSubject,
    Remark,
    Severity,
    accepts_anything,
    default_text,
    description,
    invalid_fields,
    is_valid_default,
    path_deeper_than,
    property_path,
    simplified,
    undeclared_default,
    walk_schema,
)
from fcregistry.types import Codec, EnumCodec, Refusal, codec_of, show_type, walk_codecs

LINT_RULES: Final[dict[str, LintRule]] = {}
"""Every rule by its id."""

Check = Callable[[LintSubject], Iterator[Remark]]


def rule(id: str, severity: Severity, advice: str, *, of_broken: bool = False) -> Callable[[Check], Check]:
    """Return a decorator that adds a function to the rules.

    Args:
        id: The rule's name in output, in `--ignore`, and in the documentation.
        severity: How bad it is that a tool breaks the rule.
        advice: What to do about it, in general.
        of_broken: Whether the rule also checks tools that cannot be defined, which have no schema.
    """

    def add(check: Check) -> Check:
        """Add `check` to `LINT_RULES`, and return it unchanged."""
        LINT_RULES[id] = LintRule(id=id, severity=severity, advice=advice, check=check, of_broken=of_broken)
        return check

    return add


# --- Definitions: the tool and its names ---

_PARAMETER: Final = re.compile(r"parameter '([^']+)'")


@rule("undefinable", "error", "fix it: agents do not see the tool until then", of_broken=True)
def _undefinable(subject: LintSubject) -> Iterator[Remark]:
    """Yield a remark for each problem of a tool that cannot be defined, at the parameter that it names."""
    error = subject.tool.definition_error
    for problem in () if error is None else error.problems or (str(error),):
        named = _PARAMETER.match(problem)
        place = SourcePlace("parameter", named[1]) if named else SourcePlace()
        yield Remark(f"it cannot be defined: {problem}", property_path(named[1]) if named else "$", place)


@rule(
    "duplicate-tool",
    "error",
    "give one of them another name with name=…, or another group; or pass replace=True to the one that replaces the other",
    of_broken=True,
)
def _duplicates(subject: LintSubject) -> Iterator[Remark]:
    """Yield a remark for each other tool with the same canonical id."""
    for other in subject.beside.by_id[subject.tool.id]:
        if other is not subject.tool:
            yield Remark(f"{other.origin} has the same name and group: looking the name up raises")


@rule("useless-alias", "warning", "choose another alias, or remove it", of_broken=True)
def _useless_aliases(subject: LintSubject) -> Iterator[Remark]:
    """Yield a remark for each alias that is the name of a tool, or else an alias of another tool."""
    place = SourcePlace("option", "aliases")
    for alias in subject.tool.options.aliases:
        if named := sorted({each.id for each in subject.beside.by_name[alias]}):
            yield Remark(f"the alias {alias!r} is the name of {', '.join(named)}, which is found first", place=place)
        elif shared := sorted({each.id for each in subject.beside.by_alias[alias]} - {subject.tool.id}):
            yield Remark(f"the alias {alias!r} is one of {', '.join(shared)} too: looking it up raises", place=place)


@rule(
    "deprecated-without-replacement", "note", 'write deprecated="use … instead": a model that calls the tool reads that'
)
def _deprecated(subject: LintSubject) -> Iterator[Remark]:
    """Yield a remark if the tool is deprecated without a text that says what to use instead."""
    if subject.tool.options.deprecated is True:
        place = SourcePlace("option", "deprecated")
        yield Remark("it is deprecated, and does not say what to use instead", place=place)


# --- Names ---


@rule("confusable-name", "warning", "give one of them a name that says what it does differently", of_broken=True)
def _confusable_tools(subject: LintSubject) -> Iterator[Remark]:
    """Yield a remark for each tool of the group whose name differs only in case, `-` and `_`."""
    name = subject.tool.declared_name
    for other in subject.beside.by_look[subject.tool.group, simplified(name)]:
        if other.declared_name != name:
            yield Remark(f"its name differs from that of {other.id} only in case, '-' and '_'")


@rule("confusable-parameter", "warning", "give one of them a name that says what it is for")
def _confusable_parameters(subject: LintSubject) -> Iterator[Remark]:
    """Yield a remark for each parameter whose name differs from an earlier one only in case, `-` and `_`."""
    firsts: dict[str, str] = {}
    for name in subject.properties:
        first = firsts.setdefault(simplified(name), name)
        if first != name:
            message = f"the names of the parameters {first!r} and {name!r} differ only in case, '-' and '_'"
            yield Remark(message, property_path(name))


@rule(
    "rewritten-name",
    "note",
    "calls by either name work; to have one name everywhere, begin it with a letter, and write '_' for '-'",
)
def _rewritten_names(subject: LintSubject) -> Iterator[Remark]:
    """Yield a remark for each other name that the tool gets in wanted formats, with these formats."""
    name = subject.tool.name
    formats_by_name: dict[str, list[str]] = {}
    for each in map(formats.get, subject.wanted.format_names):
        wire_name = each.alphabet.wire_name(name) if each.alphabet else name
        formats_by_name.setdefault(wire_name, []).append(each.name)
    for wire_name, names in formats_by_name.items():
        if wire_name != name:
            yield Remark(f"its name is {wire_name!r} in {', '.join(names)}, which does not allow its own")


# --- Descriptions ---

LONGEST_DESCRIPTION: Final = 1024
"""Characters of a description: the limit of OpenAI's API for a tool (Azure OpenAI, "How to use function calling")."""


@rule(
    "missing-description",
    "warning",
    "say in the docstring's first paragraph, or with description=…, what the tool does and when to use it",
)
def _missing_description(subject: LintSubject) -> Iterator[Remark]:
    """Yield a remark if the tool has no description."""
    if not subject.tool.description.strip():
        yield Remark("it has no description")


@rule(
    "overlong-description",
    "error",
    "say what a model needs to choose the tool, and move what concerns one parameter to that parameter",
)
def _overlong_description(subject: LintSubject) -> Iterator[Remark]:
    """Yield a remark if the description that models get has more than 1024 characters."""
    length = len(tool_description(subject.tool))
    if length > LONGEST_DESCRIPTION:
        yield Remark(f"its description has {length} characters, more than {LONGEST_DESCRIPTION}")


@rule(
    "overlong-parameter-description",
    "warning",
    "say the most important first, and leave out the rest: all of it is sent with each request",
)
def _overlong_inner_descriptions(subject: LintSubject) -> Iterator[Remark]:
    """Yield a remark for each description inside the schema that has more than 1024 characters."""
    for inner in walk_schema(subject.schema):
        length = len(description(inner.schema))
        if length > LONGEST_DESCRIPTION and inner.path:
            message = f"the description at {inner.where} has {length} characters, more than {LONGEST_DESCRIPTION}"
            yield Remark(message, inner.where)


@rule("undocumented-parameter", "warning", 'describe it in the docstring\'s Args, or as Annotated[…, "…"]')
def _undocumented_parameters(subject: LintSubject) -> Iterator[Remark]:
    """Yield a remark for each parameter without a description, also for `**names` without one."""
    for name, schema in subject.properties.items():
        if not subject.is_described(schema):
            advice = 'give it a "description" in the schema' if subject.is_external else ""
            yield Remark(f"the parameter {name!r} has no description", property_path(name), advice=advice)
    extra = subject.schema.get("additionalProperties", True)
    open_end = next((each for each in subject.parameters.values() if each.kind is STAR_STAR), None)
    if open_end is not None and extra is not False and not description(extra) and not subject.is_external:
        message = f"the parameter {'**' + open_end.name!r} has no description: nothing says which names it accepts"
        yield Remark(message, "$.additionalProperties", SourcePlace("parameter", open_end.name))


@rule(
    "undocumented-field",
    "note",
    'describe it in the record\'s docstring, in its Attributes or Args, or as Annotated[…, "…"]',
)
def _undocumented_fields(subject: LintSubject) -> Iterator[Remark]:
    """Yield a remark for each property inside a parameter, except tags, that has no description."""
    for inner in walk_schema(subject.schema):
        if len(inner.path) < 3 or inner.keyword != "properties" or _is_tag(inner.schema):
            continue
        if not subject.is_described(inner.schema):
            yield Remark(f"the field {inner.path[-1]!r} at {inner.where} has no description", inner.where)


def _is_tag(schema: Any) -> bool:
    """Return whether a field has only one possible value: it tells records apart, without a description."""
    return isinstance(schema, dict) and ("const" in schema or len(schema.get("enum", ())) == 1)


@rule("unknown-parameter", "warning", "correct the name, or remove the entry")
def _unknown_parameters(subject: LintSubject) -> Iterator[Remark]:
    """Yield a remark for each name that the docstring describes, and that is not a parameter."""
    known = {*subject.properties, *subject.parameters, *subject.declared}
    for name in subject.tool.signature.documentation.parameters:
        if name not in known:
            message = f"its docstring describes {name!r}, which is not a parameter"
            yield Remark(message, place=SourcePlace("docstring", name))


@rule("unread-docstring", "warning", "write it as `name (type): text`, with what belongs to it indented below")
def _unread_lines(subject: LintSubject) -> Iterator[Remark]:
    """Yield a remark for each line of the docstring that cannot be read."""
    for line in subject.tool.signature.documentation.unread:
        message = f"the line {line!r} of its docstring cannot be read, and is left out"
        yield Remark(message, place=SourcePlace("docstring", line))


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


@rule(
    "untyped-parameter",
    "warning",
    "annotate it with the type that the function needs; with a union, if it is one of several",
)
def _untyped_parameters(subject: LintSubject) -> Iterator[Remark]:
    """Yield a remark for each parameter that accepts any JSON value, and for `*args` and `**kwargs` without a type."""
    for name, schema in subject.properties.items():
        if accepts_anything(schema):
            message = f"the parameter {name!r} accepts any JSON value: {_why_untyped(subject, name)}"
            advice = 'say its "type", "enum" or "anyOf" in the schema' if subject.is_external else ""
            if not subject.is_external and (hint := context_hint(name)):
                advice = f"annotate it with the type that the function needs{hint}"
            yield Remark(message, property_path(name), advice=advice)
    for name in () if subject.is_external else _untyped_rest(subject):
        stars, path = ("*", property_path(name)) if name in subject.properties else ("**", "$.additionalProperties")
        message = f"the parameter {stars + name!r} accepts any values: {_why_untyped(subject, name)}"
        advice = wraps_hint(underlying(subject.tool.function)) or ""
        yield Remark(message, path, SourcePlace("parameter", name), advice)


def _untyped_rest(subject: LintSubject) -> Iterator[str]:
    """Yield the names of `*args` and `**kwargs` that have no annotation, and no type that the docstring names."""
    for each in subject.parameters.values():
        declared = subject.declared.get(each.name)
        if each.kind in (STAR, STAR_STAR) and declared is not None and declared.annotation is EMPTY:
            items = subject.properties[each.name].get("items", True) if each.kind is STAR else None
            if accepts_anything(subject.schema["additionalProperties"] if items is None else items):
                yield each.name


def _why_untyped(subject: LintSubject, name: str) -> str:
    """Return the reason that the parameter `name` accepts any value, as words for a message.

    The schema does not say its type, the annotation says so, the docstring's type is not known, or there is no annotation.
    """
    if subject.is_external:
        return "the schema does not say its type"
    documented = subject.tool.signature.documentation.parameters.get(name)
    declared = subject.declared.get(name)
    if declared is None or declared.annotation is not EMPTY:
        return "its annotation says so"
    if documented is not None and documented.type:
        return f"its docstring's type {documented.type!r} is not known"
    return "it has no annotation"


@rule(
    "untyped-value", "note", "say what it holds, as in list[str], or with a dataclass or TypedDict in place of a dict"
)
def _untyped_values(subject: LintSubject) -> Iterator[Remark]:
    """Yield a remark for each value inside a parameter, and for other names, that may be anything."""
    for inner in walk_schema(subject.schema):
        for message in _messages_of_open(inner):
            yield Remark(message, inner.where)


def _messages_of_open(inner: InnerSchema) -> Iterator[str]:
    """Yield a message, none or up to two, for what may be anything in the value of `inner`.

    That is the value itself, the items of an array or the properties of an object, and the names beside the known parameters.
    """
    schema, keywords = inner.schema, inner.schema if isinstance(inner.schema, dict) else {}
    if len(inner.path) > 2 and inner.keyword in _VALUE_KEYWORDS and accepts_anything(schema):
        yield f"the value at {inner.where} may be anything"
    elif keywords.get("type") == "array" and not keywords.keys() & _OF_ITEMS:
        yield f"the items of {inner.where} may be anything"
    elif keywords.get("type") == "object" and not keywords.keys() & _OF_PROPERTIES:
        yield f"the object at {inner.where} may hold anything"
    if inner.path == ("additionalProperties",) and accepts_anything(schema):
        yield "other names than the known ones may hold anything"


@rule(
    "invalid-default",
    "warning",
    "let the type accept it too, as in int | None = None, or choose another default",
)
def _invalid_defaults(subject: LintSubject) -> Iterator[Remark]:
    """Yield a remark for each problem that the schema has with a default in it.

    Yield one, too, for each default of the function that the schema lacks and that is not of its parameter's type; not if the author wrote the
    schema.
    """
    for name, schema in subject.properties.items():
        if isinstance(schema, dict) and "default" in schema:
            for problem in _problems_of(subject, name, schema["default"]):
                yield Remark(f"the default of {name!r} is not valid: {problem}", property_path(name))
        elif (
            (parameter := undeclared_default(subject, name))
            and not subject.is_external
            and not is_valid_default(parameter)
        ):
            text = default_text(parameter.default)
            message = f"the default {text} of {name!r} is not a value of its type, so models do not see it"
            yield Remark(message, property_path(name))
    for parameter in () if subject.is_external else subject.tool.signature.parameters:
        for field, text in invalid_fields(parameter.codec):
            message = f"the default {text} of the field {field} is not a value of its type, so models do not see it"
            yield Remark(message, property_path(parameter.name), SourcePlace("parameter", parameter.name))


@rule(
    "unsaid-default",
    "note",
    "say in the description, or in the schema, which value is used when it is left out",
)
def _unsaid_defaults(subject: LintSubject) -> Iterator[Remark]:
    """Yield a remark for each default of the function that the schema does not have.

    If the author did not write the schema, only valid defaults count; `_invalid_defaults` reports the others.
    """
    for name in subject.properties:
        parameter = undeclared_default(subject, name)
        if parameter is not None and subject.is_external:
            text = default_text(parameter.default)
            message = f"the function has the default {text} for {name!r}, and the schema does not say so"
            yield Remark(message, property_path(name))
        elif parameter is not None and is_valid_default(parameter):
            yield Remark(f"the default of {name!r} has no JSON form, so models do not see it", property_path(name))


@rule(
    "changing-default",
    "warning",
    "let the default be None, and make the value in the function: each call then has one of its own",
)
def _changing_defaults(subject: LintSubject) -> Iterator[Remark]:
    """Yield a remark for each default in the schema whose expression calls a function of the usual ones that return another value each time."""
    for name, expression in subject.sources.defaults(subject.tool).items():
        schema = subject.properties.get(name)
        if isinstance(schema, dict) and "default" in schema and (call := changing_call(expression)):
            message = f"the default of {name!r} is made by {call} when the module is imported, so its definition is not always the same"
            yield Remark(message, property_path(name))


def _problems_of(subject: LintSubject, name: str, value: Any) -> list[str]:
    """Return, as sentences, the problems that the schema has with `value` for the parameter `name` alone.

    The list is empty if there are none; it has one sentence if the schema cannot be walked.
    """
    try:
        broken = subject.tool.validator().violations({name: value})
    except RecursionError:
        return [_ENDLESS]
    return [str(each) for each in word_problems(each for each in broken if each.path[:1] == (name,))]


@rule("invalid-example", "warning", "correct the example, or the schema that refuses it")
def _invalid_examples(subject: LintSubject) -> Iterator[Remark]:
    """Yield a remark for each problem of an example of the tool, and of one in a parameter's schema."""
    for number, example in enumerate(subject.tool.options.examples, start=1):
        for problem in _problems_of_call(subject, example):
            yield Remark(f"example {number} is not a valid call: {problem}", place=SourcePlace("option", "examples"))
    for name, schema in subject.properties.items():
        examples = schema.get("examples") if isinstance(schema, dict) else None
        for example in examples if isinstance(examples, list) else ():
            for problem in _problems_of(subject, name, example):
                yield Remark(f"an example of {name!r} is not valid: {problem}", property_path(name))


def _problems_of_call(subject: LintSubject, example: Any) -> list[str]:
    """Return, as sentences, the problems of `example` as the arguments of a call; the list may be empty.

    It is checked to be JSON, then by the schema, then by decoding it; the function is not called.
    """
    try:
        arguments = json.loads(json.dumps(example, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        return [f"it is not JSON ({error})"]
    try:
        if problems := subject.tool.validator().problems(arguments):
            return [str(problem) for problem in problems]
        subject.tool.signature.binding.decode(arguments)
    except RecursionError:
        return [_ENDLESS]
    except Refusal as refusal:
        return [f"{json_path(refusal.path)}: {refusal.reason}"]
    except Exception as error:  # external code: making an author's values may raise anything  # noqa: BLE001
        return [f"{type(error).__name__}: {exception_message(error)}"]
    return []


# --- Sizes ---

BYTES_PER_TOKEN: Final = 4
"""Tokenizers differ; English and JSON take about one token for four bytes of UTF-8."""

MOST_TOKENS: Final = 2_000
"""Tokens of one tool: every request sends it, with all others."""

MOST_CHOICES: Final = 250
"""Values of one `enum`. Above it OpenAI limits their characters too (OpenAI, "Structured Outputs", supported schemas)."""

MOST_LEVELS: Final = 6
"""Levels of values inside values; the arguments themselves are level 0."""


@rule(
    "huge-schema",
    "warning",
    "split it into several tools, shorten descriptions, or accept a name in place of a long list of choices",
)
def _huge_schema(subject: LintSubject) -> Iterator[Remark]:
    """Yield a remark if the definition of the tool takes more than about 2000 tokens."""
    tool = subject.tool
    sent = {"name": tool.name, "description": tool_description(tool), "parameters": subject.schema}
    text = json.dumps(sent, ensure_ascii=False, separators=(",", ":"))
    tokens = -(-len(text.encode("utf-8", "surrogatepass")) // BYTES_PER_TOKEN)
    if tokens > MOST_TOKENS:
        yield Remark(f"describing it takes about {tokens} tokens of each request, more than {MOST_TOKENS}")


@rule(
    "large-enum",
    "warning",
    "accept a string, and answer an unknown one with the nearest names; or offer a tool that searches them",
)
def _many_choices(subject: LintSubject) -> Iterator[Remark]:
    """Yield a remark for each enum with more than 250 values."""
    for inner in walk_schema(subject.schema):
        choices = inner.schema.get("enum") if isinstance(inner.schema, dict) else None
        if isinstance(choices, list) and len(choices) > MOST_CHOICES:
            yield Remark(f"the enum at {inner.where} has {len(choices)} values, more than {MOST_CHOICES}", inner.where)


@rule(
    "numbered-choice",
    "warning",
    'give the members words as values, as in PAPER = "paper", or say in the description what each number means',
)
def _numbered_choices(subject: LintSubject) -> Iterator[Remark]:
    """Yield a remark for each enumeration whose values are numbers, unless the parameter's description has the name of each member."""
    for parameter in () if subject.is_external else subject.tool.signature.parameters:
        enums = {each.cls: None for each in walk_codecs([parameter.codec]) if isinstance(each, EnumCodec)}
        words = f"{parameter.description} {description(subject.properties.get(parameter.name))}".casefold()
        for cls in enums:
            names = [member.name for member in cls]
            is_numbered = all(isinstance(member.value, int | float) for member in cls)
            if is_numbered and not all(name.casefold() in words for name in names):
                some = ", ".join(names[:3]) + ", …" * (len(names) > 3)
                message = f"the parameter {parameter.name!r}: a model sees the numbers of {cls.__qualname__}, and not its names {some}"
                yield Remark(message, property_path(parameter.name), SourcePlace("parameter", parameter.name))


@rule("empty-choice", "note", 'use a word for it, such as "none", or make the parameter optional')
def _empty_choices(subject: LintSubject) -> Iterator[Remark]:
    """Yield a remark for each enum or constant with an empty text, which Gemini refuses."""
    for inner in walk_schema(subject.schema):
        schema = inner.schema if isinstance(inner.schema, dict) else {}
        if schema.get("const") == "" or "" in schema.get("enum", ()):
            message = (
                f"an empty text is a choice at {inner.where}; Gemini refuses it, so it is only in the description there"
            )
            yield Remark(message, inner.where)


@rule("deep-nesting", "warning", "make some of the inner values parameters of their own")
def _deep_nesting(subject: LintSubject) -> Iterator[Remark]:
    """Yield a remark, with the first place, if values are nested more than six levels deep."""
    path = path_deeper_than(subject.schema, MOST_LEVELS)
    if path is not None:
        where = json_path(path)
        yield Remark(f"values are nested more than {MOST_LEVELS} levels deep, as at {where}", where)


# --- Providers ---


@rule(
    "refused-by-format",
    "error",
    "change what the format cannot express, or leave the format out with --format",
)
def _refused_by_format(subject: LintSubject) -> Iterator[Remark]:
    """Yield a remark for each reason that a wanted format cannot describe the tool."""
    yield from _refusals(subject, strict=False)


@rule(
    "refused-in-strict-mode",
    "note",
    "change what strict mode cannot express, or describe the tool without it",
)
def _refused_in_strict_mode(subject: LintSubject) -> Iterator[Remark]:
    """Yield a remark for each reason that the strict mode of a wanted format cannot describe the tool."""
    yield from _refusals(subject, strict=True)


def _refusals(subject: LintSubject, *, strict: bool) -> Iterator[Remark]:
    """Yield a remark for each reason that a format (its strict mode if `strict`) cannot describe the tool."""
    for rendering in subject.renderings:
        error = rendering.error
        if error is None or rendering.strict is not strict:
            continue
        problems = error.problems if isinstance(error, DefinitionError) else ()
        for problem in problems or (str(error),):
            yield Remark(f"it cannot be described in {rendering.label}: {problem}", _path_in(problem))


def _path_in(message: str) -> str:
    """Return the path at the beginning of `message`; `$` if it does not begin with a path."""
    return message.partition(": ")[0] if message.startswith("$") else "$"


@rule(
    "lost-constraint",
    "note",
    "if models get it wrong, say it in the description; calls are always checked against the whole schema",
)
def _lost_constraints(subject: LintSubject) -> Iterator[Remark]:
    """Yield a remark for each constraint that formats leave out, with these formats."""
    formats_by_loss: dict[tuple[str, str], list[str]] = {}
    for rendering in subject.renderings:
        for dropped in () if rendering.error else rendering.definition.dropped:
            if dropped.keyword not in NO_CONSTRAINT and dropped.value != [""]:  # that is an empty choice
                message = f"{dropped.keyword} {show(dropped.value)} at {dropped.path} is left out"
                formats_by_loss.setdefault((dropped.path, message), []).append(rendering.label)
    for (path, message), labels in formats_by_loss.items():
        yield Remark(f"{message} in {', '.join(dict.fromkeys(labels))}", path)


# --- Promises: what the schema does not hold ---


@rule("unsaid", "note", "say it in the description, if a model should know it beforehand")
def _unsaid_conditions(subject: LintSubject) -> Iterator[Remark]:
    """Yield a remark for each condition that a parameter's or the result's type checks, unlike the schema.

    There are none for a schema that the author wrote.
    """
    if subject.is_external:
        return
    for parameter in subject.tool.signature.parameters:
        where = "$.additionalProperties" if parameter.kind is STAR_STAR else property_path(parameter.name)
        for sentence in _sentences(parameter.codec):
            message = f"the parameter {parameter.name!r}: {sentence}"
            yield Remark(message, where, SourcePlace("parameter", parameter.name))
    if subject.tool.signature.returns is not None:
        for sentence in _sentences(subject.tool.signature.returns):
            yield Remark(f"the result: {sentence}", "returns")


def _sentences(codec: Codec) -> Iterable[str]:
    """Return, once each, the sentences on conditions that `codec` checks and the schema does not say."""
    return dict.fromkeys(sentence for each in walk_codecs([codec]) for sentence in each.unsaid)


@rule("not-enforced", "note", "check it in the function, if it matters")
def _not_enforced(subject: LintSubject) -> Iterator[Remark]:
    """Yield a remark for each part of a schema that the author wrote which is not enforced."""
    for sentence in schema_notes(subject.schema) if subject.is_external else ():
        yield Remark(f"of its schema, {sentence}", _path_in(sentence), SourcePlace("option", "parameters"))


@rule("open-schema", "warning", 'add "additionalProperties": False to the schema')
def _open_schema(subject: LintSubject) -> Iterator[Remark]:
    """Yield a remark if the author's schema allows other names, which the function does not accept."""
    takes_any = any(each.kind is STAR_STAR for each in subject.parameters.values())
    closed = any(subject.schema.get(each) is False for each in ("additionalProperties", "unevaluatedProperties"))
    if subject.is_external and not takes_any and not closed:
        message = "its schema allows names beside its properties, which the function does not accept: such a call fails"
        yield Remark(message, "$.additionalProperties", SourcePlace("option", "parameters"))


@rule("contradicting-docstring", "warning", "correct the docstring or the annotation: the annotation counts")
def _contradicting_types(subject: LintSubject) -> Iterator[Remark]:
    """Yield a remark for each parameter, and the result, whose docstring's type and annotation contradict."""
    documentation, names = subject.tool.signature.documentation, subject.parameters
    for name, documented in documentation.parameters.items():
        parameter, declared = names.get(name), subject.declared.get(name)
        if parameter is None or declared is None or declared.annotation is EMPTY or parameter.kind in (STAR, STAR_STAR):
            continue
        if _contradicts(documented.type, parameter.codec):
            message = f"its docstring gives {name!r} the type {documented.type!r}, and the annotation is {_annotation_text(declared.annotation)}"
            yield Remark(message, property_path(name))
    returns = subject.tool.signature.returns
    if returns is not None and _contradicts(documentation.returns_type, returns):
        annotation = _annotation_text(annotations_of(underlying(subject.tool.function))["return"])
        message = (
            f"its docstring says that it returns {documentation.returns_type!r}, and the annotation is {annotation}"
        )
        yield Remark(message, "returns", SourcePlace("docstring", "Returns"))


def _contradicts(documented: str | None, codec: Codec) -> bool:
    """Return whether a docstring's type and a codec have no kind of JSON value, such as string, in common.

    False if there is no such type, or it is not known, or is `object` or `tuple`.
    """
    if documented is None or documented in (
        "object",
        "tuple",
    ):  # in prose, anything; a named tuple is an object in JSON
        return False
    annotation = type_named(documented)
    return annotation is not None and not codec_of(annotation).kinds & codec.kinds


def _annotation_text(annotation: object) -> str:
    """Return an annotation as text for a message; a string as it is."""
    return annotation if isinstance(annotation, str) else show_type(annotation)


@rule("result-without-schema", "note", "return a dataclass, a TypedDict or JSON values, and annotate that")
def _result_without_schema(subject: LintSubject) -> Iterator[Remark]:
    """Yield a remark if the annotated result has no schema, and has no `Content` or `ToolOutput` in it.

    There is none if the author wrote the schema of the parameters.
    """
    function = underlying(subject.tool.function)
    if subject.tool.signature.returns is not None or "return" not in annotations_of(function) or subject.is_external:
        return
    try:
        annotation = get_type_hints(function).get("return")
    except Exception:  # noqa: BLE001  # an author's annotation may raise anything; another rule reports it
        annotation = None
    if not _is_content(annotation):
        message = "the annotation of its result has no JSON form, so nothing is known of results beforehand"
        yield Remark(message, "returns")


def _is_content(annotation: object) -> bool:
    """Return whether an annotation is, or contains at any depth, `Content` or `ToolOutput`."""
    return annotation is Content or annotation is ToolOutput or any(map(_is_content, get_args(annotation)))
