"""How does a run look on a terminal? In colours, with a clock beside what is being waited for."""

from __future__ import annotations

from typing import Final

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.text import Text

_STYLES: Final = {
    "thinking": "dim italic",
    "text": "",
    "call": "cyan",
    "progress": "dim",
    "result": "green",
    "failure": "red",
    "plan": "magenta",
}


class RichWriter:
    """Writes to stderr, with rich."""

    def __init__(self) -> None:
        self._console = Console(stderr=True, soft_wrap=True, highlight=False, markup=False, emoji=False)
        self._clock: Progress | None = None
        self._what: str | None = None

    def line(self, kind: str, text: str) -> None:
        """Write whole lines."""
        self._console.print(Text(text, style=_STYLES[kind]))

    def piece(self, kind: str, text: str) -> None:
        """Write a piece of a line."""
        self._console.print(Text(text, style=_STYLES[kind]), end="")

    def wait(self, what: str | None) -> None:
        """Show what is being waited for, and for how long by now."""
        if what == self._what:
            return
        self._what = what
        if what is None:
            self._stop()
        elif self._clock is None:
            self._start(what)
        else:
            self._clock.reset(self._clock.task_ids[0], description=what)

    def _start(self, what: str) -> None:
        columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
        self._clock = Progress(*columns, console=self._console, transient=True)
        self._clock.add_task(what, total=None)
        self._clock.start()

    def _stop(self) -> None:
        if self._clock is not None:
            self._clock.stop()
            self._clock = None
