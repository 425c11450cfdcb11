"""Which calls does a model's message hold, in whichever provider's shape?

Dicts and SDK objects are read alike. What is read is data from a stranger: nothing here raises anything but `MalformedCallError`.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any, Final

from fcregistry._calls import ToolCall

_ABSENT: Any = object()
_SHAPE = (
    'a tool call is {"name": …, "arguments": …}, or a call in the shape of OpenAI ({"type": "function", "function": …}), '
    'Anthropic ({"type": "tool_use", …}), Gemini ({"functionCall": …}) or Bedrock ({"toolUse": …})'
)

_WRAPPERS: Final = ("function", "functionCall", "function_call", "toolUse")
"""What a call may stand in: OpenAI's chat completions, Gemini as JSON and as its SDK's objects, Bedrock."""

_ARGUMENTS: Final = ("arguments", "input", "args")
"""What arguments are called: by OpenAI and MCP, by Anthropic and Bedrock, by Gemini."""

_IDENTITIES: Final = ("call_id", "toolUseId", "id")
"""What a call's id is called; OpenAI's responses have both `call_id` and `id`, and results go by the first."""

_BESIDE_ARGUMENTS: Final = frozenset({"name", "type", "index", "status", "_meta", *_IDENTITIES, *_WRAPPERS})
"""What a call without arguments may hold."""


class MalformedCallError(ValueError):
    """Something that cannot be read as a tool call; the message says what was expected.

    Attributes:
        id: The id that the call carried, if it carried one.
        name: The name of the tool, where that could be read.
        arguments: What stands for its arguments, where that is neither an object nor text.
    """

    def __init__(self, message: str, id: str | None = None, name: str = "", arguments: object = None) -> None:
        super().__init__(message)
        self.id = id
        self.name = name
        self.arguments = arguments


def field(value: Any, name: str) -> Any:
    """Return a key of a mapping or an attribute of an SDK object; a sentinel that is not None where there is none."""
    if type(value) is dict:  # as most are
        return value.get(name, _ABSENT)
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
    """Read one call: a `ToolCall`, a dict or an SDK object in the shape of OpenAI (chat or responses), Anthropic, Gemini, Bedrock or MCP.

    Raises:
        MalformedCallError: It is none of these.
    """
    if isinstance(value, ToolCall):
        given = value.id
        known = given if given is None or type(given) is str else _identity(value)
        _check_name(value.name, known)
        return value if known is given else ToolCall(value.name, value.arguments, known)
    call = _unwrapped(value)
    identity = _identity(call)
    if identity is None and call is not value:
        identity = _identity(value)
    name = field(call, "name")
    if is_absent(name):
        nameless = " without a name" if isinstance(value, Mapping) else ""
        raise MalformedCallError(f"{_kind(value)}{nameless} is no tool call: {_SHAPE}", identity)
    _check_name(name, identity)
    arguments = _arguments(call, name, identity)
    if not (arguments is None or isinstance(arguments, (str, Mapping))):
        message = f"the arguments of {name[:64]!r} are {_kind(arguments)}; they must be a JSON object"
        raise MalformedCallError(message, identity, name, arguments)
    return ToolCall(name, arguments, identity)


def _unwrapped(value: Any) -> Any:
    """Return what holds name and arguments: the value itself, or what it wraps."""
    for name in _WRAPPERS:
        inner = field(value, name)
        if inner is not _ABSENT and inner is not None:
            return inner
    return value


def _arguments(call: Any, name: str, identity: str | None) -> Any:
    """Return the arguments of a call, or None where it has none."""
    for place in _ARGUMENTS:
        arguments = field(call, place)
        if arguments is not _ABSENT:
            if place == "args":
                _check_no_other_place(call, name, identity, {"args"})
            return arguments
    _check_no_other_place(call, name, identity)
    return None


def _identity(value: Any) -> str | None:
    for name in _IDENTITIES:
        identity = field(value, name)
        if isinstance(identity, str):
            return identity
    return None


def _check_name(name: object, identity: str | None) -> None:
    if not isinstance(name, str) or not name.strip():
        shown = repr(name[:64]) if isinstance(name, str) else _kind(name)
        raise MalformedCallError(f"the name of the tool is {shown}; it must be the name of a tool", identity)


def _check_no_other_place(value: Any, name: str, identity: str | None, known: Set[str] = frozenset()) -> None:
    """Refuse a call whose arguments stand where they are not looked for: without them, another call than the meant one would run."""
    try:
        others = (
            sorted(str(each)[:64] for each in value if each not in _BESIDE_ARGUMENTS)
            if isinstance(value, Mapping) and not _BESIDE_ARGUMENTS.union(known).issuperset(value)
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
        (Mapping, "an object"),
    )
    own = type(value).__name__
    return next(
        (name for kind, name in kinds if isinstance(value, kind)), f"{'an' if own[0] in 'aeiou' else 'a'} {own}"
    )
