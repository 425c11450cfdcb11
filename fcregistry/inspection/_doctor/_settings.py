"""What is wrong around the plugins: with metadata, with variables, with the index?"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from fcregistry._base.paths import CACHE_DIR
from fcregistry._config.policy import trust
from fcregistry._config.settings import configuration
from fcregistry._tools.declaration import log
from fcregistry._tools.selectors import normalized
from fcregistry.discovery import current, near_miss_groups
from fcregistry.discovery._finder import aside, impostors, places
from fcregistry.discovery._found import EXTENSION_GROUP, GROUP, unreadable_plugins
from fcregistry.discovery._identity import TWIN, project_of
from fcregistry.discovery._index import Index
from fcregistry.inspection._doctor._accounts import Account
from fcregistry.inspection._doctor._finding import Finding, note, problem


def near_miss_findings() -> Iterator[Finding]:
    """Yield the distributions whose entry points are in a misspelt group."""
    for name, group in near_miss_groups():
        meant = f'"{EXTENSION_GROUP}"' if "ext" in group.lower() else GROUP
        yield problem(
            name,
            f"has entry points in the group {group!r}, which nothing reads",
            f"its authors meant [project.entry-points.{meant}]",
        )


def unreadable_findings() -> Iterator[Finding]:
    """Yield the distributions whose metadata cannot be read."""
    for name, reason in unreadable_plugins():
        yield problem(name, f"cannot be looked at for plugins: {reason}", "reinstall it, or tell its authors")


def impostor_findings() -> Iterator[Finding]:
    """Yield the metadata that gives the name of another distribution."""
    folders = {(f"{each.folder}/{each.info}", each.distribution) for each in impostors(places())}
    for folder, name in sorted(folders):
        yield problem(
            folder,
            f"says that it is {name}, which is installed beside it: its plugins are not used",
            "find out who installed it, and remove it; what it is called is what its folder is called",
        )


def aside_findings(project: str | None = None) -> Iterator[Finding]:
    """Yield the metadata that are not used since another distribution brought them, or has the same name in the same folder.

    Args:
        project: Only what gives this name, as PyPI compares names.
    """
    told = {reason: found.project for found, reason in aside(places()) if project in (None, found.project)}
    for (kind, folder, other), name in sorted(told.items()):
        if kind == TWIN and (TWIN, other, folder) in told and other < folder:
            continue  # told of the other one
        if kind == TWIN:
            yield problem(
                name,
                f"is installed twice in one folder, so that neither copy is used: {' and '.join(sorted((folder, other)))}",
                "find out which one is right, and remove the other",
            )
        else:
            carrier = project_of(*os.path.split(other))
            yield problem(
                carrier,
                f"brought metadata that say they are {name}'s, and are not used: {folder}",
                f"find out what {carrier} is, and uninstall it; then install {name} again, if you want it",
            )


def setting_findings() -> Iterator[Finding]:
    """Yield what the configuration names and is not there."""
    index = current().index
    described = () if index is None else (each for each, _ in index.described())
    shipping = {normalized(each) for each in current().distributions()}
    for said, item in current().idle_settings([*log, *described]):
        advice = "correct it: distribution[entry point], or a selector"
        if normalized(item) in shipping:
            advice = f"no tool is called so; all of the distribution is {item}:*"
        yield problem(said, f"names {item}, which is not there", advice)


def precedence_findings() -> Iterator[Finding]:
    """Yield the distributions that are to win a name that several ship, and are not there."""
    there = {normalized(each) for each in current().distributions()}
    for layer in configuration():
        for name in layer.precedence:
            if name not in there:
                advice = "correct it: it takes names of distributions that ship plugins"
                yield problem(f"precedence in {layer.path}", f"names {name}, which is not there", advice)


def lock_findings() -> Iterator[Finding]:
    """Yield the locks that are asked for and cannot be read: nothing is let through then."""
    for said, lock in trust().locks:
        if lock.problem is not None:
            yield problem(lock.path, lock.problem, f"{said}: until then no plugin is used")


def index_findings(known: Collection[Account]) -> Iterator[Finding]:
    """Yield what keeps descriptions of plugins from being kept, or kept them from being read.

    Args:
        known: The plugins that are described.
    """
    index, is_used = current().index, current().describe is not None
    if not is_used or not known:
        return
    if index is None:
        yield problem(
            "the index",
            "is kept nowhere: this user has no home folder",
            f"until then every command imports the plugins anew; name a folder with {CACHE_DIR}",
        )
        return
    path = Path(index._file.path)
    if index._file.stamp() is not None or not (path.exists() or index.remarks):  # read, or never needed
        for remark in index.remarks:
            yield note("the index", remark, "nothing is to be done, unless it happens again")
        return
    why = "is not used, since others may write to it or to its folder" if path.exists() else "cannot be kept"
    said = "; ".join(dict.fromkeys(index.remarks))
    yield problem(
        "the index",
        f"{why}: {said or path}",
        f"until then every command imports the plugins anew; let you alone write to {path.parent}, or name another folder with {CACHE_DIR}",
    )


def stale_findings(known: Iterable[Account]) -> Iterator[Finding]:
    """Yield the plugins of which nothing holds from one command to the next, and that do not say so of themselves.

    Args:
        known: The plugins that are described.
    """
    index = current().index
    if current().describe is None or index is None or index._file.stamp() is None:
        return
    next_one = Index(index._file, exact=True)
    next_one.look()
    here, holding = index.descriptions(), next_one.descriptions()
    for each in known:
        if each.plugin.key in here and each.plugin.key not in holding and not each.dynamic:
            yield note(
                each.plugin.label,
                "is imported anew by every command: what it was described from does not stay as it was",
                "its import may write a file that it also reads",
            )
