"""`pytest --fcregistry`: which plugins and tools it checks, as items of pytest.

There is one item a plugin, and one a tool and rule; no file belongs to them. This module does without Hypothesis until a tool is checked.
"""

from __future__ import annotations

import os
import re
import shlex
import tomllib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import pytest

from fcregistry._base.install import install_command, install_source
from fcregistry._registry import catalogue_of, registry
from fcregistry._tools.selectors import Selector, by_key, clash_text, effective, normalized, parse_selectors
from fcregistry._tools.tool import Tool, subject
from fcregistry.discovery import DisabledPlugin, FailedPlugin, FoundPlugin, LoadedPlugin, current
from fcregistry.errors import FcregistryError, ToolNotFoundError
from fcregistry.inspection import tools_of_plugin
from fcregistry.testing._report import ConformanceError, Failure, Report, Verdict, place_of

ROOT: Final = "fcregistry"
"""The first part of every item's id: `fcregistry::acme-weather:get_current_weather[accepts-what-its-schema-says]`."""
REMARK: Final = "fcregistry"
"""The user property of a pytest report that holds a remark, also one from a worker of pytest-xdist."""


def check_usage(config: pytest.Config) -> None:
    """Check the options, before anything is collected.

    Raises:
        UsageError: An option cannot be used.
    """
    if find_spec("hypothesis") is None:
        raise pytest.UsageError(f"--fcregistry needs Hypothesis: {install_command('fcregistry[testing]')}")
    if config.getoption("fcregistry_examples") < 1:
        raise pytest.UsageError("--fcregistry-examples is at least 1")


class Conformance:
    """The pytest plugin that `--fcregistry` registers."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        given = config.getoption("fcregistry_tools")
        self._selectors = tuple(each for text in given for each in re.split(r"[,\s]+", text) if each)
        self._wanted = _take_ids(config)

    def pytest_report_header(self) -> str:
        """Return a line about what is checked."""
        what = ", ".join(self._selectors)
        if not self._selectors:
            try:
                what = f"the tools of {', '.join(distributions_here(self._config.rootpath))}"
            except FcregistryError as error:
                what = f"nothing: {error}"
        return f"fcregistry: {what}"

    @pytest.hookimpl(tryfirst=True)  # before -k, -m and --deselect choose items
    def pytest_collection_modifyitems(self, session: pytest.Session, items: list[pytest.Item]) -> None:
        """Add the items of tools and plugins after those of files."""
        try:
            here = () if self._selectors else distributions_here(self._config.rootpath)
            selection = select(here, self._selectors)
        except FcregistryError as error:
            raise pytest.UsageError(f"--fcregistry: {error}") from error
        collector = Tools.from_parent(session, name=ROOT, nodeid=ROOT, selection=selection)
        found = list(session.genitems(collector))
        items += found if self._wanted is None else _select_by_id(found, self._wanted)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Show the remarks of all rules after the run."""
        remarks = [
            f"{report.nodeid.partition('::')[2].rpartition('[')[0]}: {text}"
            for outcome in ("passed", "failed", "skipped")
            for report in terminalreporter.getreports(outcome)
            for name, text in getattr(report, "user_properties", ())
            if name == REMARK and report.when == "call"
        ]
        if remarks:
            terminalreporter.section("fcregistry: worth knowing")
            for remark in sorted(remarks):
                terminalreporter.line(remark)


def _take_ids(config: pytest.Config) -> list[str] | None:
    """Remove the ids of fcregistry's items from pytest's arguments, which pytest would read as files.

    Return the ids without `fcregistry::`; None if there are none.
    """
    ids = [each for each in config.args if _is_id(each, config)]
    if not ids:
        return None
    config.args[:] = [each for each in config.args if each not in ids]
    return [each.partition("::")[2] for each in ids]


def _is_id(argument: str, config: pytest.Config) -> bool:
    """Return whether `argument`, one of pytest's, is an item's id: `fcregistry::…` in the root folder."""
    head, colons, _ = argument.partition("::")
    place = os.path.normpath(config.invocation_params.dir / head)
    return bool(colons) and Path(place) == config.rootpath / ROOT


def _select_by_id(items: Iterable[pytest.Item], wanted: list[str]) -> list[pytest.Item]:
    """Return the items with the ids in `wanted`; an id without brackets means all of a tool or plugin.

    Raises:
        UsageError: No item has one of the ids.
    """
    found = list(items)
    for each in wanted:
        if not any(_is_named(item, each) for item in found):
            raise pytest.UsageError(f"--fcregistry: not found: {ROOT}::{each}")
    return [item for item in found if any(_is_named(item, each) for each in wanted)]


def _is_named(item: pytest.Item, wanted: str) -> bool:
    """Return whether `wanted` is the name of an item, or of its tool or plugin.

    The name of the tool or plugin comes before a bracket in the item's.
    """
    return item.name == wanted or item.name.startswith(f"{wanted}[")


class Tools(pytest.Collector):
    """The collector of everything that is checked."""

    def __init__(self, *, selection: Selection, **settings: Any) -> None:  # Any: the settings of a pytest node
        super().__init__(**settings)
        self._selection = selection

    def collect(self) -> Iterator[pytest.Item]:
        """Yield the items: plugins first, then tools, each sorted."""
        from fcregistry.testing._case import Case  # only where something is checked: it imports Hypothesis
        from fcregistry.testing._rules import report_of, rules_for

        option = self.config.getoption
        for plugin in self._selection.plugins:
            yield self._item(f"{plugin.label}[{LOADS}]", partial(report_on_loading, plugin))
        for tool in self._selection.tools:
            if clash := self._selection.clashes.get(tool.id):
                yield self._item(f"{tool.id}[{ALONE}]", partial(report_on_clash, tool, clash), tool)
                continue
            case = Case(tool=tool, examples=option("fcregistry_examples"), invoke=option("fcregistry_invoke"))
            for rule in rules_for(tool):
                yield self._item(f"{tool.id}[{rule.name}]", partial(report_of, case, [rule]), tool)

    def _item(self, name: str, trial: Callable[[], Report], tool: Tool | None = None) -> pytest.Item:
        """Return the item called `name` that runs `trial`, which is about `tool`, or a plugin if that is None."""
        # The id is given: pytest 9 derives another id from the name than the one that `--last-failed` has stored
        return Trial.from_parent(self, name=name, nodeid=f"{ROOT}::{name}", trial=trial, tool=tool)


class Trial(pytest.Item):
    """The item of one rule and one tool or plugin."""

    def __init__(self, *, trial: Callable[[], Report], tool: Tool | None, **settings: Any) -> None:
        super().__init__(**settings)
        self._trial = trial
        self._tool = tool
        self.add_marker("fcregistry")

    def runtest(self) -> None:
        """Try the rule."""
        report = self._trial()
        self.user_properties += [(REMARK, remark) for remark in report.remarks]
        if not report.ok:
            raise ConformanceError(report, place_of(self._tool) if self._tool is not None else "")
        for reason in report.skipped.values():
            pytest.skip(reason)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return the text of a broken rule without a traceback, and anything else as pytest shows it."""
        if isinstance(excinfo.value, ConformanceError):
            return _FailureText(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[os.PathLike[str] | str, int | None, str]:
        """Return the place of the tool's function, and the heading."""
        heading = f"{self.name.rpartition('[')[0]}: {self.name.rpartition('[')[2][:-1]}"
        origin = self._tool.origin if self._tool is not None else None
        if origin is None or origin.file is None or origin.line is None:
            return self.path, None, heading
        return origin.file, origin.line - 1, heading


class _FailureText:
    """A failure as pytest shows it: all of it in its section, one line in the summary."""

    def __init__(self, error: ConformanceError) -> None:
        self._text = str(error)
        self.reprcrash = SimpleNamespace(message=error.brief)

    def __str__(self) -> str:
        return self._text

    def toterminal(self, tw: Any) -> None:
        """Write the whole failure to the terminal."""
        tw.line(self._text)


# --- The rules of plugins and of names ---

LOADS: Final = "loads"
"""The rule of plugins: they can be imported, and ship tools."""

ALONE: Final = "has-its-name-alone"
"""The rule of names: no two declarations of a plugin have the same name."""


def report_on_loading(plugin: FoundPlugin) -> Report:
    """Return the report on the import of a plugin."""
    outcome = next((each for each in current().report() if each.plugin == plugin), None)
    verdict, expected = Verdict(), f"importing {plugin.value} declares its tools"
    if isinstance(outcome, DisabledPlugin):
        verdict = Verdict(skipped=f"it is disabled: {outcome.reason}")
    elif isinstance(outcome, FailedPlugin):
        trace = f"\n{outcome.traceback}"
        failure = Failure(expected=expected, got=outcome.reason, advice=outcome.advice, detail=trace)
        verdict = Verdict(failures=(failure,))
    elif not tools_of_plugin(plugin.distribution, plugin.entry_point):
        advice = f"modules below {plugin.module} are not imported by themselves: name the one with the tools in the entry point"
        verdict = Verdict(failures=(Failure(expected=expected, got="it declares none", advice=advice),))
    return Report(subject=plugin.label, verdicts={LOADS: verdict})


def report_on_clash(tool: Tool, clash: str) -> Report:
    """Return the report on a name that two declarations claim."""
    failure = Failure(
        expected=f"one declaration of {tool.id}", got=clash, advice="until then, looking the name up raises"
    )
    return Report(subject=tool.id, verdicts={ALONE: Verdict(failures=(failure,))})


# --- Which tools are checked ---


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What is checked.

    Attributes:
        plugins: The plugins, sorted by distribution and entry point.
        tools: The tools, sorted by id, including those that cannot be defined.
        clashes: Id of a tool that two declarations claim -> a sentence about them.
    """

    plugins: tuple[FoundPlugin, ...]
    tools: tuple[Tool, ...]
    clashes: dict[str, str]


def select(distributions: Iterable[str], selectors: tuple[str, ...]) -> Selection:
    """Import plugins, and return what to check.

    Args:
        distributions: The distributions to check if there are no selectors.
        selectors: Selectors of tools.

    Raises:
        SelectorError: This is not a valid selector.
        ToolNotFoundError: A selector that does not exclude matches no tool.
    """
    parsed = parse_selectors(selectors)
    plugins = _named_plugins(parsed) if parsed else _plugins_of(distributions)
    for name in _to_load(parsed, plugins):
        current().load(name)
    all_candidates = [effective(candidates) for candidates in by_key(catalogue_of(registry).visible()).values()]
    known = {catalogue_of(registry).tool(candidates[0]): candidates for candidates in all_candidates}
    owners = {each.distribution for each in plugins}
    chosen = _matching(known, parsed) if parsed else [tool for tool in known if tool.origin.distribution in owners]
    clashes = {tool.id: clash_text(candidates) for tool, candidates in known.items() if len(candidates) > 1}
    return Selection(plugins=plugins, tools=tuple(sorted(chosen, key=lambda tool: tool.id)), clashes=clashes)


def _plugins_of(distributions: Iterable[str]) -> tuple[FoundPlugin, ...]:
    """Return the installed plugins of `distributions`, whose names may be written in any form."""
    wanted = set(map(normalized, distributions))
    return tuple(each for each in current().plugins if normalized(each.distribution) in wanted)


def _named_plugins(selectors: Iterable[Selector]) -> tuple[FoundPlugin, ...]:
    """Return the plugins whose distribution a selector names, without those that exclude.

    The caller checks whether these plugins load.
    """
    wanted = [each for each in selectors if each.distribution is not None and not each.excludes]
    return tuple(
        plugin for plugin in current().plugins if any(each.names_distribution(plugin.distribution) for each in wanted)
    )


def _to_load(selectors: tuple[Selector, ...], plugins: tuple[FoundPlugin, ...]) -> tuple[str | None, ...]:
    """Return the distributions to import before tools are selected: those of `plugins`, each once.

    It is `(None,)`, which means all of them, if a selector may match tools of any distribution, or all exclude.
    """
    wanted = [each for each in selectors if not each.excludes]
    if selectors and (not wanted or any(each.distribution is None for each in wanted)):
        return (None,)
    return tuple(dict.fromkeys(each.distribution for each in plugins))


def _matching(known: Iterable[Tool], selectors: tuple[Selector, ...]) -> list[Tool]:
    """Return the tools among `known` that selectors match, including those that cannot be defined.

    An alias adds the tool that the registry has under it. The selectors are applied in order; if the first excludes, it excludes from all.

    Raises:
        ToolNotFoundError: A selector that does not exclude matches no tool, and no plugin that has an item of its own.
        AmbiguousToolError: Several tools have a plain name.
    """
    subjects = {tool: subject(tool) for tool in known}
    chosen: dict[Tool, None] = dict.fromkeys(subjects if selectors[0].excludes else ())
    for selector in selectors:
        found = [tool for tool, about in subjects.items() if selector.matches(about)]
        if selector.excludes:
            chosen = dict.fromkeys(tool for tool in chosen if tool not in found)
        elif found or _has_own_item(selector):
            chosen.update(dict.fromkeys(found))
        elif selector.is_exact:
            chosen[registry.get(selector.text)] = None  # an alias; for an unknown name, it raises and says why
        else:
            raise ToolNotFoundError(f"the selector {selector.text!r} matches no tool", name=selector.text)
    return list(chosen)


def _has_own_item(selector: Selector) -> bool:
    """Return whether a selector names the distribution of a failed or disabled plugin.

    Such a plugin has an item that reports it.
    """
    absent = [each.plugin for each in current().report() if not isinstance(each, LoadedPlugin)]
    return selector.distribution is not None and any(selector.names_distribution(each.distribution) for each in absent)


# --- The plugins that are developed in a folder ---


def distributions_here(root: Path) -> tuple[str, ...]:
    """Return the distributions whose source is in a folder, or else around it; all if there are none.

    Of several folders around it, the nearest counts. A distribution's source is the folder it was installed from (direct_url.json, PEP
    610), editable or not, and the folder whose pyproject.toml has its name.

    Args:
        root: pytest's root folder.

    Raises:
        FcregistryError: No plugin is installed, or the plugin of this folder is not.
    """
    installed = current().distributions()
    project, ships_tools = _project_at(root)
    if ships_tools and normalized(project) not in map(normalized, installed):
        raise FcregistryError(
            f"{project} is not installed here, but {root / 'pyproject.toml'} says that it ships tools: pip install -e {shlex.quote(str(root))}"
        )
    if not installed:
        raise FcregistryError(
            "no installed distribution ships tools; a plugin has an entry point in the group 'fcregistry', and is found once it is installed"
        )
    sources = {name: _source_of(name) for name in installed}
    inside = [
        name
        for name, source in sources.items()
        if normalized(name) == normalized(project) or (source is not None and source.is_relative_to(root))
    ]
    around = [(name, source) for name, source in sources.items() if source is not None and root.is_relative_to(source)]
    nearest = max((len(source.parts) for _, source in around), default=0)
    return tuple(inside or [name for name, source in around if len(source.parts) == nearest] or installed)


def _project_at(root: Path) -> tuple[str, bool]:
    """Return the name of the project in `root`, and whether its pyproject.toml says that it ships tools.

    An empty name and False if there is no pyproject.toml, or it cannot be read.
    """
    try:
        project: Any = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8")).get("project", {})
        return str(project.get("name", "")), "fcregistry" in project.get("entry-points", {})
    except (OSError, ValueError, AttributeError):  # missing or not readable: then only what is installed counts
        return "", False


def _source_of(name: str) -> Path | None:
    """Return the folder that a distribution was installed from, with links resolved.

    None if it was not installed from a folder, or is not installed.
    """
    try:
        source = install_source(distribution(name))
    except PackageNotFoundError:
        return None
    return Path(source.path).resolve() if source is not None and source.is_folder else None
