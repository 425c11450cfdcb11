"""When is what a model says the answer? When it makes no call, and what it says is of the type that was asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from fcregistry.agents._evidence import Evidence
from fcregistry.agents._rules import End
from fcregistry.models import Message
from fcregistry.types import to_json_text

if TYPE_CHECKING:
    from fcregistry._results.result import ToolResult
    from fcregistry.agents._result import StopReason
    from fcregistry.agents._rules import Talk
    from fcregistry.models import Completion
    from fcregistry.prompts import OutputFormat


class Answers(Protocol):
    """Takes what a model says without calling for the end of a loop."""

    @property
    def instructions(self) -> str:
        """What the model is told of the answer; nothing for one in words."""

    def end(self, talk: Talk, completion: Completion) -> End | None:
        """Return how the loop ends, or None if the model is to try again: `talk` has then what it is told."""


class Words:
    """Answers in words: whatever the model says, if only nothing."""

    instructions = ""

    def end(self, talk: Talk, completion: Completion) -> End:
        return End(reason=_reason(completion), answer=completion.message.text)


class Typed:
    """Answers of a type. What cannot be read as one is sent back with its problems.

    Args:
        output: Reads them.
        retries: How often the model may try again.

    Raises:
        ValueError: That is no number of times.
    """

    def __init__(self, output: OutputFormat[Any], retries: int) -> None:
        if type(retries) is not int or retries < 0:
            raise ValueError(f"answer_retries takes a whole number of 0 or more, not {retries!r}")
        self._output = output
        self._retries = retries
        self.instructions = output.instructions()

    def of(self, result: ToolResult) -> End:
        """Return how a loop ends in which the result of a tool is the answer."""
        reading = self._output.read(to_json_text(Evidence.of(result).value))
        if reading.ok:
            return End(reason="stop_tool", answer=reading.value)
        return End(reason="invalid_answer", error=reading.error)

    def end(self, talk: Talk, completion: Completion) -> End | None:
        reading = self._output.read(completion.message.text)
        if reading.ok:
            return End(reason="answered", answer=reading.value)
        if talk.retries >= self._retries:
            return End(reason="invalid_answer", error=reading.error)
        talk.retries += 1
        talk.messages.append(Message(role="user", content=str(reading.error), continues=True))
        return None


def answered_by(result: ToolResult, answers: Answers) -> End:
    """Return how a loop ends in which the result of a tool is the answer: as text, or as a value of the type that was asked for.

    Args:
        result: What came of the call.
        answers: What an answer is.
    """
    return answers.of(result) if isinstance(answers, Typed) else End(reason="stop_tool", answer=result.content)


def _reason(completion: Completion) -> StopReason:
    if completion.finish_reason in ("length", "content_filter"):
        return completion.finish_reason
    return "answered"
