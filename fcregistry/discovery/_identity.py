"""Checks whether installed metadata are genuine, and whether Python would run the files they list.

The builder of a wheel may put folders of metadata with any content into it. The builder cannot choose the name of the folder that an
installer makes for that wheel, nor keep its RECORD from listing every file that came with it.

Python's finders are asked what they would import, and no code is run: a file that is as it was installed proves nothing if another is
imported in its place, from an earlier folder of `sys.path`, a package beside a module of its name, an extension module, or byte code whose
source Python does not compare. Finding modules needs importlib's finders and pathlib, imported inside the functions: every process that
looks for plugins imports this module.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Final, TypeAlias

from fcregistry.discovery._found import editable_folder, project_name

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from importlib.machinery import ModuleSpec
    from pathlib import Path

    from fcregistry.discovery._found import FoundEntryPoint

Aside: TypeAlias = tuple[str, str, str]
"""A folder of metadata that is not used: the reason (`TWIN` or `CARRIED`; `UNREADABLE` of `_finder.py`), its path, and the folder that is the cause.

For `UNREADABLE`, the last part is a sentence that says why.
"""

TWIN: Final = "twin"
"""Another folder beside it has the same name."""

CARRIED: Final = "carried"
"""Another distribution's RECORD lists it: it was installed with that one."""

_METADATA_FOLDER: Final = re.compile(r"(?i)(?:\.dist|\.egg|\Aegg)-info\Z")


# --- Metadata that are not used: found when a folder of `sys.path` is read ---


def set_aside(folder: str, names: Iterable[str], found: Collection[FoundEntryPoint]) -> tuple[Aside, ...]:
    """Return the folders of metadata, here or elsewhere, that are not used because of those in `folder`.

    Args:
        folder: The entry of `sys.path`.
        names: The folders of metadata in it.
        found: The entry points in these metadata.
    """
    with_plugins = {each.info for each in found}
    copies: dict[str, list[str]] = {}
    for name in names:
        copies.setdefault(project_name(folder, name), []).append(name)
    aside = []
    for project, infos in copies.items():
        if project and len(infos) > 1 and not with_plugins.isdisjoint(infos):
            first, second, *_ = infos
            aside += [(TWIN, f"{folder}/{each}", f"{folder}/{second if each == first else first}") for each in infos]
    for name in names:
        aside += [(CARRIED, each, f"{folder}/{name}") for each in _carried_metadata(folder, name)]
    return tuple(aside)


def _carried_metadata(folder: str, info: str) -> Iterator[str]:
    """Yield the paths of other folders of metadata in which a distribution's RECORD lists files.

    Each folder is yielded once, also if links or another case lead to it; nothing is yielded if RECORD cannot be read.

    Args:
        folder: The entry of `sys.path`.
        info: The distribution's folder of metadata in it.
    """
    try:
        with open(f"{folder}/{info}/RECORD", "rb") as file:
            record = file.read()
    except OSError:
        return
    seen: set[str] = set()
    for line in _lines_of_metadata(record, os.fsencode(f"{info}/").lower()):
        *parents, _ = _path_of(line).split("/")
        for number, parent in enumerate(parents, start=1):
            if not _METADATA_FOLDER.search(parent):
                continue
            seen = seen or {os.path.realpath(f"{folder}/{info}").lower()}  # slow, and most RECORDs have no such line
            path = os.path.normpath(os.path.join(folder, "/".join(parents[:number])))
            if (place := os.path.realpath(path).lower()) not in seen:
                seen.add(place)
                yield path


def _lines_of_metadata(record: bytes, own: bytes) -> Iterator[bytes]:
    """Yield the lines of RECORD that may list a file in another distribution's folder of metadata.

    These are the lines that have `-info/` in any case, apart from `own` at the beginning, or a quotation mark; a line may be yielded twice.

    Args:
        record: The content of RECORD.
        own: The beginning of the paths in the distribution's own folder of metadata, in lower case.
    """
    lowered = record.lower().replace(b"\r", b"\n").replace(b"\\", b"/")  # of the same length
    for sought in (b"-info/", b'"'):  # a quotation mark may be anywhere in a name
        at = lowered.find(sought)
        while at >= 0:
            start, end = lowered.rfind(b"\n", 0, at) + 1, lowered.find(b"\n", at)
            end = len(record) if end < 0 else end
            # Skips nearly all lines: in most distributions, only the own folder has such a name
            if sought == b'"' or not lowered.startswith(own, start) or lowered.find(sought, start + len(own), end) >= 0:
                yield record[start:end]
            at = lowered.find(sought, end)


def _path_of(line: bytes) -> str:
    """Return the path in a line of RECORD, with slashes in place of backslashes.

    That is the first field of the line as CSV, or the whole line if it is not valid CSV.
    """
    from csv import Error, reader  # few lines get here

    text = os.fsdecode(line)
    try:
        path = next(reader([text]))[0]
    except Error:
        path = text
    return path.replace("\\", "/")


# --- Doubts about an entry point: asked if the configuration names the distributions that it trusts ---


def doubt_about(found: FoundEntryPoint, *, thorough: bool) -> str | None:
    """Return the reason to doubt that an entry point belongs to the distribution that it names, or None.

    The folder of the metadata must have the name that its METADATA give. RECORD must list the module that the entry point names, and Python
    must import that file. An editable install lists no modules: its module must be in the folder that `direct_url.json` names, and RECORD
    must list the `.pth` file or finder that leads there.

    Args:
        found: The entry point.
        thorough: Whether Python's finders are asked what would be imported now, which takes ten times as long as reading RECORD. For an
            editable install they are always asked.
    """
    try:
        if found.doubt is None:
            found.doubt = _metadata_doubt(found)
        reason, editable = found.doubt
        if reason is not None or not (thorough or editable is not None):
            return reason
        return _shadowing_reason(found, _recorded_paths(found), editable)
    except (OSError, ValueError):
        return f"the metadata of {found.distribution} cannot be read: reinstall it"


def is_made_from_own(found: FoundEntryPoint, files: Iterable[str]) -> bool:
    """Return whether a description was made from the distribution's own file of the module.

    Another finder, or an earlier folder of `sys.path`, may have given Python another file of that name when the description was made. The
    result is also True if `doubt_about` doubts the metadata.

    Args:
        found: The entry point.
        files: The paths of the files that the description was made from.
    """
    try:
        if found.doubt is None:
            found.doubt = _metadata_doubt(found)
        listed = _recorded_paths(found)
    except (OSError, ValueError):
        return True
    reason, editable = found.doubt
    names = _files_of(found.module)
    own = [os.path.join(found.folder, each) for each in names if each in listed]
    ends = tuple(f"{os.sep}{each.replace('/', os.sep)}" for each in names)
    return reason is not None or any(
        _is_one_of(path, own) or _is_below(path, editable) for path in files if path.endswith(ends)
    )


def _metadata_doubt(found: FoundEntryPoint) -> tuple[str | None, str | None]:
    """Return the reason to doubt the metadata of `found`, and the project folder of an editable install.

    The result is (reason, None) if there is one; (None, None) if RECORD lists the module; else (None, folder), if an editable install leads to it.
    """
    if not found.folder:  # the index and a worker do not know where it is installed
        where = "is not installed in a folder of sys.path (it may be in an archive)"
        return f"{found.distribution} {where}, so that its name cannot be checked: install it with pip", None
    listed = _recorded_paths(found)
    where = os.path.join(found.folder, found.info)
    if project_name(found.folder, found.info) != found.project:
        fix = "find out what installed it, and remove it"
        return f"{where} names the distribution {found.distribution}, which is not the name of the folder: {fix}", None
    if any(each in listed for each in _files_of(found.module)):
        return None, None
    # A file at the top of RECORD that makes the code of another folder importable
    top = [each for each in listed if "/" not in each]
    leads_elsewhere = any(each.endswith(".pth") or each.startswith("__editable__") for each in top)
    if leads_elsewhere and (editable := editable_folder(found.source)) is not None:
        return None, editable
    fix = f"reinstall {found.distribution}, or remove {where}"
    return f"RECORD of {where} does not list {found.module}, which its entry point names: {fix}", None


def _recorded_paths(found: FoundEntryPoint) -> frozenset[str]:
    """Return the paths that the RECORD of an entry point's distribution lists; none if there is no RECORD.

    Raises:
        OSError, ValueError: RECORD exists, and cannot be read.
    """
    try:  # read without importlib.metadata, whose import takes longer than all of this
        with open(f"{found.folder}/{found.info}/RECORD", encoding="utf-8", newline="") as file:
            return recorded_files(file.read())
    except (FileNotFoundError, NotADirectoryError):
        return frozenset()


def recorded_files(record: str) -> frozenset[str]:
    """Return the paths that the text of RECORD lists.

    Raises:
        ValueError: The text is not a table of comma-separated values.
    """
    from csv import Error, reader  # only if the configuration asks for it

    try:
        return frozenset(row[0].replace("\\", "/") for row in reader(record.splitlines()) if row)
    except Error as error:
        raise ValueError(f"RECORD cannot be read: {error}") from error


def roots_of(paths: Iterable[str], modules: Iterable[str]) -> frozenset[str]:
    """Return the dotted names of the topmost modules and packages that contain some files and modules.

    Args:
        paths: The paths of files, as RECORD lists them; files that are not code are ignored.
        modules: The dotted names of modules.
    """
    from importlib.machinery import EXTENSION_SUFFIXES, SOURCE_SUFFIXES

    names, packages = [module.split(".") for module in modules], set()
    for path in paths:
        if not path.endswith((*SOURCE_SUFFIXES, *EXTENSION_SUFFIXES)):
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


def _files_of(module: str) -> tuple[str, ...]:
    """Return the relative paths, with slashes, that the file of a module or package `module` may have.

    They are relative to its entry of `sys.path`: one for each suffix that Python imports, whether the file exists or not.
    """
    from importlib.machinery import all_suffixes

    path = module.replace(".", "/")
    return tuple(f"{path}{end}{suffix}" for suffix in all_suffixes() for end in ("", "/__init__"))


def _shadowing_reason(found: FoundEntryPoint, listed: Collection[str], editable: str | None) -> str | None:
    """Return the reason that importing an entry point would run code of another distribution, or None.

    That code is in place of the module that the entry point names, or in a package above it or above another module of the distribution,
    which may be a namespace. A file counts as the distribution's own if RECORD lists it, or if it is in the project folder.

    Args:
        found: The entry point.
        listed: The paths that RECORD lists.
        editable: The project folder of an editable install; None for any other install.
    """
    folder = str(found.source.locate_file(""))
    for module in (found.module, *_namespaces(listed)):
        parts = module.split(".")
        for number, origin in enumerate(files_run_by(module), start=1):
            if origin is None:  # a namespace, which runs nothing; or missing, which the import reports
                continue
            which = ".".join(parts[:number])
            files = [os.path.join(folder, each) for each in _files_of(which) if each in listed]
            if _is_one_of(origin, files) or _is_below(origin, editable):
                continue
            what = f"{origin} would be imported as {which}"
            if files or editable is not None:
                return f"{what} in place of what was installed of {found.distribution}: remove it"
            return f"{what}, and {found.distribution}, which has modules in {which}, did not install it: uninstall what did"
    return None


def _namespaces(listed: Iterable[str]) -> list[str]:
    """Return, sorted, the dotted names of the namespaces that contain topmost packages of a distribution.

    Args:
        listed: The paths that RECORD lists, from which the namespaces are derived.
    """
    return sorted({root.rpartition(".")[0] for root in roots_of(listed, ()) if "." in root})


def _is_one_of(path: str, files: Collection[str]) -> bool:
    """Return whether `path` is one of `files`, as text or after links are resolved."""
    return path in files or os.path.realpath(path) in map(os.path.realpath, files)


def _is_below(path: str, folder: str | None) -> bool:
    """Return whether `path` is in `folder`, at any depth; False if `folder` is None or empty.

    Links are resolved first.
    """
    return bool(folder) and os.path.realpath(path).startswith(os.path.join(os.path.realpath(str(folder)), ""))


# --- What Python would run instead ---

_UNCHECKED_HASH: Final = 0b01
"""The flags of byte code that Python uses without comparing its source (Python reference, Cached bytecode invalidation)."""


def shadowing_files(modules: Iterable[str], listed: Iterable[Path]) -> Iterator[str]:
    """Yield, once each, the files that Python would run in place of a distribution's own.

    Args:
        modules: The modules that its entry points name: the packages above them have to be its own.
        listed: Its files of code: each has to be the file that Python finds by its name in its folder. If there are none, nothing is yielded.
    """
    paths = tuple(listed)
    if not paths:
        return
    run = (*(each for module in modules for each in files_run_by(module)), *map(_imported_for, paths))
    own, own_real = frozenset(map(str, paths)), None
    for origin in dict.fromkeys(run):
        if origin is None or origin in own:
            continue
        if own_real is None:  # some microseconds for each path, and rarely needed
            own_real = frozenset(map(os.path.realpath, own))
        if os.path.realpath(origin) not in own_real:  # a path through a link counts as the file that it leads to
            yield origin


def unchecked_bytecode(sources: Iterable[Path]) -> Iterator[str]:
    """Yield the byte-code files that Python would run without comparing them with their `sources`."""
    from importlib.util import cache_from_source

    for source in sources:
        if source.suffix != ".py":
            continue
        try:
            path = cache_from_source(str(source))
            with open(path, "rb") as file:
                header = file.read(8)
        except (OSError, NotImplementedError):  # there is none, or this Python writes none
            continue
        if int.from_bytes(header[4:8], "little") == _UNCHECKED_HASH:
            yield path


def files_run_by(module: str) -> Iterator[str | None]:
    """Yield the file that Python runs for each package above a module, and for the module itself.

    For a namespace, and for a module that does not exist, None is yielded; for a module that is not in a file, a description.
    """
    from importlib.machinery import PathFinder
    from importlib.util import find_spec

    top, *below = module.split(".")
    try:
        spec = find_spec(top)
    except Exception:  # foreign code: another package's finder, or a module without a spec  # noqa: BLE001
        yield f"a module {top!r} from an unknown place"
        return
    yield _origin(spec)
    for name in below:
        if spec is None or spec.submodule_search_locations is None:
            return
        spec = PathFinder.find_spec(name, list(spec.submodule_search_locations))
        yield _origin(spec)


def _imported_for(file: Path) -> str | None:
    """Return the origin (see `_origin`) of what Python imports from the folder of `file` for its name.

    For an `__init__` file, name and folder are those of its package. The result is None if the name is not an identifier, or nothing is found.
    """
    from importlib.machinery import PathFinder

    package = file.parent if file.name.partition(".")[0] == "__init__" else None
    name = package.name if package else file.name.partition(".")[0]
    folder = (package or file).parent
    return _origin(PathFinder.find_spec(name, [str(folder)])) if name.isidentifier() else None


def _origin(spec: ModuleSpec | None) -> str | None:
    """Return `spec.origin`, the file that a module comes from, or a description if it has none.

    The result is None if `spec` is None, and for a namespace, which runs nothing.
    """
    if spec is None or spec.origin is not None or spec.submodule_search_locations is not None:
        return None if spec is None else spec.origin
    return f"a module {spec.name!r} that is in no file"
