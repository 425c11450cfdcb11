"""A server for the tests with resources, prompts and completions; `NOTES_LOG` and secrets as for the other one."""

import asyncio
import base64

from mcp import MCPError
from mcp import types as protocol
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"\0" * 16).decode()
CONTENTS = {
    "note:///milk": [{"uri": "note:///milk", "mimeType": "text/plain", "text": "buy milk"}],
    "note:///chart": [{"uri": "note:///chart", "mimeType": "image/png", "blob": PNG}],
    "note:///zip": [{"uri": "note:///zip", "mimeType": "application/zip", "blob": "UEs="}],
    "note:///both": [
        {"uri": "note:///both/1", "mimeType": "text/plain", "text": "one"},
        {"uri": "note:///both/2", "mimeType": "text/plain", "text": "two"},
    ],
    "note:///broken": [{"uri": "note:///broken", "mimeType": "image/png", "blob": "%%%"}],
    "note:///huge": [{"uri": "note:///huge", "mimeType": "text/plain", "text": "h" * 16_000_001}],
    "note:///long": [{"uri": "note:///long", "mimeType": "text/plain", "text": "l" * 100_010}],
}

CANCELLED = []
"""The URIs of requests that were cancelled."""


async def list_resources(context, params):
    uris = [uri for uri in CONTENTS if uri != "note:///huge"]
    begin = int(params.cursor) if params is not None and params.cursor else 0
    page = [
        protocol.Resource(
            uri=uri, name=uri[8:], title="\u202eMilk" if begin == 0 else None, description="d" * 2000, size=8
        )
        for uri in uris[begin : begin + 1]
    ]
    return protocol.ListResourcesResult(resources=page, next_cursor=str(begin + 1) if begin + 1 < len(uris) else None)


async def list_templates(context, params):
    template = protocol.ResourceTemplate(uri_template="note:///{day}", name="day", mime_type="text/plain")
    return protocol.ListResourceTemplatesResult(resource_templates=[template])


async def read_resource(context, params):
    if str(params.uri) == "note:///slow":
        try:
            await asyncio.Event().wait()
        finally:
            CANCELLED.append("note:///slow")
    if str(params.uri) == "note:///many":
        many = [{"uri": "note:///m", "text": "m" * 1000}] * 150
        return protocol.ReadResourceResult.model_validate({"contents": many})
    if str(params.uri) == "note:///cancelled":
        cancelled = {"uri": "note:///cancelled", "text": f"cancelled {len(CANCELLED)}"}
        return protocol.ReadResourceResult.model_validate({"contents": [cancelled]})
    if str(params.uri) == "note:///forged":
        raise MCPError(-32002, "no\x1b[2J\nINFO forged line\u202e")
    if str(params.uri) not in CONTENTS:
        raise MCPError(-32002, "there is no such note")
    return protocol.ReadResourceResult.model_validate({"contents": CONTENTS[str(params.uri)]})


async def list_prompts(context, params):
    arguments = [
        {"name": "day", "description": "Which day.", "required": True},
        {"name": "tone"},
    ]
    return protocol.ListPromptsResult.model_validate(
        {"prompts": [{"name": "plan", "title": "Plan", "description": "Plan a day.", "arguments": arguments}]}
    )


async def get_prompt(context, params):
    if params.name == "many":
        messages = [{"role": "user", "content": {"type": "text", "text": "m" * 1000}}] * 150
        return protocol.GetPromptResult.model_validate({"messages": messages})
    if params.name != "plan":
        raise MCPError(-32602, "there is no such prompt")
    words = {"type": "text", "text": f"Plan {params.arguments['day']}."}
    image = {"type": "image", "data": PNG, "mimeType": "image/png"}
    messages = [{"role": "user", "content": words}, {"role": "assistant", "content": image}]
    return protocol.GetPromptResult.model_validate({"messages": messages})


async def complete(context, params):
    known = ["Monday", "Tuesday", "Thursday"]
    if params.context is not None and params.context.arguments:
        known = [f"{day} {value}" for day in known for value in params.context.arguments.values()]
    if params.ref.type == "ref/resource":
        known = ["milk"] * 90
    values = [each for each in known if each.startswith(params.argument.value)]
    return protocol.CompleteResult.model_validate({"completion": {"values": values}})


async def main():
    server = Server(
        "library",
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
        on_completion=complete,
        on_list_tools=list_tools,
    )
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


async def list_tools(context, params):
    return protocol.ListToolsResult(tools=[])


if __name__ == "__main__":
    asyncio.run(main())
