"""Where does a provider's message have its calls, and whose shape are they in?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final

from fcregistry.formats._reading import field, is_absent, read_call

if TYPE_CHECKING:
    from fcregistry._base.call import ToolCall


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
    if shape_of(message):  # a call by itself
        return [message]
    calls = [*_listed(field(message, "tool_calls")), *_listed(field(message, "invalid_tool_calls"))]
    if calls:
        return calls
    if _has(field(message, "function_call"), "arguments"):
        return [message]
    for place in ("content", "output", "parts"):
        blocks = field(message, place)
        if isinstance(blocks, (list, tuple)):
            found = [block for block in blocks if shape_of(block)]
            if found:
                return found
    return next(filter(None, map(read_calls, _messages_in(message))), [])


def shape_of(call: Any) -> str | None:
    """Return the format whose calls are marked as this one is; None for one that is in the shape of OpenAI's chat, or is no call."""
    return next((name for name, is_of in _SHAPES.items() if is_of(call)), None)


def _is_gemini(call: Any) -> bool:
    """Tell whether a part asks for a function: as JSON, or as an object of the SDK. OpenAI once had a `function_call` too."""
    return _has(call, "functionCall") or (
        _has(call, "function_call") and not _has(field(call, "function_call"), "arguments")
    )


def _is_bedrock(call: Any) -> bool:
    """Tell whether a block asks for a tool of ours; Bedrock runs those of its own itself."""
    return _has(call, "toolUse") and field(field(call, "toolUse"), "type") != "server_tool_use"


_SHAPES: Final[dict[str, Callable[[Any], bool]]] = {
    "anthropic": lambda call: field(call, "type") == "tool_use",
    "openai-responses": lambda call: field(call, "type") == "function_call",
    "gemini": _is_gemini,
    "bedrock": _is_bedrock,
}


def _has(value: Any, name: str) -> bool:
    inner = field(value, name)
    return not (is_absent(inner) or inner is None)


def _listed(calls: Any) -> list[Any]:
    """Return calls as a list: one that stands by itself is one call."""
    if is_absent(calls) or calls is None:
        return []
    return list(calls) if isinstance(calls, (list, tuple)) else [calls]


def _messages_in(response: Any) -> Iterator[Any]:
    """Yield the messages in a response of Bedrock or Gemini."""
    yield from filter(_is_message, (field(field(response, "output"), "message"),))
    candidates = field(response, "candidates")
    if isinstance(candidates, (list, tuple)) and candidates:
        yield from filter(_is_message, (field(candidates[0], "content"),))


def _is_message(value: Any) -> bool:
    return not (is_absent(value) or value is None or isinstance(value, (str, list, tuple)))
