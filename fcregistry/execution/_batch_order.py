"""The order of the calls of one batch: which calls conflict, and when each may begin.

A call waits for the earlier calls that access the same key, or one above or below it, if one of the two calls changes it. Keys are paths of
names, such as `mail/inbox`, which is below `mail`. They are compared as texts; nothing is looked up on a disk.
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


# --- The accesses of a call: the keys that its tool declares to read and write ---

KeyPath: TypeAlias = "tuple[str, ...]"
"""A key as a path: `("mail", "inbox")`. All other keys are below `()`."""

MOST_CHARACTERS: Final = 4096
"""The most characters of a key: those of a path on Linux."""

MOST_LEVELS: Final = 100
"""The most names in a key."""

MOST_KEYS: Final = 1000
"""The most keys that a function may return for one call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Accesses:
    """The accesses of a call.

    Attributes:
        reads: The keys that the call reads.
        writes: The keys that the call changes.
        exclusive: Whether the call runs alone, whatever its keys are.
    """

    reads: frozenset[KeyPath] = frozenset()
    writes: frozenset[KeyPath] = frozenset()
    exclusive: bool = False


ALONE: Final = Accesses(exclusive=True)
"""The accesses of a call that runs alone."""


def accesses_of(step: CallStep) -> Accesses | None:
    """Return the accesses of a call, or None if its tool does not declare any.

    A call whose keys cannot be computed may access anything: it runs alone, and the log says why.
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
    except BaseException as error:  # foreign code: after an exception the accesses are not known
        from logging import getLogger  # only on the way to an error

        message = "the keys of a call of %s could not be computed, so it runs alone"
        getLogger("fcregistry").warning(message, step.bound.tool.name, exc_info=error)
        return ALONE


def check_keys(tools: Iterable[Tool]) -> None:
    """Check the keys that tools were declared with.

    Keys that a function computes are checked at each call.

    Raises:
        DefinitionError: Some keys are not valid; the message names each tool, and what is wrong.
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
    """Return the keys in `given`: a key, several keys, or a function that returns them for the arguments.

    The function gets copies of the decoded arguments, with defaults.

    Raises:
        ValueError: A key is not valid, the keys are too many, or the function is a coroutine function.
        Exception: Whatever the function raises.
    """
    if callable(given):
        given = given(_arguments_for_keys(step))
        if inspect.iscoroutine(given):
            given.close()  # or Python would warn later that it was never awaited
            raise ValueError("keys are computed by a plain function, not a coroutine function")
    return _parse_keys(given)


def _arguments_for_keys(step: CallStep) -> dict[str, Any]:
    """Return copies of the decoded arguments of a call, with defaults, for a function that computes keys.

    Whatever that function changes, the tool runs with the arguments that were validated.
    """
    signature = step.bound.signature
    defaults = {each.name: deepcopy(each.default) for each in signature.parameters if each.default is not EMPTY}
    return defaults | signature.binding.decode(deepcopy(step.arguments))


def _parse_keys(given: object) -> frozenset[KeyPath]:
    """Return a key, or each key in a list, tuple or set, as a path of names; duplicates become one.

    Raises:
        ValueError: A key is not valid, or the keys are too many.
    """
    if isinstance(given, (list, tuple, set, frozenset)):
        if len(given) > MOST_KEYS:
            raise ValueError(f"{len(given)} keys are too many: at most {MOST_KEYS}")
        return frozenset(map(parse_key, given))
    return frozenset((parse_key(given),))


def parse_key(key: object) -> KeyPath:
    """Return a key as a path.

    Args:
        key: Names with `/` between them, or a path of `pathlib`. Slashes at either end, double slashes and `.` are ignored; `..` removes
            the name before it. All other keys are below `/` and `.`.

    Raises:
        ValueError: The key is empty, too long or too deep, or `..` leads out of it.
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
    """Return a path of `pathlib` as text with slashes.

    Raises:
        ValueError: `key` is not such a path; the message says what a key is.
    """
    from pathlib import PurePath  # which a program with such keys has imported

    if isinstance(key, PurePath):
        return key.as_posix()
    raise ValueError(f"a key is a string or a path, not a {type(key).__name__}; give one, or a list of them")


# --- When a call begins ---


class BatchTurn:
    """The turn of one call in a batch; yielding it in the pipeline waits for it.

    The turn comes when the earlier calls that the call conflicts with have ended, and fewer than `max_concurrency` calls run.

    Args:
        order: The order of the batch; None if no call waits for another.
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
        """Return this turn for `step`, as the effect to yield before the call begins."""
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
        """Record that the call has ended, or that it will never begin."""
        if self._has_slot and self._slots is not None:
            self._slots.release()
        if self._order is not None:
            self._order.leave(self._place)


class BatchOrder:
    """The order of the calls of one batch, for threads and event loops alike. Thread-safe.

    Each call enters before it begins, and leaves when it has ended or will never begin.

    Args:
        batch: The accesses of each call, in the order of the calls; None if its tool declares none, or if nothing is to run.
        steps: The calls.
    """

    def __init__(self, batch: Sequence[Accesses | None], steps: Sequence[object] = ()) -> None:
        self._touched = batch
        self._steps = steps
        self._before = earlier_conflicts(batch)
        self._ends: list[Future[None]] = [Future() for _ in batch]
        for end in self._ends:
            end.set_running_or_notify_cancel()  # so that a call that stops waiting does not cancel it for the others
        self._begun: set[int] = set()
        self._changed: list[int] = []
        self._lock = allocate_lock()

    def touched(self, place: int, step: CallStep) -> Accesses | None:
        """Return the accesses of the call at `place`, computed again if the call is now another `step`."""
        return self._touched[place] if step is self._steps[place] else accesses_of(step)

    def enter(self, place: int, touched: Accesses | None) -> tuple[Future[None], ...]:
        """Record that a call begins, and return (); or return the futures that it must wait for first.

        A call that has waited enters again.

        A call whose accesses have changed since the order was made (its approver changed its arguments) loses its place: it waits for the
        calls that have begun, and all others wait for it.

        Args:
            place: The call's place in the batch.
            touched: Its accesses.
        """
        with self._lock:
            if touched != self._touched[place] and place not in self._changed:
                self._changed.append(place)
            pending = tuple(self._ends[each] for each in self._calls_before(place) if not self._ends[each].done())
            if not pending:
                self._begun.add(place)
            return pending

    def _calls_before(self, place: int) -> list[int]:
        """Return the indexes of calls that must end before the call with the index `place` begins; some twice.

        A call whose accesses have changed waits for all calls that run, and for those that changed before it. Any
        other call waits for the calls that it conflicts with, and for all changed ones.
        """
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
        """Record that the call at `place` has ended, or that it will never begin. Further calls do nothing."""
        with self._lock:
            self._begun.discard(place)
            end, left = self._ends[place], self._ends[place].done()
        if not left:
            end.set_result(None)


# --- Which calls wait for which ---


def earlier_conflicts(batch: Iterable[Accesses | None]) -> list[tuple[int, ...]]:
    """Return, for each call of a batch, the places of the earlier calls that have to end before it begins.

    Two calls conflict if one of them writes a key, and the other reads or writes that key, or a key above or below it; a call that is
    exclusive conflicts with every other call. Calls that conflict run in their order. All calls in a tuple conflict with the call that
    waits for them; a call that another call in the tuple waits for may be left out.

    Args:
        batch: The accesses of each call; None if its tool declares none.
    """
    finder = _ConflictFinder()
    return [finder.add(call, touched) for call, touched in enumerate(batch)]


class _ConflictFinder:
    """The calls added so far, as a tree of the keys that they access.

    A call is left out of the calls that a later one waits for if another of these waits for it.
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
            self._node_at(path).readers.append(call)
        for path in touched.writes:
            node = self._node_at(path)
            # This call waits for all calls below the key, so a later one that waits for this call need not look there.
            node.writer, node.readers, node.below = call, [], {}
        return waited

    def _conflicts(self, touched: Accesses) -> set[int]:
        """Return the indexes of earlier calls that conflict with the accesses `touched`; see `_conflicts_at`."""
        reads = (call for path in touched.reads for call in self._conflicts_at(path, writes=False))
        writes = (call for path in touched.writes for call in self._conflicts_at(path, writes=True))
        return {*reads, *writes}

    def _conflicts_at(self, path: KeyPath, *, writes: bool) -> Iterator[int]:
        """Yield the indexes of earlier calls that conflict with a call that reads the key `path`.

        These write the key, or one above or below it. With `writes`, the call writes the key, and calls that read such
        a key conflict, too. Some indexes come twice; a call that another of these waits for may be left out.
        """
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
            for node in nodes:  # the calls that have read these keys since
                yield from takewhile(lambda reader: reader >= last, reversed(node.readers))
        if len(nodes) > len(path):
            yield from _calls_below(nodes[-1], readers=writes)

    def _node_at(self, path: KeyPath) -> _Key:
        """Return the node of the key `path`; add it and the nodes above it to the tree if they are not there."""
        node = self._root
        for name in path:
            node = node.below.setdefault(name, _Key())
        return node


class _Key:
    """A node of the tree: the accesses of one key since the last write of a key above it.

    Attributes:
        writer: The last call that wrote the key, or -1.
        readers: The calls that have read it since.
        below: The nodes just below, by name.
    """

    __slots__ = ("below", "readers", "writer")

    def __init__(self) -> None:
        self.writer = -1
        self.readers: list[int] = []
        self.below: dict[str, _Key] = {}


def _calls_below(above: _Key, *, readers: bool) -> Iterator[int]:
    """Yield the index of the last writer of each key below `above`; with `readers`, also of its readers."""
    left = list(above.below.values())
    while left:
        node = left.pop()
        if node.writer >= 0:
            yield node.writer
        if readers:
            yield from node.readers
        left.extend(node.below.values())
