"""Called as a model calls them, the tools read and write JSON numbers, and wrong arguments are refused before they run."""

import pytest
from fcregistry import Executor

from fcregistry_calculator.tools import add_up, divide, multiply, power, subtract

TOOLS = {tool.__name__: tool for tool in (add_up, divide, multiply, power, subtract)}


@pytest.fixture(scope="module")
def executor() -> Executor:
    """An executor that may call all tools."""
    return Executor(list(TOOLS.values()))


@pytest.mark.parametrize(
    ("name", "arguments", "content"),
    [
        ("multiply", '{"a": 12, "b": 13}', "156"),
        ("multiply", '{"a": 12.0, "b": 13.0}', "156"),
        ("multiply", '{"a": 123456789012345678901, "b": 10}', "1234567890123456789010"),
        ("divide", '{"a": 1, "b": 4}', "0.25"),
        ("subtract", '{"a": 0.3, "b": 0.1}', "0.2"),
        ("add_up", '{"numbers": [20, 8]}', "28"),
        ("power", '{"base": 2, "exponent": 10}', "1024"),
    ],
)
def test_a_model_reads_the_number_alone(executor: Executor, name: str, arguments: str, content: str) -> None:
    """Digit for digit, with no `.0` behind a whole number."""
    assert executor.run({"name": name, "arguments": arguments}).content == content


@pytest.mark.parametrize("name", TOOLS)
def test_the_tools_say_what_they_are(executor: Executor, name: str) -> None:
    """None changes anything or uses a network, and all give the same answer again."""
    tool = executor.tools[name]
    assert (tool.group, tool.options.tags) == ("tool", ("math",))
    assert (tool.options.read_only, tool.options.idempotent, tool.options.open_world) == (True, True, False)


@pytest.mark.parametrize(
    ("name", "arguments", "path"),
    [
        ("multiply", {"a": "12", "b": 13}, "$.a"),
        ("multiply", {"a": True, "b": 13}, "$.a"),
        ("multiply", {"a": 12}, "$.b"),
        ("add_up", {"numbers": []}, "$.numbers"),
        ("add_up", {"numbers": [1] * 1001}, "$.numbers"),
        ("add_up", {"numbers": [1, None]}, "$.numbers[1]"),
    ],
)
def test_wrong_arguments_are_refused(executor: Executor, name: str, arguments: dict[str, object], path: str) -> None:
    """The refusal says which argument is wrong."""
    result = executor.run({"name": name, "arguments": arguments})
    assert result.error is not None
    assert result.error.code == "invalid_arguments"
    assert path in result.content


def test_a_refusal_reaches_the_model(executor: Executor) -> None:
    """The message is what the tool wrote, with what to do instead."""
    result = executor.run({"name": "divide", "arguments": {"a": 1, "b": 0}})
    assert result.error is not None
    assert result.error.code == "tool_failed"
    assert "Nothing can be divided by zero. Check the divisor" in result.content
