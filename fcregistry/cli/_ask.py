"""The command `ask`: a model answers a question, and an agent runs the calls that it makes.

`_ask_screen.py` shows the run. What only an answer needs (agents, models, the executor) is imported in functions: `--help` and completion
do without.
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
from fcregistry.cli._output import complain, remark, result_alone, say_json
from fcregistry.cli._tools import complete_tools, local_name, mention_failed_plugins, only_in_an_application

if TYPE_CHECKING:
    from types import FrameType

    from fcregistry._base.call import ToolCall
    from fcregistry._tools.tool import Tool
    from fcregistry.agents import Agent, Event, RunResult, Step
    from fcregistry.cli._ask_screen import Screen, Timeline
    from fcregistry.execution import Approve, Approver, CancellationToken, Deny, Executor, WaitingCall
    from fcregistry.models import Model

EXIT_CODES: Final = {"answered": 0, "stop_tool": 0, "approval": 3, "time_budget": 4}
"""Reason for the end of a run -> exit code; every other reason exits with 1."""

_LONGEST: Final = 1e8
"""Seconds that a timer can count everywhere: three years."""


# --- Agents by name ---


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentKind:
    """An agent that `--agent` may name.

    Attributes:
        name: The name of the agent's class in `fcregistry.agents`.
        rounds: Whether it takes a number of rounds.
        expressions: Whether its model may write expressions in place of JSON.
    """

    name: str
    rounds: bool = False
    expressions: bool = False

    def options(self, *, max_rounds: int | None, calls: str) -> dict[str, Any]:
        """Return the options of the agent.

        Args:
            max_rounds: The most rounds; None for the agent's default.
            calls: How the model writes calls: `json` or `expression`.

        Raises:
            UsageError: The agent does not take one of these options.
        """
        options: dict[str, Any] = {}
        if max_rounds is not None:
            if not self.rounds:
                raise click.UsageError(f"--max-rounds is for --agent {_agents_with('rounds')}")
            options["max_rounds"] = max_rounds
        if calls != "json":
            if not self.expressions:
                raise click.UsageError(f"--calls {calls} is for --agent {_agents_with('expressions')}")
            options["calls"] = calls
        return options

    def make(self, model: Model, executor: Executor, options: Mapping[str, Any]) -> Agent:
        """Return the agent."""
        import fcregistry.agents as agents  # with models and the executor

        agent: Agent = getattr(agents, self.name)(model, executor, **options)
        return agent


AGENTS: Final = {
    "react": AgentKind(name="ReactAgent", rounds=True, expressions=True),
    "function-call": AgentKind(name="FunctionCall"),
    "plan-and-solve": AgentKind(name="PlanAndSolveAgent", rounds=True, expressions=True),
    "rewoo": AgentKind(name="ReWOOAgent"),
}
"""The values of `--agent`."""


def _agents_with(option: str) -> str:
    return " or ".join(name for name, kind in AGENTS.items() if getattr(kind, option))


# --- The command ---


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
    from fcregistry.cli._ask_screen import Timeline, screen
    from fcregistry.models import resolve  # with the extension that has the model

    name = model_name(model)
    text = _read(question)
    kind = AGENTS[agent]
    options = kind.options(max_rounds=max_rounds, calls=calls)
    decider = Decider(yes_to)
    # A run with expressions cannot wait: which calls are approved has to be known beforehand.
    executor = executor_for(text, selectors, decider.approves if calls == "expression" and yes_to else None)
    with result_alone():  # stdout is for the answer
        timeline = Timeline()
        timed: Model = timeline.timed(resolve(name))
        chosen: Agent = kind.make(timed, executor, options)
        timeline.started()
        with executor, screen(timed.name, streams=stream) as shown:
            result = run_agent(chosen, text, timeout, shown, decider, timeline)
    if as_json:
        say_json(result.to_json())
    elif result.ok and not shown.has_shown(result.answer):
        _write(result.answer)
    if not result.ok:
        _explain(result, kind)
    if trace:
        for line in timeline.lines():
            remark(line)
    ctx.exit(EXIT_CODES.get(result.stop_reason, 1))


def _read(question: str) -> str:
    """Return the text of the question.

    Raises:
        UsageError: It is empty, or cannot be read.
    """
    try:
        text = sys.stdin.read() if question == "-" else question
    except UnicodeDecodeError as error:
        raise click.UsageError(f"cannot read standard input: {error}") from error
    if not text.strip():
        raise click.UsageError("there is no question: it is empty")
    return text.strip()


def _write(answer: Any) -> None:
    """Write an answer to stdout: for a single round with calls, the results of the calls."""
    from fcregistry.cli._ask_screen import escaped

    texts = answer["tool_calls_results"] if isinstance(answer, dict) else [answer]
    sys.stdout.write(escaped("\n".join(texts)) + "\n")
    sys.stdout.flush()


def _explain(result: RunResult, kind: AgentKind) -> None:
    """Write to stderr why there is no answer, and what to do."""
    from fcregistry.agents import STOP_REASON_TEXTS
    from fcregistry.cli._ask_screen import escaped, waiting_call_text

    why = f": {result.error}" if result.error is not None else ""
    complain(escaped(f"{STOP_REASON_TEXTS[result.stop_reason]}{why}"))
    for call in result.pending:
        remark(waiting_call_text(call))
    if result.pending:
        named = " ".join(f"--yes-to {each}" for each in dict.fromkeys(call.tool for call in result.pending))
        remark(f"(to approve them: fcregistry ask {named} …; on a terminal, you are asked)")
    elif result.stop_reason == "max_rounds" and kind.rounds:
        remark("(--max-rounds gives it more rounds)")
    elif result.stop_reason == "time_budget":
        remark("(--timeout gives it more time)")


# --- The model ---

_NONE: Final = f"""no model is named. Name one with --model, in the variable {MODEL}, or as model = "…" in fcregistry.toml:
  a hosted one:         pip install "fcregistry[openai]", set OPENAI_API_KEY, and --model openai:gpt-5
  one on this machine:  pip install fcregistry-llama, and --model llama:smollm2"""


def model_name(given: str | None) -> str:
    """Return the name of the model: from the command line, the environment, or the configuration.

    Args:
        given: The name on the command line, if there is one.

    Raises:
        UsageError: No model is named; the message says how to get one.
        ConfigurationError: The configuration cannot be read.
    """
    # Of the files of the configuration the nearest counts: the project's before the user's, and that before the system's
    configured = (layer.model for layer in reversed(configuration()) if layer.model is not None)
    name = (given or "").strip() or model_variable() or next(configured, None)
    if name is None:
        raise click.UsageError(_NONE)
    return name


# --- The run, and the calls that wait for a decision ---

Begin: TypeAlias = "Callable[..., AsyncIterator[Event]]"
"""Begins or resumes a run; takes `time_budget` and `cancellation`."""

_LEAST_SECONDS: Final = 0.001
"""The time budget of a resumed run that has no time left: the run then ends for that reason."""


def run_agent(
    agent: Agent, question: str, seconds: float | None, screen: Screen, decider: Decider, timeline: Timeline
) -> RunResult:
    """Run an agent, and return its result, with the steps before each wait for a decision.

    Args:
        agent: The agent.
        question: The question.
        seconds: The time budget, without the time in which a person decides; None for no limit.
        screen: Shows what happens.
        decider: Decides about calls that wait.
        timeline: Records what happens when.

    Raises:
        KeyboardInterrupt: The user interrupted the run, or left a question without an answer.
    """
    left = seconds
    steps: tuple[Step, ...] = ()
    begin: Begin = partial(agent.astream, question)
    while True:
        began = perf_counter()
        result = _run_once(begin, left, screen, timeline)
        steps += result.steps
        if result.state is None:
            break
        if left is not None:
            left = max(left - (perf_counter() - began), _LEAST_SECONDS)
        with timeline.waiting():
            decisions = decider.decide(result.pending, screen)
        if decisions is None:
            break
        begin = partial(agent.aresume_stream, result.state, decisions)
    return replace(result, steps=steps)


def _run_once(begin: Begin, seconds: float | None, screen: Screen, timeline: Timeline) -> RunResult:
    """Show what happens until the run ends, or waits for a decision."""
    from fcregistry.agents import Finished
    from fcregistry.models import stream_sync

    with cancelled_by_interrupt() as token:
        for event in stream_sync(lambda: timeline.record(begin(time_budget=seconds, cancellation=token))):
            screen.show(event)
            if isinstance(event, Finished):
                result = event.result
    return result


class Decider:
    """Decides about the calls of one run. An answer of the user is for that call only.

    Args:
        approved: Selectors of tools whose calls are approved.

    Raises:
        SelectorError: This is not a valid selector.
        ToolNotFoundError: A selector matches no tool.
        AmbiguousToolError: Several tools have a plain name.
    """

    def __init__(self, approved: Sequence[str]) -> None:
        self._approved = {tool.id for tool in registry.find(*approved)} if approved else set()

    def approves(self, tool: Tool, call: ToolCall) -> bool:
        """Return whether the command line approves a call, for a run that cannot wait."""
        return tool.id in self._approved

    def decide(self, calls: Sequence[WaitingCall], screen: Screen) -> Mapping[str, Approve | Deny] | None:
        """Return a decision about every call; None if a user has to decide, and there is no terminal.

        Raises:
            KeyboardInterrupt: The user left a question without an answer.
        """
        open_ones = [call for call in calls if call.tool not in self._approved]
        if open_ones and not (sys.stdin.isatty() and sys.stderr.isatty()):
            return None
        with screen.paused():
            return {call.id: self._decision(call) for call in calls}

    def _decision(self, call: WaitingCall) -> Approve | Deny:
        from fcregistry.execution import Approve, Deny  # loaded by the run

        if call.tool in self._approved:
            return Approve()
        return Approve() if _confirm(call) else Deny("the user does not want this call")


def _confirm(call: WaitingCall) -> bool:
    """Ask the user about one call."""
    from fcregistry.cli._ask_screen import waiting_call_text

    _discard_input()
    remark(waiting_call_text(call))
    try:
        return click.confirm("Call it?", err=True)
    except click.Abort as walked_away:  # Ctrl-C or the end of input: no answer, so not a denial either
        raise KeyboardInterrupt from walked_away


def _discard_input() -> None:
    """Discard what was typed before the question: it is not an answer to it."""
    try:
        import termios
    except ImportError:  # on Windows
        return
    with suppress(termios.error):
        termios.tcflush(sys.stdin, termios.TCIFLUSH)


# --- The tools ---

_MOST_FOUND: Final = 5
"""The most tools that a search for the question gives the model."""


def executor_for(question: str, selectors: Sequence[str], approve: Approver | None = None) -> Executor:
    """Return the executor of the model's calls; without selectors, write which tools were found.

    Tools that a search has found require approval also if they are only declared destructive.

    Args:
        question: The text to search tools for.
        selectors: Selectors of the tools; none to search.
        approve: The approver, if the run cannot wait for a decision.

    Raises:
        SelectorError: This is not a valid selector.
        ToolNotFoundError: A selector matches no tool.
        AmbiguousToolError: Several tools have a plain name.
        DuplicateToolError: Two declarations claim a name.
        ConfigurationError: The configuration cannot be read.
    """
    from fcregistry.execution import Executor, Policy

    if selectors:
        mention_failed_plugins(selectors)
        return Executor(_callable_here(registry.select(*selectors).values(), explain=True), approve=approve)
    return Executor(_search_tools(question), policy=Policy(ask=["destructive=true"]), approve=approve)


def _search_tools(question: str) -> list[Tool]:
    """Return the few tools that match a question."""
    found: dict[str, Tool] = {}
    for tool in _callable_here(registry.search(question, limit=2 * _MOST_FOUND)):
        found.setdefault(tool.name, tool)  # of two plugins' tools of one name, the better one
    tools = list(found.values())[:_MOST_FOUND]
    names = ", ".join(map(local_name, tools))
    remark(f"Tools found for the question: {names}" if tools else "No tool has to do with the question.")
    mention_failed_plugins()
    return tools


def _callable_here(tools: Iterable[Tool], *, explain: bool = False) -> list[Tool]:
    """Return the tools that can be called without an application."""
    usable = []
    for tool in tools:
        reason = only_in_an_application(tool)
        if reason is None:
            usable.append(tool)
        elif explain:
            remark(reason)
    return usable


# --- Ctrl-C ---

_PATIENCE: Final = 1.0
"""Seconds that an interrupted run has to end by itself."""


@contextmanager
def cancelled_by_interrupt() -> Iterator[CancellationToken]:
    """Yield a token that the first interrupt cancels; a second one, or a late end, raises.

    Python stops other threads wherever they are when the process exits, and the system may then abort the process. Therefore a run that
    can end does so first.

    Raises:
        KeyboardInterrupt: The run was interrupted.
    """
    from fcregistry.execution import CancellationToken

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
