"""The prompts of a model: the conversation in plain messages, and before it what the model is to write.

Every chat template has messages of the system, the user and the assistant; many have no others. So calls and results are told in these.
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
"""What stands for an answer in words, where the model chooses what to do."""


_LONGEST: Final = 2000
"""Characters of a line of what is told of a tool."""


_NOTICE: Final = "\n\nTool-call rounds left:"
"""What an agent's notice begins with, at the end of a result: very small models take its number for the result."""


def conversation(messages: Sequence[Message], told: str = "", result: str = "Result of {name}: {text}") -> list[Plain]:
    """Return messages as plain ones.

    Args:
        messages: The conversation.
        told: What the system says to begin with, beside what it says there.
        result: How the result of a call is told.
    """
    plain = [_plain(message, result) for message in messages]
    if told and plain and plain[0]["role"] == "system":
        return [{"role": "system", "content": f"{plain[0]['content']}\n\n{told}"}, *plain[1:]]
    return [*([{"role": "system", "content": told}] if told else []), *plain]


def choice_told(tools: Sequence[Tool], other: str | None) -> str:
    """Return what is said where the model is to choose.

    Args:
        tools: What it may choose.
        other: The word for an answer in words; None where it must call.
    """
    lines = [f"- {tool.name}: {_one_line(tool.description)}" for tool in tools]
    if other is not None:
        lines.append(f"- {other}: Talk to the user, who asks for nothing of these, or has the result already.")
    return "\n".join(["Name the function that does what the user asks for:", *lines])


def arguments_told(tool: Tool) -> str:
    """Return what is said where the model is to write arguments. Of the ways that were tried, the one that most were right by."""
    lines = (_shortened(line) for line in tool.definition("text").splitlines())
    return "\n".join(["Extract the arguments of this function from the text of the user, as JSON:", *lines])


TO_ANSWER: Final = "The result of {name} is {text}. Answer my question with it."
"""How a result is told where the answer is to be in words. Of the ways that were tried, the one that was answered most plainly."""


def _plain(message: Message, result: str) -> Plain:
    if message.role == "tool":
        name, text = message.name or "the call", message.text.partition(_NOTICE)[0]
        return {"role": "user", "content": result.replace("{name}", name).replace("{text}", text)}
    calls = [f"{call.name}({_arguments(call.arguments)})" for call in message.tool_calls]
    return {"role": message.role, "content": "\n".join(filter(None, [message.text, *calls]))}


def _arguments(arguments: Mapping[str, Any] | str | None) -> str:
    return (
        arguments if isinstance(arguments, str) else json.dumps(dict(arguments or {}), ensure_ascii=False, default=str)
    )


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _shortened(line: str) -> str:
    """Return the beginning of a line that is long, as where it lists the values of a large enum; the decoder has them all."""
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]} …"
