"""What the distribution declares, and what importing it costs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import fcregistry_mcp

ROOT = Path(__file__).parent.parent


def test_type_checkers_find_the_marker() -> None:
    assert (ROOT / "fcregistry_mcp" / "py.typed").is_file()


def test_importing_it_imports_no_sdk() -> None:
    code = "import sys, fcregistry_mcp; print([name for name in ('mcp', 'pydantic', 'asyncio') if name in sys.modules])"
    path = f"{ROOT}"
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {path!r}); {code}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "[]\n", done.stderr


def test_its_names_are_there_and_no_others() -> None:
    assert {*fcregistry_mcp.__all__} <= {*dir(fcregistry_mcp)}
    assert all(getattr(fcregistry_mcp, name).__name__ == name for name in fcregistry_mcp.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = fcregistry_mcp.nothing
