"""The operator's configuration applies to every executor, before its policy and the authors' options."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from fcregistry import Executor, FunctionCall, Tool
from fcregistry._tools.declaration import Declaration
from fcregistry._tools.indexed import record_of
from fcregistry.errors import ConfigurationError
from fcregistry.execution import Policy, _approval

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


@pytest.fixture
def configure_user(configure: Configure, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Configure:
    """Writes the user's configuration, and returns its file."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    path = tmp_path / "config" / "fcregistry" / "fcregistry.toml"
    path.parent.mkdir(parents=True)

    def write(text: str) -> Path:
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
def test_calls_that_the_configuration_asks_about_need_approval_whatever_the_policy_says(
    configure: Configure, policy: Policy | None, setting: str
) -> None:
    """Neither the author's hint read_only nor the application's policy overrides the operator. A selector may use any name of the tool."""
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
def test_a_tool_that_the_configuration_denies_runs_in_no_executor(configure: Configure, policy: Policy | None) -> None:
    """The error names the file. A function that the program gives itself is denied too."""
    path = configure('deny = ["delete_*"]')
    error = Executor([delete_file], policy=policy, approve=lambda tool, call: True).call("delete_file", name="x").error
    assert error is not None
    assert error.code == "denied"
    assert error.message.endswith(f": deny in {path} names delete_*")


def test_a_policy_still_denies_what_the_configuration_asks_about(configure: Configure) -> None:
    """Neither can allow what the other denies."""
    configure('ask = ["delete_file"]')
    error = Executor([delete_file], policy=Policy(deny=["delete_file"])).call("delete_file", name="x").error
    assert error is not None
    assert error.code == "denied"


def test_policy_and_author_decide_about_other_tools(configure: Configure) -> None:
    configure('ask = ["another"]\ndeny = ["a_third"]\nallow = ["fourth:*"]\ndisable = ["delete_file"]')
    assert code(Executor([harmless()])) is None
    assert code(Executor([harmless()], policy=Policy(default="deny"))) == "denied"
    assert code(Executor([Tool.from_function(delete_file, requires_approval=True)])) == "approval_required"


def test_the_configuration_applies_to_agents_too(configure: Configure) -> None:
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


def test_a_tool_that_differs_from_the_lock_runs_in_no_executor(configure: Configure) -> None:
    """However the executor got it: the tool itself is compared. A tool of the application is in no lock."""
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


def test_making_an_executor_fails_if_the_configuration_cannot_be_read(configure: Configure) -> None:
    """It is not known what the configuration would deny."""
    path = configure('deny = "delete_file"')
    with pytest.raises(ConfigurationError, match=f"deny in {path} must be a list of strings"):
        Executor([delete_file])


@pytest.fixture
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes executors read the configuration before each call."""
    monkeypatch.setattr(_approval, "CONFIGURATION_SECONDS", 0.0)


def code_once(executor: Executor, expected: str | None, run: Callable[[Executor], str | None] = code) -> bool:
    """Return whether calls end with a code within some seconds."""
    until = time.monotonic() + 10
    while run(executor) != expected and time.monotonic() < until:
        time.sleep(0.02)
    return run(executor) == expected


def code_of_text(executor: Executor) -> str | None:
    """Return the code of a call as a model writes it, which takes the fast path."""
    error = executor.run({"name": "delete_file", "arguments": '{"name": "x"}'}).error
    return None if error is None else error.code


def code_on_loop(executor: Executor) -> str | None:
    error = asyncio.run(executor.arun({"name": "delete_file", "arguments": '{"name": "x"}'})).error
    return None if error is None else error.code


def code_in_batch(executor: Executor) -> str | None:
    (result,) = asyncio.run(executor.arun_all([{"name": "delete_file", "arguments": '{"name": "x"}'}]))
    return None if result.error is None else result.error.code


def code_of_expression(executor: Executor) -> str | None:
    error = executor.run_expression("delete_file(name='x')").error
    return None if error is None else error.code


@pytest.mark.parametrize("run", [code, code_of_text, code_on_loop, code_in_batch, code_of_expression])
@pytest.mark.usefixtures("often")
def test_a_running_executor_follows_the_users_configuration(
    configure_user: Configure, run: Callable[[Executor], str | None]
) -> None:
    executor = Executor([harmless()])
    assert run(executor) is None
    path = configure_user('deny = ["delete_file"]')
    assert code_once(executor, "denied", run)
    path.write_text('ask = ["delete_*"]')
    assert code_once(executor, "approval_required", run)
    path.unlink()
    assert code_once(executor, None, run)


@pytest.mark.usefixtures("often")
def test_a_running_executor_denies_every_call_while_the_configuration_cannot_be_read(
    configure: Configure, caplog: pytest.LogCaptureFixture
) -> None:
    """What the file forbids is not known until it is correct."""
    executor = Executor([harmless()])
    assert code(executor) is None
    path = configure('deny = "delete_file"')
    assert code_once(executor, "denied")
    assert "the configuration cannot be read" in caplog.text
    path.write_text('deny = ["another"]')
    assert code_once(executor, None)


@pytest.mark.usefixtures("often")
def test_prepared_calls_follow_the_configuration(configure: Configure) -> None:
    executor = Executor([harmless()])
    prepared = executor.prepare([{"name": "delete_file", "arguments": {"name": "x"}}])
    configure('deny = ["delete_file"]')
    (result,) = executor.resume(prepared)
    assert result.error is not None
    assert result.error.code == "denied"


def test_a_tool_of_a_denied_plugin_runs_in_no_executor(configure: Configure) -> None:
    """Its module may be imported already."""
    path = configure('deny = ["acme[files]"]')
    error = (
        Executor([Tool(Declaration(delete_file, "delete_file", "tool", __name__, {}), Owner())])
        .call("delete_file", name="x")
        .error
    )
    assert error is not None
    assert error.message.endswith(f": deny in {path} names acme[files]")
