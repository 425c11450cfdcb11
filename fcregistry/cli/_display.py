"""What commands show on a terminal while the user waits: lines that stay, and a status that does not.

Models and tools write much of the text: it is cut, and everything that a terminal would obey is escaped.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, TextIO, cast

from fcregistry._base.invisible import CONTROL, HIDDEN, escape
from fcregistry.cli._output import cut_to_width, text_width
from fcregistry.execution import Partial, Progress
from fcregistry.types import EncodingError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from rich.console import Console, Group
    from rich.live import Live
    from rich.progress import Progress as Clock
    from rich.progress import ProgressColumn

_STYLES: Final = {
    "thinking": "dim italic",
    "text": "",
    "call": "cyan",
    "progress": "dim",
    "result": "green",
    "failure": "red",
    "plan": "magenta",
}
"""Kind of text -> how rich shows it."""

_FRAMES_PER_SECOND: Final = 10
_MOST_LINES: Final = 10
"""The most lines above a status."""


class Display:
    """Writes to stderr: by rich if it is installed and the terminal allows it, otherwise plain text.

    A status is one line, with a clock beside it if rich is used, and goes away. Without rich, it is for a terminal only; what the program
    prints meanwhile takes its place.

    Attributes:
        is_rich: Whether rich is used.
    """

    def __init__(self) -> None:
        self._streams = sys.stdout, sys.stderr
        self._console = _rich_console()
        self.is_rich: bool = self._console is not None
        self._live: Live | None = None
        self._clock: Clock | None = None
        self._has_bar = False
        self._lines: Sequence[str] = ()
        self._plain: _PlainStatus | None = None

    def write(self, kind: str, text: str) -> None:
        """Write a text that stays, without adding a line end.

        Args:
            kind: The key of its style in `_STYLES`, which counts only if rich is used.
            text: The text, escaped.
        """
        if self._console is None:
            self._streams[1].write(text)
            self._streams[1].flush()
        else:
            from rich.text import Text  # an extra

            self._console.print(Text(text, style=_STYLES[kind]), end="")

    def show(self, status: str, lines: Sequence[str] = (), fraction: float | None = None) -> None:
        """Show a status, in place of the one before.

        Args:
            status: The status, escaped and in one line.
            lines: Lines above the status, escaped. Without rich, the last one is shown beside the status.
            fraction: How much is done, from 0 to 1; None if that is not known.
        """
        if self._console is None:
            self._plain = self._plain or _PlainStatus(self._streams)
            self._plain.show("  ".join([status, *lines[-1:]]))
            return
        self._lines = lines
        if self._live is None or self._clock is None:
            self._clock, self._live = self._start_live(self._console, status)
        if fraction is not None and not self._has_bar:
            self._clock.columns, self._has_bar = _clock_columns(has_bar=True), True
        total = None if fraction is None else 1.0
        self._clock.update(self._clock.task_ids[0], description=status, completed=fraction, total=total)

    def clear(self) -> None:
        """Remove the status and the lines above it."""
        live, plain = self._live, self._plain
        self._live = self._plain = None
        if live is not None:
            live.stop()
        if plain is not None:
            plain.end()

    def _start_live(self, console: Console, status: str) -> tuple[Clock, Live]:
        """Begin to show a status with a clock; return the clock, and what shows it."""
        from rich import live, progress  # an extra

        clock = progress.Progress(*_clock_columns(has_bar=False), console=console)
        clock.add_task(status, total=None)
        is_free = _lead_to(self._streams)  # otherwise the tool has redirected its output, which stays so
        shown = live.Live(
            get_renderable=self._rendered,
            console=console,
            transient=True,
            refresh_per_second=_FRAMES_PER_SECOND,
            redirect_stdout=is_free,
            redirect_stderr=is_free,
        )
        self._has_bar = False
        self._clock, self._live = clock, shown  # before it starts, so that an interrupt leaves nothing behind
        shown.start(refresh=True)
        return clock, shown

    def _rendered(self) -> Group:
        """Return the lines and the status as rich shows them."""
        from rich.console import Group  # an extra
        from rich.text import Text

        lines = [Text(each, style=_STYLES["progress"], no_wrap=True, overflow="ellipsis") for each in self._lines]
        return Group(*lines, *([] if self._clock is None else [self._clock]))


def _clock_columns(*, has_bar: bool) -> tuple[ProgressColumn, ...]:
    """Return the columns of a status: a spinner, the text, a bar if `has_bar`, and the time so far."""
    from rich import progress  # an extra

    text = progress.TextColumn("{task.description}", markup=False)
    bar = [progress.BarColumn()] if has_bar else []
    return (progress.SpinnerColumn(), text, *bar, progress.TimeElapsedColumn())


def _lead_to(streams: tuple[TextIO, TextIO]) -> bool:
    """Return whether stdout and stderr are still `streams`."""
    return sys.stdout is streams[0] and sys.stderr is streams[1]


def _rich_console() -> Console | None:
    """Return rich's console on stderr.

    The result is None if stderr is not a terminal, if that takes plain lines only, or if rich is not installed.
    """
    if not sys.stderr.isatty() or os.environ.get("TERM", "") in ("", "dumb"):
        return None
    try:
        from rich.console import Console
    except ImportError:  # an extra
        return None
    return Console(file=sys.stderr, soft_wrap=True, highlight=False, markup=False, emoji=False)


_CTRL_C: Final = 2
"""The columns of `^C`, which a terminal shows behind the status if the user types it."""


class _PlainStatus:
    """A status on a terminal without rich: the last line, written again from its beginning.

    Until it ends, stdout and stderr lead through it, so that it can erase itself before what the program prints. If that does not end with a line
    end, the status is not shown. Where a tool has redirected one of them, they stay as they are.

    Args:
        streams: Stdout and stderr as they were before the program ran.
    """

    def __init__(self, streams: tuple[TextIO, TextIO]) -> None:
        self._streams = streams
        self._stream = streams[1]
        self._columns = 0
        self._may_show = True
        if _lead_to(streams):
            sys.stdout = sys.stderr = cast("TextIO", self)

    def show(self, text: str) -> None:
        """Show a status, in place of the one before."""
        if self._may_show:
            import shutil  # slow to import, and only a terminal has a size

            shown = cut_to_width(text, max(shutil.get_terminal_size().columns - 1 - _CTRL_C, 1))
            columns = text_width(shown)
            self._columns = max(columns, self._columns)  # the cursor is behind all that was written, and so is ^C
            self._stream.write(f"\r{shown}{' ' * (self._columns - columns)}")
            self._stream.flush()

    def write(self, text: str) -> int:
        """Write what the program prints, in place of the status."""
        self._erase()
        self._may_show = text.endswith("\n") if text else self._may_show
        return self._stream.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def end(self) -> None:
        """Remove the status; the program prints as before."""
        if sys.stdout is self:
            sys.stdout = self._streams[0]
        if sys.stderr is self:
            sys.stderr = self._streams[1]
        self._erase()

    def _erase(self) -> None:
        """Remove the status from the terminal."""
        if self._columns:
            self._stream.write(f"\r{' ' * (self._columns + _CTRL_C)}\r")
            self._stream.flush()
        self._columns = 0


# --- One call ---


class CallStatus:
    """Shows the progress and the items of one call on a terminal.

    At the end of the `with` block, it removes them.

    Args:
        name: The name of the tool.
    """

    def __init__(self, name: str) -> None:
        self._display = Display()
        self._name = name
        self._status = f"running {one_line(name)}"
        self._fraction: float | None = None
        self._items: tuple[str, ...] = ()
        self._lock = Lock()
        self._is_over = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock, suppress(OSError):
            self._is_over = True
            self._display.clear()

    def show(self, event: Progress | Partial) -> None:
        """Show an event of the call; a tool whose time was up may still send some, which are ignored."""
        text = event_text(event)
        with self._lock, suppress(OSError):  # the terminal is gone
            if self._is_over or text is None:
                return
            if isinstance(event, Progress):
                self._status, self._fraction = one_line(f"{self._name}: {text}"), event.fraction
            else:
                self._items = (*self._items, one_line(text))[-_MOST_LINES:]
            self._display.show(self._status, self._items, self._fraction)


# --- Wording ---

_MOST: Final = 600
"""Characters of a result, or of arguments, that are shown during a run."""

_LINES: Final = 12


def event_text(event: Progress | Partial) -> str | None:
    """Return the text of an event of a call, not escaped; None for an item that has no JSON form."""
    if isinstance(event, Progress):
        return f"{event.fraction:.0%} {event.message}"
    try:
        return event.content
    except EncodingError:
        return None


def escaped(text: str) -> str:
    r"""Return a text with control characters and direction marks written out, such as `\x1b`."""
    return escape(text.replace("\r\n", "\n"), CONTROL)


def one_line(text: str) -> str:
    """Return the beginning of a text in one line, escaped."""
    return cut(" ".join(text.split()))


def cut(text: str) -> str:
    """Return the beginning of `text`, escaped; if it is cut, it ends with the length of `text`."""
    kept = "".join(text[:_MOST].splitlines(keepends=True)[:_LINES]).rstrip("\n")
    shown = escape(escaped(kept), HIDDEN)
    return shown if len(kept) >= len(text.rstrip("\n")) else f"{shown} … ({len(text)} characters)"
