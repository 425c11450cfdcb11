"""What `ask` shows of a run on a terminal, and the timeline of `--trace`.

Models and tools write much of the text: it is cut, and everything that a terminal would obey is escaped.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, TextIO

from fcregistry._base.invisible import escape
from fcregistry.agents import Calling, Finished, Planned, Progressed, Returned, StepBegan, StepEnded, Text, Thinking
from fcregistry.cli._display import Display, cut, escaped, event_text, one_line
from fcregistry.cli._output import text_of_result
from fcregistry.execution import Partial, Progress

if TYPE_CHECKING:
    from fcregistry._base.call import ToolCall
    from fcregistry._results.result import ToolResult
    from fcregistry.agents import Event, Step


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
        self._display = Display()
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
        """Hide the clock inside the block, while the user is asked."""
        self._wait_for(None)
        yield
        self._wait_for(self.waiting_for)

    @property
    def waiting_for(self) -> str:
        """A text for what the run waits for: the calls that have no result yet, or else the model."""
        running = ", ".join(dict.fromkeys(self._running))
        return f"running {one_line(running)}" if running else self._asking

    def has_shown(self, answer: Any) -> bool:
        """Return whether `answer` has been shown in pieces on stderr, and stderr is where stdout is."""
        is_shown = self._streams and bool(self._last_text) and self._last_text == str(answer).strip()
        return is_shown and ((sys.stdout.isatty() and sys.stderr.isatty()) or _are_one_file(sys.stdout, sys.stderr))

    def show(self, event: Event) -> None:
        """Show an event of the run, if this screen shows anything."""
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
            self._display.write(kind, f"{text}\n")
        self._wait_for(None if isinstance(event, Finished) else self.waiting_for)

    def _add_text(self, kind: str, text: str) -> None:
        """Add a piece of the model's text or thoughts, and show it at once if pieces are shown.

        If its kind differs from that of the pieces before, these are ended first (see `_end_text`).

        Args:
            kind: `text` or `thinking`.
            text: The piece.
        """
        if kind != self._kind:
            self._end_text()
            self._kind = kind
        if self._streams:
            if not self._pieces:
                self._wait_for(None)  # the clock would overwrite a line that is not complete
                self._display.write(kind, "thinking: " if kind == "thinking" else "")
            self._display.write(kind, escaped(text))
        self._pieces.append(text)

    def _end_text(self, event: Event | None = None) -> None:
        """End the model's text or thoughts: show them whole, or a line end if they were shown in pieces.

        The text of the answer, after which `event` says that the run has ended well, is not shown whole.

        Args:
            event: The event after the text, if any.
        """
        whole, kind = "".join(self._pieces), self._kind
        self._pieces, self._kind = [], ""
        if self._streams and whole:
            self._display.write(kind, "\n")
        text = whole.strip()
        if not text:
            return
        self._last_text = text if kind == "text" else ""
        if not self._streams and not (isinstance(event, Finished) and event.result.ok and kind == "text"):
            self._display.write(kind, (escaped(text) if kind == "text" else indented("thinking:", text)) + "\n")

    def _wait_for(self, what: str | None) -> None:
        """Show that the run waits for `what`, with a clock, unless that is shown already; None ends that.

        Without rich, only waiting for the model is shown, as a line on a terminal.
        """
        if what == self._waits:
            return
        self._waits = what
        if not self._display.is_rich:
            if what == self._asking and self._is_terminal:
                self._display.write("", f"{what} …\n")
            return
        self._display.clear()
        if what is not None:
            self._display.show(what)


def _described(event: Event) -> tuple[str, str]:
    """Return the kind of an event, as `Display.write` takes it, and the text that shows it.

    For an event that is not shown, the result is ("text", "").
    """
    match event:
        case Calling(call=call):
            return "call", f"call {call_line(call)}"
        case Progressed(call=call, progress=Partial() | Progress() as progress) if text := event_text(progress):
            return "progress", f"  {one_line(f'{call.name}: {text}')}"
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

_KINDS: Final = {"start": "the start", "model": "the model", "tools": "tools", "approval": "waiting for approval"}


class Timeline:
    """The spans of time in a run, one after the other; the calls of one message begin together.

    Args:
        model: The name of the model.
    """

    def __init__(self, model: str) -> None:
        self._model = model
        self._began = perf_counter()
        self._now = 0.0
        self._shares = dict.fromkeys(_KINDS, 0.0)
        self._spans: list[tuple[str, float, float]] = []

    def add(self, kind: str, label: str, seconds: float) -> None:
        """Record a span that began when the span before ended.

        Args:
            kind: Its kind, a key of `_KINDS`.
            label: The text that names it.
            seconds: How long it took.
        """
        self._spans.append((label, self._now, seconds))
        self._pass(kind, seconds)

    def _pass(self, kind: str, seconds: float) -> None:
        """Add `seconds` to the time of the kind `kind`, and to the time that has passed."""
        self._shares[kind] += seconds
        self._now += seconds

    def add_steps(self, steps: Iterable[Step]) -> None:
        """Record the requests and calls of a run."""
        for step in steps:
            if step.kind == "model":
                self.add("model", self._model, step.seconds)
            elif step.kind == "tools":
                for result in step.results:
                    name = result.call.name if result.call is not None else "a call"
                    label = name if result.error is None else f"{name} ({result.error.code})"
                    self._spans.append((label, self._now, result.duration))
                self._pass("tools", step.seconds)

    def lines(self) -> Iterator[str]:
        """Yield the timeline as text: a line for each span, and a summary."""
        total = max(perf_counter() - self._began, self._now, 1e-9)
        yield f"{'START':>9}  {'SECONDS':>9}  {'SHARE':>5}  {'':{_WIDTH}}  WHAT"
        for label, start, seconds in self._spans:
            bar = _bar(start / total, seconds / total)
            yield f"{start:9.3f}  {seconds:9.3f}  {seconds / total:>5.0%}  {bar}  {one_line(label)}"
        shares = [f"{_KINDS[kind]} {seconds / total:.0%}" for kind, seconds in self._shares.items() if seconds]
        yield f"{total:.3f} seconds: {', '.join([*shares, f'the rest {(total - self._now) / total:.0%}'])}"


def _bar(start: float, share: float) -> str:
    """Return a bar of `_WIDTH` characters that shows a span: at least one `#`, and dots for the rest.

    Args:
        start: When the span begins, as a fraction of the total time.
        share: How long it takes, as a fraction of the total time.
    """
    first = min(int(start * _WIDTH), _WIDTH - 1)
    length = max(1, min(round(share * _WIDTH), _WIDTH - first))
    return ("." * first + "#" * length).ljust(_WIDTH, ".")


# --- Wording ---


def call_line(call: ToolCall) -> str:
    """Return a call in one line: the tool's name, and its arguments as JSON."""
    arguments = call.arguments if isinstance(call.arguments, str) else _json_text(call.arguments or {})
    return escape(one_line(f"{call.name} {arguments}"))


def result_text(result: ToolResult) -> str:
    """Return the result of a call: the tool's name, the time it took, and what the model reads."""
    name = one_line(result.call.name) if result.call is not None and result.call.name else "a call"
    state = f"{result.duration:.2f} s" if result.error is None else result.error.code
    return indented(f"{name} ({state}):", text_of_result(result))


def indented(before: str, text: str) -> str:
    """Return a text after a heading: on the same line if it has one line, and below it otherwise."""
    lines = cut(text.strip()).splitlines() or ["(nothing)"]
    if len(lines) == 1:
        return f"{before} {lines[0]}"
    return "\n".join([before, *(f"  {line}" for line in lines)])


def _json_text(value: Any) -> str:
    """Return the JSON text of a value; objects that `json` cannot write become strings, by `str`."""
    return json.dumps(value, ensure_ascii=False, default=str)


def _are_one_file(one: TextIO, other: TextIO) -> bool:
    """Return whether two streams are one file or pipe, as after `2>&1`; False if a stream has no file."""
    try:
        return os.path.samestat(os.fstat(one.fileno()), os.fstat(other.fileno()))
    except (OSError, ValueError):  # a stream without a file
        return False
