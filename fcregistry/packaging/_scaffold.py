"""Creating a new plugin, ready to be tested and published, from the templates in `_templates/`."""

from __future__ import annotations

import keyword
import re
import sys
import tempfile
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, requires, version
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from string import Template
from typing import Final

from fcregistry._base.install import install_command, own_source
from fcregistry._tools.selectors import normalized
from fcregistry._version import __version__
from fcregistry.packaging._build import PackagingError, build_manifests, target_distribution

FILES: Final = {
    ".github/workflows/tests.yml": "workflow.yml.txt",
    ".gitignore": "gitignore.txt",
    "README.md": "README.md.txt",
    "pyproject.toml": "pyproject.toml.txt",
    "src/$package/__init__.py": "__init__.py.txt",
    "src/$package/py.typed": "",
    "src/$package/tools.py": "tools.py.txt",
    "tests/test_tools.py": "test_tools.py.txt",
}
"""File of a new plugin -> its template; empty for an empty file. The manifest is built from these."""

_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")
_TAKEN: Final = frozenset({"fcregistry", "site", "src", "tests"})


def create_plugin(name: str, folder: Path) -> tuple[str, ...]:
    """Create a new plugin, and return its files, relative to the folder, sorted.

    Args:
        name: The name of the distribution, valid on PyPI (Names and normalization, in the Python Packaging User Guide).
        folder: The folder of the plugin. It is created; if it exists, it must be empty except for `.git`.

    Raises:
        PackagingError: The name is not valid, or the folder is not empty. Nothing is written then.
        OSError: The folder cannot be written.
    """
    package = package_name(name)
    if folder.exists() and (not folder.is_dir() or any(each.name != ".git" for each in folder.iterdir())):
        raise PackagingError(f"{folder} exists and is not an empty folder: name another one with --path")
    with tempfile.TemporaryDirectory(prefix="fcregistry-") as aside:
        _write(Path(aside), {"name": name, "package": package, "entry_point": package, "version": __version__})
        made = {each.relative_to(aside): each.read_bytes() for each in sorted(Path(aside).rglob("*")) if each.is_file()}
    for path, data in made.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        with (folder / path).open("xb") as file:
            file.write(data)
    return tuple(path.as_posix() for path in made)


def install_steps() -> tuple[str, ...]:
    """Return the commands that install a new plugin in an empty environment, with all that its tests need.

    By default, pip would build in an environment of its own, and install fcregistry there for the build hook of the manifest: only an index
    has it for that. These commands also work if fcregistry came from a folder or file.
    """
    return (
        "python -m pip install --upgrade pip hatchling editables",
        f"python -m {install_command('fcregistry')}",
        "python -m pip install --no-build-isolation --editable . --group test",
    )


def _workflow_steps() -> str:
    """Return `install_steps` as steps of a workflow.

    A comment says if they name a folder or file of this machine.
    """
    steps = [f"      - run: {command}" for command in install_steps()]
    if own_source() is not None:
        steps.insert(1, "      # A place on the machine of the author: replace it with one that a runner can reach")
    return "\n".join(steps)


def package_name(name: str) -> str:
    """Return the name of the package for a distribution called `name`.

    Raises:
        PackagingError: The name is not valid on PyPI, or the package's is not valid in Python.
    """
    if not _NAME.fullmatch(name):
        raise PackagingError(
            f"{name!r} is not a valid name for a package: use ASCII letters and digits, with '-', '_' and '.' between them"
        )
    package = normalized(name).replace("-", "_")
    if not package.isidentifier() or keyword.iskeyword(package):
        raise PackagingError(
            f"{name!r} is not a valid name for a plugin: Python could not import a package {package!r}"
        )
    if hidden := _hidden_by(name, package):
        raise PackagingError(f"{name!r} is not a valid name for a plugin: its package {package!r} would hide {hidden}")
    return package


def _hidden_by(name: str, package: str) -> str | None:
    """Return what a new distribution or its package would hide or replace, as words for a message; None if nothing.

    Nothing is imported.

    Args:
        name: The name of the distribution.
        package: The name of its package.
    """
    if package in sys.stdlib_module_names:
        return "the module of the standard library of that name"
    with suppress(
        PackageNotFoundError
    ):  # fcregistry itself may have no metadata, as in a checkout that is not installed
        needed = (_NAME.match(each) for each in requires("fcregistry") or ())
        if normalized(name) in {normalized(each[0]) for each in needed if each}:
            return "the package of that name that fcregistry uses"
    with suppress(PackageNotFoundError):
        return f"the package of that name that is installed here (version {version(name)})"
    spec = find_spec(package)
    is_importable = spec is not None and spec.origin is not None  # a folder without code has no origin
    return "another package of that name" if is_importable or package in _TAKEN else None


def _write(folder: Path, words: dict[str, str]) -> None:
    """Write the files of a new plugin into `folder`, from templates, and then its manifest.

    Its plugin is imported in a worker process for that, so errors of `build_manifests` pass through.

    Args:
        folder: The folder.
        words: Placeholder -> text, for the names of the files and their content.
    """
    for name, template in FILES.items():
        path = folder / Template(name).substitute(words)
        path.parent.mkdir(parents=True, exist_ok=True)
        text = files(__package__).joinpath("_templates", template).read_text(encoding="utf-8") if template else ""
        steps = _workflow_steps() if name.endswith(".yml") else "\n".join(install_steps())
        path.write_text(Template(text).substitute(words, install=steps), encoding="utf-8", newline="\n")
    with target_distribution(None, folder) as target:
        for manifest in build_manifests(target):
            manifest.write()
