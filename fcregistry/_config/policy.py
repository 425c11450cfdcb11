"""Trust: which plugins may be imported, which tools may be used, and which calls need approval, by all layers of the configuration."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias

from fcregistry._config.settings import configuration
from fcregistry._tools.selectors import SelectorSubject, normalized

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from fcregistry._config.layers import Layer, Mode, Rules
    from fcregistry._config.lock import Lock


Effect: TypeAlias = Literal["allow", "ask", "deny", "disable"]
"""The effect of a list of selectors: the key of a file that sets such a list."""


class UnmatchedItem(NamedTuple):
    """An item of a list that names nothing that is installed.

    Attributes:
        source: Where the list is, for messages: `deny in FILE`, or a variable.
        item: The item, as it is written there.
        effect: The effect of the list.
    """

    source: str
    item: str
    effect: Effect


def trust() -> Trust:
    """Return the rules of the present configuration.

    They are made again only if a file or variable has changed. This asks the system for each possible file, which takes some ten
    microseconds: call it once for one piece of work.

    Raises:
        ConfigurationError: A file or variable cannot be read. Its rules are not known, so nothing may be used.
    """
    layers = configuration()
    if not layers:
        return OPEN
    from fcregistry._config.lock import locks_of  # most commands find nothing configured

    return _trust_of(layers, locks_of(layers))


@lru_cache(maxsize=16)
def _trust_of(layers: tuple[Layer, ...], locks: tuple[tuple[str, Lock], ...]) -> Trust:
    """Return the rules of `layers` and `locks`, from a cache of the last 16."""
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
        self._ask_user = tuple(
            layer.ask for layer in layers if layer.ask is not None and layer.origin in ("system", "user")
        )
        self._precedence = tuple(dict.fromkeys(name for layer in layers for name in layer.precedence))
        self._allow_modes = tuple(_allow_modes(layers))
        self._mode_source = next((layer.mode_source for layer in layers if layer.mode == self.mode), "")

    def refusal(self, distribution: str, entry_point: str, *, ships_tools: bool) -> str | None:
        """Return the reason a plugin may not be imported or indexed, or an extension not loaded, or None.

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
        """Return the reason a tool may be neither listed nor called; None if it may be.

        `deny` and `disable` apply to every tool, `allow` and locks only to tools of distributions: the application's functions are
        its own code.

        Args:
            subject: The tool.
            given: Whether the program passed the tool itself rather than its name: `disable` does not apply then.
            entry_point: The entry point of the plugin that ships it, which a list may name as `distribution[entry point]`.
        """
        if self.is_open:
            return None
        subject = subject.with_assumed_hints()
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
        """Return the reason a tool may not be used, since it differs from the locked tool, or None.

        None means that it is the same, or that nothing is locked.

        Args:
            distribution: The distribution that ships it.
            record: Its tool record, of the index or of the loaded code. Its group, name and digest are compared.
        """
        for source, lock in self.locks:
            if reason := lock.tool_refusal(distribution, record["group"], record["name"], record["digest"]):
                return f"{source}, and {reason}"
        return None

    def asks(self, subject: SelectorSubject) -> str | None:
        """Return the reason each call of a tool needs approval, whatever its author declares, or None."""
        return _reason_named(self._ask, subject)

    def asks_user(self, subject: SelectorSubject) -> str | None:
        """Return the reason only a person, and no flag of a command, may approve calls of a tool, or None.

        The `ask` of the user's or the system's file names the tool.
        """
        return _reason_named(self._ask_user, subject)

    def preferred(self, distributions: Iterable[str]) -> str | None:
        """Return which of `distributions`, which all ship a name, wins it by `precedence`; None if none does."""
        if not self._precedence:
            return None
        given = {normalized(each): each for each in distributions}
        return next((given[name] for name in self._precedence if name in given), None)

    def unmatched_items(
        self, subjects: Iterable[SelectorSubject], plugins: Iterable[tuple[str, str]]
    ) -> tuple[UnmatchedItem, ...]:
        """Return the items of lists that name nothing, sorted by source and item.

        A misspelt name protects nothing.

        Args:
            subjects: All known tools.
            plugins: The distribution and entry point of every installed plugin and extension.
        """
        tools, found = (
            [each.with_assumed_hints() for each in subjects],
            {(normalized(name), entry_point) for name, entry_point in plugins},
        )
        # The tools of a plugin that is not imported are not known
        tools += [
            SelectorSubject(name="*", group="*", distribution=name) for name in sorted({name for name, _ in found})
        ]
        every: list[tuple[Rules, bool, Effect]] = [
            *((rules, False, "allow") for rules in self._allow),
            *((rules, denies, "deny" if denies else "disable") for rules, denies in self._refusing),
            *((rules, True, "ask") for rules in self._ask),
        ]
        return tuple(
            sorted(
                UnmatchedItem(rules.source, text, effect)
                for rules, broadly, effect in every
                for text in rules.unmatched(tools, found, broadly=broadly)
            )
        )

    def allows_nothing(self, unmatched: Iterable[UnmatchedItem]) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield the source and the items of each `allow` list that names no tool at all.

        Args:
            unmatched: The items that name nothing, as `unmatched_items` returns them.
        """
        wrong = {(each.source, each.item) for each in unmatched}
        for rules in self._allow:
            items = tuple(each.text for each in rules.selectors)
            if items and all((rules.source, item) in wrong for item in items):
                yield rules.source, items


def _reason_named(lists: Iterable[Rules], subject: SelectorSubject) -> str | None:
    """Return the reason the first of `lists` that names a tool names it, or None if none does.

    A tool is named by its aliases, too, and hints that its author did not declare are assumed.
    """
    assumed = subject.with_assumed_hints()
    return next(filter(None, (rules.names(assumed, broadly=True) for rules in lists)), None)


def _allow_modes(layers: tuple[Layer, ...]) -> Iterator[tuple[str, tuple[Rules, ...]]]:
    """Yield, for each layer with mode `allow`, the source of the mode and the `allow` lists that count.

    These are its own list and those of higher layers: a list of a lower layer would loosen it.
    """
    above: list[Rules] = []
    for layer in layers:
        if layer.allow is not None:
            above.append(layer.allow)
        if layer.mode == "allow":
            yield layer.mode_source, tuple(above)


OPEN: Final = Trust()
"""The rules if nothing is configured."""
