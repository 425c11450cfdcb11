"""What is a model shown of a conversation, and how is what it says taken down? With the rounds that are left, and with ids that can be told apart."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

from fcregistry._base.call import ToolCall
from fcregistry.agents._one_history import ids_in
from fcregistry.models import Message

if TYPE_CHECKING:
    from fcregistry.agents._rules import Loop, Talk
    from fcregistry.execution import Content


def shown(loop: Loop, talk: Talk) -> tuple[Message, ...]:
    """Return the request: the instructions, the conversation, and how many rounds are left, at the end of the last result."""
    messages = list(talk.messages)
    left = loop.max_rounds + talk.extra - talk.rounds
    last = messages[-1] if messages else None
    if talk.rounds and left > 0 and last is not None and _tells_results(last, talk):
        messages[-1] = last.replaced(content=_noted(last, f"Tool-call rounds left: {left}."))
    told = loop.instructions
    if loop.expressions is not None:
        told = "\n\n".join(filter(None, (told, loop.expressions.instructions(talk.visible.offered()))))
    if told:
        messages.insert(0, Message(role="system", content=told))
    return tuple(messages)


def _tells_results(last: Message, talk: Talk) -> bool:
    """Tell whether the last message says what came of calls; of expressions, the user says it."""
    return last.role == "tool" or (last.role == "user" and bool(talk.steps) and talk.steps[-1].kind == "tools")


def _noted(message: Message, note: str) -> str | tuple[Content, ...]:
    from fcregistry.execution import Content  # only for results with parts

    if isinstance(message.content, tuple):
        return (*message.content, Content.text(note))
    return f"{message.content or ''}\n\n{note}"


def with_ids(message: Message, talk: Talk) -> Message:
    """Return a message whose calls can be told apart by their ids: one that has none, or another's, gets one."""
    known = {*talk.taken, *ids_in(talk.messages)} if message.tool_calls else set()
    free = (name for place in count(1) if (name := f"call_{place}") not in known)
    given: list[ToolCall] = []
    for call in message.tool_calls:
        own = call.id if call.id and call.id not in known else next(free)
        known.add(own)
        given.append(call if own == call.id else ToolCall(call.name, call.arguments, own))
    if all(new is old for new, old in zip(given, message.tool_calls, strict=True)):
        return message
    return message.replaced(tool_calls=tuple(given), native={})  # what the provider wrote has the other ids
