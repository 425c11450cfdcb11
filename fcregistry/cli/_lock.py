"""The command `lock`: pins the installed tools, and shows what has changed since."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from fcregistry._config.lock import Lock, read_lock
from fcregistry._config.settings import project_lock
from fcregistry._tools.selectors import did_you_mean, nearest, normalized
from fcregistry.cli._output import counted, json_option, remark, say, say_json
from fcregistry.errors import ConfigurationError
from fcregistry.inspection import Inventory, LockChange, lock_changes, lock_text, take_inventory, write_lock


@click.command("lock", short_help="Pin the installed tools, and show what has changed since.")
@click.option(
    "--check", is_flag=True, help="Write nothing: show what differs from the lock, and exit with 1 if anything does."
)
@click.option("--upgrade", "upgraded", multiple=True, metavar="DIST", help="Update only this distribution in the lock.")
@click.option("--file", "file", type=click.Path(dir_okay=False), help="The lock file; the project's by default.")
@json_option
@click.pass_context
def command(ctx: click.Context, check: bool, upgraded: tuple[str, ...], file: str | None, as_json: bool) -> None:
    """Write fcregistry.lock, which pins the installed tools.

    The file records the version and files of each distribution that ships tools, and the definition of each tool. With mode = "locked" in
    the configuration, fcregistry refuses to import a plugin that has changed since.

    A lock detects changes, such as another description after an upgrade. It is not a sandbox: it does not restrict what a tool does.

    The command imports plugins to describe their tools, in other processes: it trusts neither the index nor manifests.
    """
    if check and upgraded:
        raise click.UsageError("--check writes nothing and --upgrade writes the lock: give one of them")
    path = Path(file or project_lock()).absolute()
    if check:
        found = lock_changes(_read(path), take_inventory())
        _write(found, path, as_json)
        ctx.exit(1 if found else 0)
    before = _read(path) if upgraded else None
    now = take_inventory(upgraded)
    distributions = now.distributions if before is None else _upgrade(before, now, upgraded)
    for each in now.left_out:
        remark(f"left out: {each}")
    _refuse(
        "these files have changed since they were installed, so they cannot be locked; reinstall the distributions",
        now.altered,
    )
    _refuse(
        "these manifests are not what the code declares, so they cannot be locked; report this to the authors, or uninstall the distributions",
        now.misdescribed,
    )
    try:
        write_lock(path, lock_text(distributions))
    except OSError as error:
        raise click.ClickException(f"{path} cannot be written: {error.strerror}") from error
    tools = sum(len(each["tools"]) for each in distributions.values())
    if as_json:
        say_json({"file": str(path), "distributions": len(distributions), "tools": tools})
    else:
        say(f"Wrote {path}: {counted(tools, 'tool')} of {counted(len(distributions), 'distribution')}.")


def _refuse(why: str, found: Mapping[str, tuple[str, ...]]) -> None:
    """Raise `ClickException` with `why` and a line for each item of `found`, unless that is empty.

    Args:
        why: The beginning of the message.
        found: Name -> what is wrong with it.
    """
    if found:
        lines = "\n".join(f"  - {name}: {', '.join(each)}" for name, each in sorted(found.items()))
        raise click.ClickException(f"{why}:\n{lines}")


def _read(path: Path) -> Lock:
    """Return the lock at `path`.

    Raises:
        ConfigurationError: The file does not exist, cannot be read, or is not a lock.
    """
    lock = read_lock(str(path))
    if lock.problem is not None:
        raise ConfigurationError(f"{lock.path} {lock.problem}")
    return lock


def _upgrade(lock: Lock, now: Inventory, upgraded: tuple[str, ...]) -> dict[str, Any]:
    """Return the new content of a lock, by distribution: that of `lock`, with some as installed.

    Those of `lock` that are not in `upgraded` stay as they are; those of `now` are added or replaced; those in `upgraded` that are not in `now` are
    left out.

    Args:
        lock: The lock as it is.
        now: The installed distributions to take over.
        upgraded: The distributions that the user names.

    Raises:
        UsageError: A distribution in `upgraded` is neither installed nor in the lock.
    """
    wanted = {normalized(each) for each in upgraded}
    known = {normalized(each) for each in now.distributions} | set(lock.pins)
    for each in upgraded:
        if normalized(each) not in known:
            near = did_you_mean(nearest(normalized(each), sorted(known)))
            raise click.UsageError(f"no distribution {each!r} with plugins is installed, or in {lock.path}{near}")
    kept = {
        pin.name: {"version": pin.version, "files": pin.files, "tools": pin.tools}
        for name, pin in lock.pins.items()
        if name not in wanted
    }
    return {**kept, **now.distributions}


def _write(found: tuple[LockChange, ...], path: Path, as_json: bool) -> None:
    """Write the changes to stdout, as JSON or as text; the text says so if there are none.

    Args:
        found: The changes since the lock was written.
        path: The lock.
        as_json: Whether to write JSON.
    """
    if as_json:
        say_json({"file": str(path), "changes": [asdict(each) for each in found]})
        return
    for each in found:
        say(f"{each.kind}: {each.subject}" + (f": {each.part}" if each.part else ""))
        for sign, value in (("-", each.old), ("+", each.new)):
            if value is not None:
                text = value if isinstance(value, str) else json.dumps(value, sort_keys=True, ensure_ascii=False)
                say("\n".join(f"    {sign} {line}" for line in text.splitlines() or [""]))
    if not found:
        say(f"Nothing has changed since {path} was written.")
