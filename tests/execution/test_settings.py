"""Errors for options of an executor or a call that are not valid."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from typing import Any

import pytest

from fcregistry import Context, Executor, ToolCall
from fcregistry.errors import DefinitionError


class Shop:
    pass


def add(a: int, b: int) -> int:
    return a + b


def orders(context: Context[Shop]) -> str:
    return "none"


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"timeout": "3"}, ValueError, "timeout must be a number of seconds above 0, or None, not '3'"),
        ({"timeout": True}, ValueError, "timeout must be a number of seconds above 0, or None, not True"),
        ({"max_concurrency": "x"}, ValueError, "max_concurrency must be a whole number of at least 1, not 'x'"),
        ({"max_concurrency": True}, ValueError, "max_concurrency must be a whole number of at least 1, not True"),
        (
            {"validator": "jsonschmea"},
            ValueError,
            'validator must be "jsonschema-rs" or "jsonschema", not \'jsonschmea\'',
        ),
        ({"check_results": "x"}, TypeError, "check_results must be a bool, not 'x'"),
        ({"retry": 3}, TypeError, r"retry must be a Retry, such as Retry\(attempts=3\), not 3"),
        ({"cache": {}}, TypeError, "cache=.* has no methods"),
        ({"registry": 5}, TypeError, "registry must be a Registry, not 5"),
        ({"deps": Shop()}, TypeError, r"deps must be a list of objects, as in deps=\[Shop\(…\)\], not <"),
        ({"deps": {"shop": Shop()}}, TypeError, "deps must be a list of objects"),
        ({"repairs": "fences"}, TypeError, "repairs"),
        ({"policy": "deny"}, TypeError, "policy must be a Policy, not 'deny'"),
        ({"approve": 5}, TypeError, "approve must be a function of the tool and the call, not 5"),
        ({"approve_timeout": -1}, ValueError, "approve_timeout must be a number of seconds"),
        ({"max_characters": 3.5}, TypeError, "a limit of characters must be a whole number"),
        ({"pool": 5}, TypeError, "pool must be a concurrent"),
    ],
    ids=lambda value: str(value).partition(" at 0x")[0],  # the same in every process
)
def test_arguments_of_an_executor_that_are_not_valid_are_refused_when_it_is_made(
    given: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        Executor(add, **given)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"cancellation": threading.Event()}, "cancellation must be a CancellationToken, not <"),
        ({"cancellation": True}, "cancellation must be a CancellationToken, not True"),
        ({"deps": 7}, r"deps must be a list of objects, as in deps=\[int\(…\)\], not 7"),
    ],
)
def test_options_of_a_call_that_are_not_valid_are_refused_before_anything_runs(
    given: dict[str, Any], message: str
) -> None:
    executor, call = Executor(add), ToolCall("add", '{"a": 1, "b": 2}')
    for way in (executor.run, lambda call, **given: executor.run_all([call, call], **given)):
        with pytest.raises(TypeError, match=message):
            way(call, **given)


@pytest.mark.parametrize("calls", [None, 5, {"name": "add"}, "add", ToolCall("add")], ids=repr)
def test_a_single_call_in_place_of_a_batch_is_refused(calls: Any) -> None:
    for way in (Executor(add).run_all, Executor(add).prepare):
        with pytest.raises(TypeError, match="give a list of calls, or use run for one, not"):
            way(calls)


def test_a_single_call_of_an_sdk_in_place_of_a_batch_is_refused() -> None:
    """Objects of pydantic are iterable: they yield their fields."""
    from openai.types.chat import ChatCompletionMessageToolCall  # heavy

    call = ChatCompletionMessageToolCall.model_validate(
        {"id": "1", "type": "function", "function": {"name": "add", "arguments": '{"a": 1, "b": 2}'}}
    )
    for way in (Executor(add).run_all, Executor(add).prepare):
        with pytest.raises(TypeError, match="give a list of calls, or use run for one, not ChatCompletionMessage"):
            way(call)
    assert [result.value for result in Executor(add).run_all(each for each in [call])] == [3]


def test_a_misspelt_argument_of_an_executor_names_the_right_one() -> None:
    with pytest.raises(
        TypeError, match=r"^Executor\(\) has no argument 'time_out'; did you mean 'timeout' or 'approve_timeout'\?$"
    ):
        Executor(add, time_out=3)  # type: ignore[arg-type]


def test_call_says_what_to_pass() -> None:
    executor: Any = Executor([add])
    for call in ({"name": "add", "arguments": {}}, ToolCall("add"), add):
        with pytest.raises(TypeError) as raised:
            executor.call(call)
        assert str(raised.value) == (
            'call takes the name of a tool, and its arguments by name, as in call("add", a=1, b=2), '
            f"not {type(call).__name__}; run takes a call that a model made"
        )
    with pytest.raises(TypeError, match=r'^call takes arguments by name: call\("add", a=…, b=…\)$'):
        executor.call("add", 1, 2)
    with pytest.raises(TypeError, match=r'^call takes arguments by name: call\("unknown", parameter=…\)$'):
        executor.call("unknown", 1)


def test_resume_refuses_a_value_that_is_not_a_prepared_batch() -> None:
    executor = Executor(add)
    with pytest.raises(TypeError, match="resume takes the PreparedCalls that prepare or from_json returned, not str"):
        executor.resume("{}")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"decisions must be a dict such as .*, by the ids of waiting calls, not list"):
        executor.resume(executor.prepare([ToolCall("add")]), [True])  # type: ignore[arg-type]


def test_a_function_that_is_given_twice_is_one_tool() -> None:
    assert list(Executor([add, [add]]).tools) == ["add"]


def test_a_call_whose_deps_are_missing_keeps_the_whole_batch_from_running() -> None:
    ran: list[int] = []

    def work() -> None:
        ran.append(1)

    executor = Executor([work, orders], deps=[Shop])
    with pytest.raises(DefinitionError, match="orders asks for Shop"):
        executor.run_all([ToolCall("work"), ToolCall("orders"), ToolCall("work")])
    assert ran == []


WITHOUT_THREADS = """
import json, sys, threading
from fcregistry import Executor

class NoThread(threading.Thread):
    def start(self):
        if self.name == sys.argv[1]:
            raise RuntimeError("can't start new thread")
        super().start()

threading.Thread = NoThread

def add():
    return 1

async def wait():
    return 1

def returns_it():
    return wait()

def told(result):
    return [result.tool.name, result.error.code, result.error.retryable, result.content]
"""


def without_threads(name: str, code: str) -> Any:
    """Return the output of code in a process in which no thread of a name can be started."""
    done = subprocess.run(
        [sys.executable, "-c", f"{WITHOUT_THREADS}\nprint(json.dumps({code}))", name],
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def test_a_system_without_threads_makes_calls_unavailable_and_no_batch_fail() -> None:
    results = without_threads("fcregistry-tool", 'list(map(told, Executor(add).run_all([{"name": "add"}] * 3)))')
    assert results == [["add", "unavailable", True, "add cannot run now: the system has no more threads"]] * 3


@pytest.mark.parametrize("options", ["", ", timeout=20"], ids=["no limit", "a limit"])
@pytest.mark.parametrize("name", ["wait", "returns_it"])
def test_an_async_tool_without_a_thread_for_its_loop_is_unavailable(name: str, options: str) -> None:
    """The second call takes the fast path."""
    results = without_threads(
        "fcregistry-loop",
        f'[told(each.run({{"name": "{name}", "arguments": "{{}}"}})) for each in [Executor({name}{options})] * 2]',
    )
    assert results == [[name, "unavailable", True, f"{name} cannot run now: the system has no more threads"]] * 2
