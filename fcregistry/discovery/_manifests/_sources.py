"""Which state of the code does a manifest describe? A digest of each source file says it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Final

_VERSION_LINE: Final = re.compile(
    rb"^(?:version|version_tuple|commit_id|__(?:version|version_tuple|commit_id)__)\b[^=\n]*=.*$", re.MULTILINE
)


def source_digest(data: bytes, name: str) -> str:
    """Return the SHA-256, in hexadecimal, of a source file.

    The line ends are those of Unix, because some checkouts change them. In Python files, lines that give the version
    (`__version__ = …`) are left empty, so that a release needs no new manifest.

    Args:
        data: What stands in the file.
        name: Its name; the suffix tells a Python file.
    """
    data = data.replace(b"\r\n", b"\n")
    if name.endswith(".py"):
        data = _VERSION_LINE.sub(b"", data)
    return sha256(data).hexdigest()


def changed_sources(folder: Path, sources: Mapping[str, str]) -> tuple[str, ...]:
    """Return the names of sources that are not there, or have another digest; sorted.

    Args:
        folder: What the names are relative to.
        sources: Name -> digest.
    """
    return tuple(sorted(name for name, digest in sources.items() if _digest_in(folder, name) != digest))


def _digest_in(folder: Path, name: str) -> str | None:
    try:
        return source_digest((folder / name).read_bytes(), name)
    except OSError:
        return None
