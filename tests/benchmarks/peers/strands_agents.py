"""Runs calls by strands: `stream` of a decorated tool; its last event is the result."""

import json

from _peer import AsyncCall, Function, Peer, report
from strands import tool


def acall(function: Function) -> AsyncCall:
    decorated, name = tool(function), function.__name__

    async def result(text: str) -> object:
        last = None
        async for event in decorated.stream({"toolUseId": "call_1", "name": name, "input": json.loads(text)}, {}):
            last = event
        return last

    return result


def schema(function: Function) -> object:
    return tool(function).tool_spec


if __name__ == "__main__":
    report(Peer(schema=schema, acall=acall))
