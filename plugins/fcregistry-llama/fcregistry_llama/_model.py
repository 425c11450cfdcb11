"""A local model: a GGUF file that llama.cpp runs in its own process, with valid calls only."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import aclosing
from copy import copy
from dataclasses import replace
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final

from fcregistry.models import Completion, Delta, Model, messages_of

from fcregistry_llama._answering import Answering
from fcregistry_llama._asking import Settings
from fcregistry_llama._files import expand_home
from fcregistry_llama._servers import Loading, physical_cores, release, server
from fcregistry_llama._streaming import stream_from_thread

if TYPE_CHECKING:
    from fcregistry import Tool
    from fcregistry.execution import CancellationToken
    from fcregistry.models import MessageLike, ToolChoice

_SMALL: Final = 500_000_000
"""Bytes of the smallest file whose model is not very small."""


class LlamaModel(Model):
    """A GGUF file that llama.cpp runs in a process of its own.

    The file is loaded for the first request, once for all models with the same file and settings, and unloaded by `close`, at the
    end of a `with` block, or when this process ends. Requests are answered one after the other.

    Before loading, the header is checked. `ChatTemplate` renders the chat template, within its limits. Still, llama.cpp reads the file
    with native code: use only files from sources that you trust.

    Calls are constrained to a schema while they are written: the model chooses a tool, then writes arguments that are valid against the
    tool's schema. Whether they are *right* depends on the model. It makes one call in an answer.

    A model is very small if its file has less than 500 MB.

    Asking raises `ModelNotFoundError` if there is no such file, or it is not a GGUF file; and `ModelError` if the file cannot be loaded, its
    header or template is refused, the conversation is too long, or no attempt gave a valid call. A task that is cancelled also stops the
    loading of the file.

    Args:
        path: The path of the file, or a function that returns it when it is needed.
        name: The model's name; by default, `llama:` and the path.
        context: The most tokens of a conversation and its answer together; 0 for as many as the model was trained with.
        threads: The number of threads; None for the number of physical cores less one, and at least one. More threads than free cores are
            many times slower, because llama.cpp's threads wait for each other.
        seed: The seed of random choices; the same seed gives the same answers.
        temperature: How random the choice of words is; 0 always takes the likeliest.
        max_tokens: The number of tokens after which an answer is cut off. A call that is cut off keeps its incomplete text, and no executor runs it.
        calls_again: Whether the model may make another call after the result of one; if not, it answers. None: unless it is very small. Very
            small models do not know when to stop.
        copies: Whether arguments are copied from the last message of the user as far as possible: texts are its words, numbers are its numbers,
            optional parameters are left out unless it mentions them, and of several tools only those, at most three of many, that suit its
            words best may be called. None: if the model is very small, since such models invent values. The rules are made for English.

    Raises:
        ValueError: A number is out of range.
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
        calls_again: bool | None = None,
        copies: bool | None = None,
    ) -> None:
        _check(context >= 0, f"context must be a number of tokens, or 0 for the model's own, not {context}")
        _check(threads is None or threads > 0, f"threads must be at least 1, or None, not {threads}")
        _check(temperature >= 0, f"temperature must be at least 0, not {temperature}")
        _check(max_tokens > 0, f"max_tokens must be at least 1, not {max_tokens}")
        self._path = path
        self._name = name or (f"llama:{Path(path)}" if isinstance(path, (str, PathLike)) else "llama")
        self._context = context
        self._threads = threads
        self._calls_again, self._copies = calls_again, copies
        self._loaded: set[Loading] = set()  # of the copies with an answer schema, too
        self._answer_schema: Mapping[str, Any] | None = None
        self._settings = Settings(temperature=temperature, seed=seed, max_tokens=max_tokens)

    @property
    def name(self) -> str:
        """The model's name."""
        return self._name

    async def acomplete(
        self,
        messages: MessageLike | Iterable[MessageLike],
        tools: Sequence[Tool] = (),
        *,
        tool_choice: ToolChoice = "auto",
        cancellation: CancellationToken | None = None,  # `Model` ends the request
    ) -> Completion:
        """Like `complete`, on the running event loop. Cancelling the task ends it at the next token."""
        async with aclosing(self._pieces(messages, tools, tool_choice)) as pieces:
            *_, last = [piece async for piece in pieces]
        assert isinstance(last, Completion)
        return last

    async def astream(
        self,
        messages: MessageLike | Iterable[MessageLike],
        tools: Sequence[Tool] = (),
        *,
        tool_choice: ToolChoice = "auto",
        cancellation: CancellationToken | None = None,  # `Model` ends the request
    ) -> AsyncIterator[Delta | Completion]:
        """Like `stream`, on the running event loop. A call is one piece, once it is known to be valid."""
        async with aclosing(self._pieces(messages, tools, tool_choice)) as pieces:
            async for piece in pieces:
                yield piece

    def with_answer_schema(self, schema: Mapping[str, Any]) -> LlamaModel:
        """Return a model with the same memory that writes only valid JSON of a schema where it answers without a call.

        Args:
            schema: The JSON Schema of the answers.
        """
        constrained = copy(self)
        constrained._answer_schema = schema
        return constrained

    def close(self) -> None:
        """Free the model's memory, once answers in progress have ended. The next request loads it again."""
        while self._loaded:
            release(self._loaded.pop())

    def __enter__(self) -> LlamaModel:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _pieces(
        self, messages: MessageLike | Iterable[MessageLike], tools: Sequence[Tool], tool_choice: ToolChoice
    ) -> AsyncGenerator[Delta | Completion, None]:
        """Yield the pieces of the model's answer, and the completion last; a thread computes them."""
        conversation = messages_of(messages)

        def work(emit: Callable[[Delta | Completion], None], is_stopped: Callable[[], bool]) -> None:
            """Answer the conversation on this thread, and emit the pieces and the completion."""
            loading = self._load_settings()
            self._loaded.add(loading)
            is_small = loading.path.is_file() and loading.path.stat().st_size < _SMALL
            answering = Answering(
                server=server(loading),
                settings=self._settings,
                emit=emit,
                is_stopped=is_stopped,
                calls_again=not is_small if self._calls_again is None else self._calls_again,
                copies=is_small if self._copies is None else self._copies,
                answer_schema=self._answer_schema,
            )
            emit(replace(answering.answer(conversation, tools, tool_choice), model=loading.path.stem))

        return stream_from_thread(work)

    def _load_settings(self) -> Loading:
        """Return the file and the settings to load it with."""
        path = self._path if isinstance(self._path, (str, PathLike)) else self._path()
        threads = self._threads or max(1, physical_cores() - 1)
        return Loading(path=expand_home(path).resolve(), context=self._context, threads=threads)


def _check(is_right: bool, message: str) -> None:
    """Raise `ValueError` with `message` unless `is_right` is true."""
    if not is_right:
        raise ValueError(message)
