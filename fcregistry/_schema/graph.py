"""Is every value done with some time? Not by a schema that applies itself to the same value, or far too many schemas to it.

MERGED: Which schemas does a schema apply?

It is walked from the top, by the keywords that its draft enforces and by its references. What is never applied (a definition that nothing refers
to) is not looked at, and neither is the inside of the standard's own schemas.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, Final

from fcregistry._base.messages import json_path
from fcregistry._schema.drafts import SchemaError, own_draft
from fcregistry._schema.engine_py import check_schema
from fcregistry._schema.references import REFERENCES, Edge, ReferenceResolver, SchemaNode, check_id, refers

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fcregistry._schema.drafts import Draft

# --- _validation._ending ---

MOST_APPLIED: Final = 100_000
"""How many schemas may apply to one value: references that multiply could keep a validator busy for hours."""
MOST_LEVELS: Final = 100
"""How many may lie in each other, for one value: what jsonschema's recursion has room for in the interpreter's stack."""


def check_end(nodes: Iterable[SchemaNode]) -> None:
    """Look whether schemas can be applied to any value.

    Raises:
        SchemaError: One is applied without end, or they are too many.
    """
    effort: dict[
        SchemaNode, tuple[int, int]
    ] = {}  # how many schemas a node applies to one value, and how many in each other
    for node in nodes:
        if node not in effort:
            _walk(node, effort)


def _walk(start: SchemaNode, effort: dict[SchemaNode, tuple[int, int]]) -> None:
    trail: dict[SchemaNode, Iterator[SchemaNode]] = {start: _in_place(start)}
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


def _in_place(node: SchemaNode) -> Iterator[SchemaNode]:
    return (edge.node for edge in node.edges if edge.in_place)


def _effort(node: SchemaNode, effort: dict[SchemaNode, tuple[int, int]]) -> tuple[int, int]:
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


def _named(node: SchemaNode) -> str:
    return f"the schema at {json_path(node.path)}" if node.path else "the schema"


# --- _validation._graph ---

_OF_NAMES: Final = frozenset({"dependencies", "dependentSchemas", "patternProperties", "properties"})
_OF_SCHEMAS: Final = _OF_NAMES | {
    "additionalItems", "additionalProperties", "allOf", "anyOf", "contains", "else", "if", "items", "not", "oneOf",
    "prefixItems", "propertyNames", "then", "unevaluatedItems", "unevaluatedProperties",
}  # fmt: skip


def graph_of(schema: dict[str, Any], draft: Draft) -> list[SchemaNode]:
    """Return the schemas that a schema applies, itself first.

    Args:
        schema: A schema, valid by its meta-schema, each object in it an object of its own.
        draft: The draft that it is written in.

    Raises:
        SchemaError: A reference leads nowhere, out of the document, or to what is no schema; or an `$id` is no URI.
    """
    check_id(schema, (), draft)
    references = ReferenceResolver(schema, draft) if refers(schema) else None
    root = SchemaNode(schema=schema, draft=draft, path=())
    nodes = {id(schema): root}
    waiting = deque([(root, references.top if references else None)])
    while waiting:
        node, resolver = waiting.popleft()
        if node.path is None:
            continue
        found = [(keyword, inner, references and references.into(resolver, inner)) for keyword, inner in _below(node)]
        found += _referred(node, references, resolver) if references else ()
        for keyword, inner, inner_resolver in found:
            known = nodes.setdefault(id(inner.schema if isinstance(inner.schema, dict) else inner), inner)
            node.edges.append(Edge(keyword, known))
            if known is inner:
                waiting.append((inner, inner_resolver))
                if keyword in REFERENCES:
                    _check_referred(inner, (*node.path, keyword))
    return list(nodes.values())


def _below(node: SchemaNode) -> Iterator[tuple[str, SchemaNode]]:
    """Yield what a schema applies by its own keywords."""
    said = node.keywords
    for keyword, value in said.items():
        ignored = keyword in ("then", "else") and "if" not in said
        if keyword in _OF_SCHEMAS and keyword in node.draft.keywords and not ignored:
            for place, schema in _held(keyword, value):
                if isinstance(schema, (bool, dict)):
                    yield keyword, _inner(node, schema, (*(node.path or ()), *place))


def _held(keyword: str, value: Any) -> list[tuple[tuple[str | int, ...], Any]]:
    if keyword in _OF_NAMES:
        return [((keyword, name), schema) for name, schema in value.items()]
    if isinstance(value, list):
        return [((keyword, place), schema) for place, schema in enumerate(value)]
    return [((keyword,), value)]


def _inner(node: SchemaNode, schema: Any, path: tuple[str | int, ...] | None) -> SchemaNode:
    draft = own_draft(schema) or node.draft
    if path is not None:
        check_id(schema, path, draft)
    return SchemaNode(schema=schema, draft=draft, path=path)


def _referred(node: SchemaNode, references: ReferenceResolver, resolver: Any) -> Iterator[tuple[str, SchemaNode, Any]]:
    """Yield what a schema refers to."""
    said = node.keywords
    for keyword in REFERENCES:
        if keyword in said and keyword in node.draft.keywords:
            place = (*(node.path or ()), keyword)
            found = references.look_up(said[keyword], resolver, place, node.draft)
            yield keyword, _inner(node, found.schema, found.path), found.resolver


def _check_referred(node: SchemaNode, place: tuple[str | int, ...]) -> None:
    """Look at what a reference leads to: it may stand where no meta-schema looks."""
    if isinstance(node.schema, dict) and node.path is not None:
        try:
            check_schema(node.schema, node.draft)
        except SchemaError as error:
            target = json_path(node.path)
            raise SchemaError(f"{json_path(place)} leads to {target}, which is no schema: {error}") from None
