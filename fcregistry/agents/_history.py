"""What was said in a conversation so far? Messages, whoever wrote them down, and the calls that the model made in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any, Final

from fcregistry.formats import read_calls
from fcregistry.formats._read import field
from fcregistry.models import CallableModel, Message

if TYPE_CHECKING:
    from fcregistry.models import MessageLike, Model

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
    role = field(message, "role")
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
    if not (isinstance(after, Message) and after.role == "tool") and field(after, "role") != "tool":
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
