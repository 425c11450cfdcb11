"""Tools of servers that speak the Model Context Protocol (MCP), as tools of fcregistry.

with McpServer.stdio("uvx", "mcp-server-time", name="time") as server:
    executor = Executor(server.tools())
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from fcregistry_mcp._errors import McpError
    from fcregistry_mcp._server import McpServer
    from fcregistry_mcp._serving import aserve, make_server, serve

__all__ = ["McpError", "McpServer", "aserve", "make_server", "serve"]

_HOMES = {
    "McpError": "_errors",
    "McpServer": "_server",
    "aserve": "_serving",
    "make_server": "_serving",
    "serve": "_serving",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # not before a name is used: the SDK is heavy

    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
