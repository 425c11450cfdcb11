"""The command `diff`: the changes between two versions, and whether they break callers."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Final

import click
from click.shell_completion import CompletionItem

from fcregistry.cli._output import json_option, say, say_json
from fcregistry.discovery import current
from fcregistry.errors import ConfigurationError
from fcregistry.inspection import (
    LOCK_FILE,
    VERDICTS,
    Diff,
    DiffSource,
    DistributionDiff,
    diff_sources,
    installed_like,
    read_source,
)

FAIL_ON: Final = ("breaking", "unknown", "any", "version")


def complete_sources(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the distributions that begin with the typed text, and have the shell add files."""
    names = [name for name in current().distributions() if name.startswith(incomplete)]
    return [*map(CompletionItem, names), CompletionItem(incomplete, type="file")]


@click.command("diff", short_help="Show what changed between two versions, and what that breaks.")
@click.argument("old", shell_complete=complete_sources)
@click.argument("new", required=False, shell_complete=complete_sources)
@click.option(
    "--fail-on",
    type=click.Choice(FAIL_ON),
    default="breaking",
    show_default=True,
    help="When the exit code is 1. breaking: if a change breaks callers. unknown: also if a change may break them. any: if anything changed. "
    "version: if the new version number is too small for the changes.",
)
@json_option
@click.pass_context
def command(ctx: click.Context, old: str, new: str | None, fail_on: str, as_json: bool) -> None:
    """Show what changed from OLD to NEW, and which of the changes break callers.

    OLD and NEW are each a lock, a manifest, a wheel with a manifest, or an installed distribution. Without NEW, OLD is compared with what is
    installed; an installed distribution is compared with the fcregistry.lock of this folder.

    Exits with 1 if a change breaks callers; --fail-on changes that.
    """
    found = diff_sources(*_sources(old, new))
    if as_json:
        say_json(asdict(found))
    else:
        for each in found.distributions:
            _write(each)
    ctx.exit(1 if _fails(found, fail_on) else 0)


def _sources(old: str, new: str | None) -> tuple[DiffSource, DiffSource]:
    """Return the old and the new source to compare, from the words of the user.

    Without `new`, an installed distribution is compared, as the new source, with the lock in this folder, and any other source with what is
    installed.

    Raises:
        UsageError: `new` is None, `old` is an installed distribution, and this folder has no lock.
        ConfigurationError: See `_of_one_kind`.
    """
    before = read_source(old)
    if new is not None:
        return _of_one_kind(before, read_source(new))
    if before.kind != "installed":
        return before, installed_like(before)
    if not Path(LOCK_FILE).is_file():
        raise click.UsageError(
            f"there is no {LOCK_FILE} in this folder to compare {old} with: give both, as in fcregistry diff OLD {old}"
        )
    return _of_one_kind(read_source(LOCK_FILE), before)


def _of_one_kind(old: DiffSource, new: DiffSource) -> tuple[DiffSource, DiffSource]:
    """Return both sources with one distribution: the first one in a source that is not a lock.

    Two locks are returned as they are.

    Raises:
        ConfigurationError: A source does not have the distribution.
    """
    if old.kind == new.kind == "lock":
        return old, new
    names = [each.distribution for source in (old, new) if source.kind != "lock" for each in source.shipped]
    before, after = old.only(names[:1]), new.only(names[:1])
    for source, kept in ((old, before), (new, after)):
        if not kept.shipped:
            has = ", ".join(each.distribution for each in source.shipped) or "nothing"
            raise ConfigurationError(f"{source.name} does not have {names[0]} to compare: it has {has}")
    return before, after


def _fails(found: Diff, fail_on: str) -> bool:
    """Return whether the changes make the exit code 1.

    Args:
        found: The changes.
        fail_on: The value of `--fail-on`: `version` (a new version is too small, or goes back), `any` change, or the mildest verdict that fails.
    """
    if fail_on == "version":
        return any(each.judgement in ("too small", "backwards") for each in found.distributions)
    if fail_on == "any":
        return bool(found.changes)
    failing = VERDICTS[: VERDICTS.index(fail_on) + 1]
    return any(each.verdict in failing for each in found.changes)


def _write(found: DistributionDiff) -> None:
    """Write a line to stdout for each change of a distribution, sorted by tool and verdict, and a summary."""
    for each in sorted(found.changes, key=lambda each: (each.tool, VERDICTS.index(each.verdict))):
        place = {"parameters": f" {each.path}", "returns": f" returns {each.path}", "tool": ""}[each.part]
        say(f"{each.verdict:<10}  " + " ".join(f"{each.tool}{place}: {each.message}".split()))
    versions = " -> ".join(version or "?" for version in (found.old_version, found.new_version))
    counts = Counter(each.verdict for each in found.changes)
    counted = ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS if counts[verdict])
    say(f"{found.distribution} {versions}: " + (f"{counted}; {_advice(found)}" if counted else "nothing changed"))


def _advice(found: DistributionDiff) -> str:
    """Return in words the version that the changes ask for, and whether the new version is enough.

    The second part is left out if it is not known. With an unknown change and no breaking one, a remark says that a major version may be needed.
    """
    asked = f"this asks for a {found.bump} version" + (f", at least {found.suggested}" if found.suggested else "")
    judged = {
        "enough": f": {found.new_version} is enough",
        "too small": f": {found.new_version} is too small",
        "backwards": "; the version goes back",
    }.get(found.judgement, "")
    verdicts = {each.verdict for each in found.changes}
    is_open = "unknown" in verdicts and "breaking" not in verdicts
    return f"{asked}{judged}{' (a major one if an unknown change breaks callers)' if is_open else ''}"
