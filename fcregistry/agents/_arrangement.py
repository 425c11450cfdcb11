"""Which tools stand behind which gateway, and which are there once some have been opened?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from fnmatch import fnmatchcase

from fcregistry._tools.names import did_you_mean, nearest
from fcregistry._tools.tool import Tool, Toolset
from fcregistry.errors import GroupNotFoundError


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """What has been opened in a conversation.

    Attributes:
        groups: Lazy groups.
        tools: Wire names of single tools.
    """

    groups: frozenset[str] = frozenset()
    tools: frozenset[str] = frozenset()

    def __or__(self, other: Opened) -> Opened:
        return Opened(groups=self.groups | other.groups, tools=self.tools | other.tools)

    def to_json(self) -> dict[str, list[str]]:
        """This as a JSON object."""
        return {"groups": sorted(self.groups), "tools": sorted(self.tools)}

    @classmethod
    def from_json(cls, state: object) -> Opened:
        """Return what `to_json` wrote.

        Raises:
            ValueError: It is something else.
        """
        if isinstance(state, Mapping) and set(state) == {"groups", "tools"} and all(map(_is_texts, state.values())):
            return cls(groups=frozenset(state["groups"]), tools=frozenset(state["tools"]))
        raise ValueError(f'state is what to_json returned, {{"groups": […], "tools": […]}}, not {state!r:.80}')


class Arrangement:
    """What stands behind gateways. Frozen.

    Args:
        tools: All tools, the gateways apart.
        lazy: The lazy groups.
        searched: Whether what is in no lazy group is behind the search.
        shown: The wire names of tools that are behind nothing.
    """

    __slots__ = ("_always", "_behind", "_inner", "lazy", "searched", "tools")

    def __init__(
        self, tools: Toolset, lazy: Set[str] = frozenset(), searched: bool = False, shown: Set[str] = frozenset()
    ) -> None:
        self.tools = tools
        self.lazy = frozenset(lazy)
        self.searched = searched
        self._always = set(shown)
        self._behind: dict[str, list[str]] = {group: [] for group in lazy}
        for name, tool in tools.items():
            if around := self.around(tool.group):
                self._behind[around[-1]].append(name)
            elif not searched:
                self._always.add(name)
        self._inner: dict[str, list[str]] = {}
        for group in sorted(lazy):
            self._inner.setdefault(next(iter(self.around(group)[-2:-1]), ""), []).append(group)

    def around(self, group: str) -> tuple[str, ...]:
        """Return the lazy groups that a group is in, itself included, outermost first."""
        return tuple(name for name in _path(group) if name in self.lazy)

    def behind(self, group: str) -> tuple[Tool, ...]:
        """Return the tools that opening a lazy group shows: not those of lazy groups in it."""
        return tuple(self.tools[name] for name in self._behind[group])

    def inner(self, group: str = "") -> Sequence[str]:
        """Return the lazy groups right below a lazy group; without one, those that are in no other."""
        return self._inner.get(group, ())

    def opening(self, group: str) -> Opened:
        """Return what it means to open a group: those around it too.

        Raises:
            GroupNotFoundError: It is no lazy group here.
        """
        if group not in self.lazy:
            raise GroupNotFoundError(
                f"there is no lazy group {group!r}{did_you_mean(nearest(group, sorted(self.lazy)))}"
            )
        return Opened(groups=frozenset(self.around(group)))

    def known(self, opened: Opened) -> Opened:
        """Return what of this there is here: tools and groups may have gone since it was written down."""
        groups = {around for group in opened.groups & self.lazy for around in self.around(group)}
        return Opened(groups=frozenset(groups), tools=opened.tools & set(self.tools))

    def visible(self, opened: Opened) -> set[str]:
        """Return the wire names of the tools that are there, once something has been opened."""
        return self._always.union(opened.tools, *(self._behind[group] for group in opened.groups))

    def closed(self, opened: Opened) -> list[str]:
        """Return the lazy groups whose gateways are there: closed ones, in no other that is closed."""
        reached = [group for outer in ("", *opened.groups) for group in self.inner(outer)]
        return [group for group in reached if group not in opened.groups]

    def closed_around(self, group: str, opened: Opened) -> str | None:
        """Return the outermost lazy group around a group, itself included, that is not open, or None."""
        return next((name for name in self.around(group) if name not in opened.groups), None)


def lazy_groups(patterns: Iterable[str], groups: Set[str]) -> frozenset[str]:
    """Return the groups that patterns name.

    Args:
        patterns: Names of groups, or globs over them.
        groups: The groups of tools; those above them are there as well.

    Raises:
        GroupNotFoundError: A pattern names none.
        TypeError: The patterns are one string, or no strings.
    """
    if isinstance(patterns, str):
        raise TypeError(f"give groups as a list, as in groups=[{patterns!r}]")
    there = sorted({name for group in groups for name in _path(group)})
    named: set[str] = set()
    for pattern in patterns:
        if not isinstance(pattern, str):
            raise TypeError(f"groups are given by names, or patterns of names, not {pattern!r:.80}")
        found = [group for group in there if fnmatchcase(group, pattern)]
        if not found:
            near = did_you_mean(nearest(pattern, there))
            raise GroupNotFoundError(f"none of the tools is in a group {pattern!r}{near}")
        named.update(found)
    return frozenset(named)


def _path(group: str) -> list[str]:
    """Return the names of the groups that a group is in, itself included, outermost first."""
    segments = group.split(".")
    return [".".join(segments[: end + 1]) for end in range(len(segments))]


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)
