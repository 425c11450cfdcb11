"""Commands of this machine as tools of fcregistry.

tools = shell_tools("project", allow=["git status", "git diff …", "pytest …"])
"""

from fcregistry_shell._tools import ShellTools, shell_tool, shell_tools

__all__ = ["ShellTools", "shell_tool", "shell_tools"]
