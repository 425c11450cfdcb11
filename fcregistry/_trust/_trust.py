"""What do all layers say together? A lower one can only tighten what a higher one says: each is asked, and each can refuse."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from fcregistry._config import configuration
from fcregistry._tools.selectors import Subject, normalized

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from fcregistry._config._layer import Layer, Mode
    from fcregistry._config._rules import Rules
    from fcregistry._trust._lock import Lock


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

    def tool_refusal(self, subject: Subject, *, given: bool = False) -> str | None:
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

    def asks(self, subject: Subject) -> str | None:
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

    def idle(self, subjects: Iterable[Subject], plugins: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
        """Return what lists name and is not there: where each stands, and what it names; sorted. A misspelt name protects nothing.

        Args:
            subjects: All tools that are known.
            plugins: Distribution and entry point of all that is installed.
        """
        tools, found = list(subjects), {(normalized(name), entry_point) for name, entry_point in plugins}
        # What a plugin that is not imported would ship is not known
        tools += [Subject(name="*", group="*", distribution=name) for name in sorted({name for name, _ in found})]
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
    from fcregistry._trust._holding import locks_of  # only where something is configured

    return _trust_of(layers, locks_of(layers))


@lru_cache(maxsize=16)
def _trust_of(layers: tuple[Layer, ...], locks: tuple[tuple[str, Lock], ...]) -> Trust:
    return Trust(layers, locks)
