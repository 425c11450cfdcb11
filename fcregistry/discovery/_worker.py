"""What runs in the process that describes plugins: it imports one after the other, and says what each ships.

It is told what to do on standard input, a JSON text a line, and answers likewise; whatever plugins do with their own standard streams does
not reach those. A plugin that hangs it, or ends it, costs that plugin its description: the process that asked starts another worker.
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
    from contextlib import AbstractContextManager

    from fcregistry.discovery._found import FoundPlugin
    from fcregistry.discovery._report import FailedPlugin


def main() -> None:
    """Describe plugins until there are no more."""
    asked, answers = _own_streams()
    from fcregistry.discovery._fingerprint import ImportTracker

    tracker = ImportTracker()
    tracker.start()
    told = json.loads(asked.readline())
    worker = Worker(tracker, told["installed"])
    gc.freeze()  # what is here stays, and so does most of what comes: looking for garbage in it takes a twentieth of the time
    gc.set_threshold(20_000, 20, 20)
    answers.write("\n")  # we are ready
    answers.flush()
    with _locks(told["without_locks"]):
        for line in asked:
            answer = worker.describe(tuple(json.loads(line)))
            answers.write(json.dumps(answer) + "\n")
            answers.flush()
            if answer["last"]:
                break
    os._exit(0)  # past the threads, and whatever else plugins have left behind


def _own_streams() -> tuple[TextIO, TextIO]:
    """Return the streams that we are asked and answer on, and leave plugins others: nothing to read, and stderr to write to."""
    asked = os.fdopen(os.dup(0), encoding="utf-8")
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    return asked, answers


def _locks(are_lifted: bool) -> AbstractContextManager[None]:
    from fcregistry._config.policy import without_locks

    return without_locks() if are_lifted else nullcontext()


def _written_to_stderr() -> int:
    try:
        return os.fstat(2).st_size
    except OSError:  # a plugin has closed it
        return 0


def _refused(plugin: FoundPlugin) -> FailedPlugin | None:
    """Return why a plugin is not to be imported here either: it was asked for a moment ago, and a lock has to be compared once more."""
    from fcregistry.discovery._permission import Permission
    from fcregistry.discovery._report import FailedPlugin  # not before the tracker has begun
    from fcregistry.errors import PluginError

    reason = Permission().to_import(plugin)
    if reason is None:
        return None
    return FailedPlugin(plugin=plugin, seconds=0.0, error=PluginError(reason), traceback="")


class Worker:
    """Describes plugins, one after the other.

    Args:
        tracker: Knows what was read for what.
        found: What is installed, as `_building` tells it.
    """

    def __init__(self, tracker: Any, found: list[dict[str, Any]]) -> None:
        from fcregistry.discovery._describe import DeclarationOwners
        from fcregistry.discovery._discovery import Discovery, current
        from fcregistry.discovery._found import FoundExtension, FoundPlugin

        kinds = {kind.__name__: kind for kind in (FoundExtension, FoundPlugin)}
        self._tracker = tracker
        self._discovery: Discovery = current()
        self._discovery.adopt(
            tuple(kinds[each.pop("kind")](**{**each, "stamp": tuple(each["stamp"] or ()) or None}) for each in found)
        )
        self._plugins: dict[tuple[str, ...], FoundPlugin] = {each.key: each for each in self._discovery.plugins}
        self._ships = DeclarationOwners(self._discovery.owner)
        self._others = False  # whether any was imported

    def describe(self, key: tuple[str, ...]) -> dict[str, Any]:
        """Return the record of a plugin, and the files that it was made from.

        With it is told how much was written to stderr up to now, and whether the next plugin is to be described in another process: it
        is not to suffer from what this one has changed. One that fails among others is to be tried again without them.
        """
        from fcregistry._base.source import underlying
        from fcregistry.discovery._describe import Changes, FreshDescription
        from fcregistry.discovery._fingerprint import stamps
        from fcregistry.discovery._loader import load_plugin

        plugin = self._plugins[key]
        since = time_ns()
        prints = _Prints()
        self._tracker.modules_read.clear()
        changes = Changes(plugin.module)
        watched = partial(changes.watched, prints)
        outcome = _refused(plugin) or load_plugin(
            plugin, lambda declaration: self._discovery.owner(declaration) is not None, watched
        )
        assert outcome is not None
        declared = self._ships.of(plugin)
        with prints():
            record = self._described(outcome, declared)
        record["printed"], record["changes"] = prints.printed, changes.phrases()
        modules = {plugin.module, *(each.module for each in declared), *self._extensions()}
        modules |= {getattr(underlying(each.function), "__module__", None) or "" for each in declared}
        files = self._tracker.files(modules)
        if record["failure"] is not None:
            files |= self._tracker.sources_read()
        made = FreshDescription.of(plugin, record, stamps(files, since), "worker", self._tracker.missed(modules))
        others_before, self._others = self._others, True
        return {
            "record": made.record,
            "rows": made.rows,
            "files": made.files,
            "missed": made.missed,
            "said": _written_to_stderr(),
            "last": bool(record["changes"]) or (others_before and record["failure"] is not None),
        }

    @staticmethod
    def _described(outcome: Any, declared: Any) -> Any:
        from fcregistry.discovery._describe import describe_plugin
        from fcregistry.discovery._loader import own_part
        from fcregistry.discovery._report import FailedPlugin

        try:
            return describe_plugin(outcome, declared)
        except Exception as error:  # foreign code: what an author gave as an option may raise anything  # noqa: BLE001
            failed = FailedPlugin(
                plugin=outcome.plugin, seconds=outcome.seconds, error=error, traceback=own_part(error)
            )
            return describe_plugin(failed, ())

    def _extensions(self) -> list[str]:
        """Return the modules of the extensions that some plugin has needed so far."""
        extensions = self._discovery.extensions
        return [each.module for each in self._discovery.found_extensions if extensions.outcome(each) is not None]


class _Prints:
    """Notices what is printed, and sends it to stderr."""

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


if __name__ == "__main__":
    main()
