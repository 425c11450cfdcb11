"""What happens when one plugin is imported? Whatever it does wrong is recorded; nothing of it reaches the others."""

from __future__ import annotations

import importlib
import traceback
from collections.abc import Callable
from time import perf_counter
from types import ModuleType
from typing import Any

from fcregistry._declarations import DEFAULT_GROUP, Declaration, default_name, log
from fcregistry._options import name_problem
from fcregistry._tool import Tool
from fcregistry._toolset import Toolset
from fcregistry.discovery._finder import FoundPlugin
from fcregistry.discovery._outcomes import FailedPlugin, LoadedPlugin
from fcregistry.discovery._prints import prints_to_stderr
from fcregistry.errors import PluginError


def load(plugin: FoundPlugin, is_owned: Callable[[Declaration], bool]) -> LoadedPlugin | FailedPlugin | None:
    """Import one plugin, and declare what its entry point names.

    What it prints goes to stderr, so that it cannot spoil the output of a command.

    Args:
        plugin: What was found.
        is_owned: Whether a declaration is some plugin's by the module that made it.

    Returns:
        What became of it; None if this very thread is importing its module already, so that nobody knows yet.
    """
    start = perf_counter()
    try:
        with prints_to_stderr():
            module = importlib.import_module(plugin.module)
            if getattr(getattr(module, "__spec__", None), "_initializing", False):
                return None
            if plugin.attribute:
                _declare(_attribute(module, plugin), plugin, plugin.attribute, is_owned)
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


def _declare(value: Any, plugin: FoundPlugin, place: str, is_owned: Callable[[Declaration], bool]) -> None:
    """Declare what an entry point names: a function, a Tool, or a list of these."""
    if isinstance(value, Toolset):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        for position, each in enumerate(value):
            _declare(each, plugin, f"{place}[{position}]", is_owned)
    elif isinstance(value, Tool):
        told = value._definition.declaration
        declared = [each for each in log if each.function is told.function and each.name == value.name]
        if not _claim(declared, plugin, is_owned):
            _add(Declaration(told.function, value.name, told.group, plugin.module, told.options, told.locals), plugin)
    elif callable(value) and not isinstance(value, type):
        if _claim([each for each in log if each.function is value], plugin, is_owned):
            return
        name = default_name(value)
        if problem := name_problem(name):
            raise PluginError(f"{plugin.label}: {place} cannot be a tool: {problem}")
        _add(Declaration(value, name, DEFAULT_GROUP, plugin.module, {}), plugin)
    elif isinstance(value, ModuleType):
        raise PluginError(f"{plugin.label}: {place} is a module; its entry point names it as {value.__name__!r}")
    else:
        kind = "class" if isinstance(value, type) else type(value).__name__
        raise PluginError(
            f"{plugin.label}: {place} is of the kind {kind}; an entry point names a module, a function, a Tool, or a list of these"
        )


def _claim(declared: list[Declaration], plugin: FoundPlugin, is_owned: Callable[[Declaration], bool]) -> bool:
    """Tell whether a function is decorated as well: then its own declaration stands, and is the plugin's if it is nobody else's."""
    for each in declared:
        if not is_owned(each):
            each.plugin = (plugin.distribution, plugin.entry_point)
    return bool(declared)


def _add(declaration: Declaration, plugin: FoundPlugin) -> None:
    declaration.plugin = (plugin.distribution, plugin.entry_point)
    log.add(declaration)
