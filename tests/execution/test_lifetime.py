"""An executor in a `with` block, and what ends with the block."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from fcregistry import Executor, ToolCall

from .test_isolation import GONE
from .workers import ask, install

if TYPE_CHECKING:
    from tests.conftest import Site

LEFT = "the with block of this executor was left: make calls inside of it, or make another executor"


def echo(number: int) -> int:
    """Echo a number.

    Args:
        number: The number.
    """
    return number


CALL = ToolCall("echo", '{"number": 1}')
USES: dict[str, Callable[[Executor], Any]] = {
    "run": lambda executor: executor.run(CALL),
    "run_all": lambda executor: executor.run_all([CALL, CALL]),
    "call": lambda executor: executor.call("echo", number=1),
    "stream": lambda executor: list(executor.stream(CALL)),
    "prepare": lambda executor: executor.prepare([CALL]),
    "arun": lambda executor: asyncio.run(executor.arun(CALL)),
    "arun_all": lambda executor: asyncio.run(executor.arun_all([CALL, CALL])),
    "astream": lambda executor: executor.astream(CALL),
}


@pytest.mark.parametrize("use", USES)
def test_a_call_inside_the_block_runs_and_a_call_after_it_raises(use: str) -> None:
    with Executor(echo) as executor:
        assert executor.run(CALL).value == 1
        assert USES[use](executor) is not None
    with pytest.raises(RuntimeError) as raised:
        USES[use](executor)
    assert str(raised.value) == LEFT


def test_prepared_calls_do_not_run_after_the_block() -> None:
    with Executor(echo) as executor:
        prepared = executor.prepare([CALL])
    with pytest.raises(RuntimeError, match="was left"):
        executor.resume(prepared)
    with pytest.raises(RuntimeError, match="was left"):
        asyncio.run(executor.aresume(prepared))


def test_an_async_with_block_works_like_a_with_block() -> None:
    async def main() -> Executor:
        async with Executor(echo) as executor:
            assert (await executor.arun(CALL)).value == 1
        return executor

    with pytest.raises(RuntimeError, match="was left"):
        asyncio.run(main()).run(CALL)


def test_an_exception_leaves_the_block_and_is_raised() -> None:
    executor = Executor(echo)
    with pytest.raises(KeyError, match="mine"), executor:
        raise KeyError("mine")
    with pytest.raises(RuntimeError, match="was left"):
        executor.run(CALL)


def test_an_executor_cannot_be_entered_twice() -> None:
    with Executor(echo) as executor, pytest.raises(RuntimeError, match="make another executor for the next"), executor:
        pass
    with pytest.raises(RuntimeError, match="an executor has one with block"), executor:
        pass


def test_an_executor_that_was_left_still_lists_its_tools() -> None:
    with Executor(echo) as executor:
        described = executor.describe("openai")
    assert list(executor.tools) == ["echo"]
    assert executor.describe("openai") == described


def test_a_call_that_runs_while_the_block_is_left_is_finished() -> None:
    async def waits() -> str:
        begun.set()
        await end.wait()
        return "done"

    begun, end = asyncio.Event(), asyncio.Event()

    async def main() -> Any:
        async with Executor(waits) as executor:
            task = asyncio.create_task(executor.arun(ToolCall("waits", "{}")))
            await begun.wait()
        end.set()
        return (await task).value

    assert asyncio.run(main()) == "done"


def test_an_executor_does_not_shut_down_its_pool() -> None:
    with ThreadPoolExecutor(1) as pool:
        with Executor((), pool=pool):
            pass
        assert pool.submit(lambda: "open").result(30) == "open"


def test_workers_end_when_the_last_executor_that_uses_them_is_left(make_site: Callable[..., Site]) -> None:
    came = ask(
        install(make_site()),
        """
    import asyncio
    from multiprocessing import active_children
    from fcregistry import Executor

    def of_one(made):
        return [made.call("guarded").value, len(active_children())]

    async def in_a_loop():
        async with Executor(["guarded"]) as third:
            return (await third.arun({"name": "guarded"})).value

    with Executor(["guarded"]) as first:
        answer = {"first": of_one(first)}
        with Executor(["guarded"]) as second:
            answer["both"] = of_one(second)
        answer["second left"] = len(active_children())
    answer["both left"] = len(active_children())
    answer["again"] = [asyncio.run(in_a_loop()), len(active_children())]

    kept = Executor(["guarded"])  # has no block, so it is left when it is gone
    with Executor(["guarded"]) as fourth:
        fourth.call("guarded")
    answer["kept"] = of_one(kept)
    """,
    )
    assert came == {
        "first": ["apart", 1],
        "both": ["apart", 1],
        "second left": 1,
        "both left": 0,
        "again": ["apart", 0],
        "kept": ["apart", 1],
    }


def test_a_worker_that_is_busy_when_it_is_left_ends_after_its_call_unless_others_use_it(
    make_site: Callable[..., Site],
) -> None:
    assert ask(
        install(make_site()),
        GONE
        + """
    class User:
        "Somebody who calls tools."

    def is_gone_after_its_call():
        user = User()
        workers.expect([tool("pid")], user)
        running = workers.submit(tool("pid"), {})
        workers.leave(user)
        pid = running.result(60).value
        return gone(pid) if not workers._idle else pid == shown("pid")["value"]

    answer = [is_gone_after_its_call()]
    workers.expect([tool("pid")])  # by somebody who is always there
    answer += [is_gone_after_its_call(), len(workers._idle)]
    """,
    ) == [True, True, 1]
