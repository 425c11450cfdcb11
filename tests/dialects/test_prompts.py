"""Tools, results and calls as the chat templates of models write them."""

from __future__ import annotations

import pytest

from fcregistry import Tool, ToolCall, dialects


def look(city: str) -> str:
    """Look it up."""
    return city


LOOK = Tool.from_function(look)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        (
            "command-r",
            '<|START_TOOL_RESULT|>[\n    {"tool_call_id": "0", "results": {"0": "5"}, "is_error": null}\n]<|END_TOOL_RESULT|>',
        ),
        ("deepseek-v3", "<｜tool▁outputs▁begin｜><｜tool▁output▁begin｜>5<｜tool▁output▁end｜><｜tool▁outputs▁end｜>"),
        ("deepseek-v3.1", "<｜tool▁output▁begin｜>5<｜tool▁output▁end｜>"),
        ("hermes", "<tool_response>\n5\n</tool_response>"),
        ("hunyuan", "<tool_response>5</tool_response>"),
        ("kimi-k2", "## Return of 0\n5"),
        ("nemotron", "<TOOL_RESPONSE>[5]</TOOL_RESPONSE>"),
    ],
)
def test_a_result_is_shown_as_the_chat_template_shows_it(name: str, shown: str) -> None:
    assert dialects.get(name).render_result("look", "5", "0") == shown


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("apertus", "Tool Capabilities:\n// Look it up.\ntype look = (_: {\ncity: string,\n}) => "),
        ("deepseek-v3.1", '### look\nDescription: Look it up.\n\nParameters: {"type": "object", '),
        ("glm-4", '# 可用工具\n\n## look\n\n{\n    "name": "look",\n    "description": "Look it up.",\n'),
    ],
)
def test_a_tool_is_shown_as_the_chat_template_shows_it(name: str, shown: str) -> None:
    assert shown in dialects.get(name).render([LOOK])


_OF_COMMAND_R = (
    '<|START_ACTION|>[\n    {"tool_call_id": "0", "tool_name": "look", "parameters": {"city": "a"}},\n'
    '    {"tool_call_id": "1", "tool_name": "look", "parameters": {"city": "b"}}\n]<|END_ACTION|>'
)
_OF_R1 = (
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>look\n```json\n{"city": "a"}\n```<｜tool▁call▁end｜>\n'
    '<｜tool▁call▁begin｜>function<｜tool▁sep｜>look\n```json\n{"city": "b"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>'
)
_OF_V3_1 = (
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>look<｜tool▁sep｜>{"city": "a"}<｜tool▁call▁end｜>'
    '<｜tool▁call▁begin｜>look<｜tool▁sep｜>{"city": "b"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>'
)


@pytest.mark.parametrize(
    ("name", "written"), [("command-r", _OF_COMMAND_R), ("deepseek-r1", _OF_R1), ("deepseek-v3.1", _OF_V3_1)]
)
def test_calls_are_written_as_the_chat_template_writes_them(name: str, written: str) -> None:
    calls = [ToolCall("look", {"city": "a"}), ToolCall("look", {"city": "b"})]
    assert dialects.get(name).render_calls(calls) == written


@pytest.mark.parametrize("dialect", dialects.names())
@pytest.mark.parametrize(
    "name", ["", " look", "a b", "a\nb", "a:0", "a<b", "a{b", "a.b", "ä", "a[ARGS]b", "a<｜tool▁sep｜>b"]
)
def test_a_name_is_written_so_that_it_is_read_again_or_refused(dialect: str, name: str) -> None:
    """A model may have called what no tool is named."""
    asked = dialects.get(dialect)
    shape = {"name": name, "parameters": {"properties": {"city": {"type": "string"}}}}
    try:
        text = asked.render_calls([ToolCall(name, {"city": "a"})])
    except ValueError:
        return
    assert [(call.name, call.arguments) for call in asked.parse(text, [shape]).tool_calls] == [(name, {"city": "a"})]
