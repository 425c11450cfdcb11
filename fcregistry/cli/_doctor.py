"""What is wrong, and what is to be done?"""

from __future__ import annotations

from dataclasses import asdict

import click

from fcregistry._registry import registry
from fcregistry.cli._output import say, say_json
from fcregistry.cli._tools import check_name, complete_tools
from fcregistry.inspection import Finding, diagnose, diagnose_name


@click.command("doctor", short_help="Explain every failure and conflict.")
@click.argument("name", required=False, shell_complete=complete_tools)
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
@click.option("-v", "--verbose", is_flag=True, help="Show tracebacks.")
@click.pass_context
def command(ctx: click.Context, name: str | None, as_json: bool, verbose: bool) -> None:
    """Explain every failure and conflict; with NAME, why that tool is not there.

    Exits with 1 if there is a problem.
    """
    if name is not None:
        check_name(name)
    findings = diagnose() if name is None else diagnose_name(name)
    if as_json:
        say_json([asdict(finding) for finding in findings])
    else:
        _tell(findings, name, verbose)
    ctx.exit(1 if any(finding.kind == "problem" for finding in findings) else 0)


def _tell(findings: tuple[Finding, ...], name: str | None, verbose: bool) -> None:
    for finding in findings:
        say(f"{finding.kind}: {finding.subject}: {finding.message}")
        say(f"    {finding.advice}")
        if finding.detail and verbose:
            say("\n".join(f"    | {line}" for line in finding.detail.splitlines()))
    if findings:
        if any(finding.detail for finding in findings) and not verbose:
            say("(-v shows tracebacks)")
    elif name is None:
        say("All is well.")
    else:
        tool = registry.get(name)
        say(f"{name} is there: {tool.id}, from {tool.origin}.")
