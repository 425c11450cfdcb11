"""The folder that the tools may use, and how files in it are read and replaced."""

from __future__ import annotations

import errno
import os
import stat
import sys
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from difflib import get_close_matches
from typing import BinaryIO, Final

from fcregistry.errors import ToolError

from fcregistry_files._folder import Folder
from fcregistry_files._paths import name_problem, order_key, quote, split_path

_NO_SPACE: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_NO_SPACE_REASON: Final = "cannot be written: there is no space left; nothing was changed"
_REASONS: Final = {
    **dict.fromkeys(_NO_SPACE, _NO_SPACE_REASON),
    errno.EEXIST: "exists already; nothing was changed",
    errno.EACCES: "cannot be used: the program has no permission for it",
    errno.EPERM: "cannot be used: the program has no permission for it",
    errno.EROFS: "cannot be changed: the file system is read-only",
    errno.ENOTDIR: "cannot be used: a part of the path is a file, not a folder",
    errno.EISDIR: "is a folder, not a file",
    errno.ENOTEMPTY: "is a folder that is not empty",
    errno.ENAMETOOLONG: "cannot be used: a name is too long for the file system",
    errno.EXDEV: "cannot be moved: the new place is on another file system",
    errno.ELOOP: "cannot be used: a part of the path is a link; links are never followed",
    errno.EMFILE: "cannot be opened: the program has too many open files; try again",
    errno.ENFILE: "cannot be opened: the system has too many open files; try again",
}
_RETRYABLE: Final = (errno.EMFILE, errno.ENFILE, errno.EBUSY, errno.EAGAIN)


class Root:
    """An open folder, below which paths are resolved without following a link and without leaving it.

    The folder is opened once: if another folder takes its path later, this object still means the first one.

    Args:
        path: The folder. Links in this path are followed, since the operator chose it.
        hard_links: Whether files with several hard links may be read and written: the other names may be outside the folder.

    Raises:
        OSError: It does not exist, is not a folder, or cannot be opened.
    """

    def __init__(self, path: str | os.PathLike[str], *, hard_links: bool = False) -> None:
        self.path: Final = os.path.realpath(os.fspath(path), strict=True)
        self.hard_links: Final = hard_links
        self._folder = Folder.at(self.path)
        self._finalizer = weakref.finalize(self, self._folder.close)

    def __reduce__(self) -> tuple[Callable[..., Root], tuple[str, bool]]:
        """Return how another process opens the folder again, by its path."""
        return _open_root, (self.path, self.hard_links)

    def __repr__(self) -> str:
        return f"Root({self.path!r})"

    def close(self) -> None:
        """Close the folder. The object cannot be used afterwards."""
        self._finalizer()

    def key(self, path: str) -> str:
        """Return the key of a path for a tool's options `reads=` and `writes=`.

        Spellings that some file systems take for one file, such as `A.txt` and `a.txt`, have one key.

        Args:
            path: A path below the root.

        Raises:
            ToolError: The path cannot be used.
        """
        return order_key(self.path, split_path(path))

    @contextmanager
    def folder(self, path: str = "", *, create: bool = False) -> Iterator[Folder]:
        """Open a folder below the root, name by name.

        Args:
            path: Its path; by default, the root itself.
            create: Whether to make the folders that do not exist.

        Raises:
            ToolError: It cannot be opened, or something that was done in it failed; the message says why.
        """
        with self._explain(path or "."), self._walk(split_path(path), create=create) as folder:
            yield folder

    @contextmanager
    def parent(self, path: str, *, create: bool = False) -> Iterator[tuple[Folder, str]]:
        """Open the folder that contains a file, and yield it with the file's own name.

        Args:
            path: The path of the file, which need not exist.
            create: Whether to make the folders that do not exist.

        Raises:
            ToolError: The folder cannot be opened, or something that was done in it failed; the message says why.
        """
        *above, name = _names_of(path)
        with self._explain(path), self._walk(above, create=create) as folder:
            yield folder, name

    @contextmanager
    def _walk(self, names: Sequence[str], *, create: bool) -> Iterator[Folder]:
        """Open the folder whose path below the root has `names`, name by name, and yield it."""
        with ExitStack() as last:  # closes the folder that was opened last
            folder = self._folder
            for name in names:
                below = folder.folder(name, create=create)
                last.close()
                folder = last.enter_context(below)
            yield folder

    @contextmanager
    def open_to_read(self, path: str) -> Iterator[BinaryIO]:
        """Open a regular file to read its bytes.

        Args:
            path: The path of the file below the root.

        Raises:
            ToolError: It cannot be opened or read, is not a regular file, or has several hard links.
        """
        with (
            self.parent(path) as (folder, name),
            os.fdopen(folder.open_file(name, hard_links=self.hard_links), "rb") as file,
        ):
            yield file

    @contextmanager
    def open_to_write(
        self, path: str, *, overwrite: bool = False, unchanged: Callable[[], object] | None = None
    ) -> Iterator[BinaryIO]:
        """Open a file to write; it appears, complete, when the block ends.

        If the block raises, no file appears.

        The bytes are written to a file with a reserved name in the same folder, and to the disk, before that file is renamed.
        Missing folders of the path are made. A new file gets the permissions of the file that it replaces.

        Args:
            path: The path of the file below the root.
            overwrite: Whether to replace an existing file. Otherwise none is ever replaced, not even one that appears meanwhile.
            unchanged: Called last before the file appears, while no other writer of this package can write in the folder;
                it raises to stop that.

        Raises:
            ToolError: The file exists, or cannot be written; nothing was changed then.
        """
        *above, name = _names_of(path)
        with self._explain(path) as errors, self._walk(above, create=True) as folder, ExitStack() as removal:
            old = self._check_target(folder, name, path, overwrite)
            descriptor, part = folder.new_part(0o666 if old is None else 0o600)
            removal.callback(_remove, folder, part)
            with os.fdopen(descriptor, "w+b") as file:
                try:
                    yield file
                except OSError as error:
                    if error.errno not in _NO_SPACE:
                        errors.passed_through = error  # the block's own
                    raise
                file.flush()
                os.fsync(descriptor)
                with folder.lock():
                    if unchanged is not None:
                        unchanged()
                    old = self._check_target(folder, name, path, overwrite)
                    if old is not None:
                        _copy_ownership(descriptor, old)
                    file.close()  # Windows renames no open file
                    folder.rename(part, folder, name, overwrite=old is not None)
                    removal.pop_all()

    def _check_target(self, folder: Folder, name: str, path: str, overwrite: bool) -> os.stat_result | None:
        """Return the status of the file `name` that is replaced, or None if there is no such file.

        Raises:
            FileExistsError: The file exists, and `overwrite` is false.
            ToolError: It is not a regular file, or has several hard links.
        """
        old = folder.find(name)
        if old is None:
            return None
        if not overwrite:
            raise FileExistsError(errno.EEXIST, "File exists", path)
        os.close(folder.open_file(name, hard_links=self.hard_links))  # raises unless it is a plain file
        return old

    def _explain(self, path: str) -> _ErrorTranslation:
        """Return a context manager that translates errors of the operating system about `path`."""
        return _ErrorTranslation(self, path)

    def _not_found_message(self, path: str) -> str:
        """Return a message that says which name of `path` does not exist, and which similar names do."""
        names = split_path(path)
        for depth in range(len(names)):
            above = "/".join(names[:depth])
            with suppress(OSError, ToolError), self._walk(names[:depth], create=False) as folder:
                if folder.find(names[depth]) is not None:
                    continue
                place = quote(above) if above else "the root folder"
                there = [name for name in folder.names() if name_problem(name) is None]
                near = get_close_matches(names[depth].casefold(), [name.casefold() for name in there], n=3)
                meant = [quote("/".join((*names[:depth], name))) for name in there if name.casefold() in near]
                hint = f"; did you mean {' or '.join(meant[:3])}?" if meant else ""
                return f"{quote(path)} does not exist: {quote(names[depth])} is not in {place}{hint}"
        return f"{quote(path)} does not exist"


class _ErrorTranslation:
    """Turns the errors of the operating system into errors that tell a model what to do.

    Attributes:
        passed_through: An exception that is not translated.
    """

    def __init__(self, root: Root, path: str) -> None:
        self._root, self._path = root, path
        self.passed_through: BaseException | None = None

    def __enter__(self) -> _ErrorTranslation:
        return self

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        if isinstance(error, OSError) and error is not self.passed_through:
            path, number = self._path, error.errno or 0
            missing = isinstance(error, FileNotFoundError)
            text = (
                self._root._not_found_message(path)
                if missing
                else f"{quote(path)} {_REASONS.get(number, error.strerror)}"
            )
            raise ToolError(text, retryable=number in _RETRYABLE) from error


def _open_root(path: str, hard_links: bool) -> Root:
    """Return the open folder `path`: the function by which another process unpickles a `Root`."""
    return Root(path, hard_links=hard_links)


def _names_of(path: str) -> tuple[str, ...]:
    """Return the names of `path`; raise `ToolError` if it is the root itself."""
    names = split_path(path)
    if not names:
        raise ToolError("the path names the root folder itself; write the path of something in it")
    return names


def _remove(folder: Folder, part: str) -> None:
    """Remove the unfinished file `part`, if possible."""
    with suppress(OSError):
        folder.remove(part)


def _copy_ownership(descriptor: int, old: os.stat_result) -> None:
    """Give an open file the permissions of the file whose status is `old`, and its owner if possible."""
    if sys.platform == "win32":
        return
    new = os.fstat(descriptor)
    if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
        with suppress(PermissionError):
            os.fchown(descriptor, old.st_uid, old.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(old.st_mode) & 0o777)
