"""Plugins that are installed again while a process runs. They are not imported under an old description; others are."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.conftest import Site


def tools(answer: str, *names: str) -> str:
    """Return a module with tools that return something."""
    return "from fcregistry import fc_register\n" + "".join(
        f"\n@fc_register\ndef {name}() -> str:\n    return {answer!r}\n" for name in names
    )


# It installs, upgrades and uninstalls as an installer does, while the process that runs it has looked at what is installed already.
ACT = """
import os, shutil
from pathlib import Path
site = Path({folder!r})

def install(version, answer, name="acme"):
    for old in site.glob(f"{{name}}-*.dist-info"):
        shutil.rmtree(old)
    info = site / f"{{name}}-{{version}}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\\nName: {{name}}\\nVersion: {{version}}\\n")
    (info / "entry_points.txt").write_text(f"[fcregistry]\\nx = {{name}}_tools\\n")
    # Of another size than before, so that no byte code of then fits
    code = "# Made anew\\nfrom fcregistry import fc_register\\n\\n@fc_register\\ndef {{}}() -> str:\\n    return {{!r}}\\n"
    (site / f"{{name}}_tools.py").write_text(code.format("look" if name == "acme" else name, answer))

def uninstall(name="acme"):
    for old in site.glob(f"{{name}}-*.dist-info"):
        shutil.rmtree(old)
    (site / f"{{name}}_tools.py").unlink()

import fcregistry
from fcregistry import Executor, registry, load_plugins
from fcregistry.errors import PluginError

def told(do):
    try:
        return do()
    except PluginError as error:
        return str(error)
"""


@pytest.fixture
def acme(site: Site) -> Site:
    """A site with one plugin, described."""
    site.install("acme", {"x": "acme_tools"}, {"acme_tools.py": tools("first", "look", "peek")})
    site.install("other", {"x": "other_tools"}, {"other_tools.py": tools("other", "other")})
    assert site.cli("list").returncode == 0
    # What a command wrote down, a program believes: nothing is imported before the first call.
    return site


def run(site: Site, code: str) -> Any:
    """Run code after `ACT`, and return what it sets `answer` to."""
    return site.ask(ACT.format(folder=str(site.folder)) + code)


RESTART = "while this process was running; restart it"


def test_a_described_tool_whose_distribution_is_upgraded_before_its_first_call(acme: Site) -> None:
    """Its call says so and what to do, the new code is not imported, and other plugins are as they were."""
    answer = run(
        acme,
        """
tool, other = registry.get("look"), registry.get("other")
assert "acme_tools" not in sys.modules
install("2.0", "second")
answer = [told(tool), told(tool), "acme_tools" in sys.modules, other(), [each.reason for each in load_plugins().failed]]
""",
    )
    why = f"acme 1.0 was replaced by 2.0 {RESTART}"
    assert answer == [*2 * [f"acme[x] does not load: {why}"], False, "other", [why]]


@pytest.mark.parametrize(
    ("act", "what"),
    [
        ('install("0.9", "older")', "acme 1.0 was replaced by 0.9"),
        ('install("1.0", "other code")', "acme 1.0 was reinstalled"),
        ("uninstall()", "acme 1.0 was uninstalled"),
        ('uninstall(); install("1.0", "other code")', "acme 1.0 was reinstalled"),
    ],
)
def test_a_distribution_that_is_downgraded_reinstalled_or_removed(acme: Site, act: str, what: str) -> None:
    """Each is another distribution than the one that the process has found, also after it has looked again."""
    answer = run(acme, f"tool = registry.get('look')\n{act}\nanswer = told(tool)")
    assert answer == f"acme[x] does not load: {what} {RESTART}"


def test_finding_plugins_again_does_not_replace_loaded_code(acme: Site) -> None:
    """`load_plugins` finds what is new, imports what is as it was, and refuses what has changed; the advice is to restart."""
    answer = run(
        acme,
        """
registry.find()
install("2.0", "second")
install("1.0", "new", name="late")
report = load_plugins()
failed = [[each.plugin.label, each.plugin.version, each.reason, each.advice] for each in report.failed]
answer = [failed, [each.plugin.label for each in report.loaded], registry.get("late")(), "acme_tools" in sys.modules]
""",
    )
    why, advice = f"acme 1.0 was replaced by 2.0 {RESTART}", "restart this process: it then sees acme as it is now"
    assert answer == [[["acme[x]", "2.0", why, advice]], ["late[x]", "other[x]"], "new", False]


def test_what_is_loaded_stays_as_it_was_loaded(acme: Site) -> None:
    """The process goes on with the code that it has, whatever is installed meanwhile."""
    answer = run(
        acme,
        """
tool = registry.get("look")
before = tool()
install("2.0", "second")
load_plugins()
again = registry.get("look")
uninstall()
load_plugins()
answer = [before, again(), tool()]
""",
    )
    assert answer == ["first", "first", "first"]


def test_an_uninstalled_plugin_is_gone_after_plugins_are_found_again(acme: Site) -> None:
    """A tool that somebody still holds says what happened."""
    answer = run(
        acme,
        """
tool = registry.get("look")
uninstall()
report = load_plugins()
answer = [[each.plugin.label for each in report], "look" in registry, told(tool)]
""",
    )
    assert answer[:2] == [["other[x]"], False]
    assert "uninstalled" in answer[2]
    assert "restart" in answer[2]


def test_the_next_process_sees_the_new_distribution(acme: Site) -> None:
    """Nothing of the refusal is kept: not in the index, where a program writes what it has imported."""
    assert run(acme, "registry.find()\ninstall('2.0', 'second')\nload_plugins()\nanswer = 0") == 0
    assert run(acme, "answer = [registry.get('look')(), load_plugins().ok]") == ["second", True]
    assert json.loads(acme.cli("call", "look").stdout) == "second"


def test_a_call_of_it_is_answered_and_names_the_restart(acme: Site) -> None:
    """An executor answers `unavailable`: the model is told that it cannot be had, the program what to do."""
    answer = run(
        acme,
        """
with Executor(["look", "other"]) as executor:
    install("2.0", "second")
    results = executor.run_all([{"name": "look", "arguments": {}}, {"name": "other", "arguments": {}}])
answer = [[each.ok, each.error and each.error.code, each.content] for each in results]
""",
    )
    assert answer[0][:2] == [False, "unavailable"]
    assert "restart" in answer[0][2]
    assert answer[1] == [True, None, "other"]


def test_a_process_without_an_index_refuses_too(acme: Site) -> None:
    """What was found first is kept by the process itself."""
    shutil.rmtree(acme.folder.parent / "cache", ignore_errors=True)
    code = "from fcregistry.discovery import current\ncurrent().plugins\ninstall('2.0', 'second')\n"
    answer = run(acme, code + "answer = [each.reason for each in load_plugins().failed]")
    assert answer == [f"acme 1.0 was replaced by 2.0 {RESTART}"]


def test_code_that_is_loaded_keeps_the_version_that_it_was_loaded_from(acme: Site) -> None:
    """Looking again does not relabel it. The report says that the process runs old code, and so do a warning and doctor."""
    answer = run(
        acme,
        """
import logging, io
said = io.StringIO()
logging.basicConfig(stream=said, format="%(message)s")
tool = registry.get("look")
tool()
install("2.0", "second")
report = load_plugins()
from fcregistry.inspection import diagnose
found = [[each.kind, each.subject, each.message, each.advice] for each in diagnose()]
loaded = [[each.plugin.label, each.plugin.version, each.outdated] for each in report.loaded]
again = registry.get("peek")
answer = [report.ok, loaded, again.origin.version, tool.origin.version, again(), found, said.getvalue().splitlines()[0]]
""",
    )
    why = f"acme 1.0 was replaced by 2.0 {RESTART}"
    assert answer == [
        True,
        [["acme[x]", "1.0", why], ["other[x]", "1.0", None]],
        *["1.0", "1.0"],
        "first",
        [
            [
                "problem",
                "acme[x]",
                f"still runs the code of 1.0: {why}",
                "restart this process to run the installed acme",
            ]
        ],
        f"acme[x] runs the code of before: {why}",
    ]


def test_code_that_is_loaded_stays_its_distributions_after_that_was_uninstalled(acme: Site) -> None:
    """It does not become the application's own, which no list of allowed distributions is about."""
    answer = run(
        acme,
        """
tool = registry.get("look")
tool()
uninstall()
report = load_plugins()
os.environ["FCREGISTRY_DISABLE"] = "acme:*"
hidden = "look" in registry
del os.environ["FCREGISTRY_DISABLE"]
answer = [registry.get("look").id, registry.get("look").origin.version, hidden, [each.outdated for each in report.loaded]]
""",
    )
    assert answer == ["acme:look", "1.0", False, [f"acme 1.0 was uninstalled {RESTART}", None]]
