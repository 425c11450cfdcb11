"""What do references to the whole of a schema mean, when its top is published as that of an object?

A top without a `type`, or with several, is published with `"type": "object"`: arguments are one. A reference to it from inside meant any value
that it takes, and still does: it leads to a copy of the top as it was given.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from fcregistry._validation._dialects import Draft
    from fcregistry._validation._graph import Node

_OF_THE_DOCUMENT: Final = frozenset({
    "$anchor", "$defs", "$dynamicAnchor", "$id", "$recursiveAnchor", "$schema", "$vocabulary", "definitions", "id",
})  # fmt: skip
_NAME: Final = "anything"


def refers_to_its_top(nodes: list[Node]) -> bool:
    """Tell whether a schema that has been read refers to its own top."""
    return any(_leads_to_top(node, nodes[0]) for node in nodes)


def widen(nodes: list[Node], given: dict[str, Any], draft: Draft) -> None:
    """Let references to the top of a schema lead to a copy of it that says what it was given with.

    Args:
        nodes: The schema that is published, as it was read; it is changed.
        given: The top as it was given; objects in it are those of the schema that is published.
        draft: The draft that it is written in.
    """
    schema = nodes[0].schema
    holder = "definitions" if draft.ref_stands_alone else "$defs"
    definitions = schema.setdefault(holder, {})
    name = _NAME
    while name in definitions:
        name += "_"
    base = str(schema.get("id" if draft.name == "4" else "$id", "")).removesuffix("#")
    for node in nodes:
        if _leads_to_top(node, nodes[0]):
            node.schema["$ref"] = f"{base}#/{holder}/{name}"
    definitions[name] = {keyword: _copied(value) for keyword, value in given.items() if keyword not in _OF_THE_DOCUMENT}


def _leads_to_top(node: Node, top: Node) -> bool:
    return any(edge.keyword == "$ref" and edge.node is top for edge in node.edges)


def _copied(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _copied(each) for name, each in value.items()}
    return [_copied(each) for each in value] if isinstance(value, list) else value
