"""What happens when one plugin is imported? Whatever it does wrong is recorded; nothing of it reaches the others.

MERGED: Which tools does an entry point name that names more than a module?
"""

from __future__ import annotations

import importlib
import os
import traceback
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from time import perf_counter
from types import ModuleType
from typing import Any, Final

from fcregistry._base import forks as _forks
from fcregistry._base.source import default_name
from fcregistry._base.stdout import prints_to_stderr
from fcregistry._tools.declaration import DEFAULT_GROUP, Declaration, log
from fcregistry._tools.options import name_problem
from fcregistry._tools.tool import Tool, Toolset
from fcregistry.discovery._found import FoundPlugin
from fcregistry.discovery._report import FailedPlugin, LoadedPlugin
from fcregistry.errors import PluginError

# --- discovery._loader ---


def load_plugin(
    plugin: FoundPlugin,
    is_owned: Callable[[Declaration], bool],
    prints: Callable[[], AbstractContextManager[None]] = prints_to_stderr,
) -> LoadedPlugin | FailedPlugin | None:
    """Import one plugin, and declare what its entry point names.

    What it prints goes to stderr, so that it cannot spoil the output of a command.

    Args:
        plugin: What was found.
        is_owned: Whether a declaration is some plugin's by the module that made it.
        prints: Looks after what it prints.

    Returns:
        What became of it; None if this very thread is importing its module already, so that nobody knows yet.
    """
    start = perf_counter()
    _forks.count_forks()
    born = _forks.generation
    try:
        with prints():
            module = importlib.import_module(plugin.module)
            if getattr(getattr(module, "__spec__", None), "_initializing", False):
                return None
            if plugin.attribute:
                NamedTools(plugin, is_owned).declare(module)
        if _forks.generation != born:  # the plugin has forked, and this is the child
            _forks.end_child()
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # foreign code: a plugin may raise anything, SystemExit too, and costs only itself  # noqa: BLE001
        if _forks.generation != born:
            _forks.end_child(error)
        return FailedPlugin(plugin=plugin, seconds=perf_counter() - start, error=error, traceback=own_part(error))
    return LoadedPlugin(plugin=plugin, seconds=perf_counter() - start)


def own_part(error: BaseException, *machinery: str) -> str:
    """Return the traceback without the frames of importing, and of us: what is left is foreign code.

    Args:
        error: What foreign code raised.
        machinery: More files, or folders, of what stands between.
    """
    told = traceback.TracebackException.from_exception(error)
    _shorten(told, (_IMPORTLIB, _DISCOVERY, *machinery))
    return "".join(told.format())


_IMPORTLIB: Final = f"{os.path.dirname(importlib.__file__)}{os.sep}"
_DISCOVERY: Final = f"{os.path.dirname(__file__)}{os.sep}"


def _shorten(told: traceback.TracebackException, machinery: tuple[str, ...]) -> None:
    left = [each for each in told.stack if not each.filename.startswith(("<frozen importlib", *machinery))]
    told.stack = traceback.StackSummary.from_list(left)
    for other in (told.__cause__, told.__context__):
        if other is not None:
            _shorten(other, machinery)


# --- discovery._named ---


class NamedTools:
    """Declares what an entry point names: a function, a Tool, a Toolset, or a list of these.

    Args:
        plugin: The entry point.
        is_owned: Whether a declaration is some plugin's by the module that made it.
    """

    def __init__(self, plugin: FoundPlugin, is_owned: Callable[[Declaration], bool]) -> None:
        self._plugin = plugin
        self._is_owned = is_owned
        self._decorated = list(log)

    def declare(self, module: ModuleType) -> None:
        """Declare what stands in the module under the entry point's attribute.

        Raises:
            PluginError: Nothing does, or something that is no tool.
            DuplicateToolError: Two of the tools have one name.
        """
        value: Any = module
        for name in self._plugin.attribute.split("."):
            try:
                value = getattr(value, name)
            except AttributeError as error:
                label, named = self._plugin.label, self._plugin.value
                raise PluginError(
                    f"{label} names {named}, and there is no {name!r} in {self._plugin.module}"
                ) from error
        self._declare(value, self._plugin.attribute)

    def _declare(self, value: Any, place: str) -> None:
        if isinstance(value, (list, tuple)):
            for position, each in enumerate(value):
                self._declare(each, f"{place}[{position}]")
        elif isinstance(value, Toolset):
            self._declare(list(value.values()), place)
        elif isinstance(value, Tool):
            self._declare_tool(value)
        elif callable(value) and not isinstance(value, type):
            self._declare_function(value, place)
        elif isinstance(value, ModuleType):
            raise PluginError(
                f"{self._plugin.label}: {place} is a module; its entry point names it as {value.__name__!r}"
            )
        else:
            kind = "class" if isinstance(value, type) else type(value).__name__
            raise PluginError(
                f"{self._plugin.label}: {place} is of the kind {kind}; "
                "an entry point names a module, a function, a Tool, or a list of these"
            )

    def _declare_tool(self, tool: Tool) -> None:
        told, options = tool._definition.declaration, tool._definition.declaration.options
        decorated = [each for each in self._decorated if each.function is told.function and each.name == tool.name]
        if tool._description is not None:
            if decorated:
                raise PluginError(
                    f"{self._plugin.label}: {tool.name} is declared with a description of its own; "
                    "say description=… where it is declared, or give the view another name: .renamed(…)"
                )
            options = {**options, "description": tool._description}
        if not self._claim(decorated):
            self._add(Declaration(told.function, tool.name, told.group, self._plugin.module, options, told.locals))

    def _declare_function(self, function: Callable[..., Any], place: str) -> None:
        if self._claim(each for each in self._decorated if each.function is function):
            return
        name = default_name(function)
        if problem := name_problem(name):
            raise PluginError(f"{self._plugin.label}: {place} cannot be a tool: {problem}")
        self._add(Declaration(function, name, DEFAULT_GROUP, self._plugin.module, {}))

    def _claim(self, decorated: Iterable[Declaration]) -> bool:
        """Tell whether a function is decorated as well: then that declaration stands, and is the plugin's if it is nobody else's."""
        found = list(decorated)
        for each in found:
            if not self._is_owned(each):
                each.plugin = (self._plugin.distribution, self._plugin.entry_point)
        return bool(found)

    def _add(self, declaration: Declaration) -> None:
        declaration.plugin = (self._plugin.distribution, self._plugin.entry_point)
        log.add(declaration)
