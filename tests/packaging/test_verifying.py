"""Manifests that the build hook refuses."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from fcregistry.errors import FcregistryError
from fcregistry.packaging._build import verify  # it is tried on manifests that no build makes

CODE = "x = 1\n"


def write(folder: Path, module: str, manifest: str, value: str, **changes: Any) -> None:
    """Write a module, and its manifest."""
    path = folder / module
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(CODE, encoding="utf-8")
    plugin = {"entry_point": "weather", "value": value, "dynamic": False, "tools": []}
    told = {
        "format": 1,
        "distribution": "acme-weather",
        "plugins": [plugin],
        "sources": {module: hashlib.sha256(CODE.encode()).hexdigest()},
    }
    text = json.dumps({**told, **changes})
    (folder / manifest).write_text(text, encoding="utf-8")


def files(folder: Path, archive: str = "") -> dict[str, Path]:
    """Return the files of an archive of a folder: its Python files, below a folder of the archive."""
    return {f"{archive}{each.relative_to(folder).as_posix()}": each for each in sorted(folder.rglob("*.py"))}


def refused(entry_points: dict[str, str], built: dict[str, Path]) -> str:
    """Return the reason the manifests are refused."""
    with pytest.raises(FcregistryError) as error:
        verify("Acme-Weather", entry_points, built)
    return str(error.value)


@pytest.mark.parametrize("archive", ["", "src/", "python/lib/"], ids=["wheel", "src", "deeper"])
def test_a_manifest_that_matches_the_code_is_named_as_in_the_archive(tmp_path: Path, archive: str) -> None:
    """It is beside the package, wherever that is."""
    write(tmp_path, "acme/__init__.py", "acme/fcregistry.json", "acme.tools")
    (tmp_path / "acme" / "tools.py").touch()
    verified = verify("Acme-Weather", {"weather": "acme.tools"}, files(tmp_path, archive))
    assert verified == {f"{archive}acme/fcregistry.json": tmp_path / "acme" / "fcregistry.json"}


def test_modules_and_namespace_packages_have_manifests_too(tmp_path: Path) -> None:
    """Two entry points of two packages have two."""
    two = [
        {"entry_point": name, "value": value, "dynamic": False, "tools": []} for name, value in (("b", "acme.maps"),)
    ]
    write(tmp_path, "acme_races.py", "acme_races.fcregistry.json", "acme_races:TOOLS")
    write(tmp_path, "acme/maps/__init__.py", "acme_races.json", "acme.maps")
    (tmp_path / "acme_races.json").rename(tmp_path / "acme" / "maps" / "fcregistry.json")
    write(tmp_path, "acme/maps/__init__.py", "acme/maps/fcregistry.json", "acme.maps", plugins=two)
    verified = verify("acme.weather", {"weather": "acme_races:TOOLS", "b": "acme.maps"}, files(tmp_path))
    assert list(verified) == ["acme/maps/fcregistry.json", "acme_races.fcregistry.json"]


def test_a_test_module_of_the_same_name_is_not_taken_for_the_package(tmp_path: Path) -> None:
    """The package nearest to the top is meant."""
    write(tmp_path, "acme/__init__.py", "acme/fcregistry.json", "acme.tools")
    (tmp_path / "a" / "fixtures" / "acme").mkdir(parents=True)
    (tmp_path / "a" / "fixtures" / "acme" / "__init__.py").touch()
    assert list(verify("acme-weather", {"weather": "acme.tools"}, files(tmp_path))) == ["acme/fcregistry.json"]


def test_a_manifest_that_does_not_match_is_refused_with_the_command_to_run(tmp_path: Path) -> None:
    """The message names the file, what is wrong, and the command that fixes it."""
    path = tmp_path / "acme" / "fcregistry.json"
    advice = "run in the project's folder: fcregistry manifest build"

    def why(value: str = "acme.tools") -> str:
        return refused({"weather": value}, files(tmp_path))

    write(tmp_path, "acme/__init__.py", "acme/fcregistry.json", "acme.tools")
    assert why("acme.other") == (
        f'{path}: the manifest lists the entry points weather = "acme.tools", '
        f'and the project has weather = "acme.other"; {advice}'
    )
    (tmp_path / "acme" / "__init__.py").write_text("x = 2\n", encoding="utf-8")
    assert why() == f"{path}: the manifest is older than the code: acme/__init__.py changed; {advice}"
    write(tmp_path, "acme/__init__.py", "acme/fcregistry.json", "acme.tools", distribution="acme-maps")
    assert why() == f"{path}: this is the manifest of acme-maps, not of Acme-Weather; {advice}"
    path.write_text("{", encoding="utf-8")
    assert why().startswith(f"{path}: the manifest cannot be read: Expecting property name")
    path.unlink()
    assert refused({}, {}).startswith("Acme-Weather has no plugins, so no manifest: its pyproject.toml has no")
    assert why() == f"{path}: the manifest is missing; {advice}"
    assert why("acme_gone") == 'the archive has no file of acme_gone, which the entry point weather = "acme_gone" names'
