"""What is a conversation for a model that reads and writes text alone? Messages of plain text, with tools, calls and results told in its dialect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from fcregistry._base.call import ToolCall
from fcregistry._tools.tool import Tool
from fcregistry.dialects._chat_formats import broken_up, broken_up_in
from fcregistry.models._messages import Message, arguments_text

if TYPE_CHECKING:
    from fcregistry.dialects import Dialect
    from fcregistry.models._model import ToolChoice


def worded(messages: Sequence[Message], dialect: Dialect, system: str) -> list[dict[str, Any]]:
    """Return messages of which each is a text of the system, the user or the assistant.

    Args:
        messages: The conversation.
        dialect: What the model's calls are written in. Results are told in a message of the user: not every format has another place for them.
        system: What is added to the first message of the system; may be empty.
    """
    names = {call.id or "": call.name for message in messages for call in message.tool_calls}
    told: list[dict[str, Any]] = []
    for place, message in enumerate(messages):
        if message.role != "tool":
            told.append({"role": message.role, "content": _text(message, dialect)})
            continue
        name = message.name or names.get(message.tool_call_id or "", "")
        result = dialect.render_result(name, message.text, message.tool_call_id)
        if place and messages[place - 1].role == "tool":
            told[-1]["content"] += f"\n{result}"
        else:
            told.append({"role": "user", "content": result})
    return with_system(told, system)


def unforged(messages: Sequence[Message], markers: tuple[str, ...]) -> Sequence[Message]:
    """Return messages in which none of some markers stands, neither in what was said nor in a call."""
    return [_unforged(message, markers) for message in messages] if markers else messages


def written_by(dialect: Dialect, markers: tuple[str, ...]) -> frozenset[str]:
    """Return those of some markers that a dialect writes itself, around tools, calls and results."""
    tool = Tool.from_function(_nothing)
    call = ToolCall(tool.name, {}, "call_1")
    parts = dialect.render([tool]), _calls_text([call], dialect), dialect.render_result(tool.name, "", call.id)
    return frozenset(marker for marker in markers if any(marker in part for part in parts))


def structured(messages: Sequence[Message], system: str) -> list[dict[str, Any]]:
    """Return messages in the shape of OpenAI's chat, for a template that tells tools, calls and results itself.

    Args:
        messages: The conversation.
        system: What is added to the first message of the system; may be empty.
    """
    told = []
    for message in messages:
        plain = message.replaced(
            content=message.text, reasoning=None, is_error=False, continues=False, native={}
        ).to_dict()
        thought = {"reasoning_content": message.reasoning} if message.reasoning else {}
        told.append({**plain, **thought})
    return with_system(told, system)


def with_system(messages: list[dict[str, Any]], text: str) -> list[dict[str, Any]]:
    """Return messages with a text at the end of the first, if that is the system's; in a message of the system before them, if it is not."""
    if not text:
        return messages
    if messages and messages[0]["role"] == "system":
        first: Mapping[str, Any] = messages[0]
        return [{**first, "content": _joined(first["content"], text, between="\n\n")}, *messages[1:]]
    return [{"role": "system", "content": text}, *messages]


def choice_text(tool_choice: ToolChoice) -> str:
    """Return what a model is told of a choice, which nothing but words can hold it to; nothing where it is free, or has nothing to choose from."""
    if tool_choice in ("auto", "none"):
        return ""
    return f"Answer with a call of {'a tool' if tool_choice == 'required' else f'the tool {tool_choice}'}."


def _nothing() -> None: ...


def _unforged(message: Message, markers: tuple[str, ...]) -> Message:
    calls = tuple(
        ToolCall(broken_up(call.name, markers), broken_up_in(call.arguments, markers), call.id)
        for call in message.tool_calls
    )
    return message.replaced(content=broken_up(message.text, markers), tool_calls=calls)


def _text(message: Message, dialect: Dialect) -> str:
    calls = _calls_text(message.tool_calls, dialect) if message.tool_calls else ""
    return _joined(message.text, calls, between="\n")


def _calls_text(calls: Sequence[ToolCall], dialect: Dialect) -> str:
    try:
        return dialect.render_calls(calls)
    except ValueError:  # it cannot be said in the dialect: it was malformed, or another model made it
        return "\n".join(f"{call.name}({arguments_text(call)})" for call in calls)


def _joined(*texts: str, between: str) -> str:
    return between.join(filter(None, texts))
