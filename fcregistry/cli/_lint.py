"""The command `lint`: problems that models and providers have with tools."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path

import click

from fcregistry import formats
from fcregistry.cli._output import counted, json_option, relative_path, remark, say, say_json
from fcregistry.cli._tools import complete_tools_and_distributions, expand_distributions, mention_failed_plugins
from fcregistry.discovery import current
from fcregistry.inspection import LINT_RULES, SEVERITIES, LintFinding, lint, tools_beside, tools_to_lint


@click.command("lint", short_help="Find problems that models and providers have with tools.")
@click.argument("selectors", nargs=-1, metavar="[SELECTOR]...", shell_complete=complete_tools_and_distributions)
@click.option(
    "--format",
    "format_names",
    multiple=True,
    type=click.Choice(formats.names()),
    metavar="FORMAT",
    help="Check for this format only. May be given several times.",
)
@click.option("--strict", is_flag=True, help="Check for the strict modes of formats too.")
@click.option(
    "--ignore",
    multiple=True,
    type=click.Choice(sorted(LINT_RULES)),
    metavar="RULE",
    help="Leave a rule out. May be given several times.",
)
@click.option(
    "--fail-on",
    type=click.Choice(SEVERITIES),
    default="warning",
    show_default=True,
    help="Which findings make the exit code 1: those of this severity, and worse ones.",
)
@click.option(
    "--cached",
    is_flag=True,
    help="Import no plugin: check the stored descriptions of its tools, without the rules that need the function.",
)
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    selectors: tuple[str, ...],
    format_names: tuple[str, ...],
    strict: bool,
    ignore: tuple[str, ...],
    fail_on: str,
    cached: bool,
    as_json: bool,
) -> None:
    """Find problems that models and providers have with tools.

    Checks the tools that match the SELECTORs, which may be names of distributions; without any, all tools.

    Exits with 1 if there is an error or a warning; --fail-on changes that.
    """
    selectors = tuple(expand_distributions(selectors))
    tools = tools_to_lint(*selectors)
    with current().without_imports() if cached else nullcontext():
        beside = tools_beside(tools)
        findings = lint(tools, beside=beside, format_names=format_names or None, strict=strict, ignore=ignore)
    if as_json:
        say_json([asdict(finding) for finding in findings])
    else:
        _write(findings)
    mention_failed_plugins(selectors)
    remark(_summary(findings, len(tools)) if tools else "There are no tools to check.")
    failing = SEVERITIES[: SEVERITIES.index(fail_on) + 1]
    ctx.exit(1 if any(finding.severity in failing for finding in findings) else 0)


def _write(findings: Sequence[LintFinding]) -> None:
    """Write two lines to stdout for each finding; the second is its advice.

    The first has its place (if it has a file), severity, rule, tool and message.
    """
    for each in findings:
        place = "" if each.file is None else f"{relative_path(Path(each.file))}:{each.line}: "
        say(" ".join(f"{place}{each.severity} {each.rule}: {each.tool}: {each.message}".split()))
        say("    " + " ".join(each.advice.split()))


def _summary(findings: Sequence[LintFinding], tools: int) -> str:
    """Return a sentence with the number of findings of each severity, and the number `tools` of tools.

    A severity without findings is left out; without any finding, the sentence says that nothing was found.
    """
    counts = Counter(finding.severity for finding in findings)
    found = [counted(counts[severity], severity) for severity in SEVERITIES if counts[severity]]
    return f"{', '.join(found) or 'Nothing found'} in {counted(tools, 'tool')}."
