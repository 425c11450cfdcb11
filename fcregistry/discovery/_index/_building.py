"""How are plugins described without importing them here? By worker processes, of which a plugin that hangs or crashes costs one."""

from __future__ import annotations

import os
import sys
from collections import deque
from typing import TYPE_CHECKING, Final

from fcregistry._config.policy import locks_are_lifted
from fcregistry._tools.record import PluginRecord
from fcregistry.discovery._index._made import Made
from fcregistry.discovery._index._process import WorkerProcess
from fcregistry.discovery._index._rows import Row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from queue import SimpleQueue

    from fcregistry.discovery._found import FoundEntryPoint, FoundPlugin

SECONDS_VARIABLE: Final = "FCREGISTRY_IMPORT_SECONDS"
"""The variable that says how long a plugin may take."""

SECONDS: Final = 20.0
"""How long a plugin may take to be imported and described, where nothing else is said."""

_MOST_WORKERS: Final = 4
_WORTH_A_WORKER: Final = 8
"""Plugins that take as long as a worker takes to start, or longer."""

_AHEAD: Final = 2
"""Plugins that a process is asked for at a time: one that it is busy with, and one so that it need not wait for us."""


def described_by_workers(
    plugins: Sequence[FoundPlugin],
    installed: Sequence[FoundEntryPoint],
    *,
    seconds: float,
    told: Callable[[Made], None] = lambda made: None,
) -> list[Made]:
    """Describe plugins in worker processes.

    Args:
        plugins: Which.
        installed: All that is installed, so that each knows what is its own.
        seconds: How long each may take.
        told: Is told of each as it is done.

    Returns:
        What each ships, or why it cannot be told.
    """
    from queue import SimpleQueue
    from threading import Thread

    waiting: SimpleQueue[FoundPlugin] = SimpleQueue()
    for plugin in plugins:
        waiting.put(plugin)
    done: list[Made] = []
    wrong: list[BaseException] = []
    lifted = locks_are_lifted()  # which the threads would not see
    workers = [_Worker(waiting, installed, seconds, without_locks=lifted) for _ in range(_how_many(len(plugins)))]

    def work(worker: _Worker) -> None:
        try:
            for made in worker.describe():
                done.append(made)
                told(made)
        except BaseException as error:  # noqa: BLE001  # raised again by the thread that asked
            wrong.append(error)
        finally:
            worker.end()

    threads = [Thread(target=work, args=(worker,), daemon=True) for worker in workers]
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        for worker in workers:  # after an interrupt
            worker.end()
    if wrong:
        raise wrong[0]
    return sorted(done, key=lambda made: (made.plugin.project, made.plugin.entry_point))


def _how_many(plugins: int) -> int:
    return max(1, min(os.cpu_count() or 1, _MOST_WORKERS, plugins // _WORTH_A_WORKER))


class _Worker:
    """Has plugins described in a process, and in a new one after a plugin has ended that, or left something behind in it.

    Args:
        waiting: Which plugins; others take from it too.
        installed: All that is installed.
        seconds: How long each may take.
        without_locks: Whether locks are left aside.
    """

    def __init__(
        self,
        waiting: SimpleQueue[FoundPlugin],
        installed: Sequence[FoundEntryPoint],
        seconds: float,
        *,
        without_locks: bool,
    ) -> None:
        self._waiting = waiting
        self._installed = installed
        self._seconds = seconds
        self._without_locks = without_locks
        self._asked: deque[FoundPlugin] = deque()
        self._process: WorkerProcess | None = None
        self._is_over = False

    def describe(self) -> Iterator[Made]:
        """Yield the descriptions of plugins as they are done, until none is waiting."""
        while self._ask():
            made = self._answer(self._asked[0])
            if self._is_over:  # what ended the process is an interrupt, and not the plugin
                return
            if made is not None:
                self._asked.popleft()
                yield made

    def _ask(self) -> bool:
        """Ask for as many plugins as there are to be asked for at a time; tell whether there are any."""
        from queue import Empty

        if self._is_over:
            return False
        if self._process is not None and self._process.has_ended:
            self._process.end()
            self._process = None
        new = list(self._asked) if self._process is None else []
        while len(self._asked) < _AHEAD:
            try:
                new.append(self._waiting.get_nowait())
            except Empty:
                break
            self._asked.append(new[-1])
        if self._process is None and new:
            self._process = WorkerProcess(self._installed, self._seconds, without_locks=self._without_locks)
        for plugin in new:
            assert self._process is not None
            self._process.ask(plugin)
        return bool(self._asked)

    def _answer(self, plugin: FoundPlugin) -> Made | None:
        """Return the description of a plugin; None if it is to be made once more, in a process that no other was imported in before."""
        process = self._process
        assert process is not None
        others_before = process.described > 0
        answer = process.answer()
        failed = answer is None or answer["record"]["failure"] is not None
        if failed and others_before and not process.is_late:
            return None
        if answer is None:
            return _failed(plugin, process, self._seconds)
        files = {path: (time, size) for path, (time, size) in answer["files"].items()}
        return Made(
            plugin, answer["record"], [Row(*each) for each in answer["rows"]], files, "worker", answer["missed"]
        )

    def end(self) -> None:
        """End the process, if there is one."""
        self._is_over = True
        if self._process is not None:
            self._process.end()


def _failed(plugin: FoundPlugin, process: WorkerProcess, seconds: float) -> Made:
    """Return the description of a plugin that ended its process, or had to be ended."""
    advice = f"report this to the authors of {plugin.distribution}, or set FCREGISTRY_DISABLE={plugin.label}"
    if process.is_late:
        what = f"importing it takes longer than {seconds:g} second{'' if seconds == 1 else 's'}"
        advice += f"; {SECONDS_VARIABLE} gives it more time"
    else:
        what = f"it ends the process that imports it, with {_worded(process.code)}"
    record = PluginRecord(
        entry_point=plugin.entry_point,
        value=plugin.value,
        tools=[],
        dynamic=False,
        seconds=seconds if process.is_late else 0.0,
        printed=False,
        changes=[],
        failure=what,
        detail=process.last_words(),
        advice=advice,
    )
    return Made.of(plugin, record, _own_files(plugin), "waiting" if process.is_late else "watching")


def _worded(code: int) -> str:
    if code >= 0:
        return f"code {code}"
    import signal

    try:
        return f"signal {signal.Signals(-code).name}"
    except ValueError:
        return f"signal {-code}"


def _own_files(plugin: FoundPlugin) -> dict[str, tuple[int, int]]:
    """Return the files of a plugin that could not say which it reads: those of its module, as far as they lie in a folder."""
    from fcregistry.discovery._finder import stamp_of

    parts = plugin.module.split(".")
    found: dict[str, tuple[int, int]] = {}
    for folder in (plugin.folder, *sys.path):
        for end in range(1, len(parts) + 1):
            stem = "/".join([folder, *parts[:end]])
            for path in (f"{stem}/__init__.py", f"{stem}.py"):
                if (stamp := stamp_of(path)) is not None:
                    found[path] = stamp
        if found:
            break
    return found
