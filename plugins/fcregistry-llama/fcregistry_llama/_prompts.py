"""The prompts of a model: instructions, and the conversation in plain messages.

Every chat template has system, user and assistant messages; many have no others. So calls and results are written as these.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from fcregistry import Tool
    from fcregistry.models import Message

Plain = dict[str, str]

ANSWER: Final = "answer"
"""The word for an answer in text, when the model chooses what to do."""


_LONGEST: Final = 2000
"""The most characters of a line in the description of a tool."""


_NOTICE: Final = "\n\nTool-call rounds left:"
"""The start of an agent's notice at the end of a result. It is left out: very small models take its number for the result."""


def conversation(
    messages: Sequence[Message], instructions: str = "", result: str = "Result of {name}: {text}"
) -> list[Plain]:
    """Return the conversation `messages` in system, user and assistant messages.

    Args:
        messages: The conversation.
        instructions: Instructions to add to the system message.
        result: The text for the result of a call, with `{name}` and `{text}`.
    """
    plain = [_plain(message, result) for message in messages]
    if instructions and plain and plain[0]["role"] == "system":
        return [{"role": "system", "content": f"{plain[0]['content']}\n\n{instructions}"}, *plain[1:]]
    return [*([{"role": "system", "content": instructions}] if instructions else []), *plain]


def choice_instructions(tools: Sequence[Tool], other: str | None) -> str:
    """Return the instructions to choose a tool.

    Args:
        tools: The tools to choose from.
        other: The word for an answer in text; None if the model must call a tool.
    """
    lines = [f"- {tool.name}: {_one_line(tool.description)}" for tool in tools]
    if other is not None:
        lines.append(f"- {other}: Talk to the user, who asks for nothing of these, or has the result already.")
    return "\n".join(["Name the function that does what the user asks for:", *lines])


def arguments_instructions(tool: Tool) -> str:
    """Return the instructions to write arguments, in the wording that gave the most right answers."""
    lines = (_shorten(line) for line in tool.definition("text").splitlines())
    return "\n".join(["Extract the arguments of this function from the text of the user, as JSON:", *lines])


TO_ANSWER: Final = "The result of {name} is {text}. Answer my question with these values, in one sentence."
"""The text for a result when the answer is to be text, in the wording that gave the plainest answers."""


def _plain(message: Message, result: str) -> Plain:
    """Return `message` as a plain message; `result` is the text for the result of a call."""
    if message.role == "tool":
        name, text = message.name or "the call", message.text.partition(_NOTICE)[0]
        return {"role": "user", "content": result.replace("{name}", name).replace("{text}", text)}
    calls = [f"{call.name}({_arguments(call.arguments)})" for call in message.tool_calls]
    return {"role": message.role, "content": "\n".join(filter(None, [message.text, *calls]))}


def _arguments(arguments: Mapping[str, Any] | str | None) -> str:
    """Return `arguments` as JSON text."""
    return (
        arguments if isinstance(arguments, str) else json.dumps(dict(arguments or {}), ensure_ascii=False, default=str)
    )


def _one_line(text: str) -> str:
    """Return `text` on one line, with single spaces."""
    return " ".join(text.split())


def _shorten(line: str) -> str:
    """Return `line`, cut if it is long.

    It may have the values of a large enum, all of which the decoder knows.
    """
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]} …"
