"""Importing one plugin, and declaring the tools that its entry point names.

A failure is recorded and does not reach other plugins.
"""

from __future__ import annotations

import importlib
import os
import traceback
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from time import perf_counter
from types import ModuleType
from typing import Any, Final, NamedTuple, TypeVar

from fcregistry._base import forks as _forks
from fcregistry._base.source import check_callable, default_name, external_tool_problem, is_model
from fcregistry._base.stdout import prints_to_stderr
from fcregistry._tools.declaration import DEFAULT_GROUP, Declaration, log
from fcregistry._tools.options import name_problem
from fcregistry._tools.tool import Tool, Toolset, definition_of
from fcregistry.discovery._found import FoundEntryPoint, FoundPlugin, is_in_metadata
from fcregistry.discovery._report import FailedPlugin, LoadedPlugin
from fcregistry.errors import DefinitionError, PluginError

T = TypeVar("T")


def load_plugin(
    plugin: FoundPlugin,
    is_owned: Callable[[Declaration], bool],
    prints: Callable[[], AbstractContextManager[None]] = prints_to_stderr,
) -> LoadedPlugin | FailedPlugin | None:
    """Import one plugin, and declare the tools that its entry point names.

    Only `KeyboardInterrupt` is raised. What the plugin prints goes to stderr, so that it cannot spoil the output of a command.

    Args:
        plugin: The entry point.
        is_owned: Returns whether a declaration belongs to some plugin by the module that made it.
        prints: Returns the context that redirects what the plugin prints.

    Returns:
        The outcome; None if this thread is already importing its module.
    """
    start = perf_counter()

    def declare(module: ModuleType) -> bool:
        if plugin.attribute:
            NamedTools(plugin, is_owned).declare(named_object(plugin, module), plugin.attribute)
        return True

    done = import_and_use(plugin, declare, prints)
    if done is None:
        return None
    seconds = perf_counter() - start
    if isinstance(done, ImportFailure):
        return FailedPlugin(plugin=plugin, seconds=seconds, error=done.error, traceback=done.traceback)
    return LoadedPlugin(plugin=plugin, seconds=seconds)


class ImportFailure(NamedTuple):
    """What importing or using an entry point raised.

    Attributes:
        error: The exception.
        traceback: Its traceback, as text.
    """

    error: BaseException
    traceback: str


def import_and_use(
    found: FoundEntryPoint,
    use: Callable[[ModuleType], T],
    prints: Callable[[], AbstractContextManager[None]] = prints_to_stderr,
    *machinery: str,
) -> T | ImportFailure | None:
    """Import the module that `found` names, and return what `use` returns for it, or what was raised.

    If the code forks this process, the child ends here; only the parent returns.

    Args:
        found: The entry point.
        use: Called with the module.
        prints: Returns the context that redirects what is printed.
        machinery: The beginnings of the paths of files whose frames a traceback leaves out.

    Returns:
        The result of `use`; an `ImportFailure` if the import or `use` raised; None if this thread is already importing the module.

    Raises:
        KeyboardInterrupt: The user interrupted the import.
    """
    _forks.count_forks()
    generation_before = _forks.generation
    try:
        _check_metadata(found)
        with prints():
            module = importlib.import_module(found.module)
            if getattr(getattr(module, "__spec__", None), "_initializing", False):
                return None
            used = use(module)
        _forks.end_if_forked(generation_before)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # foreign code: it may raise anything, SystemExit too, and costs only itself  # noqa: BLE001
        _forks.end_if_forked(generation_before, error)
        return ImportFailure(error, own_part(error, *machinery))
    return used


def _check_metadata(found: FoundEntryPoint) -> None:
    """Check that an entry point that comes from the index is in the installed metadata.

    An entry point that was read from metadata is not checked.

    Raises:
        PluginError: The metadata do not have the entry point.
    """
    if found.cached is not None and not is_in_metadata(found):
        where = f"{found.label} is in the index, but not in {found.folder}/{found.info}"
        raise PluginError(f"{where}, so it is not imported; `fcregistry doctor` renews the index")


class NamedTools:
    """Declares the object that an entry point names: a function, a Tool, a Toolset, or a list of these.

    Args:
        plugin: The entry point.
        is_owned: Returns whether a declaration belongs to some plugin by the module that made it.
    """

    def __init__(self, plugin: FoundPlugin, is_owned: Callable[[Declaration], bool]) -> None:
        self._plugin = plugin
        self._is_owned = is_owned
        self._decorated = list(log)

    def declare(self, value: Any, place: str) -> None:
        """Declare `value` as a tool; or, if it is a list or a toolset, each object in it.

        Args:
            value: The object.
            place: Its name in the module, for messages.

        Raises:
            PluginError: The object cannot be a tool.
            DuplicateToolError: Two of the tools have one name.
        """
        if isinstance(value, (list, tuple)) and not is_model(value):
            for position, each in enumerate(value):
                self.declare(each, f"{place}[{position}]")
        elif isinstance(value, Toolset):
            self.declare(list(value.values()), place)
        elif isinstance(value, Tool):
            self._declare_tool(value)
        elif problem := external_tool_problem(value):
            raise PluginError(f"{self._plugin.label}: {place}: {problem}")
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
        """Declare the function of `tool` under the tool's name, as a tool of this plugin.

        If decorators declared that function under this name already, those declarations are used (see `_claim`).

        Raises:
            PluginError: A decorator declared it, and `tool` has a description of its own.
        """
        original = definition_of(tool).declaration
        options = original.options
        decorated = [each for each in self._decorated if each.function is original.function and each.name == tool.name]
        if tool._description is not None:
            if decorated:
                raise PluginError(
                    f"{self._plugin.label}: {tool.name} is declared with a description of its own; "
                    "say description=… where it is declared, or give the view another name: .renamed(…)"
                )
            options = {**options, "description": tool._description}
        if not self._claim(decorated):
            module = self._plugin.module
            self._add(Declaration(original.function, tool.name, original.group, module, options, original.locals))

    def _declare_function(self, function: Callable[..., Any], place: str) -> None:
        """Declare `function` under its own name, as a tool of this plugin.

        If decorators declared it already, under any name, those declarations are used (see `_claim`).

        Args:
            function: The function.
            place: Its name in the module, for messages.

        Raises:
            PluginError: The function cannot be a tool.
        """
        if self._claim(each for each in self._decorated if each.function is function):
            return
        try:
            check_callable(function)
        except DefinitionError as error:
            raise PluginError(f"{self._plugin.label}: {place}: {error}") from None
        name = default_name(function)
        if problem := name_problem(name):
            raise PluginError(f"{self._plugin.label}: {place} cannot be a tool: {problem}")
        self._add(Declaration(function, name, DEFAULT_GROUP, self._plugin.module, {}))

    def _claim(self, decorated: Iterable[Declaration]) -> bool:
        """Make this plugin the owner of those in `decorated` that have no owner.

        Return whether `decorated` has any declaration: True also if other plugins own them all.
        """
        found = list(decorated)
        for each in found:
            if not self._is_owned(each):
                each.plugin = self._plugin.key
        return bool(found)

    def _add(self, declaration: Declaration) -> None:
        """Add `declaration` to the log as a declaration of this plugin."""
        declaration.plugin = self._plugin.key
        log.add(declaration)


def named_object(found: FoundEntryPoint, module: ModuleType) -> Any:
    """Return the object in a module that an entry point names; the module itself if it names no object.

    Raises:
        PluginError: The module has no such name.
    """
    named: Any = module
    for name in filter(None, found.attribute.split(".")):
        try:
            named = getattr(named, name)
        except AttributeError as error:
            from fcregistry._tools.selectors import did_you_mean, nearest  # only on the way to an error

            near = did_you_mean(nearest(name, dir(named)))
            raise PluginError(
                f"{found.label} names {found.value}, and there is no {name!r} in {found.module}{near}"
            ) from error
    return named


def own_part(error: BaseException, *machinery: str) -> str:
    """Return the traceback of `error` as text, with the plugin's own frames only.

    The frames of importlib and of the modules in this folder are left out.

    Args:
        error: What the plugin raised.
        machinery: The beginnings of the paths of more files whose frames are left out.
    """
    trace = traceback.TracebackException.from_exception(error)
    _shorten(trace, ("<frozen importlib", _IMPORTLIB, _DISCOVERY, *machinery))
    return "".join(trace.format())


_IMPORTLIB: Final = f"{os.path.dirname(importlib.__file__)}{os.sep}"
_DISCOVERY: Final = f"{os.path.dirname(__file__)}{os.sep}"


def _shorten(trace: traceback.TracebackException, machinery: tuple[str, ...]) -> None:
    """Remove from `trace`, in place, the frames of files whose paths begin with one of `machinery`.

    The same is done in its causes and contexts, at any depth.
    """
    left = [each for each in trace.stack if not each.filename.startswith(machinery)]
    trace.stack = traceback.StackSummary.from_list(left)
    for other in (trace.__cause__, trace.__context__):
        if other is not None:
            _shorten(other, machinery)
