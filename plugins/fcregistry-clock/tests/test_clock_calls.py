"""Called as a model calls them, the tools read and write ISO 8601, and wrong arguments are refused before they run."""

import json

import pytest
from fcregistry import Executor

from fcregistry_clock.tools import convert_time, current_time, next_weekday, time_difference

TOOLS = {tool.__name__: tool for tool in (convert_time, current_time, next_weekday, time_difference)}


@pytest.fixture(scope="module")
def executor() -> Executor:
    """An executor that may call all tools."""
    return Executor(list(TOOLS.values()))


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        (
            "convert_time",
            {"time": "2026-03-02T09:00:00", "from_zone": "America/New_York", "to_zone": "Asia/Tokyo"},
            {"time": "2026-03-02T23:00:00+09:00", "zone": "Asia/Tokyo", "weekday": "monday", "daylight_saving": False},
        ),
        (
            "time_difference",
            {"start": "2026-03-28T12:00:00", "end": "2026-03-29T12:00:00", "zone": "Europe/Berlin"},
            {"duration": "PT23H", "seconds": 82800.0, "text": "23 hours later"},
        ),
        (
            "next_weekday",
            {"weekday": "friday", "after": "2026-03-02"},
            {"date": "2026-03-06", "weekday": "friday", "days_ahead": 4},
        ),
    ],
)
def test_the_answer_is_json(
    executor: Executor, name: str, arguments: dict[str, object], expected: dict[str, object]
) -> None:
    """Instants, durations, dates and weekdays travel as text in both directions."""
    assert json.loads(executor.run({"name": name, "arguments": arguments}).content) == expected


def test_a_result_can_be_an_argument(executor: Executor) -> None:
    """The time that one tool tells is understood by another, unchanged."""
    now = json.loads(executor.run({"name": "current_time", "arguments": {"zone": "Asia/Kathmandu"}}).content)["time"]
    again = executor.run({"name": "convert_time", "arguments": {"time": now, "to_zone": "Asia/Kathmandu"}})
    assert json.loads(again.content)["time"] == now


def test_an_offset_with_seconds_can_be_an_argument(executor: Executor) -> None:
    """Berlin was 53 minutes and 28 seconds ahead of UTC before it had standard time."""
    arguments = {"time": "1890-01-01T00:00:00Z", "to_zone": "Europe/Berlin"}
    berlin = json.loads(executor.run({"name": "convert_time", "arguments": arguments}).content)["time"]
    back = executor.run({"name": "convert_time", "arguments": {"time": berlin, "to_zone": "UTC"}})
    assert berlin == "1890-01-01T00:53:28+00:53:28"
    assert json.loads(back.content)["time"] == "1890-01-01T00:00:00+00:00"


@pytest.mark.parametrize("name", TOOLS)
def test_the_declared_examples_run(executor: Executor, name: str) -> None:
    """What a tool shows as an example is a call that succeeds."""
    examples = executor.tools[name].options.examples
    results = [executor.run({"name": name, "arguments": dict(example)}) for example in examples]
    assert [result.ok for result in results] == [True] * len(examples)
    assert results


@pytest.mark.parametrize("name", TOOLS)
def test_the_tools_say_what_they_are(executor: Executor, name: str) -> None:
    """None changes anything or uses a network; all but the current time give the same answer again."""
    tool = executor.tools[name]
    assert (tool.group, tool.options.tags) == ("tool", ("time",))
    assert (tool.options.read_only, tool.options.open_world) == (True, False)
    assert tool.options.idempotent is (None if name == "current_time" else True)


@pytest.mark.parametrize(
    ("name", "arguments", "path"),
    [
        ("next_weekday", {"weekday": "Friday", "after": "2026-03-02"}, "$.weekday"),
        ("next_weekday", {"weekday": "friday", "after": "2026-02-29"}, "$.after"),
        ("convert_time", {"time": "9 o'clock", "to_zone": "UTC"}, "$.time"),
        ("current_time", {"zone": 1}, "$.zone"),
    ],
)
def test_wrong_arguments_are_refused(executor: Executor, name: str, arguments: dict[str, object], path: str) -> None:
    """The refusal says which argument is wrong."""
    result = executor.run({"name": name, "arguments": arguments})
    assert result.error is not None
    assert result.error.code == "invalid_arguments"
    assert path in result.content


def test_a_refusal_reaches_the_model(executor: Executor) -> None:
    """The message is what the tool wrote, with what to send instead."""
    result = executor.run({"name": "current_time", "arguments": {"zone": "Europe/Berln"}})
    assert not result.ok
    assert "Close matches: Europe/Berlin" in result.content
