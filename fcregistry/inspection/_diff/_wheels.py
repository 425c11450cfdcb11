"""Which tools does a wheel ship? It is not installed, and nothing in it is run: its manifest says it."""

from __future__ import annotations

import re
import zipfile
import zlib
from email.message import Message
from email.parser import HeaderParser
from itertools import pairwise
from pathlib import Path
from typing import Final

from fcregistry._base.messages import show
from fcregistry._tools.selectors import normalized
from fcregistry.discovery._manifest import FILE, MOST_BYTES, read_bounded
from fcregistry.errors import ConfigurationError
from fcregistry.inspection._diff._bump import read_version
from fcregistry.inspection._diff._sources import Shipped, manifest_content, of_manifests

_MOST_METADATA: Final = 2 * 2**20
"""Bytes of METADATA, unpacked: a small file may hold very much."""
_INFO: Final = ".dist-info"
_LEAST_DASHES: Final = 4
"""In the name of a wheel's file: between distribution, version, and the three tags."""

_DAMAGED: Final = (
    *(zipfile.BadZipFile, zlib.error, EOFError, OSError),
    *(UnicodeDecodeError, NotImplementedError, RuntimeError),
)
"""What reading a zip file raises where it is damaged, encrypted, or packed in a way that is not known here."""


def read_wheel(path: Path) -> Shipped:
    """Return what a wheel ships, as its manifests say.

    Source: the Binary Distribution Format of the Python Packaging User Guide.

    Raises:
        ConfigurationError: It is no wheel, is damaged, tells of several distributions, or has no manifest; says how to add one.
    """
    try:
        with zipfile.ZipFile(path) as wheel:
            return _read(path, wheel)
    except _DAMAGED as error:
        raise ConfigurationError(f"{path} is damaged, or no wheel: {error}") from error


def _read(path: Path, wheel: zipfile.ZipFile) -> Shipped:
    names = _names(path, wheel)
    info = _info_folder(path, names)
    said = HeaderParser().parsestr(_text(path, wheel, f"{info}/METADATA", _MOST_METADATA))
    distribution, version = (_header(path, said, name) for name in ("Name", "Version"))
    _check_names(path, info, distribution, version)
    manifests = [name for name in names if name.endswith((f"/{FILE}", f".{FILE}"))]
    if not manifests:
        raise ConfigurationError(
            f"{path} has no manifest, so its tools cannot be told without running its code: `fcregistry manifest build` in "
            f"its project adds one to the next wheel; or install this one, and give the name {distribution!r} instead"
        )
    contents = []
    left = MOST_BYTES  # of all manifests together
    for name in manifests:
        text = _text(path, wheel, name, left)
        left -= len(text)
        content = manifest_content(f"{name} in {path}", text)
        if normalized(content["distribution"]) != normalized(distribution):
            raise ConfigurationError(
                f"{path} is a wheel of {distribution}, and {name} in it tells what {show(content['distribution'])} ships: "
                f"build the wheel anew, with the manifests of {distribution} alone"
            )
        contents.append(content)
    return of_manifests(contents, version)


def _names(path: Path, wheel: zipfile.ZipFile) -> list[str]:
    """Return the names of the files in a wheel, sorted: each once, and each inside of it."""
    names = sorted(wheel.namelist())
    for name, following in pairwise(names):
        if name == following:
            raise ConfigurationError(f"{path} is damaged, or no wheel: it has {show(name)} twice")
    for name in names:
        if any(part in ("", ".", "..") for part in name.removesuffix("/").split("/")) or "\\" in name:
            raise ConfigurationError(f"{path} is damaged, or no wheel: it has a file with the name {show(name)}")
    return names


def _info_folder(path: Path, names: list[str]) -> str:
    """Return the name of the dist-info folder: a wheel has one.

    Others count that an installer would put beside it: at the top, or anywhere in the folder `NAME-VERSION.data`. Those in packages do not.
    """
    folders = sorted({each for name in names if (each := _metadata_folder(name))})
    if len(folders) > 1:
        raise ConfigurationError(
            f"{path} has {len(folders)} dist-info folders, {' and '.join(map(show, folders[:2]))}; a wheel has one"
        )
    if not folders or f"{folders[0]}/METADATA" not in names:
        raise ConfigurationError(f"{path} is a zip file and no wheel: it has no dist-info folder with METADATA")
    return folders[0]


def _metadata_folder(name: str) -> str:
    """Return the folder of metadata that a file of a wheel is installed into; empty if it is none."""
    folders = name.split("/")[:-1]
    depth = len(folders) if folders and folders[0].lower().endswith(".data") else 1
    for number, folder in enumerate(folders[:depth], start=1):
        if f".{folder}".lower().endswith((_INFO, ".egg-info")):
            return "/".join(folders[:number])
    return ""


def _text(path: Path, wheel: zipfile.ZipFile, name: str, most: int) -> str:
    """Return the text of a file in a wheel. What its header says of its size is not believed."""
    if wheel.getinfo(name).compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ConfigurationError(
            f"{name} in {path} is compressed in another way than files of wheels are: with deflate"
        )
    try:
        with wheel.open(name) as file:
            return read_bounded(file, most)
    except UnicodeDecodeError:
        raise
    except ValueError as error:
        raise ConfigurationError(f"{name} in {path} cannot be used: {error}") from error


def _header(path: Path, said: Message, name: str) -> str:
    values = said.get_all(name, [])
    if len(values) != 1:
        raise ConfigurationError(
            f"{path} is damaged, or no wheel: its METADATA has {len(values)} lines {name}, not one"
        )
    return str(values[0]).strip()


def _check_names(path: Path, info: str, distribution: str, version: str) -> None:
    """See that METADATA, its folder and the wheel's file tell of one version of one distribution."""
    told = [(info, info[: -len(_INFO)].split("-"))]
    if path.suffix == ".whl" and path.stem.count("-") >= _LEAST_DASHES:
        told.append((path.name, path.stem.split("-")[:2]))
    for place, parts in told:
        if len(parts) != 2 or normalized(parts[0]) != normalized(distribution) or not _is_version(parts[1], version):
            raise ConfigurationError(
                f"{path} is damaged, or no wheel: its METADATA is of {show(distribution)} {show(version)}, and it has the name {show(place)}"
            )


def _is_version(written: str, version: str) -> bool:
    """Tell whether a part of a file's name is a version; other spellings of one are the same: `1.0_rc1` is `1.0.0rc1`."""
    one, other = read_version(written), read_version(version)
    if one is None or other is None:
        return written.replace("_", "-") == version.replace("_", "-")
    rests = [re.sub(r"[-_.]", "", each.rest).lower() for each in (one, other)]
    return (one.epoch, one.release, rests[0]) == (other.epoch, other.release, rests[1])
