"""How is a question answered on the command line? A model is asked, and an agent carries out the calls that it makes."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

import click

from fcregistry.cli._ask_agents import AGENTS
from fcregistry.cli._output import complain, remark, say_json
from fcregistry.cli._tools import complete_tools

if TYPE_CHECKING:
    from fcregistry.agents import Agent, RunResult
    from fcregistry.cli._ask_agents import Kind
    from fcregistry.cli._ask_timeline import Timeline
    from fcregistry.models import Model

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
    from fcregistry.cli._alone import result_alone
    from fcregistry.cli._ask_deciding import Deciding
    from fcregistry.cli._ask_model import model_name, opened
    from fcregistry.cli._ask_running import followed
    from fcregistry.cli._ask_screen import screen
    from fcregistry.cli._ask_timeline import Timeline
    from fcregistry.cli._ask_tools import executor_for

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
    from fcregistry.cli._ask_words import escaped

    texts = answer["tool_calls_results"] if isinstance(answer, dict) else [answer]
    sys.stdout.write(escaped("\n".join(texts)) + "\n")
    sys.stdout.flush()


def _explain(result: RunResult, kind: Kind) -> None:
    """Say on stderr why there is no answer, and what to do."""
    from fcregistry.agents._result import WORDED
    from fcregistry.cli._ask_words import escaped, waiting

    why = f": {result.error}" if result.error is not None else ""
    complain(escaped(f"{WORDED[result.stop_reason]}{why}"))
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
