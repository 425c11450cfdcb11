"""The plugins of this repository keep every rule, checked as any plugin is."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from .conftest import ROOT, Project

if TYPE_CHECKING:
    from tests.conftest import Site

PLUGINS = [
    path.parent
    for path in sorted(ROOT.glob("plugins/*/pyproject.toml"))
    if "fcregistry" in tomllib.loads(path.read_text(encoding="utf-8"))["project"].get("entry-points", {})
]


@pytest.mark.parametrize("plugin", PLUGINS, ids=lambda plugin: plugin.name)
def test_a_plugin_of_fcregistry_passes_where_it_is_developed(site: Site, plugin: Path) -> None:
    """It is checked in its own folder, with its own settings of pytest, as an editable install."""
    project = tomllib.loads((plugin / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    info = site.install(project["name"], project["entry-points"]["fcregistry"])
    (info / "direct_url.json").write_text(json.dumps({"url": plugin.as_uri(), "dir_info": {"editable": True}}))
    site.path.insert(1, plugin)
    options = ("--fcregistry-examples=20", "-m", "fcregistry", "-p", "no:cacheprovider")
    run = Project(plugin, site).pytest("--fcregistry", *options)
    assert run.status == 0, run.text
    assert set(run.outcomes.values()) == {"PASSED"}
    assert len(run.outcomes) >= 10  # one for its entry point, and nine rules for a single tool
