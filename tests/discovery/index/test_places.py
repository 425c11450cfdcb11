"""Plugins are described as they are found, each by its own path, wherever they lie and however Python was started."""

from __future__ import annotations

import json
import os
import shutil
import sys
import zipfile
from typing import TYPE_CHECKING

import pytest

from tests.discovery.index.logged import imported, install, tool

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Site


def ids(text: str) -> list[str]:
    """Return the ids of tools that a command told as JSON."""
    return [each["id"] for each in json.loads(text)]


def copy_of(site: Site, name: str, version: str) -> Path:
    """Return a folder beside the site with a distribution of that name, whose tool tells the version."""
    folder = site.folder.parent / f"copy{version}"
    folder.mkdir()
    info = folder / f"{name}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    (info / "entry_points.txt").write_text(f"[fcregistry]\nx = {name}_tools\n")
    source = "from fcregistry import fc_register\n" + tool(f"say_{name}", answer=version, says=f"Of {version}.")
    (folder / f"{name}_tools.py").write_text(source)
    return folder


def test_of_two_copies_of_a_distribution_the_first_on_the_path_is_described(site: Site) -> None:
    """What is described is what is imported; turned round, it is the other."""
    first, second = copy_of(site, "acme", "1.0"), copy_of(site, "acme", "2.0")
    for folders, version in (((first, second), "1.0"), ((second, first), "2.0"), ((first, second), "1.0")):
        env = {"PYTHONPATH": os.pathsep.join(map(str, (*folders, *site.path)))}
        (told,) = json.loads(site.cli("list", "--json", env=env).stdout)
        assert (told["version"], told["description"]) == (version, f"Of {version}.")
    assert json.loads(site.cli("call", "say_acme", env=env).stdout) == version


def test_entries_that_are_relative_missing_or_doubled_count_once(site: Site) -> None:
    """And the empty one is the working folder."""
    install(site, "acme")
    missing = str(site.folder / "missing")
    for entries in ((".", "site", str(site.folder)), ("", missing, missing), ("../site", "../site/", "../site/.")):
        code = f"""
        from fcregistry import registry
        sys.path[:] = [{", ".join(map(repr, entries))}, *sys.path[1:]]
        answer = [[tool.id, tool()] for tool in registry.find()]
        """
        env = {"PYTHONPATH": os.pathsep.join(["/nowhere", str(site.path[1])])}
        assert site.ask(code, env=env) == [["acme:say_acme", "say_acme"]]
    relative = {"PYTHONPATH": os.pathsep.join(["../site", str(site.path[1])])}
    assert ids(site.cli("list", "--json", env=relative).stdout) == ["acme:say_acme"]


FLAGS = {"-S": ["-S"], "-I": ["-I"], "-P": ["-P"], "-E": ["-E", "-s"]}


@pytest.mark.parametrize("flags", FLAGS.values(), ids=FLAGS)
def test_workers_find_what_the_command_found(site: Site, flags: list[str]) -> None:
    """Whatever Python was told, and whatever was put into `sys.path` since."""
    install(site, "acme", tool("say_acme", says="Grüße, 漢."))
    start = f"import sys; sys.path[:0] = {[str(each) for each in site.path]!r}; from fcregistry.cli import main; main()"
    done = site.run(*flags, "-c", start, "list", "--json")
    assert (done.returncode, done.stderr, "acme:say_acme" in ids(done.stdout)) == (0, "", True)


def test_a_python_that_drops_docstrings_describes_what_it_runs(site: Site) -> None:
    """Under `-OO` a tool has no description: what other processes know of it is not what runs there, and the other way round."""
    install(site, "acme")
    for flags, description in (([], "Answer."), (["-OO"], ""), ([], "Answer.")):
        done = site.run(*flags, "-m", "fcregistry", "list", "--json")
        assert [each["description"] for each in json.loads(done.stdout)] == [description]
    assert json.loads(site.run("-OO", "-m", "fcregistry", "call", "say_acme").stdout) == "say_acme"


def test_what_lies_in_no_folder_is_described_each_time(site: Site) -> None:
    """In an archive, or where an importer of others finds it: nobody can tell whether it is as it was."""
    folder = copy_of(site, "zipped", "1.0")
    archive = site.folder.parent / "zipped.whl"
    with zipfile.ZipFile(archive, "w") as made:
        for each in sorted(folder.rglob("*")):
            made.write(each, each.relative_to(folder))
    shutil.rmtree(folder)
    install(site, "acme")
    env = {"PYTHONPATH": os.pathsep.join(map(str, (*site.path, archive)))}
    for _ in range(2):
        assert ids(site.cli("list", "--json", env=env).stdout) == ["acme:say_acme", "zipped:say_zipped"]
    assert json.loads(site.cli("call", "say_zipped", env=env).stdout) == "1.0"
    assert site.ask("from fcregistry import registry\nanswer = registry.get('say_zipped')()", env=env) == "1.0"

    hidden = copy_of(site, "hidden", "3.0")
    code = f"""
    import importlib.metadata, pathlib
    from importlib.machinery import PathFinder

    class Importer(importlib.metadata.DistributionFinder):
        def find_spec(self, name, path=None, target=None):
            return PathFinder.find_spec(name, [{str(hidden)!r}]) if name == "hidden_tools" else None

        def find_distributions(self, context=importlib.metadata.DistributionFinder.Context()):
            yield importlib.metadata.Distribution.at(pathlib.Path({str(hidden / "hidden-3.0.dist-info")!r}))

    sys.meta_path.append(Importer())
    from fcregistry import registry
    answer = [[tool.id, tool()] for tool in registry.find()]
    """
    for _ in range(2):
        assert site.ask(code) == [["acme:say_acme", "say_acme"], ["hidden:say_hidden", "3.0"]]


def test_three_hundred_plugins_are_told_in_one_order(site: Site) -> None:
    """Whoever describes them, and in whatever order that is done: several workers, a program that imports them, or one at a time."""
    names = [f"plug{number:03}" for number in range(300)]
    for name in names:
        site.install(
            name,
            {"x": f"{name}_tools"},
            {f"{name}_tools.py": "from fcregistry import fc_register\n" + tool(f"say_{name}")},
        )
    right = [f"{name}:say_{name}" for name in names]
    first = site.cli("list", "--json")
    assert (ids(first.stdout), first.stderr) == (right, "")
    again = site.cli("list", "--json")
    code = "from fcregistry import registry\nanswer = [[tool.id, tool.parameters, tool.description] for tool in registry.find()]"
    described = site.ask(code)
    apart = {"FCREGISTRY_CACHE_DIR": str(site.folder.parent / "apart"), "PYTHONHASHSEED": "1"}
    called = "for name in ('say_plug250', 'plug007:say_plug007', 'say_plug100'):\n    registry.get(name)()\n"
    assert site.ask(code.replace("answer", f"{called}answer"), env=apart) == described
    assert site.cli("list", "--json", env=apart).stdout == first.stdout == again.stdout


def test_each_environment_and_python_has_an_index_of_its_own(site: Site) -> None:
    """Two that share a cache folder never read each other's."""
    install(site, "acme")
    site.cli("list")
    code = "import sys; sys.prefix = sys.prefix + '-other'; from fcregistry.cli import main; main()"
    site.run("-c", code, "list")
    assert imported(site) == ["acme_tools"] * 2
    assert len(list((site.folder.parent / "cache").glob(f"index-*-{sys.implementation.cache_tag}-*.sqlite"))) == 2
