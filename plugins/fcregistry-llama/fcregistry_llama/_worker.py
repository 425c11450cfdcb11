"""The program of llama.cpp's process: loads a file, and answers requests until its input ends.

It is run as a script, and imports nothing of fcregistry. It reads and writes lines of JSON:

    {"path": …}                       first: the file and its settings; then {"ready": true} or {"failed": reason} is written
    {"id": 1, "schema": …, "is_continued": …, …}         a request; then {"chunk": …} for each piece, or {"refused": reason}, and {"done": 1}
    {"stop": 1}                       ends request 1 after its next piece
"""

from __future__ import annotations

import json
import os
import secrets
import sys
import threading
from collections.abc import Mapping
from queue import SimpleQueue
from typing import Any, Final, TextIO

_CACHED_MIB: Final = 256
"""Memory for the cache of earlier prompts."""

_TEMPLATE: Final = "{{ messages[0]['content'] }}"
"""Replaces the file's own template, which llama.cpp would run, without a time limit, while it loads the file."""


class Conversation:
    """Both directions of the pipe. A separate thread reads, even while llama.cpp computes.

    Args:
        replies: The stream for replies.
    """

    def __init__(self, replies: TextIO) -> None:
        self._replies = replies
        self._stopped = 0
        self.requests: SimpleQueue[dict[str, Any]] = SimpleQueue()

    def read(self) -> None:
        """Read requests until the input ends, then exit at once: the caller has ended."""
        for line in sys.stdin:
            message = json.loads(line)
            if "stop" in message:
                self._stopped = message["stop"]
            else:
                self.requests.put(message)
        os._exit(0)

    def is_stopped(self, request: int) -> bool:
        """Return whether the caller has stopped the request with the number `request`."""
        return self._stopped >= request

    def reply(self, **reply: Any) -> None:
        """Write a reply with the fields `reply`."""
        try:
            print(json.dumps(reply), file=self._replies, flush=True)
        except OSError:  # the caller is gone
            os._exit(0)


def main() -> None:
    """Load a file, and answer requests."""
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # other output, printed by libraries, must not mix with replies
    conversation = Conversation(replies)
    loading = json.loads(sys.stdin.readline())
    threading.Thread(target=conversation.read, daemon=True).start()
    try:
        import xllamacpp  # type: ignore[import-untyped]  # 30 MB of native code, which only this process loads

        server = xllamacpp.Server(_parameters(xllamacpp.CommonParams(), loading))
    except Exception as error:  # native code, reading an untrusted file  # noqa: BLE001
        conversation.reply(failed="" if isinstance(error, RuntimeError) else f"{type(error).__name__}: {error}")
        return
    conversation.reply(ready=True)
    while True:
        request = conversation.requests.get()
        number, schema, is_continued = request.pop("id"), request.pop("schema"), request.pop("is_continued")
        try:
            if schema is not None:
                # As a grammar: `response_format` ignores the bounds of numbers, and is slow for large enums.
                grammar = xllamacpp.json_schema_to_grammar(json.dumps(schema))
                # The space before a value is part of its first token.
                request["grammar"] = (
                    grammar.replace("start:", 'start: " " value\nvalue:', 1) if is_continued else grammar
                )
            server.handle_completions(request, lambda chunk, number=number: _write(conversation, number, chunk))
        except (ValueError, RuntimeError) as error:
            conversation.reply(refused=str(error))
        conversation.reply(done=number)


def _write(conversation: Conversation, number: int, chunk: Mapping[str, Any]) -> bool:
    """Write `chunk`, a piece of the answer to the request `number`, and return whether to end the answer."""
    conversation.reply(chunk=chunk)
    return "error" in chunk or conversation.is_stopped(number)


def _parameters(params: Any, loading: Mapping[str, Any]) -> Any:
    """Set `params`, llama.cpp's parameters, as `loading` says, and return them."""
    params.model.path = loading["path"]
    params.n_ctx = loading["context"]
    params.n_parallel = 1  # requests in parallel would only slow each other down
    params.verbosity = -1
    params.warmup = False
    params.chat_template = _TEMPLATE
    params.cache_ram_mib = _CACHED_MIB
    params.api_keys = [secrets.token_hex()]  # it listens on loopback too, where other programs must not use it
    params.endpoint_slots = params.ui = False
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = loading["threads"]
    return params


if __name__ == "__main__":
    sys.path[:] = sys.argv[1:]
    main()
    os._exit(0)
