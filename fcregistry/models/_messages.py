"""What is said in a conversation with a model? Messages, in the shape of OpenAI's chat, which most others can be told in.

Source: OpenAI API reference, "Chat Completions", messages.

MERGED: How are the pieces of a message's content written? As OpenAI's chat writes them.

Source: OpenAI API reference, "Chat Completions", content parts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from operator import is_
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, cast

from fcregistry._base.call import ToolCall, UnreadArguments
from fcregistry._results.content import Content
from fcregistry.formats import MalformedCallError, read_call, read_calls
from fcregistry.formats._parts import base64_of, data_url
from fcregistry.formats._read import is_absent, read_field
from fcregistry.models._surrogates import escaped, in_texts, joined

if TYPE_CHECKING:
    from fcregistry._results.result import ToolResult

# --- models._messages ---

Role: TypeAlias = Literal["system", "user", "assistant", "tool"]

_ROLES: Final = ("system", "user", "assistant", "tool")
_ALIASES: Final = {"developer": "system", "model": "assistant"}
"""What newer models of OpenAI, and Gemini, call the same."""

_NOT_IN_NAMES: Final = re.compile(r"[^A-Za-z0-9_-]")
_LONGEST_NAME: Final = 64

_SHOWN: Final = 500
"""Characters that are kept of a call that cannot be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of a conversation. Immutable.

    Attributes:
        role: Who speaks: `system`, `user`, `assistant` (the model) or `tool` (the result of one call).
        content: Its text, or pieces of content, of which some are no text; None of a message that only calls.
        tool_calls: What the model asks for, in its order.
        tool_call_id: Which call a `tool` message answers.
        name: The name of the tool that a `tool` message is of, or of a participant.
        reasoning: What the model thought, where it says so.
        is_error: Whether a `tool` message tells of a failure.
        continues: Whether a `user` message goes on with the turn before it, since an agent says it in the user's place: the results of calls that
            stand in text, a step of a plan.
        native: The same as a provider wrote it, by the provider's name: given back to that provider, which may sign what it wrote.
    """

    role: Role
    content: str | tuple[Content, ...] | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    name: str | None = None
    reasoning: str | None = None
    is_error: bool = False
    continues: bool = False
    native: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Keep halves of characters out of what models and tools said, since no request could carry the conversation any more.

        What a user or a program says is left as it is: they can mend it, and are told.
        """
        if self.role == "assistant":
            self._change("content", _in_content(joined, self.content))
            self._change("tool_calls", tuple(map(_whole_call, self.tool_calls)))
            self._change("reasoning", in_texts(joined, self.reasoning))
            self._change("native", in_texts(joined, self.native))
        elif self.role == "tool" or self.continues:
            self._change("content", _in_content(escaped, self.content))

    def _change(self, name: str, value: object) -> None:
        if value is not getattr(self, name):
            object.__setattr__(self, name, value)

    @property
    def text(self) -> str:
        """All of its content as text; what is no text is named."""
        if isinstance(self.content, tuple):
            return "\n".join(map(str, self.content))
        return self.content or ""

    @classmethod
    def of(cls, value: object) -> Message:
        """Return the message that a value is: a `Message`, a text of the user, or a message as a dict or an SDK object.

        Args:
            value: A message in the shape of OpenAI's chat; calls may be in the shape of any provider.

        Raises:
            TypeError: It is no message.
            ValueError: It has no role that is known, or content that cannot be read.
        """
        if isinstance(value, Message):
            return value
        if isinstance(value, str):
            return cls(role="user", content=value)
        role = read_field(value, "role")
        if is_absent(role):
            raise TypeError(f"a message is a Message, a text, or a dict with a role, not {type(value).__name__}")
        role = _ALIASES.get(role, role) if isinstance(role, str) else role
        if role not in _ROLES:
            raise ValueError(f"the role of a message is one of {', '.join(_ROLES)}, not {role!r:.50}")
        if role != "assistant" and _given(value, "tool_calls"):
            _warn(f"a message of the role {role!r} has tool calls, which are left out: only the assistant makes some")
        return cls(
            role=cast("Role", role),
            content=_content(_given(value, "content")),
            tool_calls=tuple(map(call_of, read_calls(value))) if role == "assistant" else (),
            tool_call_id=_text_of(value, "tool_call_id"),
            name=_text_of(value, "name"),
            reasoning=_text_of(value, "reasoning_content") or _text_of(value, "reasoning"),
            is_error=_given(value, "is_error") is True,
            continues=_given(value, "continues") is True,
            native=_native(_given(value, "native")),
        )

    @classmethod
    def of_result(cls, result: ToolResult, id: str | None = None) -> Message:
        """Return the message that tells a model of a result.

        Args:
            result: What came of a call.
            id: The id of the call, where the call itself has none.
        """
        call = result.call
        parts = tuple(result.parts) if any(part.kind != "text" for part in result.parts) else ()
        return cls(
            role="tool",
            content=parts or result.content,
            tool_call_id=(call.id if call else None) or id,
            name=(call.name if call else None) or None,
            is_error=not result.ok,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return it as a JSON object in the shape of OpenAI's chat, which `Message.of` reads; arguments are JSON text.

        What that shape has no place for is left out where it says nothing: `reasoning`, `is_error`, `continues`, `native`.
        """
        written: dict[str, Any] = {"role": self.role, "content": _written_content(self.content)}
        if self.tool_calls:
            written["tool_calls"] = [call_as_chat_json(call) for call in self.tool_calls]
        named = {"tool_call_id": self.tool_call_id, "name": self.name, "reasoning": self.reasoning}
        written |= {name: value for name, value in named.items() if value is not None}
        if self.is_error:
            written["is_error"] = True
        if self.continues:
            written["continues"] = True
        if self.native:
            written["native"] = dict(self.native)
        return written

    def replaced(self, **changes: Any) -> Message:
        """Return the same message with some attributes changed."""
        return replace(self, **changes)


MessageLike: TypeAlias = "Message | str | Mapping[str, Any]"
"""A message, a text of the user, or a message in the shape of OpenAI's chat; objects of an SDK will do too."""


def messages_of(conversation: MessageLike | Iterable[MessageLike]) -> tuple[Message, ...]:
    """Return the messages of a question, of one message, or of a conversation.

    Raises:
        TypeError, ValueError: As for `Message.of`.
    """
    if isinstance(conversation, (Message, str, Mapping)) or not isinstance(conversation, Iterable):
        return (Message.of(conversation),)
    return tuple(map(Message.of, conversation))


def call_of(value: object) -> ToolCall:
    """Return the call that a value is; of one that cannot be read, what can be: an executor tells the model what is wrong with it."""
    try:
        return read_call(value)
    except MalformedCallError as error:
        kept = _unread(value, error.arguments)
        return ToolCall(error.name, UnreadArguments(kept, str(error)) if error.unread else kept, error.id)


def call_as_chat_json(call: ToolCall) -> dict[str, Any]:
    """Return a call as OpenAI's chat writes it: `{"id", "type": "function", "function": {"name", "arguments"}}`."""
    return {"id": call.id or "", "type": "function", "function": {"name": call.name, "arguments": arguments_text(call)}}


def wire_name(name: str) -> str:
    """Return the name of a call as it may be sent back: a model may have called what no tool can be named, and providers refuse that."""
    return _NOT_IN_NAMES.sub("_", name)[:_LONGEST_NAME] or "_"


def arguments_text(call: ToolCall) -> str:
    """Return the arguments of a call as JSON text: as the model wrote it, where it wrote text."""
    arguments: object = call.arguments  # a program may have made the call of anything
    if isinstance(arguments, str):
        return arguments
    import json  # loaded with the package's first schema; not worth a line above

    kind = type(arguments).__name__
    if not (arguments is None or isinstance(arguments, Mapping)):
        return _unread(kind, arguments)
    try:
        return json.dumps(dict(arguments or {}), ensure_ascii=False, default=str)
    except Exception:  # somebody's own mapping, a circle, keys that are no text: whoever made the call has it refused  # noqa: BLE001
        return _unread(kind, arguments)


def _unread(call: object, arguments: object) -> str:
    """Return what is kept of a call that cannot be read: JSON text that is no object, however it is repaired, so that it never runs."""
    import json  # as above

    is_plain = isinstance(arguments, (bool, int, float))
    return json.dumps(arguments if is_plain else [repr(call)[:_SHOWN]], ensure_ascii=False)


def _in_content(
    change: Callable[[str], str], content: str | tuple[Content, ...] | None
) -> str | tuple[Content, ...] | None:
    """Return content with its texts changed; the same where that changes none."""
    if not isinstance(content, tuple):
        return in_texts(change, content)
    parts = tuple(with_texts(part, change) for part in content)
    return content if all(map(is_, parts, content)) else parts


def _whole_call(call: ToolCall) -> ToolCall:
    said = (call.name, call.arguments, call.id)
    whole = in_texts(joined, said)
    return call if whole is said else ToolCall(*whole)


def _content(value: Any) -> str | tuple[Content, ...] | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, (list, tuple)):
        parts = tuple(part for part in map(part_of, value) if part is not None)
        return parts[0].plain if len(parts) == 1 and parts[0].kind == "text" else parts or None
    raise ValueError(f"the content of a message is text or a list of parts, not {type(value).__name__}")


def _written_content(content: str | tuple[Content, ...] | None) -> Any:
    return [written_part(part) for part in content] if isinstance(content, tuple) else content


def _warn(message: str) -> None:
    import warnings  # for what hardly anybody writes

    warnings.warn(message, UserWarning, stacklevel=3)


def _native(value: Any) -> Mapping[str, Any]:
    if value is None or isinstance(value, Mapping):
        return value or {}
    raise ValueError(f"native of a message is an object by the name of a provider, not {type(value).__name__}")


def _given(value: Any, name: str) -> Any:
    found = read_field(value, name)
    return None if is_absent(found) else found


def _text_of(value: Any, name: str) -> str | None:
    found = _given(value, name)
    return found if isinstance(found, str) else None


# --- models._parts ---

_LINKED_IMAGE: Final = "an image"
"""What a link to an image is described as, whose media type nobody knows before it is fetched."""

_AUDIO: Final = {"audio/wav": "wav", "audio/x-wav": "wav", "audio/mpeg": "mp3", "audio/mp3": "mp3"}


def part_of(part: object) -> Content | None:
    """Return the content of a part; None for a part of the model's own that says nothing to others: a call, a thought.

    Raises:
        ValueError: It is no part that is known.
    """
    if isinstance(part, (Content, str)):
        return part if isinstance(part, Content) else Content.text(part)
    kind = read_field(part, "type")
    match kind:
        case "text" | "input_text" | "output_text":
            return Content.text(_text(part, "text"))
        case "refusal":
            return Content.text(_text(part, "refusal"))
        case "image_url":
            return _image(read_field(part, "image_url"))
        case "input_audio":
            sound = read_field(part, "input_audio")
            return Content.audio(_bytes(_text(sound, "data")), media_type=_media_type(_text(sound, "format")))
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
    """Return a piece of content as a part; one that OpenAI has no part for is named in words."""
    if part.kind == "image":
        return {"type": "image_url", "image_url": {"url": data_url(part)}}
    if part.kind == "audio" and part.media_type in _AUDIO:
        return {"type": "input_audio", "input_audio": {"data": base64_of(part), "format": _AUDIO[part.media_type]}}
    if part.kind == "file" and part.plain is None:
        return {"type": "file", "file": {"filename": part.name, "file_data": data_url(part)}}
    return {"type": "text", "text": str(part)}


def with_texts(part: Content, change: Callable[[str], str]) -> Content:
    """Return a piece of content whose texts are changed; the same where that changes none."""
    said: tuple[Any, ...] = part._key()
    changed = in_texts(change, said)
    if changed is said:
        return part
    kind, media_type, plain, data, name, uri, description = changed
    return Content(kind, media_type, plain=plain, data=data, name=name, uri=uri, description=description)


def is_image_link(part: Content) -> bool:
    """Tell whether a piece of content says where an image is, which a provider can fetch: by its media type, or as a message has it."""
    return part.kind == "link" and ((part.media_type or "").startswith("image/") or part.description == _LINKED_IMAGE)


def _image(image: object) -> Content:
    url = image if isinstance(image, str) else _text(image, "url")
    if not url.startswith("data:"):
        return Content.link(url, description=_LINKED_IMAGE)
    media_type, data = _of_data_url(url)
    return Content.image(data, media_type=media_type or None)


def _file(file: object) -> Content:
    data = read_field(file, "file_data")
    name = read_field(file, "filename")
    if is_absent(data) or not isinstance(data, str):
        raise ValueError(
            "a file of a message's content is given as file_data; one that the provider keeps is not known here"
        )
    media_type, held = _of_data_url(data) if data.startswith("data:") else ("", _bytes(data))
    return Content.file(held, media_type=media_type or None, name=name if isinstance(name, str) else None)


def _of_data_url(url: str) -> tuple[str, bytes]:
    """Return the media type and the bytes of a URL of RFC 2397."""
    head, comma, data = url.removeprefix("data:").partition(",")
    if not comma or not head.endswith(";base64"):
        raise ValueError("a data URL in a message's content holds no base64")
    return head.split(";")[0], _bytes(data)


def _bytes(text: str) -> bytes:
    from binascii import Error, a2b_base64  # only where there are bytes

    try:
        return a2b_base64(text)
    except Error as error:
        raise ValueError(f"a part of a message's content holds no base64: {error}") from error


def _media_type(ending: str) -> str:
    return {"mp3": "audio/mpeg"}.get(ending, f"audio/{ending}")


def _text(part: object, name: str) -> str:
    found = read_field(part, name)
    if is_absent(found) or not isinstance(found, str):
        raise ValueError(f"a part of a message's content has no {name}")
    return found
