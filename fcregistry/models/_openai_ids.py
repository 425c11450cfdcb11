"""Which call does a result answer, in a conversation with a provider that tells them apart by ids? Those without one are given one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from operator import is_
from typing import TYPE_CHECKING

from fcregistry._base.call import ToolCall

if TYPE_CHECKING:
    from fcregistry.models._messages import Message


def with_ids(messages: Sequence[Message]) -> list[Message]:
    """Return a conversation in which every call and every result has an id: `call_1`, `call_2`, … where it had none.

    A result without an id answers the first call that has no answer yet: of its name, where it has one, else of all.
    """
    taken = {call.id for message in messages for call in message.tool_calls}
    fresh = (made for number in count(1) if (made := f"call_{number}") not in taken)
    waiting: list[ToolCall] = []
    given: list[Message] = []
    for message in messages:
        if message.tool_calls:
            waiting = [_with_id(call, fresh) for call in message.tool_calls]
            same = all(map(is_, waiting, message.tool_calls))
            given.append(message if same else message.replaced(tool_calls=tuple(waiting)))
        elif message.role == "tool":
            given.append(_answering(message, waiting, fresh))
        else:
            given.append(message)
    return given


def _with_id(call: ToolCall, fresh: Iterator[str]) -> ToolCall:
    return call if call.id else ToolCall(call.name, call.arguments, next(fresh))


def _answering(message: Message, waiting: list[ToolCall], fresh: Iterator[str]) -> Message:
    """Return a result with the id of the call that it answers, which waits no longer."""
    answered = _answered(message, waiting)
    if answered is not None:
        waiting.remove(answered)
    if message.tool_call_id:
        return message
    return message.replaced(tool_call_id=answered.id if answered else next(fresh))


def _answered(message: Message, waiting: list[ToolCall]) -> ToolCall | None:
    if message.tool_call_id:
        return next((call for call in waiting if call.id == message.tool_call_id), None)
    of_name = [call for call in waiting if call.name == message.name]
    return next(iter(of_name or waiting), None)
