"""What `ask` shows of a run: plans, progress, texts of models and tools, and the timeline."""

from __future__ import annotations

import sys
from collections.abc import Callable

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
    Step,
    StepBegan,
    StepEnded,
    Text,
    Thinking,
)
from fcregistry.cli._ask_screen import (  # what is drawn for each event, and escaping alone; no public name draws
    Screen,
    Timeline,
    call_line,
    escaped,
    indented,
)
from fcregistry.execution import CallError, Partial, Progress

CALL = ToolCall("lookup", {"query": "a"}, "1")


Show = Callable[..., str]


@pytest.fixture
def show(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Show:
    """Return a function that returns what a screen shows of events, without the lines for requests."""

    def show(*events: Event, streams: bool = False) -> str:
        monkeypatch.setattr(sys.stderr, "isatty", lambda: not streams, raising=False)
        monkeypatch.setenv("TERM", "dumb")
        with Screen("a:b", streams=streams) as screen:
            for event in events:
                screen.show(event)
        return capsys.readouterr().err.replace("asking a:b …\n", "")

    return show


def test_plans_and_steps_are_shown(show: Show) -> None:
    assert show(
        Planned(steps=("look\nit up", "answer\x1b[2J")),
        StepBegan(index=0, text="look it up"),
        StepEnded(index=0, text="found"),
        StepEnded(index=1, text="one\ntwo", ok=False),
    ) == (
        "plan:\n  1. look it up\n  2. answer\\x1b[2J\n"
        "step 1: look it up\n"
        "step 1 is done: found\n"
        "step 2 failed:\n  one\n  two\n"
    )


RETURNED = Returned(result=ToolResult(CALL, error=CallError("timeout", "too late"), content="too late"))


def test_progress_is_shown_while_a_call_runs(show: Show) -> None:
    assert show(
        Calling(call=CALL),
        Progressed(call=CALL, progress=Progress(fraction=0.5, message="half\x07")),
        Progressed(call=CALL, progress=Partial(value={"a": 1})),
        RETURNED,
    ).splitlines() == [
        'call lookup {"query": "a"}',
        "  lookup: 50% half\\x07",
        '  lookup: {"a": 1}',
        "  lookup (timeout): too late",
    ]


def test_the_run_waits_for_the_calls_that_run_or_else_for_the_model() -> None:
    screen = Screen("a:b", streams=True)
    waits = [screen.waiting_for]
    for event in (Calling(call=CALL), Calling(call=ToolCall("sum", {}, "2")), RETURNED):
        screen.show(event)
        waits.append(screen.waiting_for)

    assert waits == ["asking a:b", "running lookup", "running lookup, sum", "running sum"]


def test_text_is_shown_whole_unless_it_is_the_answer(show: Show) -> None:
    """If there is no answer, it is all there is."""
    written = (Thinking(text="Let "), Thinking(text="me see"), Text(text="Look"), Text(text="ing"))
    cut_off = RunResult(answer="Looking", stop_reason="length")

    assert show(*written, Calling(call=CALL)).splitlines()[:2] == ["thinking: Let me see", "Looking"]
    assert show(*written, Finished(result=RunResult(answer="Looking"))) == "thinking: Let me see\n"
    assert show(*written, Finished(result=cut_off)) == "thinking: Let me see\nLooking\n"


def test_pieces_are_shown_as_they_come(show: Show) -> None:
    pieces = (Thinking(text="Let "), Thinking(text="me"), Text(text="Look"), Finished(result=RunResult(answer="Look")))

    assert show(*pieces, streams=True) == "thinking: Let me\nLook\n"


def test_a_line_of_pieces_ends_also_if_it_is_empty(show: Show) -> None:
    """As of models that open their thinking and close it again; the next text begins a line of its own."""
    shown = show(Thinking(text=" "), Text(text="Look"), Calling(call=CALL), streams=True)

    assert shown == 'thinking:  \nLook\ncall lookup {"query": "a"}\n'


def test_nothing_is_shown_off_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    screen = Screen("a:b", streams=False)
    screen.show(Text(text="Look"))
    screen.show(Calling(call=CALL))

    assert not screen.has_shown("Look")
    assert capsys.readouterr().err == ""


def test_what_a_terminal_would_obey_is_escaped() -> None:
    assert escaped("a\r\nb\x1b[2J\x9b\u202e\tc\r") == "a\nb\\x1b[2J\\x9b\\u202e\tc\\r"
    assert escaped("half \ud83d") == "half \\ud83d"


def test_what_nobody_sees_is_shown_in_calls_and_results() -> None:
    assert call_line(ToolCall("lookup", {"query": "a\u200b⚠\ufe0f"}, "1")) == r'lookup {"query": "a\u200b⚠\ufe0f"}'
    assert indented("x:", "a\u200b\U000e0041 ⚠\ufe0f") == "x: a\\u200b\\U000e0041 ⚠\ufe0f"


def test_long_texts_are_cut_and_say_so() -> None:
    assert indented("x:", "a" * 601) == f"x: {'a' * 600} … (601 characters)"
    assert indented("x:", "a\n" * 13).splitlines()[-1] == "  a … (25 characters)"
    assert indented("x:", "a\nb\n") == "x:\n  a\n  b"
    assert indented("x:", " ") == "x: (nothing)"
    assert call_line(ToolCall("lookup", '{"query":\n "a"}', "1")) == 'lookup {"query": "a"}'


def test_the_timeline_says_whose_the_time_was() -> None:
    """The calls of one message begin together, and count once."""
    timeline = Timeline("a:b")
    timeline.add("start", "start", 100)
    late = ToolResult(ToolCall("two\x1b", {}), error=CallError("timeout", "too late"), content="", duration=200.0)
    done = ToolResult(ToolCall("one", {}), value=1, content="1", duration=100)
    timeline.add_steps((Step(kind="model", seconds=300), Step(kind="tools", seconds=200, results=(done, late))))
    timeline.add_steps((Step(kind="plan", seconds=300),))
    timeline.add("approval", "approval", 400)

    assert list(timeline.lines()) == [
        "    START    SECONDS  SHARE                        WHAT",
        "    0.000    100.000    10%  ##..................  start",
        "  100.000    300.000    30%  ..######............  a:b",
        "  400.000    100.000    10%  ........##..........  one",
        "  400.000    200.000    20%  ........####........  two\\x1b (timeout)",
        "  600.000    400.000    40%  ............########  approval",
        "1000.000 seconds: the start 10%, the model 30%, tools 20%, waiting for approval 40%, the rest 0%",
    ]
