"""What keeps a tool from being there, or from being what its author meant?"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from typing import Literal

from fcregistry._config import CALL_HOOKS, DISABLE
from fcregistry._declarations import log
from fcregistry._registry import Registry, registry
from fcregistry._selectors import normalized, parse_selector
from fcregistry._tool import Tool
from fcregistry.discovery import FoundExtension, current, load_plugins, near_miss_groups
from fcregistry.discovery._call_hooks import unusable_call_hooks
from fcregistry.discovery._extensions import disable_advice
from fcregistry.discovery._finder import (
    EXTENSION_GROUP,
    GROUP,
    distribution_name,
    distribution_version,
    unreadable_plugins,
)
from fcregistry.discovery._outcomes import FailedExtension
from fcregistry.errors import AmbiguousToolError, DuplicateToolError, ToolNotFoundError


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that doctor has to say.

    Attributes:
        kind: `problem` for what should be mended, `note` for what somebody has asked for.
        subject: What it is about: a plugin, a tool, a name.
        message: What is the matter.
        advice: What to do about it.
        detail: More, such as a traceback; empty where there is no more.
    """

    kind: Literal["problem", "note"]
    subject: str
    message: str
    advice: str
    detail: str = ""


def _problem(subject: str, message: str, advice: str, detail: str = "") -> Finding:
    return Finding(kind="problem", subject=subject, message=message, advice=advice, detail=detail)


def _note(subject: str, message: str, advice: str) -> Finding:
    return Finding(kind="note", subject=subject, message=message, advice=advice)


def diagnose() -> tuple[Finding, ...]:
    """Load every plugin and extension and return all that is wrong: problems first, then notes, in a fixed order."""
    load_plugins()
    findings = [
        *_plugins(),
        *_extensions(),
        *_tools(registry),
        *_names(registry),
        *_near_misses(),
        *_unreadable(),
        *_settings(),
        *_call_hooks(),
    ]
    return tuple(sorted(findings, key=lambda finding: finding.kind != "problem"))


def _plugins() -> Iterator[Finding]:
    report = current().report()
    for failed in report.failed:
        yield _problem(failed.plugin.label, f"does not load: {failed.reason}", failed.advice, failed.traceback)
    for loaded in report.loaded:
        if not tools_of(loaded.plugin.distribution, loaded.plugin.entry_point):
            yield _problem(
                loaded.plugin.label,
                f"ships no tools: importing {loaded.plugin.value} declares none",
                f"modules below {loaded.plugin.module} are not imported by themselves: name the one with the tools in the entry point",
            )
    for disabled in report.disabled:
        yield _note(disabled.plugin.label, f"is not loaded: {disabled.reason}", "unset the variable to have it back")


def _extensions() -> Iterator[Finding]:
    extensions = current().extensions
    enabled: dict[str, list[FoundExtension]] = {}
    for extension in current().found_extensions:
        if reason := extensions.disabled(extension):
            yield _note(extension.label, f"is not loaded: {reason}", "unset the variable to have it back")
        else:
            enabled.setdefault(extension.entry_point, []).append(extension)
    for name, found in enabled.items():
        outcome = extensions.load(found[0]) if len(found) == 1 else None
        if len(found) > 1:
            labels = ", ".join(each.label for each in found)
            yield _problem(name, f"has several extensions, so that none is used: {labels}", disable_advice(found))
        elif isinstance(outcome, FailedExtension):
            yield _problem(found[0].label, f"does not load: {outcome.reason}", outcome.advice, outcome.traceback)


def _call_hooks() -> Iterator[Finding]:
    for error in unusable_call_hooks():
        advice = "until then every call is refused; correct the variable, or mend the extension"
        yield _problem(CALL_HOOKS, str(error).removeprefix(f"{CALL_HOOKS} "), advice)


def tools_of(distribution: str, entry_point: str) -> tuple[Tool, ...]:
    """Return the tools that a plugin ships, broken and hidden ones too, sorted by id."""
    key = (distribution, entry_point)
    return tuple(tool for tool in registry.everything() if (tool.origin.distribution, tool.origin.entry_point) == key)


def _tools(source: Registry) -> Iterator[Finding]:
    for tool in source.everything():
        error = tool.definition_error
        if error is None:
            continue
        problems = "; ".join(error.problems)
        yield _problem(
            tool.id, f"cannot be defined: {problems}", f"mend {tool.origin.qualname} in {_place(tool)}", str(error)
        )
    for tool in source.everything():
        if missing := tool.missing_env:
            yield _problem(tool.id, f"is hidden: {', '.join(missing)} is not set", "set the variable to use the tool")
    for clash in source.clashes():
        yield _problem("two declarations", clash, "until then, looking the name up raises")


def _place(tool: Tool) -> str:
    return f"{tool.origin.file}:{tool.origin.line}" if tool.origin.file else tool.origin.module


def _names(source: Registry) -> Iterator[Finding]:
    by_name: dict[str, dict[str, Tool]] = {}
    for tool in source.everything():
        by_name.setdefault(tool.name, {})[tool.id] = tool
    for name, tools in sorted(by_name.items()):
        if len(tools) < 2:
            continue
        own = [tool.id for tool in tools.values() if tool.origin.distribution is None]
        if len(own) == 1:
            others = ", ".join(each for each in tools if each not in own)
            yield _note(
                name, f"is the application's own tool, before {others}", "name the others by their canonical ids"
            )
        else:
            ids = ", ".join(tools)
            yield _problem(name, f"is ambiguous: {ids}", "name one by its canonical id; the plain name raises")


def _near_misses() -> Iterator[Finding]:
    for name, group in near_miss_groups():
        meant = f'"{EXTENSION_GROUP}"' if "ext" in group.lower() else GROUP
        yield _problem(
            name,
            f"has entry points in the group {group!r}, which nothing reads",
            f"its authors meant [project.entry-points.{meant}]",
        )


def _settings() -> Iterator[Finding]:
    for item in current().idle_settings(log):
        yield _problem(
            DISABLE, f"names {item}, which is not there", "correct it: distribution[entry point], or a selector"
        )


def _unreadable() -> Iterator[Finding]:
    for name, reason in unreadable_plugins():
        yield _problem(name, f"cannot be looked at for plugins: {reason}", "reinstall it, or tell its authors")


def diagnose_name(name: str) -> tuple[Finding, ...]:
    """Return why a tool of that name is not there, or not usable; nothing if it is there and well.

    Raises:
        SelectorError: It cannot be the name of a tool.
    """
    wanted = parse_selector(name).distribution
    load_plugins()
    try:
        tool = registry.get(name)
    except AmbiguousToolError as error:
        return (_problem(name, str(error), "the plain name raises"),)
    except DuplicateToolError as error:
        return (_problem(name, str(error), "until then, looking the name up raises"),)
    except ToolNotFoundError as error:
        return (_problem(name, str(error).partition(" (`fcregistry doctor")[0], _where_looked()), *_why_missing(wanted))
    return tuple(finding for finding in diagnose() if finding.subject == tool.id)


def _where_looked() -> str:
    version = ".".join(map(str, sys.version_info[:3]))
    return (
        f"looked at what is installed for {sys.executable} (Python {version}); is the plugin installed for another one?"
    )


def _why_missing(wanted: str | None) -> Iterator[Finding]:
    if wanted is not None:
        yield from _why_distribution_is_missing(wanted)
    for finding in (*_plugins(), *_near_misses(), *_unreadable()):
        if wanted is None or normalized(finding.subject.partition("[")[0]) == wanted:
            yield finding


def _why_distribution_is_missing(wanted: str) -> Iterator[Finding]:
    if wanted in {normalized(each) for each in current().distributions()}:
        return
    try:
        found = distribution(wanted)
    except PackageNotFoundError:
        yield _problem(wanted, "is not installed here", f"{sys.executable} -m pip install {wanted}")
    else:
        yield _problem(
            distribution_name(found) or wanted,
            f"is installed ({distribution_version(found)}), and has no entry point in the group {GROUP!r}",
            f"its authors name its module in [project.entry-points.{GROUP}]",
        )
