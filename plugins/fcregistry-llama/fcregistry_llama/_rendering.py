"""The text that a model reads, written by its own chat template in fcregistry's sandbox, and the thoughts in what it writes.

llama.cpp is given text only. Its own reader of templates has no limit of time or memory.
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
"""The format that llama.cpp takes too where a file has no template."""

_PROBE: Final = "Answer in verse."
_TOKEN: Final = re.compile(r"<[^<>]+>")


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """How a family of models marks its thoughts, which come before its answer.

    Attributes:
        opens: What opens them.
        closes: What closes them.
        answers: What an answer without thoughts begins with.
    """

    opens: str
    closes: str
    answers: str = ""

    @property
    def tokens(self) -> list[str]:
        """The tokens in them, which llama.cpp leaves out of an answer unless it is asked to keep them."""
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
"""The first whose opening mark stands in a template is the one of its model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """What llama.cpp is given.

    Attributes:
        parts: The text; the token that begins it is an id, which llama.cpp does not write a second time.
        is_thinking: Whether the text ends within thoughts, which the model goes on with.
    """

    parts: list[int | str]
    is_thinking: bool


class Renderer:
    """Writes conversations as one model reads them.

    Args:
        path: The model's file.
        header: What its header says.

    Raises:
        ModelError: Its template cannot be read.
    """

    def __init__(self, path: Path, header: ModelHeader) -> None:
        self._path, self._header = path, header
        self._thinking, self._plain = self._template(thinks=True), self._template(thinks=False)
        source = self._plain.source if isinstance(self._plain, ChatTemplate) else ""
        self.marks = next((each for each in _FAMILIES if each.opens in source), None)
        """How the model marks its thoughts; None where its template says nothing of them."""
        self._takes_system: bool | None = None

    def prompt(self, messages: Sequence[Mapping[str, str]], *, thinks: bool) -> Prompt:
        """Return the text of a conversation.

        Args:
            messages: Messages of the system, the user and the assistant.
            thinks: Whether the model may think before it answers.

        Raises:
            ModelError: The template refuses the conversation, fails, or was stopped.
        """
        template = self._thinking if thinks else self._plain
        try:
            text = template.render(self._within_system(messages))
        except ChatTemplateError as error:
            raise self._failed(error) from error
        opens, closes = (self.marks.opens, self.marks.closes) if self.marks else ("", "")
        is_thinking = bool(opens) and text.rstrip().endswith(opens)
        if is_thinking and not thinks:
            text, is_thinking = f"{text.rstrip()}\n{closes}\n\n", False
        if self._header.bos and text.startswith(self._header.bos[1]):
            number, begins = self._header.bos
            return Prompt(parts=[number, text[len(begins) :]], is_thinking=is_thinking)
        return Prompt(parts=[text], is_thinking=is_thinking)

    def _template(self, *, thinks: bool) -> ChatTemplate | ChatFormat:
        if not self._header.has_template:
            return chat_format(_WITHOUT_TEMPLATE)
        try:
            return ChatTemplate.from_gguf(self._path, variables={"enable_thinking": thinks})
        except ChatTemplateError as error:
            raise self._failed(error) from error

    def _within_system(self, messages: Sequence[Mapping[str, str]]) -> Sequence[Mapping[str, str]]:
        """Return messages in which the user says first what the system says, if the template leaves the system out."""
        if len(messages) < 2 or messages[0]["role"] != "system" or messages[1]["role"] != "user":
            return messages
        if self._takes_system is None:
            self._takes_system = self._shows_system()
        if self._takes_system:
            return messages
        told, asked, *others = messages
        return [{"role": "user", "content": f"{told['content']}\n\n{asked['content']}"}, *others]

    def _shows_system(self) -> bool:
        try:
            probe = [{"role": "system", "content": _PROBE}, {"role": "user", "content": "Hello"}]
            return _PROBE in self._plain.render(probe)
        except ChatTemplateError:  # it refuses such messages, or all: the conversation itself will tell
            return False

    def _failed(self, error: ChatTemplateError) -> ModelError:
        return ModelError(f"the chat template of {self._path} cannot be used: {error}")


class Thoughts:
    """Parts what a model writes into thoughts and answer, piece by piece.

    Args:
        marks: How the model marks its thoughts; None where it has none.
        is_thinking: Whether the prompt has opened them.
    """

    def __init__(self, marks: Marks | None, *, is_thinking: bool) -> None:
        self._marks = marks or Marks(opens="", closes="")
        self._place = "thoughts" if is_thinking else "start" if marks else "answer"
        self._waiting = ""
        self._is_blank = marks is not None  # what the answer begins with is the space after the thoughts

    def heard(self, text: str, *, is_last: bool = False) -> tuple[str, str]:
        """Take more of what the model writes, and return what it adds to the answer and to the thoughts.

        Args:
            text: More of the text.
            is_last: Whether nothing more comes.
        """
        self._waiting += text
        if self._place == "start" and not self._has_started(is_last):
            return "", ""
        if self._place == "answer":
            return self._answer(), ""
        thought, closes, rest = self._waiting.partition(self._marks.closes)
        if closes:
            self._place, self._waiting = "answer", rest
            return self._answer(), thought.rstrip()
        held = 0 if is_last else _begun(thought, self._marks.closes)
        self._waiting = thought[len(thought) - held :]
        return "", thought[: len(thought) - held]

    def _answer(self) -> str:
        answer, self._waiting = self._waiting.lstrip() if self._is_blank else self._waiting, ""
        self._is_blank = self._is_blank and not answer
        return answer

    def _has_started(self, is_last: bool) -> bool:
        """Tell whether it is known with what the text begins, and pass over the mark that it begins with."""
        begun = self._waiting.lstrip()
        for mark, place in ((self._marks.opens, "thoughts"), (self._marks.answers, "answer")):
            if mark and begun.startswith(mark):
                self._place, self._waiting = place, begun[len(mark) :].lstrip()
                return True
            if not is_last and mark.startswith(begun):
                return False
        self._place = "answer"
        return True


def _begun(text: str, mark: str) -> int:
    """Return how many characters at the end of a text may begin a mark."""
    return next((size for size in range(min(len(mark) - 1, len(text)), 0, -1) if text.endswith(mark[:size])), 0)
