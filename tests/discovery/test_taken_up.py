"""Plugins whose module the application imports itself."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.conftest import Site

TOOLS = """
    from fcregistry import fc_register

    @fc_register
    def add(a: int) -> int:
        "Add."
        return a
    """


def test_its_tools_exist_once_and_belong_to_the_plugin(site: Site) -> None:
    """What is declared by then is not described as well, whether it was described before or not."""
    site.install("acme", {"x": "acme_tools"}, {"acme_tools.py": TOOLS})
    site.write({"own_tools.py": "import acme_tools\n"})
    for _ in range(2):
        listed = site.cli("-m", "own_tools", "list", "--json")
        assert [each["id"] for each in json.loads(listed.stdout)] == ["acme:add"]
        assert site.cli("-m", "own_tools", "doctor").stdout == "All is well.\n"
        site.cli("list")


def test_an_object_that_its_entry_point_names_is_declared_then(site: Site) -> None:
    """As if the plugin had been loaded."""
    site.install(
        "acme", {"x": "acme_tools:plain"}, {"acme_tools.py": "def plain(a: int) -> int:\n    'Do.'\n    return a\n"}
    )
    answer = site.ask(
        """
        import acme_tools
        from fcregistry import registry
        answer = [tool.id for tool in registry.find()], registry.get("plain").function is acme_tools.plain
        """
    )
    assert answer == [["acme:plain"], True]
