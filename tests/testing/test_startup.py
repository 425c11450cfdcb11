"""The cost of the pytest plugin, which pytest imports in every run."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .conftest import Project

IMPORTED = """
    import sys
    from importlib.metadata import entry_points
    (plugin,) = entry_points(group="pytest11", name="fcregistry")
    before = set(sys.modules)
    plugin.load()
    answer = sorted(set(sys.modules) - before)
"""
LATER = """
import sys

def test_nothing_of_fcregistry_is_loaded():
    loaded = [name for name in sys.modules if name.partition(".")[0] in ("fcregistry", "hypothesis", "jsonschema", "jsonschema_rs")]
    assert len(loaded) <= 7, loaded
    assert {name.partition(".")[0] for name in loaded} == {"fcregistry"}
"""


def test_importing_the_plugin_imports_nothing(project: Project) -> None:
    """It imports no module of the standard library either."""
    imported = project.site.ask(IMPORTED)
    imported = [name for name in imported if not name.startswith("__")]
    assert len(imported) <= 7, imported
    assert {name.partition(".")[0] for name in imported} == {"fcregistry"}


def test_a_run_without_the_option_loads_nothing_else_of_fcregistry(project: Project) -> None:
    """It loads no dependency either."""
    project.write({"test_own.py": LATER})
    run = project.pytest("-p", "no:hypothesispytest")
    assert run.status == 0, run.text
