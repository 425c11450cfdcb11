"""How are calls written as messages to a recipient? `<|channel|>commentary to=functions.f <|constrain|>json<|message|>{…}<|call|>`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from fcregistry._base.call import ToolCall
from fcregistry.dialects._prompt import json_text
from fcregistry.dialects._source import Marks
from fcregistry.dialects._syntaxes._named import read_arguments
from fcregistry.dialects._syntaxes._objects import arguments_of

if TYPE_CHECKING:
    from fcregistry.dialects._source import Reading, Source

MESSAGE: Final = "<|message|>"
ENDS: Final = ("<|call|>", "<|end|>", "<|return|>")
_HEADER_ENDS: Final = Marks(MESSAGE, "<|start|>", *ENDS)
_RECIPIENT: Final = re.compile(r"\s*([\w.\-]+)").match
_NAMESPACE: Final = "functions."
_NAME: Final = re.compile(r"[\w.\-]+").fullmatch


def read_message(source: Source, mark: str) -> Reading[list[ToolCall] | None]:
    """Read a call from behind `to=`."""
    header, end = yield from source.until(_HEADER_ENDS)
    recipient = _RECIPIENT(header)
    if end != MESSAGE or not recipient:
        return None
    return (yield from read_arguments(source, recipient[1].removeprefix(_NAMESPACE), *ENDS))


def read_header(source: Source, mark: str) -> Reading[list[ToolCall] | None]:
    """Take what stands before the text of a message that goes to nobody but the user."""
    _, end = yield from source.until(_HEADER_ENDS)
    return [] if end == MESSAGE else None


def read_start(source: Source, mark: str) -> Reading[list[ToolCall] | None]:
    """Take the role of a message, or read the call that it is, where the recipient stands beside the role."""
    role = yield from source.take("assistant to=", "assistant")
    if role == "assistant to=":
        return (yield from read_message(source, mark))
    return [] if role else None


def write_messages(calls: Sequence[ToolCall]) -> str:
    """Write calls as messages, the first without `<|start|>assistant`, which the prompt ends with.

    Raises:
        ValueError: A name cannot be that of a recipient.
    """
    return "<|start|>assistant".join(map(_written, calls))


def _written(call: ToolCall) -> str:
    if not _NAME(call.name) or call.name.startswith(_NAMESPACE):
        raise ValueError(f"the name {call.name!r} cannot be written as a recipient")
    arguments = json_text(arguments_of(call))
    return f"<|channel|>commentary to={_NAMESPACE}{call.name} <|constrain|>json{MESSAGE}{arguments}<|call|>"
