"""Files that Python would run instead of what is installed. Real folders and finders; nothing is imported."""

from __future__ import annotations

import importlib
import json
import py_compile
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import cache_from_source
from types import ModuleType
from typing import TYPE_CHECKING

import pytest

from fcregistry._config.lock import read_lock
from fcregistry._config.policy import Trust
from fcregistry._config.settings import read_layer
from fcregistry.discovery import altered_files, files_digest, find_plugins
from fcregistry.discovery._identity import (  # a table of files, without a process for each
    shadowing_files,
    unchecked_bytecode,
)
from fcregistry.discovery._locks import lock_drift  # the reason in full, without loading the plugin

from ..recorded import install  # noqa: TID252  # the tests are no package

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Site

NATIVE = EXTENSION_SUFFIXES[0]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder on the path, and an earlier one."""
    folders = [tmp_path / "over", tmp_path / "site"]
    for folder in reversed(folders):
        folder.mkdir()
        monkeypatch.syspath_prepend(str(folder))
    return folders[1]


def put(folder: Path, *names: str) -> list[Path]:
    """Write files that must not be run, and return them."""
    paths = [folder / name for name in names]
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("raise SystemExit('imported')\n")
    importlib.invalidate_caches()
    return paths


def told(place: Path, module: str, listed: list[Path]) -> list[str]:
    return [each.replace(str(place.parent), "").lstrip("/") for each in shadowing_files([module], listed)]


@pytest.mark.parametrize(
    ("module", "files"),
    [
        ("shadow_one", ["shadow_one.py", "shadow_other.py"]),
        ("shadow_acme.tools", ["shadow_acme/__init__.py", "shadow_acme/tools.py", "shadow_acme/a/__init__.py"]),
        ("shadow_acme.tools", ["shadow_acme/__init__.py", f"shadow_acme/tools{NATIVE}", "shadow_acme/tools.py"]),
        ("shadow_acme.tools", ["shadow_acme/__init__.py", "shadow_acme/tools.py", "shadow_acme/not-a-module.py"]),
        ("shadow_space.acme.tools", ["shadow_space/acme/__init__.py", "shadow_space/acme/tools.py"]),
        ("shadow_space.acme.tools", ["shadow_space/acme/tools.py"]),
        ("shadow_acme.missing", ["shadow_acme/__init__.py"]),
    ],
)
def test_installed_files_alone_shadow_nothing(place: Path, module: str, files: list[str]) -> None:
    """A part of a namespace in another folder is another's; a link to a folder is that folder."""
    listed = put(place, *files)
    put(place.parent / "over", "shadow_space/theirs/__init__.py")
    assert told(place, module, listed) == []
    (place.parent / "link").symlink_to(place)
    assert told(place, module, [place.parent / "link" / each for each in files]) == []


@pytest.mark.parametrize(
    ("module", "files", "intruder"),
    [
        ("shadow_acme.tools", ["shadow_acme/__init__.py", "shadow_acme/tools.py"], "site/shadow_acme/tools/__init__.py"),
        ("shadow_acme.tools", ["shadow_acme/__init__.py", "shadow_acme/tools.py"], f"site/shadow_acme/tools{NATIVE}"),
        ("shadow_acme", ["shadow_acme/__init__.py", "shadow_acme/_part.py"], f"site/shadow_acme/_part{NATIVE}"),
        ("shadow_acme", ["shadow_acme/__init__.py"], f"site/shadow_acme/__init__{NATIVE}"),
        ("shadow_acme", ["shadow_acme/__init__.py"], "over/shadow_acme/__init__.py"),
        ("shadow_acme", ["shadow_acme/__init__.py"], "over/shadow_acme.py"),
        ("shadow_one", ["shadow_one.py"], "site/shadow_one/__init__.py"),
        ("shadow_space.acme", ["shadow_space/acme.py"], "over/shadow_space/acme.py"),
        ("shadow_space.acme", ["shadow_space/acme.py"], "site/shadow_space/__init__.py"),
        ("shadow_space.acme", ["shadow_space/acme.py"], "over/shadow_space.py"),
    ],
)  # fmt: skip
def test_a_file_that_would_be_imported_instead_is_yielded(
    place: Path, module: str, files: list[str], intruder: str
) -> None:
    listed = put(place, *files)
    assert told(place, module, listed) == []
    put(place.parent, intruder)
    assert told(place, module, listed) == [intruder]


def test_a_module_that_is_in_no_file_is_yielded(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody has made it, or it is one of Python's own: an import would give that."""
    (listed,) = put(place, "shadow_one.py")
    monkeypatch.setitem(sys.modules, "shadow_one", ModuleType("shadow_one"))
    assert told(place, "shadow_one", [listed]) == ["a module 'shadow_one' from an unknown place"]
    assert told(place, "sys", [listed]) == ["built-in"]


@pytest.mark.parametrize("mode", py_compile.PycInvalidationMode)
def test_byte_code_that_runs_without_a_comparison_with_its_source_is_yielded(
    tmp_path: Path, mode: py_compile.PycInvalidationMode
) -> None:
    (source, alone) = put(tmp_path, "one.py", "two.py")
    py_compile.compile(str(source), invalidation_mode=mode)
    expected = [cache_from_source(str(source))] if mode.name == "UNCHECKED_HASH" else []
    assert list(unchecked_bytecode([source, alone, tmp_path / f"three{NATIVE}"])) == expected


def test_a_lock_refuses_them_and_says_what_to_remove(
    site: Site, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Files that are as they were installed do not help where they are not what is imported."""
    install(site, "shadow-acme", {"x": "shadow_acme.tools"}, {"shadow_acme/tools.py": "raise SystemExit\n"})
    monkeypatch.syspath_prepend(str(site.folder))
    (found,) = (each for each in find_plugins() if each.folder == str(site.folder))
    path = tmp_path / "a.lock"
    pin = {"version": "1.0", "files": files_digest(found.source), "tools": []}
    path.write_text(json.dumps({"fcregistry_lock": 1, "distributions": {"shadow-acme": pin}}))
    layer = read_layer({"mode": "locked"}, "/x.toml", "")
    locked = Trust((layer,), ((layer.mode_source, read_lock(str(path))),))
    assert lock_drift(found, locked) is None
    assert altered_files(found.source) == ()

    compiled = py_compile.compile(
        str(site.folder / "shadow_acme/tools.py"), invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH
    )
    assert lock_drift(found, locked) == (
        f'mode = "locked" in /x.toml, and Python would run the byte code {compiled} of shadow-acme without comparing it with its source: remove it'
    )
    (intruder,) = put(site.folder, "shadow_acme/tools/__init__.py")
    assert lock_drift(found, locked) == (
        f'mode = "locked" in /x.toml, and Python would import {intruder} instead of an installed file of shadow-acme: remove it'
    )
    assert lock_drift(found, locked, contents=False) is None, "to show what is known of it, nothing is looked at"
    assert altered_files(found.source) == (str(intruder), compiled)


def test_byte_code_of_an_editable_install_counts_too(
    site: Site, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Its digest is of its sources."""
    (source,) = put(tmp_path / "sources", "shadow_editable.py")
    monkeypatch.syspath_prepend(str(tmp_path / "sources"))
    monkeypatch.syspath_prepend(str(site.folder))
    site.install("shadow-editable", {"x": "shadow_editable"})
    (found,) = (each for each in find_plugins() if each.folder == str(site.folder))
    assert altered_files(found.source) == ()
    compiled = py_compile.compile(str(source), invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
    assert altered_files(found.source) == (compiled,)
