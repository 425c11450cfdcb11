r"""Messages of a conversation with a model, in the shape of OpenAI's chat.

`Message` is the record; content parts and calls are read from and written to that shape here. Halves of surrogate pairs, which UTF-8 and so no
request can carry, are kept out of what models and tools write: JSON may write half a pair, `"\ud83d"`, as a character (RFC 8259, 8.2), and a stream
may cut a pair in two between its pieces, whose halves are joined. A half that stays alone becomes U+FFFD, as the Unicode Standard advises (3.9, C10).

Source: OpenAI API reference, "Chat Completions", messages and content parts.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from itertools import count
from operator import is_
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, TypeVar, cast

from fcregistry._base.call import ToolCall, UnreadArguments
from fcregistry._results.content import Content, fields_of, parts_for_model
from fcregistry.formats import MalformedCallError, base64_of, data_url, has_field, read_call, read_calls, read_field

if TYPE_CHECKING:
    from fcregistry._results.result import ToolResult


T = TypeVar("T")

Role: TypeAlias = Literal["system", "user", "assistant", "tool"]

_ROLES: Final = ("system", "user", "assistant", "tool")
_ALIASES: Final = {"developer": "system", "model": "assistant"}
"""Other names of roles, of newer models of OpenAI and of Gemini."""

_MAX_KEPT: Final = 500
"""Characters that are kept of a call that cannot be read."""


class _Derivable:
    """The base of `Message`, with a slot for what was made from a message.

    Copies and pickles have the fields of a message only.
    """

    __slots__ = ("_derived",)
    _derived: dict[Hashable, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Message(_Derivable):
    """One message of a conversation. Immutable.

    Attributes:
        role: The speaker: `system`, `user`, `assistant` (the model) or `tool` (the result of one call).
        content: Its text, or parts of content, some of which are not text; None for a message that only calls. Parts that are `for_user`
            alone are left out, since models read messages.
        tool_calls: The model's calls, in its order.
        tool_call_id: The id of the call that a `tool` message answers.
        name: The name of the tool of a `tool` message, or of a participant.
        reasoning: The model's thinking, if it is known.
        is_error: Whether a `tool` message is a failure.
        continues: Whether a `user` message continues the turn before it, since an agent wrote it in the user's place: results of calls in text, or a
            step of a plan.
        suspended: Whether the run of an `assistant` message is suspended, since its calls need an approver's decision. An agent does not send it
            before its calls have results: the run has to be resumed first. The messages of the resumed run do not have this mark.
        native: The message as a provider wrote it, by the provider's name: given back to that provider, which may have signed it.
    """

    role: Role
    content: str | tuple[Content, ...] | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    name: str | None = None
    reasoning: str | None = None
    is_error: bool = False
    continues: bool = False
    suspended: bool = False
    native: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Leave out what is for the user alone, and replace halves of surrogate pairs, which no request can carry.

        The halves are replaced in messages of models and tools. Users and programs can fix their messages, and get an error.
        """
        if isinstance(self.content, tuple):  # a program may pass the parts of a result
            self._change("content", parts_for_model(self.content))
        if self.role == "assistant":
            self._change("content", _map_content(join_surrogates, self.content))
            self._change("tool_calls", tuple(map(_call_without_surrogates, self.tool_calls)))
            self._change("reasoning", map_texts(join_surrogates, self.reasoning))
            self._change("native", map_texts(join_surrogates, self.native))
        elif self.role == "tool" or self.continues:
            self._change("content", _map_content(escape_surrogates, self.content))

    def _change(self, name: str, value: object) -> None:
        """Set the attribute `name` of this frozen record to `value`, unless it is that object already."""
        if value is not getattr(self, name):
            object.__setattr__(self, name, value)

    @property
    def text(self) -> str:
        """All of its content as text; other parts are named."""
        if isinstance(self.content, tuple):
            return "\n".join(map(str, self.content))
        return self.content or ""

    @classmethod
    def of(cls, value: object) -> Message:
        """Return a value as a message: a `Message`, text of the user, or a message as dict or SDK object.

        Args:
            value: A message in the shape of OpenAI's chat; calls may be in the shape of any provider.

        Raises:
            TypeError: It is not a message.
            ValueError: It has an unknown role, or content that cannot be read.
        """
        if isinstance(value, Message):
            return value
        if isinstance(value, str):
            return cls(role="user", content=value)
        if not has_field(value, "role"):
            raise TypeError(f"a message is a Message, a text, or a dict with a role, not {type(value).__name__}")
        role = read_field(value, "role")
        role = _ALIASES.get(role, role) if isinstance(role, str) else role
        if role not in _ROLES:
            raise ValueError(f"the role of a message is one of {', '.join(_ROLES)}, not {role!r:.50}")
        if role != "assistant" and read_field(value, "tool_calls"):
            import warnings  # for what few programs write

            text = f"a message of the role {role!r} has tool calls, which are left out: only the assistant makes some"
            warnings.warn(text, UserWarning, stacklevel=2)
        return cls(
            role=cast("Role", role),
            content=_read_content(read_field(value, "content")),
            tool_calls=tuple(map(call_of, read_calls(value))) if role == "assistant" else (),
            tool_call_id=_text_field(value, "tool_call_id"),
            name=_text_field(value, "name"),
            reasoning=_text_field(value, "reasoning_content") or _text_field(value, "reasoning"),
            is_error=read_field(value, "is_error") is True,
            continues=read_field(value, "continues") is True,
            suspended=read_field(value, "suspended") is True,
            native=_native(read_field(value, "native")),
        )

    @classmethod
    def of_result(cls, result: ToolResult, id: str | None = None) -> Message:
        """Return the `tool` message of a result.

        Args:
            result: The result of a call.
            id: The id of the call, if the call itself has none.
        """
        call = result.call
        parts = parts_for_model(result.parts)
        return cls(
            role="tool",
            content=parts if any(part.kind != "text" for part in parts) else result.content,
            tool_call_id=(call.id if call else None) or id,
            name=(call.name if call else None) or None,
            is_error=not result.ok,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON object in the shape of OpenAI's chat, with arguments as text; `Message.of` reads it.

        Content for which that shape has no part, such as a linked PDF, is written as a content block of the Model Context Protocol.
        Fields that this shape does not have are left out if they are empty: `reasoning`, `is_error`, `continues`, `suspended`,
        `native`.
        """
        content = self.content
        written = {
            "tool_calls": [call_as_chat_json(call) for call in self.tool_calls] or None,
            "tool_call_id": self.tool_call_id,
            "name": self.name,
            "reasoning": self.reasoning,
            "is_error": self.is_error or None,
            "continues": self.continues or None,
            "suspended": self.suspended or None,
            "native": dict(self.native) or None,
        }
        return {
            "role": self.role,
            "content": [_stored_part(part) for part in content] if isinstance(content, tuple) else content,
            **{name: value for name, value in written.items() if value is not None},
        }

    def replaced(self, **changes: Any) -> Message:
        """Return the same message with some attributes changed.

        Args:
            changes: The new values of attributes, by their names.
        """
        return replace(self, **changes)


MessageLike: TypeAlias = "Message | str | Mapping[str, Any]"
"""A message, a text of the user, or a message in the shape of OpenAI's chat; objects of an SDK are accepted too."""


def messages_of(conversation: MessageLike | Iterable[MessageLike]) -> tuple[Message, ...]:
    """Return the messages of a question, of one message, or of a conversation.

    Args:
        conversation: A text of the user, a message, or an iterable of both; messages may be dicts in the shape of OpenAI's chat.

    Raises:
        TypeError, ValueError: As `Message.of` raises them.
    """
    if isinstance(conversation, (Message, str, Mapping)) or not isinstance(conversation, Iterable):
        return (Message.of(conversation),)
    given = tuple(conversation)
    if set(map(type, given)) == {Message}:  # as in each round of an agent
        return cast("tuple[Message, ...]", given)
    return tuple(map(Message.of, given))


_MOST_DERIVED: Final = 16
"""The most values that are kept beside one message."""


def derived(message: Message, key: Hashable, make: Callable[[Message], T]) -> T:
    """Return what `make` returns for `message`, which is kept beside it from the first call with `key`.

    A request has all messages of a conversation, of which only the last are new. So each message is rendered once, and not once a round.

    Args:
        message: The message.
        key: What identifies `make`, and what else its value depends on; not an object of which each request has a new one.
        make: Makes the value, which nobody changes afterwards.
    """
    try:
        return message._derived[key]  # type: ignore[no-any-return]  # it is what `make` returned
    except AttributeError:
        object.__setattr__(message, "_derived", {})
    except KeyError:
        if len(message._derived) >= _MOST_DERIVED:  # a message that many models were asked about
            message._derived.clear()
    made = message._derived[key] = make(message)
    return made


def rendered(message: Message, key: Hashable, make: Callable[[Message], T]) -> T:
    """Return what `make` returns for `message`; it is kept beside it unless its content has bytes.

    In base64, the bytes would take more than twice the memory for as long as the message exists, and encoding them is fast.

    Args:
        message: The message.
        key: What identifies `make`, and what else its value depends on.
        make: Makes the message as a provider expects it.
    """
    has_bytes = isinstance(message.content, tuple) and any(part.data for part in message.content)
    return make(message) if has_bytes else derived(message, key, make)


def chat_message(message: Message) -> dict[str, Any]:
    """Return `message` as a new dict with only the fields and the content parts of OpenAI's chat."""
    copied = dict(rendered(message, "chat", _chat_message))
    if message.tool_calls:
        copied["tool_calls"] = [{**call, "function": dict(call["function"])} for call in copied["tool_calls"]]
    if isinstance(message.content, tuple):
        copied["content"] = copied_json(copied["content"])
    return copied


def _chat_message(message: Message) -> dict[str, Any]:
    """Return what `chat_message` copies."""
    written = message.to_dict()
    if isinstance(message.content, tuple):
        written["content"] = list(map(written_part, message.content))
    return {name: value for name, value in written.items() if name in _CHAT_FIELDS}


_CHAT_FIELDS: Final = frozenset({"role", "content", "tool_calls", "tool_call_id", "name"})


_UNCHANGEABLE: Final = frozenset({str, int, float, bool, type(None)})


def copied_json(value: Any) -> Any:
    """Return a copy of the JSON value `value`, which shares only what cannot be changed, such as texts."""
    kind = type(value)
    if kind is dict:
        return {name: each if type(each) in _UNCHANGEABLE else copied_json(each) for name, each in value.items()}
    if kind is list:
        return [each if type(each) in _UNCHANGEABLE else copied_json(each) for each in value]
    return value if kind in _UNCHANGEABLE else deepcopy(value)  # a function may have returned anything


def call_of(value: object) -> ToolCall:
    """Return `value` as a call.

    A malformed call keeps what can be read of it, and the executor reports the rest.
    """
    try:
        return read_call(value)
    except MalformedCallError as error:
        kept = _unreadable_json(value, error.arguments)
        return ToolCall(error.name, UnreadArguments(kept, str(error)) if error.unread else kept, error.id)


class CallIds:
    """Gives each call a unique id: its own, or `call_1`, `call_2`, … if its own is missing or taken.

    Args:
        used: The ids that are taken.
    """

    def __init__(self, used: Iterable[str | None] = ()) -> None:
        self._used = set(used)
        self._number = count(1)

    def add(self, used: Iterable[str | None]) -> None:
        """Take more ids.

        Args:
            used: The ids.
        """
        self._used.update(used)

    def new(self) -> str:
        """Return an id that is not taken; from then on, it is taken."""
        identity = next(made for number in self._number if (made := f"call_{number}") not in self._used)
        self._used.add(identity)
        return identity

    def with_id(self, call: ToolCall) -> ToolCall:
        """Return `call` with its own id if it has one that is not taken, else with a new id."""
        if not call.id or call.id in self._used:
            return ToolCall(call.name, call.arguments, self.new())
        self._used.add(call.id)
        return call


def call_as_chat_json(call: ToolCall) -> dict[str, Any]:
    """Return `call` as OpenAI's chat writes it: `id`, `type`, and `function` with `name` and `arguments`."""
    return {"id": call.id or "", "type": "function", "function": {"name": call.name, "arguments": arguments_text(call)}}


def arguments_text(call: ToolCall) -> str:
    """Return the arguments of `call` as JSON text: as the model wrote them, if they are text."""
    arguments: object = call.arguments  # a program may have made the call of anything
    if isinstance(arguments, str):
        return arguments
    import json  # late, since few programs write messages

    kind = type(arguments).__name__
    if not (arguments is None or isinstance(arguments, Mapping)):
        return _unreadable_json(kind, arguments)
    try:
        return json.dumps(dict(arguments or {}), ensure_ascii=False, default=str)
    except Exception:  # a mapping of another package, a circle, keys that are not text: the executor refuses the call  # noqa: BLE001
        return _unreadable_json(kind, arguments)


def _unreadable_json(call: object, arguments: object) -> str:
    """Return JSON text in place of `arguments` of `call` that cannot be read.

    It is `arguments` themselves if they are a number or a truth value, else an array with the first `_MAX_KEPT` characters of the `repr` of
    `call`. It is never an object, so that the call never runs.
    """
    import json  # as above

    is_plain = isinstance(arguments, (bool, int, float))
    return json.dumps(arguments if is_plain else [repr(call)[:_MAX_KEPT]], ensure_ascii=False)


def _map_content(
    change: Callable[[str], str], content: str | tuple[Content, ...] | None
) -> str | tuple[Content, ...] | None:
    """Return `content` with `change` applied to its texts, or `content` itself if no text changes.

    None stays None.
    """
    if not isinstance(content, tuple):
        return map_texts(change, content)
    parts = tuple(map_part_texts(part, change) for part in content)
    return content if all(map(is_, parts, content)) else parts


def _call_without_surrogates(call: ToolCall) -> ToolCall:
    """Return `call` with halves of surrogate pairs joined or replaced, or `call` itself if it has none.

    They are looked for in its name, arguments and id.
    """
    fields = (call.name, call.arguments, call.id)
    joined = map_texts(join_surrogates, fields)
    if joined is fields:
        return call
    name, arguments, identity = joined
    if isinstance(call.arguments, UnreadArguments):
        arguments = UnreadArguments(str(arguments), call.arguments.reason)
    return ToolCall(name, arguments, identity)


def _read_content(value: Any) -> str | tuple[Content, ...] | None:
    """Return the content of a message from `value`: a text, a tuple of parts, or None.

    A text and None are returned as they are. Of a list or tuple, parts that are not content (calls, thoughts) are left out; a single part of text
    becomes a text, and one without parts of content None.

    Raises:
        ValueError: `value` is none of these, or a part is of an unknown type, or cannot be read.
    """
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, (list, tuple)):
        parts = parts_for_model(tuple(part for part in map(part_of, value) if part is not None))
        return parts[0].plain if len(parts) == 1 and parts[0].kind == "text" else parts or None
    raise ValueError(f"the content of a message is text or a list of parts, not {type(value).__name__}")


def _native(value: Any) -> Mapping[str, Any]:
    """Return `value`, the field `native` of a message, or an empty dict if it is None or empty.

    Raise `ValueError` if it is neither None nor a mapping.
    """
    if value is None or isinstance(value, Mapping):
        return value or {}
    raise ValueError(f"native of a message is an object by the name of a provider, not {type(value).__name__}")


def _text_field(value: Any, name: str) -> str | None:
    """Return the field `name` of `value`, a dict or an object, if it is text (also empty), else None."""
    found = read_field(value, name)
    return found if isinstance(found, str) else None


# --- Content parts ---

_LINKED_IMAGE: Final = "an image"
"""The description of a link to an image, whose media type is not known before it is fetched."""

_AUDIO: Final = {"audio/wav": "wav", "audio/x-wav": "wav", "audio/mpeg": "mp3", "audio/mp3": "mp3"}


def part_of(part: object) -> Content | None:
    """Return the content of `part`, or None for a part that is not content, such as a call or a thought.

    Raises:
        ValueError: The type of the part is unknown.
    """
    if isinstance(part, (Content, str)):
        return part if isinstance(part, Content) else Content.text(part)
    kind = read_field(part, "type")
    match kind:
        case "text" | "input_text" | "output_text":
            audience = read_field(read_field(part, "annotations"), "audience")  # of a content block
            return Content("text", "text/plain", plain=_text(part, "text"), for_user=audience == ["user"])
        case "refusal":
            return Content.text(_text(part, "refusal"))
        case "image_url":
            return _image(read_field(part, "image_url"))
        case "input_audio":
            sound = read_field(part, "input_audio")
            ending = _text(sound, "format")
            media_type = "audio/mpeg" if ending == "mp3" else f"audio/{ending}"
            return Content.audio(_bytes(_text(sound, "data")), media_type=media_type)
        case "file":
            return _file(read_field(part, "file"))
        case "tool_use" | "thinking" | "redacted_thinking" | "function_call" | "reasoning":
            return None
        case _ if isinstance(part, Mapping) and kind in ("image", "audio", "resource", "resource_link"):
            return Content.from_block(part)  # as MCP writes them
    raise ValueError(
        f"a part of a message's content has no type that is known: {kind if isinstance(kind, str) else part!r:.60}"
    )


def written_part(part: Content) -> dict[str, Any]:
    """Return `part` as a content part of OpenAI's chat.

    Content for which OpenAI has no part is described in a text.
    """
    if part.kind == "image" or is_image_link(part):
        return {"type": "image_url", "image_url": {"url": data_url(part) if part.kind == "image" else part.uri}}
    if part.kind == "audio" and part.media_type in _AUDIO:
        return {"type": "input_audio", "input_audio": {"data": base64_of(part), "format": _AUDIO[part.media_type]}}
    if part.kind == "file" and part.plain is None:
        return {"type": "file", "file": {"filename": part.name, "file_data": data_url(part)}}
    return {"type": "text", "text": str(part)}


def _stored_part(part: Content) -> dict[str, Any]:
    """Return `part` as a dict that `part_of` reads as the same content.

    It is a content part of OpenAI's chat if that loses nothing, else a content block of the Model Context Protocol.
    """
    written = written_part(part)
    is_same = part.description == _LINKED_IMAGE if part.kind == "link" else written["type"] != "text"
    return written if is_same or part.kind == "text" else part.to_block()


def map_part_texts(part: Content, change: Callable[[str], str]) -> Content:
    """Return `part` with `change` applied to its texts, or `part` itself if no text changes."""
    fields: tuple[Any, ...] = fields_of(part)
    changed = map_texts(change, fields)
    if changed is fields:
        return part
    kind, media_type, plain, data, name, uri, description = changed
    return Content(
        kind, media_type, plain=plain, data=data, name=name, uri=uri, description=description, for_user=part.for_user
    )


def is_image_link(part: Content) -> bool:
    """Return whether `part` is a link to an image.

    Its media type says so, or the description that a link in a message gets.
    """
    return part.kind == "link" and ((part.media_type or "").startswith("image/") or part.description == _LINKED_IMAGE)


def _image(image: object) -> Content:
    """Return the content of `image`, the field `image_url` of a part: an image of a data URL, else a link.

    Raise `ValueError` if there is no URL, or its data is not base64.
    """
    url = image if isinstance(image, str) else _text(image, "url")
    if not url.startswith("data:"):
        return Content.link(url, description=_LINKED_IMAGE)
    media_type, data = _of_data_url(url)
    return Content.image(data, media_type=media_type or None)


def _file(file: object) -> Content:
    """Return the content of `file`, the field `file` of a part; its data is base64 or a data URL.

    Raise `ValueError` if it has no data, or the data is not base64.
    """
    data = _text_field(file, "file_data")
    if data is None:
        raise ValueError(
            "a file of a message's content is given as file_data; one that the provider keeps is not known here"
        )
    media_type, held = _of_data_url(data) if data.startswith("data:") else ("", _bytes(data))
    return Content.file(held, media_type=media_type or None, name=_text_field(file, "filename"))


def _of_data_url(url: str) -> tuple[str, bytes]:
    """Return the media type, which may be empty, and the bytes of `url`, a data URL of RFC 2397.

    Raise `ValueError` if it contains no base64.
    """
    head, comma, data = url.removeprefix("data:").partition(",")
    if not comma or not head.endswith(";base64"):
        raise ValueError("a data URL in a message's content holds no base64")
    return head.split(";")[0], _bytes(data)


def _bytes(text: str) -> bytes:
    """Return the bytes that `text` encodes in base64; other ASCII characters in it are ignored.

    Raise `ValueError` if the number of digits or the padding is wrong, or a character is not ASCII.
    """
    from binascii import Error, a2b_base64  # only where there are bytes

    try:
        return a2b_base64(text)
    except Error as error:
        raise ValueError(f"a part of a message's content holds no base64: {error}") from error


def _text(part: object, name: str) -> str:
    """Return the field `name` of `part`, a text; raise `ValueError` if it is missing or is not text."""
    found = _text_field(part, name)
    if found is None:
        raise ValueError(f"a part of a message's content has no {name}")
    return found


# --- Halves of surrogate pairs ---


def join_surrogates(text: str) -> str:
    """Return `text` with the halves of surrogate pairs joined, and lone halves replaced by U+FFFD."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def escape_surrogates(text: str) -> str:
    r"""Return `text` with halves of pairs as in JSON, `\udcff`, so that names of files stay distinct."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "backslashreplace").decode("utf-8")
    return text


def map_texts(change: Callable[[str], str], value: T) -> T:
    """Return the JSON value `value` with `change` applied to each text and name.

    Return `value` itself if nothing changes, or if it is not JSON.
    """
    try:
        return _map_value(change, value)  # type: ignore[no-any-return]
    except RecursionError:  # a circle, which cannot be written as JSON: that raises later
        return value


def _map_value(change: Callable[[str], str], value: Any) -> Any:
    """Return the JSON value `value` with `change` applied to each text and name, at any depth.

    Return `value` itself if nothing changes, or if it is not JSON. Raise `RecursionError` if it contains itself.
    """
    kind = type(value)
    if isinstance(value, str):
        return change(value)
    if kind is dict:
        changed = {_map_value(change, name): _map_value(change, each) for name, each in value.items()}
        is_same = all(map(is_, value.keys(), changed.keys())) and all(map(is_, value.values(), changed.values()))
        return value if is_same and len(changed) == len(value) else changed
    if kind in (list, tuple):
        items = [_map_value(change, each) for each in value]
        return value if all(map(is_, value, items)) else kind(items)
    return value


# --- Fields of JSON, which may be missing or of another type ---


def text_of(value: object) -> str:
    """Return `value` if it is text, else an empty text."""
    return value if isinstance(value, str) else ""


def number_of(value: object) -> int:
    """Return `value` if it is an integer, else 0."""
    return value if isinstance(value, int) else 0


def mapping_of(value: Any) -> Mapping[str, Any]:
    """Return `value` if it is a mapping, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def mappings_in(value: object) -> list[Mapping[str, Any]]:
    """Return the mappings in `value`, or an empty list if it is not a list."""
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []


def required(holder: Mapping[str, Any], name: str, kind: type[T]) -> T:
    """Return the field `name` of `holder`, an answer or a piece of one.

    Raises:
        ValueError: The field is missing, or is not of the type `kind`.
    """
    found = holder.get(name)
    if not isinstance(found, kind):
        raise ValueError(f"the {name} of {holder.get('type') or 'the answer'} is {found!r:.80}")  # noqa: TRY004  # from JSON
    return found
