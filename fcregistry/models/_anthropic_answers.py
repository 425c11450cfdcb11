"""What does a message of Anthropic's messages API say? Its blocks are read as JSON, so that all of them can be handed back.

Sources: Anthropic API reference, "Messages"; Claude guides "Stop reasons and fallback", "Handle tool calls", "Fine-grained tool streaming".
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

from fcregistry._base.call import ToolCall
from fcregistry._base.json import ArgumentsError, read_json
from fcregistry.models._completion import Completion, FinishReason, Usage
from fcregistry.models._messages import Message, arguments_text, call_of
from fcregistry.models._surrogates import in_texts, joined

NATIVE: Final = "anthropic"
"""Under which name a message keeps its blocks."""

Block: TypeAlias = dict[str, Any]

_FINISHES: Final[Mapping[object, FinishReason]] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "content_filter",
    "pause_turn": "other",
}
_DETAILS: Final = ("id", "stop_reason", "stop_sequence", "stop_details", "container")


def completion_of(message: Mapping[str, Any]) -> Completion:
    """Return what a message of the API says.

    Args:
        message: The message as JSON; the input of a call may be text, where it was streamed.

    Raises:
        ValueError: It is no such message.
    """
    blocks = message.get("content")
    if not isinstance(blocks, list) or not all(isinstance(block, dict) for block in blocks):
        raise ValueError("the message has no list of content blocks")
    reason = message.get("stop_reason")
    finish = _FINISHES.get(reason, "other") if isinstance(reason, str) else "other"
    if finish == "length":
        blocks = _left_open(blocks)
    said = _message(blocks)
    details = {name: message[name] for name in _DETAILS if message.get(name) is not None}
    return Completion(
        message=said,
        finish_reason="tool_calls" if finish == "stop" and said.tool_calls else finish,
        usage=_usage(message),
        model=str(message.get("model") or ""),
        details=details,
    )


def calls_of(blocks: Sequence[Block]) -> tuple[ToolCall, ...]:
    """Return the calls among blocks. Those of the provider's own tools, which it runs itself, are none."""
    return tuple(call_of(block) for block in blocks if block.get("type") == "tool_use")


def joined_text(blocks: Sequence[Block], kind: str) -> str:
    """Return the text of all blocks of a kind, `text` or `thinking`, as `piece_after` puts it together."""
    pieces = (
        piece_after(blocks[:place], kind, _said(block))
        for place, block in enumerate(blocks)
        if block.get("type") == kind
    )
    return "".join(pieces)


def piece_after(before: Sequence[Block], kind: str, text: str) -> str:
    """Return the text that a block begins with, set off by an empty line where another kind of block stands between it and the last.

    A text with citations comes in several blocks, one right after the other, and runs on.

    Args:
        before: The blocks before it.
        kind: What the block is: `text` or `thinking`.
        text: What it begins with.
    """
    runs_on = not before or before[-1].get("type") == kind
    said_before = any(_said(block) for block in before if block.get("type") == kind)
    return f"\n\n{text}" if text and said_before and not runs_on else text


def input_of(call: ToolCall) -> dict[str, Any]:
    """Return the arguments of a call as the object that the API wants.

    Text that is no JSON object is wrapped in one, so that the model sees what it wrote, as the guide to fine-grained streaming advises.
    """
    return _object_of(arguments_text(call))


def _object_of(text: str) -> dict[str, Any]:
    if not text.strip():
        return {}
    try:
        value = read_json(text)
    except ArgumentsError:
        value = None
    # The text may write half of a character as an escape, which the request would have to carry as it is.
    return in_texts(joined, value if isinstance(value, dict) else {"INVALID_JSON": text})


def _message(blocks: Sequence[Block]) -> Message:
    kept = [
        {**block, "input": _object_of(block["input"])} if isinstance(block.get("input"), str) else block
        for block in blocks
    ]
    return Message(
        role="assistant",
        content=joined_text(blocks, "text") or None,
        tool_calls=calls_of(blocks),
        reasoning=joined_text(blocks, "thinking") or None,
        native={NATIVE: kept} if kept else {},
    )


def _left_open(blocks: Sequence[Block]) -> Sequence[Block]:
    """Return the blocks of an answer that a limit ended; the input of a call at its end is text that is cut, as it may well have been.

    Streamed, the input is the text that there was. At once, what there was is given as an object, which does not tell whether it is whole.
    """
    last = blocks[-1] if blocks else {}
    written = last.get("input")
    if last.get("type") != "tool_use" or (isinstance(written, str) and written.strip()):
        return blocks
    text = json.dumps(written or {}, ensure_ascii=False)
    return [*blocks[:-1], {**last, "input": text[:-1]}]


def _said(block: Block) -> str:
    text = block.get(str(block.get("type")))
    return text if isinstance(text, str) else ""


def _usage(message: Mapping[str, Any]) -> Usage:
    counts = message.get("usage")
    if not isinstance(counts, Mapping):
        return Usage(requests=1)
    cached = _count(counts, "cache_read_input_tokens")
    details = counts.get("output_tokens_details")
    return Usage(
        input_tokens=_count(counts, "input_tokens") + cached + _count(counts, "cache_creation_input_tokens"),
        output_tokens=_count(counts, "output_tokens"),
        cached_tokens=cached,
        reasoning_tokens=_count(details, "thinking_tokens") if isinstance(details, Mapping) else 0,
        requests=1,
    )


def _count(counts: Mapping[str, Any], name: str) -> int:
    found = counts.get(name)
    return found if isinstance(found, int) else 0
