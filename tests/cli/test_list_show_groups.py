"""Output of the commands `list`, `show` and `groups`."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from ..recorded import install  # noqa: TID252  # the tests are no package

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Site


SECRET_IS_HIDDEN = "1 tool is hidden: secret (SHOP_KEY is not set) (see: fcregistry doctor)\n"


def test_list_has_a_line_for_each_tool(shop: Site) -> None:
    """Name with group, distribution, first paragraph of the description; sorted by these; a remark names hidden ones."""
    done = shop.cli("list")
    assert (done.returncode, done.stderr) == (0, SECRET_IS_HIDDEN)
    head, *lines = done.stdout.splitlines()
    assert head.split() == ["NAME", "FROM", "SUMMARY"]
    assert [line.split()[0] for line in lines] == [
        *["anything", "async_sleepy", "blob", "danger", "evil", "evil_object", "fails"],
        *["nested", "noisy", "nothing", "odd", "order", "search.web.lookup", "search.web.lookup", "sleepy", "text"],
        "unencodable",
    ]
    assert [line.split()[1] for line in lines if line.startswith("search")] == ["acme-shop", "other"]
    everything = json.loads(shop.cli("list", "--json").stdout)
    assert [tool["id"].rpartition(":")[2] for tool in everything] == [line.split()[0] for line in lines]
    selected = json.loads(shop.cli("list", "--json", "s*", "search.*").stdout)
    assert [tool["id"].rpartition(":")[2] for tool in selected] == ["search.web.lookup", "search.web.lookup", "sleepy"]
    assert any(line.split(maxsplit=2) == ["order", "acme-shop", "Order something."] for line in lines)
    assert any("(deprecated) Look something up." in line for line in lines)


@pytest.mark.parametrize(
    ("selectors", "ids"),
    [
        (["order"], ["acme-shop:order"]),
        (["evil*"], ["acme-shop:evil", "acme-shop:evil_object"]),
        (["search.*"], ["acme-shop:search.web.lookup", "other:search.web.lookup"]),
        (["Other:*"], ["other:search.web.lookup"]),
        (["Other"], ["other:search.web.lookup"]),
        (["search.*", "!acme_shop"], ["other:search.web.lookup"]),
        (["tag=order", "blob"], ["acme-shop:blob", "acme-shop:order"]),
        (["group=search.web", "!other:*"], ["acme-shop:search.web.lookup"]),
        (["acme-shop:secret"], ["acme-shop:secret"]),
    ],
)
def test_list_takes_selectors(shop: Site, selectors: list[str], ids: list[str]) -> None:
    """The grammar is the one of everything else; a tool that is named exactly is shown though its environment is not set."""
    done = shop.cli("list", "--json", *selectors)
    assert (done.returncode, done.stderr) == (0, SECRET_IS_HIDDEN if "secret" in selectors[0] else "")
    assert [tool["id"] for tool in json.loads(done.stdout)] == ids


def test_show_takes_the_name_of_a_distribution(site: Site) -> None:
    """It shows all tools of the distribution, as JSON in a list. A tool of that name is shown alone."""
    tools = """
        from fcregistry import fc_register

        def add(a: int = 1) -> int:
            "Add."

        for name in ("sum", "Acme_Sums"):
            fc_register("more" if name == "sum" else "tool", name=name)(add)
        fc_register(add)
        """
    site.install("acme-sums", {"x": "acme_sums_tools"}, {"acme_sums_tools.py": tools})
    site.install("sum", {"x": "sum_tools"}, {"sum_tools.py": tools.replace("Acme_Sums", "other")})
    assert [line for line in site.cli("show", "acme.sums").stdout.splitlines() if line.startswith("acme")] == [
        "acme-sums:Acme_Sums",
        "acme-sums:add",
        "acme-sums:more.sum",
    ]
    shown = json.loads(site.cli("show", "acme-sums", "--json").stdout)
    assert shown == json.loads(site.cli("list", "acme-sums:*", "--json").stdout)
    done = site.cli("show", "acme-sums", "--format", "openai", "--strict")
    assert [each["function"]["name"] for each in json.loads(done.stdout)] == ["Acme_Sums", "add", "sum"]
    assert "\nnote: sum: left out: $.properties.a: default 1" in f"\n{done.stderr}"
    assert site.cli("show", "acme-sums", "--format", "text").stdout.count("\n\n") == 2
    assert site.cli("show", "Acme_Sums").stdout.startswith("acme-sums:Acme_Sums\n")
    assert "'sum' may be any of acme-sums:more.sum, sum:more.sum" in site.cli("show", "sum").stderr
    assert site.cli("show", "acme-sum").returncode == 2


def test_list_json_has_all_that_is_known(shop: Site) -> None:
    """Schema, options and origin: what a program needs to show or call the tool."""
    (tool,) = json.loads(shop.cli("list", "--json", "acme-shop:search.web.lookup").stdout)
    assert len(bytes.fromhex(tool.pop("digest"))) == 32
    source = shop.folder / "acme_shop/tools.py"
    line = (
        source.read_text(encoding="utf-8").splitlines().index('@fc_register("search.web", deprecated="use text")') + 1
    )
    assert tool == {
        "id": "acme-shop:search.web.lookup",
        "distribution": "acme-shop",
        "version": "1.2",
        "entry_point": "shop",
        "name": "lookup",
        "group": "search.web",
        "summary": "Look something up.",
        "description": "Look something up.",
        "parameters": {
            "type": "object",
            "properties": {"query": {"type": "string"}},
            "required": ["query"],
            "additionalProperties": False,
        },
        "returns": {"type": "string"},
        "options": {"deprecated": "use text"},
        "context": False,
        "deps": None,
        "module": "acme_shop.tools",
        "qualname": "lookup",
        "file": str(source),
        "line": line,
    }


@pytest.mark.parametrize(
    ("selector", "message"),
    [
        ("ordre", "there is no tool 'ordre'; did you mean 'order'? (`fcregistry doctor ordre` looks for the reason"),
        ("acme-shp", "there is no tool 'acme-shp'; did you mean 'acme-shop'?"),
        ("acme-shp:*", "the selector 'acme-shp:*' matches no tool; did you mean 'acme-shop:*'?"),
        ("nix*", "the selector 'nix*' matches no tool"),
        ("nobody:*", "the selector 'nobody:*' matches no tool"),
        ("lookup", "'lookup' may be any of acme-shop:search.web.lookup, other:search.web.lookup; name one of these"),
        ("a b", "'a b' is not a selector: write a tool's name, a glob"),
    ],
)
def test_a_selector_that_names_nothing_is_an_error(shop: Site, selector: str, message: str) -> None:
    """Status 2, nothing on stdout, and what was meant or how to write it."""
    done = shop.cli("list", selector)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"Error: {message}")
    assert "Traceback" not in done.stderr


def test_where_nothing_is_left_it_says_so(shop: Site, site: Site) -> None:
    """No tools at all, and selectors that take away all there are, are two different things; JSON is an empty list."""
    left = shop.cli("list", "!*")
    assert (left.returncode, left.stdout, left.stderr) == (0, "", "The selectors leave no tool.\n")
    empty = site.cli("list")
    assert (empty.returncode, empty.stdout) == (0, "")
    assert empty.stderr.startswith(
        "There are no tools: install a package that ships some, or name a module of yours with -m"
    )
    assert site.cli("list", "--json").stdout == "[]\n"
    assert site.cli("plugins", "--json").stdout == "[]\n"
    assert site.cli("plugins").stderr == "There are no plugins: install a package that ships some.\n"


ONE = "from fcregistry import fc_register\n@fc_register\ndef one() -> int: ...\n"


def test_unused_plugins_are_mentioned_if_nothing_is_left_or_a_lock_refuses_one(site: Site) -> None:
    """Where nothing is left, or where a lock refuses what is installed; who disables one of several knows it."""

    def told(**env: str) -> str:
        return site.cli("list", env=env).stderr.replace(str(site.folder), "FOLDER")

    install(site, "acme", {"x": "acme_tools"}, {"acme_tools.py": ONE})
    assert told(FCREGISTRY_MODE="allow").endswith(
        "\n1 plugin is not used: acme[x] (see: fcregistry doctor). FCREGISTRY_MODE=allow, and no allow there or above "
        'names acme: allow = ["acme:*"] does\n'
    )
    nothing = site.cli("search", "one", env={"FCREGISTRY_MODE": "allow"}).stderr
    assert nothing.startswith("There are no tools that can be used here.\n1 plugin is not used: acme[x] ")
    site.write({"fcregistry.toml": 'allow = ["acme:one"]'})
    assert told(FCREGISTRY_ALLOW="acme:two").endswith(
        "\n1 tool is not used: acme:one (see: fcregistry doctor). FCREGISTRY_ALLOW does not name it\n"
        "FCREGISTRY_ALLOW names acme:two, and no tool here has such a name, so no tool of a plugin can be used.\n"
    )
    site.write({"fcregistry.toml": ""})
    assert site.cli("lock").returncode == 0
    install(site, "beta", {"x": "beta_tools"}, {"beta_tools.py": ONE})
    assert told(FCREGISTRY_MODE="locked").startswith(
        "1 plugin is not used: beta[x] (see: fcregistry doctor). FCREGISTRY_MODE=locked, and FOLDER/"
    )
    assert told(FCREGISTRY_DISABLE="beta:*") == ""


def test_a_selector_of_a_distribution_that_does_not_load_or_may_not_says_so(site: Site) -> None:
    """That nothing matches is true, and not the reason."""
    site.install("acme", {"x": "acme_tools"}, {"acme_tools.py": ONE})
    site.install("bad", {"x": "bad_tools"}, {"bad_tools.py": "import missing_somewhere"})
    done = site.cli("list", "bad:*")
    assert done.returncode == 2
    assert "matches no tool: its plugin bad[x] does not load (ModuleNotFoundError" in done.stderr
    assert "FCREGISTRY_DISABLE names acme:*" in site.cli("list", "acme:*", env={"FCREGISTRY_DISABLE": "acme:*"}).stderr


def test_failed_plugins_and_broken_tools_are_mentioned_on_stderr(site: Site) -> None:
    """Once, with who explains it; stdout has what there is, and stays JSON."""
    site.install(
        "good",
        {"x": "good_tools"},
        {
            "good_tools.py": "from fcregistry import fc_register\n"
            "@fc_register\ndef fine() -> int: ...\n"
            "@fc_register\ndef broken(a: object()) -> int: ...\n"
        },
    )
    for name in ("bad", "worse"):
        site.install(name, {"x": f"{name}_tools"}, {f"{name}_tools.py": "1 / 0"})
    for command in ("list", "groups"):
        done = site.cli(command, "--json")
        assert done.returncode == 0
        assert len(json.loads(done.stdout)) == 1
        assert done.stderr == (
            "2 plugins did not load: bad[x], worse[x] (see: fcregistry doctor)\n"
            "1 tool cannot be defined: good:broken (see: fcregistry doctor)\n"
        )


def test_a_tool_whose_plugin_stopped_loading_is_missing_for_that_reason(site: Site) -> None:
    """The index has its name from before; commands and programs name the plugin and its error."""
    site.install("acme", {"x": "acme_tools"}, {"acme_tools.py": ONE})
    assert json.loads(site.cli("list", "--json").stdout)
    site.write({"acme_tools.py": ONE.replace("def ", "deaf ")})
    for command in (("call", "one"), ("show", "one"), ("list", "one"), ("show", "one")):
        done = site.cli(*command)
        assert done.returncode in (1, 2)
        assert "there is no tool 'one': its plugin acme[x] does not load (SyntaxError" in done.stderr
        assert "doctor one` says more" in done.stderr
    program = (
        "from fcregistry import Executor\ntry: Executor(['one'])\nexcept LookupError as error: answer = str(error)"
    )
    assert "there is no tool 'one': its plugin acme[x] does not load (SyntaxError" in site.ask(program)
    site.write({"acme_tools.py": ONE})
    assert site.cli("show", "one").returncode == 0


def test_an_unknown_name_is_told_with_the_plugins_that_do_not_load(site: Site) -> None:
    """One of them may ship the tool."""
    for name in ("a", "b", "c", "d"):
        site.install(name, {"x": f"{name}_tools"}, {f"{name}_tools.py": "1 / 0"})
    assert (
        "there is no tool 'one' (the plugins a[x], b[x], c[x], … do not load; `fcregistry doctor one` looks for the reason"
        in site.cli("call", "one").stderr
    )
    assert (
        "matches no tool (the plugins a[x], b[x], c[x], … do not load; `fcregistry doctor` says why)"
        in site.cli("list", "one*").stderr
    )


def test_a_distribution_whose_plugins_declare_no_tools(site: Site) -> None:
    """The error of list, and that of lint, name what explains it; a plugin that does not load is the reason itself."""
    site.install("idle", {"x": "idle_tools"}, {"idle_tools.py": ""})
    site.install("bad", {"x": "bad_tools"}, {"bad_tools.py": "1 / 0"})
    for name in ("list", "lint"):
        assert (
            "matches no tool (`fcregistry doctor idle` shows what its plugins declare)" in site.cli(name, "idle").stderr
        )
        assert (
            "the selector 'bad:*' matches no tool: its plugin bad[x] does not load (ZeroDivisionError"
            in site.cli(name, "bad").stderr
        )


@pytest.mark.parametrize(
    "settings", [{"FCREGISTRY_DISABLE": "bad[x]"}, {"FCREGISTRY_DENY": "bad:*"}, {"FCREGISTRY_ALLOW": "good:*"}]
)
def test_a_plugin_that_is_not_used_is_not_mentioned_as_failed(site: Site, settings: dict[str, str]) -> None:
    """The index knows that it failed before the user followed the advice of doctor."""
    install(site, "good", {"x": "good_tools"}, {"good_tools.py": ONE})
    site.install("bad", {"x": "bad_tools"}, {"bad_tools.py": "1 / 0"})
    assert "did not load: bad[x]" in site.cli("list").stderr
    done = site.cli("list", env=settings)
    assert (done.returncode, done.stderr) == (0, "")
    assert "does not load" not in site.cli("call", "none", env=settings).stderr


def test_distributions_that_cannot_be_used_are_mentioned_on_stderr(site: Site) -> None:
    """An installer that left old metadata behind, or a file that was written by hand, hides tools that a user has installed."""
    site.install("good", {"x": "good_tools"}, {"good_tools.py": ONE})
    site.install("bad", {"x": "bad_tools"}, {"bad_tools.py": "1 / 0"})
    site.install("twice", {"x": "twice_tools"}, {"twice_tools.py": ONE})
    site.install("twice", {"x": "twice_tools"}, version="2.0")
    site.install("scrawled", "[fcregistry]\nno value\n")
    (site.install("garbled") / "entry_points.txt").write_bytes(b"[fcregistry]\nx = \xff")
    for _ in range(2):  # from the metadata, and from the index
        assert site.cli("list").stderr == (
            "1 plugin did not load: bad[x]; 3 distributions cannot be used: garbled, scrawled, twice (see: fcregistry doctor)\n"
        )
    assert site.cli("list", "good:*").stderr == ""
    found = site.cli("doctor", "missing").stdout
    assert "twice: is installed twice in one folder" in found
    assert "scrawled: cannot be searched for plugins: its entry_points.txt cannot be read" in found


def test_a_user_without_a_home_folder_reads_one_line(site: Site) -> None:
    """A container's user has often none. Hidden tools are named, as for every user."""
    code = ONE.replace("@fc_register", "@fc_register(requires_env=['NOT_SET'])")
    site.install("acme", {"x": "acme_tools"}, {"acme_tools.py": ONE + code.replace("one", "two")})
    site.write({"homeless/sitecustomize.py": "import pwd\ndef nobody(*_): raise KeyError\npwd.getpwuid = nobody\n"})
    path = os.pathsep.join(map(str, [site.folder / "homeless", *site.path]))
    done = site.run("-c", HOMELESS, env={"HOME": "", "FCREGISTRY_CACHE_DIR": "", "PYTHONPATH": path})
    assert done.stdout.split()[3:] == ["one", "acme"]
    assert done.stderr == (
        "Each command imports all plugins, since this user has no home folder: FCREGISTRY_CACHE_DIR names a folder for the index of tools\n"
        "1 tool is hidden: two (NOT_SET is not set) (see: fcregistry doctor)\n"
    )


HOMELESS = """
import os, sitecustomize
del os.environ["HOME"], os.environ["FCREGISTRY_CACHE_DIR"]
from fcregistry.cli import main
main(["list"])
"""


def test_doctor_names_the_folder_of_ones_own_project(site: Site, tmp_path: Path) -> None:
    """Its authors are the user."""
    info = site.install("own", {"x": "own_tools"}, {"own_tools.py": "1 / 0"})
    record = {"url": tmp_path.as_uri(), "dir_info": {"editable": True}}
    (info / "direct_url.json").write_text(json.dumps(record), encoding="utf-8")
    assert f"correct it in {tmp_path}, or set FCREGISTRY_DISABLE=own[x]" in site.cli("doctor").stdout
    (site.folder / "own_tools.py").write_text("import not_installed")
    advice = (
        f"install the package with the module not_installed, and add it to dependencies in {tmp_path}/pyproject.toml"
    )
    assert advice in site.cli("doctor").stdout


def test_show_tells_a_person_what_a_tool_takes_and_where_it_is_from(shop: Site) -> None:
    """Its id, description, parameters with type and default, result, options and origin."""
    done = shop.cli("show", "order")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("acme-shop:order\n\nOrder something.\n\nIt is sent to the customer.\n\nParameters:\n")
    assert "\n  customer (string, required): Who pays for it.\n" in done.stdout
    assert "\n  num_days (integer, default 3): Within how many days.\n" in done.stdout
    assert '\n  colour ("dark_red" | "blue", default blue)\n' in done.stdout
    assert "\nReturns: object\n" in done.stdout
    assert '\ntags: ["order"]\n' in done.stdout
    assert f"\nFrom: acme-shop 1.2[shop], acme_shop.tools.order ({shop.folder}/acme_shop/tools.py:" in done.stdout


def test_show_says_what_hides_a_tool(shop: Site) -> None:
    """Where the variable is set it does not."""
    assert "\nHidden: SHOP_KEY is not set.\n" in shop.cli("show", "secret").stdout
    assert "Hidden" not in shop.cli("show", "secret", env={"SHOP_KEY": "x"}).stdout


def test_show_tells_of_names_that_are_not_listed(shop: Site) -> None:
    """A tool that takes any name says so."""
    done = shop.cli("show", "anything")
    assert "\n  numbers (integer[], optional)\n  any other name: string\n" in done.stdout


@pytest.mark.parametrize("name", ["anthropic", "bedrock", "json-schema", "mcp", "openai", "openai-responses"])
def test_show_writes_the_definition_that_a_provider_gets(shop: Site, name: str) -> None:
    """As JSON, with the tool's name and its parameters somewhere in it."""
    done = shop.cli("show", "order", "--format", name)
    assert (done.returncode, done.stderr) == (0, "")
    shown = json.dumps(json.loads(done.stdout))
    assert '"customer"' in shown


def test_show_writes_text_formats_as_they_are(shop: Site) -> None:
    """Not as a JSON string."""
    done = shop.cli("show", "text", "--format", "text")
    assert done.stdout == 'text(value: string = "hé ☃ 😀")\n  Return a text, été.\n'


def test_show_strict_writes_what_strict_mode_wants_and_notes_what_is_left_out(shop: Site) -> None:
    """The definition on stdout, so that it can be piped; a line for each loss on stderr."""
    done = shop.cli("show", "order", "--format", "openai", "--strict")
    function = json.loads(done.stdout)["function"]
    assert (done.returncode, function["strict"]) == (0, True)
    assert function["parameters"]["required"] == list(function["parameters"]["properties"])
    notes = done.stderr.splitlines()
    assert "note: left out: $.properties.num_days: default 3: OpenAI's strict mode has no such keyword" in notes
    assert all(note.startswith("note: left out: $") for note in notes)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("anything", "--format", "openai", "--strict"), "any name is allowed here"),
        (("order", "--format", "mcp", "--strict"), "the format 'mcp' has no strict mode; these have one: anthropic, "),
        (("order", "--strict"), "--strict needs --format, the provider's format"),
    ],
)
def test_show_strict_says_why_it_cannot(shop: Site, arguments: tuple[str, ...], message: str) -> None:
    """Nothing on stdout, and no traceback."""
    done = shop.cli("show", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_show_json_is_the_row_of_list_json(shop: Site) -> None:
    """One shape for both."""
    (row,) = json.loads(shop.cli("list", "order", "--json").stdout)
    assert json.loads(shop.cli("show", "order", "--json").stdout) == row


@pytest.mark.parametrize("command", ["show", "call"])
def test_a_pattern_is_not_one_tool(shop: Site, command: str) -> None:
    """The message says what to do with a pattern."""
    done = shop.cli(command, "evil*")
    assert (done.returncode, done.stdout) == (2, "")
    assert "'evil*' is a pattern: name one tool; fcregistry list 'evil*' shows which it matches" in done.stderr


def test_groups_counts_the_tools_of_each(shop: Site) -> None:
    """Sorted; the same as JSON."""
    done = shop.cli("groups")
    assert (done.returncode, done.stderr) == (0, SECRET_IS_HIDDEN)
    assert [line.split() for line in done.stdout.splitlines()] == [
        ["GROUP", "TOOLS"],
        ["search.web", "2"],
        ["tool", "15"],
    ]
    assert json.loads(shop.cli("groups", "--json").stdout) == [
        {"group": "search.web", "tools": 2},
        {"group": "tool", "tools": 15},
    ]
