"""What is wrong with what is installed, and what would a model stumble over? What the command line and tests both say of it."""

from fcregistry.inspection._doctor import Finding, diagnose, diagnose_name
from fcregistry.inspection._lint import LintFinding, lint, tools_beside, tools_to_lint

__all__ = ["Finding", "LintFinding", "diagnose", "diagnose_name", "lint", "tools_beside", "tools_to_lint"]
