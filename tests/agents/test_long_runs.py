"""Long runs: how much they have in memory of results that were cut, and what they do again in each round."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fcregistry import Executor, ToolCall
from fcregistry.agents import Conversation, FunctionCall, ReactAgent, Returned, ReWOOAgent, RunResult, RunState
from fcregistry.errors import DroppedResultError
from fcregistry.execution import Approve, Content, Policy
from fcregistry.models import Message

from .scripts import WAYS, Script, calls, says

KEY = b"sixteen bytes at least"
SIZE = 100_000


def read_log(number: int) -> str:
    """Read a log.

    Args:
        number: Its number.
    """
    return f"log {number}\n" + "x" * SIZE


def reads(number: int) -> ToolCall:
    return ToolCall("read_log", {"number": number}, f"call_{number}")


def executor(tools: Any = read_log, **options: Any) -> Executor:
    return Executor(tools, **{"max_characters": 400, "max_kept_bytes": 2 * SIZE + 1000, **options})


def agent(rounds: int, executor: Executor, *more: Any) -> ReactAgent:
    """Return an agent whose model reads a log in each round."""
    said = [*(calls(reads(number)) for number in range(rounds)), *more, says("Done.")]
    return ReactAgent(Script(*said), executor, max_rounds=len(said))


@pytest.mark.parametrize("way", WAYS)
def test_a_run_has_the_whole_of_results_up_to_a_size(way: Callable[..., RunResult]) -> None:
    run = way(agent(4, executor()), "?")
    assert run.answer == "Done."
    assert [each.dropped for each in run.tool_results] == [False, False, True, True]
    assert [each.content[:6] for each in run.tool_results] == [f"log {number}\n" for number in range(4)]
    assert run.tool_results[1].value == run.tool_results[1].whole == read_log(1)


def test_reading_what_was_dropped_says_where_it_was_and_which_option_to_raise() -> None:
    result = agent(1, executor(max_kept_bytes=0)).run("?").tool_results[0]
    text = (
        "the run has dropped the {} of this result of read_log, of which the model read only a part: take it from the event Returned, "
        "or give the executor a higher max_kept_bytes"
    )
    for read, what in ((lambda: result.value, "value"), (result.unwrap, "value"), (lambda: result.whole, "whole")):
        with pytest.raises(DroppedResultError) as raised:
            read()
        assert str(raised.value) == text.format(what)
    assert (result.ok, result.parts) == (True, (Content.text(result.content),))
    assert result.content.startswith("log 0\nxxx")
    assert result.blocks == ({"type": "text", "text": result.content},)
    assert repr(result) == "<ToolResult read_log: ok, its value was dropped>"
    assert result.to_json()["content"] == result.content


def test_the_event_has_the_whole_of_each_result() -> None:
    events = agent(3, executor(max_kept_bytes=0)).stream("?")
    assert [each.result.value for each in events if isinstance(each, Returned)] == list(map(read_log, range(3)))


def test_without_the_limit_a_run_has_everything() -> None:
    run = agent(4, executor(max_kept_bytes=None)).run("?")
    assert [each.value for each in run.tool_results] == list(map(read_log, range(4)))


def test_results_that_were_not_cut_stay_as_they_are() -> None:
    run = agent(3, executor(max_characters=SIZE * 2, max_kept_bytes=0)).run("?")
    assert [each.value for each in run.tool_results] == list(map(read_log, range(3)))


def test_media_that_were_left_out_are_dropped() -> None:
    def draw() -> list[Content]:
        """Draw."""
        return [Content.text("A chart:"), Content.image(b"\x89PNG\r\n\x1a\n" + bytes(SIZE))]

    drawing = Executor(draw, max_bytes=10, max_kept_bytes=0)
    run = ReactAgent(Script(calls(ToolCall("draw", {}, "1")), says("Done.")), drawing).run("?")
    (result,) = run.tool_results
    assert result.dropped
    assert [part.kind for part in result.parts] == ["text", "text"]


def test_the_memory_of_a_run_does_not_grow_with_what_was_cut() -> None:
    running = agent(40, executor(keep=True))
    tracemalloc.start()
    try:
        run = running.run("?")
        gc.collect()
        held, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(run.tool_results) == 40
    assert held < 10 * SIZE, "with all results, it is 40 times the size"
    assert peak < 15 * SIZE


def test_the_model_reads_the_rest_from_a_file_that_is_removed_at_its_end(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    keeping = executor(keep=True)
    name = keeping.run(reads(3)).content.partition("is kept as ")[2].partition(";")[0]
    found: list[int] = []

    def count_files() -> int:
        """Count the files."""
        found.extend(path.stat().st_size for path in tmp_path.rglob("*") if path.is_file())
        return len(found)

    keeping = executor([read_log, count_files], keep=True)
    more = calls(ToolCall("count_files", {}, "1")), calls(ToolCall("read_result", {"id": name, "limit": 5}, "2"))
    run = agent(4, keeping, *more).run("?")
    assert run.tool_results[-1].content == f"log 3\n[characters 0 to 5 of {SIZE + 6}; read on with offset=5]"
    assert found == [SIZE + 6] * 2
    del run
    gc.collect()
    assert list(tmp_path.iterdir()) == []


def test_the_oldest_files_are_removed_if_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fcregistry.execution._limits._MOST_ON_DISK", SIZE * 3)
    keeping = executor(keep=True, max_kept_bytes=0)
    names = [keeping.run(reads(n)).content.partition("is kept as ")[2].partition(";")[0] for n in range(4)]
    more = [calls(ToolCall("read_result", {"id": name, "limit": 5}, name[:8])) for name in names]
    results = agent(4, keeping, *more).run("?").tool_results[4:]
    assert [each.ok for each in results] == [False, False, True, True]
    known = ", ".join(names[2:])
    assert results[0].content == f"no result is kept under the id '{names[0]}'; the ids of this run: {known}"


def test_a_folder_that_cannot_be_written_costs_the_model_only_the_rest(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "missing"))
    run = agent(1, executor(keep=True, max_kept_bytes=0)).run("?")
    assert run.answer == "Done."
    assert "cannot be kept for read_result" in caplog.text


def test_a_run_that_waits_takes_the_files_with_it() -> None:
    def delete() -> str:
        """Delete everything."""
        return "gone"

    keeping = executor([read_log, delete], keep=True, max_kept_bytes=0, policy=Policy(ask=["delete"]))
    name = keeping.run(reads(0)).content.partition("is kept as ")[2].partition(";")[0]
    waiting = agent(1, keeping, calls(ToolCall("delete", {}, "2"))).run("?")
    assert waiting.state is not None
    state = RunState.from_json(waiting.state.to_json(key=KEY), key=KEY)
    script = Script(calls(ToolCall("read_result", {"id": name, "limit": 5}, "3")), says("Done."))
    run = ReactAgent(script, keeping).resume(state, {"2": Approve()})
    assert run.tool_results[-1].content.startswith("log 0\n[")


def test_a_later_step_of_a_plan_gets_the_whole_of_an_earlier_one() -> None:
    def count(text: str) -> int:
        """Count the characters of a text.

        Args:
            text: The text.
        """
        return len(text)

    plan = says('#E1 = read_log[{"number": 1}]\n#E2 = count[{"text": "#E1"}]')
    run = ReWOOAgent(Script(plan, says("Done.")), executor([read_log, count], max_kept_bytes=0)).run("?")
    assert run.tool_results[1].value == SIZE + 6


def test_the_summary_of_a_round_sees_the_whole_of_its_results() -> None:
    dropping = executor(max_kept_bytes=0)
    chooser = FunctionCall(Script(calls(reads(1))), dropping, summary=lambda _, result: str(len(result.value)))
    assert chooser("?") == str(SIZE + 6)


class Watched(Message):
    """A message that counts how often its calls are looked at."""

    looks = 0

    def __getattribute__(self, name: str) -> Any:
        if name == "tool_calls":
            Watched.looks += 1
        return super().__getattribute__(name)


def test_each_round_looks_for_ids_in_new_messages_only() -> None:
    history = [Watched(role="assistant", content="Hello."), Message(role="user", content="?")]
    Watched.looks = 0
    agent(3, executor()).run(history)
    few = Watched.looks
    agent(23, executor()).run(history)
    assert Watched.looks == 2 * few


def test_a_conversation_counts_the_tokens_of_each_message_once() -> None:
    counted: list[str] = []

    def count_tokens(message: Message) -> int:
        counted.append(message.text)
        return 1

    conversation = Conversation(Script(says("Good.")), max_tokens=100, count_tokens=count_tokens)
    for number in range(4):
        conversation.say(f"How is {number}?")
    assert sorted(counted) == [
        "Good.",
        *(f"How is {number}?" for number in range(4)),
    ]  # the script's answer is one object


@pytest.mark.parametrize(("most", "error"), [(-1, ValueError), (1.5, TypeError), ("1", TypeError)])
def test_a_wrong_limit_raises(most: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="a limit of kept bytes must be"):
        executor(max_kept_bytes=most)
