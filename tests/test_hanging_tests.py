"""A test that hangs ends its process, which prints all stacks; the other tests of the run go on."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SETTINGS = Path(__file__).parents[1] / "pyproject.toml"
LIMIT = "PYTEST_ADDOPTS"
"""The environment variable with options of pytest, by which a developer changes the limit."""

HANGING = {
    "holds": "import re\ndef test_holds_the_lock():\n    re.match('(a+)+$', 64 * 'a' + 'b')\n",
    "waits": "import threading\ndef test_waits_for_a_lock():\n    lock = threading.Lock()\n    lock.acquire()\n    lock.acquire()\n",
}
"""Tests that hang in C: with the interpreter's lock, where no other thread runs and no signal acts, and without it."""

OTHERS = "def test_before():\n    pass\n{}\ndef test_after():\n    pass\n"


ends_hanging_tests = pytest.mark.skipif(
    tuple(map(int, pytest.__version__.split(".")[:1])) < (9,), reason="pytest 8 prints the stacks, and goes on"
)


def run_hanging(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run the tests in a folder as those of this repository, each with a limit of 15 seconds."""
    for name, code in HANGING.items():
        (folder / f"test_{name}.py").write_text(OTHERS.format(code))
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    without_others = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # which would take half of the time
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-c", str(SETTINGS), "--rootdir=.", "-p", "xdist.plugin", *options],
        env={**environment, **without_others, LIMIT: "-o faulthandler_timeout=15"},
        cwd=folder,
        capture_output=True,
        text=True,
    )


@ends_hanging_tests
def test_a_test_that_hangs_in_c_ends_its_worker_and_no_other_test(tmp_path: Path) -> None:
    done = run_hanging(tmp_path, "-n", "2", "--dist=worksteal", ".")
    assert done.returncode == 1
    assert "2 failed, 4 passed" in done.stdout.splitlines()[-1]
    for name in ("holds.py::test_holds_the_lock", "waits.py::test_waits_for_a_lock"):
        assert f"crashed while running 'test_{name}'" in done.stdout
        assert f"in {name.partition('::')[2]}\n" in done.stderr
    assert done.stderr.count("Timeout (0:00:15)!") == 2


@ends_hanging_tests
def test_without_workers_a_test_that_hangs_ends_the_run_with_an_error(tmp_path: Path) -> None:
    done = run_hanging(tmp_path, "-n", "0", "test_waits.py")
    assert done.returncode == 1
    assert "in test_waits_for_a_lock\n" in done.stderr
    assert "passed" not in done.stdout
