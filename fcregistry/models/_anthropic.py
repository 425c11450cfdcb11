"""Anthropic's messages API, or a server that speaks it, through the official SDK: requests, and answers whole or as events.

Blocks are kept as JSON in `Message.native`, so that all of them can be given back. The API refuses texts of white space, images in a result that is
an error, and some ids of other providers' calls; its error messages say so.

Sources: Anthropic API reference, "Messages"; Claude guides "Handle tool calls", "Extended thinking", "Vision", "PDF support", "Stop reasons and
fallback", "Streaming messages", "Fine-grained tool streaming".
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from fcregistry._base.call import ToolCall
from fcregistry._base.json import ArgumentsError, read_json
from fcregistry.formats import CUT_OFF, cut_off_call, finish_reason
from fcregistry.formats.anthropic import media
from fcregistry.models._connection import HostedModel, Sdk, http_client, is_loopback
from fcregistry.models._http_limits import MAX_ANSWER_BYTES
from fcregistry.models._messages import (
    Message,
    arguments_text,
    call_of,
    derived,
    is_image_link,
    join_surrogates,
    map_texts,
    mapping_of,
    number_of,
    rendered,
    required,
    text_of,
)
from fcregistry.models._model import Completion, Delta, ToolCallDelta, Usage
from fcregistry.models._wire import wire_name, with_call_ids, with_wire_name

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

    from fcregistry._results.content import Content
    from fcregistry._tools.tool import Tool
    from fcregistry.formats import FinishReason


NATIVE: Final = "anthropic"
"""The name under which a message keeps its blocks."""

Block: TypeAlias = dict[str, Any]


# --- Requests: turns of user and assistant ---


def system_of(messages: Iterable[Message]) -> str:
    """Return the system prompt: the texts of all system messages in `messages`, in their order.

    Few models accept a system message in the middle of a conversation, and as a message of the user it would have less weight.
    """
    texts = (message.text for message in messages if message.role == "system")
    return "\n\n".join(text for text in texts if text.strip())


def turns_of(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Return the turns of the conversation `messages`: adjacent messages of one role are one turn.

    The results of calls come first in a turn of the user, in the order of the calls.
    """
    turns: list[dict[str, Any]] = []
    conversation = with_call_ids(messages, lambda message: not _is_as_written(message))
    places = {call.id: place for place, call in enumerate(call for each in conversation for call in each.tool_calls)}
    for message in conversation:
        if message.role == "system":
            continue
        role = "assistant" if message.role == "assistant" else "user"
        blocks = rendered(message, NATIVE, _message_blocks)
        if blocks and turns and turns[-1]["role"] == role:
            turns[-1]["content"] += blocks
        elif blocks:
            turns.append({"role": role, "content": [*blocks]})

    def place(block: Block) -> int:
        """Return the sort key of `block` in a turn of the user.

        It is the position of the answered call for a result; results of unknown calls come next, and all other blocks last.
        """
        is_result = block.get("type") == "tool_result"
        return places.get(block["tool_use_id"], len(places)) if is_result else len(places) + 1

    for turn in turns:
        if turn["role"] == "user" and len(turn["content"]) > 1:
            turn["content"].sort(key=place)
    return turns


def _message_blocks(message: Message) -> list[Block]:
    """Return `message` as a list of content blocks of the API; a result of a call is always one block.

    The list is empty for a user's message without content, and for an assistant's without content, calls and other blocks.
    """
    match message.role:
        case "assistant":
            return _assistant_blocks(message)
        case "tool":
            return [_result_block(message)]
    return _content_blocks(message.content, fetches=True)


def _assistant_blocks(message: Message) -> list[Block]:
    """Return the content blocks of `message`, which a model wrote; the list may be empty.

    If the text and the calls are still as the provider wrote them, these are the provider's blocks without empty texts. If not, they are its
    blocks other than text and calls (thinking, the provider's own tools), then the text, then the calls. Names of calls are such as the API
    accepts.
    """
    native = _native_blocks(message)
    if _is_as_written(message):
        kept = [block for block in native if block.get("type") != "text" or text_of(block.get("text")).strip()]
        return [with_wire_name(block, "tool_use") for block in kept]
    kept = [block for block in native if block.get("type") not in ("text", "tool_use")]
    uses = [
        {"type": "tool_use", "id": call.id, "name": wire_name(call.name), "input": input_of(call)}
        for call in message.tool_calls
    ]
    return [*kept, *_text_blocks(message.text), *uses]


def _is_as_written(message: Message) -> bool:
    """Return `_has_own_blocks`, which is looked for once."""
    return derived(message, "anthropic as written", _has_own_blocks)


def _has_own_blocks(message: Message) -> bool:
    """Return whether `message` still has the text and the calls of the blocks that the provider wrote.

    Return False if it has no such blocks. Calls are compared by ids, names and arguments.
    """
    native = _native_blocks(message)
    written, now = (
        [(call.id, call.name, input_of(call)) for call in calls] for calls in (calls_of(native), message.tool_calls)
    )
    return bool(native) and written == now and joined_text(native, "text") == message.text


def _native_blocks(message: Message) -> list[Block]:
    """Return a list of the blocks of `message` that Anthropic wrote, from `message.native`.

    The list is empty if there are none, or if one of them is not a dict.
    """
    blocks = message.native.get(NATIVE)
    are_blocks = isinstance(blocks, (list, tuple)) and all(isinstance(block, dict) for block in blocks)
    return list(blocks) if blocks and are_blocks else []


def _result_block(message: Message) -> Block:
    """Return `message`, the result of a call, as a block of the type `tool_result`.

    An error has `is_error`, and its parts other than text are described in text. Without content, the block has no field `content`.
    """
    content = _text_blocks(message.text) if message.is_error else _content_blocks(message.content)
    block: Block = {"type": "tool_result", "tool_use_id": message.tool_call_id}
    if content:
        block["content"] = content
    return {**block, "is_error": True} if message.is_error else block


def _content_blocks(content: str | tuple[Content, ...] | None, *, fetches: bool = False) -> list[Block]:
    """Return a list of blocks for `content`; parts that the API does not accept are described in text.

    None, and texts of only white space, make no block.

    Args:
        content: The content of a message.
        fetches: Whether linked images and PDFs are sent as links for the provider to fetch: those of a user, not those of a tool.
    """
    if not isinstance(content, tuple):
        return _text_blocks(content)
    blocks: list[Block] = []
    for part in content:
        block = (_linked_block(part) if fetches else None) or (None if part.kind == "text" else media(part))
        blocks += [block] if block else _text_blocks(str(part))
    return blocks


def _linked_block(part: Content) -> Block | None:
    """Return the block of `part`, an HTTP link to an image or a PDF, or None for any other part or link."""
    if part.kind != "link" or not (part.uri or "").startswith(("https://", "http://")):
        return None
    kind = "image" if is_image_link(part) else "document" if part.media_type == "application/pdf" else None
    return {"type": kind, "source": {"type": "url", "url": part.uri}} if kind else None


def _text_blocks(text: str | None) -> list[Block]:
    """Return a list with one block of `text`, or an empty list if it is None or only white space."""
    return [{"type": "text", "text": text}] if text and text.strip() else []


# --- Answers ---

_DETAILS: Final = ("id", "stop_reason", "stop_sequence", "stop_details", "container")


def completion_of(message: Mapping[str, Any]) -> Completion:
    """Return the completion of `message`, a message of the API.

    Args:
        message: The message as JSON; the input of a call may be text, if it was streamed.

    Raises:
        ValueError: It does not have the shape of a message.
    """
    blocks: Sequence[Block] = required(message, "content", list)
    if not all(isinstance(block, dict) for block in blocks):
        raise ValueError("its content is not a list of blocks")
    finish = finish_reason(message.get("stop_reason"), has_calls=False)
    if finish in CUT_OFF:
        blocks = _with_cut_input(blocks, finish)
    answer = _message_of(blocks)
    return Completion(
        message=answer,
        finish_reason="tool_calls" if finish == "stop" and answer.tool_calls else finish,
        usage=_usage(mapping_of(message.get("usage"))),
        model=str(message.get("model") or ""),
        details={name: message[name] for name in _DETAILS if message.get(name) is not None},
    )


def calls_of(blocks: Sequence[Block]) -> tuple[ToolCall, ...]:
    """Return the calls among `blocks`, without calls of the provider's own tools, which it runs itself."""
    return tuple(call_of(block) for block in blocks if block.get("type") == "tool_use")


def joined_text(blocks: Sequence[Block], kind: str) -> str:
    """Return the text of all `blocks` of a `kind`, `text` or `thinking`.

    Empty lines are between the texts as `piece_after` says.
    """
    pieces = (
        piece_after(blocks[:place], kind, _block_text(block))
        for place, block in enumerate(blocks)
        if block.get("type") == kind
    )
    return "".join(pieces)


def piece_after(before: Sequence[Block], kind: str, text: str) -> str:
    """Return `text`, the first of a block, after an empty line if other kinds of blocks precede it.

    Adjacent blocks of one kind are one text, as the API writes a text with citations. The first text of a kind gets no empty line.

    Args:
        before: The blocks before the block.
        kind: The kind of the block: `text` or `thinking`.
        text: The text at its beginning.
    """
    runs_on = not before or before[-1].get("type") == kind
    has_text_before = any(_block_text(block) for block in before if block.get("type") == kind)
    return f"\n\n{text}" if text and has_text_before and not runs_on else text


def input_of(call: ToolCall) -> dict[str, Any]:
    """Return the arguments of `call` as the object that the API expects.

    Text that is not a JSON object is wrapped in an object, so that the model sees what it wrote, as the guide to fine-grained streaming advises.
    """
    return _object_of(arguments_text(call))


def _object_of(text: str) -> dict[str, Any]:
    """Return the JSON object in `text`, or `{"INVALID_JSON": text}` if `text` is anything else.

    For an empty text, or only white space, the object is empty. Halves of surrogate pairs in its texts are joined or replaced.
    """
    if not text.strip():
        return {}
    try:
        value = read_json(text)
    except ArgumentsError:
        value = None
    # The text may contain half of a surrogate pair as an escape, which a request cannot contain.
    return map_texts(join_surrogates, value if isinstance(value, dict) else {"INVALID_JSON": text})


def _message_of(blocks: Sequence[Block]) -> Message:
    """Return the message of the role `assistant` with the text, calls and thinking of `blocks`.

    Its content and its reasoning are None if they are empty. Its `native` keeps `blocks`, in which an input that is text becomes an object.
    """
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


def _with_cut_input(blocks: Sequence[Block], finish: FinishReason) -> Sequence[Block]:
    """Return the `blocks` of a cut-off answer with the last call changed so that no executor runs it.

    Earlier calls are complete, and stay as they are. Without a call, `blocks` itself is returned. `finish` is the finish reason of the answer.
    """
    place = max((place for place, block in enumerate(blocks) if block.get("type") == "tool_use"), default=None)
    if place is None:
        return blocks
    cut = cut_off_call(call_of(blocks[place]), finish)
    return [*blocks[:place], {**blocks[place], "input": cut.arguments}, *blocks[place + 1 :]]


def _block_text(block: Block) -> str:
    """Return the text of `block`, a text or a thought; an empty text for any other block."""
    return text_of(block.get(str(block.get("type"))))


def _usage(counts: Mapping[str, Any]) -> Usage:
    """Return the `Usage` of one request from the provider's `counts`; a missing count is 0.

    The input includes the tokens that were read from the cache, and those that were written to it.
    """
    cached = number_of(counts.get("cache_read_input_tokens"))
    created = number_of(counts.get("cache_creation_input_tokens"))
    return Usage(
        input_tokens=number_of(counts.get("input_tokens")) + cached + created,
        output_tokens=number_of(counts.get("output_tokens")),
        cached_tokens=cached,
        reasoning_tokens=number_of(mapping_of(counts.get("output_tokens_details")).get("thinking_tokens")),
        requests=1,
    )


# --- Streamed answers ---


class MessageStream:
    """Puts a message together from its events."""

    def __init__(self, tools: Iterable[Tool] = ()) -> None:
        self._message: dict[str, Any] = {}
        self._usage: dict[str, Any] = {}
        self._blocks: dict[int, Block] = {}
        self._pieces: dict[tuple[int, str], list[str]] = {}  # of each block, by the name of the field
        self._is_whole = False

    def add(self, event: Mapping[str, Any]) -> Delta | None:
        """Take the next event, and return what is new in it, or None if there is nothing to show.

        Raises:
            ValueError: The event has an unknown shape.
        """
        match event.get("type"):
            case "message_start":
                self._update(required(event, "message", dict))
            case "content_block_start":
                return self._begin(required(event, "index", int), required(event, "content_block", dict))
            case "content_block_delta":
                return self._continue(required(event, "index", int), required(event, "delta", dict))
            case "message_delta":
                self._update({**required(event, "delta", dict), "usage": event.get("usage")})
            case "message_stop":
                self._is_whole = True
        return None  # other events, the end of a block among them, need nothing

    def completion(self) -> Completion | None:
        """Return the whole answer, or None if its end has not come. The input of a call is the streamed text."""
        if not self._is_whole:
            return None
        for (index, name), pieces in self._pieces.items():
            if written := join_surrogates("".join(pieces)):
                self._blocks[index][name] = written
        blocks = [self._blocks[index] for index in sorted(self._blocks)]
        return completion_of({**self._message, "usage": self._usage, "content": blocks})

    def _update(self, fields: Mapping[str, Any]) -> None:
        """Merge `fields`, apart from those that are None, into the fields of the whole message.

        The counts in its field `usage` replace earlier ones, since each is a total; counts that are None are ignored.
        """
        usage = mapping_of(fields.get("usage"))
        self._usage |= {name: count for name, count in usage.items() if count is not None}
        self._message |= {name: value for name, value in fields.items() if value is not None}

    def _begin(self, index: int, block: Block) -> Delta | None:
        """Begin the content block `index` with `block`, and return its first text or call as a `Delta`.

        Return None for an empty text or thought, and for any other block.

        Raises:
            ValueError: The block has begun already.
        """
        if index in self._blocks:
            raise ValueError(f"the content block {index} begins twice")
        self._blocks[index] = dict(block)
        match block.get("type"):
            case "tool_use":
                arguments = json.dumps(block["input"], ensure_ascii=False) if block.get("input") else ""
                return self._call_delta(index, arguments, block.get("id"), block.get("name"))
            case "text" | "thinking" as kind:
                self._blocks[index][kind] = ""
                return self._add_text(index, kind, text_of(block.get(kind)))
        return None

    def _continue(self, index: int, delta: Mapping[str, Any]) -> Delta | None:
        """Add `delta` to the content block `index`, and return what is to be shown, or None if nothing is.

        Shown are text, thinking, and the arguments of calls of the user's tools; signatures and citations are only stored,
        and a `delta` of an unknown type is ignored.

        Raises:
            ValueError: The block has not begun, or is text or thinking and gets input of a call, or `delta` lacks its text.
        """
        block = self._blocks.get(index)
        if block is None:
            raise ValueError(f"a piece of the content block {index} came before its beginning")
        match delta.get("type"):
            case "text_delta":
                return self._add_text(index, "text", required(delta, "text", str))
            case "thinking_delta":
                return self._add_text(index, "thinking", required(delta, "thinking", str))
            case "input_json_delta" if block.get("type") in ("text", "thinking"):
                raise ValueError(f"the content block {index} is not a call, and has a piece of input")
            case "input_json_delta":
                text = self._add_piece(index, "input", required(delta, "partial_json", str))
                # Only calls to the user's tools are shown, not those to the provider's own.
                return self._call_delta(index, text) if text and block.get("type") == "tool_use" else None
            case "signature_delta":
                self._add_piece(index, "signature", required(delta, "signature", str))
            case "citations_delta":
                block["citations"] = [*(block.get("citations") or ()), delta.get("citation")]
        return None

    def _add_text(self, index: int, kind: str, text: str) -> Delta | None:
        """Add `text` to the block `index` of the kind `text` or `thinking`, and return it as a `Delta`.

        Return None if `text` is empty. The first text of a block is returned after an empty line if `piece_after` says so.
        """
        if not text:
            return None
        shown = self._add_piece(index, kind, text)
        if not self._blocks[index].get(kind):
            self._blocks[index][kind] = text  # any text will do until `completion` joins the pieces
            shown = piece_after([self._blocks[each] for each in sorted(self._blocks) if each < index], kind, text)
        return Delta(content=shown) if kind == "text" else Delta(reasoning=shown)

    def _add_piece(self, index: int, name: str, text: str) -> str:
        """Append `text` to the pieces of the field `name` of the block `index`, and return `text` unchanged."""
        self._pieces.setdefault((index, name), []).append(text)
        return text

    def _call_delta(self, index: int, arguments: str, id: str | None = None, name: str | None = None) -> Delta:
        """Return a `Delta` with one piece of the call in the block `index`.

        Its `index` is the position among the calls of the user's tools, from 0, not that of the block.
        """
        place = sum(self._blocks[each].get("type") == "tool_use" for each in self._blocks if each < index)
        return Delta(tool_calls=(ToolCallDelta(index=place, id=id, name=name, arguments=arguments),))


# --- The model ---

Clients: TypeAlias = "AsyncAnthropic | Callable[[], AsyncAnthropic] | Any"
"""A client of the SDK, or a function that makes one for each event loop. Those for other clouds have no class in common with it."""

_MAX_UNSTREAMED: Final = 8192
"""The most tokens of an answer that is not streamed. A longer one is streamed, since networks cut a connection that is silent for long, and the SDK
refuses to wait (its documentation, "Long requests")."""


def _make_client(base_url: str | None, api_key: str | None) -> AsyncAnthropic:
    """Return a new client of the SDK, with an HTTP client of `http_client`.

    For None, the SDK uses its own defaults. Raise `ImportError` if the SDK is not installed, and `UnusableProxyError` as `http_client` does.
    """
    from anthropic import AsyncAnthropic, DefaultAsyncHttpxClient  # late: it takes a second, and is an extra

    client = AsyncAnthropic(
        base_url=base_url, api_key=api_key, http_client=http_client(DefaultAsyncHttpxClient, base_url)
    )
    if base_url is None and is_loopback(url := str(client.base_url)):  # the SDK read it in a profile
        return client.copy(http_client=http_client(DefaultAsyncHttpxClient, url))
    return client


class AnthropicMessages(HostedModel):
    """A model that is called through Anthropic's Messages API, or a compatible server.

    `Message.native["anthropic"]` holds the model's thinking with its signatures, and the calls and results of tools that the provider runs
    itself. They are sent back to the model with the conversation.

    Args:
        model: The provider's name for the model, such as `claude-sonnet-5`.
        max_tokens: The largest number of tokens in one answer, thinking included. The API requires a value. An answer that may be longer
            than the default is streamed, because the SDK refuses to wait for it in one piece.
        base_url: The URL of the API; by default `ANTHROPIC_BASE_URL`, or else Anthropic's own.
        api_key: The API key; by default `ANTHROPIC_API_KEY`, or else wherever the SDK finds one.
        client: An `AsyncAnthropic`, or the SDK's client for Bedrock, Vertex or Foundry, with its own timeouts and retries; or a function
            that makes a client for each event loop. You close a client that you pass. A client that your function makes is closed
            together with its event loop.
        max_answer_bytes: The largest size of one answer in bytes, after decompression. A longer answer is an error.
        settings: More fields, which are added unchanged to every request, such as `temperature` or `thinking`. `tools` lists tools that
            the provider runs itself; they are offered in addition to the tools of the request. For any other field that a request also
            sets, the value of the request is used. `timeout`, `extra_headers` and `extra_query` are passed to the SDK.

    Raises:
        ValueError: `client` is given together with `base_url` or `api_key`, `max_answer_bytes` is not a number above 0, or `settings` has
            a field that every request sets itself.
        TypeError: The client is not an async client (`Anthropic` instead of `AsyncAnthropic`).
    """

    _sdk = Sdk(
        package="anthropic",
        variable="ANTHROPIC_API_KEY",
        address=lambda: os.environ.get("ANTHROPIC_BASE_URL"),
        other_variable="ANTHROPIC_AUTH_TOKEN",
        finds_keys=True,
        make_client=_make_client,
    )
    _provider = "anthropic"
    _choices = {"auto": None, "required": {"type": "any"}, "none": {"type": "none"}}  # noqa: RUF012  # as the base says
    _must_call = staticmethod(lambda name: {"type": "tool", "name": name})
    _create = attrgetter("messages.create")
    _read = staticmethod(completion_of)
    _reader = MessageStream

    def __init__(
        self,
        model: str,
        *,
        max_tokens: int = _MAX_UNSTREAMED,
        base_url: str | None = None,
        api_key: str | None = None,
        client: Clients = None,
        max_answer_bytes: int = MAX_ANSWER_BYTES,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(
            model,
            base_url=base_url,
            api_key=api_key,
            client=client,
            max_answer_bytes=max_answer_bytes,
            settings={"max_tokens": max_tokens, **(settings or {})},
        )
        self._max_tokens = self._settings.pop("max_tokens")  # an argument of the SDK, and so not of `extra_body`
        self._only_streams = self._max_tokens > _MAX_UNSTREAMED

    def _conversation(self, messages: Sequence[Message]) -> dict[str, Any]:
        """Return the fields of a request that contain the conversation `messages`.

        They are `max_tokens` and `messages`, and `system` if there are instructions.
        """
        system = system_of(messages)
        fields = {"max_tokens": self._max_tokens, "messages": turns_of(messages)}
        return {**fields, "system": system} if system else fields
