"""Configuration files on disk: whether one is there, what is in it, and whether others than the user may have written it.

`settings.py` reads what their tables say.
"""

# ruff: noqa: PTH114, PTH116, PTH120
# since pathlib takes longer to import than all of this
from __future__ import annotations

import os
from stat import S_ISDIR, S_ISREG
from time import monotonic, sleep, time
from typing import Final, NamedTuple, TypeAlias

from fcregistry.errors import ConfigurationError

MOST_BYTES: Final = 1 << 18
"""The most bytes of a configuration file, also of a pyproject.toml."""

SETTLED: Final = 0.25
"""Seconds for which a file must not have changed before a change of it counts, and before it counts that it is empty or missing.

A program that rewrites a file leaves it empty or missing for a moment, which is longer on a busy machine.
"""

_PAUSE: Final = 0.02
"""Seconds between two snapshots of a file that was just written. A file with content must stay unchanged so long when it is first read."""

_MOST_SNAPSHOTS: Final = 25

_Stamp: TypeAlias = tuple[int, int, int, int, int]

_known: Final[dict[str, tuple[bytes, _Stamp | None]]] = {}
"""Path -> the content that counts, and its stamp. One object for one content, so that its hash is computed once."""

_pending: Final[dict[str, tuple[_Snapshot, float]]] = {}
"""Path -> a change that does not count yet, and when it was seen."""

_MOST_KNOWN: Final = 256


_IS_POSIX: Final = os.name == "posix"


def is_there(path: str) -> bool:
    """Return whether there is a file, a folder, or a link, which may lead nowhere."""
    if _IS_POSIX:
        return os.access(path, os.F_OK, follow_symlinks=False)  # a third of the time of an exception
    return os.path.lexists(path)


def _is_surely_there(path: str) -> bool:
    """Return whether there is a file, a folder or a link at `path`, as `is_there` does.

    Raises:
        ConfigurationError: The system does not say, as in a folder that is closed to this process.
    """
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise ConfigurationError(f"the system does not say whether {path} exists: {error.strerror}") from error
    return True


def read_file(path: str, *, in_project: bool = False, in_open_folder: bool = False) -> bytes | None:
    """Return the content of a configuration file; None if there is none.

    While something rewrites a file, it may be empty, incomplete or missing. So the content that was read before counts until the file has
    stayed unchanged for a moment. If the file was not read before, this function waits for that.

    Args:
        path: The file.
        in_project: Whether others than the user may have put it there. Then a pipe or device is an error: reading it might never end.
        in_open_folder: Whether it is an error if the folder is closed to this process. Otherwise no file is there, as far as it can know.

    Raises:
        ConfigurationError: It cannot be read, is too large, or changes all the time.
    """
    known, stamp = _known.get(path, (None, None))
    if known is None and not (_is_surely_there(path) if in_open_folder else is_there(path)):
        folder = os.path.dirname(path)
        if not in_project and is_there(folder) and not os.access(folder, os.F_OK):
            raise ConfigurationError(f"{folder} is a link to a folder that does not exist; correct or remove it")
        return None
    if stamp is not None and stamp == _stamp_now(path):
        return known
    snapshot = _take_snapshot(path, known, in_project=in_project)
    if known is None:
        return _remember(path, _wait_until_unchanged(path, snapshot, in_project=in_project), known)
    return _remember(path, snapshot, known) if _is_settled(path, snapshot) else known


def _wait_until_unchanged(path: str, snapshot: _Snapshot, *, in_project: bool) -> _Snapshot:
    """Wait, and return the first snapshot, from `snapshot` on, that has stayed unchanged for a moment.

    The moment is `_PAUSE` seconds if the file has content, or else `SETTLED`.

    Raises:
        ConfigurationError: The file changes all the time, or cannot be read any more.
    """
    unchanged = 0.0
    for _ in range(_MOST_SNAPSHOTS):
        needed = _PAUSE if snapshot.content else SETTLED
        if unchanged >= needed or time() - snapshot.modified >= needed:
            return snapshot
        sleep(_PAUSE)
        again = _take_snapshot(path, None, in_project=in_project)
        unchanged = unchanged + _PAUSE if again == snapshot else 0.0
        snapshot = again
    raise ConfigurationError(f"{path} changes while it is read; its rules are not known until that ends")


def _is_settled(path: str, snapshot: _Snapshot) -> bool:
    """Return whether a file has stayed as in `snapshot` for `SETTLED` seconds.

    If it has not, the snapshot is stored as pending. The file's own time says it, or the times of two calls with equal snapshots if a clock is wrong.
    """
    if time() - snapshot.modified >= SETTLED:
        _pending.pop(path, None)
        return True
    before, since = _pending.get(path, (None, 0.0))
    if before == snapshot:
        return monotonic() - since >= SETTLED
    _pending[path] = (snapshot, monotonic())
    return False


class _Snapshot(NamedTuple):
    """The content of a file at one moment.

    Attributes:
        content: The content; None if there was no file.
        modified: When the file was modified, or its folder if there was no file.
        stamp: Differs after each change of the file; None if nothing shows each change.
    """

    content: bytes | None
    modified: float
    stamp: _Stamp | None = None


def _remember(path: str, snapshot: _Snapshot, known: bytes | None) -> bytes | None:
    """Store a snapshot as the content that counts, and return its content.

    If the content equals `known`, `known` itself is stored and returned. If there is no file, return None and forget what was stored. When 256
    files are stored, all are forgotten first.
    """
    if snapshot.content is None:
        _known.pop(path, None)
        return None
    if len(_known) >= _MOST_KNOWN:
        _known.clear()
        _pending.clear()
    content = known if snapshot.content == known else snapshot.content
    _known[path] = (content, snapshot.stamp)
    return content


def _time_of_folder(path: str) -> float:
    """Return when the folder of `path` was modified, in seconds since the epoch.

    Infinity if it is not there.
    """
    try:
        return os.stat(os.path.dirname(path)).st_mtime
    except OSError:  # the folder is missing, too, and nothing says since when
        return float("inf")


def _stamp_now(path: str) -> _Stamp | None:
    """Return the stamp (see `_stamp_of`) of the file at `path`; None if it has none, or does not exist."""
    try:
        return _stamp_of(os.stat(path))
    except OSError:
        return None


def _stamp_of(status: os.stat_result) -> _Stamp | None:
    """Return a tuple that differs after each change of a file; None if nothing is sure to.

    Programs can set the time of modification, but not that of the last change, which only POSIX systems have. Some file systems count it in
    whole seconds, in which there may be several changes. Only a regular file has a stamp.
    """
    if not _IS_POSIX or not S_ISREG(status.st_mode) or status.st_ctime_ns % 1_000_000_000 == 0:
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _take_snapshot(path: str, known: bytes | None, *, in_project: bool) -> _Snapshot:
    """Return a snapshot of the file at `path`; one without content if no file is there.

    Args:
        path: The file.
        known: The content that was read before, or None. A pipe or device with such content is not read again, and the snapshot has it.
        in_project: Whether others than the user may have put it there.

    Raises:
        ConfigurationError: It cannot be read, is too large, or is a link to a missing file; or a pipe or device in a project.
    """
    try:
        status = os.stat(path)
        if not S_ISREG(status.st_mode) and not S_ISDIR(status.st_mode):
            if in_project:
                raise ConfigurationError(f"{path} is not a regular file")
            if known is not None:  # a pipe cannot be read a second time
                return _Snapshot(known, 0.0)
        return _read(path, status, waits=not in_project)
    except OSError as error:
        if not is_there(path):
            return _Snapshot(None, _time_of_folder(path))
        if isinstance(error, FileNotFoundError):
            raise ConfigurationError(f"{path} is a link to a file that does not exist; correct or remove it") from error
        raise ConfigurationError(f"{path} cannot be read: {error.strerror}") from error


def _read(path: str, status: os.stat_result, *, waits: bool) -> _Snapshot:
    """Return a snapshot of a regular file, a pipe or a device.

    The time is asked for after the content is read: what is written meanwhile changes the time. A pipe or device has the time 0.

    Args:
        path: The file.
        status: Its status before it is read.
        waits: Whether reading may wait for data, as from a pipe.

    Raises:
        ConfigurationError: It has more than `MOST_BYTES`.
        OSError: It cannot be read.
    """
    flags = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    file = os.open(path, flags | (0 if waits else getattr(os, "O_NONBLOCK", 0)))
    try:
        content = b""
        while part := os.read(file, min(status.st_size, MOST_BYTES) + 1):
            content += part
            if len(content) > MOST_BYTES:
                raise ConfigurationError(
                    f"{path} has more than {MOST_BYTES >> 10} KiB, the most that is read; its rules are not known"
                )
        status = os.fstat(file)
    finally:
        os.close(file)
    return _Snapshot(content, status.st_mtime if S_ISREG(status.st_mode) else 0.0, _stamp_of(status))


# --- Whose a file is ---


def doubt_about(path: str) -> str:
    """Return the reason others than the user and root may have written a file; empty if they cannot have.

    The file and its folder must belong to the user or root, and others must not be able to write to them. If the file is a link, the same
    applies to the file that it leads to. Only POSIX systems can tell.

    Args:
        path: The file.
    """
    if not hasattr(os, "geteuid"):
        return ""
    folder = os.path.dirname(path)
    try:
        places = [("it", os.lstat(path)), (f"the folder {folder}", os.stat(folder))]
        if os.path.islink(path):
            target = os.path.realpath(path)
            above = os.path.dirname(target)
            places[:1] = [("it", os.stat(path)), ("the link", os.lstat(path)), (f"the folder {above}", os.stat(above))]
    except OSError as error:
        return f"the system does not say whose it is: {error.strerror}"
    return next((f"{what} {why}" for what, status in places if (why := _why_others_can_write(status))), "")


def _why_others_can_write(status: os.stat_result) -> str:
    """Return the reason others than the user and root can write to a file or folder; empty if they cannot.

    Args:
        status: Its status. Of a link, only the owner counts; a group that is the user's own does not count as others.
    """
    user = os.geteuid()
    if status.st_uid not in (0, user):
        return f"belongs to another user ({status.st_uid})"
    if (status.st_mode & 0o170000) == 0o120000:  # the mode of a link means nothing
        return ""
    # Where each user has a group of its own, which has the user's number, its members are that user alone
    is_own_group = status.st_gid == user == os.getegid()
    if status.st_mode & 0o002 or (status.st_mode & 0o020 and not is_own_group):
        return "can be written by other users"
    return ""
