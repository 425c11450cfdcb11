"""Cached definitions: each caller gets its own copy, and no tool lives longer because of them."""

from __future__ import annotations

import gc
import weakref

import pytest

from fcregistry import Tool, formats


def tool(name: str = "add") -> Tool:
    def add(a: int, b: list[int] | None = None) -> int:
        """Add two numbers."""
        return a

    return Tool.from_function(add, name=name)


@pytest.mark.parametrize("format", formats.names())
def test_a_definition_is_the_same_each_time_and_its_own(format: str) -> None:
    each = tool()
    first, second, other = each.definition(format), each.definition(format), tool().definition(format)

    assert first == second == other
    assert type(first) is type(second)
    assert first.dropped == second.dropped == other.dropped
    if isinstance(first, dict):
        spoil(first)
        assert each.definition(format) == other


def spoil(value: object) -> None:
    """Change everything that can be."""
    if isinstance(value, dict):
        for inner in value.values():
            spoil(inner)
        value["spoiled"] = True
    elif isinstance(value, list):
        for inner in value:
            spoil(inner)
        value.append("spoiled")


def test_ways_of_rendering_and_names_are_not_mixed_up() -> None:
    each = tool()
    assert each.definition("openai", strict=True) != each.definition("openai")
    assert each.definition("openai") != each.definition("anthropic")
    assert each.renamed("plus").definition("openai")["function"]["name"] == "plus"
    assert each.definition("openai")["function"]["name"] == "add"


def test_a_tool_does_not_live_longer_because_it_was_described() -> None:
    each = tool()
    each.definition("openai")
    gone = weakref.ref(each)
    del each
    gc.collect()
    assert gone() is None
