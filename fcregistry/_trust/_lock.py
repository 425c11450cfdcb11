"""What does a lock pin? Read, and never written, here; what cannot be read pins nothing, so that nothing is let through."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from functools import lru_cache
from stat import S_ISCHR, S_ISFIFO
from typing import Any, Final, NamedTuple

from fcregistry._tools.selectors import normalized

FORMAT: Final = 1
"""The version of the format that is written, and the only one that is read."""


class Pin(NamedTuple):
    """What a lock says of one distribution.

    Attributes:
        name: The distribution's name, as it was written.
        version: Its version.
        files: The digest of its files.
        tools: What it ships: a tool record each.
        digests: The digest of each, by group and name.
    """

    name: str
    version: str
    files: str
    tools: tuple[Mapping[str, Any], ...]
    digests: Mapping[tuple[str, str], str]


class Lock(NamedTuple):
    """A lock file, as it was read.

    Attributes:
        path: The file.
        pins: What it says of each distribution, by normalised name.
        problem: Why it cannot be read, in words that start after the path; None if it was.
    """

    path: str
    pins: Mapping[str, Pin]
    problem: str | None = None

    def __hash__(self) -> int:
        return hash(self.path)

    def pin(self, distribution: str) -> Pin | None:
        """Return what it says of a distribution, or None."""
        return self.pins.get(normalized(distribution))

    def distribution_refusal(self, distribution: str) -> str | None:
        """Return why nothing of a distribution may be imported, or None if the lock has it."""
        if self.problem is not None:
            return f"{self.path} {self.problem}"
        if normalized(distribution) in self.pins:
            return None
        return f"{self.path} does not have {distribution}: {upgrade(self.path, distribution)} adds it"

    def tool_refusal(self, distribution: str, group: str, name: str, digest: str | None) -> str | None:
        """Return why a tool may not be used, or None if it is the one that is locked.

        Args:
            distribution: What ships it.
            group: Its group.
            name: The name it was registered under.
            digest: Of its record; None where that is not at hand: then it has only to be there.
        """
        if reason := self.distribution_refusal(distribution):
            return reason
        locked = self.pins[normalized(distribution)].digests.get((group, name))
        if locked is None:
            return f"{self.path} does not have it: {upgrade(self.path, distribution)} adds it"
        if digest is None or digest == locked:
            return None
        return (
            f"it is not what {self.path} says: `fcregistry lock --check --file {self.path}` shows what changed, "
            f"and {upgrade(self.path, distribution)} accepts it"
        )


def upgrade(path: str, distribution: str) -> str:
    """Return the command that accepts what a distribution is now."""
    return f"`fcregistry lock --upgrade {distribution} --file {path}`"


def read_lock(path: str) -> Lock:
    """Return the lock of a file; it is read again when its time or size has changed."""
    try:
        found = os.stat(path)  # noqa: PTH116  # pathlib takes longer to import
    except OSError as error:
        if isinstance(error, FileNotFoundError | NotADirectoryError):
            return _unreadable(path, f"is not there: `fcregistry lock --file {path}` makes it")
        return _unreadable(path, f"cannot be read: {error.strerror}")
    if S_ISCHR(found.st_mode) or S_ISFIFO(found.st_mode):  # a repository may hold a link to what never ends
        return _unreadable(path, "cannot be read: it is no regular file")
    return _read(path, found.st_mtime_ns, found.st_size)


@lru_cache(maxsize=16)
def _read(path: str, _modified: int, _size: int) -> Lock:
    try:
        with open(path, encoding="utf-8") as file:  # noqa: PTH123  # likewise
            written = json.load(file)
    except OSError as error:
        return _unreadable(path, f"cannot be read: {error.strerror}")
    except (ValueError, RecursionError) as error:
        return _unreadable(path, f"is no lock ({error}): take it from version control, or make it anew")
    if not isinstance(written, dict) or "fcregistry_lock" not in written:
        return _unreadable(path, "is no lock of fcregistry's: take it from version control, or make it anew")
    if written["fcregistry_lock"] != FORMAT:
        shown = json.dumps(written["fcregistry_lock"])
        return _unreadable(path, f"is a lock of another format ({shown:.20}, not {FORMAT}): make it anew")
    try:
        pins = {normalized(name): _pin(name, said) for name, said in written["distributions"].items()}
    except (KeyError, TypeError, AttributeError) as error:
        return _unreadable(path, f"is a damaged lock ({error}): take it from version control, or make it anew")
    return Lock(path=path, pins=pins)


def _pin(name: str, said: Mapping[str, Any]) -> Pin:
    """Read what is said of a distribution.

    Raises:
        KeyError, TypeError: Something is not there, or of another type.
    """
    tools = tuple(said["tools"])
    digests = {(each["group"], each["name"]): each["digest"] for each in tools}
    pin = Pin(name=name, version=said["version"], files=said["files"], tools=tools, digests=digests)
    if not all(isinstance(text, str) for text in (pin.version, pin.files, *digests.values())):
        raise TypeError(f"what it says of {name} is not text")
    return pin


def _unreadable(path: str, problem: str) -> Lock:
    return Lock(path=path, pins={}, problem=problem)
