"""What is wrong with all that is installed?"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from fcregistry.discovery._describe import Made
from fcregistry.discovery._found import PluginKey
from fcregistry.inspection._doctor._accounts import Account, accounts, learn
from fcregistry.inspection._doctor._extensions import call_hook_findings, extension_findings
from fcregistry.inspection._doctor._finding import Finding
from fcregistry.inspection._doctor._manifests import manifest_findings
from fcregistry.inspection._doctor._plugins import disabled_findings, plugin_findings
from fcregistry.inspection._doctor._settings import (
    aside_findings,
    impostor_findings,
    index_findings,
    lock_findings,
    near_miss_findings,
    precedence_findings,
    setting_findings,
    stale_findings,
    unreadable_findings,
)
from fcregistry.inspection._doctor._tools import name_findings, tool_findings


def diagnose() -> tuple[Finding, ...]:
    """Have every plugin known, load every extension, and return all that is wrong: problems first, then notes, in a fixed order.

    In a program plugins are imported here; for a command, in processes made for that, unless what is known of them holds. Those that
    did not load are tried again.
    """
    learn()
    return findings()


def findings(probed: Mapping[PluginKey, Made] | None = None) -> tuple[Finding, ...]:
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
