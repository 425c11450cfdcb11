"""The trash of a root: where deleted files are kept until an operator restores or removes them."""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from fcregistry.errors import ConfigurationError, ToolError

from fcregistry_files._folder import Folder, kind_of
from fcregistry_files._paths import RESERVED, quote
from fcregistry_files._root import Root

_ITEM: Final = "item"
_NOTE: Final = "about.json"
_ID: Final = re.compile(r"[0-9]{8}T[0-9]{6}-[0-9a-f]{8}")


@dataclass(frozen=True, slots=True)
class Deleted:
    """One file or folder in the trash.

    Attributes:
        id: Its name in the trash, which `Trash.restore` takes.
        path: Where it was, relative to the root.
        when: When it was deleted.
    """

    id: str
    path: str
    when: datetime


class Trash:
    """The files and folders that the tools of a root have deleted.

    Only the operator reads and restores them, never a tool.

    Args:
        root: The root, or its path.
        path: The folder of the trash, on the same file system and not below the root. By default, a folder beside the root
            whose name begins with `.fcregistry-trash-`, which no tool of any root reads.

    Raises:
        ConfigurationError: The folder cannot be the trash; the message says why.
    """

    def __init__(self, root: Root | str | os.PathLike[str], path: str | os.PathLike[str] | None = None) -> None:
        self.root: Final = root if isinstance(root, Root) else Root(root)
        own = Path(self.root.path)
        default = own.parent / f"{RESERVED}trash-{own.name or 'root'}"
        self.path: Final = default if path is None else Path(os.path.realpath(path))
        self._check()

    def __reduce__(self) -> tuple[Callable[..., Trash], tuple[Root, Path]]:
        """Return how another process opens the same trash."""
        return Trash, (self.root, self.path)

    def __repr__(self) -> str:
        return f"Trash({self.root.path!r}, {str(self.path)!r})"

    def _check(self) -> None:
        """Raise `ConfigurationError` if the folder cannot be the trash."""
        own, advice = (
            Path(self.root.path),
            "pass trash=, a folder of yours on the same file system, outside of the root",
        )
        if self.path.is_relative_to(own):
            raise ConfigurationError(f"the trash {str(self.path)!r} is in the root itself, where tools read: {advice}")
        there = self.path if self.path.exists() else self.path.parent
        if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
            raise ConfigurationError(f"the trash {str(self.path)!r} cannot be made or written: {advice}")
        if there.stat().st_dev != own.stat().st_dev:
            raise ConfigurationError(f"the trash {str(self.path)!r} is on another file system than the root: {advice}")
        if there == self.path and sys.platform != "win32":
            status = self.path.lstat()
            if status.st_uid != os.geteuid() or status.st_mode & 0o022 or self.path.is_symlink():
                raise ConfigurationError(
                    f"the trash {str(self.path)!r} belongs to others, or others may write in it: {advice}"
                )

    def put(self, folder: Folder, name: str, path: str) -> Deleted:
        """Move an entry into the trash, at once: it is either in its folder or in the trash.

        Args:
            folder: The folder that contains it.
            name: Its name.
            path: Its path, to restore it to.

        Raises:
            OSError: It cannot be moved.
        """
        self.path.mkdir(mode=0o700, exist_ok=True)
        self._check()
        now = datetime.now(UTC)
        deleted = Deleted(f"{now:%Y%m%dT%H%M%S}-{secrets.token_hex(4)}", path, now)
        with self._locked() as trash:
            trash.make_folder(deleted.id, 0o700)
            with trash.folder(deleted.id) as place:
                try:
                    note = json.dumps({"path": path, "when": now.isoformat()})
                    Path(self.path, deleted.id, _NOTE).write_text(note, encoding="utf-8")
                    folder.rename(name, place, _ITEM)
                except BaseException:  # whatever is raised, no entry may stay without what was deleted
                    if place.find(_ITEM) is None:
                        with suppress(OSError):
                            self._remove(deleted.id)
                    raise
        return deleted

    def entries(self) -> list[Deleted]:
        """Return what is in the trash, the oldest first.

        Raises:
            OSError: The trash cannot be read.
        """
        found = []
        for place in self.path.iterdir() if self.path.is_dir() else []:
            if os.path.lexists(place / _ITEM) and (place / _NOTE).is_file():
                note = json.loads((place / _NOTE).read_text(encoding="utf-8"))
                found.append(Deleted(place.name, note["path"], datetime.fromisoformat(note["when"])))
        return sorted(found, key=lambda each: (each.when, each.id))

    def restore(self, id: str, *, to: str | None = None) -> str:
        """Move something from the trash back below the root, and return its path.

        It never replaces a file or folder that exists.

        Args:
            id: The entry's `id`.
            to: Its new path below the root; by default, the path it had.

        Raises:
            ToolError: There is no such entry, or its path exists or cannot be made.
        """
        entry = next((each for each in self.entries() if each.id == id), None)
        if entry is None:
            raise ToolError(f"{quote(id)} is not in the trash {quote(str(self.path))}")
        path = entry.path if to is None else to
        with self._locked():
            with self.root.parent(path, create=True) as (folder, name), Folder.at(str(self.path / id)) as place:
                place.rename(_ITEM, folder, name)
            self._remove(id)
        return path

    def empty(self, older_than: timedelta = timedelta(0)) -> int:
        """Remove what is in the trash for good, and return how many entries that were.

        It also removes the empty entries of programs that were killed while they deleted or restored something.

        Args:
            older_than: Keep what was deleted more recently than this.

        Raises:
            OSError: Something cannot be removed.
        """
        limit = datetime.now(UTC) - older_than
        old = [each for each in self.entries() if each.when <= limit]
        for each in old:
            self._remove(each.id)
        if self.path.is_dir():
            with self._locked() as trash:
                for name in trash.names():
                    if _ID.fullmatch(name) and not os.path.lexists(self.path / name / _ITEM):
                        self._remove(name)
        return len(old)

    @contextmanager
    def _locked(self) -> Iterator[Folder]:
        """Open the folder of the trash. While the block runs, no one else deletes or restores."""
        with Folder.at(str(self.path)) as trash, trash.lock():
            yield trash

    def _remove(self, id: str) -> None:
        """Remove an entry, its note last: if the program is killed, it is still an entry, or empty."""
        place = self.path / id
        item = place / _ITEM
        if os.path.lexists(item) and kind_of(item.lstat()) == "folder":
            shutil.rmtree(item)
        else:
            item.unlink(missing_ok=True)
        (place / _NOTE).unlink(missing_ok=True)
        with suppress(FileNotFoundError):  # another program empties the trash too
            place.rmdir()
