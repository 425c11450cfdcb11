"""Runs calls by pydantic-ai: `ToolManager` of a toolset, given the part of a message that asks for it."""

from _peer import AsyncCall, Function, Peer, report
from pydantic_ai import FunctionToolset, RunContext, RunUsage, Tool
from pydantic_ai.messages import ToolCallPart
from pydantic_ai.models.test import TestModel
from pydantic_ai.tool_manager import ToolManager


def acall(function: Function) -> AsyncCall:
    context = RunContext(deps=None, model=TestModel(), usage=RunUsage())
    manager, name = None, function.__name__

    async def result(text: str) -> object:
        nonlocal manager
        if manager is None:
            manager = await ToolManager(FunctionToolset([function])).for_run_step(context)
        return await manager.handle_call(ToolCallPart(name, text))

    return result


def schema(function: Function) -> object:
    return Tool(function).function_schema.json_schema


if __name__ == "__main__":
    report(Peer(schema=schema, acall=acall))
