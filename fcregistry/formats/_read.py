"""Reading calls in the shape of any provider: where a message has them, and their names, arguments and ids.

Dicts and SDK objects are read alike. Messages are untrusted input: reading them raises nothing but `MalformedCallError`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set, Sized
from functools import cached_property, lru_cache
from typing import Any, Final, Literal, TypeAlias

from fcregistry._base.call import ToolCall, cut_off_text
from fcregistry._base.json import kind_of
from fcregistry._base.wording import KINDS


def read_call(value: Any, *, arguments_field: str | None = None) -> ToolCall:
    """Read one call: a `ToolCall`, or a dict or an SDK object in the shape of a provider.

    The shapes are those of OpenAI (chat or responses), Anthropic, Gemini, Bedrock and MCP.

    If a field that is not read may contain arguments, the call is malformed: without them, another call would run.

    Args:
        value: The call.
        arguments_field: The field of the arguments, if it is not `arguments`, `input` or `args`, such as `kwargs`. No other field is then
            read for them.

    Raises:
        MalformedCallError: It has none of these shapes, it holds arguments in a field that is not read, or it says that it is incomplete.
    """
    if isinstance(value, ToolCall):
        given = value.id
        known = given if given is None or type(given) is str else _read_id(value)
        _check_name(value.name, known)
        return value if known is given else ToolCall(value.name, value.arguments, known)
    try:
        return _read_external(value, arguments_field)
    except MalformedCallError:
        raise
    except Exception as error:  # an object of an external class may raise anything
        raise _unreadable_error(value, error) from error


class MalformedCallError(ValueError):
    """A value that cannot be read as a tool call; the message says what was expected.

    Args:
        message: What was expected, and what was given instead.
        id: The id of the call, if it has one.
        name: The name of the tool, if it could be read.
        arguments: The value of its arguments, if that is neither an object nor text.
        unread: The fields that hold or may hold arguments, and are not read.

    Attributes:
        id: The id of the call, if it has one.
        name: The name of the tool, or an empty text if it could not be read.
        arguments: The value of its arguments, if that is neither an object nor text.
        unread: The fields that hold or may hold arguments, and are not read.
    """

    __module__ = "fcregistry.formats"  # tracebacks show the public name

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


# --- Calls in a message ---


def read_calls(message: Any) -> list[Any]:
    """Return the calls in a message of any provider, as the provider wrote them.

    `read_call` reads each, so that a malformed call does not affect the others.

    An OpenAI message has `tool_calls`, or a single `function_call` in the older form; one of LangChain also has `invalid_tool_calls`, whose
    arguments it could not read. An Anthropic message has `tool_use` blocks in its `content`, a response of OpenAI's responses API has
    `function_call` items in its `output`, a content of Gemini has `functionCall` parts, a message of Bedrock has `toolUse` blocks. A whole
    response of Gemini or Bedrock is read as the message in it, as is a choice of an OpenAI response, and a list as a list of calls.

    Args:
        message: The message, the whole response, or a list of calls; a dict or an SDK object.
    """
    if isinstance(message, (list, tuple)):
        return list(message)
    if format_of_call(message):  # a call by itself
        return [message]
    calls = [*_as_list(read_field(message, "tool_calls")), *_as_list(read_field(message, "invalid_tool_calls"))]
    if calls:
        return calls
    if read_field(read_field(message, "function_call"), "arguments") is not None:
        return [message]
    for place in ("content", "output", "parts"):
        blocks = read_field(message, place)
        if isinstance(blocks, (list, tuple)):
            found = [block for block in blocks if format_of_call(block)]
            if found:
                return found
    return next(filter(None, map(read_calls, _response_messages(message))), [])


def format_of_call(call: Any) -> str | None:
    """Return the name of the format in which `call` is, or None if it is not marked as a call.

    Calls in the shape of OpenAI's chat have no mark.
    """
    return next((name for name, is_of in _MARKS.items() if is_of(call)), None)


def _is_gemini(call: Any) -> bool:
    """Return whether `call` is a part of Gemini with a function call, as JSON or as an object of the SDK.

    A message with OpenAI's older `function_call`, which has `arguments`, is not such a part.
    """
    written = read_field(call, "function_call")
    is_object = written is not None and read_field(written, "arguments") is None
    return is_object or read_field(call, "functionCall") is not None


def _is_bedrock(call: Any) -> bool:
    """Return whether `call` is a block of Bedrock with a call (`toolUse`) of one of the user's tools.

    A call of Bedrock's own tools (`server_tool_use`), which Bedrock runs itself, does not count.
    """
    use = read_field(call, "toolUse")
    return use is not None and read_field(use, "type") != "server_tool_use"


_MARKS: Final[dict[str, Callable[[Any], bool]]] = {
    "anthropic": lambda call: read_field(call, "type") == "tool_use",
    "openai-responses": lambda call: read_field(call, "type") == "function_call",
    "gemini": _is_gemini,
    "bedrock": _is_bedrock,
}


def _as_list(calls: Any) -> list[Any]:
    """Return `calls` as a new list: empty for None; a value that is not a list or tuple is its one item."""
    if calls is None:
        return []
    return list(calls) if isinstance(calls, (list, tuple)) else [calls]


def _response_messages(response: Any) -> Iterator[Any]:
    """Yield the messages in `response`: of Bedrock, Gemini's first candidate, a choice of OpenAI's chat.

    A field that is missing, text or a list is skipped.
    """
    candidates = read_field(response, "candidates")
    first = candidates[0] if isinstance(candidates, (list, tuple)) and candidates else None
    inner = (
        read_field(read_field(response, "output"), "message"),
        read_field(first, "content"),
        read_field(response, "message"),
    )
    for message in inner:
        if not (message is None or isinstance(message, (str, list, tuple))):
            yield message


# --- Fields ---


_ABSENT: Any = object()


def read_field(value: Any, name: str) -> Any:
    """Return the key or attribute `name` of `value`, a mapping or an SDK object; None if missing."""
    found = _read_safely(value, name)
    return None if found is _ABSENT else found


def has_field(value: Any, name: str) -> bool:
    """Return whether `value`, a mapping or an SDK object, has the key or attribute `name`; it may be None."""
    return _read_safely(value, name) is not _ABSENT


def _read_safely(value: Any, name: str) -> Any:
    """Return the key or attribute `name` of `value`, or `_ABSENT` if it is missing or raises anything."""
    try:
        return _read(value, name)
    except Exception:  # a property of an external object may raise anything; then the field counts as missing  # noqa: BLE001
        return _ABSENT


def _read(value: Any, name: str) -> Any:
    """Return the key or attribute `name` of `value`, or `_ABSENT` if it is missing.

    None, texts, numbers and lists have no fields. Exceptions of properties are not caught.
    """
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


# --- One call ---


_WRAPPERS: Final = frozenset({"function", "functionCall", "function_call", "toolUse"})
"""The fields that may wrap a call: of OpenAI's chat completions, of Gemini as JSON and as its SDK's objects, of Bedrock."""

_ARGUMENTS: Final = ("arguments", "input", "args")
"""The fields for arguments: of OpenAI and MCP, of Anthropic and Bedrock, of Gemini and LangChain."""

_IDENTITIES: Final = ("call_id", "toolUseId", "id")
"""The fields for a call's id. OpenAI's responses have both `call_id` and `id`, and results refer to the first."""
_SHAPE_TEXT = (
    'a tool call is {"name": …, "arguments": …}, or a call in the shape of OpenAI ({"type": "function", "function": …}), '
    'Anthropic ({"type": "tool_use", …}), Gemini ({"functionCall": …}) or Bedrock ({"toolUse": …})'
)

_LONGEST_NAME: Final = 64
"""The most characters of a name that are examined and shown."""


def _read_external(value: Any, arguments_field: str | None) -> ToolCall:
    """Return the call that `value`, which is not a `ToolCall`, represents; see `read_call`.

    Its arguments are None, text or a mapping. `arguments_field` is the only field that is read for them, or None for the usual ones.

    Raises:
        MalformedCallError: It is not a complete call, or has arguments in a field that is not read.
        Exception: Whatever the code of an external object raises.
    """
    call = _unwrap(value)
    identity = _read_id(call)
    if identity is None and call is not value:
        identity = _read_id(value)
    name = _read(call, "name")
    if name is _ABSENT:
        nameless = " without a name" if isinstance(value, Mapping) else ""
        raise MalformedCallError(f"{_kind_text(value)}{nameless} is not a tool call: {_SHAPE_TEXT}", identity)
    _check_name(name, identity)
    place, arguments = _find_arguments(call, _ARGUMENTS if arguments_field is None else (arguments_field,))
    usual = _USUAL_FIELDS.get(place, _METADATA)
    unread = _unread_fields(call, place, arguments, usual, _OBJECT_METADATA, is_bare=place is None)
    around = () if call is value else _unread_fields(value, None, arguments, _WRAPPING, _METADATA_AROUND)
    if unread or around:
        message = _unread_text(call, name, place, arguments_field, unread, around)
        raise MalformedCallError(message, identity, name, unread=unread + around)
    if _read(call, "status") == "incomplete":  # an item of OpenAI's responses
        raise MalformedCallError(cut_off_text(), identity, name)
    if not (arguments is None or isinstance(arguments, (str, Mapping))):
        message = f"the arguments of {name[:_LONGEST_NAME]!r} are {_kind_text(arguments)}; they must be a JSON object"
        raise MalformedCallError(message, identity, name, arguments)
    return ToolCall(name, arguments, identity)


def _unwrap(value: Any) -> Any:
    """Return the object with the name and arguments of a call: `value`, or the one that it wraps.

    Raises:
        MalformedCallError: `value` wraps several calls.
    """
    if type(value) is dict and _WRAPPERS.isdisjoint(value):
        return value
    inners = [_read(value, name) for name in _WRAPPERS]
    wrapped = [inner for inner in inners if not (inner is _ABSENT or inner is None)]
    if len(wrapped) > 1:
        raise MalformedCallError(f"{_kind_text(value)} with several calls is not a tool call: {_SHAPE_TEXT}")
    return wrapped[0] if wrapped else value


def _find_arguments(call: Any, places: Iterable[str]) -> tuple[str | None, Any]:
    """Return the name of the field with the arguments of `call`, and the arguments.

    It is the first of `places` that is not None. If all such fields are None, return the first of them, and None; if there are none, None twice.
    """
    found: str | None = None
    for place in places:
        arguments = _read(call, place)
        if arguments is not _ABSENT:
            if arguments is not None:
                return place, arguments
            found = found or place
    return found, None


def _read_id(value: Any) -> str | None:
    """Return the id of the call `value`: the first of its fields for ids that is a str; None if none is."""
    for name in _IDENTITIES:
        identity = read_field(value, name)
        if isinstance(identity, str):
            return identity
    return None


def _check_name(name: object, identity: str | None) -> None:
    """Check that `name`, of the call with the id `identity`, is text that is not blank; return None.

    Raises:
        MalformedCallError: It is not.
    """
    if not isinstance(name, str) or not name.strip():
        shown = repr(name[:_LONGEST_NAME]) if isinstance(name, str) else _kind_text(name)
        raise MalformedCallError(f"the name of the tool is {shown}; it must be the name of a tool", identity)


def _kind_text(value: object) -> str:
    """Return the kind of `value` for messages, with an article, such as "a list"; "text" for a string."""
    if isinstance(value, str):
        return "text"
    if isinstance(value, (list, tuple)):
        return "a list"
    kind = "object" if isinstance(value, Mapping) else kind_of(value)
    own = type(value).__name__
    return KINDS["number" if kind == "integer" else kind] if kind else f"{'an' if own[0] in 'aeiou' else 'a'} {own}"


def _unreadable_error(value: Any, error: Exception) -> MalformedCallError:
    """Return the error for the call `value`, whose fields raise `error` when they are read.

    It has the id and the name of the call if these can be read.
    """
    calls = [value, *(read_field(value, each) for each in _WRAPPERS)]
    identity = next((found for each in calls if (found := _read_id(each)) is not None), None)
    name = next((found for each in calls if isinstance(found := read_field(each, "name"), str)), "")
    what = f"the call of {name[:_LONGEST_NAME]!r}" if name else _kind_text(value)
    return MalformedCallError(f"{what} cannot be read: {type(error).__name__}", identity, name)


# --- Fields that hold arguments and are not read ---


_METADATA: Final = frozenset({"name", "type", "index", "status", "_meta", *_IDENTITIES})
"""The fields that a call without arguments may have."""

_OBJECT_METADATA: Final = frozenset(
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

_SCALAR_METADATA: Final = _METADATA - _OBJECT_METADATA
_USUAL_FIELDS: Final[Mapping[str | None, frozenset[str]]] = {each: _METADATA | {each} for each in _ARGUMENTS}
"""The field of the arguments -> the fields that a call usually has, with it."""

_METADATA_AROUND: Final = (
    _OBJECT_METADATA
    | _WRAPPERS
    | {
        *("part_metadata", "partMetadata"),  # Gemini
        *("content", "annotations", "audio", "tool_calls"),  # a message of OpenAI with its former `function_call`
    }
)
"""Metadata around a call that may be an object or a list."""

_WRAPPING: Final = _METADATA | _WRAPPERS
_COMMON_NAMES: Final = (*_ARGUMENTS, "parameters", "params", "kwargs", "payload", "properties", "body", "data")
"""The most common names for arguments: tried on objects that create attributes on access."""

_JSON_OBJECT: Final = re.compile(r"""\s*\{\s*["']""")
"""The beginning of the text of an object that is not empty."""


def _unread_fields(
    value: Any, place: str | None, arguments: Any, usual: frozenset[str], metadata: Set[str], *, is_bare: bool = False
) -> tuple[str, ...]:
    """Return the names of fields of `value` that may have arguments and are not read, sorted.

    The table `_UNREAD` says which these are. The tuple is empty if there are none.

    Args:
        value: A call, or its wrapper.
        place: The field of the arguments that are read; None if there is no such field.
        arguments: The arguments that are read.
        usual: The fields that such a call or wrapper usually has.
        metadata: The fields that may be an object or a list although no arguments are read.
        is_bare: Whether the value is a call without a field for arguments.
    """
    is_empty = _is_empty(arguments)
    is_usual = type(value) is dict and usual.issuperset(value)
    if is_usual and not (is_empty and any(_is_object(value[each]) for each in _SCALAR_METADATA if each in value)):
        return ()
    is_mapping = isinstance(value, Mapping)
    if is_bare:
        rules = _UNREAD["in a bare mapping" if is_mapping else "in a bare object"]
    else:
        rules = _UNREAD["beside empty arguments" if is_mapping and is_empty else "beside arguments"]
    own = _own_fields(value) if is_empty and not (is_bare or is_mapping) else ()
    found = []
    for name in _all_fields(value):
        rules_of_field = _UNREAD["beside empty arguments"] if name in own else rules
        is_unread = rules_of_field.get(_kind_of_field(name, metadata) if isinstance(name, str) else "other")
        if is_unread is None or (place is not None and name == place):
            continue
        if is_unread(value[name] if is_mapping else _read(value, name), arguments):
            found.append(_field_text(name))
    return tuple(found)


@lru_cache(maxsize=2048)
def _kind_of_field(name: str, metadata: Set[str]) -> _FieldKind:
    """Return the kind of the field `name`; see `_FieldKind`.

    `metadata` are the names of metadata that may be an object or a list.
    """
    if name in _SCALAR_METADATA:
        return "scalar metadata"
    if name in metadata:
        return "metadata"
    return "like arguments" if is_like_arguments(name) else "other"


def _is_empty(arguments: Any) -> bool:
    """Return whether `arguments` are empty: false in Python, blank text, or JSON such as `{}` or `null`."""
    if isinstance(arguments, str):
        return arguments.strip('{}[]" \t\r\n') in ("", "null")
    return not arguments


def _may_be_arguments(value: Any) -> bool:
    """Return whether `value` may be the arguments of a call.

    It may if it is an object or list that is not empty, or text or bytes that begin like JSON of such an object.
    """
    if isinstance(value, str):
        return _JSON_OBJECT.match(value) is not None
    if isinstance(value, bytes):
        return _JSON_OBJECT.match(value.decode("utf-8", "replace")) is not None
    return _is_object(value)


def _is_object(value: Any) -> bool:
    """Return whether `value` is a mapping, list or set that is not empty, or an object with fields.

    Texts, numbers, None and functions are not. Instances of data classes always are, others if they have a public attribute.
    """
    if value is None or isinstance(value, (str, bytes, bool, int, float)) or callable(value):
        return False
    if isinstance(value, (Mapping, Sequence, Set)):
        return len(value) > 0
    kind = type(value)
    if any(hasattr(kind, each) for each in ("__dataclass_fields__", "__struct_fields__", "__attrs_attrs__")):
        return True
    return any(name[:1] != "_" for name in getattr(value, "__dict__", ()))


def _is_no_value(value: Any) -> bool:
    """Return whether `value` is None, `_ABSENT`, or can be called, as a method can."""
    return value is None or value is _ABSENT or callable(value)


def _holds_other_arguments(value: Any, arguments: Any) -> bool:
    """Return whether `value`, that of a field, differs from `arguments`, which are read, and is not empty.

    Text of JSON is compared by its value. None, False, empty values and methods do not count.
    """
    if _is_no_value(value) or value is False or (isinstance(value, Sized) and not len(value)):
        return False
    return not (value == arguments or _json_of(value) == _json_of(arguments))


def _json_of(value: Any) -> Any:
    """Return the JSON value of `value` if it is text of JSON, or else `value` itself."""
    import json  # only for a call with two fields of arguments

    try:
        return json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        return value


_FieldKind: TypeAlias = Literal["scalar metadata", "metadata", "like arguments", "other"]
"""Metadata that is text, a number or a boolean; metadata that may be an object or a list; fields that are named like arguments; all others."""

_FieldRule: TypeAlias = Callable[[Any, Any], bool]
"""Takes the value of a field and the arguments that are read; returns whether the field has or may have arguments."""

_UNREAD: Final[Mapping[str, Mapping[_FieldKind, _FieldRule]]] = {
    # A field that is named like arguments may have other arguments.
    "beside arguments": {"like arguments": _holds_other_arguments},
    # Any object or list may be the arguments. The constants of an object's class are not: they are the same in each call.
    "beside empty arguments": {
        "scalar metadata": lambda value, read: _is_object(value),
        "like arguments": lambda value, read: _holds_other_arguments(value, read) or _may_be_arguments(value),
        "other": lambda value, read: _may_be_arguments(value),
    },
    # A call without a field for arguments may have an unknown shape: any field may be an argument. A mapping's keys were all given.
    "in a bare mapping": {
        "scalar metadata": lambda value, read: _is_object(value),
        "like arguments": lambda value, read: True,
        "other": lambda value, read: True,
    },
    # An object has every attribute of its class.
    "in a bare object": {
        "scalar metadata": lambda value, read: _is_object(value),
        "like arguments": lambda value, read: not _is_no_value(value),
        "other": lambda value, read: not _is_no_value(value),
    },
}
"""Where a field is -> its kind -> whether it has or may have arguments that are not read; without a rule, it has none."""


def _unread_text(
    call: Any, name: str, place: str | None, asked: str | None, unread: tuple[str, ...], around: tuple[str, ...]
) -> str:
    """Return the message about fields that are not read; it shows at most five of them.

    Its readers are a model, or a program with its own class of calls.

    Args:
        call: The call.
        name: The name of the tool.
        place: The field of the arguments that are read, if any.
        asked: The field in which the caller expects the arguments, if any.
        unread: The fields of the call that are not read.
        around: The fields of its wrapper that are not read.
    """
    read = asked or _ARGUMENTS[0]
    has = f'no "{read}"' if place is None else f'"{place}"'
    found = [
        *(repr(each[:_LONGEST_NAME]) for each in unread),
        *(f"{each[:_LONGEST_NAME]!r} around it" for each in around),
    ]
    verb = "is" if len(found) == 1 else "are"
    message = (
        f"the call of {name[:_LONGEST_NAME]!r} has {has}, and {', '.join(found[:5])} {verb} not read: "
        f'write {{"name": …, "{read}": {{…}}}}'
    )
    holds_object = len(found) == len(unread) == 1 and isinstance(read_field(call, *unread), Mapping)
    if asked is None and holds_object and not isinstance(call, Mapping):
        message += (
            f"; in Python, arguments_field={unread[0][:_LONGEST_NAME]!r} of an OutputFormat or of calls_of reads it"
        )
    return message


# --- Names of fields ---


_LIKE_ARGUMENTS: Final = re.compile(
    r"""
    (?: tool | function | call | action | method | raw | partial | keyword | kw | named | positional | input ){0,3}
    (?: arguments? | args? | kwargs | parameters? | params? | inputs? | (?<=partial) (?=json) )
    (?: json | text | str | string | dict | object | delta )?
    | willcontinue
    """,
    re.VERBOSE,
)
"""Names of fields that have arguments, or mean that more will follow; without underscores, in lower case."""


@lru_cache(maxsize=1024)
def is_like_arguments(name: str) -> bool:
    """Return whether `name` is like the name of a field of arguments."""
    if len(name) > _LONGEST_NAME or name.startswith("_"):
        return False
    return _LIKE_ARGUMENTS.fullmatch(name.replace("_", "").replace("-", "").lower()) is not None


def _field_text(name: Any) -> str:
    """Return `name`, the key of a mapping: itself if it is text, else the beginning of its `repr`."""
    return name if isinstance(name, str) else repr(name)[:_LONGEST_NAME]


def _all_fields(value: Any) -> list[Any]:
    """Return the keys of the mapping `value`, or the names of an object's public attributes, sorted.

    Properties, methods and common names for arguments are among the attributes; those that pydantic's own classes define are not.
    """
    if isinstance(value, Mapping):
        return sorted(value, key=_field_text)
    kind: Any = type(value)  # mypy does not know that classes are hashable
    public = (name for name in dir(value) if name[0] != "_")
    return sorted({*public, *_pydantic_extra(value), *_COMMON_NAMES}.difference(_pydantic_attributes(kind)))


def _own_fields(value: Any) -> set[str]:
    """Return the names of the public attributes of the object `value`, with its properties and slots.

    Constants of the class are left out: they are the same in each call.
    """
    kind: Any = type(value)
    own = {name for name in (*getattr(value, "__dict__", ()), *_pydantic_extra(value)) if name[0] != "_"}
    return own.union(_descriptors_of(kind))


def _pydantic_extra(value: Any) -> Mapping[str, Any]:
    """Return name -> value of the extra fields of a pydantic model; an empty mapping for any other object."""
    extra = getattr(value, "__pydantic_extra__", None)
    return extra if isinstance(extra, Mapping) else {}


@lru_cache(maxsize=256)
def _pydantic_attributes(kind: type) -> frozenset[str]:
    """Return the names of the attributes that pydantic's own classes give to the class `kind`.

    The set is empty for a class of another kind.
    """
    return frozenset(name for each in kind.__mro__ if each.__module__.startswith("pydantic.") for name in vars(each))


@lru_cache(maxsize=256)
def _descriptors_of(kind: type) -> tuple[str, ...]:
    """Return the names of the public properties and slots of the class `kind` and its bases.

    Methods, and attributes of pydantic's own classes, are left out.
    """
    return tuple(
        name
        for name, each in _class_attributes(kind).items()
        if name[0] != "_"
        and name not in _pydantic_attributes(kind)
        and hasattr(each, "__get__")
        and not callable(each)
        and not isinstance(each, (classmethod, staticmethod))
    )


@lru_cache(maxsize=256)
def _properties_of(kind: type) -> frozenset[str]:
    """Return the names of the properties, cached ones too, of the class `kind` and its bases.

    Their code may raise an AttributeError itself.
    """
    attributes = _class_attributes(kind).items()
    return frozenset(name for name, each in attributes if isinstance(each, (property, cached_property)))


def _class_attributes(kind: type) -> dict[str, Any]:
    """Return name -> attribute of the class `kind` and its bases, without calling descriptors.

    An attribute of a class replaces one of its bases.
    """
    return {name: each for base in reversed(kind.__mro__) for name, each in vars(base).items()}
