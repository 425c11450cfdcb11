"""The graph of the schemas that a schema applies, and the check that validating by it ends.

The graph is walked from the top, by the keywords that the draft enforces and by references. Definitions that nothing refers to are not in it, nor is
the inside of the standard's own schemas.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, Final

from fcregistry._base.messages import json_path
from fcregistry._schema.drafts import SchemaError, own_draft
from fcregistry._schema.engine_py import check_schema
from fcregistry._schema.references import REFERENCES, Edge, ReferenceResolver, SchemaNode, check_id, has_references

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fcregistry._schema.drafts import Draft


def build_graph(schema: dict[str, Any], draft: Draft) -> list[SchemaNode]:
    """Return the schemas that a schema applies, itself first; definitions that nothing refers to are left out.

    Args:
        schema: A schema that is valid by its meta-schema, in which no dict occurs twice.
        draft: The draft that it is written in.

    Raises:
        SchemaError: A reference leads nowhere, out of the document, or to a value that is not a schema; or an `$id` is not a URI.
    """
    check_id(schema, (), draft)
    references = ReferenceResolver(schema, draft) if has_references(schema) else None
    root = SchemaNode(schema=schema, draft=draft, path=())
    nodes = {id(schema): root}
    waiting = deque([(root, references.top if references else None)])
    while waiting:
        node, resolver = waiting.popleft()
        if node.path is None:
            continue
        found = [
            (keyword, inner, references and references.into(resolver, inner))
            for keyword, inner in _applied_by_keywords(node)
        ]
        found += _applied_by_references(node, references, resolver) if references else ()
        for keyword, inner, inner_resolver in found:
            known = nodes.setdefault(id(inner.schema if isinstance(inner.schema, dict) else inner), inner)
            node.edges.append(Edge(keyword, known))
            if known is inner:
                waiting.append((inner, inner_resolver))
                if keyword in REFERENCES:
                    _check_target(inner, (*node.path, keyword))
    return list(nodes.values())


def _applied_by_keywords(node: SchemaNode) -> Iterator[tuple[str, SchemaNode]]:
    """Yield the subschemas that a schema applies by its own keywords."""
    keywords = node.keywords
    for keyword, value in keywords.items():
        ignored = keyword in ("then", "else") and "if" not in keywords
        if keyword in _WITH_SCHEMAS and keyword in node.draft.keywords and not ignored:
            for place, schema in _schemas_of_keyword(keyword, value):
                if isinstance(schema, (bool, dict)):
                    yield keyword, _make_node(node, schema, (*(node.path or ()), *place))


def _schemas_of_keyword(keyword: str, value: Any) -> list[tuple[tuple[str | int, ...], Any]]:
    if keyword in _SCHEMAS_BY_NAME:
        return [((keyword, name), schema) for name, schema in value.items()]
    if isinstance(value, list):
        return [((keyword, place), schema) for place, schema in enumerate(value)]
    return [((keyword,), value)]


def _make_node(node: SchemaNode, schema: Any, path: tuple[str | int, ...] | None) -> SchemaNode:
    draft = own_draft(schema) or node.draft
    if path is not None:
        check_id(schema, path, draft)
    return SchemaNode(schema=schema, draft=draft, path=path)


def _applied_by_references(
    node: SchemaNode, references: ReferenceResolver, resolver: Any
) -> Iterator[tuple[str, SchemaNode, Any]]:
    """Yield the targets of the references of a schema."""
    keywords = node.keywords
    for keyword in REFERENCES:
        if keyword in keywords and keyword in node.draft.keywords:
            place = (*(node.path or ()), keyword)
            found = references.look_up(keywords[keyword], resolver, place, node.draft)
            yield keyword, _make_node(node, found.schema, found.path), found.resolver


def _check_target(node: SchemaNode, place: tuple[str | int, ...]) -> None:
    """Check the target of a reference: it may be in a place that no meta-schema covers."""
    if isinstance(node.schema, dict) and node.path is not None:
        try:
            check_schema(node.schema, node.draft)
        except SchemaError as error:
            target = json_path(node.path)
            raise SchemaError(f"{json_path(place)} leads to {target}, which is no schema: {error}") from None


_SCHEMAS_BY_NAME: Final = frozenset({"dependencies", "dependentSchemas", "patternProperties", "properties"})
_WITH_SCHEMAS: Final = _SCHEMAS_BY_NAME | {
    "additionalItems", "additionalProperties", "allOf", "anyOf", "contains", "else", "if", "items", "not", "oneOf",
    "prefixItems", "propertyNames", "then", "unevaluatedItems", "unevaluatedProperties",
}  # fmt: skip


# --- Termination ---


MOST_APPLIED: Final = 100_000
"""The most schemas that may apply to one value: references that multiply could keep a validator busy for hours."""
MOST_APPLIED_LEVELS: Final = 100
"""The most levels of schemas that apply to one value: jsonschema recurses, and the interpreter's stack has room for so many."""


def check_terminates(nodes: Iterable[SchemaNode]) -> None:
    """Check that validation by these schemas ends, for every value and in reasonable time.

    Raises:
        SchemaError: A schema applies itself to the same value again, or too many schemas.
    """
    # How many schemas a node applies to one value, and in how many levels
    effort: dict[SchemaNode, tuple[int, int]] = {}
    for node in nodes:
        if node not in effort:
            _walk_in_place(node, effort)


def _walk_in_place(start: SchemaNode, effort: dict[SchemaNode, tuple[int, int]]) -> None:
    trail: dict[SchemaNode, Iterator[SchemaNode]] = {start: _in_place(start)}
    while trail:
        node = next(reversed(trail))
        inner = next((each for each in trail[node] if each not in effort), None)
        if inner is None:
            effort[node] = _effort(node, effort)
            del trail[node]
        elif inner in trail:
            raise SchemaError(
                f"{_node_text(inner)} applies itself to the same value again, without end: "
                'what refers to itself does so below a keyword for parts of the value, such as "properties" or "items"'
            )
        else:
            trail[inner] = _in_place(inner)


def _in_place(node: SchemaNode) -> Iterator[SchemaNode]:
    return (edge.node for edge in node.edges if edge.in_place)


def _effort(node: SchemaNode, effort: dict[SchemaNode, tuple[int, int]]) -> tuple[int, int]:
    inner = [effort[each] for each in _in_place(node)]
    count = 1 + sum(each for each, _ in inner)
    levels = 1 + max((each for _, each in inner), default=0)
    if count > MOST_APPLIED:
        raise SchemaError(
            f"{_node_text(node)} applies more than {MOST_APPLIED} schemas to one value, for its references multiply"
        )
    if levels > MOST_APPLIED_LEVELS:
        raise SchemaError(
            f"{_node_text(node)} refers to one that refers to another, and so on, more than {MOST_APPLIED_LEVELS} deep"
        )
    return count, levels


def _node_text(node: SchemaNode) -> str:
    return f"the schema at {json_path(node.path)}" if node.path else "the schema"
