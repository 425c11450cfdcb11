"""Runs calls by langchain-core: `invoke` and `ainvoke` of a tool, given a tool call."""

import json

from _peer import AsyncCall, Call, Function, Peer, report
from langchain_core.tools import StructuredTool
from langchain_core.utils.function_calling import convert_to_openai_tool


def tool_call(name: str, text: str) -> dict[str, object]:
    return {"type": "tool_call", "id": "call_1", "name": name, "args": json.loads(text)}


def call(function: Function) -> Call:
    tool = StructuredTool.from_function(function, parse_docstring=True)
    return lambda text: tool.invoke(tool_call(tool.name, text))


def acall(function: Function) -> AsyncCall:
    tool = StructuredTool.from_function(coroutine=function, parse_docstring=True)
    return lambda text: tool.ainvoke(tool_call(tool.name, text))


def schema(function: Function) -> object:
    return convert_to_openai_tool(StructuredTool.from_function(function, parse_docstring=True))


if __name__ == "__main__":
    report(Peer(schema=schema, call=call, acall=acall))
