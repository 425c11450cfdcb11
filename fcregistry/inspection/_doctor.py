"""What does each plugin do when it is imported alone, now, whatever is known of it?

MERGED: What keeps a tool from being there, or from being what its author meant?

Nothing of plugins is imported in a command's own process: `_accounts.py` tells what is known of each, from whoever imported it. Split by what
findings are about: `_plugins.py`, `_manifests.py`, `_extensions.py`, `_tools.py`, `_settings.py` (what is installed and configured around them).
`_diagnosis.py` puts them together, `_missing.py` says why a tool is not there, `_probing.py` tries each plugin in a process of its own.
MERGED: Why is the tool of that name not there, or not usable? And what is wrong with the distribution of that name?
MERGED: What is wrong with all that is installed?
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib.metadata import PackageNotFoundError, distribution

from fcregistry._registry import registry
from fcregistry._tools.selectors import normalized, parse_selector
from fcregistry._tools.tool import Tool
from fcregistry.discovery import FoundPlugin, current
from fcregistry.discovery._describe import FreshDescription
from fcregistry.discovery._found import GROUP, PluginKey, distribution_name, distribution_version
from fcregistry.discovery._permission import Permission
from fcregistry.discovery._workers import describe_in_workers
from fcregistry.errors import AmbiguousToolError, DuplicateToolError, ToolNotFoundError
from fcregistry.inspection._doctor_accounts import Account, Finding, accounts, learn, note, problem
from fcregistry.inspection._doctor_checks import (
    aside_findings,
    call_hook_findings,
    disabled_findings,
    extension_findings,
    impostor_findings,
    index_findings,
    lock_findings,
    manifest_findings,
    name_findings,
    near_miss_findings,
    plugin_findings,
    precedence_findings,
    setting_findings,
    stale_findings,
    tool_findings,
    unreadable_findings,
)

TYPE_CHECKING = False

if TYPE_CHECKING:
    pass

# --- inspection._doctor._probing ---


def plugins_to_probe(name: str | None = None) -> tuple[FoundPlugin, ...]:
    """Return the plugins that are to be tried: all that may be imported, or those that a name is about.

    Args:
        name: A distribution, whose plugins are meant; or a tool, whose plugin is, or all where nobody knows whose it is.

    Raises:
        SelectorError: It cannot be the name of a tool.
    """
    learn(again=False)
    permission = Permission()  # to import, and not only to show: what was locked and has changed is not run
    plugins = tuple(each for each in current().plugins if permission.to_import(each) is None)
    if name is None:
        return plugins
    distributions = [name] if _is_distribution(name) else _distributions_with(name)
    wanted = {normalized(each) for each in distributions}
    return tuple(each for each in plugins if each.project in wanted) if wanted else plugins


def _is_distribution(name: str) -> bool:
    return normalized(name) in {normalized(each) for each in current().distributions()}


def _distributions_with(name: str) -> list[str]:
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
    told: Callable[[FoundPlugin], None] = lambda plugin: None,
) -> tuple[Finding, ...]:
    """Import plugins one after the other, each in a process of its own, and return how long each took and what is wrong.

    What is known of one that loads is renewed.

    Args:
        plugins: What `plugins_to_probe` has chosen.
        name: What it has chosen them for; then only what is about that is returned.
        seconds: How long each may take.
        told: Is told of each as it is done.
    """
    probed: dict[PluginKey, FreshDescription] = {}
    installed = (*current().plugins, *current().found_extensions)
    for plugin in plugins:
        (probed[plugin.key],) = describe_in_workers([plugin], installed, seconds=seconds)
        told(plugin)
    _renew([made for made in probed.values() if made.record["failure"] is None])
    notes = [_note(made) for made in probed.values()]
    if name is None:
        return in_order([*notes, *findings(probed)])
    refused = [each for each in current().plugins if each.project == normalized(name)]  # of which nothing was tried
    wrong = [finding for finding in findings(probed) if _probing_is_about(finding, (*plugins, *refused))]
    if not _is_distribution(name):
        wrong += [each for each in diagnose_name(name, again=False) if each not in wrong]
    return in_order([*notes, *wrong])


def _renew(made: list[FreshDescription]) -> None:
    index = current().index
    if index is not None and made:
        index.keep(made)
        current().refresh()


def _note(made: FreshDescription) -> Finding:
    record, tools = made.record, len(made.rows)
    took = f"{record['seconds']:.2f} seconds"
    if record["failure"] is not None:
        tried = f"was tried for {took}" if record["seconds"] else "was tried"  # nobody has timed what ended its process
        return note(made.plugin.label, f"{tried}, and does not load", "")
    return note(made.plugin.label, f"was imported in {took}, and ships {tools} tool{'s' * (tools != 1)}", "")


def _probing_is_about(finding: Finding, plugins: tuple[FoundPlugin, ...]) -> bool:
    return any(finding.subject == each.label or finding.subject.startswith(f"{each.distribution}:") for each in plugins)


# --- inspection._doctor._missing ---


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
            return tuple(each for each in findings() if _missing_is_about(each, normalized(name)))
        if not_used := tuple(aside_findings(normalized(name))):
            return not_used
        return (problem(name, str(error).partition(" (`fcregistry doctor")[0], _where_looked()), *_why_missing(wanted))
    return tuple(finding for finding in findings() if finding.subject == tool.id)


def _missing_is_about(finding: Finding, distribution: str) -> bool:
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


# --- inspection._doctor._diagnosis ---


def diagnose() -> tuple[Finding, ...]:
    """Have every plugin known, load every extension, and return all that is wrong: problems first, then notes, in a fixed order.

    In a program plugins are imported here; for a command, in processes made for that, unless what is known of them holds. Those that
    did not load are tried again.
    """
    learn()
    return findings()


def findings(probed: Mapping[PluginKey, FreshDescription] | None = None) -> tuple[Finding, ...]:
    """Return all that is wrong with what is known.

    Args:
        probed: What importing some plugins has just shown; that counts, and not what was known of them.
    """
    tried = probed or {}
    just_now = {key: Account.of_record(each.plugin, each.record, ships=bool(each.rows)) for key, each in tried.items()}
    told = [account for _, account in sorted({**accounts(), **just_now}.items())]
    found = [
        *plugin_findings(told),
        *manifest_findings(told, {key: [json.loads(row.record) for row in each.rows] for key, each in tried.items()}),
        *disabled_findings(),
        *extension_findings(),
        *tool_findings(),
        *name_findings(),
        *near_miss_findings(),
        *unreadable_findings(),
        *impostor_findings(),
        *aside_findings(),
        *setting_findings(),
        *precedence_findings(),
        *lock_findings(),
        *call_hook_findings(),
        *index_findings(told),
        *stale_findings(told),
    ]
    return in_order(found)


def in_order(found: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return findings with the problems first."""
    return tuple(sorted(found, key=lambda finding: finding.kind != "problem"))
