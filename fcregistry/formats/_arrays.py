"""How is an array said to a provider that knows only arrays of one sort of items?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fcregistry.formats._node import distinct

if TYPE_CHECKING:
    from fcregistry.formats._node import Node
    from fcregistry.formats._rewriter import Rewriter


def write_array(rewriter: Rewriter, node: Node) -> bool:
    """Rewrite the items of an array; False where it needs one that no value can stand for."""
    schema = node.schema
    if not node.is_a("array") and "items" not in schema and "prefixItems" not in schema:
        return True
    if schema.get("prefixItems"):
        return _write_tuple(rewriter, node)
    schema.pop("prefixItems", None)
    if "items" in schema or rewriter.profile.closed:
        items = schema.get("items", True)
        written = None if schema.get("maxItems") == 0 else rewriter.write(items, (*node.path, "items"))
        if written is None:
            return _leave_empty(rewriter, node)
        schema["items"] = written
    return True


def _leave_empty(rewriter: Rewriter, node: Node) -> bool:
    """Say an array that can hold nothing; False where it must hold something."""
    if node.schema.get("minItems", 0) > 0:
        return False
    node.schema["maxItems"] = 0
    if rewriter.profile.closed:
        node.schema["items"] = {"type": "null"}  # an array must say something of its items
    else:
        del node.schema["items"]
    return True


def _write_tuple(rewriter: Rewriter, node: Node) -> bool:
    schema, path = node.schema, node.path
    first: list[Any] = schema["prefixItems"]
    written = [rewriter.write(each, (*path, "prefixItems", place)) for place, each in enumerate(first)]
    sayable = [each for each in written if each is not None]
    if len(sayable) < len(first):
        return False
    rest = _write_rest(rewriter, node, len(first))
    if "prefixItems" in rewriter.keywords:
        schema["prefixItems"] = sayable
        if rest is not None:
            schema["items"] = rest
        return True
    sorts = distinct([*sayable, *([] if rest is None else [rest])])
    if len(sorts) > 1:
        rewriter.drop(
            node, "prefixItems", f"{rewriter.profile.taker} has no such keyword: each item may be of any of its types"
        )
    schema.pop("prefixItems", None)
    schema["items"] = sorts[0] if len(sorts) == 1 else {"anyOf": sorts}
    return True


def _write_rest(rewriter: Rewriter, node: Node, length: int) -> dict[str, Any] | None:
    """Rewrite what may follow the first items of a tuple; None if nothing may, and then its length is bounded."""
    schema, path = node.schema, node.path
    rest = schema.pop("items", True)
    ends = rest is False or schema.get("maxItems", length + 1) <= length
    if rest is True or rest == {}:
        if not rewriter.profile.closed:
            return None
        if not ends:
            rewriter.record(path, "items", True, f"{rewriter.profile.taker} wants a type for every item")
        ends = True
    written = None if ends else rewriter.write(rest, (*path, "items"))
    if written is None:
        schema["maxItems"] = min(schema.get("maxItems", length), length)
    return written
