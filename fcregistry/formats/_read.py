"""Where does a provider's message have its calls, and whose shape are they in?

MERGED: Which calls does a model's message hold, in whichever provider's shape?

Dicts and SDK objects are read alike. What is read is data from a stranger: nothing here raises anything but `MalformedCallError`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set, Sized
from functools import cached_property, lru_cache
from typing import Any, Final

from fcregistry._base.call import ToolCall

# --- formats._messages ---


def parse_message(message: Any) -> list[ToolCall]:
    """Return the calls of an assistant message.

    Raises:
        MalformedCallError: One of them is no call.
    """
    return [read_call(call) for call in read_calls(message)]


def read_calls(message: Any) -> list[Any]:
    """Return what stands where a message of any provider has its calls; unread, so that one that is malformed loses only itself.

    An OpenAI message has `tool_calls`, or one `function_call` from before there were several; one of LangChain also has `invalid_tool_calls`,
    whose arguments it could not read. An Anthropic one has `tool_use` blocks in its `content`, a response of OpenAI's newer API `function_call` items
    in its `output`, a content of Gemini `functionCall` parts, a message of Bedrock `toolUse` blocks. A whole response of Gemini or Bedrock is
    taken for the message in it, and a list for a list of calls.
    """
    if isinstance(message, (list, tuple)):
        return list(message)
    if format_of_call(message):  # a call by itself
        return [message]
    calls = [*_listed(read_field(message, "tool_calls")), *_listed(read_field(message, "invalid_tool_calls"))]
    if calls:
        return calls
    if _has(read_field(message, "function_call"), "arguments"):
        return [message]
    for place in ("content", "output", "parts"):
        blocks = read_field(message, place)
        if isinstance(blocks, (list, tuple)):
            found = [block for block in blocks if format_of_call(block)]
            if found:
                return found
    return next(filter(None, map(read_calls, _messages_in(message))), [])


def format_of_call(call: Any) -> str | None:
    """Return the format whose calls are marked as this one is; None for one that is in the shape of OpenAI's chat, or is no call."""
    return next((name for name, is_of in _SHAPES.items() if is_of(call)), None)


def _is_gemini(call: Any) -> bool:
    """Tell whether a part asks for a function: as JSON, or as an object of the SDK. OpenAI once had a `function_call` too."""
    return _has(call, "functionCall") or (
        _has(call, "function_call") and not _has(read_field(call, "function_call"), "arguments")
    )


def _is_bedrock(call: Any) -> bool:
    """Tell whether a block asks for a tool of ours; Bedrock runs those of its own itself."""
    return _has(call, "toolUse") and read_field(read_field(call, "toolUse"), "type") != "server_tool_use"


_SHAPES: Final[dict[str, Callable[[Any], bool]]] = {
    "anthropic": lambda call: read_field(call, "type") == "tool_use",
    "openai-responses": lambda call: read_field(call, "type") == "function_call",
    "gemini": _is_gemini,
    "bedrock": _is_bedrock,
}


def _has(value: Any, name: str) -> bool:
    inner = read_field(value, name)
    return not (is_absent(inner) or inner is None)


def _listed(calls: Any) -> list[Any]:
    """Return calls as a list: one that stands by itself is one call."""
    if is_absent(calls) or calls is None:
        return []
    return list(calls) if isinstance(calls, (list, tuple)) else [calls]


def _messages_in(response: Any) -> Iterator[Any]:
    """Yield the messages in a response of Bedrock or Gemini."""
    yield from filter(_is_message, (read_field(read_field(response, "output"), "message"),))
    candidates = read_field(response, "candidates")
    if isinstance(candidates, (list, tuple)) and candidates:
        yield from filter(_is_message, (read_field(candidates[0], "content"),))


def _is_message(value: Any) -> bool:
    return not (is_absent(value) or value is None or isinstance(value, (str, list, tuple)))


# --- formats._reading ---

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

_OBJECTS: Final = frozenset(
    {
        *("_meta", "meta", "task", "input_responses", "inputResponses"),  # MCP
        *("caller", "cache_control"),  # OpenAI's responses and Anthropic
        *(
            "created_by",
            "parsed_arguments",
            "output",
            "error",
        ),  # OpenAI, whose SDK parses arguments, and which runs tools itself
        *("extra_content", "provider_specific_fields", "extras"),  # Gemini behind OpenAI's API, LiteLLM, LangChain
    }
)
"""Metadata that may be an object or a list. All other metadata is text, a number or a boolean."""

_SCALARS: Final = _METADATA - _OBJECTS
_READ: Final[Mapping[str | None, frozenset[str]]] = {each: _METADATA | {each} for each in _ARGUMENTS}
"""The field that is read -> the fields that a call usually has with it."""

_OBJECTS_AROUND: Final = _OBJECTS | {
    *("part_metadata", "partMetadata"),  # Gemini
    *("content", "annotations", "audio", "tool_calls"),  # a message of OpenAI with its former `function_call`
}
"""Metadata around a call that may be an object or a list."""

_WRAPPING: Final = _METADATA | _WRAPPERS
_OFTEN: Final = (*_ARGUMENTS, "parameters", "params", "kwargs", "payload", "properties", "body", "data")
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


_JSON_OBJECT: Final = re.compile(r"""\s*\{\s*["']""")
"""The beginning of an object as text, with something in it."""


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


def read_field(value: Any, name: str) -> Any:
    """Return a key of a mapping or an attribute of an SDK object; a sentinel that is not None where there is none."""
    if type(value) is dict:  # as most are
        return value.get(name, _ABSENT)
    if value is None or isinstance(value, (str, bytes, bool, int, float, list, tuple)):
        return _ABSENT
    try:
        return _read(value, name)
    except Exception:  # a property of a foreign object may raise anything; then it does not have that field  # noqa: BLE001
        return _ABSENT


def _read(value: Any, name: str) -> Any:
    """Return what `read_field` returns; unlike there, a property that raises is not an absent field."""
    if type(value) is dict:
        return value.get(name, _ABSENT)
    if value is None or isinstance(value, (str, bytes, bool, int, float, list, tuple)):
        return _ABSENT
    if isinstance(value, Mapping):
        return value.get(name, _ABSENT)
    found = getattr(value, name, _ABSENT)
    kind: Any = type(value)  # mypy does not know that classes are hashable
    if found is _ABSENT and name in _properties_of(kind):
        return getattr(value, name)  # its code raised the AttributeError
    return found


def is_absent(value: Any) -> bool:
    """Tell whether `read_field` found nothing."""
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
    try:
        return _read_foreign(value, arguments_field)
    except MalformedCallError:
        raise
    except Exception as error:  # an object of somebody's own class may raise anything
        raise _unreadable(value, error) from error


def _read_foreign(value: Any, arguments_field: str | None) -> ToolCall:
    """Read a call that is not a `ToolCall`."""
    call = _unwrapped(value)
    identity = _identity(call)
    if identity is None and call is not value:
        identity = _identity(value)
    name = _read(call, "name")
    if is_absent(name):
        nameless = " without a name" if isinstance(value, Mapping) else ""
        raise MalformedCallError(f"{_kind(value)}{nameless} is no tool call: {_SHAPE}", identity)
    _check_name(name, identity)
    place, arguments = _arguments(call, _ARGUMENTS if arguments_field is None else (arguments_field,))
    unread = _unread(call, place, arguments)
    around = () if call is value else _unread_around(value, arguments)
    if unread or around:
        message = _unread_told(call, name, place, arguments_field, unread, around)
        raise MalformedCallError(message, identity, name, unread=unread + around)
    if not (arguments is None or isinstance(arguments, (str, Mapping))):
        message = f"the arguments of {name[:_LONGEST]!r} are {_kind(arguments)}; they must be a JSON object"
        raise MalformedCallError(message, identity, name, arguments)
    return ToolCall(name, arguments, identity)


def _unreadable(value: Any, error: Exception) -> MalformedCallError:
    """Return the error for a call whose fields raise an error when they are read."""
    calls = [value, *(read_field(value, each) for each in _WRAPPERS)]
    identity = next((found for each in calls if (found := _identity(each)) is not None), None)
    name = next((found for each in calls if isinstance(found := read_field(each, "name"), str)), "")
    what = f"the call of {name[:_LONGEST]!r}" if name else _kind(value)
    return MalformedCallError(f"{what} cannot be read: {type(error).__name__}", identity, name)


def _unwrapped(value: Any) -> Any:
    """Return what holds name and arguments: the value itself, or what it wraps."""
    if type(value) is dict and _WRAPPERS.isdisjoint(value):
        return value
    inners = [_read(value, name) for name in _WRAPPERS]
    wrapped = [inner for inner in inners if not (inner is _ABSENT or inner is None)]
    if len(wrapped) > 1:
        raise MalformedCallError(f"{_kind(value)} with several calls is no tool call: {_SHAPE}")
    return wrapped[0] if wrapped else value


def _arguments(call: Any, places: Iterable[str]) -> tuple[str | None, Any]:
    """Return the field that a call has its arguments in, and the arguments; None for what it does not have."""
    found: str | None = None
    for place in places:
        arguments = _read(call, place)
        if arguments is not _ABSENT:
            if arguments is not None:
                return place, arguments
            found = found or place
    return found, None


def _unread(call: Any, place: str | None, arguments: Any) -> tuple[str, ...]:
    """Return the fields of a call that hold arguments, or may hold some, and are not read.

    A call with arguments may have any other field that is not named like them. In a call without any, an object or a list may be the
    arguments, unless its field is known to be metadata. A call without a field for them may be of a shape that is not known: there,
    anything that is not known to be metadata may be an argument.
    """
    if (
        type(call) is dict and _READ.get(place, _METADATA).issuperset(call) and not _misused(call, arguments)
    ):  # as most are
        return ()
    if place is None:
        known = _METADATA | _OBJECTS
        return tuple(map(_text_of, (each for each in _fields_of(call) if not _is_metadata(call, each, known))))
    return _second(call, place, arguments, _OBJECTS if _is_empty(arguments) else None)


def _is_metadata(call: Any, name: Any, known: Set[str]) -> bool:
    """Return whether a field of a call without a field of arguments is known not to hold any."""
    value = call[name] if isinstance(call, Mapping) else _read(call, name)
    if name in known:
        return name in _OBJECTS or not _is_object(value)
    # the keys of a mapping were all written, where an object has the attributes of its class
    return not isinstance(call, Mapping) and _is_nothing(value)


def _unread_around(wrapper: Any, arguments: Any) -> tuple[str, ...]:
    """Return the fields beside what is wrapped that hold arguments, or may hold some: nothing there is read."""
    if type(wrapper) is dict and _WRAPPING.issuperset(wrapper) and not _misused(wrapper, arguments):
        return ()
    return _second(wrapper, None, arguments, _OBJECTS_AROUND | _WRAPPERS if _is_empty(arguments) else None)


def _misused(fields: Mapping[str, Any], arguments: Any) -> bool:
    """Return whether metadata that is text or a number holds an object, beside empty arguments."""
    return _is_empty(arguments) and any(_is_object(fields[each]) for each in _SCALARS if each in fields)


def _second(value: Any, place: str | None, arguments: Any, metadata: Set[str] | None) -> tuple[str, ...]:
    """Return the fields that hold other arguments than those that are read.

    Args:
        value: A call, or what is around it.
        place: The field that is read.
        arguments: What is read there.
        metadata: The fields that may hold an object or a list, where no arguments are read. If None, all of them may.
    """
    found = {each for each in _like_arguments(value) if each != place and _holds(_read(value, each), arguments)}
    if metadata is None:
        return tuple(sorted(found))
    found -= metadata
    is_mapping = isinstance(value, Mapping)
    for each in value if is_mapping else _held_by(value):
        if each in metadata or (place is not None and each == place):
            continue
        inner = value[each] if is_mapping else _read(value, each)
        if (_is_object if each in _SCALARS else _may_be_arguments)(inner):
            found.add(_text_of(each))
    return tuple(sorted(found))


def _is_empty(arguments: Any) -> bool:
    """Return whether arguments are none: `None`, an empty object, or the text of one."""
    if isinstance(arguments, str):
        return arguments.strip('{}[]" \t\r\n') in ("", "null")
    return not arguments


def _may_be_arguments(value: Any) -> bool:
    """Return whether the value of any field may be the arguments of a call: an object, a list, or an object as text."""
    if isinstance(value, str):
        return _JSON_OBJECT.match(value) is not None
    if isinstance(value, bytes):
        return _JSON_OBJECT.match(value.decode("utf-8", "replace")) is not None
    return _is_object(value)


def _is_object(value: Any) -> bool:
    """Return whether a value is an object or a list with something in it."""
    if value is None or isinstance(value, (str, bytes, bool, int, float)) or callable(value):
        return False
    if isinstance(value, (Mapping, Sequence, Set)):
        return len(value) > 0
    kind = type(value)
    if any(hasattr(kind, each) for each in ("__dataclass_fields__", "__struct_fields__", "__attrs_attrs__")):
        return True
    return any(name[:1] != "_" for name in getattr(value, "__dict__", ()))


def _text_of(name: Any) -> str:
    return name if isinstance(name, str) else repr(name)[:_LONGEST]


def _fields_of(value: Any) -> list[Any]:
    """Return the names of the fields of a dict or an object: of all its attributes and properties that are public."""
    if isinstance(value, Mapping):
        return sorted(value, key=_text_of)
    kind: Any = type(value)  # mypy does not know that classes are hashable
    public = (name for name in dir(value) if name[0] != "_")
    return sorted({*public, *_extra(value), *_OFTEN}.difference(_of_pydantic(kind)))


def _held_by(value: Any) -> set[str]:
    """Return the names of what an object itself holds: without the constants of its class, which are the same in each call."""
    kind: Any = type(value)
    own = {name for name in (*getattr(value, "__dict__", ()), *_extra(value)) if name[0] != "_"}
    return own.union(_descriptors_of(kind))


@lru_cache(maxsize=256)
def _of_pydantic(kind: type) -> frozenset[str]:
    """Return the attributes that the models of pydantic have beside their fields."""
    return frozenset(name for each in kind.__mro__ if each.__module__.startswith("pydantic.") for name in vars(each))


@lru_cache(maxsize=256)
def _descriptors_of(kind: type) -> tuple[str, ...]:
    """Return the public properties and slots of a class."""
    held = {name: each for base in reversed(kind.__mro__) for name, each in vars(base).items()}
    public = (name for name in held if name[0] != "_" and name not in _of_pydantic(kind))
    return tuple(
        name
        for name in public
        if hasattr(held[name], "__get__")
        and not callable(held[name])
        and not isinstance(held[name], (classmethod, staticmethod))
    )


@lru_cache(maxsize=256)
def _properties_of(kind: type) -> frozenset[str]:
    """Return the properties of a class, whose code may raise an AttributeError of its own."""
    held = {name: each for base in reversed(kind.__mro__) for name, each in vars(base).items()}
    return frozenset(name for name, each in held.items() if isinstance(each, (property, cached_property)))


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
    holds_object = len(found) == len(unread) == 1 and isinstance(read_field(call, *unread), Mapping)
    if asked is None and holds_object and not isinstance(call, Mapping):
        message += f"; in Python, arguments_field={unread[0][:_LONGEST]!r} of an OutputFormat or of calls_of reads it"
    return message


def _identity(value: Any) -> str | None:
    for name in _IDENTITIES:
        identity = read_field(value, name)
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
