"""Plugins that write down that they are imported, whichever process does it."""

from __future__ import annotations

from textwrap import dedent
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tests.conftest import Site

_LOG = """
import os
with open(os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + "/imported", "a") as log:
    log.write(__name__ + "\\n")
from fcregistry import fc_register
"""


def tool(name: str, *, answer: str = "", says: str = "Answer.") -> str:
    """Return the source of a tool without parameters."""
    return f"\n@fc_register\ndef {name}() -> str:\n    {says!r}\n    return {answer or name!r}\n"


def install(
    site: Site,
    name: str,
    code: str | None = None,
    *,
    version: str = "1.0",
    files: Mapping[str, str] | None = None,
) -> Path:
    """Install a distribution with a plugin `x`, whose module `NAME_tools` logs its import, and return that module's file.

    Args:
        site: Where.
        name: The distribution's name.
        code: What the module holds after that; a tool `say_NAME`, if it is not given.
        version: The distribution's version.
        files: What else lies in the folder.
    """
    text = dedent(code) if code is not None else tool(f"say_{name}")
    site.install(name, {"x": f"{name}_tools"}, {f"{name}_tools.py": _LOG + text, **(files or {})}, version=version)
    return site.folder / f"{name}_tools.py"


def imported(site: Site) -> list[str]:
    """Return the plugins' modules that were imported since this was asked last, in that order."""
    log = site.folder.parent / "imported"
    if not log.exists():
        return []
    names = log.read_text(encoding="utf-8").split()
    log.unlink()
    return names
