"""Why is the tool of that name not there, or not usable? And what is wrong with the distribution of that name?"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution

from fcregistry._registry import registry
from fcregistry._tools.selectors import normalized, parse_selector
from fcregistry._tools.tool import Tool
from fcregistry.discovery import current
from fcregistry.discovery._found import GROUP, distribution_name, distribution_version
from fcregistry.errors import AmbiguousToolError, DuplicateToolError, ToolNotFoundError
from fcregistry.inspection._doctor._accounts import accounts, learn
from fcregistry.inspection._doctor._diagnosis import findings
from fcregistry.inspection._doctor._finding import Finding, problem
from fcregistry.inspection._doctor._plugins import disabled_findings, plugin_findings
from fcregistry.inspection._doctor._settings import aside_findings, near_miss_findings, unreadable_findings


def diagnose_name(name: str, *, again: bool = True) -> tuple[Finding, ...]:
    """Return why a tool of that name is not there, or not usable; of a distribution, what is wrong with it. Nothing if all is well.

    Args:
        name: The name, as for `registry.get`, or that of a distribution.
        again: Whether plugins that are known not to load are tried again, if the tool is not there.

    Raises:
        SelectorError: It cannot be the name of a tool.
    """
    wanted = parse_selector(name).distribution
    try:
        tool = _looked_up(name, again)
    except AmbiguousToolError as error:
        return (problem(name, str(error), "the plain name raises"),)
    except DuplicateToolError as error:
        return (problem(name, str(error), "until then, looking the name up raises"),)
    except ToolNotFoundError as error:
        if normalized(name) in {normalized(each) for each in current().distributions()}:
            return tuple(each for each in findings() if _is_about(each, normalized(name)))
        if not_used := tuple(aside_findings(normalized(name))):
            return not_used
        return (problem(name, str(error).partition(" (`fcregistry doctor")[0], _where_looked()), *_why_missing(wanted))
    return tuple(finding for finding in findings() if finding.subject == tool.id)


def _is_about(finding: Finding, distribution: str) -> bool:
    """Tell whether a finding is about a distribution, a plugin (`name[entry point]`) or a tool (`name:tool`) of it."""
    return normalized(finding.subject.partition("[")[0].partition(":")[0]) == distribution


def _looked_up(name: str, again: bool) -> Tool:
    learn(again=False)
    try:
        return registry.get(name)
    except ToolNotFoundError:
        if not again:
            raise
    learn()
    return registry.get(name)


def _where_looked() -> str:
    version = ".".join(map(str, sys.version_info[:3]))
    return (
        f"looked at what is installed for {sys.executable} (Python {version}); is the plugin installed for another one?"
    )


def _why_missing(wanted: str | None) -> Iterator[Finding]:
    if wanted is not None:
        yield from _why_distribution_is_missing(wanted)
    told = (*plugin_findings(accounts().values()), *disabled_findings(), *near_miss_findings(), *unreadable_findings())
    for finding in told:
        if wanted is None or normalized(finding.subject.partition("[")[0]) == wanted:
            yield finding


def _why_distribution_is_missing(wanted: str) -> Iterator[Finding]:
    if wanted in {normalized(each) for each in current().distributions()}:
        return
    if not_used := tuple(aside_findings(wanted)):
        yield from not_used
        return
    try:
        found = distribution(wanted)
    except PackageNotFoundError:
        yield problem(wanted, "is not installed here", f"{sys.executable} -m pip install {wanted}")
    else:
        yield problem(
            distribution_name(found) or wanted,
            f"is installed ({distribution_version(found)}), and has no entry point in the group {GROUP!r}",
            f"its authors name its module in [project.entry-points.{GROUP}]",
        )
