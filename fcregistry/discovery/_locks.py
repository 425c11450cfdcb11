"""Whether an installed distribution is the one that was locked: its version, its files' digest, and what its files hold.

An installer lists each file of a wheel with its SHA-256 in RECORD (Recording installed projects, PyPA specifications). The digest is of that
list, so that it costs one small file. That the files still hold what the list says is seen by reading all of them. An editable install
lists none of its sources: there the digest is of the sources themselves.

MERGED: Imports of locked distributions: each file is compared with the lock when it is imported, and what was compared is what runs.

A plugin's files are looked at before it is imported. What it imports later, such as inside of a tool, may have been edited by then; and byte
code that lies beside a source need not be of that source. So a finder at the front of `sys.meta_path` takes the modules of locked
distributions: it has the others find the file, and loads that itself.
"""

from __future__ import annotations

import csv
import os
import re
import sys
from base64 import urlsafe_b64decode, urlsafe_b64encode
from hashlib import algorithms_guaranteed, new, sha256
from importlib.machinery import EXTENSION_SUFFIXES, SOURCE_SUFFIXES, ExtensionFileLoader, SourceFileLoader
from importlib.util import find_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from fcregistry._config.policy import upgrade_command
from fcregistry.discovery._found import KINDS
from fcregistry.discovery._identity import recorded_files
from fcregistry.discovery._shadows import shadows, unchecked

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from importlib.machinery import ModuleSpec
    from importlib.metadata import Distribution
    from types import CodeType, ModuleType

    from fcregistry._config.policy import Trust
    from fcregistry.discovery._found import FoundEntryPoint

# --- discovery._locks ---

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


class LockedSource(NamedTuple):
    """A file of code of an editable install.

    Attributes:
        name: Its path below the folder that Python finds it from.
        path: Where it lies.
        digest: The SHA-256 of what it holds.
    """

    name: str
    path: Path
    digest: bytes


class Contents:
    """What is locked of a distribution, looked at once: the lines of RECORD, or where that lists no code, the sources.

    Args:
        source: The distribution.

    Attributes:
        listed: The lines of RECORD that count, sorted; none where it does not list the code that our entry points name.
        sources: The files of code of an editable install, sorted.
        roots: The names of its modules: of those at the top, or as deep as only namespaces are above them.
    """

    def __init__(self, source: Distribution) -> None:
        self._source = source
        self._modules = _modules(source)
        self.listed = _listed(source, self._modules)
        self.sources: tuple[LockedSource, ...] = ()
        if self.listed:
            self.roots = _roots_of((each.path for each in self.listed), self._modules)
        else:
            found = _editable_roots(source, self._modules)
            self.roots = frozenset(found)
            self.sources = tuple(sorted(each for paths in found.values() for path in paths for each in _sources(path)))

    @property
    def digest(self) -> str:
        """`sha256:…` of what RECORD lists, or `sources-sha256:…` of the sources.

        The first leaves out what differs from one installation of a wheel to the next: byte code, scripts, what installers note for
        themselves.
        """
        if self.listed:
            return f"sha256:{_joined((each.path, each.hash) for each in self.listed)}"
        entry_points = sha256((self._source.read_text("entry_points.txt") or "").encode()).hexdigest()
        lines = dict.fromkeys((each.name, each.digest.hex()) for each in self.sources)
        return f"sources-sha256:{_joined([('entry_points.txt', entry_points), *lines])}"

    def altered(self) -> tuple[str, ...]:
        """Return the files that are not there, or do not hold what RECORD says, sorted."""
        return tuple(each.path for each in self.listed if not _holds(self._place(each), each.hash))

    def intruders(self) -> tuple[str, ...]:
        """Return what Python would run in place of files that are as they were installed: other modules of the same names."""
        if not self.listed:
            return ()  # the digest is of what Python would run
        return tuple(shadows(sorted({*self._modules, *self.roots}), self._code()))

    def unchecked(self) -> tuple[str, ...]:
        """Return the byte code that Python would run without a look at its source."""
        return tuple(unchecked(self._code() or dict.fromkeys(each.path for each in self.sources)))

    def locked(self, distribution: str, said: str) -> Locked:
        """Return what its modules are compared with when they are imported."""
        digests = {self._place(each): Digest.of_record(each.hash) for each in self.listed if each.path.endswith(_CODE)}
        digests |= {each.path: Digest("sha256", each.digest) for each in self.sources}
        return Locked(distribution, said, self.roots, {os.path.realpath(path): each for path, each in digests.items()})

    def _place(self, line: Listed) -> Path:
        return Path(str(self._source.locate_file(line.path)))

    def _code(self) -> tuple[Path, ...]:
        return tuple(self._place(each) for each in self.listed if each.path.endswith(_CODE))


def lock_drift(found: FoundEntryPoint, operator: Trust, *, contents: bool = True) -> str | None:
    """Return why a plugin's distribution is not the one that is locked, or None if it is, or nothing is locked.

    To be asked before a plugin is imported. What is imported of it later is compared then, with what was found now.

    Args:
        found: What is installed.
        operator: What the configuration says.
        contents: Whether to read every file that RECORD lists, which takes a few milliseconds for each megabyte; without, what RECORD says is
            believed, and nothing is to be imported.
    """
    if not operator.locks:
        return None
    looked = Contents(found.source)
    for said, lock in operator.locks:
        pin = lock.pin(found.distribution)
        if pin is None:
            return f"{said}, and {lock.distribution_refusal(found.distribution)}"
        fix = f"{upgrade_command(lock.path, found.distribution)} accepts it"
        if found.version != pin.version:
            return f"{said}, and {lock.path} has {pin.version} of {found.distribution}, not {found.version}: {fix}"
        if looked.digest != pin.files:
            return f"{said}, and the files of {found.distribution} {found.version} are not those of {lock.path}: {fix}"
    said = operator.locks[0][0]
    if contents and (reason := _otherwise(found.distribution, looked)):
        return f"{said}, and {reason}"
    if contents:
        locked_imports.add(looked.locked(found.distribution, said))
    return None


def _otherwise(name: str, looked: Contents) -> str | None:
    """Return why importing what was installed of a distribution would run something else."""
    if altered := looked.altered():
        return f"{_first(altered)} of {name} is not what was installed: reinstall {name}"
    if there := looked.intruders():
        return f"{_first(there)} would be imported in place of what was installed of {name}: remove it"
    if there := looked.unchecked():
        return f"{_first(there)} of {name} is run whatever its source says: remove it"
    return None


def _first(files: tuple[str, ...]) -> str:
    return files[0] + (f" and {len(files) - 1} more" if len(files) > 1 else "")


def files_digest(source: Distribution) -> str:
    """Return the digest of a distribution's files, as a lock has it: see `Contents.digest`."""
    return Contents(source).digest


def altered_files(source: Distribution) -> tuple[str, ...]:
    """Return what is not as it was installed.

    That is, sorted, the files that are not there, or do not hold what RECORD says; then what Python would run instead of files that do:
    other modules of the same names, and byte code whose source it does not look at. Of an editable install, whose digest is of its
    sources, only such byte code.
    """
    looked = Contents(source)
    return (*looked.altered(), *dict.fromkeys((*looked.intruders(), *looked.unchecked())))


def _joined(lines: Iterable[tuple[str, str]]) -> str:
    return sha256("".join(f"{name},{digest}\n" for name, digest in sorted(lines)).encode()).hexdigest()


def _holds(path: Path, expected: str) -> bool:
    try:
        return Digest.of_record(expected).fits(path.read_bytes())
    except OSError:
        return False


def _modules(source: Distribution) -> tuple[str, ...]:
    named = (each.value.partition(":")[0].strip() for each in source.entry_points if each.group in KINDS)
    return tuple(sorted(set(named)))


# What RECORD lists


def _listed(source: Distribution, modules: Iterable[str]) -> tuple[Listed, ...]:
    text = source.read_text("RECORD") or ""
    lines = sorted(Listed(row[0].replace("\\", "/"), row[1]) for row in csv.reader(text.splitlines()) if len(row) > 1)
    named = {module.partition(".")[0] for module in modules}
    if not any(line.path.endswith(_CODE) and line.path.partition("/")[0].partition(".")[0] in named for line in lines):
        return ()  # not even where a `.pth` file or a data file is named like the module
    return tuple(each for line in lines if _counts(each := _hashed(source, line)))


def _hashed(source: Distribution, line: Listed) -> Listed:
    """Return a line with the digest of what its file of code holds, where the builder of the wheel has given none."""
    if line.hash or not line.path.endswith(_CODE):
        return line
    try:
        content = Path(str(source.locate_file(line.path))).read_bytes()
    except OSError:
        return line._replace(hash="sha256=")  # which nothing fits
    return line._replace(hash=Digest("sha256", sha256(content).digest()).to_record())


def _counts(line: Listed) -> bool:
    folder, _, name = line.path.rpartition("/")
    if not line.hash or line.path.endswith(".pyc") or line.path.startswith(("/", "../")) or ":" in line.path:
        return False
    return not (folder.endswith(".dist-info") and name in _BY_INSTALLERS)


def _roots_of(paths: Iterable[str], modules: Iterable[str]) -> frozenset[str]:
    """Return the names of modules that no package is above, of files of code and of what entry points name."""
    names, packages = [module.split(".") for module in modules], set()
    for path in paths:
        if not path.endswith(_CODE):
            continue
        *folders, file = path.split("/")
        stem = file.partition(".")[0]
        if stem == "__init__":
            packages.add(tuple(folders))
        names.append([*folders, *([] if stem == "__init__" else [stem])])
    roots = set()
    for name in names:
        length = next((n for n in range(1, len(name)) if tuple(name[:n]) in packages), len(name))
        if name and all(part.isidentifier() for part in name[:length]):
            roots.add(".".join(name[:length]))
    return frozenset(roots)


# What an editable install has


def _sources(root: Path) -> Iterator[LockedSource]:
    """Yield each file of code of a package or module at the top."""
    files = [root] if root.is_file() else [each for each in root.rglob("*") if each.name.endswith(_CODE)]
    for file in files:
        if file.is_file():
            yield LockedSource(file.relative_to(root.parent).as_posix(), file, sha256(file.read_bytes()).digest())


def _editable_roots(source: Distribution, modules: Iterable[str]) -> dict[str, list[Path]]:
    """Return the folders and files of the modules at the top that are known of an editable install, by their names.

    These are those that its entry points name, those of `top_level.txt`, which setuptools writes, and those in the folders of its `.pth`
    files that any of them mentions: most build backends tell no names.
    """
    found: dict[str, list[Path]] = {}
    beside = _beside(source)
    waiting = {*modules, *(source.read_text("top_level.txt") or "").split()}
    while waiting:
        new: dict[str, list[Path]] = {}
        for name, path in (each for module in sorted(waiting) for each in _roots(module)):
            if name not in found:
                new.setdefault(name, []).append(path)
        found |= new
        waiting = _mentioned(beside - found.keys(), (path for paths in new.values() for path in paths))
    return found


def _mentioned(names: Iterable[str], roots: Iterable[Path]) -> set[str]:
    """Return which names occur as words in the files of code below some folders, or in some files."""
    wanted = sorted(names)
    if not wanted:
        return set()
    words = re.compile(rb"\b(?:" + "|".join(wanted).encode() + rb")\b")
    files = (file for root in roots for file in ([root] if root.is_file() else root.rglob("*.py")))
    return {each.decode() for file in files if file.is_file() for each in words.findall(file.read_bytes())}


def _beside(source: Distribution) -> set[str]:
    """Return the names of the packages and modules in the folders that a distribution's own `.pth` files make importable."""
    names = set()
    for path in recorded_files(source.read_text("RECORD") or ""):
        if "/" in path or not path.endswith(".pth"):
            continue
        place = Path(str(source.locate_file(path)))
        lines = place.read_text("utf-8", "replace").splitlines() if place.is_file() else []
        folders = (place.parent / line.strip() for line in lines if line.strip() and not line.startswith("import"))
        for each in (each for folder in folders if folder.is_dir() for each in folder.iterdir()):
            if each.name.endswith(_CODE) or (each / "__init__.py").is_file():
                names.add(each.name.partition(".")[0])
    return {name for name in names if name.isidentifier()}


def _roots(module: str) -> Iterator[tuple[str, Path]]:
    """Yield the name, and the folders and files, of the package, or module, at the top of a module's name.

    Python's finders are asked, and no code is run.
    """
    top, *below = module.split(".")
    try:
        spec = find_spec(top)
    except (ImportError, ValueError):  # a module that says nothing of where it came from
        return
    if spec is None:
        return
    if spec.submodule_search_locations is None:
        if spec.origin is not None:
            yield top, Path(spec.origin)
    elif spec.origin is not None:
        yield from ((top, Path(each)) for each in spec.submodule_search_locations)
    else:  # a namespace, which other distributions have packages in too
        for location in spec.submodule_search_locations:
            yield from _in_namespace(top, Path(location), below)


def _in_namespace(above: str, folder: Path, below: list[str]) -> Iterator[tuple[str, Path]]:
    for name in below:
        above, inner = f"{above}.{name}", folder / name
        if not inner.is_dir():
            files = (folder / f"{name}{suffix}" for suffix in _CODE)
            yield from ((above, file) for file in files if file.is_file())
            return
        folder = inner
        if (folder / "__init__.py").exists():
            break
    if folder.is_dir() and below:
        yield above, folder


# --- discovery._guard ---


class Digest(NamedTuple):
    """What a file has to hold.

    Attributes:
        algorithm: The name of the hash, as `hashlib` knows it.
        value: The digest, in bytes.
    """

    algorithm: str
    value: bytes

    @classmethod
    def of_record(cls, text: str) -> Digest:
        """Return the digest that a line of RECORD gives, as `sha256=…`; one that nothing fits where it gives none."""
        algorithm, _, value = text.partition("=")
        try:
            return cls(algorithm, urlsafe_b64decode(value + "=" * (-len(value) % 4)))
        except ValueError:
            return cls("", b"")

    def to_record(self) -> str:
        """Return what a line of RECORD says for this digest."""
        return f"{self.algorithm}={urlsafe_b64encode(self.value).rstrip(b'=').decode()}"

    def fits(self, content: bytes) -> bool:
        """Return whether a content has this digest."""
        if self.algorithm not in algorithms_guaranteed:
            return False
        found = new(self.algorithm, content)
        return found.digest_size > 0 and found.digest() == self.value  # some have no size of their own, and need one


class Locked(NamedTuple):
    """A distribution whose modules are compared when they are imported.

    Attributes:
        distribution: Its name.
        said: What asks for that, for messages.
        roots: The names of its modules: of those at the top, or as deep as only namespaces are above them.
        files: Its files of code, as real paths, with what each has to hold.
    """

    distribution: str
    said: str
    roots: frozenset[str]
    files: Mapping[str, Digest]


class LockedImports:
    """A finder of the modules of locked distributions.

    Threads may add to it while others import. It holds no lock, so that a process may fork at any time.
    """

    def __init__(self) -> None:
        self._locked: dict[str, Locked] = {}

    def add(self, locked: Locked) -> None:
        """Compare the modules of a distribution from now on, with what is given now."""
        self._locked[locked.distribution] = locked
        if self not in sys.meta_path:
            sys.meta_path.insert(0, self)

    def remove(self) -> None:
        """Compare nothing any more."""
        self._locked.clear()
        while self in sys.meta_path:
            sys.meta_path.remove(self)

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return how a module of a locked distribution is loaded; None for any other."""
        owners = [each for each in tuple(self._locked.values()) if _is_at_or_below(name, each.roots)]
        if not owners:
            return None
        spec = self._found_by_others(name, path, target)
        if spec is None or (spec.origin is None and spec.submodule_search_locations is not None):
            return spec  # not there, or a namespace, which runs nothing
        origin = os.path.realpath(str(spec.origin))
        digest = next((each.files[origin] for each in owners if origin in each.files), None)
        return _compared(spec, owners[0], digest)

    def _found_by_others(self, name: str, path: Sequence[str] | None, target: ModuleType | None) -> ModuleSpec | None:
        for finder in tuple(sys.meta_path):
            find = None if finder is self else getattr(finder, "find_spec", None)
            if find is not None and (spec := find(name, path, target)) is not None:
                made: ModuleSpec = spec
                return made
        return None


locked_imports = LockedImports()
"""The finder of this process; it is in `sys.meta_path` once a locked plugin may be imported."""


def _is_at_or_below(name: str, roots: frozenset[str]) -> bool:
    while name:
        if name in roots:
            return True
        name = name.rpartition(".")[0]
    return False


def _compared(spec: ModuleSpec, owner: Locked, digest: Digest | None) -> ModuleSpec:
    path = str(spec.origin)
    compare = _Comparison(owner, digest)
    loader: Any = _Refused(spec.name, path, compare)
    if path.endswith(tuple(SOURCE_SUFFIXES)):
        loader = _SourceLoader(spec.name, path, compare)
    elif path.endswith(tuple(EXTENSION_SUFFIXES)):
        loader = _ExtensionLoader(spec.name, path, compare)
    within = spec.submodule_search_locations
    made = spec_from_file_location(spec.name, path, loader=loader, submodule_search_locations=within)
    assert made is not None
    return made


class _Comparison(NamedTuple):
    """What a file is compared with: nothing that is known where the distribution has no such file."""

    owner: Locked
    digest: Digest | None

    def check(self, name: str, path: str, content: bytes) -> None:
        """Raise if a file does not hold what was locked.

        Raises:
            ImportError: It does not.
        """
        if self.digest is not None and self.digest.fits(content):
            return
        which = "is not a file of" if self.digest is None else "does not hold what was locked of"
        raise ImportError(
            f"{self.owner.said}, and {path} {which} {self.owner.distribution}: reinstall {self.owner.distribution}, and restart",
            name=name,
            path=path,
        )


class _SourceLoader(SourceFileLoader):
    """Compiles a source that was compared; byte code is neither read nor written."""

    def __init__(self, name: str, path: str, compare: _Comparison) -> None:
        super().__init__(name, path)
        self._compare = compare

    def get_code(self, fullname: str) -> CodeType:
        content = self.get_data(self.path)
        self._compare.check(fullname, self.path, content)
        code: CodeType = self.source_to_code(content, self.path)
        return code


class _ExtensionLoader(ExtensionFileLoader):
    """Loads an extension module whose file was compared: the system reads that file once more."""

    def __init__(self, name: str, path: str, compare: _Comparison) -> None:
        super().__init__(name, path)
        self._compare = compare

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        self._compare.check(spec.name, self.path, self.get_data(self.path))
        return super().create_module(spec)


class _Refused:
    """Loads nothing: byte code without its source, and whatever else is no file of code, is in no lock."""

    def __init__(self, name: str, path: str, compare: _Comparison) -> None:
        self._name, self._path, self._compare = name, path, compare

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        self._compare._replace(digest=None).check(self._name, self._path, b"")
