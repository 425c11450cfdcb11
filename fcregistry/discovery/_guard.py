"""Imports of locked distributions: each file is compared with the lock when it is imported, and what was compared is what runs.

A plugin's files are looked at before it is imported. What it imports later, such as inside of a tool, may have been edited by then; and byte
code that lies beside a source need not be of that source. So a finder at the front of `sys.meta_path` takes the modules of locked
distributions: it has the others find the file, and loads that itself.
"""

from __future__ import annotations

import os
import sys
from base64 import urlsafe_b64decode, urlsafe_b64encode
from hashlib import algorithms_guaranteed, new
from importlib.machinery import EXTENSION_SUFFIXES, SOURCE_SUFFIXES, ExtensionFileLoader, SourceFileLoader
from importlib.util import spec_from_file_location
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from importlib.machinery import ModuleSpec
    from types import CodeType, ModuleType


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
