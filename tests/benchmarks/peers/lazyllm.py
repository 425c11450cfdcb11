"""Runs calls by lazyllm: a `ToolManager`, given a list with one call."""

from _peer import Call, Function, Peer, report
from lazyllm.tools import ToolManager


def call(function: Function) -> Call:
    manager, name = ToolManager([function]), function.__name__
    return lambda text: manager([{"function": {"name": name, "arguments": text}}])


def schema(function: Function) -> object:
    return ToolManager([function]).tools_description


if __name__ == "__main__":
    report(Peer(schema=schema, call=call))
