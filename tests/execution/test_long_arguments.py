"""Arguments that are long, or take long to validate: how many are read, where, and for how long."""

from __future__ import annotations

import asyncio
import json
import threading
from dataclasses import dataclass
from typing import Any

import pytest

from fcregistry import Executor, ToolResult

QUICK_LENGTH = 20_000
"""Characters of arguments that are read where the call is made."""
QUICK_STEPS = 5_000
"""Steps that finding out what is wrong with arguments may take there."""
LONG = "x" * (QUICK_LENGTH + 1)


def measure(text: str, words: list[str] | None = None) -> int:
    """Measure a text.

    Args:
        text: The text.
        words: Some words.
    """
    return len(text) + len(words or ())


def call(**arguments: Any) -> dict[str, Any]:
    return {"name": "measure", "arguments": json.dumps(arguments)}


# --- length ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["x" * 1_000_000, "x" * 20_000_000])
def test_more_than_a_million_characters_are_refused_unread(text: str) -> None:
    result = Executor([measure]).run(call(text=text))
    assert result.error is not None
    assert result.error.code == "malformed_call"
    assert result.content == (
        f"the arguments have {len(text) + 12} characters; the limit is 1000000. "
        "The tool was not run: send less, in several calls if necessary"
    )


@pytest.mark.parametrize(
    "arguments",
    [
        {"text": "x" * 40},
        {"text": "", "words": [""] * 20},
        {"x" * 40: 1},
        {f"n{number}": 1 for number in range(10)},
    ],
)
def test_a_mapping_is_counted_by_its_names_texts_and_values(arguments: dict[str, Any]) -> None:
    result = Executor([measure], max_argument_characters=40).run({"name": "measure", "arguments": arguments})
    assert result.content.startswith(
        "the arguments have more than 40 characters; the limit is 40. The tool was not run"
    )


def test_the_limit_can_be_set_and_removed() -> None:
    text = "x" * 1_000_000
    assert Executor([measure], max_argument_characters=len(text) + 12).run(call(text=text)).value == len(text)
    assert Executor([measure], max_argument_characters=None).run(call(text=text)).value == len(text)
    assert not Executor([measure], max_argument_characters=11).run(call(text="")).ok
    assert Executor([measure], max_argument_characters=12).run(call(text="")).ok


@pytest.mark.parametrize("limit", [0, -1, 1.5, "1", True])
def test_a_limit_that_is_not_valid_is_refused(limit: Any) -> None:
    with pytest.raises(ValueError, match="max_argument_characters must be a whole number of at least 1, or None, not "):
        Executor([measure], max_argument_characters=limit)


def test_arguments_of_the_application_may_have_any_length() -> None:
    def repeat(times: int) -> str:
        """Make a long text."""
        return "x" * times

    executor = Executor([measure, repeat], max_argument_characters=100)
    assert executor.call("measure", text="x" * 1_000).value == 1_000
    assert executor.run_expression("measure(text=repeat(times=1000))").value == 1_000


# --- where and how long ------------------------------------------------------------------------------------------

threads: list[int] = []
may_go_on = threading.Event()


@dataclass
class Noted:
    text: str

    def __post_init__(self) -> None:
        threads.append(threading.get_ident())


@dataclass
class Stuck:
    text: str

    def __post_init__(self) -> None:
        may_go_on.wait(60)


async def note(noted: Noted, numbers: list[int] | None = None) -> str:
    """Note something."""
    return "noted"


def stick(stuck: Stuck) -> str:
    """Take long."""
    raise AssertionError("it was run")


async def run_on_loop(executor: Executor, arguments: dict[str, Any], batch: bool) -> ToolResult:
    given = {"name": "note", "arguments": json.dumps(arguments)}
    return (await executor.arun_all([given, given]))[0] if batch else await executor.arun(given)


@pytest.mark.parametrize("batch", [False, True])
@pytest.mark.parametrize(("text", "on_loop"), [("x", True), (LONG, False)])
@pytest.mark.parametrize("limit", [None, 30])
def test_long_arguments_of_a_call_on_a_loop_are_read_on_a_thread(
    text: str, on_loop: bool, batch: bool, limit: float | None
) -> None:
    threads.clear()
    executor = Executor([note], timeout=limit)
    for _ in range(2):  # the second time by the short way, if there is one
        assert asyncio.run(run_on_loop(executor, {"noted": {"text": text}}, batch)).ok
    assert {each == threading.get_ident() for each in threads} == {on_loop}


def test_finding_problems_of_many_small_values_does_not_block_the_loop() -> None:
    asked: list[int] = []
    executor = Executor([note])
    validator = executor.tools["note"].validator()
    find = type(validator).violations

    def violations(self: Any, value: object, most_steps: int = 10**6) -> Any:
        asked.append(threading.get_ident() if most_steps > QUICK_STEPS else 0)
        return find(self, value, most_steps)

    arguments = {"noted": {"text": "x"}, "numbers": [1] * (QUICK_STEPS + 1) + ["x"]}
    assert len(json.dumps(arguments)) < QUICK_LENGTH
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(validator), "violations", violations)
        for _ in range(2):
            result = asyncio.run(run_on_loop(executor, arguments, False))
            assert result.content.endswith(f'- $.numbers[{QUICK_STEPS + 1}]: must be an integer, not "x"')
    assert threading.get_ident() not in asked
    assert len({each for each in asked if each}) > 0


@pytest.mark.parametrize("on_loop", [False, True])
@pytest.mark.parametrize("way", ["single", "batch", "stream"])
def test_a_time_limit_covers_reading_and_validating(way: str, on_loop: bool) -> None:
    executor = Executor([stick], timeout=0.2)
    given = {"name": "stick", "arguments": json.dumps({"stuck": {"text": LONG}})}

    async def on_a_loop() -> ToolResult:
        if way == "stream":
            return [event async for event in executor.astream(given)][-1]  # type: ignore[return-value]
        return (await executor.arun_all([given]))[0] if way == "batch" else await executor.arun(given)

    def plainly() -> ToolResult:
        if way == "stream":
            return list(executor.stream(given))[-1]  # type: ignore[return-value]
        return executor.run_all([given])[0] if way == "batch" else executor.run(given)

    may_go_on.clear()
    try:
        result = asyncio.run(on_a_loop()) if on_loop else plainly()
    finally:
        may_go_on.set()
    assert result.error is not None
    assert result.error.code == "timeout"
    assert (
        result.content
        == "the arguments of stick could not be checked within 0.2 seconds; it was not run. Send less at once"
    )


def test_the_time_for_reading_is_subtracted_from_the_time_limit_of_the_tool() -> None:
    @dataclass
    class Slow:
        text: str

        def __post_init__(self) -> None:
            threading.Event().wait(0.3)

    def work(slow: Slow) -> None:
        """Work on."""
        threading.Event().wait(30)

    result = Executor([work], timeout=3).run({"name": "work", "arguments": json.dumps({"slow": {"text": LONG}})})
    assert result.error is not None
    assert result.error.code == "timeout"
    assert float(result.content.split("within ")[1].split(" second")[0]) <= 2.7


def test_an_interrupted_reading_is_cancelled_by_its_token() -> None:
    from fcregistry.execution import CancellationToken

    token = CancellationToken()
    may_go_on.clear()
    threading.Timer(0.2, token.cancel).start()
    try:
        given = {"name": "stick", "arguments": json.dumps({"stuck": {"text": LONG}})}
        result = Executor([stick]).run(given, cancellation=token)
    finally:
        may_go_on.set()
    assert result.error is not None
    assert result.error.code == "cancelled"
