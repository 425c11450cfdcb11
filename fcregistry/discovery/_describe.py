"""Describing a plugin: its tools, as an index stores them, and what its import changes."""

from __future__ import annotations

import _locale
import _signal  # type: ignore[import-not-found]  # what `signal` wraps, which makes enumerations of all it returns
import builtins
import gc
import json
import os
import re
import sys
import warnings
from contextlib import contextmanager, suppress
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from fcregistry._base.source import underlying
from fcregistry._config.settings import working_folder
from fcregistry._registry import catalogue_of, registry
from fcregistry._tools.declaration import MARK, Declaration, local_name, log
from fcregistry._tools.decorator import marked_methods
from fcregistry._tools.definition import module_flag
from fcregistry._tools.described import BROKEN, CONTEXT, DEPS
from fcregistry._tools.indexed import record_of
from fcregistry._tools.record import plugin_record
from fcregistry._tools.search import fields_of_record
from fcregistry._tools.selectors import Owned, by_key, effective
from fcregistry.discovery._fingerprint import loaded_files, stamps
from fcregistry.discovery._report import FailedPlugin
from fcregistry.errors import DefinitionWarning

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from fcregistry._tools.declaration import Owner
    from fcregistry._tools.record import PluginRecord, ToolRecord
    from fcregistry.discovery._fingerprint import Stamp
    from fcregistry.discovery._found import FoundPlugin
    from fcregistry.discovery._report import LoadedPlugin

DYNAMIC = "FCREGISTRY_DYNAMIC"
"""The name that a module, or a package above it, sets to True if its tools depend on the environment: they are described each time."""


class DeclarationOwners:
    """The declarations of each plugin, as more and more plugins are imported.

    Args:
        owner: Returns the plugin that ships a declaration.
    """

    def __init__(self, owner: Callable[[Declaration], Owner | None]) -> None:
        self._owner = owner
        self._seen: set[Declaration] = set()
        self._by_plugin: dict[tuple[str, str], list[Declaration]] = {}

    def of(self, plugin: FoundPlugin) -> list[Declaration]:
        """Return the declarations that `plugin` has made so far, in their order."""
        new = list(takewhile(lambda each: each not in self._seen, reversed(log)))[::-1]
        self._seen.update(new)
        for declaration in new:
            if (owner := self._owner(declaration)) is not None:
                key = (owner.distribution, owner.entry_point)
                self._by_plugin.setdefault(key, []).append(declaration)
        return self._by_plugin.get(plugin.key, [])


def describe_plugin(
    outcome: LoadedPlugin | FailedPlugin, declared: Iterable[Declaration]
) -> tuple[PluginRecord, list[ToolRecord]]:
    """Return the record of an imported plugin, and the records of its tools, sorted by group and name.

    Args:
        outcome: The outcome of the import, which may have failed.
        declared: The declarations of the plugin; of a failed plugin, those that it made before the failure.
    """
    plugin = outcome.plugin
    all_candidates = by_key(Owned(each, plugin) for each in declared).values()
    tools = [catalogue_of(registry).tool(each) for candidates in all_candidates for each in effective(candidates)]
    with warnings.catch_warnings():  # `fcregistry lint` shows them to the author; a program that lists tools does not
        warnings.simplefilter("ignore", DefinitionWarning)
        records = [record_of(tool) for tool in tools]
    record = plugin_record(dynamic=bool(module_flag(plugin.module, DYNAMIC)), seconds=round(outcome.seconds, 4))
    if isinstance(outcome, FailedPlugin):
        record |= {"failure": outcome.reason, "detail": outcome.traceback, "advice": outcome.advice}
    return record, sorted(records, key=lambda record: (record["group"], record["name"]))


def unregistered_methods(plugin: FoundPlugin, owner: Callable[[Declaration], Owner | None]) -> list[str]:
    """Return, as `Class.method` and sorted, the decorated methods of a plugin of whose class no object was registered.

    Args:
        plugin: The plugin, which was imported.
        owner: Returns the plugin that ships a declaration.
    """
    marks: set[Declaration] = set()
    for cls in _own_classes(plugin.module.partition(".")[0]):
        with suppress(Exception):  # foreign code: a proxy among the attributes of a class may do anything
            marks |= {mark for _, mark in marked_methods(cls) if type(mark) is Declaration and owner(mark) == plugin}
    if not marks:
        return []
    functions = {id(function): function for function in (underlying(each.function) for each in log)}
    registered = {mark for function in functions.values() for mark in getattr(function, MARK, ())}
    left = (underlying(mark.function) for mark in marks - registered)
    return sorted({function.__qualname__ for function in left if id(function) not in functions})


def _own_classes(package: str) -> set[type]:
    """Return the classes that the imported modules of a top-level package define."""
    modules = [(name, module) for name, module in sys.modules.copy().items() if name.partition(".")[0] == package]
    values = ((name, each) for name, module in modules for each in [*getattr(module, "__dict__", {}).values()])
    return {each for name, each in values if isinstance(each, type) and each.__module__ == name}


def describe_imported(
    outcomes: Iterable[LoadedPlugin | FailedPlugin], owner: Callable[[Declaration], Owner | None], since: int
) -> list[FreshDescription]:
    """Return new descriptions, for later processes, of plugins that this process has imported.

    Args:
        outcomes: The outcomes of their imports.
        owner: Returns the plugin that ships a declaration.
        since: When the imports began (ns).
    """
    owners, files = DeclarationOwners(owner), stamps(loaded_files(), since)
    return [
        FreshDescription.of(each.plugin, *describe_plugin(each, owners.of(each.plugin)), files, "program")
        for each in outcomes
    ]


def describe_by_manifests(plugins: Iterable[FoundPlugin]) -> list[FreshDescription]:
    """Return the descriptions of those of `plugins` whose manifest is as new as their code.

    A plugin whose tools depend on the environment is left out. Nothing is imported.
    """
    from time import time_ns

    from fcregistry.discovery._manifest import Manifest, manifest_of

    since, made = time_ns(), []
    for plugin in plugins:
        manifest = manifest_of(plugin)
        if isinstance(manifest, Manifest) and not manifest.is_stale and not manifest.dynamic:
            files = stamps(map(str, (manifest.path, *manifest.sources)), since)
            made.append(FreshDescription.of(plugin, plugin_record(), manifest.tools, files, "manifest"))
    return made


# --- The description, as an index stores it: one row a tool, made here so that the writer of many has little to do ---


class FreshDescription(NamedTuple):
    """A new description of a plugin, to be written to an index.

    Attributes:
        plugin: The plugin.
        record: The record of its import, such as the failure.
        rows: Its tools.
        files: The files that the description was made from, with the time and size of each.
        by: The maker, see `Description` in `_index.py`.
        missed: Whether importing the plugin looked for a module that does not exist.
    """

    plugin: FoundPlugin
    record: PluginRecord
    rows: list[IndexRow]
    files: dict[str, Stamp]
    by: str
    missed: bool = False

    @classmethod
    def of(
        cls,
        plugin: FoundPlugin,
        record: PluginRecord,
        tools: Iterable[ToolRecord],
        files: dict[str, Stamp],
        by: str,
        missed: bool = False,
    ) -> FreshDescription:
        """Return the description of `plugin`, with `tools` as rows of an index."""
        return cls(plugin, record, [row_of(tool, plugin.distribution) for tool in tools], files, by, missed)


class IndexRow(NamedTuple):
    """One tool, as an index stores it.

    Attributes:
        name: Its name.
        group: Its group.
        summary: The first paragraph of its description, as one line.
        options: The options of its declaration, as JSON text; empty if there are none.
        flags: The sum of `BROKEN`, `CONTEXT` and `DEPS`, see `Described`.
        record: Its record, as JSON text.
        id: Its canonical id.
        words: The texts that a search looks at; empty for a tool that cannot be defined.
    """

    name: str
    group: str
    summary: str
    options: str
    flags: int
    record: str
    id: str
    words: tuple[str, ...]


def row_of(tool: ToolRecord, distribution: str) -> IndexRow:
    """Return the row of a tool that a distribution ships."""
    flags = ((BROKEN, "problems" in tool), (CONTEXT, tool["context"]), (DEPS, tool["deps"] is not None))
    return IndexRow(
        tool["name"],
        tool["group"],
        tool["summary"].encode("utf-8", "replace").decode(),  # replaces lone surrogates, which UTF-8 cannot encode
        json.dumps(tool["options"]) if tool["options"] else "",
        sum(flag for flag, is_set in flags if is_set),
        json.dumps(tool),
        f"{distribution}:{local_name(tool['name'], tool['group'])}",
        () if "problems" in tool else fields_of_record(tool, distribution),
    )


# --- What importing a plugin changes that other code relies on ---

Fact: TypeAlias = "tuple[str, Any]"
"""A fact about the state of the process: a kind (a key of `_PHRASES`), and an item of that kind, such as a variable."""

_PHRASES: Final = {
    "path": ("adds {item} to sys.path", "removes {item} from sys.path"),
    "variable": ("sets {item} in os.environ", "removes {item} from os.environ"),
    "builtin": ("adds {item} to builtins", "removes {item} from builtins"),
    "hook": ("replaces {item}", ""),
    "setting": ("changes {item}", ""),
    "signal": ("handles {item}", ""),
    "thread": ("leaves a thread running ({value})", ""),
    "process": ("leaves a process running", ""),
    "handler": ("adds a handler to the root logger", "removes a handler from the root logger"),
    "filter": ("adds a filter for warnings of every module ({item})", "removes a filter for warnings ({item})"),
}
"""Kind of fact -> the phrase for a fact that is new or different, and for one that is gone; empty if no other code relies on it."""

_JOIN_SECONDS: Final = 0.1
"""Seconds to wait for a thread that the import of a plugin has started."""

_HOOKS: Final = ("excepthook", "unraisablehook", "displayhook", "breakpointhook", "stdin", "stdout", "stderr")
_SIGNALS: Final = {
    name: getattr(_signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGCHLD", "SIGALRM", "SIGPIPE", "SIGUSR1", "SIGUSR2")
    if hasattr(_signal, name)
}


class Changes:
    """What importing one plugin changes, compared before and after.

    A change that happens while the plugin imports a module of another package belongs to that package.

    Args:
        module: The module that its entry point names; modules below the same top-level name are its own.
    """

    def __init__(self, module: str) -> None:
        self._own = module.partition(".")[0]
        self._changed: dict[Fact, Any] = {}
        self._of_others: dict[Fact, Any] = {}
        self._in_other_package = False

    @contextmanager
    def watched(self, around: Callable[[], AbstractContextManager[None]]) -> Iterator[None]:
        """Note what the block changes in the state of the process.

        Args:
            around: Returns the context inside which the block runs, and the states before and after it are compared.
        """
        with around():
            own_import, before, threads = builtins.__import__, _facts(), _threads()
            watch = builtins.__import__ = self._watching(own_import)
            try:
                yield
            finally:
                if builtins.__import__ is watch:
                    builtins.__import__ = own_import
                for thread in set(_threads()).difference(threads):
                    thread.join(_JOIN_SECONDS)  # a thread that is about to end does not count
                self._changed = _differences(before)

    def phrases(self) -> list[str]:
        """Return a phrase for each change by the plugin itself, sorted."""
        found = set()
        for (kind, item), value in self._changed.items():
            if self._of_others.get((kind, item), self) != value:
                name = os.fsdecode(item) if isinstance(item, bytes) else item
                found.add(_PHRASES[kind][value is _NOTHING].format(item=name, value=value))
        return sorted(found - {""})

    def _watching(self, own_import: Callable[..., Any]) -> Callable[..., Any]:
        """Return an `__import__` that calls `own_import`, and notes in this object what other packages change.

        It compares the state before and after each absolute import in the plugin's own modules for which `_runs_others` is true. An import that runs
        inside such an import is not compared again. Exceptions of `own_import` pass through.
        """

        def watched_import(
            name: str,
            globals: Mapping[str, object] | None = None,
            locals: Mapping[str, object] | None = None,
            fromlist: Sequence[str] | None = (),
            level: int = 0,
        ) -> Any:
            importer = str((globals or {}).get("__name__", "")).partition(".")[0]
            if self._in_other_package or level or importer != self._own or not self._runs_others(name, fromlist or ()):
                return own_import(name, globals, locals, fromlist, level)
            before, self._in_other_package = _facts(), True
            try:
                return own_import(name, globals, locals, fromlist, level)
            finally:
                self._in_other_package = False
                self._of_others |= _differences(before)

        return watched_import

    def _runs_others(self, name: str, fromlist: Sequence[str]) -> bool:
        """Return whether an import statement may run code that is neither the plugin's own nor Python's.

        False for the plugin's own package, for Python's modules, and for a module that is imported and has all the names of `fromlist`.

        Args:
            name: The name of the module.
            fromlist: The names that the statement imports from the module.
        """
        top = name.partition(".")[0]
        if top == self._own or top in sys.stdlib_module_names:
            return False
        module = sys.modules.get(name)
        return module is None or any(each not in vars(module) for each in fromlist)


_NOTHING: Final = object()


def _facts() -> dict[str, dict[Any, Any]]:
    """Return the state of the process: kind of `_PHRASES` -> item -> a value that can be compared.

    Nothing is imported: a module that is not imported has its initial state, and one that is being imported may not have all its names yet.
    """
    modules = sys.modules
    root = getattr(modules.get("logging"), "root", None)
    sockets = getattr(modules.get("socket"), "getdefaulttimeout", None)
    processes = getattr(modules.get("multiprocessing"), "get_start_method", None)
    names = vars(builtins).copy()
    builtin = dict(zip(names, map(id, names.values()), strict=True))  # their own comparisons would run foreign code
    for name in ("__import__", "_"):
        builtin.pop(name, None)
    return {
        "path": {str(each): True for each in sys.path},
        "variable": getattr(os.environ, "_data", os.environ).copy(),  # in the system's form: decoding takes longer
        "builtin": builtin,
        "hook": {f"sys.{name}": id(getattr(sys, name, None)) for name in _HOOKS},
        "signal": {name: id(_signal.getsignal(each)) for name, each in _SIGNALS.items()},
        "filter": dict.fromkeys(_broad_filters(list(warnings.filters)), True),
        "thread": {each: _thread_name(each) for each in _threads()},
        "process": {"": True} if _has_processes() else {},
        "handler": dict.fromkeys(root.handlers if root else (), True),
        "setting": {
            "the working folder": working_folder(),
            "the recursion limit": sys.getrecursionlimit(),
            "the locale": _locale.setlocale(_locale.LC_ALL, None),
            "whether garbage is collected": gc.isenabled(),
            "the default timeout of sockets": sockets() if sockets else None,
            "how processes are started": processes(allow_none=True) if processes else None,
            "the event loop policy": _loop_policy(),
            "the level of the root logger": root.level if root else 30,
            "which levels are logged at all": root.manager.disable if root else 0,
        },
    }


def _differences(before: dict[str, dict[Any, Any]]) -> dict[Fact, Any]:
    """Return the facts that differ from `before`, by (kind, item), with their values now.

    The value is `_NOTHING` if the item is gone.

    Args:
        before: The earlier result of `_facts`.
    """
    found: dict[Fact, Any] = {}
    for kind, now in _facts().items():
        old = before[kind]
        if now != old:
            found |= {(kind, item): _NOTHING for item in old if item not in now}
            found |= {(kind, item): value for item, value in now.items() if item not in old or old[item] != value}
    return found


def _loop_policy() -> str | None:
    """Return `module.name` of the type of the event loop policy that is set.

    The result is None if none is set, or if it is one of asyncio's own.
    """
    policy = getattr(sys.modules.get("asyncio.events"), "_event_loop_policy", None)
    module = type(policy).__module__
    return None if policy is None or module.startswith("asyncio.") else f"{module}.{type(policy).__qualname__}"


def _broad_filters(filters: list[Any]) -> Iterator[str]:
    """Yield `action category` for each filter of a built-in category with any message, module and line.

    Args:
        filters: Filters as in `warnings.filters`; all others of them are left out.
    """
    for action, message, category, module, line in filters:
        if message is None and module is None and line == 0 and category.__module__ == "builtins":
            yield f"{action} {category.__name__}"


def _threads() -> list[threading.Thread]:
    """Return the running threads except the main thread; none if `threading` is not fully imported."""
    module = sys.modules.get("threading")
    if module is None or not hasattr(module, "main_thread"):  # it is being imported
        return []
    return [each for each in module.enumerate() if each is not module.main_thread()]


def _has_processes() -> bool:
    """Return whether this process has child processes of which none has ended.

    False if it has no child process, if one has ended and nothing has waited for it, or if the system does not have `os.waitid`.
    """
    if not hasattr(os, "waitid"):
        return False
    try:
        return os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None
    except ChildProcessError:
        return False


def _thread_name(thread: threading.Thread) -> str:
    """Return the name of a thread.

    If Python made the name (`Thread-1 (work)`), the result is the function in it (`work`); `without a name` if it has none.
    """
    return re.sub(r"^Thread-\d+(?: \((.*)\))?$", r"\1", thread.name) or "without a name"
