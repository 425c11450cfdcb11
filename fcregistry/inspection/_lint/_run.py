"""What would a model or a provider stumble over?"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator

from fcregistry import formats
from fcregistry._tools.names import did_you_mean, nearest
from fcregistry._tools.tool import Tool
from fcregistry.errors import ConfigurationError, DefinitionWarning, PluginError
from fcregistry.inspection._lint._core import LintFinding, Remark, Rule, Subject, Wanted
from fcregistry.inspection._lint._neighbours import Neighbours
from fcregistry.inspection._lint._source import Sources
from fcregistry.inspection._lint._table import RULES


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
            for rule, remark in _remarks(Subject(tool, neighbours, wanted), rules):
                findings[_finding(tool, rule, remark, sources)] = None
    return tuple(sorted(findings, key=_order))


def _rules_without(ignored: set[str]) -> list[Rule]:
    for name in sorted(ignored - RULES.keys()):
        near = did_you_mean(nearest(name, RULES)) or f"; the rules are {', '.join(sorted(RULES))}"
        raise ConfigurationError(f"there is no lint rule {name!r}{near}")
    return [rule for rule in RULES.values() if rule.id not in ignored]


def _remarks(subject: Subject, rules: Iterable[Rule]) -> Iterator[tuple[Rule, Remark]]:
    broken = subject.tool.definition_error is not None
    for rule in rules:
        if rule.of_broken or not broken:
            try:
                yield from ((rule, remark) for remark in rule.check(subject))
            except PluginError:  # the rest asks for the function, which is described and not to be imported
                continue


def _finding(tool: Tool, rule: Rule, remark: Remark, sources: Sources) -> LintFinding:
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
