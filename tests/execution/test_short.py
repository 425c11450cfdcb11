"""The fast path of a plain call gives what the pipeline gives, and gives up where a call is not plain."""

from __future__ import annotations

import asyncio
import enum
import json
import re
import threading
from collections.abc import AsyncIterator, Awaitable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fcregistry import Context, Executor, Tool, ToolCall, ToolResult
from fcregistry.errors import ToolError


class Size(enum.Enum):
    SMALL = "s"
    LARGE = "l"


@dataclass
class Item:
    name: str
    count: int
    size: Size = Size.SMALL
    parts: list[Item] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.count > 1000:
            raise ValueError("so many there are not")


def text(text: str = "x") -> str:
    return text


def structured(items: list[Item], unit: Literal["a", 1] | None = None, extra: dict[str, float] | None = None) -> Any:
    return {"names": [item.name for item in items], "unit": unit, "extra": extra}


def typed(item: Item) -> Item:
    return item


def positional(a: int, /, *rest: int, **named: int) -> list[Any]:
    return [a, rest, named]


def anything(value: Any) -> Any:
    return value


def raising(code: int) -> str:
    raise [ValueError("no"), ToolError("say it again"), SystemExit(3), KeyError("k")][code % 4]


def unencodable(value: int) -> Any:
    return object() if value else float("nan")


def generator(most: int) -> Iterator[int]:
    yield from range(min(most, 3))


def awaited(value: int) -> Awaitable[int]:
    return coroutine(value)


async def coroutine(value: int) -> int:
    await asyncio.sleep(0)
    if value == 13:
        raise ValueError("unlucky")
    return value


async def async_generator(most: int) -> AsyncIterator[int]:
    for number in range(min(most, 3)):
        yield number


def exact(value: Decimal) -> str:
    return str(value)


TOOLS = [
    text,
    structured,
    typed,
    positional,
    anything,
    raising,
    unencodable,
    generator,
    awaited,
    coroutine,
    async_generator,
    exact,
]


class Never(dict[str, Any]):
    """A mapping of fast paths that is always empty."""

    def get(self, key: str, default: Any = None) -> Any:
        return None


def executors() -> tuple[Executor, Executor]:
    """Return an executor, and one that takes every call through the pipeline."""
    short, long = Executor(TOOLS), Executor(TOOLS)
    long._fast_paths, long._async_fast_paths = Never(), Never()
    return short, long


SHORT, LONG = executors()


def seen(result: ToolResult) -> tuple[Any, ...]:
    """Return all parts of a result that are the same in equal calls."""
    error = result.error
    failed = None if error is None else (error.code, error.text, error.retryable, type(error.exception))
    tool = None if result.tool is None else result.tool.name
    return result.content, shown(result.value), failed, repr(result.arguments), result.repairs, tool, result.call


def shown(value: Any) -> str:
    """Return what distinguishes a value from others, whatever its address in memory is."""
    return re.sub("0x[0-9a-f]+", "", repr(value))


ATOMS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 2000),
    st.floats(),
    st.text(max_size=5),
    st.sampled_from(["a", "s", "l", "[1]", "{}", ":"]),
)
ITEMS = st.fixed_dictionaries(
    {"name": st.text(max_size=4) | ATOMS, "count": st.integers(0, 2000) | ATOMS},
    optional={"size": st.sampled_from(["s", "l", "x"]), "parts": st.lists(ATOMS, max_size=1), "odd": ATOMS},
)
VALUES = st.recursive(
    ATOMS | ITEMS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
ARGUMENTS = st.dictionaries(
    st.sampled_from(["text", "items", "unit", "extra", "item", "a", "rest", "value", "code", "most", "named", ":"]),
    VALUES | st.lists(ITEMS, max_size=2),
    max_size=3,
)


@given(st.sampled_from([function.__name__ for function in TOOLS]), ARGUMENTS, st.sampled_from([None, 1]))
@example("structured", {"items": [{"name": ":", "count": 1}]}, None)
@example("typed", {"item": {"name": "a", "count": 1001}}, None)
@example("positional", {"a": 1, "rest": [2], "b": 3}, None)
@example("unencodable", {"value": 0}, None)
@example("unencodable", {"value": 1}, None)
@example("exact", {"value": 0.1}, None)
@example("anything", {"value": 1e400}, None)
def test_both_ways_give_the_same(name: str, arguments: dict[str, Any], indent: int | None) -> None:
    written = json.dumps(arguments, indent=indent)
    plain = {"name": name, "arguments": written}
    for given_call in (
        ToolCall(name, written, "c1"),
        plain,
        {**plain, "id": "c1"},
        {"id": "c1", "type": "function", "function": plain},
    ):
        assert seen(SHORT.run(given_call)) == seen(LONG.run(given_call))


FIELDS = st.sampled_from(["anything", " ", "", '{"value": 1}', "c1", 1, None, {"value": 1}, ["a"], "function"])
PLAIN = st.fixed_dictionaries({"name": FIELDS, "arguments": FIELDS})


@given(
    st.dictionaries(
        st.sampled_from(["name", "arguments", "id", "type", "function", "input", "index"]), FIELDS | PLAIN, max_size=4
    )
)
@example({"id": "c1", "type": "function", "function": {"name": "anything", "arguments": '{"value": 1}'}})
@example({"id": "c1", "type": {"value": 1}, "function": {"name": "anything", "arguments": "{}"}})
@example({"id": "c1", "type": "function", "function": {"name": "anything", "input": {"value": 1}}})
@example({"id": "c1", "type": "function", "function": "anything"})
@example({"name": "anything", "arguments": '{"value": 1}'})
@example({"name": " ", "arguments": '{"value": 1}'})
def test_both_ways_read_a_dict_alike(given_call: dict[str, Any]) -> None:
    assert seen(SHORT.run(given_call)) == seen(LONG.run(given_call))


@settings(max_examples=40)  # a loop for each
@given(st.sampled_from([function.__name__ for function in TOOLS]), ARGUMENTS)
def test_both_ways_give_the_same_on_a_loop(name: str, arguments: dict[str, Any]) -> None:
    call = ToolCall(name, json.dumps(arguments))

    async def both() -> tuple[ToolResult, ToolResult]:
        return await SHORT.arun(call), await LONG.arun(call)

    short, long = asyncio.run(both())
    assert seen(short) == seen(long)


@given(st.text(max_size=30) | st.text('{}[]":,1ae \n', max_size=30))
@example('{"value": 1}x')
@example(' {"value": 1}')
@example('{"value": 1, "value": 2}')
@example('{"value": ' + "[" * 99 + "]" * 99 + "}")
@example('{"value": ' + "[" * 101 + "]" * 101 + "}")
@example('{"value": "' + "[" * 200 + '"}')
@example('{"value": "\ud800"}')
@example('{"value": "12:30", "value": 1}')
@example('{"value": 1, "value": "\\u003a"}')
@example('{"value": 1, "value": "\\u003A:"}')
@example('{"value": {"a:b": "::", "c": ":"}}')
@example('{"value": {"a:b": "::", "a:b": ":"}}')
@example('{"value": [{"a": 1, "a": 2}, ":"]}')
def test_both_ways_read_the_same_text_alike(text: str) -> None:
    call = ToolCall("anything", text)
    assert seen(SHORT.run(call)) == seen(LONG.run(call))


def ways_of(function: Any, **options: Any) -> tuple[bool, bool]:
    """Return whether a tool has a fast path, and whether it has one on a loop."""
    given = {key: options.pop(key) for key in ("timeout", "check_results") if key in options}
    executor = Executor(Tool.from_function(function, name="it", **options), **given)
    executor.run({"name": "it", "arguments": "{}"})
    return "it" in executor._fast_paths, "it" in executor._async_fast_paths


def test_a_plain_tool_has_a_fast_path_once_it_was_called() -> None:
    assert ways_of(lambda: 1) == (True, True)
    assert ways_of(coroutine) == (False, True)


def of_context(context: Context) -> int:
    return 1


@pytest.mark.parametrize(
    ("function", "options"),
    [
        (lambda: 1, {"requires_approval": True}),
        (lambda: 1, {"requires_approval": lambda arguments: False}),
        (lambda: 1, {"requires_env": "PATH"}),
        (lambda: 1, {"timeout": 5}),
        (text, {"check_results": True}),
        (exact, {}),
        (of_context, {}),
    ],
)
def test_a_tool_that_needs_the_pipeline_has_no_fast_path(function: Any, options: dict[str, Any]) -> None:
    assert ways_of(function, **options) == (False, False)


def test_a_limit_of_the_executor_leaves_no_fast_path() -> None:
    executor = Executor(text, timeout=30)
    assert executor.run({"name": "text", "arguments": "{}"}).value == "x"
    assert not executor._fast_paths


def test_a_plain_function_stays_on_its_callers_thread_and_an_async_one_on_its_callers_loop() -> None:
    def where() -> int:
        return threading.get_ident()

    async def which() -> int:
        return id(asyncio.get_running_loop())

    def returns_it() -> Awaitable[int]:
        return which()

    executor = Executor([where, which, returns_it])
    for _ in range(2):  # the pipeline takes the first
        assert executor.run(ToolCall("where", "{}")).value == threading.get_ident()

    async def main() -> None:
        for _ in range(2):
            assert (await executor.arun(ToolCall("where", "{}"))).value != threading.get_ident()
            for name in ("which", "returns_it"):
                assert (await executor.arun(ToolCall(name, "{}"))).value == id(asyncio.get_running_loop())

    asyncio.run(main())


def test_a_call_on_a_thread_that_is_cancelled_is_abandoned() -> None:
    begun, over = threading.Event(), threading.Event()

    def waits() -> str:
        begun.set()
        over.wait(30)
        return "over"

    executor = Executor(waits)

    async def main() -> None:
        for _ in range(2):  # as above
            begun.clear()
            task = asyncio.create_task(executor.arun(ToolCall("waits", "{}")))
            await asyncio.to_thread(begun.wait, 10)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    try:
        asyncio.run(main())
    finally:
        over.set()
