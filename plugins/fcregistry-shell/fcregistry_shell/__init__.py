"""Commands of this machine as tools of fcregistry.

tools = shell_tools("project", allow=["git status", "git diff …", "pytest …"])
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from fcregistry_shell._tools import ShellTools, shell_tool, shell_tools

__all__ = ["ShellTools", "shell_tool", "shell_tools"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from fcregistry_shell import _tools  # not before a name is used

    return getattr(_tools, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
