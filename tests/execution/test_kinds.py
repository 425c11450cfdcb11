"""Every kind of function gives the same result, by each method of the executor, at each call."""

from __future__ import annotations

import asyncio
import threading
import time
import weakref
from collections.abc import AsyncIterator, Awaitable, Iterator
from typing import Any

import pytest

from fcregistry import Executor, ToolCall, ToolResult


def plain(n: int) -> list[int]:
    return list(range(n))


async def coroutine(n: int) -> list[int]:
    return list(range(n))


def generator(n: int) -> Iterator[int]:
    yield from range(n)


async def async_generator(n: int) -> AsyncIterator[int]:
    for number in range(n):
        yield number


def returns_coroutine(n: int) -> Awaitable[list[int]]:
    return coroutine(n)


def returns_generator(n: int) -> Iterator[int]:
    return generator(n)


def returns_async_generator(n: int) -> AsyncIterator[int]:
    return async_generator(n)


FUNCTIONS = [
    plain,
    coroutine,
    generator,
    async_generator,
    returns_coroutine,
    returns_generator,
    returns_async_generator,
]


def by(way: str, executor: Executor, call: object) -> ToolResult:
    """Return the result of a call by the method of the executor with a name."""

    async def on_a_loop() -> ToolResult:
        if way == "arun":
            return await executor.arun(call)
        if way == "arun_all":
            return (await executor.arun_all([call, call]))[1]
        if way == "astream":
            return [event async for event in executor.astream(call)][-1]  # type: ignore[return-value]
        return (await executor.aresume(executor.prepare([call, call])))[1]

    if way == "run":
        return executor.run(call)
    if way == "run_all":
        return executor.run_all([call, call])[1]
    if way == "stream":
        return list(executor.stream(call))[-1]  # type: ignore[return-value]
    if way == "resume":
        return executor.resume(executor.prepare([call, call]))[1]
    return asyncio.run(on_a_loop())


WAYS = ["run", "run_all", "stream", "resume", "arun", "arun_all", "astream", "aresume"]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda each: each.__name__)
def test_every_sort_of_function_gives_the_same(function: Any, way: str) -> None:
    executor = Executor(function)
    for arguments in ({"n": 2}, '{"n": 2}', '{"n": 2}', {"n": 2}):
        result = by(way, executor, {"name": function.__name__, "arguments": arguments})
        assert (result.content, result.ok) == ("[0, 1]", True)


def blocks(n: int) -> Iterator[int]:
    """Stand for a generator that reads from a slow source."""
    for number in range(n):
        THREADS.append(threading.current_thread())
        yield number


THREADS: list[threading.Thread] = []


@pytest.mark.parametrize("way", ["arun", "arun_all", "astream"])
def test_a_generator_that_blocks_does_not_run_on_the_loop(way: str) -> None:
    executor = Executor(blocks)
    THREADS.clear()
    for _ in range(2):
        assert by(way, executor, ToolCall("blocks", '{"n": 2}')).ok
    assert threading.current_thread() not in THREADS


class Lazy:
    """An object like those that are made when they are first used."""

    @property
    def __class__(self) -> Any:  # type: ignore[override]
        raise RuntimeError("the connection is closed")


class Exits:
    """Written by code that ends the program."""

    def __iter__(self) -> Any:
        raise AssertionError

    @property
    def __class__(self) -> Any:  # type: ignore[override]
        raise SystemExit("out")


class Mute(Exception):
    def __str__(self) -> str:
        raise SystemExit("out")


def returns_lazy() -> Any:
    return Lazy()


def returns_dead_reference() -> Any:
    return weakref.proxy(Lazy())


def returns_exits() -> Any:
    return Exits()


def raises_mute() -> str:
    raise Mute


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "function",
    [returns_lazy, returns_dead_reference, returns_exits, raises_mute],
    ids=lambda each: each.__name__,
)
def test_a_value_that_cannot_be_inspected_gives_a_failed_result(function: Any, way: str) -> None:
    executor = Executor([function, coroutine])
    for _ in range(2):
        result = by(way, executor, ToolCall(function.__name__, "{}"))
        assert result.error is not None
        assert result.error.code in ("tool_failed", "unencodable_result")
    assert executor.run(ToolCall("coroutine", '{"n": 1}')).value == [0]  # the background loop still turns


def test_with_tool_errors_the_message_of_an_exception_while_encoding_is_left_out() -> None:
    result = Executor(returns_lazy, expose_errors="tool-errors").run(ToolCall("returns_lazy", "{}"))
    assert "connection" not in str(result.to_json())


# --- executors inside of tools ------------------------------------------------------------------------------------


def ended(function: Any, seconds: float = 30) -> Any:
    """Return what a function returns; a function that hangs fails its test, and does not block the run."""
    given: list[Any] = []
    thread = threading.Thread(target=lambda: given.append(function()), daemon=True)
    thread.start()
    thread.join(seconds)
    assert given, "it hangs"
    return given[0]


@pytest.mark.parametrize("limits", [{}, {"timeout": 20}], ids=["no limit", "a limit"])
@pytest.mark.parametrize("inner_way", ["run", "run_all", "stream"])
def test_an_async_tool_may_use_an_executor_in_every_way(inner_way: str, limits: dict[str, Any]) -> None:
    inner = Executor([coroutine, returns_coroutine], **limits)

    async def outer() -> list[Any]:
        return [by(inner_way, inner, ToolCall(name, '{"n": 1}')).value for name in inner.tools]

    result = ended(lambda: Executor(outer, **limits).run(ToolCall("outer")))
    assert result.value == [[0], [0]]


def test_a_plain_tool_with_a_limit_may_use_async_ones_below_an_async_one() -> None:
    leaf = Executor(coroutine)

    def middle() -> Any:
        return leaf.run(ToolCall("coroutine", '{"n": 1}')).value

    between = Executor(middle, timeout=20)

    async def outer() -> Any:
        return between.run(ToolCall("middle")).value

    assert ended(lambda: Executor(outer).run(ToolCall("outer"))).value == [0]


def test_a_loop_that_was_blocked_and_replaced_ends_once_it_is_free() -> None:
    let_go = threading.Event()

    async def holds() -> str:
        let_go.wait(30)
        return "done"

    before = {thread for thread in threading.enumerate() if thread.name == "fcregistry-loop"}
    executor = Executor(holds, timeout=0.05)
    for _ in range(3):
        assert executor.run(ToolCall("holds")).error is not None
    held = {thread for thread in threading.enumerate() if thread.name == "fcregistry-loop"} - before
    let_go.set()
    for thread in held:
        thread.join(0.2)
    left = [thread for thread in held if thread.is_alive()]
    assert len(left) <= 1  # the one that serves the next call


def test_a_call_that_is_given_up_before_it_begins_never_begins() -> None:
    paid: list[bool] = []
    let_go = threading.Event()

    async def holds() -> str:
        begun.set()
        let_go.wait(30)
        return "done"

    async def pay() -> str:
        paid.append(True)
        return "paid"

    begun = threading.Event()
    executor = Executor([holds, pay])
    thread = threading.Thread(target=lambda: executor.run(ToolCall("holds")), daemon=True)
    thread.start()
    assert begun.wait(10)
    result = Executor(pay, timeout=0.05).run(ToolCall("pay"))
    assert result.error is not None
    let_go.set()
    thread.join(10)
    time.sleep(0)  # whatever was left to be begun would be by now
    assert executor.run(ToolCall("pay")).value == "paid"
    assert paid == [True]
