"""Checks of what is installed: lint, doctor, comparison of versions, and locks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fcregistry._lazy import lazy_names

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
    from fcregistry.inspection._diff_sources import shipped_tools as shipped_tools
    from fcregistry.inspection._diff_sources import tools_of_plugin as tools_of_plugin
    from fcregistry.inspection._doctor import diagnose, diagnose_name
    from fcregistry.inspection._doctor import plugins_to_probe as plugins_to_probe
    from fcregistry.inspection._doctor import probe_plugins as probe_plugins
    from fcregistry.inspection._findings import Finding
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
    from fcregistry.inspection._settings import doubtful_settings as doubtful_settings

__all__ = ["Finding", "LintFinding", "diagnose", "diagnose_name", "lint", "tools_beside", "tools_to_lint"]

_MODULES: Final = {
    "._diff": ("VERDICTS", "Diff", "DistributionDiff", "ToolChange", "diff_sources"),
    "._diff_sources": (
        *("LOCK_FILE", "DiffSource", "installed_like", "read_source", "shipped_tools", "tools_of_plugin"),
    ),
    "._doctor": ("diagnose", "diagnose_name", "plugins_to_probe", "probe_plugins"),
    "._findings": ("Finding",),
    "._lint": ("lint", "tools_beside", "tools_to_lint"),
    "._lint_rules": ("LINT_RULES",),
    "._lint_subject": ("SEVERITIES", "LintFinding"),
    "._lock": ("Inventory", "LockChange", "lock_changes", "lock_text", "take_inventory", "write_lock"),
    "._settings": ("doubtful_settings",),
}
"""Module, imported on first use -> its names for users and, if they are not in `__all__`, for other rooms."""

lazy_names(globals(), _MODULES)
