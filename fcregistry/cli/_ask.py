"""How is a run followed to its end? Its events are shown as they come, and where calls wait for a decision, it is taken up with one.

MERGED: Who decides about a call that requires approval? Whoever said so on the command line, or sits at the terminal.
MERGED: Which tools may the model call? Those that are named, or the few that have to do with the question.
MERGED: What does Ctrl-C do to a run? It is cancelled, as a program cancels one; whatever does not end then is left behind.
MERGED: Which model is asked? The one that is named on the command line, in the environment, or in the configuration.
MERGED: Which agents can be asked by name, and what does each of them take?
MERGED: How is a question answered on the command line? A model is asked, and an agent carries out the calls that it makes.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from threading import Timer, get_ident
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import click

from fcregistry._config.settings import MODEL, configuration, model_variable
from fcregistry._registry import registry
from fcregistry.agents._result import Finished
from fcregistry.cli._ask_screen import waiting
from fcregistry.cli._output import complain, remark, say_json
from fcregistry.cli._tools import complete_tools, local_name, mention_failed_plugins, only_in_an_application
from fcregistry.execution import CancellationToken
from fcregistry.models._model import stream_sync

if TYPE_CHECKING:
    from types import FrameType

    from fcregistry._base.call import ToolCall
    from fcregistry._tools.tool import Tool
    from fcregistry.agents import Agent, Event, RunResult, Step
    from fcregistry.cli._ask_screen import Screen, Timeline
    from fcregistry.execution import Approve, Deny, Executor, WaitingCall
    from fcregistry.execution._approval import Approver
    from fcregistry.models import Model

# --- cli._ask_running ---

Begin: TypeAlias = "Callable[..., AsyncIterator[Event]]"
"""Begins a run, or takes one up: is given `time_budget` and `cancellation`."""

_LEAST: Final = 0.001
"""Seconds of a run that has none left, which is then told so."""


def followed(
    agent: Agent, question: str, seconds: float | None, screen: Screen, deciding: Deciding, timeline: Timeline
) -> RunResult:
    """Ask an agent, and return what came of it: with the steps of all of its parts, where it had to wait.

    Args:
        agent: Who is asked.
        question: What.
        seconds: How long it may take, the time apart in which a person decides; None for any time.
        screen: Shows what happens.
        deciding: Decides about calls that wait.
        timeline: Takes down what happens when.

    Raises:
        KeyboardInterrupt: Somebody interrupted it, or left a question without an answer.
    """
    left = seconds
    steps: tuple[Step, ...] = ()
    begin: Begin = partial(agent.astream, question)
    while True:
        began = perf_counter()
        result = _shown(begin, left, screen, timeline)
        steps += result.steps
        if result.state is None:
            break
        if left is not None:
            left = max(left - (perf_counter() - began), _LEAST)
        with timeline.waiting():
            decisions = deciding.decide(result.pending, screen)
        if decisions is None:
            break
        begin = partial(agent.aresume_stream, result.state, decisions)
    return replace(result, steps=steps)


def _shown(begin: Begin, seconds: float | None, screen: Screen, timeline: Timeline) -> RunResult:
    """Show what happens until the run ends, or waits."""
    with cancelled_by_interrupt() as token:
        for event in stream_sync(lambda: timeline.noted(begin(time_budget=seconds, cancellation=token))):
            screen.show(event)
            if isinstance(event, Finished):
                result = event.result
    return result


# --- cli._ask_deciding ---


class Deciding:
    """Decides about the calls of one run. What somebody answers holds for the one call, and is not remembered.

    Args:
        approved: Selectors of tools whose calls are approved.

    Raises:
        SelectorError, ToolNotFoundError, AmbiguousToolError: As for `registry.find`.
    """

    def __init__(self, approved: Sequence[str]) -> None:
        self._approved = {tool.id for tool in registry.find(*approved)} if approved else set()

    def approves(self, tool: Tool, call: ToolCall) -> bool:
        """Tell whether a call was approved beforehand, for a run that does not wait."""
        return tool.id in self._approved

    def decide(self, calls: Sequence[WaitingCall], screen: Screen) -> Mapping[str, Approve | Deny] | None:
        """Return a decision about every call; None if there is nobody to ask about one of them.

        Raises:
            KeyboardInterrupt: Whoever was asked has left.
        """
        open_ones = [call for call in calls if call.tool not in self._approved]
        if open_ones and not (sys.stdin.isatty() and sys.stderr.isatty()):
            return None
        with screen.paused():
            return {call.id: self._decision(call) for call in calls}

    def _decision(self, call: WaitingCall) -> Approve | Deny:
        from fcregistry.execution import Approve, Deny  # loaded by the run that waits

        if call.tool in self._approved:
            return Approve()
        return Approve() if _asked(call) else Deny("the user does not want this call")


def _asked(call: WaitingCall) -> bool:
    """Ask about one call."""
    _forget_what_was_typed()
    remark(waiting(call))
    try:
        return click.confirm("Call it?", err=True)
    except click.Abort as walked_away:  # Ctrl-C or the end of input: no answer, so not a denial either
        raise KeyboardInterrupt from walked_away


def _forget_what_was_typed() -> None:
    """Forget what was typed before there was a question: it is no answer to it."""
    try:
        import termios
    except ImportError:  # on Windows
        return
    with suppress(termios.error):
        termios.tcflush(sys.stdin, termios.TCIFLUSH)


# --- cli._ask_tools ---

FEW: Final = 5
"""How many tools are taken at most, where none is named."""


def executor_for(question: str, selectors: Sequence[str], approve: Approver | None = None) -> Executor:
    """Return what runs the calls of the model, and say on stderr which tools it has where nobody named them.

    Those that nobody named require approval also where their authors only say that they are destructive.

    Args:
        question: What they have to do with.
        selectors: What names them; nothing to search.
        approve: Who is asked about calls, if the run is not to wait for a decision.

    Raises:
        SelectorError, ToolNotFoundError, AmbiguousToolError, DuplicateToolError: As for `registry.select`.
        ConfigurationError: The configuration cannot be read.
    """
    # All that carries calls out, which completing a name does without
    from fcregistry.execution import Executor, Policy

    if selectors:
        mention_failed_plugins(selectors)
        return Executor(_usable(registry.select(*selectors).values(), says_so=True), approve=approve)
    return Executor(_found(question), policy=Policy(ask=["destructive=true"]), approve=approve)


def _found(question: str) -> list[Tool]:
    """Return the few tools that have to do with a question."""
    found: dict[str, Tool] = {}
    for tool in _usable(registry.search(question, limit=2 * FEW)):
        found.setdefault(tool.name, tool)  # of two plugins' tools of one name, the better one
    tools = list(found.values())[:FEW]
    names = ", ".join(map(local_name, tools))
    remark(f"Tools found for the question: {names}" if tools else "No tool has to do with the question.")
    mention_failed_plugins()
    return tools


def _usable(tools: Iterable[Tool], *, says_so: bool = False) -> list[Tool]:
    """Return those that can be called without an application."""
    usable = []
    for tool in tools:
        reason = only_in_an_application(tool)
        if reason is None:
            usable.append(tool)
        elif says_so:
            remark(reason)
    return usable


# --- cli._ask_interrupts ---

_PATIENCE: Final = 1.0
"""Seconds that a run has to end by itself."""


@contextmanager
def cancelled_by_interrupt() -> Iterator[CancellationToken]:
    """Return a token that the first interrupt cancels; the next one, or some time, raises.

    A process that exits while its other threads still work may be aborted by the system: Python stops them wherever they are. So a run
    that can end does so first.

    Raises:
        KeyboardInterrupt: It was interrupted, and has not ended by itself.
    """
    token = CancellationToken()
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:  # ignored, as in the background of a shell
        yield token
        return
    patience = Timer(_PATIENCE, _interrupt, (get_ident(),))
    patience.daemon = True

    def interrupt(number: int, frame: FrameType | None) -> None:
        if token.cancelled:
            raise KeyboardInterrupt
        token.cancel("interrupted")
        patience.start()

    signal.signal(signal.SIGINT, interrupt)
    try:
        yield token
    finally:
        patience.cancel()
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if token.cancelled:
        raise KeyboardInterrupt


def _interrupt(thread: int) -> None:
    """Interrupt a thread, also one that waits for a lock: a signal to any other would not wake it."""
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(thread, signal.SIGINT)
    else:  # on Windows
        signal.raise_signal(signal.SIGINT)


# --- cli._ask_model ---

_NONE: Final = f"""no model is named. Name one with --model, in the variable {MODEL}, or as model = "…" in fcregistry.toml:
  a hosted one:         pip install "fcregistry[openai]", set OPENAI_API_KEY, and --model openai:gpt-5
  one on this machine:  pip install fcregistry-llama, and --model llama:smollm2"""


def model_name(given: str | None) -> str:
    """Return the name of the model.

    Args:
        given: What the command line says, if it says anything.

    Raises:
        UsageError: Nobody names one; says how to get one.
        ConfigurationError: The configuration cannot be read.
    """
    name = (given or "").strip() or model_variable() or _configured()
    if name is None:
        raise click.UsageError(_NONE)
    return name


def _configured() -> str | None:
    """Return what the nearest file says: the project's before the user's, and that before the system's."""
    return next((layer.model for layer in reversed(configuration()) if layer.model is not None), None)


def opened(name: str) -> Model:
    """Return the model of a name.

    Raises:
        ModelNotFoundError, MissingDependencyError: As for `models.resolve`.
    """
    from fcregistry.models import resolve  # with the extension that has it

    return resolve(name)


# --- cli._ask_agents ---


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One way of working.

    Attributes:
        name: What the agent's class is called in `fcregistry.agents`.
        rounds: Whether it takes a number of rounds.
        expressions: Whether its model may write expressions in place of JSON.
    """

    name: str
    rounds: bool = False
    expressions: bool = False

    def options(self, *, max_rounds: int | None, calls: str) -> dict[str, Any]:
        """Return what the agent is made with.

        Args:
            max_rounds: How often the model is asked at most; None for what the agent takes.
            calls: How it writes calls: `json` or `expression`.

        Raises:
            UsageError: It does not take one of these.
        """
        options: dict[str, Any] = {}
        if max_rounds is not None:
            if not self.rounds:
                raise click.UsageError(f"--max-rounds is for --agent {_those_with('rounds')}")
            options["max_retries"] = max_rounds
        if calls != "json":
            if not self.expressions:
                raise click.UsageError(f"--calls {calls} is for --agent {_those_with('expressions')}")
            options["calls"] = calls
        return options

    def made(self, model: Model, executor: Executor, options: Mapping[str, Any]) -> Agent:
        """Return the agent."""
        import fcregistry.agents as agents  # with models and the executor, which `--help` does without

        agent: Agent = getattr(agents, self.name)(model, executor, **options)
        return agent


AGENTS: Final = {
    "react": Kind(name="ReactAgent", rounds=True, expressions=True),
    "function-call": Kind(name="FunctionCall"),
    "plan-and-solve": Kind(name="PlanAndSolveAgent", rounds=True, expressions=True),
    "rewoo": Kind(name="ReWOOAgent"),
}
"""What `--agent` may say."""


def _those_with(what: str) -> str:
    return " or ".join(name for name, kind in AGENTS.items() if getattr(kind, what))


# --- cli._ask ---

EXIT_CODES: Final = {"answered": 0, "stop_tool": 0, "approval": 3, "time_budget": 4}
"""The reasons for which a run ends that do not exit with 1."""

_LONGEST: Final = 1e8
"""Seconds that a timer can count everywhere: three years."""


def _seconds(_: click.Context, __: click.Parameter, value: float | None) -> float | None:
    if value is not None and not 0 < value <= _LONGEST:
        raise click.BadParameter(f"takes seconds: a number above 0, and {_LONGEST:.0f} at most")
    return value


@click.command("ask", short_help="Ask a model, which may call tools.")
@click.argument("question")
@click.option(
    "--tool",
    "selectors",
    multiple=True,
    metavar="SELECTOR",
    shell_complete=complete_tools,
    help="Let the model call the tools that this names. May be given several times. Without it, tools are searched for with the question.",
)
@click.option("--agent", type=click.Choice(list(AGENTS)), default="react", show_default=True, help="How it works.")
@click.option(
    "--model", metavar="PROVIDER:NAME", help="The model that is asked; by default, what FCREGISTRY_MODEL says."
)
@click.option(
    "--calls",
    type=click.Choice(["json", "expression"]),
    default="json",
    show_default=True,
    help="What the model writes to call a tool: JSON, or an expression of Python's syntax.",
)
@click.option(
    "--max-rounds", type=click.IntRange(min=1), metavar="NUMBER", help="How often the model is asked at most."
)
@click.option("--timeout", type=float, callback=_seconds, metavar="SECONDS", help="How long it may take at most.")
@click.option(
    "--yes-to",
    multiple=True,
    metavar="SELECTOR",
    shell_complete=complete_tools,
    help="Approve every call of the tools that this names. May be given several times.",
)
@click.option(
    "--stream", is_flag=True, help="Show what the model says word by word, and what happens off a terminal too."
)
@click.option("--trace", is_flag=True, help="Show at the end where the time went.")
@click.option("--json", "as_json", is_flag=True, help="Write all that came of it as JSON.")
@click.pass_context
def command(
    ctx: click.Context,
    question: str,
    selectors: tuple[str, ...],
    agent: str,
    model: str | None,
    calls: str,
    max_rounds: int | None,
    timeout: float | None,
    yes_to: tuple[str, ...],
    stream: bool,
    trace: bool,
    as_json: bool,
) -> None:
    """Ask a model QUESTION, or with '-' what stands on standard input. The answer alone is written to standard output.

    On a terminal, what the model thinks and calls is shown while it happens, and you are asked before a tool runs that requires approval.

    Exits with 0 if there is an answer, 1 if there is none, 2 for wrong usage, 3 if approval is needed and there is nobody to ask, 4 if
    time ran out.
    """
    # All that an answer takes, which `--help` does without
    from fcregistry.cli._ask_screen import Timeline, screen
    from fcregistry.cli._output import result_alone

    name = model_name(model)
    said = _read(question)
    kind = AGENTS[agent]
    options = kind.options(max_rounds=max_rounds, calls=calls)
    deciding = Deciding(yes_to)
    # A model that writes expressions is not waited for: what is approved has to be known beforehand.
    executor = executor_for(said, selectors, deciding.approves if calls == "expression" and yes_to else None)
    with result_alone():  # stdout is for the answer
        timeline = Timeline()
        asked: Model = timeline.timed(opened(name))
        made: Agent = kind.made(asked, executor, options)
        timeline.started()
        with executor, screen(asked.name, streams=stream) as shown:
            result = followed(made, said, timeout, shown, deciding, timeline)
    if as_json:
        say_json(result.to_json())
    elif result.ok and not shown.has_shown(result.answer):
        _write(result.answer)
    if not result.ok:
        _explain(result, kind)
    if trace:
        _trace(timeline)
    ctx.exit(EXIT_CODES.get(result.stop_reason, 1))


def _read(question: str) -> str:
    """Return the question.

    Raises:
        UsageError: There is none.
    """
    try:
        said = sys.stdin.read() if question == "-" else question
    except UnicodeDecodeError as error:
        raise click.UsageError(f"cannot read standard input: {error}") from error
    if not said.strip():
        raise click.UsageError("there is no question: it is empty")
    return said.strip()


def _write(answer: Any) -> None:
    """Write an answer to stdout: of one round that called, what came of the calls."""
    from fcregistry.cli._ask_screen import escaped

    texts = answer["tool_calls_results"] if isinstance(answer, dict) else [answer]
    sys.stdout.write(escaped("\n".join(texts)) + "\n")
    sys.stdout.flush()


def _explain(result: RunResult, kind: Kind) -> None:
    """Say on stderr why there is no answer, and what to do."""
    from fcregistry.agents._result import STOP_REASON_TEXTS
    from fcregistry.cli._ask_screen import escaped, waiting

    why = f": {result.error}" if result.error is not None else ""
    complain(escaped(f"{STOP_REASON_TEXTS[result.stop_reason]}{why}"))
    for call in result.pending:
        remark(waiting(call))
    if result.pending:
        named = " ".join(f"--yes-to {each}" for each in dict.fromkeys(call.tool for call in result.pending))
        remark(f"(to approve them: fcregistry ask {named} …; on a terminal, you are asked)")
    elif result.stop_reason == "max_rounds" and kind.rounds:
        remark("(--max-rounds gives it more rounds)")
    elif result.stop_reason == "time_budget":
        remark("(--timeout gives it more time)")


def _trace(timeline: Timeline) -> None:
    for line in timeline.lines():
        remark(line)
