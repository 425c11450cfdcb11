"""The distribution declares what it ships: an entry point that imports, and the marker for type checkers."""

import tomllib
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture
def project() -> dict[str, Any]:
    """The project table of the distribution."""
    table: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return table


def test_the_entry_point_is_the_module_with_the_tools(project: dict[str, Any]) -> None:
    """What the entry point names can be imported and holds the tools under their names."""
    assert project["entry-points"] == {"fcregistry": {"calculator": "fcregistry_calculator.tools"}}
    module = import_module(project["entry-points"]["fcregistry"]["calculator"])
    assert module.__all__ == ["add_up", "calculate", "divide", "multiply", "power", "subtract"]
    assert all(callable(getattr(module, name)) for name in module.__all__)


def test_type_checkers_find_the_marker() -> None:
    """`py.typed` lies in the package (PEP 561)."""
    assert (ROOT / "fcregistry_calculator" / "py.typed").is_file()
