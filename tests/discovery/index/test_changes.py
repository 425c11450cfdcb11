"""A change to a plugin is seen at the next command, and no other plugin is imported again."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.discovery.index.logged import imported, install, tool

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.conftest import Site


def says(site: Site) -> dict[str, str]:
    """Return the summary of every tool, as a command tells them."""
    done = site.cli("list", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    return {each["id"]: each["summary"] for each in json.loads(done.stdout)}


@pytest.fixture
def two(site: Site) -> Site:
    """Two plugins that are described."""
    install(site, "acme", "import acme_help\n" + tool("say_acme", says="Old."), files={"acme_help.py": "WORD = 'a'\n"})
    install(site, "other")
    assert says(site) == {"acme:say_acme": "Old.", "other:say_other": "Answer."}
    assert sorted(imported(site)) == ["acme_tools", "other_tools"]
    return site


def test_an_upgrade_and_a_downgrade_are_seen(two: Site) -> None:
    """Even where the new files are as old and as long as the ones before: an installer that keeps times cannot hide it."""
    module = two.folder / "acme_tools.py"
    status = module.stat()
    for old, version, word in (("1.0", "2.0", "New."), ("2.0", "0.5", "Odd.")):
        shutil.rmtree(two.folder / f"acme-{old}.dist-info")
        install(two, "acme", "import acme_help\n" + tool("say_acme", says=word), version=version)
        os.utime(module, ns=(status.st_atime_ns, status.st_mtime_ns))
        assert module.stat().st_size == status.st_size
        shutil.rmtree(two.folder / "__pycache__", ignore_errors=True)
        assert says(two) == {"acme:say_acme": word, "other:say_other": "Answer."}
        assert imported(two) == ["acme_tools"]
        assert f'"version": "{version}"' in two.cli("show", "say_acme", "--json").stdout


def test_an_uninstall_is_seen_and_so_is_the_way_back(two: Site) -> None:
    """What lies about is not imported, nor asked for."""
    info = two.folder / "acme-1.0.dist-info"
    info.rename(two.folder.parent / "aside")
    assert says(two) == {"other:say_other": "Answer."}
    gone = two.cli("show", "say_acme")
    assert (gone.returncode, imported(two)) == (2, [])
    (two.folder.parent / "aside").rename(info)
    assert says(two) == {"acme:say_acme": "Old.", "other:say_other": "Answer."}


def test_entry_points_that_change_are_seen(two: Site) -> None:
    """One more, another value, and one less."""
    info = two.folder / "acme-1.0.dist-info" / "entry_points.txt"
    two.write({"more_tools.py": "from fcregistry import fc_register\n" + tool("say_more")})
    info.write_text("[fcregistry]\nx = acme_tools\ny = more_tools\n")
    assert sorted(says(two)) == ["acme:say_acme", "acme:say_more", "other:say_other"]
    info.write_text("[fcregistry]\nx = more_tools\n")
    assert sorted(says(two)) == ["acme:say_more", "other:say_other"]
    assert imported(two) == ["acme_tools"]


def _edit(path: Path, old: str, new: str) -> None:
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")


EDITABLE = {
    "a path": "{source}\n",
    "a finder": "import __editable___acme_finder; __editable___acme_finder.install()\n",
}


@pytest.mark.parametrize("pth", EDITABLE.values(), ids=EDITABLE)
def test_an_edit_of_an_editable_install_is_seen(site: Site, pth: str) -> None:
    """A `.pth` that adds the folder, and one that installs a finder of setuptools' kind: its files lie elsewhere."""
    source = site.folder.parent / "source"
    source.mkdir()
    (source / "acme_tools").mkdir()
    (source / "acme_tools" / "__init__.py").write_text("from acme_tools import deep\n")
    deep = source / "acme_tools" / "deep.py"
    log = f"open({str(site.folder.parent / 'imported')!r}, 'a').write('acme_tools\\n')\n"
    deep.write_text(f"from fcregistry import fc_register\n{log}{tool('say_acme', says='Old.')}")
    site.install("acme", {"x": "acme_tools"}, {"acme.pth": pth.format(source=source)})
    finder = f"""
        import sys
        from importlib.util import spec_from_file_location

        class Finder:
            @classmethod
            def find_spec(cls, name, path=None, target=None):
                if name == "acme_tools":
                    folder = {str(source / "acme_tools")!r}
                    return spec_from_file_location(name, folder + "/__init__.py", submodule_search_locations=[folder])

        def install():
            sys.meta_path.append(Finder)
    """
    site.write({"__editable___acme_finder.py": finder})
    site.write({"sitecustomize.py": f"import site\nsite.addsitedir({str(site.folder)!r})\n"})
    for word, is_edit in (("Old.", False), ("Edited.", True), ("Edited.", False)):
        if is_edit:
            _edit(deep, "Old.", word)
        words = [
            sys.executable,
            "-m",
            "fcregistry",
            "show",
            "acme:say_acme",
            "--json",
        ]  # without -S, which passes `.pth` over
        done = subprocess.run(words, capture_output=True, env=site.environment(), cwd=site.folder)
        assert (json.loads(done.stdout)["description"], done.stderr) == (word, b"")
    assert imported(site) == ["acme_tools"] * 2


def test_what_is_read_at_import_counts(site: Site) -> None:
    """A module that two plugins share, a text that one reads, a folder that one lists: who uses it is described anew, and nobody else."""
    site.write({"shared/__init__.py": "", "shared/words.py": "WORD = 'one'\n"})
    folder = site.folder / "listed"
    folder.mkdir()
    (folder / "first").touch()
    text = site.folder / "text.txt"
    text.write_text("one")
    word = "\n@fc_register(description=WORD)\ndef {}() -> str:\n    return WORD\n"
    install(site, "early", "from shared.words import WORD\n" + word.format("early"))
    install(
        site,
        "late",
        "def words():\n    from shared import words\n    return words.WORD\nWORD = words()\n" + word.format("late"),
    )
    install(site, "reads", f"from pathlib import Path\nWORD = Path({str(text)!r}).read_text()\n" + word.format("reads"))
    install(site, "lists", f"import os\nWORD = ' '.join(sorted(os.listdir({str(folder)!r})))\n" + word.format("lists"))
    install(site, "alone")
    before = {
        "alone:say_alone": "Answer.",
        "early:early": "one",
        "late:late": "one",
        "lists:lists": "first",
        "reads:reads": "one",
    }
    assert says(site) == before
    assert len(imported(site)) == 5
    steps: list[tuple[Callable[[], object], dict[str, str], list[str]]] = [
        (
            lambda: _edit(site.folder / "shared/words.py", "one", "three"),
            {"early:early": "three", "late:late": "three"},
            ["early", "late"],
        ),
        (lambda: text.write_text("four"), {"reads:reads": "four"}, ["reads"]),
        ((folder / "second").touch, {"lists:lists": "first second"}, ["lists"]),
        (lambda: _edit(site.folder / "shared/__init__.py", "", "X = 1\n"), {}, ["early", "late"]),
    ]
    expected = before
    for change, difference, who in steps:
        change()
        expected = {**expected, **difference}
        assert says(site) == expected
        assert sorted(imported(site)) == [f"{each}_tools" for each in who]
        assert says(site) == expected
        assert imported(site) == []


def test_another_python_path_is_another_set_of_plugins(two: Site) -> None:
    """Each folder keeps what is known of it: coming back costs nothing."""
    without = {"PYTHONPATH": str(two.path[1])}
    assert two.cli("list", "--json", env=without).stdout.strip() == "[]"
    assert len(says(two)) == 2
    assert imported(two) == []


def test_an_extension_that_comes_is_seen_by_the_plugins_that_need_it(site: Site) -> None:
    """Another set of extensions reads other types: a tool that could not be defined may be now, so it is asked again."""
    site.write({"odd.py": "class Odd:\n    pass\n"})
    install(site, "acme", "from odd import Odd\n@fc_register\ndef weigh(a: Odd) -> str:\n    'Weigh.'\n    return ''\n")
    assert "1 tool cannot be defined: acme:weigh" in site.cli("list").stderr
    site.install("odd-types", {"odd": "odd_types"}, {"odd_types.py": ""}, group="fcregistry.extensions")
    imported(site)
    site.cli("list")
    assert imported(site) == ["acme_tools"]


def test_a_plugin_that_writes_what_it_reads_is_there_all_the_same(site: Site) -> None:
    """Nobody can tell whether it would say the same again, so it is asked at every command, and believed by that one."""
    code = """
    note = os.path.dirname(os.path.abspath(__file__)) + "/note"
    open(note, "w").write("x")
    open(note).read()
    """
    install(site, "acme", code + tool("say_acme").replace("\n", "\n    "))
    for _ in range(2):
        assert says(site) == {"acme:say_acme": "Answer."}
        assert imported(site) == ["acme_tools"]
