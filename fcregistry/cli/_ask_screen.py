"""What does a person see of a run while it goes on? What the model thinks and says, its calls, and what came of them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, Protocol

from fcregistry.agents._result import (
    Calling,
    Finished,
    Planned,
    Progressed,
    Returned,
    StepBegan,
    StepEnded,
    Text,
    Thinking,
)
from fcregistry.cli._ask_words import call_words, escaped, indented, one_line, result_words

if TYPE_CHECKING:
    from fcregistry.agents import Event

SPEECH: Final = {Thinking: "thinking", Text: "text"}
"""Event -> kind, of what comes in pieces."""


class Writer(Protocol):
    """Writes to a terminal. Texts have no control characters any more.

    Kinds are `thinking`, `text`, `call`, `progress`, `result`, `failure` and `plan`.
    """

    def line(self, kind: str, text: str) -> None:
        """Write whole lines."""

    def piece(self, kind: str, text: str) -> None:
        """Write a piece of a line."""

    def wait(self, what: str | None) -> None:
        """Show what is being waited for, and for how long by now; None for nothing."""


class PlainWriter:
    """Writes lines to stderr."""

    def line(self, kind: str, text: str) -> None:
        """Write whole lines."""
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()

    def piece(self, kind: str, text: str) -> None:
        """Write a piece of a line."""
        sys.stderr.write(text)
        sys.stderr.flush()

    def wait(self, what: str | None) -> None:
        """Show nothing: lines stay where they are."""


class Screen:
    """Shows one run. What a model says comes whole, as soon as it is known not to be the answer; or in pieces, as it is said.

    Args:
        writer: Where it is shown; None for nowhere.
        model: What the model is called.
        streams: Whether to show what the model says in pieces.
    """

    def __init__(self, writer: Writer | None, model: str, *, streams: bool) -> None:
        self._writer = writer
        self._asking = f"asking {one_line(model)}"
        self._streams = streams
        self._running: list[str] = []
        self._kind = ""
        self._said: list[str] = []
        self._shown = ""

    def show(self, event: Event) -> None:
        """Show what happens."""
        writer = self._writer
        if writer is None:
            return
        if isinstance(event, (Thinking, Text)):
            self._say(writer, SPEECH[type(event)], event.text)
            return
        self._end(writer, event)
        self._wait(writer, event)
        for kind, text in _lines(event):
            writer.line(kind, text)

    def has_shown(self, answer: Any) -> bool:
        """Tell whether the one who reads stdout has read the answer already, as it was said."""
        together = sys.stdout.isatty() and sys.stderr.isatty()
        return self._streams and together and bool(self._shown) and self._shown == str(answer).strip()

    def begin(self) -> None:
        """Show that the model is asked."""
        if self._writer is not None:
            self._writer.wait(self._asking)

    def end(self) -> None:
        """Leave the terminal as it was."""
        if self._writer is not None:
            self._writer.wait(None)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Leave the terminal to a question."""
        self.end()
        yield
        if self._writer is not None:
            self._writer.wait(self._what())

    def _say(self, writer: Writer, kind: str, text: str) -> None:
        """Take a piece of what the model says or thinks."""
        if kind != self._kind:
            self._end(writer)
            self._kind = kind
        if self._streams:
            if not self._said:
                writer.wait(None)
                writer.piece(kind, "thinking: " if kind == "thinking" else "")
            writer.piece(kind, escaped(text))
        self._said.append(text)

    def _end(self, writer: Writer, event: Event | None = None) -> None:
        """Show what was said, now that it is whole."""
        pieces, kind = "".join(self._said), self._kind
        self._said, self._kind = [], ""
        if self._streams and pieces:
            writer.line(kind, "")
        said = pieces.strip()
        if not said:
            return
        self._shown = said if kind == "text" else ""
        if not self._streams and not (isinstance(event, Finished) and event.result.ok and kind == "text"):
            writer.line(kind, escaped(said) if kind == "text" else indented("thinking:", said))

    def _wait(self, writer: Writer, event: Event) -> None:
        """Show what is being waited for from now on."""
        if isinstance(event, Calling):
            self._running.append(event.call.name)
        elif isinstance(event, Returned):
            name = event.result.call.name if event.result.call else ""
            self._running = [each for each in self._running if each != name]
        elif isinstance(event, Finished):
            writer.wait(None)
            return
        writer.wait(self._what())

    def _what(self) -> str:
        """Return what is being waited for: the calls that have no result yet, or the model."""
        running = ", ".join(dict.fromkeys(self._running))
        return f"running {one_line(running)}" if running else self._asking


def _lines(event: Event) -> Iterator[tuple[str, str]]:
    """Yield the kind and the text of what an event is shown as."""
    if isinstance(event, Calling):
        yield "call", f"call {call_words(event.call)}"
    elif isinstance(event, Progressed):
        yield "progress", f"  {_progress(event)}"
    elif isinstance(event, Returned):
        yield "result" if event.result.ok else "failure", f"  {result_words(event.result)}"
    elif isinstance(event, Planned) and event.steps:
        steps = (f"  {place}. {one_line(step)}" for place, step in enumerate(event.steps, 1))
        yield "plan", "\n".join(["plan:", *steps])
    elif isinstance(event, StepBegan):
        yield "plan", f"step {event.index + 1}: {one_line(event.text)}"
    elif isinstance(event, StepEnded):
        ended = "is done" if event.ok else "failed"
        yield "result" if event.ok else "failure", indented(f"step {event.index + 1} {ended}:", event.text)


def _progress(event: Progressed) -> str:
    from fcregistry.execution import Partial  # loaded by the run

    progress, name = event.progress, event.call.name
    if isinstance(progress, Partial):
        return one_line(f"{name}: {progress.content}")
    return one_line(f"{name}: {progress.fraction:.0%} {progress.message}")


@contextmanager
def screen(model: str, *, streams: bool) -> Iterator[Screen]:
    """Show a run on stderr, if a person reads it there, or wants pieces; ends with the block.

    Args:
        model: What the model is called.
        streams: Whether to show what it says in pieces.
    """
    shown = Screen(_writer() if streams or sys.stderr.isatty() else None, model, streams=streams)
    try:
        shown.begin()
        yield shown
    finally:
        shown.end()


def _writer() -> Writer:
    """Return what writes to stderr: with colours and a clock, where rich is installed and the terminal can."""
    if sys.stderr.isatty() and os.environ.get("TERM", "") not in ("", "dumb"):
        try:
            from fcregistry.cli._ask_rich import RichWriter  # an extra
        except ImportError:
            return PlainWriter()
        return RichWriter()
    return PlainWriter()
