"""What doctor finds and advises. Each kind of finding once, and every reason why a tool may not be there."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.conftest import Site


def module(*names: str, options: str = "", body: str = "return ''", parameters: str = "") -> str:
    """Return a module that declares tools."""
    return "from fcregistry import fc_register\n" + "".join(
        f"\n@fc_register({options})\ndef {name}({parameters}) -> str:\n    {body}\n" for name in names
    )


def doctor(
    site: Site, *words: str, before: tuple[str, ...] = (), **settings: object
) -> list[tuple[str, str, str, str]]:
    """Return the findings: kind, subject, message and advice of each; the status says whether one is a problem."""
    done = site.cli(*before, "doctor", "--json", *words, **settings)
    findings = json.loads(done.stdout)
    assert done.returncode == any(each["kind"] == "problem" for each in findings)
    assert "Traceback" not in done.stderr
    return [(each["kind"], each["subject"], each["message"], each["advice"]) for each in findings]


def test_all_is_well(site: Site) -> None:
    """Nothing installed, or nothing wrong with what is: status 0."""
    assert doctor(site) == []
    site.install("acme", {"x": "acme_tools"}, {"acme_tools.py": module("fine")})
    assert doctor(site) == []
    done = site.cli("doctor")
    assert (done.returncode, done.stdout, done.stderr) == (0, "All is well.\n", "")
    wrong = site.cli("doctor", env={"FCREGISTRY_IMPORT_SECONDS": "-1"})
    assert wrong.returncode == 2, "though nothing is to be imported"
    assert wrong.stderr == "Error: FCREGISTRY_IMPORT_SECONDS must be a number of seconds above 0, not '-1'\n"


def test_a_plugin_that_does_not_load(site: Site) -> None:
    """Why, and what to do; the traceback for who asks for it."""
    site.install(
        "bad", {"x": "bad_tools"}, {"bad_tools.py": "def fail():\n    raise RuntimeError('no luck')\n\nfail()\n"}
    )
    advice = "report this to the authors of bad, or set FCREGISTRY_DISABLE=bad[x]"
    assert doctor(site) == [("problem", "bad[x]", "does not load: RuntimeError: no luck", advice)]
    site.install("good", {"x": "good_tools"}, {"good_tools.py": module("fine")})
    assert doctor(site, "Bad") == doctor(site)
    assert site.cli("doctor", "good").stdout == "All is well with good.\n"
    plain, verbose = site.cli("doctor"), site.cli("doctor", "-v")
    assert plain.returncode == verbose.returncode == 1
    at = f"{site.folder}/bad_tools.py:2"
    assert plain.stdout == (
        f"problem: bad[x]: does not load: RuntimeError: no luck\n    at {at}\n    {advice}\n(-v shows tracebacks)\n"
    )
    assert "    | Traceback (most recent call last):\n" in verbose.stdout
    assert 'bad_tools.py", line 2, in fail\n' in verbose.stdout
    assert "(-v" not in verbose.stdout


HOOK = "from fcregistry import hookimpl\n@hookimpl\ndef fc_register_types(types): ...\n"


def test_an_extension_that_does_not_load(site: Site) -> None:
    """Doctor loads those that nothing has needed yet: why, and what to do; the traceback for who asks for it."""
    group = "fcregistry.extensions"
    site.install("fine", {"shapes": "fine_shapes"}, {"fine_shapes.py": HOOK}, group=group)
    assert doctor(site) == []
    code = HOOK.replace(" ...", "\n    raise RuntimeError('no luck')")
    site.install("bad", {"solids": "bad_solids"}, {"bad_solids.py": code}, group=group)
    advice = "report this to the authors of bad, or set FCREGISTRY_DISABLE=bad[solids]"
    assert doctor(site) == [("problem", "bad[solids]", "does not load: RuntimeError: no luck", advice)]
    verbose = site.cli("doctor", "-v").stdout
    assert 'bad_solids.py", line 4, in fc_register_types\n' in verbose
    assert "pluggy" not in verbose
    assert doctor(site, env={"FCREGISTRY_DISABLE": "bad[solids]"}) == [
        (
            "note",
            "bad[solids]",
            "is not loaded: FCREGISTRY_DISABLE names bad[solids]",
            "unset the variable to load it",
        )
    ]


def test_hooks_of_calls_that_are_named_and_cannot_be_used(site: Site) -> None:
    """Every call is refused for them, so that is a problem, also where nothing else is wrong."""
    site.install("fine", {"shapes": "fine_shapes"}, {"fine_shapes.py": HOOK}, group="fcregistry.extensions")
    advice = "fcregistry refuses every call until then: correct the variable, or fix the extension"
    assert doctor(site, env={"FCREGISTRY_CALL_HOOKS": "audit,shapes"}) == [
        ("problem", "FCREGISTRY_CALL_HOOKS", message, advice)
        for message in (
            "names audit, and there is no extension of that name; installed are fine[shapes]",
            "names shapes, and fine[shapes] has neither fc_before_call nor fc_after_call",
        )
    ]


def test_two_extensions_of_one_name(site: Site) -> None:
    """Neither is used, so neither is loaded; one that is disabled is no longer in the way."""
    for name in ("acme", "zeta"):
        files = {f"{name}_shapes.py": "1 / 0" if name == "zeta" else HOOK}
        site.install(name, {"shapes": f"{name}_shapes"}, files, group="fcregistry.extensions")
    advice = "uninstall the others, or disable them, as with FCREGISTRY_DISABLE=zeta[shapes]"
    assert doctor(site) == [
        (
            "problem",
            "shapes",
            "is the name of several extensions, so fcregistry uses none: acme[shapes], zeta[shapes]",
            advice,
        )
    ]
    assert [each[0] for each in doctor(site, env={"FCREGISTRY_DISABLE": "zeta[shapes]"})] == ["note"]


def test_a_tool_whose_extension_does_not_load(site: Site) -> None:
    """The extension is told, and so is the tool that needs it; the other tool is well."""
    site.install("solids", files={"solids.py": "class Solid: ...\n"})
    site.install("bad", {"solids": "bad_solids"}, {"bad_solids.py": "1 / 0"}, group="fcregistry.extensions")
    tools = "import solids\n" + module("turn", parameters="solid: solids.Solid") + module("fine")
    site.install("acme", {"x": "acme_tools"}, {"acme_tools.py": tools})
    found = doctor(site)
    assert [each[:2] for each in found] == [("problem", "bad[solids]"), ("problem", "acme:turn")]
    assert "Solid is read by the extension bad[solids], which does not load: ZeroDivisionError" in found[1][2]


def test_a_missing_tool_where_a_plugin_does_not_load(site: Site) -> None:
    """The message does not name the command that runs; the plugin is a finding of its own."""
    site.install("bad", {"x": "bad_tools"}, {"bad_tools.py": "1 / 0"})
    found = doctor(site, "nothing")
    assert [each[1:3] for each in found] == [
        ("nothing", "there is no tool 'nothing'"),
        ("bad[x]", "does not load: ZeroDivisionError: division by zero"),
    ]


def test_a_plugin_without_tools(site: Site) -> None:
    """What its authors are to do, and where."""
    site.install("idle", {"x": "idle_tools"}, {"idle_tools.py": ""})
    advice = (
        "fcregistry does not import the submodules of idle_tools: write the module with the tools in the entry point"
    )
    assert doctor(site) == [("problem", "idle[x]", "ships no tools: importing idle_tools declares none", advice)]


SHELF = """
from fcregistry import fc_register, registry

class Shelf:
    @fc_register
    def put(self, book: str) -> str: ...

    @fc_register
    @staticmethod
    def count() -> int: ...

class Own(Shelf):
    @fc_register
    def lend(self, book: str) -> str: ...
"""

REGISTER = "register an object of the class when the module of the entry point is imported: registry.register_object(…)"


def test_methods_of_a_class_of_which_no_object_is_registered(site: Site) -> None:
    """With other tools that is a note; without any, it is the reason that there are none."""

    def found(more: str) -> list[tuple[str, ...]]:
        site.install("acme", {"x": "acme_tools"}, {"acme_tools.py": f"{SHELF}\n{more}"})
        return doctor(site)

    text = "no object is registered that has Own.lend, Shelf.count, Shelf.put, decorated with @fc_register"
    assert found("") == [("problem", "acme[x]", f"ships no tools: {text}", REGISTER)]
    assert found(module("fine")) == [("note", "acme[x]", text, REGISTER)]
    text = "no object is registered that has Own.lend, decorated with @fc_register"
    assert found("registry.register_object(Shelf())") == [("note", "acme[x]", text, REGISTER)]
    assert found("registry.register_object(Own(), prefix='my_')") == []


def test_a_plugin_whose_tools_are_in_a_module_that_nobody_imports(site: Site) -> None:
    """It ships none, until its entry point names that module."""
    files = {"idle_pkg/__init__.py": "", "idle_pkg/tools.py": module("fine")}
    site.install("idle", {"x": "idle_pkg"}, files)
    ((kind, subject, _, advice),) = doctor(site)
    assert (kind, subject) == ("problem", "idle[x]")
    assert advice.startswith("fcregistry does not import the submodules of idle_pkg: ")
    site.install("idle", {"x": "idle_pkg.tools"}, files)
    assert doctor(site) == []


def test_a_plugin_that_is_disabled_is_a_note(site: Site) -> None:
    """Somebody asked for it, so it is no problem."""
    site.install("acme", {"x": "acme_tools"}, {"acme_tools.py": module("fine")})
    found = doctor(site, env={"FCREGISTRY_DISABLE": "acme:*"})
    assert found == [
        ("note", "acme[x]", "is not loaded: FCREGISTRY_DISABLE names acme:*", "unset the variable to load it")
    ]
    site.write({"fcregistry.toml": 'deny = ["acme:*"]\n'})
    ((kind, subject, message, advice),) = doctor(site)
    assert (kind, subject, advice) == ("note", "acme[x]", "change that to load it")
    assert message == f"is not loaded: deny in {site.folder}/fcregistry.toml names acme:*"
    site.write({"fcregistry.toml": 'mode = "locked"\n'})
    (lock, *notes) = doctor(site)
    path, said = f"{site.folder}/fcregistry.lock", f'mode = "locked" in {site.folder}/fcregistry.toml'
    missing = f"does not exist: `fcregistry lock --file {path}` makes it"
    assert lock == ("problem", path, missing, f"{said}: fcregistry uses no plugin until then")
    assert [each[:2] for each in notes] == [("note", "acme[x]")]


def test_a_tool_that_cannot_be_defined(site: Site) -> None:
    """All its problems, and the line to mend."""
    site.install(
        "acme",
        {"x": "acme_tools"},
        {"acme_tools.py": module("broken", parameters="a: object(), b: 'Unknown'") + module("fine")},
    )
    ((kind, subject, message, advice),) = doctor(site)
    assert (kind, subject) == ("problem", "acme:broken")
    heading, first, second = message.split("\n")
    assert heading == "cannot be defined:"
    assert first.startswith("  - parameter 'a': ")
    assert second.startswith("  - parameter 'b': the annotation 'Unknown' cannot be resolved")
    assert advice == f"fix broken in {site.folder}/acme_tools.py:3"


def test_a_tool_whose_environment_is_not_set(site: Site) -> None:
    """Which variables; set, there is nothing to say."""
    site.install(
        "acme", {"x": "acme_tools"}, {"acme_tools.py": module("secret", options="requires_env=('ACME_KEY', 'ACME_ID')")}
    )
    assert doctor(site, env={"ACME_ID": "1"}) == [
        ("note", "acme:secret", "is hidden: ACME_KEY is not set", "set the variable to use the tool")
    ]
    assert doctor(site, env={"ACME_ID": "1", "ACME_KEY": "2"}) == []


def test_two_tools_of_one_name_in_one_plugin(site: Site) -> None:
    """Both places, and the three ways out."""
    site.install(
        "acme",
        {"x": "acme_pkg"},
        {
            "acme_pkg/__init__.py": "from acme_pkg import a, b",
            "acme_pkg/a.py": module("same"),
            "acme_pkg/b.py": module("same"),
        },
    )
    ((kind, subject, message, _),) = doctor(site)
    assert (kind, subject) == ("problem", "two declarations")
    for part in ("acme_pkg.a.same", "acme_pkg.b.same", "name=…", "another group", "replace=True"):
        assert part in message


def test_one_name_of_two_plugins(site: Site) -> None:
    """Both ids."""
    for name in ("acme", "beta"):
        site.install(name, {"x": f"{name}_tools"}, {f"{name}_tools.py": module("same")})
    advice = "use the canonical id of one; looking up the plain name raises"
    assert doctor(site) == [("problem", "same", "is ambiguous: acme:same, beta:same", advice)]
    site.write({"own.py": module("same")})
    note = (
        "note",
        "same",
        "means the application's own tool, not acme:same, beta:same",
        "use canonical ids to name the other tools",
    )
    assert doctor(site, before=("-m", "own")) == [note]
    assert doctor(site, "same", before=("-m", "own")) == [note]


def test_one_name_of_two_plugins_of_which_one_has_precedence(site: Site) -> None:
    """The name means that one; a misspelt distribution decides nothing, and nobody would notice."""
    for name in ("acme", "beta"):
        site.install(name, {"x": f"{name}_tools"}, {f"{name}_tools.py": module("same")})
    site.write({"fcregistry.toml": 'precedence = ["Alpha", "beta"]\n'})
    assert doctor(site) == [
        (
            "problem",
            f"precedence in {site.folder}/fcregistry.toml",
            "names alpha, which is not installed, or ships no plugins",
            "correct it: name distributions that ship plugins",
        ),
        (
            "note",
            "same",
            "means beta:same, not acme:same, because the configuration gives it precedence",
            "use canonical ids to name the other tools",
        ),
    ]


def test_a_misspelt_group_and_metadata_that_cannot_be_read(site: Site) -> None:
    """Which distribution, and what its authors meant: plugins, or extensions."""
    site.install("acme", {"x": "acme_tools"}, group="fc_registry")
    site.install("acme-types", {"x": "acme_types"}, group="fcregistry.extension")
    site.install("garbled", "[fcregistry]\nrubbish\n")
    assert doctor(site) == [
        (
            "problem",
            "acme",
            "has entry points in the group 'fc_registry', which fcregistry does not read",
            "its authors probably meant [project.entry-points.fcregistry]",
        ),
        (
            "problem",
            "acme-types",
            "has entry points in the group 'fcregistry.extension', which fcregistry does not read",
            'its authors probably meant [project.entry-points."fcregistry.extensions"]',
        ),
        (
            "problem",
            "garbled",
            "cannot be searched for plugins: its entry_points.txt cannot be read: a line is not `name = value`",
            "reinstall it, or report this to its authors",
        ),
    ]


def test_problems_come_before_notes(site: Site) -> None:
    """What is to be mended is read first."""
    site.install("alpha", {"x": "alpha_tools"}, {"alpha_tools.py": module("fine")})
    site.install("bad", {"x": "bad_tools"}, {"bad_tools.py": "1 / 0"})
    site.install("idle", {"x": "idle_tools"}, {"idle_tools.py": ""})
    found = doctor(site, env={"FCREGISTRY_DISABLE": "alpha[x]"})
    assert [(kind, subject) for kind, subject, _, _ in found] == [
        ("problem", "bad[x]"),
        ("problem", "idle[x]"),
        ("note", "alpha[x]"),
    ]


# Why is the tool of that name not there?


def test_a_tool_that_is_there(site: Site) -> None:
    """Which it is and where from, whatever is wrong with others; by any of its names."""
    site.install("acme", {"x": "acme_tools"}, {"acme_tools.py": module("fine", options="aliases=('good',)")})
    site.install("bad", {"x": "bad_tools"}, {"bad_tools.py": "1 / 0"})
    for name in ("fine", "tool.fine", "acme:fine", "good"):
        assert doctor(site, name) == []
        done = site.cli("doctor", name)
        assert done.returncode == 0
        assert done.stdout.startswith(
            f"{name} is there: acme:fine, from acme 1.0[x], acme_tools.fine ({site.folder}/acme_tools.py:"
        )


def where_looked() -> str:
    """Return what doctor says of this interpreter."""
    version = ".".join(map(str, sys.version_info[:3]))
    return (
        f"fcregistry looked at the packages of {sys.executable} (Python {version}) only. A plugin that pip installed for another Python is "
        "not there; a module of yours is there with -m MODULE"
    )


def test_a_tool_of_no_plugin(site: Site) -> None:
    """The nearest name, and the interpreter: most tools that are not there are there for another Python."""
    site.install("acme", {"x": "acme_tools"}, {"acme_tools.py": module("weather")})
    assert doctor(site, "wether") == [
        ("problem", "wether", "there is no tool 'wether'; did you mean 'weather'?", where_looked())
    ]


def test_a_tool_that_a_rule_hides(site: Site) -> None:
    """The rule, and nothing about other names or other Pythons."""
    site.install("acme", {"x": "acme_tools"}, {"acme_tools.py": module("weather")})
    message = "there is no tool 'weather': FCREGISTRY_DENY names weather"
    assert doctor(site, "weather", env={"FCREGISTRY_DENY": "weather"}) == [
        ("problem", "weather", message, "the tool is there again once that is changed")
    ]


def test_a_tool_of_a_distribution_that_is_not_installed_or_ships_none(site: Site) -> None:
    """Two different things to do."""
    (_, missing) = doctor(site, "acme-weather:today")
    assert missing == (
        "problem",
        "acme-weather",
        "is not installed here",
        f"{sys.executable} -m pip install acme-weather",
    )
    site.install("Acme_Weather", "", version="2.0")
    (_, without) = doctor(site, "acme-weather:today")
    advice = "its authors name its module in [project.entry-points.fcregistry]"
    assert without == (
        "problem",
        "Acme_Weather",
        "is installed (2.0), and has no entry point in the group 'fcregistry'",
        advice,
    )


def test_a_tool_of_a_plugin_that_does_not_load_or_is_near_a_miss(site: Site) -> None:
    """Only what concerns the distribution that is named; everything where none is."""
    site.install("bad", {"x": "bad_tools"}, {"bad_tools.py": "1 / 0"})
    site.install("near", {"x": "near_tools"}, {"near_tools.py": module("today")}, group="fcregistri")
    site.install("idle", {"x": "idle_tools"}, {"idle_tools.py": ""})
    assert [subject for _, subject, _, _ in doctor(site, "bad:today")] == ["bad:today", "bad[x]"]
    assert [subject for _, subject, _, _ in doctor(site, "near:today")] == ["near:today", "near", "near"]
    assert [subject for _, subject, _, _ in doctor(site, "today")] == ["today", "bad[x]", "idle[x]", "near"]


def test_a_tool_of_a_plugin_that_failed_after_declaring_it(site: Site) -> None:
    """The plugin is to blame, and named."""
    site.install("half", {"x": "half_tools"}, {"half_tools.py": module("today") + "\n1 / 0"})
    (first, second) = doctor(site, "today")
    assert (
        first[2] == "there is no tool 'today': its plugin half[x] does not load (ZeroDivisionError: division by zero)"
    )
    assert second[1] == "half[x]"


@pytest.mark.parametrize("value", ["acme[x]", "acme:*"])
def test_a_tool_of_a_disabled_plugin(site: Site, value: str) -> None:
    """The variable, and what in it."""
    site.install("acme", {"x": "acme_tools"}, {"acme_tools.py": module("today")})
    for name in ("today", "acme:today"):
        (_, note) = doctor(site, name, env={"FCREGISTRY_DISABLE": value})
        assert note == (
            "note",
            "acme[x]",
            f"is not loaded: FCREGISTRY_DISABLE names {value}",
            "unset the variable to load it",
        )


def test_a_disabled_tool(site: Site) -> None:
    """Its plugin is loaded, and it alone is not there."""
    site.install("acme", {"x": "acme_tools"}, {"acme_tools.py": module("today", "fine")})
    (found,) = doctor(site, "today", env={"FCREGISTRY_DISABLE": "acme:today"})
    assert found[2].startswith("there is no tool 'today': FCREGISTRY_DISABLE names acme:today")


def test_a_tool_that_is_there_and_cannot_be_used(site: Site) -> None:
    """Its environment, its definition, its rivals: the finding that stands for it in the full report."""
    site.install(
        "acme",
        {"x": "acme_tools"},
        {
            "acme_tools.py": module("secret", options="requires_env='ACME_KEY'")
            + module("broken", parameters="a: object()")
        },
    )
    assert [finding[2] for finding in doctor(site, "secret")] == ["is hidden: ACME_KEY is not set"]
    assert doctor(site, "acme:broken")[0][2].startswith("cannot be defined: ")


def test_a_name_that_several_tools_have_or_one_owner_gave_twice(site: Site) -> None:
    """The names that work, or the places to mend."""
    for name in ("acme", "beta"):
        site.install(name, {"x": f"{name}_tools"}, {f"{name}_tools.py": module("same")})
    site.install(
        "twice",
        {"x": "twice_pkg"},
        {
            "twice_pkg/__init__.py": "from twice_pkg import a, b",
            "twice_pkg/a.py": module("double"),
            "twice_pkg/b.py": module("double"),
        },
    )
    ((_, _, ambiguous, _),) = doctor(site, "same")
    assert ambiguous == "'same' may be any of acme:same, beta:same; name one of these"
    ((_, _, double, _),) = doctor(site, "double")
    assert "twice_pkg.a.double" in double
    assert "twice_pkg.b.double" in double


@pytest.mark.parametrize("name", ["", "a b", "wea*", "!x", ":", "colour=red"])
def test_what_is_not_a_name_is_wrong_usage(site: Site, name: str) -> None:
    """Status 2, and what a name is."""
    done = site.cli("doctor", name)
    assert (done.returncode, done.stdout) == (2, "")
    assert "is not a selector" in done.stderr or "is a pattern: name one tool" in done.stderr


def test_a_distribution_whose_metadata_is_broken(site: Site) -> None:
    """It is installed, whatever it says of itself."""
    (site.install("ruined", "") / "METADATA").unlink()
    (_, found) = doctor(site, "ruined:today")
    assert found[1:3] == ("ruined", "is installed (?), and has no entry point in the group 'fcregistry'")


def test_a_distribution_without_tools(site: Site) -> None:
    """It has commands only, and is not taken for a tool that is missing."""
    command = "import click\n@click.command()\ndef roll(): ..."
    site.install("good", {"roll": "good:roll"}, {"good.py": command}, group="fcregistry.commands")
    site.install("acme", {"deploy": "acme:deploy"}, {"acme.py": "1 / 0"}, group="fcregistry.commands")
    for name in ("good", "fcregistry"):
        assert site.cli("doctor", name).stdout == f"All is well with {name}.\n"
    [found] = doctor(site, "acme")
    assert found[:3] == ("problem", "acme[deploy]", "does not load: ZeroDivisionError: division by zero")


def test_a_setting_that_names_nothing(site: Site) -> None:
    """A misspelt name disables nothing, and nobody would notice."""
    site.install("acme", {"x": "acme_tools"}, {"acme_tools.py": module("fine")})
    advice = "correct it: distribution[entry point], or a selector"
    for item, hint in (
        ("acne[x]", "did you mean acme[x]?"),
        ("acme", "no tool has this name; write acme:* for all tools of the distribution"),
        ("fin", "did you mean fine?"),
        ("other:*", advice),
        ("tag=none", advice),
    ):
        findings = doctor(site, env={"FCREGISTRY_DISABLE": item})
        assert findings == [("problem", "FCREGISTRY_DISABLE", f"names {item}, which does not exist here", hint)]
    for item in ("acme[x]", "fine", "acme:*", "f*"):
        found = doctor(site, env={"FCREGISTRY_DISABLE": item})
        assert not [each for each in found if each[1] == "FCREGISTRY_DISABLE"]


def test_tools_of_a_plugin_that_are_hidden_for_one_reason_have_one_note(site: Site) -> None:
    code = "from fcregistry import fc_register\n" + "".join(
        f"@fc_register(requires_env={names!r})\ndef {name}() -> None:\n    'Do it.'\n"
        for name, names in (("one", ["ACME_KEY"]), ("two", ["ACME_KEY"]), ("both", ["ACME_KEY", "ACME_URL"]))
    )
    site.install("acme", {"x": "acme_tools"}, {"acme_tools.py": code})
    assert [finding[:4] for finding in doctor(site)] == [
        ("note", "acme:both", "is hidden: ACME_KEY, ACME_URL are not set", "set the variables to use the tool"),
        ("note", "acme[x]", "2 tools are hidden: ACME_KEY is not set", "set the variable to use the tools"),
    ]
