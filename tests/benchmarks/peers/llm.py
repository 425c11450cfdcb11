"""Runs calls by llm: `execute_tool_calls` of a response, which a model that says nothing has given."""

import json
from collections.abc import AsyncIterator, Iterator

import llm
from _peer import AsyncCall, Call, Function, Peer, report


class Silent(llm.Model):
    model_id = "silent"
    supports_tools = True

    def execute(self, prompt, stream, response, conversation) -> Iterator[str]:  # type: ignore[no-untyped-def]  # llm's own names
        yield ""


class AsyncSilent(llm.AsyncModel):
    model_id = "silent"
    supports_tools = True

    async def execute(self, prompt, stream, response, conversation) -> AsyncIterator[str]:  # type: ignore[no-untyped-def]
        yield ""


def tool_call(name: str, text: str) -> llm.ToolCall:
    return llm.ToolCall(name=name, arguments=json.loads(text), tool_call_id="call_1")


def call(function: Function) -> Call:
    response = Silent().prompt("", tools=[llm.Tool.function(function)])
    name = function.__name__
    return lambda text: response.execute_tool_calls(tool_calls_list=[tool_call(name, text)])


def acall(function: Function) -> AsyncCall:
    response = AsyncSilent().prompt("", tools=[llm.Tool.function(function)])
    name = function.__name__
    return lambda text: response.execute_tool_calls(tool_calls_list=[tool_call(name, text)])


def schema(function: Function) -> object:
    return llm.Tool.function(function).input_schema


if __name__ == "__main__":
    report(Peer(schema=schema, call=call, acall=acall))
