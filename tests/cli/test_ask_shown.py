"""What is shown of plans, progress and time, and how much of what strangers wrote?"""

from __future__ import annotations

import pytest

from fcregistry import ToolCall, ToolResult
from fcregistry.agents import (
    Calling,
    Event,
    Finished,
    Planned,
    Progressed,
    Returned,
    RunResult,
    StepBegan,
    StepEnded,
    Text,
    Thinking,
)
from fcregistry.cli._ask_screen import Screen, Timeline, call_line, escaped, indented
from fcregistry.execution import CallError, Partial, Progress

CALL = ToolCall("lookup", {"query": "a"}, "1")


class Kept:
    """Keeps what is written."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.waits: list[str | None] = []

    def line(self, kind: str, text: str) -> None:
        """Keep lines."""
        self.lines.append(text)

    def piece(self, kind: str, text: str) -> None:
        """Keep a piece."""
        self.lines.append(f"+{text}")

    def wait(self, what: str | None) -> None:
        """Keep what is waited for."""
        self.waits.append(what)


def shown(*events: Event, streams: bool = False) -> Kept:
    """Show events."""
    kept = Kept()
    screen = Screen(kept, "a:b", streams=streams)
    for event in events:
        screen.show(event)
    return kept


def test_plans_and_steps_are_shown() -> None:
    kept = shown(
        Planned(steps=("look\nit up", "answer\x1b[2J")),
        StepBegan(index=0, text="look it up"),
        StepEnded(index=0, text="found"),
        StepEnded(index=1, text="one\ntwo", ok=False),
    )

    assert kept.lines == [
        "plan:\n  1. look it up\n  2. answer\\x1b[2J",
        "step 1: look it up",
        "step 1 is done: found",
        "step 2 failed:\n  one\n  two",
    ]


def test_progress_is_shown_while_a_call_runs() -> None:
    kept = shown(
        Calling(call=CALL),
        Progressed(call=CALL, progress=Progress(fraction=0.5, message="half\x07")),
        Progressed(call=CALL, progress=Partial(value={"a": 1})),
        Returned(result=ToolResult(CALL, error=CallError("timeout", "too late"), content="too late")),
    )

    assert kept.lines == [
        'call lookup {"query": "a"}',
        "  lookup: 50% half\\x07",
        '  lookup: {"a": 1}',
        "  lookup (timeout): too late",
    ]
    assert kept.waits == ["running lookup", "running lookup", "running lookup", "asking a:b"]


def test_what_is_said_is_shown_whole_unless_it_is_the_answer() -> None:
    """Where there is no answer, it is all there is."""
    said = (Thinking(text="Let "), Thinking(text="me see"), Text(text="Look"), Text(text="ing"))
    cut_off = RunResult(answer="Looking", stop_reason="length")

    assert shown(*said, Calling(call=CALL)).lines[:2] == ["thinking: Let me see", "Looking"]
    assert shown(*said, Finished(result=RunResult(answer="Looking"))).lines == ["thinking: Let me see"]
    assert shown(*said, Finished(result=cut_off)).lines == ["thinking: Let me see", "Looking"]


def test_pieces_are_shown_as_they_come() -> None:
    said = (Thinking(text="Let "), Thinking(text="me"), Text(text="Look"), Finished(result=RunResult(answer="Look")))

    assert "".join(shown(*said, streams=True).lines) == "+thinking: +Let +me++Look"


def test_a_line_of_pieces_ends_also_where_nothing_is_said_in_it() -> None:
    """As models do that open their thinking and close it again; what comes next stands on a line of its own."""
    kept = shown(Thinking(text=" "), Text(text="Look"), Calling(call=CALL), streams=True)

    assert kept.lines == ["+thinking: ", "+ ", "", "+", "+Look", "", 'call lookup {"query": "a"}']


def test_nothing_is_shown_to_nobody() -> None:
    screen = Screen(None, "a:b", streams=False)
    screen.show(Text(text="Look"))

    assert not screen.has_shown("Look")


def test_what_a_terminal_would_obey_is_written_out() -> None:
    assert escaped("a\r\nb\x1b[2J\x9b\u202e\tc\r") == "a\nb\\x1b[2J\\x9b\\u202e\tc\\r"
    assert escaped("half \ud83d") == "half \\ud83d"


def test_long_texts_are_cut_and_say_so() -> None:
    assert indented("x:", "a" * 601) == f"x: {'a' * 600} … (601 characters)"
    assert indented("x:", "a\n" * 13).splitlines()[-1] == "  a … (25 characters)"
    assert indented("x:", "a\nb\n") == "x:\n  a\n  b"
    assert indented("x:", " ") == "x: (nothing)"
    assert call_line(ToolCall("lookup", '{"query":\n "a"}', "1")) == 'lookup {"query": "a"}'


@pytest.mark.parametrize("began", [2.0**30, 268434892.15080604], ids=["exact", "a little off"])
def test_the_timeline_says_whose_the_time_was(began: float) -> None:
    """What happens at the same time counts once for its kind, and the clock's last digits move nothing."""
    timeline = Timeline()
    timeline._began = began
    timeline.add("model", "a:b", began, 400.0)
    timeline.add("tool", "one", began + 400, 200.0)
    timeline.add("tool", "two\x1b (timeout)", began + 500, 200.0)
    timeline.add("approval", "approval", began + 700, 300.0)

    assert list(timeline.lines()) == [
        "    START    SECONDS  SHARE                        WHAT",
        "    0.000    400.000    40%  ########............  a:b",
        "  400.000    200.000    20%  ........####........  one",
        "  500.000    200.000    20%  ..........####......  two\\x1b (timeout)",
        "  700.000    300.000    30%  ..............######  approval",
        "1000.000 seconds: the model 40%, tools 30%, waiting for approval 30%, the rest 0%",
    ]
