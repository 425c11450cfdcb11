"""The process that llama.cpp runs in. It loads one file, answers requests one after the other, and ends when its standard input does.

It is run as a script, and imports nothing of fcregistry. What it reads and writes are lines of JSON:

    {"path": …}                       first: what to load, and how; then {"ready": true} or {"failed": reason} is written
    {"id": 1, "schema": …, …}         a request; then {"chunk": …} for each piece, or {"refused": reason}, and {"done": 1}
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
"""Memory for what was read of earlier prompts."""

_TEMPLATE: Final = "{{ messages[0]['content'] }}"
"""Given in the place of the file's own template, which llama.cpp would run while it loads the file, however long that takes."""


class Conversation:
    """Both directions of the pipe. Its own thread reads, also while llama.cpp computes.

    Args:
        replies: Where replies are written.
    """

    def __init__(self, replies: TextIO) -> None:
        self._replies = replies
        self._stopped = 0
        self.requests: SimpleQueue[dict[str, Any]] = SimpleQueue()

    def read(self) -> None:
        """Read until there is no more, and then end the process, whatever it is doing: nobody waits for it."""
        for line in sys.stdin:
            said = json.loads(line)
            if "stop" in said:
                self._stopped = said["stop"]
            else:
                self.requests.put(said)
        os._exit(0)

    def is_stopped(self, request: int) -> bool:
        """Return whether nobody waits for the answer to a request."""
        return self._stopped >= request

    def say(self, **reply: Any) -> None:
        """Write a reply."""
        try:
            print(json.dumps(reply), file=self._replies, flush=True)
        except OSError:  # nobody reads it
            os._exit(0)


def main() -> None:
    """Load a file, and answer requests."""
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever else is printed is not a reply
    conversation = Conversation(replies)
    loading = json.loads(sys.stdin.readline())
    threading.Thread(target=conversation.read, daemon=True).start()
    try:
        import xllamacpp  # type: ignore[import-untyped]  # 30 MB of machine code, which only this process loads

        server = xllamacpp.Server(_parameters(xllamacpp.CommonParams(), loading))
    except Exception as error:  # machine code, over a file of a stranger  # noqa: BLE001
        conversation.say(failed="" if isinstance(error, RuntimeError) else f"{type(error).__name__}: {error}")
        return
    conversation.say(ready=True)
    while True:
        request = conversation.requests.get()
        number, schema = request.pop("id"), request.pop("schema")
        try:
            if schema is not None:
                # As a grammar, and not as `response_format`, which knows no bounds of numbers, and is slow where an enum is large.
                request["grammar"] = xllamacpp.json_schema_to_grammar(json.dumps(schema))
            server.handle_completions(request, lambda chunk, number=number: _told(conversation, number, chunk))
        except (ValueError, RuntimeError) as error:
            conversation.say(refused=str(error))
        conversation.say(done=number)


def _told(conversation: Conversation, number: int, chunk: Mapping[str, Any]) -> bool:
    """Write a chunk, and return whether the answer is to end."""
    conversation.say(chunk=chunk)
    return "error" in chunk or conversation.is_stopped(number)


def _parameters(params: Any, loading: Mapping[str, Any]) -> Any:
    params.model.path = loading["path"]
    params.n_ctx = loading["context"]
    params.n_parallel = 1  # others wait: they would only slow each other down
    params.verbosity = -1
    params.warmup = False
    params.chat_template = _TEMPLATE
    params.cache_ram_mib = _CACHED_MIB
    params.api_keys = [secrets.token_hex()]  # it listens on loopback too, where nobody is to ask it anything
    params.endpoint_slots = params.ui = False
    if loading["threads"] is not None:
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = loading["threads"]
    return params


if __name__ == "__main__":
    sys.path[:] = sys.argv[1:]
    main()
    os._exit(0)
