"""How do the events of a streamed answer of Anthropic's messages API become its message?

The raw events are put together here, since the SDK's own helper completes the input of a call that was cut off.
Source: Claude guide "Streaming messages".
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from fcregistry.models._anthropic_answers import Block, piece_after
from fcregistry.models._completion import Delta, ToolCallDelta
from fcregistry.models._surrogates import joined


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
                return self._say(index, "text", _text(delta, "text"))
            case "thinking_delta":
                return self._say(index, "thinking", _text(delta, "thinking"))
            case "input_json_delta":
                return self._write(index, _text(delta, "partial_json"))
            case "signature_delta":
                self._keep(index, "signature", _text(delta, "signature"))
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


def _text(delta: Mapping[str, Any], name: str) -> str:
    found = delta.get(name)
    if not isinstance(found, str):
        raise ValueError(f"a {delta.get('type')} has no {name}")  # noqa: TRY004  # as above
    return found
