"""Called as a model calls them, the tools take and give JSON, and wrong arguments are refused before they run."""

import json

import pytest
from fcregistry import Executor

from fcregistry_weather.tools import get_current_weather, get_n_day_weather_forecast

TOOLS = {tool.__name__: tool for tool in (get_current_weather, get_n_day_weather_forecast)}


@pytest.fixture(scope="module")
def executor() -> Executor:
    """An executor that may call both tools."""
    return Executor(list(TOOLS.values()))


def test_the_answer_is_json_with_numbers(executor: Executor) -> None:
    """The text for the model parses, and the temperature in it is a number."""
    result = executor.run({"name": "get_current_weather", "arguments": {"location": "Tokyo", "unit": "celsius"}})
    assert json.loads(result.content)["temperature"] == 24.0
    assert "not live" in result.content


@pytest.mark.parametrize("name", TOOLS)
def test_the_declared_examples_run(executor: Executor, name: str) -> None:
    """What a tool shows as an example is a call that succeeds."""
    examples = executor.tools[name].options.examples
    results = [executor.run({"name": name, "arguments": dict(example)}) for example in examples]
    assert [result.ok for result in results] == [True] * len(examples)
    assert results


@pytest.mark.parametrize("name", TOOLS)
def test_the_tools_say_what_they_are(executor: Executor, name: str) -> None:
    """A caller can tell that nothing is changed and no network used, and a model that the data is no live weather."""
    tool = executor.tools[name]
    assert (tool.group, tool.options.tags) == ("tool", ("weather",))
    assert (tool.options.read_only, tool.options.idempotent, tool.options.open_world) == (True, True, False)
    assert "sample data" in tool.description


@pytest.mark.parametrize("num_days", [0, 15, -1, 2.5, "3", True])
def test_the_number_of_days_is_checked(executor: Executor, num_days: object) -> None:
    """A forecast has 1 to 14 days, a whole number."""
    arguments = {"location": "Tokyo", "num_days": num_days}
    result = executor.run({"name": "get_n_day_weather_forecast", "arguments": arguments})
    assert result.error is not None
    assert result.error.code == "invalid_arguments"
    assert "$.num_days" in result.content


def test_the_unit_is_checked(executor: Executor) -> None:
    """Two units are known; the refusal names both."""
    result = executor.run({"name": "get_current_weather", "arguments": {"location": "Tokyo", "unit": "kelvin"}})
    assert result.error is not None
    assert result.error.code == "invalid_arguments"
    assert '"fahrenheit", "celsius"' in result.content


def test_an_unknown_city_reaches_the_model(executor: Executor) -> None:
    """The message is what the tool wrote, hints included."""
    result = executor.run({"name": "get_current_weather", "arguments": {"location": "Tokio"}})
    assert not result.ok
    assert "Close matches: Tokyo, Japan." in result.content
