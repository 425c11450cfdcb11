"""Runs calls by toolregistry: `invoke` and `ainvoke` of a registry."""

import json

from _peer import AsyncCall, Call, Function, Peer, report
from toolregistry import Tool, ToolRegistry


def registry_of(function: Function) -> ToolRegistry:
    registry = ToolRegistry()
    registry.register(function)
    return registry


def call(function: Function) -> Call:
    registry, name = registry_of(function), function.__name__
    return lambda text: registry.invoke(name, json.loads(text))


def acall(function: Function) -> AsyncCall:
    registry, name = registry_of(function), function.__name__
    return lambda text: registry.ainvoke(name, json.loads(text))


def schema(function: Function) -> object:
    return Tool.from_function(function).get_schema()


if __name__ == "__main__":
    report(Peer(schema=schema, call=call, acall=acall))
