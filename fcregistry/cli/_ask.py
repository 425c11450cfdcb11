"""The command `ask`: a model answers a question, and an agent runs the calls that it makes.

`_ask_screen.py` shows the run. What only an answer needs (agents, models, the executor) is imported in functions: `--help` and completion
do without.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from threading import Timer, get_ident
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, TypeAlias
from urllib.parse import parse_qsl, urlencode

import click
from click.shell_completion import CompletionItem

from fcregistry._config.settings import MODEL, configuration, model_variable
from fcregistry._registry import registry
from fcregistry.cli._approval import why_no_flag
from fcregistry.cli._output import can_ask, complain, confirm, program, remark, result_alone, say_json
from fcregistry.cli._tools import (
    local_name,
    mention_doubtful_settings,
    mention_failed_plugins,
    only_in_an_application,
    selector_option,
    timeout_option,
)

if TYPE_CHECKING:
    from types import FrameType

    from fcregistry._base.call import ToolCall
    from fcregistry._tools.tool import Tool
    from fcregistry.agents import Agent, Event, RunResult, Step
    from fcregistry.cli._ask_screen import Screen, Timeline
    from fcregistry.execution import Approve, Approver, CancellationToken, Deny, Executor, WaitingCall

EXIT_CODES: Final = {"answered": 0, "stop_tool": 0, "approval": 3, "time_budget": 4}
"""Reason for the end of a run -> exit code; every other reason exits with 1."""

AGENTS: Final = {
    "react": ("ReactAgent", ("max_rounds", "max_repeats", "calls")),
    "function-call": ("FunctionCall", ()),
    "plan-and-solve": ("PlanAndSolveAgent", ("max_rounds", "max_repeats", "calls")),
    "rewoo": ("ReWOOAgent", ()),
}
"""Value of `--agent` -> the class in `fcregistry.agents`, and which of the command's options it takes."""

# --- The command ---


def _instructions(ctx: click.Context, _: click.Parameter, value: str | None) -> str:
    """Return the value of `--system`, or the text of the file that it names; empty if it is not given.

    Raises:
        UsageError: The file cannot be read, or is not UTF-8.
    """
    if value is None or not value.startswith("@"):
        return value or ""
    from fcregistry.cli._parameters import file_text  # only where a file is named

    return file_text(value[1:], ctx)


def complete_models(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the configured models and the prefixes of providers, without asking any provider."""
    from fcregistry.models import model_prefixes

    prefixes = model_prefixes()
    known = [*_configured_models(), *(f"{each}:" for each in prefixes), *["llama:smollm2"] * ("llama" in prefixes)]
    named = dict.fromkeys(name for name in known if name.startswith(incomplete) and name != incomplete)
    return [*map(CompletionItem, named)] or [CompletionItem(incomplete, type="file")]


@click.command("ask", short_help="Ask a model, which may call tools.")
@click.argument("question", nargs=-1, required=True)
@selector_option(
    "--tool", "selectors", "Let the model call these tools; without it, those that a search for the question finds."
)
@click.option(
    "--agent",
    type=click.Choice(list(AGENTS)),
    default="react",
    show_default=True,
    help="The agent: react asks until the model answers, function-call asks once, the others plan first.",
)
@click.option(
    "--model",
    metavar="PROVIDER:NAME",
    shell_complete=complete_models,
    help="The model; by default, the one in FCREGISTRY_MODEL or in a configuration file.",
)
@click.option(
    "--calls",
    type=click.Choice(["json", "expression"]),
    default="json",
    show_default=True,
    help="What the model writes to call a tool: JSON, or an expression in Python's syntax.",
)
@click.option(
    "--system",
    "instructions",
    callback=_instructions,
    metavar="TEXT|@FILE",
    help="Instructions for the model: a text, or @FILE for those in a file.",
)
@click.option("--max-rounds", type=click.IntRange(min=1), metavar="NUMBER", help="The most requests to the model.")
@click.option(
    "--max-repeats",
    type=click.IntRange(min=0),
    metavar="NUMBER",
    help="How often in a row the model may repeat its calls, if they have the same results.",
)
@timeout_option("The most time for the whole run.")
@selector_option(
    "--yes-to", "yes_to", "Approve every call of these tools, unless your own or the system's file asks about them."
)
@click.option(
    "--stream", is_flag=True, help="Show the model's text word by word, and the run also if stderr is not a terminal."
)
@click.option("--trace", is_flag=True, help="Show at the end where the time went.")
@click.option("--json", "as_json", is_flag=True, help="Write the whole run as JSON.")
@click.pass_context
def command(
    ctx: click.Context,
    question: tuple[str, ...],
    selectors: tuple[str, ...],
    agent: str,
    model: str | None,
    calls: str,
    instructions: str,
    max_rounds: int | None,
    max_repeats: int | None,
    timeout: float | None,
    yes_to: tuple[str, ...],
    stream: bool,
    trace: bool,
    as_json: bool,
) -> None:
    """Ask a model the QUESTION: all words after the options; '-' reads it from standard input.

    Put a question in quotes if it has characters that your shell replaces, such as * or ?.

    Standard output gets only the answer. On a terminal, the command shows what the model thinks and calls, and asks you before a tool runs
    that requires approval.

    Exits with 0 if there is an answer, 1 if there is none, 2 for wrong usage, 3 if a call needs approval and there is no terminal to ask on, 4 if
    time ran out.
    """
    name = model_name(model)
    text = _read(" ".join(question))
    if sys.stderr.isatty():
        remark(f"loading {name} …")
    from fcregistry import agents  # with models and the executor
    from fcregistry.cli._ask_screen import Screen, Timeline
    from fcregistry.models import resolve  # with the extension that has the model

    limits = {"max_rounds": max_rounds, "max_repeats": max_repeats}
    options = _agent_options(agent, **limits, calls=None if calls == "json" else calls)
    approved = {tool.id: tool for tool in registry.find(*yes_to)} if yes_to else {}
    # A run with expressions cannot wait: which calls are approved has to be known beforehand.
    approve = partial(_approve_named, approved) if "calls" in options and approved else None
    with result_alone():  # stdout is for the answer
        timeline, began = Timeline(name), perf_counter()
        llm = resolve(with_limits(name))  # before the search: without a model, its outcome does not matter
        executor = executor_for(text, selectors, approve)
        chosen: Agent = getattr(agents, AGENTS[agent][0])(llm, executor, instructions=instructions, **options)
        timeline.add("start", "start", perf_counter() - began)
        with executor, Screen(name, streams=stream) as screen:
            result = run_agent(chosen, text, timeout, screen, partial(_decide, approved, screen), timeline)
    if as_json:
        say_json(result.to_json())
    elif result.ok and not screen.has_shown(result.answer):
        _write(result.answer)
    if not result.ok:
        _explain(result, agent, executor)
    elif not as_json and executor.tools and not any(step.results for step in result.steps):
        remark("(the model called no tool: this answer is its own)")
    if trace:
        for line in timeline.lines():
            remark(line)
    ctx.exit(EXIT_CODES.get(result.stop_reason, 1))


def _agent_options(agent: str, **given: Any) -> dict[str, Any]:
    """Return those of `given` that are not None, by name.

    Args:
        agent: The value of `--agent`, a key of `AGENTS`.
        given: The options that only some agents take, with None for those that the user did not give.

    Raises:
        UsageError: The agent does not take an option that the user gave.
    """
    options = {name: value for name, value in given.items() if value is not None}
    for option in options:
        if option not in AGENTS[agent][1]:
            takers = " or ".join(name for name, (_, takes) in AGENTS.items() if option in takes)
            raise click.UsageError(f"--{option.replace('_', '-')} works only with --agent {takers}")
    return options


def _read(question: str) -> str:
    """Return the text of the question, stripped; from standard input if `question` is `-`.

    Raises:
        UsageError: The text is empty, or standard input is not valid text.
    """
    try:
        text = sys.stdin.read() if question == "-" else question
    except UnicodeDecodeError as error:
        raise click.UsageError(f"cannot read standard input: {error}") from error
    if not text.strip():
        raise click.UsageError("the question is empty")
    return text.strip()


def _write(answer: Any) -> None:
    """Write `answer`, escaped, to stdout.

    For a dict, which an agent returns that only makes calls, the texts in its `tool_calls_results` are written, one below the other.
    """
    from fcregistry.cli._display import escaped

    texts = answer["tool_calls_results"] if isinstance(answer, dict) else [answer]
    sys.stdout.write(escaped("\n".join(texts)) + "\n")
    sys.stdout.flush()


def _explain(result: RunResult, agent: str, executor: Executor) -> None:
    """Write to stderr the reason that there is no answer, the calls that wait, and what the user can do.

    Args:
        result: The result of the run.
        agent: The value of `--agent`, a key of `AGENTS`.
        executor: The executor of the run, which has the tools of the calls.
    """
    from fcregistry.cli._display import escaped

    complain(escaped(str(result)))
    for call in result.pending:
        remark(str(call))
    if result.pending:
        tools = {tool.id: tool for tool in executor.tools.values()}
        waiting = {call.tool: why_no_flag(tools[call.tool], call.arguments) for call in result.pending}
        if flags := " ".join(f"--yes-to {tool}" for tool, reason in waiting.items() if reason is None):
            remark(f"(to approve them: {program()} ask {flags} …; on a terminal, you are asked)")
        if others := ", ".join(tool for tool, reason in waiting.items() if reason is not None):
            remark(f"(no flag approves {others}; on a terminal, you are asked)")
    elif result.stop_reason == "max_rounds" and "max_rounds" in AGENTS[agent][1]:
        remark("(--max-rounds gives it more rounds)")
    elif result.stop_reason == "repeated":
        remark("(without --max-repeats, it may repeat them)")
    elif result.stop_reason == "time_budget":
        remark("(--timeout gives it more time)")


# --- The model ---


_MAX_TOKENS: Final = 128
"""The most tokens of an answer of a model on this machine: small models repeat themselves instead of ending."""


def model_name(given: str | None) -> str:
    """Return the name of the model: from the command line, the environment, or the configuration.

    Args:
        given: The name on the command line, if there is one.

    Raises:
        UsageError: No model is named; the message says how to get one.
        ConfigurationError: The configuration cannot be read.
    """
    name = (given or "").strip() or next(_configured_models(), None)
    if name is None:
        raise click.UsageError(_no_model())
    return name


def with_limits(name: str) -> str:
    """Return a model's name; for a model on this machine, with the configured limits that it omits."""
    if not name.startswith("llama:"):
        return name
    limits: dict[str, int | str] = {"max_tokens": _MAX_TOKENS}
    for layer in configuration():  # the lowest layer is the last
        limits |= {key: value for key in ("threads", "max_tokens") if (value := getattr(layer, key)) is not None}
    path, _, query = name.partition("?")
    return f"{path}?{urlencode(limits | dict(parse_qsl(query, keep_blank_values=True)))}"


def _configured_models() -> Iterator[str]:
    """Yield the model of the environment, then of the configuration's layers, the lowest first.

    Layers are files and variables (see `configuration`), the project's file before the user's and the system's. Those without a model are left out.
    """
    if name := model_variable():
        yield name
    yield from (layer.model for layer in reversed(configuration()) if layer.model is not None)


def _no_model() -> str:
    """Return the message that no model is named, with ways to get one."""
    from fcregistry._base.install import install_command  # only on the way to an error

    sdk = install_command("fcregistry[openai]")
    return f"""no model is named. Name one with --model, in the variable {MODEL}, or as model = "…" in fcregistry.toml:
  a hosted one:         --model openai:gpt-5, with OPENAI_API_KEY set, after: {sdk}
  a local server's:     --model ollama:llama3.2 (or vllm:…, lmstudio:…), after: {sdk}
  one on this machine:  --model llama:smollm2, after: {install_command("fcregistry-llama")}
({program()} models shows which of these are installed)"""


# --- The run, and the calls that wait for a decision ---

Begin: TypeAlias = "Callable[..., AsyncIterator[Event]]"
"""Begins or resumes a run; takes `time_budget` and `cancellation`."""

Decide: TypeAlias = "Callable[[Sequence[WaitingCall]], Mapping[str, Approve | Deny] | None]"
"""Decides about calls; returns None if a user has to, and cannot be asked."""

_LEAST_SECONDS: Final = 0.001
"""The time budget of a resumed run that has no time left: the run then ends for that reason."""


def run_agent(
    agent: Agent, question: str, seconds: float | None, screen: Screen, decide: Decide, timeline: Timeline
) -> RunResult:
    """Run an agent, and return its result, with the steps before each wait for a decision.

    Args:
        agent: The agent.
        question: The question.
        seconds: The time budget, without the time in which a person decides; None for no limit.
        screen: Shows what happens.
        decide: Decides about calls that wait.
        timeline: Records what took how long.

    Raises:
        KeyboardInterrupt: The user interrupted the run, or left a question without an answer.
    """
    left = seconds
    steps: tuple[Step, ...] = ()
    begin: Begin = partial(agent.astream, question)
    while True:
        began = perf_counter()
        result = _run_once(begin, left, screen)
        steps += result.steps
        timeline.add_steps(result.steps)
        ended = perf_counter()
        if result.state is None:
            break
        if left is not None:
            left = max(left - (ended - began), _LEAST_SECONDS)
        decisions = decide(result.pending)
        timeline.add("approval", "approval", perf_counter() - ended)
        if decisions is None:
            break
        begin = partial(agent.aresume_stream, result.state, decisions)
    return replace(result, steps=steps)


def _run_once(begin: Begin, seconds: float | None, screen: Screen) -> RunResult:
    """Begin or resume a run, show it until it ends or waits for a decision, and return its result.

    Args:
        begin: Begins or resumes the run.
        seconds: The time that it may take; None for no limit.
        screen: Shows each event.

    Raises:
        KeyboardInterrupt: The user interrupted the run.
    """
    from fcregistry.agents import Finished
    from fcregistry.models import stream_sync

    with cancelled_by_interrupt() as token:
        for event in stream_sync(lambda: begin(time_budget=seconds, cancellation=token)):
            screen.show(event)
            if isinstance(event, Finished):
                result = event.result
    return result


def _decide(
    approved: Mapping[str, Tool], screen: Screen, calls: Sequence[WaitingCall]
) -> Mapping[str, Approve | Deny] | None:
    """Return a decision about each call, by id; None if the user has to decide, and cannot be asked.

    A call that a flag approves, or to which the user says yes, is approved; any other is denied.

    Args:
        approved: The tools that a flag approves, by id; the user decides about calls of other tools.
        screen: Paused while the user is asked.
        calls: The calls.
    """
    from fcregistry.execution import Approve, Deny  # loaded by the run

    by_flag = {call.id for call in calls if _is_approved(approved, call.tool, call.arguments)}
    if not can_ask() and len(by_flag) < len(calls):
        return None
    with screen.paused():
        return {
            call.id: Approve() if call.id in by_flag or _confirm(call) else Deny("the user does not want this call")
            for call in calls
        }


def _approve_named(approved: Mapping[str, Tool], tool: Tool, call: ToolCall) -> bool:
    """Decide about `call`, for a run that cannot wait: only a flag can approve it."""
    return _is_approved(approved, tool.id, call.arguments)


def _is_approved(approved: Mapping[str, Tool], tool: str, arguments: object) -> bool:
    """Return whether a flag approves a call of the tool with the id `tool`.

    False if the tool is not in `approved`, or if no flag may approve a call with these arguments.
    """
    return tool in approved and why_no_flag(approved[tool], arguments) is None


def _confirm(call: WaitingCall) -> bool:
    """Show one call to the user on stderr, ask whether to run it, and return whether the answer is yes.

    On POSIX, what was typed before the question is discarded.
    """
    try:
        import termios
    except ImportError:  # on Windows
        pass
    else:  # what was typed before the question is not an answer to it
        with suppress(termios.error):
            termios.tcflush(sys.stdin, termios.TCIFLUSH)
    remark(str(call))
    return confirm("Call it?")


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

    mention_doubtful_settings()
    if selectors:
        mention_failed_plugins(selectors)
        return Executor(_callable_here(registry.select(*selectors).values(), explain=True), approve=approve)
    return Executor(_search_tools(question), policy=Policy(ask=["destructive=true"]), approve=approve)


def _search_tools(question: str) -> list[Tool]:
    """Return the tools that match `question` best, at most `_MOST_FOUND`, best first.

    Tools that need an application are left out; of several tools of one name, only the best is returned. Their names, or that there are none, are
    written to stderr, and which plugins failed.
    """
    found: dict[str, Tool] = {}
    for tool in _callable_here(registry.search(question, limit=2 * _MOST_FOUND)):
        found.setdefault(tool.name, tool)  # of two plugins' tools of one name, the better one
    tools = list(found.values())[:_MOST_FOUND]
    names = ", ".join(map(local_name, tools))
    remark(f"Tools found for the question: {names}" if tools else "No tool matches the question.")
    mention_failed_plugins()
    return tools


def _callable_here(tools: Iterable[Tool], *, explain: bool = False) -> list[Tool]:
    """Return those of `tools` that can be called without an application.

    Args:
        tools: The tools.
        explain: Whether to write to stderr the reason for each tool that is left out.
    """
    reasons = [(tool, only_in_an_application(tool)) for tool in tools]
    for _, reason in reasons:
        if explain and reason is not None:
            remark(reason)
    return [tool for tool, reason in reasons if reason is None]


# --- Ctrl-C ---

_PATIENCE: Final = 1.0
"""Seconds that an interrupted run has to end by itself."""


@contextmanager
def cancelled_by_interrupt() -> Iterator[CancellationToken]:
    """Yield a token that the first interrupt cancels; a second interrupt, or a slow end, raises.

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
    """Send SIGINT to a thread, which also wakes it if it waits for a lock; on Windows, to the process.

    Args:
        thread: The identifier of the thread.
    """
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(thread, signal.SIGINT)
    else:  # on Windows
        signal.raise_signal(signal.SIGINT)
