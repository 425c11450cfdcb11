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
def test_two_hundred_random_kills_lose_nothing(tmp_path: Path) -> None:
    """Every kill hits a writer in the middle of replacing, editing, patching, moving or deleting a file."""
    done = subprocess.run(
        [sys.executable, str(SCRIPT), str(tmp_path / "root"), "200", str(int.from_bytes(os.urandom(4)))],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, f"{done.args}\n{done.stdout}{done.stderr}"
    told = json.loads(done.stdout)
    assert sum(told["kills"].values()) == 200
    assert told["unfinished"] > 0, "no kill hit a writer between the first byte and the rename"
