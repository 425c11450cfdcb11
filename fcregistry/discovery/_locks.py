"""Is an installed distribution the one that was locked? Its version, its files' digest, and what stands in its files.

An installer lists each file of a wheel with its SHA-256 in RECORD (Recording installed projects, PyPA specifications). The digest is of that
list, so that it costs one small file. That the files still hold what the list says is seen by reading all of them. An editable install
lists none of its sources: there the digest is of the sources themselves.
"""

from __future__ import annotations

import csv
from base64 import urlsafe_b64encode
from hashlib import algorithms_guaranteed, new, sha256
from importlib.machinery import EXTENSION_SUFFIXES, SOURCE_SUFFIXES
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from fcregistry._trust._lock import upgrade
from fcregistry.discovery._found import KINDS
from fcregistry.discovery._shadows import shadows, unchecked

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.metadata import Distribution

    from fcregistry._trust import Trust
    from fcregistry.discovery._found import FoundEntryPoint

_BY_INSTALLERS: Final = (
    "RECORD",
    "RECORD.jws",
    "RECORD.p7s",
    "INSTALLER",
    "REQUESTED",
    "direct_url.json",
    "uv_cache.json",
)
"""What lies beside the metadata and differs from one installation of a wheel to the next."""

_CODE: Final = (*SOURCE_SUFFIXES, *EXTENSION_SUFFIXES)


class Listed(NamedTuple):
    """A line of RECORD."""

    path: str
    hash: str


def drift(found: FoundEntryPoint, operator: Trust, *, contents: bool = True) -> str | None:
    """Return why a plugin's distribution is not the one that is locked, or None if it is, or nothing is locked.

    To be asked before a plugin is imported.

    Args:
        found: What is installed.
        operator: What the configuration says.
        contents: Whether to read every file that RECORD lists, which takes a few milliseconds for each megabyte; without, what RECORD says is
            believed.
    """
    for said, lock in operator.locks:
        pin = lock.pin(found.distribution)
        if pin is None:
            return f"{said}, and {lock.distribution_refusal(found.distribution)}"
        fix = f"{upgrade(lock.path, found.distribution)} accepts it"
        if found.version != pin.version:
            return f"{said}, and {lock.path} has {pin.version} of {found.distribution}, not {found.version}: {fix}"
        if files_digest(found.source) != pin.files:
            return f"{said}, and the files of {found.distribution} {found.version} are not those of {lock.path}: {fix}"
    if operator.locks and contents and (reason := _otherwise(found)):
        return f"{operator.locks[0][0]}, and {reason}"
    return None


def _otherwise(found: FoundEntryPoint) -> str | None:
    """Return why importing what was installed of a plugin would run something else."""
    name, source = found.distribution, found.source
    if altered := _altered(source):
        return f"{_first(altered)} of {name} is not what was installed: reinstall {name}"
    listed = _listed_code(source)
    if there := tuple(shadows(_modules(source), listed)):
        return f"{_first(there)} would be imported in place of what was installed of {name}: remove it"
    if there := tuple(unchecked(listed or _source_files(source))):
        return f"{_first(there)} of {name} is run whatever its source says: remove it"
    return None


def _first(files: tuple[str, ...]) -> str:
    return files[0] + (f" and {len(files) - 1} more" if len(files) > 1 else "")


def files_digest(source: Distribution) -> str:
    """Return the digest of a distribution's files: `sha256:…` of what RECORD lists, or `sources-sha256:…` of its sources.

    The first leaves out what differs from one installation of a wheel to the next: byte code, scripts, what installers note for
    themselves.
    """
    if listed := _listed(source):
        return f"sha256:{_joined((each.path, each.hash) for each in listed)}"
    return f"sources-sha256:{_joined(_sources(source))}"


def altered_files(source: Distribution) -> tuple[str, ...]:
    """Return what is not as it was installed.

    That is, sorted, the files that are not there, or do not hold what RECORD says; then what Python would run instead of files that do:
    other modules of the same names, and byte code whose source it does not look at. Of an editable install, whose digest is of its
    sources, only such byte code.
    """
    listed = _listed_code(source)
    instead = (*shadows(_modules(source), listed), *unchecked(listed or _source_files(source)))
    return (*_altered(source), *dict.fromkeys(instead))


def _altered(source: Distribution) -> tuple[str, ...]:
    return tuple(
        each.path for each in _listed(source) if not _holds(Path(str(source.locate_file(each.path))), each.hash)
    )


def _listed_code(source: Distribution) -> tuple[Path, ...]:
    paths = (each.path for each in _listed(source) if each.path.endswith(_CODE))
    return tuple(Path(str(source.locate_file(path))) for path in paths)


def _joined(lines: Iterator[tuple[str, str]]) -> str:
    return sha256("".join(f"{name},{digest}\n" for name, digest in sorted(lines)).encode()).hexdigest()


def _listed(source: Distribution) -> tuple[Listed, ...]:
    """Return the lines of RECORD that count, sorted; none where it does not list the code that our entry points name."""
    text = source.read_text("RECORD") or ""
    lines = sorted(Listed(row[0].replace("\\", "/"), row[1]) for row in csv.reader(text.splitlines()) if len(row) > 1)
    modules = {module.partition(".")[0] for module in _modules(source)}
    if not any(line.path.partition("/")[0].partition(".")[0] in modules for line in lines):
        return ()
    return tuple(line for line in lines if _counts(line))


def _counts(line: Listed) -> bool:
    folder, _, name = line.path.rpartition("/")
    if not line.hash or line.path.endswith(".pyc") or line.path.startswith(("/", "../")) or ":" in line.path:
        return False
    return not (folder.endswith(".dist-info") and name in _BY_INSTALLERS)


def _holds(path: Path, expected: str) -> bool:
    algorithm, _, digest = expected.partition("=")
    if algorithm not in algorithms_guaranteed:
        return False
    try:
        found = new(algorithm, path.read_bytes(), usedforsecurity=True)
    except (OSError, ValueError):
        return False
    return urlsafe_b64encode(found.digest()).rstrip(b"=").decode() == digest


def _modules(source: Distribution) -> tuple[str, ...]:
    named = (each.value.partition(":")[0].strip() for each in source.entry_points if each.group in KINDS)
    return tuple(sorted(set(named)))


def _sources(source: Distribution) -> Iterator[tuple[str, str]]:
    """Yield the name and digest of each file of code of the packages that our entry points name, and of the entry points."""
    yield "entry_points.txt", sha256((source.read_text("entry_points.txt") or "").encode()).hexdigest()
    for root, file in _found_sources(source):
        yield file.relative_to(root.parent).as_posix(), sha256(file.read_bytes()).hexdigest()


def _found_sources(source: Distribution) -> Iterator[tuple[Path, Path]]:
    """Yield each file of code, after the package or module at the top that it belongs to."""
    roots = {root for module in _modules(source) for root in _roots(module)}
    for root in sorted(roots):
        files = [root] if root.is_file() else [each for each in root.rglob("*") if each.name.endswith(_CODE)]
        yield from ((root, file) for file in files if file.is_file())


def _source_files(source: Distribution) -> tuple[Path, ...]:
    return tuple(sorted(file for _, file in _found_sources(source)))


def _roots(module: str) -> Iterator[Path]:
    """Yield the folders and files of the package, or module, at the top of a module's name; its finders are asked, and no code is run."""
    top, *below = module.split(".")
    try:
        spec = find_spec(top)
    except (ImportError, ValueError):  # a module that says nothing of where it came from
        return
    if spec is None:
        return
    if spec.submodule_search_locations is None:
        if spec.origin is not None:
            yield Path(spec.origin)
    elif spec.origin is not None:
        yield from map(Path, spec.submodule_search_locations)
    else:  # a namespace, which other distributions have packages in too
        for location in spec.submodule_search_locations:
            yield from _in_namespace(Path(location), below)


def _in_namespace(folder: Path, below: list[str]) -> Iterator[Path]:
    for name in below:
        inner = folder / name
        if not inner.is_dir():
            yield from (folder / f"{name}{suffix}" for suffix in _CODE if (folder / f"{name}{suffix}").is_file())
            return
        folder = inner
        if (folder / "__init__.py").exists():
            break
    if folder.is_dir() and below:
        yield folder
