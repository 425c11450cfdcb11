"""Whose a tool is, which name reaches it, and what is imported for that."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.conftest import Site


def module(*names: str, before: str = "") -> str:
    """Return a module that declares tools, each of which tells where it comes from."""
    tools = "".join(f"\n@fc_register\ndef {name}() -> str:\n    return __name__\n" for name in names)
    return f"from fcregistry import fc_register\n{before}\n{tools}"


OWNERS = (
    "answer = {tool.id: [tool.origin.distribution, tool.origin.entry_point, tool()] for tool in registry.everything()}"
)


@pytest.mark.parametrize(
    "first", ["import alpha_tools", "import beta_tools", "registry.get('alpha:one')", "registry.find()"]
)
def test_importing_another_plugins_module_does_not_change_the_owner_of_tools(site: Site, first: str) -> None:
    """Whichever of the two is imported first, and by whom, each keeps its own tools."""
    site.install("alpha", {"a": "alpha_tools"}, {"alpha_tools.py": module("one", before="import beta_tools.part")})
    site.install(
        "beta", {"b": "beta_tools"}, {"beta_tools/__init__.py": module("two"), "beta_tools/part.py": module("three")}
    )
    answer = site.ask(f"from fcregistry import registry, load_plugins\n{first}\nload_plugins()\n{OWNERS}")
    assert answer == {
        "alpha:one": ["alpha", "a", "alpha_tools"],
        "beta:two": ["beta", "b", "beta_tools"],
        "beta:three": ["beta", "b", "beta_tools.part"],
    }


def test_the_nearest_module_that_an_entry_point_names_owns_the_modules_below(site: Site) -> None:
    """A package may be one plugin and a module in it another; a name that merely begins alike is neither's."""
    site.install("whole", {"w": "pkg"}, {"pkg/__init__.py": module("top"), "pkg/other.py": module("beside")})
    site.install(
        "part",
        {"p": "pkg.sub"},
        {"pkg/sub/__init__.py": module("sub"), "pkg/sub/deep.py": module("deep"), "pkg/submarine.py": module("boat")},
    )
    answer = site.ask(f"from fcregistry import registry\nimport pkg.other, pkg.sub.deep, pkg.submarine\n{OWNERS}")
    assert {name: row[:2] for name, row in answer.items()} == {
        "whole:top": ["whole", "w"],
        "whole:beside": ["whole", "w"],
        "whole:boat": ["whole", "w"],
        "part:sub": ["part", "p"],
        "part:deep": ["part", "p"],
    }


def test_two_plugins_with_one_entry_point_name_both_load(site: Site) -> None:
    """The name of an entry point is unique in its distribution alone."""
    site.install("alpha", {"tools": "alpha_tools"}, {"alpha_tools.py": module("one")})
    site.install("beta", {"tools": "beta_tools"}, {"beta_tools.py": module("two")})
    answer = site.ask(
        "from fcregistry import load_plugins, registry\n"
        "answer = [[each.plugin.label for each in load_plugins().loaded], [tool.id for tool in registry.find()]]"
    )
    assert answer == [["alpha[tools]", "beta[tools]"], ["alpha:one", "beta:two"]]


def test_a_name_of_two_plugins_is_ambiguous_and_its_ids_are_not(site: Site) -> None:
    """Nothing is dropped by load order: the plain name raises and names both, each id reaches its own."""
    site.install("Zeta_Tools", {"x": "zeta_tools"}, {"zeta_tools.py": module("lookup")})
    site.install("acme", {"x": "acme_tools"}, {"acme_tools.py": module("lookup")})
    answer = site.ask(
        """
        from fcregistry import errors, registry
        try:
            registry.get("lookup")
        except errors.AmbiguousToolError as error:
            answer = [str(error), error.candidates]
        ids = ["acme:lookup", "Zeta_Tools:lookup", "zeta-tools:lookup", "ZETA.tools:lookup"]
        answer += [[registry.get(each)() for each in ids], "lookup" in registry, len(registry.find("*"))]
        """
    )
    assert answer == [
        "'lookup' may be any of Zeta_Tools:lookup, acme:lookup; name one of these",
        ["Zeta_Tools:lookup", "acme:lookup"],
        ["acme_tools", "zeta_tools", "zeta_tools", "zeta_tools"],
        True,
        2,
    ]


@pytest.mark.parametrize("name", ["Acme-Weather", "acme_weather", "acme-weather"])
def test_the_error_explains_that_a_distribution_is_not_a_tool(site: Site, name: str) -> None:
    """The way to all of its tools; a name that is near to a distribution's is told nothing of it."""
    site.install("Acme-Weather", {"x": "acme_tools"}, {"acme_tools.py": module("lookup")})
    answer = site.ask(
        f"""
        from fcregistry import errors, registry
        answer = []
        for name in ({name!r}, "acme_wether"):
            try:
                registry.get(name)
            except errors.ToolNotFoundError as error:
                answer.append(str(error))
        answer.append([tool.id for tool in registry.find({name!r} + ":*")])
        """
    )
    hint = f"there is no tool {name!r}: it is a distribution, and its tools are '{name}:*'"
    assert answer[0].startswith(hint)
    assert "is a distribution" not in answer[1]
    assert answer[2] == ["Acme-Weather:lookup"]


def test_the_applications_own_tool_wins_its_plain_name_and_imports_no_plugin(site: Site) -> None:
    """The plugin's of the same name stays reachable by its id."""
    site.install("acme", {"x": "acme_tools"}, {"acme_tools.py": module("lookup")})
    answer = site.ask(
        """
        from fcregistry import fc_register, registry

        @fc_register
        def lookup() -> str:
            return "mine"

        answer = [registry.get("lookup")(), registry.get("tool.lookup")(), "lookup" in registry, "acme_tools" in sys.modules]
        answer += [registry.get("acme:lookup")(), registry.get("lookup")(), registry.select()["lookup"]()]
        """
    )
    assert answer == ["mine", "mine", True, False, "acme_tools", "mine", "mine"]


def test_a_canonical_name_imports_that_distribution_alone(site: Site) -> None:
    """And a distribution's pattern too; all of its entry points, none of anybody else's."""
    site.install("acme", {"x": "acme_x", "y": "acme_y"}, {"acme_x.py": module("one"), "acme_y.py": module("two")})
    for number in range(3):
        site.install(f"other{number}", {"x": f"other{number}"}, {f"other{number}.py": module(f"n{number}")})
    answer = site.ask(
        """
        from fcregistry import registry
        def loaded(): return sorted(name for name in sys.modules if name.startswith(("acme", "other")))
        answer = [registry.get("acme:one").id, loaded()]
        answer += [[tool.id for tool in registry.find("Other1:*")], loaded()]
        """
    )
    assert answer == ["acme:one", ["acme_x", "acme_y"], ["other1:n1"], ["acme_x", "acme_y", "other1"]]


def test_two_tools_of_one_owner_with_one_name_are_an_error(site: Site) -> None:
    """Two modules of one plugin: its other tools work, the name raises and names both places, and globs pass it over."""
    site.install(
        "acme",
        {"x": "acme_pkg"},
        {
            "acme_pkg/__init__.py": "from acme_pkg import a, b",
            "acme_pkg/a.py": module("same", "fine"),
            "acme_pkg/b.py": module("same"),
        },
    )
    answer = site.ask(
        """
        from fcregistry import errors, load_plugins, registry
        answer = [load_plugins().ok, [tool.id for tool in registry.find()]]
        for name in ("same", "acme:same"):
            try:
                registry.get(name)
            except errors.DuplicateToolError as error:
                answer.append(str(error))
        """
    )
    assert answer[:2] == [True, ["acme:fine"]]
    assert len(answer) == 4
    for message in answer[2:]:
        assert "acme_pkg.a.same" in message
        assert "acme_pkg.b.same" in message
        assert "replace=True" in message


def test_the_function_of_a_closed_over_module_name_belongs_to_the_declaring_module(site: Site) -> None:
    """A plugin that registers a function of the standard library ships it."""
    site.install(
        "acme",
        {"x": "acme_tools"},
        {
            "acme_tools.py": "import statistics\nfrom fcregistry import fc_register\nfc_register('tool')(statistics.fmean, 'mean')\n"
        },
    )
    answer = site.ask(
        "from fcregistry import registry\norigin = registry.get('mean').origin\nanswer = [origin.distribution, origin.module]"
    )
    assert answer == ["acme", "acme_tools"]


def test_a_plugin_may_look_up_tools_while_it_is_imported(site: Site) -> None:
    """Its own, which are there so far, and another plugin's, which is imported for that; and it is loaded once."""
    site.install(
        "alpha",
        {"x": "alpha_tools"},
        {
            "alpha_tools.py": module("one", before="")
            + "\nfrom fcregistry import registry\nSEEN = [registry.get('one').id, registry.get('two').id, registry.get('alpha:one').id]\n"
        },
    )
    site.install(
        "beta",
        {"x": "beta_tools"},
        {
            "beta_tools.py": module("two")
            + "\nfrom fcregistry import registry\nSEEN = sorted(tool.id for tool in registry.find())\n"
        },
    )
    answer = site.ask(
        """
        from fcregistry import load_plugins
        answer = [[type(each).__name__ for each in load_plugins()]]
        import alpha_tools, beta_tools
        answer += [alpha_tools.SEEN, beta_tools.SEEN]
        """
    )
    assert answer == [
        ["LoadedPlugin", "LoadedPlugin"],
        ["alpha:one", "beta:two", "alpha:one"],
        ["alpha:one", "beta:two"],
    ]


@pytest.mark.parametrize(
    ("ending", "outcome"), [("TOOLS = [late]", ["LoadedPlugin", ["acme:late"]]), ("1 / 0", ["FailedPlugin", []])]
)
def test_a_plugin_that_the_application_is_importing_is_judged_when_that_is_done(
    site: Site, ending: str, outcome: list
) -> None:
    """A lookup from within its import, when what its entry point names does not exist yet, settles nothing."""
    site.install(
        "acme",
        {"x": "acme_tools:TOOLS"},
        {
            "acme_tools.py": f"from fcregistry import registry\n'nothing' in registry\ndef late() -> str:\n    return ''\n{ending}\n"
        },
    )
    answer = site.ask(
        """
        from fcregistry import load_plugins, registry
        try:
            import acme_tools
        except ZeroDivisionError:
            pass
        answer = [type(*load_plugins()).__name__, [tool.id for tool in registry.find()]]
        """
    )
    assert answer == outcome


def test_a_plugin_that_replaces_its_own_module_is_judged_when_its_import_is_done(site: Site) -> None:
    """It puts an object of its own in the place of its module, looks something up, and fails."""
    code = "import sys, types\nsys.modules[__name__] = types.SimpleNamespace()\nfrom fcregistry import registry\n'nothing' in registry\n1 / 0\n"
    site.install("acme", {"x": "acme_tools"}, {"acme_tools.py": code})
    assert site.ask("from fcregistry import load_plugins\nanswer = type(*load_plugins()).__name__") == "FailedPlugin"


def test_a_name_means_the_same_before_and_after_loading(site: Site) -> None:
    """An alias of the application's gives way to a tool that has the name, loaded yet or not."""
    site.install("beta", {"b": "beta_tools"}, {"beta_tools.py": module("lookup")})
    answer = site.ask(
        """
        from fcregistry import fc_register, load_plugins, registry
        def find() -> str: return "own"
        fc_register("tool", aliases=["lookup"])(find)
        first = registry.get("lookup").id
        load_plugins()
        answer = [first, registry.get("lookup").id]
        """
    )
    assert answer == ["beta:lookup", "beta:lookup"]


def test_a_broken_object_does_not_take_the_module_that_another_entry_point_names(site: Site) -> None:
    """The one that names the module itself has its tools."""
    site.install("acme", {"a": "acme_tools:MISSING", "z": "acme_tools"}, {"acme_tools.py": module("rain")})
    assert site.ask("from fcregistry import registry\nanswer = registry.get('rain').origin.entry_point") == "z"


def test_a_distribution_cannot_take_the_tools_of_anothers_module(site: Site) -> None:
    """Whose RECORD holds the file has the tools, whatever sorts first."""
    info = site.install("beta", {"b": "beta_tools"}, {"beta_tools.py": module("lookup")})
    (info / "RECORD").write_text("beta_tools.py,,\n", encoding="utf-8")
    thief = site.install("aaa", {"x": "beta_tools"})
    (thief / "RECORD").write_text("", encoding="utf-8")
    assert site.ask("from fcregistry import registry\nanswer = registry.get('beta:lookup').id") == "beta:lookup"
    env = {"FCREGISTRY_DISABLE": "beta:*"}
    assert site.ask("from fcregistry import registry\nanswer = 'lookup' in registry", env=env) is False


@pytest.mark.parametrize("editable", [False, True])
@pytest.mark.parametrize("thief", ["beta_tools.sub", "beta_tools", "beta_tools.sub:lookup"])
def test_a_distribution_cannot_take_the_tools_of_a_module_in_anothers_package(
    site: Site, thief: str, editable: bool
) -> None:
    """However exactly it names it. An editable install lists none of its files; any other that lists none of them has none."""
    files = {"beta_tools/__init__.py": "import beta_tools.sub\n", "beta_tools/sub.py": module("lookup")}
    info = site.install("beta", {"b": "beta_tools"}, files)
    listed = ["beta-1.0.dist-info/METADATA", *([] if editable else files)]
    (info / "RECORD").write_text("".join(f"{name},,\n" for name in listed), encoding="utf-8")
    if editable:
        (info / "direct_url.json").write_text(
            '{"url": "file:///beta", "dir_info": {"editable": true}}', encoding="utf-8"
        )
    (site.install("aaa", {"x": thief}) / "RECORD").write_text("aaa-1.0.dist-info/METADATA,,\n", encoding="utf-8")
    assert site.ask("from fcregistry import registry\nanswer = registry.get('beta:lookup').id") == "beta:lookup"
    assert "beta" in site.cli("list").stdout
    if ":" not in thief:
        said = f"aaa[x]: ships no tools: its entry point names {thief}, but this module and its tools belong to beta"
        assert said in site.cli("doctor").stdout


def test_a_distribution_of_its_own_may_ship_part_of_anothers_package(site: Site) -> None:
    """Its RECORD holds the file, or it does not say."""
    site.install("acme", {"a": "acme"}, {"acme/__init__.py": module("one")})
    site.install("acme-more", {"m": "acme.more"}, {"acme/more.py": module("two")})
    answer = "from fcregistry import registry\nanswer = sorted(each.id for each in registry.find())"
    assert site.ask(answer) == ["acme-more:two", "acme:one"]


@pytest.mark.parametrize("pattern", ["b?ta:*", "[ab]eta:*", "b*:lookup"])
def test_a_pattern_of_distributions_imports_what_it_may_name(site: Site, pattern: str) -> None:
    """Whichever sort of pattern it is."""
    site.install("beta", {"b": "beta_tools"}, {"beta_tools.py": module("lookup")})
    assert site.ask(f"from fcregistry import registry\nanswer = list(registry.select({pattern!r}))") == ["lookup"]


def test_extras_in_an_entry_point_are_not_part_of_its_module(site: Site) -> None:
    """The packaging specification allows `module [extra]`."""
    site.install("beta", {"b": "beta_tools [fancy]"}, {"beta_tools.py": module("lookup")})
    assert site.ask("from fcregistry import registry\nanswer = list(registry.select('*'))") == ["lookup"]


def test_a_second_function_of_one_name_in_a_module_is_a_mistake(site: Site) -> None:
    """It would hide the first without a word; an edit that is loaded again takes the place of what it was."""
    source = "from fcregistry import fc_register\n@fc_register\ndef twice(a: int) -> int:\n    return 2 * a\n"
    again = source + source.replace("a: int", "b: str")
    site.install("acme", {"x": "acme_tools"}, {"acme_tools.py": again})
    done = site.cli("list")
    assert "acme[x]" in done.stderr
    said = site.cli("doctor").stdout
    assert "twice is registered already by acme_tools.twice" in said
    site.write({"own_tools.py": source})
    answer = site.ask(
        """
        import importlib, own_tools, pathlib
        from fcregistry import registry
        path = pathlib.Path(own_tools.__file__)
        path.write_text(path.read_text().replace("2 * a", "3 * a + 0"))
        importlib.invalidate_caches()
        importlib.reload(own_tools)
        answer = registry.get("twice")(2)
        """
    )
    assert answer == 6
