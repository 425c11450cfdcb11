"""The record of a layer of settings, and the lists of selectors in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from fcregistry._tools.selectors import SelectorSubject, normalized, parse_selector

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from fcregistry._tools.selectors import Selector

Mode: TypeAlias = Literal["open", "allow", "locked"]

MODES: Final[tuple[Mode, ...]] = ("open", "allow", "locked")
"""The trust modes, the loosest first."""

Setting: TypeAlias = tuple[str, tuple[str, ...] | str | int]
"""A key and its value."""

Origin: TypeAlias = Literal["system", "user", "project", "named", "variables"]


class Layer(NamedTuple):
    """The settings of one file, or of all variables.

    Higher layers come before lower ones, which can only tighten them.

    Attributes:
        path: The file; empty for the environment.
        origin: Which layer it is.
        given: What it sets, as pairs of the key and the value, in the order of the documentation.
        doubt: Why others than the user may have written it; empty if they cannot. Then only its rules are used, not its defaults.
        mode: The trust mode; None if the layer sets none.
        mode_source: Where the mode is set, for messages.
        allow: What may be used; None if the layer does not restrict it.
        deny: What may not be used.
        disable: What is not offered.
        ask: The tools whose calls need approval.
        precedence: Distributions, normalised, the first of which wins a name that several ship.
        call_hooks: Extensions with mandatory call hooks, as pairs of source and name.
        lock: The lock that the mode `locked` refers to; None for the project's.
        model: The model of `fcregistry ask`; None if the layer sets none.
        threads: How many threads `fcregistry ask` gives a model on this machine; None if the layer sets none.
        max_tokens: The most tokens of an answer of such a model; None if the layer sets none.
    """

    path: str = ""
    origin: Origin = "project"
    given: tuple[Setting, ...] = ()
    doubt: str = ""
    mode: Mode | None = None
    mode_source: str = ""
    allow: Rules | None = None
    deny: Rules | None = None
    disable: Rules | None = None
    ask: Rules | None = None
    precedence: tuple[str, ...] = ()
    call_hooks: tuple[tuple[str, str], ...] = ()
    lock: str | None = None
    model: str | None = None
    threads: int | None = None
    max_tokens: int | None = None

    @property
    def rules(self) -> tuple[Setting, ...]:
        """What it sets that can only restrict: its other settings are defaults."""
        return tuple(pair for pair in self.given if pair[0] not in DEFAULTS)

    @property
    def unused(self) -> tuple[str, ...]:
        """The keys of its defaults, if it has any that are not used because of `doubt`."""
        return tuple(key for key, _ in self.given if key in DEFAULTS) if self.doubt else ()

    def without_defaults(self, doubt: str = "") -> Layer:
        """Return the layer with its rules only.

        Args:
            doubt: Why others than the user may have written it.
        """
        return self._replace(doubt=doubt, precedence=(), model=None, threads=None, max_tokens=None)


DEFAULTS: Final = ("precedence", "model", "threads", "max_tokens")
"""The settings that restrict nothing."""


# --- Lists of selectors ---


class Rules(NamedTuple):
    """A list of selectors, applied in order.

    One with `!` excludes tools from what precedes it, or, if it comes first, from everything.

    Attributes:
        source: Where the list is, for messages: `deny in FILE`, or a variable.
        selectors: The selectors.
        plugins: The plugins and extensions that it names, as pairs of the normalised distribution and the entry point.
    """

    source: str
    selectors: tuple[Selector, ...]
    plugins: frozenset[tuple[str, str]] = frozenset()

    @classmethod
    def of(cls, items: Iterable[str], source: str, *, plugins: bool) -> Rules:
        """Return the rules of a list.

        Args:
            items: Its items.
            source: Where the list is.
            plugins: Whether it may name plugins, as `distribution[entry point]`.

        Raises:
            SelectorError: An item is not a selector, and not a plugin where plugins are allowed.
        """
        named, selectors = set(), []
        for item in items:
            plugin = _parse_plugin(item) if plugins else None
            if plugin is not None:
                named.add(plugin)
            else:
                selectors.append(parse_selector(item))
        return cls(source=source, selectors=tuple(selectors), plugins=frozenset(named))

    def names(self, subject: SelectorSubject, *, broadly: bool) -> str | None:
        """Return the reason a tool is named: words with the source and the selector; None if it is not named.

        Args:
            subject: The tool.
            broadly: Whether an item also names a tool by its aliases, and `distribution:name` a tool of any group, as in `deny` and `ask`:
                a tool must not run because the user wrote another of its names. An exception (`!`) never does.
        """
        reason = self._all_but
        for selector in self.selectors:
            if _names(selector, subject, broadly=broadly and not selector.excludes):
                reason = None if selector.excludes else f"{self.source} names {selector.text}"
        return reason

    def entry_point_reason(self, distribution: str, entry_point: str, *, ships_tools: bool) -> str | None:
        """Return the reason a plugin, and so each of its tools, or an extension is named; None if it is not.

        Args:
            distribution: Its distribution.
            entry_point: The name of its entry point.
            ships_tools: Whether it is a plugin. For an extension, which other tools may need, only its own name or that of its whole
                distribution counts.
        """
        if (normalized(distribution), entry_point) in self.plugins:
            return f"{self.source} names {distribution}[{entry_point}]"
        reason = self._all_but if ships_tools else None
        anything = SelectorSubject(name="*", group="*", distribution=distribution)
        for selector in self.selectors:  # the plugin of a tool that a later selector excepts is loaded
            if selector.distribution is None and not ships_tools:
                continue
            named = selector if selector.distribution is None else selector._replace(name="*", group=None)
            if selector.excludes and (selector.distribution is None or named.matches(anything)):
                reason = None
            elif not selector.excludes and _names_everything(selector) and selector.matches(anything):
                reason = f"{self.source} names {selector.text}"
        return reason

    def names_distribution(self, distribution: str, *, itself: bool) -> bool:
        """Return whether some tool of a distribution may be named.

        Args:
            distribution: The distribution.
            itself: Whether only selectors that name the distribution count, not those of tools of any distribution.
        """
        reached = self._all_but is not None
        anything = SelectorSubject(name="*", group="*", distribution=distribution)
        for selector in self.selectors:
            if selector.distribution is not None and not selector._replace(name="*", group=None).matches(anything):
                continue
            if not selector.excludes:
                reached = reached or not itself or selector.distribution is not None
            elif _names_everything(selector):
                reached = False
        return reached

    def unmatched(
        self, subjects: Collection[SelectorSubject], plugins: Collection[tuple[str, str]], *, broadly: bool
    ) -> list[str]:
        """Return the items that name none of the given tools and plugins.

        Args:
            subjects: The tools.
            plugins: The plugins, as pairs of the normalised distribution and the entry point.
            broadly: Whether an item also names a tool by its aliases, and `distribution:name` a tool of any group.
        """
        unmatched = [f"{name}[{entry_point}]" for name, entry_point in self.plugins - set(plugins)]
        return unmatched + [
            each.text
            for each in self.selectors
            if not any(_names(each, subject, broadly=broadly and not each.excludes) for subject in subjects)
        ]

    @property
    def _all_but(self) -> str | None:
        """The reason everything is named at the start, if the first selector is an exception; otherwise None."""
        if not self.selectors or not self.selectors[0].excludes:
            return None
        return f"{self.source} names everything but {', '.join(each.text for each in self.selectors if each.excludes)}"


def _names(selector: Selector, subject: SelectorSubject, *, broadly: bool) -> bool:
    """Return whether `selector` names the tool `subject`.

    If `broadly`, it also names a tool by its aliases, and `distribution:name` a tool of any group.
    """
    if not broadly:
        return selector.matches(subject)
    known_as = (subject, *(subject._replace(name=alias) for alias in subject.aliases))
    return any(map((selector.in_any_group() or selector).matches, known_as))


def _names_everything(selector: Selector) -> bool:
    """Return whether a selector is `*` of any group: it names all tools of its distribution, or of all."""
    return selector.name == "*" and selector.group is None


def _parse_plugin(item: str) -> tuple[str, str] | None:
    """Return the normalised distribution and the entry point of `distribution[entry point]`.

    None for any other item, also one with `:` or `*`.
    """
    distribution, bracket, entry_point = item.partition("[")
    if bracket and entry_point.endswith("]") and ":" not in item and "*" not in item:
        return normalized(distribution), entry_point[:-1]
    return None
