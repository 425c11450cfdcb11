"""Results are cached, and calls tried again, where the tool's author and the application ask for it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from fcregistry import Executor, Tool, ToolResult
from fcregistry.errors import DefinitionError, ToolError
from fcregistry.execution import CancellationToken, MemoryCache, Retry

ran: list[str] = []


@pytest.fixture(autouse=True)
def _nothing_ran() -> None:
    ran.clear()


def look_up(word: str) -> list[str]:
    """Look a word up."""
    ran.append(word)
    return [word]


async def alook_up(word: str) -> list[str]:
    """Look a word up."""
    ran.append(word)
    return [word]


def generate(word: str) -> Iterator[str]:
    """Look a word up."""
    ran.append(word)
    yield word


async def agenerate(word: str) -> AsyncIterator[str]:
    """Look a word up."""
    ran.append(word)
    yield word


def run(executor: Executor, call: Any, is_async: bool) -> ToolResult:
    return asyncio.run(executor.arun(call)) if is_async else executor.run(call)


ways = pytest.mark.parametrize("is_async", [False, True], ids=["run", "arun"])
TEA = {"name": "f", "arguments": '{"word": "tea"}'}


# --- caching --------------------------------------------------------------------------------------


@ways
@pytest.mark.parametrize("function", [look_up, alook_up, generate, agenerate])
def test_an_equal_call_is_answered_from_the_cache(function: Any, is_async: bool) -> None:
    executor = Executor([Tool.from_function(function, name="f", cache=True)])
    first, second = run(executor, TEA, is_async), run(executor, {**TEA, "id": "7"}, is_async)
    assert (first.value, first.cached) == (["tea"], False)
    assert (second.value, second.cached, second.content, second.duration) == (["tea"], True, '["tea"]', 0.0)
    assert second.call is not None
    assert second.call.id == "7"
    assert ran == ["tea"]
    assert not run(executor, {"name": "f", "arguments": {"word": "coffee"}}, is_async).cached


@ways
def test_without_the_option_no_result_is_cached(is_async: bool) -> None:
    executor = Executor([Tool.from_function(look_up, name="f")])
    assert [run(executor, TEA, is_async).cached for _ in range(2)] == [False, False]
    assert ran == ["tea", "tea"]


def test_changing_a_result_does_not_change_the_cached_value() -> None:
    executor = Executor([Tool.from_function(look_up, name="f", cache=True)])
    for _ in range(3):
        value = executor.run(TEA).value
        assert value == ["tea"]
        value.append("milk")


def test_each_executor_has_a_cache_of_its_own_unless_it_is_given_one() -> None:
    tool = Tool.from_function(look_up, name="f", cache=True)
    Executor([tool]).run(TEA)
    assert not Executor([tool]).run(TEA).cached
    shared = MemoryCache()
    Executor([tool], cache=shared).run(TEA)
    assert Executor([tool], cache=shared).run(TEA).cached
    own = MemoryCache()
    tool = Tool.from_function(look_up, name="f", cache=own)
    Executor([tool], cache=shared).run(TEA)
    assert Executor([tool]).run(TEA).cached
    assert len(own) == 1


def test_a_failure_is_not_cached() -> None:
    def fails(word: str) -> str:
        ran.append(word)
        raise ValueError("no")

    executor = Executor([Tool.from_function(fails, name="f", cache=True)])
    assert [executor.run(TEA).ok for _ in range(2)] == [False, False]
    assert ran == ["tea", "tea"]


def test_a_call_that_needs_approval_needs_it_also_if_its_result_is_cached() -> None:
    answers = [True, False]
    tool = Tool.from_function(look_up, name="f", cache=True, requires_approval=True)
    executor = Executor([tool], approve=lambda tool, call: answers.pop(0))
    assert executor.run(TEA).ok
    denied = executor.run(TEA).error
    assert denied is not None
    assert denied.code == "denied"


def test_a_call_succeeds_although_the_cache_fails() -> None:
    class Broken:
        def get(self, key: str, default: Any = None) -> Any:
            raise ConnectionError("gone")

        def set(self, key: str, value: Any) -> None:
            raise ConnectionError("gone")

    executor = Executor([Tool.from_function(look_up, name="f", cache=Broken())])
    assert [executor.run(TEA).value for _ in range(2)] == [["tea"], ["tea"]]


def test_an_object_that_is_not_a_cache_is_refused_when_the_executor_is_made() -> None:
    tool = Tool.from_function(look_up, name="f", cache={})
    with pytest.raises(DefinitionError, match=r"f: cache=\{\} has no methods get"):
        Executor([tool])
    with pytest.raises(TypeError, match=r"cache=\{\} has no methods get"):
        Executor([look_up], cache={})  # type: ignore[arg-type]


# --- retries --------------------------------------------------------------------------------------


def flaky(failures: int, error: Exception | None = None, **options: Any) -> Tool:
    """Return a tool that fails so often before it works."""

    def f(word: str) -> str:
        ran.append(word)
        if len(ran) <= failures:
            raise error or ConnectionError("reset")
        return word

    return Tool.from_function(f, **{"idempotent": True, **options})


QUICK = Retry(attempts=3, initial_delay=0)


@ways
@pytest.mark.parametrize(("failures", "ok", "attempts"), [(0, True, 1), (1, True, 2), (2, True, 3), (3, False, 3)])
def test_a_call_with_a_transient_failure_is_tried_again(failures: int, ok: bool, attempts: int, is_async: bool) -> None:
    result = run(Executor([flaky(failures)], retry=QUICK), TEA, is_async)
    assert (result.ok, result.attempts, len(ran)) == (ok, attempts, attempts)
    assert result.content == ("tea" if ok else "ConnectionError: reset (tried 3 times)")


@ways
def test_without_retry_a_call_is_tried_once(is_async: bool) -> None:
    result = run(Executor([flaky(1)]), TEA, is_async)
    assert (result.content, result.attempts, len(ran)) == ("ConnectionError: reset", 1, 1)


@ways
@pytest.mark.parametrize("tool", [flaky(1, idempotent=False), flaky(1, ValueError("no")), flaky(1, ToolError("no"))])
def test_a_call_that_may_not_be_repeated_is_not_tried_again(tool: Tool, is_async: bool) -> None:
    result = run(Executor([tool], retry=QUICK), TEA, is_async)
    assert (result.ok, result.attempts, len(ran)) == (False, 1, 1)


@ways
def test_all_attempts_together_have_the_time_of_the_call(is_async: bool) -> None:
    tool = flaky(9, ToolError("busy", retryable=True, retry_after=20), timeout=10)
    result = run(Executor([tool], retry=Retry(max_delay=30)), TEA, is_async)  # it did not wait, or this would take 20 s
    assert (result.attempts, result.content) == (1, "busy")


@ways
def test_a_call_that_is_cancelled_while_it_waits_is_not_tried_again(is_async: bool) -> None:
    token = CancellationToken()

    def f() -> str:
        ran.append("f")
        threading.Timer(0.05, token.cancel).start()
        raise ToolError("busy", retryable=True, retry_after=600)

    executor = Executor([Tool.from_function(f, read_only=True)], retry=Retry(max_delay=1000))

    def call() -> ToolResult:
        if is_async:
            return asyncio.run(executor.arun({"name": "f"}, cancellation=token))
        return executor.run({"name": "f"}, cancellation=token)

    result = call()
    assert result.error is not None
    assert (result.error.code, ran) == ("cancelled", ["f"])


def test_the_result_of_a_later_attempt_is_cached() -> None:
    executor = Executor([flaky(1, cache=True)], retry=QUICK)
    assert [executor.run(TEA).cached for _ in range(2)] == [False, True]
    assert len(ran) == 2
