"""The operator's configuration holds for every executor, before its policy and the authors' options."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from fcregistry import Executor, FunctionCall, Tool
from fcregistry._tools.declaration import Declaration
from fcregistry._tools.indexed import record_of
from fcregistry.errors import ConfigurationError
from fcregistry.execution import Policy

if TYPE_CHECKING:
    from pathlib import Path

    from fcregistry import ToolCall

Configure = Callable[[str], "Path"]


@pytest.fixture
def configure(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Configure:
    """Writes the project's configuration, and returns its file."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").touch()

    def write(text: str) -> Path:
        path = tmp_path / "fcregistry.toml"
        path.write_text(text)
        return path

    return write


def delete_file(name: str) -> str:
    """Delete a file."""
    return f"{name} is gone"


def harmless(**options: Any) -> Tool:
    return Tool.from_function(delete_file, read_only=True, requires_approval=False, **options)


def code(executor: Executor, name: str = "delete_file") -> str | None:
    error = executor.call(name, name="x").error
    return None if error is None else error.code


@pytest.mark.parametrize("policy", [None, Policy(allow=["*"]), Policy(default="allow"), Policy(ask=["delete_file"])])
@pytest.mark.parametrize(
    "setting", ['ask = ["delete_file"]', 'ask = ["read_only=true"]', 'ask = ["rm"]', 'ask = ["gone"]']
)
def test_what_is_asked_about_is_asked_about_whatever_else_says(
    configure: Configure, policy: Policy | None, setting: str
) -> None:
    """Its author says that it only reads, the application's policy allows it: neither is the operator. Any of its names will do."""
    path = configure(setting)
    asked = []

    def approve(tool: Tool, call: ToolCall) -> bool:
        asked.append(tool.name)
        return True

    tool = harmless(aliases=("rm",)).renamed("gone")
    assert code(Executor([tool], policy=policy), "gone") == "approval_required"
    assert code(Executor([tool], policy=policy, approve=approve), "gone") is None
    assert asked == ["gone"]
    prepared = Executor([tool], policy=policy).prepare([tool.make_call(name="x")])
    selector = setting.split('"')[1]
    assert [each.reason for each in prepared.waiting] == [f"ask in {path} names {selector}"]


@pytest.mark.parametrize("policy", [None, Policy(allow=["*"]), Policy(ask=["*"])])
def test_what_is_denied_runs_in_no_executor(configure: Configure, policy: Policy | None) -> None:
    """And says who denies it. A function that a program gives itself is denied too."""
    path = configure('deny = ["delete_*"]')
    error = Executor([delete_file], policy=policy, approve=lambda tool, call: True).call("delete_file", name="x").error
    assert error is not None
    assert error.code == "denied"
    assert error.message.endswith(f": deny in {path} names delete_*")


def test_a_policy_still_denies_what_the_configuration_asks_about(configure: Configure) -> None:
    """Neither loosens the other."""
    configure('ask = ["delete_file"]')
    error = Executor([delete_file], policy=Policy(deny=["delete_file"])).call("delete_file", name="x").error
    assert error is not None
    assert error.code == "denied"


def test_others_are_left_to_policy_and_author(configure: Configure) -> None:
    configure('ask = ["another"]\ndeny = ["a_third"]\nallow = ["fourth:*"]\ndisable = ["delete_file"]')
    assert code(Executor([harmless()])) is None
    assert code(Executor([harmless()], policy=Policy(default="deny"))) == "denied"
    assert code(Executor([Tool.from_function(delete_file, requires_approval=True)])) == "approval_required"


def test_agents_are_held_to_it_too(configure: Configure) -> None:
    configure('deny = ["delete_file"]')
    call = {"id": "1", "type": "function", "function": {"name": "delete_file", "arguments": '{"name": "x"}'}}
    (message,) = FunctionCall(tools=[delete_file]).execute({"role": "assistant", "content": "", "tool_calls": [call]})
    assert "was denied" in message["content"]


@dataclass(frozen=True)
class Owner:
    """A plugin that ships a tool."""

    distribution: str = "acme"
    version: str = "1.0"
    entry_point: str = "files"


def test_a_tool_that_is_not_as_it_was_locked_runs_in_no_executor(configure: Configure) -> None:
    """Whoever hands it to the executor: the last look is at the tool itself. The application's own is in no lock."""
    path = configure('mode = "locked"')
    tool = Tool(Declaration(delete_file, "delete_file", "tool", __name__, {}), Owner())
    lock = path.with_name("fcregistry.lock")

    def write(digest: str) -> None:
        pin = {"version": "1.0", "files": "", "tools": [{"group": "tool", "name": "delete_file", "digest": digest}]}
        lock.write_text(json.dumps({"fcregistry_lock": 1, "distributions": {"acme": pin}}))

    write(record_of(tool)["digest"])
    assert code(Executor([tool])) is None
    write("0" * 64)
    error = Executor([tool]).call("delete_file", name="x").error
    assert error is not None
    assert f'mode = "locked" in {path}, and it is not what {lock} says' in error.message
    lock.unlink()
    assert code(Executor([tool])) == "denied"
    assert code(Executor([delete_file])) is None


def test_an_executor_is_not_made_where_the_configuration_cannot_be_read(configure: Configure) -> None:
    """What it would deny is not known."""
    path = configure('deny = "delete_file"')
    with pytest.raises(ConfigurationError, match=f"deny in {path} must be a list of strings"):
        Executor([delete_file])
