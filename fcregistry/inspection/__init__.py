"""What is wrong with what is installed, and what would a model stumble over? What the command line and tests both say of it."""

from __future__ import annotations

from fcregistry._lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fcregistry.inspection._doctor import diagnose, diagnose_name
    from fcregistry.inspection._doctor_accounts import Finding
    from fcregistry.inspection._lint import lint, tools_beside, tools_to_lint
    from fcregistry.inspection._lint_core import LintFinding

__all__ = ["Finding", "LintFinding", "diagnose", "diagnose_name", "lint", "tools_beside", "tools_to_lint"]

# Name -> the module it lives in, imported when it is used.
_HOMES: dict[str, str] = {
    "Finding": "._doctor_accounts",
    "LintFinding": "._lint_core",
    "diagnose": "._doctor",
    "diagnose_name": "._doctor",
    "lint": "._lint",
    "tools_beside": "._lint",
    "tools_to_lint": "._lint",
}

__getattr__, __dir__ = lazy_names(globals(), _HOMES)
