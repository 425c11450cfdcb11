"""Histories of agents: reading messages of any shape, ids of calls, and dropping old turns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any, Final

from fcregistry.formats import read_calls, read_field
from fcregistry.models import CallableModel, Message

if TYPE_CHECKING:
    from fcregistry.models import MessageLike, Model

_ROLES_OF_MODELS: Final = ("assistant", "model")
_RESULTS_FIELD: Final = "tool_calls_results"
"""The field of a message that `FunctionCall` returned, with the results of its calls."""

_FIELDS_OF_OTHER_SHAPES: Final = frozenset({"content", "parts", "type"})
"""Fields of messages and items in the shapes of other providers."""


def calls_of(message: object) -> list[Any]:
    """Return the calls of `message`, as the provider wrote them.

    The list is empty unless a model wrote the message.

    Args:
        message: A message in the shape of any provider, as a dict or an SDK object. Items of OpenAI's responses have no role; their author is the
            model.
    """
    role = read_field(message, "role")
    if isinstance(message, (str, list, tuple)) or (isinstance(role, str) and role not in _ROLES_OF_MODELS):
        return []
    return read_calls(message)


def question_of(message: object) -> str:
    """Return the text that the user wrote in `message`, or an empty text if the user did not write it.

    Messages that an agent wrote in the user's place count as not written by the user. Results of calls and attached files are left out.

    Args:
        message: A text, or a message in the shape of any provider, as a dict or an SDK object.
    """
    if isinstance(message, str):
        return message
    given = message.to_dict() if isinstance(message, Message) else message
    if read_field(given, "role") != "user" or read_field(given, "continues") is True:
        return ""
    content = read_field(given, "content")
    parts = read_field(given, "parts") if content is None else content
    parts = parts if isinstance(parts, (list, tuple)) else (parts,)
    texts = (part if isinstance(part, str) else read_field(part, "text") for part in parts)
    return "\n".join(text for text in texts if isinstance(text, str))


def with_note(message: Message, note: str) -> Message:
    """Return `message` with `note` at the end of its content."""
    if isinstance(message.content, tuple):
        from fcregistry.execution import Content  # only for results with parts

        return message.replaced(content=(*message.content, Content.text(note)))
    return message.replaced(content=f"{message.content or ''}\n\n{note}")


def conversation_of(query: MessageLike | Iterable[MessageLike], model: Model) -> tuple[Message, ...]:
    """Return the messages of a question, of one message, or of a conversation, for an agent's model.

    A message with the results of its calls, as `FunctionCall` returns it, becomes the messages that providers expect. A model that is a function
    gets the messages as the caller wrote them, in whichever shape.

    Args:
        query: The question, message or conversation.
        model: The model that is asked.

    Raises:
        TypeError, ValueError: A value is not a message, or has more or fewer results than calls.
    """
    if isinstance(query, (Message, str, Mapping)) or not isinstance(query, Iterable):
        query = (query,)
    name = model.name if isinstance(model, CallableModel) else None
    read: list[Message] = []
    for given, after in pairwise(chain(query, (None,))):
        read += _expand_results(given, after) if _has_results(given) else (_read_message(given, name),)
    return tuple(read)


def _has_results(given: object) -> bool:
    """Return whether `given` is a mapping with the results of its calls, as `FunctionCall` returns it."""
    return isinstance(given, Mapping) and _RESULTS_FIELD in given


def _expand_results(given: Any, after: object) -> Iterator[Message]:
    """Yield the message `given` without the results in it, and then a message for each result.

    The messages of the results are left out if `after`, the next message, has the role `tool`. Raise `ValueError` if the number of results is
    not that of the calls.
    """
    message = Message.of({name: value for name, value in given.items() if name != _RESULTS_FIELD})
    results, calls = given[_RESULTS_FIELD], message.tool_calls
    if not isinstance(results, (list, tuple)) or len(results) != len(calls):
        count = len(results) if isinstance(results, (list, tuple)) else repr(results)[:50]
        raise ValueError(f"a message has a result for each of its calls: {len(calls)} calls, {_RESULTS_FIELD}: {count}")
    yield message
    if not (isinstance(after, Message) and after.role == "tool") and read_field(after, "role") != "tool":
        for call, content in zip(calls, results, strict=True):
            result_message = {"role": "tool", "content": content, "tool_call_id": call.id or "", "name": call.name}
            yield Message.of(result_message)


def _read_message(given: Any, name: str | None) -> Message:
    """Return `given` as a `Message`.

    `name` is the name of a model that is a function, or None. For such a model, a dict that contains more than the fields of a message is kept
    in `native`; one in another provider's shape becomes a message without content. Raise `TypeError` or `ValueError` for what is not a message.
    """
    if name is None or not isinstance(given, Mapping):
        return Message.of(given)
    try:
        message = Message.of(given)
    except (TypeError, ValueError):  # in another provider's shape, which the function may know
        if not _FIELDS_OF_OTHER_SHAPES.intersection(given):
            raise
        message = Message(role="assistant" if calls_of(given) else "user")
    return (
        message if message.to_dict() == dict(given) else message.replaced(native={**message.native, name: dict(given)})
    )


# --- Ids of calls ---


def ids_in(messages: Sequence[Message]) -> dict[str, None]:
    """Return the ids of the calls in `messages`, in order, as the keys of a dict."""
    return dict.fromkeys(call.id or "" for message in messages for call in message.tool_calls)


def free_id(identity: str, used: dict[str, None]) -> str:
    """Return `identity`, or `identity_2`, `identity_3`, … if it is in `used`, and add it to `used`."""
    free, count = identity, 1
    while free in used:
        count += 1
        free = f"{identity}_{count}"
    used[free] = None
    return free


# --- Shortening ---

_CHARACTERS_A_TOKEN: Final = 4
_TOKENS_A_MESSAGE: Final = 4
_TOKENS_A_PART: Final = 800
"""About the tokens of an image; sounds and files may have more."""

CountTokens = Callable[["Message"], int]
"""Returns how many tokens a message has."""


def estimate_tokens(message: Message) -> int:
    """Return an estimate of the tokens of `message`: one for four bytes, and some for its structure."""
    content = message.content
    parts = () if content is None else (content,) if isinstance(content, str) else content
    texts = [part if isinstance(part, str) else part.plain for part in parts]
    written = [text for text in texts if text is not None]
    written += [f"{call.name}{call.arguments}" for call in message.tool_calls]
    size = sum(len(text.encode("utf-8", "replace")) for text in written)
    return _TOKENS_A_MESSAGE + -(-size // _CHARACTERS_A_TOKEN) + _TOKENS_A_PART * texts.count(None)


def shorten(
    messages: Sequence[Message],
    max_messages: int | None = None,
    max_tokens: int | None = None,
    count_tokens: CountTokens = estimate_tokens,
) -> list[Message]:
    """Return the system messages of a conversation, and as many of its latest turns as the limits allow.

    A turn lasts from one message of the user to the next; a message that an agent writes in the user's place continues it. So a call is never
    separated from its result, and what is left begins with a message of the user. The last turn is never dropped.

    Args:
        messages: The conversation.
        max_messages: How many messages there may be; None for any number.
        max_tokens: How many tokens they may have; None for any number.
        count_tokens: Returns how many tokens a message has.
    """
    places = {place for place, message in enumerate(messages) if message.role == "system"}
    room = [max_messages, max_tokens]

    def is_full_with(added: Iterable[int]) -> bool:
        """Subtract the messages at the positions `added` from what is left of both limits.

        Return whether one of the limits is exceeded now.
        """
        chosen = [messages[place] for place in added]
        if room[0] is not None:
            room[0] -= len(chosen)
        if room[1] is not None:
            room[1] -= sum(map(count_tokens, chosen))
        return any(left is not None and left < 0 for left in room)

    is_full_with(places)
    for number, turn in enumerate(reversed(_turns(messages))):
        if is_full_with(turn) and number:
            break
        places.update(turn)
    return [message for place, message in enumerate(messages) if place in places]


def _turns(messages: Sequence[Message]) -> list[list[int]]:
    """Return, for each turn in `messages`, the list of positions of its messages, in order.

    System messages are in no turn. A turn begins with a message of the user that does not continue another; messages before the first one
    belong to the first turn.
    """
    turns: list[list[int]] = []
    for place, message in enumerate(messages):
        if message.role == "system":
            continue
        begins = message.role == "user" and not message.continues
        if not turns or (begins and any(messages[each].role == "user" for each in turns[-1])):
            turns.append([])
        turns[-1].append(place)
    return turns
