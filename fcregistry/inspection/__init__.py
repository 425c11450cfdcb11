"""Checks of what is installed: lint, doctor, comparison of versions, and locks."""

from __future__ import annotations

from fcregistry._lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fcregistry.inspection._diff import VERDICTS as VERDICTS
    from fcregistry.inspection._diff import Diff as Diff
    from fcregistry.inspection._diff import DistributionDiff as DistributionDiff
    from fcregistry.inspection._diff import ToolChange as ToolChange
    from fcregistry.inspection._diff import diff_sources as diff_sources
    from fcregistry.inspection._diff_sources import LOCK_FILE as LOCK_FILE
    from fcregistry.inspection._diff_sources import DiffSource as DiffSource
    from fcregistry.inspection._diff_sources import installed_like as installed_like
    from fcregistry.inspection._diff_sources import read_source as read_source
    from fcregistry.inspection._doctor import diagnose, diagnose_name
    from fcregistry.inspection._doctor import plugins_to_probe as plugins_to_probe
    from fcregistry.inspection._doctor import probe_plugins as probe_plugins
    from fcregistry.inspection._doctor_checks import Finding
    from fcregistry.inspection._lint import lint, tools_beside, tools_to_lint
    from fcregistry.inspection._lint_rules import LINT_RULES as LINT_RULES
    from fcregistry.inspection._lint_subject import SEVERITIES as SEVERITIES
    from fcregistry.inspection._lint_subject import LintFinding
    from fcregistry.inspection._lock import Inventory as Inventory
    from fcregistry.inspection._lock import LockChange as LockChange
    from fcregistry.inspection._lock import lock_changes as lock_changes
    from fcregistry.inspection._lock import lock_text as lock_text
    from fcregistry.inspection._lock import take_inventory as take_inventory
    from fcregistry.inspection._lock import write_lock as write_lock
    from fcregistry.inspection._shipped import shipped_tools as shipped_tools
    from fcregistry.inspection._shipped import tools_of_plugin as tools_of_plugin

__all__ = ["Finding", "LintFinding", "diagnose", "diagnose_name", "lint", "tools_beside", "tools_to_lint"]

# Name -> the module it lives in, imported when it is used.
_HOMES: dict[str, str] = {
    "Finding": "._doctor_checks",
    "LintFinding": "._lint_subject",
    "diagnose": "._doctor",
    "diagnose_name": "._doctor",
    "lint": "._lint",
    "tools_beside": "._lint",
    "tools_to_lint": "._lint",
}

# What other rooms use; not public.
_FOR_OTHER_ROOMS: dict[str, str] = {
    "Diff": "._diff",
    "DiffSource": "._diff_sources",
    "DistributionDiff": "._diff",
    "Inventory": "._lock",
    "LINT_RULES": "._lint_rules",
    "LOCK_FILE": "._diff_sources",
    "LockChange": "._lock",
    "SEVERITIES": "._lint_subject",
    "ToolChange": "._diff",
    "VERDICTS": "._diff",
    "diff_sources": "._diff",
    "installed_like": "._diff_sources",
    "lock_changes": "._lock",
    "lock_text": "._lock",
    "plugins_to_probe": "._doctor",
    "probe_plugins": "._doctor",
    "read_source": "._diff_sources",
    "shipped_tools": "._shipped",
    "take_inventory": "._lock",
    "tools_of_plugin": "._shipped",
    "write_lock": "._lock",
}

lazy_names(globals(), {**_HOMES, **_FOR_OTHER_ROOMS})
