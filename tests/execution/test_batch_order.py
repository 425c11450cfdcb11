"""Calls of a batch that conflict run one after the other, and all others at the same time."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from fcregistry import Executor, Tool, ToolCall, ToolResult
from fcregistry.execution import Approve


def batch(executor: Executor, calls: list[Any], is_async: bool) -> list[ToolResult]:
    """Run a batch by `run_all` or `arun_all`."""
    return asyncio.run(executor.arun_all(calls)) if is_async else executor.run_all(calls)


ways = pytest.mark.parametrize("is_async", [False, True], ids=["run_all", "arun_all"])


class Watch:
    """Sees which calls are running, and which began and ended when."""

    def __init__(self) -> None:
        self.lock = threading.Condition()
        self.events: list[str] = []
        self.active = self.most = 0

    def tool(self, name: str, during: Callable[[], object] = lambda: None, **options: Any) -> Tool:
        """Return a tool that is seen while it runs."""

        def seen(path: str = "") -> str:
            self.begin(name)
            try:
                during()
            finally:
                self.end(name)
            return name

        return Tool.from_function(seen, name=name, **options)

    def begin(self, name: str) -> None:
        with self.lock:
            self.active += 1
            self.most = max(self.most, self.active)
            self.events.append(f"+{name}")
            self.lock.notify_all()

    def end(self, name: str) -> None:
        with self.lock:
            self.active -= 1
            self.events.append(f"-{name}")
            self.lock.notify_all()

    def wait_for(self, event: str) -> None:
        """Wait until it was seen."""
        with self.lock:
            assert self.lock.wait_for(lambda: event in self.events, 30)

    def together(self, first: str, second: str) -> bool:
        at = self.events.index
        return at(f"+{first}") < at(f"-{second}") and at(f"+{second}") < at(f"-{first}")


@ways
@pytest.mark.parametrize(
    ("first", "second"),
    [({"reads": "f"}, {"reads": "f"}), ({"writes": "d/f"}, {"writes": "d/g"}), ({}, {"writes": "f"}), ({}, {})],
)
def test_calls_that_do_not_conflict_run_together(first: Any, second: Any, is_async: bool) -> None:
    watch, both = Watch(), threading.Barrier(2)  # which ends only when both are there
    tools = [watch.tool("a", lambda: both.wait(30), **first), watch.tool("b", lambda: both.wait(30), **second)]
    results = batch(Executor(tools), [{"name": "a"}, {"name": "b"}], is_async)
    assert [each.value for each in results] == ["a", "b"]
    assert watch.most == 2


@ways
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"reads": "f"}, {"writes": "f"}),
        ({"writes": "f"}, {"reads": "f"}),
        ({"writes": "d"}, {"writes": "d/f"}),
        ({"writes": "d/f"}, {"reads": "d"}),
        ({"exclusive": True}, {}),
        ({}, {"exclusive": True}),
    ],
)
def test_calls_that_conflict_run_in_their_order(first: Any, second: Any, is_async: bool) -> None:
    watch = Watch()
    calls = [{"name": "a"}, {"name": "b"}] * 10
    results = batch(Executor([watch.tool("a", **first), watch.tool("b", **second)]), calls, is_async)
    assert all(each.ok for each in results)
    assert watch.events == ["+a", "-a", "+b", "-b"] * 10


@ways
def test_each_call_waits_only_for_those_that_it_conflicts_with(is_async: bool) -> None:
    watch = Watch()
    tools = [
        watch.tool("first", lambda: watch.wait_for("-peer"), writes="a"),  # its peer waits for nobody
        watch.tool("peer", lambda: watch.wait_for("+first"), writes="b"),
        watch.tool("second", writes="a"),
        watch.tool("exclusive", exclusive=True),
        watch.tool("plain"),
    ]
    names = ["first", "peer", "second", "exclusive", "plain"]
    results = batch(Executor(tools), [{"name": name} for name in names], is_async)
    assert [each.value for each in results] == names
    assert watch.together("first", "peer")
    at = watch.events.index
    assert at("-peer") < at("+second")
    assert watch.events[-6:] == ["+second", "-second", "+exclusive", "-exclusive", "+plain", "-plain"]


@ways
def test_a_call_that_fails_does_not_block_the_calls_that_wait_for_it(is_async: bool) -> None:
    watch = Watch()

    def fail() -> None:
        raise ValueError("no")

    tools = [watch.tool("ok", writes="a"), watch.tool("fails", fail, writes="b"), watch.tool("both", writes=["a", "b"])]
    calls: list[Any] = [{"name": "ok"}, {"name": "fails"}, None, {"name": "ok", "arguments": "{cut"}, {"name": "both"}]
    results = batch(Executor(tools), calls, is_async)
    assert [each.ok for each in results] == [True, False, False, False, True]
    assert watch.events[-2:] == ["+both", "-both"]


@ways
def test_keys_are_computed_of_each_calls_arguments(is_async: bool) -> None:
    watch, both = Watch(), threading.Barrier(2)
    tool = watch.tool("write", lambda: both.wait(30), writes=lambda arguments: arguments["path"])
    calls = [{"name": "write", "arguments": {"path": path}} for path in ("a", "b", "a", "b")]
    assert all(each.ok for each in batch(Executor([tool]), calls, is_async))
    assert watch.most == 2


@ways
def test_a_call_whose_keys_cannot_be_computed_runs_alone(is_async: bool, caplog: pytest.LogCaptureFixture) -> None:
    watch = Watch()
    tools = [watch.tool("plain"), watch.tool("unknown", reads=lambda arguments: arguments["no such"])]
    batch(Executor(tools), [{"name": "plain"}, {"name": "unknown"}, {"name": "plain"}], is_async)
    assert watch.most == 1
    assert watch.events == ["+plain", "-plain", "+unknown", "-unknown", "+plain", "-plain"]
    assert "the keys of a call of unknown could not be computed, so it runs alone" in caplog.messages


@ways
def test_calls_on_the_callers_thread_wait_with_the_others(is_async: bool) -> None:
    watch = Watch()
    tools = [watch.tool("here", blocking="caller", writes="a"), watch.tool("there", writes="a")]
    names = ["there", "here", "there", "here"]
    results = batch(Executor(tools), [{"name": name} for name in names], is_async)
    assert [each.value for each in results] == names
    assert watch.events == [sign + name for name in names for sign in "+-"]


@ways
def test_a_waiting_call_does_not_count_towards_max_concurrency(is_async: bool) -> None:
    """Only two may run at a time: one runs, another waits for it, and a third call, which waits for no other, runs."""
    watch, plain_is_done = Watch(), threading.Event()
    tools = [watch.tool("writes", lambda: plain_is_done.wait(30), writes="a"), watch.tool("plain", plain_is_done.set)]
    calls = [{"name": "writes"}, {"name": "writes"}, {"name": "plain"}]
    results = batch(Executor(tools, max_concurrency=2), calls, is_async)
    assert all(each.ok for each in results)
    assert watch.events[:3] in (["+writes", "+plain", "-plain"], ["+plain", "-plain", "+writes"])


@ways
def test_a_denied_call_does_not_block_others(is_async: bool) -> None:
    watch = Watch()
    tools = [watch.tool("denied", writes="a", requires_approval=True), watch.tool("next", writes="a")]
    results = batch(Executor(tools), [{"name": "denied"}, {"name": "next"}], is_async)
    assert [each.ok for each in results] == [False, True]


def test_keys_are_computed_once_for_each_call_and_again_if_its_arguments_change() -> None:
    asked: list[str] = []

    def writes(arguments: dict[str, str]) -> str:
        asked.append(arguments["path"])
        return arguments["path"]

    def approve(tool: Tool, call: ToolCall) -> Any:
        path = call.arguments["path"]  # type: ignore[index, call-overload]
        return Approve({"path": "c"}) if path == "b" else True

    watch = Watch()
    tool = watch.tool("save", writes=writes, requires_approval=True)
    calls = [{"name": "save", "arguments": {"path": path}} for path in "aab"]
    assert all(each.ok for each in Executor([tool], approve=approve).run_all(calls))
    assert sorted(asked) == ["a", "a", "b", "c"]


@ways
@pytest.mark.parametrize(
    ("paths", "edits"),
    [
        ("ab", {"a": "c", "b": "c"}),
        ("abc", {"a": "c", "b": "c"}),
        ("cab", {"a": "c", "b": "c"}),
        ("abab", {"a": "b", "b": "a"}),
        ("ab", {"a": "b"}),
        ("ab", {"b": "a"}),
    ],
)
def test_calls_that_an_approver_edits_wait_for_conflicts_of_their_new_arguments(
    paths: str, edits: dict[str, str], is_async: bool
) -> None:
    """The approver answers once it was asked about all calls, so that no call has ended before another is edited."""
    running: list[str] = []
    ran: list[str] = []
    asked: list[tuple[asyncio.Future[None], ToolCall]] = []

    async def approve(tool: Tool, call: ToolCall) -> Any:
        asked.append((asyncio.get_running_loop().create_future(), call))
        if len(asked) == len(paths):
            for future, _ in asked:
                future.set_result(None)
        await next(future for future, other in asked if other is call)
        path = call.arguments["path"]  # type: ignore[index, call-overload]
        return Approve({"path": edits[path]}) if path in edits else True

    async def save(path: str) -> None:
        assert path not in running
        running.append(path)
        for _ in range(20):  # meanwhile every call begins that may begin
            await asyncio.sleep(0)
        running.remove(path)
        ran.append(path)

    tool = Tool.from_function(save, writes=lambda arguments: arguments["path"], requires_approval=True)
    calls = [{"name": "save", "arguments": {"path": path}} for path in paths]
    results = batch(Executor([tool], approve=approve), calls, is_async)
    assert [each.content for each in results] == ["null"] * len(paths)
    assert sorted(ran) == sorted(edits.get(path, path) for path in paths)
