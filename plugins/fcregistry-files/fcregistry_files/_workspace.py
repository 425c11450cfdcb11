"""The workspace that the tools of one root share: the root, the limits, and which version of each file was read."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from threading import Lock
from typing import Any, Final

from fcregistry.errors import ToolError

from fcregistry_files._folder import Folder
from fcregistry_files._paths import quote, split_path
from fcregistry_files._root import Root
from fcregistry_files._text import Encoding, Text
from fcregistry_files._trash import Trash

_MOST_REMEMBERED: Final = 10_000


@dataclass(frozen=True, slots=True)
class Place:
    """The folder that tools may use, and where they put what they delete.

    Attributes:
        root: The folder.
        trash: The trash; None if the tools only read.
    """

    root: Root
    trash: Trash | None = None


class Seen:
    """Records which version of each file the model has seen. Old entries are forgotten first."""

    def __init__(self) -> None:
        self._digests: OrderedDict[str, bytes] = OrderedDict()
        self._lock = Lock()

    def __reduce__(self) -> tuple[type[Seen], tuple[()]]:
        """Return how another process makes this object, in which no file was read yet."""
        return Seen, ()

    def __contains__(self, key: str) -> bool:
        return key in self._digests

    def note(self, key: str, data: bytes) -> None:
        """Remember a version of a file.

        Args:
            key: The key of the file.
            data: Its bytes.
        """
        with self._lock:
            self._digests[key] = sha256(data).digest()
            self._digests.move_to_end(key)
            while len(self._digests) > _MOST_REMEMBERED:
                self._digests.popitem(last=False)

    def forget(self, key: str) -> None:
        """Forget a file, or a folder with the files below it.

        Args:
            key: The key.
        """
        with self._lock:
            for each in [each for each in self._digests if each == key or each.startswith(f"{key}/")]:
                del self._digests[each]

    def differs(self, key: str, data: bytes) -> bool:
        """Return whether another version of a file was seen last.

        Args:
            key: The key of the file.
            data: Its bytes now.
        """
        known = self._digests.get(key)
        return known is not None and known != sha256(data).digest()


@dataclass(frozen=True, slots=True)
class Workspace:
    """The data that the tools of one root share.

    Attributes:
        place: Returns the root and the trash.
        max_bytes: The most bytes of a file that is read as a whole.
        max_characters: The most characters of text in one result.
        search_seconds: How long one search may take.
        seen: The digests of the files that were read, by key.
    """

    place: Callable[[], Place]
    max_bytes: int = 10_000_000
    max_characters: int = 50_000
    search_seconds: float = 10.0
    seen: Seen = field(default_factory=Seen)

    @property
    def root(self) -> Root:
        """The folder."""
        return self.place().root

    def key(self, path: str) -> str | tuple[()]:
        """Return the key of a path for `reads=` and `writes=`; none for a path that cannot be used.

        Args:
            path: A path below the root.
        """
        try:
            return self.root.key(path)
        except ToolError:
            return ()  # the call fails, and uses nothing

    def keys(self, *names: str) -> Callable[[dict[str, Any]], list[str]]:
        """Return a function for `reads=` or `writes=`: the keys of the paths in some arguments.

        Args:
            *names: The names of the arguments.
        """
        return lambda arguments: [key for name in names if (key := self.key(arguments[name]))]

    def exists(self, path: str) -> bool:
        """Return whether something has a path now, whatever it is.

        Args:
            path: The path.
        """
        *above, name = split_path(path) or (".",)
        try:
            with self.root.folder("/".join(above)) as folder:
                return folder.find(name) is not None
        except ToolError:
            return False  # nor does its folder; any other problem is found when the folder is made

    def read(self, path: str, *, remember: bool = True) -> bytes:
        """Return the bytes of a file, and remember that this version of it was read.

        Args:
            path: The path of the file.
            remember: Whether the model gets to know the content.

        Raises:
            ToolError: It cannot be read, or is too large.
        """
        with self.root.parent(path) as (folder, name):
            data = self.read_from(folder, name)
        if data is None:
            raise ToolError(
                f"{quote(path)} is too large: it has more than {self.max_bytes:,} bytes, the most that the tools read"
            )
        if remember:
            self.seen.note(self.root.key(path), data)
        return data

    def read_from(self, folder: Folder, name: str) -> bytes | None:
        """Return the bytes of a file in an open folder; None if it is too large.

        Args:
            folder: The folder.
            name: The name of the file.

        Raises:
            ToolError: It is not a regular file, or has several hard links.
            OSError: It cannot be read.
        """
        with os.fdopen(folder.open_file(name, hard_links=self.root.hard_links), "rb") as file:
            data = file.read(self.max_bytes + 1)
        return data if len(data) <= self.max_bytes else None

    def read_text(self, path: str, encoding: Encoding | None = None, *, remember: bool = True) -> tuple[Text, bytes]:
        """Return the text of a file, and its bytes.

        Args:
            path: The path of the file.
            encoding: Its encoding; by default, it is recognized.
            remember: Whether the model gets to know the content.

        Raises:
            ToolError: It cannot be read, is too large, or is not text.
        """
        data = self.read(path, remember=remember)
        return Text.of(data, path, encoding), data

    def check_unchanged(self, path: str, data: bytes) -> None:
        """Raise `ToolError` if a file that was read before has other bytes now.

        Args:
            path: The path of the file.
            data: Its bytes now.
        """
        if self.seen.differs(self.root.key(path), data):
            raise ToolError(f"{quote(path)} has changed since it was read; nothing was changed. Read it again first.")
