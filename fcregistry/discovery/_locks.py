"""Locked distributions: comparing what is installed, and what is imported, with the lock.

An installer lists each file of a wheel with its SHA-256 in RECORD (Recording installed projects, PyPA specifications). The digest of a
distribution is of that list, so it costs one small file; whether the files still match the list is seen by reading all of them. RECORD of an
editable install lists no sources: there the digest is of the sources themselves.

The files of a plugin are compared before it is imported. What it imports later, such as inside a tool, may have been edited by then, and
byte code beside a source need not be compiled from that source. So `LockedImports`, a finder at the front of `sys.meta_path`, takes the
modules of locked distributions: it lets the other finders find the file, compares what it reads, and runs exactly that.
"""

from __future__ import annotations

import csv
import os
import re
import sys
from base64 import urlsafe_b64decode, urlsafe_b64encode
from functools import partial
from hashlib import algorithms_guaranteed, new, sha256
from importlib.machinery import (
    EXTENSION_SUFFIXES,
    SOURCE_SUFFIXES,
    ExtensionFileLoader,
    SourceFileLoader,
    SourcelessFileLoader,
)
from importlib.util import find_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from fcregistry._config.policy import upgrade_command
from fcregistry.discovery._found import KINDS
from fcregistry.discovery._identity import recorded_files, shadowing_files, unchecked_bytecode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from importlib.machinery import ModuleSpec
    from importlib.metadata import Distribution
    from types import CodeType, ModuleType

    from fcregistry._config.policy import Trust
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
"""Files of metadata that differ from one installation of a wheel to the next."""

_CODE: Final = (*SOURCE_SUFFIXES, *EXTENSION_SUFFIXES)


def lock_drift(found: FoundEntryPoint, operator: Trust, *, contents: bool = True) -> str | None:
    """Return why a plugin's distribution is not the locked one, or None if it is, or if nothing is locked.

    Call it before the plugin is imported. What is imported of the distribution later is compared then, with what was found now.

    Args:
        found: The entry point.
        operator: The configuration.
        contents: Whether to read every file that RECORD lists, which takes a few milliseconds for each megabyte. If not, RECORD is believed,
            and nothing must be imported.
    """
    if not operator.locks:
        return None
    content = Contents(found.source)
    for source, lock in operator.locks:
        pin = lock.pin(found.distribution)
        if pin is None:
            return f"{source}, and {lock.distribution_refusal(found.distribution)}"
        fix = f"{upgrade_command(lock.path, found.distribution)} accepts it"
        if found.version != pin.version:
            return f"{source}, and {lock.path} has {pin.version} of {found.distribution}, not {found.version}: {fix}"
        if content.digest != pin.files:
            return (
                f"{source}, and the files of {found.distribution} {found.version} are not those of {lock.path}: {fix}"
            )
    source = operator.locks[0][0]
    if contents and (reason := _content_drift(found.distribution, content)):
        return f"{source}, and {reason}"
    if contents:
        locked_imports.add(content.locked(found.distribution, source))
    return None


def _content_drift(name: str, content: Contents) -> str | None:
    """Return why importing a distribution would not run what was installed, or None."""
    if files := content.altered():
        return f"{_first(files)} of {name} is not what was installed: reinstall {name}"
    if files := content.shadowing():
        return f"{_first(files)} would be imported in place of what was installed of {name}: remove it"
    if files := content.unchecked():
        return f"{_first(files)} of {name} is run without comparing its source: remove it"
    return None


def _first(files: tuple[str, ...]) -> str:
    return files[0] + (f" and {len(files) - 1} more" if len(files) > 1 else "")


def files_digest(source: Distribution) -> str:
    """Return the digest of a distribution's files as it is written in a lock, see `Contents.digest`."""
    return Contents(source).digest


def altered_files(source: Distribution) -> tuple[str, ...]:
    """Return the files that are not as they were installed.

    First, sorted, the files that do not exist or do not match RECORD; then the files that Python would run instead of matching ones: other
    modules of the same names, and byte code whose source it does not compare. Of an editable install, whose digest is of its sources, only
    such byte code.
    """
    content = Contents(source)
    return (*content.altered(), *dict.fromkeys((*content.shadowing(), *content.unchecked())))


class Listed(NamedTuple):
    """A line of RECORD."""

    path: str
    hash: str


class LockedSource(NamedTuple):
    """A file of code of an editable install.

    Attributes:
        name: Its path below the folder in which Python finds it.
        path: Its path.
        digest: The SHA-256 of its content.
    """

    name: str
    path: Path
    digest: bytes


class Contents:
    """The locked content of a distribution: the lines of RECORD, or the sources if it lists no code.

    Args:
        source: The distribution.

    Attributes:
        listed: The lines of RECORD that count, sorted; none if it does not list the code that the entry points name.
        sources: The files of code of an editable install, sorted.
        roots: The names of its topmost modules and packages; those in a namespace have dotted names.
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

        The first omits what differs from one installation of a wheel to the next: byte code, scripts, the notes of installers.
        """
        if self.listed:
            return f"sha256:{_joined((each.path, each.hash) for each in self.listed)}"
        entry_points = sha256((self._source.read_text("entry_points.txt") or "").encode()).hexdigest()
        lines = dict.fromkeys((each.name, each.digest.hex()) for each in self.sources)
        return f"sources-sha256:{_joined([('entry_points.txt', entry_points), *lines])}"

    def altered(self) -> tuple[str, ...]:
        """Return the files that do not exist, or do not match RECORD, sorted."""
        return tuple(each.path for each in self.listed if not _holds(self._place(each), each.hash))

    def shadowing(self) -> tuple[str, ...]:
        """Return the files of other modules that Python would run in place of the installed ones."""
        if not self.listed:
            return ()  # the digest is of what Python would run
        return tuple(shadowing_files(sorted({*self._modules, *self.roots}), self._code()))

    def unchecked(self) -> tuple[str, ...]:
        """Return the byte code that Python would run without comparing its source."""
        return tuple(unchecked_bytecode(self._code() or dict.fromkeys(each.path for each in self.sources)))

    def locked(self, distribution: str, source: str) -> Locked:
        """Return the digests with which its modules are compared when they are imported."""
        digests = {self._place(each): Digest.of_record(each.hash) for each in self.listed if each.path.endswith(_CODE)}
        digests |= {each.path: Digest("sha256", each.digest) for each in self.sources}
        return Locked(
            distribution, source, self.roots, {os.path.realpath(path): each for path, each in digests.items()}
        )

    def _place(self, line: Listed) -> Path:
        return Path(str(self._source.locate_file(line.path)))

    def _code(self) -> tuple[Path, ...]:
        return tuple(self._place(each) for each in self.listed if each.path.endswith(_CODE))


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


# --- What RECORD lists ---


def _listed(source: Distribution, modules: Iterable[str]) -> tuple[Listed, ...]:
    text = source.read_text("RECORD") or ""
    lines = sorted(Listed(row[0].replace("\\", "/"), row[1]) for row in csv.reader(text.splitlines()) if len(row) > 1)
    named = {module.partition(".")[0] for module in modules}
    if not any(line.path.endswith(_CODE) and line.path.partition("/")[0].partition(".")[0] in named for line in lines):
        return ()  # also if a `.pth` file or a data file has the name of the module
    return tuple(each for line in lines if _counts(each := _hashed(source, line)))


def _hashed(source: Distribution, line: Listed) -> Listed:
    """Return a line with the digest of its file of code, if the builder of the wheel has given none."""
    if line.hash or not line.path.endswith(_CODE):
        return line
    try:
        content = Path(str(source.locate_file(line.path))).read_bytes()
    except OSError:
        return line._replace(hash="sha256=")  # matches nothing
    return line._replace(hash=Digest("sha256", sha256(content).digest()).to_record())


def _counts(line: Listed) -> bool:
    folder, _, name = line.path.rpartition("/")
    if not line.hash or line.path.endswith(".pyc") or line.path.startswith(("/", "../")) or ":" in line.path:
        return False
    return not (folder.endswith(".dist-info") and name in _BY_INSTALLERS)


def _roots_of(paths: Iterable[str], modules: Iterable[str]) -> frozenset[str]:
    """Return the names of the topmost modules and packages of some files and some modules."""
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


# --- What an editable install consists of ---


def _sources(root: Path) -> Iterator[LockedSource]:
    """Yield each file of code of a topmost package or module."""
    files = [root] if root.is_file() else [each for each in root.rglob("*") if each.name.endswith(_CODE)]
    for file in files:
        if file.is_file():
            yield LockedSource(file.relative_to(root.parent).as_posix(), file, sha256(file.read_bytes()).digest())


def _editable_roots(source: Distribution, modules: Iterable[str]) -> dict[str, list[Path]]:
    """Return the folders and files of the known topmost modules of an editable install, by their names.

    These are the ones that its entry points name, those of `top_level.txt`, which setuptools writes, and those in the folders of its `.pth`
    files whose names occur in any of these: most build backends list no names.
    """
    found: dict[str, list[Path]] = {}
    pth_modules = _modules_on_pth(source)
    waiting = {*modules, *(source.read_text("top_level.txt") or "").split()}
    while waiting:
        new: dict[str, list[Path]] = {}
        for name, path in (each for module in sorted(waiting) for each in _roots(module)):
            if name not in found:
                new.setdefault(name, []).append(path)
        found |= new
        waiting = _mentioned(pth_modules - found.keys(), (path for paths in new.values() for path in paths))
    return found


def _mentioned(names: Iterable[str], roots: Iterable[Path]) -> set[str]:
    """Return those names that occur as words in some files, or in the files of code below some folders."""
    wanted = sorted(names)
    if not wanted:
        return set()
    words = re.compile(rb"\b(?:" + "|".join(wanted).encode() + rb")\b")
    files = (file for root in roots for file in ([root] if root.is_file() else root.rglob("*.py")))
    return {each.decode() for file in files if file.is_file() for each in words.findall(file.read_bytes())}


def _modules_on_pth(source: Distribution) -> set[str]:
    """Return the names of the modules in the folders of a distribution's own `.pth` files."""
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
    """Yield the name, and the folder or file, of the topmost package or module of a dotted name.

    No code is run.
    """
    top, *below = module.split(".")
    try:
        spec = find_spec(top)
    except (ImportError, ValueError):  # an imported module without a spec
        return
    if spec is None:
        return
    if spec.submodule_search_locations is None:
        if spec.origin is not None:
            yield top, Path(spec.origin)
    elif spec.origin is not None:
        yield from ((top, Path(each)) for each in spec.submodule_search_locations)
    else:  # a namespace, in which other distributions may have packages too
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


# --- Imports of locked distributions ---


class Digest(NamedTuple):
    """The digest that a file has to have.

    Attributes:
        algorithm: The name of the hash, as `hashlib` knows it.
        value: The digest, in bytes.
    """

    algorithm: str
    value: bytes

    @classmethod
    def of_record(cls, text: str) -> Digest:
        """Return the digest in a line of RECORD, as `sha256=…`; one that matches nothing if there is none."""
        algorithm, _, value = text.partition("=")
        try:
            return cls(algorithm, urlsafe_b64decode(value + "=" * (-len(value) % 4)))
        except ValueError:
            return cls("", b"")

    def to_record(self) -> str:
        """Return the text of this digest in a line of RECORD."""
        return f"{self.algorithm}={urlsafe_b64encode(self.value).rstrip(b'=').decode()}"

    def fits(self, content: bytes) -> bool:
        """Return whether a content has this digest."""
        if self.algorithm not in algorithms_guaranteed:
            return False
        found = new(self.algorithm, content)
        return (
            found.digest_size > 0 and found.digest() == self.value
        )  # algorithms of variable size need one, and match nothing


class Locked(NamedTuple):
    """A distribution whose modules are compared when they are imported.

    Attributes:
        distribution: Its name.
        source: The setting that names the lock, for messages.
        roots: The names of its topmost modules and packages; those in a namespace have dotted names.
        files: Its files of code, as real paths, with their digests.
    """

    distribution: str
    source: str
    roots: frozenset[str]
    files: Mapping[str, Digest]


class LockedImports:
    """A finder of the modules of locked distributions.

    Threads may add to it while others import. It holds no lock, so that a process may fork at any time.
    """

    def __init__(self) -> None:
        self._locked: dict[str, Locked] = {}

    def add(self, locked: Locked) -> None:
        """Compare the modules of a distribution from now on, with these digests."""
        self._locked[locked.distribution] = locked
        if self not in sys.meta_path:
            sys.meta_path.insert(0, self)

    def remove(self) -> None:
        """Stop comparing."""
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
            return spec  # does not exist, or a namespace, which runs nothing
        origin = os.path.realpath(str(spec.origin))
        digest = next((each.files[origin] for each in owners if origin in each.files), None)
        return _compared_spec(spec, owners[0], digest)

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


def _compared_spec(spec: ModuleSpec, owner: Locked, digest: Digest | None) -> ModuleSpec:
    path = str(spec.origin)
    loader: _SourceLoader | _ExtensionLoader | _RefusingLoader
    if path.endswith(tuple(SOURCE_SUFFIXES)):
        loader = _SourceLoader(spec.name, path)
    elif path.endswith(tuple(EXTENSION_SUFFIXES)):
        loader = _ExtensionLoader(spec.name, path)
    else:
        loader = _RefusingLoader(spec.name, path)
    loader.check = partial(_check_content, owner, digest, spec.name, path)
    within = spec.submodule_search_locations
    made = spec_from_file_location(spec.name, path, loader=loader, submodule_search_locations=within)
    assert made is not None
    return made


def _check_content(owner: Locked, digest: Digest | None, name: str, path: str, content: bytes | None) -> None:
    """Raise `ImportError` if the content of a file is not the locked one; None for a file that is never run."""
    if digest is not None and content is not None and digest.fits(content):
        return
    which = "is not a file of" if digest is None or content is None else "does not hold what was locked of"
    raise ImportError(
        f"{owner.source}, and {path} {which} {owner.distribution}: reinstall {owner.distribution}, and restart",
        name=name,
        path=path,
    )


class _SourceLoader(SourceFileLoader):
    """Compiles a source after comparing it; byte code is neither read nor written."""

    check: Callable[[bytes | None], None]

    def get_code(self, fullname: str) -> CodeType:
        content = self.get_data(self.path)
        self.check(content)
        code: CodeType = self.source_to_code(content, self.path)
        return code


class _ExtensionLoader(ExtensionFileLoader):
    """Loads an extension module after comparing its file, which the system then reads again."""

    check: Callable[[bytes | None], None]

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        self.check(self.get_data(self.path))
        return super().create_module(spec)


class _RefusingLoader(SourcelessFileLoader):
    """Refuses to load what is in no lock: byte code without its source, and other files."""

    check: Callable[[bytes | None], None]

    def get_code(self, fullname: str) -> CodeType | None:
        self.check(None)
        return None  # not reached
