"""Runs calls by smolagents: `execute_tool_call` of an agent, whose model is never asked."""

import json

from _peer import Call, Function, Peer, report
from smolagents import Model, ToolCallingAgent, tool
from smolagents.models import get_tool_json_schema


def call(function: Function) -> Call:
    agent, name = ToolCallingAgent([tool(function)], Model()), function.__name__
    return lambda text: agent.execute_tool_call(name, json.loads(text))


def schema(function: Function) -> object:
    return get_tool_json_schema(tool(function))


if __name__ == "__main__":
    report(Peer(schema=schema, call=call))
