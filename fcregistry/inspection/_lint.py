"""What would a model or a provider stumble over? One file a theme, one row a rule; `_table.py` has them all.

MERGED: What would a model or a provider stumble over?
MERGED: On which line of which file does something stand that lint speaks of?

The source is parsed, never run. What cannot be found is said of the function's first line, and a function without a source has no line.
MERGED: Which tools are looked at, and which stand beside them?
MERGED: Which rules are there?

A new rule is one function and one row in the file of its theme, one test, and one row of docs/reference/lint.md.
"""

from __future__ import annotations

import ast
import inspect
import linecache
import re
import warnings
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from fcregistry import formats
from fcregistry._base.source import underlying
from fcregistry._registry import Registry, registry
from fcregistry._tools.selectors import Selector, by_key, did_you_mean, in_effect, nearest, parse_selectors, subject
from fcregistry._tools.tool import Tool
from fcregistry.errors import ConfigurationError, DefinitionWarning, DuplicateToolError, PluginError, ToolNotFoundError
from fcregistry.inspection._lint_core import (
    LintFinding,
    LintRule,
    LintSubject,
    Neighbours,
    Remark,
    Wanted,
)
from fcregistry.inspection._lint_rules import DESCRIPTIONS, NAMES, PROMISES, PROVIDERS, SIZES, STANDING
from fcregistry.inspection._lint_values import RULES as VALUES

if TYPE_CHECKING:
    from types import CodeType

    from fcregistry.inspection._lint_core import CorePlace

# --- inspection._lint._run ---


def lint(
    tools: Iterable[Tool],
    *,
    beside: Iterable[Tool] = (),
    format_names: Iterable[str] | None = None,
    strict: bool = False,
    ignore: Iterable[str] = (),
) -> tuple[LintFinding, ...]:
    """Return what a model or a provider would stumble over in tools.

    No tool is called. Descriptions, schemas and examples are looked at, and source files are read for line numbers. A tool that cannot be
    defined is a finding. What is only described, and cannot be imported, is looked at as far as its description goes.

    Args:
        tools: The tools.
        beside: Others that their names are compared with; nothing is said of these.
        format_names: The formats that the tools are to fit; by default all whose packages are installed.
        strict: Whether they are to fit the strict modes of these formats too.
        ignore: Ids of rules to leave out.

    Returns:
        The findings, by file, line, tool and rule: the same for the same tools, in the same order.

    Raises:
        ConfigurationError: There is no such rule to ignore.
        FormatNotFoundError: There is no such format.
        MissingDependencyError: A format that is named needs a package that is not installed.
    """
    looked_at = list(dict.fromkeys(tools))
    rules = _rules_without(set(ignore))
    names = formats.names() if format_names is None else tuple(dict.fromkeys(format_names))
    for name in names:
        formats.get(name)  # raises for one that there is not
    wanted = Wanted(names, strict, by_name=format_names is not None)
    neighbours = Neighbours(dict.fromkeys([*looked_at, *beside]))
    sources = Sources()
    findings: dict[LintFinding, None] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DefinitionWarning)  # they are findings here
        for tool in looked_at:
            for rule, remark in _remarks(LintSubject(tool, neighbours, wanted), rules):
                findings[_finding(tool, rule, remark, sources)] = None
    return tuple(sorted(findings, key=_order))


def _rules_without(ignored: set[str]) -> list[LintRule]:
    for name in sorted(ignored - LINT_RULES.keys()):
        near = did_you_mean(nearest(name, LINT_RULES)) or f"; the rules are {', '.join(sorted(LINT_RULES))}"
        raise ConfigurationError(f"there is no lint rule {name!r}{near}")
    return [rule for rule in LINT_RULES.values() if rule.id not in ignored]


def _remarks(subject: LintSubject, rules: Iterable[LintRule]) -> Iterator[tuple[LintRule, Remark]]:
    broken = subject.tool.definition_error is not None
    for rule in rules:
        if rule.of_broken or not broken:
            try:
                yield from ((rule, remark) for remark in rule.check(subject))
            except PluginError:  # the rest asks for the function, which is described and not to be imported
                continue


def _finding(tool: Tool, rule: LintRule, remark: Remark, sources: Sources) -> LintFinding:
    file, line = sources.locate(tool, remark.place)
    return LintFinding(
        rule=rule.id,
        severity=rule.severity,
        tool=tool.id,
        path=remark.path,
        file=file,
        line=line,
        message=remark.message,
        advice=remark.advice or rule.advice,
    )


def _order(finding: LintFinding) -> tuple[str, int, str, str, str, str]:
    return (finding.file or "", finding.line or 0, finding.tool, finding.rule, finding.path, finding.message)


# --- inspection._lint._source ---

Definition: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class Sources:
    """Source files, each read once."""

    def __init__(self) -> None:
        self._definitions: dict[str, dict[tuple[str, int], Definition]] = {}

    def locate(self, tool: Tool, place: CorePlace) -> tuple[str | None, int | None]:
        """Return file and line of a place in a tool's function."""
        try:
            code = _code_of(tool)
        except PluginError:  # of a described tool whose plugin is not imported
            return tool.origin.file, tool.origin.line
        if code is None:
            return None, None
        definition = self._in(code.co_filename).get((code.co_name, code.co_firstlineno))
        line = None if definition is None else _line(definition, place, code.co_filename)
        return code.co_filename, line or code.co_firstlineno

    def _in(self, file: str) -> dict[tuple[str, int], Definition]:
        if file not in self._definitions:
            self._definitions[file] = _definitions(file)
        return self._definitions[file]


def _code_of(tool: Tool) -> CodeType | None:
    """Return the code that the author wrote: behind partials and methods, and behind what `functools.wraps` put in front of it."""
    source: Any = underlying(tool.function)
    with suppress(ValueError):  # it wraps itself
        source = inspect.unwrap(source)
    return getattr(source, "__code__", None)


def _definitions(file: str) -> dict[tuple[str, int], Definition]:
    """Return the functions of a file, by name and the line that code objects call their first: that of the first decorator."""
    linecache.checkcache(file)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the author was warned of the code itself when it was compiled
            tree = ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # no Python, or more than the parser takes
        return {}
    found: dict[tuple[str, int], Definition] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found[node.name, min([node.lineno, *(each.lineno for each in node.decorator_list)])] = node
        elif isinstance(node, ast.Lambda):
            found.setdefault(("<lambda>", node.lineno), node)
    return found


def _line(definition: Definition, place: CorePlace, file: str) -> int | None:
    if place.kind == "parameter":
        return _parameter_line(definition, place.name) or definition.lineno
    if isinstance(definition, ast.Lambda):
        return None
    if place.kind == "docstring":
        return _docstring_line(definition, place.name, file) or definition.lineno
    if place.kind == "option":
        return _option_line(definition, place.name) or definition.lineno
    return definition.lineno


def _parameter_line(definition: Definition, name: str) -> int | None:
    arguments = definition.args
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    return next((each.lineno for each in named if each is not None and each.arg == name), None)


def _option_line(definition: ast.FunctionDef | ast.AsyncFunctionDef, name: str) -> int | None:
    given = [word for call in definition.decorator_list if isinstance(call, ast.Call) for word in call.keywords]
    return next((each.lineno for each in given if each.arg == name), None)


def _docstring_line(definition: ast.FunctionDef | ast.AsyncFunctionDef, text: str, file: str) -> int | None:
    """Return the line of a docstring that holds a text; where a name has an entry of its own, that line."""
    first = definition.body[0]
    if not (
        isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
    ):
        return None
    lines = linecache.getlines(file)[first.lineno - 1 : first.end_lineno]
    entry = re.compile(rf"(?<![\w.]){re.escape(text)}\s*(\(.*\)\s*)?[:,]")
    found = [place for place, line in enumerate(lines) if entry.search(line)]
    found += [place for place, line in enumerate(lines) if text in line]
    return first.lineno + found[0] if found else first.lineno


# --- inspection._lint._choice ---


def tools_to_lint(*selectors: str, source: Registry = registry) -> tuple[Tool, ...]:
    """Return the tools that selectors name, also those that cannot be defined or are hidden; without any, all there are.

    Args:
        *selectors: As for `registry.find`; what they may name is imported.
        source: The registry to look in.

    Raises:
        SelectorError: One is no selector.
        ToolNotFoundError: One, an excluding one apart, matches nothing.
        AmbiguousToolError: A plain name that several tools have.
    """
    parsed = parse_selectors(selectors)
    source._catalogue.load_for(parsed)
    chosen: dict[Tool, None] = {}
    if not parsed or parsed[0].excludes:
        chosen = dict.fromkeys(_everything(source))
    for selector in parsed:
        if selector.excludes:
            chosen = {tool: None for tool in chosen if not selector.matches(subject(tool))}
        else:
            chosen.update(dict.fromkeys(_matching(selector, source)))
    return tuple(chosen)


def _everything(source: Registry) -> list[Tool]:
    """Return every tool that stands: rivals of one name all, but not what another took the place of."""
    catalogue = source._catalogue
    rivalries = by_key(catalogue.visible()).values()
    return [catalogue.tool(each) for rivals in rivalries for each in in_effect(rivals)]


def _matching(selector: Selector, source: Registry) -> list[Tool]:
    if selector.is_exact:
        try:
            return [source.get(selector.text)]
        except DuplicateToolError:  # several of one name: what is to be shown
            pass
    found = [tool for tool in _everything(source) if selector.matches(subject(tool))]
    if not found:
        near = did_you_mean(nearest(selector.text, sorted({tool.declared_name for tool in _everything(source)})))
        raise ToolNotFoundError(f"the selector {selector.text!r} matches no tool{near}", name=selector.text)
    return found


def tools_beside(tools: Iterable[Tool], source: Registry = registry) -> tuple[Tool, ...]:
    """Return all tools of the owners of these: what their names are compared with, whatever else happens to be loaded.

    Args:
        tools: The tools that are looked at.
        source: The registry they are from.
    """
    looked_at = list(tools)
    owners = {tool.origin.distribution for tool in looked_at}
    others = [tool for tool in _everything(source) if tool.origin.distribution in owners]
    return tuple(dict.fromkeys([*looked_at, *others]))


# --- inspection._lint._table ---

LINT_RULES: Final[dict[str, LintRule]] = {
    rule.id: rule for rule in (*STANDING, *NAMES, *DESCRIPTIONS, *VALUES, *SIZES, *PROVIDERS, *PROMISES)
}
"""Every rule by its id."""
