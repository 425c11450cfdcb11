"""The graph of the schemas that a schema applies, and the check that validating by it ends.

The graph is walked from the top, by the keywords that the draft enforces and by references. Definitions that nothing refers to are not in it, nor is
the inside of the standard's own schemas.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from fcregistry._base.messages import json_path, show
from fcregistry._schema.document import Place, References, subschemas
from fcregistry._schema.drafts import SchemaError, own_draft
from fcregistry._schema.engine_py import check_schema
from fcregistry._schema.references import REFERENCES, resolver_of, resource_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fcregistry._schema.drafts import Draft


@dataclass(eq=False, slots=True, kw_only=True)
class SchemaNode:
    """A schema in the graph of a document.

    Attributes:
        schema: The schema: an object or a boolean.
        draft: The draft that it is written in.
        path: Its place in the document; None for one of the standard's schemas.
        edges: The schemas that it applies in turn.
    """

    schema: Any
    draft: Draft
    path: Place | None
    edges: list[Edge] = field(default_factory=list)

    @property
    def keywords(self) -> dict[str, Any]:
        """Its keywords, without those that are ignored beside a `$ref`."""
        if not isinstance(self.schema, dict):
            return {}
        alone = self.draft.ref_stands_alone and "$ref" in self.schema
        return {"$ref": self.schema["$ref"]} if alone else self.schema


class Edge(NamedTuple):
    """A schema that another applies, and the keyword by which it does."""

    keyword: str
    node: SchemaNode

    @property
    def in_place(self) -> bool:
        """Whether the schema is applied to the same value, and not to a part of it."""
        return self.keyword in _IN_PLACE


_IN_PLACE: Final = frozenset(REFERENCES) | {
    "allOf", "anyOf", "dependencies", "dependentSchemas", "else", "if", "not", "oneOf", "then",
}  # fmt: skip


def build_graph(schema: dict[str, Any], draft: Draft) -> list[SchemaNode]:
    """Return the schemas that a schema applies, itself first.

    Definitions that nothing refers to are left out.

    Args:
        schema: A schema that is valid by its meta-schema, in which no dict occurs twice.
        draft: The draft that it is written in.

    Raises:
        SchemaError: A reference leads nowhere, out of the document, or to a value that is not a schema; or an `$id` is not a URI.
    """
    _check_id(schema, (), draft)
    places: dict[int, Place] = {}
    _note_places(schema, (), places)
    root = SchemaNode(schema=schema, draft=draft, path=())
    nodes = {id(schema): root}
    waiting = deque([(root, resolver_of(schema, draft))])
    while waiting:
        node, resolver = waiting.popleft()
        if node.path is None:
            continue
        for keyword, inner, inner_resolver in (
            *_applied_by_keywords(node, resolver),
            *_applied_by_references(node, resolver, places),
        ):
            known = nodes.setdefault(id(inner.schema if isinstance(inner.schema, dict) else inner), inner)
            node.edges.append(Edge(keyword, known))
            if known is inner:
                waiting.append((inner, inner_resolver))
                if keyword in REFERENCES:
                    _check_target(inner, (*node.path, keyword))
    return list(nodes.values())


def _note_places(value: Any, path: Place, places: dict[int, Place]) -> None:
    """Note the places of all objects in a document by their ids."""
    if isinstance(value, dict):
        places[id(value)] = path
    for segment, inner in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(inner, (dict, list)):
            _note_places(inner, (*path, segment), places)


def _applied_by_keywords(node: SchemaNode, resolver: Any) -> Iterator[tuple[str, SchemaNode, Any]]:
    """Yield the subschemas that a schema applies by its own keywords.

    Each comes with its keyword and the resolver for its references.
    """
    keywords = node.keywords
    for (keyword, *rest), schema in subschemas(keywords):
        ignored = keyword in ("then", "else") and "if" not in keywords
        if keyword in node.draft.keywords and not ignored and isinstance(schema, (bool, dict)):
            inner = _make_node(node, schema, (*(node.path or ()), keyword, *rest))
            has_base = isinstance(schema, dict) and ("$id" in schema or "id" in schema)
            if has_base and not isinstance(resolver, References):
                yield str(keyword), inner, resolver.in_subresource(resource_of(schema, inner.draft))
            else:
                yield str(keyword), inner, resolver


def _applied_by_references(
    node: SchemaNode, resolver: Any, places: dict[int, Place]
) -> Iterator[tuple[str, SchemaNode, Any]]:
    """Yield the targets of the references of a schema, with the resolvers for theirs."""
    keywords = node.keywords
    for keyword in REFERENCES:
        if keyword in keywords and keyword in node.draft.keywords:
            found = _look_up(keywords[keyword], resolver, (*(node.path or ()), keyword), node.draft)
            yield keyword, _make_node(node, found.contents, places.get(id(found.contents))), found.resolver


def _make_node(node: SchemaNode, schema: Any, path: Place | None) -> SchemaNode:
    draft = own_draft(schema) or node.draft
    if path is not None:
        _check_id(schema, path, draft)
    return SchemaNode(schema=schema, draft=draft, path=path)


def _check_id(schema: Any, path: Place, draft: Draft) -> None:
    """Check that the `$id` of a schema is a URI or part of one."""
    keyword = "id" if draft.name == "4" else "$id"
    if isinstance(schema, dict) and keyword in schema:
        from urllib.parse import urlsplit  # 3 ms, paid only for an external schema

        try:
            urlsplit(schema[keyword])
        except ValueError as error:
            place = json_path((*path, keyword))
            raise SchemaError(f"{place} is {show(schema[keyword])}, which is not a URI: {error}") from None


def _look_up(reference: Any, resolver: Any, place: Place, draft: Draft) -> Any:
    """Return the target of a reference.

    Args:
        reference: The value of the keyword.
        resolver: The resolver for the schema around it.
        place: The place of the keyword.
        draft: The draft of the schema around it.

    Raises:
        SchemaError: The reference leads nowhere, out of the document, or to a value that is not a schema.
    """
    unresolvable: Any = ()
    if not isinstance(resolver, References):
        from referencing.exceptions import Unresolvable  # loaded already, with the resolver

        unresolvable = Unresolvable
    problem = "there is no such place in the schema"
    try:
        found = resolver.lookup(reference)
        if isinstance(found.contents, (bool, dict)):
            return found
        problem = "what is there is not a schema"
    except unresolvable as error:
        if type(error) is unresolvable:  # a subclass means that the document was found, and the place in it was not
            holder = "definitions" if draft.ref_stands_alone else "$defs"
            problem = f'that is outside the schema and is not fetched: copy it under "{holder}", and refer to it there'
    except (AttributeError, LookupError, TypeError, ValueError):
        pass  # not a string, not a URI, or a pointer with a name where a list is
    raise SchemaError(f"{json_path(place)} is {show(reference)}, and {problem}")


def _check_target(node: SchemaNode, place: Place) -> None:
    """Check the target of a reference: it may be in a place that no meta-schema covers."""
    if isinstance(node.schema, dict) and node.path is not None:
        try:
            check_schema(node.schema, node.draft)
        except SchemaError as error:
            target = json_path(node.path)
            raise SchemaError(f"{json_path(place)} leads to {target}, which is not a schema: {error}") from None


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
    from graphlib import CycleError, TopologicalSorter  # only for external schemas

    inner = {node: [edge.node for edge in node.edges if edge.in_place] for node in nodes}
    try:
        order = tuple(TopologicalSorter(inner).static_order())
    except CycleError as error:
        first = next(node for node in inner if node in error.args[1])
        raise SchemaError(
            f"{_node_text(first)} applies itself to the same value again, without end: "
            'what refers to itself does so below a keyword for parts of the value, such as "properties" or "items"'
        ) from None
    effort: dict[
        SchemaNode, tuple[int, int]
    ] = {}  # how many schemas a node applies to one value, and in how many levels
    for node in order:
        count = 1 + sum(effort[each][0] for each in inner[node])
        levels = 1 + max((effort[each][1] for each in inner[node]), default=0)
        if count > MOST_APPLIED:
            raise SchemaError(
                f"{_node_text(node)} applies more than {MOST_APPLIED} schemas to one value, for its references multiply"
            )
        if levels > MOST_APPLIED_LEVELS:
            raise SchemaError(
                f"{_node_text(node)} refers to one that refers to another, and so on, more than {MOST_APPLIED_LEVELS} deep"
            )
        effort[node] = count, levels


def _node_text(node: SchemaNode) -> str:
    return f"the schema at {json_path(node.path)}" if node.path else "the schema"
