"""What the readers and writers of the providers' APIs share: ids of calls and names of calls."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from fcregistry._base.call import ToolCall
from fcregistry.models._messages import CallIds, derived

if TYPE_CHECKING:
    from fcregistry.models._messages import Message

_NOT_IN_NAMES: Final = re.compile(r"[^A-Za-z0-9_-]")
_MAX_NAME: Final = 64
_ID: Final = re.compile(r"[a-zA-Z0-9_-]{1,200}")


def wire_name(name: str) -> str:
    """Return `name`, the name of a call, in the characters and the length that providers accept in a name.

    A model may have called a name that no tool can have.
    """
    return _NOT_IN_NAMES.sub("_", name)[:_MAX_NAME] or "_"


def with_wire_name(item: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """Return a copy of `item`; if its type is `kind`, with a name that the provider accepts.

    A provider wrote the item, which may be a call.
    """
    return {**item, "name": wire_name(str(item.get("name") or ""))} if item.get("type") == kind else dict(item)


def with_call_ids(messages: Sequence[Message], changes_ids: Callable[[Message], bool] | None = None) -> list[Message]:
    """Return the conversation `messages` with ids for all calls and results.

    Missing ids become `call_1`, `call_2`, ….

    A result answers the newest call with its id. Without an id, it answers a call without a result: one with its name, else any.

    Args:
        messages: The conversation, which is not changed.
        changes_ids: Returns whether the calls of a message get new ids if their ids have characters that not every provider accepts, or are ids
            of earlier calls: some providers give the same ids in every answer.
    """
    if _have_ids(messages, changes_ids):
        return list(messages)
    ids = CallIds(call.id for message in messages for call in message.tool_calls)
    used: set[str | None] = set()
    waiting: list[tuple[ToolCall, ToolCall]] = []  # calls without a result, before and after; the newest message first
    given: list[Message] = []
    for message in messages:
        if message.tool_calls:
            is_strict = changes_ids is not None and changes_ids(message)
            calls = []
            for call in message.tool_calls:
                is_kept = call.id and not (is_strict and (call.id in used or not _ID.fullmatch(call.id)))
                calls.append(call if is_kept else ToolCall(call.name, call.arguments, ids.new()))
                used.add(calls[-1].id)
            waiting[:0] = zip(message.tool_calls, calls, strict=True)
            given.append(_with_ids(message, tuple(calls)))
        elif message.role == "tool":
            answered = _call_of_result(message, waiting)
            if answered is not None:
                waiting.remove(answered)
            identity = answered[1].id if answered else message.tool_call_id
            given.append(_with_result_id(message, identity or ids.new()))
        else:
            given.append(message)
    return given


def _have_ids(messages: Sequence[Message], changes_ids: Callable[[Message], bool] | None) -> bool:
    """Return whether `with_call_ids` would change nothing, as for the messages of an agent's run."""
    used: set[str] = set()
    for message in messages:
        if message.role == "tool" and not message.tool_call_id:
            return False
        for call in message.tool_calls:
            if not call.id:
                return False
            if changes_ids is not None:
                if (call.id in used or not _ID.fullmatch(call.id)) and changes_ids(message):
                    return False
                used.add(call.id)
    return True


def _with_ids(message: Message, calls: tuple[ToolCall, ...]) -> Message:
    """Return `message` with `calls`, which may differ in ids from its own; the new message is kept."""
    ids = tuple(call.id for call in calls)
    if ids == tuple(call.id for call in message.tool_calls):
        return message
    return derived(message, ("ids", ids), lambda old: old.replaced(tool_calls=calls))


def _with_result_id(message: Message, id: str) -> Message:
    """Return the result `message` with `id` as the id of its call; a new message is kept."""
    if id == message.tool_call_id:
        return message
    return derived(message, ("id", id), lambda old: old.replaced(tool_call_id=id))


def _call_of_result(message: Message, waiting: Sequence[tuple[ToolCall, ToolCall]]) -> tuple[ToolCall, ToolCall] | None:
    """Return the first pair of `waiting` that the result `message` answers, or None if there is none.

    Each pair is a call before and after it got an id. A result with an id answers only the call that had this id; without one, a call of its
    name, or else the first of all.
    """
    if message.tool_call_id:
        return next((each for each in waiting if each[0].id == message.tool_call_id), None)
    same_name = [each for each in waiting if each[0].name == message.name]
    return next(iter(same_name or waiting), None)
