"""Trust: which plugins may be imported, which tools may be used, and which calls need approval, by all layers of the configuration.

A lock pins distributions and their tools. It is only read here.
"""

from __future__ import annotations

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
    from fcregistry._config.settings import Layer, Mode, Rules


def trust() -> Trust:
    """Return the rules of the present configuration.

    They are made anew only if a file or variable has changed. This asks the system for each possible file, which takes some ten
    microseconds: call it once for one piece of work.

    Raises:
        ConfigurationError: A file or variable cannot be read. Its rules are not known, so nothing may be used.
    """
    layers = configuration()
    if not layers:
        return OPEN
    return _trust_of(layers, locks_of(layers))


@lru_cache(maxsize=16)
def _trust_of(layers: tuple[Layer, ...], locks: tuple[tuple[str, Lock], ...]) -> Trust:
    return Trust(layers, locks)


class Trust:
    """The rules of the configuration for installed plugins and tools; `trust` returns the present ones.

    They are immutable. A lower layer can only tighten a higher one: each is asked, and each can refuse. The methods with `refusal` in their
    names return the reason, which names the file or variable, or None.

    Args:
        layers: The layers of the configuration, the highest first.
        locks: The locks in effect, each with the source of the mode.

    Attributes:
        mode: The strictest mode that any layer sets: `open`, `allow` or `locked`.
        locks: The locks of the mode `locked`, one for each file that sets it, with its source. All must agree.
        is_open: Whether nothing is configured. Then no method refuses, asks or prefers anything.
    """

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
        self._mode_source = next((layer.mode_source for layer in layers if layer.mode == self.mode), "")

    def refusal(self, distribution: str, entry_point: str, *, ships_tools: bool) -> str | None:
        """Return why a plugin may be neither imported nor indexed, or an extension not loaded; None if it may.

        Whether its version and files are those of a lock is not checked here, but in `fcregistry.discovery`.

        Args:
            distribution: Its distribution.
            entry_point: The name of its entry point.
            ships_tools: Whether it is a plugin. A list affects an extension only if it names that or its whole distribution.
        """
        for rules, _ in self._refusing:
            if reason := rules.entry_point_reason(distribution, entry_point, ships_tools=ships_tools):
                return reason
        for rules in self._allow if ships_tools else ():
            if not rules.names_distribution(distribution, itself=False):
                return f"{rules.source} names nothing of {distribution}"
        for source, lists in self._allow_modes:
            if not any(rules.names_distribution(distribution, itself=True) for rules in lists):
                return f'{source}, and no allow there or above names {distribution}: allow = ["{distribution}:*"] does'
        for source, lock in self.locks:
            if reason := lock.distribution_refusal(distribution):
                return f"{source}, and {reason}"
        return None

    def names_distributions(self, distribution: str) -> str | None:
        """Return the source of the rule that trusts a distribution by its name, or None.

        No other distribution may have that name then. Such a rule is the mode `allow` or `locked`, or an `allow` list that names the distribution.

        Args:
            distribution: The distribution.
        """
        if self.mode != "open":
            return self._mode_source
        trusting = (rules for rules in self._allow if rules.names_distribution(distribution, itself=True))
        return next((rules.source for rules in trusting), None)

    def tool_refusal(
        self, subject: SelectorSubject, *, given: bool = False, entry_point: str | None = None
    ) -> str | None:
        """Return why a tool is neither listed nor callable, or None.

        `deny` and `disable` apply to every tool, `allow` and locks only to tools of distributions: the application's functions are
        its own code.

        Args:
            subject: The tool.
            given: Whether the program passed the tool itself rather than its name: `disable` does not apply then.
            entry_point: The entry point of the plugin that ships it, which a list may name as `distribution[entry point]`.
        """
        if self.is_open:
            return None
        plugin = (normalized(subject.distribution or ""), entry_point)
        for rules, denies in self._refusing:
            if not denies and given:
                continue
            if plugin in rules.plugins:
                return f"{rules.source} names {subject.distribution}[{entry_point}]"
            if reason := rules.names(subject, broadly=denies):
                return reason
        if subject.distribution is None:
            return None
        for rules in self._allow:
            if rules.names(subject, broadly=False) is None:
                return f"{rules.source} does not name it"
        for source, lock in self.locks:
            if reason := lock.tool_refusal(subject.distribution, subject.group, subject.name, None):
                return f"{source}, and {reason}"
        return None

    def record_refusal(self, distribution: str, record: Mapping[str, Any]) -> str | None:
        """Return why a tool differs from the locked one, or None if it does not, or nothing is locked.

        Args:
            distribution: The distribution that ships it.
            record: Its tool record, of the index or of the loaded code. Its group, name and digest are compared.
        """
        for source, lock in self.locks:
            if reason := lock.tool_refusal(distribution, record["group"], record["name"], record["digest"]):
                return f"{source}, and {reason}"
        return None

    def asks(self, subject: SelectorSubject) -> str | None:
        """Return why each call of a tool needs approval, whatever its author declares, or None."""
        for rules in self._ask:
            if reason := rules.names(subject, broadly=True):
                return reason
        return None

    def preferred(self, distributions: Iterable[str]) -> str | None:
        """Return which of some distributions that ship a plain name wins it, or None if none has precedence."""
        if not self._precedence:
            return None
        given = {normalized(each): each for each in distributions}
        return next((given[name] for name in self._precedence if name in given), None)

    def idle(
        self, subjects: Iterable[SelectorSubject], plugins: Iterable[tuple[str, str]]
    ) -> tuple[tuple[str, str], ...]:
        """Return the items of lists that name nothing, as sorted pairs of source and item.

        A misspelt name protects nothing.

        Args:
            subjects: All known tools.
            plugins: The distribution and entry point of every installed plugin and extension.
        """
        tools, found = list(subjects), {(normalized(name), entry_point) for name, entry_point in plugins}
        # The tools of a plugin that is not imported are not known
        tools += [
            SelectorSubject(name="*", group="*", distribution=name) for name in sorted({name for name, _ in found})
        ]
        every = [*((rules, False) for rules in self._allow), *self._refusing, *((rules, True) for rules in self._ask)]
        return tuple(
            sorted(
                (rules.source, text)
                for rules, broadly in every
                for text in rules.unmatched(tools, found, broadly=broadly)
            )
        )


def _allow_modes(layers: tuple[Layer, ...]) -> Iterator[tuple[str, tuple[Rules, ...]]]:
    """Yield the source of each mode `allow`, and the `allow` lists that count for it.

    These are its own and higher ones: a lower one would loosen it.
    """
    above: list[Rules] = []
    for layer in layers:
        if layer.allow is not None:
            above.append(layer.allow)
        if layer.mode == "allow":
            yield layer.mode_source, tuple(above)


OPEN: Final = Trust()
"""The rules if nothing is configured."""


# --- Locks ---


FORMAT: Final = 1
"""The version of the lock format, the only one that is read."""

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
        """Return why a distribution may not be imported, or None if the lock has it."""
        if self.problem is not None:
            return f"{self.path} {self.problem}"
        if normalized(distribution) in self.pins:
            return None
        return f"{self.path} does not have {distribution}: {upgrade_command(self.path, distribution)} adds it"

    def tool_refusal(self, distribution: str, group: str, name: str, digest: str | None) -> str | None:
        """Return why a tool may not be used, or None if it is locked as it is.

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
    """Return the lock of a file. The file is read again when its time or size has changed."""
    try:
        found = os.stat(path)  # noqa: PTH116  # pathlib takes longer to import
    except OSError as error:
        if isinstance(error, FileNotFoundError | NotADirectoryError):
            return _unreadable(path, f"does not exist: `fcregistry lock --file {path}` makes it")
        return _unreadable(path, f"cannot be read: {error.strerror}")
    if S_ISCHR(found.st_mode) or S_ISFIFO(found.st_mode):  # a repository may contain a link to a file that never ends
        return _unreadable(path, "cannot be read: it is not a regular file")
    return _parse_lock(path, found.st_mtime_ns, found.st_size)


@lru_cache(maxsize=16)
def _parse_lock(path: str, _modified: int, _size: int) -> Lock:
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
    """Read the entry of one distribution.

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

    A file refers to its own lock, a variable to the project's. The variable is ignored if a file sets the mode too.
    """
    asking = [layer for layer in layers if layer.mode == "locked"]
    if not asking or _lifted.get():
        return ()
    files = [layer for layer in asking if layer.path]
    return tuple((layer.mode_source, read_lock(layer.lock or project_lock())) for layer in files or asking)
