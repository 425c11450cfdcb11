"""What does a call touch? What its tool says, taken apart; and anything, where that cannot be told."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcregistry import Tool, ToolCall
from fcregistry.errors import DefinitionError
from fcregistry.execution._arguments import read_arguments
from fcregistry.execution._resources import ALONE, MOST_KEYS, Accesses, accesses, check_keys, path_of
from fcregistry.execution._settings import Settings
from fcregistry.execution._step import Bound, CallStep


def copy_file(source: str, target: str = "backup/file") -> None:
    """Copy a file."""


def step_of(tool: Tool, arguments: str = '{"source": "a"}') -> CallStep:
    """Return a call that is valid."""
    bound = Bound.of(tool, Settings())
    read, _ = read_arguments(arguments, bound.exact)
    return CallStep(ToolCall(tool.name, arguments), bound, read, bound.signature.binding.decode(read), ())


def touched(function: Callable[..., Any] = copy_file, arguments: str = '{"source": "a"}', **options: Any) -> Any:
    """Return what a call of a tool with these options touches."""
    return accesses(step_of(Tool.from_function(function, **options), arguments))


# --- what tools say -------------------------------------------------------------------------------


def test_a_tool_that_says_nothing_touches_nothing_that_is_known() -> None:
    assert touched() is None
    assert touched(read_only=True) is None
    assert touched(reads=(), writes=()) is None


@pytest.mark.parametrize("given", ["mail/inbox", ["mail/inbox"], ("mail/inbox",), {"mail/inbox"}])
def test_keys_may_be_one_or_several(given: Any) -> None:
    assert touched(reads=given) == Accesses(reads=frozenset({("mail", "inbox")}))
    assert touched(writes=given) == Accesses(writes=frozenset({("mail", "inbox")}))


def test_an_exclusive_tool_is_alone_whatever_else_it_says() -> None:
    assert touched(exclusive=True, reads="a") == ALONE


def test_keys_may_be_computed_of_the_decoded_arguments() -> None:
    def pay(amount: Decimal, to: Path) -> None:
        """Pay."""

    seen: list[dict[str, Any]] = []

    def writes(arguments: dict[str, Any]) -> Path:
        seen.append(arguments)
        return arguments["to"]  # type: ignore[no-any-return]

    # The Decimal has all its digits, which a float has not.
    text = '{"amount": 0.10000000000000000000001, "to": "accounts/ann"}'
    assert touched(pay, text, writes=writes) == Accesses(writes=frozenset({("accounts", "ann")}))
    assert seen == [{"amount": Decimal("0.10000000000000000000001"), "to": Path("accounts/ann")}]


def test_a_function_of_keys_is_shown_the_defaults_of_what_was_left_out() -> None:
    computed = touched(reads=lambda arguments: arguments["source"], writes=lambda arguments: arguments["target"])
    assert computed == Accesses(reads=frozenset({("a",)}), writes=frozenset({("backup", "file")}))


def test_a_function_of_keys_cannot_change_what_runs() -> None:
    def delete(paths: list[str], kept: list[str] = ["x"]) -> None:  # noqa: B006
        """Delete files."""

    def greedy(arguments: dict[str, Any]) -> list[str]:
        arguments["paths"].append("b")
        arguments["kept"].append("y")
        return list(arguments["paths"])

    step = step_of(Tool.from_function(delete, writes=greedy), '{"paths": ["a"]}')
    assert accesses(step) == Accesses(writes=frozenset({("a",), ("b",)}))
    assert step.arguments == step.decoded == {"paths": ["a"]}
    assert delete.__defaults__ == (["x"],)


def test_a_function_may_say_that_a_call_touches_nothing() -> None:
    assert touched(writes=lambda arguments: ()) == Accesses()


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
        (lambda arguments: "", "a key is empty; '/' is what all others lie below, and () are no keys"),
        (lambda arguments: "a/../../b", "the key 'a/../../b' leads out of everything with '..'"),
        (lambda arguments: "a" * 4097, "a key has 4097 characters; it may have 4096"),
        (lambda arguments: "a/" * 101, "a key has 101 levels; it may have 100"),
        (lambda arguments: list(map(str, range(1001))), "1001 keys are too many: at most 1000"),
        (computed_later, "keys are computed by a plain function, not by a coroutine function"),
    ],
)
@pytest.mark.parametrize("option", ["reads", "writes"])
def test_a_call_whose_keys_cannot_be_computed_runs_alone_and_the_log_says_why(
    function: Any, said: str, option: str, caplog: pytest.LogCaptureFixture
) -> None:
    assert touched(**{option: function}) == ALONE
    (record,) = caplog.records
    assert (record.name, record.levelname) == ("fcregistry", "WARNING")
    assert record.getMessage() == "what a call of copy_file touches could not be told, so it runs alone"
    assert record.exc_info
    assert str(record.exc_info[1]) == said


def test_an_interrupt_is_the_users() -> None:
    def interrupted(arguments: dict[str, Any]) -> str:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        touched(reads=interrupted)


def test_keys_that_cannot_be_are_said_of_all_tools_at_once() -> None:
    tools = [
        Tool.from_function(copy_file, name="one", reads="..", writes=["", "b"]),
        Tool.from_function(copy_file, name="two", reads="a", writes=lambda arguments: ".."),
        Tool.from_function(copy_file, name="three", writes=("a", "b/../../c")),
    ]
    check_keys(tools[1:2])
    with pytest.raises(DefinitionError) as error:
        check_keys(tools)
    assert str(error.value) == (
        "the keys of these tools cannot be:\n"
        "  - one: reads='..': the key '..' leads out of everything with '..'\n"
        "  - one: writes=['', 'b']: a key is empty; '/' is what all others lie below, and () are no keys\n"
        "  - three: writes=('a', 'b/../../c'): the key 'b/../../c' leads out of everything with '..'"
    )


# --- keys -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "path"),
    [
        ("a", ("a",)),
        ("a/b", ("a", "b")),
        ("/a//b/", ("a", "b")),
        ("./a/./b/.", ("a", "b")),
        ("a/../b", ("b",)),
        ("a/b/../../c", ("c",)),
        ("/", ()),
        (".", ()),
        ("a/..", ()),
        ("...", ("...",)),
        ("A", ("A",)),
        ("a\\b", ("a\\b",)),
        ("db:users", ("db:users",)),
        (PurePosixPath("/etc/hosts"), ("etc", "hosts")),
        (PureWindowsPath("C:\\mail\\inbox"), ("C:", "mail", "inbox")),
    ],
)
def test_a_key_is_a_path_of_names(key: object, path: tuple[str, ...]) -> None:
    assert path_of(key) == path


@given(st.lists(st.sampled_from(["", ".", "..", "a", "b", "é", " "]), max_size=8).map("/".join))
def test_taking_a_key_apart_twice_changes_nothing(key: str) -> None:
    try:
        path = path_of(key)
    except ValueError:
        return
    assert path_of("/".join(path) or "/") == path
    assert not {"", ".", ".."} & set(path)


def test_as_many_keys_as_may_be() -> None:
    keys = [f"{number}/{'a/' * 99}" for number in range(MOST_KEYS)]
    assert len(touched(writes=keys).writes) == MOST_KEYS
