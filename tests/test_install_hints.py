"""The commands that errors name install from where fcregistry itself came from: an index, a folder or a wheel file."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fcregistry._base.install import install_command

Source = Callable[[dict[str, Any] | None], None]


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Source:
    """Write pip's record of where fcregistry came from, first on the path."""
    info = tmp_path / "site" / "fcregistry-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: fcregistry\nVersion: 1.0\n", encoding="utf-8")
    monkeypatch.setattr(sys, "path", [str(info.parent), *sys.path])

    def record(source: dict[str, Any] | None) -> None:
        if source is not None:
            (info / "direct_url.json").write_text(json.dumps(source), encoding="utf-8")

    return record


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout in a folder with a space, with one plugin."""
    folder = tmp_path / "check out"
    plugin = folder / "plugins" / "fcregistry-llama"
    plugin.mkdir(parents=True)
    (plugin / "pyproject.toml").touch()
    return folder


def test_commands_for_an_index_name_the_distribution(installed: Source) -> None:
    installed(None)
    assert install_command("fcregistry[yaml]") == 'pip install "fcregistry[yaml]"'
    assert install_command("fcregistry-llama") == "pip install fcregistry-llama"


def test_commands_for_a_folder_name_it_and_the_plugins_in_it(installed: Source, checkout: Path) -> None:
    installed({"url": checkout.as_uri(), "dir_info": {}})
    assert install_command("fcregistry[yaml]") == f'pip install "{checkout}[yaml]"'
    assert install_command("fcregistry-llama") == f'pip install "{checkout}/plugins/fcregistry-llama"'
    assert install_command("acme-weather") == "pip install acme-weather"


def test_an_editable_install_stays_editable(installed: Source, checkout: Path) -> None:
    installed({"url": checkout.as_uri(), "dir_info": {"editable": True}})
    assert install_command("fcregistry[yaml]") == f'pip install --editable "{checkout}[yaml]"'


def test_commands_for_a_wheel_file_name_it_and_the_newest_wheels_beside_it(installed: Source, tmp_path: Path) -> None:
    wheel, plugin = tmp_path / "fcregistry-1.0-py3-none-any.whl", tmp_path / "fcregistry_llama-0.1-py3-none-any.whl"
    wheel.touch()
    plugin.touch()
    installed({"url": wheel.as_uri(), "archive_info": {}})
    assert install_command("fcregistry[yaml]") == f'pip install "{wheel}[yaml]"'
    assert install_command("fcregistry-llama") == f"pip install {plugin}"
    assert install_command("fcregistry-http") == "pip install fcregistry-http"


@pytest.mark.parametrize(
    "source",
    [
        {"url": "file:///no/such/folder", "dir_info": {}},
        {"url": "https://example.com/fcregistry-1.0-py3-none-any.whl", "archive_info": {}},
        {"url": "file:///", "vcs_info": {"vcs": "git", "commit_id": "0"}},
    ],
    ids=["a folder that was removed", "another machine", "a repository"],
)
def test_what_is_not_a_file_here_counts_as_an_index(installed: Source, source: dict[str, Any]) -> None:
    """pip takes the installed fcregistry for `fcregistry[yaml]`, wherever that came from."""
    installed(source)
    assert install_command("fcregistry[yaml]") == 'pip install "fcregistry[yaml]"'


def test_a_path_that_a_shell_would_expand_is_in_single_quotes(installed: Source, tmp_path: Path) -> None:
    folder = tmp_path / "$HOME"
    folder.mkdir()
    installed({"url": folder.as_uri(), "dir_info": {}})
    assert install_command("fcregistry[yaml]") == f"pip install '{folder}[yaml]'"
