"""Installs a distribution as pip does, with a RECORD of its files."""

from __future__ import annotations

import hashlib
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Site


def install(
    site: Site, name: str, entry_points: Mapping[str, str], files: Mapping[str, str], *, version: str = "1.0"
) -> Path:
    """Install a distribution whose files are recorded, and return its `*.dist-info` folder."""
    info = site.install(name, entry_points, files, version=version)
    record(site, info, files)
    return info


def record(site: Site, info: Path, files: Mapping[str, str]) -> None:
    """Write the RECORD of these files and of the metadata, as they are now."""
    (info / "INSTALLER").write_text("pip\n")
    (info / "RECORD").unlink(missing_ok=True)
    packages = {(site.folder / file).parent / "__init__.py" for file in files} - {site.folder / "__init__.py"}
    paths = {*info.iterdir(), *(site.folder / file for file in files), *(each for each in packages if each.exists())}
    lines = [_line(site.folder, path) for path in sorted(paths)]
    (info / "RECORD").write_text("\n".join([*lines, "../../bin/program,sha256=abc,3", f"{info.name}/RECORD,,", ""]))


def _line(folder: Path, path: Path) -> str:
    content = path.read_bytes()
    digest = urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{path.relative_to(folder).as_posix()},sha256={digest},{len(content)}"
