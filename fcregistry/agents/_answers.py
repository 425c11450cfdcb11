"""What ends the loop of an agent: a message without calls that is an answer.

`Answers` judges such a message; any text may be an answer, or only a value of a type.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from fcregistry.agents._run import End, checked_limit
from fcregistry.formats import json_value_of
from fcregistry.models import Message
from fcregistry.types import to_json_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fcregistry._results.result import ToolResult
    from fcregistry.agents._run import Chat
    from fcregistry.models import Completion
    from fcregistry.prompts import OutputFormat


class Answers(Protocol):
    """Judges the messages of a model that make no calls."""

    @property
    def schema(self) -> Mapping[str, Any] | None:
        """The JSON Schema of an answer, for models that can constrain theirs; None for any text."""

    def end(self, chat: Chat, completion: Completion) -> End | None:
        """Return the end of the loop; or tell the model why it has to try again, and return None.

        The reason is appended to `chat`.
        """


class TextAnswers:
    """Accepts any text as the answer, unless it is empty."""

    instructions = ""
    schema: None = None

    def end(self, chat: Chat, completion: Completion) -> End:
        """Return the end of the loop: the text is the answer, even if it is cut off."""
        reason, text = completion.finish_reason, completion.message.text
        if reason in ("length", "content_filter"):
            return End(reason=reason, answer=text)
        return End(reason="empty") if chat.empty else End(reason="answered", answer=text)


class TypedAnswers:
    """Accepts values of a type as the answer.

    A text that is not such a value is sent back with its problems.

    Args:
        output: Reads the values.
        retries: How often the model may try again.

    Raises:
        ValueError: `retries` is not a whole number of 0 or more.
    """

    def __init__(self, output: OutputFormat[Any], retries: int) -> None:
        self._output = output
        self._retries = checked_limit("answer_retries", retries, 0)
        self.instructions = output.instructions()
        self.schema = output.schema

    def end(self, chat: Chat, completion: Completion) -> End | None:
        """Return the end of the loop, or send the problems of the text back, and return None."""
        reason = completion.finish_reason
        if reason == "content_filter":
            return End(reason=reason)
        # A message without text may be the empty text, if that is of the type
        reading = self._output.read('""' if chat.empty else completion.message.text)
        if reading.ok:
            return End(reason="answered", answer=reading.value)
        if chat.cut_off > 1 or (chat.empty and reason == "length"):
            return End(reason="length", error=reading.error)
        if chat.empty:
            return End(reason="empty")
        if chat.retries >= self._retries:
            return End(reason="invalid_answer", error=reading.error)
        chat.retries += 1
        chat.messages.append(Message(role="user", content=str(reading.error), continues=True))
        return None

    def end_with(self, result: ToolResult) -> End:
        """Return the end of a loop in which `result`, the result of a tool, is the answer."""
        reading = self._output.read(to_json_text(json_value_of(result)))
        if reading.ok:
            return End(reason="stop_tool", answer=reading.value)
        return End(reason="invalid_answer", error=reading.error)
