"""The order of the calls of one batch: which calls conflict, and when each may begin.

A call waits for the earlier calls that touch what it touches, where one of the two changes it. What a call touches are keys: paths of
names, such as `mail/inbox`, which lies below `mail`. Keys are compared as texts; nothing is looked up on a disk.
"""

from __future__ import annotations

import inspect
from _thread import allocate_lock
from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from copy import deepcopy
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from fcregistry._tools.parameters import EMPTY
from fcregistry.errors import DefinitionError
from fcregistry.execution._arguments import paths_in
from fcregistry.execution._step import CallStep

if TYPE_CHECKING:
    from asyncio import Semaphore
    from collections.abc import Iterator
    from typing import Self

    from fcregistry._tools.tool import Tool


# --- What a call touches: the keys that its tool says it reads and writes ---

KeyPath: TypeAlias = "tuple[str, ...]"
"""A key as a path: `("mail", "inbox")`; all other keys lie below `()`."""

MOST_CHARACTERS: Final = 4096
"""How long a key may be: as long as a path on Linux."""

MOST_LEVELS: Final = 100
"""How deep a key may lie."""

MOST_KEYS: Final = 1000
"""How many keys a function may give for one call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Accesses:
    """What a call touches.

    Attributes:
        reads: The keys that it reads.
        writes: The keys that it changes.
        exclusive: Whether it runs alone, whatever its keys are.
    """

    reads: frozenset[KeyPath] = frozenset()
    writes: frozenset[KeyPath] = frozenset()
    exclusive: bool = False


ALONE: Final = Accesses(exclusive=True)
"""The accesses of a call that runs alone."""


def accesses_of(step: CallStep) -> Accesses | None:
    """Return what a call touches, or None if its tool does not say.

    A call whose keys cannot be computed may touch anything: it runs alone, and the log says why.
    """
    options = step.bound.tool.options
    if options.exclusive:
        return ALONE
    reads, writes = options.reads, options.writes
    inputs, outputs = options.input_files, options.output_files
    if reads == () and writes == () and not inputs and not outputs:  # as with most tools
        return None
    try:
        reads = reads if reads != () else paths_in(step.arguments, inputs)
        writes = writes if writes != () else paths_in(step.arguments, outputs)
        return Accesses(reads=_key_paths(reads, step), writes=_key_paths(writes, step))
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # foreign code: after an exception it is not known what is touched
        from logging import getLogger  # only on the way to an error

        message = "the keys of a call of %s could not be computed, so it runs alone"
        getLogger("fcregistry").warning(message, step.bound.tool.name, exc_info=error)
        return ALONE


def check_keys(tools: Iterable[Tool]) -> None:
    """Check the keys that tools were declared with.

    Those that a function computes are checked at each call.

    Raises:
        DefinitionError: Some are not keys; names each tool, and what is wrong.
    """
    problems = []
    for tool in tools:
        for option in ("reads", "writes"):
            given = getattr(tool.options, option)
            if callable(given):
                continue
            try:
                _parse_keys(given)
            except ValueError as error:
                problems.append(f"{tool.name}: {option}={given!r:.80}: {error}")
    if problems:
        raise DefinitionError("these tools have keys that are not valid:", tuple(problems))


def _key_paths(given: Any, step: CallStep) -> frozenset[KeyPath]:
    """Return the keys of an option: declared ones, or those that its function computes for a call."""
    if callable(given):
        given = given(_arguments_for_keys(step))
        if inspect.iscoroutine(given):
            given.close()  # or Python would warn later that it was never awaited
            raise ValueError("keys are computed by a plain function, not a coroutine function")
    return _parse_keys(given)


def _arguments_for_keys(step: CallStep) -> dict[str, Any]:
    """Return copies of the arguments, with defaults, for a function of keys.

    What was validated is what runs, whatever the function does with its arguments.
    """
    signature = step.bound.signature
    defaults = {each.name: deepcopy(each.default) for each in signature.parameters if each.default is not EMPTY}
    return defaults | signature.binding.decode(deepcopy(step.arguments))


def _parse_keys(given: object) -> frozenset[KeyPath]:
    """Return keys as paths.

    Raises:
        ValueError: One is not a key, or they are too many.
    """
    if isinstance(given, (list, tuple, set, frozenset)):
        if len(given) > MOST_KEYS:
            raise ValueError(f"{len(given)} keys are too many: at most {MOST_KEYS}")
        return frozenset(map(parse_key, given))
    return frozenset((parse_key(given),))


def parse_key(key: object) -> KeyPath:
    """Return a key as a path.

    Args:
        key: Names with `/` between them, or a path of `pathlib`. Slashes at either end, double ones and `.` are ignored; `..` removes
            the name before it. All other keys lie below `/` and `.`.

    Raises:
        ValueError: It is not a key: empty, too long, too deep, or `..` leads out of it.
    """
    text = key if isinstance(key, str) else _posix(key)
    if not text:
        raise ValueError("a key is empty; all other keys lie below '/', and () means no keys")
    if len(text) > MOST_CHARACTERS:
        raise ValueError(f"a key has {len(text)} characters; it may have {MOST_CHARACTERS}")
    names: list[str] = []
    for name in text.split("/"):
        if name == "..":
            if not names:
                raise ValueError(f"the key {text[:60]!r} has more '..' than names before them")
            names.pop()
        elif name not in ("", "."):
            names.append(name)
    if len(names) > MOST_LEVELS:
        raise ValueError(f"a key has {len(names)} levels; it may have {MOST_LEVELS}")
    return tuple(names)


def _posix(key: object) -> str:
    from pathlib import PurePath  # which a program with such keys has imported

    if isinstance(key, PurePath):
        return key.as_posix()
    raise ValueError(f"a key is a string or a path, not a {type(key).__name__}; give one, or a list of them")


# --- When a call begins ---


class BatchTurn:
    """One call's turn in a batch.

    It comes after the calls that the call conflicts with, and once fewer than `max_concurrency` calls run.

    Waiting for it is an effect of the pipeline.

    Args:
        order: The order of the batch, if its calls have one.
        place: The call's place in it.
        slots: How many calls run at the same time; None for calls on their caller's own thread, which run one after the other.
    """

    __slots__ = ("_has_slot", "_order", "_place", "_slots", "_touched")

    def __init__(self, order: BatchOrder | None, place: int, slots: Semaphore | None = None) -> None:
        self._order = order
        self._place = place
        self._slots = slots
        self._touched: Accesses | None = None
        self._has_slot = False

    def of(self, step: CallStep) -> BatchTurn:
        """Return this turn, as the effect to yield before a call begins."""
        self._touched = None if self._order is None else self._order.touched(self._place, step)
        return self

    def now(self) -> None:
        """Wait on this thread until the call may begin."""
        if self._order is not None:
            self._order.wait_now(self._place, self._touched)

    async def later(self) -> None:
        """Wait on the running loop until the call may begin."""
        if self._order is not None:
            await self._order.wait_later(self._place, self._touched)
        if self._slots is not None:
            await self._slots.acquire()
            self._has_slot = True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Record that the call is done, or that it will never begin."""
        if self._has_slot and self._slots is not None:
            self._slots.release()
        if self._order is not None:
            self._order.leave(self._place)


class BatchOrder:
    """The order of the calls of one batch, for threads and event loops alike. Thread-safe.

    Each call enters before it begins, and leaves when it is done or will never begin.

    Args:
        batch: What each call touches, in the order of the calls; None where its tool does not say, or where nothing is to run.
        steps: The calls.
    """

    def __init__(self, batch: Sequence[Accesses | None], steps: Sequence[object] = ()) -> None:
        self._touched = batch
        self._steps = steps
        self._before = earlier_conflicts(batch)
        self._ends: list[Future[None]] = [Future() for _ in batch]
        for end in self._ends:
            end.set_running_or_notify_cancel()  # one that stops waiting does not cancel it for the others
        self._begun: set[int] = set()
        self._changed: list[int] = []
        self._lock = allocate_lock()

    def touched(self, place: int, step: CallStep) -> Accesses | None:
        """Return what a call touches: as computed when the order was made, unless the call has changed since."""
        return self._touched[place] if step is self._steps[place] else accesses_of(step)

    def enter(self, place: int, touched: Accesses | None) -> tuple[Future[None], ...]:
        """Return what a call has to wait for; nothing if it has begun.

        A call that has waited enters again.

        A call that touches something else than when the order was made (its approver changed its arguments) has lost its place: it
        waits for the calls that have begun, and all others wait for it.

        Args:
            place: The call's place in the batch.
            touched: What it touches.
        """
        with self._lock:
            if touched != self._touched[place] and place not in self._changed:
                self._changed.append(place)
            pending = tuple(self._ends[each] for each in self._others(place) if not self._ends[each].done())
            if not pending:
                self._begun.add(place)
            return pending

    def _others(self, place: int) -> list[int]:
        if place not in self._changed:
            return [*self._before[place], *self._changed]
        return [*self._begun, *self._changed[: self._changed.index(place)]]

    def wait_now(self, place: int, touched: Accesses | None) -> None:
        """Wait on this thread until a call may begin."""
        while pending := self.enter(place, touched):
            for end in pending:
                end.result()

    async def wait_later(self, place: int, touched: Accesses | None) -> None:
        """Wait on the running loop until a call may begin."""
        from asyncio import wrap_future  # there is a loop, so it is imported

        while pending := self.enter(place, touched):
            for end in pending:
                if not end.done():
                    await wrap_future(end)

    def leave(self, place: int) -> None:
        """Record that a call is done, or that it will never begin."""
        with self._lock:
            self._begun.discard(place)
            end, left = self._ends[place], self._ends[place].done()
        if not left:
            end.set_result(None)


# --- Which calls wait for which ---


def earlier_conflicts(batch: Iterable[Accesses | None]) -> list[tuple[int, ...]]:
    """Return, for each call of a batch, the places of the earlier calls that have to end before it begins.

    Two calls conflict where one of them writes a key, and the other reads or writes that key, one above it or one below it; a call
    that is exclusive conflicts with every other. Calls that conflict run in their order. The calls that are waited for all
    conflict with the one that waits; one that another of these waits for anyway may be left out.

    Args:
        batch: What each call touches; None where its tool does not say.
    """
    finder = _ConflictFinder()
    return [finder.add(call, touched) for call, touched in enumerate(batch)]


class _ConflictFinder:
    """The calls so far, as a tree of keys.

    Of the calls that a later call waits for, those are left out that another of them waits for.
    """

    def __init__(self) -> None:
        self._root = _Key()
        self._last_alone: tuple[int, ...] = ()
        self._since: list[int] = []

    def add(self, call: int, touched: Accesses | None) -> tuple[int, ...]:
        """Add a call at the end, and return the calls that it waits for."""
        if touched is not None and touched.exclusive:
            waited = tuple(self._since) or self._last_alone
            self._root, self._last_alone, self._since = _Key(), (call,), []
            return waited
        self._since.append(call)
        if touched is None:
            return self._last_alone
        waited = tuple(sorted(self._conflicts(touched))) or self._last_alone
        for path in touched.reads:
            self._at(path).readers.append(call)
        for path in touched.writes:
            node = self._at(path)
            # This call waits for all calls below the key, so a later one that waits for this call need not look there.
            node.writer, node.readers, node.below = call, [], {}
        return waited

    def _conflicts(self, touched: Accesses) -> set[int]:
        reads = (call for path in touched.reads for call in self._conflicts_at(path, writes=False))
        writes = (call for path in touched.writes for call in self._conflicts_at(path, writes=True))
        return {*reads, *writes}

    def _conflicts_at(self, path: KeyPath, *, writes: bool) -> Iterator[int]:
        """Yield the calls that conflict with one that reads or writes a key."""
        nodes = [self._root]
        for name in path:
            node = nodes[-1].below.get(name)
            if node is None:
                break
            nodes.append(node)
        last = max(node.writer for node in nodes)  # it has waited for all earlier calls on this path
        if last >= 0:
            yield last
        if writes:
            for node in nodes:
                yield from takewhile(lambda reader: reader >= last, reversed(node.readers))
        if len(nodes) > len(path):
            yield from _calls_below(nodes[-1], readers=writes)

    def _at(self, path: KeyPath) -> _Key:
        node = self._root
        for name in path:
            node = node.below.setdefault(name, _Key())
        return node


class _Key:
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
        self.below: dict[str, _Key] = {}


def _calls_below(above: _Key, *, readers: bool) -> Iterator[int]:
    """Yield the writers of all keys below one, and their readers too if asked for."""
    left = list(above.below.values())
    while left:
        node = left.pop()
        if node.writer >= 0:
            yield node.writer
        if readers:
            yield from node.readers
        left.extend(node.below.values())
