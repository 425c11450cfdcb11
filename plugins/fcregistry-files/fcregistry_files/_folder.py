"""An open folder whose entries are reached by name, one name at a time, and never through a link.

On POSIX systems every operation is relative to a directory descriptor (`openat`, `fstatat`, `renameat`, ...) and opens with `O_NOFOLLOW`,
so that no other process can redirect it by renaming folders or making links. Windows has no such calls: there the operations use paths,
and links are looked for before and after.
"""

from __future__ import annotations

import os
import secrets
import stat
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final, Literal, TypeAlias

from fcregistry.errors import ToolError

from fcregistry_files._paths import RESERVED, quote

DESCRIPTORS: Final = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")
"""Whether the system can resolve a name relative to an open folder, without following links."""

_FLAGS: Final = sum(
    getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_CLOEXEC", "O_NONBLOCK", "O_NOCTTY", "O_BINARY", "O_NOINHERIT")
)
_REPARSE_POINT: Final = 0x400
_PART: Final = f"{RESERVED}part-"
_LOCK_SECONDS: Final = 10.0
_threads: Final = threading.Lock()


Kind: TypeAlias = Literal["file", "folder", "link", "other"]


class Folder:
    """An open folder. Close it with `close`, or use it as a context manager.

    Args:
        descriptor: Its directory descriptor, which the object then owns; None where the system has none.
        path: Its path, which is used where there is no descriptor.
    """

    __slots__ = ("_descriptor", "_path")

    def __init__(self, descriptor: int | None, path: str) -> None:
        self._descriptor = descriptor
        self._path = path

    @classmethod
    def at(cls, path: str) -> Folder:
        """Open a folder by its path, following links as usual.

        Args:
            path: The path, which an operator chose.

        Raises:
            OSError: It is not a folder, or cannot be opened.
        """
        if DESCRIPTORS:
            return cls(os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC), path)
        os.scandir(path).close()  # raises if it is not a folder
        return cls(None, os.path.realpath(path, strict=True))

    def __enter__(self) -> Folder:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the descriptor."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _where(self, name: str) -> tuple[str, int | None]:
        """Return the entry `name` as the functions of `os` take it: a path, and the argument `dir_fd=`."""
        if DESCRIPTORS:
            if self._descriptor is None:
                raise ValueError("the folder is closed")
            return name, self._descriptor
        return os.path.join(self._path, name), None  # noqa: PTH118

    def stat(self, name: str = ".") -> os.stat_result:
        """Return the status of an entry itself, also if it is a link.

        Args:
            name: The entry; by default, the folder.

        Raises:
            OSError: There is no such entry, or its status cannot be read.
        """
        path, at = self._where(name)
        return os.stat(path, dir_fd=at, follow_symlinks=False)

    def find(self, name: str) -> os.stat_result | None:
        """Return the status of an entry itself, or None if there is none.

        Args:
            name: The entry.

        Raises:
            OSError: Its status cannot be read.
        """
        try:
            return self.stat(name)
        except FileNotFoundError:
            return None

    def names(self) -> list[str]:
        """Return the names of all entries, sorted.

        Raises:
            OSError: The folder cannot be read.
        """
        with os.scandir(self._path if self._descriptor is None else self._descriptor) as entries:
            return sorted(entry.name for entry in entries)

    def folder(self, name: str, *, create: bool = False) -> Folder:
        """Open a folder in this one.

        Args:
            name: Its name.
            create: Whether to make it if it does not exist.

        Raises:
            ToolError: It is a link, or not a folder.
            OSError: It does not exist, or cannot be opened.
        """
        if create:
            with suppress(FileExistsError):
                self.make_folder(name)
        _check_kind(name, self.stat(name), folder=True)
        path, at = self._where(name)
        if not DESCRIPTORS:
            return Folder(None, path)
        try:
            return Folder(os.open(path, os.O_DIRECTORY | _FLAGS, dir_fd=at), os.path.join(self._path, name))  # noqa: PTH118
        except OSError:
            _check_kind(name, self.stat(name), folder=True)  # it became a link after the first look
            raise

    def make_folder(self, name: str, mode: int = 0o777) -> None:
        """Make a folder in this one, so that it survives a crash of the system.

        Args:
            name: Its name.
            mode: Its permissions, before the process's umask.

        Raises:
            OSError: It exists, or cannot be made.
        """
        path, at = self._where(name)
        os.mkdir(path, mode, dir_fd=at)
        self.sync()

    def open_file(self, name: str, *, hard_links: bool = False) -> int:
        """Open a regular file to read it, and return its descriptor.

        Args:
            name: Its name.
            hard_links: Whether the file may have other names too, which may lie anywhere on the file system.

        Raises:
            ToolError: It is a link, a folder, a device, a pipe or a socket; or it has several hard links.
            OSError: It does not exist, or cannot be opened.
        """
        seen = self.stat(name)
        _check_kind(name, seen, hard_links=hard_links)  # before: to open a device may have an effect
        path, at = self._where(name)
        try:
            descriptor = os.open(path, os.O_RDONLY | _FLAGS, dir_fd=at)
        except OSError:
            _check_kind(name, self.stat(name), hard_links=hard_links)
            raise
        try:
            opened = os.fstat(descriptor)
            _check_kind(name, opened, hard_links=hard_links)
            if not DESCRIPTORS:
                _check_same(name, seen, opened)
        except BaseException:  # whatever is raised, the file must not stay open
            os.close(descriptor)
            raise
        return descriptor

    def remove(self, name: str) -> None:
        """Remove a file's name.

        Args:
            name: The name.

        Raises:
            OSError: It does not exist, is a folder, or cannot be removed.
        """
        path, at = self._where(name)
        os.unlink(path, dir_fd=at)

    def remove_folder(self, name: str) -> None:
        """Remove an empty folder.

        Args:
            name: Its name.

        Raises:
            OSError: It does not exist, is not an empty folder, or cannot be removed.
        """
        path, at = self._where(name)
        os.rmdir(path, dir_fd=at)

    def rename(self, name: str, other: Folder, new: str, *, overwrite: bool = False) -> None:
        """Give an entry another name, at once: it has either the old name or the new one.

        Args:
            name: The entry in this folder.
            other: The folder of the new name.
            new: The new name.
            overwrite: Whether to replace a file of that name. Otherwise nothing that exists is ever replaced.

        Raises:
            FileExistsError: The new name exists, and `overwrite` is false.
            OSError: The entry cannot be renamed, for example to another file system.
        """
        (old_path, old_at), (new_path, new_at) = self._where(name), other._where(new)
        if overwrite:
            os.replace(old_path, new_path, src_dir_fd=old_at, dst_dir_fd=new_at)
        elif old_at is None or new_at is None:
            os.rename(old_path, new_path)  # noqa: PTH104  # on Windows it never replaces
        elif not _rename_new(name, old_at, new, new_at):
            # No call of this system does it at once. A link does it for files; a folder can at worst replace an empty folder.
            if stat.S_ISDIR(self.stat(name).st_mode):
                if other.find(new) is not None:
                    raise FileExistsError(17, "File exists", new)
                os.rename(name, new, src_dir_fd=old_at, dst_dir_fd=new_at)
            else:
                os.link(name, new, src_dir_fd=old_at, dst_dir_fd=new_at, follow_symlinks=False)
                os.unlink(name, dir_fd=old_at)
        other.sync()
        self.sync()

    def sync(self) -> None:
        """Write the folder's entries to the disk, where the system can do that for a folder."""
        if self._descriptor is not None:
            with suppress(OSError):  # some network file systems cannot
                os.fsync(self._descriptor)

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Exclude other writers of this package from the folder while the block runs.

        This applies to threads everywhere, and to processes on POSIX systems.

        Raises:
            ToolError: Another writer kept the folder for ten seconds.
        """
        until = time.monotonic() + _LOCK_SECONDS
        if not DESCRIPTORS:
            if not _threads.acquire(timeout=_LOCK_SECONDS):
                raise _locked_error()
            try:
                yield
            finally:
                _threads.release()
            return
        descriptor = os.open(".", os.O_DIRECTORY | _FLAGS, dir_fd=self._descriptor)  # a lock of its own in each thread
        try:
            while not _try_lock(descriptor):
                if time.monotonic() > until:
                    raise _locked_error()
                time.sleep(0.002)
            yield
        finally:
            os.close(descriptor)

    def new_part(self, mode: int) -> tuple[int, str]:
        """Make an unfinished file under a reserved name, and return its descriptor and name.

        It is locked while its writer lives: what a killed writer left behind is removed by the next one in the folder.

        Args:
            mode: Its permissions, before the process's umask.

        Raises:
            OSError: It cannot be made.
        """
        self._remove_dead_parts()
        while True:
            name = f"{_PART}{secrets.token_hex(8)}"
            path, at = self._where(name)
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | _FLAGS, mode, dir_fd=at)
            if not DESCRIPTORS or (_try_lock(descriptor) and os.fstat(descriptor).st_nlink):
                return descriptor, name
            os.close(descriptor)  # another writer took it for dead, just before the lock

    def _remove_dead_parts(self) -> None:
        """Remove the unfinished files in this folder whose writers were killed."""
        with suppress(OSError, ToolError):  # the leftovers of others do not matter here
            parts = [name for name in self.names() if name.startswith(_PART)]
            if not parts:
                return
            with self.lock():  # so that none is between its last byte and its rename
                for name in parts:
                    self._remove_dead_part(name)

    def _remove_dead_part(self, name: str) -> None:
        """Remove the unfinished file `name`, unless its writer still runs."""
        with suppress(OSError):
            if not DESCRIPTORS:
                self.remove(name)  # Windows refuses while it is open
            elif stat.S_ISREG(self.stat(name).st_mode):
                path, at = self._where(name)
                descriptor = os.open(path, os.O_RDONLY | _FLAGS, dir_fd=at)
                try:
                    if _try_lock(descriptor):
                        self.remove(name)
                finally:
                    os.close(descriptor)


def _check_kind(name: str, status: os.stat_result, *, folder: bool = False, hard_links: bool = True) -> None:
    """Raise `ToolError` unless the entry `name` is a folder if `folder` is true, else a regular file.

    Args:
        name: The name of the entry.
        status: Its status.
        folder: Whether it must be a folder.
        hard_links: Whether a file may have several hard links.
    """
    kind = kind_of(status)
    if kind == "link":
        raise ToolError(f"{quote(name)} is a link; links are never followed. Use the path of what it leads to.")
    if kind == "other":
        raise ToolError(f"{quote(name)} is a device, a pipe or a socket; only regular files and folders can be used")
    if folder and kind == "file":
        raise ToolError(f"{quote(name)} is a file, not a folder")
    if not folder and kind == "folder":
        raise ToolError(f"{quote(name)} is a folder, not a file; list_directory shows what is in it")
    if kind == "file" and not hard_links and status.st_nlink > 1:
        raise ToolError(
            f"{quote(name)} has {status.st_nlink} hard links, so it may belong to a place outside of the folder; "
            "it is neither read nor written"
        )


def _check_same(name: str, seen: os.stat_result, opened: os.stat_result) -> None:
    """Raise `ToolError` if the file that was opened is not the one whose status was `seen` before."""
    if (seen.st_dev, seen.st_ino) != (opened.st_dev, opened.st_ino):
        raise ToolError(f"{quote(name)} changed while it was opened; try again", retryable=True)


def kind_of(status: os.stat_result) -> Kind:
    """Return `file`, `folder`, `link`, or `other` (a device, a pipe, a socket).

    Args:
        status: The status of an entry itself.
    """
    if stat.S_ISLNK(status.st_mode) or getattr(status, "st_file_attributes", 0) & _REPARSE_POINT:
        return "link"
    if stat.S_ISREG(status.st_mode):
        return "file"
    return "folder" if stat.S_ISDIR(status.st_mode) else "other"


def _locked_error() -> ToolError:
    """Return the error for a folder that another writer keeps."""
    return ToolError("another write in this folder is under way; try again", retryable=True)


if sys.platform == "win32":

    def _try_lock(descriptor: int) -> bool:
        return True

else:
    import fcntl

    def _try_lock(descriptor: int) -> bool:
        """Lock an open file or folder, and return True; return False if another writer has locked it."""
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:
            return True  # a file system without locks
        return True


def _rename_new(name: str, old_at: int, new: str, new_at: int) -> bool:
    """Rename the entry `name` to `new`, which must be free, in one step.

    Return False if the system cannot do that.

    Linux has `renameat2` (2014) for it, and macOS `renameatx_np` (2016). Python has neither.
    """
    import ctypes  # needed for this call alone

    call, flag = ("renameat2", 1) if sys.platform == "linux" else ("renameatx_np", 4)
    function = getattr(ctypes.CDLL(None, use_errno=True), call, None)
    if function is None:
        return False
    function.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint]
    if function(old_at, os.fsencode(name), new_at, os.fsencode(new), flag) == 0:
        return True
    error = ctypes.get_errno()
    from errno import EINVAL, ENOSYS, ENOTSUP  # likewise

    if error in (ENOSYS, EINVAL, ENOTSUP):  # EINVAL: this file system cannot
        return False
    raise OSError(error, os.strerror(error), name)
