"""What is said of what an executor, or a call, cannot be given?"""

from __future__ import annotations

import threading
from typing import Any

import pytest

from fcregistry import Context, Executor, ToolCall
from fcregistry.errors import DefinitionError


class Shop:
    pass


def add(a: int, b: int) -> int:
    return a + b


def orders(context: Context[Shop]) -> str:
    return "none"


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"timeout": "3"}, ValueError, "timeout is seconds, a finite number above 0, or None, not '3'"),
        ({"timeout": True}, ValueError, "timeout is seconds, a finite number above 0, or None, not True"),
        ({"max_concurrency": "x"}, ValueError, "max_concurrency is a whole number of at least 1, not 'x'"),
        ({"max_concurrency": True}, ValueError, "max_concurrency is a whole number of at least 1, not True"),
        ({"validator": "jsonschmea"}, ValueError, 'validator is "jsonschema-rs" or "jsonschema", not \'jsonschmea\''),
        ({"check_results": "x"}, TypeError, "check_results is a bool, not 'x'"),
        ({"retry": 3}, TypeError, r"retry is a Retry, such as Retry\(attempts=3\), not 3"),
        ({"cache": {}}, TypeError, "cache=.* has no methods"),
        ({"registry": 5}, TypeError, "registry is a Registry, not 5"),
        ({"deps": Shop()}, TypeError, r"deps takes a list of objects, as in deps=\[Shop\(…\)\], not <"),
        ({"deps": {"shop": Shop()}}, TypeError, "deps takes a list of objects"),
        ({"repairs": "fences"}, TypeError, "repairs"),
        ({"policy": "deny"}, TypeError, "policy is a Policy, not 'deny'"),
        ({"approve": 5}, TypeError, "approve is a function of the tool and the call, not 5"),
        ({"approve_timeout": -1}, ValueError, "approve_timeout takes seconds"),
        ({"max_characters": 3.5}, TypeError, "a limit of characters is a whole number"),
        ({"pool": 5}, TypeError, "pool is a concurrent"),
    ],
    ids=lambda value: str(value).partition(" at 0x")[0],  # the same in every process
)
def test_what_an_executor_cannot_be_given_is_refused_when_it_is_made(
    given: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        Executor(add, **given)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"cancellation": threading.Event()}, "cancellation is a CancellationToken, not <"),
        ({"cancellation": True}, "cancellation is a CancellationToken, not True"),
        ({"deps": 7}, r"deps takes a list of objects, as in deps=\[int\(…\)\], not 7"),
    ],
)
def test_what_a_call_cannot_be_given_is_refused_before_anything_runs(given: dict[str, Any], message: str) -> None:
    executor, call = Executor(add), ToolCall("add", '{"a": 1, "b": 2}')
    for way in (executor.run, lambda call, **given: executor.run_all([call, call], **given)):
        with pytest.raises(TypeError, match=message):
            way(call, **given)


@pytest.mark.parametrize("calls", [None, 5, {"name": "add"}, "add", ToolCall("add")], ids=repr)
def test_a_batch_is_a_list_of_calls(calls: Any) -> None:
    for way in (Executor(add).run_all, Executor(add).prepare):
        with pytest.raises(TypeError, match="give a list of calls, or use run for one, not"):
            way(calls)


def test_what_is_no_prepared_batch_is_not_resumed() -> None:
    executor = Executor(add)
    with pytest.raises(TypeError, match="resume takes PreparedCalls, as from_json returns them, not str"):
        executor.resume("{}")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="decisions are a dict from the ids of waiting calls, not list"):
        executor.resume(executor.prepare([ToolCall("add")]), [True])  # type: ignore[arg-type]


def test_a_function_that_is_given_twice_is_one_tool() -> None:
    assert list(Executor([add, [add]]).tools) == ["add"]


def test_a_call_whose_deps_are_missing_keeps_the_whole_batch_from_running() -> None:
    ran: list[int] = []

    def work() -> None:
        ran.append(1)

    executor = Executor([work, orders], deps=[Shop])
    with pytest.raises(DefinitionError, match="orders asks for Shop"):
        executor.run_all([ToolCall("work"), ToolCall("orders"), ToolCall("work")])
    assert ran == []


def test_a_system_without_threads_makes_calls_unavailable_and_no_batch_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    from fcregistry.execution._calling import _threads

    class NoThread(threading.Thread):
        def start(self) -> None:
            if self.name == "fcregistry-tool":
                raise RuntimeError("can't start new thread")
            super().start()

    pool = _threads.DaemonThreads()
    monkeypatch.setattr(_threads.threads, "_idle", [])
    monkeypatch.setattr(_threads.threading, "Thread", NoThread)
    with pytest.raises(_threads.NoThreadError, match="the system has no more threads"):
        pool.submit(lambda: None)
    results = Executor(add).run_all([ToolCall("add", {"a": 1, "b": 2})] * 3)
    assert [result.error and result.error.code for result in results] == ["unavailable"] * 3


@pytest.mark.parametrize("given", [{}, {"timeout": 20}], ids=["no limit", "a limit"])
@pytest.mark.parametrize("times", [1, 2], ids=["the pipeline", "the short way"])
def test_an_async_tool_without_a_thread_for_its_loop_is_unavailable(
    given: dict[str, Any], times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    from fcregistry.execution._calling import _loop

    async def wait() -> int:
        return 1

    def returns_it() -> Any:
        return wait()

    class NoThread(threading.Thread):
        def start(self) -> None:
            raise RuntimeError("can't start new thread")

    executor = Executor([wait, returns_it], **given)
    executor.run_all([ToolCall("wait", "{}"), ToolCall("returns_it", "{}")])  # a loop and threads are there
    monkeypatch.setattr(_loop, "background", _loop.BackgroundLoop())
    monkeypatch.setattr(_loop.threading, "Thread", NoThread)
    for name in executor.tools:
        for _ in range(times):
            result = executor.run(ToolCall(name, "{}"))
            assert result.error is not None
            assert (result.error.code, result.error.retryable) == ("unavailable", True)
            assert result.content == f"{name} cannot run now: the system has no more threads"
