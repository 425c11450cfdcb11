"""The command `doctor`: every failure and conflict, and what to do about it."""

from __future__ import annotations

from dataclasses import asdict

import click

from fcregistry._registry import registry
from fcregistry.cli._output import json_option, say, say_json
from fcregistry.cli._tools import check_name, complete_tools, progress, seconds_for_a_plugin
from fcregistry.errors import ToolNotFoundError
from fcregistry.inspection import Finding, diagnose, diagnose_name


@click.command("doctor", short_help="Explain every failure and conflict.")
@click.argument("name", required=False, shell_complete=complete_tools)
@click.option("--probe", is_flag=True, help="Import plugins now, and show for each how long its import takes.")
@click.option(
    "--seconds",
    type=click.FloatRange(min=0, min_open=True),
    help="How many seconds each plugin may take, with --probe.",
)
@json_option
@click.option("-v", "--verbose", is_flag=True, help="Show tracebacks.")
@click.pass_context
def command(
    ctx: click.Context, name: str | None, probe: bool, seconds: float | None, as_json: bool, verbose: bool
) -> None:
    """Explain every failure and conflict, or what is wrong with NAME, a tool or a distribution.

    --probe imports each plugin in a process of its own: all plugins, or if NAME is a distribution, its plugins; if NAME is a tool, those of
    the distribution that ships it, or all plugins if that is not known.

    Exits with 1 if there is a problem.
    """
    if name is not None:
        check_name(name)
    if seconds is not None and not probe:
        raise click.UsageError("--seconds works only with --probe", ctx)
    time_limit = seconds_for_a_plugin()  # read first: a wrong value is an error even if no plugin is imported
    findings = _probe(name, seconds or time_limit) if probe else diagnose() if name is None else diagnose_name(name)
    if as_json:
        say_json([asdict(finding) for finding in findings])
    else:
        _write(findings, verbose)
        if not findings:
            say("All is well." if name is None else _place(name))
    ctx.exit(1 if any(finding.kind == "problem" for finding in findings) else 0)


def _probe(name: str | None, seconds: float) -> tuple[Finding, ...]:
    """Import plugins in worker processes, with a progress bar, and return what is wrong with them.

    Args:
        name: The tool or distribution whose plugins are tried; None for all plugins.
        seconds: The time limit for each plugin.
    """
    from fcregistry.inspection import plugins_to_probe, probe_plugins  # with the workers

    plugins = plugins_to_probe(name)
    with progress("Trying plugins", plugins) as done:
        return probe_plugins(plugins, name, seconds=seconds, on_done=done)


def _write(findings: tuple[Finding, ...], verbose: bool) -> None:
    """Write `findings` to stdout, each with its place, advice and, if `verbose`, its detail (a traceback).

    Otherwise a last line says how to see the details, if there are any.
    """
    for finding in findings:
        say(f"{finding.kind}: {finding.subject}: {finding.message}")
        if finding.place:
            say(f"    at {finding.place}")
        if finding.advice:
            say(f"    {finding.advice}")
        if finding.detail and verbose:
            say("\n".join(f"    | {line}" for line in finding.detail.splitlines()))
    if any(finding.detail for finding in findings) and not verbose:
        say("(-v shows tracebacks)")


def _place(name: str) -> str:
    """Return a message: a tool is there, with its id and origin; or all is well with a distribution.

    Args:
        name: The name of either; if no tool has it, it is taken for a distribution.
    """
    try:
        tool = registry.get(name)
    except ToolNotFoundError:  # a distribution
        return f"All is well with {name}."
    return f"{name} is there: {tool.id}, from {tool.origin}."
