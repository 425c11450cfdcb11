"""Tools of a source, which is neither a plugin nor an extension, beside those of plugins."""

from __future__ import annotations

from textwrap import dedent
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.conftest import Site

_SOURCE = """
from click.testing import CliRunner
from fcregistry import Executor, registry
from fcregistry.cli._main import cli
from fcregistry.discovery import current
from fcregistry.discovery._sources import SourceTool  # sources have no public names yet

def tool(name, text="Create an issue.", **options):
    schema = {"type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]}
    return SourceTool(name, text, schema, options)

class Tracker:
    kind, name, version, digest = "mcp", "github", "2", "sha256:11"

    def __init__(self, *tools):
        self.tools, self.now, self.done = tools, tools, []

    def described(self):
        return self.tools

    def open(self):
        self.done.append("open")
        if isinstance(self.now, Exception):
            raise self.now
        return self.now

    def call(self, name, arguments):
        self.done.append(name)
        return {"number": 7, **arguments}

def command(*words):
    done = CliRunner().invoke(cli, words, env={"COLUMNS": "100"})
    return done.output or str(done.exception)

def call(name="create_issue"):
    result = Executor([name]).run({"name": name.rpartition(":")[2], "arguments": {"title": "Fix"}})
    return result.value if result.ok else [result.error.code, result.error.message]

tracker = Tracker(tool("create_issue", tags=("issues",)), tool("close_issue", "Close an issue.", destructive=True))
current().add_source(tracker)
"""


@pytest.fixture
def site(site: Site) -> Site:
    site.install("acme", {"x": "acme_tools"})
    site.write({"acme_tools.py": "from fcregistry import fc_register\n@fc_register\ndef add() -> int:\n    return 1\n"})
    return site


def ask(site: Site, code: str, **settings: Any) -> Any:
    return site.ask(f"{_SOURCE}\n{dedent(code)}", **settings)


def test_tools_of_a_source_are_listed_and_selected_without_opening_it(site: Site) -> None:
    listed, selected, shown, done = ask(
        site,
        """
        listed = [line.split() for line in command("list").splitlines()]
        selected = [[tool.id for tool in registry.select(each).values()]
                    for each in ("*", "mcp+github:*", "tag=issues", "create_issue", "mcp+github:close_issue", "!acme:*")]
        tool = registry.get("create_issue")
        answer = [listed, selected, [str(tool.origin), tool.description, tool.parameters["required"]], tracker.done]
        """,
    )
    own = ["mcp+github:close_issue", "mcp+github:create_issue"]
    assert [line[:2] for line in listed[-3:]] == [
        ["add", "acme"],
        ["close_issue", "mcp+github"],
        ["create_issue", "mcp+github"],
    ]
    assert selected == [["acme:add", *own], own, own[1:], own[1:], own[:1], own]
    assert shown == ["mcp+github 2, mcp+github.create_issue", "Create an issue.", ["title"]]
    assert done == []


def test_a_call_opens_the_source(site: Site) -> None:
    answers = ask(
        site,
        """
        executor = Executor(["add", "create_issue"])
        wrong = executor.run({"name": "create_issue", "arguments": {}}).error.code
        before = list(tracker.done)
        answer = [wrong, call("mcp+github:create_issue"), tracker.done]
        """,
    )
    assert answers == ["invalid_arguments", {"number": 7, "title": "Fix"}, ["open", "create_issue"]]


def test_a_tool_that_differs_from_its_description_is_not_called(site: Site) -> None:
    changed, text, done = ask(
        site,
        """
        executor = Executor(["create_issue"])
        tracker.now = (tool("create_issue", "Delete everything."),)
        result = executor.run({"name": "create_issue", "arguments": {"title": "Fix"}})
        tracker.tools = tracker.now
        current().add_source(tracker)
        answer = [[result.error.code, result.error.message], registry.get("create_issue").description, tracker.done]
        """,
    )
    assert changed[0] == "unavailable"
    assert "mcp+github:create_issue has changed since the index described it (schema_changed)" in changed[1]
    assert (text, set(done)) == ("Delete everything.", {"open"})


@pytest.mark.parametrize(
    ("now", "reason"),
    [
        ("OSError('connection refused')", "mcp+github cannot be opened: OSError: connection refused"),
        ("()", "mcp+github does not have create_issue any more (schema_changed)"),
    ],
)
def test_a_source_that_fails_to_open_costs_its_own_tools_alone(site: Site, now: str, reason: str) -> None:
    failed, added = ask(site, f"tracker.now = {now}\nanswer = [call(), Executor(['add']).call('add').unwrap()]")
    assert (failed[0], added) == ("unavailable", 1)
    assert reason in failed[1]


def test_a_denied_source_is_hidden_and_never_opened(site: Site) -> None:
    names, reason, done = ask(
        site,
        """
        executor = Executor(["create_issue"])
        import os
        os.environ["FCREGISTRY_DENY"] = "mcp+github:*"
        try:
            registry.get("create_issue")
        except LookupError as error:
            reason = str(error)
        executor.run({"name": "create_issue", "arguments": {"title": "Fix"}})
        answer = [list(registry.select("*")), reason, tracker.done]
        """,
    )
    assert names == ["add"]
    assert reason.startswith("there is no tool 'create_issue': FCREGISTRY_DENY names mcp+github:*")
    assert done == []


def test_doctor_reports_tools_of_a_source_and_knows_settings_about_them(site: Site) -> None:
    report = ask(
        site,
        """
        tracker.tools = (tool("create_issue"), tool("add"), tool("close_issue", requires_env=["NOT_SET"]))
        current().add_source(tracker)
        answer = command("doctor")
        """,
        env={"FCREGISTRY_ASK": "mcp+github:create_issue,mcp+github:no_issue"},
    )
    assert "add: is ambiguous: acme:add, mcp+github:add" in report
    assert "mcp+github:close_issue: is hidden: NOT_SET is not set" in report
    assert "names mcp+github:no_issue, which does not exist here" in report
    assert "names mcp+github:create_issue" not in report


def test_a_lock_has_sources_and_refuses_changed_ones(site: Site) -> None:
    locked, same, other, described = ask(
        site,
        """
        import json, os
        command("lock")
        with open("fcregistry.lock") as file:
            locked = json.load(file)["distributions"]
        os.environ["FCREGISTRY_MODE"] = "locked"
        same = call("mcp+github:create_issue")
        tracker.tools = tracker.now = (tool("create_issue", "Delete everything."),)
        current().add_source(tracker)
        described = command("show", "create_issue")
        tracker.digest = "sha256:22"
        current().add_source(tracker)
        pin = locked["mcp+github"]
        names = [each["name"] for each in pin["tools"]]
        answer = [[pin["version"], pin["files"], names], same, command("show", "create_issue"), described]
        """,
    )
    assert locked == ["2", "sha256:11", ["close_issue", "create_issue"]]
    assert same == {"number": 7, "title": "Fix"}
    assert "it is not what" in described
    assert "the definition of mcp+github 2 is not that of" in other
    assert "fcregistry lock --upgrade mcp+github" in other
