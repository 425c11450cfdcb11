"""What does a person see of a run while it goes on? What the model thinks and says, its calls, and what came of them.

MERGED: Where did the time go? When the model was asked, tools ran, and somebody decided, and how long each took.
MERGED: How is what a model or a tool says put on a line? Cut, and with whatever a terminal would obey escaped: strangers wrote it.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import aclosing, contextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, Protocol, cast

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
from fcregistry.cli._output import _CONTROL
from fcregistry.models import Model

if TYPE_CHECKING:
    from fcregistry._base.call import ToolCall
    from fcregistry._results.result import ToolResult
    from fcregistry._tools.tool import Tool
    from fcregistry.agents import Event
    from fcregistry.execution import WaitingCall
    from fcregistry.models import Completion, Delta, Message, ToolChoice

# --- cli._ask_screen ---

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


# --- cli._ask_timeline ---

_WIDTH: Final = 20
"""Columns of the picture of the time."""

_KINDS: Final = {"start": "the start", "model": "the model", "tool": "tools", "approval": "waiting for approval"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """Something that took time.

    Attributes:
        kind: Whose time it was, a key of `_KINDS`.
        label: What it was.
        start: When it began, in seconds from the beginning of the run.
        seconds: How long it took.
    """

    kind: str
    label: str
    start: float
    seconds: float


class Timeline:
    """Takes down what happens when; it begins when it is made."""

    def __init__(self) -> None:
        self._spans: list[Span] = []
        self._began = perf_counter()
        self._turn: float | None = None  # when calls that waited for approval began
        self._calls: dict[str | None, float] = {}

    def timed(self, model: Model) -> Model:
        """Return a model whose answers are taken down."""
        return _Timed(model, self)

    def started(self) -> None:
        """Take down that model and agent are there."""
        self.add("start", "start", self._began)

    def add(self, kind: str, label: str, began: float, seconds: float | None = None) -> None:
        """Take down what began at some time; without its length, it ends now."""
        took = perf_counter() - began if seconds is None else seconds
        self._spans.append(Span(kind=kind, label=label, start=began - self._began, seconds=took))

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Take down the time in which somebody decides about calls. These begin afterwards."""
        began = perf_counter()
        yield
        self._turn = perf_counter()
        self._calls.clear()
        self.add("approval", "approval", began)

    async def noted(self, events: AsyncIterator[Event]) -> AsyncIterator[Event]:
        """Yield events, and take them down where they happen: whoever shows them may be behind."""
        async with aclosing(cast("Any", events)) as each_in_turn:
            async for event in each_in_turn:
                self.note(event)
                yield event

    def note(self, event: Event) -> None:
        """Take down a call that begins, or ends. Calls of one message begin together; how long each took, it says itself."""
        if isinstance(event, Calling):
            self._calls[event.call.id] = perf_counter()
        elif isinstance(event, Returned):
            result = event.result
            refused = self._turn or perf_counter()  # a call that nobody began was refused, now
            began = self._calls.pop(result.call.id if result.call else None, refused)
            self.add("tool", _called(result), began, result.duration)

    def lines(self) -> Iterator[str]:
        """Yield the timeline, for people: a line for each, and where the time went in all."""
        spans = sorted(self._spans, key=lambda span: span.start)
        total = max(perf_counter() - self._began, *(span.start + span.seconds for span in spans), 1e-9)
        yield f"{'START':>9}  {'SECONDS':>9}  {'SHARE':>5}  {'':{_WIDTH}}  WHAT"
        for span in spans:
            share = f"{span.seconds / total:.0%}"
            yield f"{span.start:9.3f}  {span.seconds:9.3f}  {share:>5}  {_bar(span, total)}  {one_line(span.label)}"
        yield _summary(spans, total)


class _Timed(Model):
    """A model whose answers are taken down."""

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


def _called(result: ToolResult) -> str:
    name = result.call.name if result.call is not None else "a call"
    return name if result.error is None else f"{name} ({result.error.code})"


def _bar(span: Span, total: float) -> str:
    """Return where in the whole time something stands."""
    # Rounded first: times that are differences of a clock lie a little off the cell that they begin in.
    start = min(int(round(span.start / total * _WIDTH, 6)), _WIDTH - 1)
    length = max(1, min(round(span.seconds / total * _WIDTH), _WIDTH - start))
    return ("." * start + "#" * length).ljust(_WIDTH, ".")


def _summary(spans: Iterable[Span], total: float) -> str:
    """Return where the time went in all; what happened at the same time counts once for its kind."""
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


# --- cli._ask_words ---

_MOST: Final = 600
"""Characters of a result, or of arguments, that are shown while a run goes on."""

_LINES: Final = 12


def escaped(text: str) -> str:
    r"""Return a text with control characters and direction marks written out, as `\x1b`; line ends and tabs stay."""
    return text if text.isprintable() else re.sub(_CONTROL, _written, text.replace("\r\n", "\n"))


def call_words(call: ToolCall) -> str:
    """Return a call in one line: the tool's name, and its arguments as JSON."""
    arguments = call.arguments if isinstance(call.arguments, str) else json_text(call.arguments or {})
    return one_line(f"{call.name} {arguments}")


def result_words(result: ToolResult) -> str:
    """Return what came of a call: the tool's name, the time it took, and what the model reads."""
    name = one_line(result.call.name) if result.call is not None and result.call.name else "a call"
    state = f"{result.duration:.2f} s" if result.error is None else result.error.code
    return indented(f"{name} ({state}):", result.content)


def waiting(call: WaitingCall) -> str:
    """Return a call that waits for a decision: with all of its arguments, for they are what is decided about."""
    reason = escaped(call.reason)
    return f"{escaped(call.tool)} {escaped(json_text(call.arguments))}\n  {reason}"


def indented(before: str, text: str) -> str:
    """Return a text after some words: on their line, if it is one line, and below them otherwise."""
    lines = cut(text.strip()).splitlines() or ["(nothing)"]
    if len(lines) == 1:
        return f"{before} {lines[0]}"
    return "\n".join([before, *(f"  {line}" for line in lines)])


def one_line(text: str) -> str:
    """Return the beginning of a text in one line, escaped."""
    return cut(" ".join(text.split()))


def cut(text: str) -> str:
    """Return the beginning of a text, escaped; what is cut says how long it was."""
    lines = text[:_MOST].splitlines(keepends=True)[:_LINES]
    kept = "".join(lines).rstrip("\n")
    return escaped(kept) if len(kept) >= len(text.rstrip("\n")) else f"{escaped(kept)} … ({len(text)} characters)"


def json_text(value: Any) -> str:
    """Return a value as JSON in one line."""
    return json.dumps(value, ensure_ascii=False, default=str)


def _written(character: re.Match[str]) -> str:
    return character[0].encode("unicode_escape").decode()
