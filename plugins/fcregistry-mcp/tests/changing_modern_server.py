"""A server for the tests that adds a tool when it is asked to, and says so as the protocol does since 2026-07-28."""

import sys

from mcp.server.mcpserver import Context, MCPServer

server = MCPServer("modern")


@server.tool()
async def change(context: Context) -> str:
    """Add a tool."""
    server.add_tool(extra, name="new")
    await context.notify_tools_changed()
    return "done"


def extra() -> str:
    """Do more."""
    return "more"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        import uvicorn

        uvicorn.run(server.streamable_http_app(), host="127.0.0.1", port=int(sys.argv[1]), log_level="warning")
    else:
        server.run()
