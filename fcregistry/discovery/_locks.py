"""Locked distributions: compares the installed files and the imported files with the lock.

An installer lists each file of a wheel with its SHA-256 in RECORD (Recording installed projects, PyPA specifications). The lock contains a digest
of that list. Comparing this digest costs one small file; to find out whether the files still match the list, all of them must be read. RECORD of
an editable install lists no sources, so for it the lock contains a digest of the sources themselves.

fcregistry compares all files of a plugin before it imports the plugin. A file that the plugin imports later, for example inside a tool, may have
been edited by then, and a byte-code file need not be compiled from the source next to it. So `LockedImports`, a finder at the front of
`sys.meta_path`, handles the modules of locked distributions: the other finders find the file, `LockedImports` reads and compares its content, and
Python runs exactly this content.
"""

from __future__ import annotations

import csv
import os
import re
import sys
from base64 import urlsafe_b64decode, urlsafe_b64encode
from functools import partial
from hashlib import algorithms_guaranteed, new, sha256
from importlib.machinery import EXTENSION_SUFFIXES, SOURCE_SUFFIXES, ExtensionFileLoader, SourceFileLoader
from importlib.util import find_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from fcregistry._config.lock import upgrade_command
from fcregistry.discovery._found import KINDS
from fcregistry.discovery._identity import recorded_files, roots_of, shadowing_files, unchecked_bytecode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from importlib.machinery import ModuleSpec
    from importlib.metadata import Distribution
    from types import CodeType, ModuleType

    from fcregistry._config.policy import Trust
    from fcregistry.discovery._found import FoundEntryPoint
    from fcregistry.discovery._sources import SourceOwner

_BY_INSTALLERS: Final = (
    "RECORD",
    "RECORD.jws",
    "RECORD.p7s",
    "INSTALLER",
    "REQUESTED",
    "direct_url.json",
    "uv_cache.json",
)
"""Metadata files that installers write, and that may differ each time the same wheel is installed."""

_CODE: Final = (*SOURCE_SUFFIXES, *EXTENSION_SUFFIXES)


def lock_drift(found: FoundEntryPoint, operator: Trust, *, contents: bool = True) -> str | None:
    """Return how the distribution of an entry point differs from the lock, or None if it does not.

    Call it before the plugin is imported. Modules of the distribution that are imported later are compared at that time, with the digests
    that this call found.

    Args:
        found: The entry point.
        operator: The configuration.
        contents: Whether to read and compare every file that RECORD lists, which takes a few milliseconds for each megabyte. If false, only
            RECORD itself is compared: pass false only if the plugin is not going to be imported.
    """
    if not operator.locks:
        return None
    content = Contents(found.source)
    difference = f"the files of {found.distribution} {found.version} are not those of"
    if reason := _pin_drift(found.distribution, found.version, content.digest, difference, operator):
        return reason
    source = operator.locks[0][0]
    if contents and (reason := _content_drift(found.distribution, content)):
        return f"{source}, and {reason}"
    if contents:
        locked_imports.add(content.locked(found.distribution, source))
    return None


def source_drift(owner: SourceOwner, operator: Trust) -> str | None:
    """Return how the definition of a source differs from the lock, or None if it does not.

    Args:
        owner: The source.
        operator: The configuration.
    """
    difference = f"the definition of {owner.distribution} {owner.version} is not that of"
    return _pin_drift(owner.distribution, owner.version, owner.digest, difference, operator)


def _pin_drift(name: str, version: str, digest: str, difference: str, operator: Trust) -> str | None:
    """Return how a version and a digest differ from those in the locks, or None if they do not.

    The first difference counts; a lock that does not have the distribution or source differs too.

    Args:
        name: The distribution or source.
        version: Its version.
        digest: Its digest.
        difference: The message if the digest differs, up to the path of the lock.
        operator: The configuration.
    """
    for source, lock in operator.locks:
        pin = lock.pin(name)
        if pin is None:
            return f"{source}, and {lock.distribution_refusal(name)}"
        fix = f"{upgrade_command(lock.path, name)} accepts it"
        if version != pin.version:
            return f"{source}, and {lock.path} has {pin.version} of {name}, not {version}: {fix}"
        if digest != pin.files:
            return f"{source}, and {difference} {lock.path}: {fix}"
    return None


def _content_drift(name: str, content: Contents) -> str | None:
    """Return the reason that importing a distribution would run other code than was installed, or None.

    It is the message of the first check in `_DRIFTS` that finds files, with the first file and the number of the others.

    Args:
        name: The distribution.
        content: Its content.
    """
    for find, message in _DRIFTS:
        if files := find(content):
            first = files[0] + (f" and {len(files) - 1} more" if len(files) > 1 else "")
            return message.format(files=first, name=name)
    return None


def files_digest(source: Distribution) -> str:
    """Return the digest of a distribution's files that a lock contains (see `Contents.digest`)."""
    return Contents(source).digest


def altered_files(source: Distribution) -> tuple[str, ...]:
    """Return the files with which Python would run other code than was installed.

    First, sorted, the files that do not exist or do not match RECORD. Then the files that Python would run instead of installed ones: other
    modules of the same names, and byte code that Python does not compare with its source. For an editable install, only such byte code,
    because its digest is of its sources.
    """
    content = Contents(source)
    return (*content.altered(), *dict.fromkeys((*content.shadowing(), *content.unchecked())))


class LockedFile(NamedTuple):
    """A file that a lock covers.

    Attributes:
        name: The path in RECORD; in an editable install, relative to the folder in which Python finds the topmost package.
        path: The path.
        hash: The digest of the content, as RECORD writes it: `sha256=…`.
    """

    name: str
    path: Path
    hash: str


class Contents:
    """The content of a distribution that a lock covers.

    It is the lines of RECORD, or the source files and extension modules of an editable install, whose RECORD lists no code.

    Args:
        source: The distribution.

    Attributes:
        files: The files, sorted.
        roots: The names of its topmost modules and packages; those in a namespace have dotted names.
        is_editable: Whether RECORD does not list the modules of the entry points.
    """

    def __init__(self, source: Distribution) -> None:
        self._source = source
        self._modules = _modules(source)
        self.files = _locked_files(source, self._modules)
        self.is_editable = not self.files
        if self.is_editable:
            found = _editable_roots(source, self._modules)
            self.roots = frozenset(found)
            self.files = tuple(sorted(each for paths in found.values() for path in paths for each in _sources(path)))
        else:
            self.roots = roots_of((each.name for each in self.files), self._modules)

    @property
    def digest(self) -> str:
        """`sha256:…`, the digest of RECORD's lines, or `sources-sha256:…`, the digest of the source files.

        The digest of RECORD leaves out the lines that may differ each time the same wheel is installed: those of byte code, scripts, and
        files that installers write.
        """
        if not self.is_editable:
            return f"sha256:{_digest_of_lines((each.name, each.hash) for each in self.files)}"
        entry_points = sha256((self._source.read_text("entry_points.txt") or "").encode()).hexdigest()
        lines = {(each.name, urlsafe_b64decode(f"{each.hash.partition('=')[2]}=").hex()) for each in self.files}
        return f"sources-sha256:{_digest_of_lines([('entry_points.txt', entry_points), *lines])}"

    def altered(self) -> tuple[str, ...]:
        """Return the files that do not exist, or do not match RECORD, sorted."""
        return () if self.is_editable else tuple(each.name for each in self.files if not _matches_record(each))

    def shadowing(self) -> tuple[str, ...]:
        """Return the files of other modules that Python would run in place of the installed ones."""
        if self.is_editable:
            return ()  # the digest covers the files that Python would run
        return tuple(shadowing_files(sorted({*self._modules, *self.roots}), self._code()))

    def unchecked(self) -> tuple[str, ...]:
        """Return the byte-code files that Python would run without comparing them with their sources."""
        return tuple(unchecked_bytecode(self._code()))

    def locked(self, distribution: str, source: str) -> Locked:
        """Return the digests with which `LockedImports` compares the modules of the distribution.

        Args:
            distribution: The name of the distribution.
            source: The setting that names the lock, for messages.
        """
        hashes = {os.path.realpath(each.path): each.hash for each in self.files if each.name.endswith(_CODE)}
        return Locked(distribution, source, self.roots, hashes)

    def _code(self) -> tuple[Path, ...]:
        """Return the paths of the source files and extension modules in `files`, each once, in their order."""
        return tuple(dict.fromkeys(each.path for each in self.files if each.name.endswith(_CODE)))


_DRIFTS: Final = (
    (Contents.altered, "{files} of {name} has changed since it was installed: reinstall {name}"),
    (Contents.shadowing, "Python would import {files} instead of an installed file of {name}: remove it"),
    (
        Contents.unchecked,
        "Python would run the byte code {files} of {name} without comparing it with its source: remove it",
    ),
)
"""The method that finds files with which Python would run other code than was installed, and the message about them."""


def _digest_of_lines(lines: Iterable[tuple[str, str]]) -> str:
    """Return the SHA-256, in hexadecimal, of `lines`, sorted: the name and the digest of a file each."""
    return sha256("".join(f"{name},{digest}\n" for name, digest in sorted(lines)).encode()).hexdigest()


def _matches_record(file: LockedFile) -> bool:
    """Return whether the content of `file` has the digest `file.hash`; False if it cannot be read."""
    try:
        return has_digest(file.path.read_bytes(), file.hash)
    except OSError:
        return False


def has_digest(content: bytes, expected: str) -> bool:
    """Return whether `content` has the digest `expected`, which RECORD writes as `sha256=…`."""
    algorithm = expected.partition("=")[0]
    if algorithm not in algorithms_guaranteed or not new(algorithm).digest_size:
        return False  # algorithms of variable size need one, and match nothing
    return _record_digest(content, algorithm) == expected.rstrip("=")


def _record_digest(content: bytes, algorithm: str = "sha256") -> str:
    """Return the digest of `content` as RECORD writes it: `sha256=…`, in URL-safe Base64 without padding."""
    return f"{algorithm}={urlsafe_b64encode(new(algorithm, content).digest()).rstrip(b'=').decode()}"


def _modules(source: Distribution) -> tuple[str, ...]:
    """Return, sorted and each once, the modules that a distribution's entry points name.

    Only entry points of fcregistry's groups count.
    """
    named = (each.value.partition(":")[0].strip() for each in source.entry_points if each.group in KINDS)
    return tuple(sorted(set(named)))


# --- What RECORD lists ---


def _locked_files(source: Distribution, modules: Iterable[str]) -> tuple[LockedFile, ...]:
    """Return the files in RECORD that a lock covers, sorted by name.

    The result is empty if RECORD lists no code of the topmost packages of `modules`. Lines that may differ (see `_may_differ`) are left out, and
    files without a digest, except that a file of code gets that of its content.
    """
    rows = (row for row in csv.reader((source.read_text("RECORD") or "").splitlines()) if len(row) > 1)
    lines = sorted((row[0].replace("\\", "/"), row[1]) for row in rows)
    named = {module.partition(".")[0] for module in modules}
    if not any(name.endswith(_CODE) and name.partition("/")[0].partition(".")[0] in named for name, _ in lines):
        return ()  # also if a `.pth` file or a data file has the name of the module
    files = []
    for name, recorded in lines:
        if _may_differ(name):
            continue
        path = Path(str(source.locate_file(name)))
        if recorded := recorded or _digest_of_code(path):
            files.append(LockedFile(name, path, recorded))
    return tuple(files)


def _may_differ(name: str) -> bool:
    """Return whether a line of RECORD may differ each time the same wheel is installed.

    That holds for files that installers write, for byte code, and for paths outside the folder of installed packages.

    Args:
        name: The path in the line.
    """
    folder, _, last = name.rpartition("/")
    is_by_installer = folder.endswith(".dist-info") and last in _BY_INSTALLERS
    return is_by_installer or name.endswith(".pyc") or name.startswith(("/", "../")) or ":" in name


def _digest_of_code(path: Path) -> str:
    """Return the digest of a file of code as RECORD writes it; empty for any other file.

    If the file cannot be read, the result is `sha256=`, which matches no content.
    """
    if not path.name.endswith(_CODE):
        return ""
    try:
        return _record_digest(path.read_bytes())
    except OSError:
        return "sha256="  # matches nothing


# --- What an editable install consists of ---


def _sources(root: Path) -> Iterator[LockedFile]:
    """Yield the source files and extension modules of a topmost package or module, in no fixed order.

    Each has its path relative to the folder that contains `root`, and the digest of its content. A file that cannot be read raises `OSError`.

    Args:
        root: The folder of the package, or the file of the module.
    """
    files = [root] if root.is_file() else [each for each in root.rglob("*") if each.name.endswith(_CODE)]
    for file in files:
        if file.is_file():
            yield LockedFile(file.relative_to(root.parent).as_posix(), file, _record_digest(file.read_bytes()))


def _editable_roots(source: Distribution, modules: Iterable[str]) -> dict[str, list[Path]]:
    """Return the folders and files of the topmost modules of an editable install, by dotted name.

    Most build backends do not list these modules. So the result contains the modules that the entry points name, those in `top_level.txt`, which
    setuptools writes, and those in the folders of its `.pth` files whose names occur in the code of the others. Modules that do not exist are left
    out.

    Args:
        source: The distribution.
        modules: The modules that the entry points name.
    """
    found: dict[str, list[Path]] = {}
    words = "|".join(sorted(_modules_on_pth(source))).encode()
    seen: set[str] = set()
    waiting = [*modules, *(source.read_text("top_level.txt") or "").split()]
    while waiting:
        if (module := waiting.pop()) in seen:
            continue
        seen.add(module)
        for name, path in _root_paths(module):
            if path not in found.setdefault(name, []):
                found[name].append(path)
                waiting += _words_in(path, words) if words else ()
    return found


def _words_in(root: Path, words: bytes) -> Iterator[str]:
    """Yield each occurrence of some words in a file, or in the Python files below a folder.

    Args:
        root: The file or folder; nothing is yielded if it does not exist.
        words: The words, separated by `|`.
    """
    pattern = re.compile(rb"\b(?:" + words + rb")\b")
    for file in [root] if root.is_file() else root.rglob("*.py"):
        if file.is_file():
            yield from map(bytes.decode, pattern.findall(file.read_bytes()))


def _modules_on_pth(source: Distribution) -> set[str]:
    """Return the names of the modules and packages in the folders of a distribution's own `.pth` files.

    Only `.pth` files that its RECORD lists count, and only names that are identifiers.
    """
    recorded = recorded_files(source.read_text("RECORD") or "")
    files = [Path(str(source.locate_file(path))) for path in recorded if "/" not in path and path.endswith(".pth")]
    within = (each for file in files for folder in _folders_on_pth(file) for each in folder.iterdir())
    modules = (each for each in within if each.name.endswith(_CODE) or (each / "__init__.py").is_file())
    return {name for each in modules if (name := each.name.partition(".")[0]).isidentifier()}


def _folders_on_pth(file: Path) -> Iterator[Path]:
    """Return the folders that a `.pth` file adds to `sys.path`, as an iterator; none if it does not exist.

    Folders that do not exist are left out, and lines with code, which begin with `import`, are ignored.
    """
    lines = file.read_text("utf-8", "replace").splitlines() if file.is_file() else []
    folders = (file.parent / line.strip() for line in lines if line.strip() and not line.startswith("import"))
    return (folder for folder in folders if folder.is_dir())


def _root_paths(module: str) -> Iterator[tuple[str, Path]]:
    """Yield the name, and each folder or file, of the topmost package or module in a dotted name.

    If a namespace is at the top, that is the topmost package or module in it. Nothing is yielded if it does not exist. It is not imported.
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
    """Yield the dotted name and each path of the topmost package or module in a namespace's folder.

    A path is the folder of a package or the file of a module; nothing is yielded if neither exists, or if `below` is empty.

    Args:
        above: The name of the namespace.
        folder: The folder.
        below: The parts of the dotted name after that of the namespace.
    """
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


class Locked(NamedTuple):
    """A distribution whose modules `LockedImports` compares when they are imported.

    Attributes:
        distribution: The name of the distribution.
        source: The setting that names the lock, for messages.
        roots: The names of its topmost modules and packages; those in a namespace have dotted names.
        files: Its source files and extension modules, as real paths, with their digests as RECORD writes them.
    """

    distribution: str
    source: str
    roots: frozenset[str]
    files: Mapping[str, str]


class LockedImports:
    """A finder for `sys.meta_path` that compares modules of locked distributions on import.

    Threads may add distributions while other threads import. The finder uses no `threading.Lock`, so a process may fork at any time.
    """

    def __init__(self) -> None:
        self._locked: dict[str, Locked] = {}

    def add(self, locked: Locked) -> None:
        """Begin to compare the modules of a distribution.

        Args:
            locked: The distribution, and the digests of its modules.
        """
        self._locked[locked.distribution] = locked
        if self not in sys.meta_path:
            sys.meta_path.insert(0, self)

    def remove(self) -> None:
        """Stop comparing modules."""
        self._locked.clear()
        while self in sys.meta_path:
            sys.meta_path.remove(self)

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of a module of a locked distribution, or None for any other module.

        The spec's loader compares the file.

        Args:
            name: The full name of the module.
            path: The `__path__` of the package that contains it, or None.
            target: The module to reload, or None.
        """
        owners = [each for each in tuple(self._locked.values()) if _is_in_roots(name, each.roots)]
        if not owners:
            return None
        spec = self._found_by_others(name, path, target)
        if spec is None or (spec.origin is None and spec.submodule_search_locations is not None):
            return spec  # does not exist, or a namespace, which runs nothing
        origin = os.path.realpath(str(spec.origin))
        expected = next((each.files[origin] for each in owners if origin in each.files), None)
        return _compared_spec(spec, owners[0], expected)

    def _found_by_others(self, name: str, path: Sequence[str] | None, target: ModuleType | None) -> ModuleSpec | None:
        """Return the spec of a module from the first other finder in `sys.meta_path` that has one, or None."""
        for finder in tuple(sys.meta_path):
            find = None if finder is self else getattr(finder, "find_spec", None)
            if find is not None and (spec := find(name, path, target)) is not None:
                made: ModuleSpec = spec
                return made
        return None


locked_imports = LockedImports()
"""The finder of this process; it is in `sys.meta_path` once a locked plugin may be imported."""


def _is_in_roots(name: str, roots: frozenset[str]) -> bool:
    """Return whether the module `name`, or a package above it, is in `roots`; False if `name` is empty."""
    while name:
        if name in roots:
            return True
        name = name.rpartition(".")[0]
    return False


def _compared_spec(spec: ModuleSpec, owner: Locked, expected: str | None) -> ModuleSpec:
    """Return a spec like `spec`, whose loader compares the content of the file with a digest.

    If the content does not have the digest `expected`, the loader raises `ImportError`, and nothing of the file runs.

    Args:
        spec: The spec of a module that is in a file.
        owner: The locked distribution.
        expected: The digest of the file in the lock; None if the lock does not cover the file, so that the loader always raises.
    """
    path = str(spec.origin)
    kind = _ExtensionLoader if path.endswith(tuple(EXTENSION_SUFFIXES)) else _SourceLoader
    loader = kind(spec.name, path)
    loader.check = partial(_checked_content, loader, owner, expected)
    within = spec.submodule_search_locations
    made = spec_from_file_location(spec.name, path, loader=loader, submodule_search_locations=within)
    assert made is not None
    return made


def _checked_content(loader: _SourceLoader | _ExtensionLoader, owner: Locked, expected: str | None) -> bytes:
    """Return the content of a loader's file, if it is the locked content.

    Args:
        loader: The loader of the file.
        owner: The locked distribution.
        expected: The digest of the file in the lock; None if the lock does not cover the file, such as byte code without its source.

    Raises:
        ImportError: The content has another digest, or `expected` is None.
        OSError: The file cannot be read.
    """
    name, path, distribution = loader.name, str(loader.path), owner.distribution
    which = f"{path} is not a file of"
    if expected is not None:
        content = loader.get_data(path)
        if has_digest(content, expected):
            return content
        which = f"the content of {path} differs from the locked content of"
    fix = f"reinstall {distribution}, and restart the program"
    raise ImportError(f"{owner.source}, and {which} {distribution}: {fix}", name=name, path=path)


class _SourceLoader(SourceFileLoader):
    """Compares a source file, and then compiles it. It neither reads nor writes byte code."""

    check: Callable[[], bytes]

    def get_code(self, fullname: str) -> CodeType:
        code: CodeType = self.source_to_code(self.check(), self.path)
        return code


class _ExtensionLoader(ExtensionFileLoader):
    """Compares the file of an extension module, and then loads it.

    The operating system reads the file again to load it.
    """

    check: Callable[[], bytes]

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        self.check()
        return super().create_module(spec)
