"""Where did the time go? When the model was asked, tools ran, and somebody decided, and how long each took."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import aclosing, contextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, cast

from fcregistry.agents._result import Calling, Returned
from fcregistry.cli._ask_words import one_line
from fcregistry.models import Model

if TYPE_CHECKING:
    from fcregistry._results.result import ToolResult
    from fcregistry._tools.tool import Tool
    from fcregistry.agents import Event
    from fcregistry.models import Completion, Delta, Message, ToolChoice

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
