"""What is imported, once plugins are described? Nothing to list, show, search and select; one plugin to call its tool."""

from __future__ import annotations

import json
from textwrap import dedent
from typing import TYPE_CHECKING

import pytest

from tests.discovery.index.logged import imported, install, tool
from tests.forking import RUN

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conftest import Site

BROKEN = "\n@fc_register\ndef broken(a: complex) -> str:\n    'Cannot be.'\n    return ''\n"


@pytest.fixture(scope="module")
def warm(make_site: Callable[[], Site]) -> Site:
    """Three plugins that are described: one with a tool that cannot be defined, one that has an alias and an option of its own."""
    site = make_site()
    install(site, "one")
    install(site, "two", tool("say_two") + BROKEN)
    install(
        site,
        "three",
        """
        @fc_register("search.web", aliases=["third"], tags=["t"], read_only=True, requires_approval=lambda call: True)
        def say_three(word: str) -> str:
            "Say a word."
            return word
        """,
    )
    done = site.cli("list")
    assert done.returncode == 0
    assert sorted(imported(site)) == ["one_tools", "three_tools", "two_tools"]
    return site


COMMANDS = {
    "list": ["list"],
    "as JSON": ["list", "--json"],
    "selected": ["list", "say_*", "!two:*"],
    "of a group": ["list", "search.*"],
    "by tag": ["list", "tag=t"],
    "show": ["show", "say_one"],
    "show as JSON": ["show", "search.web.say_three", "--json"],
    "show by alias": ["show", "third"],
    "show for a provider": ["show", "say_three", "--format", "openai"],
    "show what cannot be": ["show", "broken"],
    "show what is not there": ["show", "nothing"],
    "search": ["search", "word"],
    "plugins": ["plugins"],
    "groups": ["groups"],
}
WRONG = ("show what cannot be", "show what is not there")


def test_no_command_that_only_tells_imports_a_plugin(warm: Site) -> None:
    """Each in one process with the others, which is one more chance to import something."""
    code = f"""
    codes = {{name: run(arguments) for name, arguments in {COMMANDS!r}.items()}}
    print()
    answer = [codes, [name for name in sys.modules if name in ("one_tools", "two_tools", "three_tools")]]
    """
    done = warm.run("-c", f"import json, sys\n{RUN}\n{dedent(code)}\nprint(json.dumps(answer))")
    codes, modules = json.loads(done.stdout.splitlines()[-1])
    assert codes == {name: 2 if name in WRONG else 0 for name in COMMANDS}, done.stderr
    assert (modules, imported(warm)) == ([], [])


@pytest.mark.parametrize(
    ("typed", "names"), [("say_t", ["say_three", "say_two"]), ("two:", ["two:say_two"]), ("sea", None)]
)
def test_completion_imports_no_plugin(warm: Site, typed: str, names: list[str] | None) -> None:
    """It answers what it would if they were imported; nor does it import what only a call needs."""
    asked = {"_FCREGISTRY_COMPLETE": "bash_complete", "COMP_WORDS": f"fcregistry call {typed}", "COMP_CWORD": "2"}
    code = """
    import atexit, sys
    from fcregistry.cli import main
    atexit.register(lambda: print(sorted({"pathlib", "fcregistry.execution"} & {*sys.modules}), file=sys.stderr))
    sys.exit(main())
    """
    done = warm.run("-c", dedent(code), env=asked)
    said = [line.rpartition(",")[2] for line in done.stdout.split()]
    assert (said, done.stderr, imported(warm)) == (names or ["search.web.say_three"], "[]\n", [])


def test_a_program_that_selects_imports_no_plugin(warm: Site) -> None:
    """Not even for definitions as providers want them; Python's own protocol of imports agrees."""
    code = """
    from fcregistry import registry
    found = [tool.id for tool in registry.find()]
    told = [tool.definition("openai")["function"]["name"] for tool in registry.select("say_*").values()]
    hints = [(tool.name, tool.options.tags, tool.missing_env, tool.origin.version) for tool in registry.select("tag=t").values()]
    answer = [found, told, hints, sorted(name for name in sys.modules if name.endswith("_tools") and "fcregistry" not in name), len(registry)]
    """
    found, told, hints, modules, count = warm.ask(code)
    assert found == ["one:say_one", "three:search.web.say_three", "two:say_two"]
    assert (told, count) == (["say_one", "say_three", "say_two"], 3)
    assert hints == [["say_three", ["t"], [], "1.0"]]
    assert (modules, imported(warm)) == ([], [])
    done = warm.run("-X", "importtime", "-m", "fcregistry", "list", "--json")
    seen = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert ("sqlite3" in seen, {"one_tools", "two_tools", "three_tools"} & seen) == (True, set())


@pytest.mark.parametrize("name", ["say_one", "one:say_one", "tool.say_one"])
def test_looking_a_tool_up_imports_nothing_and_calling_it_one_plugin(warm: Site, name: str) -> None:
    """However it is named; what it needs is imported once."""
    code = f"""
    from fcregistry import registry
    def modules():
        return sorted(name for name in sys.modules if name.endswith("_tools") and "fcregistry" not in name)
    tool = registry.get({name!r})
    before = [modules(), tool.is_loaded]
    said = [tool(), registry.get("say_one")(), tool.renamed("other")()]
    answer = [before, said, modules(), tool.is_loaded, registry.get({name!r}) is tool]
    """
    before, said, modules, is_loaded, is_same = warm.ask(code)
    assert (before, said, modules) == ([[], False], ["say_one"] * 3, ["one_tools"])
    assert (is_loaded, is_same, imported(warm)) == (True, True, ["one_tools"])


def test_a_command_calls_a_tool_and_imports_its_plugin_alone(warm: Site) -> None:
    """Whatever else is installed."""
    done = warm.cli("call", "--yes", "say_three", "--word", "hi")
    assert (done.returncode, json.loads(done.stdout), imported(warm)) == (0, "hi", ["three_tools"])


def test_a_described_tool_is_asked_whether_it_is_available_once_it_is_called(make_site: Callable[[], Site]) -> None:
    """Listing does not import the plugin for it."""
    site = make_site()
    install(
        site,
        "gone",
        """
        def has_gpu():
            return False

        @fc_register(available=has_gpu)
        def render() -> str:
            "Render."
            return "picture"
        """,
    )
    assert "render" in site.cli("list").stdout
    imported(site)
    shown = site.cli("show", "render").stdout
    assert "render" in site.cli("list").stdout
    assert ("available: computed by gone_tools.has_gpu" in shown, imported(site)) == (True, [])
    code = """
    from fcregistry import Executor, registry
    executor = Executor(["render"])
    before = [registry.get("render").unavailable, len(executor.describe())]
    answer = [before, executor.call("render").content, len(executor.describe())]
    """
    before, content, offered = site.ask(code)
    assert (before, offered) == (["", 1], 0)
    assert content.endswith("render is not available here: its check has_gpu returned False")
    assert "is not available here: its check has_gpu returned False" in site.cli("call", "render").stderr


def test_a_distributions_tool_in_a_group_needs_no_group_while_it_is_the_only_one(make_site: Callable[[], Site]) -> None:
    """In look-ups, exclusions and policies; a tool of the default group has the name first."""
    site = make_site()
    source = tool("say_two").replace("@fc_register", "@fc_register('{}')")
    both = "\n".join(source.replace("say_two", "say_both").format(group) for group in ("far", "near"))
    first = source.replace("say_two", "say_first").format("far") + "\n" + tool("say_first")
    install(site, "two", "\n".join([source.format("search.web"), both, first]))
    code = """
    from fcregistry import Executor, registry
    from fcregistry.errors import AmbiguousToolError
    from fcregistry.execution import Policy
    try:
        registry.get("two:say_both")
    except AmbiguousToolError as error:
        candidates = error.candidates
    denied = Executor(["two:say_two"], policy=Policy(deny=["two:say_two"])).call("say_two").error.code
    left = [[tool.id for tool in registry.find("two:*", f"!two:{name}")] for name in ("say_two", "say_first")]
    answer = [registry.get("two:say_two").id, registry.get("two:say_first").id, candidates, denied, left]
    """
    found, of_default, candidates, denied, left = site.ask(code)
    assert (found, of_default, denied) == ("two:search.web.say_two", "two:say_first", "denied")
    assert candidates == ["two:far.say_both", "two:near.say_both"]
    every = {"two:far.say_both", "two:near.say_both", "two:far.say_first", "two:say_first", "two:search.web.say_two"}
    assert [every - set(each) for each in left] == [{"two:search.web.say_two"}, {"two:say_first"}]
    assert "did you mean 'say_two' or 'say_both' or 'say_first'? (" in site.cli("show", "say_tow").stderr
