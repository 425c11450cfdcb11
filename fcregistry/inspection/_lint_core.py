"""What is a rule of lint, what does it look at, and what does it say?

MERGED: What lies inside a JSON Schema, and what does one say?

Schemas may be anybody's, so nothing here recurses: a deep one is walked like a wide one.
MERGED: Which other tools have the same name, or one that looks like it?
MERGED: What do installed plugins declare, whatever the configuration hides of it?

A lock, a comparison of versions and a manifest are about packages: what is said of them is the same for everybody.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal, NamedTuple, TypeAlias, TypeVar, get_type_hints

from fcregistry import formats
from fcregistry._base.annotations import annotations_of, signature_of
from fcregistry._base.messages import json_path
from fcregistry._base.source import underlying
from fcregistry._registry import registry
from fcregistry._schema.document import Place, References, subschemas
from fcregistry._tools.declaration import log
from fcregistry._tools.parameters import Parameter
from fcregistry._tools.selectors import Owned, by_key, in_effect, normalized
from fcregistry._tools.tool import Tool
from fcregistry.discovery import FoundPlugin, current
from fcregistry.errors import FcregistryError, MissingDependencyError

# --- inspection._lint._core ---

Severity = Literal["error", "warning", "note"]
SEVERITIES: Final[tuple[Severity, ...]] = ("error", "warning", "note")
"""Worst first: a provider rejects the tool or a model cannot call it; a model would stumble; worth knowing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LintFinding:
    """One thing that a model or a provider would stumble over.

    Attributes:
        rule: The id of the rule, such as `missing-description`.
        severity: `error`, `warning` or `note`.
        tool: The canonical id of the tool.
        path: Where in the schema of its arguments, such as `$.properties.unit`; `$` for the tool as a whole, `returns` for its result.
        file: The source file of its function; None where there is none.
        line: The line there, of the parameter, option or docstring line where that can be told; None without a file.
        message: What is the matter.
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


class CorePlace(NamedTuple):
    """What a remark is about, in the source: the function, a parameter, a line of the docstring, an option of the decorator."""

    kind: Literal["function", "parameter", "docstring", "option"] = "function"
    name: str = ""


class Remark(NamedTuple):
    """What a rule says of a tool, before it is known where that stands.

    Attributes:
        message: What is the matter.
        path: Where in the schema of the arguments.
        place: Where in the source.
        advice: What to do, where the rule's own advice does not fit.
    """

    message: str
    path: str = "$"
    place: CorePlace = CorePlace()
    advice: str = ""


class ProviderRendering(NamedTuple):
    """A tool in a format, or why it cannot be."""

    format: str
    strict: bool
    definition: Any
    error: FcregistryError | None

    @property
    def label(self) -> str:
        """The format's name, with the mode."""
        return f"{self.format} (strict)" if self.strict else self.format


class Wanted(NamedTuple):
    """What tools are to fit.

    Attributes:
        format_names: The formats.
        strict: Whether their strict modes too.
        by_name: Whether somebody named them: then one whose package is not installed is not passed over.
    """

    format_names: tuple[str, ...]
    strict: bool
    by_name: bool


class LintSubject:
    """One tool as the rules look at it; what several of them need is made once.

    Args:
        tool: The tool.
        beside: What its names are compared with.
        wanted: What it is to fit.
    """

    def __init__(self, tool: Tool, beside: Neighbours, wanted: Wanted) -> None:
        self.tool = tool
        self.beside = beside
        self.wanted = wanted

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
        """The parameters as Python sees them, by name: of the function behind a partial, which has given some already."""
        try:
            return signature_of(underlying(self.tool.function)).parameters
        except (TypeError, ValueError):  # Python does not know them
            return {}

    @cached_property
    def annotates_result(self) -> bool:
        """Whether the function says what it returns."""
        return "return" in annotations_of(underlying(self.tool.function))

    @cached_property
    def result_annotation(self) -> Any:
        """What the function says it returns, resolved; None where it says nothing, or what cannot be resolved."""
        try:
            return get_type_hints(underlying(self.tool.function)).get("return")
        except Exception:  # noqa: BLE001  # an author's annotation may raise anything; another rule tells of it
            return None

    @cached_property
    def is_foreign(self) -> bool:
        """Whether the schema was given by the author, in place of annotations."""
        return self.tool._definition.declaration.options.get("parameters") is not None

    @cached_property
    def renderings(self) -> tuple[ProviderRendering, ...]:
        """The tool in every format that is wanted, the strict modes after the plain ones."""
        names = self.wanted.format_names
        modes = [(name, False) for name in names]
        modes += [(name, True) for name in names if self.wanted.strict and formats.get(name).strict_profile]
        made = (self._rendered(name, strict) for name, strict in modes)
        return tuple(each for each in made if each is not None)

    def _rendered(self, name: str, strict: bool) -> ProviderRendering | None:
        try:
            return ProviderRendering(name, strict, self.tool.definition(name, strict=strict), None)
        except MissingDependencyError:
            if self.wanted.by_name:
                raise
            return None
        except FcregistryError as error:
            return ProviderRendering(name, strict, None, error)

    def is_described(self, schema: Any) -> bool:
        """Tell whether a schema inside that of the arguments says in words what it is, or refers to one that does."""
        if description(schema):
            return True
        target = self._references.place(schema.get("$ref")) if isinstance(schema, dict) else None
        return target is not None and bool(description(self._references.at(target)))

    @cached_property
    def _references(self) -> References:
        return References(self.schema)

    def place_at(self, path: str) -> CorePlace:
        """Return the place of the parameter that a path of the schema, as text, leads into; of the function, if into none."""
        ends = [at for at, character in enumerate(path) if character in ".["]
        for end in (*ends, len(path)):
            if path[:end] in self._starts:
                return CorePlace("parameter", self._starts[path[:end]])
        return CorePlace()

    @cached_property
    def _starts(self) -> dict[str, str]:
        return {property_path(name): name for name in self.properties}


def place_of(path: Path) -> CorePlace:
    """Return the place of the parameter that a path of the schema leads into; of the function, if into none."""
    return CorePlace("parameter", str(path[1])) if path[:1] == ("properties",) else CorePlace()


def property_path(name: str) -> str:
    """Return the path of a parameter's schema."""
    return json_path(("properties", name))


@dataclass(frozen=True, slots=True, kw_only=True)
class LintRule:
    """One kind of thing to look for.

    Attributes:
        id: What it is called in output, in `--ignore`, and in docs/reference/lint.md.
        severity: How bad what it finds is.
        advice: What to do about it, in general.
        check: Yields what it finds in one tool.
        of_broken: Whether it looks at tools that cannot be defined too, which have no schema.
    """

    id: str
    severity: Severity
    advice: str
    check: Callable[[LintSubject], Iterable[Remark]]
    of_broken: bool = False


# --- inspection._lint._schemas ---

Path: TypeAlias = Place
"""Where in a schema; a place is one in the source here."""

_DEEPER: Final = frozenset(
    {"properties", "patternProperties", "items", "prefixItems", "additionalItems", "additionalProperties"}
)
"""Keywords below which other values are described: those inside the one at hand."""

_SAYS_NOTHING: Final = frozenset(
    {"title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "$comment", "$id", "$schema"}
)
"""Keywords that no value breaks."""


class Inside(NamedTuple):
    """A schema that lies inside another: its path from there, and the keyword that holds it, `""` for the outermost."""

    path: Path
    keyword: str
    schema: Any


def walk_schema(schema: Any) -> Iterator[Inside]:
    """Yield a schema and all that lie inside it, definitions included; a parent before its children, in their order."""
    stack = [Inside((), "", schema)]
    while stack:
        each = stack.pop()
        yield each
        below = [Inside((*each.path, *step), str(step[0]), inner) for step, inner in _children(each.schema)]
        stack.extend(reversed(below))


def _children(schema: Any) -> Iterator[tuple[Path, Any]]:
    if not isinstance(schema, dict):
        return
    yield from subschemas(schema)
    for keyword in ("$defs", "definitions"):
        held = schema.get(keyword)
        if isinstance(held, dict):
            yield from (((keyword, name), inner) for name, inner in held.items())


def takes_anything(schema: Any) -> bool:
    """Tell whether a schema accepts every value, as far as one sees at a glance."""
    return schema is True or (isinstance(schema, dict) and schema.keys() <= _SAYS_NOTHING)


def description(schema: Any) -> str:
    """Return what a schema says in words; nothing if it has none."""
    text = schema.get("description") if isinstance(schema, dict) else None
    return text.strip() if isinstance(text, str) else ""


def path_deeper_than(schema: dict[str, Any], limit: int) -> Path | None:
    """Return the path of a value that lies more than so many levels deep, or None: what recurs is counted once.

    The schema itself is level 0, its properties and items are level 1; `anyOf` and `$ref` add none.
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


def compact(value: Any) -> str:
    """Return JSON text without spaces."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


# --- inspection._lint._neighbours ---

Key = TypeVar("Key")


class Neighbours:
    """The tools that may stand beside the ones at hand, these included.

    Args:
        tools: All of them.
    """

    def __init__(self, tools: Iterable[Tool]) -> None:
        self._by_id: dict[str, list[Tool]] = {}
        self._by_look: dict[tuple[str, str], list[Tool]] = {}
        self._by_name: dict[str, list[Tool]] = {}
        self._by_alias: dict[str, list[Tool]] = {}
        for tool in tools:
            self._by_id.setdefault(tool.id, []).append(tool)
            self._by_look.setdefault((tool.group, blurred(tool.declared_name)), []).append(tool)
            self._by_name.setdefault(tool.declared_name, []).append(tool)
            for alias in tool.options.aliases:
                self._by_alias.setdefault(alias, []).append(tool)

    def twins(self, tool: Tool) -> list[Tool]:
        """Return the others of the same id."""
        return [each for each in self._by_id.get(tool.id, ()) if each is not tool]

    def lookalikes(self, tool: Tool) -> list[Tool]:
        """Return those of the group whose name is another, and differs only in case, `-` and `_`."""
        name = tool.declared_name
        alike = self._by_look.get((tool.group, blurred(name)), ())
        return [each for each in alike if each.declared_name != name]

    def named(self, name: str) -> list[Tool]:
        """Return those of a name, in any group."""
        return self._by_name.get(name, [])

    def aliased(self, alias: str) -> list[Tool]:
        """Return those of an alias, in any group."""
        return self._by_alias.get(alias, [])


def blurred(name: str) -> str:
    """Return what is left of a name for somebody who does not look closely."""
    return name.casefold().replace("-", "").replace("_", "")


# --- inspection._shipped ---


def shipped_tools() -> tuple[tuple[FoundPlugin, Tool], ...]:
    """Return what the plugins that load declare, as far as it is known, sorted by id: tools that cannot be defined, and rivals of one name too.

    Imports nothing.
    """
    made = [(plugin, registry._catalogue.tool(owned)) for plugin, owned in _declared()]
    return tuple(sorted(made, key=lambda each: each[1].id))


def shipped_by(distribution: str) -> tuple[Tool, ...]:
    """Return what the plugins of one distribution declare, likewise, without what another declaration took the place of."""
    wanted = normalized(distribution)
    rivalries = by_key(owned for plugin, owned in _declared() if plugin.project == wanted).values()
    tools = (registry._catalogue.tool(each) for rivals in rivalries for each in in_effect(rivals))
    return tuple(sorted(tools, key=lambda tool: tool.id))


def _declared() -> list[tuple[FoundPlugin, Owned]]:
    """Return the declarations that were made, and of those that are described the rest."""
    discovery = current()
    failing = set(discovery.failing())
    owned = ((discovery.owner(each), each) for each in log)
    made = [(plugin, Owned(each, plugin)) for plugin, each in owned if plugin is not None and plugin not in failing]
    known = () if discovery.index is None else discovery.index.described()
    without = failing | {each.plugin for each in discovery.report().loaded}
    described = [(plugin, Owned(each, plugin)) for each, plugin in known if plugin not in without]
    keys = {(plugin, each.key) for plugin, each in made}
    return made + [each for each in described if (each[0], each[1].key) not in keys]
