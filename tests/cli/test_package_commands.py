"""Commands that packages ship: how they are listed, called, refused and reported, and what they cost others."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from tests.conftest import Site
from tests.forking import ForkingSite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

COMMAND = '''
import click


@click.command()
@click.option("--target", type=click.Choice(["test", "live"]), default="test")
@click.pass_context
def deploy(ctx, target):
    """Deploy the office."""
    click.echo(f"deployed {target} from {__name__}")
    if target == "live":
        ctx.exit(7)
    return 5
'''

TOOL = """
    from fcregistry import fc_register

    @fc_register
    def add(a: int) -> int:
        "Add one."
        return a + 1
"""

SHIPPED = {
    "acme-fine": ("deploy", "acme_fine:deploy", COMMAND),
    "acme-list": ("list", "acme_list:deploy", COMMAND),
    "acme-one": ("build", "acme_one:deploy", COMMAND),
    "acme-two": ("build", "acme_two:deploy", COMMAND),
    "acme-raises": ("raises", "acme_raises:deploy", "1 / 0"),
    "acme-exits": ("exits", "acme_exits:deploy", "import sys\nsys.exit(3)"),
    "acme-prints": ("prints", "acme_prints:deploy", f"print('noise')\n{COMMAND}"),
    "acme-function": ("function", "acme_function:deploy", "def deploy(): ..."),
    "acme-module": ("module", "acme_module", COMMAND),
    "acme-lacks": ("lacks", "acme_lacks:other", COMMAND),
    "acme-odd": ("-\x1b[31modd", "acme_odd:deploy", COMMAND),
    "acme-text": ("text", "acme_text:deploy", COMMAND.replace("ctx.exit(7)", "raise SystemExit('no office')")),
}
"""Distribution -> the name of its command, the value of the entry point, and its code."""


def ship(site: Site, distribution: str, name: str, value: str, code: str) -> None:
    module = distribution.replace("-", "_")
    site.install(distribution, {name: value}, {f"{module}.py": code}, group="fcregistry.commands")
    record = f"{module}.py,,\n{module}-1.0.dist-info/METADATA,,\n"
    site.write({f"{module}-1.0.dist-info/RECORD": record})


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory, dependencies: Path) -> Iterator[Site]:
    """A site with a command of each kind, and a tool."""
    site = (ForkingSite if hasattr(os, "fork") else Site)(tmp_path_factory.mktemp("office") / "site", dependencies)
    for distribution, shipped in SHIPPED.items():
        ship(site, distribution, *shipped)
    site.install("acme-tools", {"x": "acme_tools"}, {"acme_tools.py": TOOL})
    yield site
    if isinstance(site, ForkingSite):
        site.close()


def listed(site: Site, **env: str) -> dict[str, str]:
    """Return the commands of packages in the help, each with its line."""
    done = site.cli("--help", env=env)
    assert (done.returncode, done.stderr) == (0, "")
    lines = [line.split(maxsplit=1) for line in done.stdout.partition("Commands of packages:\n")[2].splitlines()]
    return dict(lines)


def test_the_help_lists_each_usable_command_with_its_distribution(office: Site) -> None:
    """A command whose plain name means another one, or several, is listed with its id."""
    assert listed(office) == {
        "acme-list:list": "From acme-list.",
        "acme-one:build": "From acme-one.",
        "acme-two:build": "From acme-two.",
        "deploy": "From acme-fine.",
        "exits": "From acme-exits.",
        "function": "From acme-function.",
        "lacks": "From acme-lacks.",
        "module": "From acme-module.",
        "prints": "From acme-prints.",
        "raises": "From acme-raises.",
        "text": "From acme-text.",
    }


@pytest.mark.parametrize(
    ("words", "code", "output", "error"),
    [
        ("deploy", 0, "deployed test from acme_fine\n", ""),
        ("deploy --target live", 7, "deployed live from acme_fine\n", ""),
        ("acme-fine:deploy", 0, "deployed test from acme_fine\n", ""),
        ("acme-list:list", 0, "deployed test from acme_list\n", ""),
        ("acme-two:build", 0, "deployed test from acme_two\n", ""),
        ("prints", 0, "deployed test from acme_prints\n", "noise\n"),
        ("text --target live", 1, "deployed live from acme_text\n", "no office\n"),
        ("list", 0, "NAME  FROM        SUMMARY\nadd   acme-tools  Add one.\n", ""),
    ],
)
def test_a_command_gets_its_words_and_decides_the_exit_code(
    office: Site, words: str, code: int, output: str, error: str
) -> None:
    """A built-in name means fcregistry's own command; a value that a command returns is not an exit code."""
    done = office.cli(*words.split())
    assert (done.returncode, done.stdout, done.stderr) == (code, output, error)


NOT_LOADED = {
    "raises": "ZeroDivisionError: division by zero; report this to the authors of acme-raises, or set FCREGISTRY_DISABLE=acme-raises[raises]",
    "exits": "SystemExit: 3; it ends the process when it is imported; report this to the authors of acme-exits",
    "function": "PluginError: acme-function[function] names acme_function:deploy, which is of the type function; its entry point names a click "
    "command, as MODULE:NAME; report this to",
    "module": "PluginError: acme-module[module] names acme_module, which is of the type module; its entry point names a click command",
    "lacks": "PluginError: acme-lacks[lacks] names acme_lacks:other, and there is no 'other' in acme_lacks; report this to",
}


@pytest.mark.parametrize("name", NOT_LOADED)
def test_a_command_that_does_not_load_is_one_clear_line(office: Site, name: str) -> None:
    done = office.cli(name, "--target", "live")
    assert (done.returncode, done.stdout) == (1, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"Error: the command acme-{name}:{name} does not load: {NOT_LOADED[name]}")
    assert line.endswith("(fcregistry doctor -v shows the traceback)")


def test_a_name_that_several_packages_have_means_none_of_them(office: Site) -> None:
    done = office.cli("build")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "Error: the command 'build' may be any of acme-one:build, acme-two:build; name one of these\n"
    (office.folder / "first.toml").write_text('precedence = ["acme-two"]')
    env = {"FCREGISTRY_CONFIG": str(office.folder / "first.toml")}
    assert office.cli("build", env=env).stdout == "deployed test from acme_two\n"
    assert listed(office, **env)["build"] == "From acme-two."


@pytest.mark.parametrize(
    ("variable", "value", "reason"),
    [
        ("DENY", "acme-fine:*", "FCREGISTRY_DENY names acme-fine:*"),
        ("DISABLE", "acme-fine[deploy]", "FCREGISTRY_DISABLE names acme-fine[deploy]"),
        ("ALLOW", "acme-tools:*", "FCREGISTRY_ALLOW names nothing of acme-fine"),
    ],
)
def test_a_command_that_the_configuration_refuses_is_not_imported(
    office: Site, variable: str, value: str, reason: str
) -> None:
    env = {f"FCREGISTRY_{variable}": value}
    done = office.cli("deploy", env=env)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"Error: the command acme-fine:deploy is not loaded: {reason}\n"
    assert "deploy" not in listed(office, **env)
    assert f"note: acme-fine[deploy]: is not loaded: {reason}" in office.cli("doctor", env=env).stdout
    assert office.cli("list", env=env).returncode == 0


def test_doctor_explains_each_command_that_cannot_be_called_by_its_name(office: Site) -> None:
    done = office.cli("doctor", "--json")
    found = {each["subject"]: (each["kind"], each["message"], each["advice"]) for each in json.loads(done.stdout)}
    for name, reason in NOT_LOADED.items():
        kind, message, advice = found.pop(f"acme-{name}[{name}]")
        assert (kind, f"{message}; {advice}"[: len(reason) + 15]) == ("problem", f"does not load: {reason}")
    assert found == {
        "acme-odd[-\x1b[31modd]": (
            "problem",
            "is not loaded: '-\\x1b[31modd' is not the name of a command: letters, digits, '_' and '-', and a letter or digit first",
            "the command cannot be used until then",
        ),
        **{
            f"acme-{number}[build]": (
                "problem",
                "has the name of another package's command, so `fcregistry build` calls neither",
                f"fcregistry acme-{number}:build calls it",
            )
            for number in ("one", "two")
        },
        "acme-list[list]": (
            "note",
            "is not the command that `fcregistry list` calls",
            "fcregistry acme-list:list calls it",
        ),
    }
    assert done.returncode == 1


def test_plugins_lists_each_command_with_its_state(office: Site) -> None:
    done = office.cli("plugins", "--json", env={"FCREGISTRY_DISABLE": "acme-fine:*"})
    found = [each for each in json.loads(done.stdout) if each["kind"] == "command"]
    assert {each["entry_point"]: each["state"] for each in found if each["state"] != "loaded"} == {
        "deploy": "disabled",
        "-\x1b[31modd": "disabled",
        **dict.fromkeys(NOT_LOADED, "failed"),
    }
    shown = office.cli("plugins").stdout
    assert "acme-raises[raises]: ZeroDivisionError: division by zero" in shown


def completed(site: Site, words: str, **env: str) -> tuple[list[str], str]:
    """Return what the shell would offer for the last word, and what reaches the terminal."""
    given = {"_FCREGISTRY_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    done = site.run("-c", "from fcregistry.cli import main\nmain()", env={**given, **env})
    return [line.partition(",")[2] for line in filter(None, done.stdout.splitlines())], done.stderr


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("fcregistry de", ["deploy"]),
        ("fcregistry acme-one:", ["acme-one:build"]),
        ("fcregistry deploy --target ", ["test", "live"]),
        ("fcregistry prints --t", ["--target"]),
        ("fcregistry raises --t", []),
        ("fcregistry build --t", []),
    ],
)
def test_the_shell_completes_commands_of_packages_and_their_words(
    office: Site, words: str, expected: list[str]
) -> None:
    """What a command prints, or raises, on import does not reach the prompt."""
    assert completed(office, words) == (expected, "")


def test_completing_a_name_or_a_built_in_command_imports_no_command_of_a_package(site: Site) -> None:
    for distribution in ("acme-one", "acme-two"):
        name = distribution.removeprefix("acme-")
        log = "open('imported', 'a').write(f'{__name__} ')\n"
        ship(site, distribution, name, f"{distribution.replace('-', '_')}:deploy", log + COMMAND)
    assert completed(site, "fcregistry o") == (["one"], "")
    assert completed(site, "fcregistry list x") == ([], "")
    assert site.cli("--help").returncode == site.cli("list").returncode == 0
    assert not (site.folder / "imported").exists()
    assert completed(site, "fcregistry one --tar") == (["--target"], "")
    assert (site.folder / "imported").read_text() == "acme_one "


def test_a_command_is_locked_with_its_distribution(site: Site) -> None:
    """A distribution that ships commands alone is in the lock; another file, or a file that was changed, is not run."""
    ship(site, "acme-fine", *SHIPPED["acme-fine"])
    locked = {"FCREGISTRY_MODE": "locked", "FCREGISTRY_LOCK": str(site.folder / "fcregistry.lock")}
    assert "1 distribution" in site.cli("lock", "--file", "fcregistry.lock").stdout
    assert site.cli("deploy", env=locked).stdout == "deployed test from acme_fine\n"
    ship(site, "acme-new", "new", "acme_new:deploy", COMMAND)
    refused = site.cli("new-one", env=locked)
    assert "there is no command 'new-one'" in refused.stderr
    refused = site.cli("acme-new:new", env=locked)
    assert refused.returncode == 2
    assert "does not have acme-new: `fcregistry lock --upgrade acme-new" in refused.stderr
    (site.folder / "acme_fine.py").write_text(COMMAND + "\nprint('changed')\n")
    changed = site.cli("deploy", env=locked)
    assert (changed.returncode, changed.stdout) == (2, "")
    assert "the files of acme-fine 1.0 are not those of" in changed.stderr


def test_metadata_of_another_name_add_no_command(site: Site) -> None:
    """Neither an impostor, nor two copies, nor a distribution whose RECORD does not list the module, if it is trusted by name."""
    ship(site, "acme-fine", *SHIPPED["acme-fine"])
    info = site.folder / "other-1.0.dist-info"
    site.install("other", {"evil": "other:deploy"}, {"other.py": COMMAND}, group="fcregistry.commands")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-fine\nVersion: 1.0\n")
    assert listed(site) == {"deploy": "From acme-fine."}
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1.0\n")
    os.utime(info / "entry_points.txt")
    done = site.cli("evil", env={"FCREGISTRY_ALLOW": "other:*"})
    assert done.returncode == 2
    assert "FCREGISTRY_ALLOW names" not in done.stdout
    assert "does not list other, which its entry point names" in done.stderr


def test_doctor_reports_a_misspelt_group(site: Site) -> None:
    site.install("acme", {"deploy": "acme:deploy"}, {"acme.py": COMMAND}, group="fcregistry.command")
    done = site.cli("doctor")
    assert "acme: has entry points in the group 'fcregistry.command', which fcregistry does not read" in done.stdout
    assert 'its authors probably meant [project.entry-points."fcregistry.commands"]' in done.stdout
    assert "there is no command 'deploy'" in site.cli("deploy").stderr


def test_help_is_there_if_the_configuration_cannot_be_read(office: Site) -> None:
    done = office.cli("--help", env={"FCREGISTRY_MODE": "closed"})
    assert done.returncode == 0
    assert "  list " in done.stdout
    assert done.stderr.startswith("the commands that packages ship are not listed: FCREGISTRY_MODE")


def test_the_shell_completes_built_in_commands_if_the_configuration_cannot_be_read(office: Site) -> None:
    assert completed(office, "fcregistry li", FCREGISTRY_MODE="closed") == (["lint", "list"], "")


@pytest.mark.parametrize("word", ["--help", "list"])
def test_the_help_and_a_list_are_there_in_a_folder_that_was_removed(office: Site, word: str) -> None:
    """Python has it in `sys.path`, with an empty name."""
    code = "import os, sys; sys.path.insert(0, ''); os.mkdir('gone'); os.chdir('gone'); os.rmdir('../gone')"
    done = office.run("-c", f"{code}; from fcregistry.cli import main; main()", word)
    assert done.returncode == 0
    assert "Error" not in done.stderr
    assert done.stdout == office.cli(word).stdout


COUNTED = """
import atexit, sys
opened = set()
sys.addaudithook(lambda event, values: event == "open" and opened.add(str(values[0])))
from fcregistry.cli import main

def write():
    import json  # counted with nothing
    print(json.dumps([sorted(sys.modules.keys() - {"json", "json.decoder", "json.scanner", "json.encoder"}), sorted(opened)]), file=sys.stderr)

atexit.register(write)
main()
"""


def counted(site: Site, word: str) -> tuple[set[str], set[str]]:
    """Return the modules that a command imports, and the files that it opens."""
    done = site.run("-c", COUNTED, word)
    assert done.returncode == 0
    modules, files = json.loads(done.stderr.splitlines()[-1])
    return set(modules), {each for each in files if each.startswith(str(site.folder.parent))}


def test_packages_with_commands_cost_the_help_and_a_list_nothing(make_site: Callable[[], Site]) -> None:
    """Nothing more is imported or opened than with the plugins alone, and of the plugins nothing."""
    with_commands, without = make_site(), make_site()
    for site in (with_commands, without):
        for number in range(20):
            site.install(f"many-{number}", {"x": f"many_{number}"}, {f"many_{number}.py": TOOL})
    for number in range(10):
        ship(with_commands, f"acme-{number}", f"deploy{number}", f"acme_{number}:deploy", COMMAND)
    for site in (with_commands, without):
        assert site.cli("list").returncode == site.cli("--help").returncode == 0
    for word in ("--help", "list"):
        modules, files = counted(with_commands, word)
        modules_without, files_without = counted(without, word)
        assert modules == modules_without
        assert len(files) == len(files_without)
        assert not [each for each in modules if each.startswith(("acme_", "many_"))]
    modules, files = counted(with_commands, "--help")
    assert "sqlite3" not in modules
    (kept,) = [each for each in files if each.startswith(str(with_commands.folder.parent / "cache"))]
    assert len(files - counted(with_commands, "list")[1] - {kept}) == 0
    assert len(listed(with_commands)) == 10


def test_the_help_finds_what_is_installed_and_removed_since(site: Site) -> None:
    """And works without a cache folder that can be written, or with a damaged file in it."""
    assert listed(site) == {}
    for distribution in ("acme-one", "acme-fine"):
        ship(site, distribution, *SHIPPED[distribution])
    expected = {"build": "From acme-one.", "deploy": "From acme-fine."}
    assert listed(site) == listed(site) == expected
    assert listed(site, FCREGISTRY_DENY="acme-one:*") == {"deploy": "From acme-fine."}
    (kept,) = (site.folder.parent / "cache").glob("commands-*.txt")
    text = kept.read_text()
    for damaged in ("", text[:-3], text + "x\0", text.partition("\0\0")[0], "\0" * 10):
        kept.write_text(damaged)
        assert listed(site) == expected
        assert kept.read_text() == text
    kept.write_text(text.replace("acme-one", "\x1b[31m"))
    assert (
        listed(site)["build"] == "From �[31m."
    )  # a forged file writes nothing to a terminal, and no command is loaded from it
    assert site.cli("build").stdout == "deployed test from acme_one\n"
    assert listed(site, FCREGISTRY_CACHE_DIR="/proc/none") == expected
    (site.folder / "acme_one-1.0.dist-info" / "entry_points.txt").unlink()
    (site.folder / "acme_one-1.0.dist-info").rename(site.folder / "gone")
    assert listed(site) == {"deploy": "From acme-fine."}
