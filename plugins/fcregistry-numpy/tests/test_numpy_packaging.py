"""The distribution declares what it ships: an extension for the module numpy, and the marker for type checkers."""

import contextlib
import io
import os
import re
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from fcregistry.discovery import find_extensions

ROOT = Path(__file__).parent.parent


@pytest.fixture
def project() -> dict[str, Any]:
    """The project table of the distribution."""
    table: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return table


def test_the_entry_point_names_the_extension_by_the_module_whose_types_it_reads(project: dict[str, Any]) -> None:
    assert project["entry-points"] == {"fcregistry.extensions": {"numpy": "fcregistry_numpy.extension"}}
    assert import_module("fcregistry_numpy.extension").__all__ == ["fc_register_types"]


def test_it_is_found_where_it_is_installed() -> None:
    found = [(each.distribution, each.entry_point, each.value) for each in find_extensions()]
    assert ("fcregistry-numpy", "numpy", "fcregistry_numpy.extension") in found


def test_type_checkers_find_the_marker() -> None:
    """`py.typed` lies in the package (PEP 561)."""
    assert (ROOT / "fcregistry_numpy" / "py.typed").is_file()


TOOL = '''
import numpy as np
from fcregistry import fc_register
from numpy.typing import NDArray


@fc_register
def column_means(rows: np.ndarray[tuple[int, int], np.dtype[np.float64]]) -> NDArray[np.float64]:
    """Return the mean of each column.

    Args:
        rows: The rows.
    """
    return rows.mean(axis=0)
'''


def test_a_plugin_takes_and_returns_arrays_on_the_command_line(tmp_path: Path) -> None:
    """It says nothing of this distribution: that both are installed is enough."""
    (tmp_path / "acme_stats.py").write_text(TOOL, encoding="utf-8")
    info = tmp_path / "acme_stats-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-stats\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text("[fcregistry]\nstats = acme_stats\n", encoding="utf-8")
    command = [sys.executable, "-m", "fcregistry", "call", "acme-stats:column_means", "--rows", "[[1, 2], [3, 4]]"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *filter(None, sys.path)])}
    done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("[2.0, 3.0]\n", "")


def test_the_readme_says_what_happens() -> None:
    """Its examples run, and what they print is what it shows."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    for example in re.findall(r"^```python\n(.*?)^```", readme, re.MULTILINE | re.DOTALL):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(example, names)  # noqa: S102  # our own text
        shown = "".join(f"{line[2:]}\n" for line in example.splitlines() if line.startswith("# "))
        assert printed.getvalue() == shown
