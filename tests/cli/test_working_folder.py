"""What a file in the working folder may stand for: a module that `-m` names, and none of an installed package."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Site

TOOL = "from fcregistry import fc_register\n\n@fc_register\ndef {name}() -> str:\n    return {answer!r}\n"
SCRIPT = "import sys; from fcregistry.cli import main; sys.argv[0] = 'fcregistry'; main()"


@pytest.fixture
def here(site: Site, tmp_path: Path) -> Path:
    """A working folder with a module of its own, and one that is called as an installed plugin's."""
    site.install(
        "acme-weather", {"x": "acme_weather"}, {"acme_weather.py": TOOL.format(name="look", answer="installed")}
    )
    folder = tmp_path / "here"
    folder.mkdir()
    (folder / "acme_weather.py").write_text(TOOL.format(name="look", answer="here"))
    (folder / "my_tools.py").write_text("import my_part\n" + TOOL.format(name="mine", answer="mine"))
    (folder / "my_part.py").write_text("")
    return folder


def run(site: Site, folder: Path, *words: str, script: bool = False) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder as a person does, without Python's safe path."""
    environment = site.environment()
    del environment["PYTHONSAFEPATH"]
    # An installer's script has its own folder at the front of the path
    how = ["-P", "-c", SCRIPT] if script else ["-m", "fcregistry"]
    command = [sys.executable, "-S", *how, *words]
    return subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True)


@pytest.mark.parametrize("script", [False, True])
@pytest.mark.parametrize("module", [(), ("-m", "my_tools")])
def test_what_is_installed_wins(site: Site, here: Path, module: tuple[str, ...], script: bool) -> None:
    done = run(site, here, *module, "call", "look", script=script)
    assert (done.returncode, done.stdout.strip()) == (0, json.dumps("installed")), done.stderr


@pytest.mark.parametrize("script", [False, True])
def test_a_module_of_the_working_folder_is_found_with_what_it_imports(site: Site, here: Path, script: bool) -> None:
    done = run(site, here, "-m", "my_tools", "call", "mine", script=script)
    assert (done.returncode, done.stdout.strip()) == (0, json.dumps("mine")), done.stderr


def test_a_module_of_the_working_folder_that_an_installed_one_hides_is_an_error(site: Site, here: Path) -> None:
    """The other one is not imported in its place without a word."""
    done = run(site, here, "-m", "acme_weather", "call", "look")
    assert done.returncode == 2
    hiding = site.folder / "acme_weather.py"
    said = f"Error: -m acme_weather means {hiding}, which is installed and hides the module of that name in this folder: rename the module here"
    assert said in done.stderr
    assert run(site, site.folder, "-m", "acme_weather", "call", "look").returncode == 0, "it is the very same"


def test_a_folder_that_is_not_there_any_more_is_left_too(site: Site, here: Path) -> None:
    gone = here / "gone"
    gone.mkdir()
    run_it = "sys.argv = ['fcregistry', '--version']; runpy.run_module('fcregistry', run_name='__main__')"
    code = f"import os, runpy, sys; os.rmdir({str(gone)!r}); {run_it}"
    environment = site.environment()
    del environment["PYTHONSAFEPATH"]
    done = subprocess.run([sys.executable, "-S", "-c", code], env=environment, cwd=gone, capture_output=True, text=True)
    assert (done.returncode, done.stdout[:10]) == (0, "fcregistry"), done.stderr
