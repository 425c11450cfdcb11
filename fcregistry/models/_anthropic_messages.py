"""How do the events of a streamed answer of Anthropic's messages API become its message?

The raw events are put together here, since the SDK's own helper completes the input of a call that was cut off.
Source: Claude guide "Streaming messages".

MERGED: How is a conversation told to Anthropic's messages API? As turns of user and assistant, each a list of content blocks.

Sources: Anthropic API reference, "Messages"; Claude guides "Handle tool calls", "Extended thinking", "Vision", "PDF support". That texts of white
space are refused, and images in a result that tells of an error, the API's own error messages say.
MERGED: What does a message of Anthropic's messages API say? Its blocks are read as JSON, so that all of them can be handed back.

Sources: Anthropic API reference, "Messages"; Claude guides "Stop reasons and fallback", "Handle tool calls", "Fine-grained tool streaming".
MERGED: Which id does a call have on the wire of Anthropic's messages API? Its own, if it can be one there, else one that is made.

Calls of other providers have ids that this one does not take, the same ones in every answer, or none. Source: the API's own error messages.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from fcregistry._base.call import ToolCall
from fcregistry._base.json import ArgumentsError, read_json
from fcregistry.formats.anthropic import media
from fcregistry.models._messages import Message, arguments_text, call_of, is_image_link, wire_name
from fcregistry.models._model import Completion, Delta, FinishReason, ToolCallDelta, Usage
from fcregistry.models._surrogates import in_texts, joined

if TYPE_CHECKING:
    from fcregistry._results.content import Content

# --- models._anthropic_events ---


class StreamedMessage:
    """A message that comes in events."""

    def __init__(self) -> None:
        self._message: dict[str, Any] = {}
        self._usage: dict[str, Any] = {}
        self._blocks: dict[int, Block] = {}
        self._pieces: dict[tuple[int, str], list[str]] = {}  # of what each block says, by the name of the field
        self.is_whole = False
        """Whether the provider has said that this was all."""

    def take(self, event: Mapping[str, Any]) -> Delta | None:
        """Take the next event, and return what it says; None where it says nothing to show.

        Raises:
            ValueError: It is not of the shape that it should be.
        """
        match event.get("type"):
            case "message_start":
                self._tell(_object(event, "message"))
            case "content_block_start":
                return self._begin(_index(event), _object(event, "content_block"))
            case "content_block_delta":
                return self._go_on(_index(event), _object(event, "delta"))
            case "message_delta":
                self._tell({**_object(event, "delta"), "usage": event.get("usage")})
            case "message_stop":
                self.is_whole = True
        return None  # of others, the end of a block among them, there is nothing to know

    def message(self) -> dict[str, Any]:
        """Return the message; the input of a call is the text that was written, and what it began with where none was."""
        for (index, name), pieces in self._pieces.items():
            if written := joined("".join(pieces)):
                self._blocks[index][name] = written
        return {
            **self._message,
            "usage": self._usage,
            "content": [self._blocks[index] for index in sorted(self._blocks)],
        }

    def _tell(self, told: Mapping[str, Any]) -> None:
        """Take what is told of the message as a whole; counts are of all that was until then."""
        usage = told.get("usage")
        if isinstance(usage, Mapping):
            self._usage |= {name: count for name, count in usage.items() if count is not None}
        self._message |= {name: value for name, value in told.items() if value is not None}

    def _begin(self, index: int, block: Mapping[str, Any]) -> Delta | None:
        self._blocks[index] = dict(block)
        match block.get("type"):
            case "tool_use":
                written = block.get("input")
                arguments = json.dumps(written, ensure_ascii=False) if written else ""
                return self._of_call(
                    index, ToolCallDelta(index=0, id=block.get("id"), name=block.get("name"), arguments=arguments)
                )
            case "text" | "thinking" as kind:
                begun = block.get(kind)
                self._blocks[index][kind] = ""
                return self._say(index, kind, begun) if isinstance(begun, str) else None
        return None

    def _go_on(self, index: int, delta: Mapping[str, Any]) -> Delta | None:
        block = self._blocks.get(index)
        if block is None:
            raise ValueError(f"a piece of the content block {index} came before its beginning")
        match delta.get("type"):
            case "text_delta":
                return self._say(index, "text", _anthropic_events_text(delta, "text"))
            case "thinking_delta":
                return self._say(index, "thinking", _anthropic_events_text(delta, "thinking"))
            case "input_json_delta":
                return self._write(index, _anthropic_events_text(delta, "partial_json"))
            case "signature_delta":
                self._keep(index, "signature", _anthropic_events_text(delta, "signature"))
            case "citations_delta":
                block["citations"] = [*(block.get("citations") or ()), delta.get("citation")]
        return None

    def _say(self, index: int, kind: str, text: str) -> Delta | None:
        """Add a piece to a text or a thought, and return it as it reads after what came before."""
        if not text:
            return None
        if not self._blocks[index].get(kind):
            self._blocks[index][kind] = text  # that it says something is enough to know, until all is put together
            before = [self._blocks[each] for each in sorted(self._blocks) if each < index]
            shown = piece_after(before, kind, text)
        else:
            shown = text
        self._keep(index, kind, text)
        return Delta(content=shown) if kind == "text" else Delta(reasoning=shown)

    def _write(self, index: int, text: str) -> Delta | None:
        """Add a piece to the input of a call: of a tool of ours, which is shown, or of one of the provider's own."""
        self._keep(index, "input", text)
        if not text or self._blocks[index].get("type") != "tool_use":
            return None
        return self._of_call(index, ToolCallDelta(index=0, arguments=text))

    def _keep(self, index: int, name: str, text: str) -> None:
        self._pieces.setdefault((index, name), []).append(text)

    def _of_call(self, index: int, delta: ToolCallDelta) -> Delta:
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


def _anthropic_events_text(delta: Mapping[str, Any], name: str) -> str:
    found = delta.get(name)
    if not isinstance(found, str):
        raise ValueError(f"a {delta.get('type')} has no {name}")  # noqa: TRY004  # as above
    return found


# --- models._anthropic_turns ---


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
    return [*kept, *_anthropic_turns_text(message.text), *map(_named, uses)]


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
    content = _anthropic_turns_text(message.text) if message.is_error else _shown(message.content)
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
        return _anthropic_turns_text(content)
    blocks: list[Block] = []
    for part in content:
        block = (_fetched(part) if fetches else None) or (None if part.kind == "text" else media(part))
        blocks += [block] if block else _anthropic_turns_text(str(part))
    return blocks


def _fetched(part: Content) -> Block | None:
    if part.kind != "link" or not (part.uri or "").startswith(("https://", "http://")):
        return None
    kind = "image" if is_image_link(part) else "document" if part.media_type == "application/pdf" else None
    return {"type": kind, "source": {"type": "url", "url": part.uri}} if kind else None


def _anthropic_turns_text(text: str | None) -> list[Block]:
    return [{"type": "text", "text": text}] if text and _has_words(text) else []


def _has_words(text: object) -> bool:
    return isinstance(text, str) and bool(text.strip())


# --- models._anthropic_answers ---

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


# --- models._anthropic_ids ---

_ID = re.compile(r"[a-zA-Z0-9_-]{1,200}")


class CallIds:
    """The ids of a conversation's calls, told message by message."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}  # by the ids on the wire
        self._open: list[tuple[str | None, str]] = []  # calls without a result: their own ids, and those on the wire

    def keep(self, ids: Iterable[str | None]) -> None:
        """Take the ids of calls as they are: the provider made them."""
        for own in ids:
            self._add(own, own or "")

    def make(self, ids: Iterable[str | None]) -> list[str]:
        """Return the ids on the wire of the calls of a message.

        Args:
            ids: Their own ids.
        """
        made = []
        for own in ids:
            is_free = own is not None and _ID.fullmatch(own) is not None and own not in self._places
            made.append(self._add(own, own if own and is_free else self._new()))
        return made

    def of_result(self, id: str | None) -> str:
        """Return the id on the wire of the call that a result answers: the first with that id that has no result, any where it has none."""
        for call in self._open:
            if not id or call[0] == id:
                self._open.remove(call)
                return call[1]
        return id or ""

    def place(self, block: Mapping[str, Any]) -> tuple[bool, int]:
        """Return where a block of a user's turn stands: results before all else, in the order of the calls."""
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
