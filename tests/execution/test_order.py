"""Calls that conflict run in their order, and all others at the same time, however long each takes."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcregistry.execution._batch_order import (  # laws of the order alone, for any batch
    ALONE,
    Accesses,
    earlier_conflicts,
)


def reads(key: str) -> Accesses:
    return Accesses(reads=frozenset({tuple(filter(None, key.split("/")))}))


def writes(key: str) -> Accesses:
    return Accesses(writes=reads(key).reads)


# What the words say, one pair at a time: what is under test is quicker than this.


def touches(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Return whether two keys are equal, or one is below the other."""
    shorter = min(len(one), len(other))
    return one[:shorter] == other[:shorter]


def conflict(one: Accesses | None, other: Accesses | None) -> bool:
    one, other = one or Accesses(), other or Accesses()
    if one.exclusive or other.exclusive:
        return True
    pairs = [
        *product(one.writes, other.writes),
        *product(one.writes, other.reads),
        *product(one.reads, other.writes),
    ]
    return any(touches(*pair) for pair in pairs)


names = st.sampled_from("ab")
keys = st.frozensets(st.lists(names, max_size=3).map(tuple), max_size=2)
batches = st.lists(
    st.one_of(
        st.none(), st.just(ALONE), st.builds(Accesses, reads=keys, writes=keys), st.builds(Accesses, writes=keys)
    ),
    max_size=14,
)


@given(batches)
def test_only_calls_that_conflict_wait_for_each_other_and_only_for_earlier_ones(batch: list[Accesses | None]) -> None:
    waits = earlier_conflicts(batch)
    assert len(waits) == len(batch)
    for call, earlier in enumerate(waits):
        assert list(earlier) == sorted(set(earlier))
        assert all(other < call and conflict(batch[call], batch[other]) for other in earlier)


@given(batches, st.randoms(use_true_random=False))
def test_no_two_calls_that_conflict_overlap_or_swap_in_any_schedule(
    batch: list[Accesses | None], random: object
) -> None:
    """Calls begin as soon as the calls that they wait for have ended, and end in any order."""
    waits, running, done = earlier_conflicts(batch), set[int](), list[int]()
    while len(done) < len(batch):
        ready = {call for call in range(len(batch)) if call not in running and call not in done}
        started = {call for call in ready if set(waits[call]) <= set(done)}
        running |= started
        for call in started:
            earlier = [other for other in range(call) if conflict(batch[call], batch[other])]
            assert set(earlier) <= set(done)
            assert not any(conflict(batch[call], batch[other]) for other in running - {call})
        ending = random.choice(sorted(running))  # type: ignore[attr-defined]
        running.remove(ending)
        done.append(ending)


@pytest.mark.parametrize(
    ("batch", "waits"),
    [
        ([], []),
        ([None, None], [(), ()]),
        ([reads("f"), reads("f")], [(), ()]),
        ([reads("f"), writes("f")], [(), (0,)]),
        ([writes("f"), reads("f")], [(), (0,)]),
        ([writes("d"), writes("d/f")], [(), (0,)]),
        ([writes("d/f"), writes("d")], [(), (0,)]),
        ([reads("d"), writes("d/f")], [(), (0,)]),
        ([writes("d/f"), reads("d")], [(), (0,)]),
        ([writes("d/f"), writes("d/g")], [(), ()]),
        ([writes("d"), writes("d2")], [(), ()]),
        ([writes("/"), reads("d"), None], [(), (0,), ()]),
        ([writes("a"), writes("b"), writes("a"), ALONE, None], [(), (), (0,), (0, 1, 2), (3,)]),
        ([ALONE, ALONE, reads("a"), writes("a")], [(), (0,), (1,), (2,)]),
        ([Accesses(reads=frozenset({("a",)}), writes=frozenset({("a", "b")})), writes("a")], [(), (0,)]),
    ],
)
def test_each_call_waits_for_the_earlier_calls_that_it_conflicts_with(
    batch: list[Accesses | None], waits: list[tuple[int, ...]]
) -> None:
    assert earlier_conflicts(batch) == waits


def test_calls_that_are_waited_for_anyway_are_left_out() -> None:
    """A thousand calls that all access one key wait for a thousand others, not for half a million."""
    one_key = earlier_conflicts([reads("a")] * 500 + [writes("a/x")] * 500)
    assert sum(map(len, one_key)) == 500 + 499
    assert earlier_conflicts([writes("a/b")] * 3 + [reads("a")] * 2 + [writes("a")]) == [
        (),
        (0,),
        (1,),
        (2,),
        (2,),
        (2, 3, 4),
    ]


def test_large_batches_are_ordered_quickly() -> None:
    """Twenty thousand calls without a key in common: an algorithm of quadratic time would take minutes."""
    assert not any(earlier_conflicts([None] * 20_000))
    assert not any(earlier_conflicts([writes(f"a/{number}") for number in range(20_000)]))
    assert sum(map(len, earlier_conflicts([ALONE] * 20_000))) == 19_999
