"""Serves tools to programs that speak the Model Context Protocol.

Source: Model Context Protocol specification, "Server features: Tools" and "Utilities": cancellation, progress.
"""

from __future__ import annotations

import asyncio
import json
import sys
from contextlib import aclosing, redirect_stdout
from typing import Any

from fcregistry import Executor, ToolCall, ToolResult, __version__, formats
from fcregistry.execution import Progress
from mcp import types as protocol
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server


def serve(executor: Executor, *, name: str = "fcregistry") -> None:
    """Serve the tools of an executor over the standard streams, until their input ends.

    Standard output carries the protocol, so what the tools print goes to standard error.

    Args:
        executor: Runs the calls, with its validation, limits and approval.
        name: The server's name, which clients see.
    """
    asyncio.run(aserve(executor, name=name))


async def aserve(executor: Executor, *, name: str = "fcregistry") -> None:
    """Like `serve`, on the running event loop. Cancel the task to end it."""
    server = make_server(executor, name=name)
    # The SDK takes over the descriptor of standard output. Text that Python buffers for it would end up in the protocol at exit.
    async with stdio_server() as (reading, writing):
        with redirect_stdout(sys.stderr):
            await server.run(reading, writing, server.create_initialization_options())


def make_server(executor: Executor, *, name: str = "fcregistry") -> Server[Any]:
    """Return the SDK's server for the tools of an executor, to use with another transport.

    For HTTP: `make_server(executor).streamable_http_app()`. Listing the tools imports none of them. Calls run concurrently; if the client
    gives one up, it is cancelled.

    Args:
        executor: Runs the calls, with its validation, limits and approval.
        name: The server's name, which clients see.
    """
    report = formats.get("mcp").report
    assert report is not None  # the format `mcp` writes results, too

    async def list_tools(context: Any, params: protocol.PaginatedRequestParams | None) -> protocol.ListToolsResult:
        """Return the list of the executor's tools."""
        return protocol.ListToolsResult.model_validate_json(_sendable(executor.describe("mcp")))

    async def call_tool(context: Any, params: protocol.CallToolRequestParams) -> protocol.CallToolResult:
        """Run the call in `params`, report its progress, and return its result."""
        result: ToolResult | None = None
        async with aclosing(executor.astream(ToolCall(params.name, params.arguments or {}))) as events:
            async for event in events:
                if isinstance(event, ToolResult):
                    result = event
                elif isinstance(event, Progress):
                    message = event.message.encode("utf-8", "replace").decode()
                    await context.session.report_progress(event.fraction, 1.0, message or None)
        assert result is not None  # the last event of every call
        return protocol.CallToolResult.model_validate_json(_sendable(report([result])[0]))

    return Server(name, version=__version__, on_list_tools=list_tools, on_call_tool=call_tool)


def _sendable(value: Any) -> bytes:
    """Return `value` as JSON in UTF-8, without lone surrogates.

    The SDK would end the session over them.
    """
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
