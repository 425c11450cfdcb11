"""Doctor: everything that is wrong with what is installed, or with one name.

`_doctor_checks.py` has the checks. A command imports no plugin in its own process: what is known of a plugin comes from the index, or from a
worker process made for it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator
from importlib.metadata import PackageNotFoundError, distribution
from typing import Final

from fcregistry._base.install import install_command
from fcregistry._registry import registry
from fcregistry._tools.selectors import normalized, parse_selector
from fcregistry.discovery import (
    GROUP,
    FoundPlugin,
    FreshDescription,
    PluginKey,
    current,
    describe_in_workers,
    distribution_name,
    distribution_version,
)
from fcregistry.errors import AmbiguousToolError, DuplicateToolError, ToolNotFoundError
from fcregistry.inspection import _doctor_checks as checks
from fcregistry.inspection._doctor_checks import Comparison, known_plugins, learn, learn_anew
from fcregistry.inspection._findings import Finding, note, problem
from fcregistry.inspection._settings import setting_findings


def diagnose() -> tuple[Finding, ...]:
    """Examine every plugin and extension; return all problems first, then notes, in a fixed order.

    A program imports plugins in its own process. A command has worker processes import them, and compares what they ship with the index.
    """
    return findings(learn_anew())


def findings(seen: Comparison) -> tuple[Finding, ...]:
    """Return all findings, without importing plugins.

    Args:
        seen: New descriptions of some plugins, which replace older ones, and what the index had about these plugins.
    """
    known = known_plugins(seen.fresh)
    found = [
        *checks.plugin_findings(known, seen.fresh),
        *checks.manifest_findings(known, seen.fresh),
        *checks.disabled_findings(),
        *checks.extension_findings(),
        *checks.command_findings(),
        *checks.tool_findings(),
        *checks.name_findings(),
        *checks.near_miss_findings(),
        *checks.unreadable_findings(),
        *checks.impostor_findings(),
        *checks.aside_findings(),
        *setting_findings(),
        *checks.index_findings(known),
        *checks.drift_findings(seen),
        *checks.stale_findings(known),
    ]
    return in_order(found)


def in_order(found: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return findings with the problems first."""
    return tuple(sorted(found, key=lambda finding: finding.kind != "problem"))


# --- One name ---


def diagnose_name(name: str, *, again: bool = True) -> tuple[Finding, ...]:
    """Return the reasons that a tool is missing or unusable, or the problems of a distribution.

    There are no findings if all is well.

    Args:
        name: The name of a tool, as `registry.get` takes it, or of a distribution.
        again: Whether the plugins of the distribution, or of the one that ships the tool, are imported again; all plugins if that is not
            known.

    Raises:
        SelectorError: This is not a valid name of a tool.
    """
    wanted = parse_selector(name).distribution
    seen = Comparison()
    learn()
    if again:
        seen = learn_anew([name] if _has_entry_points(name) else _distributions_with(name))
    try:
        tool = registry.get(name)
    except AmbiguousToolError as error:
        return (problem(name, str(error), "the plain name raises"),)
    except DuplicateToolError as error:
        return (problem(name, str(error), "until then, looking the name up raises"),)
    except ToolNotFoundError as error:
        if _has_entry_points(name):
            return tuple(each for each in findings(seen) if _distribution_of(each) == normalized(name))
        if not_used := tuple(checks.aside_findings(normalized(name))):
            return not_used
        advice = "the tool is there again once that is changed" if error.reason else _search_advice()
        return (problem(name, _DOCTOR_HINT.sub("", str(error)), advice), *_why_missing(wanted))
    found = (finding for finding in findings(seen) if finding.subject == tool.id)
    return tuple(
        dict.fromkeys([*found, *checks.hidden_findings([tool])])
    )  # a note about several tools has another subject


_DOCTOR_HINT: Final = re.compile(r" \((?:the plugins? .* not load; )?`fcregistry doctor .*\Z", re.DOTALL)
"""What the error for an unknown tool says about doctor, and about plugins that do not load, which are findings of their own."""


def _search_advice() -> str:
    """Return the advice for a missing tool: which Python's packages were searched, and what was not."""
    version = ".".join(map(str, sys.version_info[:3]))
    return (
        f"fcregistry looked at the packages of {sys.executable} (Python {version}) only. A plugin that pip installed for another Python "
        "is not there; a module of yours is there with -m MODULE"
    )


def _why_missing(wanted: str | None) -> Iterator[Finding]:
    """Yield findings that may explain a missing tool: of the distribution `wanted` or, if None, of all.

    They are about plugins that do not load or are disabled, misspelt groups and unreadable metadata. Before them comes the reason that no plugin of
    `wanted` is used, if it has none.
    """
    if wanted is not None:
        yield from _why_distribution_is_missing(wanted)
    related = (
        *checks.plugin_findings(known_plugins()),
        *checks.disabled_findings(),
        *checks.near_miss_findings(),
        *checks.unreadable_findings(),
        *checks.aside_findings(),
    )
    for finding in related:
        if wanted in (None, _distribution_of(finding)):
            yield finding


def _distribution_of(finding: Finding) -> str:
    """Return the normalized name of the distribution whose plugin or tool `finding` is about."""
    return normalized(finding.subject.partition("[")[0].partition(":")[0])


def _why_distribution_is_missing(wanted: str) -> Iterator[Finding]:
    """Yield the reason that no plugin of the distribution `wanted` is used; nothing if it has plugins.

    The reason is that its metadata are not used, that it is not installed, or that it has no entry point for plugins.
    """
    if _is_distribution(wanted):
        return
    if not_used := tuple(checks.aside_findings(wanted)):
        yield from not_used
        return
    try:
        found = distribution(wanted)
    except PackageNotFoundError:
        yield problem(wanted, "is not installed here", f"{sys.executable} -m {install_command(wanted)}")
    else:
        yield problem(
            distribution_name(found) or wanted,
            f"is installed ({distribution_version(found)}), and has no entry point in the group {GROUP!r}",
            f"its authors name its module in [project.entry-points.{GROUP}]",
        )


# --- Trying each plugin alone ---


def plugins_to_probe(name: str | None = None) -> tuple[FoundPlugin, ...]:
    """Return the plugins to probe: all that may be imported, or those that a name is about.

    Args:
        name: A distribution, for its plugins; or a tool, for its plugin, or for all plugins if its distribution is not known.

    Raises:
        SelectorError: This is not a valid name of a tool.
    """
    learn()
    permission = current().permission()  # to import, not only to list: code that differs from its lock is not run
    plugins = tuple(each for each in current().plugins if permission.to_import(each) is None)
    if name is None:
        return plugins
    distributions = [name] if _is_distribution(name) else _distributions_with(name)
    wanted = {normalized(each) for each in distributions}
    return tuple(each for each in plugins if each.project in wanted) if wanted else plugins


def _is_distribution(name: str) -> bool:
    """Return whether `name`, normalized, is that of an installed distribution with plugins."""
    return normalized(name) in {normalized(each) for each in current().distributions()}


def _has_entry_points(name: str) -> bool:
    """Return whether `name` is that of an installed distribution with plugins, extensions or commands, or is fcregistry's."""
    found = {each.project for each in current().entry_points_and_sources()}
    return normalized(name) in found | {"fcregistry"} or _is_distribution(name)


def _distributions_with(name: str) -> list[str]:
    """Return the distributions that ship a tool `name`; an empty list if none is known.

    There are several if the name is ambiguous. A distribution that `name` itself states is returned unchecked.

    Raises:
        SelectorError: This is not a valid name of a tool.
    """
    distribution = parse_selector(name).distribution
    if distribution is not None:
        return [distribution]
    try:
        shipped_by = registry.get(name).origin.distribution
    except AmbiguousToolError as error:
        return [each.partition(":")[0] for each in error.candidates if ":" in each]
    except (DuplicateToolError, ToolNotFoundError):
        return []
    return [] if shipped_by is None else [shipped_by]


def probe_plugins(
    plugins: tuple[FoundPlugin, ...],
    name: str | None = None,
    *,
    seconds: float,
    on_done: Callable[[FoundPlugin], None] = lambda plugin: None,
) -> tuple[Finding, ...]:
    """Import plugins, each in a process of its own, and return how long it took and what is wrong.

    The index keeps the new description of each plugin that loads.

    Args:
        plugins: The plugins that `plugins_to_probe` returned.
        name: The name that it was given; then only findings about that name are returned.
        seconds: The time limit of each plugin.
        on_done: Called with each plugin after it was tried.
    """
    probed: dict[PluginKey, FreshDescription] = {}
    installed = (*current().plugins, *current().found_extensions)
    for plugin in plugins:
        (probed[plugin.key],) = describe_in_workers([plugin], installed, seconds=seconds)
        on_done(plugin)
    _keep_in_index([made for made in probed.values() if made.record["failure"] is None])
    notes, seen = [_probe_note(made) for made in probed.values()], Comparison(fresh=probed)
    if name is None:
        return in_order([*notes, *findings(seen)])
    refused = [each for each in current().plugins if each.project == normalized(name)]  # none of these was tried
    labels = {each.label for each in (*plugins, *refused)}
    beginnings = tuple(f"{each.distribution}:" for each in (*plugins, *refused))
    wrong = [each for each in findings(seen) if each.subject in labels or each.subject.startswith(beginnings)]
    if not _is_distribution(name):
        wrong += [each for each in diagnose_name(name, again=False) if each not in wrong]
    return in_order([*notes, *wrong])


def _keep_in_index(made: list[FreshDescription]) -> None:
    """Store new descriptions, and refresh discovery; do nothing without an index or without descriptions."""
    index = current().index
    if index.file is not None and made:
        index.keep(made)
        current().refresh()


def _probe_note(made: FreshDescription) -> Finding:
    """Return the note on how many seconds the import of a plugin took, and how many tools it ships.

    If it does not load, the note says only that, and how long it was tried.
    """
    record, tools = made.record, len(made.rows)
    took = f"{record['seconds']:.2f} seconds"
    if record["failure"] is not None:
        # No time is known of a plugin that ended its process
        tried = f"was tried for {took}" if record["seconds"] else "was tried"
        return note(made.plugin.label, f"{tried}, and does not load", "")
    return note(made.plugin.label, f"was imported in {took}, and ships {tools} tool{'s' * (tools != 1)}", "")
