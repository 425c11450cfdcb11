"""How each kind of function is called, with and without a running loop, on which thread and in which context."""

from __future__ import annotations

import asyncio
import functools
import gc
import subprocess
import sys
import threading
import warnings
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from concurrent.futures import Future
from contextvars import ContextVar
from typing import Any

import pytest

from fcregistry import Executor, Tool, ToolResult
from fcregistry.errors import ToolError

REQUEST: ContextVar[str] = ContextVar("REQUEST", default="none")


def ending(function: Callable[[], Any]) -> Any:
    """Return what a function returns, or raise what it raises; a function that hangs fails its test, and does not block the run."""
    outcome: Future[Any] = Future()

    def work() -> None:
        try:
            outcome.set_result(function())
        except BaseException as error:  # noqa: BLE001  # raised where the test is
            outcome.set_exception(error)

    threading.Thread(target=work, daemon=True).start()
    return outcome.result(30)


def sync(text: str = "x") -> str:
    return f"sync {text}"


async def coroutine(text: str = "x") -> str:
    await asyncio.sleep(0)
    return f"async {text}"


def generator(text: str = "x") -> Iterator[str]:
    for number in range(3):
        yield f"{text}_{number}"


async def async_generator(text: str = "x") -> AsyncIterator[str]:
    for number in range(3):
        await asyncio.sleep(0)
        yield f"{text}_{number}"


def returns_coroutine(text: str = "x") -> Awaitable[str]:
    return coroutine(text)


def returns_async_generator(text: str = "x") -> AsyncIterator[str]:
    return async_generator(text)


def returns_generator(text: str = "x") -> Iterator[str]:
    return generator(text)


def wrapped(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return wrapper


class AsyncObject:
    async def __call__(self, text: str = "x") -> str:
        return f"object {text}"

    async def method(self, text: str = "x") -> str:
        return f"method {text}"


class CountingAwaitable:
    def __await__(self) -> Iterator[Any]:
        yield from asyncio.sleep(0).__await__()
        return "awaited"


SORTS: list[tuple[Callable[..., Any], object]] = [
    (sync, "sync x"),
    (coroutine, "async x"),
    (generator, ["x_0", "x_1", "x_2"]),
    (async_generator, ["x_0", "x_1", "x_2"]),
    (returns_coroutine, "async x"),
    (returns_async_generator, ["x_0", "x_1", "x_2"]),
    (returns_generator, ["x_0", "x_1", "x_2"]),
    (wrapped(coroutine), "async x"),
    (functools.partial(coroutine, "p"), "async p"),
    (AsyncObject(), "object x"),
    (AsyncObject().method, "method x"),
    (Tool.from_function(lambda: CountingAwaitable(), name="awaitable"), "awaited"),  # noqa: PLW0108
]


def by_each_way(executor: Executor, call: dict[str, Any]) -> list[ToolResult]:
    """Run a call by `run` and `arun`, alone and in a batch, outside and inside a running loop."""

    async def inside() -> list[ToolResult]:
        return [executor.run(call), *executor.run_all([call, call]), await executor.arun(call)]

    async def batch() -> list[ToolResult]:
        return await executor.arun_all([call, call])

    return [executor.run(call), *executor.run_all([call, call]), *asyncio.run(inside()), *asyncio.run(batch())]


@pytest.mark.parametrize(("function", "value"), SORTS)
def test_every_sort_of_function_runs_outside_and_inside_a_running_loop(
    function: Callable[..., Any], value: object
) -> None:
    executor = Executor([function])
    (name,) = executor.tools

    results = by_each_way(executor, {"name": name})
    assert [result.content if not result.ok else result.value for result in results] == [value] * 9


def fails(text: str) -> str:
    raise ValueError(f"Sync error with input: {text}")


async def async_fails(text: str) -> str:
    raise ValueError(f"Async error with input: {text}")


def generator_fails(text: str) -> Iterator[str]:
    yield "first"
    raise ValueError(f"Generator error with input: {text}")


async def async_generator_fails(text: str) -> AsyncIterator[str]:
    yield "first"
    raise ValueError(f"Async generator error with input: {text}")


@pytest.mark.parametrize("function", [fails, async_fails, generator_fails, async_generator_fails])
def test_the_model_reads_the_exception_of_a_function(function: Callable[[str], Any]) -> None:
    executor = Executor([function])
    kind = function.__name__.removesuffix("_fails").replace("_", " ").capitalize()
    kind = "Sync" if kind == "Fails" else kind

    for result in by_each_way(executor, {"name": function.__name__, "arguments": {"text": "42"}}):
        assert result.error is not None
        assert result.error.code == "tool_failed"
        assert result.content == f"ValueError: {kind} error with input: 42"
        assert isinstance(result.error.exception, ValueError)
        assert result.arguments == {"text": "42"}


@pytest.mark.parametrize("is_async", [False, True])
def test_a_failing_tool_is_called_once(is_async: bool) -> None:
    calls = []

    def flaky() -> None:
        calls.append(1)
        raise TimeoutError("upstream timed out")

    async def async_flaky() -> None:
        flaky()

    executor = Executor([Tool.from_function(async_flaky if is_async else flaky, name="flaky")])
    assert executor.run({"name": "flaky"}).content == "TimeoutError: upstream timed out"
    assert len(calls) == 1


@pytest.mark.parametrize(
    ("exception", "code", "content"),
    [
        (SystemExit(3), "tool_failed", "SystemExit: 3"),
        (asyncio.CancelledError(), "cancelled", "raises was cancelled before it was done"),
        (GeneratorExit(), "tool_failed", "GeneratorExit"),
        (RecursionError("too deep"), "tool_failed", "RecursionError: too deep"),
        (MemoryError(), "tool_failed", "MemoryError"),
        (StopIteration(5), "tool_failed", "StopIteration: 5"),
        (AssertionError(), "tool_failed", "AssertionError"),
        (
            ExceptionGroup("two", [ValueError("a"), ValueError("b")]),
            "tool_failed",
            "ExceptionGroup: two (2 sub-exceptions): ValueError: a; ValueError: b",
        ),
        (ToolError("in its own words"), "tool_failed", "in its own words"),
    ],
    ids=repr,
)
def test_any_exception_of_a_tool_is_a_failed_result(exception: BaseException, code: str, content: str) -> None:
    def raises() -> None:
        raise exception

    for result in by_each_way(Executor([raises]), {"name": "raises"}):
        assert result.error is not None
        assert (result.error.code, result.content) == (code, content)


@pytest.mark.parametrize("exception", [SystemExit(3), asyncio.CancelledError()], ids=repr)
def test_any_exception_of_an_async_tool_is_a_failed_result_and_the_next_call_runs(exception: BaseException) -> None:
    async def raises() -> None:
        raise exception

    executor = Executor([raises, coroutine])
    for result in by_each_way(executor, {"name": "raises"}):
        assert result.error is not None
        assert result.error.code in ("tool_failed", "cancelled")
    assert executor.run({"name": "coroutine"}).value == "async x"


def test_a_cancelled_task_inside_a_tool_is_a_failure_of_that_tool_alone() -> None:
    async def waits_for_cancelled() -> None:
        inner = asyncio.get_running_loop().create_future()
        inner.cancel()
        await inner

    for result in by_each_way(Executor([waits_for_cancelled]), {"name": "waits_for_cancelled"}):
        assert result.error is not None
        assert result.error.code == "cancelled"


@pytest.mark.parametrize("function", ["interrupted", "async_interrupted"])
@pytest.mark.parametrize("way", ["run", "run_all"])
def test_an_interrupt_reaches_the_caller_and_the_next_call_runs(function: str, way: str) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    async def async_interrupted() -> None:
        raise KeyboardInterrupt

    executor = Executor([interrupted, async_interrupted, coroutine])
    call = {"name": function}
    with pytest.raises(KeyboardInterrupt):
        ending(lambda: executor.run(call) if way == "run" else executor.run_all([call, {"name": "coroutine"}]))
    assert ending(lambda: executor.run({"name": "coroutine"})).value == "async x"
    results = ending(lambda: executor.run_all([{"name": "coroutine"}] * 2))
    assert [each.value for each in results] == ["async x"] * 2


def test_a_call_that_is_cancelled_by_its_caller_ends_and_cancels_the_tool() -> None:
    async def scenario() -> list[str]:
        started, seen = asyncio.Event(), []

        async def waits() -> None:
            started.set()
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                seen.append("cancelled")
                raise

        task = asyncio.ensure_future(Executor([waits]).arun({"name": "waits"}))
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return seen

    assert asyncio.run(scenario()) == ["cancelled"]


# --- threads, loops, contexts ---------------------------------------------------------------------


def where() -> list[Any]:
    return [threading.current_thread().name, REQUEST.get()]


async def async_where() -> list[Any]:
    return [threading.current_thread().name, REQUEST.get()]


def test_a_sync_tool_runs_on_the_callers_thread_and_in_its_context() -> None:
    token = REQUEST.set("request 1")
    try:
        assert Executor([where]).run({"name": "where"}).value == [threading.current_thread().name, "request 1"]
    finally:
        REQUEST.reset(token)


def test_the_context_of_the_caller_is_carried_to_threads_and_to_the_background_loop() -> None:
    executor = Executor([where, async_where])

    async def inside() -> list[Any]:
        REQUEST.set("inside")
        return [
            (await executor.arun({"name": "where"})).value[1],
            (await executor.arun({"name": "async_where"})).value[1],
            executor.run({"name": "async_where"}).value[1],
        ]

    token = REQUEST.set("outside")
    try:
        results = executor.run_all([{"name": "where"}, {"name": "async_where"}])
        assert [result.value[1] for result in results] == ["outside"] * 2
        assert executor.run({"name": "async_where"}).value[1] == "outside"
        assert asyncio.run(inside()) == ["inside"] * 3
    finally:
        REQUEST.reset(token)
    assert executor.run({"name": "async_where"}).value[1] == "none"


def test_what_a_tool_sets_in_its_context_does_not_leak_into_the_next_call() -> None:
    async def sets() -> str:
        before = REQUEST.get()
        REQUEST.set("leaked")
        return before

    executor = Executor([sets])
    assert [executor.run({"name": "sets"}).value for _ in range(2)] == ["none", "none"]
    assert [each.value for each in executor.run_all([{"name": "sets"}] * 3)] == ["none"] * 3


def test_async_tools_of_run_share_one_loop_so_that_a_client_may_be_kept_between_calls() -> None:
    loops = []

    async def which_loop() -> None:
        loops.append(asyncio.get_running_loop())

    executor = Executor([which_loop])
    executor.run({"name": "which_loop"})
    executor.run_all([{"name": "which_loop"}] * 2)
    Executor([which_loop]).run({"name": "which_loop"})
    assert len(loops) == 4
    assert len(set(map(id, loops))) == 1


def test_async_tools_of_arun_run_on_the_callers_own_loop() -> None:
    async def same_loop(of: int) -> bool:
        return id(asyncio.get_running_loop()) == of

    async def scenario() -> list[Any]:
        call = {"name": "same_loop", "arguments": {"of": id(asyncio.get_running_loop())}}
        executor = Executor([same_loop])
        return [(await executor.arun(call)).value, *(each.value for each in await executor.arun_all([call, call]))]

    assert asyncio.run(scenario()) == [True, True, True]


def test_a_blocking_tool_leaves_the_loop_free_and_runs_on_a_daemon_thread() -> None:
    async def scenario() -> ToolResult:
        released = threading.Event()

        def blocks() -> bool:
            assert threading.current_thread().daemon
            assert threading.current_thread() is not threading.main_thread()
            return released.wait(30)

        task = asyncio.ensure_future(Executor([blocks]).arun({"name": "blocks"}))
        await asyncio.sleep(0)
        released.set()  # only a loop that is free gets here
        return await task

    assert asyncio.run(scenario()).value is True


@pytest.mark.parametrize("blocking", [False, "caller"])
def test_a_tool_that_does_not_block_runs_on_the_loops_own_thread(blocking: bool | str) -> None:
    executor = Executor([Tool.from_function(where, blocking=blocking)])

    result = asyncio.run(executor.arun({"name": "where"}))
    assert result.value[0] == threading.current_thread().name


def test_a_tool_with_blocking_caller_runs_on_the_thread_of_the_caller_in_a_batch_too() -> None:
    executor = Executor([Tool.from_function(where, name="kept", blocking="caller"), where])

    results = executor.run_all([{"name": "kept"}, {"name": "where"}, {"name": "kept"}])
    threads = [result.value[0] for result in results]
    assert threads[0] == threads[2] == threading.current_thread().name
    assert threads[1] != threads[0]


# --- executors within tools -----------------------------------------------------------------------


def test_async_tools_may_call_executors_to_any_depth() -> None:
    executor: Executor

    async def down(levels: int) -> list[Any]:
        if not levels:
            return ["bottom"]
        return [levels, *executor.run({"name": "down", "arguments": {"levels": levels - 1}}).unwrap()]

    executor = Executor([down])
    five, three = ({"name": "down", "arguments": {"levels": levels}} for levels in (5, 3))
    assert ending(lambda: executor.run(five)).value == [5, 4, 3, 2, 1, "bottom"]
    assert ending(lambda: asyncio.run(executor.arun(three))).value == [3, 2, 1, "bottom"]


@pytest.mark.parametrize("leaf", ["sync", "coroutine"])
def test_batches_within_batches_within_async_tools_end(leaf: str) -> None:
    executor: Executor

    async def outer() -> list[Any]:
        return [result.unwrap() for result in executor.run_all([{"name": "inner"}] * 3)]

    def inner() -> list[Any]:
        return [result.unwrap() for result in executor.run_all([{"name": leaf}] * 2)]

    executor = Executor([outer, inner, sync, coroutine])
    expected = [[executor.run({"name": leaf}).value] * 2] * 3
    assert ending(lambda: executor.run({"name": "outer"})).value == expected
    both = ending(lambda: executor.run_all([{"name": "outer"}] * 2))
    assert [each.value for each in both] == [expected] * 2


def test_a_sync_tool_may_call_an_executor_of_async_tools() -> None:
    executor: Executor

    def calls() -> str:
        return str(executor.run({"name": "coroutine"}).unwrap())

    executor = Executor([calls, coroutine])
    assert [each.value for each in ending(lambda: by_each_way(executor, {"name": "calls"}))] == ["async x"] * 9


def test_an_awaitable_from_a_plain_function_is_awaited_on_the_loop_of_the_caller() -> None:
    """Clients belong to the loop that they are used on, so a wrapper around an async function must not move it."""

    async def running() -> int:
        return id(asyncio.get_running_loop())

    def wrapper() -> Awaitable[int]:
        return running()

    async def main() -> tuple[int, int]:
        return (await Executor([wrapper]).arun({"name": "wrapper"})).value, id(asyncio.get_running_loop())

    used, own = asyncio.run(main())
    assert used == own


def test_no_coroutine_is_left_unawaited() -> None:
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        for tool in (returns_coroutine, coroutine):
            by_each_way(Executor([tool]), {"name": tool.__name__, "arguments": {"text": 5}})
        gc.collect()
    assert warned == []


# --- what the process pays ------------------------------------------------------------------------


def in_a_process(code: str) -> subprocess.CompletedProcess[str]:
    """Run code in a fresh interpreter."""
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)


def test_the_process_exits_although_tools_still_run() -> None:
    ran = in_a_process(
        "import asyncio, threading\n"
        "from fcregistry import Executor\n"
        "started = threading.Event()\n"
        "def hangs():\n"
        "    started.set()\n"
        "    threading.Event().wait()\n"
        "async def hangs_too():\n"
        "    await asyncio.Event().wait()\n"
        "def hangs_in_run(call):\n"
        "    Executor([hangs_too]).run(call)\n"
        "async def main():\n"
        "    task = asyncio.ensure_future(Executor([hangs]).arun({'name': 'hangs'}))\n"
        "    while not started.is_set():\n"
        "        await asyncio.sleep(0)\n"
        "    task.cancel()\n"
        "asyncio.run(main())\n"
        "threading.Thread(target=hangs_in_run, args=({'name': 'hangs_too'},), daemon=True).start()\n"
        "print('done')\n"
    )

    assert (ran.returncode, ran.stdout) == (0, "done\n"), ran.stderr


def test_async_tools_can_clean_up_when_the_process_exits() -> None:
    """Code that waits for a tool on a daemon thread gets no answer, and other exit handlers may still call tools."""
    ran = in_a_process(
        "import asyncio, atexit, threading\n"
        "from fcregistry import Executor\n"
        "started = threading.Event()\n"
        "async def hangs():\n"
        "    try:\n"
        "        started.set()\n"
        "        await asyncio.Event().wait()\n"
        "    finally:\n"
        "        await asyncio.sleep(0)\n"
        "        print('closed', flush=True)\n"
        "async def works():\n"
        "    return 'works'\n"
        "executor = Executor([hangs, works])\n"
        "atexit.register(lambda: print(executor.call('works').content))\n"
        "threading.Thread(target=executor.call, args=('hangs',), daemon=True).start()\n"
        "started.wait(60)\n"
    )

    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "closed\nworks\n", "")


def test_sync_tools_need_no_asyncio_and_no_thread() -> None:
    ran = in_a_process(
        "import sys, threading\n"
        "from fcregistry import Executor\n"
        "def f(x: int) -> int:\n"
        "    return x\n"
        "print(Executor([f]).run({'name': 'f', 'arguments': {'x': 1}}).content)\n"
        "print('asyncio' in sys.modules, threading.active_count())\n"
    )

    assert (ran.stdout, ran.stderr) == ("1\nFalse 1\n", "")


@pytest.mark.skipif(not hasattr(__import__("os"), "fork"), reason="this platform has no fork")
def test_a_forked_process_gets_a_loop_and_threads_of_its_own() -> None:
    ran = in_a_process(
        "import asyncio, os, sys, warnings\n"
        "warnings.simplefilter('ignore', DeprecationWarning)\n"
        "from fcregistry import Executor\n"
        "def f() -> str:\n"
        "    return 'sync'\n"
        "async def g() -> str:\n"
        "    return 'async'\n"
        "executor = Executor([f, g])\n"
        "calls = [{'name': 'f'}, {'name': 'g'}]\n"
        "executor.run_all(calls)\n"
        "pid = os.fork()\n"
        "if pid == 0:\n"
        "    print([r.value for r in executor.run_all(calls)], flush=True)\n"
        "    os._exit(0)\n"
        "sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))\n"
    )

    assert (ran.returncode, ran.stdout) == (0, "['sync', 'async']\n"), ran.stderr
