"""Histories as they are sent: each call has one result, right after the message that makes it.

Providers refuse any other history with the status 400, and then each later request of the conversation. A history from elsewhere may be such a one:
its program ended before a call had its result, or it was cut between a call and its result. What is sent is repaired; the caller's messages are not
changed.

Sources: OpenAI API reference, "Chat Completions", messages; OpenAI guide "Function calling"; Claude guide "Handle tool calls".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from fcregistry._base.call import ToolCall
from fcregistry.errors import ApprovalError
from fcregistry.models import CallIds, Message

_NOT_KNOWN: Final = "The call has no result in this conversation: its result is not known, and it may have run."
_LONE: Final = "A result of {tool}, whose call is not in this conversation:"

_Place: TypeAlias = tuple[int, int]
"""The place of a call: the position of its message, and its position in the message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedHistory:
    """What is sent in place of a history.

    Attributes:
        replaced: How many messages of the history, from the first one on, are replaced: all, or none if it is sent as it is.
        messages: The messages that replace them.
        repairs: What was repaired, in words and numbers; empty if nothing was.
    """

    replaced: int = 0
    messages: tuple[Message, ...] = ()
    repairs: str = ""

    def log(self, model: str) -> None:
        """Log what was repaired in a conversation with `model`, if anything was."""
        if self.repairs:
            from logging import getLogger  # only if something was repaired

            message = "%s is sent a conversation that was repaired (%s); the conversation itself is not changed"
            getLogger("fcregistry").warning(message, model, self.repairs)


class LoggedHistory(list[Message]):
    """A history whose repairs were logged: a conversation is sent again in each turn."""


def pair_results(messages: Sequence[Message]) -> PairedHistory:
    """Return what is sent in place of a history.

    A call without a result gets one that says so. A result without a call becomes text, as does a second result of a call. A result that is
    elsewhere is moved to its call, and the results of one message have the order of its calls. A call with the id of an earlier call gets one of its
    own.

    Args:
        messages: The history.

    Raises:
        ApprovalError: A call without a result is one of a suspended run.
    """
    if _is_paired(messages):
        return PairedHistory()
    pairs = _Pairs(messages)
    ids = _DistinctIds(messages)
    sent: list[Message] = []
    for place, message in enumerate(messages):
        if message.role == "tool":  # sent after its call, unless it has none
            sent += [_as_text(message)] if place in pairs.lone else []
            continue
        if message.suspended and (waiting := pairs.open_calls(place, message)):
            which = ", ".join(repr(call.id) for call in waiting)
            raise ApprovalError(
                f"calls of this conversation wait for a decision: {which}; resume it first, with the state of its run "
                "(agent.resume), or leave out the message that makes them"
            )
        distinct = ids.distinct(message)
        sent += [distinct, *pairs.results_of(place, distinct)]
    counts = {
        "calls without a result": len(pairs.open),
        "results without a call": len(pairs.lone),
        "results that were not right after their call": pairs.moved,
        "calls with the id of an earlier call": ids.changed,
    }
    repairs = ", ".join(f"{what}: {count}" for what, count in counts.items() if count)
    return PairedHistory(replaced=len(messages), messages=tuple(sent), repairs=repairs)


def _is_paired(messages: Sequence[Message]) -> bool:
    """Return whether the calls of each message are followed by their results, in their order.

    This is fast, since most histories are paired: it is all that is done for them.
    """
    seen: set[str] = set()
    calls: Sequence[ToolCall] = ()
    answered = 0
    for message in messages:
        if message.role == "tool":
            if answered == len(calls):
                return False
            call, identity = calls[answered], message.tool_call_id
            if identity != call.id if identity else message.name not in (None, call.name):
                return False
            answered += 1
        elif message.tool_calls or answered < len(calls):
            if answered < len(calls) and not _is_unread(message):  # which may have the results
                return False
            calls, answered = message.tool_calls, 0
            for call in calls:
                if call.id in seen:
                    return False
                if call.id:
                    seen.add(call.id)
    return answered == len(calls)


def _is_unread(message: Message) -> bool:
    """Return whether `message` is in a shape that only the function knows that is the model."""
    return message.role == "user" and message.content is None and bool(message.native)


class _Pairs:
    """The calls of a history with their results.

    A result answers the newest call with its id, or else a call without an id; without an id, it answers the newest call of its name, or else the
    newest call. In each case, the first such call of a message.

    Args:
        messages: The history.

    Attributes:
        open: The places of calls without a result, in order.
        lone: The positions of results without a call.
        moved: The number of results that are not right after the message of their call.
    """

    def __init__(self, messages: Sequence[Message]) -> None:
        self.open: dict[_Place, ToolCall] = {}
        self.lone: set[int] = set()
        self.moved = 0
        self._results: dict[_Place, Message] = {}
        self._found: defaultdict[tuple[str, str], list[_Place]] = defaultdict(list)
        caller = -1  # the position of the message whose results may follow
        for position, message in enumerate(messages):
            if message.role == "tool":
                place = self._call_of(message)
                if place is None:
                    self.lone.add(position)
                else:
                    del self.open[place]
                    self._results[place] = message
                    self.moved += place[0] != caller
                continue
            if _is_unread(message):  # which may have the results
                self.open.clear()
            self._add_calls(position, message)
            caller = position

    def open_calls(self, position: int, message: Message) -> list[ToolCall]:
        """Return the calls of `message`, which is at `position` in the history, that have no result."""
        return [call for index, call in enumerate(message.tool_calls) if (position, index) in self.open]

    def results_of(self, position: int, message: Message) -> Iterator[Message]:
        """Yield the results of the calls of `message`, which is at `position` in the history, in their order."""
        for index, call in enumerate(message.tool_calls):
            result = self._results.get((position, index))
            if result is not None:
                yield result if result.tool_call_id == call.id else result.replaced(tool_call_id=call.id)
            elif (position, index) in self.open:
                yield Message(role="tool", content=_NOT_KNOWN, tool_call_id=call.id, name=call.name, is_error=True)

    def _add_calls(self, position: int, message: Message) -> None:
        """Add the calls of `message`, which is at `position` in the history; they have no result yet."""
        places = [((position, index), call) for index, call in enumerate(message.tool_calls)]
        self.open.update(places)
        for place, call in reversed(places):  # the last one is found first
            identity = ("id", call.id) if call.id else ("no id", "")
            for key in (identity, ("name", call.name), ("any", "")):
                self._found[key].append(place)

    def _call_of(self, result: Message) -> _Place | None:
        """Return the place of the call without a result that `result` answers, or None if there is none."""
        identity = result.tool_call_id
        for key in (("id", identity), ("no id", "")) if identity else (("name", result.name or ""), ("any", "")):
            places = self._found[key]
            while places and places[-1] not in self.open:
                places.pop()
            if places:
                return places[-1]
        return None


class _DistinctIds:
    """Gives each call of a history an id that no other call has.

    Args:
        messages: The history.

    Attributes:
        changed: The number of calls that had the id of an earlier call.
    """

    def __init__(self, messages: Sequence[Message]) -> None:
        self.changed = 0
        self._new = CallIds(call.id for message in messages for call in message.tool_calls)
        self._seen: set[str] = set()

    def distinct(self, message: Message) -> Message:
        """Return `message` with a new id for each call that has none, or that of an earlier call.

        If no id changes, `message` itself is returned; else `native` is dropped, since it has the old ids.
        """
        calls = tuple(map(self._with_own_id, message.tool_calls))
        is_same = all(new is old for new, old in zip(calls, message.tool_calls, strict=True))
        return message if is_same else message.replaced(tool_calls=calls, native={})

    def _with_own_id(self, call: ToolCall) -> ToolCall:
        """Return `call`, with a new id if it has none, or that of an earlier call."""
        if call.id and call.id not in self._seen:
            self._seen.add(call.id)
            return call
        self.changed += bool(call.id)
        return ToolCall(call.name, call.arguments, self._new.new())


def _as_text(result: Message) -> Message:
    """Return `result`, which has no call, as a message of the user, with all parts of its content."""
    heading = _LONE.format(tool=result.name or "a tool")
    if not isinstance(result.content, tuple):
        return Message(role="user", content=f"{heading}\n{result.text}", continues=True)
    from fcregistry.execution import Content  # only for results with parts

    return Message(role="user", content=(Content.text(heading), *result.content), continues=True)
