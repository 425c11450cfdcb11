"""When is what the index says as it stands a list of tools, and when is it left to the registry?"""

from __future__ import annotations

import pytest

from fcregistry.discovery import FoundPlugin
from fcregistry.discovery._listing import _are_apart

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
def test_of_two_tools_with_one_id_the_registry_says_which_stands(
    tools: tuple[tuple[FoundPlugin, str], ...], are_apart: bool
) -> None:
    """Of one plugin, or of two of one distribution; tools of other distributions are others."""
    assert _are_apart([("1", plugin, name, "", "") for plugin, name in tools]) is are_apart
