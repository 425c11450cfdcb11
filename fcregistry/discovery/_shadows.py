"""Would Python run something else than the files of a distribution? Its finders are asked, and no code is run.

A file that is as it was installed says nothing where another is imported in its place: from an earlier folder of `sys.path`, a package beside a
module of its name, an extension module, or byte code whose source Python does not look at.
"""

from __future__ import annotations

from importlib.machinery import PathFinder
from importlib.util import cache_from_source, find_spec
from os.path import realpath
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from importlib.machinery import ModuleSpec

_UNCHECKED: Final = 0b01
"""The flags of byte code that is of one source by its hash, and used without comparing that (Cached bytecode invalidation, Python)."""


def shadows(modules: Iterable[str], listed: Iterable[Path]) -> Iterator[str]:
    """Yield, once each, the files that Python would run and that are none of the distribution's.

    Where they are, other modules than those that are installed would be imported.

    Args:
        modules: The modules that its entry points name: their packages have to be its own.
        listed: Its files of code; each has to be what its name means in its folder. Without any, nothing is told.
    """
    own = _Files(listed)
    if not own.paths:
        return
    told = set()
    for origin in (*(each for module in modules for each in run_by(module)), *map(_meant_by, own.paths)):
        if origin is not None and origin not in told and origin not in own:
            told.add(origin)
            yield origin


def unchecked(sources: Iterable[Path]) -> Iterator[str]:
    """Yield the files of byte code that this Python would run for sources without looking at these."""
    for source in sources:
        if source.suffix != ".py":
            continue
        try:
            path = cache_from_source(str(source))
            with open(path, "rb") as file:
                header = file.read(8)
        except (OSError, NotImplementedError):  # none there, or this Python keeps none
            continue
        if int.from_bytes(header[4:8], "little") == _UNCHECKED:
            yield path


class _Files:
    """Paths, however they are written: through links too."""

    def __init__(self, paths: Iterable[Path]) -> None:
        self.paths = tuple(paths)
        self._texts = frozenset(map(str, self.paths))
        self._real: frozenset[str] | None = None

    def __contains__(self, path: str) -> bool:
        if path in self._texts:
            return True
        if self._real is None:  # some microseconds each, which few need
            self._real = frozenset(map(realpath, self._texts))
        return realpath(path) in self._real


def run_by(module: str) -> Iterator[str | None]:
    """Yield the file of each package above a module, and its own; a word for what is in no file."""
    top, *below = module.split(".")
    try:
        spec = find_spec(top)
    except Exception:  # foreign code: a finder of somebody's, or a module that does not say where it is from  # noqa: BLE001
        yield f"a module {top!r} from an unknown place"
        return
    yield _origin(spec)
    for name in below:
        if spec is None or spec.submodule_search_locations is None:
            return
        spec = PathFinder.find_spec(name, list(spec.submodule_search_locations))
        yield _origin(spec)


def _meant_by(file: Path) -> str | None:
    """Return the file that is imported, from the folder of a file of code, by the name of that; None if none is."""
    package = file.parent if file.name.partition(".")[0] == "__init__" else None
    name = package.name if package else file.name.partition(".")[0]
    folder = (package or file).parent
    return _origin(PathFinder.find_spec(name, [str(folder)])) if name.isidentifier() else None


def _origin(spec: ModuleSpec | None) -> str | None:
    """Return where a module comes from; None for none, and for a namespace, which runs nothing."""
    if spec is None or spec.origin is not None or spec.submodule_search_locations is not None:
        return None if spec is None else spec.origin
    return f"a module {spec.name!r} that is in no file"
