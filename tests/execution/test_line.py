"""When the calls of a batch may begin, on threads and on loops."""

from __future__ import annotations

import asyncio

import pytest

from fcregistry.execution._batch_order import ALONE, Accesses, BatchOrder  # laws of the order alone, for any batch

READS = Accesses(reads=frozenset({("a",)}))
WRITES = Accesses(writes=frozenset({("a",)}))
OTHER = Accesses(writes=frozenset({("b",)}))


def may_begin(line: BatchOrder, place: int, touched: Accesses | None) -> bool:
    return line.enter(place, touched) == ()


def test_a_call_begins_when_the_calls_that_it_waits_for_have_ended() -> None:
    line = BatchOrder([READS, READS, WRITES, None])
    assert may_begin(line, 0, READS)
    assert may_begin(line, 1, READS)
    assert not may_begin(line, 2, WRITES)
    assert may_begin(line, 3, None)
    line.leave(0)
    assert not may_begin(line, 2, WRITES)
    line.leave(1)
    assert may_begin(line, 2, WRITES)


def test_a_call_that_never_begins_does_not_block_others_once_it_has_left() -> None:
    line = BatchOrder([WRITES, WRITES])
    line.leave(0)
    line.leave(0)
    assert may_begin(line, 1, WRITES)


def test_a_call_whose_accesses_change_never_overlaps_with_a_call_that_it_may_conflict_with() -> None:
    line = BatchOrder([WRITES, OTHER, None, WRITES, OTHER])
    assert may_begin(line, 1, OTHER)
    assert not may_begin(line, 0, OTHER)  # changed: it waits for what has begun ...
    assert not may_begin(line, 2, None)  # ... and what has not waits for it
    assert not may_begin(line, 3, WRITES)
    line.leave(1)
    assert may_begin(line, 0, OTHER)
    assert not may_begin(line, 4, OTHER)
    line.leave(0)
    assert may_begin(line, 2, None)
    assert may_begin(line, 3, WRITES)
    assert may_begin(line, 4, OTHER)


def test_two_calls_that_were_changed_begin_one_after_the_other() -> None:
    line = BatchOrder([READS, READS, READS])
    assert may_begin(line, 2, READS)
    assert not may_begin(line, 1, WRITES)
    assert not may_begin(line, 0, WRITES)
    line.leave(2)
    assert not may_begin(line, 0, WRITES)
    assert may_begin(line, 1, WRITES)
    assert not may_begin(line, 0, WRITES)
    line.leave(1)
    assert may_begin(line, 0, WRITES)


def test_tasks_and_threads_wait_in_one_order() -> None:
    line, order = BatchOrder([WRITES, ALONE, WRITES, ALONE]), list[int]()

    def run(place: int, touched: Accesses) -> None:
        line.wait_now(place, touched)
        order.append(place)
        line.leave(place)

    async def arun(place: int, touched: Accesses) -> None:
        await line.wait_later(place, touched)
        order.append(place)
        line.leave(place)

    async def scenario() -> None:
        calls = [asyncio.to_thread(run, 3, ALONE), arun(2, WRITES), asyncio.to_thread(run, 1, ALONE), arun(0, WRITES)]
        await asyncio.wait_for(asyncio.gather(*calls), 30)

    asyncio.run(scenario())
    assert order == [0, 1, 2, 3]


def test_a_call_that_stops_waiting_does_not_end_the_waiting_of_others() -> None:
    line, began = BatchOrder([WRITES, READS, READS]), list[int]()

    async def arun(place: int) -> None:
        await line.wait_later(place, READS)
        began.append(place)

    async def scenario() -> None:
        assert may_begin(line, 0, WRITES)
        given_up, patient = asyncio.ensure_future(arun(1)), asyncio.ensure_future(arun(2))
        await asyncio.sleep(0)
        given_up.cancel()
        with pytest.raises(asyncio.CancelledError):
            await given_up
        assert not patient.done()
        line.leave(0)
        await asyncio.wait_for(patient, 30)

    asyncio.run(scenario())
    assert began == [2]


def test_a_thousand_calls_in_order_all_begin() -> None:
    touched = [WRITES, ALONE] * 500
    line = BatchOrder(touched)
    for place, each in enumerate(touched):
        line.wait_now(place, each)
        assert not any(may_begin(line, after, touched[after]) for after in range(place + 1, min(place + 3, 1000)))
        line.leave(place)
