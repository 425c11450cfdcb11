"""The lock: a file that pins distributions and the tools that they ship. It is only read here; `inspection` writes it."""

from __future__ import annotations

import os
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from stat import S_ISCHR, S_ISFIFO
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from fcregistry._config.settings import project_lock
from fcregistry._tools.selectors import normalized

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from fcregistry._config.layers import Layer

FORMAT: Final = 1
"""The version of the lock format, the only one that is read."""

MOST_BYTES: Final = 1 << 26
"""The most bytes of a lock."""

_RESTORE: Final = "take it from version control, or make it anew"


class Pin(NamedTuple):
    """One distribution in a lock.

    Attributes:
        name: The distribution's name, as written in the file.
        version: Its version.
        files: The digest of its files.
        tools: The records of its tools.
        digests: The digest of each tool, by group and name.
    """

    name: str
    version: str
    files: str
    tools: tuple[Mapping[str, Any], ...]
    digests: Mapping[tuple[str, str], str]


class Lock(NamedTuple):
    """A lock file.

    Attributes:
        path: The file.
        pins: The locked distributions, by normalised name. None of an unreadable file, so that nothing is let through.
        problem: Why the file cannot be read, as words that follow its path; None if it was read.
    """

    path: str
    pins: Mapping[str, Pin]
    problem: str | None = None

    def __hash__(self) -> int:
        return hash(self.path)

    def pin(self, distribution: str) -> Pin | None:
        """Return the pin of a distribution, or None."""
        return self.pins.get(normalized(distribution))

    def distribution_refusal(self, distribution: str) -> str | None:
        """Return the reason a distribution may not be imported, or None if the lock has it."""
        if self.problem is not None:
            return f"{self.path} {self.problem}"
        if normalized(distribution) in self.pins:
            return None
        return f"{self.path} does not have {distribution}: {upgrade_command(self.path, distribution)} adds it"

    def tool_refusal(self, distribution: str, group: str, name: str, digest: str | None) -> str | None:
        """Return the reason a tool may not be used, or None if the lock has it as it is.

        Args:
            distribution: The distribution that ships it.
            group: Its group.
            name: The name it was registered under.
            digest: The digest of its record; None to check only that the lock has the tool.
        """
        if reason := self.distribution_refusal(distribution):
            return reason
        locked = self.pins[normalized(distribution)].digests.get((group, name))
        if locked is None:
            return f"{self.path} does not have it: {upgrade_command(self.path, distribution)} adds it"
        if digest is None or digest == locked:
            return None
        return (
            f"it is not what {self.path} says: `fcregistry lock --check --file {self.path}` shows what changed, "
            f"and {upgrade_command(self.path, distribution)} accepts it"
        )


def upgrade_command(path: str, distribution: str) -> str:
    """Return the command that accepts a distribution's present version."""
    return f"`fcregistry lock --upgrade {distribution} --file {path}`"


def read_lock(path: str) -> Lock:
    """Return the lock at `path`, with a `problem` if it cannot be read.

    The file is read again when it has changed, or is another file.
    """
    try:
        found = os.stat(path)  # noqa: PTH116  # pathlib takes longer to import
    except OSError as error:
        if isinstance(error, FileNotFoundError | NotADirectoryError):
            return _unreadable(path, f"does not exist: `fcregistry lock --file {path}` makes it")
        return _unreadable(path, f"cannot be read: {error.strerror}")
    if S_ISCHR(found.st_mode) or S_ISFIFO(found.st_mode):  # a repository may contain a link to a file that never ends
        return _unreadable(path, "cannot be read: it is not a regular file")
    if found.st_size > MOST_BYTES:
        return _unreadable(path, f"cannot be read: it has more than {MOST_BYTES >> 20} MiB")
    # What changes a file without its size can set its time of modification, but not that of its last change
    return _parse_lock(path, (found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns))


@lru_cache(maxsize=16)
def _parse_lock(path: str, _stamp: tuple[int, ...]) -> Lock:
    """Return the lock at `path`, with a `problem`, and no pins, if it cannot be read or is not a lock.

    It is cached for `_stamp`, which differs after each change of the file.
    """
    import json  # 6 ms, paid only where a lock is configured

    try:
        with open(path, encoding="utf-8") as file:  # noqa: PTH123  # likewise
            written = json.load(file)
    except OSError as error:
        return _unreadable(path, f"cannot be read: {error.strerror}")
    except (ValueError, RecursionError) as error:
        return _unreadable(path, f"is not a lock ({error}): {_RESTORE}")
    if not isinstance(written, dict) or "fcregistry_lock" not in written:
        return _unreadable(path, f"is not a lock of fcregistry: {_RESTORE}")
    if written["fcregistry_lock"] != FORMAT:
        shown = json.dumps(written["fcregistry_lock"])
        return _unreadable(path, f"is a lock of another format ({shown:.20}, not {FORMAT}): make it anew")
    try:
        pins = {normalized(name): _read_pin(name, pin) for name, pin in written["distributions"].items()}
    except (KeyError, TypeError, AttributeError) as error:
        return _unreadable(path, f"is a damaged lock ({error}): {_RESTORE}")
    return Lock(path=path, pins=pins)


def _read_pin(name: str, written: Mapping[str, Any]) -> Pin:
    """Return the pin of the distribution `name`, from `written`, its entry in a lock.

    Raises:
        KeyError, TypeError: A key is missing, or a value has another type.
    """
    tools = tuple(written["tools"])
    digests = {(each["group"], each["name"]): each["digest"] for each in tools}
    pin = Pin(name=name, version=written["version"], files=written["files"], tools=tools, digests=digests)
    if not all(isinstance(text, str) for text in (pin.version, pin.files, *digests.values())):
        raise TypeError(f"a version or digest of {name} is not text")
    return pin


def _unreadable(path: str, problem: str) -> Lock:
    """Return a lock without pins, which lets nothing through, with `problem`, words that follow its path."""
    return Lock(path=path, pins={}, problem=problem)


_lifted: ContextVar[bool] = ContextVar("lifted", default=False)


@contextmanager
def without_locks() -> Iterator[None]:
    """Ignore locks inside the block, and nothing else.

    To make or compare a lock, plugins must be described.
    """
    token = _lifted.set(True)
    try:
        yield
    finally:
        _lifted.reset(token)


def locks_are_lifted() -> bool:
    """Return whether the caller is inside `without_locks`."""
    return _lifted.get()


def locks_of(layers: Iterable[Layer]) -> tuple[tuple[str, Lock], ...]:
    """Return the locks of the layers with mode `locked`, as pairs of the mode's source and the lock.

    A file refers to its own lock, a variable to the project's. The variable is ignored if a file sets the mode too. The locks of projects and
    named files that were in force before in this process stay in force, as their rules do (`kept.py`), and so does the project's lock while
    the variable sets the mode.
    """
    asking = [layer for layer in layers if layer.mode == "locked"]
    if not asking or _lifted.get():
        return ()
    files = [layer for layer in asking if layer.path]
    locks: dict[tuple[str, Lock], None] = {}
    for layer in files or asking:
        lock = read_lock(layer.lock or project_lock())
        held = (lock,) if layer.origin in ("system", "user") else _keep(layer.mode_source, lock)
        locks |= dict.fromkeys((layer.mode_source, each) for each in held)
    sources = {layer.mode_source for layer in asking}
    for (source, path), held in tuple(_kept.items()):
        if source in sources and all(
            lock.path != path or other != source for other, lock in locks
        ):  # what the file refers to now is another
            locks |= dict.fromkeys((source, each) for each in held)
    return tuple(locks)


_kept: Final[dict[tuple[str, str], tuple[Lock, ...]]] = {}
"""Source of the mode and path of the lock -> the different locks that this process has read there, without temporary problems."""


def _keep(source: str, lock: Lock) -> tuple[Lock, ...]:
    """Remember a lock, and return all locks that count in its place.

    These are the locks as it was before in this process, and as it is now. If it was remembered with a problem, it stays closed: it counts
    alone, with a problem, even if it can be read now. One that cannot be read now counts beside the earlier ones, and is not remembered.
    A warning is logged when it has changed.

    Args:
        source: The source of the mode.
        lock: The lock as it is now.
    """
    held = _kept.get((source, lock.path), ())
    if held and held[0].problem is not None:
        late = "could not be read when this program first needed it; start the program again"
        return (lock if lock.problem is not None else held[0]._replace(problem=late),)
    if held and lock.problem is not None:
        return (*held, lock)
    if lock not in held:
        if held:
            from logging import getLogger  # only if something has changed

            message = "%s has changed; what it said before stays in force, too, until this program ends"
            getLogger("fcregistry").warning(message, lock.path)
        held = _kept[source, lock.path] = (*held, lock)
    return held
