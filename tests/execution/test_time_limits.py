"""A call ends in time, whatever the tool does; and what happens to a tool whose caller no longer waits."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import pytest

from fcregistry import Context, Executor, Tool, ToolResult
from fcregistry.errors import DefinitionError

SOON = 0.05
"""A time limit that every tool here exceeds."""

LONG = 30.0
"""How long they would take, if nobody let them go; an answer that comes much sooner was not waited for."""

WAYS = {
    "run": lambda executor, call: executor.run(call),
    "arun": lambda executor, call: asyncio.run(executor.arun(call)),
    "run_all": lambda executor, call: executor.run_all([call, call])[0],
    "arun_all": lambda executor, call: asyncio.run(executor.arun_all([call, call]))[0],
    "stream": lambda executor, call: list(executor.stream(call))[-1],
}


@pytest.fixture
def let_go() -> Iterator[threading.Event]:
    """An event that blocking tools wait for, set at the end so that their threads are free again."""
    event = threading.Event()
    EVENTS.append(event)
    yield event
    EVENTS.remove(event)
    event.set()


EVENTS: list[threading.Event] = []


def blocks() -> str:
    EVENTS[-1].wait(LONG)
    return "done"


async def sleeps() -> str:
    await asyncio.sleep(LONG)
    return "done"


async def will_not_be_cancelled() -> str:
    """Ignore the cancellation at the time limit; `asyncio.run` cancels it again, and would wait for it."""
    let_go, ignored = EVENTS[-1], False
    while not let_go.is_set():
        try:
            await asyncio.sleep(0.01)
        except asyncio.CancelledError:
            if ignored:
                raise
            ignored = True
    return "done"


def yields() -> Iterator[int]:
    yield 1
    EVENTS[-1].wait(LONG)
    yield 2


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("function", [blocks, sleeps, will_not_be_cancelled, yields], ids=lambda each: each.__name__)
def test_the_answer_comes_in_time(function: Callable[..., Any], way: str, let_go: threading.Event) -> None:
    result = WAYS[way](Executor(function, timeout=SOON), {"name": function.__name__})
    assert not let_go.is_set()
    assert isinstance(result, ToolResult)
    assert result.error is not None
    assert (result.error.code, result.error.retryable) == ("timeout", False)
    assert result.content == f"{function.__name__} did not answer within 0.05 seconds; it may still be running"


def test_an_async_tool_that_blocks_its_loop_does_not_block_other_calls(let_go: threading.Event) -> None:
    async def holds_the_loop() -> str:
        let_go.wait(LONG)
        return "done"

    async def other() -> str:
        return "other"

    executor = Executor([holds_the_loop, other])
    result = Executor(holds_the_loop, timeout=SOON).run({"name": "holds_the_loop"})
    assert result.error is not None
    assert result.error.code == "timeout"
    assert executor.run({"name": "other"}).value == "other"


def test_the_time_limit_of_the_tool_takes_precedence_over_that_of_the_executor(let_go: threading.Event) -> None:
    quick = Tool.from_function(blocks, timeout=SOON)
    assert "within 0.05 seconds" in Executor(quick, timeout=LONG).run({"name": "blocks"}).content
    patient = Tool.from_function(lambda: "in time", name="patient", timeout=LONG)
    assert Executor(patient, timeout=SOON).run({"name": "patient"}).value == "in time"


def test_a_call_that_ends_in_time_has_its_result() -> None:
    def raises() -> str:
        raise ValueError("no")

    executor = Executor([lambda_named("plain", lambda: [1]), raises], timeout=LONG)
    assert executor.run({"name": "plain"}).value == [1]
    assert executor.run({"name": "raises"}).content == "ValueError: no"


def lambda_named(name: str, function: Callable[..., Any], **options: Any) -> Tool:
    return Tool.from_function(function, name=name, **options)


@pytest.mark.parametrize("hint", ["idempotent", "read_only"])
def test_the_timeout_error_of_an_idempotent_tool_is_retryable(hint: str, let_go: threading.Event) -> None:
    result = Executor(Tool.from_function(blocks, timeout=SOON, **{hint: True})).run({"name": "blocks"})
    assert result.error is not None
    assert result.error.retryable


def test_the_token_of_a_tool_is_cancelled_when_its_time_is_up() -> None:
    told: list[str] = []
    over = threading.Event()

    def patient(context: Context) -> str:
        context.cancellation.wait(LONG)
        told.append(context.cancellation.reason)
        over.set()
        return "done"

    result = Executor(patient, timeout=SOON).run({"name": "patient"})
    assert result.error is not None
    assert over.wait(10)
    assert told == ["its time is up"]


def test_a_tool_with_blocking_caller_has_no_time_limit() -> None:
    """The caller's thread cannot be left; a time limit of the tool is refused when it is declared."""

    def here() -> int:
        return threading.get_ident()

    tool = Tool.from_function(here, blocking="caller")
    assert Executor(tool, timeout=LONG).run({"name": "here"}).value == threading.get_ident()
    with pytest.raises(DefinitionError, match="exclude each other"):
        lambda_named("here", lambda: None, blocking="caller", timeout=1.0)


@pytest.mark.parametrize("timeout", [0, -1, float("inf"), float("nan")])
def test_a_time_limit_that_is_not_valid_is_refused(timeout: float) -> None:
    with pytest.raises(ValueError, match="timeout must be a number of seconds above 0"):
        Executor(timeout=timeout)


# --- threads that nobody waits for --------------------------------------------------------------------------------


def test_after_too_many_abandoned_calls_no_call_gets_a_thread_until_they_return() -> None:
    script = """
import asyncio, json, threading, time
from fcregistry import Executor

go_on = threading.Event()

begun = []

def blocks() -> str:
    begun.append(None)
    go_on.wait(600)

def quick() -> str:
    return "done"

ways = {
    "run": lambda executor, call: executor.run(call),
    "arun": lambda executor, call: asyncio.run(executor.arun(call)),
    "run_all": lambda executor, call: executor.run_all([call, call])[0],
    "arun_all": lambda executor, call: asyncio.run(executor.arun_all([call, call]))[0],
    "stream": lambda executor, call: list(executor.stream(call))[-1],
}
codes = set()
while len(begun) < 64:  # a call whose thread did not begin in time holds none
    left = [{"name": "blocks"}] * (64 - len(begun))
    codes |= {each.error.code for each in Executor(blocks, timeout=0.05).run_all(left)}
executor = Executor(quick, timeout=30)
refused = {way: ask(executor, {"name": "quick"}) for way, ask in ways.items()}
told = {way: [each.error.code, each.error.retryable, each.content] for way, each in refused.items()}
go_on.set()
end = time.monotonic() + 30
while not executor.run({"name": "quick"}).ok and time.monotonic() < end:
    time.sleep(0.01)
print(json.dumps([sorted(codes), told, executor.run({"name": "quick"}).value]))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    codes, told, after = json.loads(done.stdout)
    assert codes == ["timeout"]
    why = "cannot run now: 64 calls that timed out or were cancelled still occupy their threads"
    assert told == {way: ["unavailable", True, f"{'the call' if way == 'stream' else 'quick'} {why}"] for way in WAYS}
    assert after == "done"


def test_the_process_exits_although_a_tool_that_was_given_up_still_runs() -> None:
    script = """
import time
from fcregistry import Executor
def hangs() -> str:
    time.sleep(600)
async def hangs_too() -> str:
    time.sleep(600)
for each in (hangs, hangs_too):
    print(Executor(each, timeout=0.1).run({"name": each.__name__}).error.code)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == ["timeout", "timeout"]


# --- what a limit leaves as it is ---------------------------------------------------------------------------------

REQUEST: ContextVar[str] = ContextVar("REQUEST", default="none")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("timeout", [None, LONG])
def test_the_context_of_the_caller_is_carried_along(way: str, timeout: float | None) -> None:
    def plain() -> str:
        return REQUEST.get()

    async def coroutine() -> str:
        return REQUEST.get()

    token = REQUEST.set("of the caller")
    try:
        for function in (plain, coroutine):
            result = WAYS[way](Executor(function, timeout=timeout), {"name": function.__name__})
            assert result.value == "of the caller"
    finally:
        REQUEST.reset(token)


def test_the_error_without_a_running_loop_of_asyncio_says_what_to_do() -> None:
    """As under trio: a coroutine that asks for asyncio's loop is driven by hand here."""
    executor = Executor(blocks)
    for awaitable in (
        executor.arun({"name": "blocks"}),
        Executor(sleeps, timeout=SOON).arun({"name": "sleeps"}),
        executor.arun_all([{"name": "blocks"}]),
    ):
        with pytest.raises(RuntimeError, match=r"no event loop of asyncio is running here: .* trio\.to_thread"):
            awaitable.send(None)


def test_no_message_says_1_seconds() -> None:
    """Waiting for each message would take a second."""
    root = Path(__file__).parents[2]
    sources = [*root.glob("fcregistry/**/*.py"), *root.glob("plugins/*/fcregistry_*/**/*.py")]
    found = [
        f"{source.relative_to(root)}: {text}"
        for source in sources
        for text in re.findall(r"\{[a-z][\w.]*:g\} seconds", source.read_text(encoding="utf-8"))
    ]
    assert len(sources) > 250
    assert found == []
