"""Runs calls by autogen-core: `run_json` of a function tool."""

import json

from _peer import AsyncCall, Function, Peer, report
from autogen_core import CancellationToken
from autogen_core.tools import FunctionTool


def acall(function: Function) -> AsyncCall:
    tool = FunctionTool(function, function.__doc__ or "")

    async def result(text: str) -> object:
        return tool.return_value_as_string(await tool.run_json(json.loads(text), CancellationToken()))

    return result


def schema(function: Function) -> object:
    return FunctionTool(function, function.__doc__ or "").schema


if __name__ == "__main__":
    report(Peer(schema=schema, acall=acall))
