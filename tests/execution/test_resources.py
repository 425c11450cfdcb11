"""The accesses of a call: the keys that its tool declares or computes, or all keys if they cannot be computed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

import pytest

from fcregistry import Executor, Tool, ToolCall, ToolResult
from fcregistry.errors import DefinitionError


def copy_file(source: str, target: str = "backup/file") -> None:
    """Copy a file."""


def results_of(function: Callable[..., Any] = copy_file, arguments: str = '{"source": "a"}', **options: Any) -> Any:
    """Return the results of two equal calls of a tool in one batch."""
    tool = Tool.from_function(function, **options)
    results: list[ToolResult] = Executor(tool).run_all([ToolCall(tool.name, arguments)] * 2)
    return results


def conflict(expected: bool, first: dict[str, Any], second: dict[str, Any]) -> bool:
    """Return whether the second of two calls waits for the first, given what their tools say that they touch.

    Args:
        expected: What a test expects: a call that should be waited for ends soon, and one that should not waits for the other.
        first: Options of the first tool.
        second: Options of the second.
    """
    first_ended, second_began = threading.Event(), threading.Event()
    waited = []

    def one() -> None:
        second_began.wait(0.02 if expected else 30)
        first_ended.set()

    def other() -> None:
        waited.append(first_ended.is_set())
        second_began.set()

    tools = [Tool.from_function(one, **first), Tool.from_function(other, **second)]
    assert all(result.ok for result in Executor(tools).run_all([{"name": "one"}, {"name": "other"}]))
    return waited == [True]


def assert_conflict(expected: bool, first: dict[str, Any], second: dict[str, Any]) -> None:
    assert conflict(expected, first, second) is expected


# --- what tools say -------------------------------------------------------------------------------


def test_a_tool_without_keys_conflicts_with_no_other() -> None:
    for nothing in ({}, {"read_only": True}, {"reads": (), "writes": ()}, {"writes": lambda arguments: ()}):
        assert_conflict(False, nothing, {"writes": "/"})


@pytest.mark.parametrize("given", ["mail/inbox", ["mail/inbox"], ("a", "mail/inbox"), {"mail/inbox"}])
def test_keys_may_be_one_or_several(given: Any) -> None:
    assert_conflict(True, {"reads": given}, {"writes": "mail"})
    assert_conflict(True, {"writes": given}, {"reads": "mail/inbox/1"})
    assert_conflict(False, {"reads": given}, {"reads": "mail"})
    assert_conflict(False, {"writes": given}, {"writes": "mail/outbox"})


def test_an_exclusive_tool_runs_alone_whatever_its_keys_are() -> None:
    assert_conflict(True, {"exclusive": True, "reads": "a"}, {})


def test_keys_may_be_computed_of_the_decoded_arguments() -> None:
    def pay(amount: Decimal, to: Path) -> None:
        """Pay."""

    seen: list[dict[str, Any]] = []

    def writes(arguments: dict[str, Any]) -> Path:
        seen.append(arguments)
        return arguments["to"]  # type: ignore[no-any-return]

    # The Decimal has all its digits, which a float has not.
    results_of(pay, '{"amount": 0.10000000000000000000001, "to": "accounts/ann"}', writes=writes)
    assert seen == [{"amount": Decimal("0.10000000000000000000001"), "to": Path("accounts/ann")}] * 2


def test_a_computed_key_is_a_key_like_any_other() -> None:
    assert_conflict(True, {"writes": lambda arguments: Path("accounts/ann")}, {"writes": "accounts"})
    assert_conflict(False, {"writes": lambda arguments: Path("accounts/ann")}, {"writes": "accounts/bob"})


def test_a_function_of_keys_gets_the_defaults_of_omitted_arguments() -> None:
    seen: list[dict[str, Any]] = []

    def keys(arguments: dict[str, Any]) -> list[str]:
        seen.append(arguments)
        return []

    results_of(reads=keys)
    assert seen == [{"source": "a", "target": "backup/file"}] * 2


def test_a_function_of_keys_cannot_change_the_arguments_of_the_tool() -> None:
    def delete(paths: list[str], kept: list[str] = ["x"]) -> list[list[str]]:  # noqa: B006
        """Delete files."""
        return [paths, kept]

    def greedy(arguments: dict[str, Any]) -> list[str]:
        arguments["paths"].append("b")
        arguments["kept"].append("y")
        return list(arguments["paths"])

    for result in results_of(delete, '{"paths": ["a"]}', writes=greedy):
        assert result.value == [["a"], ["x"]]
        assert result.arguments == {"paths": ["a"]}


# --- what cannot be told --------------------------------------------------------------------------


async def computed_later(arguments: dict[str, Any]) -> str:
    return "a"


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lambda arguments: arguments["no such"], "'no such'"),
        (lambda arguments: exit(3), "3"),
        (lambda arguments: None, "a key is a string or a path, not a NoneType; give one, or a list of them"),
        (lambda arguments: 7, "a key is a string or a path, not a int; give one, or a list of them"),
        (
            lambda arguments: (key for key in "ab"),
            "a key is a string or a path, not a generator; give one, or a list of them",
        ),
        (lambda arguments: ["a", b"b"], "a key is a string or a path, not a bytes; give one, or a list of them"),
        (lambda arguments: "", "a key is empty; all other keys lie below '/', and () means no keys"),
        (lambda arguments: "a/../../b", "the key 'a/../../b' has more '..' than names before them"),
        (lambda arguments: "a" * 4097, "a key has 4097 characters; it may have 4096"),
        (lambda arguments: "a/" * 101, "a key has 101 levels; it may have 100"),
        (lambda arguments: list(map(str, range(1001))), "1001 keys are too many: at most 1000"),
        (computed_later, "keys are computed by a plain function, not a coroutine function"),
    ],
)
@pytest.mark.parametrize("option", ["reads", "writes"])
def test_a_call_whose_keys_cannot_be_computed_runs_alone_and_the_log_says_why(
    function: Any, said: str, option: str, caplog: pytest.LogCaptureFixture
) -> None:
    assert_conflict(True, {}, {option: function})
    (record,) = caplog.records
    assert (record.name, record.levelname) == ("fcregistry", "WARNING")
    assert record.getMessage() == "the keys of a call of other could not be computed, so it runs alone"
    assert record.exc_info
    assert str(record.exc_info[1]) == said


def test_an_interrupt_in_a_function_of_keys_is_raised() -> None:
    def interrupted(arguments: dict[str, Any]) -> str:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        results_of(reads=interrupted)


def test_one_error_names_all_tools_whose_keys_are_not_valid() -> None:
    tools = [
        Tool.from_function(copy_file, name="one", reads="..", writes=["", "b"]),
        Tool.from_function(copy_file, name="two", reads="a", writes=lambda arguments: ".."),
        Tool.from_function(copy_file, name="three", writes=("a", "b/../../c")),
    ]
    Executor(tools[1:2])
    with pytest.raises(DefinitionError) as error:
        Executor(tools)
    assert str(error.value) == (
        "these tools have keys that are not valid:\n"
        "  - one: reads='..': the key '..' has more '..' than names before them\n"
        "  - one: writes=['', 'b']: a key is empty; all other keys lie below '/', and () means no keys\n"
        "  - three: writes=('a', 'b/../../c'): the key 'b/../../c' has more '..' than names before them"
    )


# --- keys -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "path"),
    [
        ("a", "a"),
        ("a/b", "a/b"),
        ("/a//b/", "a/b"),
        ("./a/./b/.", "a/b"),
        ("a/../b", "b"),
        ("a/b/../../c", "c"),
        ("...", "..."),
        ("A", "A"),
        ("a\\b", "a\\b"),
        ("db:users", "db:users"),
        (PurePosixPath("/etc/hosts"), "etc/hosts"),
        (PureWindowsPath("C:\\mail\\inbox"), "C:/mail/inbox"),
    ],
)
def test_a_key_is_a_path_of_names(key: object, path: str) -> None:
    key_of_a_call = {"writes": lambda arguments: key}
    above, _, name = path.rpartition("/")
    assert_conflict(True, key_of_a_call, {"reads": path})
    assert_conflict(True, key_of_a_call, {"reads": f"{path}/below"})
    for beside in (f"{path}2", f"{above}/{name.swapcase()}2", f"{above}/beside"):
        assert_conflict(False, key_of_a_call, {"reads": beside})


def test_the_case_of_a_key_counts() -> None:
    assert_conflict(False, {"writes": "a"}, {"reads": "A"})


@pytest.mark.parametrize("key", ["/", ".", "a/.."])
def test_all_keys_are_below_the_root(key: str) -> None:
    assert_conflict(True, {"writes": key}, {"reads": "any/key"})


def test_the_most_keys_are_accepted() -> None:
    keys = [f"{number}/{'a/' * 99}" for number in range(1000)]
    assert_conflict(True, {"writes": keys}, {"reads": keys[-1]})
    assert_conflict(False, {"writes": lambda arguments: keys}, {"reads": "1000"})
