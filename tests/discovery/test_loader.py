"""Loading a plugin. Whatever it does wrong is recorded, and costs the others nothing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conftest import Site

GOOD = """
    from fcregistry import fc_register

    @fc_register
    def add(a: int, b: int = 1) -> int:
        "Add two whole numbers."
        return a + b
"""

# What a bad plugin's module holds, and what is recorded of it.
BAD = {
    "raises": ("raise RuntimeError('no luck\\n today')", "RuntimeError: no luck today"),
    "silent": ("raise ValueError", "ValueError"),
    "imports": ("import not_installed_anywhere.deep", "ModuleNotFoundError: No module named 'not_installed_anywhere'"),
    "cannot": ("from json import nothing_such", "ImportError: cannot import name 'nothing_such' from 'json'"),
    "exits": ("import sys\nsys.exit(3)", "SystemExit: 3"),
    "quits": ("raise SystemExit", "SystemExit"),
    "generates": ("raise GeneratorExit('odd')", "GeneratorExit: odd"),
    "garbled": ("def broken(:\n", "SyntaxError: invalid syntax"),
    "twice": (
        "from fcregistry import fc_register\nfc_register(max, )\ndef f(): ...\nfc_register('tool')(f, 'max')",
        "DuplicateToolError: tool.max is registered already",
    ),
    "unshowable": (
        "class Odd(Exception):\n    def __str__(self): raise KeyError\nraise Odd",
        "Odd: (its message cannot be shown)",
    ),
}

REPORT = """
from fcregistry import load_plugins
report = load_plugins()
answer = {
    "loaded": [each.plugin.label for each in report.loaded],
    "failed": {each.plugin.label: [each.reason, each.advice, each.traceback, each.seconds] for each in report.failed},
    "ok": report.ok,
    "order": [each.plugin.label for each in report],
}
"""


@pytest.fixture(scope="module")
def mixed(make_site: Callable[[], Site]) -> Site:
    """A good plugin among all sorts of bad ones."""
    site = make_site()
    site.install("good", {"x": "good_tools"}, {"good_tools.py": GOOD})
    for name, (code, _) in BAD.items():
        site.install(f"bad-{name}", {"x": f"bad_{name}"}, {f"bad_{name}.py": code})
    return site


@pytest.fixture(scope="module")
def report(mixed: Site) -> dict:
    """What load_plugins says of them."""
    return mixed.ask(REPORT)


def test_good_plugins_load_beside_bad_ones(report: dict) -> None:
    """Loaded, failed and disabled come in this order, each sorted."""
    assert report["loaded"] == ["good[x]"]
    assert report["order"] == ["good[x]", *sorted(f"bad-{name}[x]" for name in BAD)]
    assert not report["ok"]


@pytest.mark.parametrize("name", BAD)
def test_whatever_a_plugin_raises_is_recorded(report: dict, name: str) -> None:
    """In one line, with the traceback from the plugin's own first line on, and the seconds it took."""
    reason, advice, traceback, seconds = report["failed"][f"bad-{name}[x]"]
    assert reason.startswith(BAD[name][1])
    assert "\n" not in reason
    assert f"bad_{name}.py" in traceback
    assert "importlib" not in traceback
    assert "_loader.py" not in traceback
    assert seconds > 0
    assert f"bad-{name}" in advice or name == "imports"


def test_the_advice_fits_the_failure(report: dict) -> None:
    """A missing dependency is to be installed, an exit to be reported, anything else to be reported or disabled."""
    advice = {label: row[1] for label, row in report["failed"].items()}
    assert "install the package with the module not_installed_anywhere" in advice["bad-imports[x]"]
    assert "it ends the process when it is imported" in advice["bad-exits[x]"]
    assert advice["bad-raises[x]"].endswith("or set FCREGISTRY_DISABLE=bad-raises[x]")


def test_a_good_plugin_answers_the_same_with_and_without_bad_ones(mixed: Site, site: Site) -> None:
    """Byte for byte: its tools, their schemas, and a call's result."""
    site.install("good", {"x": "good_tools"}, {"good_tools.py": GOOD})
    questions = (
        ["list", "--json", "good:*"],
        ["show", "add"],
        ["call", "add", '{"a": 2}'],
        ["show", "add", "--format", "openai"],
    )
    for question in questions:
        alone, among = site.cli(*question), mixed.cli(*question)
        assert among.returncode == alone.returncode == 0
        assert among.stdout.replace(str(mixed.folder), "") == alone.stdout.replace(str(site.folder), "")


def test_load_order_does_not_matter(mixed: Site) -> None:
    """Whichever plugin a process happens to import first, the tools and what became of the plugins are the same."""
    answers = [
        mixed.ask(
            f"""
            from fcregistry import errors, load_plugins, registry
            for first in {first}:
                try:
                    registry.get(first)
                except errors.ToolNotFoundError:
                    pass
            report = load_plugins()
            answer = [[tool.id for tool in registry.find()], [[each.plugin.label, type(each).__name__] for each in report]]
            """
        )
        for first in (["good:add"], ["bad-raises:x", "bad-exits:x", "good:add"], ["add"], [])
    ]
    assert answers[0][0] == ["good:add"]
    assert all(answer == answers[0] for answer in answers)


def test_raise_failures_raises_one_error_for_all(mixed: Site) -> None:
    """It names each plugin and why; its cause is the first one's own exception. A report without failures raises nothing."""
    message, cause, nothing = mixed.ask(
        """
        from fcregistry import discovery, errors, load_plugins
        try:
            load_plugins().raise_failures()
        except errors.PluginError as error:
            answer = [str(error), type(error.__cause__).__name__, discovery.LoadReport().raise_failures()]
        """
    )
    assert message.splitlines()[0] == "these plugins do not load:"
    assert [line.split("[")[0] for line in message.splitlines()[1:]] == sorted(f"  - bad-{name}" for name in BAD)
    assert cause == "ImportError"
    assert nothing is None


def test_an_interrupt_is_raised_to_the_caller(site: Site) -> None:
    """Ctrl-C while a plugin is imported ends the lookup; the plugin is not recorded as failed, and loads the next time."""
    site.install(
        "slow",
        {"x": "slow_tools"},
        {
            "slow_tools.py": "import builtins\nif builtins.again:\n    raise KeyboardInterrupt\n"
            "from fcregistry import fc_register\nfc_register(max)\n"
        },
    )
    answer = site.ask(
        """
        import builtins
        from fcregistry import load_plugins
        answer = []
        for builtins.again in (True, False):
            try:
                answer.append([type(each).__name__ for each in load_plugins()])
            except KeyboardInterrupt:
                answer.append("interrupted")
        """
    )
    assert answer == ["interrupted", ["LoadedPlugin"]]


def test_what_a_plugin_prints_goes_to_stderr(site: Site) -> None:
    """So that the output of a program stays its own; after the import, stdout is what it was, also where the import failed."""
    site.install(
        "chatty",
        {"x": "chatty_tools"},
        {"chatty_tools.py": "print('hello')\n" + "from fcregistry import fc_register\nfc_register(max)\n"},
    )
    site.install("dying", {"x": "dying_tools"}, {"dying_tools.py": "print('farewell')\nraise OSError"})
    listed = site.cli("list", "--json")
    assert [tool["id"] for tool in json.loads(listed.stdout)] == []  # max has no signature, which is not the point here
    assert "hello" not in listed.stderr  # a command imports nothing itself
    loading = site.run("-c", "from fcregistry import load_plugins\nload_plugins()")
    assert (loading.stdout, loading.stderr) == ("", "hello\nfarewell\n")
    assert site.ask(
        "before = sys.stdout\nfrom fcregistry import load_plugins\nload_plugins()\nanswer = sys.stdout is before"
    )


def test_a_plugin_is_imported_once(site: Site) -> None:
    """What failed is not tried at every lookup, and what loaded is not loaded again."""
    site.install(
        "fails",
        {"x": "fails_tools"},
        {"fails_tools.py": "import sys\nsys.tries = getattr(sys, 'tries', 0) + 1\nraise ValueError"},
    )
    answer = site.ask(
        """
        from fcregistry import load_plugins, registry
        for _ in range(3):
            load_plugins()
            "nothing" in registry
            "fails:nothing" in registry
        answer = sys.tries
        """
    )
    assert answer == 1


def test_load_plugins_finds_plugins_that_were_installed_later(site: Site) -> None:
    """A long-running process need not be started anew; what it has loaded stays."""
    site.install("early", {"x": "early_tools"}, {"early_tools.py": GOOD})
    later = site.folder.parent / "later"
    type(site)(later, site.path[-1]).install(
        "late", {"x": "late_tools"}, {"late_tools.py": GOOD.replace("add", "minus")}
    )
    answer = site.ask(
        f"""
        from fcregistry import load_plugins, registry
        first = [tool.id for tool in registry.find()]
        sys.path.append({str(later)!r})
        load_plugins()
        answer = [first, [tool.id for tool in registry.find()]]
        """
    )
    assert answer == [["early:add"], ["early:add", "late:minus"]]


def test_a_plugin_that_fails_halfway_has_no_tools(site: Site) -> None:
    """Its first module declared one before the second raised; asking for it says why it is not there."""
    site.install(
        "half",
        {"x": "half_tools"},
        {"half_tools/__init__.py": "from half_tools import a, b", "half_tools/a.py": GOOD, "half_tools/b.py": "1 / 0"},
    )
    assert site.cli("list").stdout == ""
    asked = site.cli("call", "add")
    assert asked.returncode == 2
    assert "its plugin half[x] does not load (ZeroDivisionError: division by zero)" in asked.stderr


def test_a_missing_module_of_the_plugin_itself_differs_from_a_missing_dependency(site: Site) -> None:
    """The entry point's own module, and a module below it, are the distribution's to mend."""
    site.install("gone", {"x": "gone_pkg.tools"}, {"gone_pkg/__init__.py": ""})
    site.install("holey", {"x": "holey_pkg.tools"}, {"holey_pkg/tools.py": "import holey_pkg.part"})
    failed = site.ask(REPORT)["failed"]
    assert failed["gone[x]"][1] == (
        'its entry point names a module that does not exist: correct x = "gone_pkg.tools" in its pyproject.toml '
        "and install it again, or tell its authors"
    )
    assert failed["holey[x]"][1] == "holey_pkg.part, a module of the plugin itself, does not exist; reinstall holey"


def test_strictness_applies_to_one_plugin_only(site: Site) -> None:
    """FCREGISTRY_STRICT in a plugin's package makes a parameter without a type an error in its tools, and in no others'."""
    module = "from fcregistry import fc_register\n\n@fc_register\ndef {name}(a):\n    'Do it.'\n"
    site.install(
        "strict",
        {"x": "strict_pkg.tools"},
        {"strict_pkg/__init__.py": "FCREGISTRY_STRICT = True", "strict_pkg/tools.py": module.format(name="tight")},
    )
    site.install("lenient", {"x": "lenient_pkg.tools"}, {"lenient_pkg/tools.py": module.format(name="loose")})
    answer = site.ask(
        """
        import warnings
        from fcregistry import errors, registry
        warnings.simplefilter("ignore", errors.DefinitionWarning)
        answer = [[tool.id for tool in registry.find()], str(registry.get("tight").definition_error)]
        """
    )
    assert answer[0] == ["lenient:loose"]
    assert "tight" in answer[1]
    assert "parameter 'a'" in answer[1] or "a:" in answer[1]
