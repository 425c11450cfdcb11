"""What does importing a plugin change in its process, that others rely on? Compared before and after, where plugins are described.

What changes while the plugin imports something of others is theirs, and is not laid at its door.

MERGED: What does a plugin ship that this process has imported?
MERGED: What is a description of a plugin that was made just now?
MERGED: What is kept of a tool in an index? One row, made where the tool is described, so that whoever writes many has little to do.
"""

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
from contextlib import contextmanager
from itertools import filterfalse
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from fcregistry._registry import registry
from fcregistry._tools.declaration import local_name, log
from fcregistry._tools.definition import sets_module_flag
from fcregistry._tools.indexed import BROKEN, CONTEXT, DEPS, record_of
from fcregistry._tools.record import PluginRecord
from fcregistry._tools.search import fields_of_record
from fcregistry._tools.selectors import Owned
from fcregistry.discovery._fingerprint import loaded_files, stamps
from fcregistry.discovery._report import FailedPlugin
from fcregistry.errors import DefinitionWarning

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from fcregistry._tools.declaration import Declaration, Owner
    from fcregistry._tools.record import ToolRecord
    from fcregistry.discovery._fingerprint import Stamp
    from fcregistry.discovery._found import FoundPlugin
    from fcregistry.discovery._report import LoadedPlugin

# --- discovery._index._changes ---

Fact: TypeAlias = "tuple[str, str]"
"""A kind of `_PHRASES`, and which one of that kind."""

_PHRASES: Final = {
    "path": ("adds {item} to sys.path", "takes {item} from sys.path"),
    "variable": ("sets {item} in os.environ", "takes {item} out of os.environ"),
    "builtin": ("puts {item} into builtins", "takes {item} out of builtins"),
    "hook": ("replaces {item}", ""),
    "setting": ("changes {item}", ""),
    "signal": ("handles {item}", ""),
    "thread": ("leaves a thread running ({value})", ""),
    "process": ("leaves a process running", ""),
    "handler": ("adds a handler to the root logger", "takes a handler from the root logger"),
    "filter": ("adds a filter for warnings of every module ({item})", "takes away a filter for warnings ({item})"),
}
"""Kind of fact -> what is said where one is new or another, and where it is gone; nothing is said of what matters to nobody."""

_A_MOMENT: Final = 0.1
"""Seconds that a thread has to end, which importing a plugin has started."""

_HOOKS: Final = ("excepthook", "unraisablehook", "displayhook", "breakpointhook", "stdin", "stdout", "stderr")
_SIGNALS: Final = {
    name: getattr(_signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGCHLD", "SIGALRM", "SIGPIPE", "SIGUSR1", "SIGUSR2")
    if hasattr(_signal, name)
}


class Changes:
    """What one plugin changes.

    Args:
        module: The module that its entry point names; what lies below the same top-level name is its own.
    """

    def __init__(self, module: str) -> None:
        self._own = module.partition(".")[0]
        self._changed: dict[Fact, Any] = {}
        self._of_others: dict[Fact, Any] = {}
        self._elsewhere = False

    @contextmanager
    def watched(self, around: Callable[[], AbstractContextManager[None]]) -> Iterator[None]:
        """Watch what happens inside, which `around` surrounds."""
        with around():
            own_import, before = builtins.__import__, _state()
            watch = builtins.__import__ = self._watching(own_import)
            try:
                yield
            finally:
                if builtins.__import__ is watch:
                    builtins.__import__ = own_import
                for thread in set(_threads()).difference(before.threads):
                    thread.join(_A_MOMENT)  # one that is about to end is not left behind
                self._changed = _differences(before, _state())

    def phrases(self) -> list[str]:
        """Return what was changed, a phrase each, sorted."""
        found = set()
        for (kind, item), value in self._changed.items():
            if self._of_others.get((kind, item), self) != value:
                found.add(_PHRASES[kind][value is _NOTHING].format(item=item, value=value))
        return sorted(found - {""})

    def _watching(self, own_import: Callable[..., Any]) -> Callable[..., Any]:
        def watched_import(
            name: str,
            globals: Mapping[str, object] | None = None,
            locals: Mapping[str, object] | None = None,
            fromlist: Sequence[str] | None = (),
            level: int = 0,
        ) -> Any:
            importer = str((globals or {}).get("__name__", "")).partition(".")[0]
            if self._elsewhere or level or importer != self._own or not self._runs_others(name, fromlist or ()):
                return own_import(name, globals, locals, fromlist, level)
            before, self._elsewhere = _state(), True
            try:
                return own_import(name, globals, locals, fromlist, level)
            finally:
                self._elsewhere = False
                self._of_others |= _differences(before, _state())

        return watched_import

    def _runs_others(self, name: str, fromlist: Sequence[str]) -> bool:
        """Tell whether an import statement runs code that is neither the plugin's own nor Python's."""
        top = name.partition(".")[0]
        if top == self._own or top in sys.stdlib_module_names:
            return False
        there = sys.modules.get(name)
        return there is None or any(each not in vars(there) for each in fromlist)


_NOTHING: Final = object()


class _State(NamedTuple):
    """What others rely on, as it stood once: copied as it is, since most plugins change nothing of it."""

    path: list[str]
    variables: dict[Any, Any]
    builtins: dict[str, Any]
    hooks: list[Any]
    signals: list[Any]
    filters: list[Any]
    threads: list[threading.Thread]
    processes: bool
    handlers: list[Any]
    settings: dict[Fact, Any]


def _state() -> _State:
    """Return what is so now. Imports nothing: what a module does that nobody has imported is as it is from the start."""
    root = getattr(sys.modules.get("logging"), "root", None)
    return _State(
        list(sys.path),
        getattr(os.environ, "_data", os.environ).copy(),  # reading it by its names takes longer than all the rest
        {**vars(builtins), "__import__": None, "_": None},
        [getattr(sys, name, None) for name in _HOOKS],
        [_signal.getsignal(each) for each in _SIGNALS.values()],
        list(warnings.filters),
        _threads(),
        _has_processes(),
        list(root.handlers) if root else [],
        _settings(root),
    )


def _facts(state: _State) -> dict[Fact, Any]:
    """Return a state in single facts, which can be told apart."""
    return {
        **{("path", str(each)): True for each in state.path},
        **{("variable", os.fsdecode(name)): value for name, value in state.variables.items()},
        **{("builtin", name): id(each) for name, each in state.builtins.items()},
        **{("hook", f"sys.{name}"): id(each) for name, each in zip(_HOOKS, state.hooks, strict=True)},
        **{("signal", name): id(each) for name, each in zip(_SIGNALS, state.signals, strict=True)},
        **{("filter", each): True for each in _broad(state.filters)},
        **{("thread", str(id(each))): _said(each) for each in state.threads},
        **({("process", ""): True} if state.processes else {}),
        **{("handler", str(id(each))): True for each in state.handlers},
        **state.settings,
    }


def _differences(before: _State, after: _State) -> dict[Fact, Any]:
    """Return the facts that are new or others, as they are now; what is gone is `_NOTHING`."""
    if before == after:
        return {}
    old, new = _facts(before), _facts(after)
    return {
        fact: value for fact in old.keys() | new.keys() if (value := new.get(fact, _NOTHING)) != old.get(fact, _NOTHING)
    }


def _settings(root: Any) -> dict[Fact, Any]:
    modules = sys.modules
    sockets = getattr(
        modules.get("socket"), "getdefaulttimeout", None
    )  # which a module that is being imported may not have yet
    processes = getattr(modules.get("multiprocessing"), "get_start_method", None)
    return {
        ("setting", "the working folder"): _folder(),
        ("setting", "the recursion limit"): sys.getrecursionlimit(),
        ("setting", "the locale"): _locale.setlocale(_locale.LC_ALL, None),
        ("setting", "whether garbage is collected"): gc.isenabled(),
        ("setting", "the default timeout of sockets"): sockets() if sockets else None,
        ("setting", "how processes are started"): processes(allow_none=True) if processes else None,
        ("setting", "the event loop policy"): _loop_policy(),
        ("setting", "the level of the root logger"): root.level if root else 30,
        ("setting", "which levels are logged at all"): root.manager.disable if root else 0,
    }


def _folder() -> str:
    try:
        return os.getcwd()
    except OSError:  # it was removed
        return ""


def _loop_policy() -> str | None:
    """Return the type of the policy, if it is not one of asyncio's own, which makes one by itself."""
    policy = getattr(sys.modules.get("asyncio.events"), "_event_loop_policy", None)
    module = type(policy).__module__
    return None if policy is None or module.startswith("asyncio.") else f"{module}.{type(policy).__qualname__}"


def _broad(filters: list[Any]) -> Iterator[str]:
    """Yield the filters that hold for Python's own categories of warnings in every module, in words."""
    for action, message, category, module, line in filters:
        if message is None and module is None and line == 0 and category.__module__ == "builtins":
            yield f"{action} {category.__name__}"


def _threads() -> list[threading.Thread]:
    """Return all threads besides the main one."""
    module = sys.modules.get("threading")
    if module is None or not hasattr(module, "main_thread"):  # which it may not have yet
        return []
    return [each for each in module.enumerate() if each is not module.main_thread()]


def _has_processes() -> bool:
    """Tell whether this process has others running that it started."""
    if not hasattr(os, "waitid"):
        return False
    try:
        return os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None
    except ChildProcessError:
        return False


def _said(thread: threading.Thread) -> str:
    """Return the name of a thread; of one that Python gave, what does not depend on other threads."""
    return re.sub(r"^Thread-\d+(?: \((.*)\))?$", r"\1", thread.name) or "without a name"


# --- discovery._index._describing ---

DYNAMIC = "FCREGISTRY_DYNAMIC"
"""A module, or a package above it, that sets this to True has tools that depend on the environment: they are asked for each time."""


class DeclarationOwners:
    """Tells which declarations are whose, as more and more plugins are imported.

    Args:
        owner: Returns the plugin that ships a declaration.
    """

    def __init__(self, owner: Callable[[Declaration], Owner | None]) -> None:
        self._owner = owner
        self._seen: set[Declaration] = set()
        self._by_plugin: dict[tuple[str, str], list[Declaration]] = {}

    def of(self, plugin: FoundPlugin) -> list[Declaration]:
        """Return what a plugin has declared so far."""
        new = list(filterfalse(self._seen.__contains__, log))
        self._seen.update(new)
        for declaration in new:
            if (owner := self._owner(declaration)) is not None:
                key = (owner.distribution, owner.entry_point)
                self._by_plugin.setdefault(key, []).append(declaration)
        return self._by_plugin.get(plugin.key, [])


def describe_plugin(outcome: LoadedPlugin | FailedPlugin, declared: Iterable[Declaration]) -> PluginRecord:
    """Return what is known of a plugin that was imported, and of what it declared: before it failed, if it did."""
    plugin = outcome.plugin
    tools = [registry._catalogue.tool(Owned(each, plugin)) for each in declared]
    failed = outcome if isinstance(outcome, FailedPlugin) else None
    with warnings.catch_warnings():  # lint says them to the author; a program that lists tools is not told
        warnings.simplefilter("ignore", DefinitionWarning)
        records = [record_of(tool) for tool in tools]
    return PluginRecord(
        entry_point=plugin.entry_point,
        value=plugin.value,
        tools=sorted(records, key=lambda record: (record["group"], record["name"])),
        dynamic=sets_module_flag(plugin.module, DYNAMIC),
        seconds=round(outcome.seconds, 4),
        printed=False,
        changes=[],
        failure=failed.reason if failed else None,
        detail=failed.traceback if failed else "",
        advice=failed.advice if failed else "",
    )


def made_here(
    outcomes: Iterable[LoadedPlugin | FailedPlugin], owner: Callable[[Declaration], Owner | None], since: int
) -> list[FreshDescription]:
    """Describe plugins that this process has imported, for the next ones.

    Args:
        outcomes: What became of them.
        owner: Returns the plugin that ships a declaration.
        since: When they began to be imported (ns).
    """
    ships, files = DeclarationOwners(owner), stamps(loaded_files(), since)
    return [
        FreshDescription.of(each.plugin, describe_plugin(each, ships.of(each.plugin)), files, "program")
        for each in outcomes
    ]


def told_by_manifests(plugins: Iterable[FoundPlugin]) -> list[FreshDescription]:
    """Return what those plugins ship that say so in a manifest, as far as that is as new as their code; nothing is imported."""
    from time import time_ns

    from fcregistry.discovery._manifest import Manifest, manifest_of

    since, made = time_ns(), []
    for plugin in plugins:
        told = manifest_of(plugin)
        if isinstance(told, Manifest) and not told.is_stale and not told.record["dynamic"]:
            files = stamps(map(str, (told.path, *told.sources)), since)
            made.append(FreshDescription.of(plugin, told.record, files, "manifest"))
    return made


# --- discovery._index._made ---


class FreshDescription(NamedTuple):
    """A description that was made just now.

    Attributes:
        plugin: Of which plugin.
        record: What it says of the plugin: `PluginRecord`, without the tools.
        rows: Its tools.
        files: What it was made from, with the time and size of each.
        by: Who made it; see `Description` in `_held.py`.
        missed: Whether importing it looked for a module that is not there.
    """

    plugin: FoundPlugin
    record: dict[str, Any]
    rows: list[IndexRow]
    files: dict[str, Stamp]
    by: str
    missed: bool = False

    @classmethod
    def of(
        cls, plugin: FoundPlugin, record: PluginRecord, files: dict[str, Stamp], by: str, missed: bool = False
    ) -> FreshDescription:
        """Return the description that a record says."""
        about = {name: value for name, value in record.items() if name not in ("tools", "entry_point", "value")}
        return cls(plugin, about, [row_of(tool, plugin.distribution) for tool in record["tools"]], files, by, missed)


# --- discovery._index._rows ---


class IndexRow(NamedTuple):
    """One tool, as an index keeps it.

    Attributes:
        name: Its name.
        group: Its group.
        summary: The first paragraph of its description, as one line.
        options: What it was declared with, as JSON text; empty for nothing.
        flags: What can be told of it in a bit; see `Described`.
        record: Its record, as JSON text.
        id: Its canonical id.
        words: What search looks at; empty for a tool that cannot be defined.
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
        tool["summary"].encode("utf-8", "replace").decode(),  # a lone surrogate, which no file takes
        json.dumps(tool["options"]) if tool["options"] else "",
        sum(flag for flag, is_set in flags if is_set),
        json.dumps(tool),
        f"{distribution}:{local_name(tool['name'], tool['group'])}",
        () if "problems" in tool else fields_of_record(tool, distribution),
    )
