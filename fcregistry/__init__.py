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

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

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
    from fcregistry.discovery import load_plugins
    from fcregistry.discovery._hookspecs import hookimpl
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

# Public name -> the module it lives in; None: it is a module itself.
_HOMES: dict[str, str | None] = {
    "Context": "_results.context",
    "Executor": "execution",
    "FunctionCall": "agents",
    "PlanAndSolveAgent": "agents",
    "Problem": "_base.call",
    "ReWOOAgent": "agents",
    "ReactAgent": "agents",
    "Registry": "_registry",
    "Tool": "_tools.tool",
    "ToolCall": "_base.call",
    "ToolResult": "_results.result",
    "__version__": "_version",
    "agents": None,
    "dialects": None,
    "discovery": None,
    "errors": None,
    "execution": None,
    "expressions": None,
    "fc_register": "_tools.decorator",
    "formats": None,
    "hookimpl": "discovery._hookspecs",
    "load_plugins": "discovery",
    "models": None,
    "prompts": None,
    "registry": "_registry",
    "testing": None,
    "types": None,
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # light, but not needed before the first name is

    home = _HOMES[name]
    value = import_module(f"{__name__}.{home or name}")
    if home is not None:
        value = getattr(value, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
