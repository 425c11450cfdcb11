"""What processes believe of an index."""

from __future__ import annotations

import json
import sqlite3
from typing import TYPE_CHECKING

from tests.discovery.index.logged import imported, install, tool

if TYPE_CHECKING:
    from tests.conftest import Site

LOOK_UP = """
from fcregistry import registry
answer = [tool.id for tool in registry.find()]
"""


def test_a_program_tries_by_itself_what_failed_in_another_environment(site: Site) -> None:
    """A variable that a shell lacks hides the plugin from that shell's commands alone."""
    install(site, "acme", "import os\nos.environ['ACME_KEY']\n" + tool("say_acme"))
    assert "acme[x]" in site.cli("list").stderr
    assert site.ask(LOOK_UP, env={"ACME_KEY": "1"}) == ["acme:say_acme"]


def test_a_program_does_not_import_what_ended_the_process_of_a_command(site: Site) -> None:
    """Not even where it is to load everything; what it would do to the program, it has done to a worker."""
    install(site, "acme", "import os\nos._exit(3)\n")
    install(site, "other")
    site.cli("list")
    assert site.ask(LOOK_UP) == ["other:say_other"]
    code = "from fcregistry import load_plugins\nanswer = [each.plugin.label for each in load_plugins().failed]"
    assert site.ask(code) == ["acme[x]"]


def test_what_an_index_says_of_tags_and_approval_has_to_be_so(site: Site) -> None:
    """A file with other options, which policies go by, does not get the tool run."""
    install(
        site, "acme", tool("say_acme").replace("@fc_register", "@fc_register(tags=['write'], requires_approval=True)")
    )
    site.cli("list")
    (file,) = (site.folder.parent / "cache").glob("*.sqlite")
    with sqlite3.connect(file) as index:
        (text,) = index.execute("SELECT record FROM records").fetchone()
        index.execute("UPDATE records SET record = ?", (json.dumps({**json.loads(text), "options": {}}),))
        index.execute("UPDATE tools SET options = ''")
    index.close()
    called = site.cli("call", "say_acme", env={"FCREGISTRY_DENY": "tag=write"})
    assert (called.returncode, called.stdout) == (1, "")
    assert "schema_changed" in called.stderr


def test_an_entry_point_that_comes_later_is_seen(site: Site) -> None:
    """The distribution was there before, in the same version, and shipped no tools."""
    info = site.install(
        "acme", "[console_scripts]\nx = y\n", {"acme_tools.py": "from fcregistry import fc_register\n" + tool("late")}
    )
    install(site, "other")
    assert "late" not in site.cli("list").stdout
    (info / "entry_points.txt").write_text("[fcregistry]\nx = acme_tools\n")
    assert "late" in site.cli("list").stdout


def test_an_optional_dependency_that_is_installed_later_is_seen(site: Site) -> None:
    """What the plugin looked for and did not find changes what it ships."""
    source = "try:\n    import extra\nexcept ImportError:\n    pass\nelse:\n" + "".join(
        f"    {line}\n" for line in tool("more").splitlines()
    )
    install(site, "acme", source + "\n" + tool("say_acme"))
    assert "more" not in site.cli("list").stdout
    site.install("extra", files={"extra.py": ""})
    assert "more" in site.cli("list").stdout
    site.cli("list")
    assert imported(site).count("acme_tools") == 2


def test_the_working_folder_is_no_place_to_import_from(site: Site) -> None:
    """A folder that somebody cloned, with a module named as one of Python's; a console script does not look there either."""
    install(site, "acme")
    clone, script = site.folder.parent / "clone", site.folder.parent / "bin/fcregistry"
    clone.mkdir()
    script.parent.mkdir()
    (clone / "json.py").write_text("open('ran', 'w').close()\n")
    script.write_text("from fcregistry.cli import main\nmain()\n")
    done = site.run(str(script), "list", cwd=clone, env={"PYTHONSAFEPATH": ""})
    assert "say_acme" in done.stdout
    assert not (clone / "ran").exists()


def test_a_text_that_no_file_takes_costs_nobody_anything(site: Site) -> None:
    """A lone surrogate in a docstring."""
    install(site, "acme", tool("say_acme", says="\\ud800 odd."))
    install(site, "other")
    listed = site.cli("list", "--json")
    assert [each["id"] for each in json.loads(listed.stdout)] == ["acme:say_acme", "other:say_other"]


def test_a_folder_that_others_may_write_to_is_done_without(site: Site) -> None:
    """Nothing is believed that lies there, and commands answer all the same."""
    install(site, "acme")
    folder = site.folder.parent / "cache"
    folder.mkdir(mode=0o777, exist_ok=True)
    folder.chmod(0o777)
    done = site.cli("-v", "list")
    assert "say_acme" in done.stdout
    assert f"others may write to {folder}" in done.stderr


def test_a_tool_stays_that_of_its_distribution_when_another_process_writes(site: Site) -> None:
    """Rows of the file are used again."""
    for name in ("aaa", "bbb"):
        site.install(
            name,
            {"x": f"{name}_tools"},
            {f"{name}_tools.py": "from fcregistry import fc_register\n" + tool("lookup", says=f"From {name}.")},
        )
    site.cli("list")
    answer = site.ask(
        """
        import os, pathlib, subprocess
        from fcregistry import registry
        tools = registry.find()
        for name in ("bbb", "aaa"):
            with open(f"{name}_tools.py", "a") as file:
                file.write("# changed\\n")
            subprocess.run([sys.executable, "-S", "-m", "fcregistry", "list"], stdout=subprocess.DEVNULL, check=True)
        answer = [tool.description for tool in tools]
        """
    )
    assert answer == ["From aaa.", "From bbb."]


def test_a_failure_that_is_known_is_not_written_down_again(site: Site) -> None:
    """A program tries the plugin each time; the file stays as it is."""
    install(site, "acme", "1 / 0\n")
    install(site, "other")
    site.cli("list")
    (file,) = (site.folder.parent / "cache").glob("*.sqlite")
    before = file.stat().st_ino, file.stat().st_mtime_ns
    assert site.ask(LOOK_UP) == ["other:say_other"]
    assert (file.stat().st_ino, file.stat().st_mtime_ns) == before


def test_what_is_installed_beside_plugins_is_read_once(site: Site) -> None:
    """Metadata is not parsed at every command after something else was installed."""
    install(site, "acme")
    site.cli("list")
    site.install("unrelated", files={"unrelated.py": ""})
    seen = "from importlib.metadata import Distribution\nat, read = Distribution.at, []\nDistribution.at = lambda path: read.append(1) or at(path)\n"
    assert site.ask(f"{seen}from fcregistry import registry\nregistry.find()\nanswer = len(read)") > 0
    assert site.ask(f"{seen}from fcregistry import registry\nregistry.find()\nanswer = len(read)") == 0


def test_a_python_without_sqlite_does_without_an_index(site: Site) -> None:
    """Commands and programs import what they are asked for; search says what is missing."""
    install(site, "acme")
    site.write({"sqlite3.py": "raise ImportError('no SQLite here')\n"})
    listed = site.run("-m", "fcregistry", "list", "--json")
    assert [each["id"] for each in json.loads(listed.stdout)] == ["acme:say_acme"]
    assert site.run("-m", "fcregistry", "call", "say_acme").stdout == '"say_acme"\n'
    assert site.ask(LOOK_UP) == ["acme:say_acme"]
    searched = site.run("-m", "fcregistry", "search", "say")
    assert searched.returncode == 2
    assert "SQLite" in searched.stderr
    assert "Traceback" not in searched.stderr
