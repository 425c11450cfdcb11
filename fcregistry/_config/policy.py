"""Which locks hold?

MERGED: May a plugin be imported, may a tool be used, has anybody to be asked? What the configuration says, all layers together.
MERGED: What does a lock pin? Read, and never written, here; what cannot be read pins nothing, so that nothing is let through.
MERGED: What do all layers say together? A lower one can only tighten what a higher one says: each is asked, and each can refuse.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from stat import S_ISCHR, S_ISFIFO
from typing import Any, Final, NamedTuple

from fcregistry._config.settings import configuration, project_lock
from fcregistry._tools.selectors import SelectorSubject, normalized

TYPE_CHECKING = False

if TYPE_CHECKING:
    from fcregistry._config.rules import Rules
    from fcregistry._config.settings import Layer, Mode

# --- _trust._holding ---

_lifted: ContextVar[bool] = ContextVar("lifted", default=False)


@contextmanager
def without_locks() -> Iterator[None]:
    """Leave locks aside inside: what a lock is made from, or compared with, has to be looked at first. All else holds."""
    token = _lifted.set(True)
    try:
        yield
    finally:
        _lifted.reset(token)


def locks_are_lifted() -> bool:
    """Return whether the caller is inside of `without_locks`."""
    return _lifted.get()


def locks_of(layers: Iterable[Layer]) -> tuple[tuple[str, Lock], ...]:
    """Return the lock of each layer that asks for the mode `locked`, with what does.

    A file means its own lock. A variable means the project's, and asks for nothing where a file has asked.
    """
    asking = [layer for layer in layers if layer.mode == "locked"]
    if not asking or _lifted.get():
        return ()
    files = [layer for layer in asking if layer.path]
    return tuple((layer.mode_said, read_lock(layer.lock or project_lock())) for layer in files or asking)


# --- _trust._lock ---

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


# --- _trust._trust ---


class Trust:
    """What the configuration says of installed plugins and of tools. Immutable: ask `trust` for what it says now.

    The functions that refuse return why, in words that name the file or variable; None where nothing refuses.

    Args:
        layers: What is configured, the highest first.
        locks: The locks that hold, each with what says so.

    Attributes:
        mode: The strictest mode that any layer asks for: `open`, `allow` or `locked`.
        locks: The locks of `locked`, one for each file that asks for it, each with what does; every one has to agree.
        is_open: Whether nothing at all is configured: then no function refuses, asks or prefers anything.
    """

    __slots__ = ("_allow", "_allow_modes", "_ask", "_mode_said", "_precedence", "_refusing", "is_open", "locks", "mode")

    def __init__(self, layers: tuple[Layer, ...] = (), locks: tuple[tuple[str, Lock], ...] = ()) -> None:
        modes = {layer.mode for layer in layers}
        self.mode: Mode = "locked" if "locked" in modes else "allow" if "allow" in modes else "open"
        self.locks = locks
        self.is_open: bool = not layers
        both = ((rules, key) for layer in layers for rules, key in ((layer.deny, "deny"), (layer.disable, "disable")))
        self._refusing = tuple((rules, key == "deny") for rules, key in both if rules is not None)
        self._allow = tuple(layer.allow for layer in layers if layer.allow is not None)
        self._ask = tuple(layer.ask for layer in layers if layer.ask is not None)
        self._precedence = tuple(dict.fromkeys(name for layer in layers for name in layer.precedence))
        self._allow_modes = tuple(_allow_modes(layers))
        self._mode_said = next((layer.mode_said for layer in layers if layer.mode == self.mode), "")

    def plugin_refusal(self, distribution: str, entry_point: str) -> str | None:
        """Return why a plugin may be neither imported nor indexed, or None.

        Whether its version and files are those that a lock pins is not asked here: `drift` of `fcregistry.discovery._locks` does.
        """
        if self.is_open:
            return None
        for rules, _ in self._refusing:
            if reason := rules.takes_plugin(distribution, entry_point):
                return reason
        for rules in self._allow:
            if not rules.could_name(distribution):
                return f"{rules.said} names nothing of {distribution}"
        return self._not_allowed(distribution) or self._not_locked(distribution)

    def extension_refusal(self, distribution: str, entry_point: str) -> str | None:
        """Return why an extension may not be loaded, or None.

        It ships no tools, so that a list of tools says nothing of it, unless that names the extension or all of its distribution.
        """
        if self.is_open:
            return None
        for rules, _ in self._refusing:
            if reason := rules.takes_extension(distribution, entry_point):
                return reason
        return self._not_allowed(distribution) or self._not_locked(distribution)

    def names_distributions(self, distribution: str) -> str | None:
        """Return what trusts a distribution by its name, so that nothing else may bear that name; None where any may be used.

        That is the mode `allow` or `locked`, or a list of what is allowed that names the distribution.

        Args:
            distribution: The distribution.
        """
        if self.mode != "open":
            return self._mode_said
        return next((rules.said for rules in self._allow if rules.names_distribution(distribution)), None)

    def tool_refusal(self, subject: SelectorSubject, *, given: bool = False) -> str | None:
        """Return why a tool is neither to be seen nor to be called, or None.

        `deny` and `disable` hold for every tool. `allow` and a lock are about what distributions ship: the application's own functions
        are its own code.

        Args:
            subject: The tool.
            given: Whether a program gave the tool itself, rather than its name: `disable` only says what is not to be offered.
        """
        if self.is_open:
            return None
        for rules, denies in self._refusing:
            if (denies or not given) and (reason := rules.names(subject, aliases=denies)):
                return reason
        if subject.distribution is None:
            return None
        for rules in self._allow:
            if rules.names(subject, aliases=False) is None:
                return f"{rules.said} does not name it"
        for said, lock in self.locks:
            if reason := lock.tool_refusal(subject.distribution, subject.group, subject.name, None):
                return f"{said}, and {reason}"
        return None

    def record_refusal(self, distribution: str, record: Mapping[str, Any]) -> str | None:
        """Return why a tool is not the one that is locked, or None if it is, or nothing is locked.

        Args:
            distribution: What ships it.
            record: Its tool record, of the index or of the loaded code: its group, name and digest are looked at.
        """
        for said, lock in self.locks:
            if reason := lock.tool_refusal(distribution, record["group"], record["name"], record["digest"]):
                return f"{said}, and {reason}"
        return None

    def asks(self, subject: SelectorSubject) -> str | None:
        """Return what says that each call of a tool has to be approved, whatever its author says, or None."""
        for rules in self._ask:
            if reason := rules.names(subject, aliases=True):
                return reason
        return None

    def preferred(self, distributions: Iterable[str]) -> str | None:
        """Return which of some distributions wins a plain name that all of them ship, or None if none has precedence."""
        if not self._precedence:
            return None
        given = {normalized(each): each for each in distributions}
        return next((given[name] for name in self._precedence if name in given), None)

    def idle(
        self, subjects: Iterable[SelectorSubject], plugins: Iterable[tuple[str, str]]
    ) -> tuple[tuple[str, str], ...]:
        """Return what lists name and is not there: where each stands, and what it names; sorted. A misspelt name protects nothing.

        Args:
            subjects: All tools that are known.
            plugins: Distribution and entry point of all that is installed.
        """
        tools, found = list(subjects), {(normalized(name), entry_point) for name, entry_point in plugins}
        # What a plugin that is not imported would ship is not known
        tools += [
            SelectorSubject(name="*", group="*", distribution=name) for name in sorted({name for name, _ in found})
        ]
        every = [*self._allow, *(rules for rules, _ in self._refusing), *self._ask]
        return tuple(sorted((rules.said, text) for rules in every for text in rules.idle(tools, found)))

    def _not_allowed(self, distribution: str) -> str | None:
        for said, lists in self._allow_modes:
            if not any(rules.names_distribution(distribution) for rules in lists):
                return f'{said}, and no allow there or above names {distribution}: allow = ["{distribution}:*"] does'
        return None

    def _not_locked(self, distribution: str) -> str | None:
        for said, lock in self.locks:
            if reason := lock.distribution_refusal(distribution):
                return f"{said}, and {reason}"
        return None


def _allow_modes(layers: tuple[Layer, ...]) -> Iterator[tuple[str, tuple[Rules, ...]]]:
    """Yield what asks for the mode `allow`, and the lists that may name distributions there: a lower one would loosen it."""
    above: list[Rules] = []
    for layer in layers:
        if layer.allow is not None:
            above.append(layer.allow)
        if layer.mode == "allow":
            yield layer.mode_said, tuple(above)


OPEN: Final = Trust()
"""What holds where nothing is configured."""


def trust() -> Trust:
    """Return what the configuration says now; made anew only when a file or variable has changed.

    It asks the system for each file that may be there, which takes some ten microseconds: ask once, and keep the answer for what you do.

    Raises:
        ConfigurationError: A file or variable cannot be read. What it would close is not known, so nothing is open.
    """
    layers = configuration()
    if not layers:
        return OPEN
    return _trust_of(layers, locks_of(layers))


@lru_cache(maxsize=16)
def _trust_of(layers: tuple[Layer, ...], locks: tuple[tuple[str, Lock], ...]) -> Trust:
    return Trust(layers, locks)
