"""What `ask` shows of a run on a terminal, and the timeline of `--trace`.

Models and tools write much of the text: it is cut, and everything that a terminal would obey is escaped.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import aclosing, contextmanager
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from fcregistry.agents import Calling, Finished, Planned, Progressed, Returned, StepBegan, StepEnded, Text, Thinking
from fcregistry.cli._output import CONTROL
from fcregistry.execution import Partial, Progress
from fcregistry.models import Model

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress as Clock

    from fcregistry._base.call import ToolCall
    from fcregistry._results.result import ToolResult
    from fcregistry._tools.tool import Tool
    from fcregistry.agents import Event
    from fcregistry.execution import WaitingCall
    from fcregistry.models import Completion, Delta, Message, ToolChoice

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


class Screen:
    """Shows a run on stderr, if that is a terminal or the user wants the model's text in pieces.

    It is a context manager, which leaves the terminal as it was. If rich is installed and the terminal allows it, there are colours, and a
    clock beside what the run waits for; otherwise there are plain lines, one of them for each request to the model. Text of the model comes
    in pieces, or whole once it is known not to be the answer.

    Args:
        model: The name of the model.
        streams: Whether to show the model's text in pieces.
    """

    def __init__(self, model: str, *, streams: bool) -> None:
        self._is_terminal = sys.stderr.isatty()
        self._is_on = streams or self._is_terminal
        self._console = _rich_console()
        self._clock: Clock | None = None
        self._waits: str | None = None
        self._asking = f"asking {one_line(model)}"
        self._streams = streams
        self._running: list[str] = []
        self._kind = ""
        self._pieces: list[str] = []
        self._last_text = ""

    def __enter__(self) -> Screen:
        self._wait_for(self._asking)
        return self

    def __exit__(self, *_: object) -> None:
        self._wait_for(None)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Leave the terminal to a question to the user."""
        self._wait_for(None)
        yield
        self._wait_for(self.waiting_for)

    @property
    def waiting_for(self) -> str:
        """What the run waits for: the calls that have no result yet, or the model."""
        running = ", ".join(dict.fromkeys(self._running))
        return f"running {one_line(running)}" if running else self._asking

    def has_shown(self, answer: Any) -> bool:
        """Return whether the reader of stdout has already seen the answer on stderr, in pieces."""
        together = sys.stdout.isatty() and sys.stderr.isatty()
        return self._streams and together and bool(self._last_text) and self._last_text == str(answer).strip()

    def show(self, event: Event) -> None:
        """Show an event."""
        if not self._is_on:
            return
        if isinstance(event, (Thinking, Text)):
            self._add_text("text" if isinstance(event, Text) else "thinking", event.text)
            return
        self._end_text(event)
        if isinstance(event, Calling):
            self._running.append(event.call.name)
        elif isinstance(event, Returned):
            name = event.result.call.name if event.result.call else ""
            self._running = [each for each in self._running if each != name]
        kind, text = _described(event)
        if text:
            self._write(kind, f"{text}\n")
        self._wait_for(None if isinstance(event, Finished) else self.waiting_for)

    def _add_text(self, kind: str, text: str) -> None:
        """Add a piece of what the model writes or thinks."""
        if kind != self._kind:
            self._end_text()
            self._kind = kind
        if self._streams:
            if not self._pieces:
                self._wait_for(None)  # the clock would overwrite a line that is not complete
                self._write(kind, "thinking: " if kind == "thinking" else "")
            self._write(kind, escaped(text))
        self._pieces.append(text)

    def _end_text(self, event: Event | None = None) -> None:
        """Show the text of the model, now that it is whole."""
        whole, kind = "".join(self._pieces), self._kind
        self._pieces, self._kind = [], ""
        if self._streams and whole:
            self._write(kind, "\n")
        text = whole.strip()
        if not text:
            return
        self._last_text = text if kind == "text" else ""
        if not self._streams and not (isinstance(event, Finished) and event.result.ok and kind == "text"):
            self._write(kind, (escaped(text) if kind == "text" else indented("thinking:", text)) + "\n")

    def _write(self, kind: str, text: str) -> None:
        if self._console is None:
            sys.stderr.write(text)
            sys.stderr.flush()
        else:
            from rich.text import Text as RichText  # an extra

            self._console.print(RichText(text, style=_STYLES[kind]), end="")

    def _wait_for(self, what: str | None) -> None:
        """Show what the run waits for, beside a clock, or in a line if it is the model; None for nothing."""
        if what == self._waits:
            return
        self._waits = what
        if self._console is None:
            if what == self._asking and self._is_terminal:
                self._write("", f"{what} …\n")
            return
        from rich.progress import Progress as Clock  # an extra
        from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

        if self._clock is not None:
            self._clock.stop()
        self._clock = None
        if what is not None:
            columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
            self._clock = Clock(*columns, console=self._console, transient=True)
            self._clock.add_task(what, total=None)
            self._clock.start()


def _rich_console() -> Console | None:
    """Return rich's console on stderr; None without rich, or if the terminal takes plain lines only."""
    if not sys.stderr.isatty() or os.environ.get("TERM", "") in ("", "dumb"):
        return None
    try:
        from rich.console import Console
    except ImportError:  # an extra
        return None
    return Console(stderr=True, soft_wrap=True, highlight=False, markup=False, emoji=False)


def _described(event: Event) -> tuple[str, str]:
    """Return the kind and the text of the lines that show an event; an empty text for none."""
    match event:
        case Calling(call=call):
            return "call", f"call {call_line(call)}"
        case Progressed(call=call, progress=Partial(content=content)):
            return "progress", f"  {one_line(f'{call.name}: {content}')}"
        case Progressed(call=call, progress=Progress(fraction=fraction, message=message)):
            return "progress", f"  {one_line(f'{call.name}: {fraction:.0%} {message}')}"
        case Returned(result=result):
            return "result" if result.ok else "failure", f"  {result_text(result)}"
        case Planned(steps=steps) if steps:
            return "plan", "\n".join(
                ["plan:", *(f"  {place}. {one_line(step)}" for place, step in enumerate(steps, 1))]
            )
        case StepBegan(index=index, text=text):
            return "plan", f"step {index + 1}: {one_line(text)}"
        case StepEnded(index=index, text=text, ok=ok):
            heading = f"step {index + 1} {'is done' if ok else 'failed'}:"
            return "result" if ok else "failure", indented(heading, text)
    return "text", ""


# --- The timeline ---

_WIDTH: Final = 20
"""Columns of the bar of a span."""

_KINDS: Final = {"start": "the start", "model": "the model", "tool": "tools", "approval": "waiting for approval"}


class Span(NamedTuple):
    """A part of the time of a run; begin and end are seconds of the clock."""

    kind: str  # a key of `_KINDS`
    label: str
    begin: float
    end: float


class Timeline:
    """Records what happens when, from its creation on."""

    def __init__(self) -> None:
        self._spans: list[Span] = []
        self._began = perf_counter()
        self._decided: float | None = None  # when calls that waited for approval began
        self._calls: dict[str | None, float] = {}

    def add(self, kind: str, label: str, begin: float | None = None, end: float | None = None) -> None:
        """Record a span; it begins with the timeline and ends now, if the caller does not say otherwise."""
        begin = self._began if begin is None else begin
        self._spans.append(Span(kind, label, begin, perf_counter() if end is None else end))

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Record the time in which a user decides about calls. The calls begin afterwards."""
        began = perf_counter()
        yield
        self._decided = perf_counter()
        self._calls.clear()
        self.add("approval", "approval", began)

    async def record(self, events: AsyncIterator[Event]) -> AsyncIterator[Event]:
        """Yield events, and record calls when they begin and end: the screen may be behind.

        The calls of one message begin together.
        """
        async with aclosing(cast("Any", events)) as each_in_turn:
            async for event in each_in_turn:
                if isinstance(event, Calling):
                    self._calls[event.call.id] = perf_counter()
                elif isinstance(event, Returned):
                    call, error = event.result.call, event.result.error
                    refused = self._decided or perf_counter()  # a call that did not begin was refused just now
                    began = self._calls.pop(call.id if call else None, refused)
                    name = call.name if call is not None else "a call"
                    label = name if error is None else f"{name} ({error.code})"
                    self.add("tool", label, began, began + event.result.duration)
                yield event

    def lines(self) -> Iterator[str]:
        """Yield the timeline as text: a line for each span, and a summary."""
        spans = sorted(self._spans, key=lambda span: span.begin)
        total = max(perf_counter(), *(span.end for span in spans)) - self._began or 1e-9
        yield f"{'START':>9}  {'SECONDS':>9}  {'SHARE':>5}  {'':{_WIDTH}}  WHAT"
        for span in spans:
            start, seconds = span.begin - self._began, span.end - span.begin
            bar = _bar(start / total, seconds / total)
            yield f"{start:9.3f}  {seconds:9.3f}  {seconds / total:>5.0%}  {bar}  {one_line(span.label)}"
        shares = [
            f"{words} {_covered(span for span in spans if span.kind == kind) / total:.0%}"
            for kind, words in _KINDS.items()
            if any(span.kind == kind for span in spans)
        ]
        rest = max(total - _covered(spans), 0.0)
        yield f"{total:.3f} seconds: {', '.join([*shares, f'the rest {rest / total:.0%}'])}"


def _bar(start: float, share: float) -> str:
    """Return a bar that shows where in the total time a span is."""
    # Rounded first: differences of a clock are a little off the column that they begin in
    first = min(int(round(start * _WIDTH, 6)), _WIDTH - 1)
    length = max(1, min(round(share * _WIDTH), _WIDTH - first))
    return ("." * first + "#" * length).ljust(_WIDTH, ".")


def _covered(spans: Iterable[Span]) -> float:
    """Return how many seconds some spans, sorted by their begin, cover together."""
    covered = end = 0.0
    for span in spans:
        covered += max(span.end - max(span.begin, end), 0.0)
        end = max(end, span.end)
    return covered


class TimedModel(Model):
    """A model whose answers a timeline records."""

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


# --- Wording ---

_MOST: Final = 600
"""Characters of a result, or of arguments, that are shown during a run."""

_LINES: Final = 12


def escaped(text: str) -> str:
    r"""Return a text with control characters and direction marks written out, such as `\x1b`."""
    if text.isprintable():
        return text
    return re.sub(CONTROL, lambda found: found[0].encode("unicode_escape").decode(), text.replace("\r\n", "\n"))


def call_line(call: ToolCall) -> str:
    """Return a call in one line: the tool's name, and its arguments as JSON."""
    arguments = call.arguments if isinstance(call.arguments, str) else _json_text(call.arguments or {})
    return one_line(f"{call.name} {arguments}")


def result_text(result: ToolResult) -> str:
    """Return the result of a call: the tool's name, the time it took, and what the model reads."""
    name = one_line(result.call.name) if result.call is not None and result.call.name else "a call"
    state = f"{result.duration:.2f} s" if result.error is None else result.error.code
    return indented(f"{name} ({state}):", result.content)


def waiting_call_text(call: WaitingCall) -> str:
    """Return a call that waits for a decision, with all of its arguments: the decision is about them."""
    return escaped(f"{call.tool} {_json_text(call.arguments)}\n  {call.reason}")


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
    kept = "".join(text[:_MOST].splitlines(keepends=True)[:_LINES]).rstrip("\n")
    return escaped(kept) if len(kept) >= len(text.rstrip("\n")) else f"{escaped(kept)} … ({len(text)} characters)"


def _json_text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
