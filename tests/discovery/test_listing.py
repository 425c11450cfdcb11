"""Lists of tools that are read from the index alone."""

from __future__ import annotations

import pytest

from fcregistry.discovery._index import has_environment  # a table of cases, without a plugin for each


def test_options_are_read_from_their_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tag that only looks like an option is not one."""
    monkeypatch.delenv("ZOO_KEY", raising=False)
    assert not has_environment('{"requires_env": ["ZOO_KEY"]}')
    assert has_environment('{"tags": ["requires_env"]}')
    monkeypatch.setenv("ZOO_KEY", "1")
    assert has_environment('{"requires_env": "ZOO_KEY"}')
