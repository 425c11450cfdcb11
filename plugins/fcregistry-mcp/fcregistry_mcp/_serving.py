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

    What the tools print goes to standard error meanwhile: standard output is the protocol's.

    Args:
        executor: Carries out the calls: validated, limited, approved as it was told.
        name: What the server is called.
    """
    asyncio.run(aserve(executor, name=name))


async def aserve(executor: Executor, *, name: str = "fcregistry") -> None:
    """Do as `serve` does, on the running loop; cancelling it ends it."""
    server = make_server(executor, name=name)
    # The SDK moves the descriptor of the output out of the way; what Python has buffered for it would be written there at the end.
    async with stdio_server() as (reading, writing):
        with redirect_stdout(sys.stderr):
            await server.run(reading, writing, server.create_initialization_options())


def make_server(executor: Executor, *, name: str = "fcregistry") -> Server[Any]:
    """Return the SDK's server for the tools of an executor, for another transport: `make_server(executor).streamable_http_app()`.

    Listing the tools imports none of them. Calls run concurrently; one that its client gives up is cancelled.
    """
    report = formats.get("mcp").report
    assert report is not None  # it is a format of results, too

    async def listed(context: Any, params: protocol.PaginatedRequestParams | None) -> protocol.ListToolsResult:
        return protocol.ListToolsResult.model_validate_json(_sendable(executor.describe("mcp")))

    async def called(context: Any, params: protocol.CallToolRequestParams) -> protocol.CallToolResult:
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

    return Server(name, version=__version__, on_list_tools=listed, on_call_tool=called)


def _sendable(value: Any) -> bytes:
    """Return JSON that the SDK can write: half of a surrogate pair, which UTF-8 has not, would end the server."""
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
