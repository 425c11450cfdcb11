"""How is a conversation told to OpenAI's responses API? As input items; what it does not take is named in words.

Sources: OpenAI API reference, "Responses", input; OpenAI guides "Reasoning models", "Conversation state" and "File inputs".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from fcregistry.formats._parts import data_url
from fcregistry.formats.openai_responses import FILES, IMAGES
from fcregistry.models._messages import arguments_text, wire_name
from fcregistry.models._openai_ids import with_ids
from fcregistry.models._openai_output import read_output
from fcregistry.models._parts import is_image_link

if TYPE_CHECKING:
    from fcregistry._base.call import ToolCall
    from fcregistry._results.content import Content
    from fcregistry.models._messages import Message

NATIVE: Final = "openai-responses"
"""What `Message.native` keeps of this API under: the items of the output, as they came."""


def input_items(messages: Sequence[Message], *, stored: bool = True) -> list[dict[str, Any]]:
    """Return a conversation as the API takes it. The messages given are left as they are.

    Args:
        messages: The conversation.
        stored: Whether the provider keeps its answers, and knows what it wrote by its id.
    """
    return [item for message in with_ids(messages) for item in _items(message, stored)]


def _items(message: Message, stored: bool) -> Iterator[dict[str, Any]]:
    match message.role:
        case "assistant":
            yield from _kept(message, stored) or _said(message)
        case "tool":
            output = {"call_id": message.tool_call_id or "", "output": _content(message)}
            yield {"type": "function_call_output", **output}
        case _:
            yield {"role": message.role, "content": _content(message)}


def _kept(message: Message, stored: bool) -> list[dict[str, Any]]:
    """Return what the provider wrote, thoughts included, to be given back as it was; nothing where the message says something else by now."""
    items = message.native.get(NATIVE)
    if not isinstance(items, Sequence) or not all(isinstance(item, Mapping) for item in items):
        return []
    said = read_output(items)
    if said.text != message.text or said.calls != message.tool_calls:
        return []
    return [_named(item if stored else _without_id(item)) for item in items if stored or _can_be_told(item)]


def _named(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return an item in which a call has a name that the API takes back."""
    return (
        {**item, "name": wire_name(str(item.get("name") or ""))} if item.get("type") == "function_call" else dict(item)
    )


def _without_id(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return an item without the id by which a provider that keeps nothing would look for it."""
    return {name: value for name, value in item.items() if name != "id"}


def _can_be_told(item: Mapping[str, Any]) -> bool:
    return item.get("type") != "reasoning" or bool(item.get("encrypted_content"))


def _said(message: Message) -> Iterator[dict[str, Any]]:
    if message.text or not message.tool_calls:
        yield {"role": "assistant", "content": message.text}
    yield from map(_call, message.tool_calls)


def _call(call: ToolCall) -> dict[str, Any]:
    function = {"name": wire_name(call.name), "arguments": arguments_text(call) or "{}"}
    return {"type": "function_call", "call_id": call.id, **function}


def _content(message: Message) -> str | list[dict[str, Any]]:
    return [_part(part) for part in message.content] if isinstance(message.content, tuple) else message.text


def _part(part: Content) -> dict[str, Any]:
    if is_image_link(part):
        return {"type": "input_image", "image_url": part.uri}
    if part.kind == "image" and part.media_type in IMAGES:
        return {"type": "input_image", "image_url": data_url(part)}
    if part.kind == "file" and part.media_type in FILES:
        return {"type": "input_file", "filename": part.name, "file_data": data_url(part)}
    return {"type": "input_text", "text": str(part)}
