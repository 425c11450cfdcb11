"""The input of lint rules (a tool and its schema), and their output (remarks and findings).

Schemas may come from untrusted sources, so the functions here use loops, not recursion: a deeply nested schema cannot exceed Python's
recursion limit.
"""

from __future__ import annotations

import inspect
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from fcregistry import formats
from fcregistry._base.source import signature_of, underlying
from fcregistry._base.wording import json_path, show
from fcregistry._schema.document import DEFINITIONS, Place, References, schemas_of_keyword, subschemas
from fcregistry._tools.parameters import EMPTY, STAR, STAR_STAR, Parameter
from fcregistry._tools.tool import Tool, definition_of
from fcregistry.errors import FcregistryError, MissingDependencyError
from fcregistry.inspection._lint_source import SourcePlace, Sources
from fcregistry.types import MISSING, Codec, RecordCodec, add_default, walk_codecs

Severity = Literal["error", "warning", "note"]
SEVERITIES: Final[tuple[Severity, ...]] = ("error", "warning", "note")
"""The severities, worst first.

error: a provider rejects the tool, or a model cannot call it. warning: a model is likely to make mistakes with it. note: useful to know.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class LintFinding:
    """One problem that lint reports.

    Attributes:
        rule: The id of the rule, such as `missing-description`.
        severity: `error`, `warning` or `note`.
        tool: The canonical id of the tool.
        path: The path in the schema of the tool's arguments, such as `$.properties.unit`; `$` for the tool as a whole, `returns` for its result.
        file: The source file of the tool's function; None if it has none.
        line: The line in that file of the parameter, option or docstring line with the problem; otherwise the line of the function. None
            without a file.
        message: What is wrong.
        advice: What to do about it.
    """

    rule: str
    severity: Severity
    tool: str
    path: str
    file: str | None
    line: int | None
    message: str
    advice: str


class Remark(NamedTuple):
    """A problem that a rule has found, before lint looks up its file and line.

    Attributes:
        message: What is wrong.
        path: The path in the schema of the arguments.
        place: The part of the source that has the problem. If it is None, lint derives it from `path`, with `LintSubject.place_at`.
        advice: What to do about it; if empty, the advice of the rule applies.
    """

    message: str
    path: str = "$"
    place: SourcePlace | None = None
    advice: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LintRule:
    """One lint rule.

    Attributes:
        id: The rule's name in output, in `--ignore`, and in the documentation.
        severity: The severity of the findings.
        advice: What an author should do about a finding, unless the remark has its own advice.
        check: Yields a remark for each place where a tool breaks the rule.
        of_broken: Whether the rule also checks tools that cannot be defined, and therefore have no schema.
    """

    id: str
    severity: Severity
    advice: str
    check: Callable[[LintSubject], Iterable[Remark]]
    of_broken: bool = False


class Rendering(NamedTuple):
    """The definition of a tool in a format, or the error that the format raised."""

    format: str
    strict: bool
    definition: Any
    error: FcregistryError | None

    @property
    def label(self) -> str:
        """The format's name, followed by `(strict)` for its strict mode."""
        return f"{self.format} (strict)" if self.strict else self.format


class Wanted(NamedTuple):
    """The formats in which lint tries to define each tool.

    Attributes:
        format_names: The names of the formats.
        strict: Whether lint also tries their strict modes.
        by_name: Whether the caller named the formats. If so, a format whose package is not installed is an error; if not, lint leaves it out.
    """

    format_names: tuple[str, ...]
    strict: bool
    by_name: bool


class LintSubject:
    """The tool that the rules check. What several rules need, it computes once.

    Args:
        tool: The tool.
        beside: The tools with which the rules compare the tool's names.
        wanted: The formats in which the rules try to define the tool.
        sources: The sources of functions.
    """

    def __init__(self, tool: Tool, beside: Neighbours, wanted: Wanted, sources: Sources) -> None:
        self.tool = tool
        self.beside = beside
        self.wanted = wanted
        self.sources = sources

    @cached_property
    def schema(self) -> dict[str, Any]:
        """The schema of the arguments."""
        return self.tool.parameters

    @cached_property
    def properties(self) -> dict[str, Any]:
        """The properties of the arguments by name."""
        found = self.schema.get("properties")
        return found if isinstance(found, dict) else {}

    @cached_property
    def parameters(self) -> dict[str, Parameter]:
        """The function's parameters by name."""
        return {each.name: each for each in self.tool.signature.parameters}

    @cached_property
    def declared(self) -> Mapping[str, inspect.Parameter]:
        """The parameters in Python's own signature, by name.

        For a `functools.partial`, it includes those that are set.
        """
        try:
            return signature_of(underlying(self.tool.function)).parameters
        except (TypeError, ValueError):  # Python has no signature for it
            return {}

    @cached_property
    def is_external(self) -> bool:
        """Whether the author passed a schema as `parameters=`, so that it does not come from annotations."""
        return definition_of(self.tool).declaration.options.get("parameters") is not None

    @cached_property
    def renderings(self) -> tuple[Rendering, ...]:
        """The tool in each of the wanted formats, and then in their strict modes if these are wanted."""
        names = self.wanted.format_names
        modes = [(name, False) for name in names]
        modes += [(name, True) for name in names if self.wanted.strict and formats.get(name).strict_profile]
        made = (self._rendered(name, strict) for name, strict in modes)
        return tuple(each for each in made if each is not None)

    def _rendered(self, name: str, strict: bool) -> Rendering | None:
        """Return the tool in the format `name`, or the error that the format raised, as a `Rendering`.

        None if the format's package is missing, and the caller did not name the formats.

        Raises:
            MissingDependencyError: The package is missing, and the caller named the formats.
        """
        try:
            return Rendering(name, strict, self.tool.definition(name, strict=strict), None)
        except MissingDependencyError:
            if self.wanted.by_name:
                raise
            return None
        except FcregistryError as error:
            return Rendering(name, strict, None, error)

    def is_described(self, schema: Any) -> bool:
        """Return whether a schema has a description, or refers with `$ref` to a schema that has one."""
        if description(schema):
            return True
        target = self._references.place(schema.get("$ref")) if isinstance(schema, dict) else None
        return target is not None and bool(description(self._references.at(target)))

    @cached_property
    def _references(self) -> References:
        """The references of the schema of the arguments."""
        return References(self.schema)

    def place_at(self, path: str) -> SourcePlace:
        """Return the parameter whose schema contains a path, or the function if no parameter does.

        For example, `$.properties.unit.enum` is in the schema of the parameter `unit`.

        Args:
            path: A path in the schema of the arguments.
        """
        if not path.startswith("$.properties"):
            return SourcePlace()
        ends = [*(at for at, character in enumerate(path) if character in ".["), len(path)]
        found = (self._starts[path[:end]] for end in ends if path[:end] in self._starts)
        return next((SourcePlace("parameter", name) for name in found), SourcePlace())

    @cached_property
    def _starts(self) -> dict[str, str]:
        """The path of each parameter's schema, as text -> the name of the parameter."""
        return {property_path(name): name for name in self.properties}


# --- Defaults ---


def undeclared_default(subject: LintSubject, name: str) -> Parameter | None:
    """Return the parameter `name` if the function has a default for it and the schema has none.

    None otherwise, also if the function has no such parameter, or it is `*args` or `**kwargs`.
    """
    parameter = subject.parameters.get(name)
    schema = subject.properties[name]
    if parameter is None or parameter.default is EMPTY or parameter.kind in (STAR, STAR_STAR):
        return None
    return None if isinstance(schema, dict) and "default" in schema else parameter


def is_valid_default(parameter: Parameter) -> bool:
    """Return whether the default of `parameter` is a value of its type; True if finding out raises."""
    return _handles(parameter.codec, parameter.default)


def _handles(codec: Codec, value: object) -> bool:
    """Return whether `value` is of the type of `codec`; True if finding out raises."""
    try:
        return codec.handles(value)
    except Exception:  # noqa: BLE001  # external code: comparing may raise anything; then it counts as valid
        return True


def default_text(default: object) -> str:
    """Return a default as text: a number, bool or None as in Python, any other object by `show`."""
    return repr(default) if isinstance(default, bool | int | float | None) else show(default)


def invalid_fields(codec: Codec) -> Iterator[tuple[str, str]]:
    """Yield, as `Class.field`, each field of a record in `codec` whose default is not of its type, and the default as text."""
    for record in (each for each in walk_codecs([codec]) if isinstance(each, RecordCodec)):
        for field in record.fields:
            published: dict[str, Any] = {}
            if field.default is not MISSING and field.constant is MISSING:
                add_default(published, field.codec, field.default)
                if not published and not _handles(field.codec, field.default):
                    yield f"{record.cls.__qualname__}.{field.attribute}", default_text(field.default)


# --- Other tools ---


class Neighbours:
    """The tools that lint checks, and the other tools that an executor may offer together with them.

    Args:
        tools: All these tools.

    Attributes:
        by_id: The tools by canonical id.
        by_name: The tools by name, in any group.
        by_alias: The tools by alias, in any group.
        by_look: The tools by group and name as `simplified` returns it.
    """

    def __init__(self, tools: Iterable[Tool]) -> None:
        self.by_id: defaultdict[str, list[Tool]] = defaultdict(list)
        self.by_name: defaultdict[str, list[Tool]] = defaultdict(list)
        self.by_alias: defaultdict[str, list[Tool]] = defaultdict(list)
        self.by_look: defaultdict[tuple[str, str], list[Tool]] = defaultdict(list)
        for tool in tools:
            self.by_id[tool.id].append(tool)
            self.by_name[tool.declared_name].append(tool)
            self.by_look[tool.group, simplified(tool.declared_name)].append(tool)
            for alias in tool.options.aliases:
                self.by_alias[alias].append(tool)


def simplified(name: str) -> str:
    """Return `name` in lower case, without `-` and `_`: names that look alike give the same text."""
    return name.casefold().replace("-", "").replace("_", "")


# --- Schemas ---

Path: TypeAlias = Place
"""A path in a schema. In lint, the word place means a place in the source."""

_DEEPER: Final = frozenset(
    {"properties", "patternProperties", "items", "prefixItems", "additionalItems", "additionalProperties"}
)
"""Keywords whose schemas describe the values inside a value."""

NO_CONSTRAINT: Final = frozenset(
    {"title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "$comment", "$id", "$schema"}
)
"""Keywords that no value can break."""


class InnerSchema(NamedTuple):
    """A schema inside another.

    Attributes:
        path: Its path in the outer schema.
        keyword: The keyword that contains it; empty for the outer schema itself.
        schema: The schema.
    """

    path: Path
    keyword: str
    schema: Any

    @property
    def where(self) -> str:
        """The path as text."""
        return json_path(self.path)


def walk_schema(schema: Any) -> Iterator[InnerSchema]:
    """Yield a schema and all schemas inside it, including definitions.

    Each schema comes before those inside it.
    """
    stack = [InnerSchema((), "", schema)]
    while stack:
        each = stack.pop()
        yield each
        held = each.schema if isinstance(each.schema, dict) else {}
        for keyword in sorted(held, key=lambda name: name not in DEFINITIONS):  # definitions last: they are popped last
            below = [((*each.path, *step), inner) for step, inner in schemas_of_keyword(keyword, held[keyword])]
            stack += [InnerSchema(path, keyword, inner) for path, inner in reversed(below)]


def accepts_anything(schema: Any) -> bool:
    """Return whether a schema accepts every value, judged by its keywords alone."""
    return schema is True or (isinstance(schema, dict) and schema.keys() <= NO_CONSTRAINT)


def description(schema: Any) -> str:
    """Return the description of a schema; an empty string if it has none."""
    text = schema.get("description") if isinstance(schema, dict) else None
    return text.strip() if isinstance(text, str) else ""


def path_deeper_than(schema: dict[str, Any], limit: int) -> Path | None:
    """Return the path of a value that is nested more than `limit` levels deep, or None if there is none.

    The schema itself is level 0, its properties and items are level 1, and so on; `anyOf` and `$ref` add no level. A type that refers to
    itself counts once.
    """
    references = References(schema)
    stack: list[tuple[Path, Any, int, frozenset[Path]]] = [((), schema, 0, frozenset())]
    deepest: dict[Path, int] = {}
    while stack:
        path, each, level, above = stack.pop()
        if level > limit:
            return path
        if not isinstance(each, dict):
            continue
        target = references.place(each.get("$ref"))
        if target is not None and target not in above and deepest.get(target, -1) < level:
            deepest[target] = level
            stack.append((path, references.at(target), level, above | {target}))
        stack.extend(
            ((*path, *step), inner, level + (step[0] in _DEEPER), above)
            for step, inner in reversed(list(subschemas(each)))
        )
    return None


def property_path(name: str) -> str:
    """Return the path of the schema of the parameter `name`, as text."""
    return json_path(("properties", name))
