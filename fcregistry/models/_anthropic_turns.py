"""How is a conversation told to Anthropic's messages API? As turns of user and assistant, each a list of content blocks.

Sources: Anthropic API reference, "Messages"; Claude guides "Handle tool calls", "Extended thinking", "Vision", "PDF support". That texts of white
space are refused, and images in a result that tells of an error, the API's own error messages say.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from fcregistry.formats.anthropic import media
from fcregistry.models._anthropic_answers import NATIVE, Block, calls_of, input_of, joined_text
from fcregistry.models._anthropic_ids import CallIds
from fcregistry.models._messages import wire_name
from fcregistry.models._parts import is_image_link

if TYPE_CHECKING:
    from fcregistry._results.content import Content
    from fcregistry.models._messages import Message


def system_of(messages: Iterable[Message]) -> str:
    """Return the system prompt: the texts of all system messages in their order, those from the middle of a conversation at its end.

    Few models take one in the middle, and told as the user's it would weigh less than what the program says.
    """
    texts = (message.text for message in messages if message.role == "system")
    return "\n\n".join(text for text in texts if text.strip())


def turns_of(messages: Iterable[Message]) -> list[dict[str, Any]]:
    """Return the turns of a conversation: neighbours of one role are one turn, in which the results of calls come first, in the calls' order."""
    turns: list[dict[str, Any]] = []
    ids = CallIds()
    for message in messages:
        if message.role == "system":
            continue
        role = "assistant" if message.role == "assistant" else "user"
        blocks = _blocks(message, ids)
        if blocks and turns and turns[-1]["role"] == role:
            turns[-1]["content"] += blocks
        elif blocks:
            turns.append({"role": role, "content": blocks})
    for turn in turns:
        if turn["role"] == "user":
            turn["content"].sort(key=ids.place)
    return turns


def _blocks(message: Message, ids: CallIds) -> list[Block]:
    match message.role:
        case "assistant":
            return _answer(message, ids)
        case "tool":
            return [_result(message, ids)]
    return _shown(message.content, fetches=True)


def _answer(message: Message, ids: CallIds) -> list[Block]:
    """Return the blocks of what a model said: as it wrote them, if they still say what the message does.

    Of a message that was changed, thoughts and the provider's own tools are kept, which its text and its calls do not tell.
    """
    native = _native(message)
    calls = tuple((call.id, call.name, input_of(call)) for call in message.tool_calls)
    written = tuple((call.id, call.name, input_of(call)) for call in calls_of(native))
    if native and calls == written and joined_text(native, "text") == message.text:
        ids.keep(call.id for call in message.tool_calls)
        return [_named(block) for block in native if block.get("type") != "text" or _has_words(block.get("text"))]
    kept = [block for block in native if block.get("type") not in ("text", "tool_use")]
    asked = zip(ids.make(call.id for call in message.tool_calls), calls, strict=True)
    uses = [{"type": "tool_use", "id": wire, "name": name, "input": arguments} for wire, (_, name, arguments) in asked]
    return [*kept, *_text(message.text), *map(_named, uses)]


def _named(block: Block) -> Block:
    """Return a block in which a call has a name that the API takes back: it refuses one that is empty or too long, also of its own model."""
    if block.get("type") != "tool_use" or (name := wire_name(str(block.get("name") or ""))) == block.get("name"):
        return block
    return {**block, "name": name}


def _native(message: Message) -> list[Block]:
    """Return the blocks that the provider wrote; none where the message is not its, or was put together by somebody else."""
    blocks = message.native.get(NATIVE)
    is_ours = isinstance(blocks, (list, tuple)) and all(isinstance(block, dict) for block in blocks)
    return list(blocks) if blocks and is_ours else []


def _result(message: Message, ids: CallIds) -> Block:
    """Return the result of a call; one that tells of an error has text only."""
    content = _text(message.text) if message.is_error else _shown(message.content)
    block: Block = {"type": "tool_result", "tool_use_id": ids.of_result(message.tool_call_id)}
    if content:
        block["content"] = content
    return {**block, "is_error": True} if message.is_error else block


def _shown(content: str | tuple[Content, ...] | None, *, fetches: bool = False) -> list[Block]:
    """Return content as blocks; what the API does not take is named in words.

    Args:
        content: Of a message.
        fetches: Whether the provider fetches the images and PDFs that are linked: those of a user, not those of a tool.
    """
    if not isinstance(content, tuple):
        return _text(content)
    blocks: list[Block] = []
    for part in content:
        block = (_fetched(part) if fetches else None) or (None if part.kind == "text" else media(part))
        blocks += [block] if block else _text(str(part))
    return blocks


def _fetched(part: Content) -> Block | None:
    if part.kind != "link" or not (part.uri or "").startswith(("https://", "http://")):
        return None
    kind = "image" if is_image_link(part) else "document" if part.media_type == "application/pdf" else None
    return {"type": kind, "source": {"type": "url", "url": part.uri}} if kind else None


def _text(text: str | None) -> list[Block]:
    return [{"type": "text", "text": text}] if text and _has_words(text) else []


def _has_words(text: object) -> bool:
    return isinstance(text, str) and bool(text.strip())
