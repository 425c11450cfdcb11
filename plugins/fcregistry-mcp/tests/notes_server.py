"""A server for the tests: `python notes_server.py` on its standard streams, `… PORT` over HTTP, `… PORT STATUS` over SSE.

Over SSE, it answers STATUS to what is posted to its URL.

What it is asked, it writes to the file that `NOTES_LOG` names, a line each.
"""

import asyncio
import base64
import json
import os
import sys
import threading
from pathlib import Path

from mcp import MCPError
from mcp import types as protocol
from mcp.server.lowlevel import Server

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"\0" * 16).decode()
ORDER = {
    "type": "object",
    "properties": {
        "size": {"enum": ["s", "l"], "default": "s"},
        "to": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
        "context": {"type": "string"},
    },
    "required": ["to"],
    "additionalProperties": False,
}
TOOLS = {
    "add": {
        "description": "Add two numbers.",
        "inputSchema": {
            "type": "object",
            "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
            "required": ["a", "b"],
        },
        "annotations": {"readOnlyHint": True, "idempotentHint": True, "destructiveHint": False, "openWorldHint": False},
    },
    "order": {"title": "Order", "inputSchema": ORDER, "annotations": {"destructiveHint": True}},
    "fetch": {
        "description": "Fetch a page.",
        "inputSchema": {"type": "object", "properties": {"url": {"type": "string"}}},
    },
    "ns.find": {"description": "Find.", "inputSchema": {"type": "object", "properties": {"word": {"type": "string"}}}},
    "show": {"description": "Show.", "inputSchema": {"type": "object", "properties": {"what": {"type": "string"}}}},
    "wait": {"description": "Wait.", "inputSchema": {"type": "object", "properties": {}}},
    "die": {"description": "Die.", "inputSchema": {"type": "object", "properties": {}}},
    "odd": {
        "description": "No tool can be so.",
        "inputSchema": {"type": "object", "$ref": "https://example.org/x.json"},
    },
}
if os.environ.get("NOTES_CLASH"):
    TOOLS["ns_find"] = TOOLS["ns.find"]

SHOWN = {
    "image": [{"type": "text", "text": "An image:"}, {"type": "image", "data": PNG, "mimeType": "image/png"}],
    "link": [{"type": "resource_link", "uri": "file:///a.txt", "name": "a.txt"}],
    "file": [{"type": "resource", "resource": {"uri": "file:///a.txt", "mimeType": "text/plain", "text": "words"}}],
    "two": [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}],
    "nothing": [],
    "user": [{"type": "text", "text": "a chart", "annotations": {"audience": ["user"]}}],
    "user and model": [
        {"type": "text", "text": "10 rows", "annotations": {"audience": ["assistant", "user"]}},
        {"type": "image", "data": PNG, "mimeType": "image/png", "annotations": {"audience": ["user"]}},
    ],
    "broken for the user": [
        {"type": "image", "data": "%%%", "mimeType": "image/png", "annotations": {"audience": ["user"]}}
    ],
    "broken": [{"type": "image", "data": "%%%", "mimeType": "image/png"}, {"type": "text", "text": "after"}],
}


def note(what, arguments=None):
    if path := os.environ.get("NOTES_LOG"):
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(json.dumps([what, arguments]) + "\n")


async def list_tools(context, params):
    names = list(TOOLS)
    if os.environ.get("NOTES_TWICE"):
        names.insert(2, "add")
    begin = int(params.cursor) if params is not None and params.cursor else 0
    end = begin + 3  # so there are pages
    page = [protocol.Tool.model_validate({"name": name, **TOOLS[name]}) for name in names[begin:end]]
    return protocol.ListToolsResult(tools=page, next_cursor=str(end) if end < len(names) else None)


def answer(content, **more):
    return protocol.CallToolResult.model_validate({"content": content, **more})


async def call_tool(context, params):
    name, given = params.name, params.arguments or {}
    note(name, given)
    if name == "add":
        total = given["a"] + given["b"]
        return answer([{"type": "text", "text": str(total)}], structuredContent={"total": total})
    if name == "fetch":
        if given.get("url") == "empty":
            raise MCPError(-32000, "there is no more paper")
        if given.get("url") == "refused":
            raise MCPError(-32602, "that is no address")
        return answer([{"type": "text", "text": f"there is no page {given.get('url')}"}], isError=True)
    if name == "show":
        more = {"structuredContent": given["structured"]} if "structured" in given else {}
        return answer(SHOWN[given["what"]], isError=given.get("fails", False), **more)
    if name == "wait":
        try:
            await context.session.report_progress(1, 4, "a quarter")
            await context.session.report_progress(5, 4, "more than all")
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            note("cancelled")
            raise
    if name == "die":
        os._exit(3)
    return answer([{"type": "text", "text": json.dumps(given)}])


server = Server("notes", on_list_tools=list_tools, on_call_tool=call_tool)


async def on_streams():
    from mcp.server.stdio import stdio_server

    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


def over_sse(status):
    from mcp.server.sse import SseServerTransport
    from starlette.applications import Starlette
    from starlette.responses import Response
    from starlette.routing import Mount, Route

    transport = SseServerTransport("/messages/")

    async def stream(request):
        async with transport.connect_sse(request.scope, request.receive, request._send) as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())
        return Response()

    async def refuse(request):
        return Response(status_code=status)

    routes = [Route("/mcp", refuse, methods=["POST"]), Route("/mcp", stream, methods=["GET"])]
    return Starlette(routes=[*routes, Mount("/messages/", app=transport.handle_post_message)])


if __name__ == "__main__":
    sys.stderr.write("notes begin\n")
    if len(sys.argv) > 1:
        import uvicorn

        app = over_sse(int(sys.argv[2])) if sys.argv[2:] else server.streamable_http_app()
        uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="warning")
    else:
        if path := os.environ.get("NOTES_PID"):
            Path(path).write_text(str(os.getpid()))
        asyncio.run(on_streams())
        if os.environ.get("NOTES_PID"):
            threading.Event().wait(60)  # whoever started it has to end it
