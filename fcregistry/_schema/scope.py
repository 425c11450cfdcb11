"""What a subschema is read by: its draft, and where its references lead."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from fcregistry._schema.drafts import own_draft
from fcregistry._schema.references import resource_of

if TYPE_CHECKING:
    from fcregistry._schema.drafts import Draft
    from fcregistry._schema.engine_rs import Texts


class Scope(NamedTuple):
    """What a subschema is read by.

    Attributes:
        draft: The draft that it is written in.
        texts: Answers for formats and patterns.
        resolver: Follows its references.
        plans: The `id` of a subschema of this draft -> what is to be checked.
    """

    draft: Draft
    texts: Texts
    resolver: Any
    plans: dict[int, Any]

    def opposite(self) -> Scope:
        """Return the scope below a `not`: a pattern that is not enforced counts as broken there."""
        opposite = self.texts.opposite
        return self if opposite is self.texts else self._replace(texts=opposite)

    def inside(self, schema: Any) -> Scope:
        """Return the scope of a subschema, which may have a draft and a base URI of its own."""
        if self.resolver.__class__ is LocalPlaces or not isinstance(schema, dict) or not _RESOURCE & schema.keys():
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


class LocalPlaces:
    """Follows references of the form `#/…` in a document that is one resource, as our own schemas are."""

    __slots__ = ("_document", "_found")

    def __init__(self, document: dict[str, Any]) -> None:
        self._document = document
        self._found: dict[str, _Target] = {}

    def lookup(self, reference: str) -> _Target:
        """Return what a reference leads to."""
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
    resolver: LocalPlaces


_RESOURCE: Final = frozenset({"$id", "$schema", "id"})
"""Keywords that give a subschema a draft or a base URI of its own."""
_OF_URIS: Final = _RESOURCE | {"$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveAnchor", "$recursiveRef"}


def is_one_resource(document: dict[str, Any]) -> bool:
    """Return whether `#/…` is the only form of reference that a document may have, and it has one draft."""
    return _refers_locally({keyword: value for keyword, value in document.items() if keyword != "$schema"})


def _refers_locally(value: Any) -> bool:
    if isinstance(value, list):
        return all(map(_refers_locally, value))
    if not isinstance(value, dict):
        return True
    reference = value.get("$ref", "#")
    if isinstance(reference, str) and reference != "#" and not reference.startswith("#/"):
        return False
    # A property may be called "id", too: what it holds is a schema.
    has_uri = any(isinstance(value[keyword], (bool, str)) for keyword in _OF_URIS & value.keys())
    return not has_uri and all(map(_refers_locally, value.values()))


def standard_resolver(schema: dict[str, Any], draft: Draft) -> Any:
    """Return what follows references of any form in a document, and to the standard's own schemas; nothing is fetched."""
    from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]  # 60 ms, only for schemas with URIs

    return REGISTRY.resolver_with_root(resource_of(schema, draft))
