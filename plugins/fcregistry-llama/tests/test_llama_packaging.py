"""The distribution declares what it ships: an extension for the models `llama:…`, and the marker for type checkers."""

from __future__ import annotations

import re
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


def test_the_entry_point_is_named_after_the_prefix_of_its_models(project: dict[str, Any]) -> None:
    assert project["entry-points"] == {"fcregistry.extensions": {"llama": "fcregistry_llama.extension"}}
    assert import_module("fcregistry_llama.extension").__all__ == ["fc_resolve_model"]


def test_it_is_found_where_it_is_installed() -> None:
    found = [(each.distribution, each.entry_point, each.value) for each in find_extensions()]
    assert ("fcregistry-llama", "llama", "fcregistry_llama.extension") in found


def test_type_checkers_find_the_marker() -> None:
    """`py.typed` lies in the package (PEP 561)."""
    assert (ROOT / "fcregistry_llama" / "py.typed").is_file()


def test_the_readme_says_what_happens(smollm2: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its examples run, with the model that is in the cache already."""
    monkeypatch.setenv("FCREGISTRY_CACHE_DIR", str(smollm2.parent.parent))
    names: dict[str, Any] = {}
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    examples = re.findall(r"^```python\n(.*?)^```", readme, re.MULTILINE | re.DOTALL)
    for example in examples:
        exec(example, names)  # noqa: S102  # our own text
    assert len(examples) == readme.count("```python")
    assert names["call"].name == "get_weather"
