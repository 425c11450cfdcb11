"""Runs calls by this package, which is asked as its peers are, so that one table holds all."""

from _peer import AsyncCall, Call, Function, Peer, report

from fcregistry import Executor, Tool, ToolCall


def call(function: Function) -> Call:
    executor, name = Executor([function]), function.__name__
    return lambda text: executor.run(ToolCall(name, text)).content


def acall(function: Function) -> AsyncCall:
    executor, name = Executor([function]), function.__name__

    async def content(text: str) -> str:
        return (await executor.arun(ToolCall(name, text))).content

    return content


def schema(function: Function) -> object:
    return Tool.from_function(function).definition("openai")


if __name__ == "__main__":
    report(Peer(schema=schema, call=call, acall=acall))
