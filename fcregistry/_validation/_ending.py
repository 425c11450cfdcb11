"""Is every value done with some time? Not by a schema that applies itself to the same value, or far too many schemas to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fcregistry._base.messages import json_path
from fcregistry._validation._errors import SchemaError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fcregistry._validation._graph import Node

MOST_APPLIED: Final = 100_000
"""How many schemas may apply to one value: references that multiply could keep a validator busy for hours."""
MOST_LEVELS: Final = 100
"""How many may lie in each other, for one value: what jsonschema's recursion has room for in the interpreter's stack."""


def check_end(nodes: Iterable[Node]) -> None:
    """Look whether schemas can be applied to any value.

    Raises:
        SchemaError: One is applied without end, or they are too many.
    """
    effort: dict[Node, tuple[int, int]] = {}  # how many schemas a node applies to one value, and how many in each other
    for node in nodes:
        if node not in effort:
            _walk(node, effort)


def _walk(start: Node, effort: dict[Node, tuple[int, int]]) -> None:
    trail: dict[Node, Iterator[Node]] = {start: _in_place(start)}
    while trail:
        node = next(reversed(trail))
        inner = next((each for each in trail[node] if each not in effort), None)
        if inner is None:
            effort[node] = _effort(node, effort)
            del trail[node]
        elif inner in trail:
            raise SchemaError(
                f"{_named(inner)} applies itself to the same value again, without end: "
                'what refers to itself does so below a keyword for parts of the value, such as "properties" or "items"'
            )
        else:
            trail[inner] = _in_place(inner)


def _in_place(node: Node) -> Iterator[Node]:
    return (edge.node for edge in node.edges if edge.in_place)


def _effort(node: Node, effort: dict[Node, tuple[int, int]]) -> tuple[int, int]:
    inner = [effort[each] for each in _in_place(node)]
    count = 1 + sum(each for each, _ in inner)
    levels = 1 + max((each for _, each in inner), default=0)
    if count > MOST_APPLIED:
        raise SchemaError(
            f"{_named(node)} applies more than {MOST_APPLIED} schemas to one value, for its references multiply"
        )
    if levels > MOST_LEVELS:
        raise SchemaError(
            f"{_named(node)} refers to one that refers to another, and so on, more than {MOST_LEVELS} deep"
        )
    return count, levels


def _named(node: Node) -> str:
    return f"the schema at {json_path(node.path)}" if node.path else "the schema"
