"""The folders of configuration and cache. They are those of platformdirs, unless a variable names others."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import platformdirs
import pytest

from fcregistry._base import paths

if TYPE_CHECKING:
    from pathlib import Path

VARIABLES = ("XDG_CACHE_HOME", "XDG_CONFIG_HOME")


@pytest.fixture(autouse=True)
def _usual(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in (*VARIABLES, "XDG_CONFIG_DIRS", paths.CACHE_DIR):
        monkeypatch.delenv(variable, raising=False)


def ours_and_theirs() -> tuple[list[str | None], list[str]]:
    theirs = platformdirs.PlatformDirs("fcregistry", appauthor=False)
    return [paths.cache_folder(), paths.user_folder()], [theirs.user_cache_dir, theirs.user_config_dir]


@pytest.mark.parametrize("given", [None, "/somewhere/else", "/somewhere/else/", ""])
def test_folders_are_those_of_platformdirs(monkeypatch: pytest.MonkeyPatch, given: str | None) -> None:
    """Commands do not import it when they start, so the code here must return the same."""
    for variable in VARIABLES:
        if given is not None:
            monkeypatch.setenv(variable, given)
    ours, theirs = ours_and_theirs()
    assert ours == theirs


@pytest.mark.parametrize("variable", VARIABLES)
def test_a_relative_path_is_ignored(monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    """The XDG Base Directory Specification says so: it would depend on the working folder."""
    usual, _ = ours_and_theirs()
    monkeypatch.setenv(variable, "relative")
    assert ours_and_theirs()[0] == usual


def test_the_system_folder_is_that_of_platformdirs_and_no_variable_moves_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise a variable could remove the operator's rules."""
    theirs = platformdirs.PlatformDirs("fcregistry", appauthor=False).site_config_dir
    monkeypatch.setenv("XDG_CONFIG_DIRS", "/elsewhere")
    assert paths.system_folder() == theirs


def test_a_variable_moves_the_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A relative path starts at the working folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(paths.CACHE_DIR, "kept/here")
    assert paths.cache_folder() == str(tmp_path / "kept" / "here")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv(paths.CACHE_DIR, "~/kept")
    assert paths.cache_folder() == str(tmp_path / "kept")


def test_without_a_home_there_are_no_folders_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    """An example is a container without an entry for its user.

    No file is written to the working folder instead.
    """
    monkeypatch.setattr("os.path.expanduser", lambda path: path)
    assert (paths.cache_folder(), paths.user_folder(), paths.home_folder()) == (None, None, None)


def test_platformdirs_is_not_imported_on_unix() -> None:
    """It would take a third of the time of a small command."""
    code = (
        "import sys, os; from fcregistry._base import paths as f; f.cache_folder(), f.user_folder(), f.system_folder()\n"
        "assert os.name != 'posix' or 'platformdirs' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_path_in_a_file_starts_at_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """It does not start at the working folder, which differs for each user."""
    monkeypatch.setenv("HOME", "/home/somebody")
    assert paths.path_beside("/etc/x/fcregistry.toml", "locks/a.lock") == "/etc/x/locks/a.lock"
    assert paths.path_beside("/etc/x/fcregistry.toml", "../a.lock") == "/etc/a.lock"
    assert paths.path_beside("/etc/x/fcregistry.toml", "/b.lock") == "/b.lock"
    assert paths.path_beside("/etc/x/fcregistry.toml", "~/b.lock") == "/home/somebody/b.lock"
