"""Requests and answers of Anthropic's messages API, whole or as events.

Blocks are kept as JSON in `Message.native`, so that all of them can be given back. The raw events of a stream are put together here, since the SDK's
own helper completes the input of a call that was cut off. Texts of white space are refused, and so are images in a result that is an error, and ids
of other providers' calls: the API's own error messages say so.

Sources: Anthropic API reference, "Messages"; Claude guides "Handle tool calls", "Extended thinking", "Vision", "PDF support", "Stop reasons and
fallback", "Streaming messages", "Fine-grained tool streaming".
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from fcregistry._base.call import ToolCall
from fcregistry._base.json import ArgumentsError, read_json
from fcregistry.formats.anthropic import media
from fcregistry.models._messages import (
    Message,
    arguments_text,
    call_of,
    is_image_link,
    join_surrogates,
    map_texts,
    wire_name,
)
from fcregistry.models._model import Completion, Delta, FinishReason, ToolCallDelta, Usage

if TYPE_CHECKING:
    from fcregistry._results.content import Content


NATIVE: Final = "anthropic"
"""The name under which a message keeps its blocks."""

Block: TypeAlias = dict[str, Any]


# --- Requests: turns of user and assistant ---


def system_of(messages: Iterable[Message]) -> str:
    """Return the system prompt: the texts of all system messages, in their order.

    Few models take one in the middle, and as a message of the user it would have less weight.
    """
    texts = (message.text for message in messages if message.role == "system")
    return "\n\n".join(text for text in texts if text.strip())


def turns_of(messages: Iterable[Message]) -> list[dict[str, Any]]:
    """Return the turns of a conversation: adjacent messages of one role are one turn.

    The results of calls come first in it, in the order of the calls.
    """
    turns: list[dict[str, Any]] = []
    ids = CallIds()
    for message in messages:
        if message.role == "system":
            continue
        role = "assistant" if message.role == "assistant" else "user"
        blocks = _message_blocks(message, ids)
        if blocks and turns and turns[-1]["role"] == role:
            turns[-1]["content"] += blocks
        elif blocks:
            turns.append({"role": role, "content": blocks})
    for turn in turns:
        if turn["role"] == "user":
            turn["content"].sort(key=ids.place)
    return turns


def _message_blocks(message: Message, ids: CallIds) -> list[Block]:
    match message.role:
        case "assistant":
            return _assistant_blocks(message, ids)
        case "tool":
            return [_result_block(message, ids)]
    return _content_blocks(message.content, fetches=True)


def _assistant_blocks(message: Message, ids: CallIds) -> list[Block]:
    """Return the blocks of a model's message: as it wrote them, unless the message was changed since.

    The thinking and the provider's own tools of a changed message are kept, since neither its text nor its calls have them.
    """
    native = _native_blocks(message)
    calls = tuple((call.id, call.name, input_of(call)) for call in message.tool_calls)
    written = tuple((call.id, call.name, input_of(call)) for call in calls_of(native))
    if native and calls == written and joined_text(native, "text") == message.text:
        ids.keep(call.id for call in message.tool_calls)
        return [
            _with_wire_name(block) for block in native if block.get("type") != "text" or _has_words(block.get("text"))
        ]
    kept = [block for block in native if block.get("type") not in ("text", "tool_use")]
    ids_and_calls = zip(ids.make(call.id for call in message.tool_calls), calls, strict=True)
    uses = [
        {"type": "tool_use", "id": wire, "name": name, "input": arguments}
        for wire, (_, name, arguments) in ids_and_calls
    ]
    return [*kept, *_text_blocks(message.text), *map(_with_wire_name, uses)]


def _with_wire_name(block: Block) -> Block:
    """Return a block, with another name of a call if the API would refuse it, as it does even its own."""
    if block.get("type") != "tool_use" or (name := wire_name(str(block.get("name") or ""))) == block.get("name"):
        return block
    return {**block, "name": name}


def _native_blocks(message: Message) -> list[Block]:
    """Return the blocks that the provider wrote; none if another one did, or they have another shape."""
    blocks = message.native.get(NATIVE)
    is_ours = isinstance(blocks, (list, tuple)) and all(isinstance(block, dict) for block in blocks)
    return list(blocks) if blocks and is_ours else []


def _result_block(message: Message, ids: CallIds) -> Block:
    """Return the result of a call; an error has only text."""
    content = _text_blocks(message.text) if message.is_error else _content_blocks(message.content)
    block: Block = {"type": "tool_result", "tool_use_id": ids.of_result(message.tool_call_id)}
    if content:
        block["content"] = content
    return {**block, "is_error": True} if message.is_error else block


def _content_blocks(content: str | tuple[Content, ...] | None, *, fetches: bool = False) -> list[Block]:
    """Return content as blocks; parts that the API does not take are named in words.

    Args:
        content: The content of a message.
        fetches: Whether the provider fetches linked images and PDFs: those of a user, not those of a tool.
    """
    if not isinstance(content, tuple):
        return _text_blocks(content)
    blocks: list[Block] = []
    for part in content:
        block = (_linked_block(part) if fetches else None) or (None if part.kind == "text" else media(part))
        blocks += [block] if block else _text_blocks(str(part))
    return blocks


def _linked_block(part: Content) -> Block | None:
    if part.kind != "link" or not (part.uri or "").startswith(("https://", "http://")):
        return None
    kind = "image" if is_image_link(part) else "document" if part.media_type == "application/pdf" else None
    return {"type": kind, "source": {"type": "url", "url": part.uri}} if kind else None


def _text_blocks(text: str | None) -> list[Block]:
    return [{"type": "text", "text": text}] if text and _has_words(text) else []


def _has_words(text: object) -> bool:
    return isinstance(text, str) and bool(text.strip())


_ID: Final = re.compile(r"[a-zA-Z0-9_-]{1,200}")


class CallIds:
    """The ids of a conversation's calls in a request, which is written message by message.

    A call keeps its id if the API takes it and no other call has it, else it gets a new one: other providers give ids that the API refuses, the
    same ones in every answer, or none.
    """

    def __init__(self) -> None:
        self._places: dict[str, int] = {}  # by the ids in the request
        self._open: list[tuple[str | None, str]] = []  # calls without a result: their own ids, and those in the request

    def keep(self, ids: Iterable[str | None]) -> None:
        """Take the ids of calls unchanged: the provider made them."""
        for own in ids:
            self._add(own, own or "")

    def make(self, ids: Iterable[str | None]) -> list[str]:
        """Return the ids in the request of the calls of a message.

        Args:
            ids: Their own ids.
        """
        made = []
        for own in ids:
            is_free = own is not None and _ID.fullmatch(own) is not None and own not in self._places
            made.append(self._add(own, own if own and is_free else self._new()))
        return made

    def of_result(self, id: str | None) -> str:
        """Return the id in the request of the call that a result answers.

        That is the first call with its id, or the first at all if it has none.
        """
        for call in self._open:
            if not id or call[0] == id:
                self._open.remove(call)
                return call[1]
        return id or ""

    def place(self, block: Mapping[str, Any]) -> tuple[bool, int]:
        """Return the sort key of a block of a user's turn: results before all else, in the order of the calls."""
        is_other = block.get("type") != "tool_result"
        return is_other, 0 if is_other else self._places.get(block["tool_use_id"], len(self._places))

    def _add(self, own: str | None, wire: str) -> str:
        self._places.setdefault(wire, len(self._places))
        self._open.append((own, wire))
        return wire

    def _new(self) -> str:
        number = len(self._places) + 1
        while (made := f"call_{number}") in self._places:
            number += 1
        return made


# --- Answers ---

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
    """Return the completion of a message of the API.

    Args:
        message: The message as JSON; the input of a call may be text, if it was streamed.

    Raises:
        ValueError: It has another shape.
    """
    blocks = message.get("content")
    if not isinstance(blocks, list) or not all(isinstance(block, dict) for block in blocks):
        raise ValueError("the message has no list of content blocks")
    reason = message.get("stop_reason")
    finish = _FINISHES.get(reason, "other") if isinstance(reason, str) else "other"
    if finish == "length":
        blocks = _with_cut_input(blocks)
    answer = _message_of(blocks)
    details = {name: message[name] for name in _DETAILS if message.get(name) is not None}
    return Completion(
        message=answer,
        finish_reason="tool_calls" if finish == "stop" and answer.tool_calls else finish,
        usage=_usage(message),
        model=str(message.get("model") or ""),
        details=details,
    )


def calls_of(blocks: Sequence[Block]) -> tuple[ToolCall, ...]:
    """Return the calls among blocks, without those of the provider's own tools, which it runs itself."""
    return tuple(call_of(block) for block in blocks if block.get("type") == "tool_use")


def joined_text(blocks: Sequence[Block], kind: str) -> str:
    """Return the text of all blocks of a kind, `text` or `thinking`, as `piece_after` puts it together."""
    pieces = (
        piece_after(blocks[:place], kind, _block_text(block))
        for place, block in enumerate(blocks)
        if block.get("type") == kind
    )
    return "".join(pieces)


def piece_after(before: Sequence[Block], kind: str, text: str) -> str:
    """Return the text at the beginning of a block, after an empty line if another kind of block came between.

    A text with citations comes in several adjacent blocks, which are one text.

    Args:
        before: The blocks before it.
        kind: The kind of the block: `text` or `thinking`.
        text: The text at its beginning.
    """
    runs_on = not before or before[-1].get("type") == kind
    said_before = any(_block_text(block) for block in before if block.get("type") == kind)
    return f"\n\n{text}" if text and said_before and not runs_on else text


def input_of(call: ToolCall) -> dict[str, Any]:
    """Return the arguments of a call as the object that the API wants.

    Text that is not a JSON object is wrapped in one, so that the model sees what it wrote, as the guide to fine-grained streaming advises.
    """
    return _object_of(arguments_text(call))


def _object_of(text: str) -> dict[str, Any]:
    if not text.strip():
        return {}
    try:
        value = read_json(text)
    except ArgumentsError:
        value = None
    # The text may write half of a surrogate pair as an escape, which the request could not carry.
    return map_texts(join_surrogates, value if isinstance(value, dict) else {"INVALID_JSON": text})


def _message_of(blocks: Sequence[Block]) -> Message:
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


def _with_cut_input(blocks: Sequence[Block]) -> Sequence[Block]:
    """Return the blocks of an answer that a limit ended.

    The input of a call at its end becomes text that is cut off, as it may have been.

    Streamed input is the text itself. In a whole answer the input is an object, which does not show whether it is complete.
    """
    last = blocks[-1] if blocks else {}
    written = last.get("input")
    if last.get("type") != "tool_use" or (isinstance(written, str) and written.strip()):
        return blocks
    text = json.dumps(written or {}, ensure_ascii=False)
    return [*blocks[:-1], {**last, "input": text[:-1]}]


def _block_text(block: Block) -> str:
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


# --- Streamed answers ---


class StreamedMessage:
    """Puts a message together from its events."""

    def __init__(self) -> None:
        self._message: dict[str, Any] = {}
        self._usage: dict[str, Any] = {}
        self._blocks: dict[int, Block] = {}
        self._pieces: dict[tuple[int, str], list[str]] = {}  # of each block, by the name of the field
        self.is_whole = False
        """Whether the last event has come."""

    def take(self, event: Mapping[str, Any]) -> Delta | None:
        """Take the next event, and return what is new in it; None if there is nothing to show.

        Raises:
            ValueError: It has another shape.
        """
        match event.get("type"):
            case "message_start":
                self._update(_object(event, "message"))
            case "content_block_start":
                return self._begin(_index(event), _object(event, "content_block"))
            case "content_block_delta":
                return self._continue_block(_index(event), _object(event, "delta"))
            case "message_delta":
                self._update({**_object(event, "delta"), "usage": event.get("usage")})
            case "message_stop":
                self.is_whole = True
        return None  # other events, the end of a block among them, need nothing

    def message(self) -> dict[str, Any]:
        """Return the message; the input of a call is the streamed text, if there was some."""
        for (index, name), pieces in self._pieces.items():
            if written := join_surrogates("".join(pieces)):
                self._blocks[index][name] = written
        return {
            **self._message,
            "usage": self._usage,
            "content": [self._blocks[index] for index in sorted(self._blocks)],
        }

    def _update(self, fields: Mapping[str, Any]) -> None:
        """Update the fields of the whole message; the counts of usage are totals."""
        usage = fields.get("usage")
        if isinstance(usage, Mapping):
            self._usage |= {name: count for name, count in usage.items() if count is not None}
        self._message |= {name: value for name, value in fields.items() if value is not None}

    def _begin(self, index: int, block: Mapping[str, Any]) -> Delta | None:
        self._blocks[index] = dict(block)
        match block.get("type"):
            case "tool_use":
                written = block.get("input")
                arguments = json.dumps(written, ensure_ascii=False) if written else ""
                return self._call_delta(
                    index, ToolCallDelta(index=0, id=block.get("id"), name=block.get("name"), arguments=arguments)
                )
            case "text" | "thinking" as kind:
                begun = block.get(kind)
                self._blocks[index][kind] = ""
                return self._add_text(index, kind, begun) if isinstance(begun, str) else None
        return None

    def _continue_block(self, index: int, delta: Mapping[str, Any]) -> Delta | None:
        block = self._blocks.get(index)
        if block is None:
            raise ValueError(f"a piece of the content block {index} came before its beginning")
        match delta.get("type"):
            case "text_delta":
                return self._add_text(index, "text", _delta_text(delta, "text"))
            case "thinking_delta":
                return self._add_text(index, "thinking", _delta_text(delta, "thinking"))
            case "input_json_delta":
                return self._add_input(index, _delta_text(delta, "partial_json"))
            case "signature_delta":
                self._store_piece(index, "signature", _delta_text(delta, "signature"))
            case "citations_delta":
                block["citations"] = [*(block.get("citations") or ()), delta.get("citation")]
        return None

    def _add_text(self, index: int, kind: str, text: str) -> Delta | None:
        """Add a piece to a text or a thought, and return it, with the empty line before it if it needs one."""
        if not text:
            return None
        if not self._blocks[index].get(kind):
            self._blocks[index][kind] = text  # any text will do until `message` joins the pieces
            before = [self._blocks[each] for each in sorted(self._blocks) if each < index]
            shown = piece_after(before, kind, text)
        else:
            shown = text
        self._store_piece(index, kind, text)
        return Delta(content=shown) if kind == "text" else Delta(reasoning=shown)

    def _add_input(self, index: int, text: str) -> Delta | None:
        """Add a piece to the input of a call.

        Only pieces of calls to our tools are returned, not to the provider's own.
        """
        self._store_piece(index, "input", text)
        if not text or self._blocks[index].get("type") != "tool_use":
            return None
        return self._call_delta(index, ToolCallDelta(index=0, arguments=text))

    def _store_piece(self, index: int, name: str, text: str) -> None:
        self._pieces.setdefault((index, name), []).append(text)

    def _call_delta(self, index: int, delta: ToolCallDelta) -> Delta:
        calls = [each for each in sorted(self._blocks) if self._blocks[each].get("type") == "tool_use"]
        place = calls.index(index)
        return Delta(tool_calls=(ToolCallDelta(index=place, id=delta.id, name=delta.name, arguments=delta.arguments),))


def _object(event: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = event.get(name)
    if not isinstance(found, Mapping):
        raise ValueError(f"an event of the type {event.get('type')} has no {name}")  # noqa: TRY004  # from JSON
    return found


def _index(event: Mapping[str, Any]) -> int:
    index = event.get("index")
    if not isinstance(index, int):
        raise ValueError(f"an event of the type {event.get('type')} has no index")  # noqa: TRY004  # as above
    return index


def _delta_text(delta: Mapping[str, Any], name: str) -> str:
    found = delta.get(name)
    if not isinstance(found, str):
        raise ValueError(f"a {delta.get('type')} has no {name}")  # noqa: TRY004  # as above
    return found
