"""Whether the metadata of an installed distribution are what they say: the one copy of that name, installed by itself, with these modules.

Anybody who builds a wheel may put folders of metadata into it, and write into them what he likes. What he cannot choose is the name of the
folder that an installer makes for his own wheel, and that its RECORD lists every file that came with it.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Final, TypeAlias

from fcregistry._tools.selectors import normalized
from fcregistry.discovery._found import editable_folder, is_project_name

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from fcregistry.discovery._found import FoundEntryPoint

Aside: TypeAlias = tuple[str, str, str]
"""Why a folder of metadata is not used (`TWIN` or `CARRIED`), the folder, and the other folder that is the reason."""

TWIN: Final = "twin"
"""Another folder beside it gives the same name."""

CARRIED: Final = "carried"
"""Another distribution's RECORD lists it: it came with that one."""

_METADATA_FOLDER: Final = re.compile(r"(?i)(?:\.dist|\.egg|\Aegg)-info\Z")


def project_name(folder: str, info: str) -> str:
    """Return the name, as PyPI compares names, that a folder of metadata gives its distribution; empty if that is not a valid one.

    Args:
        folder: The entry of `sys.path` that it lies in, which names an egg.
        info: What the folder of metadata is called.
    """
    stem, _, kind = (info if "." in info else os.path.basename(folder)).rpartition(".")
    # A version has no hyphen; a name has none either, but where an old installer wrote it.
    name = stem.rpartition("-")[0] or stem if kind == "dist-info" else stem.partition("-")[0]
    return normalized(name) if is_project_name(name) else ""


# Found when a folder of `sys.path` is read


def set_aside(folder: str, names: Iterable[str], found: Collection[FoundEntryPoint]) -> tuple[Aside, ...]:
    """Return the metadata that are not used, of those that lie in a folder, and of those elsewhere that came with one of them.

    Args:
        folder: The entry of `sys.path`.
        names: The folders of metadata in it.
        found: The entry points that these have.
    """
    ours = {each.info for each in found}
    copies: dict[str, list[str]] = {}
    for name in names:
        copies.setdefault(project_name(folder, name), []).append(name)
    aside = []
    for project, infos in copies.items():
        if project and len(infos) > 1 and not ours.isdisjoint(infos):
            first, second, *_ = infos
            aside += [(TWIN, f"{folder}/{each}", f"{folder}/{second if each == first else first}") for each in infos]
    for name in names:
        aside += [(CARRIED, each, f"{folder}/{name}") for each in _carried(folder, name)]
    return tuple(aside)


def _carried(folder: str, info: str) -> Iterator[str]:
    """Yield the folders of metadata, other than its own, in which the RECORD of a distribution lists files: at the top, or anywhere below."""
    try:
        with open(f"{folder}/{info}/RECORD", "rb") as file:
            record = file.read()
    except OSError:
        return
    told: set[str] = set()
    for line in _lines_of_metadata(record, os.fsencode(f"{info}/").lower()):
        *parents, _ = _path_of(line).split("/")
        for number, parent in enumerate(parents, start=1):
            if not _METADATA_FOLDER.search(parent):
                continue
            told = told or {os.path.realpath(f"{folder}/{info}").lower()}  # slow, and most have no such line
            path = os.path.normpath(os.path.join(folder, "/".join(parents[:number])))
            if (place := os.path.realpath(path).lower()) not in told:
                told.add(place)
                yield path


def _lines_of_metadata(record: bytes, own: bytes) -> Iterator[bytes]:
    """Yield the lines of RECORD that may list a file in a folder of metadata; not those of files in the distribution's own folder."""
    lowered = record.lower().replace(b"\r", b"\n").replace(b"\\", b"/")  # as long as before
    for sought in (b"-info/", b'"'):  # a quotation mark may stand anywhere in a name
        at = lowered.find(sought)
        while at >= 0:
            start, end = lowered.rfind(b"\n", 0, at) + 1, lowered.find(b"\n", at)
            end = len(record) if end < 0 else end
            # Nearly all lines, and the only ones of most distributions
            if sought == b'"' or not lowered.startswith(own, start) or lowered.find(sought, start + len(own), end) >= 0:
                yield record[start:end]
            at = lowered.find(sought, end)


def _path_of(line: bytes) -> str:
    """Return the path in a line of RECORD."""
    from csv import Error, reader  # for the few lines that need it

    text = os.fsdecode(line)
    try:
        path = next(reader([text]))[0]
    except Error:
        path = text
    return path.replace("\\", "/")


# Asked where the configuration names the distributions that it trusts


def doubt_about(found: FoundEntryPoint, *, thorough: bool) -> str | None:
    """Return why an entry point may not be of the distribution whose name its metadata give, or None if all speaks for it.

    The folder of the metadata has to be called as its METADATA say. The module that the entry point names has to be one that RECORD
    lists, and the one that Python would import. An editable install lists none: there the module has to lie in the folder that
    `direct_url.json` names, and RECORD has to list the `.pth` file or finder that leads there.

    Args:
        found: The entry point.
        thorough: Whether Python's finders are asked what would be imported now, which takes ten times as long as reading RECORD. Of an
            editable install they are asked in any case.
    """
    try:
        if found.doubt is None:
            found.doubt = _doubt_of_metadata(found)
        reason, editable = found.doubt
        if reason is not None or not (thorough or editable is not None):
            return reason
        return _displaced(found, _listed(found), editable)
    except (OSError, ValueError):
        return f"the metadata of {found.distribution} cannot be read: reinstall it"


def _doubt_of_metadata(found: FoundEntryPoint) -> tuple[str | None, str | None]:
    """Return what the metadata say against an entry point, and the folder of the project of an editable install."""
    if not found.folder:  # what the index and a worker know of it does not tell where it lies
        where = "is not installed in a folder of sys.path (as where it lies in an archive)"
        return f"{found.distribution} {where}, so that its name cannot be checked: install it with pip", None
    listed = _listed(found)
    where = os.path.join(found.folder, found.info)
    if project_name(found.folder, found.info) != found.project:
        fix = "find out what installed it, and remove it"
        return f"{where} says that it is {found.distribution}, and is not called so: {fix}", None
    if any(each in listed for each in _files_of(found.module)):
        return None, None
    editable = editable_folder(found.source) if _leads_elsewhere(listed) else None
    if editable is not None:
        return None, editable
    fix = f"reinstall {found.distribution}, or remove {where}"
    return f"RECORD of {where} does not list {found.module}, which its entry point names: {fix}", None


def _listed(found: FoundEntryPoint) -> frozenset[str]:
    try:  # without importlib.metadata, which takes longer than all of this
        with open(f"{found.folder}/{found.info}/RECORD", encoding="utf-8", newline="") as file:
            return recorded_files(file.read())
    except (FileNotFoundError, NotADirectoryError):
        return frozenset()


def recorded_files(record: str) -> frozenset[str]:
    """Return the paths that RECORD lists.

    Raises:
        ValueError: It is not a table of comma-separated values.
    """
    from csv import Error, reader  # only where a configuration asks for it

    try:
        return frozenset(row[0].replace("\\", "/") for row in reader(record.splitlines()) if row)
    except Error as error:
        raise ValueError(f"RECORD cannot be read: {error}") from error


def _leads_elsewhere(listed: Iterable[str]) -> bool:
    """Return whether RECORD lists what makes the code of another folder importable."""
    return any("/" not in each and (each.endswith(".pth") or each.startswith("__editable__")) for each in listed)


def _files_of(module: str) -> tuple[str, ...]:
    """Return the paths that the file of a module may have, relative to its entry of `sys.path`."""
    from importlib.machinery import all_suffixes

    path = module.replace(".", "/")
    return tuple(f"{path}{end}{suffix}" for suffix in all_suffixes() for end in ("", "/__init__"))


def _displaced(found: FoundEntryPoint, listed: Collection[str], editable: str | None) -> str | None:
    """Return why Python would not import the distribution's own file, or run another package above it first; None if it imports that.

    A package above the module may be another distribution's, where that is installed in the same folder.
    """
    from fcregistry.discovery._shadows import run_by  # Python's finders, only where a configuration asks for it

    parts, folder = found.module.split("."), str(found.source.locate_file(""))
    for number, origin in enumerate(run_by(found.module), start=1):
        if origin is None:  # a namespace, which runs nothing; or not there, which the import tells
            continue
        files = [each for each in _files_of(".".join(parts[:number])) if number < len(parts) or each in listed]
        if not (_is_one_of(origin, [os.path.join(folder, each) for each in files]) or _is_below(origin, editable)):
            which = ".".join(parts[:number])
            return f"{origin} would be imported as {which} in place of what was installed of {found.distribution}: remove it"
    return None


def _is_one_of(path: str, files: Collection[str]) -> bool:
    return path in files or os.path.realpath(path) in map(os.path.realpath, files)


def _is_below(path: str, folder: str | None) -> bool:
    return bool(folder) and os.path.realpath(path).startswith(os.path.join(os.path.realpath(str(folder)), ""))
