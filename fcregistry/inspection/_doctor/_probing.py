"""What does each plugin do when it is imported alone, now, whatever is known of it?"""

from __future__ import annotations

from collections.abc import Callable

from fcregistry._registry import registry
from fcregistry._tools.selectors import normalized, parse_selector
from fcregistry.discovery import FoundPlugin, current
from fcregistry.discovery._describe import Made
from fcregistry.discovery._found import PluginKey
from fcregistry.discovery._permission import Permission
from fcregistry.discovery._workers import described_by_workers
from fcregistry.errors import AmbiguousToolError, DuplicateToolError, ToolNotFoundError
from fcregistry.inspection._doctor._accounts import learn
from fcregistry.inspection._doctor._diagnosis import findings, in_order
from fcregistry.inspection._doctor._finding import Finding, note
from fcregistry.inspection._doctor._missing import diagnose_name


def to_probe(name: str | None = None) -> tuple[FoundPlugin, ...]:
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


def probe(
    plugins: tuple[FoundPlugin, ...],
    name: str | None = None,
    *,
    seconds: float,
    told: Callable[[FoundPlugin], None] = lambda plugin: None,
) -> tuple[Finding, ...]:
    """Import plugins one after the other, each in a process of its own, and return how long each took and what is wrong.

    What is known of one that loads is renewed.

    Args:
        plugins: What `to_probe` has chosen.
        name: What it has chosen them for; then only what is about that is returned.
        seconds: How long each may take.
        told: Is told of each as it is done.
    """
    probed: dict[PluginKey, Made] = {}
    installed = (*current().plugins, *current().found_extensions)
    for plugin in plugins:
        (probed[plugin.key],) = described_by_workers([plugin], installed, seconds=seconds)
        told(plugin)
    _renew([made for made in probed.values() if made.record["failure"] is None])
    notes = [_note(made) for made in probed.values()]
    if name is None:
        return in_order([*notes, *findings(probed)])
    refused = [each for each in current().plugins if each.project == normalized(name)]  # of which nothing was tried
    wrong = [finding for finding in findings(probed) if _is_about(finding, (*plugins, *refused))]
    if not _is_distribution(name):
        wrong += [each for each in diagnose_name(name, again=False) if each not in wrong]
    return in_order([*notes, *wrong])


def _renew(made: list[Made]) -> None:
    index = current().index
    if index is not None and made:
        index.keep(made)
        current().refresh()


def _note(made: Made) -> Finding:
    record, tools = made.record, len(made.rows)
    took = f"{record['seconds']:.2f} seconds"
    if record["failure"] is not None:
        tried = f"was tried for {took}" if record["seconds"] else "was tried"  # nobody has timed what ended its process
        return note(made.plugin.label, f"{tried}, and does not load", "")
    return note(made.plugin.label, f"was imported in {took}, and ships {tools} tool{'s' * (tools != 1)}", "")


def _is_about(finding: Finding, plugins: tuple[FoundPlugin, ...]) -> bool:
    return any(finding.subject == each.label or finding.subject.startswith(f"{each.distribution}:") for each in plugins)
