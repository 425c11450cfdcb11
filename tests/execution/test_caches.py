"""The cache in memory: it returns what was stored, to many threads at once, up to its limit."""

from __future__ import annotations

import gc
import os
import signal
import threading
import weakref
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcregistry.execution import Cache, MemoryCache


def test_values_are_stored_overwritten_and_missing() -> None:
    cache = MemoryCache()
    assert cache.get("key") is None
    cache.set("key", 42)
    assert cache.get("key") == 42
    cache.set("key", 2)
    assert cache.get("key") == 2
    assert cache.get("missing", 99) == 99
    assert len(cache) == 1


@pytest.mark.parametrize("value", [None, 0, False, "", [], {}])
def test_values_that_are_falsy_are_values(value: object) -> None:
    cache = MemoryCache()
    cache.set("key", value)
    assert cache.get("key", "default") == value


def test_an_empty_cache_is_a_cache() -> None:
    assert isinstance(MemoryCache(), Cache)
    assert MemoryCache()
    assert repr(MemoryCache(3)) == "<MemoryCache: 0 of 3 entries>"


def test_changing_a_value_does_not_change_the_stored_value() -> None:
    cache, value = MemoryCache(), {"names": ["Ann"]}
    cache.set("key", value)
    value["names"].append("Bob")
    first = cache.get("key")
    first["names"].append("Cleo")
    assert cache.get("key") == {"names": ["Ann"]}


def test_the_default_is_returned_itself() -> None:
    default: list[int] = []
    assert MemoryCache().get("key", default) is default


def test_a_value_that_cannot_be_copied_is_not_stored_and_removes_the_old_value() -> None:
    cache = MemoryCache()
    cache.set("key", 1)
    with pytest.raises(TypeError) as error:
        cache.set("key", threading.Lock())
    assert str(error.value) == (
        "a value of type _thread.lock cannot be cached, because it cannot be copied: cannot pickle '_thread.lock' object"
    )
    assert cache.get("key") is None


def test_the_least_recently_used_value_is_removed() -> None:
    cache = MemoryCache(max_entries=2)
    cache.set("a", 1)
    cache.set("b", 2)
    cache.get("a")
    cache.set("c", 3)
    assert [cache.get(key) for key in "abc"] == [1, None, 3]
    cache.set("a", 4)
    cache.set("d", 5)
    assert [cache.get(key) for key in "acd"] == [4, None, 5]
    cache.clear()
    assert len(cache) == 0


@pytest.mark.parametrize("max_entries", [0, -1])
def test_max_entries_below_one_is_refused(max_entries: int) -> None:
    with pytest.raises(ValueError, match=f"max_entries must be at least 1, not {max_entries}"):
        MemoryCache(max_entries)


@given(st.integers(1, 4), st.lists(st.tuples(st.sampled_from("gs"), st.sampled_from("abcdef")), max_size=40))
def test_a_cache_keeps_the_values_that_were_used_last(room: int, uses: list[tuple[str, str]]) -> None:
    cache = MemoryCache(room)
    model: dict[str, int] = {}
    for number, (use, key) in enumerate(uses):
        if use == "s":
            cache.set(key, number)
            model.pop(key, None)
            model[key] = number
            model = dict(list(model.items())[-room:])
        elif key in model:
            assert cache.get(key) == model[key]
            model[key] = model.pop(key)
        else:
            assert cache.get(key) is None
    assert len(cache) == len(model)


def test_threads_may_use_it_at_once() -> None:
    cache, start, failures = MemoryCache(max_entries=8), threading.Barrier(8), list[Any]()

    def use(seed: int) -> None:
        start.wait(30)
        try:
            for number in range(500):
                key = str((number * seed) % 16)
                cache.set(key, [key])
                found = cache.get(key, [key])
                assert found == [key]
        except BaseException as error:  # noqa: BLE001  # whatever fails on a thread has to be seen on this one
            failures.append(error)

    threads = [threading.Thread(target=use, args=(seed,)) for seed in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert failures == []
    assert len(cache) == 8


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform does not fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
def test_a_forked_process_can_use_a_cache_that_was_in_use() -> None:
    """Another thread, which the child does not have, holds the lock at that moment."""
    cache = MemoryCache()
    cache.set("key", 42)
    with cache._lock:
        child = os.fork()
        if child == 0:
            signal.alarm(30)  # ends the child, should it wait for ever
            os._exit(cache.get("key"))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 42


def test_a_cache_without_references_is_garbage_collected() -> None:
    cache = MemoryCache()
    found = weakref.ref(cache)
    del cache
    gc.collect()
    assert found() is None
