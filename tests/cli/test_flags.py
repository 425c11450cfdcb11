"""No flag answers what the user's or the system's file asks about: a program that calls commands passes any flag."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from .asking import office_of

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Site

DANGER = ("danger", "--path", "x")
TEXT = ("text", "--value", "x")


@pytest.fixture(scope="module")
def office(make_site: Callable[[], Site]) -> Site:
    """A site with the tools and the models."""
    return office_of(make_site)


class User:
    """A user with a file, who works in the folder of a project."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "config" / "fcregistry" / "fcregistry.toml"
        self.project = folder / "project"
        self.env = {"XDG_CONFIG_HOME": str(folder / "config")}
        self.file.parent.mkdir(parents=True)
        self.project.mkdir()

    def asks(self, text: str) -> None:
        self.file.write_text(f'ask = ["{text}"]')


@pytest.fixture
def user(tmp_path: Path) -> User:
    return User(tmp_path)


@pytest.mark.parametrize("flags", [(), ("--yes",)])
@pytest.mark.parametrize("words", [TEXT, DANGER])
@pytest.mark.parametrize("asked", ["{}", "acme-shop:{}", "*", "read_only=unset"])
def test_no_flag_approves_a_call_that_the_users_file_asks_about(
    shop: Site, user: User, flags: tuple[str, ...], words: tuple[str, ...], asked: str
) -> None:
    """Whether or not its author asks, too. The error names the file, and no flag."""
    selector = asked.format(words[0])
    user.asks(selector)
    done = shop.cli("call", *flags, *words, env=user.env, cwd=user.project)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == (
        f"Error: {words[0]} requires approval, and there is no approver; it was not run\n"
        f"(ask in {user.file} names {selector}: no flag approves it; call it on a terminal, where you are asked)\n"
    )


def test_a_batch_says_why_no_flag_approves_a_call(shop: Site, user: User) -> None:
    user.asks("text")
    done = shop.cli("call", "--yes", "--batch", stdin='{"name": "text"}', env=user.env, cwd=user.project)
    assert done.returncode == 1
    result = json.loads(done.stdout)
    assert result["error"]["message"] == (
        f"text requires approval, and there is no approver; it was not run (ask in {user.file} names text: no flag approves it)"
    )
    assert result["error"]["message"] in result["content"]


def ask_in(where: str, user: User) -> dict[str, str]:
    """Ask about a tool elsewhere than in the user's file, and return the variables for that."""
    if where == "variable":
        return {"FCREGISTRY_ASK": "text"}
    path = user.project / ("fcregistry.toml" if where == "project" else "named.toml")
    path.write_text('ask = ["text"]')
    return {"FCREGISTRY_CONFIG": str(path)} if where == "named" else {}


@pytest.mark.parametrize("where", ["project", "named", "variable"])
def test_a_flag_approves_what_a_project_or_a_variable_asks_about(shop: Site, user: User, where: str) -> None:
    """Unless the user's file asks about it, too."""
    env = user.env | ask_in(where, user)
    user.asks("another")
    refused, approved = (shop.cli("call", *flags, *TEXT, env=env, cwd=user.project) for flags in ((), ("--yes",)))
    assert (refused.returncode, approved.returncode, approved.stdout) == (3, 0, '"x"\n')
    assert refused.stderr.endswith("\n(to approve it: fcregistry call --yes text …)\n")
    user.asks("te*")
    repeated = shop.cli("call", "--yes", *TEXT, env=env, cwd=user.project)
    assert repeated.returncode == 3
    assert "--yes" not in repeated.stderr


def test_a_batch_runs_the_calls_that_a_flag_approves_and_no_other(shop: Site, user: User) -> None:
    user.asks("text")
    calls = [("text", {"value": "a"}), ("danger", {"path": "b"}), ("text", {}), ("nested", {}), ("text", {"value": 1})]
    lines = "\n".join(json.dumps({"name": name, "arguments": arguments}) for name, arguments in calls)
    done = shop.cli("call", "--batch", "--yes", stdin=lines, env=user.env, cwd=user.project)
    results = [json.loads(line) for line in done.stdout.splitlines()]
    codes = [each.get("error", {}).get("code") for each in results]
    assert (done.returncode, codes) == (1, ["approval_required", None, "approval_required", None, "invalid_arguments"])
    assert [each["content"] for each in results if each["ok"]] == ["deleted b", '{"a": [1, {"b": null}]}']


def test_no_flag_of_ask_approves_a_call_that_the_users_file_asks_about(office: Site, user: User) -> None:
    """The hint names the flag for the other tool alone."""
    user.asks("danger")
    (user.project / "fcregistry.toml").write_text('ask = ["multiply"]')
    words = ("Clean up", "--tool", "danger", "--tool", "multiply", "--model", "script:both")
    for flags in ((), ("--yes-to", "danger"), ("--yes-to", "*")):
        done = office.cli("ask", *words, *flags, env=user.env, cwd=user.project)
        assert (done.returncode, done.stdout) == (3, "")
        assert f"\n  ask in {user.file} names danger\n" in done.stderr
        assert done.stderr.endswith(
            "\n(to approve them: fcregistry ask --yes-to acme-tools:multiply …; on a terminal, you are asked)\n"
            "(no flag approves acme-tools:danger; on a terminal, you are asked)\n"
        )
    assert not (user.project / "ran").exists()


def test_no_flag_of_ask_approves_such_a_call_in_an_expression(office: Site, user: User) -> None:
    words = ("Clean up", "--tool", "danger", "--calls", "expression", "--model", "script:expression")
    user.asks("danger")
    done = office.cli("ask", *words, "--yes-to", "danger", env=user.env, cwd=user.project)
    assert (done.returncode, (user.project / "ran").exists()) == (0, False)
    user.asks("another")
    done = office.cli("ask", *words, "--yes-to", "danger", env=user.env, cwd=user.project)
    assert (done.returncode, (user.project / "ran").exists()) == (0, True)


@pytest.mark.skipif(os.name != "posix", reason="there are no pseudo-terminals")
@pytest.mark.parametrize(("typed", "status"), [("y", 0), ("n", 1)])
def test_on_a_terminal_the_user_is_asked_in_spite_of_the_flag(shop: Site, user: User, typed: str, status: int) -> None:
    from .test_terminal import Terminal

    user.asks("text")
    terminal = Terminal(shop, "call", "--yes", *TEXT, env=user.env)
    terminal.read_until("text requires approval. Call it with {")
    terminal.type(f"{typed}\n")
    assert terminal.finish() == status


GUARDED = """
from fcregistry import fc_register

@fc_register(always_ask=lambda call: "the mode decides about agents" if call["name"] == "mode" else None, requires_approval=True)
def write_setting(name: str) -> str:
    "Change a setting."
    return f"changed {name}"
"""


def test_no_flag_approves_what_a_tool_always_asks_about(shop: Site, user: User) -> None:
    (user.project / "guarded.py").write_text(GUARDED)

    def call(*words: str, stdin: str = "") -> tuple[int, str, str]:
        done = shop.cli("-m", "guarded", "call", *words, env=user.env, cwd=user.project, stdin=stdin)
        return done.returncode, done.stdout, done.stderr

    assert call("--yes", "write_setting", "--name", "color") == (0, '"changed color"\n', "")
    for flags in ((), ("--yes",)):
        code, output, error = call(*flags, "write_setting", "--name", "mode")
        assert (code, output) == (3, "")
        assert error == (
            "Error: write_setting requires approval, and there is no approver; it was not run: the mode decides about agents\n"
            "(the mode decides about agents: no flag approves it; call it on a terminal, where you are asked)\n"
        )
    lines = "".join(
        json.dumps({"name": "write_setting", "arguments": {"name": name}}) + "\n" for name in ("mode", "color")
    )
    code, output, _ = call("--yes", "--batch", stdin=lines)
    assert code == 1
    assert [json.loads(line)["ok"] for line in output.splitlines()] == [False, True]
