"""Which tools does a wheel ship? It is not installed, and nothing in it is run: its manifest says it."""

from __future__ import annotations

import zipfile
import zlib
from email.parser import HeaderParser
from lzma import LZMAError
from pathlib import Path
from typing import Final

from fcregistry.discovery._manifests._places import FILE
from fcregistry.errors import ConfigurationError
from fcregistry.inspection._diff._sources import Shipped, manifest_content, of_manifests

_MOST_BYTES: Final = 32 * 2**20
"""Of what is read of a wheel, unpacked: a small file may hold very much."""

_DAMAGED: Final = (
    *(zipfile.BadZipFile, zlib.error, LZMAError, EOFError, OSError),
    *(UnicodeDecodeError, NotImplementedError, RuntimeError),
)
"""What reading a zip file raises where it is damaged, encrypted, or packed in a way that is not known here."""


def read_wheel(path: Path) -> Shipped:
    """Return what a wheel ships, as its manifests say.

    Source: the Binary Distribution Format of the Python Packaging User Guide.

    Raises:
        ConfigurationError: It is no wheel, is damaged, or has no manifest; says how to add one.
    """
    try:
        with zipfile.ZipFile(path) as wheel:
            return _read(path, wheel)
    except _DAMAGED as error:
        raise ConfigurationError(f"{path} is damaged, or no wheel: {error}") from error


def _read(path: Path, wheel: zipfile.ZipFile) -> Shipped:
    names = sorted(wheel.namelist())
    metadata = [name for name in names if name.endswith(".dist-info/METADATA") and name.count("/") == 1]
    if len(metadata) != 1:
        raise ConfigurationError(f"{path} is a zip file and no wheel: it has no dist-info folder with METADATA")
    manifests = [name for name in names if name.endswith((f"/{FILE}", f".{FILE}"))]
    due = sum(wheel.getinfo(name).file_size for name in (*metadata, *manifests))
    if due > _MOST_BYTES:
        raise ConfigurationError(f"{path} has metadata and manifests of {due} bytes; at most {_MOST_BYTES} are read")
    said = HeaderParser().parsestr(wheel.read(metadata[0]).decode("utf-8"))
    if not manifests:
        raise ConfigurationError(
            f"{path} has no manifest, so its tools cannot be told without running its code: `fcregistry manifest build` in "
            f"its project adds one to the next wheel; or install this one, and give the name {said['Name']!r} instead"
        )
    contents = [manifest_content(f"{name} in {path}", wheel.read(name).decode("utf-8")) for name in manifests]
    return of_manifests(contents, said["Version"])
