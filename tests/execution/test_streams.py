"""The events of a streamed call, and what happens when the caller stops listening."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from fcregistry import Context, Executor, Tool, ToolResult, hookimpl
from fcregistry.execution import CancellationToken, Partial, Progress

ROOM = 256
"""Events of a call that wait to be taken."""


def counting(most: int) -> Iterator[str]:
    for number in range(most):
        yield f"item_{number}"


async def counting_slowly(most: int) -> AsyncIterator[int]:
    for number in range(most):
        await asyncio.sleep(0)
        yield number


def failing() -> Iterator[int]:
    yield 1
    raise ValueError("the source is dry")


def reporting(context: Context, steps: int) -> str:
    for step in range(steps):
        context.progress(step / steps, f"step {step}")
    return "done"


async def reporting_async(context: Context, steps: int) -> str:
    return reporting(context, steps)


def plain(text: str) -> str:
    return text


TOOLS = [counting, counting_slowly, failing, reporting, reporting_async, plain]


def followed(executor: Executor, call: object, is_async: bool, **given: Any) -> list[Any]:
    """Return all events of a call."""
    if not is_async:
        return list(executor.stream(call, **given))

    async def follow() -> list[Any]:
        return [event async for event in executor.astream(call, **given)]

    return asyncio.run(follow())


@pytest.mark.parametrize("is_async", [False, True], ids=["stream", "astream"])
class TestFollowing:
    def test_the_items_of_a_generator_come_one_by_one_and_then_the_result(self, is_async: bool) -> None:
        for name, items in (("counting", ["item_0", "item_1", "item_2"]), ("counting_slowly", [0, 1, 2])):
            *partial, result = followed(Executor(TOOLS), {"name": name, "arguments": {"most": 3}}, is_async)
            assert partial == [Partial(value=item) for item in items]
            assert isinstance(result, ToolResult)
            assert result.value == items

    def test_progress_comes_as_it_is_reported(self, is_async: bool) -> None:
        for name in ("reporting", "reporting_async"):
            *progress, result = followed(Executor(TOOLS), {"name": name, "arguments": {"steps": 2}}, is_async)
            assert progress == [Progress(fraction=0.0, message="step 0"), Progress(fraction=0.5, message="step 1")]
            assert result.value == "done"

    def test_a_tool_without_events_has_a_result(self, is_async: bool) -> None:
        (result,) = followed(Executor(TOOLS), {"name": "plain", "arguments": {"text": "x"}}, is_async)
        assert result.value == "x"

    def test_what_was_yielded_before_a_failure_is_not_lost(self, is_async: bool) -> None:
        partial, result = followed(Executor(TOOLS), {"name": "failing"}, is_async)
        assert partial == Partial(value=1)
        assert result.content == "ValueError: the source is dry"

    @pytest.mark.parametrize("call", [None, {"name": "nobody"}, {"name": "plain", "arguments": "{"}])
    def test_a_value_that_is_not_a_call_has_one_failed_result(self, call: object, is_async: bool) -> None:
        (result,) = followed(Executor(TOOLS), call, is_async)
        assert not result.ok

    def test_a_call_that_is_cancelled_ends_after_what_it_was_yielding(self, is_async: bool) -> None:
        token = CancellationToken()

        def endless() -> Iterator[int]:
            number = 0
            while True:
                yield number
                number += 1
                if number == 3:
                    token.cancel("enough")

        *partial, result = followed(Executor(endless), {"name": "endless"}, is_async, cancellation=token)
        assert partial[:2] == [Partial(value=0), Partial(value=1)]
        assert len(partial) <= 3
        assert result.error.code == "cancelled"
        assert result.content == "endless was cancelled before it was done (enough)"

    def test_an_interrupt_inside_the_tool_is_raised_at_the_caller(self, is_async: bool) -> None:
        def interrupted() -> str:
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            followed(Executor(interrupted), {"name": "interrupted"}, is_async)


def test_a_caller_that_stops_listening_cancels_the_call() -> None:
    closed = threading.Event()

    def endless() -> Iterator[int]:
        try:
            while True:
                yield 1
        finally:
            closed.set()

    for _ in Executor(endless).stream({"name": "endless"}):
        break
    assert closed.wait(10)


def test_a_caller_that_stops_listening_on_a_loop_cancels_the_call() -> None:
    closed = []

    async def endless() -> AsyncIterator[int]:
        try:
            while True:
                yield 1
                await asyncio.sleep(0)
        finally:
            closed.append(True)

    async def listen() -> None:
        events = Executor(endless).astream({"name": "endless"})
        async for _ in events:
            break
        await events.aclose()  # type: ignore[attr-defined]
        while not closed:
            await asyncio.sleep(0)

    asyncio.run(asyncio.wait_for(listen(), 10))
    assert closed == [True]


@pytest.mark.parametrize("is_async", [False, True], ids=["a generator", "an async generator"])
def test_a_tool_that_yields_faster_than_its_caller_listens_waits(is_async: bool) -> None:
    made: list[int] = []

    def endless() -> Iterator[int]:
        while True:
            made.append(len(made))
            yield made[-1]

    async def endless_async() -> AsyncIterator[int]:
        while True:
            made.append(len(made))
            yield made[-1]

    function = endless_async if is_async else endless
    events = Executor(function).stream({"name": function.__name__})
    for number in range(3 * ROOM):
        event = next(events)
        assert isinstance(event, Partial)
        assert event.value == number
        assert len(made) <= number + ROOM + 2
    events.close()  # type: ignore[attr-defined]


def test_progress_that_is_not_taken_does_not_pile_up() -> None:
    events = Executor(reporting).stream({"name": "reporting", "arguments": {"steps": 50 * ROOM}})
    first = next(events)
    assert isinstance(first, Progress)
    rest = list(events)
    assert isinstance(rest[-1], ToolResult)


def test_a_partial_value_is_shown_as_a_model_reads_it() -> None:
    assert Partial(value="text").content == "text"
    assert Partial(value={"a": None}).content == '{"a": null}'


def test_no_call_begins_before_the_caller_listens() -> None:
    begun = []

    def begin() -> None:
        begun.append(True)

    events = Executor(begin).stream({"name": "begin"})
    assert begun == []
    assert len(list(events)) == len(begun) == 1


def test_a_tool_with_blocking_caller_runs_on_that_thread_and_its_events_come_afterwards() -> None:
    def many() -> Iterator[int]:
        for _ in range(2 * ROOM):
            yield threading.get_ident()

    *partial, result = Executor(Tool.from_function(many, blocking="caller")).stream({"name": "many"})
    assert {event.value for event in partial if isinstance(event, Partial)} == {threading.get_ident()}
    assert len(partial) == 2 * ROOM
    assert isinstance(result, ToolResult)


def test_no_item_goes_out_past_the_hooks() -> None:
    @hookimpl
    def fc_after_call(result: ToolResult) -> ToolResult:
        return result.with_content("withheld")

    (result,) = Executor(counting, hooks=[fc_after_call]).stream({"name": "counting", "arguments": {"most": 3}})
    assert isinstance(result, ToolResult)
    assert result.content == "withheld"


def test_wrong_progress_fails_the_call_whether_or_not_it_is_streamed() -> None:
    def halfway(context: Context) -> str:
        context.progress(50)
        return "done"

    executor, call = Executor(halfway), {"name": "halfway", "arguments": {}}
    plain = executor.run(call)
    assert plain.error is not None
    assert plain.error.code == "tool_failed"
    assert "context.progress takes a fraction from 0 to 1" in plain.content
    assert [event.content for event in executor.stream(call) if isinstance(event, ToolResult)] == [plain.content]
