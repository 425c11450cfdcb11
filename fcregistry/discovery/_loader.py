"""What happens when one plugin is imported? Whatever it does wrong is recorded; nothing of it reaches the others."""

from __future__ import annotations

import importlib
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from fcregistry._declarations import DEFAULT_GROUP, Declaration, default_name, log
from fcregistry._options import name_problem
from fcregistry._tool import Tool
from fcregistry._toolset import Toolset
from fcregistry.discovery._finder import FoundPlugin
from fcregistry.errors import PluginError


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedPlugin:
    """A plugin that was imported.

    Attributes:
        plugin: What was found.
        seconds: How long its import took; close to 0 where something else had imported it before.
    """

    plugin: FoundPlugin
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedPlugin:
    """A plugin that could not be imported.

    Attributes:
        plugin: What was found.
        seconds: How long it took to fail.
        error: What it raised.
        traceback: Where, as text.
    """

    plugin: FoundPlugin
    seconds: float
    error: BaseException = field(compare=False)
    traceback: str = field(repr=False)

    @property
    def reason(self) -> str:
        """The error's type and message, in one line."""
        message = " ".join(str(self.error).split())
        return f"{type(self.error).__name__}: {message}" if message else type(self.error).__name__

    @property
    def advice(self) -> str:
        """What to do about it."""
        if isinstance(self.error, ModuleNotFoundError) and self.error.name:
            root = self.error.name.partition(".")[0]
            if self.plugin.module.partition(".")[0] == root:
                return f"its entry point names a module that is not there: {self.plugin.value}; reinstall {self.plugin.distribution}"
            return f"install what provides the module {self.error.name}, or reinstall {self.plugin.distribution} with its dependencies"
        if isinstance(self.error, SystemExit):
            return f"it ends the process when it is imported; report this to the authors of {self.plugin.distribution}"
        return (
            f"report this to the authors of {self.plugin.distribution}, or set FCREGISTRY_DISABLE={self.plugin.label}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class DisabledPlugin:
    """A plugin that is not to be imported.

    Attributes:
        plugin: What was found.
        reason: What says so.
    """

    plugin: FoundPlugin
    reason: str


Outcome = LoadedPlugin | FailedPlugin | DisabledPlugin


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadReport:
    """What became of every plugin, each part sorted by distribution and entry point.

    Attributes:
        loaded: The ones that were imported.
        failed: The ones that could not be.
        disabled: The ones that are not to be.
    """

    loaded: tuple[LoadedPlugin, ...] = ()
    failed: tuple[FailedPlugin, ...] = ()
    disabled: tuple[DisabledPlugin, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether no plugin failed."""
        return not self.failed

    def raise_failures(self) -> None:
        """Raise one error for all plugins that failed, if any did.

        Raises:
            PluginError: Names each of them, and why; the first one's exception is its cause.
        """
        if self.failed:
            lines = [f"  - {each.plugin.label}: {each.reason}" for each in self.failed]
            raise PluginError("\n".join(["these plugins do not load:", *lines])) from self.failed[0].error

    def __iter__(self) -> Iterator[Outcome]:
        yield from self.loaded
        yield from self.failed
        yield from self.disabled


def load(plugin: FoundPlugin) -> LoadedPlugin | FailedPlugin:
    """Import one plugin, and declare what its entry point names.

    What it prints goes to stderr, so that it cannot spoil the output of a command.
    """
    start = perf_counter()
    try:
        with redirect_stdout(sys.stderr):
            module = importlib.import_module(plugin.module)
            if plugin.attribute:
                _declare(_attribute(module, plugin), plugin, plugin.attribute)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # foreign code: a plugin may raise anything, SystemExit too, and costs only itself  # noqa: BLE001
        return FailedPlugin(plugin=plugin, seconds=perf_counter() - start, error=error, traceback=_own_part(error))
    return LoadedPlugin(plugin=plugin, seconds=perf_counter() - start)


def _own_part(error: BaseException) -> str:
    """Return the traceback without the frames that stand between us and the plugin's first line."""
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None and _is_machinery(frame.tb_frame.f_code.co_filename):
        frame = frame.tb_next
    return "".join(traceback.format_exception(type(error), error, frame))


def _is_machinery(filename: str) -> bool:
    return filename == __file__ or "importlib" in filename


def _attribute(module: object, plugin: FoundPlugin) -> Any:
    value = module
    for name in plugin.attribute.split("."):
        try:
            value = getattr(value, name)
        except AttributeError as error:
            raise PluginError(
                f"{plugin.label} names {plugin.value}, and there is no {name!r} in {plugin.module}"
            ) from error
    return value


def _declare(value: Any, plugin: FoundPlugin, place: str) -> None:
    """Declare what an entry point names: a function, a Tool, or a list of these."""
    if isinstance(value, Toolset):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        for position, each in enumerate(value):
            _declare(each, plugin, f"{place}[{position}]")
    elif isinstance(value, Tool):
        declared = value._definition.declaration
        _add(declared.function, value.name, value.group, declared.options, plugin)
    elif callable(value) and not isinstance(value, type):
        name = default_name(value)
        if problem := name_problem(name):
            raise PluginError(f"{plugin.label}: {place} cannot be a tool: {problem}")
        _add(value, name, DEFAULT_GROUP, {}, plugin)
    else:
        raise PluginError(
            f"{plugin.label}: {place} is a {type(value).__name__}; an entry point names a module, a function, a Tool, or a list of these"
        )


def _add(function: Callable[..., Any], name: str, group: str, options: dict[str, Any], plugin: FoundPlugin) -> None:
    if any(each.function is function for each in log):  # decorated as well: its own declaration says more
        return
    key = (plugin.distribution, plugin.entry_point)
    log.add(Declaration(function, name, group, plugin.module, options, plugin=key))
