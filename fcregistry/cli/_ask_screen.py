"""What `ask` shows of a run on a terminal, and the timeline of `--trace`.

Models and tools write much of the text: it is cut, and everything that a terminal would obey is escaped.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import aclosing, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, Protocol, cast

from fcregistry.agents import Calling, Finished, Planned, Progressed, Returned, StepBegan, StepEnded, Text, Thinking
from fcregistry.cli._output import CONTROL
from fcregistry.models import Model

if TYPE_CHECKING:
    from rich.progress import Progress

    from fcregistry._base.call import ToolCall
    from fcregistry._results.result import ToolResult
    from fcregistry._tools.tool import Tool
    from fcregistry.agents import Event
    from fcregistry.execution import WaitingCall
    from fcregistry.models import Completion, Delta, Message, ToolChoice


@contextmanager
def screen(model: str, *, streams: bool) -> Iterator[Screen]:
    """Show a run on stderr, if that is a terminal or the caller wants pieces; ends with the block.

    Args:
        model: The name of the model.
        streams: Whether to show the model's text in pieces.
    """
    shown = Screen(_writer() if streams or sys.stderr.isatty() else None, model, streams=streams)
    try:
        shown.begin()
        yield shown
    finally:
        shown.end()


class Screen:
    """Shows one run. Text comes in pieces, or whole once it is known not to be the answer.

    Args:
        writer: Writes to the terminal; None to show nothing.
        model: The name of the model.
        streams: Whether to show the model's text in pieces.
    """

    def __init__(self, writer: Writer | None, model: str, *, streams: bool) -> None:
        self._writer = writer
        self._asking = f"asking {one_line(model)}"
        self._streams = streams
        self._running: list[str] = []
        self._kind = ""
        self._pieces: list[str] = []
        self._shown = ""

    def show(self, event: Event) -> None:
        """Show an event."""
        writer = self._writer
        if writer is None:
            return
        if isinstance(event, (Thinking, Text)):
            self._add_text(writer, SPEECH[type(event)], event.text)
            return
        self._end_text(writer, event)
        self._show_wait(writer, event)
        for kind, text in _lines(event):
            writer.line(kind, text)

    def has_shown(self, answer: Any) -> bool:
        """Return whether the reader of stdout has already seen the answer on stderr, in pieces."""
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
        """Leave the terminal to a question to the user."""
        self.end()
        yield
        if self._writer is not None:
            self._writer.wait(self._waiting_for())

    def _add_text(self, writer: Writer, kind: str, text: str) -> None:
        """Add a piece of what the model writes or thinks."""
        if kind != self._kind:
            self._end_text(writer)
            self._kind = kind
        if self._streams:
            if not self._pieces:
                writer.wait(None)
                writer.piece(kind, "thinking: " if kind == "thinking" else "")
            writer.piece(kind, escaped(text))
        self._pieces.append(text)

    def _end_text(self, writer: Writer, event: Event | None = None) -> None:
        """Show the text of the model, now that it is whole."""
        whole, kind = "".join(self._pieces), self._kind
        self._pieces, self._kind = [], ""
        if self._streams and whole:
            writer.line(kind, "")
        text = whole.strip()
        if not text:
            return
        self._shown = text if kind == "text" else ""
        if not self._streams and not (isinstance(event, Finished) and event.result.ok and kind == "text"):
            writer.line(kind, escaped(text) if kind == "text" else indented("thinking:", text))

    def _show_wait(self, writer: Writer, event: Event) -> None:
        """Show what the run waits for from now on."""
        if isinstance(event, Calling):
            self._running.append(event.call.name)
        elif isinstance(event, Returned):
            name = event.result.call.name if event.result.call else ""
            self._running = [each for each in self._running if each != name]
        elif isinstance(event, Finished):
            writer.wait(None)
            return
        writer.wait(self._waiting_for())

    def _waiting_for(self) -> str:
        """Return what the run waits for: the calls that have no result yet, or the model."""
        running = ", ".join(dict.fromkeys(self._running))
        return f"running {one_line(running)}" if running else self._asking


SPEECH: Final = {Thinking: "thinking", Text: "text"}
"""Event -> kind, for text that comes in pieces."""


def _lines(event: Event) -> Iterator[tuple[str, str]]:
    """Yield the kind and the text of each line that shows an event."""
    if isinstance(event, Calling):
        yield "call", f"call {call_line(event.call)}"
    elif isinstance(event, Progressed):
        yield "progress", f"  {_progress(event)}"
    elif isinstance(event, Returned):
        yield "result" if event.result.ok else "failure", f"  {result_text(event.result)}"
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


# --- Writers ---


class Writer(Protocol):
    """Writes to a terminal. Texts are already without control characters.

    Kinds are `thinking`, `text`, `call`, `progress`, `result`, `failure` and `plan`.
    """

    def line(self, kind: str, text: str) -> None:
        """Write whole lines."""

    def piece(self, kind: str, text: str) -> None:
        """Write a piece of a line."""

    def wait(self, what: str | None) -> None:
        """Show what the run waits for, and for how long; None for nothing."""


def _writer() -> Writer:
    """Return the writer to stderr: with colours and a clock if rich and the terminal allow it."""
    if sys.stderr.isatty() and os.environ.get("TERM", "") not in ("", "dumb"):
        with suppress(ImportError):
            return RichWriter()
    return PlainWriter()


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
        """Show nothing: plain lines cannot be updated."""


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
    """Writes to stderr in colours, with a clock beside what the run waits for.

    Raises:
        ImportError: rich, an extra, is not installed.
    """

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
        from rich.text import Text

        self._console = Console(stderr=True, soft_wrap=True, highlight=False, markup=False, emoji=False)
        self._text = Text
        columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
        self._new_clock = partial(Progress, *columns, console=self._console, transient=True)
        self._clock: Progress | None = None
        self._waiting_for: str | None = None

    def line(self, kind: str, text: str) -> None:
        """Write whole lines."""
        self._console.print(self._text(text, style=_STYLES[kind]))

    def piece(self, kind: str, text: str) -> None:
        """Write a piece of a line."""
        self._console.print(self._text(text, style=_STYLES[kind]), end="")

    def wait(self, what: str | None) -> None:
        """Show what the run waits for, and for how long."""
        if what == self._waiting_for:
            return
        self._waiting_for = what
        if self._clock is not None and what is not None:
            self._clock.reset(self._clock.task_ids[0], description=what)
        elif what is not None:
            self._clock = self._new_clock()
            self._clock.add_task(what, total=None)
            self._clock.start()
        elif self._clock is not None:
            self._clock.stop()
            self._clock = None


# --- The timeline ---

_WIDTH: Final = 20
"""Columns of the bar of a span."""

_KINDS: Final = {"start": "the start", "model": "the model", "tool": "tools", "approval": "waiting for approval"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A part of the time of a run.

    Attributes:
        kind: What took the time: a key of `_KINDS`.
        label: The name that is shown.
        start: When it began, in seconds from the beginning of the run.
        seconds: How long it took.
    """

    kind: str
    label: str
    start: float
    seconds: float


class Timeline:
    """Records what happens when, from its creation on."""

    def __init__(self) -> None:
        self._spans: list[Span] = []
        self._began = perf_counter()
        self._turn: float | None = None  # when calls that waited for approval began
        self._calls: dict[str | None, float] = {}

    def timed(self, model: Model) -> Model:
        """Return a model whose answers are recorded."""
        return _Timed(model, self)

    def started(self) -> None:
        """Record the start, which ends when model and agent exist."""
        self.add("start", "start", self._began)

    def add(self, kind: str, label: str, began: float, seconds: float | None = None) -> None:
        """Record a span that began at some time; without its length, it ends now."""
        took = perf_counter() - began if seconds is None else seconds
        self._spans.append(Span(kind=kind, label=label, start=began - self._began, seconds=took))

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Record the time in which a user decides about calls. The calls begin afterwards."""
        began = perf_counter()
        yield
        self._turn = perf_counter()
        self._calls.clear()
        self.add("approval", "approval", began)

    async def record(self, events: AsyncIterator[Event]) -> AsyncIterator[Event]:
        """Yield events, and record them when they happen: the screen may be behind."""
        async with aclosing(cast("Any", events)) as each_in_turn:
            async for event in each_in_turn:
                self._record_event(event)
                yield event

    def _record_event(self, event: Event) -> None:
        """Record a call that begins or ends; the calls of one message begin together."""
        if isinstance(event, Calling):
            self._calls[event.call.id] = perf_counter()
        elif isinstance(event, Returned):
            result = event.result
            refused = self._turn or perf_counter()  # a call that did not begin was refused just now
            began = self._calls.pop(result.call.id if result.call else None, refused)
            self.add("tool", _call_label(result), began, result.duration)

    def lines(self) -> Iterator[str]:
        """Yield the timeline as text: a line for each span, and a summary."""
        spans = sorted(self._spans, key=lambda span: span.start)
        total = max(perf_counter() - self._began, *(span.start + span.seconds for span in spans), 1e-9)
        yield f"{'START':>9}  {'SECONDS':>9}  {'SHARE':>5}  {'':{_WIDTH}}  WHAT"
        for span in spans:
            share = f"{span.seconds / total:.0%}"
            yield f"{span.start:9.3f}  {span.seconds:9.3f}  {share:>5}  {_bar(span, total)}  {one_line(span.label)}"
        yield _summary(spans, total)


class _Timed(Model):
    """A model whose answers are recorded."""

    def __init__(self, model: Model, timeline: Timeline) -> None:
        self._model = model
        self._timeline = timeline

    @property
    def name(self) -> str:
        return self._model.name

    async def acomplete(
        self, messages: Sequence[Message], tools: Sequence[Tool] = (), *, tool_choice: ToolChoice = "auto"
    ) -> Completion:
        began = perf_counter()
        try:
            return await self._model.acomplete(messages, tools, tool_choice=tool_choice)
        finally:
            self._timeline.add("model", self.name, began)

    async def astream(
        self, messages: Sequence[Message], tools: Sequence[Tool] = (), *, tool_choice: ToolChoice = "auto"
    ) -> AsyncIterator[Delta | Completion]:
        began = perf_counter()
        try:
            asked = self._model.astream(messages, tools, tool_choice=tool_choice)
            async with aclosing(cast("Any", asked)) as pieces:
                async for piece in pieces:
                    yield piece
        finally:
            self._timeline.add("model", self.name, began)


def _call_label(result: ToolResult) -> str:
    name = result.call.name if result.call is not None else "a call"
    return name if result.error is None else f"{name} ({result.error.code})"


def _bar(span: Span, total: float) -> str:
    """Return a bar that shows where in the total time a span is."""
    # Rounded first: differences of a clock are a little off the column that they begin in
    start = min(int(round(span.start / total * _WIDTH, 6)), _WIDTH - 1)
    length = max(1, min(round(span.seconds / total * _WIDTH), _WIDTH - start))
    return ("." * start + "#" * length).ljust(_WIDTH, ".")


def _summary(spans: Iterable[Span], total: float) -> str:
    """Return the share of each kind; spans of one kind at the same time count once."""
    every = list(spans)
    shares = [
        f"{words} {_covered(each for each in every if each.kind == kind) / total:.0%}"
        for kind, words in _KINDS.items()
        if any(each.kind == kind for each in every)
    ]
    rest = max(total - _covered(every), 0.0)
    return f"{total:.3f} seconds: {', '.join([*shares, f'the rest {rest / total:.0%}'])}"


def _covered(spans: Iterable[Span]) -> float:
    """Return how many seconds some spans cover together."""
    covered = end = 0.0
    for span in sorted(spans, key=lambda span: span.start):
        covered += max(span.start + span.seconds - max(span.start, end), 0.0)
        end = max(end, span.start + span.seconds)
    return covered


# --- Wording ---

_MOST: Final = 600
"""Characters of a result, or of arguments, that are shown during a run."""

_LINES: Final = 12


def escaped(text: str) -> str:
    r"""Return a text with control characters and direction marks written out, such as `\x1b`."""
    return text if text.isprintable() else re.sub(CONTROL, _escape_character, text.replace("\r\n", "\n"))


def call_line(call: ToolCall) -> str:
    """Return a call in one line: the tool's name, and its arguments as JSON."""
    arguments = call.arguments if isinstance(call.arguments, str) else json_text(call.arguments or {})
    return one_line(f"{call.name} {arguments}")


def result_text(result: ToolResult) -> str:
    """Return the result of a call: the tool's name, the time it took, and what the model reads."""
    name = one_line(result.call.name) if result.call is not None and result.call.name else "a call"
    state = f"{result.duration:.2f} s" if result.error is None else result.error.code
    return indented(f"{name} ({state}):", result.content)


def waiting_call_text(call: WaitingCall) -> str:
    """Return a call that waits for a decision, with all of its arguments: the decision is about them."""
    reason = escaped(call.reason)
    return f"{escaped(call.tool)} {escaped(json_text(call.arguments))}\n  {reason}"


def indented(before: str, text: str) -> str:
    """Return a text after a heading: on the same line if it has one line, and below it otherwise."""
    lines = cut(text.strip()).splitlines() or ["(nothing)"]
    if len(lines) == 1:
        return f"{before} {lines[0]}"
    return "\n".join([before, *(f"  {line}" for line in lines)])


def one_line(text: str) -> str:
    """Return the beginning of a text in one line, escaped."""
    return cut(" ".join(text.split()))


def cut(text: str) -> str:
    """Return the beginning of a text, escaped; a text that is cut ends with its length."""
    lines = text[:_MOST].splitlines(keepends=True)[:_LINES]
    kept = "".join(lines).rstrip("\n")
    return escaped(kept) if len(kept) >= len(text.rstrip("\n")) else f"{escaped(kept)} … ({len(text)} characters)"


def json_text(value: Any) -> str:
    """Return a value as JSON in one line."""
    return json.dumps(value, ensure_ascii=False, default=str)


def _escape_character(character: re.Match[str]) -> str:
    return character[0].encode("unicode_escape").decode()
