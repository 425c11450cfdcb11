"""What do chat formats and templates take of a message? Plain data in the shape of OpenAI's chat, with arguments as objects.

Source: Hugging Face Transformers, "Chat templates", "Tool use" (a call's arguments are an object, its content is text).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from fcregistry.errors import ChatTemplateError

_Place = tuple[Any, str]
"""Where a value stands: the place of what holds it, or None, and the step from there. A path is written when it is told."""

_DEEPEST: Final = 100


def plain_messages(messages: Sequence[Any]) -> list[dict[str, Any]]:
    """Return copies of messages, as templates expect them.

    Arguments that are JSON text become objects, content of text parts becomes text, and no content becomes an empty text.

    Raises:
        ChatTemplateError: One of them is no message, or holds what is no JSON.
    """
    return [_plain_message(message, (None, f"$[{index}]")) for index, message in enumerate(messages)]


def plain_tools(tools: Sequence[Any]) -> list[dict[str, Any]]:
    """Return copies of tools, as `{"type": "function", "function": {...}}`, which is what templates show.

    Raises:
        ChatTemplateError: One of them is no description of a tool, or holds what is no JSON.
    """
    described = []
    for index, tool in enumerate(tools):
        if not isinstance(tool, Mapping) or not ("function" in tool or "name" in tool):
            raise ChatTemplateError(f'a tool is a dict with "type" and "function", and tools[{index}] is not')
        copied = _plain(tool, (None, f"tools[{index}]"))
        described.append(copied if "function" in copied else {"type": "function", "function": copied})
    return described


def text_of(content: Any, where: str) -> str:
    """Return the text of a content; "" if there is none.

    Raises:
        ChatTemplateError: It holds what is no text.
    """
    written = _content(content)
    if isinstance(written, str):
        return written
    raise ChatTemplateError(f"{where}.content: a chat format writes text only; give images to the model's own template")


def _plain_message(message: Any, where: _Place) -> dict[str, Any]:
    if not isinstance(message, Mapping) or not isinstance(message.get("role"), str):
        raise ChatTemplateError(
            f"{_path(where)}: a message is a dict with a role, such as {{'role': 'user', 'content': 'Hi'}}"
        )
    # `native` is for the provider that wrote it.
    copied: dict[str, Any] = _plain({name: held for name, held in message.items() if name != "native"}, where)
    copied["content"] = _content(copied.get("content"))
    if "reasoning" in copied:
        copied.setdefault("reasoning_content", copied["reasoning"])
    if calls := copied.get("tool_calls"):
        copied["tool_calls"] = [_with_object(call) for call in calls] if isinstance(calls, list) else calls
    return copied


def _content(content: Any) -> Any:
    if content is None:
        return ""
    if isinstance(content, list) and all(isinstance(part, Mapping) and part.get("type") == "text" for part in content):
        return "\n".join(str(part.get("text") or "") for part in content)
    return content


def _with_object(call: Any) -> Any:
    """Return a call whose arguments are an object, where they are the JSON text of one; else as it is."""
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict) or not isinstance(function.get("arguments"), str):
        return call
    try:
        arguments = _plain(json.loads(function["arguments"] or "{}"), (None, "arguments"))
    except (ValueError, RecursionError, ChatTemplateError):
        return call
    return {**call, "function": {**function, "arguments": arguments}} if isinstance(arguments, dict) else call


def _plain(value: Any, where: _Place, depth: int = 0) -> Any:
    """Return a copy that is plain JSON data: a template can reach nothing else through it."""
    if value is None or type(value) in (str, int, float, bool):
        return value
    if depth > _DEEPEST:
        raise ChatTemplateError(f"{_path(where)[:80]}: nested deeper than {_DEEPEST} levels")
    if isinstance(value, Mapping):
        return {str(name): _plain(held, (where, f".{name}"), depth + 1) for name, held in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(held, (where, f"[{index}]"), depth + 1) for index, held in enumerate(value)]
    if isinstance(value, str):
        return str(value)
    raise ChatTemplateError(f"{_path(where)}: must be JSON data, not {type(value).__name__}")


def _path(place: _Place | None) -> str:
    steps: list[str] = []
    while place is not None:
        place, step = place
        steps.insert(0, step)
    return "".join(steps)
