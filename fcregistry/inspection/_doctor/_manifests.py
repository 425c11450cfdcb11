"""Does what a plugin says of itself, in the manifest that it ships, still hold?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from fcregistry._tools.record import ToolRecord, record_of
from fcregistry.discovery._found import FoundPlugin, PluginKey
from fcregistry.discovery._manifest import ManifestProblem, drift, manifest_of
from fcregistry.inspection._doctor._accounts import Account
from fcregistry.inspection._doctor._finding import Finding, problem
from fcregistry.inspection._shipped import shipped


def manifest_findings(
    accounts: Iterable[Account], probed: Mapping[PluginKey, list[ToolRecord]] | None = None
) -> Iterator[Finding]:
    """Yield what is wrong with manifests of plugins that load.

    Args:
        accounts: The plugins.
        probed: What importing some of them has just shown.
    """
    declared: dict[PluginKey, list[ToolRecord]] = {}
    for each in accounts:
        if each.failure:
            continue
        manifest = manifest_of(each.plugin)
        if manifest is None:
            continue
        if isinstance(manifest, ManifestProblem):
            yield problem(each.plugin.label, f"has a manifest that is not used: {manifest.message}", manifest.advice)
        elif manifest.is_stale:
            yield _drifted(each.plugin, "is older than its code", manifest.changed)
        else:
            declared = declared or _declared(probed or {})
            there = {"tools": declared.get(each.plugin.key, [])}
            if lines := drift(manifest.record, there):
                yield _drifted(each.plugin, "is not what its code declares", lines)


def _drifted(plugin: FoundPlugin, what: str, lines: Iterable[str]) -> Finding:
    advice = f"run in the project of {plugin.distribution}: fcregistry manifest build; or tell its authors"
    return problem(plugin.label, f"has a manifest that {what}: {'; '.join(lines)}", advice)


def _declared(probed: Mapping[PluginKey, list[ToolRecord]]) -> dict[PluginKey, list[ToolRecord]]:
    """Return what each plugin ships, by what is known of it; what the configuration hides too, for which its authors are not to blame."""
    known: dict[PluginKey, list[ToolRecord]] = {}
    for plugin, tool in shipped():
        known.setdefault(plugin.key, []).append(record_of(tool))
    return {**known, **probed}
