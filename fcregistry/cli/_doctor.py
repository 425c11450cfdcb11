"""The command `doctor`: every failure and conflict, and what to do about it."""

from __future__ import annotations

import sys
from dataclasses import asdict

import click

from fcregistry._registry import registry
from fcregistry.cli._output import say, say_json
from fcregistry.cli._tools import WORTH_A_BAR, check_name, complete_tools, seconds_for_a_plugin
from fcregistry.discovery import FoundPlugin
from fcregistry.errors import ToolNotFoundError
from fcregistry.inspection import Finding, diagnose, diagnose_name


@click.command("doctor", short_help="Explain every failure and conflict.")
@click.argument("name", required=False, shell_complete=complete_tools)
@click.option("--probe", is_flag=True, help="Import each plugin in a process of its own, and say how long that takes.")
@click.option("--seconds", type=click.FloatRange(min=0, min_open=True), help="How long each may take, with --probe.")
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
@click.option("-v", "--verbose", is_flag=True, help="Show tracebacks.")
@click.pass_context
def command(
    ctx: click.Context, name: str | None, probe: bool, seconds: float | None, as_json: bool, verbose: bool
) -> None:
    """Explain every failure and conflict; with NAME, why that tool is not there, or what is wrong with that distribution.

    With --probe, the plugins of the distribution are tried; of a tool, the plugin that ships it, and all where nobody knows whose it is.
    Exits with 1 if there is a problem.
    """
    if name is not None:
        check_name(name)
    if seconds is not None and not probe:
        raise click.UsageError("--seconds goes with --probe", ctx)
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
    from fcregistry.inspection import plugins_to_probe, probe_plugins  # with the workers

    plugins = plugins_to_probe(name)
    if len(plugins) < WORTH_A_BAR or not sys.stderr.isatty():
        return probe_plugins(plugins, name, seconds=seconds)
    with click.progressbar(length=len(plugins), label="Trying plugins", file=sys.stderr) as bar:

        def advance(plugin: FoundPlugin) -> None:
            bar.update(1)

        return probe_plugins(plugins, name, seconds=seconds, on_done=advance)


def _write(findings: tuple[Finding, ...], verbose: bool) -> None:
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
    try:
        tool = registry.get(name)
    except ToolNotFoundError:  # a distribution
        return f"All is well with {name}."
    return f"{name} is there: {tool.id}, from {tool.origin}."
