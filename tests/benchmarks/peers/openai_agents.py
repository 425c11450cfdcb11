"""Runs calls by openai-agents: `on_invoke_tool` of a function tool."""

from _peer import AsyncCall, Function, Peer, report
from agents import function_tool
from agents.tool_context import ToolContext


def acall(function: Function) -> AsyncCall:
    tool = function_tool(function, strict_mode=False)

    async def result(text: str) -> object:
        context = ToolContext(None, tool_name=tool.name, tool_call_id="call_1", tool_arguments=text)
        return await tool.on_invoke_tool(context, text)

    return result


def schema(function: Function) -> object:
    return function_tool(function, strict_mode=False).params_json_schema


if __name__ == "__main__":
    report(Peer(schema=schema, acall=acall))
