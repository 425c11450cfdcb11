"""Folders of distributions whose commands are forked: these tests run many on one folder."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tests.conftest import Site
from tests.forking import ForkingSite

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def site(tmp_path: Path, dependencies: Path) -> Iterator[Site]:
    """An empty folder of distributions."""
    made = (
        ForkingSite(tmp_path / "site", dependencies) if hasattr(os, "fork") else Site(tmp_path / "site", dependencies)
    )
    yield made
    if isinstance(made, ForkingSite):
        made.close()
