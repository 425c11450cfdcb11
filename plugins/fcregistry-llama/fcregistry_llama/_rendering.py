"""The prompt, by the model's own chat template in a sandbox, and the reasoning in the output.

llama.cpp gets text only. Its own template engine has no limit of time or memory.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from fcregistry.dialects import ChatFormat, ChatTemplate, chat_format
from fcregistry.errors import ChatTemplateError, ModelError

from fcregistry_llama._headers import ModelHeader

_WITHOUT_TEMPLATE: Final = "chatml"
"""The format for files without a template, which is llama.cpp's choice too."""

_PROBE: Final = "Answer in verse."
_TOKEN: Final = re.compile(r"<[^<>]+>")


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """The marks around the reasoning that a family of models writes before its answer.

    Attributes:
        opens: The opening mark.
        closes: The closing mark.
        answers: The mark that starts an answer without reasoning.
    """

    opens: str
    closes: str
    answers: str = ""

    @property
    def tokens(self) -> list[str]:
        """The tokens in the marks. By default, llama.cpp leaves them out of an answer."""
        return list(dict.fromkeys([self.opens, self.closes, *_TOKEN.findall(self.opens + self.closes + self.answers)]))


_FAMILIES: Final = (
    Marks(
        opens="<|channel|>analysis<|message|>",
        closes="<|end|><|start|>assistant<|channel|>final<|message|>",
        answers="<|channel|>final<|message|>",
    ),
    Marks(opens="<|channel>thought", closes="<channel|>"),
    Marks(opens="<|START_THINKING|>", closes="<|END_THINKING|>"),
    Marks(opens="<|inner_prefix|>", closes="<|inner_suffix|>"),
    Marks(opens="<|thought_start|>", closes="<|thought_end|>"),
    Marks(opens="[THINK]", closes="[/THINK]"),
    Marks(opens="<seed:think>", closes="</seed:think>"),
    Marks(opens="<longcat_think>", closes="</longcat_think>"),
    Marks(opens="<think>", closes="</think>"),
)
"""A model's marks are the first whose opening mark is in its template."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """The prompt for llama.cpp.

    Attributes:
        parts: The text. Its first token is given as an id, so that llama.cpp does not add it again.
        is_thinking: Whether the text ends inside reasoning, which the model continues.
    """

    parts: list[int | str]
    is_thinking: bool


class Renderer:
    """Renders conversations for one model.

    Args:
        path: The model's file.
        header: The file's header.

    Raises:
        ModelError: Its template cannot be read.
    """

    def __init__(self, path: Path, header: ModelHeader) -> None:
        self._path, self._header = path, header
        self._thinking, self._plain = self._template(thinks=True), self._template(thinks=False)
        source = self._plain.source if isinstance(self._plain, ChatTemplate) else ""
        self.marks = next((each for each in _FAMILIES if each.opens in source), None)
        """The marks around the model's reasoning; None if its template has none."""
        self._takes_system: bool | None = None

    def prompt(self, messages: Sequence[Mapping[str, str]], *, thinks: bool) -> Prompt:
        """Return the text of a conversation.

        Args:
            messages: Messages of the system, the user and the assistant.
            thinks: Whether the model may reason before it answers.

        Raises:
            ModelError: The template refuses the conversation, fails, or exceeds a limit.
        """
        template = self._thinking if thinks else self._plain
        try:
            text = template.render(self._within_system(messages))
        except ChatTemplateError as error:
            raise self._template_error(error) from error
        opens, closes = (self.marks.opens, self.marks.closes) if self.marks else ("", "")
        is_thinking = bool(opens) and text.rstrip().endswith(opens)
        if is_thinking and not thinks:
            text, is_thinking = f"{text.rstrip()}\n{closes}\n\n", False
        if self._header.bos and text.startswith(self._header.bos[1]):
            number, begins = self._header.bos
            return Prompt(parts=[number, text[len(begins) :]], is_thinking=is_thinking)
        return Prompt(parts=[text], is_thinking=is_thinking)

    def _template(self, *, thinks: bool) -> ChatTemplate | ChatFormat:
        """Return the template of the file, or the format for files without a template.

        Raises:
            ModelError: The template cannot be read.
        """
        if not self._header.has_template:
            return chat_format(_WITHOUT_TEMPLATE)
        try:
            return ChatTemplate.from_gguf(self._path, variables={"enable_thinking": thinks})
        except ChatTemplateError as error:
            raise self._template_error(error) from error

    def _within_system(self, messages: Sequence[Mapping[str, str]]) -> Sequence[Mapping[str, str]]:
        """Return `messages`, with the system message moved into the user's if need be.

        Some templates ignore system messages.
        """
        if len(messages) < 2 or messages[0]["role"] != "system" or messages[1]["role"] != "user":
            return messages
        if self._takes_system is None:
            self._takes_system = self._shows_system()
        if self._takes_system:
            return messages
        system, user, *others = messages
        return [{"role": "user", "content": f"{system['content']}\n\n{user['content']}"}, *others]

    def _shows_system(self) -> bool:
        """Return whether the template shows a system message."""
        try:
            probe = [{"role": "system", "content": _PROBE}, {"role": "user", "content": "Hello"}]
            return _PROBE in self._plain.render(probe)
        except ChatTemplateError:  # if it refuses every message, rendering the conversation reports that
            return False

    def _template_error(self, error: ChatTemplateError) -> ModelError:
        """Return the error that says that the template cannot be used."""
        return ModelError(f"the chat template of {self._path} cannot be used: {error}")


class Thoughts:
    """Separates a model's reasoning from its answer, piece by piece.

    Args:
        marks: The marks around the reasoning; None if the model has none.
        is_thinking: Whether the prompt ends inside reasoning.
    """

    def __init__(self, marks: Marks | None, *, is_thinking: bool) -> None:
        self._marks = marks or Marks(opens="", closes="")
        self._place = "thoughts" if is_thinking else "start" if marks else "answer"
        self._buffer = ""
        self._is_blank = marks is not None  # drops the white space between reasoning and answer

    def feed(self, text: str, *, is_last: bool = False) -> tuple[str, str]:
        """Take the next piece of text, and return its part of the answer and its part of the reasoning.

        Text that may be the beginning of a mark is held back.

        Args:
            text: The piece.
            is_last: Whether it is the last one.
        """
        self._buffer += text
        if self._place == "start" and not self._has_started(is_last):
            return "", ""
        if self._place == "answer":
            return self._answer(), ""
        thought, closes, rest = self._buffer.partition(self._marks.closes)
        if closes:
            self._place, self._buffer = "answer", rest
            return self._answer(), thought.rstrip()
        held = 0 if is_last else _partial_length(thought, self._marks.closes)
        self._buffer = thought[len(thought) - held :]
        return "", thought[: len(thought) - held]

    def _answer(self) -> str:
        """Return the buffered text of the answer, and empty the buffer."""
        answer, self._buffer = self._buffer.lstrip() if self._is_blank else self._buffer, ""
        self._is_blank = self._is_blank and not answer
        return answer

    def _has_started(self, is_last: bool) -> bool:
        """Return whether the start of the text is complete, and remove the mark with which it starts."""
        text = self._buffer.lstrip()
        for mark, place in ((self._marks.opens, "thoughts"), (self._marks.answers, "answer")):
            if mark and text.startswith(mark):
                self._place, self._buffer = place, text[len(mark) :].lstrip()
                return True
            if not is_last and mark.startswith(text):
                return False
        self._place = "answer"
        return True


def _partial_length(text: str, mark: str) -> int:
    """Return how many characters at the end of `text` may be the start of `mark`."""
    return next((size for size in range(min(len(mark) - 1, len(text)), 0, -1) if text.endswith(mark[:size])), 0)
