"""Lint: what a model or a provider would stumble over in tools, and on which line of which file.

`_lint_rules.py` has the rules, `_lint_source.py` finds the lines.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from contextlib import suppress

from fcregistry import formats
from fcregistry._registry import Registry, catalogue_of, registry
from fcregistry._tools.selectors import Selector, by_key, did_you_mean, effective, nearest, parse_selectors
from fcregistry._tools.tool import Tool, subject
from fcregistry.errors import ConfigurationError, DefinitionWarning, DuplicateToolError, PluginError
from fcregistry.inspection._lint_rules import LINT_RULES
from fcregistry.inspection._lint_source import Sources
from fcregistry.inspection._lint_subject import LintFinding, LintRule, LintSubject, Neighbours, Wanted


def lint(
    tools: Iterable[Tool],
    *,
    beside: Iterable[Tool] = (),
    format_names: Iterable[str] | None = None,
    strict: bool = False,
    ignore: Iterable[str] = (),
) -> tuple[LintFinding, ...]:
    """Return what a model or a provider would stumble over in tools.

    No tool is called. Rules look at descriptions, schemas and examples, and source files are read for line numbers. A tool that cannot be
    defined is a finding. A described tool that cannot be imported is checked as far as its description goes.

    Args:
        tools: The tools to check.
        beside: Other tools, which their names are compared with; these are not checked themselves.
        format_names: The formats that the tools have to fit; by default all whose packages are installed.
        strict: Whether the tools have to fit the strict modes of these formats too.
        ignore: Ids of rules to leave out.

    Returns:
        The findings, sorted by file, line, tool and rule.

    Raises:
        ConfigurationError: A rule to ignore does not exist.
        FormatNotFoundError: A format does not exist.
        MissingDependencyError: One of `format_names` needs a package that is not installed.
    """
    checked = list(dict.fromkeys(tools))
    rules = _rules_without(set(ignore))
    names = formats.names() if format_names is None else tuple(dict.fromkeys(format_names))
    for name in names:
        formats.get(name)  # raises for an unknown one
    wanted = Wanted(names, strict, by_name=format_names is not None)
    neighbours = Neighbours(dict.fromkeys([*checked, *beside]))
    sources = Sources()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DefinitionWarning)  # they are findings here
        subjects = (LintSubject(tool, neighbours, wanted, sources) for tool in checked)
        findings = {finding for subject in subjects for finding in _findings(subject, rules)}
    return tuple(sorted(findings, key=_order))


def _rules_without(ignored: set[str]) -> list[LintRule]:
    """Return the rules not in `ignored`, in the order of `LINT_RULES`.

    Raises:
        ConfigurationError: An id in `ignored` does not exist.
    """
    for name in sorted(ignored - LINT_RULES.keys()):
        near = did_you_mean(nearest(name, LINT_RULES)) or f"; the rules are {', '.join(sorted(LINT_RULES))}"
        raise ConfigurationError(f"there is no lint rule {name!r}{near}")
    return [rule for rule in LINT_RULES.values() if rule.id not in ignored]


def _findings(subject: LintSubject, rules: Iterable[LintRule]) -> Iterator[LintFinding]:
    """Yield the findings of `rules` about one tool, each with its place in the source.

    For a tool that cannot be defined, only the rules `of_broken` run. A rule ends where it needs a plugin that may not be imported.
    """
    broken = subject.tool.definition_error is not None
    for rule in rules:
        if broken and not rule.of_broken:
            continue
        with suppress(PluginError):  # the rest of the rule needs the function, and its plugin may not be imported
            for remark in rule.check(subject):
                file, line = subject.sources.locate(subject.tool, remark.place or subject.place_at(remark.path))
                yield LintFinding(
                    rule=rule.id,
                    severity=rule.severity,
                    tool=subject.tool.id,
                    path=remark.path,
                    file=file,
                    line=line,
                    message=remark.message,
                    advice=remark.advice or rule.advice,
                )


def _order(finding: LintFinding) -> tuple[str, int, str, str, str, str]:
    """Return the sort key of a finding: file, line, tool, rule, path and message.

    Without a file, the text is empty; without a line, the number is 0.
    """
    return (finding.file or "", finding.line or 0, finding.tool, finding.rule, finding.path, finding.message)


# --- Which tools are checked ---


def tools_to_lint(*selectors: str, source: Registry = registry) -> tuple[Tool, ...]:
    """Return the tools that selectors match, undefinable and hidden ones included; by default all.

    Args:
        *selectors: Names and patterns of tools; one that begins with `!` excludes what it matches. Plugins that may ship such tools are
            imported.
        source: The registry to look in.

    Raises:
        SelectorError: This is not a valid selector.
        ToolNotFoundError: A selector that does not exclude matches no tool.
        AmbiguousToolError: Several tools have a plain name.
    """
    parsed = parse_selectors(selectors)
    catalogue_of(source).load_for(parsed)
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
    """Return every tool in `source`, hidden and undefinable ones too, except those that were replaced.

    Several tools with one key are all in the result.
    """
    catalogue = catalogue_of(source)
    all_candidates = by_key(catalogue.visible()).values()
    return [catalogue.tool(each) for candidates in all_candidates for each in effective(candidates)]


def _matching(selector: Selector, source: Registry) -> list[Tool]:
    """Return the tools in `source` that a selector matches.

    For a plain name, an alias or a canonical id, that is the one tool of `Registry.get`, or all of that key if several declarations claim it.

    Raises:
        ToolNotFoundError: There are none.
        AmbiguousToolError: Several distributions ship tools of this plain name.
    """
    if selector.is_exact:
        try:
            return [source.get(selector.text)]
        except DuplicateToolError:  # several of one name: lint reports them
            pass
    found = [tool for tool in _everything(source) if selector.matches(subject(tool))]
    if not found:
        raise catalogue_of(source).nothing_matches(selector.text)
    return found


def tools_beside(tools: Iterable[Tool], source: Registry = registry) -> tuple[Tool, ...]:
    """Return all tools of the distributions that ship the given ones: their names are compared with these.

    Args:
        tools: The tools to check.
        source: The registry that they are from.
    """
    checked = list(tools)
    owners = {tool.origin.distribution for tool in checked}
    others = [tool for tool in _everything(source) if tool.origin.distribution in owners]
    return tuple(dict.fromkeys([*checked, *others]))
