"""How is a conversation told to OpenAI's chat completions API? As its messages; what it does not take is named in words.

Source: OpenAI API reference, "Chat Completions", messages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from fcregistry.models._messages import arguments_text, wire_name
from fcregistry.models._openai_ids import with_ids
from fcregistry.models._parts import is_image_link, written_part

if TYPE_CHECKING:
    from fcregistry._base.call import ToolCall
    from fcregistry._results.content import Content
    from fcregistry.models._messages import Message

NATIVE: Final = "openai"
"""What `Message.native` keeps of this API under: `{"reasoning_content": …, "calls": {id: what a call carries beside ours}}`."""


def chat_messages(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Return a conversation as the API takes it. The messages given are left as they are."""
    return [_written(message) for message in with_ids(messages)]


def _written(message: Message) -> dict[str, Any]:
    match message.role:
        case "user":
            return {"role": "user", "content": _content(message), **_named(message)}
        case "assistant":
            return _said(message)
        case "tool":  # the API takes text here, in which what is none is named
            return {"role": "tool", "tool_call_id": message.tool_call_id or "", "content": message.text}
    return {"role": message.role, "content": message.text, **_named(message)}


def _said(message: Message) -> dict[str, Any]:
    """Return what the model said. A message that only calls has null for content: without the key some refuse it, and empty text too."""
    written: dict[str, Any] = {"role": "assistant", "content": message.text or None, **_named(message)}
    if not message.tool_calls:
        return {**written, "content": message.text}
    native = _mapping(message.native.get(NATIVE))
    own = _mapping(native.get("calls"))
    calls = [{**_call(call), **_mapping(own.get(call.id or ""))} for call in message.tool_calls]
    return {**written, **_thought(message, native), "tool_calls": calls}


def _thought(message: Message, native: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the model thought before it called.

    Those that think between calls want it back, as they wrote it; others refuse it, and what another provider's model thought. So it
    goes to whom wrote it, and, where nobody else is known to have, under its usual name.
    """
    kept = {name: value for name, value in native.items() if name != "calls"}
    if kept or message.native or not message.reasoning:
        return kept
    return {"reasoning_content": message.reasoning}


def _call(call: ToolCall) -> dict[str, Any]:
    function = {"name": wire_name(call.name), "arguments": arguments_text(call) or "{}"}
    return {"id": call.id, "type": "function", "function": function}


def _named(message: Message) -> dict[str, str]:
    return {"name": message.name} if message.name else {}


def _content(message: Message) -> str | list[dict[str, Any]]:
    return [_part(part) for part in message.content] if isinstance(message.content, tuple) else message.text


def _part(part: Content) -> dict[str, Any]:
    if is_image_link(part):
        return {"type": "image_url", "image_url": {"url": part.uri}}
    return written_part(part)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
