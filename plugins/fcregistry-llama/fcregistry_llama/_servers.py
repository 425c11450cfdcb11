"""Which model files are loaded in this process? Each once for the same settings, from its first use until it is closed or the process ends."""

from __future__ import annotations

import atexit
import json
import os
import secrets
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol, cast

from fcregistry.errors import ModelError

from fcregistry_llama._files import checked

_CACHED_MIB: Final = 256
"""Memory for what was read of earlier prompts."""


class Server(Protocol):
    """What is used of xllamacpp's server, which has no types."""

    def handle_chat_completions(self, request: Mapping[str, Any], hear: Callable[[Mapping[str, Any]], bool]) -> object:
        """Answer a request in the shape of OpenAI's chat, on this thread, which lets others run.

        Args:
            request: The request; it streams.
            hear: Called with each chunk of the answer; it ends the answer by returning True.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Loading:
    """What is loaded, and how.

    Attributes:
        path: The GGUF file.
        context: Tokens of a conversation and its answer together; 0 for as many as the model was trained with.
        threads: Threads that compute; None for as many as llama.cpp takes.
    """

    path: Path
    context: int
    threads: int | None


_loaded: Final[dict[tuple[int, Loading], Server]] = {}
_lock: Final = threading.Lock()


def server(loading: Loading) -> Server:
    """Return the server of a model, loaded now if it is not yet.

    Raises:
        ModelError: llama.cpp cannot load the file.
        ModelNotFoundError: There is no such file, or it is no GGUF file.
    """
    key = (os.getpid(), loading)  # threads of a server do not survive a fork
    with _lock:
        if key not in _loaded:
            if not _loaded:
                atexit.register(_loaded.clear)  # while there is still an interpreter
            _loaded[key] = _load(loading)
        return _loaded[key]


def release(loading: Loading) -> None:
    """Let go of a model: its memory is free once its last answer has ended."""
    with _lock:
        _loaded.pop((os.getpid(), loading), None)


def grammar(schema: Mapping[str, Any]) -> str:
    """Return what holds an answer to a schema, in the language that this build of llama.cpp reads."""
    return cast("str", _xllamacpp().json_schema_to_grammar(json.dumps(schema)))


def _load(loading: Loading) -> Server:
    xllamacpp = _xllamacpp()

    params = xllamacpp.CommonParams()
    params.model.path = str(checked(loading.path))
    params.n_ctx = loading.context
    params.n_parallel = 1  # others wait: they would only slow each other down
    params.verbosity = -1  # nothing on stdout and stderr, which are the user's
    params.warmup = False
    params.cache_ram_mib = _CACHED_MIB
    params.api_keys = [secrets.token_hex()]  # it listens on loopback too, where nobody is to ask it anything
    params.endpoint_slots = params.ui = False
    if loading.threads is not None:
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = loading.threads
    try:
        return cast("Server", xllamacpp.Server(params))
    except RuntimeError as error:
        why = "it is damaged, of a kind that this xllamacpp does not know, or larger than the memory"
        raise ModelError(
            f"llama.cpp cannot load {loading.path}: {why}; fetch the file again, or pip install --upgrade xllamacpp"
        ) from error


def _xllamacpp() -> Any:  # it has no types
    import xllamacpp  # type: ignore[import-untyped]  # 30 MB of machine code, for whoever asks a model

    return xllamacpp
