"""Where does a reference lead? Never out of the document, unless to the standard's own schemas: nothing is fetched."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from fcregistry._base.messages import json_path, show
from fcregistry._schema.drafts import SchemaError

if TYPE_CHECKING:
    from fcregistry._schema.drafts import Draft

REFERENCES: Final = ("$ref", "$dynamicRef", "$recursiveRef")


class Found(NamedTuple):
    """What a reference leads to.

    Attributes:
        schema: The schema there: an object or a boolean.
        path: Where in the document it stands; None for a schema of the standard.
        resolver: What its own references are looked up by.
    """

    schema: Any
    path: tuple[str | int, ...] | None
    resolver: Any


class ReferenceResolver:
    """Where the references of a document lead.

    Args:
        schema: The document.
        draft: The draft that it is written in.

    Attributes:
        top: What the references at its top are looked up by.
    """

    def __init__(self, schema: dict[str, Any], draft: Draft) -> None:
        from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]  # 60 ms, only for a schema with references

        self._places: dict[int, tuple[str | int, ...]] = {}
        _note_places(schema, (), self._places)
        self.top: Any = REGISTRY.resolver_with_root(resource_of(schema, draft))

    def into(self, resolver: Any, node: SchemaNode) -> Any:
        """Return what references in a subschema are looked up by: it may have a base of its own."""
        has_own = isinstance(node.schema, dict) and ("$id" in node.schema or "id" in node.schema)
        return resolver.in_subresource(resource_of(node.schema, node.draft)) if has_own else resolver

    def look_up(self, reference: Any, resolver: Any, place: tuple[str | int, ...], draft: Draft) -> Found:
        """Return what a reference leads to.

        Args:
            reference: The value of the keyword.
            resolver: What it is looked up by.
            place: Where the keyword stands.
            draft: The draft of the schema that it stands in.

        Raises:
            SchemaError: Nowhere, out of the document, or to what is no schema.
        """
        from referencing.exceptions import Unresolvable  # loaded already

        problem = "there is no such place in the schema"
        try:
            found = resolver.lookup(reference)
            if isinstance(found.contents, (bool, dict)):
                return Found(found.contents, self._places.get(id(found.contents)), found.resolver)
            problem = "what stands there is no schema"
        except Unresolvable as error:
            if (
                type(error) is Unresolvable
            ):  # and none of its kind, which say that the document is there and a place in it is not
                holder = "definitions" if draft.ref_stands_alone else "$defs"
                problem = (
                    f'that lies outside the schema and is not fetched: copy it under "{holder}", and refer to it there'
                )
        except (
            AttributeError,
            LookupError,
            TypeError,
            ValueError,
        ):  # no string, no URI, or a pointer that asks a list for a name
            pass
        raise SchemaError(f"{json_path(place)} is {show(reference)}, and {problem}")


def resource_of(schema: Any, draft: Draft) -> Any:
    """Return a schema as `referencing` knows it: with the `$id` and the anchors that its draft has."""
    from referencing.jsonschema import specification_with  # loaded already

    return specification_with(draft.uri).create_resource(schema)


def _note_places(value: Any, path: tuple[str | int, ...], places: dict[int, tuple[str | int, ...]]) -> None:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    if isinstance(value, dict):
        places[id(value)] = path
    for segment, each in inner:
        _note_places(each, (*path, segment), places)


def check_id(schema: Any, path: tuple[str | int, ...], draft: Draft) -> None:
    """Look whether the `$id` of a schema is a URI, or part of one.

    Raises:
        SchemaError: It is not.
    """
    from urllib.parse import urlsplit  # 3 ms, paid only for a schema of others

    keyword = "id" if draft.name == "4" else "$id"
    uri = schema.get(keyword, "") if isinstance(schema, dict) else ""
    try:
        urlsplit(uri)
    except ValueError as error:
        raise SchemaError(f"{json_path((*path, keyword))} is {show(uri)}, which is no URI: {error}") from None


def refers(value: Any) -> bool:
    """Tell whether there may be a reference in a schema."""
    if isinstance(value, list):
        return any(map(refers, value))
    return isinstance(value, dict) and (any(name in value for name in REFERENCES) or any(map(refers, value.values())))


@dataclass(eq=False, slots=True, kw_only=True)
class SchemaNode:
    """A schema that applies to something.

    Attributes:
        schema: The schema: an object or a boolean.
        draft: The draft that it is written in.
        path: Where in the document it stands; None for a schema of the standard.
        edges: What it applies in turn.
    """

    schema: Any
    draft: Draft
    path: tuple[str | int, ...] | None
    edges: list[Edge] = field(default_factory=list)

    @property
    def keywords(self) -> dict[str, Any]:
        """What it says, without what is ignored beside a `$ref`."""
        if not isinstance(self.schema, dict):
            return {}
        alone = self.draft.ref_stands_alone and "$ref" in self.schema
        return {"$ref": self.schema["$ref"]} if alone else self.schema


class Edge(NamedTuple):
    """By which keyword a schema applies which other."""

    keyword: str
    node: SchemaNode

    @property
    def in_place(self) -> bool:
        """Whether it applies to the same value, and not to a part of it."""
        return self.keyword in _IN_PLACE


_IN_PLACE: Final = frozenset(REFERENCES) | {
    "allOf", "anyOf", "dependencies", "dependentSchemas", "else", "if", "not", "oneOf", "then",
}  # fmt: skip
