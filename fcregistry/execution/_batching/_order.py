"""Which calls of a batch wait for which? A call waits for the earlier ones that touch what it touches, where one of the two changes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fcregistry.execution._batching._resources import Accesses, KeyPath


def waits_for(batch: Iterable[Accesses | None]) -> list[tuple[int, ...]]:
    """Return, for each call of a batch, the places of the earlier calls that have to end before it begins.

    Two calls conflict where one of them writes a key, and the other reads or writes that key, one above it or one below it; a call
    that is exclusive conflicts with every other. Calls that conflict run in their order. The calls that are waited for all
    conflict with the one that waits; those that are waited for anyway, by one of these, may be left out.

    Args:
        batch: What each call touches; None for one that says nothing of it.
    """
    order = _Order()
    return [order.add(call, touched) for call, touched in enumerate(batch)]


class _Node:
    """A key that was touched, since the last write of it or of one above it.

    Attributes:
        writer: The last call that wrote it, or -1.
        readers: The calls that read it since.
        below: The keys just below it, by name.
    """

    __slots__ = ("below", "readers", "writer")

    def __init__(self) -> None:
        self.writer = -1
        self.readers: list[int] = []
        self.below: dict[str, _Node] = {}


class _Order:
    """The calls so far. Whoever comes later is only shown those that are not waited for by one that it waits for itself."""

    def __init__(self) -> None:
        self._root = _Node()
        self._last_alone: tuple[int, ...] = ()
        self._since: list[int] = []

    def add(self, call: int, touched: Accesses | None) -> tuple[int, ...]:
        """Put a call at the end, and return those that it waits for."""
        if touched is not None and touched.exclusive:
            waited = tuple(self._since) or self._last_alone
            self._root, self._last_alone, self._since = _Node(), (call,), []
            return waited
        self._since.append(call)
        if touched is None:
            return self._last_alone
        waited = tuple(sorted(self._conflicting(touched))) or self._last_alone
        for path in touched.reads:
            self._at(path).readers.append(call)
        for path in touched.writes:
            node = self._at(path)
            # All below was waited for just now, so whoever waits for this call need not look there.
            node.writer, node.readers, node.below = call, [], {}
        return waited

    def _conflicting(self, touched: Accesses) -> set[int]:
        found: set[int] = set()
        for path in touched.reads:
            found.update(self._met(path, writes=False))
        for path in touched.writes:
            found.update(self._met(path, writes=True))
        return found

    def _met(self, path: KeyPath, *, writes: bool) -> Iterator[int]:
        """Yield the calls that one conflicts with which reads or writes a key."""
        way = [self._root]
        for name in path:
            node = way[-1].below.get(name)
            if node is None:
                break
            way.append(node)
        last = max(node.writer for node in way)  # it has waited for all that was on this way before it
        if last >= 0:
            yield last
        if writes:
            for node in way:
                yield from _after(last, node.readers)
        if len(way) > len(path):
            yield from _inside(way[-1], readers=writes)

    def _at(self, path: KeyPath) -> _Node:
        node = self._root
        for name in path:
            below = node.below.get(name)
            if below is None:
                below = node.below[name] = _Node()
            node = below
        return node


def _after(call: int, readers: list[int]) -> Iterator[int]:
    for reader in reversed(readers):
        if reader < call:
            return
        yield reader


def _inside(above: _Node, *, readers: bool) -> Iterator[int]:
    """Yield the writers of all keys below one, and their readers if asked for."""
    left = list(above.below.values())
    while left:
        node = left.pop()
        if node.writer >= 0:
            yield node.writer
        if readers:
            yield from node.readers
        left.extend(node.below.values())
