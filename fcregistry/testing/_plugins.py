"""Is a plugin there, and does it ship what it means to? The rules of plugins, beside those of tools."""

from __future__ import annotations

from typing import Final

from fcregistry._tools.tool import Tool
from fcregistry.discovery import DisabledPlugin, FailedPlugin, FoundPlugin, current
from fcregistry.inspection._doctor_checks import tools_of
from fcregistry.testing._failures import Failure, Report, Verdict

LOADS: Final = "loads"
"""The rule of plugins: they can be imported, and ship tools."""
ALONE: Final = "has-its-name-alone"
"""The rule of names: no two declarations of one plugin claim the same."""


def report_on_loading(plugin: FoundPlugin) -> Report:
    """Return what became of a plugin when it was imported."""
    return Report(subject=plugin.label, verdicts={LOADS: _loading(plugin)})


def _loading(plugin: FoundPlugin) -> Verdict:
    outcome = next((each for each in current().report() if each.plugin == plugin), None)
    if isinstance(outcome, FailedPlugin):
        failure = Failure(
            expected=f"importing {plugin.value} declares its tools",
            got=outcome.reason,
            advice=outcome.advice,
            detail=f"\n{outcome.traceback}",
        )
        return Verdict(failures=(failure,))
    if isinstance(outcome, DisabledPlugin):
        return Verdict(skipped=f"it is disabled: {outcome.reason}")
    if tools_of(plugin.distribution, plugin.entry_point):
        return Verdict()
    failure = Failure(
        expected=f"importing {plugin.value} declares its tools",
        got="it declares none",
        advice=f"modules below {plugin.module} are not imported by themselves: name the one with the tools in the entry point",
    )
    return Verdict(failures=(failure,))


def report_on_clash(tool: Tool, clash: str) -> Report:
    """Return the failure of a name that two declarations claim."""
    failure = Failure(
        expected=f"one declaration of {tool.id}", got=clash, advice="until then, looking the name up raises"
    )
    return Report(subject=tool.id, verdicts={ALONE: Verdict(failures=(failure,))})
