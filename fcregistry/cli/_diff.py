"""The command `diff`: what changed between two versions, and whether that breaks callers."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Final

import click
from click.shell_completion import CompletionItem

from fcregistry.cli._output import say, say_json
from fcregistry.discovery import current
from fcregistry.errors import ConfigurationError
from fcregistry.inspection import (
    LOCK_FILE,
    VERDICTS,
    Diff,
    DiffSource,
    DistributionDiff,
    ToolChange,
    diff_sources,
    installed_like,
    read_source,
)

FAIL_ON: Final = ("breaking", "unknown", "any", "version")


def complete_sources(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the distributions that begin with the typed text, and have the shell add files."""
    names = [name for name in current().distributions() if name.startswith(incomplete)]
    return [*map(CompletionItem, names), CompletionItem(incomplete, type="file")]


@click.command("diff", short_help="Say what changed between two versions, and what that breaks.")
@click.argument("old", shell_complete=complete_sources)
@click.argument("new", required=False, shell_complete=complete_sources)
@click.option(
    "--fail-on",
    type=click.Choice(FAIL_ON),
    default="breaking",
    show_default=True,
    help="What is a failure: a breaking change, one that is unknown too, any change, or a version that changed too little.",
)
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
@click.pass_context
def command(ctx: click.Context, old: str, new: str | None, fail_on: str, as_json: bool) -> None:
    """Say what changed from OLD to NEW, and what each change means for callers: breaking, unknown or compatible.

    Each is a lock, a manifest, a wheel with a manifest, or the name of an installed distribution. Without NEW, OLD is compared with what is
    installed; a distribution alone, with the fcregistry.lock of this folder.

    Exits with 1 if a change breaks callers; --fail-on moves that line.
    """
    found = diff_sources(*_sources(old, new))
    if as_json:
        say_json(asdict(found))
    else:
        for each in found.distributions:
            _write(each)
    ctx.exit(1 if _fails(found, fail_on) else 0)


def _sources(old: str, new: str | None) -> tuple[DiffSource, DiffSource]:
    """Return the two sources, with the distributions to compare."""
    before = read_source(old)
    if new is not None:
        return _of_one_kind(before, read_source(new))
    if before.kind != "installed":
        return before, installed_like(before)
    if not Path(LOCK_FILE).is_file():
        raise click.UsageError(
            f"there is no {LOCK_FILE} in this folder to compare {old} with: name what it is compared with, as in fcregistry diff OLD {old}"
        )
    return _of_one_kind(read_source(LOCK_FILE), before)


def _of_one_kind(old: DiffSource, new: DiffSource) -> tuple[DiffSource, DiffSource]:
    """Return two sources of the same distributions: a lock is reduced to those of the other source."""
    if old.kind == new.kind == "lock":
        return old, new
    names = [each.distribution for source in (old, new) if source.kind != "lock" for each in source.shipped]
    before, after = old.only(names[:1]), new.only(names[:1])
    for source, kept in ((old, before), (new, after)):
        if not kept.shipped:
            has = ", ".join(each.distribution for each in source.shipped) or "nothing"
            raise ConfigurationError(f"{source.name} has nothing of {names[0]} to compare: it has {has}")
    return before, after


def _fails(found: Diff, fail_on: str) -> bool:
    if fail_on == "version":
        return any(each.judgement in ("too small", "backwards") for each in found.distributions)
    if fail_on == "any":
        return bool(found.changes)
    failing = VERDICTS[: VERDICTS.index(fail_on) + 1]
    return any(each.verdict in failing for each in found.changes)


def _write(found: DistributionDiff) -> None:
    for each in sorted(found.changes, key=lambda each: (each.tool, VERDICTS.index(each.verdict))):
        say(_line(each))
    say(_conclusion(found))


def _line(found: ToolChange) -> str:
    place = {"parameters": f" {found.path}", "returns": f" returns {found.path}", "tool": ""}[found.part]
    return f"{found.verdict:<10}  " + " ".join(f"{found.tool}{place}: {found.message}".split())


def _conclusion(found: DistributionDiff) -> str:
    """Return one line: the versions, how many changes there are, and which version they ask for."""
    versions = " -> ".join(version or "?" for version in (found.old_version, found.new_version))
    counts = Counter(each.verdict for each in found.changes)
    counted = ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS if counts[verdict])
    if not counted:
        return f"{found.distribution} {versions}: nothing changed"
    doubt = " (a major one if an unknown change breaks callers)" if counts["unknown"] and not counts["breaking"] else ""
    return f"{found.distribution} {versions}: {counted}; {_advice(found)}{doubt}"


def _advice(found: DistributionDiff) -> str:
    least = f", at least {found.suggested}" if found.suggested else ""
    asked = f"this asks for a {found.bump} version{least}"
    if found.judgement == "enough":
        return f"{asked}: {found.new_version} is enough"
    if found.judgement == "too small":
        return f"{asked}: {found.new_version} is too small"
    return f"{asked}; the version goes back" if found.judgement == "backwards" else asked
