"""A model on this machine: a GGUF file that llama.cpp runs in a process of its own, whose calls are valid whatever it writes."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from fcregistry.models import Completion, Delta, Model

from fcregistry_llama._answering import Answering
from fcregistry_llama._asking import Settings
from fcregistry_llama._files import located
from fcregistry_llama._servers import Loading, release, server
from fcregistry_llama._waiting import followed

if TYPE_CHECKING:
    from fcregistry import Tool
    from fcregistry.models import Message, ToolChoice


class LlamaModel(Model):
    """A GGUF file that llama.cpp runs in a process of its own.

    It is loaded when it is first asked something, once for all models of the same file and settings, and is let go of by `close`, at the
    end of a `with` block, or when this process ends. Its answers are made one after the other.

    Before it is loaded, its header is checked. Its chat template is rendered by `ChatTemplate`, within that one's limits. It is read by
    machine code all the same: take files from sources that you trust.

    What it calls is held to a schema while it is written: it chooses among the tools, and then writes arguments that are valid against the
    tool's schema. Whether they are *right* depends on the model. It makes one call in an answer.

    Args:
        path: The file, or what returns its path when it is needed.
        name: What the model is called; by default, `llama:` and the path.
        context: Tokens that a conversation and its answer may have together; 0 for as many as the model was trained with.
        threads: Threads that compute; None for as many as llama.cpp takes. One is best where other processes are busy too.
        seed: The same for the same answers.
        temperature: How freely it chooses its words; 0 for always the likeliest.
        max_tokens: Tokens after which an answer is cut off. A call that is cut off is told as it is, and no executor runs it.
        calls_again: Whether it may choose a tool again that it called since the user last spoke. Very small models do not know when to stop.

    Raises:
        ValueError: A number that is out of its range.
    """

    def __init__(
        self,
        path: str | PathLike[str] | Callable[[], Path],
        *,
        name: str | None = None,
        context: int = 8192,
        threads: int | None = None,
        seed: int = 0,
        temperature: float = 0.0,
        max_tokens: int = 512,
        calls_again: bool = True,
    ) -> None:
        _check(context >= 0, f"context is a number of tokens, or 0 for the model's own, not {context}")
        _check(threads is None or threads > 0, f"threads is a number from 1 on, or None, not {threads}")
        _check(temperature >= 0, f"temperature is a number from 0 on, not {temperature}")
        _check(max_tokens > 0, f"max_tokens is a number from 1 on, not {max_tokens}")
        self._path = path
        self._name = name or (f"llama:{Path(path)}" if isinstance(path, (str, PathLike)) else "llama")
        self._context = context
        self._threads = threads
        self._calls_again = calls_again
        self._loaded: Loading | None = None
        self._settings = Settings(temperature=temperature, seed=seed, max_tokens=max_tokens)

    @property
    def name(self) -> str:
        """What it is called."""
        return self._name

    async def acomplete(
        self, messages: Sequence[Message], tools: Sequence[Tool] = (), *, tool_choice: ToolChoice = "auto"
    ) -> Completion:
        """Answer a conversation; see `Model.acomplete`. Cancelled, it stops after the next token, or stops loading the file.

        Raises:
            ModelError: The file cannot be loaded, its header or its template is refused, the conversation is too long, or no attempt
                gave a valid call.
            ModelNotFoundError: The file is not there, or none of a model.
            ValueError: `tool_choice` is the name of no tool.
        """
        async with aclosing(self._told(messages, tools, tool_choice)) as pieces:
            *_, last = [piece async for piece in pieces]
        assert isinstance(last, Completion)
        return last

    async def astream(
        self, messages: Sequence[Message], tools: Sequence[Tool] = (), *, tool_choice: ToolChoice = "auto"
    ) -> AsyncIterator[Delta | Completion]:
        """Answer piece by piece; see `Model.astream`. A call is told as a whole, once it is known to be valid."""
        async with aclosing(self._told(messages, tools, tool_choice)) as pieces:
            async for piece in pieces:
                yield piece

    def close(self) -> None:
        """Let go of the file's memory, once the answers under way have ended; asked again, it is loaded again."""
        if self._loaded is not None:
            release(self._loaded)

    def __enter__(self) -> LlamaModel:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _told(
        self, messages: Sequence[Message], tools: Sequence[Tool], tool_choice: ToolChoice
    ) -> AsyncGenerator[Delta | Completion, None]:
        def work(tell: Callable[[Delta | Completion], None], is_stopped: Callable[[], bool]) -> None:
            loading = self._loaded = self._loading()
            answering = Answering(
                server=server(loading),
                settings=self._settings,
                tell=tell,
                is_stopped=is_stopped,
                calls_again=self._calls_again,
            )
            tell(replace(answering.answer(messages, tools, tool_choice), model=loading.path.stem))

        return followed(work)

    def _loading(self) -> Loading:
        path = self._path if isinstance(self._path, (str, PathLike)) else self._path()
        return Loading(path=located(path).resolve(), context=self._context, threads=self._threads)


def _check(is_right: bool, message: str) -> None:
    if not is_right:
        raise ValueError(message)
