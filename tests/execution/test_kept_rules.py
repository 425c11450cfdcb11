"""A rule of a project's file or a named file stays in force until the program ends, whatever becomes of the file."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent
from typing import TYPE_CHECKING

import pytest

from fcregistry import Executor, ReactAgent, Tool, ToolCall
from fcregistry._config import files
from fcregistry._config.policy import Trust, trust
from fcregistry._tools.selectors import SelectorSubject
from fcregistry.execution import _approval

if TYPE_CHECKING:
    from tests.conftest import Site

RULES = """
mode = "locked"
allow = ["acme:*"]
deny = ["delete_*"]
disable = ["acme[gone]"]
ask = ["pay"]
lock = "tools.lock"
"""

STAYS = "no file or variable says so any more, but it stays in force until this program ends"

VARIABLES = {
    "FCREGISTRY_MODE": "locked",
    "FCREGISTRY_ALLOW": "acme:*",
    "FCREGISTRY_DENY": "delete_*",
    "FCREGISTRY_DISABLE": "acme[gone]",
    "FCREGISTRY_ASK": "pay",
}


def lock_of(*distributions: str) -> str:
    tools = [{"group": "tool", "name": "pay", "digest": "0" * 64}]
    pins = {name: {"version": "1.0", "files": "", "tools": tools} for name in distributions}
    return json.dumps({"fcregistry_lock": 1, "distributions": pins})


@dataclass(frozen=True)
class Place:
    """A project in a folder, and a folder in it in which a program works."""

    project: Path
    working: Path
    monkeypatch: pytest.MonkeyPatch


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    made = Place(tmp_path / "project", tmp_path / "project" / "a" / "b", monkeypatch)
    made.working.mkdir(parents=True)
    (made.project / ".git").mkdir()
    (made.project / "tools.lock").write_text(lock_of("acme"))
    (made.project / "fcregistry.toml").write_text(RULES)
    monkeypatch.chdir(made.working)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setattr(_approval, "CONFIGURATION_SECONDS", 0)
    monkeypatch.setattr(files, "SETTLED", 0)
    return made


def delete_all() -> str:
    """Delete everything."""
    return "all is gone"


def pay() -> str:
    """Pay."""
    return "paid"


def code(executor: Executor, name: str) -> str | None:
    error = executor.call(name).error
    return None if error is None else error.code


def refused(rules: Trust, distribution: str, entry_point: str = "any") -> bool:
    return rules.refusal(distribution, entry_point, ships_tools=True) is not None


def assert_in_force(executor: Executor) -> None:
    """Assert that each rule holds, for an executor that was made before and for what is looked up now."""
    assert (code(executor, "delete_all"), code(executor, "pay")) == ("denied", "approval_required")
    rules = trust()
    assert rules.mode == "locked"
    assert refused(rules, "other")
    assert refused(rules, "acme", "gone")
    assert not refused(rules, "acme")
    digest = {"group": "tool", "name": "pay", "digest": "1" * 64}
    assert rules.record_refusal("acme", digest) is not None
    allowed = SelectorSubject(name="pay", group="tool", distribution="other")
    assert rules.tool_refusal(allowed) is not None


def logged(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [each.getMessage() for each in caplog.records if each.name == "fcregistry"]


def loosen(path: Path) -> None:
    path.write_text('mode = "open"')


def rename(place: Place) -> None:
    (place.project / "fcregistry.toml").rename(place.project / "aside.toml")


def link_elsewhere(place: Place) -> None:
    loosen(place.project / "other.toml")
    (place.project / "fcregistry.toml").unlink()
    (place.project / "fcregistry.toml").symlink_to("other.toml")


def edit_the_lock(place: Place) -> None:
    (place.project / "tools.lock").write_text(lock_of("acme", "other"))


def name_another_lock(place: Place) -> None:
    (place.project / "b.lock").write_text(lock_of("acme", "other"))
    (place.project / "fcregistry.toml").write_text(RULES.replace("tools.lock", "b.lock"))


CHANGES: dict[str, Callable[[Place], object]] = {
    "edited": lambda place: loosen(place.project / "fcregistry.toml"),
    "emptied": lambda place: (place.project / "fcregistry.toml").write_text(""),
    "removed": lambda place: (place.project / "fcregistry.toml").unlink(),
    "renamed": rename,
    "replaced by a link": link_elsewhere,
    "a nearer file": lambda place: loosen(place.working / "fcregistry.toml"),
    "a nearer table": lambda place: (place.working.parent / "pyproject.toml").write_text("[tool.fcregistry]"),
    "a nearer repository": lambda place: (place.working / ".git").mkdir(),
    "another working folder": lambda place: place.monkeypatch.chdir(place.project.parent),
    "another home": lambda place: place.monkeypatch.setenv("HOME", str(place.working)),
    "another lock": name_another_lock,
    "an edited lock": edit_the_lock,
}


@pytest.mark.parametrize("change", CHANGES)
def test_rules_of_a_project_stay_in_force(place: Place, change: str, caplog: pytest.LogCaptureFixture) -> None:
    executor = Executor([delete_all, pay])
    assert_in_force(executor)
    assert logged(caplog) == []
    CHANGES[change](place)
    assert_in_force(executor)
    assert_in_force(executor)
    path = place.project / "fcregistry.toml"
    lists = [f"{each} in {path}" for each in ("allow", "deny", "disable", "ask")]
    mode = f'mode = "locked" in {path}'
    expected = f"{' and '.join([mode, *lists])}: {STAYS}"
    if change == "another lock":
        expected = f"{mode}: {STAYS}"
    elif change == "an edited lock":
        expected = (
            f"{place.project}/tools.lock has changed; what it said before stays in force, too, until this program ends"
        )
    assert logged(caplog) == [expected]


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_executors_made_later_still_have_the_call_hooks(place: Place, change: Callable[[Place], object]) -> None:
    """Here they need a hook that is not installed, so that they refuse every call."""
    path = place.project / "fcregistry.toml"
    path.write_text('call_hooks = ["audit"]')
    assert code(Executor([pay]), "pay") == "unavailable"
    change(place)
    assert code(Executor([pay]), "pay") == "unavailable"


def test_nothing_runs_while_a_folder_is_in_place_of_the_file(place: Place) -> None:
    executor = Executor([delete_all, pay])
    path = place.project / "fcregistry.toml"
    path.unlink()
    path.mkdir()
    assert (code(executor, "delete_all"), code(executor, "pay")) == ("denied", "denied")
    path.rmdir()
    assert_in_force(executor)


def test_rules_of_a_nearer_file_are_added(place: Place, caplog: pytest.LogCaptureFixture) -> None:
    """Also if there was no file before; and what was added stays, too."""
    (place.project / "fcregistry.toml").unlink()
    executor = Executor([delete_all, pay])
    assert (code(executor, "delete_all"), code(executor, "pay")) == (None, None)
    nearer = place.working / "fcregistry.toml"
    nearer.write_text('deny = ["delete_all"]')
    assert (code(executor, "delete_all"), code(executor, "pay")) == ("denied", None)
    nearer.write_text('deny = ["delete_all", "pay"]')
    assert (code(executor, "delete_all"), code(executor, "pay")) == ("denied", "denied")
    assert logged(caplog) == []
    nearer.write_text('deny = ["pay"]')
    assert (code(executor, "delete_all"), code(executor, "pay")) == ("denied", "denied")


@pytest.mark.parametrize("change", ["edited", "the variable is unset", "the variable names another file"])
def test_rules_of_a_named_file_stay_in_force(place: Place, change: str) -> None:
    named = place.project / "named.toml"
    (place.project / "fcregistry.toml").rename(named)
    place.monkeypatch.setenv("FCREGISTRY_CONFIG", str(named))
    executor = Executor([delete_all, pay])
    assert_in_force(executor)
    loosen(place.project / "loose.toml")
    if change == "edited":
        loosen(named)
    elif change == "the variable is unset":
        place.monkeypatch.delenv("FCREGISTRY_CONFIG")
    else:
        place.monkeypatch.setenv("FCREGISTRY_CONFIG", str(place.project / "loose.toml"))
    assert_in_force(executor)


def test_variables_are_read_again_both_ways_and_need_the_lock_that_the_project_had(place: Place) -> None:
    """Only the program can change them; a model may write the lock, or a file that names another one."""
    (place.project / "fcregistry.toml").unlink()
    (place.project / "tools.lock").rename(place.project / "fcregistry.lock")
    for name, value in VARIABLES.items():
        place.monkeypatch.setenv(name, value)
    executor = Executor([delete_all, pay])
    assert_in_force(executor)
    (place.working / "fcregistry.lock").write_text(lock_of("acme", "other"))
    assert_in_force(executor)
    (place.working / "fcregistry.toml").write_text('mode = "locked"')
    assert_in_force(executor)
    for name in VARIABLES:
        place.monkeypatch.delenv(name)
    assert (code(executor, "delete_all"), code(executor, "pay")) == (None, None)


def test_a_lock_that_is_written_later_allows_nothing_more(place: Place) -> None:
    path = place.project / "tools.lock"
    path.unlink()
    missing = f"{path} does not exist: `fcregistry lock --file {path}` makes it"
    late = f"{path} could not be read when this program first needed it; start the program again"
    assert str(trust().refusal("acme", "any", ships_tools=True)).endswith(missing)
    path.write_text(lock_of("acme"))
    assert str(trust().refusal("acme", "any", ships_tools=True)).endswith(late)
    path.unlink()
    assert str(trust().refusal("acme", "any", ships_tools=True)).endswith(missing)


def test_while_a_lock_is_damaged_calls_are_refused(place: Place) -> None:
    assert not refused(trust(), "acme")
    (place.project / "tools.lock").write_text("")
    assert refused(trust(), "acme")
    (place.project / "tools.lock").write_text(lock_of("acme"))
    assert not refused(trust(), "acme")


def test_the_lock_of_the_user_is_read_again_both_ways(place: Place, tmp_path: Path) -> None:
    (place.project / "fcregistry.toml").unlink()
    folder = tmp_path / "config" / "fcregistry"
    folder.mkdir(parents=True)
    (folder / "fcregistry.toml").write_text('mode = "locked"')
    (folder / "fcregistry.lock").write_text(lock_of("other"))
    assert (refused(trust(), "acme"), refused(trust(), "other")) == (True, False)
    (folder / "fcregistry.lock").write_text(lock_of("acme"))
    assert (refused(trust(), "acme"), refused(trust(), "other")) == (False, True)
    (folder / "fcregistry.toml").unlink()
    assert trust().is_open


UNPROTECTED = {f"{folder}{name}" for folder in ("", "a/", "a/b/") for name in ("x.txt", "tools.lock")}
"""Paths whose names do not say that they configure anything; what a lock said stays in force all the same."""


def tries() -> Iterator[tuple[str, dict[str, object]]]:
    """Yield calls that put other rules in place: written, edited, moved, patched and deleted; in folders, links and other spellings."""
    loose = "mode = 'open'\n"
    folders, names = ("", "a/", "a/b/"), ("fcregistry.toml", "pyproject.toml", "fcregistry.lock", "tools.lock")
    for folder in folders:
        for name in names:
            content = f"[tool.fcregistry]\n{loose}" if name == "pyproject.toml" else loose
            yield "write_file", {"path": f"{folder}{name}", "content": content, "overwrite": True}
            yield "move", {"source": f"{folder}{name}", "target": f"{folder}old-{name}"}
        yield "write_file", {"path": f"{folder}FCREGISTRY.toml", "content": loose}
        yield "write_file", {"path": f"{folder}.git/HEAD", "content": "x"}
        yield "write_file", {"path": f"{folder}x.txt", "content": loose}
        yield "move", {"source": f"{folder}x.txt", "target": f"{folder}fcregistry.toml"}
        yield "edit_file", {"path": f"{folder}fcregistry.toml", "old": "open", "new": "allow"}
        update = (
            f"*** Begin Patch\n*** Update File: {folder}fcregistry.toml\n-mode = 'allow'\n+mode = 'open'\n*** End Patch"
        )
        yield "apply_patch", {"patch": update}
        yield "delete", {"path": f"{folder}fcregistry.toml"}
        for name in (".claude/settings.json", ".agents/a.md", ".mcp.json", "sources.json"):
            yield "write_file", {"path": f"{folder}{name}", "content": "{}"}
        yield "delete", {"path": f"{folder}.git"}
        yield (
            "apply_patch",
            {"patch": f"*** Begin Patch\n*** Add File: {folder}fcregistry.toml\n+ask = []\n*** End Patch"},
        )


def test_a_model_with_all_tools_for_files_cannot_remove_a_rule(place: Place) -> None:
    """Not even if the approver approves everything that it does with files."""
    files_tools = pytest.importorskip("fcregistry_files").file_tools(place.project, write=True)
    (place.project / "fcregistry.toml").write_text('deny = ["delete_all"]\nask = ["pay"]\n')
    rounds = list(tries())
    assert len(rounds) >= 60
    asked: list[str] = []

    def approve(tool: Tool, call: ToolCall) -> bool:
        asked.append(tool.name)
        return tool.name != "pay"

    def model(messages: list[dict[str, object]]) -> object:
        number = sum(message["role"] == "assistant" for message in messages)
        if number == len(rounds):
            return "I give up."
        calls = [rounds[number], ("delete_all", {}), ("pay", {})]
        return {"role": "assistant", "tool_calls": [{"name": name, "arguments": given} for name, given in calls]}

    run = ReactAgent(model, [files_tools, delete_all, pay], approve=approve, max_rounds=len(rounds) + 1).run("Pay.")
    assert run.ok
    done = {step.results[1].error and step.results[1].error.code for step in run.steps if step.results}
    paid = {step.results[2].error and step.results[2].error.code for step in run.steps if step.results}
    assert (done, paid) == ({"denied"}, {"denied"})
    assert asked.count("pay") == len(rounds)
    protected = [given for _, given in rounds if str(given.get("source", given.get("path"))) not in UNPROTECTED]
    assert len(asked) - len(rounds) >= len(protected) >= 50


def test_a_process_keeps_the_rules_that_one_of_its_tools_removes(site: Site) -> None:
    site.write({"fcregistry.toml": 'deny = ["delete_all"]\nask = ["pay"]\n', ".git/HEAD": ""})
    code = """
        import os
        from pathlib import Path
        from fcregistry import Executor, ReactAgent, Tool, ToolCall
        from fcregistry._config import files
        from fcregistry.execution import _approval

        files.SETTLED = 0
        _approval.CONFIGURATION_SECONDS = 0

        def write_file(path: str, content: str) -> str:
            Path(path).write_text(content)
            return "written"

        def delete_all() -> str:
            return "gone"

        def pay() -> str:
            return "paid"

        os.makedirs("inner")
        os.chdir("inner")
        executor = Executor([write_file, delete_all, pay])
        codes = lambda: [executor.call(name).error.code for name in ("delete_all", "pay")]
        answer = [codes()]
        writes = [executor.call("write_file", path=path, content="mode = 'open'").ok for path in ("fcregistry.toml", "../fcregistry.toml")]
        answer += [writes, codes()]
    """
    assert site.ask(dedent(code)) == [["denied", "approval_required"], [True, True], ["denied", "approval_required"]]
