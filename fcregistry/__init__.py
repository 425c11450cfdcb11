"""A decorator-driven plugin registry for the tools that language models call.

    from fcregistry import fc_register

    @fc_register("tool")
    def add(a: int, b: int) -> int:
        "Add two whole numbers."
        return a + b

Names are resolved when they are first used, so that importing this package costs next to nothing.
"""

from __future__ import annotations

from fcregistry import _wiring  # noqa: F401  # what lower rooms need of higher ones
from fcregistry._lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fcregistry import (
        agents,
        dialects,
        discovery,
        errors,
        execution,
        expressions,
        formats,
        models,
        prompts,
        testing,
        types,
    )
    from fcregistry._base.call import Problem, ToolCall
    from fcregistry._registry import Registry, registry
    from fcregistry._results.context import Context
    from fcregistry._results.result import ToolResult
    from fcregistry._tools.decorator import fc_register
    from fcregistry._tools.tool import Tool
    from fcregistry._version import __version__
    from fcregistry.agents import FunctionCall, PlanAndSolveAgent, ReactAgent, ReWOOAgent
    from fcregistry.discovery import hookimpl, load_plugins
    from fcregistry.execution import Executor

__all__ = [
    "Context",
    "Executor",
    "FunctionCall",
    "PlanAndSolveAgent",
    "Problem",
    "ReWOOAgent",
    "ReactAgent",
    "Registry",
    "Tool",
    "ToolCall",
    "ToolResult",
    "__version__",
    "agents",
    "dialects",
    "discovery",
    "errors",
    "execution",
    "expressions",
    "fc_register",
    "formats",
    "hookimpl",
    "load_plugins",
    "models",
    "prompts",
    "registry",
    "testing",
    "types",
]

_MODULES = {
    "._base.call": ("Problem", "ToolCall"),
    "._registry": ("Registry", "registry"),
    "._results.context": ("Context",),
    "._results.result": ("ToolResult",),
    "._tools.decorator": ("fc_register",),
    "._tools.tool": ("Tool",),
    "._version": ("__version__",),
    ".agents": ("FunctionCall", "PlanAndSolveAgent", "ReWOOAgent", "ReactAgent"),
    ".discovery": ("hookimpl", "load_plugins"),
    ".execution": ("Executor",),
}

lazy_names(globals(), _MODULES)
