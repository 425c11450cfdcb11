"""Watching which files an import reads, in processes that describe plugins."""

from __future__ import annotations

import builtins
import os
import sys
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from fcregistry.discovery._fingerprint import file_of, is_external

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from types import FrameType

_READING_EVENTS = ("open", "os.listdir", "os.scandir")


class ImportTracker:
    """Notes, for the rest of the process, what each module imports and opens.

    Every import statement is noted, also one of a module that is imported already: a module that two plugins share counts for both. Files
    and folders that are opened while a module runs count for that module, such as texts that it ships.
    """

    def __init__(self) -> None:
        self._imports: dict[str, set[str]] = defaultdict(set)
        self._opened: dict[str, set[str]] = defaultdict(set)
        self._missed: set[str] = set()
        self.modules_read: set[str] = set()
        """Files of code that were read since this was last cleared, also those of modules whose import fails."""

    def start(self) -> None:
        """Start to note imports; this cannot be stopped, since an audit hook cannot be removed."""
        import importlib.util  # late: other processes do not need it

        is_external(__file__)  # fills a cache that reads folders, before the audit hook sees that
        own_import, own_import_module = builtins.__import__, importlib.import_module
        own_find_spec = importlib.util.find_spec

        def watched_import(
            name: str,
            globals: Mapping[str, object] | None = None,
            locals: Mapping[str, object] | None = None,
            fromlist: Sequence[str] | None = (),
            level: int = 0,
        ) -> Any:
            importer = str((globals or {}).get("__name__", ""))
            try:
                module = own_import(name, globals, locals, fromlist or (), level)
            except ModuleNotFoundError:
                self._missed.add(importer)
                raise
            if not importer.startswith("fcregistry."):  # fcregistry's own imports do not matter
                self._note_import(importer, globals or {}, name, fromlist or (), level)
            return module

        def watched_import_module(name: str, package: str | None = None) -> Any:
            try:
                module = own_import_module(name, package)
            except ModuleNotFoundError:
                self._missed.add(_importer())
                raise
            self._imports[_importer()].add(module.__name__)
            return module

        def watched_find_spec(name: str, package: str | None = None) -> Any:
            spec = own_find_spec(name, package)
            if spec is None:
                self._missed.add(_importer())
            return spec

        builtins.__import__ = watched_import
        importlib.util.find_spec = watched_find_spec
        importlib.import_module = watched_import_module
        sys.addaudithook(self._audit)

    def _note_import(
        self, importer: str, scope: Mapping[str, object], name: str, fromlist: Sequence[str], level: int
    ) -> None:
        """Note, for the module `importer`, the modules that an import statement may import.

        These are the module `name`, and `name.each` for each name in `fromlist`, whether that is a module or not.

        Args:
            importer: The module with the statement.
            scope: The global variables of that module.
            name: The name of the imported module, relative to the package if `level` is not 0.
            fromlist: The names that are imported from the module.
            level: The number of dots before the name.
        """
        if level:
            package = str(scope.get("__package__") or "").split(".")
            name = ".".join(filter(None, [*package[: len(package) - level + 1], name]))
        imported = self._imports[importer]
        imported.add(name)
        imported.update(f"{name}.{each}" for each in fromlist)

    def _audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Note the file or folder that an audit event says is opened for reading.

        If importlib opens it, it is added to `modules_read`, but only if it is a file of code; otherwise it is noted for the module that opens
        it (see `_importer`), if any. Nothing is noted for other events, for writing, or for a file given by its number.
        """
        if event not in _READING_EVENTS or not arguments or not isinstance(arguments[0], (str, bytes, os.PathLike)):
            return
        if event == "open" and _is_for_writing(arguments):
            return
        path = os.fsdecode(arguments[0])
        if (
            "importlib" in sys._getframe(1).f_code.co_filename
        ):  # reads a module's own file, or the folder that contains it
            if path.endswith((".py", ".pyc", ".so", ".pyd")):
                self.modules_read.add(path)
            return
        reader = _importer()
        if reader:
            self._opened[reader].add(os.path.abspath(path))

    def files(self, modules: Iterable[str]) -> set[str]:
        """Return the files and folders that importing `modules` has read; not Python's and fcregistry's."""
        found: set[str] = set()
        for name in self._imported_by(modules):
            module = sys.modules.get(name)
            if module is not None and (file := file_of(module)):
                found.add(file)
            opened = self._opened.get(name, ())
            found.update(path for path in opened if is_external(path) and not path.endswith(".pyc"))
        return found

    def missed(self, modules: Iterable[str]) -> bool:
        """Return whether importing `modules` has looked for modules that do not exist.

        What Python's own modules look for does not count.
        """
        return any(
            name in self._missed and file_of(sys.modules.get(name)) is not None for name in self._imported_by(modules)
        )

    def _imported_by(self, modules: Iterable[str]) -> set[str]:
        """Return `modules`, all modules that they import directly or indirectly, and the packages above these.

        Those of fcregistry are left out.
        """
        seen: set[str] = set()
        left = list(modules)
        while left:
            name = left.pop()
            if name in seen or not name or name == "fcregistry" or name.startswith("fcregistry."):
                continue
            seen.add(name)
            left += self._imports.get(name, ())
            left.append(name.rpartition(".")[0])
        return seen

    def sources_read(self) -> set[str]:
        """Return the source files of `modules_read`, except Python's own and fcregistry's."""
        return {_source(path) for path in self.modules_read if is_external(path)}


def _source(path: str) -> str:
    """Return the source file that a path `*.pyc` in `__pycache__` belongs to; any other path as it is."""
    from importlib.util import source_from_cache

    try:
        return source_from_cache(path) if path.endswith(".pyc") else path
    except ValueError:  # byte code that is shipped without its source
        return path


def _is_for_writing(arguments: tuple[Any, ...]) -> bool:
    """Return whether an audit event `open` opens the file for writing.

    Args:
        arguments: Those of the event: path, mode, flags. The flags count if the mode is not text; False if neither is known.
    """
    mode, flags = (*arguments[1:3], None, None)[:2]
    if isinstance(mode, str):
        return any(letter in mode for letter in "wax+")
    return isinstance(flags, int) and bool(flags & (os.O_WRONLY | os.O_RDWR))


def _importer() -> str:
    """Return the name of the innermost module on the stack that is neither Python's own nor fcregistry's.

    The function that calls this one does not count. The result is empty if there is no such module.
    """
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        file = frame.f_code.co_filename
        if not file.startswith("<") and is_external(file):
            return str(frame.f_globals.get("__name__", ""))
        frame = frame.f_back
    return ""
