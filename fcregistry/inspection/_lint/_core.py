"""What is a rule of lint, what does it look at, and what does it say?"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal, NamedTuple, get_type_hints

from fcregistry import formats
from fcregistry._base.annotations import annotations_of, signature_of
from fcregistry._base.messages import json_path
from fcregistry._base.source import underlying
from fcregistry._schema.document import References
from fcregistry._tools.parameters import Parameter
from fcregistry._tools.tool import Tool
from fcregistry.errors import FcregistryError, MissingDependencyError
from fcregistry.inspection._lint._neighbours import Neighbours
from fcregistry.inspection._lint._schemas import Path, description

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


class Place(NamedTuple):
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
    place: Place = Place()
    advice: str = ""


class Rendering(NamedTuple):
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


class Subject:
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
    def renderings(self) -> tuple[Rendering, ...]:
        """The tool in every format that is wanted, the strict modes after the plain ones."""
        names = self.wanted.format_names
        modes = [(name, False) for name in names]
        modes += [(name, True) for name in names if self.wanted.strict and formats.get(name).strict_profile]
        made = (self._rendered(name, strict) for name, strict in modes)
        return tuple(each for each in made if each is not None)

    def _rendered(self, name: str, strict: bool) -> Rendering | None:
        try:
            return Rendering(name, strict, self.tool.definition(name, strict=strict), None)
        except MissingDependencyError:
            if self.wanted.by_name:
                raise
            return None
        except FcregistryError as error:
            return Rendering(name, strict, None, error)

    def is_described(self, schema: Any) -> bool:
        """Tell whether a schema inside that of the arguments says in words what it is, or refers to one that does."""
        if description(schema):
            return True
        target = self._references.place(schema.get("$ref")) if isinstance(schema, dict) else None
        return target is not None and bool(description(self._references.at(target)))

    @cached_property
    def _references(self) -> References:
        return References(self.schema)

    def place_at(self, path: str) -> Place:
        """Return the place of the parameter that a path of the schema, as text, leads into; of the function, if into none."""
        ends = [at for at, character in enumerate(path) if character in ".["]
        for end in (*ends, len(path)):
            if path[:end] in self._starts:
                return Place("parameter", self._starts[path[:end]])
        return Place()

    @cached_property
    def _starts(self) -> dict[str, str]:
        return {property_path(name): name for name in self.properties}


def place_of(path: Path) -> Place:
    """Return the place of the parameter that a path of the schema leads into; of the function, if into none."""
    return Place("parameter", str(path[1])) if path[:1] == ("properties",) else Place()


def property_path(name: str) -> str:
    """Return the path of a parameter's schema."""
    return json_path(("properties", name))


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
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
    check: Callable[[Subject], Iterable[Remark]]
    of_broken: bool = False
