"""What is a model? Something that answers a conversation, at once or piece by piece, and may ask for tools."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Generator, Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

from fcregistry.models._completion import Completion, Delta, checked_completion
from fcregistry.models._plainly import run_plainly, stream_plainly

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fcregistry._tools.tool import Tool
    from fcregistry.models._messages import Message, MessageLike

ToolChoice: TypeAlias = "Literal['auto', 'required', 'none'] | str"
"""Whether a model may call (`auto`), must (`required`) or must not (`none`), or the name of the one tool that it must call."""


class Model(ABC):
    """A model that can be asked. To add one, write `acomplete`; and `astream`, if it can say its answer piece by piece.

    Every way of asking raises `errors.ModelError` where no answer is to be had: the provider refuses, or cannot be reached.
    """

    @property
    @abstractmethod
    def name(self) -> str:
        """What the model is called, with its provider: `openai:gpt-5`."""

    @abstractmethod
    async def acomplete(
        self, messages: Sequence[Message], tools: Sequence[Tool] = (), *, tool_choice: ToolChoice = "auto"
    ) -> Completion:
        """Answer a conversation.

        Args:
            messages: The conversation, as `messages_of` gives it.
            tools: What may be called.
            tool_choice: Whether it may, must or must not call, or the name of the tool that it must.

        Raises:
            ModelError: There is no answer to be had.
        """

    async def astream(
        self, messages: Sequence[Message], tools: Sequence[Tool] = (), *, tool_choice: ToolChoice = "auto"
    ) -> AsyncIterator[Delta | Completion]:
        """Answer a conversation piece by piece: any number of `Delta`, and the whole `Completion` last.

        The arguments and errors are those of `acomplete`. A model that cannot say its answer in pieces says it in one.
        """
        completion = checked_completion(await self.acomplete(messages, tools, tool_choice=tool_choice), self.name)
        message = completion.message
        if message.text or message.reasoning:
            yield Delta(content=message.text, reasoning=message.reasoning or "")
        yield completion

    def complete(
        self,
        messages: MessageLike | Iterable[MessageLike],
        tools: Sequence[Tool] = (),
        *,
        tool_choice: ToolChoice = "auto",
    ) -> Completion:
        """Answer a question, a message or a conversation, and wait for it.

        Args:
            messages: A text of the user, a message, or a conversation.
            tools: As for `acomplete`.
            tool_choice: As for `acomplete`.

        Raises:
            ModelError: There is no answer to be had.
            TypeError, ValueError: As for `Message.of`.
        """
        from fcregistry.models._messages import messages_of  # a subclass that only completes has it already

        conversation = messages_of(messages)
        return run_plainly(lambda: self.acomplete(conversation, tools, tool_choice=tool_choice))

    def stream(
        self,
        messages: MessageLike | Iterable[MessageLike],
        tools: Sequence[Tool] = (),
        *,
        tool_choice: ToolChoice = "auto",
    ) -> Generator[Delta | Completion, None, None]:
        """Answer piece by piece, as `astream` does, to plain code; closing the iterator ends the answer.

        The arguments and errors are those of `complete`.
        """
        from fcregistry.models._messages import messages_of  # as above

        conversation = messages_of(messages)
        return stream_plainly(lambda: self.astream(conversation, tools, tool_choice=tool_choice))

    def __repr__(self) -> str:
        return f"<Model {self.name}>"
