"""Which calls does a model's message hold, in whichever provider's shape?

Dicts and SDK objects are read alike. What is read is data from a stranger: nothing here raises anything but `MalformedCallError`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sized
from functools import lru_cache
from typing import Any, Final

from fcregistry._calls import ToolCall

_ABSENT: Any = object()
_SHAPE = (
    'a tool call is {"name": …, "arguments": …}, or a call in the shape of OpenAI ({"type": "function", "function": …}), '
    'Anthropic ({"type": "tool_use", …}), Gemini ({"functionCall": …}) or Bedrock ({"toolUse": …})'
)

_WRAPPERS: Final = frozenset({"function", "functionCall", "function_call", "toolUse"})
"""What a call may stand in: OpenAI's chat completions, Gemini as JSON and as its SDK's objects, Bedrock."""

_ARGUMENTS: Final = ("arguments", "input", "args")
"""What arguments are called: by OpenAI and MCP, by Anthropic and Bedrock, by Gemini and LangChain."""

_IDENTITIES: Final = ("call_id", "toolUseId", "id")
"""What a call's id is called; OpenAI's responses have both `call_id` and `id`, and results go by the first."""

_METADATA: Final = frozenset({"name", "type", "index", "status", "_meta", *_IDENTITIES})
"""What a call without arguments may hold."""

_WRAPPING: Final = _METADATA | _WRAPPERS
_OFTEN: Final = (*_ARGUMENTS, "parameters", "params", "kwargs")
"""What arguments are called most often: looked for in objects that make up their attributes when they are asked for them."""

_LONGEST: Final = 64
"""Characters of a name that are looked at, and shown."""

_LIKE_ARGUMENTS: Final = re.compile(
    r"""
    (?: tool | function | call | action | method | raw | partial | keyword | kw | named | positional | input ){0,3}
    (?: arguments? | args? | kwargs | parameters? | params? | inputs? | (?<=partial) (?=json) )
    (?: json | text | str | string | dict | object | delta )?
    | willcontinue
    """,
    re.VERBOSE,
)
"""Names of fields that hold arguments, or say that there are more to come; without underscores, in small letters."""


class MalformedCallError(ValueError):
    """Something that cannot be read as a tool call; the message says what was expected.

    Attributes:
        id: The id that the call carried, if it carried one.
        name: The name of the tool, where that could be read.
        arguments: What stands for its arguments, where that is neither an object nor text.
        unread: The fields that hold arguments, or may hold some, and are not read.
    """

    def __init__(
        self,
        message: str,
        id: str | None = None,
        name: str = "",
        arguments: object = None,
        unread: tuple[str, ...] = (),
    ) -> None:
        super().__init__(message)
        self.id = id
        self.name = name
        self.arguments = arguments
        self.unread = unread


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


def read_call(value: Any, *, arguments_field: str | None = None) -> ToolCall:
    """Read one call: a `ToolCall`, a dict or an SDK object in the shape of OpenAI (chat or responses), Anthropic, Gemini, Bedrock or MCP.

    A field that holds arguments and is not read makes the call malformed: without them, another call than the meant one would run.

    Args:
        value: The call.
        arguments_field: The field that holds the arguments, where it is none of `arguments`, `input` and `args`: `kwargs`, say. Then no
            other field is read for them.

    Raises:
        MalformedCallError: It is none of these, or it holds arguments in a field that is not read.
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
    place, arguments = _arguments(call, _ARGUMENTS if arguments_field is None else (arguments_field,))
    try:
        unread = _unread(call, place, arguments)
        around = () if call is value else _unread_around(value, arguments)
    except Exception as error:  # an object of somebody's own class may raise anything
        message = f"the call of {name[:_LONGEST]!r} cannot be read: {type(error).__name__}"
        raise MalformedCallError(message, identity, name) from error
    if unread or around:
        message = _unread_told(call, name, place, arguments_field, unread, around)
        raise MalformedCallError(message, identity, name, unread=unread + around)
    if not (arguments is None or isinstance(arguments, (str, Mapping))):
        message = f"the arguments of {name[:_LONGEST]!r} are {_kind(arguments)}; they must be a JSON object"
        raise MalformedCallError(message, identity, name, arguments)
    return ToolCall(name, arguments, identity)


def _unwrapped(value: Any) -> Any:
    """Return what holds name and arguments: the value itself, or what it wraps."""
    if type(value) is dict and _WRAPPERS.isdisjoint(value):
        return value
    inners = [field(value, name) for name in _WRAPPERS]
    wrapped = [inner for inner in inners if not (inner is _ABSENT or inner is None)]
    if len(wrapped) > 1:
        raise MalformedCallError(f"{_kind(value)} with several calls is no tool call: {_SHAPE}")
    return wrapped[0] if wrapped else value


def _arguments(call: Any, places: Iterable[str]) -> tuple[str | None, Any]:
    """Return the field that a call has its arguments in, and the arguments; None for what it does not have."""
    found: str | None = None
    for place in places:
        arguments = field(call, place)
        if arguments is not _ABSENT:
            if arguments is not None:
                return place, arguments
            found = found or place
    return found, None


def _unread(call: Any, place: str | None, arguments: Any) -> tuple[str, ...]:
    """Return the fields of a call that hold arguments, or may hold some, and are not read.

    A call that has the field of its arguments may have any other that is not named like one. A call that has none may be of a shape that is
    not known: then whatever is not known to be metadata may be an argument.
    """
    if place is None:
        unknown = [name for name in _fields_of(call) if name not in _METADATA]
        if isinstance(call, Mapping):  # whose keys were all written, where an object has the attributes of its class
            return tuple(unknown)
        return tuple(name for name in unknown if not _is_nothing(field(call, name)))
    if type(call) is dict and all(name in _METADATA or name == place for name in call):  # as most are
        return ()
    return tuple(each for each in _like_arguments(call) if each != place and _holds(field(call, each), arguments))


def _unread_around(wrapper: Any, arguments: Any) -> tuple[str, ...]:
    """Return the fields beside what is wrapped that hold arguments: nothing there is read."""
    if type(wrapper) is dict and _WRAPPING.issuperset(wrapper):
        return ()
    return tuple(each for each in _like_arguments(wrapper) if _holds(field(wrapper, each), arguments))


def _fields_of(value: Any) -> list[str]:
    """Return the names of the fields of a dict or an object: of all its attributes and properties that are public."""
    if isinstance(value, Mapping):
        return sorted(each for each in value if isinstance(each, str))
    declared = getattr(
        type(value), "model_fields", None
    )  # of pydantic, whose models have attributes of their own beside
    public = declared if isinstance(declared, Mapping) else (name for name in dir(value) if name[0] != "_")
    return sorted({*public, *_extra(value), *_OFTEN})


def _like_arguments(value: Any) -> list[str]:
    """Return the fields of a dict or an object that are named as if they held arguments."""
    if isinstance(value, Mapping):
        return sorted(each for each in value if isinstance(each, str) and is_like_arguments(each))
    own = getattr(value, "__dict__", ())
    found = {each for each in (*own, *_extra(value)) if is_like_arguments(each)}
    kind: Any = type(value)  # mypy does not know that classes are hashable
    return sorted(found.union(_like_arguments_in(kind)))


def _extra(value: Any) -> Mapping[str, Any]:
    """Return what an object of pydantic holds beside its fields."""
    extra = getattr(value, "__pydantic_extra__", None)
    return extra if isinstance(extra, Mapping) else {}


@lru_cache(maxsize=256)
def _like_arguments_in(kind: type) -> tuple[str, ...]:
    """Return the attributes of a class that are named as if they held arguments."""
    makes_up = hasattr(kind, "__getattr__") and not hasattr(kind, "__pydantic_fields__")
    return tuple(each for each in {*dir(kind), *(_OFTEN if makes_up else ())} if is_like_arguments(each))


@lru_cache(maxsize=1024)
def is_like_arguments(name: str) -> bool:
    """Tell whether a field is named as if it held arguments."""
    if len(name) > _LONGEST or name.startswith("_"):
        return False
    return _LIKE_ARGUMENTS.fullmatch(name.replace("_", "").replace("-", "").lower()) is not None


def _is_nothing(value: Any) -> bool:
    return value is None or value is _ABSENT or callable(value)


def _holds(value: Any, arguments: Any) -> bool:
    """Tell whether a field holds arguments, and others than those that are read."""
    if _is_nothing(value) or value is False or (isinstance(value, Sized) and not len(value)):
        return False
    return not (value == arguments or _json_of(value) == _json_of(arguments))


def _json_of(value: Any) -> Any:
    """Return the JSON value of a text; of anything else, the value itself."""
    import json  # only where a call has two fields that hold arguments

    try:
        return json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        return value


def _unread_told(
    call: Any, name: str, place: str | None, asked: str | None, unread: tuple[str, ...], around: tuple[str, ...]
) -> str:
    """Say which fields are not read: to a model, and to a program that made the call of a class of its own."""
    read = asked or _ARGUMENTS[0]
    has = f'no "{read}"' if place is None else f'"{place}"'
    found = [*(repr(each[:_LONGEST]) for each in unread), *(f"{each[:_LONGEST]!r} around it" for each in around)]
    verb = "is" if len(found) == 1 else "are"
    message = (
        f"the call of {name[:_LONGEST]!r} has {has}, and {', '.join(found[:5])} {verb} not read: "
        f'write {{"name": …, "{read}": {{…}}}}'
    )
    holds_object = len(found) == len(unread) == 1 and isinstance(field(call, *unread), Mapping)
    if asked is None and holds_object and not isinstance(call, Mapping):
        message += f"; in Python, arguments_field={unread[0][:_LONGEST]!r} of an OutputFormat or of calls_of reads it"
    return message


def _identity(value: Any) -> str | None:
    for name in _IDENTITIES:
        identity = field(value, name)
        if isinstance(identity, str):
            return identity
    return None


def _check_name(name: object, identity: str | None) -> None:
    if not isinstance(name, str) or not name.strip():
        shown = repr(name[:_LONGEST]) if isinstance(name, str) else _kind(name)
        raise MalformedCallError(f"the name of the tool is {shown}; it must be the name of a tool", identity)


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
