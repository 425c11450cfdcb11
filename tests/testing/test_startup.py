"""What does everybody pay whose environment has fcregistry and pytest? pytest imports our plugin in every run."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .conftest import Project

IMPORTED = """
    import sys
    before = set(sys.modules)
    import fcregistry.testing._pytest_plugin
    answer = sorted(set(sys.modules) - before)
"""
LATER = """
import sys

def test_nothing_of_ours_is_loaded():
    loaded = sorted(name for name in sys.modules if name.partition(".")[0] in ("fcregistry", "hypothesis", "jsonschema", "jsonschema_rs"))
    assert loaded == {expected}
"""
OURS = [
    "fcregistry",
    "fcregistry._base",
    "fcregistry._base.slots",
    "fcregistry._wiring",
    "fcregistry.testing",
    "fcregistry.testing._pytest_plugin",
]


def test_importing_the_plugin_imports_nothing(project: Project) -> None:
    """Not even from the standard library."""
    imported = project.site.ask(IMPORTED)
    assert [name for name in imported if not name.startswith("__")] == OURS


def test_a_run_without_the_option_loads_nothing_else_of_ours(project: Project) -> None:
    """Nor what we depend on."""
    project.write({"test_own.py": LATER.format(expected=OURS)})
    run = project.pytest("-p", "no:hypothesispytest")
    assert run.status == 0, run.text
