"""How is a history shortened? From its beginning, by whole turns, so that no call is without its result.

MERGED: What was said in a conversation so far? Messages, whoever wrote them down, and the calls that the model made in them.
MERGED: How do the conversations of one run become one? One after another, and every call keeps, or gets, an id that no other call has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any, Final

from fcregistry._base.call import ToolCall
from fcregistry.formats import read_calls
from fcregistry.formats._read import read_field
from fcregistry.models import CallableModel, Message

if TYPE_CHECKING:
    from fcregistry.models import MessageLike, Model

# --- agents._shortening ---

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


# --- agents._history ---

_ROLES_OF_MODELS: Final = ("assistant", "model")
_RESULTS: Final = "tool_calls_results"
"""Where a message that `FunctionCall` returned has the results of its calls."""

_OF_OTHERS: Final = frozenset({"content", "parts", "type"})
"""What messages and items have in the shapes of other providers."""


def calls_of(message: object) -> list[Any]:
    """Return the calls of one message of a history, unread, if it is a model's; what anybody else wrote is no call.

    Args:
        message: A message in the shape of any provider, as a dict or an SDK object. Items of OpenAI's responses are the model's without a role.
    """
    role = read_field(message, "role")
    if isinstance(message, (str, list, tuple)) or (isinstance(role, str) and role not in _ROLES_OF_MODELS):
        return []
    return read_calls(message)


def conversation_of(query: MessageLike | Iterable[MessageLike], model: Model) -> tuple[Message, ...]:
    """Return the messages of a question, of one message, or of a conversation, as an agent's model is told them.

    A message with the results of its calls, as `FunctionCall` returns it, becomes the messages that providers want. A function
    is told what a caller wrote as it was written, in whichever shape.

    Args:
        query: The question, message or conversation.
        model: Who is going to be told.

    Raises:
        TypeError, ValueError: One is no message, or has not as many results as calls.
    """
    if isinstance(query, (Message, str, Mapping)) or not isinstance(query, Iterable):
        query = (query,)
    name = model.name if isinstance(model, CallableModel) else None
    read: list[Message] = []
    for given, after in pairwise(chain(query, (None,))):
        read += _with_results(given, after) if _has_results(given) else (_read(given, name),)
    return tuple(read)


def _has_results(given: object) -> bool:
    return isinstance(given, Mapping) and _RESULTS in given


def _with_results(given: Any, after: object) -> Iterator[Message]:
    """Yield a model's message, and the messages that tell it of its results, unless these come after it anyway."""
    message = Message.of({name: value for name, value in given.items() if name != _RESULTS})
    results, calls = given[_RESULTS], message.tool_calls
    if not isinstance(results, (list, tuple)) or len(results) != len(calls):
        count = len(results) if isinstance(results, (list, tuple)) else repr(results)[:50]
        raise ValueError(f"a message has a result for each of its calls: {len(calls)} calls, {_RESULTS}: {count}")
    yield message
    if not (isinstance(after, Message) and after.role == "tool") and read_field(after, "role") != "tool":
        for call, content in zip(calls, results, strict=True):
            told = {"role": "tool", "content": content, "tool_call_id": call.id or "", "name": call.name}
            yield Message.of(told)


def _read(given: Any, name: str | None) -> Message:
    """Return a message; a function's, which has a name, keeps what was written where that is more than a message holds."""
    if name is None or not isinstance(given, Mapping):
        return Message.of(given)
    try:
        message = Message.of(given)
    except (TypeError, ValueError):  # in another provider's shape, which the function may know
        if not _OF_OTHERS.intersection(given):
            raise
        message = Message(role="assistant" if calls_of(given) else "user")
    return (
        message if message.to_dict() == dict(given) else message.replaced(native={**message.native, name: dict(given)})
    )


# --- agents._one_history ---


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
