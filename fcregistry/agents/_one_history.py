"""How do the conversations of one run become one? One after another, and every call keeps, or gets, an id that no other call has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fcregistry._base.call import ToolCall

if TYPE_CHECKING:
    from fcregistry.models import Message


def continued(history: Sequence[Message], messages: Sequence[Message]) -> list[Message]:
    """Return a history with more messages after it.

    Args:
        history: The messages before.
        messages: What was said then, elsewhere: calls have ids of their own among these.
    """
    taken = ids_in(history)
    given: dict[str, str] = {}
    for identity in ids_in(messages):
        given[identity] = free_id(identity, taken)
    if all(identity == other for identity, other in given.items()):
        return [*history, *messages]
    return [*history, *(_renamed(message, given) for message in messages)]


def ids_in(messages: Sequence[Message]) -> dict[str, None]:
    """Return the ids of the calls in messages, in their order."""
    return dict.fromkeys(call.id or "" for message in messages for call in message.tool_calls)


def free_id(identity: str, taken: dict[str, None]) -> str:
    """Return an id that no other call has, which is taken from then on: this one, if it is free."""
    free, count = identity, 1
    while free in taken:
        count += 1
        free = f"{identity}_{count}"
    taken[free] = None
    return free


def _renamed(message: Message, given: dict[str, str]) -> Message:
    """Return a message with other ids. What a provider wrote of it has the old ones, and is left out."""
    if message.tool_calls:
        calls = tuple(ToolCall(call.name, call.arguments, given[call.id or ""]) for call in message.tool_calls)
        return message.replaced(tool_calls=calls, native={})
    identity = message.tool_call_id
    return message if identity is None else message.replaced(tool_call_id=given.get(identity, identity))
