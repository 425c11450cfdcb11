"""A decorator-driven plugin registry for the tools that language models call.

    from fcregistry import fc_register

    @fc_register("tool")
    def add(a: int, b: int) -> int:
        "Add two whole numbers."
        return a + b

Names are resolved when they are first used, so that importing this package costs next to nothing.
"""

from __future__ import annotations

from fcregistry import _ports

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal

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
    from fcregistry.execution._hooks import CallHooks
    from fcregistry.types._reader import Family

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


def _discovery() -> _ports.Discovery:
    from fcregistry.discovery import current

    return current()


def _registered(canonical_id: str, name: str, description: str | None = None) -> Tool:
    from fcregistry._registry import registry

    tool = registry.get(canonical_id).renamed(name)
    return tool if description is None else tool.described(description)


def _describe(tool: Tool, format_name: str, strict: bool, recursion: Literal["refuse", "cut"]) -> Any:
    from fcregistry.formats import get

    return get(format_name).describe_one(tool, strict=strict, recursion=recursion)


def _foreign_types(module: str) -> tuple[Family, ...]:
    from fcregistry.discovery import current

    return current().extensions.families(module)


def _call_hooks(given: object) -> CallHooks | None:
    from fcregistry._config.settings import call_hook_names

    if isinstance(given, (list, tuple)) and not given and not call_hook_names():
        return None  # and nobody pays for discovery
    from fcregistry.discovery._providers import call_hooks

    return call_hooks(given)


def _resolve_model(prefix: str, name: str) -> object | None:
    from fcregistry.discovery._providers import resolve_model

    return resolve_model(prefix, name)


def _model_prefixes() -> tuple[str, ...]:
    from fcregistry.discovery import current

    return current().extensions.prefixes()


def _pattern_matcher(pattern: str) -> Any:
    from fcregistry._schema.engine_rs import matcher

    return matcher(pattern)


_ports.discovery = _discovery
_ports.registered = _registered
_ports.describe = _describe
_ports.foreign_types = _foreign_types
_ports.call_hooks = _call_hooks
_ports.pattern_matcher = _pattern_matcher
_ports.resolve_model = _resolve_model
_ports.model_prefixes = _model_prefixes
