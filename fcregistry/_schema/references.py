"""References of a schema: the nodes and edges of its graph, and the scope in which a validator follows them.

References stay inside the document or lead to the standard's own schemas. Nothing is fetched.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from fcregistry._base.messages import json_path, show
from fcregistry._schema.drafts import SchemaError, own_draft

if TYPE_CHECKING:
    from fcregistry._schema.drafts import Draft
    from fcregistry._schema.engine_rs import TextChecker


REFERENCES: Final = ("$ref", "$dynamicRef", "$recursiveRef")


# --- References while a document is read ---


class ReferenceResolver:
    """Looks up the references of a document, for the graph of its schemas.

    Args:
        schema: The document.
        draft: The draft that it is written in.

    Attributes:
        top: The resolver for references at the top of the document.
    """

    def __init__(self, schema: dict[str, Any], draft: Draft) -> None:
        self._places: dict[int, tuple[str | int, ...]] = {}
        _note_places(schema, (), self._places)
        self.top: Any = standard_resolver(schema, draft)

    def into(self, resolver: Any, node: SchemaNode) -> Any:
        """Return the resolver for references in a subschema, which may have a base URI of its own."""
        has_own = isinstance(node.schema, dict) and ("$id" in node.schema or "id" in node.schema)
        return resolver.in_subresource(resource_of(node.schema, node.draft)) if has_own else resolver

    def look_up(self, reference: Any, resolver: Any, place: tuple[str | int, ...], draft: Draft) -> Found:
        """Return the target of a reference.

        Args:
            reference: The value of the keyword.
            resolver: The resolver for the schema around it.
            place: The place of the keyword.
            draft: The draft of the schema around it.

        Raises:
            SchemaError: The reference leads nowhere, out of the document, or to a value that is not a schema.
        """
        from referencing.exceptions import Unresolvable  # loaded already

        problem = "there is no such place in the schema"
        try:
            found = resolver.lookup(reference)
            if isinstance(found.contents, (bool, dict)):
                return Found(found.contents, self._places.get(id(found.contents)), found.resolver)
            problem = "what stands there is no schema"
        except Unresolvable as error:
            if type(error) is Unresolvable:  # a subclass means that the document was found, and the place in it was not
                holder = "definitions" if draft.ref_stands_alone else "$defs"
                problem = (
                    f'that lies outside the schema and is not fetched: copy it under "{holder}", and refer to it there'
                )
        except (
            AttributeError,
            LookupError,
            TypeError,
            ValueError,
        ):  # not a string, not a URI, or a pointer with a name where a list is
            pass
        raise SchemaError(f"{json_path(place)} is {show(reference)}, and {problem}")


class Found(NamedTuple):
    """The target of a reference.

    Attributes:
        schema: The schema: an object or a boolean.
        path: Its place in the document; None for one of the standard's schemas.
        resolver: The resolver for its own references.
    """

    schema: Any
    path: tuple[str | int, ...] | None
    resolver: Any


def _note_places(value: Any, path: tuple[str | int, ...], places: dict[int, tuple[str | int, ...]]) -> None:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    if isinstance(value, dict):
        places[id(value)] = path
    for segment, each in inner:
        _note_places(each, (*path, segment), places)


def resource_of(schema: Any, draft: Draft) -> Any:
    """Return a schema as a resource of `referencing`, with the `$id` and the anchors of its draft."""
    from referencing.jsonschema import specification_with  # loaded already

    return specification_with(draft.uri).create_resource(schema)


def check_id(schema: Any, path: tuple[str | int, ...], draft: Draft) -> None:
    """Check that the `$id` of a schema is a URI or part of one.

    Raises:
        SchemaError: It is not.
    """
    from urllib.parse import urlsplit  # 3 ms, paid only for an external schema

    keyword = "id" if draft.name == "4" else "$id"
    uri = schema.get(keyword, "") if isinstance(schema, dict) else ""
    try:
        urlsplit(uri)
    except ValueError as error:
        raise SchemaError(f"{json_path((*path, keyword))} is {show(uri)}, which is no URI: {error}") from None


def has_references(value: Any) -> bool:
    """Return whether a schema may contain a reference."""
    if isinstance(value, list):
        return any(map(has_references, value))
    return isinstance(value, dict) and (
        any(name in value for name in REFERENCES) or any(map(has_references, value.values()))
    )


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
    path: tuple[str | int, ...] | None
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


# --- References while a value is validated ---


class Scope(NamedTuple):
    """How a subschema is interpreted during a walk through a value.

    Attributes:
        draft: The draft that it is written in.
        checker: Checks formats and patterns.
        resolver: Looks up its references.
        plans: The `id` of a subschema of this draft -> the checks that it asks for.
    """

    draft: Draft
    checker: TextChecker
    resolver: Any
    plans: dict[int, Any]

    @property
    def bases(self) -> tuple[str, ...]:
        """The base URIs of the documents that led here: what a `$dynamicRef` means depends on them."""
        if self.resolver.__class__ is LocalResolver:
            return ()
        return tuple(dict.fromkeys(uri for uri, _ in self.resolver.dynamic_scope()))

    def opposite(self) -> Scope:
        """Return the scope below a `not`, where a pattern that is not enforced counts as not matching."""
        opposite = self.checker.opposite
        return self if opposite is self.checker else self._replace(checker=opposite)

    def inside(self, schema: Any) -> Scope:
        """Return the scope of a subschema, which may have a draft and a base URI of its own."""
        if (
            self.resolver.__class__ is LocalResolver
            or not isinstance(schema, dict)
            or not _OF_RESOURCES & schema.keys()
        ):
            return self
        scope = self._of_draft(own_draft(schema))
        return scope._replace(resolver=self.resolver.in_subresource(resource_of(schema, scope.draft)))

    def follow(self, keyword: str, reference: str) -> tuple[Any, Scope]:
        """Return the subschema that a reference leads to, with its scope."""
        if keyword == "$recursiveRef":
            from referencing.jsonschema import lookup_recursive_ref  # loaded already, by `standard_resolver`

            found: Any = lookup_recursive_ref(self.resolver)
        else:
            found = self.resolver.lookup(reference)
        if found.resolver is self.resolver:
            return found.contents, self
        return found.contents, self._of_draft(own_draft(found.contents))._replace(resolver=found.resolver)

    def _of_draft(self, draft: Draft | None) -> Scope:
        return self if draft is None or draft is self.draft else self._replace(draft=draft, plans={})


class LocalResolver:
    """Looks up references of the form `#/…` in a document that is one resource, as schemas made from annotations are."""

    __slots__ = ("_document", "_found")

    def __init__(self, document: dict[str, Any]) -> None:
        self._document = document
        self._found: dict[str, _Target] = {}

    def lookup(self, reference: str) -> _Target:
        """Return the target of a reference."""
        if reference not in self._found:
            self._found[reference] = _Target(self._at(reference), self)
        return self._found[reference]

    def _at(self, reference: str) -> Any:
        from urllib.parse import unquote  # 3 ms, paid by a schema with references

        place: Any = self._document
        for segment in unquote(reference[1:]).split("/")[1:]:
            name = segment.replace("~1", "/").replace("~0", "~")
            place = place[int(name) if isinstance(place, list) else name]
        return place


class _Target(NamedTuple):
    contents: Any
    resolver: LocalResolver


_OF_RESOURCES: Final = frozenset({"$id", "$schema", "id"})
"""Keywords that give a subschema a draft or a base URI of its own."""


def is_one_resource(document: dict[str, Any]) -> bool:
    """Return whether a document has one draft, and no references but those of the form `#/…`."""
    return _refers_locally({keyword: value for keyword, value in document.items() if keyword != "$schema"})


def _refers_locally(value: Any) -> bool:
    if isinstance(value, list):
        return all(map(_refers_locally, value))
    if not isinstance(value, dict):
        return True
    reference = value.get("$ref", "#")
    if isinstance(reference, str) and reference != "#" and not reference.startswith("#/"):
        return False
    # A property may be called "id" too: its value is a schema.
    has_uri = any(isinstance(value[keyword], (bool, str)) for keyword in _WITH_URIS & value.keys())
    return not has_uri and all(map(_refers_locally, value.values()))


_WITH_URIS: Final = _OF_RESOURCES | {"$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveAnchor", "$recursiveRef"}


def standard_resolver(schema: dict[str, Any], draft: Draft) -> Any:
    """Return a resolver for references of any form in a document and to the standard's own schemas. It fetches nothing."""
    from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]  # 60 ms, only for external schemas

    return REGISTRY.resolver_with_root(resource_of(schema, draft))
