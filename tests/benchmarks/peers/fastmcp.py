"""Runs calls by fastmcp: `call_tool` of a server, without a transport."""

import json

from _peer import AsyncCall, Function, Peer, report
from fastmcp import FastMCP
from fastmcp.tools import Tool


def acall(function: Function) -> AsyncCall:
    server, name = FastMCP("benchmark"), function.__name__
    server.add_tool(Tool.from_function(function))

    async def result(text: str) -> object:
        return await server.call_tool(name, json.loads(text))

    return result


def schema(function: Function) -> object:
    return Tool.from_function(function).parameters


if __name__ == "__main__":
    report(Peer(schema=schema, acall=acall))
