"""A `with` block of an agent enters and leaves the agent's own executor, and no other."""

from __future__ import annotations

import asyncio

import pytest

from fcregistry import Executor, FunctionCall

CALL = {"id": "1", "type": "function", "function": {"name": "echo", "arguments": '{"number": 1}'}}
MESSAGE = {"role": "assistant", "content": None, "tool_calls": [CALL]}


def echo(number: int) -> int:
    return number


def test_its_own_executor_is_left_with_its_block() -> None:
    with FunctionCall(tools=[echo]) as function_call:
        assert [message["content"] for message in function_call.execute(MESSAGE)] == ["1"]
    with pytest.raises(RuntimeError, match="the with block of this executor was left"):
        function_call.execute(MESSAGE)


def test_its_own_executor_is_left_with_an_async_block() -> None:
    async def main() -> FunctionCall:
        async with FunctionCall(tools=[echo]) as function_call:
            assert [message["content"] for message in function_call.execute(MESSAGE)] == ["1"]
        return function_call

    function_call = asyncio.run(main())
    with pytest.raises(RuntimeError, match="the with block of this executor was left"):
        function_call.execute(MESSAGE)


def test_an_executor_that_it_was_given_stays_its_owners() -> None:
    async def main() -> None:
        async with FunctionCall(tools=executor):
            pass

    executor = Executor(echo)
    with FunctionCall(tools=executor):
        pass
    asyncio.run(main())
    with executor:
        assert executor.run(CALL).value == 1
