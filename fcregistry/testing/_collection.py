"""How do rules become items of pytest? One item a plugin, and one a tool and rule; no file stands behind them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final

import pytest

from fcregistry.errors import FcregistryError
from fcregistry.testing._failures import ConformanceError, Report, place_of
from fcregistry.testing._here import distributions_here
from fcregistry.testing._plugins import ALONE, LOADS, report_on_clash, report_on_loading
from fcregistry.testing._selection import Selection, read_selectors, select

if TYPE_CHECKING:
    from fcregistry._tools.tool import Tool

ROOT: Final = "fcregistry"
"""The first part of every item's id: `fcregistry::acme-weather:get_current_weather[accepts-what-its-schema-says]`."""
REMARK: Final = "fcregistry"
"""The user property of a report that carries a remark, also from a worker of pytest-xdist."""


def check_usage(config: pytest.Config) -> None:
    """Raise for what cannot be asked, before anything is collected."""
    if find_spec("hypothesis") is None:
        raise pytest.UsageError("--fcregistry needs Hypothesis: pip install 'fcregistry[testing]'")
    if config.getoption("fcregistry_examples") < 1:
        raise pytest.UsageError("--fcregistry-examples is at least 1")


class Conformance:
    """What pytest calls if it is asked for conformance."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._selectors = read_selectors(config.getoption("fcregistry_tools"))
        self._wanted = _taken_ids(config)

    def pytest_report_header(self) -> str:
        """Tell what is checked."""
        what = ", ".join(self._selectors)
        if not self._selectors:
            try:
                what = f"the tools of {', '.join(distributions_here(self._config.rootpath))}"
            except FcregistryError as error:
                what = f"nothing: {error}"
        return f"fcregistry: {what}"

    @pytest.hookimpl(tryfirst=True)  # before what -k, -m and --deselect leave out
    def pytest_collection_modifyitems(self, session: pytest.Session, items: list[pytest.Item]) -> None:
        """Add our items behind those of files."""
        try:
            here = () if self._selectors else distributions_here(self._config.rootpath)
            selection = select(here, self._selectors)
        except FcregistryError as error:
            raise pytest.UsageError(f"--fcregistry: {error}") from error
        collector = Tools.from_parent(session, name=ROOT, nodeid=ROOT, selection=selection)
        found = list(session.genitems(collector))
        items += found if self._wanted is None else _chosen(found, self._wanted)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Show what is no failure and worth knowing."""
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


def _taken_ids(config: pytest.Config) -> list[str] | None:
    """Take ids of our items out of the arguments, where pytest would look for a file of that name; None if there are none."""
    ours = [each for each in config.args if _is_ours(each, config)]
    if not ours:
        return None
    config.args[:] = [each for each in config.args if each not in ours]
    return [each.partition("::")[2] for each in ours]


def _is_ours(argument: str, config: pytest.Config) -> bool:
    head, colons, _ = argument.partition("::")
    place = os.path.normpath(config.invocation_params.dir / head)
    return bool(colons) and Path(place) == config.rootpath / ROOT


def _chosen(items: Iterable[pytest.Item], wanted: list[str]) -> list[pytest.Item]:
    """Return the items that ids name, or whose ids go on from there in brackets."""
    found = list(items)
    for each in wanted:
        if not any(_is_named(item, each) for item in found):
            raise pytest.UsageError(f"--fcregistry: not found: {ROOT}::{each}")
    return [item for item in found if any(_is_named(item, each) for each in wanted)]


def _is_named(item: pytest.Item, wanted: str) -> bool:
    return item.name == wanted or item.name.startswith(f"{wanted}[")


class Tools(pytest.Collector):
    """All that is checked in one run."""

    def __init__(self, *, selection: Selection, **settings: Any) -> None:  # Any: whatever pytest makes a node of
        super().__init__(**settings)
        self._selection = selection

    def collect(self) -> Iterator[pytest.Item]:
        """Yield the items: plugins first, then tools, each sorted."""
        from fcregistry.testing._case import Case  # only where something is checked: it imports Hypothesis
        from fcregistry.testing._rules import report_of, rules_for

        config = self.config
        for plugin in self._selection.plugins:
            yield self._item(f"{plugin.label}[{LOADS}]", partial(report_on_loading, plugin))
        for tool in self._selection.tools:
            if tool.id in self._selection.clashes:
                yield self._item(
                    f"{tool.id}[{ALONE}]", partial(report_on_clash, tool, self._selection.clashes[tool.id]), tool
                )
                continue
            case = Case(
                tool=tool,
                examples=config.getoption("fcregistry_examples"),
                invoke=config.getoption("fcregistry_invoke"),
            )
            for rule in rules_for(tool):
                yield self._item(f"{tool.id}[{rule.name}]", partial(report_of, case, [rule]), tool)

    def _item(self, name: str, trial: Callable[[], Report], tool: Tool | None = None) -> pytest.Item:
        # The id as text, for pytest 9 reads what it has written (`--last-failed`) otherwise than what it makes of a name.
        return Trial.from_parent(self, name=name, nodeid=f"{ROOT}::{name}", trial=trial, tool=tool)


class Trial(pytest.Item):
    """One rule that is tried on one tool or plugin."""

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
        """Return what broke, in our words, without the way through our code; anything else as pytest shows it."""
        if isinstance(excinfo.value, ConformanceError):
            return _Told(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[os.PathLike[str] | str, int | None, str]:
        """Return where the tool's function stands, and the heading."""
        heading = f"{self.name.rpartition('[')[0]}: {self.name.rpartition('[')[2][:-1]}"
        origin = self._tool.origin if self._tool is not None else None
        if origin is None or origin.file is None or origin.line is None:
            return self.path, None, heading
        return origin.file, origin.line - 1, heading


class _Told:
    """A failure as pytest shows it: the whole in its section, one line in the summary."""

    def __init__(self, error: ConformanceError) -> None:
        self._text = str(error)
        self.reprcrash = SimpleNamespace(message=error.brief)

    def __str__(self) -> str:
        return self._text

    def toterminal(self, tw: Any) -> None:
        """Write the whole."""
        tw.line(self._text)
