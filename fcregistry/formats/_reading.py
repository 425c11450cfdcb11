"""Which calls does a model's message hold, in whichever provider's shape?

Dicts and SDK objects are read alike. What is read is data from a stranger: nothing here raises anything but `MalformedCallError`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fcregistry._calls import ToolCall

_ABSENT: Any = object()
_SHAPE = (
    'a tool call is {"name": …, "arguments": …}, or a call in the shape of OpenAI ({"type": "function", "function": …}) '
    'or Anthropic ({"type": "tool_use", …})'
)


_BESIDE_ARGUMENTS = frozenset({"name", "id", "call_id", "type", "index", "status", "function", "_meta"})
"""What a call without arguments may hold."""


class MalformedCallError(ValueError):
    """Something that cannot be read as a tool call; the message says what was expected.

    Attributes:
        id: The id that the call carried, if it carried one.
        name: The name of the tool, where that could be read.
    """

    def __init__(self, message: str, id: str | None = None, name: str = "") -> None:
        super().__init__(message)
        self.id = id
        self.name = name


def field(value: Any, name: str) -> Any:
    """Return a key of a mapping or an attribute of an SDK object; a sentinel that is not None where there is none."""
    if value is None or isinstance(value, (str, bytes, bool, int, float, list, tuple)):
        return _ABSENT
    try:
        return value.get(name, _ABSENT) if isinstance(value, Mapping) else getattr(value, name, _ABSENT)
    except Exception:  # a property of a foreign object may raise anything; then it does not have that field  # noqa: BLE001
        return _ABSENT


def is_absent(value: Any) -> bool:
    """Tell whether `field` found nothing."""
    return value is _ABSENT


def read_call(value: Any) -> ToolCall:
    """Read one call: a `ToolCall`, a dict or an SDK object in the shape of OpenAI (chat or responses), Anthropic or MCP.

    Raises:
        MalformedCallError: It is none of these.
    """
    if isinstance(value, ToolCall):
        _check_name(value.name, value.id)
        return value
    identity = _identity(value)
    function = field(value, "function")
    if not is_absent(function):  # OpenAI, chat completions
        name, arguments = field(function, "name"), field(function, "arguments")
    else:
        name, arguments = field(value, "name"), field(value, "arguments")
        if is_absent(arguments):  # Anthropic
            arguments = field(value, "input")
    if is_absent(name):
        raise MalformedCallError(f"{_kind(value)} is no tool call: {_SHAPE}", identity)
    _check_name(name, identity)
    if is_absent(arguments):
        _check_no_other_place(function if not is_absent(function) else value, name, identity)
        arguments = None
    if not (arguments is None or isinstance(arguments, (str, Mapping))):
        message = f"the arguments of {name[:64]!r} are {_kind(arguments)}; they must be a JSON object"
        raise MalformedCallError(message, identity, name)
    return ToolCall(name, arguments, identity)


def _identity(value: Any) -> str | None:
    for name in ("call_id", "id"):  # OpenAI's responses have both, and results go by call_id
        identity = field(value, name)
        if isinstance(identity, str):
            return identity
    return None


def _check_name(name: object, identity: str | None) -> None:
    if not isinstance(name, str) or not name.strip():
        shown = repr(name[:64]) if isinstance(name, str) else _kind(name)
        raise MalformedCallError(f"the name of the tool is {shown}; it must be the name of a tool", identity)


def _check_no_other_place(value: Any, name: str, identity: str | None) -> None:
    """Refuse a call whose arguments stand where they are not looked for: without them, another call than the meant one would run."""
    try:
        others = (
            sorted(str(each)[:64] for each in value if each not in _BESIDE_ARGUMENTS)
            if isinstance(value, Mapping)
            else []
        )
    except Exception as error:  # a mapping of somebody's own class may raise anything
        raise MalformedCallError(
            f"the call of {name[:64]!r} cannot be read: {type(error).__name__}", identity, name
        ) from error
    if others:
        shown = ", ".join(map(repr, others[:5]))
        message = f'the call of {name[:64]!r} has no "arguments", and {shown} is not read: write {{"name": …, "arguments": {{…}}}}'
        raise MalformedCallError(message, identity, name)


def _kind(value: object) -> str:
    kinds: tuple[tuple[type | tuple[type, ...], str], ...] = (
        (type(None), "null"),
        (bool, "a boolean"),
        (str, "text"),
        ((int, float), "a number"),
        ((list, tuple), "a list"),
        (Mapping, "an object without a name"),
    )
    return next((name for kind, name in kinds if isinstance(value, kind)), f"a {type(value).__name__}")


def parse_message(message: Any) -> list[ToolCall]:
    """Return the calls of an assistant message.

    Raises:
        MalformedCallError: One of them is no call.
    """
    return [read_call(call) for call in read_calls(message)]


def read_calls(message: Any) -> list[Any]:
    """Return what stands where a message of any provider has its calls; unread, so that one that is malformed loses only itself.

    An OpenAI message has `tool_calls`, an Anthropic one `tool_use` blocks in its `content`, a response of OpenAI's newer API
    `function_call` items in its `output`. A list is taken as a list of calls.
    """
    if isinstance(message, (list, tuple)):
        return list(message)
    if field(message, "type") in ("function_call", "tool_use"):  # a call by itself
        return [message]
    calls = field(message, "tool_calls")
    if not is_absent(calls) and calls is not None and calls != []:
        return list(calls) if isinstance(calls, (list, tuple)) else [calls]
    for place, kind in (("content", "tool_use"), ("output", "function_call")):
        blocks = field(message, place)
        if isinstance(blocks, (list, tuple)):
            found = [block for block in blocks if field(block, "type") == kind]
            if found:
                return found
    return []
