"""The scripts of benchmarks, which no other test runs: each can be imported with the project as it is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parent / "benchmarks"
SCRIPTS = sorted(each.stem for each in FOLDER.glob("*.py"))

IMPORTS = """
import importlib, json, sys
failed = {}
for name in sys.argv[1:]:
    try:
        importlib.import_module(name)
    except Exception as error:
        failed[name] = repr(error)
print(json.dumps(failed))
"""


def test_each_script_can_be_imported() -> None:
    """The peers apart, each of which imports a framework that is not installed here."""
    done = subprocess.run(
        [sys.executable, "-c", IMPORTS, *SCRIPTS],
        capture_output=True,
        cwd=FOLDER,
        env={**os.environ, "PYTHONPATH": str(FOLDER)},
        timeout=60,
    )
    assert "local_model" in SCRIPTS
    assert (done.stderr, json.loads(done.stdout)) == (b"", {})


def test_a_schema_can_be_built_as_if_its_types_were_new() -> None:
    """What is timed clears private caches of the package, which an import of the script does not touch."""
    code = "import schemas; schemas.build_first(schemas.place_order); schemas.build_first(schemas.get_current_weather)"
    environment = {**os.environ, "PYTHONPATH": str(FOLDER)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, cwd=FOLDER, env=environment, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")
