"""A new plugin is ready: its tests pass, its manifest fits, and it can be built, installed and called."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from fcregistry.errors import FcregistryError
from tests.cli.commands import command

if TYPE_CHECKING:
    from tests.conftest import Site


NAME = "Acme-Sky.Tools"
FROM_PLACE = ("README.md", ".github/workflows/tests.yml")


@dataclass(frozen=True)
class Made:
    """A new plugin, and the output of the command that made it."""

    folder: Path
    said: str


def done(process: subprocess.CompletedProcess[str]) -> str:
    """Return the output of a process that succeeded."""
    assert process.returncode == 0, process.stdout + process.stderr
    return process.stdout


@pytest.fixture(scope="module")
def made(make_site: Callable[..., Site], dependencies: Path) -> Made:
    """One new plugin for all tests, in a folder that has a repository and nothing else."""
    site = make_site(dependencies)
    folder = site.folder / "plugin"
    (folder / ".git").mkdir(parents=True)
    return Made(folder, done(site.cli("new", NAME, "--path", "plugin")))


def test_a_new_plugin_is_listed_file_by_file_with_what_to_do_next(made: Made) -> None:
    """The commands are those that its author types."""
    assert made.said.startswith(f"made {NAME} in plugin:\n  .github/workflows/tests.yml\n  .gitignore\n")
    assert "\n  src/acme_sky_tools/fcregistry.json\n" in made.said
    assert "\nnext:\n  cd plugin\n" in made.said
    first, last = (
        "python -m pip install --upgrade pip hatchling editables\n",
        "python -m pip install --no-build-isolation --editable . --group test\n",
    )
    assert f"  {first}  {last}  python -m pytest\n" in made.said
    readme = (made.folder / "README.md").read_text(encoding="utf-8")
    assert f"{first}python -m pip install fcregistry\n{last}python -m pytest\n" in readme


def test_a_plugin_names_the_place_of_an_fcregistry_that_no_index_has(
    make_site: Callable[..., Site], dependencies: Path
) -> None:
    """Its README works in an empty environment; its workflow says that a runner cannot reach the place."""
    site = make_site(dependencies)
    info = site.install("fcregistry")
    (info / "direct_url.json").write_text(json.dumps({"url": site.folder.as_uri(), "dir_info": {}}), encoding="utf-8")
    assert "no-build-isolation" in done(site.cli("new", "acme-sky"))
    texts = [(site.folder / "acme-sky" / name).read_text(encoding="utf-8") for name in FROM_PLACE]
    assert all(f"python -m pip install {site.folder}\n" in text for text in texts)
    assert "replace it with one that a runner can reach" in texts[1]


def test_no_file_has_a_placeholder_of_its_template(made: Made) -> None:
    """Each file is UTF-8 text, and a Python file is valid Python."""
    paths = [each for each in made.folder.rglob("*") if each.is_file() and "dist" not in each.parts]
    texts = {each.relative_to(made.folder).as_posix(): each.read_text(encoding="utf-8") for each in paths}
    assert [name for name, text in texts.items() if "$" in text.replace("${{ matrix.python }}", "")] == []
    assert "python-version: ${{ matrix.python }}" in texts[".github/workflows/tests.yml"]
    for name, text in texts.items():
        if name.endswith(".py"):
            compile(text, name, "exec")


def test_a_new_plugin_passes_its_checks(made: Made, site: Site) -> None:
    """It is built with the manifest hook, installed from the wheel, tested, checked, linted and called."""
    done(site.run("-m", "hatchling", "build", "-t", "wheel", cwd=made.folder))
    (wheel,) = (made.folder / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site.folder)
    assert (site.folder / "acme_sky_tools" / "fcregistry.json").is_file()
    # Not with -S, as the site runs Python: Hypothesis would take all that is installed for the author's own code, and read it.
    pytest_here = [sys.executable, "-m", "pytest", "-q", "--fcregistry-examples", "10"]
    tested = subprocess.run(
        pytest_here, env=site.environment(), cwd=made.folder, capture_output=True, text=True, timeout=60
    )
    assert " passed" in done(tested)
    done(site.cli("manifest", "build", "--check", cwd=made.folder))
    done(site.cli("lint", "acme-sky-tools:*"))
    assert done(site.cli("call", "acme-sky-tools:count_text", "--text", "one two three")) == "3\n"


def refused(name: str, folder: Path) -> str:
    """Return the reason no plugin is made."""
    error = CliRunner().invoke(command("new"), ["--path", str(folder), "--", name]).exception
    assert isinstance(error, FcregistryError)
    return str(error)


def test_a_folder_that_is_not_empty_is_not_changed(tmp_path: Path) -> None:
    """Nothing is overwritten, and no file is left incomplete."""
    (tmp_path / "README.md").write_text("mine", encoding="utf-8")
    for folder in (tmp_path, tmp_path / "README.md"):
        assert "exists and is not an empty folder" in refused("acme-sky", folder)
    assert [each.name for each in tmp_path.iterdir()] == ["README.md"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("", "is not a valid name for a package: use ASCII letters and digits"),
        ("a b", "is not a valid name for a package"),
        ("-a", "is not a valid name for a package"),
        ("a.", "is not a valid name for a package"),
        ("wetter-für-alle", "is not a valid name for a package"),
        ("../a", "is not a valid name for a package"),
        ("a\n", "is not a valid name for a package"),
        ("3d", "Python could not import a package '3d'"),
        ("class", "Python could not import a package 'class'"),
        ("JSON", "its package 'json' would hide the module of the standard library of that name"),
        ("fcregistry", "its package 'fcregistry' would hide the package of that name that is installed here (version "),
        ("jsonschema", "its package 'jsonschema' would hide the package of that name that fcregistry uses"),
        ("PyYAML", "its package 'pyyaml' would hide the package of that name that fcregistry uses"),
        ("click", "its package 'click' would hide the package of that name that fcregistry uses"),
        ("Pygments", "its package 'pygments' would hide the package of that name that is installed here (version "),
        ("tests", "its package 'tests' would hide another package of that name"),
    ],
)
def test_an_invalid_name_is_refused(name: str, words: str, tmp_path: Path) -> None:
    """Names follow the rules of PyPI for distributions, and of Python for packages."""
    said = refused(name, tmp_path / "new")
    assert said.startswith(f"{name!r} is not a valid name for a p")
    assert words in said
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(("name", "package"), [("Acme.Sky", "acme_sky"), ("acme--sky_2", "acme_sky_2"), ("a", "a")])
def test_the_package_is_named_as_pypi_compares_names(name: str, package: str, tmp_path: Path) -> None:
    """It has underscores in place of hyphens."""
    done = CliRunner().invoke(command("new"), ["--path", str(tmp_path / "new"), "--", name])
    assert done.exit_code == 0, done.output
    assert [each.name for each in (tmp_path / "new" / "src").iterdir()] == [package]
