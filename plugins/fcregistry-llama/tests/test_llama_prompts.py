"""What the model is told of a conversation and of tools, in messages that every chat template has."""

from __future__ import annotations

from fcregistry import Tool
from fcregistry.models import messages_of

from fcregistry_llama._prompts import arguments_instructions, choice_instructions, conversation

CALLING = [
    {"role": "system", "content": "You are brief."},
    {"role": "user", "content": "The weather in Oslo?"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "1", "type": "function", "function": {"name": "look", "arguments": '{"at": "sky"}'}}],
    },
    {"role": "tool", "tool_call_id": "1", "name": "look", "content": "clear"},
]


def look(at: str) -> str:
    """Look at something.

    Args:
        at: Where to look.
    """
    return at


def test_calls_and_results_are_written_in_words() -> None:
    told = conversation(messages_of(CALLING))
    assert [message["role"] for message in told] == ["system", "user", "assistant", "user"]
    assert told[2]["content"] == 'look({"at": "sky"})'
    assert told[3]["content"] == "Result of look: clear"


def test_the_first_system_message_says_what_to_write() -> None:
    assert conversation(messages_of(CALLING), "Write JSON.")[0]["content"] == "You are brief.\n\nWrite JSON."
    first, second = conversation(messages_of("Hello"), "Write JSON.")
    assert (first["role"], first["content"], second["role"]) == ("system", "Write JSON.", "user")


def test_a_choice_lists_the_tools_and_the_word_for_an_answer() -> None:
    tool = Tool.from_function(look)
    assert "- look: Look at something." in choice_instructions([tool], None).splitlines()
    assert choice_instructions([tool], "answer").splitlines()[-1].startswith("- answer: ")


def test_arguments_are_asked_for_with_the_signature_and_what_it_means() -> None:
    lines = arguments_instructions(Tool.from_function(look)).splitlines()
    assert lines[1] == "look(at: string)"
    assert any("Where to look." in line for line in lines)


def test_a_very_long_line_is_shown_in_part() -> None:
    values = {"enum": [f"value {number}" for number in range(2000)]}
    parameters = {"type": "object", "properties": {"value": values}, "required": ["value"]}
    tool = Tool.from_function(lambda **given: given, name="take", description="Take.", parameters=parameters)
    assert max(map(len, arguments_instructions(tool).splitlines())) < 2100
