"""How is an exclusive bound said to a provider that knows inclusive ones alone?"""

from __future__ import annotations

from math import ceil, floor
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from fcregistry.formats._node import Node
    from fcregistry.formats._rewriter import Rewriter


def write_bounds(rewriter: Rewriter, node: Node) -> bool:
    """Say exclusive bounds as inclusive ones: exactly for integers, and recorded as a little less for other numbers."""
    _write(rewriter, node, "exclusiveMinimum", "minimum", lambda limit: floor(limit) + 1, max)
    _write(rewriter, node, "exclusiveMaximum", "maximum", lambda limit: ceil(limit) - 1, min)
    return True


def _write(
    rewriter: Rewriter,
    node: Node,
    exclusive: str,
    inclusive: str,
    next_integer: Callable[[float], int],
    narrower: Callable[[float, float], float],
) -> None:
    schema = node.schema
    if exclusive not in schema or exclusive in rewriter.keywords or inclusive not in rewriter.keywords:
        return
    limit = schema[exclusive]
    if schema.get("type") == "integer":
        limit = next_integer(limit)
        del schema[exclusive]
    else:
        rewriter.drop(node, exclusive)
    schema[inclusive] = narrower(schema.get(inclusive, limit), limit)
