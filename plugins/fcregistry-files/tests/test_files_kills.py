"""A writer may be killed at any moment: no file is half-written, and none is lost."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("killed_writer.py")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills processes that were made by fork")
def test_a_kill_before_any_system_call_loses_nothing(tmp_path: Path) -> None:
    """Writers replace, edit, patch, move, delete or restore a file; of each kind, some are killed before the change, and some after it."""
    done = subprocess.run(
        [sys.executable, str(SCRIPT), str(tmp_path / "root")], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, f"{done.stdout}{done.stderr}"
    counted = json.loads(done.stdout)
    assert set(counted) == {"replaced", "edited", "patched", "moved", "deleted", "restored"}
    assert all(0 < each["changed"] < each["killed"] for each in counted.values()), counted
    assert all(counted[kind]["unfinished"] > 0 for kind in counted if kind != "moved"), counted
