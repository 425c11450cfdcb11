"""How is a history shortened? From its beginning, by whole turns, so that no call is without its result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from fcregistry.models import Message

_CHARACTERS_A_TOKEN: Final = 4
_TOKENS_A_MESSAGE: Final = 4
_TOKENS_A_PART: Final = 800
"""What an image is about worth; sounds and files may be more."""

CountTokens = Callable[["Message"], int]
"""Says how many tokens a message is."""


def estimated_tokens(message: Message) -> int:
    """Return about how many tokens a message is, for any model: one for four bytes of UTF-8, and some for what holds them."""
    content = message.content
    parts = () if content is None else (content,) if isinstance(content, str) else content
    texts = [part if isinstance(part, str) else part.plain for part in parts]
    said = [text for text in texts if text is not None]
    said += [f"{call.name}{call.arguments}" for call in message.tool_calls]
    size = sum(len(text.encode("utf-8", "replace")) for text in said)
    return _TOKENS_A_MESSAGE + -(-size // _CHARACTERS_A_TOKEN) + _TOKENS_A_PART * texts.count(None)


def shortened(
    messages: Sequence[Message],
    max_messages: int | None = None,
    max_tokens: int | None = None,
    count_tokens: CountTokens = estimated_tokens,
) -> list[Message]:
    """Return the latest turns of a conversation, as many as there is room for. What the system says is always kept, at its place.

    A turn begins with what the user says and lasts until the next time; what an agent says in the user's place goes on with it. So calls and their
    results are never parted, and what is kept begins as a conversation has to. The last turn is kept however long it is.

    Args:
        messages: The conversation.
        max_messages: How many messages there is room for; None for any number.
        max_tokens: How many tokens; None for any number.
        count_tokens: Says how many tokens a message is.
    """
    turns = _turns(messages)
    fixed = [message for message in messages if message.role == "system"]
    room = _Room(max_messages, max_tokens, count_tokens)
    room.take(fixed)
    kept = 0
    for turn in reversed(turns):
        room.take([messages[place] for place in turn])
        if kept and not room.is_left:
            break
        kept += 1
    places = {place for turn in turns[len(turns) - kept :] for place in turn}
    return [message for place, message in enumerate(messages) if message.role == "system" or place in places]


class _Room:
    """How much there is room for."""

    def __init__(self, messages: int | None, tokens: int | None, count: CountTokens) -> None:
        self._messages, self._tokens, self._count = messages, tokens, count

    def take(self, messages: Sequence[Message]) -> None:
        if self._messages is not None:
            self._messages -= len(messages)
        if self._tokens is not None:
            self._tokens -= sum(map(self._count, messages))

    @property
    def is_left(self) -> bool:
        return (self._messages is None or self._messages >= 0) and (self._tokens is None or self._tokens >= 0)


def _turns(messages: Sequence[Message]) -> list[list[int]]:
    """Return the places of the messages of each turn. What stands before the first of the user is part of its turn."""
    turns: list[list[int]] = []
    for place, message in enumerate(messages):
        if message.role == "system":
            continue
        begins = message.role == "user" and not message.continues
        if not turns or (begins and any(messages[each].role == "user" for each in turns[-1])):
            turns.append([])
        turns[-1].append(place)
    return turns
