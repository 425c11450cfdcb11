"""Which calls are equal, what is cached of them, and what happens if the cache fails."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from fcregistry import Executor, Tool, ToolCall
from fcregistry.errors import DefinitionError
from fcregistry.execution import MemoryCache, ToolOutput

if TYPE_CHECKING:
    from tests.conftest import Site


def look_up(word: str, options: dict[str, int] | None = None) -> list[str]:
    """Look a word up."""
    return [word]


def pay(amount: Decimal) -> str:
    """Pay."""
    return str(amount)


class Kept(dict[str, Any]):
    """A cache that can be looked into."""

    def set(self, key: str, value: Any) -> None:
        self[key] = value


def key_of(tool: Callable[..., Any] | Tool = look_up, arguments: str = '{"word": "tea"}', **options: Any) -> str:
    """Return the key under which the result of a call is kept."""
    cache = Kept()
    if not isinstance(tool, Tool):
        tool = Tool.from_function(tool, cache=True, **options)
    result = Executor(tool, cache=cache).run(ToolCall(tool.name, arguments))
    assert result.ok, result.content
    (key,) = cache
    return key


# --- which calls are equal ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ('{"word": "tea"}', '{ "word":"tea" }'),
        ('{"word": "\\u00e9"}', '{"word": "é"}'),
        ('{"word": "tea", "options": {"a": 1, "b": 2}}', '{"options": {"b": 2, "a": 1}, "word": "tea"}'),
    ],
)
def test_how_arguments_are_written_makes_no_difference(one: str, other: str) -> None:
    assert key_of(arguments=one) == key_of(arguments=other)


def test_other_arguments_have_another_key() -> None:
    given = ['{"word": "tea"}', '{"word": "Tea"}', '{"word": "tea", "options": null}', '{"word": "tea", "options": {}}']
    assert len({key_of(arguments=each) for each in given}) == len(given)


def test_numbers_that_are_the_same_float_and_not_the_same_decimal_have_other_keys() -> None:
    given = ["0.1", "0.10000000000000000000001", "0.10", "1e-1", "1", "1.0"]
    assert len({key_of(pay, f'{{"amount": {each}}}') for each in given}) == len(given)


def test_other_tools_have_other_keys() -> None:
    def make() -> Callable[..., Any]:
        def look_up(word: str, options: dict[str, int] | None = None) -> list[str]:
            """Look a word up."""
            return []

        return look_up

    def stricter(word: str, options: dict[str, int] | None = None, more: int = 0) -> list[str]:
        """Look a word up."""
        return []

    stricter.__qualname__ = look_up.__qualname__  # as after an edit: the schema is what differs
    tool = Tool.from_function(look_up, cache=True)
    keys = [
        key_of(tool),
        key_of(tool.renamed("other")),
        key_of(make(), name="look_up"),
        key_of(stricter, name="look_up"),
    ]
    assert len(set(keys)) == len(keys)
    assert key_of(make(), name="look_up") == key_of(make(), name="look_up")


def test_a_tool_has_other_keys_in_another_version_module_or_distribution(site: Site) -> None:
    """Its name, schema and qualified name are the same, and so is what else its key may depend on."""
    asked = """
        from fcregistry import Executor

        class Kept(dict):
            set = dict.__setitem__

        cache = Kept()
        assert Executor("look_up", cache=cache).call("look_up", word="tea").ok
        (answer,) = cache
    """
    code = """
        from fcregistry import fc_register

        @fc_register(cache=True)
        def look_up(word: str) -> str:
            "Look a word up."
            return word
    """

    def key(distribution: str = "acme", version: str = "1.0", module: str = "acme_tools") -> str:
        info = site.install(distribution, {"x": module}, {f"{module}.py": code}, version=version)
        found: str = site.ask(asked)
        shutil.rmtree(info)
        (site.folder / f"{module}.py").unlink()
        return found

    keys = [key(), key(version="1.1"), key(module="acme_words"), key(distribution="other")]
    assert len(set(keys)) == len(keys)
    assert key() == keys[0]


def test_a_key_names_the_tool_and_is_short_and_plain_whatever_the_arguments() -> None:
    key = key_of(arguments=json.dumps({"word": "\ud800é\x00" * 50_000}))
    name, _, digest = key.rpartition(":")
    assert name == "look_up"
    assert len(digest) == 64
    assert key.isascii()
    assert key.isprintable()


def test_a_key_is_the_same_in_every_process() -> None:
    code = f"""
import sys; sys.path[:0] = {sys.path!r}
from fcregistry import Executor, Tool
class Kept(dict):
    set = dict.__setitem__
def f(word: str, options: dict[str, int]) -> str: return word
f.__module__ = "acme"
cache = Kept()
Executor(Tool.from_function(f, cache=cache)).call("f", word="tea", options={{"b": 1, "a": 2}})
print(*cache)
"""
    keys = {
        subprocess.run(
            [sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": seed}
        ).stdout
        for seed in ("1", "2")
    }
    assert len(keys) == 1
    assert keys.pop().startswith("f:")


def test_a_call_with_an_integer_of_too_many_digits_is_not_cached() -> None:
    def is_even(number: int) -> bool:
        """Tell whether a number is even."""
        return number % 2 == 0

    executor = Executor(Tool.from_function(is_even, cache=True))
    call = ToolCall("is_even", {"number": 10**5000})
    assert [(each.value, each.cached) for each in map(executor.run, [call, call])] == [(True, False)] * 2


# --- what is kept ---------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [None, 0, False, "", [], ["tea"], {"a": Decimal("0.10")}])
def test_the_result_of_a_call_is_found_by_an_equal_call(value: object) -> None:
    def work(word: str) -> Any:
        """Work."""
        return value

    executor = Executor(Tool.from_function(work, cache=True))
    found = [executor.call("work", word=word) for word in ("tea", "tea", "coffee")]
    assert [(each.value, each.cached) for each in found] == [(value, False), (value, True), (value, False)]
    assert found[1].duration == 0.0


def test_a_tool_that_changes_its_arguments_does_not_change_the_key_of_its_result() -> None:
    def work(words: list[str]) -> int:
        """Work."""
        words.append("coffee")
        return len(words)

    executor = Executor(Tool.from_function(work, cache=True))
    found = [executor.call("work", words=["tea"]) for _ in range(2)]
    assert [(each.value, each.cached) for each in found] == [(2, False), (2, True)]


class Broken:
    """A cache whose server is gone."""

    def get(self, key: str, default: Any = None) -> Any:
        raise ConnectionError("gone")

    def set(self, key: str, value: Any) -> None:
        raise ConnectionError("gone")


def test_a_call_succeeds_although_the_cache_fails_and_the_log_says_so(caplog: pytest.LogCaptureFixture) -> None:
    assert Executor(Tool.from_function(look_up, cache=Broken())).call("look_up", word="tea").value == ["tea"]
    logged = [each for each in caplog.records if each.name == "fcregistry"]
    assert [(each.levelname, each.getMessage()) for each in logged] == [
        ("WARNING", "the cache of look_up could not be read; the call was run"),
        ("WARNING", "the result of look_up could not be cached"),
    ]
    assert all(each.exc_info and isinstance(each.exc_info[1], ConnectionError) for each in logged)


def test_a_value_that_cannot_be_copied_is_not_cached(caplog: pytest.LogCaptureFixture) -> None:
    def work() -> ToolOutput:
        """Work."""
        return ToolOutput(value=threading.Lock(), content="worked")

    cache = MemoryCache()
    assert Executor(Tool.from_function(work, cache=cache)).call("work").content == "worked"
    assert len(cache) == 0
    assert [each.getMessage() for each in caplog.records if each.name == "fcregistry"] == [
        "the result of work could not be cached"
    ]


# --- which cache ----------------------------------------------------------------------------------


class Asynchronous:
    async def get(self, key: str, default: Any = None) -> Any:
        return default

    async def set(self, key: str, value: Any) -> None:
        return None


def test_one_error_names_all_tools_whose_cache_is_not_a_cache() -> None:
    tools = [
        Tool.from_function(look_up, name="one", cache={}),
        Tool.from_function(look_up, name="two", cache=MemoryCache),
        Tool.from_function(look_up, name="three", cache=True),
        Tool.from_function(look_up, name="four", cache=Broken()),
        Tool.from_function(look_up, name="five"),
    ]
    Executor(tools[2:])
    with pytest.raises(DefinitionError) as error:
        Executor(tools)
    assert str(error.value) == (
        "the results of these tools cannot be cached:\n"
        "  - one: cache={} has no methods get(key, default) and set(key, value); pass True, or a cache\n"
        f"  - two: cache={MemoryCache!r} has no methods get(key, default) and "
        "set(key, value); pass True, or a cache"
    )
    with pytest.raises(DefinitionError, match="has coroutine functions get and set, and a cache needs plain functions"):
        Executor(Tool.from_function(look_up, cache=Asynchronous()))


def test_a_result_that_depends_on_who_calls_is_not_cached() -> None:
    from fcregistry import Context

    class Account:
        pass

    def balance(context: Context[Account], currency: str) -> str:
        """Tell the balance."""
        return currency

    def slow(context: Context, word: str) -> str:  # type: ignore[type-arg]
        """Look a word up, and say how far it is."""
        return word

    balance.__annotations__["context"] = Context[Account]
    slow.__annotations__["context"] = Context
    Executor([Tool.from_function(slow, cache=True), Tool.from_function(balance)], deps=[Account()])
    with pytest.raises(DefinitionError) as error:
        Executor(Tool.from_function(balance, cache=True), deps=[Account()])
    assert str(error.value) == (
        "the results of these tools cannot be cached:\n"
        "  - balance: the deps of its Context are not part of its arguments, so one caller would get another's result; "
        "remove `cache`, or the type of deps"
    )


def test_a_result_that_does_not_match_its_schema_is_not_cached() -> None:
    """Otherwise one bad result would be returned for ever."""
    given = iter(["garbage", 21])

    def temperature() -> int:
        return next(given)  # type: ignore[return-value]

    executor = Executor(Tool.from_function(temperature, cache=True), check_results=True)
    results = [executor.run({"name": "temperature"}) for _ in range(3)]
    assert [(result.ok, result.cached) for result in results] == [(False, False), (True, False), (True, True)]
