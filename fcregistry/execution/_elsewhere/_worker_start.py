"""What does a worker process do before its first call? It sees to it that it ends at once when it has to, and loads the plugins."""

from __future__ import annotations

import os
import signal
import threading
from typing import TYPE_CHECKING, NoReturn

from fcregistry._registry import registry

if TYPE_CHECKING:
    from collections.abc import Iterable

_ENDED_BY_TOOL = 70
"""The exit code of a worker that a tool ended with code 0: its call has no answer, and that is not success (EX_SOFTWARE)."""


def start_worker(tools: Iterable[str]) -> None:
    """Make a worker process ready.

    Args:
        tools: The canonical ids of tools that it may be asked to run.
    """
    # Python's own handlers wait for the next byte code, and a tool may be deep in C
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, name="fcregistry-parent", daemon=True).start()
    _tell_exits()
    for tool in tools:
        try:
            registry.get(tool).validator().compile()
        except BaseException:  # foreign code: a plugin that does not load here is told of when it is called  # noqa: BLE001
            continue


def _end_with_parent() -> None:
    """End this process when the one that started it is gone, also where that had no time to say so: nobody waits for the call then."""
    from multiprocessing import parent_process  # there already: it has started this process

    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(_ENDED_BY_TOOL)


def _tell_exits() -> None:
    """Have `os._exit(0)` of a tool end this process with another code: the pool takes 0 for an end that was due, and waits on."""
    exit_now, worker = os._exit, os.getpid()

    def told(status: int) -> NoReturn:
        exit_now(status or _ENDED_BY_TOOL if os.getpid() == worker else status)

    os._exit = told
