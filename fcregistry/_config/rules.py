"""What does a list of selectors in a setting name? Plugins, all of a distribution, or single tools."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, NamedTuple

from fcregistry._tools.selectors import SelectorSubject, normalized, parse_selector

if TYPE_CHECKING:
    from fcregistry._tools.selectors import Selector


class Rules(NamedTuple):
    """A list of selectors, read in their order: one with `!` takes away from what stands before it, or, if it is the first, from everything.

    Attributes:
        said: Where it stands, for messages: `deny in FILE`, or a variable.
        selectors: The selectors.
        plugins: The plugins and extensions that it names as `distribution[entry point]`, the distribution normalised.
    """

    said: str
    selectors: tuple[Selector, ...]
    plugins: frozenset[tuple[str, str]] = frozenset()

    @classmethod
    def of(cls, items: Iterable[str], said: str, *, plugins: bool) -> Rules:
        """Read a list.

        Args:
            items: What it names.
            said: Where it stands.
            plugins: Whether it may name plugins.

        Raises:
            SelectorError: One of them is no selector, and no plugin where it may be.
        """
        named, selectors = set(), []
        for item in items:
            plugin = _as_plugin(item) if plugins else None
            if plugin is not None:
                named.add(plugin)
            else:
                selectors.append(parse_selector(item))
        return cls(said=said, selectors=tuple(selectors), plugins=frozenset(named))

    def names(self, subject: SelectorSubject, *, aliases: bool) -> str | None:
        """Return what says that a tool is named, in words, or None.

        Args:
            subject: The tool.
            aliases: Whether one that names an alias names the tool: what forbids has to, or a tool would run by its other name.
        """
        others = [subject._replace(name=alias) for alias in subject.aliases] if aliases else []
        reason = self._all_but
        for selector in self.selectors:
            if selector.matches(subject) or (not selector.excludes and any(map(selector.matches, others))):
                reason = None if selector.excludes else f"{self.said} names {selector.text}"
        return reason

    def takes_plugin(self, distribution: str, entry_point: str) -> str | None:
        """Return what says that a plugin, and so each of its tools, is named, in words, or None."""
        return self._as_entry_point(distribution, entry_point) or self._whole(
            distribution, self.selectors, self._all_but
        )

    def takes_extension(self, distribution: str, entry_point: str) -> str | None:
        """Return what says that an extension is named, in words, or None.

        It ships no tools, and those that are left may need it: so only what names it, or all of its own distribution, does.
        """
        selectors = tuple(each for each in self.selectors if each.distribution is not None)
        return self._as_entry_point(distribution, entry_point) or self._whole(distribution, selectors, None)

    def could_name(self, distribution: str) -> bool:
        """Tell whether any tool of a distribution may be among those that are named."""
        return self._reaches(distribution, named=False)

    def names_distribution(self, distribution: str) -> bool:
        """Tell whether a distribution is named, rather than only tools of any."""
        return self._reaches(distribution, named=True)

    def idle(self, subjects: Iterable[SelectorSubject], plugins: Collection[tuple[str, str]]) -> tuple[str, ...]:
        """Return the items that name none of some tools, and none of some plugins, sorted."""
        tools = list(subjects)
        idle = [f"{name}[{entry_point}]" for name, entry_point in self.plugins - set(plugins)]
        idle += [each.text for each in self.selectors if not any(map(each.matches, tools))]
        return tuple(sorted(idle))

    def _reaches(self, distribution: str, *, named: bool) -> bool:
        reached = self._all_but is not None
        anything = SelectorSubject(name="*", group="*", distribution=distribution)
        for selector in self.selectors:
            if selector.distribution is not None and not selector._replace(name="*", group=None).matches(anything):
                continue
            if not selector.excludes:
                reached = reached or not named or selector.distribution is not None
            elif _is_everything(selector):
                reached = False
        return reached

    def _as_entry_point(self, distribution: str, entry_point: str) -> str | None:
        if (normalized(distribution), entry_point) in self.plugins:
            return f"{self.said} names {distribution}[{entry_point}]"
        return None

    def _whole(self, distribution: str, selectors: tuple[Selector, ...], reason: str | None) -> str | None:
        """Return which of the selectors takes all of a distribution away, in the end; at the start, `reason` does."""
        anything = SelectorSubject(name="*", group="*", distribution=distribution)
        for selector in selectors:  # a tool that is excepted further on has its plugin loaded
            named = selector if selector.distribution is None else selector._replace(name="*", group=None)
            if selector.excludes and (selector.distribution is None or named.matches(anything)):
                reason = None
            elif not selector.excludes and _is_everything(selector) and selector.matches(anything):
                reason = f"{self.said} names {selector.text}"
        return reason

    @property
    def _all_but(self) -> str | None:
        """Why everything is named from the start, which an exception in the first place means, or None."""
        if not self.selectors or not self.selectors[0].excludes:
            return None
        return f"{self.said} names everything but {', '.join(each.text for each in self.selectors if each.excludes)}"


def _is_everything(selector: Selector) -> bool:
    return selector.name == "*" and selector.group is None


def _as_plugin(item: str) -> tuple[str, str] | None:
    distribution, bracket, entry_point = item.partition("[")
    if bracket and entry_point.endswith("]") and ":" not in item and "*" not in item:
        return normalized(distribution), entry_point[:-1]
    return None
