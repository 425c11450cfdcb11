"""Tools of servers that speak the Model Context Protocol (MCP), as tools of fcregistry.

with McpServer.stdio("uvx", "mcp-server-time", name="time") as server:
    executor = Executor(server.tools())
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from fcregistry_mcp._errors import McpError
    from fcregistry_mcp._resources import Prompt, PromptArgument, PromptMessage, Resource
    from fcregistry_mcp._server import McpServer
    from fcregistry_mcp._servers import McpServers
    from fcregistry_mcp._serving import aserve, make_server, serve

__all__ = [
    "McpError",
    "McpServer",
    "McpServers",
    "Prompt",
    "PromptArgument",
    "PromptMessage",
    "Resource",
    "aserve",
    "make_server",
    "serve",
]

_HOMES = {
    "McpError": "_errors",
    "McpServer": "_server",
    "McpServers": "_servers",
    **dict.fromkeys(("Prompt", "PromptArgument", "PromptMessage", "Resource"), "_resources"),
    "aserve": "_serving",
    "make_server": "_serving",
    "serve": "_serving",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # not before a name is used: the SDK is heavy

    _check_sdk()
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def _check_sdk() -> None:
    """Check the version of the SDK: with an old one, parts of the package fail only when they are used.

    Raises:
        MissingDependencyError: It is before 2.
    """
    from importlib.metadata import PackageNotFoundError, version  # as above

    try:
        installed = version("mcp")
    except PackageNotFoundError:  # importing the SDK says so, unless it is there without its metadata
        return
    if installed.partition(".")[0] in ("0", "1"):
        from fcregistry.errors import MissingDependencyError

        raise MissingDependencyError(
            f'fcregistry-mcp needs mcp 2 or later, and mcp {installed} is installed: pip install "mcp>=2"'
        )


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
