"""What would a model or a provider stumble over? One file a theme, one row a rule; `_table.py` has them all."""

from fcregistry.inspection._lint._choice import tools_beside, tools_to_lint
from fcregistry.inspection._lint._core import SEVERITIES, LintFinding, Rule, Severity
from fcregistry.inspection._lint._run import lint
from fcregistry.inspection._lint._table import RULES

__all__ = ["RULES", "SEVERITIES", "LintFinding", "Rule", "Severity", "lint", "tools_beside", "tools_to_lint"]
