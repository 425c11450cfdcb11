"""Lists of tools that are read from the index alone."""

from __future__ import annotations

import pytest

from fcregistry.discovery import FoundPlugin
from fcregistry.discovery._listing import (  # a table of cases, without a plugin for each
    _are_apart,
    _has_environment,
    _is_deprecated,
)

ZOO = FoundPlugin(distribution="zoo", version="1", entry_point="tools", value="zoo")
OTHER = FoundPlugin(distribution="zoo", version="1", entry_point="more", value="zoo.more")
ACME = FoundPlugin(distribution="acme", version="1", entry_point="tools", value="acme")


@pytest.mark.parametrize(
    ("tools", "are_apart"),
    [
        ((), True),
        (((ACME, "walk"), (ZOO, "walk")), True),
        (((ZOO, "feed"), (ZOO, "walk")), True),
        (((ZOO, "walk"), (ZOO, "walk")), False),
        (((OTHER, "walk"), (ZOO, "walk")), False),
        (((ACME, "feed"), (OTHER, "walk"), (ZOO, "walk")), False),
    ],
)
def test_two_tools_with_one_id_are_left_to_the_registry(
    tools: tuple[tuple[FoundPlugin, str], ...], are_apart: bool
) -> None:
    """Of one plugin, or of two of one distribution; tools of other distributions are others."""
    assert _are_apart([(1, plugin, name, "", "") for plugin, name in tools]) is are_apart


def test_options_are_read_from_their_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tag that only looks like an option is not one."""
    monkeypatch.delenv("ZOO_KEY", raising=False)
    assert not _has_environment('{"requires_env": ["ZOO_KEY"]}')
    assert _has_environment('{"tags": ["requires_env"]}')
    assert not _is_deprecated('{"tags": ["deprecated"]}')
    monkeypatch.setenv("ZOO_KEY", "1")
    assert _has_environment('{"requires_env": "ZOO_KEY"}')
    assert _is_deprecated('{"deprecated": "use walk"}')
