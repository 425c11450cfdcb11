"""Output and exit codes of `fcregistry search`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.conftest import Site


def test_search_has_a_line_for_each_tool_best_first(shop: Site) -> None:
    """As `list` writes them."""
    done = shop.cli("search", "order something")
    assert (done.returncode, done.stderr) == (0, "")
    head, *lines = done.stdout.splitlines()
    assert head.split() == ["NAME", "FROM", "SUMMARY"]
    assert lines[0].split(maxsplit=2) == ["order", "acme-shop", "Order something."]
    assert any("(deprecated) Look something up." in line for line in lines)


def test_words_may_be_several_and_misspelt(shop: Site) -> None:
    done = shop.cli("search", "delete", "a", "fiel", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    best = json.loads(done.stdout)[0]
    assert best["id"] == "acme-shop:danger"
    assert set(best["parameters"]["properties"]) == {"path"}


def test_equal_tools_are_sorted_by_id(shop: Site) -> None:
    """Both plugins ship one; `--in` looks at some tools only."""
    both = json.loads(shop.cli("search", "web lookup query", "--json").stdout)
    assert {tool["id"] for tool in both[:2]} == {"acme-shop:search.web.lookup", "other:search.web.lookup"}
    (one,) = json.loads(shop.cli("search", "lookup", "--in", "search.*", "--in", "!acme-shop:*", "--json").stdout)
    assert one["id"] == "other:search.web.lookup"


def test_limit_is_how_many_are_shown(shop: Site) -> None:
    assert len(json.loads(shop.cli("search", "return", "--limit", "2", "--json").stdout)) == 2


@pytest.mark.parametrize("words", ["secret", '🎉 * " qq('])
def test_where_nothing_is_found_it_says_so(shop: Site, words: str) -> None:
    """Status 1, as grep has it, and an empty list in JSON. A tool whose environment is not set is not shown."""
    done = shop.cli("search", words, "--json")
    assert (done.returncode, done.stdout) == (1, "[]\n")
    assert done.stderr.startswith(f"No tool matches {words!r}")


def test_a_selector_that_names_nothing_is_an_error(shop: Site) -> None:
    done = shop.cli("search", "weather", "--in", "nobody:*")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("Error: the selector 'nobody:*' matches no tool")
