"""The program of a worker process: it imports one plugin after the other, and answers with what each ships.

Requests come on standard input and answers go to standard output, a JSON text a line; the plugins get other standard streams. If a plugin
hangs or ends the process, only that plugin has no description: the process that asked starts another worker (`_worker_pool.py`).

Nothing of fcregistry is imported before the tracker runs, so every such import is inside a function.
"""

from __future__ import annotations

import gc
import json
import os
import sys
from contextlib import contextmanager, nullcontext
from functools import partial
from time import time_ns
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fcregistry.discovery._found import FoundPlugin
    from fcregistry.discovery._report import FailedPlugin, LoadedPlugin


def main() -> None:
    """Answer requests until there are no more, or until the next plugin needs a new process."""
    requests, answers = _take_streams()
    from fcregistry.discovery._import_tracker import ImportTracker

    tracker = ImportTracker()
    tracker.start()
    setup = json.loads(requests.readline())
    worker = Worker(tracker, setup["installed"], ignore_rules=setup["ignore_rules"])
    from fcregistry._config.lock import without_locks

    gc.freeze()  # these objects stay, and so do most that follow: collecting garbage among them takes a twentieth of the time
    gc.set_threshold(20_000, 20, 20)
    print(file=answers, flush=True)  # ready
    with without_locks() if setup["without_locks"] else nullcontext():
        for line in requests:
            answer = worker.describe(tuple(json.loads(line)))
            print(json.dumps(answer), file=answers, flush=True)
            if answer["last"]:
                break
    os._exit(0)  # without waiting for threads and exit handlers of plugins


class Worker:
    """Describes plugins, one after the other.

    Args:
        tracker: Notes the files that imports read.
        found: The installed entry points, as `_worker_pool.py` sends them.
        ignore_rules: Whether plugins are imported whatever the configuration allows.
    """

    def __init__(self, tracker: Any, found: list[dict[str, Any]], *, ignore_rules: bool) -> None:
        from fcregistry.discovery._describe import DeclarationOwners
        from fcregistry.discovery._discovery import Discovery, current
        from fcregistry.discovery._found import KINDS

        kinds = {kind.__name__: kind for kind in KINDS.values()}
        self._tracker = tracker
        self._discovery: Discovery = current()
        self._discovery.replace_found(
            tuple(kinds[each.pop("kind")](**{**each, "stamp": tuple(each["stamp"] or ()) or None}) for each in found)
        )
        self._plugins: dict[tuple[str, ...], FoundPlugin] = {each.key: each for each in self._discovery.plugins}
        self._owners = DeclarationOwners(self._discovery.owner)
        self._ignore_rules = ignore_rules
        self._others = False  # whether a plugin was imported before

    def describe(self, key: tuple[str, ...]) -> dict[str, Any]:
        """Import a plugin, and return the answer with its description.

        The answer also has the number of bytes written to stderr so far, and whether the next plugin needs a new process. It needs one if
        this plugin has changed the state of this process, or has failed after others were imported: then it is tried again alone.

        Args:
            key: The plugin.
        """
        from fcregistry._base.source import underlying
        from fcregistry.discovery._describe import Changes, FreshDescription
        from fcregistry.discovery._fingerprint import stamps

        plugin = self._plugins[key]
        since = time_ns()
        prints = _PrintTracker()
        self._tracker.modules_read.clear()
        changes = Changes(plugin.module)
        outcome = self._load(plugin, partial(changes.watched, prints))
        # Imported only now: a plugin that has broken imports ends this process, rather than the programs that would load it
        from fcregistry.discovery._describe import describe_plugin, unregistered_methods
        from fcregistry.discovery._loader import own_part
        from fcregistry.discovery._report import FailedPlugin

        declared = self._owners.of(plugin)
        with prints():
            try:
                record, tools = describe_plugin(outcome, declared)
                record["unregistered"] = unregistered_methods(plugin, self._discovery.owner)
            except Exception as error:  # foreign code: what an author gave as an option may raise anything  # noqa: BLE001
                seconds, trace = outcome.seconds, own_part(error)
                failed = FailedPlugin(plugin=plugin, seconds=seconds, error=error, traceback=trace)
                record, tools = describe_plugin(failed, ())
        record["printed"], record["changes"] = prints.printed, changes.phrases()
        modules = {plugin.module, *(each.module for each in declared), *self._extensions()}
        modules |= {getattr(underlying(each.function), "__module__", None) or "" for each in declared}
        files = self._tracker.files(modules)
        if record["failure"] is not None:
            files |= self._tracker.sources_read()
        made = FreshDescription.of(plugin, record, tools, stamps(files, since), "worker", self._tracker.missed(modules))
        others_before, self._others = self._others, True
        return {
            "record": made.record,
            "rows": made.rows,
            "files": made.files,
            "missed": made.missed,
            "written": _written_to_stderr(),
            "last": bool(record["changes"]) or (others_before and record["failure"] is not None),
        }

    def _load(self, plugin: FoundPlugin, prints: Any) -> LoadedPlugin | FailedPlugin:
        """Import a plugin if the configuration allows it, and return the outcome.

        If it does not, the outcome is a failure with the reason; a worker that ignores rules does not ask. Files may have changed since the
        request, so they are compared with the lock again.
        """
        from fcregistry.discovery._loader import load_plugin
        from fcregistry.discovery._permission import Permission
        from fcregistry.discovery._report import FailedPlugin
        from fcregistry.errors import PluginError

        if not self._ignore_rules and (reason := Permission().to_import(plugin)) is not None:
            return FailedPlugin(plugin=plugin, seconds=0.0, error=PluginError(reason), traceback="")
        outcome = load_plugin(plugin, lambda declaration: self._discovery.owner(declaration) is not None, prints)
        assert outcome is not None  # nothing else imports it at the same time
        return outcome

    def _extensions(self) -> list[str]:
        """Return the modules of the extensions that were loaded so far because plugins needed them.

        Those that failed to load are included.
        """
        extensions = self._discovery.extensions
        return [each.module for each in self._discovery.found_extensions if extensions.outcome(each) is not None]


class _PrintTracker:
    """A context that sends what is printed to stderr.

    Attributes:
        printed: Whether anything but white space was printed.
    """

    def __init__(self) -> None:
        self.printed = False

    @contextmanager
    def __call__(self) -> Iterator[None]:
        stdout, sys.stdout = sys.stdout, self
        try:
            yield
        finally:
            sys.stdout = stdout

    def write(self, text: str) -> int:
        self.printed = self.printed or bool(text.strip())
        return sys.stderr.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(sys.stderr, name)


def _take_streams() -> tuple[TextIO, TextIO]:
    """Return the streams for requests and answers, and replace stdin and stdout for plugins.

    Plugins then read an empty stdin, and what they print goes to stderr.
    """
    requests = os.fdopen(os.dup(0), encoding="utf-8")
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    return requests, answers


def _written_to_stderr() -> int:
    """Return the size in bytes of the file that stderr is; 0 if it is closed."""
    try:
        return os.fstat(2).st_size
    except OSError:  # a plugin has closed it
        return 0
